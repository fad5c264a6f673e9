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

describe('what nothing counts', () => {
  const told = (things?: string) =>
    answerCount(
      groundOf('stock', { edges: calls('web', 'stock', 0.5) }),
      { measure: 'errors', ...(things === undefined ? {} : { things }) },
      WHOLE,
    )

  it('is told by the calls that were counted, which is said first', () => {
    const [lead, first] = told('bookings')?.answer.split('\n') ?? []
    expect(lead).toBe('How many bookings failed was not counted. What was counted:')
    expect(first).toMatch(/^Of the calls to stock 9000 of 72000 failed/)
    expect(told('bookings')?.outcome).toBe('best_effort')
    expect(told()?.answer).toMatch(/^Of the calls to stock/)
  })
})

describe('how many errors there were', () => {
  it('is what was counted of calls and of error lines in that time, and in normal time', () => {
    const more = { edges: calls('web', 'stock', 0.5), log_counts: counts('stock', 'ERROR', 7) }
    const reply = answerCount(
      groundOf('stock', more),
      { measure: 'errors' },
      { from: at(ONSET), to: at(ONSET + 20) },
    )
    expect(reply?.answer.split('\n')).toEqual([
      'Of the calls to stock 6000 of 12000 failed from 2026-03-02 09:30:00 UTC to 2026-03-02 09:50:00 UTC, in normal time 0 of 36000.',
      'The log tool counted 7 error lines of stock from 2026-03-02 09:30:00 UTC to 2026-03-02 09:50:00 UTC, in normal time 7.',
    ])
    expect(reply?.evidence.map(({ content, source, type }) => [content, source, type])).toEqual([
      [reply?.answer.split('\n')[0], 'topology', 'statement'],
      [reply?.answer.split('\n')[1], 'logs', 'statement'],
    ])
  })

  it('is told of no time outside of what was read', () => {
    const more = { edges: calls('web', 'stock', 0.5) }
    const reply = answerCount(
      groundOf('stock', more),
      { measure: 'errors' },
      { from: at(100), to: at(LENGTH + 300) },
    )
    expect(reply?.answer).toContain(
      '6000 of 12000 failed from 2026-03-02 09:40:00 UTC to 2026-03-02 10:00:00 UTC',
    )
  })

  it('is of what fails where no service is named, and of no other', () => {
    const edges = [...calls('web', 'stock', 0.5), ...calls('web', 'cart')]
    const reply = answerCount(groundOf(null, { edges }), { measure: 'errors' }, WHOLE)
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
    const elsewhere: Series = { ...counter, entity: 'cart' }
    const idle: Series = { ...counter, labels: { code: '501' }, values: Float64Array.of(7, 7, 7, 9) }
    const ratio = series('stock', 'http_5xx_ratio', 0.003, 0.4)
    const reply = answerCount(
      groundOf('stock', { series: [ratio, counter, other, elsewhere, idle] }),
      { measure: 'errors' },
      WHOLE,
    )
    expect(reply?.answer.split('\n')).toEqual([
      'http_errors_total of stock code=500 rose by 16 from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC.',
      'http_errors_total of stock code=501 rose by 2 from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC.',
    ])
    expect(reply?.evidence[0]).toMatchObject({ source: 'metrics', type: 'statement' })
    const single = { ...counter, times: counter.times.slice(0, 1), values: counter.values.slice(0, 1) }
    expect(
      answerCount(groundOf('stock', { series: [ratio, single] }), { measure: 'errors' }, WHOLE),
    ).toBeNull()
  })

  it('is of error lines alone where those are asked for, with the shapes that they have', () => {
    const more = {
      edges: calls('web', 'stock', 0.5),
      log_counts: [...counts('stock', 'ERROR', 7), ...counts('stock', 'INFO', 900)],
      logs: lines('stock', 'ERROR', 'cannot read row 17', ONSET),
    }
    const answer = answerCount(groundOf('stock', more), { measure: 'logs' }, WHOLE)?.answer ?? ''
    expect(answer).toMatch(
      /^The log tool counted 14 error lines of stock .*, in normal time 7\.\nstock logged \d+ lines/,
    )
    expect(answer).not.toContain('Of the calls')
  })

  it('is not known where nothing was counted: the nearest level is told as that, and half as surely', () => {
    const ground = groundOf('stock', {})
    expect(answerCount(ground, { measure: 'errors' }, WHOLE)).toBeNull()
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
      [...(answerCount(ground, { measure }, WHOLE)?.answer ?? '').matchAll(pattern)].map(([, name]) => name)
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
    const { answer = '' } = answerCount(groundOf('stock', more), { measure: 'errors' }, WHOLE) ?? {}
    expect(answer).toContain('Of the calls to stock 9000 of 71400 failed')
    expect(answer).toContain('counted 14 error lines of stock')
    expect(answerCount(groundOf('stock', { edges: [known] }), { measure: 'errors' }, WHOLE)).toBeNull()
  })

  it('says nothing of normal time where nothing was counted in it', () => {
    const more = {
      edges: calls('web', 'stock', 0.5).slice(ONSET),
      log_counts: counts('stock', 'ERROR', 7).slice(1),
    }
    const { answer = '' } = answerCount(groundOf('stock', more), { measure: 'errors' }, WHOLE) ?? {}
    expect(answer).toBe(
      'Of the calls to stock 9000 of 18000 failed from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC.\nThe log tool counted 7 error lines of stock from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC.',
    )
  })

  it('is of four counters at most, each by its samples in that time, its beginning included and its end not', () => {
    const counter = (code: string): Series => ({
      ...series('stock', 'http_errors_total', 0, 0),
      ...{ type: 'counter', labels: { code, method: 'get' } },
      times: Float64Array.of(at(98), at(99), at(100), at(101), at(102)),
      values: Float64Array.of(5, 10, Number.NaN, 30, 70),
    })
    const codes = ['500', '501', '502', '503', '504']
    const reply = answerCount(
      groundOf('stock', { series: codes.map(counter) }),
      { measure: 'errors' },
      {
        from: at(99),
        to: at(102),
      },
    )
    expect(reply?.answer.split('\n')).toEqual(
      codes
        .slice(0, 4)
        .map(
          (code) =>
            `http_errors_total of stock code=${code}, method=get rose by 20 from 2026-03-02 09:39:00 UTC to 2026-03-02 09:42:00 UTC.`,
        ),
    )
  })

  it('is of error lines from the beginning of the time up to its end, which is not in it', () => {
    const log_counts = [0, 1, 2, 3].map((index) => ({
      ...{ source: 'logs', service: 'stock', severity: 'ERROR', t0: at(100 + index), interval_s: 60 },
      count: 10 ** index,
    }))
    const { answer = '' } =
      answerCount(groundOf('stock', { log_counts }), { measure: 'logs' }, { from: at(101), to: at(103) }) ??
      {}
    expect(answer).toContain('counted 110 error lines of stock')
  })

  it('is of either what is counted or the shapes of lines, as it was asked', () => {
    const counter: Series = { ...series('stock', 'http_errors_total', 5, 9), type: 'counter' }
    const more = {
      series: [series('stock', 'http_5xx_ratio', 0.003, 0.4), counter],
      log_counts: counts('stock', 'ERROR', 7),
      logs: lines('stock', 'ERROR', 'cannot read row 17', ONSET),
    }
    const of = (measure: 'errors' | 'logs') =>
      answerCount(groundOf('stock', more), { measure }, WHOLE)?.answer ?? ''
    expect([/http_errors_total/.test(of('errors')), /stock logged/.test(of('errors'))]).toEqual([true, false])
    expect([/http_errors_total/.test(of('logs')), /stock logged/.test(of('logs'))]).toEqual([false, true])
  })
})

