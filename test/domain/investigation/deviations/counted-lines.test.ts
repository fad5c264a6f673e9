import { describe, expect, it } from 'vitest'
import { withCountedLines } from '#shared/domain/investigation/deviations/counted-lines.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { LogCount, Snapshot, SourceAsked } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

/** One record for each minute that has lines, as tools answer. */
const counts = (
  service: string,
  countAt: (minute: number) => number,
  more: Partial<LogCount> = {},
): LogCount[] =>
  Array.from({ length: LENGTH }, (_, minute) => ({
    ...{ source: 'logs', service, severity: 'error', t0: at(minute), interval_s: 60, count: countAt(minute) },
    ...more,
  })).filter(({ count }) => count > 0)

const scene = (log_counts: readonly LogCount[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('web', 'http_5xx_ratio')],
  series: [series('web', 'http_5xx_ratio', 0.003, 0.3)],
  log_counts,
  ...more,
})
const saidOf = (snapshot: Snapshot): string =>
  investigate(snapshot)
    .evidence.map(({ content }) => content)
    .join('\n')
const burst = (minute: number): number => (minute < ONSET ? 0 : 40)

describe('counted lines', () => {
  it('of errors are a series, with none where the tool was asked and names none', () => {
    const [, counted] = withCountedLines(scene(counts('stock', burst))).series
    expect(counted).toMatchObject({
      entity: 'stock',
      name: 'log_error_lines',
      unit: '{line}',
      interval_s: 60,
    })
    expect(counted?.values).toHaveLength(LENGTH)
    expect([counted?.values[ONSET - 1], counted?.values[ONSET]]).toEqual([0, 40])
    expect(counted?.times[0]).toBe(at(0))
  })

  it('are none where the same was asked of another time and no line was told', () => {
    const asked = EMPTY.sources.find(({ id }) => id === 'logs')
    if (asked === undefined) throw new Error('no source')
    const before = { from: at(-60), to: at(0) }
    const other = { ...asked, id: 'logs before', window: before, outcome: 'empty' as const, records: 0 }
    const unlike = {
      ...other,
      id: 'others',
      query: 'another question',
      window: { from: at(-120), to: at(-60) },
    }
    const told = (sources: readonly SourceAsked[]) =>
      withCountedLines(scene(counts('stock', burst), { sources: [...EMPTY.sources, ...sources] })).series[1]
    expect(told([other, unlike])?.times[0]).toBe(at(-60))
    expect(told([other, unlike])?.values.slice(0, 60)).toEqual(new Float64Array(60))
    expect(told([unlike])?.times[0]).toBe(at(0))
    expect(told([{ ...other, outcome: 'failed' }])?.times[0]).toBe(at(0))
  })

  it('tell that a service fails of which nothing else was fetched', () => {
    const said = saidOf(scene(counts('stock', burst)))
    expect(said).toContain('log_error_lines of stock went up from 0 to 40')
  })

  it('that vary by chance alone tell nothing', () => {
    const chance = counts('stock', (minute) => 9 + (minute % 4) * 2)
    expect(saidOf(scene(chance))).not.toContain('log_error_lines')
    const single = counts('stock', (minute) => (minute === ONSET || minute === ONSET + 5 ? 1 : 0))
    expect(saidOf(scene(single))).not.toContain('log_error_lines')
  })

  it('are left alone where they are no errors, have no length, or the tool made a series of them itself', () => {
    for (const snapshot of [
      scene([]),
      scene(counts('stock', burst, { severity: 'info' })),
      scene(counts('stock', burst, { interval_s: 0 })),
      scene(counts('web', burst), { series: [series('web', 'log_error_lines_per_second', 0, 3)] }),
    ])
      expect(withCountedLines(snapshot)).toBe(snapshot)
  })

  it('stand as they are, without zeros, where nothing says that there were none', () => {
    const cut = EMPTY.sources.map((source) => ({ ...source, outcome: 'cut' as const }))
    const endless = EMPTY.sources.map((source) => ({ ...source, window: { from: 0, to: at(LENGTH) } }))
    for (const sources of [cut, endless, []]) {
      const [, counted] = withCountedLines(scene(counts('stock', burst), { sources })).series
      expect(counted?.values).toHaveLength(LENGTH - ONSET)
    }
  })

  it('are the same whatever the order of the records', () => {
    const all = [...counts('stock', burst), ...counts('cart', () => 3)]
    expect(withCountedLines(scene([...all].reverse())).series).toEqual(withCountedLines(scene(all)).series)
  })
})
