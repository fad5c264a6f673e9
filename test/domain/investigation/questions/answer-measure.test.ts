import { describe, expect, it } from 'vitest'
import { timeText } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import { EvidenceList } from '#shared/domain/investigation/hypotheses/evidence-list.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { callLines } from '#shared/domain/investigation/questions/answer-count.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerMeasure } from '#shared/domain/investigation/questions/answer-measure.ts'
import type { AskedMeasure } from '#shared/domain/investigation/questions/asked-measure.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, EMPTY, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'

const SNAPSHOT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  series: [
    series('stock', 'request_duration_p95_ms', 40, 400),
    series('stock', 'http_5xx_ratio', 0.003, 0.4),
    series('web', 'request_duration_p95_ms', 80, 80),
  ],
  edges: calls('web', 'stock', 0.5),
}
const groundOf = (service: string | null, more: Partial<Snapshot> = {}) => {
  const snapshot = { ...SNAPSHOT, ...more }
  return answerGround(snapshot, investigate(snapshot), service)
}
const told = (
  service: string | null,
  measure: AskedMeasure['measure'],
  quantile: string | null = null,
  more: Partial<Snapshot> = {},
) => answerMeasure(groundOf(service, more), { measure, quantile }, null)

describe('a measure at an instant', () => {
  const around = (minute: number) => ({ from: at(minute - 30), to: at(minute + 30) })
  const answerAt = (minute: number, is_at_instant?: true) =>
    answerMeasure(
      groundOf('stock'),
      { measure: 'errors', quantile: null, ...(is_at_instant === undefined ? {} : { is_at_instant }) },
      around(minute),
    ).answer

  it('is its value then, not at the end of the time around it', () => {
    const minute = ONSET - 10
    expect(answerAt(minute, true)).toMatch(
      new RegExp(`^http_5xx_ratio of stock was 0\\.00\\d* at ${timeText(at(minute))};`),
    )
    expect(answerAt(minute)).toMatch(
      new RegExp(`^http_5xx_ratio of stock was 0\\.[34]\\d* at ${timeText(at(minute + 29))};`),
    )
  })
})

describe('the highest and the lowest value of a measure', () => {
  const [{ values, ...rest }] = [series('stock', 'queue_depth', 5, 5)]
  const odd = {
    ...rest,
    values: values.map((value, minute) => (minute === 70 ? 9 : minute === 80 ? 1 : value)),
  }
  const extreme = (of: 'highest' | 'lowest', window: Snapshot['window'] | null = null) =>
    answerMeasure(
      groundOf('stock', { series: [odd] }),
      { measure: 'queue', quantile: null, extreme: of },
      window,
    ).answer

  it('are told with when that was, within the time that is asked about', () => {
    expect(extreme('highest')).toContain(`queue_depth of stock was highest with 9 at ${timeText(at(70))};`)
    expect(extreme('lowest')).toContain(`queue_depth of stock was lowest with 1 at ${timeText(at(80))};`)
    expect(extreme('highest', { from: at(75), to: at(90) })).not.toContain('with 9 at')
  })
})

