import { describe, expect, it } from 'vitest'
import { seenVersions } from '#shared/domain/investigation/changes/seen-versions.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { LogLine, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { at, deploy, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { rank, scene } from '../ranking-by-hand.ts'

const line = (minute: number, version: string): LogLine => ({
  ...{ source: 'logs', service: 'stock-api', severity: 'ERROR', message: 'no row of that id' },
  ...{ timestamp: at(minute), attributes: { 'service.version': version } },
})

const span = (minute: number, version: string): Span => ({
  ...{ source: 'traces', trace_id: 'a'.repeat(32), span_id: `${minute}`, parent_id: null, status: 'ok' },
  ...{ service: 'stock-api', name: 'GET /stock', start: at(minute), duration_us: 1_000 },
  attributes: { 'service.version': version },
})

/** Recorded ten minutes after the harm began, as a pipeline does that records when it is done. */
const LATE = deploy('d-2', ONSET + 10, 'stock-api', 'v42', [])

const ROLLED = [line(20, 'v41'), line(ONSET - 1, 'v42'), line(ONSET, 'v42'), line(ONSET + 1, 'v41')]

const seenIn = (more: Partial<Snapshot>) => {
  const snapshot = { ...EMPTY, ...more }
  return seenVersions(snapshot, entityNames(snapshot))(LATE, at(ONSET))
}

describe('since when a version is seen at work', () => {
  it.each([
    ['log line', { logs: [line(70, 'v42'), line(60, 'v42'), line(20, 'v41')] }],
    ['span', { spans: [span(70, '42'), span(60, '42'), span(20, '41')] }],
    [
      'series',
      {
        series: [
          { ...series('stock-api', 'rps', 4, 4), labels: { version: 'v41' } },
          { ...series('stock-api', 'rps', 0, 4, 60), labels: { version: 'v42' } },
        ],
      },
    ],
  ])('it is since the first %s that bears it, where another version was seen before', (of, more) => {
    expect(seenIn(more)).toMatchObject({
      entity: 'stock-api',
      of,
      at: expect.toSatisfy((on) => Math.abs(on - at(60)) <= 60_000),
    })
  })

  it('a version that was seen before any other ran all the time, and was gone back to', () => {
    expect(seenIn({ logs: [line(20, 'v42'), line(60, 'v41')] })).toBeNull()
  })

  it('nothing is told of a version that nothing bears, of another service, or of what is no rollout', () => {
    expect(seenIn({ logs: [line(20, 'v41'), line(60, 'v43')] })).toBeNull()
    expect(seenIn({ logs: [{ ...line(20, 'v41'), service: 'web' }, line(60, 'v42')] })).toBeNull()
    const snapshot = { ...EMPTY, logs: ROLLED }
    const tell = seenVersions(snapshot, entityNames(snapshot))
    expect(tell({ ...LATE, kind: 'config' }, at(ONSET))).toBeNull()
  })

  it('a rollout that was recorded after the onset is in time where its version was at work before', () => {
    expect(rank(scene([LATE], { logs: ROLLED })).ranked[0]).toMatchObject({
      change: { id: 'd-2' },
      effective_at: { from: at(ONSET - 1), known: true },
      sight: { version: 'v42' },
    })
    // Recorded late, and not at work before: it came after the harm.
    const since = [line(20, 'v41'), line(ONSET + 9, 'v42')]
    expect(rank(scene([LATE], { logs: since })).ranked).toEqual([])
    expect(rank(scene([LATE])).too_late).toHaveLength(1)
  })

  it('the line that shows it is cited beside the record', () => {
    const { hypotheses, evidence, ruled_out: out } = investigate(scene([LATE], { logs: ROLLED }))
    const own = hypotheses.find(({ cause }) => cause.change === 'd-2')
    expect(own?.statement).toContain(', in effect since 2026-03-02 09:29:00 UTC')
    expect(evidence.map(({ content }) => content)).toContain(
      'The first log line of stock-api that bears version v42 is of 2026-03-02 09:29:00 UTC.',
    )
    expect(out.map(({ statement }) => statement).join()).not.toContain('v42')
  })
})
