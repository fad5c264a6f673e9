import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { ulid } from 'ulid'
import { type Operation, type OperationId, operationList, operations } from '#shared/contract/operations.ts'
import { integrationType } from '#shared/domain/integration-types.ts'
import { document, notAnError, undocumented } from '#test/conformance/document.ts'
import type { Got, Sent } from '#test/edge/call-endpoint.ts'
import { type Service, withKey } from '#test/endpoints/service.ts'
import { seededRandom } from '#test/storage/fault-layer.ts'
import { HOSTILE_IDS, hostileBodies, MOST_BODY_BYTES } from './hostile-bodies.ts'
import { pushedMeanings } from './pushed-signals.ts'
import {
  breakagesOf,
  type Document,
  follow,
  type Meanings,
  type Schema,
  validOf,
} from './schema-arbitraries.ts'

/** Operations that keys and people may call: what tools send has a form of its own, whose tests are written by hand. */
export const fuzzed = operationList.filter(({ sender }) => sender !== true)

/** What is expected of an answer: one of the statuses, and for a refusal the field it names. */
interface Expected {
  readonly statuses: readonly number[]
  readonly field?: string | null
}
interface Step {
  readonly operation: OperationId
  readonly how: string
  readonly sent: Sent
  readonly expected: Expected
}

/** How often the requests of an operation were accepted and refused. */
export interface Tally {
  accepted: number
  refused: number
}

/** A request that was not answered as the contract says, with all that replays it. */
export class FuzzFailure extends Error {
  constructor(seed: number, step: number, { operation, how, sent }: Step, got: Got, problem: string) {
    const shown = JSON.stringify(sent, (_name, value: unknown) =>
      value instanceof Uint8Array ? `base64:${Buffer.from(value).toString('base64').slice(0, 2_000)}` : value,
    )
    super(
      `step ${step} of seed ${seed}: ${operation}, ${how}: ${problem}\n` +
        `request: ${(shown ?? '').slice(0, 4_000)}\nanswer: ${got.status} ${JSON.stringify(got.body).slice(0, 2_000)}\n` +
        `replay: npm run fuzz -- --seed ${seed} --steps ${step}`,
    )
    this.name = 'FuzzFailure'
  }
}

interface Documented {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}
const paths = (document as { paths: Record<string, Record<string, Documented>> }).paths
const documentedOf = (id: OperationId): Documented =>
  paths[operations[id].path]?.[operations[id].method.toLowerCase()] ?? {}
const bodySchemaOf = (id: OperationId) => documentedOf(id).requestBody?.content['application/json'].schema

/** Resources that a model keeps: what was made, and what became of it. */
interface Known {
  readonly id: string
  readonly shown: Record<string, unknown>
}
type Collection = 'incidents' | 'integrations' | 'webhooks' | 'query' | 'keys'
const COLLECTIONS: readonly Collection[] = ['incidents', 'integrations', 'webhooks', 'query', 'keys']
/** True for the operations on a resource itself, not on something that belongs to it. */
const isOfResource = (path: string) => path.split('/').length <= 3
const collectionOf = (path: string) => COLLECTIONS.find((name) => path.split('/')[1] === name)
const PREFIX: Readonly<Record<Collection, string>> = {
  incidents: 'inc',
  integrations: 'bundle',
  webhooks: 'wh',
  query: 'query',
  keys: 'key',
}
const CREATES: Readonly<Record<Collection, OperationId>> = {
  incidents: 'create-incident',
  integrations: 'create-integration',
  webhooks: 'create-webhook',
  query: 'answer-query',
  keys: 'create-key',
}
/** Kept at once; beyond it the next step deletes one. Far below the quotas, and every question asks every integration. */
const MOST: Readonly<Partial<Record<Collection, number>>> = { integrations: 6, webhooks: 60 }
/** Keys that are neither revoked nor expired, likewise. */
const MOST_KEYS = 60
/** Signed-in users, so many that none meets their limit. */
const USERS = 60
/** The value of a key: what begins as one and goes on. */
const KEY_VALUE = /iis_live_(?:adm|ast)_\w{20}/
/** The specification's table of statuses, written a second time on purpose. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  open: ['open', 'investigating', 'resolved'],
  investigating: ['investigating', 'resolved'],
  resolved: ['resolved', 'investigating'],
}
/** A secret that every answer is searched for. */
const SECRET = 'canary-fuzz-0123456789abcdef'
const QUESTIONS = [
  'Why is checkout failing?',
  'How many incidents are open?',
  'What changed in checkout?',
  'Что случилось?',
]

