import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalOfLines } from '#shared/domain/investigation/records/normal-lines.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { LogLine, Snapshot, SourceAsked } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const NORMAL: NormalTime = {
  baselines: [{ name: 'before', from: at(0), to: at(60) }],
  origin: 'declared',
  incident: { from: at(60), to: at(120) },
}
const ONSET = at(100)

const line = (minute: number, source = 'logs'): LogLine => ({
  source,
  timestamp: at(minute),
  service: 'a',
  severity: 'ERROR',
  message: 'a client left',
})
/** One line a minute. */
const every = (from: number, to: number): readonly LogLine[] =>
  Array.from({ length: to - from }, (_, index) => line(from + index))
/** As a folder of files holds them: nobody says of which time lines were asked. */
const said = (logs: readonly LogLine[], change: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  sources: EMPTY.sources.map(({ window: _, ...source }) => source),
  logs,
  ...change,
})
const asked = (id: string, outcome: SourceAsked['outcome'], from: number, to: number): SourceAsked => ({
  ...{ id, integration_id: 'int_1', tool: 'loki', query: '{app=~".+"}', outcome, records: 0 },
  window: { from: at(from), to: at(to) },
})
const baselines = (snapshot: Snapshot, onsetAt: number | null = ONSET, normal = NORMAL) =>
  normalOfLines(snapshot, normal, onsetAt).baselines.map(({ from, to }) => [from, to])

describe('the normal time of lines', () => {
  it('is normal time where lines were read in it', () => {
    expect(normalOfLines(said(every(1, 120)), NORMAL, ONSET)).toBe(NORMAL)
    expect(normalOfLines(said(every(29, 120)), NORMAL, ONSET)).toBe(NORMAL)
  })

  it('is normal time where there is no line or no normal time', () => {
    const none = { ...NORMAL, baselines: [] }
    expect(normalOfLines(said([]), NORMAL, ONSET)).toBe(NORMAL)
    expect(normalOfLines(said(every(70, 120)), none, ONSET)).toBe(none)
  })

  it('begins with the first line where most of normal time has none and they come all the time since', () => {
    expect(baselines(said(every(40, 120)))).toEqual([[at(40), at(60)]])
  })

  it('is the time from the first line to a minute before the onset where no line of normal time was kept', () => {
    expect(baselines(said(every(70, 120)))).toEqual([[at(70), at(99)]])
  })

  it('is that up to a quarter of an hour before the alert where no onset was measured', () => {
    const alerts = [{ source: 'alerts', name: 'errors', fired_at: at(105) }]
    expect(baselines(said(every(70, 120), { alerts }), null)).toEqual([[at(70), at(90)]])
  })

  it('is normal time where lines begin shortly before the onset, as the trouble may', () => {
    expect(normalOfLines(said(every(86, 120)), NORMAL, ONSET)).toBe(NORMAL)
    expect(normalOfLines(said(every(101, 120)), NORMAL, ONSET)).toBe(NORMAL)
    expect(normalOfLines(said(every(70, 120)), NORMAL, null)).toBe(NORMAL)
  })

  it('is normal time where the question that brought the lines was answered for it, and silent', () => {
    const sources = [asked('logs', 'answered', 60, 120), asked('before', 'empty', 0, 60)]
    expect(normalOfLines(said(every(70, 120), { sources }), NORMAL, ONSET)).toBe(NORMAL)
  })

  it('is empty where it was asked for in vain and lines begin with the trouble, so that none is said to be new', () => {
    const sources = [asked('logs', 'answered', 60, 120), asked('before', 'failed', 0, 60)]
    expect(baselines(said(every(96, 120), { sources }))).toEqual([])
    expect(baselines(said(every(70, 120), { sources }))).toEqual([[at(70), at(99)]])
  })

  it('is normal time where it is silent because little is ever said', () => {
    const rare = [line(65), line(80), line(95), ...every(100, 120)]
    expect(normalOfLines(said(rare), NORMAL, ONSET)).toBe(NORMAL)
  })

  it('leaves out a baseline of which the question that brought the lines was not answered', () => {
    const week = { name: 'week', from: at(-600), to: at(-540) }
    const normal = { ...NORMAL, baselines: [week, ...NORMAL.baselines] }
    const logs = [...every(-600, -540), ...every(60, 120)].map((one) => ({ ...one, source: 'now' }))
    const sources = (outcome: SourceAsked['outcome']) => [
      asked('now', 'answered', 60, 120),
      asked('before', outcome, 0, 60),
    ]
    expect(baselines(said(logs, { sources: sources('timed_out') }), ONSET, normal)).toEqual([
      [at(-600), at(-540)],
    ])
    expect(baselines(said(logs, { sources: sources('failed') }), ONSET, normal)).toEqual([
      [at(-600), at(-540)],
    ])
    expect(normalOfLines(said(logs, { sources: sources('empty') }), normal, ONSET)).toBe(normal)
    const other = sources('failed').map((one) => (one.id === 'before' ? { ...one, query: 'up' } : one))
    expect(normalOfLines(said(logs, { sources: other }), normal, ONSET)).toBe(normal)
  })

  it('never reaches beyond normal time and what lies before the onset, whenever lines were logged', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 119 }), { maxLength: 200 }), (minutes) => {
        const found = normalOfLines(said(minutes.map((minute) => line(minute))), NORMAL, ONSET)
        for (const { from, to } of found.baselines) {
          expect(from).toBeGreaterThanOrEqual(at(0))
          expect(from).toBeLessThan(to)
          expect(to).toBeLessThanOrEqual(at(99))
        }
      }),
    )
  })
})
