import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
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
const told = (more: Partial<Snapshot>, service: string | null = null) => {
  const snapshot = { ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }], ...more }
  return answerRolledBack(answerGround(snapshot, investigate(snapshot), service))
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
    expect(evidence.map(({ content }) => content)).toContain(answer.split('\n').at(-1))
    expect(outcome).toBe('identified')
  })

  it('is answered with how it is where no rollback is on record, and says so first', () => {
    const { answer, evidence } = told({
      series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
      changes: [OUT],
    })
    const [first, second] = answer.split('\n')
    expect(first).toBe(
      'No rollback is on record: none of the 1 changes that are recorded up to 2026-03-02 10:00:00 UTC takes another back.',
    )
    expect(second).toMatch(/^It is not over/)
    expect(evidence.map(({ content }) => content)).toContain(first)
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
      /^Whether the rollback helped stock is not known: nothing was measured on both sides of it\./,
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
    expect(answer).toMatch(/^No rollback is on record: none of the 1 changes/)
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
