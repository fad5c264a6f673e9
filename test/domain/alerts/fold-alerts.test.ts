import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Alert } from '#shared/domain/alerts/alert.ts'
import type { AlertGroup, Fold, KnownAlert } from '#shared/domain/alerts/alert-group.ts'
import {
  foldAlerts,
  HELD_BACK_MS,
  isFiring,
  settleGroup,
  tellsNews,
} from '#shared/domain/alerts/fold-alerts.ts'
import type { Incident } from '#shared/domain/incident.ts'
import { AlertWorld, alertOf, INTEGRATION, MINUTE, START, WINDOWS } from './alert-world.ts'

const resolved = (at: number, more: Parameters<typeof alertOf>[0] = {}): Alert =>
  alertOf({ status: 'resolved', at, starts_at: START, ends_at: at, ...more })
const only = (world: AlertWorld) => {
  expect(world.all).toHaveLength(1)
  return world.all[0] as (typeof world.all)[0]
}

describe('an alert that fires', () => {
  it('opens an incident with its title, service and severity, and an event, to be investigated at once', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    expect(only(world)).toMatchObject({
      title: 'Errors above 5 %',
      service: 'checkout',
      severity: 'high',
      status: 'open',
      analysis: 'pending',
      started_at: new Date(START).toISOString(),
    })
    expect(world.eventsOf(only(world).id)).toEqual(['incident.created'])
    expect([...world.shown.values()]).toEqual([
      expect.objectContaining({ status: 'firing', starts_at: new Date(START).toISOString(), ends_at: null }),
    ])
  })

  it('writes nothing when it is said again', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.now += 5 * MINUTE
    expect(world.take(alertOf(), alertOf())).toBe(false)
  })

  it('is noted again in time, where silence would count as its end', () => {
    const world = new AlertWorld()
    world.take(alertOf({ ending: 'repeats' }))
    world.now += 30 * MINUTE
    expect(world.take(alertOf({ ending: 'repeats' }))).toBe(false)
    world.now += 31 * MINUTE
    expect(world.take(alertOf({ ending: 'repeats' }))).toBe(true)
  })

  it('joins the incident of its group, raising its severity and never lowering it', () => {
    const world = new AlertWorld()
    world.take(alertOf({ severity: 'medium' }))
    world.take(alertOf({ fingerprint: 'f2', severity: 'critical' }))
    world.take(alertOf({ fingerprint: 'f3', severity: 'low' }))
    expect(only(world).severity).toBe('critical')
    expect(world.events).toHaveLength(1)
  })

  it('raises the severity when it itself gets worse', () => {
    const world = new AlertWorld()
    world.take(alertOf({ severity: 'medium' }))
    world.take(alertOf({ severity: 'high', at: START + MINUTE }))
    expect(only(world).severity).toBe('high')
    expect([...world.shown.values()][0]?.severity).toBe('high')
  })

  it('leaves the severity that a person chose, as long as nothing new is worse', () => {
    const world = new AlertWorld()
    world.take(alertOf({ severity: 'high', ending: 'repeats' }))
    const incident = only(world)
    world.incidents.set(incident.id, { ...incident, severity: 'low' })
    world.now += 2 * 60 * MINUTE
    world.take(alertOf({ severity: 'high', ending: 'repeats' }))
    expect(only(world).severity).toBe('low')
  })

  it('stays in its group while it fires, whatever its labels say meanwhile', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.take(resolved(START + MINUTE, { service: 'renamed' }))
    world.pass(2 * MINUTE)
    expect(only(world).status).toBe('resolved')
  })
})

