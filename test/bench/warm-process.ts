import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { idMaker } from '#shared/adapters/new-id.ts'
import { writeKey } from '#shared/domain/api-key.ts'
import type { Entrance, KeyGate } from '#shared/domain/ports.ts'
import { rateState } from '#shared/domain/rate-limit.ts'
import { type ApiHandler, endpoint } from '#shared/edge/endpoint.ts'
import { log } from '#shared/edge/log.ts'
import { contextOf, eventOf } from '#test/edge/call-endpoint.ts'
import { startService, withKey } from '#test/endpoints/service.ts'
import { sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { bundleRivals } from './rival-handlers.ts'

// The process in which bench:warm measures; its standard output goes nowhere.

/** Microseconds of the processor a request, one value a block (other work on the machine disturbs them less), and what the store's delay makes of it. */
export interface Measured {
  readonly chain_us: number[]
  readonly bare_us: number[]
  readonly post_us: number[]
  readonly bare_post_us: number[]
  /** The same with the smallest answer there can be. */
  readonly small_us: number[]
  readonly bare_small_us: number[]
  readonly log_us: number[]
  /** A hello world on each of the other frameworks that were asked for, by its title. */
  readonly rivals_us: Readonly<Record<string, number[]>>
  readonly chain_cpu_us: number[]
  readonly sdk_cpu_us: number[]
  /** Elapsed time in delays of the store. */
  readonly get_delays: number[]
  readonly post_delays: number[]
  /** Calls of the store one after the other. */
  readonly get_trips: number
  readonly post_trips: number
}

const BLOCK = 2_000
/** Calls of the SDK in a block: each costs a hundred times as much. */
const SDK_BLOCK = 200
/** How late the store answers where round trips are counted: far more than the rest of a request takes. */
const DELAY_MS = 50
const TRIPS = 15
const rounds = Number(process.argv[2])
/** Folder for the bundles of the other frameworks; without it none are measured. */
const rivalFolder = process.argv[3]

const NOW = Date.now()
const key = writeKey('test', 'admin', randomBytes(128))
const newId = idMaker()
const ID = newId('inc', NOW)
/** An incident as a GET answers it once it was analysed: three pieces of evidence, as many as its item holds. */
const incident = sampleIncident(NOW, { id: ID, analysis: 'done', root_cause: sampleRootCause(3, 300) })

/** A gate that answers at once, hashing the key as the real one does. */
const seen = new Set<string>()
let last = { key: '', hash: '' }
const hashOf = (given: string): string => {
  if (last.key !== given) last = { key: given, hash: '' }
  // Every request hashes its key once, as a process that serves many keys does.
  if (last.hash === '') last.hash = keyHash(given)
  return last.hash
}
const gate: KeyGate = {
  seen: (given) => seen.has(hashOf(given)),
  admit: async (given): Promise<Entrance> => {
    seen.add(hashOf(given))
    last = { key: '', hash: '' }
    return { outcome: 'admitted', caller: { id: 'key_1', type: 'admin' }, rate: rateState(1000, 1, NOW) }
  },
}
const keeping = { gate: () => gate, clock: Date.now }
const store = new Map([[ID, incident]])
const reading = endpoint('get-incident', keeping, () => async ({ id }) => ({
  body: store.get(id),
  version: 1,
}))
const creating = endpoint('create-incident', keeping, () => async () => ({
  body: incident,
  version: 1,
  headers: { Location: `/v1/incidents/${ID}` },
}))

const HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }
const bareReading: ApiHandler = async (event) => ({
  statusCode: 200,
  headers: HEADERS,
  body: JSON.stringify(store.get(event.pathParameters?.id ?? '')),
})
const barePosting: ApiHandler = async (event) => {
  const given = JSON.parse(Buffer.from(event.body ?? '', 'base64').toString()) as { title?: unknown }
  if (typeof given.title !== 'string') throw new TypeError('title')
  return { statusCode: 201, headers: HEADERS, body: JSON.stringify(incident) }
}

const readingSmall = endpoint('get-incident', keeping, () => async ({ id }) => ({ body: { id }, version: 1 }))
const bareSmall: ApiHandler = async (event) => ({
  statusCode: 200,
  headers: HEADERS,
  body: JSON.stringify({ id: event.pathParameters?.id }),
})

const headers = withKey(key)
const getEvent = eventOf({ id: ID, headers, path: `/incidents/${ID}` })
const postEvent = eventOf({
  method: 'POST',
  path: '/incidents',
  headers,
  body: { title: 'Checkout fails', severity: 'high', service: 'checkout' },
})
const context = contextOf()

const callOf = (handler: ApiHandler, event: APIGatewayProxyEvent) => () => handler(event, context)