const HOUR_MS = 3_600_000
/** A recovery reaches back 14 days at most; a step of the fuzzer takes far less than an hour. */
const MOST_RECOVERY_HOURS = 13 * 24
const meaningsOf = (gitHub: string): Meanings => ({
  started_at: fc
    .date({
      min: new Date(0),
      max: new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
  since: fc
    .integer({ min: 1, max: MOST_RECOVERY_HOURS })
    .map((hours) => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString()),
  ...pushedMeanings,
  query: fc.oneof(
    fc.constantFrom(...QUESTIONS),
    fc.string({ unit: 'grapheme', maxLength: 200 }).map((rest) => `Why ${rest.replace(/\p{Cc}/gu, ' ')}`),
  ),
  // Null, or within the next five years.
  expires_at: fc.option(
    fc
      .integer({ min: 1, max: 1_800 })
      .map((days) =>
        new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + days * 24 * HOUR_MS).toISOString(),
      ),
  ),
  'context.timezone': fc.constantFrom('UTC', 'Europe/Paris', 'America/New_York', 'Asia/Kolkata'),
  'context.time_range': fc
    .tuple(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: 1, max: 31 * 86_400_000 }))
    .map(([start, length]) => ({
      start: new Date(start).toISOString(),
      end: new Date(start + length).toISOString(),
    })),
  url: fc.nat().map((path) => `${gitHub}/hooks/${path}?a=b`),
  secret: fc.nat().map((number) => `${SECRET}${number}`),
  'config.path': fc.constant('one'),
  // Of use only where the service is deployed; its own test says so.
  'config.prefix': fc.constant(undefined),
  'config.app_id': fc.nat().map(String),
  'config.client_id': fc.constant('Iv1.a'),
  'config.client_secret': fc.constant(SECRET),
  'config.base_url': fc.constant(`${gitHub}/api/v3`),
  'config.repositories': fc.constant(['example/checkout']),
  // Keys and certificates that are some; the tests of their tools have real ones.
  'config.private_key': fc.constant(undefined),
  'config.installation_id': fc.constant(undefined),
  'config.ca_certificate': fc.constant(undefined),
})

/** What the relay does with the event of a new incident. */
export interface FuzzRelay {
  /** Gives every subscription to it a delivery. */
  fanOut(incidentId: string): Promise<void>
  /** The delivery that a subscription was given. */
  deliveryOf(incidentId: string, webhookId: string): { readonly id: string; readonly event_id: string }
}

export interface FuzzOptions {
  readonly service: Service
  readonly relay: FuzzRelay
  /** Address of what stands in for GitHub, and below `/hooks` for receivers. */
  readonly gitHub: string
  readonly seed: number
}

