import { describe, expect, it } from 'vitest'
import { givenWay } from '#shared/domain/investigation/causes/given-way.ts'
import { CONFIDENCE_CAP_CONSEQUENCE } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import { BARE, place, risen } from '../scene-by-hand.ts'

const since = (minute: number) => ({ at: at(minute), earliest: at(minute - 0.5), latest: at(minute) })
const of = (member: number, name: string, until = LENGTH, entity = 'broker'): Series => {
  const one = series(entity, name, 1, 2)
  const times = one.times.filter((time) => time <= at(until))
  return { ...one, times, values: one.values.subarray(0, times.length), labels: { member: String(member) } }
}
/** Whether each of three is reached, and what each takes; the first one tells nothing of what it takes from the onset on. */
const REACHED = [0, 1, 2].map((member) => of(member, 'broker_up'))
const TAKING = [of(0, 'connections_opened', ONSET), of(1, 'connections_opened'), of(2, 'connections_opened')]

const went = (member: number, minute = ONSET, more: Partial<SeriesShift> = {}): SeriesShift => ({
  ...risen('broker', 'broker_up', { direction: 'down', is_bad: true, before: 1, during: 0, extreme: 0 }),
  ...{ onset: since(minute), ...more, series: REACHED[member] as Series },
})
const took = (member: number, minute = ONSET, more: Partial<SeriesShift> = {}): SeriesShift => ({
  ...risen('broker', 'connections_opened', { before: 5, during: 12, extreme: 140 }),
  ...{ onset: since(minute), ...more, series: TAKING[member] as Series },
})
const said: Line = {
  ...{ text: 'member 0 of broker does not answer, asking another', entity: 'web', count: 9, at: at(ONSET) },
  ...{ source: 'logs', origin: 'log', failing: true },
}

function found(
  shifts: readonly SeriesShift[],
  lines: readonly Line[] = [],
  measured: readonly Series[] = [...REACHED, ...TAKING],
  onset: number | null = at(ONSET),
) {
  const snapshot = { ...EMPTY, series: measured }
  const observed = { ...BARE, first: place('broker'), shifts }
  const scene: Scene = { snapshot, observed, symptoms: [], names: entityNames(snapshot), lines, onset }
  return givenWay(scene)
}

describe('members of which one is gone, so that the others have more than they bear', () => {
  it('are told by the one that is reached no more, what the others take since, and the next one to go', () => {
    const cause = found([went(1, ONSET + 3), took(1), took(2), went(0)], [said])
    expect(cause).toMatchObject({
      ...{ kind: 'infra', entity: 'broker', is_placed: true, yields_to_changes: true, score: 0.85 },
      at_most: CONFIDENCE_CAP_CONSEQUENCE,
    })
    expect(cause?.signs.map(({ strength }) => strength)).toEqual([0.4, 0.4, 0.4, 0.35, 0.3])
    expect(found([went(0), took(1)])?.score).toBe(0.64)
  })

  it('are read from probes as well', () => {
    const probed = [0, 1].map((member) => of(member, 'probe_success'))
    const gone = { ...went(0), series: probed[0] as Series }
    expect(found([gone, took(1)], [], [...probed, ...TAKING])).not.toBeNull()
  })

  it('are none where nobody takes over, or what is taken rose by little or long after', () => {
    expect(found([went(0), went(1, ONSET + 3)])).toBeNull()
    expect(found([went(0), took(1, ONSET, { extreme: 7 })])).toBeNull()
    expect(found([went(0), took(1, ONSET + 3)])).toBeNull()
    expect(found([went(0), took(1, ONSET, { direction: 'down' })])).toBeNull()
  })

  it('are none where more is asked of all, the one that is gone among them', () => {
    const all = [...REACHED, of(0, 'connections_opened'), TAKING[1] as Series, TAKING[2] as Series]
    expect(found([went(0), took(1), took(2)], [], all)).toBeNull()
  })

  it('are none where several go at once: these have one reason', () => {
    expect(found([went(0), went(1, ONSET + 0.5), took(2)])).toBeNull()
    expect(found([went(0), went(1, ONSET + 1), took(2)])).not.toBeNull()
  })

  it('are none of a part that is down as a whole when the first member is', () => {
    const whole = series('broker', 'up', 1, 0)
    const gone = (minute: number) => ({ ...went(0, minute), series: whole })
    const measured = [...REACHED, ...TAKING, whole]
    expect(found([went(0), took(1), gone(ONSET)], [], measured)).toBeNull()
    expect(found([went(0), took(1), gone(ONSET + 4)], [], measured)).not.toBeNull()
  })

  it('are none of a part that has one member, or that is reached, or was well again or gone long before', () => {
    expect(found([went(0), took(1)], [], [REACHED[0] as Series, ...TAKING])).toBeNull()
    expect(found([took(1)])).toBeNull()
    expect(found([went(0, ONSET, { during: 0.4 }), took(1)])).toBeNull()
    expect(found([went(0, ONSET, { before: 0.4 }), took(1)])).toBeNull()
    expect(found([went(0, ONSET, { ended_at: at(ONSET + 1) }), took(1)])).toBeNull()
    expect(found([went(0, ONSET - 20), took(1, ONSET - 20)])).toBeNull()
    expect(found([went(0), took(1)], [], undefined, null)).toBeNull()
  })

  it('are named by those who fail only where they say so again and again', () => {
    const strengths = (count: number) =>
      found([went(0), took(1)], [{ ...said, count }])?.signs.map(({ strength }) => strength)
    expect(strengths(5)).toEqual([0.4, 0.4, 0.3])
    expect(strengths(4)).toEqual([0.4, 0.4])
  })
})
