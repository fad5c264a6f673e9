import { describe, expect, it } from 'vitest'
import { probedSites } from '#shared/domain/investigation/causes/probed-sites.ts'
import { CONFIDENCE_CAP_SHOWN } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, counted, graphOf, place, risen } from '../scene-by-hand.ts'

const MEASURES = ['probe_icmp_duration_seconds', 'probe_success']
const probed = (site: string, measures = MEASURES): Series[] =>
  measures.map((name) => series(site, name, 1, 1))
const lost = (site: string, more: Partial<SeriesShift> = {}, measures = MEASURES): SeriesShift[] =>
  measures.map((name) =>
    risen(site, name, { ...(name === 'probe_success' ? { direction: 'down' } : {}), ...more }),
  )
const timedOut = (entity: string, minute = ONSET): Line => ({
  ...{ text: 'dial tcp 10.0.0.7:80: i/o timeout', entity, count: 9, at: at(minute), source: 'logs' },
  ...{ origin: 'log', failing: true },
})
interface Seen {
  readonly sites?: readonly Series[]
  readonly shifts?: readonly SeriesShift[]
  readonly lines?: readonly Line[]
  readonly observed?: Partial<Scene['observed']>
  readonly onset?: number | null
}

const SITES = ['north', 'south', 'west'].flatMap((site) => probed(site))
const found = ({
  sites = SITES,
  shifts = lost('north'),
  lines = [timedOut('stock'), timedOut('web')],
  ...seen
}: Seen = {}) => {
  const snapshot: Snapshot = { ...EMPTY, series: sites }
  return probedSites({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines },
    onset: seen.onset === undefined ? at(ONSET) : seen.onset,
    observed: { ...BARE, first: place('stock'), shifts, ...seen.observed },
  })
}

describe('a site that loses what is sent to it', () => {
  it('is told by probes of it and by who does not get through, while another answers as ever', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'network', entity: 'north', score: 0.7696, at_most: CONFIDENCE_CAP_SHOWN },
      ...{ falls_on: ['stock', 'web'], yields_to_changes: true, action: 'failover' },
      what: 'a site that loses what is sent to it, while another of its kind does not',
    })
  })

  it('is the first of several that fail at once, as they are one event', () => {
    expect(found({ shifts: [...lost('west'), ...lost('south')] })).toMatchObject({
      entity: 'south',
      score: 0.85,
    })
  })

  it('is none where all fail, or where no other is measured in the same ways', () => {
    expect(found({ shifts: ['north', 'south', 'west'].flatMap((site) => lost(site)) })).toBeNull()
    expect(found({ sites: probed('north') })).toBeNull()
    expect(found({ sites: [...probed('north'), ...probed('south', ['probe_success'])] })).toBeNull()
    expect(found({ sites: probed('north').concat(probed('south')) })?.entity).toBe('north')
    // One that fails by a part of it is no measure of what is usual.
    expect(
      found({
        sites: [...probed('north'), ...probed('south')],
        shifts: [...lost('north'), ...lost('south', {}, ['probe_success'])],
      }),
    ).toBeNull()
    expect(
      found({
        observed: {
          flows: new Map([
            ['south', counted('south', 0)],
            ['west', counted('west', 0)],
          ]),
        },
      }),
    ).toBeNull()
  })

  it('is told by several measures that step with the harm and last as long', () => {
    expect(found({ shifts: lost('north', {}, ['probe_success']) })).toBeNull()
    expect(found({ shifts: lost('north', { is_bad: false }) })).toBeNull()
    expect(
      found({ shifts: lost('north', { ended_at: at(ONSET + 9) }), observed: { first: place('stock') } }),
    ).toBeNull()
    const early = { at: at(ONSET - 3), earliest: at(ONSET - 3), latest: at(ONSET - 3) }
    expect(found({ shifts: lost('north', { onset: early }) })).toBeNull()
    const other = ['http_errors_ratio', 'http_latency_ms']
    expect(
      found({
        sites: ['north', 'south'].flatMap((site) => probed(site, other)),
        shifts: lost('north', {}, other),
      }),
    ).toBeNull()
  })

  it('is nobody that calls are counted to, or that calls others', () => {
    expect(found({ observed: { flows: new Map([['north', counted('north', 9)]]) } })).toBeNull()
    expect(found({ observed: { graph: graphOf({ north: ['vault'] }) } })).toBeNull()
  })

  it('is missed by several services in time, or calls get lost between everybody', () => {
    expect(found({ lines: [timedOut('stock')] })).toBeNull()
    expect(found({ lines: [timedOut('stock'), timedOut('stock')] })).toBeNull()
    expect(found({ lines: [timedOut('stock'), timedOut('web', ONSET + 9)] })).toBeNull()
    expect(found({ lines: [], observed: { lost_everywhere: true } })?.score).toBe(0.64)
    expect(found({ onset: null })).toBeNull()
    expect(found({ observed: { first: null } })).toBeNull()
  })
})