describe('an incident', () => {
  it('is resolved once every alert is over for the quiet time, with one event', () => {
    const world = new AlertWorld()
    world.take(alertOf(), alertOf({ fingerprint: 'f2' }))
    world.take(resolved(START + MINUTE))
    world.pass(5 * MINUTE)
    expect(only(world).status).toBe('open')
    world.take(resolved(world.now, { fingerprint: 'f2' }))
    world.now += WINDOWS.quiet_ms - 1
    world.sweep()
    expect(only(world).status).toBe('open')
    world.now += 1
    world.sweep()
    world.sweep()
    expect(only(world)).toMatchObject({ status: 'resolved', resolved_at: new Date(world.now).toISOString() })
    expect(world.eventsOf(only(world).id)).toEqual(['incident.created', 'incident.resolved'])
    expect([...world.shown.values()].map(({ status }) => status)).toEqual(['resolved', 'resolved'])
  })

  it('is held back for so long while something waits that may say that it goes on', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.take(resolved(START + 1))
    world.waits = true
    world.now += WINDOWS.quiet_ms + HELD_BACK_MS - 1
    world.sweep()
    expect(only(world).status).toBe('open')
    world.now += 1
    world.sweep()
    expect(only(world).status).toBe('resolved')
  })

  it('is not resolved while what flaps comes back within the quiet time', () => {
    const world = new AlertWorld()
    for (let round = 0; round < 5; round += 1) {
      world.take(alertOf({ at: world.now }))
      world.now += 30_000
      world.take(resolved(world.now))
      world.now += 30_000
      world.sweep()
    }
    expect(only(world).status).toBe('open')
  })

  it('is opened again by what fires within ten minutes, told nobody as new, and investigated again', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.take(resolved(START + 1_000))
    world.pass(2 * MINUTE)
    expect(only(world).status).toBe('resolved')
    world.pass(9 * MINUTE)
    world.take(alertOf({ at: world.now, severity: 'critical' }))
    expect(only(world)).toMatchObject({ status: 'investigating', severity: 'critical', resolved_at: null })
    expect(world.investigated).toEqual([only(world).id])
    expect(world.eventsOf(only(world).id)).toEqual(['incident.created', 'incident.resolved'])
  })

  it('stays resolved when the same happens later: that is another one', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.take(resolved(START + 1_000))
    world.pass(20 * MINUTE)
    world.take(alertOf({ at: world.now }))
    expect(world.all.map(({ status }) => status)).toEqual(['resolved', 'open'])
    world.take(resolved(world.now + 1))
    world.pass(2 * MINUTE)
    expect(world.all.map(({ status }) => status)).toEqual(['resolved', 'resolved'])
  })

  it('that a person resolved is opened again by what begins, and not by what goes on', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.person(only(world).id, 'resolved')
    world.now += MINUTE
    expect(world.take(alertOf())).toBe(false)
    expect(only(world).status).toBe('resolved')
    world.take(alertOf({ fingerprint: 'f2', at: world.now }))
    expect(only(world).status).toBe('investigating')
  })

  it('that a person resolved long ago is followed by another, which alone its own alerts hold open', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.person(only(world).id, 'resolved')
    world.pass(30 * MINUTE)
    world.take(alertOf({ fingerprint: 'f2', at: world.now }))
    expect(world.all).toHaveLength(2)
    world.take(resolved(world.now, { fingerprint: 'f2' }))
    world.pass(2 * MINUTE)
    expect(world.all[1]?.status).toBe('resolved')
    expect(world.wrongCounts()).toEqual([])
  })

  it('that a person resolved is left so when its alerts end', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    const { id } = only(world)
    world.person(id, 'resolved')
    world.take(resolved(START + MINUTE))
    world.pass(5 * MINUTE)
    expect(world.eventsOf(id)).toEqual(['incident.created'])
    expect([...world.groups.values()][0]?.quiet_until).toBeNull()
  })
})

describe('an end', () => {
  it('of what nobody saw begin opens nothing', () => {
    const world = new AlertWorld()
    world.take(resolved(START))
    expect(world.all).toEqual([])
    expect(world.groups.size).toBe(0)
  })

  it('that overtook its beginning counts: the incident is opened as over, and resolved', () => {
    const world = new AlertWorld()
    world.take(resolved(START + MINUTE))
    world.take(alertOf())
    expect([...world.shown.values()]).toEqual([expect.objectContaining({ status: 'resolved' })])
    world.pass(2 * MINUTE)
    expect(only(world).status).toBe('resolved')
    expect(world.eventsOf(only(world).id)).toEqual(['incident.created', 'incident.resolved'])
  })

  it('of an earlier occurrence does not end a later one', () => {
    const world = new AlertWorld()
    world.take(alertOf({ at: START + 3 * MINUTE }))
    world.take(resolved(START + MINUTE))
    world.pass(5 * MINUTE)
    expect(only(world).status).toBe('open')
  })

  it('at the very instant of a beginning wins', () => {
    const world = new AlertWorld()
    world.take(alertOf(), resolved(START))
    world.pass(2 * MINUTE)
    expect(only(world).status).toBe('resolved')
  })

  it('that came before an incident that is resolved by now joins that, and opens nothing again', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.take(resolved(START + 1_000))
    world.pass(2 * MINUTE)
    world.take(
      resolved(START + 1_000, { fingerprint: 'f2' }),
      alertOf({ fingerprint: 'f2', severity: 'critical' }),
    )
    expect(only(world)).toMatchObject({ status: 'resolved', severity: 'high' })
    expect(world.shown.size).toBe(2)
  })
})

describe('what fires with the begin of before after it was said to be over', () => {
  const repeated = (minute: number): Alert =>
    alertOf({ ending: 'repeats', received_at: START + minute * MINUTE })
  const over = (minute: number): Alert =>
    resolved(START + minute * MINUTE, { ending: 'repeats', received_at: START + minute * MINUTE })
  const statuses = (world: AlertWorld) => world.all.map(({ status }) => status)

  it('fires again, opens the incident again, and is over with the next end', () => {
    const world = new AlertWorld()
    world.take(repeated(0))
    world.now += 5 * MINUTE
    world.take(over(5))
    world.pass(2 * MINUTE)
    expect(statuses(world)).toEqual(['resolved'])
    expect(world.take(repeated(7))).toBe(true)
    expect(statuses(world)).toEqual(['investigating'])
    world.pass(5 * MINUTE)
    expect(world.take(repeated(12))).toBe(false)
    expect(statuses(world)).toEqual(['investigating'])
    world.take(over(12))
    world.pass(2 * MINUTE)
    expect(statuses(world)).toEqual(['resolved'])
    expect(world.wrongCounts()).toEqual([])
  })

  it('fires again in the batch of its end too, whichever stands first', () => {
    for (const batch of [
      [over(5), repeated(7)],
      [repeated(7), over(5)],
    ]) {
      const world = new AlertWorld()
      world.take(repeated(0))
      world.now += 7 * MINUTE
      world.take(...batch)
      world.pass(5 * MINUTE)
      expect(statuses(world)).toEqual(['open'])
    }
  })

  it('fires again from a whole minute after its end on', () => {
    const world = new AlertWorld()
    world.take(repeated(0))
    world.now += 5 * MINUTE
    world.take(over(5))
    world.pass(2 * MINUTE)
    expect(world.take(repeated(6))).toBe(true)
    expect(statuses(world)).toEqual(['investigating'])
  })

  it('stays over where that was sent within a minute of its end, or before it, or by who repeats nothing', () => {
    for (const late of [
      repeated(5.9),
      repeated(4),
      { ...repeated(9), ending: 'tells' as const },
      alertOf({ ending: 'repeats' }),
    ]) {
      const world = new AlertWorld()
      world.take(repeated(0))
      world.now += 5 * MINUTE
      world.take(over(5))
      world.now += 10 * MINUTE
      world.take(late)
      world.pass(5 * MINUTE)
      expect(statuses(world)).toEqual(['resolved'])
    }
  })
})

