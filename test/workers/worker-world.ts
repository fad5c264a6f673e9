import type { Context, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda'
import { packSnapshot, unpackSnapshot, unpackWindow } from '#shared/adapters/bundle/write-bundle.ts'
import { sha256 } from '#shared/adapters/digest.ts'
import { alertStore } from '#shared/adapters/dynamo/alerts.ts'
import { integrationStore } from '#shared/adapters/dynamo/integrations.ts'
import { signalKeeper } from '#shared/adapters/dynamo/signal-keeper.ts'
import { signalReader } from '#shared/adapters/dynamo/signal-reader.ts'
import { sentBodies } from '#shared/adapters/objects/sent-bodies.ts'
import { snapshotStore } from '#shared/adapters/objects/snapshots.ts'
import { messageQueue, openAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { queueDoorbell } from '#shared/adapters/sqs/doorbell.ts'
import { takeAlerts } from '#shared/domain/alerts/take-alerts.ts'
import { checkIntegrations } from '#shared/domain/check-integrations.ts'
import { deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import { dueIncident } from '#shared/domain/due-incident.ts'
import { fanOut, newEvent } from '#shared/domain/fan-out.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { Tool } from '#shared/domain/integration.ts'
import { NOTHING_PULLED } from '#shared/domain/investigation/records/snapshot.ts'
import { keepSignals } from '#shared/domain/push-signals.ts'
import { latenessNotes } from '#shared/domain/queue-lateness.ts'
import { recoverDeliveries } from '#shared/domain/recover-deliveries.ts'
import { runInvestigation } from '#shared/domain/run-investigation.ts'
import { sweepDeliveries } from '#shared/domain/sweep-deliveries.ts'
import { sweepInvestigations } from '#shared/domain/sweep-investigations.ts'
import { alertWorker } from '#shared/edge/alert-worker.ts'
import { deliveryWorker } from '#shared/edge/delivery-worker.ts'
import { queueWorker, scheduledWorker, streamWorker } from '#shared/edge/worker.ts'
import { clientOver, type Item } from '#test/deliveries/dynamo-in-memory.ts'
import { World, type WorldOptions } from '#test/deliveries/world.ts'
import { contextOf } from '#test/edge/call-endpoint.ts'

const MINUTE = 60_000
/** As the deployment has them. */
const ALERT_WINDOWS = {
  quiet_ms: MINUTE,
  reopen_ms: 10 * MINUTE,
  repeats_stale_ms: 720 * MINUTE,
  silent_stale_ms: 240 * MINUTE,
}
/** What a function may run; what it died with comes again after the visibility of its queue. */
const INVOCATION_MS = 60_000
const VISIBILITY_MS = 360_000
/** Records and messages that are handed over at once, as the mappings of the stack. */
const BATCH = { relay: 10, deliver: 10, investigate: 1, take: 50 } as const
/** Rounds in which what is visible is worked off; beyond it something goes round in circles. */
const MOST_ROUNDS = 200
/** Messages of an investigation that a lossy history loses. */
const LOST = 1
const INTEGRATION = 'alertmanager_01KG0000000000000000000000'
/** A secret of the tool, which is sealed and comes out nowhere. */
export const TOOL_SECRET = 'canary-of-the-tool-0123456789'

/** The background workers, by the names of their functions. */
export const WORKERS = [
  'relay-events',
  'deliver-webhook',
  'investigate-incident',
  'take-alerts',
  'sweep-deliveries',
  'sweep-investigations',
  'check-integrations',
] as const
export type WorkerName = (typeof WORKERS)[number]

type Process = ReturnType<World['process']>

interface Message {
  readonly messageId: string
  readonly body: string
  visibleAt: number
}

interface Change {
  readonly before: Item | undefined
  readonly after: Item | undefined
}

/** What a tool says that keeps a history: one alert fired that nobody heard of. */
const HISTORY = {
  version: '4',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      fingerprint: '187a5843d203a50f',
      labels: { alertname: 'HighErrorRate', service: 'payments', severity: 'critical' },
      startsAt: '2026-01-31T12:05:00Z',
      endsAt: '0001-01-01T00:00:00Z',
    },
  ],
}

const TOOL: Tool = {
  check: async () => ({ status: 'connected', detail: null }),
  pull: async () => NOTHING_PULLED,
  history: async () => [HISTORY],
}

/** An item as the stream shows it, as far as the relay reads it. */
const image = (item: Item | undefined): object | undefined =>
  item === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(item).flatMap(([name, value]): [string, object][] => {
          if (typeof value === 'string') return [[name, { S: value }]]
          return typeof value === 'number' ? [[name, { N: String(value) }]] : []
        }),
      )