/** Requests made from the document and a seed, one after the other, checked against the document and a model. */
export class Fuzz {
  readonly tallies = new Map<OperationId, Tally>()
  requests = 0
  readonly #options: FuzzOptions
  readonly #random: () => number
  readonly #meanings: Meanings
  readonly #keys: string[] = []
  /** Tokens of signed-in administrators. */
  readonly #users: string[] = []
  /** Keys of the model that were revoked: they stay in the list. */
  readonly #revoked = new Set<string>()
  readonly #known: Readonly<Record<Collection, Map<string, Known>>> = {
    incidents: new Map(),
    integrations: new Map(),
    webhooks: new Map(),
    query: new Map(),
    keys: new Map(),
  }
  readonly #deleted: Readonly<Record<Collection, string[]>> = {
    incidents: [],
    integrations: [],
    webhooks: [],
    query: [],
    keys: [],
  }
  /** Deliveries by their subscription, oldest first; an event outlives its subscription in the store, not here. */
  readonly #deliveries = new Map<string, Map<string, Known>>()
  #step = 0
  /** Everything that this run makes has an id from here on. */
  readonly #since = ulid(Date.now(), () => 0)

  constructor(options: FuzzOptions) {
    this.#options = options
    this.#random = seededRandom(options.seed)
    this.#meanings = meaningsOf(options.gitHub)
  }

  /** Makes the keys: enough that none meets its limit, so that every 429 is a failure. */
  async prepare(keys = 30): Promise<void> {
    for (let made = 0; made < keys; made += 1)
      this.#keys.push((await this.#options.service.newKey('admin')).key)
    for (let made = 0; made < USERS; made += 1)
      this.#users.push(this.#options.service.signIn.token('admin', { sub: `fuzz-${made}` }))
  }

  /** The keys of the model that may be used. */
  get #usable(): readonly string[] {
    return [...this.#known.keys.keys()].filter((id) => !this.#revoked.has(id))
  }

  /** Somebody who may call an operation. */
  #caller(id: OperationId): string {
    return this.#pick((operations[id] as Operation).people === true ? this.#users : this.#keys)
  }

  /** Takes the next step. @throws FuzzFailure */
  async step(): Promise<void> {
    this.#step += 1
    const full = COLLECTIONS.find((name) => this.#known[name].size > (MOST[name] ?? Number.POSITIVE_INFINITY))
    if (full === 'integrations' || full === 'webhooks') {
      await this.#send(this.#valid(full === 'webhooks' ? 'delete-webhook' : 'delete-integration'))
      return
    }
    if (this.#usable.length > MOST_KEYS) {
      await this.#send(this.#valid('revoke-key'))
      return
    }
    const { id } = this.#pick(fuzzed)
    const chance = this.#random()
    const needed = operations[id].path.includes('{id}') ? collectionOf(operations[id].path) : undefined
    const ready = needed === 'keys' ? this.#usable.length : this.#known[needed ?? 'query'].size
    if (needed !== undefined && ready < 2) await this.#send(this.#valid(CREATES[needed]))
    if (id === 'redeliver' && this.#deliveries.size === 0) await this.#makeDelivery()
    if (chance < 0.4) await this.#send(this.#valid(id))
    else if (chance < 0.75) await this.#send(this.#invalid(id))
    else if (chance < 0.9) await this.#send(this.#hostile(id))
    else if (chance < 0.98) await this.#send(this.#unauthorised(id))
    else
      await this.#walk(this.#pick(['incidents', 'integrations', 'webhooks', 'deliveries', 'keys'] as const))
  }

  /** A subscription and an incident whose event it is given. */
  async #makeDelivery(): Promise<void> {
    const webhook = this.#valid('create-webhook')
    const events = ['incident.created']
    await this.#send({
      ...webhook,
      sent: { ...webhook.sent, body: { ...(webhook.sent.body as object), events } },
    })
    const { body } = await this.#send(this.#valid('create-incident'))
    await this.#relay(String(body.id))
  }

  /** Lets the event of an incident have its deliveries, and foresees them. */
  async #relay(incident_id: string): Promise<void> {
    const { relay } = this.#options
    await relay.fanOut(incident_id)
    for (const { id: webhook_id, shown } of this.#known.webhooks.values()) {
      if (shown.status !== 'enabled' || !(shown.events as string[]).includes('incident.created')) continue
      const { id, event_id } = relay.deliveryOf(incident_id, webhook_id)
      const delivery = {
        ...{ id, event_id, incident_id, webhook_id, event: 'incident.created' },
        ...{ status: 'pending', reason: null, trigger: 'event', attempts: [] },
      }
      const known = this.#deliveries.get(webhook_id) ?? new Map<string, Known>()
      this.#deliveries.set(webhook_id, known.set(id, { id, shown: delivery }))
    }
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  #sample<Value>(arbitrary: fc.Arbitrary<Value>): Value {
    const [value] = fc.sample(arbitrary, { seed: Math.floor(this.#random() * 2 ** 31), numRuns: 1 })
    return value as Value
  }

  #bodyOf(id: OperationId, schema: Schema): Record<string, unknown> {
    const meanings =
      id === 'update-integration' ? { ...this.#meanings, config: fc.constant({}) } : this.#meanings
    const value = this.#sample(validOf(schema, document as Document, meanings)) as Record<string, unknown>
    // As JSON carries it: members that are undefined are not there.
    const body = JSON.parse(JSON.stringify(value)) as Record<string, unknown>
    // It stands alone, and not every tool sends: the tests of the endpoint rotate tokens.
    if (id === 'update-integration' && 'rotate_ingest_token' in body) {
      delete body.rotate_ingest_token
      if (Object.keys(body).length === 0) body.enabled = true
    }
    // A bundle needs a folder, and a stand-in for each tool must be named: what the document leaves open. Settings that
    // go with each other or not, such as a token and a user, are left to the tests of the tools.
    if (id === 'push-signals' && Object.values(body).every((list) => (list as unknown[]).length === 0))
      body.events = [{ timestamp: '2026-01-31T12:00:00Z', resource: 'db', kind: '', message: '' }]
    // What a question follows on has to exist.
    if (id === 'answer-query') this.#pointAtKnown(body.context as Record<string, unknown> | undefined)
    // CloudWatch has no address to put a stand-in behind: what is asked is AWS.
    if (body.type === 'cloudwatch') body.type = 'bundle'
    if (body.type === 'bundle') body.config = { path: 'one' }
    const tool = typeof body.type === 'string' ? integrationType(body.type) : undefined
    if (tool?.fields.some(({ name }) => name === 'base_url') === true) {
      const given = body.config as Record<string, unknown>
      const kept = tool.fields.filter(
        ({ name, required }) => required || (tool.type === 'github' && name in given),
      )
      body.config = {
        ...Object.fromEntries(kept.map(({ name }) => [name, given[name]])),
        // Where nobody listens: a tool that cannot be reached is stored, whatever its settings.
        base_url: tool.type === 'github' ? `${this.#options.gitHub}/api/v3` : 'http://127.0.0.1:9',
      }
    }
    return body
  }

  #pointAtKnown(context: Record<string, unknown> | undefined): void {
    const places = [
      ['incident_id', 'incidents'],
      ['previous_query_id', 'query'],
    ] as const
    for (const [field, collection] of places) {
      if (context?.[field] === undefined) continue
      const known = [...this.#known[collection].keys()]
      if (known.length > 0) context[field] = this.#pick(known)
      else delete context[field]
    }
  }

  #queryOf(id: OperationId): Record<string, string> {
    const given = (documentedOf(id).parameters ?? []).filter(
      (each) => each.in === 'query' && each.name !== 'cursor',
    )
    return Object.fromEntries(
      given
        .filter(() => this.#random() < 0.5)
        .map(({ name, schema }) => [name, String(this.#sample(validOf(schema, document as Document, {})))]),
    )
  }

  #idOf(id: OperationId): Pick<Sent, 'id' | 'parameters'> {
    if (id === 'redeliver') {
      const of = this.#pick([...this.#deliveries.keys()])
      return {
        id: of,
        parameters: { delivery_id: this.#pick([...(this.#deliveries.get(of)?.keys() ?? [])]) },
      }
    }
    if (id === 'rotate-key') return { id: this.#pick(this.#usable) }
    const collection = operations[id].path.includes('{id}') ? collectionOf(operations[id].path) : undefined
    return collection === undefined ? {} : { id: this.#pick([...this.#known[collection].keys()]) }
  }

  #valid(id: OperationId): Step {
    const schema = bodySchemaOf(id)
    const { method, success } = operations[id] as Operation
    const body = schema === undefined ? undefined : this.#bodyOf(id, schema)
    const query = method === 'GET' ? this.#queryOf(id) : {}
    const at = this.#idOf(id)
    const sent: Sent = {
      ...at,
      ...(body === undefined ? {} : { body }),
      ...(Object.keys(query).length > 0 ? { query } : {}),
    }
    let statuses: number[] = [success.status]
    if (id === 'update-incident' && body?.status !== undefined) {
      const now = String(this.#known.incidents.get(at.id ?? '')?.shown.status)
      if (NEXT[now]?.includes(String(body.status)) !== true) statuses = [409]
    }
    if (id === 'check-integration' && this.#known.integrations.get(at.id ?? '')?.shown.status === 'disabled')
      statuses = [409]
    // What is disabled sends nothing.
    const sends = id === 'redeliver' || id === 'recover-webhook'
    if (sends && this.#known.webhooks.get(at.id ?? '')?.shown.status !== 'enabled') statuses = [409]
    return { operation: id, how: 'valid', sent, expected: { statuses } }
  }

  #invalid(id: OperationId): Step {
    const { sent } = this.#valid(id)
    const refused = (how: string, change: Sent, field: string | null, status = 400): Step => ({
      operation: id,
      how,
      sent: { ...sent, ...change },
      expected: { statuses: [status], field },
    })
    const schema = bodySchemaOf(id)
    const choices: (() => Step)[] = [
      () => refused('an unknown parameter', { query: { ...sent.query, stauts: 'open' } }, 'stauts'),
      () => refused('a parameter given twice', { query: { ...sent.query, limit: ['10', '10'] } }, 'limit'),
    ]
    for (const { name, in: place, schema: parameter } of documentedOf(id).parameters ?? []) {
      if (place !== 'query') continue
      const valid = String(this.#sample(validOf(parameter, document as Document, {})))
      // In a query all is text: of a number, what is none and what is out of its bounds, of anything else other text.
      const isNumber = parameter.type === 'integer' || parameter.type === 'number'
      const bad = breakagesOf(parameter, document as Document, valid).filter(({ value }) =>
        isNumber ? typeof value === 'number' : typeof value === 'string',
      )
      if (name === 'cursor')
        choices.push(() =>
          refused(
            'a made-up cursor',
            { query: { ...sent.query, cursor: Buffer.from(valid).toString('base64url') } },
            'cursor',
          ),
        )
      else if (bad.length > 0)
        choices.push(() => {
          const { value, how } = this.#pick(bad)
          return refused(`${name}: ${how}`, { query: { ...sent.query, [name]: String(value) } }, name)
        })
    }
    if (sent.id !== undefined) {
      const collection = collectionOf(operations[id].path) ?? 'query'
      const gone = this.#deleted[collection]
      choices.push(() =>
        refused('an id of nothing', { id: `${PREFIX[collection]}_${this.#ulid()}` }, null, 404),
      )
      // The log of deliveries outlives its subscription.
      if (gone.length > 0 && id !== 'list-deliveries')
        choices.push(() => refused('an id of what was deleted', { id: this.#pick(gone) }, null, 404))
    }
    const delivery = (how: string, delivery_id: string) => () =>
      refused(how, { parameters: { delivery_id } }, null, 404)
    if (id === 'redeliver') {
      choices.push(delivery('a delivery of nothing', `dlv_${this.#ulid()}`))
      choices.push(delivery('a hostile delivery', this.#pick(HOSTILE_IDS)))
      for (const [webhook, known] of this.#deliveries)
        for (const each of webhook === sent.id ? [] : [...known.keys()].slice(0, 1))
          choices.push(delivery('a delivery of another subscription', each))
    }
    if (id === 'create-incident') {
      const started_at = new Date(Date.now() + 24 * HOUR_MS).toISOString()
      choices.push(() =>
        refused('a start to come', { body: { ...(sent.body as object), started_at } }, 'started_at'),
      )
    }
    if (id === 'recover-webhook') {
      const shifted = (days: number) => new Date(Date.now() + days * 24 * HOUR_MS).toISOString()
      choices.push(() => refused('an instant to come', { body: { since: shifted(1) } }, 'since'))
      choices.push(() => refused('an instant too long ago', { body: { since: shifted(-15) } }, 'since'))
    }
    if (id === 'create-key') {
      const ends = (days: number) => new Date(Date.now() + days * 24 * HOUR_MS).toISOString()
      for (const [how, days] of [
        ['an end that has passed', -1],
        ['an end too far away', 1_900],
      ] as const)
        choices.push(() =>
          refused(how, { body: { ...(sent.body as object), expires_at: ends(days) } }, 'expires_at'),
        )
    }
    if (id === 'rotate-key' && this.#revoked.size > 0)
      choices.push(() => refused('a revoked key', { id: this.#pick([...this.#revoked]) }, null, 409))
    if (schema !== undefined) {
      const broken = () => {
        const { value, field, how } = this.#pick(breakagesOf(schema, document as Document, sent.body))
        const text = JSON.stringify(value)
        const isLarge = Buffer.byteLength(text) > MOST_BODY_BYTES
        return refused(how, { body: text }, isLarge ? 'body' : field, isLarge ? 413 : 400)
      }
      choices.push(broken, broken, broken, broken)
    }
    return this.#pick(choices)()
  }

  /** A ULID of this seed: replayed, it is the same. */
  #ulid(): string {
    return ulid(Date.UTC(2026, 0, 1) + Math.floor(this.#random() * 1e9), this.#random)
  }

  #hostile(id: OperationId): Step {
    const { sent } = this.#valid(id)
    const schema = bodySchemaOf(id)
    const { method } = operations[id]
    const choices: (() => Step)[] = [
      ...['a\0b', '\ud800'].map((value) => () => ({
        operation: id,
        how: 'a hostile parameter',
        sent: { ...sent, query: { limit: value } },
        expected: { statuses: [400], field: 'limit' },
      })),
      ...['__proto__', 'constructor', 'a\0b'].map((name) => () => ({
        operation: id,
        how: `a parameter called ${JSON.stringify(name)}`,
        sent: {
          ...sent,
          query: Object.defineProperty({}, name, { value: '1', enumerable: true }) as Record<string, string>,
        },
        expected: { statuses: [400], field: name },
      })),
    ]
    if (sent.id !== undefined)
      choices.push(() => {
        const hostile = this.#pick(HOSTILE_IDS)
        return {
          operation: id,
          how: `the id ${JSON.stringify(hostile.slice(0, 40))}`,
          sent: { ...sent, id: hostile },
          expected: { statuses: [404], field: null },
        }
      })
    if (schema !== undefined || method === 'POST' || method === 'PATCH') {
      const body = () => {
        const valid = (sent.body ?? {}) as Record<string, unknown>
        const hostile = this.#pick(hostileBodies(valid))
        return {
          operation: id,
          how: hostile.how,
          sent: {
            ...sent,
            body: hostile.body,
            ...(hostile.headers === undefined ? {} : { headers: hostile.headers }),
          },
          expected: { statuses: [hostile.status], field: hostile.field },
        }
      }
      choices.push(...Array<typeof body>(8).fill(body))
    }
    return this.#pick(choices)()
  }

  #unauthorised(id: OperationId): Step {
    const { sent, expected } = this.#valid(id)
    const { access, people } = operations[id] as Operation
    const key = this.#caller(id)
    const changed = `${key.slice(0, -9)}${key.at(-9) === '0' ? '1' : '0'}${key.slice(-8)}`
    const wrong: readonly (readonly [string, Sent['headers']])[] = [
      ['no key', {}],
      ['an empty key', { Authorization: 'Bearer ' }],
      ['another scheme', { Authorization: `Basic ${key}` }],
      ['a key with one character changed', { Authorization: `Bearer ${changed}` }],
      ['a key cut short', { Authorization: `Bearer ${key.slice(0, -1)}` }],
      ['two keys', { Authorization: [`Bearer ${key}`, `Bearer ${key}`] }],
      ['a key of megabytes', { Authorization: `Bearer ${'x'.repeat(100_000)}` }],
    ]
    if (people === true && this.#random() < 0.4)
      return {
        operation: id,
        how: 'a key where only people may',
        sent: { ...sent, headers: withKey(this.#pick(this.#keys)) },
        expected: { statuses: [403], field: null },
      }
    if (people !== true && access !== 'anyone' && !access.includes('assistant') && this.#random() < 0.4) {
      return {
        operation: id,
        how: 'a key that may not',
        sent: { ...sent, headers: withKey(this.#options.service.assistantKey) },
        expected: { statuses: [403], field: null },
      }
    }
    const [how, headers = {}] = this.#pick(wrong)
    return {
      operation: id,
      how,
      sent: { ...sent, headers },
      expected: access === 'anyone' ? expected : { statuses: [401], field: null },
    }
  }

  async #send(step: Step): Promise<Got> {
    this.requests += 1
    const key = this.#caller(step.operation)
    const { headers, ...sent } = step.sent
    // A header of the content's type goes with a key; one of authorisation stands in for it.
    const keyed =
      headers === undefined || 'Content-Type' in headers ? { ...withKey(key), ...headers } : headers
    const got = await this.#options.service.call(step.operation, { ...sent, headers: keyed })
    const problem = this.#problemOf(step, got)
    if (problem !== null) throw new FuzzFailure(this.#options.seed, this.#step, step, got, problem)
    const tally = this.tallies.get(step.operation) ?? { accepted: 0, refused: 0 }
    if (got.status < 300) tally.accepted += 1
    else tally.refused += 1
    this.tallies.set(step.operation, tally)
    if (got.status < 300) this.#learn(step, got)
    if (got.status === 201 && step.operation === 'create-incident' && this.#random() < 0.1)
      await this.#relay(String(got.body.id))
    return got
  }

  #problemOf({ operation, sent, expected }: Step, { status, headers, body }: Got): string | null {
    if (status === 429) return 'the limit was met, though the keys are many'
    if (status >= 500) return 'it failed'
    const { method, path } = operations[operation]
    const declared = undocumented(method, path.replaceAll(/\{\w+\}/g, 'x'), status, body ?? undefined)
    if (declared !== null) return declared
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'])
      if (!/^\d+$/.test(headers[name] ?? '')) return `the header ${name} is missing or no number`
    if (!/^[\w-]{8,64}$/.test(headers['X-Request-Id'] ?? '')) return 'the header X-Request-Id is missing'
    if (headers['Cache-Control'] !== 'no-store' || headers['X-Content-Type-Options'] !== 'nosniff')
      return 'a header against caching or sniffing is missing'
    if (body !== null && headers['Content-Type'] !== 'application/json; charset=utf-8')
      return 'the type is not JSON'
    if (JSON.stringify(headers).includes('\\n')) return 'a header holds a line break'
    if (JSON.stringify([headers, body]).includes(SECRET)) return 'the answer holds a secret'
    const tellsValue = operation === 'create-key' || operation === 'rotate-key'
    if (!tellsValue && KEY_VALUE.test(JSON.stringify([headers, body]))) return 'the answer holds a key'
    if (!expected.statuses.includes(status)) return `${expected.statuses.join(' or ')} was expected`
    if (status >= 400) {
      const wrong = notAnError(body)
      if (wrong !== null) return wrong
      if (status === 401 && headers['WWW-Authenticate'] !== 'Bearer') return 'WWW-Authenticate is missing'
      const { field, reason, errors } = body.error.details as {
        field?: string
        reason?: string
        errors?: { field: string }[]
      }
      if (expected.field !== undefined && expected.field !== null) {
        const named = [field, ...(errors ?? []).map((each) => each.field)]
        if (!named.includes(expected.field)) return `the field ${expected.field} was to be named`
        if (typeof reason !== 'string' || reason === '') return 'no reason is given'
      }
      return null
    }
    if (status === 201 && !headers.Location?.endsWith(`/${body.id}`))
      return 'Location is not that of the resource'
    const collection = collectionOf(path)
    if (operation === 'push-signals') {
      const given = Object.entries(sent.body as Record<string, unknown[]>)
      return this.#difference(
        { id: '', shown: Object.fromEntries(given.map(([kind, of]) => [kind, of.length])) },
        body,
      )
    }
    if (sent.id === undefined || collection === undefined || status === 204) return null
    if (!isOfResource(path)) return this.#problemOfPart(operation, sent, body)
    if (body.id !== sent.id) return 'it is about another resource'
    return method === 'GET' ? this.#difference(this.#known[collection].get(sent.id), body) : null
  }

  /** What is wrong with an answer about something that belongs to a resource, or null. */
  #problemOfPart(
    operation: OperationId,
    { id = '', parameters, query, body: given }: Sent,
    body: Record<string, unknown>,
  ): string | null {
    const deliveries = this.#deliveries.get(id) ?? new Map<string, Known>()
    switch (operation) {
      case 'ping-webhook':
        return body.delivered === true && body.status === 204 ? null : 'the receiver takes everything'
      case 'rotate-webhook-secret': {
        const { updated_at: _changed, ...known } = this.#known.webhooks.get(id)?.shown ?? {}
        return this.#difference({ id, shown: known }, body)
      }
      case 'rotate-key': {
        const { last4: _ending, ...known } = this.#known.keys.get(id)?.shown ?? {}
        return this.#difference({ id, shown: known }, body)
      }
      case 'recover-webhook': {
        const shown = { webhook_id: id, since: (given as { since: string }).since }
        return this.#difference({ id, shown }, body)
      }
      case 'redeliver': {
        const known = deliveries.get(String(parameters?.delivery_id))
        const shown = { ...known?.shown, status: 'pending', reason: null, trigger: 'manual' }
        // The log of attempts is the list's.
        const { attempts: _log, ...told } = shown as Record<string, unknown>
        return this.#difference(known && { ...known, shown: told }, body)
      }
      case 'list-deliveries': {
        const items = body.deliveries as Record<string, unknown>[]
        const most = Number(query?.limit ?? 25)
        if (query?.cursor === undefined && items.length !== Math.min(most, deliveries.size))
          return `${Math.min(most, deliveries.size)} were to be listed`
        const wrong = items.map((item) => this.#difference(deliveries.get(String(item.id)), item))
        return wrong.find((each) => each !== null) ?? null
      }
      default:
        return body.id === id ? null : 'it is about another resource'
    }
  }

  /** In what an answer differs from what the model knows, or null. */
  #difference(known: Known | undefined, body: Record<string, unknown>): string | null {
    if (known === undefined) return 'what does not exist was answered'
    for (const [name, value] of Object.entries(known.shown))
      if (!isDeepStrictEqual(body[name], value))
        return `${name} was to be ${JSON.stringify(value)?.slice(0, 200)}`
    return null
  }

  /** What a successful write makes of the model. */
  #learn({ operation, sent }: Step, { body }: Got): void {
    const { method, path } = operations[operation]
    const collection = collectionOf(path)
    if (collection === undefined || method === 'GET') return
    if (operation === 'redeliver') {
      const known = this.#deliveries.get(sent.id ?? '')?.get(String(sent.parameters?.delivery_id))
      if (known !== undefined)
        Object.assign(known.shown, { status: 'pending', reason: null, trigger: 'manual' })
    } else if (operation === 'rotate-webhook-secret') {
      const known = this.#known.webhooks.get(sent.id ?? '')
      if (known !== undefined) known.shown.updated_at = body.updated_at
    } else if (operation === 'rotate-key') {
      const known = this.#known.keys.get(sent.id ?? '')
      if (known !== undefined) known.shown.last4 = body.last4
    } else if (operation === 'revoke-key') {
      this.#revoked.add(sent.id ?? '')
      // It is revoked at an instant that the answer does not tell.
      delete this.#known.keys.get(sent.id ?? '')?.shown.revoked_at
    } else if (operation === 'ping-webhook' || operation === 'recover-webhook') {
      // Nothing that is shown changes.
    } else if (method === 'DELETE') {
      this.#deliveries.delete(sent.id ?? '')
      this.#known[collection].delete(sent.id ?? '')
      this.#deleted[collection].push(sent.id ?? '')
    } else if (operation === 'verify-incident' || operation === 'verify-query') {
      // It changes nothing.
    } else if (operation === 'request-investigation') {
      const known = this.#known.incidents.get(sent.id ?? '')
      if (known !== undefined) {
        known.shown.analysis = 'pending'
        // It is changed at an instant that the answer does not tell.
        delete known.shown.updated_at
      }
    } else {
      const { warnings: _told, value: _once, ...shown } = body as Record<string, unknown>
      // Nor is a token answered again.
      if (typeof shown.ingest === 'object' && shown.ingest !== null)
        shown.ingest = { ...shown.ingest, token: null }
      this.#known[collection].set(String(body.id), { id: String(body.id), shown })
      // What was asked for is what was done.
      const given = (sent.body ?? {}) as Record<string, unknown>
      for (const name of ['title', 'severity', 'url', 'plan', 'expires_at'])
        if (given[name] !== undefined && shown[name] !== given[name])
          throw new Error(
            `${operation} made ${name} ${JSON.stringify(shown[name])} of ${JSON.stringify(given[name])}`,
          )
    }
  }

  /** Reads a whole list page by page, while one more is written: each of the model's once, newest first. */
  async #walk(collection: 'incidents' | 'integrations' | 'webhooks' | 'deliveries' | 'keys'): Promise<void> {
    const operation = `list-${collection}` as const
    if (collection === 'deliveries' && this.#deliveries.size === 0) await this.#makeDelivery()
    // Those of the subscription that has most of them.
    const [of, deliveries = new Map<string, Known>()] =
      [...this.#deliveries].toSorted(([, one], [, other]) => other.size - one.size)[0] ?? []
    const at = collection === 'deliveries' && of !== undefined ? { id: of } : {}
    const known = collection === 'deliveries' ? deliveries : this.#known[collection]
    const filters: Record<string, string> =
      collection === 'incidents'
        ? Object.fromEntries(
            Object.entries({
              status: ['open', 'investigating', 'resolved'],
              severity: ['low', 'medium', 'high', 'critical'],
            })
              .filter(() => this.#random() < 0.5)
              .map(([name, values]) => [name, this.#pick(values)]),
          )
        : {}
    const wanted = [...known.values()]
      .filter(({ shown }) => Object.entries(filters).every(([name, value]) => shown[name] === value))
      .map(({ id }) => id)
    const least = collection === 'deliveries' ? 2 : 5
    const limit = String(
      Math.max(least, Math.ceil(this.#random() * (collection === 'deliveries' ? 10 : 100))),
    )
    const found: string[] = []
    let cursor: string | null = null
    do {
      const query: Record<string, string> = { ...filters, limit, ...(cursor === null ? {} : { cursor }) }
      const step: Step = {
        operation,
        how: `a page of ${limit}`,
        sent: { ...at, query },
        expected: { statuses: [200] },
      }
      const got = await this.#send(step)
      const items = got.body[collection] as { id: string }[]
      if (items.length > Number(limit))
        throw new FuzzFailure(this.#options.seed, this.#step, step, got, 'the page is too long')
      for (const item of items) {
        // What was there before this run is not its own, nor are the keys that its requests are made with.
        const isForeign = collection === 'keys' || item.id.slice(-26) < this.#since
        if (isForeign && !known.has(item.id)) continue
        found.push(item.id)
        const wrong = this.#difference(known.get(item.id), item as Record<string, unknown>)
        if (wrong !== null) throw new FuzzFailure(this.#options.seed, this.#step, step, got, wrong)
      }
      cursor = got.body.next_cursor as string | null
      if (cursor !== null) {
        await this.#alteredCursor(operation, at, query, cursor)
        if (collection === 'incidents' && this.#random() < 0.3)
          await this.#send(this.#valid('create-incident'))
      } else {
        const ids = found.map((id) => id.slice(-26))
        const inOrder = ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? ''))
        const missing = wanted.filter((id) => !found.includes(id))
        if (!inOrder || missing.length > 0 || found.length !== wanted.length)
          throw new FuzzFailure(
            this.#options.seed,
            this.#step,
            step,
            got,
            `${found.length} of ${wanted.length} were listed, in order: ${inOrder}`,
          )
      }
    } while (cursor !== null)
  }

  /** One character of a cursor changed, or its filters. */
  async #alteredCursor(
    operation: OperationId,
    at: Pick<Sent, 'id'>,
    query: Record<string, string>,
    cursor: string,
  ): Promise<void> {
    const place = Math.floor(this.#random() * cursor.length)
    const other = cursor[place] === 'A' ? 'B' : 'A'
    const altered = cursor.slice(0, place) + other + cursor.slice(place + 1)
    await this.#send({
      operation,
      how: 'a cursor with one character changed',
      sent: { ...at, query: { ...query, cursor: altered } },
      expected: { statuses: [400], field: 'cursor' },
    })
    if (operation === 'list-incidents' && query.end_time === undefined)
      await this.#send({
        operation,
        how: 'the cursor of other filters',
        sent: { query: { ...query, cursor, end_time: '2099-01-01T00:00:00Z' } },
        expected: { statuses: [400], field: 'cursor' },
      })
  }
}

/** True for an operation whose body or parameters the document describes, so that something of it can be broken. */
export const takesInput = (id: OperationId): boolean => {
  const schema = bodySchemaOf(id)
  return (
    (schema !== undefined && follow(schema, document as Document) !== undefined) ||
    (documentedOf(id).parameters ?? []).length > 0
  )
}
