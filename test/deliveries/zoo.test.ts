import { describe, expect, it } from 'vitest'
import { MOST_ATTEMPTS, type PostResult, WAITS } from '#shared/domain/delivery.ts'
import { broken } from './invariants.ts'
import { answers, type Receiver, START, World } from './world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const failing = (error: Extract<PostResult, { kind: 'failed' }>['error']): PostResult => ({
  kind: 'failed',
  error,
})
const always =
  (result: PostResult): Receiver =>
  () =>
    result

/** One incident to one receiver, until nothing moves any more. */
async function sent(receiver: Receiver): Promise<World> {
  const world = new World()
  await world.subscribe('one', ['incident.created'], receiver)
  await world.open()
  expect(await world.run()).toBe(true)
  return world
}

describe('a receiver that accepts', () => {
  it.each([200, 201, 202, 204, 206, 299])('with %i gets the event once', async (status) => {
    const world = await sent(always(answers(status)))
    expect(world.posts).toHaveLength(1)
    expect(world.deliveries()[0]).toMatchObject({ status: 'delivered', attempts: 1 })
    expect(broken(world)).toEqual([])
  })
})

describe('a receiver that never accepts', () => {
  it.each([
    ['1xx for an answer', answers(103)],
    ['301', answers(301)],
    ['302', answers(302)],
    ['307', answers(307)],
    ['308', answers(308)],
    ['400', answers(400)],
    ['404', answers(404)],
    ['429 without a word', answers(429)],
    ['429 with seconds', answers(429, '30')],
    ['429 with a date', answers(429, 'Sat, 31 Jan 2026 12:10:00 GMT')],
    ['429 with nonsense', answers(429, 'tomorrow')],
    ['500', answers(500)],
    ['502', answers(502)],
    ['503 for ever', answers(503, '99999999999')],
    ['504', answers(504)],
    ['a head that does not come', failing('timeout')],
    ['a body that does not end', failing('timeout_body')],
    ['a reset', failing('connection')],
    ['a certificate of its own', failing('tls')],
    ['no HTTP', failing('protocol')],
    ['a name that is unknown', failing('no_address')],
    ['an address that is shut', failing('refused_address')],
  ] as const)('%s: ten attempts over the whole schedule, then given up', async (_name, result) => {
    const world = await sent(always(result))
    expect(world.posts).toHaveLength(MOST_ATTEMPTS)
    expect(world.deliveries()[0]).toMatchObject({ status: 'failed', reason: 'exhausted', attempts: 10 })
    expect(broken(world)).toEqual([])
    const times = world.posts.map(({ at }) => at - START)
    expect(times[0]).toBeLessThan(5_000)
    const length = (times.at(-1) ?? 0) / HOUR
    // The waits themselves, and the minutes that the sweeper may be late.
    expect(length).toBeGreaterThanOrEqual(75.5)
    expect(length).toBeLessThanOrEqual(_name === '503 for ever' ? 154 : 79)
    for (const [index, base] of WAITS.entries()) {
      const wait = (times[index + 1] ?? 0) - (times[index] ?? 0)
      expect(wait, `wait ${index + 1}`).toBeGreaterThanOrEqual(base * 0.8)
      expect(wait, `wait ${index + 1}`).toBeLessThanOrEqual(Math.max(2 * base, HOUR) + 5 * 60_000)
    }
  })

  it('410: never again, neither this event nor the next, and somebody is told', async () => {
    const world = await sent(always(answers(410)))
    expect(world.posts).toHaveLength(1)
    expect(world.deliveries()[0]).toMatchObject({ status: 'failed', reason: 'gone' })
    expect(world.disabled).toHaveLength(1)
    await world.open('Another')
    await world.run()
    expect(world.posts).toHaveLength(1)
  })

  it('is told by its log why: every attempt with its time, status and error', async () => {
    const world = await sent((number) => (number < 3 ? answers(500) : failing('timeout')))
    const [delivery] = world.deliveries()
    const attempts = world.attemptsOf(String(delivery?.id))
    expect(attempts.map(({ number, status, error }) => [number, status, error])).toEqual([
      [1, 500, 'status'],
      [2, 500, 'status'],
      ...Array.from({ length: 8 }, (_, index) => [index + 3, null, 'timeout']),
    ])
  })

  it('is disabled after five days of nothing but failure, with the reason and a word to the operator', async () => {
    const world = new World()
    const { id } = await world.subscribe('one', ['incident.created'], always(answers(500)))
    for (let day = 0; day < 8; day += 1) {
      await world.open(`Incident of day ${day}`)
      await world.run(START + (day + 1) * DAY)
    }
    expect(world.disabled).toEqual([id])
    expect(world.webhookItem(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
    const last = world.posts.at(-1)?.at ?? 0
    expect(last - START).toBeGreaterThanOrEqual(5 * DAY)
    expect(last - START).toBeLessThan(6 * DAY)
    await world.run()
    // What was waiting is cancelled and says so.
    expect(world.deliveries().filter(({ status }) => status === 'pending')).toEqual([])
    expect(world.deliveries().some(({ reason }) => reason === 'disabled')).toBe(true)
  })

  it('is not disabled where a single attempt of the five days is accepted', async () => {
    const world = new World()
    const { id } = await world.subscribe('one', ['incident.created'], (_number, at) =>
      at - START > 2.5 * DAY && at - START < 3.5 * DAY ? answers(200) : answers(500),
    )
    for (let day = 0; day < 7; day += 1) {
      await world.open(`Incident of day ${day}`)
      await world.run(START + (day + 1) * DAY)
    }
    expect(world.disabled).toEqual([])
    expect(world.webhookItem(id)).toMatchObject({ status: 'enabled' })
  })
})

describe('the breaker', () => {
  it('keeps back what would fail, without using up its attempts, and closes with the first success', async () => {
    const world = new World()
    const back = START + 20 * 60_000
    await world.subscribe('one', ['incident.created'], (_number, at) => answers(at < back ? 500 : 200))
    for (let opened = 0; opened < 40; opened += 1) await world.open(`Incident ${opened}`)
    await world.run(back)
    // Forty deliveries with two attempts each in these minutes would be eighty.
    const during = world.posts.length
    expect(during).toBeLessThan(30)
    await world.run()
    expect(world.deliveries().every(({ status }) => status === 'delivered')).toBe(true)
    for (const delivery of world.deliveries()) {
      const posted = world.posts.filter(({ id }) => id === delivery.event_id).length
      expect(delivery.attempts).toBe(posted)
    }
    expect(broken(world)).toEqual([])
  })

  it('of one subscription keeps nothing back from another', async () => {
    const world = new World()
    await world.subscribe('down', ['incident.created'], always(answers(500)))
    await world.subscribe('well', ['incident.created'], always(answers(200)))
    for (let opened = 0; opened < 10; opened += 1) await world.open(`Incident ${opened}`)
    await world.run(START + 60_000)
    expect(world.accepted('well')).toHaveLength(10)
  })
})

describe('order', () => {
  it('incident.resolved waits for incident.created of the same incident to the same subscriber', async () => {
    const world = new World()
    await world.subscribe('one', undefined, (number) => answers(number <= 3 ? 500 : 200))
    const incident = await world.open()
    await world.resolve(incident?.id ?? '')
    await world.run()
    expect(world.accepted().map(({ body }) => JSON.parse(body).type)).toEqual([
      'incident.created',
      'incident.resolved',
    ])
    const sequences = world.accepted().map(({ body }) => JSON.parse(body).data.sequence as number)
    expect(sequences[0]).toBeLessThan(sequences[1] ?? 0)
  })

  it('incident.resolved goes alone to a subscriber to nothing else', async () => {
    const world = new World()
    await world.subscribe('one', ['incident.resolved'])
    const incident = await world.open()
    await world.resolve(incident?.id ?? '')
    await world.run()
    expect(world.accepted().map(({ body }) => JSON.parse(body).type)).toEqual(['incident.resolved'])
  })

  it('an incident.created that was given up does not hold back incident.resolved', async () => {
    const world = new World()
    await world.subscribe('one', undefined, (number) => answers(number <= 10 ? 500 : 200))
    const incident = await world.open()
    await world.resolve(incident?.id ?? '')
    await world.run()
    expect(world.accepted().map(({ body }) => JSON.parse(body).type)).toEqual(['incident.resolved'])
  })
})

describe('a subscription that is deleted', () => {
  it('gets nothing from any attempt that begins afterwards', async () => {
    const world = new World()
    const { id } = await world.subscribe('one', ['incident.created'], always(answers(500)))
    await world.open()
    await world.run(START + 60_000)
    const before = world.posts.length
    expect(before).toBeGreaterThan(0)
    world.unsubscribe(id)
    await world.run()
    expect(world.posts).toHaveLength(before)
    expect(world.deliveries()[0]).toMatchObject({ status: 'cancelled', reason: 'disabled' })
  })
})

describe('a backlog', () => {
  it('of 100,000 overdue deliveries is rung for at most 1.2 times each while the queue is late', async () => {
    const { rings, rows } = await drainBacklog()
    expect(rows).toBe(100_000)
    expect(rings / rows).toBeLessThanOrEqual(1.2)
  }, 300_000)
})

async function drainBacklog(): Promise<{ rings: number; rows: number }> {
  const { backlog } = await import('./backlog.ts')
  return backlog({})
}
