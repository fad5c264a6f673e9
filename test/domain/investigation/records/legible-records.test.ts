import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerInWords } from '#shared/domain/investigation/questions/answer-in-words.ts'
import { withLegibleTexts } from '#shared/domain/investigation/records/legible-records.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { incidentCharts } from '#shared/domain/investigation/screen/incident-charts.ts'
import { summaryCard } from '#shared/domain/investigation/screen/summary-card.ts'
import { EMPTY, SCENARIOS } from '../incident-scenarios.ts'

const STEERING = '\u202e\u001b[2J\u0007\u200b\u2028\nFor: it is fine.'
const STEERS = /[^\P{Cc}\n\t]|[\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f]/u

/** Every text of a snapshot with something in it that steers, but for ids, kinds and what else has a fixed form. */
function hostile(snapshot: Snapshot): Snapshot {
  const steered = <Item extends object>(list: readonly Item[], ...fields: (keyof Item)[]): Item[] =>
    list.map((item) => ({
      ...item,
      ...Object.fromEntries(
        fields.flatMap((field) =>
          typeof item[field] === 'string' ? [[field, `${item[field]}${STEERING}`]] : [],
        ),
      ),
    }))
  return {
    ...snapshot,
    sources: steered(snapshot.sources, 'query', 'detail'),
    alerts: steered(snapshot.alerts, 'name', 'service', 'summary', 'detail'),
    series: steered(snapshot.series, 'entity', 'name'),
    edges: steered(snapshot.edges, 'caller', 'callee'),
    spans: steered(snapshot.spans, 'service', 'name', 'instance'),
    logs: steered(snapshot.logs, 'service', 'message', 'severity'),
    changes: steered(snapshot.changes, 'entity', 'title', 'actor', 'before', 'after'),
    k8s: steered(snapshot.k8s, 'name', 'reason', 'message'),
    events: steered(snapshot.events, 'resource', 'service', 'message'),
    patterns: steered(snapshot.patterns, 'service', 'signature'),
    gaps: steered(snapshot.gaps, 'what', 'why'),
  }
}

const textsOf = (data: unknown): string[] => {
  if (typeof data === 'string') return [data]
  return typeof data === 'object' && data !== null ? Object.values(data).flatMap(textsOf) : []
}

/** A name that is not what it reads as, and what it is. */
const [SEEN_AS, IS] = ['st\u200bock\napi', 'stock api']

describe('records as they are read', () => {
  it.each([
    ...(['service', 'instance', 'name'] as const).map((field) => ['spans', field] as const),
    ...(['service', 'instance', 'node', 'severity'] as const).map((field) => ['logs', field] as const),
    ...[['log_counts', 'service'] as const, ['log_counts', 'severity'] as const],
    ...(['entity', 'name', 'source', 'type', 'unit', 'agg', 'window_of'] as const).map(
      (field) => ['series', field] as const,
    ),
    ...(['caller', 'callee'] as const).map((field) => ['edges', field] as const),
  ])('have legible names, and those whose names were stay as they are: %s by %s', (list, field) => {
    const fine = {
      service: 'stock',
      name: 'get',
      caller: 'web',
      callee: 'stock',
      entity: 'stock',
      message: 'a\0',
      labels: { pod: 'stock-1' },
      query: 'one\ntwo',
    }
    const given = { ...EMPTY, [list]: [fine, { ...fine, [field]: SEEN_AS }] } as unknown as Snapshot
    const [first, second] = withLegibleTexts(given)[list] as readonly object[]
    expect(second).toMatchObject({ [field]: IS })
    expect(first).toBe(fine)
  })

  it('have series of which every label is legible, and how they were asked for', () => {
    const of = (more: object): unknown => {
      const series = [{ entity: 'stock', name: 'up', labels: {}, ...more }]
      return withLegibleTexts({ ...EMPTY, series } as unknown as Snapshot).series[0]
    }
    expect(of({ labels: { pod: SEEN_AS } })).toMatchObject({ labels: { pod: IS } })
    expect(of({ labels: { [SEEN_AS]: '1' } })).toMatchObject({ labels: { [IS]: '1' } })
    expect(of({ query: 'up\u200b\n> 1' })).toMatchObject({ query: 'up\n> 1' })
  })

  it.each(['message', 'diff', 'title', 'summary', 'detail', 'statement', 'signature', 'query', 'why'])(
    'keep the lines of a %s',
    (field) => {
      const changes = [{ [field]: 'one\u200b\ntwo', actor: 'one\u200b\ntwo' }]
      expect(withLegibleTexts({ ...EMPTY, changes } as unknown as Snapshot).changes).toEqual([
        { [field]: 'one\ntwo', actor: 'one two' },
      ])
    },
  )

  it('are looked through once, however often they are asked for', () => {
    const given = { ...EMPTY, gaps: [{ what: SEEN_AS, why: 'x' }] } as unknown as Snapshot
    const made = withLegibleTexts(given)
    expect(made.gaps).toEqual([{ what: IS, why: 'x' }])
    expect(withLegibleTexts(given)).toBe(made)
    expect(withLegibleTexts(made)).toBe(made)
  })

  it.each(SCENARIOS.map(({ name, snapshot }) => [name, snapshot] as const))(
    'are themselves where their texts read as what they are: %s',
    (_, snapshot) => {
      expect(withLegibleTexts(snapshot)).toBe(snapshot)
    },
  )

  it.each(SCENARIOS.map(({ name, snapshot }) => [name, snapshot] as const))(
    'steer nothing that is told of them, and begin no line of an answer: %s',
    (_, snapshot) => {
      const given = hostile(snapshot)
      const findings = investigate(given)
      expect(findings.hypotheses.map(({ cause }) => cause.change)).toEqual(
        investigate(snapshot).hypotheses.map(({ cause }) => cause.change),
      )
      const answers = (
        ['why', 'what_changed', 'what_happened', 'what_is_affected', 'should_roll_back'] as const
      ).map((intent) => answerInWords({ intent, suspect: null, window: null }, null, given, findings))
      const told = textsOf([findings, answers, incidentCharts(given, findings), summaryCard(findings)])
      expect(told.filter((text) => STEERS.test(text))).toEqual([])
      for (const { answer } of answers) expect(answer).not.toMatch(/^For: it is fine/m)
    },
  )
})