describe('lines that hold a text', () => {
  const line = (service: string, message: string, minute: number) => ({
    ...{ source: 'logs', timestamp: at(minute), service, severity: 'error', message },
  })
  const logs = [
    ...Array.from({ length: 7 }, (_, index) => line('stock', 'Card declined by bank', ONSET + index)),
    line('web', 'card declined', ONSET),
  ]
  const holding = (service: string | null, holds: string, more: Partial<Snapshot> = { logs }) =>
    answerMeasure(groundOf(service, more), { measure: 'logs', quantile: null, holds }, null)

  it('are counted and shown in any case of letters, of the service that is named', () => {
    const { answer, evidence } = holding('stock', 'card declined')
    expect(answer).toMatch(
      /^7 of the 7 log lines of stock that were read from .* hold “card declined”\.\n- stock at /,
    )
    expect(answer.split('\n- ')).toHaveLength(6)
    expect(answer).toMatch(/\nThe later ones are not listed here\.$/)
    for (const line of answer.split('\n- ').slice(1, 5))
      expect(evidence.map(({ content }) => content)).toContain(line)
    expect(holding(null, 'CARD').answer).toMatch(/^8 of the 8 log lines that were read /)
    // Whichever tool gave them in whatever order, the earliest are shown.
    expect(holding('stock', 'card declined', { logs: [...logs].reverse() }).answer).toBe(answer)
  })

  it('are said to be none where none holds it, and not known where none was read', () => {
    const none = holding('stock', 'quota')
    expect(none.answer).toMatch(/^0 of the 7 log lines of stock that were read from .* hold “quota”\.$/)
    expect(none.evidence.map(({ type }) => type)).toEqual(['absence'])
    expect(holding('stock', 'quota', { logs: [] })).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
  })
})

describe('a measure of one of several', () => {
  const versions = ['v1', 'v2'].map((version, index) => ({
    ...series('stock', 'http_5xx_ratio', 0.003, 0.1 * (index + 1)),
    labels: { version },
  }))
  const ask = (words: readonly string[]) =>
    answerMeasure(groundOf('stock', { series: versions }), { measure: 'errors', quantile: null }, null, words)
      .answer

  it('is told of the one that is named by its label, and of all where none is, which is said', () => {
    expect(ask(['error', 'rate', 'v2'])).toMatch(/^http_5xx_ratio of stock version=v2 was [^\n]*$/)
    expect(ask(['error', 'rate', 'v1', 'v2']).split('\n')).toHaveLength(2)
    const [lead, ...others] = ask(['error', 'rate', 'v3']).split('\n')
    expect(lead).toBe('Nothing that was measured tells v3 by itself. Of all versions together:')
    expect(others).toHaveLength(2)
  })
})

describe('what a measure is', () => {
  it('is its latest value, its level and its normal one, all cited', () => {
    const { answer, evidence, confidence } = told('stock', 'latency', 'p95')
    expect(answer).toMatch(
      /^request_duration_p95_ms of stock was \d+(\.\d+)? at 2026-03-02 09:5\d:\d\d UTC; its median from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC was [\d.]+, in normal time (39|40|41)[.\d]*\.$/,
    )
    expect(evidence.map(({ content, source }) => [content, source])).toEqual([[answer, 'metrics']])
    expect(confidence).toBe(0.95)
  })

  it('tells another value where another was measured', () => {
    const other = { series: [series('stock', 'request_duration_p95_ms', 40, 900)] }
    expect(told('stock', 'latency', null, other).answer).not.toBe(told('stock', 'latency').answer)
  })

  it('is told of the time that is asked about alone', () => {
    const before = { from: at(0), to: at(ONSET) }
    const reply = answerMeasure(groundOf('stock'), { measure: 'errors', quantile: null }, before)
    expect(reply.answer).toContain('to 2026-03-02 09:30:00 UTC was 0.003')
  })

  it('says that another quantile is not measured, with the nearest, and is not sure of it', () => {
    const { answer, confidence, outcome } = told('stock', 'latency', 'p99')
    expect(answer).toMatch(
      /^No series that was read tells the p99 of stock\.\nNearest to it:\nrequest_duration_p95_ms/,
    )
    expect([confidence, outcome]).toEqual([0.5, 'best_effort'])
  })

  it('is what is logged where the error message is asked for, and not known where nothing is', () => {
    const logs = lines('stock', 'ERROR', 'cannot read row 17', ONSET)
    const { answer, evidence } = told('stock', 'logs', null, { logs })
    expect(answer).toMatch(/^stock logged \d+ lines \(error\) like “cannot read row 17” since /)
    expect(evidence[0]).toMatchObject({ source: 'logs', content: answer.split('\n')[0] })
    expect(told('stock', 'logs')).toMatchObject({
      ...{ answer: 'No line that was read says what fails at stock.', confidence: 0, evidence: [] },
    })
  })

  it('is which alerts fire where those are asked for', () => {
    expect(told('stock', 'alerts').answer).toMatch(/^No alerts of stock are on record /)
  })

  it('takes a quantile by its label too', () => {
    const [one] = [series('stock', 'request_duration_seconds', 0.04, 0.4)]
    const labelled = { series: [{ ...one, labels: { quantile: '0.99' } }] } as Partial<Snapshot>
    expect(told('stock', 'latency', 'p99', labelled).answer).toMatch(
      /^request_duration_seconds of stock quantile=0\.99 was/,
    )
    expect(told('stock', 'latency', 'p50', labelled).answer).toMatch(/^No series/)
  })

  it('is not known where nothing measures it, and says what is measured', () => {
    const { answer, outcome, confidence, evidence } = told('web', 'memory')
    expect(answer).toBe(
      'No series that was read tells the memory of web. Measured of web are request_duration_p95_ms.',
    )
    expect([outcome, confidence, evidence.length]).toEqual(['inconclusive', 0, 1])
    expect(told('other', 'memory')).toMatchObject({ outcome: 'inconclusive', evidence: [] })
  })

  it('stands of what fails first where no service is named', () => {
    const [first, second] = told(null, 'latency').answer.split('\n')
    expect(first).toContain(' of stock ')
    expect(second).toContain(' of web ')
  })

  it('has no normal level where there is no normal time', () => {
    const none = { baselines: [{ name: 'b', from: at(-300), to: at(-200) }] }
    expect(told('stock', 'errors', null, none).answer).toContain('its normal level is not known')
  })
})

