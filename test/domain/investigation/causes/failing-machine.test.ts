import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '#shared/domain/investigation/confidence.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, EMPTY, series } from '../incident-scenarios.ts'
import { event, facts, found, risen, type Seen, said, warned } from '../scene-by-hand.ts'

describe('a machine that fails what runs on it', () => {
  const baselines = [{ name: 'b1', from: at(0), to: at(60) }]
  const shares = (service: string, ...failing: readonly number[]): Series[] =>
    failing.map((share, index) => ({
      ...series(service, 'http_errors_ratio', 0.002, share),
      labels: { node: `metal-${index + 1}`, pod: `${service}-${index}` },
    }))
  /** Services that fail on `metal-2`, and as many as are given that do not. */
  const failing = (services: readonly string[], more: Seen = {}, well: readonly string[] = []) => {
    const snapshot: Partial<Snapshot> = {
      ...{ baselines, ...more.snapshot },
      series: [
        ...services.flatMap((service) => shares(service, 0.01, 0.5, 0.1)),
        ...well.flatMap((service) => shares(service, 0.01, 0.01, 0.01)),
      ],
    }
    const normal = normalTime({ ...EMPTY, ...snapshot })
    return found('node', { ...more, snapshot, observed: { normal } })
  }
  const both = ['cart', 'stock']
  const there = (service: string, node = 'metal-2', name = 'http_errors_ratio') =>
    risen(service, name, {}, { labels: { node } })

  it('is shown by the series of its instances there, or else by a line that they log', () => {
    const templates = [
      ...[said('it is fine', 'stock', { severity: 'information', during: 40 }), said('it broke', 'web')],
      ...[said('no answer in time'), said('no answer at all')],
    ]
    const cause = failing(both, {
      templates,
      snapshot: { events: [event('it was paused')] },
      shifts: [there('web'), there('cart', 'metal-1', 'b_errors'), there('cart', 'metal-2', 'c_errors')],
    })
    expect(cause).toMatchObject({
      ...{ kind: 'node', entity: 'metal-2', score: 0.75, action: 'reschedule', yields_to_changes: false },
      ...{ at_most: CONFIDENCE_CAP_UNMAPPED },
      what: 'a machine on which instances of several services fail, while those elsewhere do not',
    })
    expect(facts(cause)?.[0]).toEqual([0.5, 'c_errors'])
    expect(facts(cause)?.[1]).toEqual([0.5, 'no answer at all'])
    expect(cause?.signs).toHaveLength(2)
    expect(failing(both, { shifts: [there('cart')] })?.at_most).toBe(CONFIDENCE_CAP_UNLINKED)
  })

  it('is sure by three services, or by what is measured or said of the machine itself', () => {
    const shifts = both.map((service) => there(service))
    const own = ['cpu_usage', 'memory_usage', 'disk_usage'].map((name) => risen('metal-2', name))
    expect(failing(both, { shifts })?.at_most).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(failing([...both, 'web'], { shifts: [...shifts, there('web')] })?.at_most).toBeUndefined()
    const measured = failing(both, { shifts: [...own, ...shifts] })
    expect(measured?.at_most).toBeUndefined()
    expect(facts(measured)?.map(([strength]) => strength)).toEqual([0.45, 0.45, 0.5, 0.5])
    expect(measured?.score).toBe(round6(1 - 0.55 ** 2 * 0.25))
    const well = risen('metal-2', 'cpu_usage', { is_bad: false })
    expect(failing(both, { shifts: [well, ...shifts] })?.at_most).toBe(CONFIDENCE_CAP_UNMAPPED)
    const words = ['node metal-2 under pressure', 'node metal-2 unreachable', 'node metal-2 lost']
    const spoken = failing(both, { shifts, templates: words.map((text) => said(text, 'kubelet')) })
    expect(spoken?.at_most).toBeUndefined()
    expect(spoken?.signs).toHaveLength(4)
    for (const text of [
      'node metal-1 under pressure',
      'node metal-21 under pressure',
      'node metal-2 cordoned',
    ])
      expect(failing(both, { shifts, templates: [said(text, 'kubelet')] })?.signs).toHaveLength(2)
    expect(failing(both, { shifts, snapshot: { alerts: warned(words[0] ?? '') } })?.signs).toHaveLength(2)
  })

  it('is the less likely the fewer of those agree that can be compared, half of them sure', () => {
    const shifts = both.map((service) => there(service))
    const own = [risen('metal-2', 'cpu_usage'), ...shifts]
    const full = round6(1 - 0.55 * 0.25)
    expect(failing(both, { shifts: own }, ['a', 'b'])).toMatchObject({ score: full })
    expect(failing(both, { shifts: own }, ['a', 'b'])?.at_most).toBeUndefined()
    expect(failing(both, { shifts: own }, ['a', 'b', 'c'])).toMatchObject({
      ...{ score: round6((1 - 0.55 * 0.25) * 0.8), at_most: CONFIDENCE_CAP_UNMAPPED },
    })
    const many = ['a', 'b', 'c', 'd', 'e']
    expect(failing(many, { shifts: many.map((service) => there(service)) })?.signs).toHaveLength(4)
    expect(failing(many, { shifts: [...own.slice(0, 1), ...many.map((one) => there(one))] })?.score).toBe(
      0.95,
    )
  })

  it('is a zone where instances on different machines of it fail', () => {
    /** Of each service one instance in each zone, on a machine of its own. */
    const inZones = (services: readonly string[], label = 'topology_kubernetes_io_zone') => {
      const all = services.flatMap((service) =>
        shares(service, 0.01, 0.5, 0.01).map((one, index) => ({
          ...one,
          labels: { pod: `${service}-${index}`, node: `${service}-host-${index}`, [label]: `zone-${index}` },
        })),
      )
      const snapshot: Partial<Snapshot> = { baselines, series: all }
      const normal = normalTime({ ...EMPTY, ...snapshot })
      const shifts = all
        .filter((_, index) => index % 3 === 1)
        .map((one) => ({ ...risen('x', 'y'), series: one }))
      return found('infra', { shifts, snapshot, observed: { normal } })
    }
    for (const label of [
      'zone',
      'availability_zone',
      'cloud.availability_zone',
      'topology_kubernetes_io_zone',
    ])
      expect(inZones(['cart', 'stock', 'web'], label)).toMatchObject({
        ...{ kind: 'infra', entity: 'zone-1', action: 'failover', score: 0.875 },
        what: 'a zone in which instances of several services fail, while those elsewhere do not',
      })
    expect(inZones(['cart', 'stock'])?.at_most).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(inZones(['cart', 'stock'], 'rack')).toBeUndefined()
    expect(inZones(['cart'])).toBeUndefined()
  })

  it('is the machine where as many fail on it as in its zone', () => {
    const series = both
      .flatMap((service) => shares(service, 0.01, 0.5, 0.01))
      .map((one, index) => ({ ...one, labels: { ...one.labels, zone: `zone-${index % 3}` } }))
    const normal = normalTime({ ...EMPTY, baselines, series })
    const shifts = [there('cart'), there('stock')]
    expect(found('node', { shifts, snapshot: { baselines, series }, observed: { normal } })?.entity).toBe(
      'metal-2',
    )
  })
})