describe('silence', () => {
  it('of a sender that repeats what fires ends its alerts, and a repetition takes that back', () => {
    const world = new AlertWorld()
    world.take(alertOf({ ending: 'repeats' }), alertOf({ fingerprint: 'f2', ending: 'repeats' }))
    world.pass(6 * 60 * MINUTE)
    world.take(alertOf({ ending: 'repeats' }))
    world.pass(7 * 60 * MINUTE)
    expect(only(world).status).toBe('open')
    expect([...world.groups.values()][0]?.firing).toBe(1)
    world.pass(6 * 60 * MINUTE)
    expect(only(world).status).toBe('resolved')
    world.take(alertOf({ ending: 'repeats' }))
    expect(world.wrongCounts()).toEqual([])
    expect(world.all.some(({ status }) => status !== 'resolved')).toBe(true)
  })

  it('of a sender that never tells the end ends its alerts sooner', () => {
    const world = new AlertWorld()
    world.take(alertOf({ ending: 'silent' }))
    world.pass(4 * 60 * MINUTE + 3 * MINUTE)
    expect(only(world).status).toBe('resolved')
  })

  it('of a sender that tells the end means nothing', () => {
    const world = new AlertWorld()
    world.take(alertOf())
    world.pass(30 * 24 * 60 * MINUTE)
    expect(only(world).status).toBe('open')
  })
})

describe('silence of a tool that is asked', () => {
  const HOUR = 60 * MINUTE
  const confirmation = (given: Parameters<typeof alertOf>[0] = {}) => ({
    ...alertOf({ ending: 'repeats', ...given }),
    confirms: true as const,
  })

  it('means nothing while the tool says that the alert fires, and its word raises nothing', () => {
    const world = new AlertWorld()
    world.take(alertOf({ ending: 'repeats', severity: 'low' }))
    for (let quarter = 0; quarter < 4 * 14; quarter += 1) {
      world.pass(15 * MINUTE)
      world.take(confirmation({ severity: 'critical', labels: { other: 'labels' }, title: 'Other' }))
      world.asked.set(INTEGRATION, world.now)
    }
    expect(only(world)).toMatchObject({ status: 'open', severity: 'low', title: alertOf().title })
    expect([...world.shown.values()].map(({ title }) => title)).toEqual([alertOf().title])
    expect(world.wrongCounts()).toEqual([])
  })

  it('ends no alert until the tool was asked, did not name it, and what it said has been taken in', () => {
    const world = new AlertWorld()
    world.asked.set(INTEGRATION, START)
    world.take(alertOf({ ending: 'repeats' }))
    // It cannot be reached: that it is silent says nothing.
    world.pass(30 * HOUR)
    expect(only(world).status).toBe('open')
    world.asked.set(INTEGRATION, world.now)
    world.pass(9 * MINUTE)
    expect(world.wrongCounts()).toEqual([])
    expect([...world.shown.values()][0]?.status).toBe('firing')
    world.pass(6 * MINUTE)
    expect(only(world).status).toBe('resolved')
    expect(world.eventsOf(only(world).id)).toEqual(['incident.created', 'incident.resolved'])
  })

  it('ends those alone that the tool does not name', () => {
    const world = new AlertWorld()
    world.take(alertOf({ ending: 'repeats' }), alertOf({ ending: 'repeats', fingerprint: 'f2' }))
    world.asked.set(INTEGRATION, START)
    world.pass(11 * HOUR)
    world.take(confirmation())
    world.asked.set(INTEGRATION, world.now)
    world.pass(2 * HOUR)
    expect([...world.shown.values()].map(({ status }) => status).sort()).toEqual(['firing', 'resolved'])
    expect(only(world).status).toBe('open')
    expect(world.wrongCounts()).toEqual([])
  })

  it('has its confirmations open nothing, neither of what nobody sent nor of what is over', () => {
    const world = new AlertWorld()
    expect(world.take(confirmation())).toBe(false)
    world.take(alertOf({ ending: 'repeats' }), alertOf({ status: 'resolved', at: START + 1 }))
    world.pass(5 * MINUTE)
    expect(world.take(confirmation({ at: world.now }))).toBe(false)
    expect(only(world).status).toBe('resolved')
    expect(world.all).toHaveLength(1)
  })
})

