import type { SQSEvent } from 'aws-lambda'
import { sha256 } from '#shared/adapters/digest.ts'
import { alertStore } from '#shared/adapters/dynamo/alerts.ts'
import { integrationStore } from '#shared/adapters/dynamo/integrations.ts'
import { signalKeeper } from '#shared/adapters/dynamo/signal-keeper.ts'
import { senderGate } from '#shared/adapters/intake/sender-gate.ts'
import { type SentBodies, sentBodies } from '#shared/adapters/objects/sent-bodies.ts'
import { messageQueue, openAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { type AlertWindows, isFiring } from '#shared/domain/alerts/fold-alerts.ts'
import { intakeOf, TOKEN_BYTES, writeToken } from '#shared/domain/alerts/intake.ts'
import { SETTLE_LIMIT, type SettleActs, settleAlerts, takeAlerts } from '#shared/domain/alerts/take-alerts.ts'
import { takeMessage } from '#shared/domain/alerts/take-message.ts'
import type { Incident } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { keepSignals } from '#shared/domain/push-signals.ts'
import { alertWorker } from '#shared/edge/alert-worker.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { clientOver, type Item } from '#test/deliveries/dynamo-in-memory.ts'
import { broken } from '#test/deliveries/invariants.ts'
import { Crash, World } from '#test/deliveries/world.ts'
import { contextOf, send } from '#test/edge/call-endpoint.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const QUEUE = 'alerts'
/** As the queue of the stack: what a worker died with comes again after this long. */
export const REDELIVERED_MS = MINUTE
/** As the mapping of the stack. */
const BATCH = 50
/** How long the senders here wait before they send again what was not taken. */
const RETRY_MS = 5 * SECOND
const MOST_SENDS = 5
const WITHIN = 60_000

interface Waiting {
  readonly messageId: string
  readonly body: string
  visibleAt: number
}

export interface IntakeOptions {
  /** Of the integration, and so of the messages that are posted. */
  readonly type: string
  readonly windows: AlertWindows
  /** The call of the SDK (from 1, over the whole history) at which its process dies, and on which side of it. */
  readonly crash?: { readonly call: number; readonly side: 'before' | 'after' } | undefined
  /** A planted fault: messages are gone before they are worked. */
  readonly acksFirst?: boolean
  /** What a worker died with comes again after this, ms; as the queue of the stack unless said otherwise. */
  readonly redeliveredMs?: number
  /** A planted fault: incidents are resolved without a look at what waits. */
  readonly looksAway?: boolean
}

/** An incident as anybody sees it once all is quiet, without what the order of messages may decide. */
export interface Outcome {
  readonly service: string | null
  readonly severity: string
  readonly status: string
  /** Its alerts by what names them, and whether they fire. */
  readonly alerts: readonly string[]
  /** Events that a receiver accepted, each counted once by its id. */
  readonly events: readonly string[]
}

let worlds = 0
/** Later than anything that a recorded stream tells of: nothing comes in before it happened. */
const AFTER_RECORDINGS = Date.UTC(2027, 0, 1)
const TOKEN = writeToken(Buffer.alloc(TOKEN_BYTES, 'sender'))

/**
 * What a tool posts on its whole way: the endpoint with its gate, the queue, the worker, the sweeper, the outbox and a
 * receiver, with the service's own code on a virtual clock. Any call of the SDK may be the last of its process.
 */
export class IntakeWorld {
  readonly world: World
  readonly #type: string
  readonly #windows: AlertWindows
  readonly #sender: string
  readonly #acksFirst: boolean
  readonly #redeliveredMs: number
  readonly #looksAway: boolean
  #waiting: Waiting[] = []
  #messages = 0
  /** How often something was sent again because nobody answered that it was taken. */
  resent = 0

  constructor({
    type,
    windows,
    crash,
    acksFirst = false,
    redeliveredMs = REDELIVERED_MS,
    looksAway = false,
  }: IntakeOptions) {
    this.#type = type
    this.#windows = windows
    this.#acksFirst = acksFirst
    this.#redeliveredMs = redeliveredMs
    this.#looksAway = looksAway
    this.#sender = `${type}_01KG0000000000000000000000`
    this.world = new World({ crash })
    worlds += 1
    // Each in its own time: what an integration sends in a minute is counted for the whole process.
    this.world.now = AFTER_RECORDINGS + worlds * MINUTE
    this.world.otherQueues.set(QUEUE, (body) => {
      this.#messages += 1
      this.#waiting.push({ messageId: `message-${this.#messages}`, body, visibleAt: this.world.now })
    })
  }

  /** Connects the tool and a receiver of events; neither is what dies here. */
  async prepare(): Promise<void> {
    const { world } = this
    await world.subscribe('one')
    const client = clientOver(async (command) => world.dynamo.send(command))
    const { sealer } = world.process()
    const at = writeInstant(world.now)
    const record = { id: this.#sender, type: this.#type, status: 'connected', status_detail: null } as const
    const times = { created_at: at, updated_at: at, connected_at: at, version: 1 }
    const integrations = integrationStore({ client, table: 'integrations', sealer })
    const intake = intakeOf(this.#type, {}, TOKEN)
    await integrations.create({ ...record, config: {}, ...times }, {}, 200, intake)
  }

  /** A tool posts, and posts again until it is told that its message was taken in. */
  async post(body: unknown): Promise<void> {
    for (let sends = 0; sends < MOST_SENDS; sends += 1) {
      if (await this.#answered(body)) return
      this.resent += 1
      this.world.now += RETRY_MS
    }
    throw new Error('the message was never taken in')
  }

  async #answered(body: unknown): Promise<boolean> {
    const { documents, queues, objects, sealer, pause, clock, newId, isDead } = this.world.process()
    const integrations = integrationStore({ client: documents, table: 'integrations', sealer })
    const noKeys = (): never => {
      throw new Error('nobody has a key here')
    }
    const noSns = () => Promise.resolve(false)
    const keeping = { gate: noKeys, clock, senders: () => senderGate(integrations, noSns) }
    const messages = messageQueue(queues, QUEUE, {
      bodies: sentBodies(objects, () => newId('body', clock())),
      pause,
    })
    const handler = endpoint('push-events', keeping, () => async ({ sender, body: sent, header }) => ({
      body: await takeMessage({ messages, clock }, sender, { body: sent, header }),
    }))
    const resource = '/integrations/{id}/events'
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const got = await send(handler, { method: 'POST', resource, id: this.#sender, headers, body })
    // Whatever a process would have said that died: nobody heard it.
    if (isDead()) return false
    if (got.status !== 202) throw new Error(`refused: ${got.status} ${JSON.stringify(got.body)}`)
    return true
  }

  #acts(): SettleActs & {
    readonly isDead: () => boolean
    readonly keeper: ReturnType<typeof signalKeeper>
    readonly bodies: SentBodies
  } {
    const { documents, objects, newId, pause, clock, isDead } = this.world.process()
    const store = { client: documents, table: 'incidents', retentionDays: 400, clock, pause }
    return {
      alerts: alertStore(store),
      keeper: signalKeeper(documents, 'signals'),
      bodies: sentBodies(objects, () => newId('body', clock())),
      clock,
      newId,
      windows: this.#windows,
      digest: sha256,
      pause,
      random: () => 0.5,
      askedAt: () => Promise.resolve(undefined),
      waits: () => Promise.resolve(!this.#looksAway && this.#waiting.length > 0),
      isDead,
    }
  }

  /** The worker takes batches until nothing is visible; what it died with comes again later. */
  async takeIn(): Promise<void> {
    for (;;) {
      const batch = this.#waiting.filter(({ visibleAt }) => visibleAt <= this.world.now).slice(0, BATCH)
      if (batch.length === 0) return
      for (const message of batch) message.visibleAt = this.world.now + this.#redeliveredMs
      const acts = this.#acts()
      const worker = alertWorker('take-alerts', () => ({
        reader: () => async (text) => {
          const { sent, letGo } = await openAlertMessage(text, acts.bodies)
          return { sent: sent === null ? [] : [sent], letGo }
        },
        take: (messages, report, remaining) => takeAlerts(acts, messages, report, remaining),
        keep: (signals) => keepSignals({ signals: acts.keeper, clock: acts.clock }, signals),
      }))
      if (this.#acksFirst) this.#waiting = this.#waiting.filter((each) => !batch.includes(each))
      const event = { Records: batch } as unknown as SQSEvent
      const answer = await this.world.survive(() => worker(event, contextOf(WITHIN)))
      this.world.capture()
      if (answer === undefined || acts.isDead()) continue
      const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      this.#waiting = this.#waiting.filter((each) => !batch.includes(each) || failed.has(each.messageId))
    }
  }

  async #settle(): Promise<void> {
    const acts = this.#acts()
    const unforeseen: unknown[] = []
    await this.world.survive(() =>
      settleAlerts(acts, SETTLE_LIMIT, (error) => {
        if (!(error instanceof Crash)) unforeseen.push(error)
      }),
    )
    if (unforeseen.length > 0) throw unforeseen[0]
    this.world.capture()
  }

  /** Lets so many minutes pass, in which the queue gives again what it has and the sweeper comes as ever. */
  async pass(minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed += 1) {
      this.world.now += MINUTE
      // The sweeper comes first, as it may.
      await this.#settle()
      await this.takeIn()
      await this.world.run(this.world.now)
    }
  }

  /** Large bodies that were not let go. */
  get keptBodies(): number {
    return [...this.world.objects.values()].filter(({ length }) => length > 0).length
  }

  #items(kind: string): Item[] {
    return [...this.world.dynamo.table('incidents').values()].filter(({ sk }) => sk === kind)
  }

  /** What was promised and does not hold once it is quiet. */
  problems(): readonly string[] {
    const found = broken(this.world, { duplicates: this.world.diedBeforeCommit })
    if (this.#waiting.length > 0) found.push(`${this.#waiting.length} messages still wait`)
    const incidents = new Set(this.#items('INCIDENT').map(({ id }) => String(id)))
    const known = this.#items('ALERT') as unknown as Parameters<typeof isFiring>[0][]
    for (const alert of known)
      if (isFiring(alert) && !incidents.has(String(alert.incident_id)))
        found.push('an alert that fires is of no incident')
    for (const { firing, incident_id } of this.#items('ALERT_GROUP')) {
      const firingNow = known.filter((alert) => isFiring(alert) && alert.incident_id === incident_id).length
      if (firingNow !== firing) found.push(`a group counts ${String(firing)} alerts and has ${firingNow}`)
    }
    for (const id of incidents) {
      const kinds = this.#items('EVENT').filter((event) => event.incident_id === id)
      const count = (kind: string) => kinds.filter((event) => event.kind === kind).length
      if (count('incident.created') !== 1) found.push(`${count('incident.created')} times created`)
      const ended = this.#timelineOf(id).filter((text) => text.includes('Every alert is over')).length
      if (count('incident.resolved') !== ended)
        found.push(`${count('incident.resolved')} times told as resolved, and ${ended} times resolved`)
      if (this.#alertsOf(id).length === 0) found.push('an incident without an alert')
    }
    return [...new Set(found)]
  }

  #timelineOf(id: string): string[] {
    return [...this.world.dynamo.table('incidents').values()].flatMap(({ pk, sk, text }) =>
      pk === `INCIDENT#${id}` && String(sk).startsWith('TIMELINE#') ? [String(text)] : [],
    )
  }

  #alertsOf(id: string): string[] {
    return [...this.world.dynamo.table('incidents').values()].flatMap(({ pk, sk, alert }) =>
      pk === `INCIDENT#${id}` && String(sk).startsWith('ALERT#')
        ? [`${String(sk)} ${(alert as { status: string }).status}`.replace(/(?<=#).*?(?=.{8} )/, '')]
        : [],
    )
  }

  outcomes(): readonly Outcome[] {
    const accepted = new Map(this.world.accepted('one').map(({ id, body }) => [id, body]))
    const told = [...accepted.values()].map(
      (body) => JSON.parse(body) as { readonly type: string; readonly data: { readonly id: string } },
    )
    return (this.#items('INCIDENT') as unknown as Incident[])
      .map(({ id, service, severity, status }) => ({
        service,
        severity,
        status,
        alerts: this.#alertsOf(id).sort(),
        events: told
          .filter(({ data }) => data.id === id)
          .map(({ type }) => type)
          .sort(),
      }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
}
