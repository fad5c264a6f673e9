import { describe, expect, it } from 'vitest'
import { untilDeclaredEnd } from '#shared/domain/declared-window.ts'
import { NOTHING_PULLED, type Pulled } from '#shared/domain/investigation/records/snapshot.ts'

const HOUR = 3_600_000
const END = Date.UTC(2026, 0, 31, 12)
const WANTED = { from: END - HOUR, to: END + HOUR }
const DECLARED = { from: END - 2 * HOUR, to: END }
const bundle = (change: Partial<Pulled> = {}): Pulled => ({
  ...NOTHING_PULLED,
  window: DECLARED,
  baselines: [],
  ...change,
})
const span = (start: number) => ({
  source: 'signals',
  trace_id: 't',
  span_id: `${start}`,
  parent_id: null,
  service: 'mailer',
  name: 'send',
  start,
  duration_us: 1,
  status: 'error',
})
const series = (times: readonly number[]) => ({
  source: 'signals',
  entity: 'mailer',
  name: 'errors',
  labels: {},
  type: 'gauge' as const,
  times: Float64Array.from(times),
  values: Float64Array.from(times, (_, index) => index),
})
const log = (timestamp: number) => ({
  source: 'signals',
  timestamp,
  service: 'mailer',
  severity: 'error',
  message: 'm',
})
const sources = [{ id: 'signals', tool: 'signals', query: 'q', outcome: 'answered' as const, records: 1 }]
const pushed = (...instants: readonly number[]): Pulled => ({
  ...NOTHING_PULLED,
  sources,
  spans: instants.map(span),
  logs: instants.map(log),
  series: [series(instants)],
})

describe('what was measured after the end of the window that a bundle declares', () => {
  it('is left out of what others gave, and said so', () => {
    const [own, other] = untilDeclaredEnd(WANTED, [bundle(), pushed(END - 1, END, END + 1)])
    expect(own).toEqual(bundle())
    expect(other?.spans.map(({ start }) => start)).toEqual([END - 1])
    expect(other?.logs.map(({ timestamp }) => timestamp)).toEqual([END - 1])
    expect(other?.series).toEqual([series([END - 1])])
    expect(other?.gaps).toEqual([
      {
        what: 'what signals measured after that time',
        why: 'a connected bundle tells of 2026-01-31 10:00:00 UTC to 2026-01-31 12:00:00 UTC alone; disable it to ask about now',
      },
    ])
  })

  it('leaves a series of nothing out, and one that was empty as it came', () => {
    const [, other] = untilDeclaredEnd(WANTED, [
      bundle(),
      { ...pushed(END - 1), series: [series([END + 1]), series([])] },
    ])
    expect(other?.series).toEqual([series([])])
  })

  it('is kept in a baseline that the bundle declares, and where it is of the bundle itself', () => {
    const baselines = [{ name: 'after', from: END + 1, to: END + 2 }]
    const own = bundle({ baselines, spans: [span(END + 5)] })
    const [first, other] = untilDeclaredEnd(WANTED, [own, pushed(END + 1, END + 2)])
    expect(first).toEqual(own)
    expect(other?.spans.map(({ start }) => start)).toEqual([END + 1])
  })

  it.each([
    ['there is no bundle', []],
    ['it tells of quite another time', [bundle({ window: { from: 0, to: 1 } })]],
    ['it tells of all the time that is asked about', [bundle({ window: WANTED })]],
    ['two tell of different times', [bundle(), bundle({ window: { ...DECLARED, from: 1 } })]],
  ])('is kept where %s', (_, bundles) => {
    const parts = [...bundles, pushed(END + 1)]
    expect(untilDeclaredEnd(WANTED, parts)).toEqual(parts)
  })

  it('is no gap where nothing was', () => {
    const parts = [bundle(), pushed(END - 2)]
    expect(untilDeclaredEnd(WANTED, parts)).toEqual(parts)
  })
})
