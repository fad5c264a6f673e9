import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround, type Ground } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerRolledBack } from '#shared/domain/investigation/questions/answer-rolled-back.ts'
import type { Change, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

const BACK = 105
const deploy = (id: string, minute: number, before: string, after: string, entity = 'stock'): Change => ({
  ...{ source: 'deploys', id, kind: 'deploy', entity, before, after, recorded_at: at(minute) },
  effective_at: { from: at(minute), to: at(minute + 1) },
})
const OUT = deploy('d2', ONSET - 1, 'v1', 'v2')
const HOME = deploy('d3', BACK, 'v2', 'v1')

/** A measure that fails from the onset on and has another level from the rollback on. */
function ratio(after: number, entity = 'stock'): Series {
  const one = series(entity, 'http_5xx_ratio', 0.003, 0.4)
  const values = one.values.map((value, minute) => (minute > BACK ? after : value))
  return { ...one, values }
}
const groundOf = (more: Partial<Snapshot>, service: string | null = null): Ground => {
  const snapshot = { ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }], ...more }
  return answerGround(snapshot, investigate(snapshot), service)
}
const told = (more: Partial<Snapshot>, service: string | null = null) =>
  answerRolledBack(groundOf(more, service))
const firstLine = (ground: Ground): string | undefined => answerRolledBack(ground).answer.split('\n')[0]
/** A measure at exact levels: in normal time, failing, and from a minute on. */
const levels = (normal: number, failing: number, after: number, name = 'request_duration_p95_ms'): Series => {
  const one = series('stock', name, normal, failing)
  const values = one.values.map((_, minute) => (minute > BACK ? after : minute < ONSET ? normal : failing))
  return { ...one, values }
}