/** Microseconds each of `times` calls, one after the other: by the clock and by the processor. */
async function block(call: () => Promise<unknown>, times: number): Promise<{ clock: number; cpu: number }> {
  const [cpuBefore, before] = [process.cpuUsage(), performance.now()]
  for (let index = 0; index < times; index += 1) await call()
  const [after, { user, system }] = [performance.now(), process.cpuUsage(cpuBefore)]
  return { clock: ((after - before) * 1_000) / times, cpu: (user + system) / times }
}

const service = await startService()
// The service's tests are silent; here the log is part of what is measured.
delete process.env.LOG_LEVEL
const chainGet = callOf(reading, getEvent)
const chainPost = callOf(creating, postEvent)
const bareGet = callOf(bareReading, getEvent)
const smallGet = callOf(readingSmall, getEvent)
const bareSmallGet = callOf(bareSmall, getEvent)
const barePost = callOf(barePosting, postEvent)
const logging = async () =>
  log('info', 'request_answered', {
    operation: 'get-incident',
    request_id: 'request-1',
    status: 200,
    duration_ms: 3,
    caller: 'key_1',
  })
const sdk = () =>
  service.store.client.send(
    new GetCommand({ TableName: service.store.names.incidents, Key: { pk: 'a', sk: 'b' } }),
  )

const rivals: { readonly title: string; readonly call: () => Promise<unknown>; readonly us: number[] }[] = []
for (const { title, file, event } of rivalFolder === undefined ? [] : await bundleRivals(rivalFolder)) {
  const { handler } = (await import(pathToFileURL(file).href)) as {
    handler: (event: unknown, context: unknown) => Promise<{ statusCode: number }>
  }
  const call = () => handler(event, context)
  if ((await call()).statusCode !== 200) throw new Error(`the hello world on ${title} does not answer`)
  rivals.push({ title, call, us: [] })
}

const measured: Measured = {
  chain_us: [],
  bare_us: [],
  post_us: [],
  bare_post_us: [],
  small_us: [],
  bare_small_us: [],
  log_us: [],
  rivals_us: Object.fromEntries(rivals.map(({ title, us }) => [title, us])),
  chain_cpu_us: [],
  sdk_cpu_us: [],
  get_delays: [],
  post_delays: [],
  get_trips: 0,
  post_trips: 0,
}
// Warm: every path compiled before it counts.
for (const call of [
  chainGet,
  chainPost,
  bareGet,
  barePost,
  smallGet,
  bareSmallGet,
  logging,
  ...rivals.map(({ call: of }) => of),
])
  await block(call, 2 * BLOCK)
await block(sdk, 2 * SDK_BLOCK)
for (let round = 0; round < rounds; round += 1) {
  const chain = await block(chainGet, BLOCK)
  measured.chain_us.push(chain.cpu)
  const bare = await block(bareGet, BLOCK)
  measured.bare_us.push(bare.cpu)
  // What the chain adds to the answer itself.
  measured.chain_cpu_us.push(chain.cpu - bare.cpu)
  measured.sdk_cpu_us.push((await block(sdk, SDK_BLOCK)).cpu)
  measured.post_us.push((await block(chainPost, BLOCK)).cpu)
  measured.bare_post_us.push((await block(barePost, BLOCK)).cpu)
  measured.small_us.push((await block(smallGet, BLOCK)).cpu)
  measured.bare_small_us.push((await block(bareSmallGet, BLOCK)).cpu)
  measured.log_us.push((await block(logging, BLOCK)).cpu)
  for (const { call, us } of rivals) us.push((await block(call, BLOCK)).cpu)
}

const { documents } = await import('#shared/runtime.ts')
const made = await service.call('create-incident', { body: { title: 'Checkout fails', severity: 'high' } })
const read = () => service.call('get-incident', { id: String(made.body.id) })
const post = () => service.call('create-incident', { body: { title: 'Checkout fails', severity: 'high' } })
await read()
const begun: number[] = []
documents().middlewareStack.add(
  (next) => async (args) => {
    begun.push(performance.now())
    await pause(DELAY_MS)
    return next(args)
  },
  { step: 'finalizeRequest', name: 'late' },
)
/** How often the store was asked only after it had answered before: calls begun within half a delay are one trip. */
const tripsOf = () => begun.filter((at, index) => at - (begun[index - 1] ?? 0) > DELAY_MS / 2).length
for (const [call, delays, name] of [
  [read, measured.get_delays, 'get_trips'],
  [post, measured.post_delays, 'post_trips'],
] as const) {
  let most = 0
  for (let index = 0; index < TRIPS; index += 1) {
    begun.length = 0
    const before = performance.now()
    const { status } = await call()
    delays.push((performance.now() - before) / DELAY_MS)
    if (status >= 300) throw new Error(`a request was answered ${status}`)
    most = Math.max(most, tripsOf())
  }
  Object.assign(measured, { [name]: most })
}
await service.stop()
process.send?.(measured)
process.disconnect()
