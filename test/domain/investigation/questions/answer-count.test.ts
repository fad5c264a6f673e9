import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerCount } from '#shared/domain/investigation/questions/answer-count.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerMeasure } from '#shared/domain/investigation/questions/answer-measure.ts'
import type { Edge, LogCount, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
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

  it('is of the three services that fail first where many do', () => {
    const names = ['ads', 'bag', 'cart', 'stock', 'web']
    const ground = groundOf(null, {
      series: names.map((name) => series(name, 'http_5xx_ratio', 0.003, 0.4)),
      edges: names.flatMap((name) => calls('portal', name, 0.5)),
      logs: names.flatMap((name) => lines(name, 'ERROR', 'cannot read row 17', ONSET)),
      log_counts: names.flatMap((name) => counts(name, 'ERROR', 7)),
    })
    const told = (measure: 'errors' | 'logs', pattern: RegExp) =>
      [...(answerCount(ground, measure, WHOLE)?.answer ?? '').matchAll(pattern)].map(([, name]) => name)
    expect(told('errors', /Of the calls to (\w+)/g)).toHaveLength(3)
    expect(told('errors', /error lines of (\w+)/g)).toHaveLength(3)
    const counted = told('logs', /error lines of (\w+)/g)
    expect(counted).toHaveLength(3)
    expect(new Set(told('logs', /^(\w+) logged/gm))).toEqual(new Set(counted))
  })

  it('leaves out what nobody counted: calls without a number, lines without a severity, and those of others', () => {
    const [first, ...others] = calls('web', 'stock', 0.5)
    const { calls: _calls, failed: _failed, ...known } = first as Edge
    const { severity: _severity, ...unsaid } = counts('stock', 'ERROR', 900)[0] as LogCount
    const more = {
      edges: [known, ...others, ...calls('web', 'cart', 1)],
      log_counts: [unsaid, ...counts('stock', 'ERROR', 7), ...counts('cart', 'ERROR', 90)],
    }
    const { answer = '' } = answerCount(groundOf('stock', more), 'errors', WHOLE) ?? {}
    expect(answer).toContain('Of the calls to stock 9000 of 71400 failed')
    expect(answer).toContain('counted 14 error lines of stock')
    expect(answerCount(groundOf('stock', { edges: [known] }), 'errors', WHOLE)).toBeNull()
  })

  it('says nothing of normal time where nothing was counted in it', () => {
    const more = {
      edges: calls('web', 'stock', 0.5).slice(ONSET),
      log_counts: counts('stock', 'ERROR', 7).slice(1),
    }
    const { answer = '' } = answerCount(groundOf('stock', more), 'errors', WHOLE) ?? {}
    expect(answer).toMatch(
      /^Of the calls to stock 9000 of 18000 failed .*\nThe log tool counted 7 error lines of stock/,
    )
    expect(answer).not.toContain('normal time')
  })

  it('is of four counters at most, each by its samples in that time, its beginning included and its end not', () => {
    const counter = (code: string): Series => ({
      ...series('stock', 'http_errors_total', 0, 0),
      ...{ type: 'counter', labels: { code, method: 'get' } },
      times: Float64Array.of(at(98), at(99), at(100), at(101), at(102)),
      values: Float64Array.of(5, 10, Number.NaN, 30, 70),
    })
    const codes = ['500', '501', '502', '503', '504']
    const reply = answerCount(groundOf('stock', { series: codes.map(counter) }), 'errors', {
      from: at(99),
      to: at(102),
    })
    expect(reply?.answer.split('\n')).toEqual(
      codes
        .slice(0, 4)
        .map(
          (code) =>
            `http_errors_total of stock code=${code}, method=get rose by 20 from 2026-03-02 09:39:00 UTC to 2026-03-02 09:42:00 UTC.`,
        ),
    )
  })
})
