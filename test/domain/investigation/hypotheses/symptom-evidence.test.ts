import { describe, expect, it } from 'vitest'
import type { Evidence } from '#shared/domain/investigation/findings.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { at, calls, lines, ONSET } from '../incident-scenarios.ts'
import { counted, failedSpan, fused, INCIDENT, OBSERVED, STOCK, shifted } from '../verdict-by-hand.ts'

describe('what speaks for and against', () => {
  it('symptoms are the patterns of a service whose lines nobody fetched', () => {
    const patterns = [
      { source: 'patterns', service: 'stock', signature: 'it failed', count: 9, baseline_count: 0 },
    ]
    const { said, symptoms } = fused({ snapshot: { ...INCIDENT, logs: [], patterns } })
    expect(said(symptoms)).toContain(
      'The log tool counted 9 lines of stock like “it failed”, 0 in its baseline.',
    )
  })

  it('symptoms begin with those of the place, and tell of lines that stopped', () => {
    const { said, symptoms } = fused({
      snapshot: {
        ...INCIDENT,
        logs: [
          ...INCIDENT.logs,
          ...lines('stock', 'INFO', 'posted entry 17', 0, 60),
          ...lines('stock', 'INFO', 'read the page of a book', 0, 60),
          ...lines('web', 'INFO', 'showed it', 0, 60),
        ],
        patterns: [
          { source: 'patterns', service: 'stock', signature: 'it failed', count: 9, baseline_count: 0 },
        ],
        spans: [failedSpan('stock'), failedSpan('web')],
        edges: calls('web', 'stock', 0.4),
      },
    })
    const texts = said(symptoms)
    expect(texts[0]).toMatch(/^http_5xx_ratio of stock/)
    expect(texts.at(-1)).toBe('stock logged “posted entry 17” 60 times in normal time and 0 times since.')
    expect(texts.filter((text) => text.includes('times in normal time and'))).toHaveLength(1)
    // Patterns say the same as lines; and of spans those of the place tell most.
    expect(texts.join()).not.toContain('The log tool')
    expect(texts.filter((text) => text.startsWith('Span'))).toEqual([
      'Span “GET /stock” of stock failed at 2026-03-02 09:31:00 UTC with no failed child.',
    ])
    expect(texts).toContain(
      'Of 18000 calls to stock since its onset 7200 failed; 7200 beyond normal arose inside it.',
    )
    expect(new Set(symptoms).size).toBe(symptoms.length)
  })
})

describe('the symptoms', () => {
  const [line] = OBSERVED.templates
  if (line === undefined) throw new Error('no line was logged')
  const numbers = [1, 2, 3, 4] as const
  const crowded = (entity: string): FailingService => ({
    ...{ ...STOCK, entity, flow: null, error_spans: [] },
    shifts: numbers.map((number) => shifted(entity, `failed_${number}_ratio`)),
    templates: numbers.map((number) => ({
      ...{ ...line, service: entity, example: `it broke ${number}` },
      severity: number === 2 ? 'warning' : 'error',
    })),
    patterns: numbers.map((number) => ({
      ...{ source: 'patterns', service: entity, signature: `it failed ${number}`, count: 9 },
    })),
  })
  const symptomsOf = (more: Partial<Observed>) => {
    const { symptoms, items } = fused({ observed: { ...OBSERVED, ...more } })
    return symptoms.map((id) => items.find((item) => item.id === id) as Evidence)
  }

  it('are three of a sort at the place that failed first, and one of each at three more', () => {
    const [first, ...others] = ['stock', 'a', 'b', 'c', 'd'].map(crowded) as [FailingService]
    const seen = symptomsOf({ first, failing: [...others, first] })
    const count = (entity: string) => seen.filter(({ content }) => content.includes(entity)).length
    expect(seen).toHaveLength(12)
    expect(['stock', ' a ', ' b ', ' c ', ' d '].map(count).slice(0, 1)).toEqual([6])
    expect(seen.map(({ source, type }) => `${source} ${type}`).slice(0, 8)).toEqual([
      ...['metrics anomaly', 'metrics anomaly', 'metrics anomaly'],
      ...['logs error', 'logs pattern', 'logs error', 'metrics anomaly', 'logs error'],
    ])
    expect(seen[0]?.query).toBe('the failed_1_ratio')
  })

  it('are as many patterns where no line was fetched', () => {
    const silent = (entity: string) => ({ ...crowded(entity), shifts: [], templates: [] })
    const first = silent('stock')
    const seen = symptomsOf({ first, failing: [first, silent('a')] })
    expect(seen.map(({ content }) => content)).toEqual(
      [
        ['stock', 1],
        ['stock', 2],
        ['stock', 3],
        ['a', 1],
      ].map(([entity, number]) => `The log tool counted 9 lines of ${entity} like “it failed ${number}”.`),
    )
    expect(new Set(seen.map(({ source, type }) => `${source} ${type}`))).toEqual(new Set(['logs pattern']))
  })

  it('are cited as what they are: demand that is made, spans, calls that failed, lines that stopped', () => {
    const made = { caller: 'till', callee: 'stock', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    const gone = (service: string, example: string) => ({
      ...{ ...line, service, example, change: 'vanished' as const, before: 60, during: 0 },
    })
    const first = {
      ...{ ...STOCK, shifts: [], templates: [], patterns: [], flow: counted(1) },
      error_spans: [failedSpan('stock')],
    }
    const templates = [
      ...[gone('web', 'showed it'), { ...line, example: 'new' }],
      ...[gone('stock', 'posted it'), gone('stock', 'sent it')],
    ]
    const seen = symptomsOf({ made, first, failing: [first], templates })
    expect(seen.map(({ source, type, content }) => [source, type, content])).toEqual([
      [
        ...['topology', 'dependency'],
        'till calls stock up to 4 times as often per request as usual since 2026-03-02 09:30:00 UTC; ' +
          'calls that failed and were tried again are not counted.',
      ],
      [
        ...['traces', 'error'],
        'Span “GET /stock” of stock failed at 2026-03-02 09:31:00 UTC with no failed child.',
      ],
      [
        ...['topology', 'dependency'],
        'Of 9000 calls to stock since its onset 1 failed; 1 beyond normal arose inside it.',
      ],
      [...['logs', 'absence'], 'stock logged “posted it” 60 times in normal time and 0 times since.'],
    ])
    expect(symptomsOf({ first: { ...first, flow: counted(0.9) }, failing: [], templates: [] })).toHaveLength(
      1,
    )
    expect(symptomsOf({ first: null, failing: [], templates })).toEqual([])
  })
})
