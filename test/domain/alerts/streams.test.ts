import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSent } from '#shared/domain/alerts/read-sent.ts'
import { STREAMS } from '#test/intake/recorded-streams.ts'
import { AlertWorld, INTEGRATION, MINUTE, START } from './alert-world.ts'

/** What everybody sees once it is quiet, without what tells the order. */
function replay(type: string, bodies: readonly unknown[]) {
  const world = new AlertWorld()
  for (const body of bodies) {
    const sent = { integration_id: INTEGRATION, config: {}, headers: {}, received_at: START, body }
    world.take(...readSent(type, sent).alerts)
  }
  world.pass(5 * MINUTE)
  expect(world.wrongCounts()).toEqual([])
  return world.all
    .map(({ id, service, severity, status }) => ({ service, severity, status, events: world.eventsOf(id) }))
    .sort((a, b) => String(a.service).localeCompare(String(b.service)))
}

describe.each(STREAMS)('what a real %s posted', (type, bodies) => {
  it('makes incidents, each told once as created and at most once as resolved', () => {
    const incidents = replay(type, bodies)
    expect(incidents.length).toBeGreaterThan(1)
    for (const { status, events } of incidents)
      expect(events).toEqual(
        status === 'resolved' ? ['incident.created', 'incident.resolved'] : ['incident.created'],
      )
  })

  it('makes the same incidents in any order, and with every message sent three times', () => {
    const inOrder = replay(type, bodies)
    const thrice = bodies.flatMap((body) => [body, body, body])
    expect(replay(type, thrice)).toEqual(inOrder)
    fc.assert(
      fc.property(fc.shuffledSubarray(thrice, { minLength: thrice.length }), (shuffled) => {
        expect(replay(type, shuffled)).toEqual(inOrder)
      }),
    )
  })
})
