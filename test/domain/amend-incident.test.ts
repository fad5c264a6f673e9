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

  it('is told so after the fourth time, and writes nothing', async () => {
    const { acts, writes, stored } = contested(4, (incident) => incident)
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
