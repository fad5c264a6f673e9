import { describe, expect, it } from 'vitest'
import { EvidenceList } from '#shared/domain/investigation/hypotheses/evidence-list.ts'
import type { SourceAsked } from '#shared/domain/investigation/records/snapshot.ts'
import { EMPTY } from '../incident-scenarios.ts'

const asked: SourceAsked = {
  id: 'metrics',
  integration_id: 'bundle_1',
  tool: 'bundle',
  query: 'metrics of the window',
  window: { from: Date.UTC(2026, 0, 31, 12), to: Date.UTC(2026, 0, 31, 13) },
  link: 'https://tool.example/metrics',
  outcome: 'answered',
  records: 3,
  digest: 'd'.repeat(64),
}
const bare: SourceAsked = { id: 'logs', tool: 'bundle', query: 'logs', outcome: 'answered', records: 1 }
const list = () => new EvidenceList({ ...EMPTY, sources: [bare, asked] })

describe('an item of evidence', () => {
  it('says what was asked to get it: query, window, link and digest', () => {
    const evidence = list()
    expect(evidence.add('metrics', 'anomaly', 'errors rose', 'metrics')).toBe('ev_1')
    expect(evidence.items).toEqual([
      {
        id: 'ev_1',
        source: 'metrics',
        type: 'anomaly',
        content: 'errors rose',
        integration_id: 'bundle_1',
        query: 'metrics of the window',
        window: { start: '2026-01-31T12:00:00.000Z', end: '2026-01-31T13:00:00.000Z' },
        link: 'https://tool.example/metrics',
        digest: 'd'.repeat(64),
      },
    ])
  })

  it('says null for what is not known, and nothing was asked for a record of no source', () => {
    const evidence = list()
    evidence.add('logs', 'pattern', 'one', 'logs')
    evidence.add('logs', 'pattern', 'two', 'nowhere')
    const unknown = { integration_id: null, window: null, link: null, digest: null }
    expect(evidence.items).toMatchObject([
      { ...unknown, query: 'logs' },
      { ...unknown, query: '' },
    ])
  })

  it('may tell the very question that brought its record', () => {
    const evidence = list()
    evidence.add('metrics', 'anomaly', 'errors rose', 'metrics', 'rate(errors)')
    expect(evidence.items[0]?.query).toBe('rate(errors)')
  })

  it('is there once, under the id of its first citation', () => {
    const evidence = list()
    const first = evidence.add('logs', 'pattern', 'one', 'logs')
    const second = evidence.add('logs', 'pattern', 'two', 'logs')
    expect(evidence.add('metrics', 'anomaly', 'one', 'metrics')).toBe(first)
    expect([first, second]).toEqual(['ev_1', 'ev_2'])
    expect(evidence.items.map(({ content }) => content)).toEqual(['one', 'two'])
  })
})
