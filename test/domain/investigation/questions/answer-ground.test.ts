import { describe, expect, it } from 'vitest'
import { EvidenceList } from '#shared/domain/investigation/hypotheses/evidence-list.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import {
  answerGround,
  argued,
  type Ground,
  namesText,
  notKnown,
  recordOf,
  say,
  signsOf,
  sinceOf,
  spanLengthText,
  stated,
} from '#shared/domain/investigation/questions/answer-ground.ts'
import type { AskOutcome, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, LENGTH, lines, ONSET, pattern, series } from '../incident-scenarios.ts'

const INCIDENT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  entities: [{ name: 'stock', kind: 'service', aliases: [{ alias: 'stock-prod', learnt_from: 'k8s' }] }],
  alerts: [alert('stock', 'http_5xx_ratio')],
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
  logs: lines('stock', 'ERROR', 'the ledger refused an entry', ONSET),
  patterns: [pattern('stock', 'request failed', 41, 20)],
  spans: [
    {
      ...{
        source: 'traces',
        trace_id: 't',
        span_id: '1',
        parent_id: null,
        service: 'stock',
        name: 'GET /stock',
      },
      start: at(ONSET + 1),
      duration_us: 1,
      status: 'ERROR',
    },
  ],
  gaps: [{ what: 'traces', why: 'they were cut' }],
}
const groundOf = (more: Partial<Snapshot> = {}, service: string | null = null): Ground => {
  const snapshot = { ...INCIDENT, ...more }
  return answerGround(snapshot, investigate(snapshot), service)
}
const GROUND = groundOf()
const STOCK = GROUND.observed.first as FailingService
const listed = (run: (evidence: EvidenceList) => unknown) => {
  const evidence = new EvidenceList(GROUND.snapshot)
  return {
    said: run(evidence),
    cited: evidence.items.map(({ source, type, content }) => [source, type, content]),
  }
}

describe('the ground of an answer', () => {
  it('is what fails, or the service that was asked about by any of its names', () => {
    expect(GROUND.service).toBeNull()
    expect(groundOf({}, 'stock-prod').service).toBe('stock')
    expect(groundOf({}, 'nobody').service).toBe('nobody')
    expect(groundOf({}, 'stock-prod').observed.symptom_service).toBe('stock')
  })
})

describe('a statement', () => {
  const told = (outcome: AskOutcome) => {
    const ground = groundOf({
      sources: EMPTY.sources.map((source, index) => ({
        ...source,
        outcome: index === 2 ? outcome : 'answered',
      })),
    })
    const evidence = new EvidenceList(ground.snapshot)
    const { confidence, outcome: sure } = stated(ground, 'so it is', evidence)
    return [confidence, sure]
  }

  it('is sure where every tool answered whole, also where one had nothing', () => {
    expect(told('answered')).toEqual([0.95, 'identified'])
    expect(told('empty')).toEqual([0.95, 'identified'])
  })

  it.each(['cut', 'failed', 'timed_out'] as const)('is less sure where a tool’s answer was %s', (outcome) => {
    expect(told(outcome)).toEqual([0.5, 'best_effort'])
  })

  it('goes with its evidence and with what was not looked at, and with no hypothesis', () => {
    const evidence = new EvidenceList(GROUND.snapshot)
    say(evidence, ['logs', 'error'], 'a line', 'logs')
    expect(stated(GROUND, 'so it is', evidence)).toMatchObject({
      ...{ answer: 'so it is', evidence: [{ content: 'a line' }], hypotheses: [], ruled_out: [] },
      gaps: GROUND.findings.gaps,
    })
    expect(GROUND.findings.gaps).toContainEqual({ what: 'traces', why: 'they were cut' })
  })

  it('that it is not known has no confidence, and may cite what is known', () => {
    expect(notKnown(GROUND, 'nobody knows')).toEqual({
      ...{ answer: 'nobody knows', evidence: [], confidence: 0, outcome: 'inconclusive', hypotheses: [] },
      ...{ ruled_out: [], gaps: GROUND.findings.gaps },
    })
    expect(notKnown(GROUND, 'nobody knows', GROUND.findings.evidence).evidence).toBe(GROUND.findings.evidence)
  })

  it('about the findings is as sure as they are', () => {
    const { confidence, outcome, evidence, hypotheses, ruled_out, gaps } = GROUND.findings
    expect(argued(GROUND, 'because')).toEqual({
      ...{ answer: 'because', confidence, outcome, evidence, hypotheses, ruled_out, gaps },
    })
  })

  it('is what is cited, word for word', () => {
    const { said, cited } = listed((evidence) =>
      say(evidence, ['deploys', 'change'], 'it was deployed', 'deploys'),
    )
    expect(said).toBe('it was deployed')
    expect(cited).toEqual([['deploys', 'change', 'it was deployed']])
  })
})

