import { describe, expect, it } from 'vitest'
import { goneTogether } from '#shared/domain/investigation/causes/gone-together.ts'
import { CONFIDENCE_CAP_UNMAPPED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, graphOf, place, risen } from '../scene-by-hand.ts'

const on = (entity: string, ...nodes: readonly string[]): Series[] =>
  nodes.map((node) => ({ ...series(entity, 'process_threads', 9, 9), labels: { node } }))

/** What a machine measures of itself, until a minute. */
const machine = (name: string, until = 999, measures = ['node_load1', 'node_uptime_seconds']): Series[] =>
  measures.map((measure) => {
    const one = series(name, measure, 2, 2)
    const times = one.times.filter((time) => time <= at(until))
    return { ...one, times, values: one.values.subarray(0, times.length) }
  })

const fell = (entity: string, name = 'up', more: Partial<SeriesShift> = {}): SeriesShift =>
  risen(entity, name, {
    ...{ direction: 'down', is_bad: true, before: 1, during: 0, extreme: 0, latest: 0 },
    ...more,
  })
const used = (
  entity: string,
  name = 'openstack_nova_limits_instances_used',
  more: Partial<SeriesShift> = {},
) => fell(entity, name, { before: 14, ...more })
const line = (text: string, entity: string, minute = ONSET, origin: Line['origin'] = 'log'): Line => ({
  ...{ text, entity, count: 9, at: at(minute), source: 'logs', origin, failing: true },
})
const refused = (account = 'plot-4', minute = ONSET) =>
  line(`Project is disabled: ${account} (HTTP 401)`, 'warden', minute)
const noted = (account = 'plot-4', minute = ONSET + 12) =>
  line('notice the account is suspended', account, minute, 'event')

const GONE = [...machine('rack-1', ONSET), ...machine('rack-2', ONSET)]
const RUNNING = [
  ...on('stock', 'rack-1', 'rack-2'),
  ...on('vault', 'rack-2'),
  ...on('web', 'metal-9'),
  ...machine('metal-9'),
]

interface Seen {
  readonly measured?: readonly Series[]
  readonly shifts?: readonly SeriesShift[]
  readonly lines?: readonly Line[]
  readonly observed?: Partial<Scene['observed']>
  readonly onset?: number | null
}

const found = ({
  measured = [...RUNNING, ...GONE],
  shifts = [fell('stock'), fell('vault')],
  lines = [],
  ...seen
}: Seen = {}) => {
  const entities = ['stock', 'vault', 'web', 'plot-4', 'plot-5', 'warden'].map((name) => ({
    ...{ name, kind: 'service' as const, aliases: [] },
  }))
  const snapshot: Snapshot = { ...EMPTY, entities, series: measured }
  return goneTogether({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines },
    onset: seen.onset === undefined ? at(ONSET) : seen.onset,
    observed: { ...BARE, first: place('stock'), shifts, ...seen.observed },
  })
}
const shiftsWith = (...more: readonly SeriesShift[]) => [fell('stock'), fell('vault'), ...more]

describe('machines that are gone at once with all that ran on them', () => {
  it('are told by who is gone and who is not, possible at most while nobody says why', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'node', entity: 'rack-1', score: 0.5775, falls_on: ['stock', 'vault'] },
      ...{ at_most: CONFIDENCE_CAP_UNMAPPED, yields_to_changes: true, action: 'failover' },
      what: 'machines of which all is gone at once, with what ran there',
    })
  })

  it('are several parts: one alone has a reason of its own', () => {
    expect(found({ shifts: [fell('stock')] })).toBeNull()
    expect(found({ shifts: [fell('stock'), fell('vault', 'up', { during: 0.5 })] })).toBeNull()
    expect(found({ shifts: [] })).toBeNull()
  })

  it('tell nothing of themselves from then on, each of them by several measures', () => {
    expect(found({ measured: [...RUNNING, ...machine('rack-1', ONSET), ...machine('rack-2')] })).toBeNull()
    expect(
      found({ measured: [...RUNNING, ...machine('rack-1', ONSET), ...machine('rack-2', ONSET - 3)] }),
    ).toBeNull()
    expect(
      found({ measured: [...RUNNING, ...machine('rack-1', ONSET), ...machine('rack-2', ONSET + 3)] }),
    ).toBeNull()
    const near = [...machine('rack-1', ONSET - 2), ...machine('rack-2', ONSET + 2)]
    expect(found({ measured: [...RUNNING, ...near] })?.entity).toBe('rack-1')
    const one = [...machine('rack-1', ONSET), ...machine('rack-2', ONSET, ['node_load1'])]
    expect(found({ measured: [...RUNNING, ...one] })).toBeNull()
    expect(found({ measured: RUNNING })).toBeNull()
  })

  it('are none where nobody else is seen to go on, or where nobody says who runs where', () => {
    const all = [...on('stock', 'rack-1'), ...on('vault', 'rack-2'), ...GONE]
    expect(found({ measured: all })).toBeNull()
    expect(found({ measured: [...all, ...on('web', 'metal-9'), ...machine('metal-9', ONSET)] })).toBeNull()
    expect(found({ measured: [...GONE, ...on('web', 'metal-9'), ...machine('metal-9')] })).toBeNull()
  })

  it('matter where who fails first is gone or calls one of them', () => {
    expect(found({ observed: { first: null } })).toBeNull()
    expect(found({ observed: { first: place('web') } })).toBeNull()
    expect(found({ observed: { first: place('web'), graph: graphOf({ web: ['stock'] }) } })?.entity).toBe(
      'rack-1',
    )
    expect(found({ onset: null })).toBeNull()
  })
})

