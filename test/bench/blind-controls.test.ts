import { expect, test } from 'vitest'
import { NOTHING_PULLED, type Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { bestConstant, COMMIT_CONTROLS, farthestEntity, SERVICE_CONTROLS } from './blind-controls.ts'
import { wilson, withInterval } from './wilson.ts'

const empty: Snapshot = {
  ...NOTHING_PULLED,
  format: 'incident-bundle/1',
  window: { from: 0, to: 1 },
  baselines: [],
}
const series = (entity: string, ...values: number[]) => ({
  source: 's',
  entity,
  name: 'x',
  labels: {},
  type: 'gauge' as const,
  times: Float64Array.from(values, (_, index) => index),
  values: Float64Array.from(values),
})
const commit = (id: string, diff: string, title = '') => ({
  source: 's',
  id,
  kind: 'commit' as const,
  recorded_at: 0,
  diff,
  title,
})
const deploy = (entity: string, recorded_at: number, ...carries: string[]) => ({
  source: 's',
  id: `${entity}${recorded_at}`,
  kind: 'deploy' as const,
  recorded_at,
  entity,
  carries,
})
const snapshot: Snapshot = {
  ...empty,
  alerts: [
    { source: 's', name: 'Cart errors', service: 'cart', summary: 'cart empties baskets', fired_at: 9 },
  ],
  series: [series('cart', 1, 1, 1, 2), series('till', 1, 2, 1, 3)],
  changes: [
    commit('a', '--- a/x\n+++ b/x\n-one\n-two\n+three'),
    commit('b', '+a very long line that is added\n+and one more of them'),
    commit('c', '+x', 'never empties baskets'),
    deploy('cart', 1, 'a'),
    deploy('till', 2, 'b', 'c'),
  ],
}

test('each control answers by its one rule', () => {
  const answers = Object.fromEntries(
    Object.entries(COMMIT_CONTROLS).map(([name, control]) => [name, control(snapshot)]),
  )
  expect(answers).toEqual({
    'always none': 'none',
    'latest deploy': 'c',
    'largest net removal': 'a',
    'longest diff': 'b',
    'word overlap with the alert': 'c',
    'latest deploy of the alerted service': 'a',
    'latest deploy of the max-|z| entity': 'a',
  })
  for (const control of Object.values(COMMIT_CONTROLS)) expect(control(empty)).toBe('none')
  expect(Object.values(SERVICE_CONTROLS).map((control) => control(snapshot))).toEqual(['cart', 'cart'])
  expect(Object.values(SERVICE_CONTROLS).map((control) => control(empty))).toEqual(['none', 'none'])
  expect(farthestEntity({ ...empty, series: [series('a', 1, Number.NaN)] })).toBe('none')
})

test('the best constant answer is the most frequent truth', () => {
  expect(bestConstant(['b', 'a', 'b'])).toEqual({ answer: 'b', right: 2 })
  expect(bestConstant([])).toEqual({ answer: 'none', right: 0 })
})

test('the Wilson interval agrees with published values and never leaves 0 to 1', () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I: 81/263, 15/148, 0/20, 1/29.
  for (const [passed, total, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const) {
    expect(wilson(passed, total).low).toBeCloseTo(low, 4)
    expect(wilson(passed, total).high).toBeCloseTo(high, 4)
  }
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 })
  expect(wilson(5, 5).high).toBe(1)
  expect(withInterval(7, 24)).toBe('7 of 24 (29 %, 95 % interval 15 to 49 %)')
})