describe('the signs that a service fails', () => {
  it('are three at most, series before lines before patterns before spans, each cited', () => {
    const { said, cited } = listed((evidence) => signsOf(STOCK, evidence))
    expect(said).toEqual(cited.map(([, , content]) => content))
    expect(cited).toMatchObject([
      ['metrics', 'anomaly', expect.stringMatching(/^http_5xx_ratio of stock went up/)],
      ['logs', 'error', expect.stringMatching(/^stock logged 30 lines/)],
      ['logs', 'pattern', expect.stringMatching(/^The log tool counted 41 lines/)],
    ])
  })

  it('are all where more are asked for, the failed span last', () => {
    const { said, cited } = listed((evidence) => signsOf(STOCK, evidence, 9))
    expect(said).toHaveLength(4)
    expect(cited.at(-1)).toEqual([
      ...[
        'traces',
        'error',
        'Span “GET /stock” of stock failed at 2026-03-02 09:31:00 UTC with no failed child.',
      ],
    ])
  })

  it('are no more than asked for where there are more of one kind', () => {
    const many = <Item>([item]: readonly Item[]): Item[] => [item, item, item] as Item[]
    const { shifts, templates, patterns } = STOCK
    const none = { ...STOCK, shifts: [], templates: [], patterns: [] }
    for (const more of [
      { shifts: many(shifts) },
      { templates: many(templates) },
      { patterns: many(patterns) },
      { shifts, templates, patterns: many(patterns) },
    ])
      expect(listed((evidence) => signsOf({ ...none, ...more }, evidence, 2)).said).toHaveLength(2)
  })

  it.each([1, 2, 3, 4])('are %i where so many are asked for', (most) => {
    expect(listed((evidence) => signsOf(STOCK, evidence, most)).said).toHaveLength(most)
  })

  it.each([
    ['lines', { shifts: [] }, 2, /^stock logged/],
    ['patterns', { shifts: [], templates: [] }, 1, /^The log tool/],
    ['spans', { shifts: [], templates: [], patterns: [] }, 1, /^Span/],
  ])('begin with %s where there is nothing stronger', (_, less, most, text) => {
    const said = listed((evidence) => signsOf({ ...STOCK, ...less }, evidence, most)).said as string[]
    expect(said[0]).toMatch(text)
    expect(said).toHaveLength(most)
  })

  it('are none of a service that only its calls tell of', () => {
    const none = { ...STOCK, shifts: [], templates: [], patterns: [], error_spans: [] }
    expect(listed((evidence) => signsOf(none, evidence))).toEqual({ said: [], cited: [] })
  })
})

describe('since when a service fails', () => {
  const since = (more: Partial<FailingService>) =>
    listed((evidence) => sinceOf({ ...STOCK, ...more }, evidence))
  const instant = { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) }

  it('is an instant, with the interval where one is open, and its end where it is over', () => {
    expect(since({ onset: instant }).said).toBe('stock has been failing since 2026-03-02 09:30:00 UTC.')
    expect(since({ onset: { ...instant, earliest: at(ONSET - 1) } }).said).toBe(
      'stock has been failing since 2026-03-02 09:30:00 UTC (between 2026-03-02 09:29:00 UTC and 2026-03-02 09:30:00 UTC).',
    )
    expect(since({ onset: instant, ended_at: at(LENGTH) }).said).toBe(
      'stock failed from 2026-03-02 09:30:00 UTC until 2026-03-02 10:00:00 UTC.',
    )
  })

  it('is cited as a statement of what was measured', () => {
    expect(since({ onset: instant }).cited).toEqual([
      ['metrics', 'statement', 'stock has been failing since 2026-03-02 09:30:00 UTC.'],
    ])
  })
})

describe('the request that brought the strongest sign', () => {
  it('is that of the series, the line, the pattern, the span, or the calls', () => {
    const { flow } = answerGround(
      { ...INCIDENT, edges: calls('web', 'stock', 0.4) },
      GROUND.findings,
      'stock',
    ).observed.first as FailingService
    const none = { ...STOCK, shifts: [], templates: [], patterns: [], error_spans: [], flow: null }
    const { shifts, templates, patterns, error_spans } = STOCK
    const all = { shifts, templates, patterns, error_spans, flow }
    expect(recordOf({ ...none, ...all })).toBe('metrics')
    expect(recordOf({ ...none, ...all, shifts: [] })).toBe('logs')
    expect(recordOf({ ...none, patterns, error_spans, flow })).toBe('patterns')
    expect(recordOf({ ...none, error_spans, flow })).toBe('traces')
    expect(recordOf({ ...none, flow })).toBe('edges')
    expect(recordOf(none)).toBe('')
  })
})

describe('a list of names', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a, b'],
    [['a', 'b', 'c'], 'a, b and 1 more'],
    [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
  ])('of %j with room for two is “%s”', (names, text) => {
    expect(namesText(names, 2)).toBe(text)
  })
})

describe('how long something lasted', () => {
  it.each([
    [45_000, '45 s'],
    [125_000, '2 min 5 s'],
    [120_000, '2 min'],
    [754_000, '13 min'],
    [5_400_000, '1 h 30 min'],
  ])('is told to the second where it is short: %i ms are %s', (ms, text) => {
    expect(spanLengthText(ms)).toBe(text)
  })
})
