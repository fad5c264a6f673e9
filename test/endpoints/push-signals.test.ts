import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examples } from '#shared/contract/examples.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { doorbellFor, investigate } from '#test/workers/invocations.ts'
import { PUSHED_CULPRIT, pushedOutage } from './pushed-outage.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('push-signals', () => service)

const NONE = { changes: 0, series: 0, logs: 0, spans: 0, edges: 0, events: 0 }
const at = '2026-01-31T12:00:00Z'
const line = { timestamp: at, service: 'checkout', severity: 'error', message: 'refused' }
const points = { entity: 'checkout', name: 'errors', type: 'gauge' }
const span = {
  trace_id: 't',
  span_id: 's',
  parent_id: null,
  service: 'checkout',
  name: 'pay',
  start: at,
  duration_us: 10,
  status: 'ok',
}
const push = (body: unknown) => service.call('push-signals', { body })
const kept = () => allItems(service, 'signals')

describe('202', () => {
  it('counts what was taken, kind by kind', async () => {
    const got = await push(examples['push-signals']?.[0]?.body)
    expect(got.status).toBe(202)
    expect(got.body).toEqual({ ...NONE, changes: 1, series: 1, logs: 1 })
    const body = { spans: [span], edges: [{ caller: 'a', callee: 'b', t0: at, interval_s: 60 }] }
    expect(
      (await push({ ...body, events: [{ timestamp: at, resource: 'db', kind: '', message: '' }] })).body,
    ).toEqual({ ...NONE, spans: 1, edges: 1, events: 1 })
  })

  it('changes nothing when the same is sent again, and says the same', async () => {
    const body = { logs: [{ ...line, message: 'again' }] }
    const first = await push(body)
    const before = await kept()
    const again = await Promise.all([push(body), push(body), push(body)])
    expect(again.map(({ status, body: told }) => [status, told])).toEqual(Array(3).fill([202, first.body]))
    expect(await kept()).toEqual(before)
  })

  it('takes 1,000 records in one item that is kept for 30 days', async () => {
    const before = await kept()
    const logs = Array.from({ length: 1_000 }, (_, index) => ({ ...line, message: `line ${index}` }))
    expect((await push({ logs })).body).toEqual({ ...NONE, logs: 1_000 })
    const fresh = (await kept()).filter(({ sk }) => !before.some((item) => item.sk === sk))
    expect(fresh).toHaveLength(1)
    const lives = Number(fresh[0]?.expires_at_s) - Date.now() / 1_000
    expect(Math.round(lives / 86_400)).toBe(30)
  })

  it('takes series without values and keeps nothing of them, for they tell of no time', async () => {
    const before = await kept()
    const series = [{ ...points, points: [] }]
    expect((await push({ series })).body).toEqual({ ...NONE, series: 1 })
    expect(await kept()).toEqual(before)
  })

  it('takes records of any time that was: what they are kept by is when they were pushed', async () => {
    const changes = [{ id: 'old', kind: 'deploy', recorded_at: '2001-01-01T00:00:00Z' }]
    expect((await push({ changes })).body).toEqual({ ...NONE, changes: 1 })
  })
})

