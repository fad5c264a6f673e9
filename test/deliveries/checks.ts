import { deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import { type PostResult, WAITS } from '#shared/domain/delivery.ts'
import { fanOut } from '#shared/domain/fan-out.ts'
import { backlog } from './backlog.ts'
import { broken } from './invariants.ts'
import { everySchedule, runSchedule } from './scenarios.ts'
import { answers, type Plant, START, World } from './world.ts'

/** A fault and, where it lies in the sweeper's dealing with a backlog, how it is planted there. */
export interface Fault extends Plant {
  readonly backlog?: Parameters<typeof backlog>[0]
}

const DAY = 86_400_000
const MINUTE = 60_000

/** Runs every crash schedule of some queues until one shows a problem. */
async function schedules(plant: Plant): Promise<string[]> {
  for (const schedule of await everySchedule(plant, ['orderly', 'duplicates'])) {
    const { problems } = await runSchedule(schedule, plant)
    if (problems.length > 0) return [...problems]
  }
  return []
}

/** What the queue alone brings back: a worker that dies before it claims, and nothing that sweeps. */
async function queueAlone(plant: Plant): Promise<string[]> {
  for (let call = 1; call <= 30; call += 1) {
    const world = new World({ crash: { call, side: 'before' }, withoutSweeper: true, plant })
    await world.subscribe('one', ['incident.created'])
    const opened = await world.open()
    if (opened === null) continue
    const last = world.crashedAt
    await world.run(START + 10 * MINUTE)
    const died = world.crashedAt
    // Dying inside of the relay or the first reads of the worker leaves the message or the record where it was.
    if (
      last === null &&
      (died === 'before GetCommand' || died === 'before QueryCommand') &&
      world.accepted().length === 0
    )
      return [`lost without a sweeper: died ${died}`]
  }
  return []
}

async function lostStream(plant: Plant): Promise<string[]> {
  return [...(await runSchedule({ fails: 1, queue: 'orderly', losesStream: true }, plant)).problems]
}

async function relayedTwice(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  await world.subscribe('one', ['incident.created'])
  await world.open()
  const [event] = world.events()
  // Two relays meet on one record, before and after the delivery.
  await Promise.all([fanOut(world.process(), String(event?.id)), fanOut(world.process(), String(event?.id))])
  await world.run()
  const item = world.dynamo.table('incidents').get(`EVENT#${String(event?.id)}\u0000EVENT`)
  if (item !== undefined) Object.assign(item, { due_list: 'FAN_OUT', due_at: world.now })
  await fanOut(world.process(), String(event?.id))
  await world.run()
  return broken(world)
}

async function deletion(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  const { id } = await world.subscribe('one', ['incident.created'], () => answers(500))
  await world.open()
  await world.run(START + MINUTE)
  const before = world.posts.length
  world.unsubscribe(id)
  await world.run(START + DAY)
  return world.posts.length > before ? ['I2: sent after the deletion'] : []
}

async function gone(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  await world.subscribe('one', ['incident.created'], () => answers(410))
  await world.open()
  await world.run(START + DAY)
  await world.open('Another')
  await world.run(START + 2 * DAY)
  return world.posts.length === 1 ? [] : [`410: ${world.posts.length} posts`]
}

async function breaker(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  const back = START + 20 * MINUTE
  await world.subscribe('one', ['incident.created'], (_number, at) => answers(at < back ? 500 : 200))
  for (let opened = 0; opened < 40; opened += 1) await world.open(`Incident ${opened}`)
  await world.run(back)
  const problems = world.posts.length < 30 ? [] : [`breaker: ${world.posts.length} posts while down`]
  await world.run()
  for (const { event_id, attempts } of world.deliveries())
    if (world.posts.filter(({ id }) => id === event_id).length !== attempts)
      problems.push('breaker: used up attempts')
  return [...new Set([...problems, ...broken(world)])]
}

async function retryAfter(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  await world.subscribe('one', ['incident.created'], () => answers(503, '99999999'))
  await world.open()
  await world.run()
  const times = world.posts.map(({ at }) => at)
  const late = WAITS.some(
    (base, index) =>
      (times[index + 1] ?? 0) - (times[index] ?? 0) > Math.max(2 * base, 60 * MINUTE) + 5 * MINUTE,
  )
  return late || times.length !== 10 ? ['Retry-After: out of bounds'] : []
}

async function fiveDays(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  await world.subscribe('one', ['incident.created'], () => answers(500))
  for (let day = 0; day < 8; day += 1) {
    await world.open(`Incident of day ${day}`)
    await world.run(START + (day + 1) * DAY)
  }
  return world.disabled.length === 1 ? [] : [`disabled ${world.disabled.length} times`]
}

async function order(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  await world.subscribe('one', undefined, (number) => answers(number <= 1 ? 500 : 200))
  const incident = await world.open()
  await world.resolve(incident?.id ?? '')
  await world.run()
  return broken(world)
}

async function rotation(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  const webhook = await world.subscribe('one', ['incident.created'])
  const { webhooks } = world.process()
  const next = `whsec_${Buffer.alloc(24, 'next').toString('base64')}`
  await webhooks.rotateSecret(webhook, { ...webhook, version: 2 }, next, world.now + DAY)
  world.secrets.get('one')?.push(next)
  await world.open()
  await world.run()
  return broken(world)
}

/** A POST that outlives its lease: another worker delivers meanwhile, and the late one must change nothing. */
async function lateHolder(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  await world.subscribe('one', ['incident.created'])
  await world.open()
  await world.relay()
  const [delivery] = world.deliveries()
  const call = { webhook_id: String(delivery?.webhook_id), delivery_id: String(delivery?.id) }
  let answer: (result: PostResult) => void = () => {}
  let begun = () => {}
  const posting = new Promise<void>((resolve) => {
    begun = resolve
  })
  const slow = world.process()
  const hanging = deliverWebhook(
    {
      ...slow,
      post: () => {
        begun()
        return new Promise<PostResult>((resolve) => {
          answer = resolve
        })
      },
    },
    call,
    () => 60_000,
  )
  await posting
  const problems: string[] = []
  const held = Number(world.deliveries()[0]?.lease_until) - world.now
  if (held < 17_000) problems.push(`lease: ${held} ms are shorter than an attempt`)
  world.now += 10 * MINUTE
  await deliverWebhook(world.process(), call, () => 60_000)
  answer(answers(500))
  await hanging
  if (world.deliveries()[0]?.status !== 'delivered') problems.push('a late holder wrote over its successor')
  return problems
}

/** Too little time is left: nothing may be posted, and the delivery must come again. */
async function shortTime(plant: Plant): Promise<string[]> {
  const world = new World({ plant })
  await world.subscribe('one', ['incident.created'])
  await world.open()
  await world.relay()
  const [delivery] = world.deliveries()
  const call = { webhook_id: String(delivery?.webhook_id), delivery_id: String(delivery?.id) }
  await deliverWebhook(world.process(), call, () => 16_999)
  return world.posts.length === 0 ? [] : ['posted with less than 17 s left']
}

/** More requests than the key may make, to several functions at once, in two minutes. */
async function rate(plant: Plant): Promise<string[]> {
  const world = new World({ plant, limit: 6 })
  for (let minute = 0; minute < 2; minute += 1) {
    await world.knock(10)
    await world.knock(3)
    world.now += MINUTE
  }
  return broken(world)
}

async function manyRows({ backlog: plant = {} }: Fault): Promise<string[]> {
  const { rings, rows, left } = await backlog(plant)
  return rings / rows <= 1.2 && left === 0
    ? []
    : [`backlog: ${(rings / rows).toFixed(2)} rings a row, ${left} left`]
}

/** Every check, the quick ones first. */
export const CHECKS: readonly (readonly [name: string, check: (fault: Fault) => Promise<string[]>])[] = [
  ['rate', rate],
  ['relayed twice', relayedTwice],
  ['order', order],
  ['deletion', deletion],
  ['410', gone],
  ['rotation', rotation],
  ['late holder', lateHolder],
  ['short time', shortTime],
  ['lost stream', lostStream],
  ['Retry-After', retryAfter],
  ['five days', fiveDays],
  ['breaker', breaker],
  ['queue alone', queueAlone],
  ['crash schedules', schedules],
]

/** Only for faults of the sweeper's dealing with a backlog: it takes seconds. */
export const BACKLOG_CHECK = ['backlog', manyRows] as const