describe('how calls fared', () => {
  it('is counted in a time and in normal time, and cited', () => {
    const ground = groundOf('stock')
    const evidence = new EvidenceList(ground.snapshot)
    const [line] = callLines(ground, 'stock', { from: at(ONSET), to: at(LENGTH) }, evidence)
    expect(line).toMatch(/^Of the calls to stock \d+ of \d+ failed from .*, in normal time 0 of \d+\.$/)
    expect(evidence.items.map(({ content }) => content)).toEqual([line])
  })

  it('is not told where nobody counted any', () => {
    const ground = groundOf('web')
    expect(
      callLines(ground, 'web', { from: at(0), to: at(LENGTH) }, new EvidenceList(ground.snapshot)),
    ).toEqual([])
  })
})

describe('which services have most or least of a measure', () => {
  const ranked = (rank: 'most' | 'least', more: Partial<Snapshot> = {}) =>
    answerMeasure(groundOf(null, more), { measure: 'latency', quantile: null, rank }, null)

  it('are named first, with the levels of all in that order, each cited', () => {
    const { answer, evidence } = ranked('least')
    expect(answer).toMatch(
      /^Of 2 services of which request_duration_p95_ms was read, web has the least at the end of that time\.\n- request_duration_p95_ms of web was .*\n- request_duration_p95_ms of stock was /,
    )
    expect(evidence).toHaveLength(3)
    expect(ranked('most').answer).toContain('stock has the most')
  })

  it('are all that have as much, compared by what is measured of most services and by them as a whole', () => {
    const all = [
      ...SNAPSHOT.series,
      series('mail', 'request_duration_p95_ms', 80, 80),
      { ...series('web', 'request_duration_p95_ms', 1, 1), labels: { version: 'v1' } },
      series('other', 'job_duration_ms', 1, 1),
    ]
    expect(ranked('least', { series: all }).answer).toMatch(/^Of 3 services .* mail, web have the least/)
  })

  it('are not told where only one is measured', () => {
    const [first] = SNAPSHOT.series
    expect(ranked('most', { series: first === undefined ? [] : [first] }).answer).not.toContain('the most')
  })
})
