import { describe, expect, it } from 'vitest'
import { offClock } from '#shared/domain/investigation/causes/off-clocks.ts'
import {
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_WITNESSED,
} from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, causes, place, risen, said } from '../scene-by-hand.ts'

const YEAR_S = 31_536_000
const off = (entity: string, name: string, minute = ONSET, by = -YEAR_S, unit = 's'): SeriesShift =>
  risen(
    entity,
    name,
    {
      ...{ direction: 'down', before: 0.002, during: by, extreme: by, is_bad: false },
      onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute) },
    },
    { unit },
  )
const CLOCK = off('gps-1', 'ntp_drift_seconds')
const FOLLOWER = off('metal-1', 'node_timex_offset_seconds', ONSET + 0.5)
const REFUSED: Line = {
  ...{ text: 'KRB_AP_ERR_SKEW: Clock skew too great', entity: 'stock', count: 20, at: at(ONSET) },
  ...{ source: 'logs', origin: 'log', failing: true },
}
/** An instance of the failing service that runs on a machine. */
const onMachine = { ...series('stock', 'http_5xx_ratio', 0, 1), labels: { node: 'metal-1' } }

function found(
  shifts: readonly SeriesShift[],
  lines: readonly Line[] = [REFUSED],
  onset: number | null = at(ONSET),
) {
  const snapshot = { ...EMPTY, series: [onMachine] }
  const observed = { ...BARE, first: place('stock'), failing: [place('stock')], shifts }
  const scene: Scene = { snapshot, observed, symptoms: [], names: entityNames(snapshot), lines, onset }
  return offClock(scene)
}

describe('a clock that is off', () => {
  it('is the one that others are off with and that runs nothing of what fails, whichever was measured first', () => {
    expect(found([off('metal-1', 'node_timex_offset_seconds', ONSET - 0.5), CLOCK])).toMatchObject({
      ...{ kind: 'infra', entity: 'gps-1', what: 'a clock that is off', at_most: CONFIDENCE_CAP_WITNESSED },
      ...{ falls_on: ['metal-1', 'stock'], is_placed: true, is_whole: true, yields_to_changes: true },
    })
  })

  it('is the first to be off where several run nothing of it', () => {
    expect(found([off('gps-2', 'chrony_offset_seconds', ONSET + 1), CLOCK])?.entity).toBe('gps-1')
  })

  it('is read in the unit of its measure, and less sure where nobody is off with it', () => {
    const alone = found([off('gps-1', 'ntp_offset', ONSET, 400_000, 'ms')])
    expect(alone).toMatchObject({ entity: 'gps-1', at_most: CONFIDENCE_CAP_CONSEQUENCE })
    expect(alone?.is_whole).toBeUndefined()
    expect(found([CLOCK, off('metal-1', 'node_timex_offset_seconds', ONSET, 900)])?.at_most).toBe(
      CONFIDENCE_CAP_CONSEQUENCE,
    )
    expect(found([off('gps-1', 'ntp_offset', ONSET, 400_000, 'us')])).toBeNull()
  })

  it('is told as well by who counts what is refused for it', () => {
    const refused = risen(
      'stock',
      'kerberos_tickets_refused_total:rate1m',
      {},
      { labels: { error: 'KRB_AP_ERR_SKEW' } },
    )
    expect(found([CLOCK, FOLLOWER, refused], [])).toMatchObject({
      entity: 'gps-1',
      falls_on: ['metal-1', 'stock'],
    })
  })

  it('is none that is off by what is let pass, that nobody is refused for, or that was off before or is well again', () => {
    expect(found([off('gps-1', 'ntp_drift_seconds', ONSET, 20)])).toBeNull()
    expect(found([CLOCK, FOLLOWER], [])).toBeNull()
    expect(found([CLOCK, FOLLOWER], [{ ...REFUSED, text: 'connection reset' }])).toBeNull()
    expect(found([off('gps-1', 'ntp_drift_seconds', ONSET - 40)])).toBeNull()
    expect(found([{ ...CLOCK, ended_at: at(ONSET + 2) }])).toBeNull()
    expect(found([off('gps-1', 'disk_offset')])).toBeNull()
    expect(found([CLOCK], [REFUSED], null)).toBeNull()
  })

  it('takes the place of what those say who are refused for it', () => {
    const templates = [said('KRB_AP_ERR_SKEW: Clock skew too great')]
    const told = (shifts: readonly SeriesShift[]) =>
      causes({
        ...{ templates, shifts },
        observed: { failing: [place('stock', { shifts: [risen('stock', 'http_5xx_ratio')] })] },
      })
        .filter(({ what }) => what === 'a clock that is off')
        .map(({ entity }) => entity)
    expect(told([])).toEqual(['stock'])
    expect(told([CLOCK, FOLLOWER])).toEqual(['gps-1'])
  })
})
