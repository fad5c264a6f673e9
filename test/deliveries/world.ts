import type { SQSClient } from '@aws-sdk/client-sqs'
import { keyAdmission } from '#shared/adapters/dynamo/api-keys.ts'
import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import { eventStore } from '#shared/adapters/dynamo/events.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { hmacSign } from '#shared/adapters/hmac-sign.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { deliveryDoorbell } from '#shared/adapters/sqs/delivery-doorbell.ts'
import { amendIncident } from '#shared/domain/amend-incident.ts'
import { type DeliveryActs, deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import type { PostResult } from '#shared/domain/delivery.ts'
import { deliverySlots } from '#shared/domain/delivery-slots.ts'
import { fanOut } from '#shared/domain/fan-out.ts'
import type { EventKind, Incident } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { openIncident } from '#shared/domain/open-incident.ts'
import type { DeliveryCall, Post } from '#shared/domain/ports.ts'
import { recoverDeliveries } from '#shared/domain/recover-deliveries.ts'
import { OVERDUE_MS, type SweepActs, sweepDeliveries } from '#shared/domain/sweep-deliveries.ts'
import type { Webhook } from '#shared/domain/webhook.ts'
import { type Command, clientOver, DynamoInMemory, type Item } from './dynamo-in-memory.ts'

/** The process died here. */
export class Crash extends Error {}
/** A call went wrong here, and its process lives on. */
class Planted extends Error {
  override readonly name = 'TimeoutError'
}

export const START = Date.UTC(2026, 0, 31, 12)
const SECOND = 1_000
const MINUTE = 60 * SECOND
/** As the queue of the stack. */
const VISIBILITY_MS = 360 * SECOND
const INVOCATION_MS = 60 * SECOND
const MOST_RECEIVES = 5
/** Messages, from the first on, that a queue doubles or loses: more than one incident has. */
const TOUCHED = 6

/** The key of whoever asks in a world. */
const API_KEY = 'iis_live_adm_0123456789abcdefghijABCDEFGHIJabcdef'
/** Functions that requests come to at the same time. */
const FRONT_PROCESSES = 2

/** A request of a client, and what became of it before anything was done for it. */
export interface Asked {
  readonly at: number
  outcome: 'granted' | 'refused' | 'died'
}

interface Message {
  readonly body: string
  readonly group: string | undefined
  visibleAt: number
  receives: number
  /** How many of its receives ended with the death of their process. */
  deaths: number
  readonly sentAt: number
}

/** One POST as a receiver saw it. */
export interface Posted {
  readonly at: number
  readonly webhook: string
  readonly id: string
  readonly timestamp: number
  readonly signature: string
  readonly body: string
  readonly result: PostResult
}

/** How a receiver answers: by the number of the POST to it (from 1) and the time. */
export type Receiver = (number: number, at: number) => PostResult
export const answers = (status: number, retryAfter: string | null = null): PostResult => ({
  kind: 'answered',
  status,
  retryAfter,
  response: '',
})

/** Faults that are planted into a world, to see them caught. */
export interface Plant {
  /** Changes what a process of the service works with. */
  readonly acts?: <Acts extends Partial<DeliveryActs & SweepActs>>(acts: Acts, world: World) => Acts
  /** Changes a call to the tables, or answers it itself. */
  readonly command?: (command: Command, world: World) => Command | readonly Command[]
  /** The queue's message is gone before it is worked. */
  readonly ackFirst?: boolean
}

/**
 * What may become of one call while its process lives on.
 * - `undone`: nothing was done, and it is told so;
 * - `lost`: done, but its answer never comes (a POST: it comes after the deadline);
 * - `twice`: done, its answer got lost, and the SDK's next try is done once more;
 * - `partly`: of a batch of messages only the first half is taken at first; any other call is well;
 * - `clock_back`: done, and then the clocks jump back.
 */
export const WAYS = ['undone', 'lost', 'twice', 'partly', 'clock_back'] as const
export type Way = (typeof WAYS)[number]
/** So far the clocks jump back: longer than any lease. */
const BACK_MS = 10 * MINUTE

export interface WorldOptions {
  /** The call (from 1, counted over the whole history) that meets a fault with which its process lives on. */
  readonly fault?: { readonly call: number; readonly way: Way } | undefined
  /** The call (from 1, counted over the whole history) at which the process dies, and on which side of it. */
  readonly crash?: { readonly call: number; readonly side: 'before' | 'after' } | undefined
  /** What the queue does to messages. */
  readonly queue?: 'orderly' | 'duplicates' | 'loses' | 'reorders' | undefined
  /** The stream loses its records, as after a day of a relay that is down. */
  readonly losesStream?: boolean | undefined
  /** Nothing finds what was lost. */
  readonly withoutSweeper?: boolean | undefined
  readonly plant?: Plant | undefined
  /** Requests a minute that the key of the world may make; more than any test asks unless it is given. */
  readonly limit?: number | undefined
  /** Chance in a world without one: jitter in the middle, first of all. */
  readonly random?: () => number
}

/**
 * The whole way of an event, from the transaction to the receiver, with the service's own code and stores, on a virtual
 * clock: the tables, the stream, the queue and the receivers are simulated, and any call may be the last of its process.
 */
export class World {
  now = START
  readonly dynamo = new DynamoInMemory()
  /** The objects of the bucket. */
  readonly objects = new Map<string, Uint8Array>()
  readonly posts: Posted[] = []
  readonly receivers = new Map<string, Receiver>()
  readonly disabled: string[] = []
  readonly secrets = new Map<string, string[]>()
  /** Every request that was made with the key, in order. */
  readonly asked: Asked[] = []
  readonly limit: number
  /** Bodies of all messages that were ever sent. */
  readonly sent: string[] = []
  /** Receivers that were deleted, and what they were sent by attempts that began afterwards. */
  readonly deleted = new Set<string>()
  readonly sentAfterDeletion: string[] = []
  /** How long a POST takes. */
  postMs = 0
  calls = 0
  /** What each call was, the first one at 0. */
  readonly commands: string[] = []
  crashedAt: string | null = null
  /** The fault that was met. */
  met: string | null = null
  /** Answers of receivers that came after the deadline. */
  heardTooLate = 0
  /** Processes that died after a POST that they had not committed: the one moment that nobody can make safe. */
  diedBeforeCommit = 0
  rings = 0
  /** Messages that were put aside though nothing died with them. */
  deadLetters = 0
  readonly #options: WorldOptions
  queue: Message[] = []
  /** Takes what is sent to another queue than that of deliveries, by the queue's address. */
  readonly otherQueues = new Map<string, (body: string) => void>()
  stream: { readonly id: string; due: number }[] = []
  #relayed = new Set<string>()
  #ids = 0
  readonly #sign = hmacSign()

  constructor(options: WorldOptions = {}) {
    this.#options = options
    this.limit = options.limit ?? 1_000
    const { pk } = itemKeys.apiKey(keyHash(API_KEY))
    const record = { id: 'key_1', name: 'world', type: 'admin', plan: 'standard', lim: this.limit }
    this.dynamo.table('keys').set(`${pk}\u0000undefined`, { pk, list_all: 'KEY', ...record })
  }

  /** A process of the service: dead for good once it crashed. */
  process() {
    const state = { dead: false, uncommitted: 0 }
    const die = (where: string): never => {
      state.dead = true
      this.crashedAt = where
      this.diedBeforeCommit += state.uncommitted
      throw new Crash(where)
    }
    const around = async <T>(name: string, run: () => T): Promise<T> => {
      await Promise.resolve()
      if (state.dead) throw new Crash(name)
      this.calls += 1
      this.commands.push(name)
      const { crash } = this.#options
      const mine = crash !== undefined && crash.call === this.calls
      if (mine && crash.side === 'before') die(`before ${name}`)
      const { fault } = this.#options
      const attempted = () => (fault?.call === this.calls ? this.#faulty(name, fault.way, run) : run())
      const result = mine ? this.#orDies(attempted, () => die(`after ${name}`)) : attempted()
      if (name === 'POST') state.uncommitted += 1
      if (name === 'TransactWriteCommand') state.uncommitted = Math.max(0, state.uncommitted - 1)
      if (mine) die(`after ${name}`)
      return result
    }
    const client = clientOver(async (command) => {
      const planted = this.#options.plant?.command?.(command, this) ?? command
      let last: unknown
      for (const each of [planted].flat() as Command[])
        last = await around(each.constructor.name, () => this.dynamo.send(each))
      return last
    })
    const sqs = {
      send: (command: { constructor: { name: string }; input: Item }) =>
        around(command.constructor.name, () => this.#partly(command)),
    } as unknown as SQSClient
    const clock = () => this.now
    const pause = () => Promise.resolve()
    const sealer = {
      seal: (_: string, plain: Uint8Array) => Promise.resolve(Buffer.from(plain).toString('base64')),
      open: (_: string, sealed: string) => Promise.resolve(Buffer.from(sealed, 'base64')),
    }
    const newId = (prefix: string, at: number) => this.#newId(prefix, at)
    const objects = {
      put: (key: string, bytes: Uint8Array) => around('PutObject', () => void this.objects.set(key, bytes)),
      get: (key: string) => around('GetObject', () => this.objects.get(key)),
      list: () => Promise.resolve([]),
      delete: () => Promise.resolve(),
    }
    const post: Post = (request) => this.#post(request, around)
    const acts: DeliveryActs &
      SweepActs & { webhooks: ReturnType<typeof webhookStore> } & {
        deliveries: ReturnType<typeof deliveryStore>
      } = {
      events: eventStore(client, 'incidents', pause),
      webhooks: webhookStore({ client, table: 'webhooks', sealer, pause }),
      deliveries: deliveryStore(client, 'webhooks', pause),
      deliveryDoorbell: deliveryDoorbell(sqs, 'queue', clock, pause),
      post,
      sign: this.#sign,
      slots: deliverySlots(),
      clock,
      random: this.#options.random ?? (() => 0.5),
      disabled: (id) => void this.disabled.push(id),
    }
    const incidents = incidentStore({ client, table: 'incidents', objects, retentionDays: 400, pause })
    const planted = this.#options.plant?.acts?.(acts, this) ?? acts
    const keys = keyAdmission(client, 'keys')
    const more = {
      incidents,
      keys,
      newId,
      clock,
      documents: client,
      objects,
      queues: sqs,
      sealer,
      pause,
      isDead: () => state.dead,
    }
    return { ...planted, ...more } as typeof acts & typeof more
  }

  #newId(prefix: string, at: number): string {
    this.#ids += 1
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
    const digits = (value: number, length: number) => {
      let text = ''
      let rest = value
      for (let index = 0; index < length; index += 1) {
        text = (alphabet[rest % 32] ?? '0') + text
        rest = Math.floor(rest / 32)
      }
      return text
    }
    return `${prefix}_${digits(at, 10)}${digits(this.#ids, 16)}`
  }

  /** A process may also die with a call that is refused. */
  #orDies<T>(run: () => T, die: () => never): T {
    try {
      return run()
    } catch {
      return die()
    }
  }

  /** Does a call as its fault has it. */
  #faulty<T>(name: string, way: Way, run: () => T): T {
    this.met = `${way} ${name}`
    if (way === 'clock_back') this.now -= BACK_MS
    if (way === 'partly' || way === 'clock_back') return run()
    const isPost = name === 'POST'
    if (way !== 'undone') {
      const first = run()
      // One token for both tries: the second of a transaction changes nothing. A POST is never tried again.
      if (way === 'twice') return isPost || name === 'TransactWriteCommand' ? first : run()
    }
    if (!isPost) throw new Planted(way)
    if (way === 'lost') this.heardTooLate += 1
    return { kind: 'failed', error: way === 'lost' ? 'timeout' : 'connection' } as T
  }

  /** Takes a batch of messages whole, or its first half where that is the fault of this call. */
  #partly(command: { constructor: { name: string }; input: Item }): unknown {
    const { fault } = this.#options
    const entries = command.input.Entries as { Id: string }[] | undefined
    if (entries === undefined || fault?.way !== 'partly' || fault.call !== this.calls)
      return this.#sqs(command)
    const taken = Math.floor(entries.length / 2)
    this.#sqs({
      constructor: command.constructor,
      input: { ...command.input, Entries: entries.slice(0, taken) },
    })
    return {
      Failed: entries.slice(taken).map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
    }
  }

  #sqs(command: { constructor: { name: string }; input: Item }): unknown {
    if (command.constructor.name === 'GetQueueAttributesCommand') {
      const waiting = this.queue.filter(({ visibleAt }) => visibleAt <= this.now).length
      return { Attributes: { ApproximateNumberOfMessages: String(waiting) } }
    }
    const entries = command.input.Entries as {
      MessageBody: string
      MessageGroupId?: string
      DelaySeconds?: number
    }[]
    const other = this.otherQueues.get(String(command.input.QueueUrl))
    if (other !== undefined) {
      for (const { MessageBody } of entries) other(MessageBody)
      return { Failed: [] }
    }
    for (const { MessageBody, MessageGroupId, DelaySeconds = 0 } of entries) {
      this.rings += 1
      this.sent.push(MessageBody)
      const { queue } = this.#options
      const copies = this.rings > TOUCHED ? 1 : queue === 'duplicates' ? 2 : queue === 'loses' ? 0 : 1
      for (let made = 0; made < copies; made += 1) {
        const visibleAt = this.now + DelaySeconds * SECOND
        this.queue.push({
          body: MessageBody,
          group: MessageGroupId,
          visibleAt,
          receives: 0,
          deaths: 0,
          sentAt: this.now,
        })
      }
    }
    return { Failed: [] }
  }

  async #post(
    { url, headers, body }: Parameters<Post>[0],
    around: <T>(name: string, run: () => T) => Promise<T>,
  ): Promise<PostResult> {
    const webhook = new URL(url).pathname.slice(1)
    return around('POST', () => {
      const number = this.posts.filter((posted) => posted.webhook === webhook).length + 1
      const result = (this.receivers.get(webhook) ?? (() => answers(200)))(number, this.now)
      this.now += this.postMs
      // Deletions happen between the steps of a history, so that every attempt of a later step has seen them.
      if (this.deleted.has(webhook)) this.sentAfterDeletion.push(webhook)
      this.posts.push({
        at: this.now,
        webhook,
        id: headers['webhook-id'] ?? '',
        timestamp: Number(headers['webhook-timestamp']),
        signature: headers['webhook-signature'] ?? '',
        body,
        result,
      })
      return result
    })
  }

  /** A process that does not die: for what a test itself does. */
  async subscribe(
    name: string,
    events: readonly EventKind[] = ['incident.created', 'incident.resolved'],
    receiver?: Receiver,
  ): Promise<Webhook> {
    const at = writeInstant(this.now)
    const id = this.#newId('wh', this.now)
    const webhook: Webhook = {
      id,
      url: `https://example.com/${name}`,
      events,
      status: 'enabled',
      disabled_reason: null,
      created_at: at,
      updated_at: at,
      version: 1,
    }
    if (receiver !== undefined) this.receivers.set(name, receiver)
    const secret = `whsec_${Buffer.alloc(24, name).toString('base64')}`
    this.secrets.set(name, [secret])
    const sealed = Buffer.from(secret).toString('base64')
    this.dynamo
      .table('webhooks')
      .set(`WEBHOOK\u0000${id}`, { pk: 'WEBHOOK', sk: `${id.slice(3)}#wh`, ...webhook, sealed })
    const item = this.dynamo.table('webhooks').get(`WEBHOOK\u0000${id}`) as Item
    this.dynamo.table('webhooks').delete(`WEBHOOK\u0000${id}`)
    this.dynamo.table('webhooks').set(`WEBHOOK\u0000${id.slice(3)}#wh`, item)
    return webhook
  }

  webhookItem(id: string): Item | undefined {
    return this.dynamo.table('webhooks').get(`WEBHOOK\u0000${id.slice(3)}#wh`)
  }

  unsubscribe(id: string): void {
    const { url } = this.webhookItem(id) ?? {}
    if (url !== undefined) this.deleted.add(new URL(String(url)).pathname.slice(1))
    this.dynamo.table('webhooks').delete(`WEBHOOK\u0000${id.slice(3)}#wh`)
  }

  /** A request as the chain takes it: its key is found and counted first, and past the limit nothing else is done. */
  async #request<T>(
    acts: ReturnType<World['process']>,
    run: () => Promise<T> = () => Promise.resolve() as Promise<T>,
  ): Promise<T | undefined> {
    const asked: Asked = { at: this.now, outcome: 'died' }
    this.asked.push(asked)
    return this.survive(async () => {
      const { outcome } = await acts.keys.admit(keyHash(API_KEY), asked.at)
      asked.outcome = outcome === 'admitted' ? 'granted' : 'refused'
      return outcome === 'admitted' ? run() : undefined
    })
  }

  /** So many requests at once, to several functions, that do nothing but be counted. */
  async knock(count: number): Promise<void> {
    const functions = Array.from({ length: FRONT_PROCESSES }, () => this.process())
    const requests = Array.from({ length: count }, (_, number) => functions[number % FRONT_PROCESSES])
    await Promise.all(requests.flatMap((acts) => (acts === undefined ? [] : [this.#request(acts)])))
  }

  /** The secrets that nobody may find anywhere, as they are and as they may be written. */
  secretForms(): string[] {
    return [API_KEY, ...[...this.secrets.values()].flat()].flatMap((secret) => {
      const text = secret.replace('whsec_', '')
      return [text, Buffer.from(text).toString('hex'), Buffer.from(text, 'base64').toString('hex')]
    })
  }

  /** POST /incidents; null when the process died. The stream has what was committed, whatever the client heard. */
  async open(title = 'Checkout fails'): Promise<Incident | null> {
    const caller = { id: 'key_1', type: 'admin' } as const
    const acts = this.process()
    const opened = await this.#request(acts, () => openIncident(acts, { title, severity: 'high' }, caller))
    this.capture()
    return opened ?? null
  }

  /** PATCH /incidents/{id}. */
  async resolve(id: string): Promise<void> {
    const caller = { id: 'key_1', type: 'admin' } as const
    const acts = this.process()
    await this.#request(acts, () => amendIncident(acts, id, { status: 'resolved' }, caller))
    this.capture()
  }

  /** What was written reaches the stream, however its writer fared. */
  capture(): void {
    for (const item of this.dynamo.table('incidents').values()) {
      const id = String(item.id)
      if (item.sk !== 'EVENT' || this.#relayed.has(id)) continue
      this.#relayed.add(id)
      if (this.#options.losesStream !== true) this.stream.push({ id, due: this.now })
    }
  }

  /** Runs what may die with its process, or fail by what was planted. @returns nothing when it did */
  async survive<T>(run: () => Promise<T>): Promise<T | undefined> {
    const isMeant = (error: unknown): boolean =>
      error instanceof Crash ||
      error instanceof Planted ||
      (error instanceof AggregateError && error.errors.every(isMeant))
    try {
      return await run()
    } catch (error) {
      if (isMeant(error)) return undefined
      throw error
    }
  }

  /** The relay takes the oldest record of the stream; one that fails comes again in a second. */
  async relay(): Promise<void> {
    const record = this.stream.find(({ due }) => due <= this.now)
    if (record === undefined) return
    let done = false
    await this.survive(async () => {
      await fanOut(this.process(), record.id)
      done = true
    })
    if (done) this.stream.splice(this.stream.indexOf(record), 1)
    else record.due = this.now + SECOND
  }

  /** The worker takes up to ten messages and works them at once, as the function does. */
  async work(most = 10): Promise<void> {
    const visible = this.queue.filter(({ visibleAt }) => visibleAt <= this.now)
    if (this.#options.queue === 'reorders') visible.reverse()
    const batch = visible.slice(0, most)
    for (const message of batch) {
      message.visibleAt = this.now + VISIBILITY_MS
      message.receives += 1
      if (message.receives > MOST_RECEIVES) {
        // One that every process died with is put aside rightly: the sweeper rings again for what it was for.
        if (message.deaths < MOST_RECEIVES) this.deadLetters += 1
        this.queue.splice(this.queue.indexOf(message), 1)
      }
    }
    const deadline = this.now + INVOCATION_MS
    const acts = this.process()
    const remaining = () => deadline - this.now
    const remove = (message: Message) => {
      const place = this.queue.indexOf(message)
      if (place >= 0) this.queue.splice(place, 1)
    }
    await Promise.all(
      batch.map(async (message) => {
        if (this.#options.plant?.ackFirst === true) remove(message)
        const done = await this.survive(async () => {
          const { webhook_id, delivery_id = null } = JSON.parse(message.body) as DeliveryCall
          if (delivery_id === null) await recoverDeliveries(acts, webhook_id)
          else await deliverWebhook(acts, { webhook_id, delivery_id }, remaining)
          return true
        })
        if (done === true) remove(message)
        else message.deaths += 1
      }),
    )
  }

  async sweep(): Promise<void> {
    await this.survive(() => sweepDeliveries(this.process()))
  }

  /** When the sweeper will find something (ms), or never. */
  #sweepAt(): number {
    if (this.#options.withoutSweeper === true) return Number.POSITIVE_INFINITY
    let first = Number.POSITIVE_INFINITY
    for (const [name, table] of this.dynamo.tables)
      for (const item of table.values())
        if (
          item.due_list !== undefined &&
          item.due_list !== 'DUE' &&
          (name === 'webhooks' || item.sk === 'EVENT')
        )
          first = Math.min(first, Number(item.due_at) + OVERDUE_MS + 1)
    return Math.max(this.now, Math.ceil(first / MINUTE) * MINUTE)
  }

  /**
   * Lets everything run until nothing is left to do or the time is up.
   * @returns false when it was still going
   */
  async run(until = this.now + 60 * 86_400_000, mostSteps = 20_000): Promise<boolean> {
    let swept = -1
    for (let steps = 0; steps < mostSteps; steps += 1) {
      if (this.stream.some(({ due }) => due <= this.now)) await this.relay()
      else if (this.queue.some(({ visibleAt }) => visibleAt <= this.now)) await this.work()
      else {
        const sweep = this.#sweepAt()
        const next = Math.min(
          sweep <= swept ? swept + MINUTE : sweep,
          this.queue.reduce((least, { visibleAt }) => Math.min(least, visibleAt), Number.POSITIVE_INFINITY),
          ...this.stream.map(({ due }) => due),
        )
        if (next === Number.POSITIVE_INFINITY) return true
        if (next > until) {
          this.now = until
          return false
        }
        const sweeping =
          next !== Number.POSITIVE_INFINITY && next === (sweep <= swept ? swept + MINUTE : sweep)
        this.now = Math.max(this.now, next)
        if (sweeping) {
          swept = this.now
          await this.sweep()
        }
      }
    }
    return false
  }

  deliveries(): Item[] {
    return [...this.dynamo.table('webhooks').values()].filter(
      ({ pk, sk }) => String(pk).startsWith('DELIVERY#') && !String(sk).includes('#'),
    )
  }

  attemptsOf(id: string): Item[] {
    return [...this.dynamo.table('webhooks').values()].filter(({ sk }) => String(sk).startsWith(`${id}#`))
  }

  events(): Item[] {
    return [...this.dynamo.table('incidents').values()].filter(({ sk }) => sk === 'EVENT')
  }

  accepted(webhook?: string): Posted[] {
    return this.posts.filter(
      (posted) =>
        (webhook === undefined || posted.webhook === webhook) &&
        posted.result.kind === 'answered' &&
        posted.result.status >= 200 &&
        posted.result.status < 300,
    )
  }
}
