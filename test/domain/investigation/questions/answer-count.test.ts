import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerCount } from '#shared/domain/investigation/questions/answer-count.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerMeasure } from '#shared/domain/investigation/questions/answer-measure.ts'
import type { LogCount, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, EMPTY, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'

const groundOf = (service: string | null, more: Partial<Snapshot>) => {
  const snapshot = {
    ...EMPTY,
    baselines: [{ name: 'b1', from: at(0), to: at(60) }],
    series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
    ...more,
  }
  return answerGround(snapshot, investigate(snapshot), service)
}
const WHOLE = { from: at(0), to: at(LENGTH) }
const counts = (service: string, severity: string, count: number): LogCount[] =>
  [50, 100].map((minute) => ({
    ...{ source: 'logs', service, severity, t0: at(minute), interval_s: 60 },
    count,
  }))

describe('how many errors there were', () => {
  it('is what was counted of calls and of error lines in that time, and in normal time', () => {
    const more = { edges: calls('web', 'stock', 0.5), log_counts: counts('stock', 'ERROR', 7) }
    const reply = answerCount(groundOf('stock', more), 'errors', { from: at(ONSET), to: at(ONSET + 20) })
    expect(reply?.answer.split('\n')).toEqual([
      'Of the calls to stock 6000 of 12000 failed from 2026-03-02 09:30:00 UTC to 2026-03-02 09:50:00 UTC, in normal time 0 of 36000.',
      'The log tool counted 7 error lines of stock from 2026-03-02 09:30:00 UTC to 2026-03-02 09:50:00 UTC, in normal time 7.',
    ])
    expect(reply?.evidence.map(({ content, source }) => [content, source])).toEqual([
      [reply?.answer.split('\n')[0], 'topology'],
      [reply?.answer.split('\n')[1], 'logs'],
    ])
  })

  it('is told of no time outside of what was read', () => {
    const more = { edges: calls('web', 'stock', 0.5) }
    const reply = answerCount(groundOf('stock', more), 'errors', { from: at(100), to: at(LENGTH + 300) })
    expect(reply?.answer).toContain(
      '6000 of 12000 failed from 2026-03-02 09:40:00 UTC to 2026-03-02 10:00:00 UTC',
    )
  })

  it('is of what fails where no service is named, and of no other', () => {
    const edges = [...calls('web', 'stock', 0.5), ...calls('web', 'cart')]
    const reply = answerCount(groundOf(null, { edges }), 'errors', WHOLE)
    expect(reply?.answer).toContain('Of the calls to stock')
    expect(reply?.answer).not.toContain('cart')
  })

  it('is by how much a counter of errors rose, whose reset counts from zero', () => {
    const counter: Series = {
      ...series('stock', 'http_errors_total', 0, 0),
      ...{ type: 'counter', labels: { code: '500' } },
      ...{
        times: Float64Array.of(at(100), at(101), at(102), at(103)),
        values: Float64Array.of(90, 100, 4, 6),
      },
    }
    const other: Series = { ...counter, name: 'http_requests_total' }
    const ratio = series('stock', 'http_5xx_ratio', 0.003, 0.4)
    const reply = answerCount(groundOf('stock', { series: [ratio, counter, other] }), 'errors', WHOLE)
    expect(reply?.answer).toBe(
      'http_errors_total of stock code=500 rose by 16 from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC.',
    )
    const single = { ...counter, times: counter.times.slice(0, 1), values: counter.values.slice(0, 1) }
    expect(answerCount(groundOf('stock', { series: [ratio, single] }), 'errors', WHOLE)).toBeNull()
  })

  it('is of error lines alone where those are asked for, with the shapes that they have', () => {
    const more = {
      edges: calls('web', 'stock', 0.5),
      log_counts: [...counts('stock', 'ERROR', 7), ...counts('stock', 'INFO', 900)],
      logs: lines('stock', 'ERROR', 'cannot read row 17', ONSET),
    }
    const answer = answerCount(groundOf('stock', more), 'logs', WHOLE)?.answer ?? ''
    expect(answer).toMatch(
      /^The log tool counted 14 error lines of stock .*, in normal time 7\.\nstock logged \d+ lines/,
    )
    expect(answer).not.toContain('Of the calls')
  })

  it('is not known where nothing was counted: the nearest level is told as that, and half as surely', () => {
    const ground = groundOf('stock', {})
    expect(answerCount(ground, 'errors', WHOLE)).toBeNull()
    const reply = answerMeasure(ground, { measure: 'errors', quantile: null, is_counted: true }, null)
    expect(reply.answer).toMatch(
      /^How many errors stock had was not counted\.\nNearest to it:\nhttp_5xx_ratio of stock/,
    )
    expect(reply).toMatchObject({ confidence: 0.5, outcome: 'best_effort' })
  })
})