/** What one step writes, by hand: an alert that fires since `START` in a group of one, a minute later. */
const NOW = START + MINUTE
const iso = (at: number): string => new Date(at).toISOString()
const context = { now: NOW, windows: WINDOWS, newId: (prefix: string) => `${prefix}_new` }
const knownAs = (more: Partial<KnownAlert> = {}): KnownAlert => ({
  ...{ key: 'k1', integration_id: INTEGRATION, group: 'g', incident_id: 'inc_1', fired_at: START },
  ...{ resolved_at: null, severity: 'high', ending: 'tells', seen_at: START, stale: false, rev: 3 },
  ...more,
})
const groupAs = (more: Partial<AlertGroup> = {}): AlertGroup => ({
  ...{ key: 'g', incident_id: 'inc_1', firing: 1, quiet_until: null, stale_at: null, version: 7 },
  ...more,
})
const incidentAs = (more: Partial<Incident> = {}): Incident => ({
  ...{ id: 'inc_1', title: 'Errors', status: 'open', severity: 'high', service: 'checkout' },
  ...{ description: null, started_at: iso(START), created_at: iso(START), updated_at: iso(START) },
  ...{ resolved_at: null, analysis: 'pending', root_cause: null, version: 4 },
  ...more,
})
const resolvedAt = (at: number) => incidentAs({ status: 'resolved', resolved_at: iso(at) })
type State = { group?: AlertGroup; incident?: Incident; known?: readonly KnownAlert[]; now?: number }
const fold = (messages: readonly (readonly [key: string, alert: Alert])[], state: State = {}): Fold | null =>
  foldAlerts(
    { key: 'g', group: state.group, incident: state.incident },
    messages.map(([key, alert]) => ({ key, alert })),
    new Map((state.known ?? []).map((known) => [known.key, known])),
    { ...context, now: state.now ?? NOW },
  )
const ofOne = (state: State = {}): State => ({
  ...{ group: groupAs(), incident: incidentAs(), known: [knownAs()] },
  ...state,
})

describe('whether an alert fires', () => {
  it('is known of one that was said to begin, and to end no later', () => {
    expect(isFiring(knownAs())).toBe(true)
    expect(isFiring(knownAs({ fired_at: null }))).toBe(false)
    expect(isFiring(knownAs({ fired_at: null, resolved_at: START }))).toBe(false)
    expect(isFiring(knownAs({ resolved_at: START - 1 }))).toBe(true)
    expect(isFiring(knownAs({ resolved_at: START }))).toBe(false)
    expect(isFiring(knownAs({ stale: true }))).toBe(false)
  })
})

describe('an incident that several alerts open at once', () => {
  const low = alertOf({ title: 'C', severity: 'low', at: START - MINUTE, starts_at: START + 30_000 })
  const early = alertOf({ title: 'Z', severity: 'high', at: START, service: 'cart', description: 'it hurts' })
  const late = alertOf({ title: 'B', severity: 'high', at: START + 1, starts_at: null })
  const all = [
    ['k1', low],
    ['k2', early],
    ['k3', late],
  ] as const
  const opened = (messages: readonly (readonly [string, Alert])[]) => {
    const incident = fold(messages)?.incident
    if (incident?.how !== 'opened') throw new Error('no incident was opened')
    return incident
  }

  it('is named after the worst, of those the first, whatever order they come in', () => {
    for (const messages of [all, all.toReversed(), [all[1], all[2], all[0]] as const]) {
      const { incident, entry } = opened(messages)
      expect(incident).toMatchObject({
        title: 'Z',
        severity: 'high',
        service: 'cart',
        description: 'it hurts',
      })
      expect(entry).toMatchObject({
        ...{ kind: 'created', text: 'Incident opened by an alert: Z', by: INTEGRATION, id: 'tl_new' },
      })
    }
  })

  it('is named by the alphabet where nothing else tells two apart', () => {
    const twin = { ...early, title: 'Y' }
    for (const messages of [
      [all[1], ['k4', twin] as const],
      [['k4', twin] as const, all[1]],
    ])
      expect(opened(messages).incident.title).toBe('Y')
  })

  it('started when the first of them did, as far as they say', () => {
    expect(opened(all).incident.started_at).toBe(iso(START))
    expect(opened([all[0], all[2]]).incident.started_at).toBe(iso(START + 1))
    expect(opened([all[0]]).incident.started_at).toBe(iso(START + 30_000))
  })

  it('counts those that fire, and notes each of them as its own', () => {
    const over = resolved(START + 2, { fingerprint: 'f3' })
    const written = fold([...all, ['k3', over]])
    expect(written?.after).toEqual({
      ...{ key: 'g', incident_id: 'inc_new', firing: 2, quiet_until: null, stale_at: null, version: 1 },
    })
    expect(written?.alerts.map(({ after }) => [after.key, after.incident_id, after.rev])).toEqual([
      ['k1', 'inc_new', 1],
      ['k2', 'inc_new', 1],
      ['k3', 'inc_new', 1],
    ])
  })
})