const streamEvent = (changes: readonly Change[]): DynamoDBStreamEvent =>
  ({
    Records: changes.map(({ before, after }) => ({
      dynamodb: { OldImage: image(before), NewImage: image(after) },
    })),
  }) as unknown as DynamoDBStreamEvent

/** How one history is disturbed. */
export interface WorkerOptions extends Pick<WorldOptions, 'crash' | 'fault'> {
  /** Every message, record and run of a schedule is given to two processes at once. */
  readonly atOnce?: boolean
  /** The stream loses every record and the queues their first messages: only the sweepers are left to find them. */
  readonly isLossy?: boolean
  /** A planted fault: messages are gone before they are worked. */
  readonly acksFirst?: boolean
}

/**
 * All background workers of the service behind their own edges and over their own stores, with the queues, the stream and
 * the schedules that call them, on a virtual clock. Any call of any of them may be its last, or go wrong.
 */
export class WorkerWorld {
  readonly world: World
  /** Every run of a worker, with the numbers of its calls. */
  readonly runs: { readonly worker: WorkerName; readonly calls: readonly number[] }[] = []
  readonly gaveUp: string[] = []
  readonly #atOnce: boolean
  readonly #isLossy: boolean
  readonly #acksFirst: boolean
  readonly #queues = new Map<string, Message[]>([
    ['investigations', []],
    ['alerts', []],
  ])
  #stream: Change[] = []
  #seen = new Map<string, Item>()
  #messages = 0

  constructor({ crash, fault, atOnce = false, isLossy = false, acksFirst = false }: WorkerOptions = {}) {
    this.#atOnce = atOnce
    this.#isLossy = isLossy
    this.#acksFirst = acksFirst
    this.world = new World({ crash, fault, queue: isLossy ? 'loses' : 'orderly' })
    for (const [name, waiting] of this.#queues)
      this.world.otherQueues.set(name, (body) => {
        const messageId = this.#name(name)
        if (isLossy && name === 'investigations' && this.#messages <= LOST) return
        waiting.push({ messageId, body, visibleAt: this.world.now })
      })
  }

  #name(queue: string): string {
    this.#messages += 1
    return `${queue}-${this.#messages}`
  }

  /** Connects the tool. */
  async connect(): Promise<void> {
    const { world } = this
    const at = writeInstant(world.now)
    const integrations = integrationStore({
      client: clientOver(async (command) => world.dynamo.send(command)),
      table: 'integrations',
      sealer: world.process().sealer,
    })
    await integrations.create(
      {
        id: INTEGRATION,
        type: 'alertmanager',
        status: 'connected',
        status_detail: null,
        config: {},
        created_at: at,
        updated_at: at,
        connected_at: at,
        version: 1,
      },
      { token: TOOL_SECRET },
      200,
      null,
    )
  }

  /** Calls a worker, or two of them at once. @returns what each answered, nothing where it died or failed */
  async #call<Answer>(
    name: WorkerName,
    make: (acts: Process) => (context: Context) => Promise<Answer>,
  ): Promise<(Answer | undefined)[]> {
    const { world } = this
    const first = world.calls + 1
    const started = world.now
    const context = {
      ...contextOf(),
      getRemainingTimeInMillis: () => Math.max(0, INVOCATION_MS - Math.max(0, world.now - started)),
    }
    const run = async (): Promise<Answer | undefined> => {
      const acts = world.process()
      const answer = await make(acts)(context).catch(() => undefined)
      // Nobody hears what a dead process would have said.
      return acts.isDead() ? undefined : answer
    }
    const answers = await Promise.all(this.#atOnce ? [run(), run()] : [run()])
    this.runs.push({
      worker: name,
      calls: Array.from({ length: world.calls - first + 1 }, (_, at) => first + at),
    })
    this.#capture()
    return answers
  }

  /** What was written since the last look reaches the stream. */
  #capture(): void {
    const table = this.world.dynamo.table('incidents')
    for (const [key, after] of table) {
      const before = this.#seen.get(key)
      // Whatever is written is another object from then on.
      if (before === after) continue
      this.#seen.set(key, after)
      if (!this.#isLossy) this.#stream.push({ before, after })
    }
    this.world.stream.length = 0
  }

  #integrations({ documents, sealer, pause }: Process) {
    return integrationStore({ client: documents, table: 'integrations', sealer, pause })
  }

  async #relay(): Promise<boolean> {
    const records = this.#stream.slice(0, BATCH.relay)
    if (records.length === 0) return false
    const answers = await this.#call('relay-events', (acts) => {
      const worker = streamWorker('relay-events', async (images) => {
        const due = images.flatMap((each) => dueIncident(each) ?? [])
        const doorbell = queueDoorbell(acts.queues, 'investigations', acts.pause)
        if (due.length > 0) await doorbell.ring(due)
        for (const each of images) {
          const event = newEvent(each)
          if (event !== null) await fanOut(acts, event)
        }
      })
      return () => worker(streamEvent(records))
    })
    if (answers.some((answer) => answer !== undefined)) this.#stream.splice(0, records.length)
    return true
  }

  /** Hands over what is visible of a queue. @returns false when nothing is */
  async #batch(
    name: WorkerName,
    waiting: Message[],
    most: number,
    make: (acts: Process) => (event: SQSEvent, context: Context) => Promise<{ batchItemFailures: unknown[] }>,
  ): Promise<boolean> {
    const batch = waiting.filter(({ visibleAt }) => visibleAt <= this.world.now).slice(0, most)
    if (batch.length === 0) return false
    for (const message of batch) message.visibleAt = this.world.now + VISIBILITY_MS
    const event = { Records: batch } as unknown as SQSEvent
    const answers = await this.#call(name, (acts) => {
      const worker = make(acts)
      return (context) => worker(event, context)
    })
    // Two processes at once have two copies of a message: each is given again until somebody has done it.
    const done = (message: Message): boolean =>
      answers.every(
        (answer) =>
          answer !== undefined &&
          !(answer.batchItemFailures as { itemIdentifier: string }[]).some(
            ({ itemIdentifier }) => itemIdentifier === message.messageId,
          ),
      )
    for (const message of this.#acksFirst ? batch : batch.filter(done))
      waiting.splice(waiting.indexOf(message), 1)
    return true
  }

  #deliver(): Promise<boolean> {
    // The queue of deliveries belongs to the world; its messages have no names there.
    const waiting = this.world.queue as unknown as Message[]
    for (const message of waiting)
      Object.assign(message, { messageId: message.messageId ?? this.#name('delivery') })
    return this.#batch('deliver-webhook', waiting, BATCH.deliver, (acts) =>
      deliveryWorker('deliver-webhook', () => ({
        now: acts.clock,
        deliver: (call, remaining) => deliverWebhook(acts, call, remaining),
        recover: (id) => recoverDeliveries(acts, id),
        late: latenessNotes(acts.deliveries, acts.clock),
      })),
    )
  }

  #investigate(): Promise<boolean> {
    const waiting = this.#queues.get('investigations') ?? []
    return this.#batch('investigate-incident', waiting, BATCH.investigate, (acts) =>
      queueWorker('investigate-incident', async ({ incident_id }, { remaining, report }) => {
        const investigation = {
          integrations: this.#integrations(acts),
          tools: () => TOOL,
          signals: signalReader(acts.documents, 'signals'),
          clock: acts.clock,
          abortAfter: () => new AbortController().signal,
          incidents: acts.incidents,
          snapshots: snapshotStore(acts.objects, {
            pack: packSnapshot,
            unpack: unpackSnapshot,
            unpackWindow,
          }),
          newId: acts.newId,
          report,
          gaveUp: (id: string) => void this.gaveUp.push(id),
        }
        await runInvestigation(investigation, incident_id, remaining())
      }),
    )
  }

  #alertActs(acts: Process) {
    const { documents: client, clock, pause, newId } = acts
    return {
      alerts: alertStore({ client, table: 'incidents', retentionDays: 400, clock, pause }),
      clock,
      newId,
      windows: ALERT_WINDOWS,
      digest: sha256,
      pause,
      random: () => 0.5,
      askedAt: () => Promise.resolve(undefined),
      waits: () => Promise.resolve((this.#queues.get('alerts') ?? []).length > 0),
    }
  }

  #take(): Promise<boolean> {
    return this.#batch('take-alerts', this.#queues.get('alerts') ?? [], BATCH.take, (acts) => {
      const bodies = sentBodies(acts.objects, () => acts.newId('body', acts.clock()))
      const signals = { signals: signalKeeper(acts.documents, 'signals'), clock: acts.clock }
      return alertWorker('take-alerts', () => ({
        reader: () => async (text) => {
          const { sent, letGo } = await openAlertMessage(text, bodies)
          return { sent: sent === null ? [] : [sent], letGo }
        },
        take: (messages, report, remaining) => takeAlerts(this.#alertActs(acts), messages, report, remaining),
        keep: (batch) => keepSignals(signals, batch),
      }))
    })
  }

  async #schedules(): Promise<void> {
    await this.#call('sweep-investigations', (acts) =>
      scheduledWorker('sweep-investigations', () =>
        sweepInvestigations(
          {
            settling: this.#alertActs(acts),
            incidents: acts.incidents,
            doorbell: queueDoorbell(acts.queues, 'investigations', acts.pause),
          },
          () => undefined,
        ),
      ),
    )
    await this.#call('sweep-deliveries', (acts) =>
      scheduledWorker('sweep-deliveries', () => sweepDeliveries(acts)),
    )
    await this.#call('check-integrations', (acts) => {
      const messages = messageQueue(acts.queues, 'alerts', { pause: acts.pause })
      const put = (integration_id: string, sent: object, received_at: number) =>
        messages.put({
          integration_id,
          config: {},
          headers: {},
          received_at,
          body: Buffer.from(JSON.stringify(sent)),
        })
      return scheduledWorker('check-integrations', () =>
        checkIntegrations({
          integrations: this.#integrations(acts),
          tools: () => TOOL,
          clock: acts.clock,
          random: () => 0.5,
          abortAfter: () => new AbortController().signal,
          confirm: put,
          makeUp: put,
        }),
      )
    })
  }

  /** Lets so many minutes pass: each time the schedules run first, then everything that can be worked. */
  async pass(minutes: number): Promise<void> {
    this.#capture()
    const until = this.world.now + minutes * MINUTE
    while (this.world.now < until) {
      this.world.now += MINUTE
      await this.#schedules()
      for (let round = 0; ; round += 1) {
        const busy = [
          await this.#relay(),
          await this.#deliver(),
          await this.#investigate(),
          await this.#take(),
        ]
        if (!busy.includes(true)) break
        if (round >= MOST_ROUNDS) throw new Error('never came to rest')
      }
    }
  }

  /** Messages and records that still wait to be worked. */
  get waiting(): number {
    const others = [...this.#queues.values()].reduce((sum, { length }) => sum + length, 0)
    return this.#stream.length + this.world.queue.length + others
  }
}
