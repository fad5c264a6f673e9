import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { request } from 'undici'
import { hmacSign } from '#shared/adapters/hmac-sign.ts'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { postWebhook } from '#shared/adapters/http/post-webhook.ts'
import { type DeliveryActs, deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import { type Delivery, HEALTHY, newDelivery } from '#shared/domain/delivery.ts'
import { deliverySlots, SLOTS_PER_SUBSCRIPTION } from '#shared/domain/delivery-slots.ts'
import { signedContent, webhookHeaders } from '#shared/domain/signature.ts'
import { spreadOf } from './spread.ts'

const HELP = `npm run bench:deliver -- [--pairs N] [--deliveries N] [--memory N] [--json FILE]
What a delivery costs: the whole path of the worker with its stores stubbed (reads, claim, sign, post, commit), beside a
bare loop of undici that only signs and posts to the same receiver, in alternating runs; what signing costs; a healthy
subscription alone and beside 50 that hang; memory over many deliveries.
  --pairs N       alternating pairs of runs (default 15)
  --deliveries N  deliveries of a run (default 4000)
  --memory N      deliveries over which memory is watched (default 100000; the promise is for 1000000)`

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '15' },
    deliveries: { type: 'string', default: '4000' },
    memory: { type: 'string', default: '100000' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** Posts under way at once in both loops. */
const AT_ONCE = 32
const BODY = JSON.stringify({ type: 'incident.created', data: { text: 'x'.repeat(430) } })
const SECRET = `whsec_${randomBytes(24).toString('base64')}`
const WEBHOOK = 'wh_01KGA2B3C4D5E6F7G8H9JKMNPQ'
const EVENT = 'evt_01KGA2B3C4D5E6F7G8H9JKMNPQ'

/** The receiver in a thread of its own, so that its work is not counted as ours. */
const RECEIVER = `
const { createServer } = require('node:http')
const { parentPort } = require('node:worker_threads')
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(204).end())
})
server.keepAliveTimeout = 60000
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

async function inParallel(
  count: number,
  run: (number: number) => Promise<unknown>,
  lanes = AT_ONCE,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      const number = next
      next += 1
      await run(number)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

interface Measured {
  readonly perSecond: number
  /** Processor time of this thread for one delivery. */
  readonly cpuUs: number
}

async function measured(count: number, run: (number: number) => Promise<unknown>): Promise<Measured> {
  const [cpu, at] = [process.threadCpuUsage(), performance.now()]
  await inParallel(count, run)
  const { user, system } = process.threadCpuUsage(cpu)
  return { perSecond: (count / (performance.now() - at)) * 1_000, cpuUs: (user + system) / count }
}

/** The worker's acts over stores that answer at once. */
function stubbed(url: string, post: DeliveryActs['post']): DeliveryActs {
  const about = {
    event_id: EVENT,
    event_kind: 'incident.created',
    incident_id: EVENT.replace('evt_', 'inc_'),
  } as const
  const delivery: Delivery = newDelivery('dlv_01KGA2B3C4D5E6F7G8H9JKMNPQ', WEBHOOK, about, 0)
  const webhook = {
    id: WEBHOOK,
    url,
    events: ['incident.created'],
    status: 'enabled',
    disabled_reason: null,
    created_at: '',
    updated_at: '',
    version: 1,
  } as const
  const event = {
    id: EVENT,
    kind: 'incident.created',
    incident_id: about.incident_id,
    body: BODY,
    fanned_out: true,
  } as const
  return {
    deliveries: {
      idOf: () => delivery.id,
      get: () => Promise.resolve(delivery),
      claim: (claimed) => Promise.resolve({ ...claimed, fence: 1 }),
      commit: () => Promise.resolve(true),
      postpone: () => Promise.resolve(),
      end: () => Promise.resolve(),
    },
    webhooks: {
      open: () => Promise.resolve({ webhook, health: HEALTHY, secrets: [SECRET] }),
      countFailure: () => Promise.resolve(undefined),
      openBreaker: () => Promise.resolve(),
      takeProbe: () => Promise.resolve(true),
      recover: () => Promise.resolve(),
      disable: () => Promise.resolve(false),
    },
    events: { get: () => Promise.resolve(event) },
    deliveryDoorbell: { ring: () => Promise.resolve() },
    post,
    sign: hmacSign(),
    slots: deliverySlots(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
    clock: Date.now,
    random: Math.random,
    disabled: () => undefined,
  }
}

const CALL = { webhook_id: WEBHOOK, delivery_id: 'dlv_01KGA2B3C4D5E6F7G8H9JKMNPQ' }
const remaining = () => 60_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is held after everything that nobody holds is gone. */
function liveBytes(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function signing(): number {
  const sign = hmacSign()
  const content = signedContent(EVENT, 1_769_860_800, 'x'.repeat(1_024))
  for (let warm = 0; warm < 20_000; warm += 1) sign(SECRET, content)
  const rounds = Array.from({ length: 15 }, () => {
    const cpu = process.threadCpuUsage()
    for (let made = 0; made < 10_000; made += 1) sign(SECRET, content)
    const { user, system } = process.threadCpuUsage(cpu)
    return (user + system) / 10_000
  })
  return spreadOf(rounds).median
}

/** Own code alone: nothing goes out, so that only what the service itself does is counted. */
async function ownCode(count: number): Promise<Measured> {
  const answered = { kind: 'answered', status: 204, retryAfter: null, response: '' } as const
  const acts = stubbed('https://example.com/', () => Promise.resolve(answered))
  await inParallel(20_000, () => deliverWebhook(acts, CALL, remaining))
  return measured(count, () => deliverWebhook(acts, CALL, remaining))
}

/** Latency of a healthy subscription's deliveries, alone and beside 50 whose receivers hang. */
async function besideHanging(url: string, hanging: number): Promise<number> {
  // Each on a host of its own: otherwise the bound of one host would let only a few of them hang.
  const silent = await Promise.all(
    Array.from({ length: hanging }, async () => {
      const server = createServer(() => undefined)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const guarded = guardedRequest(localRules())
  const post = postWebhook(guarded, 'bench')
  const slots = deliverySlots()
  const well = { ...stubbed(url, post), slots }
  const running: Promise<unknown>[] = []
  for (const [number, server] of silent.entries()) {
    const { port } = server.address() as AddressInfo
    const stub = stubbed(`http://127.0.0.1:${port}/`, post)
    const webhook_id = `wh_hangs_${number}`
    const get = async () => {
      const delivery = await stub.deliveries.get(WEBHOOK, CALL.delivery_id)
      return delivery && { ...delivery, webhook_id }
    }
    const acts = { ...stub, deliveries: { ...stub.deliveries, get }, slots }
    // Each has a backlog of ten; the slots let through what they let through.
    for (let waiting = 0; waiting < 10; waiting += 1)
      running.push(deliverWebhook(acts, { ...CALL, webhook_id }, remaining).catch(() => undefined))
  }
  const latencies: number[] = []
  const once = async () => {
    const at = performance.now()
    const outcome = await deliverWebhook(well, CALL, remaining)
    if (outcome !== 'delivered') throw new Error(`a healthy delivery was ${outcome}`)
    latencies.push(performance.now() - at)
  }
  await inParallel(1_000, once, SLOTS_PER_SUBSCRIPTION)
  for (const server of silent) {
    server.closeAllConnections()
    server.close()
  }
  await guarded.close()
  await Promise.all(running)
  return spreadOf(latencies).median
}