describe('an account of which all is gone', () => {
  it('is told by what it had in use, and more surely by what its host says, also minutes later', () => {
    const level = found({ shifts: shiftsWith(used('plot-4')) })
    expect(level).toMatchObject({
      kind: 'provider',
      entity: 'plot-4',
      yields_to_changes: true,
      at_most: CONFIDENCE_CAP_UNMAPPED,
    })
    const both = found({ shifts: shiftsWith(used('plot-4')), lines: [refused(), noted(), refused()] })
    expect(both).toMatchObject({ kind: 'provider', entity: 'plot-4', score: 0.85, yields_to_changes: false })
    expect(both?.at_most).toBeUndefined()
    expect(both?.what).toBe('an account of which all is gone at once, with what ran there')
    expect(both?.signs.map(({ fact }) => fact.of)).toEqual(['shift', 'text', 'text', 'shift', 'shift'])
    for (const word of [refused(), noted()])
      expect(found({ lines: [word] })).toMatchObject({
        kind: 'provider',
        entity: 'plot-4',
        yields_to_changes: false,
      })
  })

  it('is told where nobody says who runs where by both, and by neither alone', () => {
    const measured = [...on('web', 'metal-9'), ...machine('metal-9')]
    const shifts = shiftsWith(used('plot-4'))
    expect(found({ measured, shifts, lines: [noted()] })?.entity).toBe('plot-4')
    expect(found({ measured, shifts })).toBeNull()
    expect(found({ measured, lines: [noted()] })).toBeNull()
  })

  it('is not told by what was said before, by an alert, or of nobody', () => {
    const before = [refused('plot-4', ONSET - 9), line('the account is suspended', 'plot-4', ONSET, 'alert')]
    const unnamed = [
      line('Project is disabled: 1f4c', 'warden'),
      line('Project is disabled: plot-4 plot-5', 'warden'),
    ]
    for (const word of [...before, ...unnamed])
      expect([word.text, found({ lines: [word] })?.kind]).toEqual([word.text, 'node'])
  })

  it('is none of several, and none that has machines left or counts something else', () => {
    expect(found({ shifts: shiftsWith(used('plot-4'), used('plot-5')) })?.kind).toBe('node')
    expect(found({ shifts: shiftsWith(used('plot-4')), lines: [noted('plot-5')] })?.kind).toBe('node')
    expect(found({ shifts: shiftsWith(used('plot-4', 'instances_in_use', { during: 0.8 })) })?.kind).toBe(
      'node',
    )
    expect(found({ shifts: shiftsWith(used('plot-4', 'instances_in_use', { during: 0.7 })) })?.kind).toBe(
      'provider',
    )
    expect(found({ shifts: shiftsWith(used('plot-4', 'load_balancer_healthy_hosts')) })?.kind).toBe('node')
    expect(
      found({ shifts: shiftsWith(used('plot-4', 'servers_running', { direction: 'up', during: 20 })) })?.kind,
    ).toBe('node')
    expect(found({ shifts: shiftsWith(used('stock')) })?.kind).toBe('node')
  })
})