describe('what one alert says', () => {
  const shownOf = (written: Fold | null) => {
    const shown = written?.alerts[0]?.shown
    return shown?.how === 'anew' ? shown.alert : shown
  }

  it('is shown as it was said last, of two at one instant by the alphabet', () => {
    const first = alertOf({ title: 'A', severity: 'critical', ending: 'silent' })
    const last = alertOf({ title: 'B', at: START + 1 })
    const twin = alertOf({ title: 'C', at: START + 1 })
    for (const messages of [
      [first, last, twin],
      [twin, last, first],
      [last, first, twin],
    ]) {
      const written = fold(messages.map((alert) => ['k1', alert] as const))
      expect(shownOf(written)).toMatchObject({ title: 'B', severity: 'critical', status: 'firing' })
      expect(written?.alerts[0]?.after).toMatchObject({ ending: 'tells', fired_at: START + 1 })
    }
  })

  it('is shown since it began, else since it was said, and until it ended', () => {
    expect(shownOf(fold([['k1', alertOf({ at: START + 5, starts_at: START - 5 })]]))).toMatchObject({
      starts_at: iso(START - 5),
      ends_at: null,
    })
    expect(shownOf(fold([['k1', alertOf({ at: START + 5, starts_at: null })]]))).toMatchObject({
      starts_at: iso(START + 5),
    })
    expect(
      shownOf(
        fold([
          ['k1', alertOf()],
          ['k1', resolved(START + 7)],
        ]),
      ),
    ).toMatchObject({ status: 'resolved', ends_at: iso(START + 7) })
  })

  it('of its end alone is kept, opens nothing and is shown nowhere', () => {
    expect(fold([['k1', resolved(START, { ending: 'silent' })]])).toEqual({
      ...{ before: undefined, after: undefined, incident: { how: 'untouched' } },
      alerts: [
        {
          before: undefined,
          after: knownAs({
            ...{
              incident_id: null,
              fired_at: null,
              resolved_at: START,
              seen_at: NOW,
              rev: 1,
              ending: 'silent',
            },
          }),
          shown: { how: 'unchanged' },
        },
      ],
    })
  })

  it('of its end is told with its instant, leaves the group, and nothing else changes', () => {
    const written = fold([['k1', resolved(START + 7)]], ofOne({ known: [knownAs({ ending: 'repeats' })] }))
    expect(written).toMatchObject({
      after: {
        incident_id: 'inc_1',
        firing: 0,
        quiet_until: NOW + WINDOWS.quiet_ms,
        stale_at: null,
        version: 8,
      },
      incident: { how: 'untouched' },
      alerts: [
        {
          after: { rev: 4, ending: 'repeats', resolved_at: START + 7 },
          shown: { how: 'over', ends_at: iso(START + 7), incident_id: 'inc_1' },
        },
      ],
    })
  })

  it('is news only where it says what is not known', () => {
    const news = (alert: Alert, known: readonly KnownAlert[] = [knownAs()]) =>
      tellsNews([{ key: 'k1', alert }], new Map(known.map((each) => [each.key, each])), context)
    expect(news(alertOf(), [])).toBe(true)
    expect(news(alertOf())).toBe(false)
    expect(news(alertOf({ severity: 'critical' }))).toBe(true)
    expect(news(resolved(START + 1))).toBe(true)
    expect(news(resolved(START + 1), [knownAs({ resolved_at: START + 1 })])).toBe(false)
  })

  it('is noted again once a twelfth of the time is over after which silence would end it', () => {
    const noted = (passed: number, ending: KnownAlert['ending'] = 'repeats') =>
      fold([['k1', alertOf({ ending })]], ofOne({ known: [knownAs({ ending })], now: START + passed }))
    expect(noted(60 * MINUTE)).toBeNull()
    expect(noted(60 * MINUTE + 1)).toMatchObject({
      ...{ incident: { how: 'untouched' }, alerts: [{ shown: { how: 'unchanged' } }] },
      after: { firing: 1, stale_at: START + 60 * MINUTE + 1 + WINDOWS.repeats_stale_ms, quiet_until: null },
    })
    expect(noted(20 * MINUTE + 1, 'silent')).not.toBeNull()
    expect(noted(20 * MINUTE, 'silent')).toBeNull()
    expect(noted(1_000 * MINUTE, 'tells')).toBeNull()
  })

  it('takes back that it fell silent unless it is of before that', () => {
    const silent = knownAs({ stale: true, seen_at: NOW, ending: 'repeats' })
    const state = ofOne({ known: [silent], group: groupAs({ firing: 0, quiet_until: NOW + 5 }) })
    const again = (at: number) => fold([['k1', alertOf({ at, ending: 'repeats' })]], state)
    expect(again(START - 1)).toBeNull()
    for (const at of [START, START + 1])
      expect(again(at)).toMatchObject({ after: { firing: 1 }, alerts: [{ after: { stale: false } }] })
    const ended = fold([['k1', resolved(START + 1)]], state)
    expect(ended?.alerts).toMatchObject([{ after: { stale: true }, shown: { how: 'unchanged' } }])
    expect(ended?.after).toMatchObject({ firing: 0, quiet_until: NOW + 5 })
  })

  it('only confirms where the tool was asked: the instant grows, and nothing else does', () => {
    const confirms = {
      ...alertOf({ at: START + 9, severity: 'critical', ending: 'repeats' }),
      confirms: true,
    } as const
    const written = fold([['k1', confirms]], ofOne())
    expect(written?.alerts[0]?.after).toMatchObject({
      fired_at: START + 9,
      severity: 'high',
      ending: 'repeats',
    })
    expect(written?.incident).toEqual({ how: 'untouched' })
  })
})

