import { beforeAll, describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, EMPTY, lines, ONSET, series } from '#test/domain/investigation/incident-scenarios.ts'
import { type AdjustableEngine, adjustableEngine, engineChanged, keyOf } from './altered-engine.ts'
import { withValue } from './engine-constants.ts'

const FAILING: Snapshot = {
  ...EMPTY,
  alerts: [alert('stock', 'http_5xx_ratio')],
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4), series('silo', 'silo_sealed', 0, 1, ONSET)],
  edges: [...calls('web', 'stock', 0.4), ...calls('stock', 'silo', 0.4)],
  logs: lines('stock', 'ERROR', 'PUT /boxes: connection refused', ONSET),
}
const found = (engine: typeof investigate): string => JSON.stringify(engine(FAILING))

let engine: AdjustableEngine
beforeAll(async () => {
  engine = await adjustableEngine()
})

describe('an engine whose constants can be others', () => {
  it('finds what the engine finds, to the byte, while all are as they are', () => {
    expect(found(engine.with([]))).toBe(JSON.stringify(investigate(FAILING)))
  })

  it('finds the same, to the byte, whatever a constant is that an investigation does not read', () => {
    const read = engine.readIn(FAILING)
    const others = engine.constants.filter((one) => !read.has(keyOf(one)))
    expect(others.length).toBeGreaterThan(100)
    const asIs = found(engine.with([]))
    expect(
      others
        .filter((one) => found(engine.with([{ ...one, value: Number.NaN }])) !== asIs)
        .map((one) => keyOf(one)),
    ).toEqual([])
  })

  it.each([
    ['hypotheses/candidate.ts', 'MOST_HYPOTHESES', 1],
    ['investigate.ts', 'LEAST_EVIDENCE', 30],
    // Read while the engine is loaded.
    ['records/normal-time.ts', 'MINUTE', 1],
  ])('finds what one finds in which %s says that %s is %d', async (file, name, value) => {
    const written = await engineChanged([{ file, change: (text) => withValue(text, name, value) }])
    expect(found(engine.with([{ file, name, value }]))).toBe(found(written))
    expect(found(written)).not.toBe(found(engine.with([])))
    expect(engine.readIn(FAILING)).toContain(keyOf({ file, name }))
  })

  it('leaves nothing on the global object', () => {
    const before = Object.getOwnPropertyNames(globalThis)
    engine.readIn(FAILING)
    expect(Object.getOwnPropertyNames(globalThis)).toEqual(before)
  })
})
