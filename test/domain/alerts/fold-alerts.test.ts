import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Alert } from '#shared/domain/alerts/alert.ts'
import { HELD_BACK_MS } from '#shared/domain/alerts/fold-alerts.ts'
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