describe('what a fold does to its incident', () => {
  const worse = ['k1', alertOf({ severity: 'critical' })] as const
  const fresh = (severity: Alert['severity'] = 'low') =>
    ['k2', alertOf({ fingerprint: 'f2', severity, integration_id: 'other_1' } as never)] as const

  it('is told in the timeline, by whose alert it was, or by the service where none is new', () => {
    expect(fold([worse], ofOne())?.incident).toMatchObject({
      ...{ how: 'changed', event: null, investigate: false },
      entries: [
        {
          ...{ id: 'tl_new', at: iso(NOW), by: 'service', kind: 'severity_changed' },
          text: 'Severity changed from high to critical.',
        },
      ],
    })
    expect(fold([fresh('critical')], ofOne())?.incident).toMatchObject({ entries: [{ by: INTEGRATION }] })
  })

  it('is nothing where what joins is no worse', () => {
    const state = ofOne()
    expect(fold([fresh()], state)?.incident).toEqual({ how: 'joined', incident: state.incident })
    expect(fold([fresh()], state)?.after).toMatchObject({ firing: 2, quiet_until: null })
  })

  it('raises it by what is new or worse alone, not by what ends or was counted elsewhere', () => {
    const chosen = incidentAs({ severity: 'low' })
    const critical = knownAs({ severity: 'critical' })
    const ends = ['k1', resolved(START + 1)] as const
    expect(fold([ends, fresh()], ofOne({ incident: chosen, known: [critical] }))?.incident.how).toBe('joined')
    const elsewhere = knownAs({ incident_id: 'inc_0', severity: 'low' })
    const written = fold([worse, fresh()], ofOne({ incident: chosen, known: [elsewhere] }))
    expect(written?.incident.how).toBe('joined')
    expect(written?.alerts.map(({ after }) => after.incident_id)).toEqual(['inc_0', 'inc_1'])
    expect(fold([worse, fresh()], ofOne({ incident: chosen }))?.incident.how).toBe('changed')
  })

  it('opens it again where anything of a batch fires, and opens none for what only gets worse', () => {
    const ended = ['k3', resolved(START + 1, { fingerprint: 'f3' })] as const
    const began = ['k3', alertOf({ fingerprint: 'f3' })] as const
    const recent = ofOne({ incident: resolvedAt(NOW - WINDOWS.reopen_ms) })
    expect(fold([began, ended, fresh()], recent)?.incident).toMatchObject({
      how: 'changed',
      investigate: true,
    })
    expect(fold([began, ended], recent)?.incident.how).toBe('joined')
    const long = ofOne({ incident: resolvedAt(NOW - WINDOWS.reopen_ms - 1) })
    expect(fold([fresh()], long)?.incident.how).toBe('opened')
    expect(fold([worse], long)?.incident).toEqual({ how: 'joined', incident: long.incident })
  })

  it('is none where that is gone and nothing begins', () => {
    const { incident: _gone, ...state } = ofOne()
    expect(fold([worse], state)?.incident).toEqual({ how: 'untouched' })
    expect(fold([fresh()], state)?.incident.how).toBe('opened')
  })
})

describe('what a fold does to its group', () => {
  const ends = ['k1', resolved(START + 1)] as const
  const fresh = (more: Parameters<typeof alertOf>[0] = {}) =>
    ['k2', alertOf({ fingerprint: 'f2', ...more })] as const

  it('counts down only what belonged to its incident', () => {
    const elsewhere = knownAs({ incident_id: 'inc_0' })
    const quiet = groupAs({ firing: 0, quiet_until: NOW + 5 })
    const written = fold([ends], ofOne({ group: quiet, known: [elsewhere] }))
    expect(written?.after).toEqual({ ...quiet, version: 8 })
    expect(written?.alerts[0]?.shown).toMatchObject({ how: 'over', incident_id: 'inc_0' })
    expect(fold([ends], ofOne({ group: groupAs({ firing: 3 }) }))?.after?.firing).toBe(2)
  })

  it('waits for silence of the first that may fall silent, of what still fires', () => {
    const staleAt = (group: AlertGroup, ...messages: readonly (readonly [string, Alert])[]) =>
      fold(messages, ofOne({ group }))?.after?.stale_at
    const two = groupAs({ firing: 2 })
    expect(staleAt(two, fresh())).toBeNull()
    expect(staleAt(two, fresh({ ending: 'repeats' }))).toBe(NOW + WINDOWS.repeats_stale_ms)
    expect(staleAt(two, fresh({ ending: 'silent' }))).toBe(NOW + WINDOWS.silent_stale_ms)
    expect(staleAt(groupAs({ firing: 2, stale_at: NOW + 3 }), fresh({ ending: 'repeats' }))).toBe(NOW + 3)
    expect(staleAt(groupAs({ firing: 2, stale_at: NOW + 3 }), ends)).toBe(NOW + 3)
    expect(staleAt(groupAs({ firing: 1, stale_at: NOW + 3 }), ends)).toBeNull()
    const silent = fold([ends], ofOne({ group: two, known: [knownAs({ ending: 'silent' })] }))
    expect(silent?.after?.stale_at).toBeNull()
  })

  it('begins anew with another incident', () => {
    const group = groupAs({ firing: 5, stale_at: NOW + 3, quiet_until: NOW + 4 })
    const written = fold([fresh()], ofOne({ group, incident: resolvedAt(0) }))
    expect(written?.after).toEqual({
      ...{ key: 'g', incident_id: 'inc_new', firing: 1, quiet_until: null, stale_at: null, version: 8 },
    })
  })
})