describe('whether the rollback helped', () => {
  it.each([
    [0.003, 'Since the rollback it is over: stock no longer fails.'],
    [0.1, 'Since the rollback it is better, not over: stock is on its way to its normal level.'],
    [0.3, 'Since the rollback it is better, not over: stock is on its way to its normal level.'],
    [0.33, 'The rollback has not helped so far: stock fails as before.'],
    [0.4, 'The rollback has not helped so far: stock fails as before.'],
  ])('is told by the level of %d after it, of 0.4 before it and 0.003 in normal time', (after, verdict) => {
    const { answer, evidence, outcome } = told({ series: [ratio(after)], changes: [OUT, HOME] })
    const [first, change, of] = answer.split('\n')
    expect(first).toBe(verdict)
    expect(change).toMatch(/^The rollback that is on record: Deploy d3 of stock .*, from v2 to v1/)
    expect(of).toMatch(/^It takes this back: Deploy d2 of stock/)
    expect(answer).toMatch(
      /The median of http_5xx_ratio of stock was 0\.(?:39|4)\d* from 2026-03-02 09:\d\d:00 UTC to 2026-03-02 09:45:00 UTC and [\d.]+ from 2026-03-02 09:46:00 UTC to 2026-03-02 10:00:00 UTC; in normal time 0\.003/,
    )
    expect(evidence.find(({ content }) => content === answer.split('\n').at(-1))).toMatchObject({
      source: 'metrics',
      type: 'anomaly',
    })
    expect(evidence[0]).toMatchObject({ source: 'deploys', type: 'change' })
    expect(outcome).toBe('identified')
  })

  it('is answered with how it is where no rollback is on record, and says so first', () => {
    const { answer, evidence } = told({
      series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
      changes: [OUT],
    })
    const [first, second] = answer.split('\n')
    expect(first).toBe(
      'No rollback is on record: none of the changes that are recorded up to 2026-03-02 10:00:00 UTC takes another back.',
    )
    expect(second).toMatch(/^It is not over/)
    expect(told({ changes: [OUT, deploy('d3', ONSET, 'v2', 'v3')] }).answer).toMatch(
      /^No rollback is on record: none of the 2 changes that/,
    )
    expect(evidence.find(({ content }) => content === first)).toMatchObject({
      source: 'deploys',
      type: 'absence',
    })
  })

  it.each([
    [320, /^Since the rollback it is better/],
    [327, /^Since the rollback it is better/],
    [328, /^The rollback has not helped so far: stock fails as before/],
    [490, /^The rollback has not helped so far: stock fails as before/],
    [491, /^The rollback has not helped so far: stock fails worse than before/],
  ])('is told of the way from normal, 40, to failing, 400, that is left at %d', (after, verdict) => {
    expect(firstLine(groundOf({ series: [levels(40, 400, after)], changes: [OUT, HOME] }))).toMatch(verdict)
  })

  it('is neither better nor worse where one measure is nearer to normal and another farther from it', () => {
    const mixed = [levels(40, 400, 900), levels(0.003, 0.4, 0.1, 'http_5xx_ratio')]
    expect(firstLine(groundOf({ series: mixed, changes: [OUT, HOME] }))).toBe(
      'Since the rollback some of what fails at stock is nearer to normal and some farther from it.',
    )
  })

  it('compares what is bad, three measures at most', () => {
    const names = ['http_5xx_ratio', 'errors_per_second', 'request_duration_p95_ms', 'timeouts_per_second']
    const ground = groundOf({
      series: names.map((name) => levels(4, 400, 100, name)),
      changes: [OUT, HOME],
    })
    const compared = ({ answer }: { answer: string }) =>
      [...answer.matchAll(/The median of (\w+) of stock/g)].map(([, name]) => name)
    const [one] = ground.observed.failing
    const shifts = one?.shifts ?? []
    expect([shifts.length, compared(answerRolledBack(ground)).length]).toEqual([4, 3])
    const fine = shifts.map((shift, index) => ({ ...shift, is_bad: index > 2 }))
    const observed = {
      ...ground.observed,
      failing: ground.observed.failing.map((each) => ({ ...each, shifts: fine })),
    }
    expect(compared(answerRolledBack({ ...ground, observed }))).toEqual([shifts[3]?.series.name])
  })

  it('compares the level since it fails with the level since it is rolled back, of the time that is looked at', () => {
    const minutes = (values: Float64Array, exact: Readonly<Record<number, number>>) =>
      values.map((value, minute) => exact[minute] ?? value)
    const one = levels(40, 400, 400)
    const late = { ...HOME, effective_at: { from: at(ONSET + 2), to: at(LENGTH - 3) } }
    const exact = {
      [ONSET]: 300,
      [ONSET + 1]: 600,
      [ONSET + 2]: 900,
      [LENGTH - 3]: 100,
      [LENGTH - 2]: 200,
      [LENGTH - 1]: 900,
    }
    const { answer } = told({
      window: { from: at(0), to: at(LENGTH - 1) },
      series: [{ ...one, values: minutes(one.values, exact) }],
      changes: [OUT, late],
    })
    expect(answer).toContain(
      'was 450 from 2026-03-02 09:30:00 UTC to 2026-03-02 09:32:00 UTC and 150 from 2026-03-02 09:57:00 UTC to 2026-03-02 09:59:00 UTC; in normal time 40.',
    )
  })

  it('is told of a rollback of which neither what it takes back nor whose it is is on record', () => {
    const titled = {
      source: 'commits',
      id: 'c2',
      kind: 'commit',
      title: 'Revert rates',
      recorded_at: at(BACK),
    }
    const reply = told({ series: [ratio(0.4)], changes: [titled as Change] }, 'stock')
    expect(reply.answer).toMatch(/^The rollback has not helped so far/)
    expect(reply.answer).not.toContain('It takes this back')
    expect(reply.answer).toContain('No rollback of stock itself is on record.')
  })

  it('is not known where no tool gave any change', () => {
    const reply = told({ series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)] })
    expect(reply.answer).toMatch(
      /^No connected tool gave any change, so whether anything was rolled back is not known\./,
    )
    expect(reply).toMatchObject({ confidence: 0, outcome: 'inconclusive' })
  })

  it('is not known where nothing was measured after it', () => {
    const late = deploy('d3', LENGTH - 1, 'v2', 'v1')
    const reply = told({ series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)], changes: [OUT, late] })
    expect(reply.answer).toMatch(
      /^Whether the rollback helped stock is not known: nothing was measured on both sides of it\.\nThe rollback that is on record: /,
    )
    expect(reply).toMatchObject({ confidence: 0, outcome: 'inconclusive' })
  })

  it('is none of one that came before it failed, or after it was over', () => {
    const one = series('stock', 'http_5xx_ratio', 0.003, 0.4)
    const early = [deploy('d2', 20, 'v1', 'v2'), deploy('d3', 40, 'v2', 'v1')]
    expect(told({ series: [one], changes: early }).answer).toMatch(
      /^The rollback was before stock began to fail\./,
    )
    const over = series('stock', 'http_5xx_ratio', 0.003, 0.4, ONSET, 100)
    expect(told({ series: [over], changes: [OUT, deploy('d3', 110, 'v2', 'v1')] }).answer).toMatch(
      /^stock no longer failed when the rollback took effect\./,
    )
    const [failing] = groundOf({ series: [over], changes: [OUT] }).observed.failing
    const backAt = (instant: number) =>
      firstLine(
        groundOf({
          series: [over],
          changes: [
            { ...OUT, recorded_at: at(20), effective_at: { from: at(20), to: at(20) } },
            { ...HOME, recorded_at: instant, effective_at: { from: instant, to: instant } },
          ],
        }),
      )
    const [began, ended] = [failing?.onset.earliest ?? 0, failing?.ended_at ?? 0]
    expect(backAt(began)).toMatch(/^The rollback was before stock began to fail\./)
    expect(backAt(began + 1)).not.toMatch(/^The rollback was before/)
    expect(backAt(ended)).toMatch(/^stock no longer failed when/)
    expect(backAt(ended - 1)).toMatch(/^Since the rollback it is over/)
  })

  it('says that the service that is asked about was not rolled back itself, and how it does', () => {
    const all = { series: [ratio(0.003), ratio(0.4, 'web')], changes: [OUT, HOME] }
    const { answer } = told(all, 'web')
    expect(answer).toMatch(/^The rollback has not helped so far: web fails as before\./)
    expect(answer).toContain('No rollback of web itself is on record.')
    expect(told(all, 'stock').answer).not.toContain('itself is on record')
  })

  it('means the rollback of the service that is asked about before any other', () => {
    const others = [deploy('w2', ONSET, 'v7', 'v8', 'web'), deploy('w3', BACK + 2, 'v8', 'v7', 'web')]
    const all = { series: [ratio(0.003)], changes: [OUT, HOME, ...others] }
    expect(told(all, 'stock').answer).toContain('on record: Deploy d3 of stock')
    expect(told(all, 'web').answer).toContain('on record: Deploy w3 of web')
  })

  it('is told where nothing fails as well', () => {
    const calm = { series: [series('stock', 'http_5xx_ratio', 0.003, 0.003)], changes: [OUT, HOME] }
    expect(told(calm).answer).toMatch(
      /^The rollback that is on record: .*\n.*\nNothing fails as far as anything/,
    )
  })

  it('is over where it no longer fails, and has not helped where no measure that is bad has moved', () => {
    const latency = (after: number): Series => {
      const one = series('stock', 'request_duration_p95_ms', 40, 400)
      return { ...one, values: one.values.map((value, minute) => (minute > BACK ? after : value)) }
    }
    const of = (errors: number, ms: number) =>
      told({ series: [ratio(errors), latency(ms)], changes: [OUT, HOME] }).answer.split('\n')[0]
    expect(of(0.003, 40)).toMatch(/^Since the rollback it is over/)
    expect(of(0.003, 400)).toMatch(/^Since the rollback it is better, not over/)
    expect(of(0.4, 40)).toMatch(/^Since the rollback it is better, not over/)
    expect(of(0.4, 400)).toMatch(/^The rollback has not helped so far/)
  })

  it('leaves aside what moved and is not bad', () => {
    const fewer = series('stock', 'requests_per_second', 100, 200)
    const { answer } = told({ series: [ratio(0.003), fewer], changes: [OUT, HOME] })
    expect(answer).not.toContain('requests_per_second')
  })

  it('counts from when the rollback was done, or from its record where nothing says how long it took', () => {
    const { effective_at: _none, ...recorded } = HOME
    expect(told({ series: [ratio(0.003)], changes: [OUT, recorded] }).answer).toMatch(
      /from 2026-03-02 09:\d\d:00 UTC to 2026-03-02 09:45:00 UTC and [\d.]+ from 2026-03-02 09:45:00 UTC to/,
    )
  })

  it('tells measures by their labels', () => {
    const labelled = { ...ratio(0.003), labels: { region: 'eu', zone: 'a' } }
    expect(told({ series: [labelled], changes: [OUT, HOME] }).answer).toContain(
      'The median of http_5xx_ratio of stock region=eu, zone=a was',
    )
  })

  it('compares who is asked about and who was rolled back; without a name three at most, who was rolled back first', () => {
    const names = ['ads', 'bag', 'cart', 'stock', 'web']
    const all = { series: names.map((name) => ratio(0.4, name)), changes: [OUT, HOME] }
    const compared = (answer: string) =>
      [...answer.matchAll(/The median of http_5xx_ratio of (\w+)/g)].map(([, name]) => name)
    expect(compared(told(all, 'web').answer)).toEqual(['web', 'stock'])
    const others = compared(told(all).answer)
    expect([others[0], others.length]).toEqual(['stock', 3])
    expect(
      compared(told({ ...all, series: [ratio(0.4, 'ads'), series('web', 'cpu', 1, 1)] }, 'web').answer),
    ).toEqual(['ads'])
  })

  it('is not known of a service of which nothing was measured on both sides, whatever was of another', () => {
    const lines = Array.from({ length: 30 }, (_, index) => ({
      ...{ source: 'logs', service: 'web', severity: 'ERROR', message: 'cannot read row' },
      timestamp: at(ONSET + index),
    }))
    const reply = told({ series: [ratio(0.003)], logs: lines, changes: [OUT, HOME] }, 'web')
    expect(reply.answer).toMatch(/^Whether the rollback helped web is not known/)
    expect(reply).toMatchObject({ confidence: 0, outcome: 'inconclusive' })
  })

  it('is none that came after the time that is looked at', () => {
    const { answer } = told({
      series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
      changes: [OUT, deploy('d3', LENGTH, 'v2', 'v1')],
    })
    expect(answer).toMatch(/^No rollback is on record: none of the changes that/)
  })

  it('means the rollback of the change that is taken for the cause before a later one of something else', () => {
    const other = [deploy('w2', 10, 'v7', 'v8', 'web'), deploy('w3', BACK + 2, 'v8', 'v7', 'web')]
    const causing = [
      { ...deploy('d2', ONSET, 'v1', 'v2'), carries: ['c1'] },
      {
        source: 'commits',
        id: 'c1',
        kind: 'commit',
        entity: 'stock',
        recorded_at: at(ONSET - 9),
        diff: null,
      } as Change,
    ]
    const { answer } = told({ series: [ratio(0.003)], changes: [...causing, HOME, ...other] })
    expect(answer).toContain('The rollback that is on record: Deploy d3 of stock')
  })
})