describe('400', () => {
  it.each<[string, unknown, string, RegExp?]>([
    ['no record', {}, 'body', /at least one record/],
    ['only empty lists', { logs: [], spans: [] }, 'body', /at least one record/],
    ['a kind that is not pushed', { alerts: [] }, 'alerts'],
    ['a list that is none', { logs: {} }, 'logs'],
    ['more of one kind than a batch holds', { logs: Array(1_001).fill(line) }, 'logs', /1000/],
    [
      'more in all than a batch holds',
      { logs: Array(600).fill(line), spans: Array(401).fill(span) },
      'body',
      /at most 1000/,
    ],
    [
      'one bad record of many',
      { logs: [...Array(17).fill(line), { ...line, timestamp: '2026-02-30T00:00:00Z' }] },
      'logs[17].timestamp',
    ],
    ['a member that the bundle does not have', { logs: [{ ...line, level: 'x' }] }, 'logs[0].level'],
    ['a source: the batch is the source', { logs: [{ ...line, source: 'loki' }] }, 'logs[0].source'],
    ['neither values nor points', { series: [points] }, 'series[0]'],
    ['values and points', { series: [{ ...points, values: [], points: [] }] }, 'series[0]'],
    ['values without a beginning', { series: [{ ...points, values: [1], interval_s: 1 }] }, 'series[0].t0'],
    ['values without an interval', { series: [{ ...points, values: [1], t0: at }] }, 'series[0].interval_s'],
    ['points with a beginning', { series: [{ ...points, points: [], t0: at }] }, 'series[0].t0'],
    [
      'points that go back',
      {
        series: [
          {
            ...points,
            points: [
              [at, 1],
              [at, 2],
            ],
          },
        ],
      },
      'series[0].points[1]',
      /later/,
    ],
    [
      'values beyond the year 9999',
      { series: [{ ...points, t0: '9999-12-31T23:59:59Z', interval_s: 86_400, values: [1, 2] }] },
      'series[0].values',
    ],
    ['a value that is a text', { series: [{ ...points, points: [[at, '1']] }] }, 'series[0].points[0][1]'],
    [
      'a change that ends before it begins',
      {
        changes: [
          {
            id: 'a',
            kind: 'deploy',
            recorded_at: at,
            effective_at: { from: at, to: '2026-01-31T11:00:00Z' },
          },
        ],
      },
      'changes[0].effective_at',
    ],
    [
      'a kind of change that is none',
      { changes: [{ id: 'a', kind: 'rumour', recorded_at: at }] },
      'changes[0].kind',
    ],
    [
      'a change of a time to come',
      { changes: [{ id: 'a', kind: 'deploy', recorded_at: '2099-01-01T00:00:00Z' }] },
      'changes[0].recorded_at',
      /must not lie in the future/,
    ],
    ['a negative duration', { spans: [{ ...span, duration_us: -1 }] }, 'spans[0].duration_us'],
    [
      'an interval of nothing',
      { edges: [{ caller: 'a', callee: 'b', t0: at, interval_s: 0 }] },
      'edges[0].interval_s',
    ],
    [
      'more failed calls than calls',
      { edges: [{ caller: 'a', callee: 'b', t0: at, interval_s: 60, calls: 1, failed: 5 }] },
      'edges[0].failed',
      /must not be more than calls/,
    ],
    [
      'time of calls of which none was timed',
      { edges: [{ caller: 'a', callee: 'b', t0: at, interval_s: 60, latency_sum_ms: 5, latency_count: 0 }] },
      'edges[0].latency_sum_ms',
      /must be 0 where latency_count is 0/,
    ],
    ...['calls', 'failed', 'latency_sum_ms', 'latency_count'].flatMap(
      (member): [string, unknown, string, RegExp][] => [
        [
          `${member} below none`,
          { edges: [{ caller: 'a', callee: 'b', t0: at, interval_s: 60, [member]: -1 }] },
          `edges[0].${member}`,
          /must be at least 0/,
        ],
        [
          `${member} beyond anything that happens within an interval`,
          { edges: [{ caller: 'a', callee: 'b', t0: at, interval_s: 60, [member]: 1e300 }] },
          `edges[0].${member}`,
          /must be at most 1000000000000000/,
        ],
      ],
    ),
    [
      'attributes that nest too deep',
      { logs: [{ ...line, attributes: JSON.parse(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`) }] },
      'logs[0].attributes',
      /16/,
    ],
  ])('refuses %s, names where, and keeps nothing of the batch', async (_name, body, field, reason) => {
    const before = await kept()
    expectInvalid(await push(body), field, reason)
    expect(await kept()).toEqual(before)
  })

  it('of a batch in which everything is wrong names the first hundred places, and how many there are', async () => {
    const got = await push({ logs: Array(1_000).fill(1) })
    expectInvalid(got, 'logs[0]')
    expect(got.body.error.details.errors).toHaveLength(100)
    expect(got.body.error.details.more_errors).toBe(900)
  })
})

describe('what was pushed', () => {
  const endsAt = Date.now()
  beforeAll(async () => {
    // The newest comes first, as from a sender that catches up.
    for (const batch of pushedOutage(endsAt).toReversed()) expect((await push(batch)).status).toBe(202)
  })
  const context = () => ({
    service: 'checkout',
    time_range: { start: writeInstant(endsAt - 3_600_000), end: writeInstant(endsAt) },
  })

  it('answers a question, with no tool connected, and is what the evidence says it came from', async () => {
    const got = await service.done('answer-query', {
      body: { query: 'Why is checkout failing?', context: context() },
    })
    expect(got).toMatchObject({ outcome: expect.stringMatching(/identified|best_effort/) })
    expect(got.hypotheses[0].cause.change).toBe(PUSHED_CULPRIT)
    expect(got.evidence.length).toBeGreaterThanOrEqual(3)
    for (const { query, digest, window } of got.evidence) {
      expect(query).toContain('POST /signals')
      expect(digest).toMatch(/^[0-9a-f]{64}$/)
      expect(window).not.toBeNull()
    }
  })

  it('is part of the investigation of an incident', async () => {
    const { id } = await service.done('create-incident', {
      body: {
        title: 'Checkout fails',
        severity: 'high',
        service: 'checkout',
        started_at: writeInstant(endsAt - 30 * 60_000),
      },
    })
    expect(await investigate([doorbellFor(id)])).toEqual([])
    const { root_cause, analysis } = await service.done('get-incident', { id })
    expect(analysis).toBe('done')
    expect(root_cause.hypotheses[0].cause.change).toBe(PUSHED_CULPRIT)
  })
})
