import { describe, expect, it } from 'vitest'
import { amendIncident } from '#shared/domain/amend-incident.ts'
import type { Incident } from '#shared/domain/incident.ts'
import type { IncidentActs } from '#shared/domain/open-incident.ts'
import type { IncidentStore } from '#shared/domain/ports.ts'
import { sampleIncident } from '#test/storage/sample-incidents.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const CALLER = { id: 'key_1', type: 'admin' } as const

/** A store in which somebody else changes the incident before each of the first writes. */
function contested(times: number, interfere: (incident: Incident) => Incident) {
  let stored = sampleIncident(NOW)
  let left = times
  const writes: unknown[] = []
  const incidents: Pick<IncidentStore, 'get' | 'change'> = {
    get: async () => stored,
    change: async (before, after, entries, event) => {
      if (left > 0) {
        left -= 1
        stored = { ...interfere(stored), version: stored.version + 1 }
      }
      if (before.version !== stored.version) return false
      stored = after
      writes.push({ entries, event })
      return true
    },
  }
  const acts: IncidentActs = {
    incidents: incidents as IncidentStore,
    clock: () => NOW,
    newId: (prefix, at) => `${prefix}_${at}`,
  }
  return { acts, writes, stored: () => stored }
}

describe('a change that meets others', () => {
  it('is made on top of theirs', async () => {
    const { acts, writes, stored } = contested(3, (incident) => ({
      ...incident,
      title: `${incident.title}!`,
    }))
    const after = await amendIncident(acts, stored().id, { severity: 'low' }, CALLER)
    expect(after).toMatchObject({ title: 'Checkout fails!!!', severity: 'low', version: 5 })
    expect(writes).toHaveLength(1)
  })

  it('comes through at the ninth time, after five clients and an investigation that writes three times', async () => {
    const { acts, writes, stored } = contested(8, (incident) => incident)
    await amendIncident(acts, stored().id, { severity: 'low' }, CALLER)
    expect(writes).toHaveLength(1)
  })

  it('is told so after the ninth time, and writes nothing', async () => {
    const { acts, writes, stored } = contested(9, (incident) => incident)
    await expect(amendIncident(acts, stored().id, { severity: 'low' }, CALLER)).rejects.toMatchObject({
      kind: 'conflict',
    })
    expect(writes).toEqual([])
  })

  it('is done when they have done just that: nothing is written and no event raised', async () => {
    const { acts, writes, stored } = contested(1, (incident) => ({
      ...incident,
      status: 'resolved',
      resolved_at: incident.created_at,
    }))
    const after = await amendIncident(acts, stored().id, { status: 'resolved' }, CALLER)
    expect(after).toEqual(stored())
    expect(writes).toEqual([])
  })

  it('is refused when theirs leave no way to it', async () => {
    const { acts, stored } = contested(1, (incident) => ({ ...incident, status: 'resolved' }))
    const change = { status: 'open', title: 'x' } as const
    await expect(amendIncident(acts, stored().id, change, CALLER)).rejects.toMatchObject({ kind: 'conflict' })
  })
})

describe('a change', () => {
  it('is written with what happened, by whom and when, and the event that it is', async () => {
    const { acts, writes, stored } = contested(0, (incident) => incident)
    const before = stored()
    const after = await amendIncident(acts, before.id, { status: 'resolved' }, CALLER)
    const at = '2026-01-31T12:00:00.000Z'
    expect(after).toMatchObject({ status: 'resolved', resolved_at: at, version: before.version + 1 })
    expect(writes).toEqual([
      {
        entries: [expect.objectContaining({ id: `tl_${NOW}`, at, by: 'key_1', kind: expect.any(String) })],
        event: {
          id: `evt_${NOW}`,
          kind: 'incident.resolved',
          incident_id: before.id,
          at,
          sequence: after.version,
          incident: after,
        },
      },
    ])
  })

  it('that nobody subscribes to raises no event', async () => {
    const { acts, writes, stored } = contested(0, (incident) => incident)
    await amendIncident(acts, stored().id, { severity: 'low' }, CALLER)
    expect(writes).toEqual([{ entries: [expect.objectContaining({ by: 'key_1' })], event: null }])
  })

  it('of an incident that is not there is refused, and nothing is written', async () => {
    const { acts, writes } = contested(0, (incident) => incident)
    const absent = { ...acts, incidents: { ...acts.incidents, get: async () => undefined } } as IncidentActs
    await expect(amendIncident(absent, 'inc_2', { severity: 'low' }, CALLER)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Incident inc_2'),
    })
    expect(writes).toEqual([])
  })

  it('that never comes through is told so in words', async () => {
    const { acts, stored } = contested(9, (incident) => incident)
    await expect(amendIncident(acts, stored().id, { severity: 'low' }, CALLER)).rejects.toThrow(
      'Somebody else is changing this incident',
    )
  })
})