describe('settling a group', () => {
  const settle = (
    group: AlertGroup,
    members: readonly KnownAlert[] = [],
    more: Parameters<typeof settleGroup>[3] = { asked: new Map(), waits: false },
    incident: Incident | undefined = incidentAs(),
  ) => settleGroup({ key: 'g', group, incident }, members, context, more)
  const HOURS = 60 * MINUTE
  const silentSince = NOW - 4 * HOURS
  const silent = knownAs({ ending: 'silent', seen_at: silentSince })
  const due = groupAs({ stale_at: NOW })

  it('does nothing before anything is due', () => {
    expect(settle(groupAs())).toBeNull()
    expect(settle(groupAs({ stale_at: NOW + 1 }), [silent])).toBeNull()
    expect(settle(groupAs({ firing: 0 }))).toBeNull()
    expect(settle(groupAs({ quiet_until: NOW - 1 }))).toBeNull()
    expect(settle(groupAs({ firing: 0, quiet_until: NOW + 1 }))).toBeNull()
  })

  it('counts as over what has been silent for its time, and begins the quiet time with the last', () => {
    expect(settle(due, [silent])).toEqual({
      before: due,
      after: { ...due, firing: 0, stale_at: null, quiet_until: NOW + WINDOWS.quiet_ms, version: 8 },
      alerts: [
        {
          before: silent,
          after: { ...silent, stale: true, rev: 4 },
          shown: { how: 'over', ends_at: iso(NOW), incident_id: 'inc_1' },
        },
      ],
      incident: { how: 'untouched' },
    })
    expect(settle({ ...due, quiet_until: NOW + 9 }, [silent])?.after?.quiet_until).toBe(NOW + 9)
    expect(settle(due, [{ ...silent, seen_at: silentSince + 1 }])?.alerts).toEqual([])
  })

  it('leaves what is of another incident, is over already, or tells its end', () => {
    const others = [
      { ...silent, key: 'k2', incident_id: 'inc_0' },
      { ...silent, key: 'k3', resolved_at: START },
      { ...silent, key: 'k4', ending: 'tells' as const, seen_at: 0 },
    ]
    const written = settle({ ...due, firing: 2 }, [...others, silent])
    expect(written?.alerts.map(({ after }) => after.key)).toEqual(['k1'])
    expect(written?.after).toMatchObject({ firing: 1, stale_at: null, quiet_until: null })
  })

  it('looks again when the next may fall silent', () => {
    const later = { ...silent, key: 'k2', seen_at: silentSince + 3 * MINUTE }
    const latest = { ...silent, key: 'k3', seen_at: silentSince + 5 * MINUTE }
    for (const members of [
      [silent, later, latest],
      [latest, silent, later],
    ])
      expect(settle({ ...due, firing: 3 }, members)?.after).toMatchObject({
        ...{ firing: 2, stale_at: NOW + 3 * MINUTE, quiet_until: null },
      })
  })

  it('asks first whether the tool was asked since, and looks again in two minutes where it was not', () => {
    const asked = (at: number, known: KnownAlert = silent) =>
      settle({ ...due, quiet_until: null }, [known], { asked: new Map([[INTEGRATION, at]]), waits: false })
    const overdue = { ...silent, seen_at: silentSince - 7 * MINUTE }
    for (const [known, at] of [
      [silent, silentSince],
      [silent, NOW - 10 * MINUTE + 1],
      [overdue, overdue.seen_at],
    ] as const) {
      expect(asked(at, known)?.alerts).toEqual([])
      expect(asked(at, known)?.after).toMatchObject({
        firing: 1,
        stale_at: NOW + 2 * MINUTE,
        quiet_until: null,
      })
    }
    expect(asked(NOW - 10 * MINUTE)?.alerts).toHaveLength(1)
    expect(asked(silentSince + 1)?.alerts).toHaveLength(1)
    // Whose tool nobody knows, or is not asked, falls silent by the clock alone.
    expect(asked(silentSince, { ...silent, integration_id: null })?.alerts).toHaveLength(1)
    expect(asked(silentSince, { ...silent, integration_id: 'other_1' })?.alerts).toHaveLength(1)
  })

  it('resolves the incident at the end of the quiet time, and tells everybody so', () => {
    const quiet = groupAs({ firing: 0, quiet_until: NOW })
    const written = settle(quiet)
    expect(written).toMatchObject({
      ...{ before: quiet, after: { ...quiet, quiet_until: null, version: 8 }, alerts: [] },
      incident: {
        ...{ how: 'changed', before: incidentAs(), investigate: false },
        after: { status: 'resolved', resolved_at: iso(NOW), version: 5 },
        entries: [
          {
            ...{ id: 'tl_new', at: iso(NOW), by: 'service', kind: 'status_changed' },
            text: 'Status changed from open to resolved. Every alert is over.',
          },
        ],
        event: {
          ...{ id: 'evt_new', kind: 'incident.resolved', incident_id: 'inc_1', at: iso(NOW), sequence: 5 },
          incident: { status: 'resolved' },
        },
      },
    })
  })

  it('ends the quiet time alone where the incident is gone or resolved already', () => {
    const quiet = groupAs({ firing: 0, quiet_until: NOW })
    const none = settleGroup({ key: 'g', group: quiet, incident: undefined }, [], context, {
      asked: new Map(),
      waits: false,
    })
    for (const written of [none, settle(quiet, [], undefined, resolvedAt(NOW))])
      expect(written).toEqual({
        ...{ before: quiet, after: { ...quiet, quiet_until: null, version: 8 }, alerts: [] },
        incident: { how: 'untouched' },
      })
  })

  it('holds back two minutes more while something waits', () => {
    expect(HELD_BACK_MS).toBe(2 * MINUTE)
    const waiting = (until: number) =>
      settle(groupAs({ firing: 0, quiet_until: until }), [], { asked: new Map(), waits: true })
    expect(waiting(NOW - 2 * MINUTE + 1)).toBeNull()
    expect(waiting(NOW - 2 * MINUTE)).not.toBeNull()
  })
})