describe('how many errors of one sort there were', () => {
  const counter = (name: string, labels: Series['labels'] = {}, entity = 'stock'): Series => ({
    ...{ ...series(entity, name, 0, 0), type: 'counter', labels },
    ...{ times: Float64Array.of(at(100), at(101)), values: Float64Array.of(10, 30) },
  })
  const ratio = series('stock', 'http_5xx_ratio', 0.003, 0.4)
  const told = (sort: string, more: Partial<Snapshot>) => {
    const reply = answerCount(
      groundOf('stock', { ...more, series: [ratio, ...(more.series ?? [])] }),
      { measure: 'errors', sort },
      WHOLE,
    )
    return {
      ...reply,
      names: [...(reply?.answer ?? '').matchAll(/^(\S+) of stock(?: \w+=(\S+))?/gm)].map(
        ([, name, label]) => label ?? name,
      ),
    }
  }

  it('is by how much rose what counts them by its name or a label, and by no other counter', () => {
    const all = [
      counter('client_timeouts_total'),
      counter('calls_total', { outcome: 'timed out' }),
      counter('calls_total', { code: '502' }),
      counter('calls_total', { code: '1502' }),
      counter('calls_total', { code: '503' }),
      counter('http_4xx_total'),
      counter('stock_timeouts_total', {}, 'web'),
    ]
    expect(told('timeouts', { series: all }).names).toEqual(['client_timeouts_total', 'timed'])
    expect(told('502s', { series: all }).names).toEqual(['502'])
    expect(told('503', { series: all })).toMatchObject({ names: ['503'], confidence: 0.95 })
  })

  it('is how many lines of what fails tell of them, or what a log tool counted of their shapes', () => {
    const pattern = (signature: string) => ({
      ...{ source: 'patterns', service: 'stock', signature, count: 900, baseline_count: 0 },
    })
    const patterns = ['call of <*> timed out', 'cannot read row <*>'].map(pattern)
    expect(told('timeouts', { patterns }).answer).toBe(
      'The log tool counted 900 lines of stock like “call of <*> timed out”, 0 in its baseline.',
    )
    expect(told('502s', { patterns }).answer).toBeUndefined()
    const logs = [
      ...lines('stock', 'ERROR', 'call of vault timed out', ONSET),
      ...lines('stock', 'ERROR', 'cannot read row 17', ONSET),
      ...lines('web', 'ERROR', 'timeout of stock', ONSET),
    ]
    const reply = told('time outs', { logs })
    expect(reply.answer).toMatch(
      /^stock logged \d+ lines \(error\) like “call of vault timed out” since [^\n]*$/,
    )
    expect(reply.evidence?.[0]).toMatchObject({ source: 'logs', type: 'error', content: reply.answer })
  })

  it('is not what takes so many milliseconds or bytes', () => {
    const logs = lines('stock', 'ERROR', 'gave up after 502 ms, see v1.502', ONSET)
    expect(told('502s', { logs }).answer).toBeUndefined()
  })

  it('is said not to be counted by itself where errors of every sort are, half as surely', () => {
    const reply = told('timeouts', { edges: calls('web', 'stock', 0.5) })
    expect(reply.answer).toMatch(
      /^How many timeouts there were was not counted\. Errors of every sort:\nOf the calls to stock 9000 of 72000 failed/,
    )
    expect(reply).toMatchObject({ confidence: 0.5, outcome: 'best_effort' })
    const measured = answerMeasure(
      groundOf('stock', {}),
      { measure: 'errors', quantile: null, is_counted: true, sort: 'timeouts' },
      null,
    )
    expect(measured.answer).toMatch(/^How many timeouts stock had was not counted\.\nNearest to it:/)
  })
})