async function main(): Promise<void> {
  if (values.help) {
    console.log(HELP)
    return
  }
  const [pairs, count, many] = [Number(values.pairs), Number(values.deliveries), Number(values.memory)]
  const receiver = new Worker(RECEIVER, { eval: true })
  const port = await new Promise<number>((resolve) => receiver.once('message', resolve))
  const url = `http://127.0.0.1:${port}/hook`
  const guarded = guardedRequest(localRules())
  const acts = stubbed(url, postWebhook(guarded, 'bench'))
  const sign = hmacSign()
  const worker = () => deliverWebhook(acts, CALL, remaining)
  const bare = async () => {
    const headers = webhookHeaders(EVENT, Date.now(), BODY, [SECRET], sign)
    const { body } = await request(url, { method: 'POST', headers, body: BODY })
    await body.dump()
  }
  await inParallel(count, worker)
  await inParallel(count, bare)
  const runs: { worker: Measured; bare: Measured }[] = []
  for (let pair = 0; pair < pairs; pair += 1)
    runs.push({ worker: await measured(count, worker), bare: await measured(count, bare) })
  const own = await ownCode(count * 5)
  const fairness: { alone: number; beside: number }[] = []
  for (let pair = 0; pair < Math.min(pairs, 5); pair += 1)
    fairness.push({ alone: await besideHanging(url, 0), beside: await besideHanging(url, 50) })

  await inParallel(many / 4, worker)
  const before = liveBytes()
  await inParallel(many, worker)
  const grownMb = (liveBytes() - before) / 1_048_576

  const spread = (read: (run: (typeof runs)[number]) => number) => spreadOf(runs.map(read))
  const result = {
    pairs,
    deliveries_of_a_run: count,
    worker_per_second: spread((run) => run.worker.perSecond),
    worker_cpu_us: spread((run) => run.worker.cpuUs),
    bare_per_second: spread((run) => run.bare.perSecond),
    bare_cpu_us: spread((run) => run.bare.cpuUs),
    cpu_ratio: spread((run) => run.worker.cpuUs / run.bare.cpuUs),
    own_code_per_second: own.perSecond,
    own_code_cpu_us: own.cpuUs,
    signing_1_kb_us: signing(),
    healthy_alone_ms: spreadOf(fairness.map(({ alone }) => alone)),
    healthy_beside_50_hanging_ms: spreadOf(fairness.map(({ beside }) => beside)),
    beside_to_alone: spreadOf(fairness.map(({ alone, beside }) => beside / alone)),
    memory_grown_mb_per_100k: (grownMb / many) * 100_000,
    memory_deliveries: many,
  }
  const shown = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2))
  console.log('| figure | median | quartiles |\n|---|---|---|')
  for (const [name, value] of Object.entries(result))
    console.log(
      typeof value === 'number'
        ? `| ${name} | ${shown(value)} | |`
        : `| ${name} | ${shown(value.median)} | ${shown(value.lower)} to ${shown(value.upper)} |`,
    )
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
  await guarded.close()
  await receiver.terminate()
}

await main()