/** Messages of several alerts in several groups: each begins and ends some times, in order of time. */
const histories = fc
  .array(
    fc.record({
      fingerprint: fc.constantFrom('a', 'b', 'c'),
      service: fc.constantFrom('checkout', 'cart'),
      status: fc.constantFrom('firing' as const, 'resolved' as const),
      offset: fc.integer({ min: 0, max: 20 }),
      severity: fc.constantFrom('low' as const, 'medium' as const, 'high' as const, 'critical' as const),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((given) =>
    given.map(({ fingerprint, service, status, offset, severity }) =>
      alertOf({
        fingerprint: `${fingerprint} of ${service}`,
        service,
        status,
        at: START + offset * 1_000,
        severity,
        starts_at: START,
      }),
    ),
  )
/** The same messages in any order, some of them several times, in batches. */
const deliveries = (messages: readonly Alert[]) =>
  fc
    .tuple(
      fc.array(fc.nat({ max: messages.length - 1 }), { maxLength: 2 * messages.length }),
      fc.infiniteStream(fc.nat()),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
    )
    .map(([again, keys, sizes]) => {
      const all = [...messages, ...again.map((index) => messages[index] as Alert)]
      const shuffled = all
        .map((message) => ({ message, key: keys.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ message }) => message)
      const batches: Alert[][] = []
      while (shuffled.length > 0) batches.push(shuffled.splice(0, sizes.next().value as number))
      return batches
    })
/** What everybody sees in the end, without what tells order. */
function outcome(world: AlertWorld) {
  return world.all
    .map(({ id, service, severity, status }) => ({
      service,
      severity,
      status,
      events: world.eventsOf(id),
      alerts: [...world.shown]
        .filter(([place]) => place.startsWith(id))
        .map(([place, alert]) => [place.slice(id.length), alert.status, alert.severity])
        .sort(),
    }))
    .sort((a, b) => String(a.service).localeCompare(String(b.service)))
}

describe('messages that come within the quiet time', () => {
  it('come to the same in any order, any number of times, in any batches', () => {
    fc.assert(
      fc.property(
        histories.chain((messages) => fc.tuple(fc.constant(messages), deliveries(messages))),
        ([messages, batches]) => {
          const inOrder = new AlertWorld()
          for (const message of [...messages].sort((a, b) => a.at - b.at)) inOrder.take(message)
          const anyhow = new AlertWorld()
          for (const batch of batches) anyhow.take(...batch)
          inOrder.pass(5 * MINUTE)
          anyhow.pass(5 * MINUTE)
          expect(outcome(anyhow)).toEqual(outcome(inOrder))
          expect(anyhow.wrongCounts()).toEqual([])
        },
      ),
    )
  })
})

describe('any history', () => {
  const steps = fc.array(
    fc.oneof(
      histories.map((messages) => ({ what: 'take' as const, messages })),
      fc.integer({ min: 1, max: 15 }).map((minutes) => ({ what: 'pass' as const, minutes })),
      fc
        .tuple(fc.nat(), fc.constantFrom('resolved' as const, 'investigating' as const))
        .map(([which, status]) => ({ what: 'person' as const, which, status })),
    ),
    { maxLength: 12 },
  )

  it('leaves counts that are right, one unresolved incident a group, one creation each, and no orphan', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const world = new AlertWorld()
        for (const step of taken) {
          if (step.what === 'take')
            world.take(
              ...step.messages.map((message) => ({ ...message, at: message.at - START + world.now })),
            )
          else if (step.what === 'pass') world.pass(step.minutes * MINUTE)
          else {
            const incident = world.all[step.which % Math.max(1, world.all.length)]
            const allowed = incident?.status === 'resolved' ? 'investigating' : step.status
            if (incident !== undefined) world.person(incident.id, allowed)
          }
          expect(world.wrongCounts()).toEqual([])
        }
        for (const { id } of world.all)
          expect(world.eventsOf(id).filter((kind) => kind === 'incident.created')).toHaveLength(1)
        // Whatever still fires is over now: what alerts alone hold open must be resolved.
        for (const service of ['checkout', 'cart'])
          for (const fingerprint of ['a', 'b', 'c'])
            world.take(resolved(world.now + MINUTE, { fingerprint: `${fingerprint} of ${service}`, service }))
        world.pass(5 * MINUTE)
        const held = [...world.groups.values()].map(({ incident_id }) => incident_id)
        const left = world.all.filter(({ id, status }) => held.includes(id) && status !== 'resolved')
        const byPeople = taken.some(({ what }) => what === 'person')
        if (!byPeople) expect(left).toEqual([])
      }),
    )
  })
})
