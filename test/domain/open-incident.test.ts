import { describe, expect, it } from 'vitest'
import { createdEventId } from '#shared/domain/incident.ts'
import { type IncidentActs, openIncident } from '#shared/domain/open-incident.ts'

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0, 7)
const AT = '2026-01-31T12:00:00.007Z'
const caller = { id: 'key_1', type: 'admin' } as const

async function open(given: Parameters<typeof openIncident>[1]) {
  const written: unknown[] = []
  const acts = {
    incidents: {
      create: async (...what: unknown[]) => {
        written.push(what)
      },
    },
    clock: () => NOW,
    newId: (prefix: string, at: number) => `${prefix}_${at}`,
  } as unknown as IncidentActs
  return { incident: await openIncident(acts, given, caller), written }
}

describe('an incident that is opened', () => {
  it('is written with its first entry and its event, at one instant, its analysis due', async () => {
    const { incident, written } = await open({ title: 'Checkout fails', severity: 'high' })
    expect(incident).toEqual({
      id: `inc_${NOW}`,
      title: 'Checkout fails',
      status: 'open',
      severity: 'high',
      service: null,
      description: null,
      started_at: null,
      created_at: AT,
      updated_at: AT,
      resolved_at: null,
      analysis: 'pending',
      root_cause: null,
      version: 1,
    })
    expect(written).toEqual([
      [
        incident,
        { id: `tl_${NOW}`, at: AT, kind: 'created', text: 'Incident opened.', by: 'key_1' },
        {
          id: createdEventId(incident.id),
          kind: 'incident.created',
          incident_id: incident.id,
          at: AT,
          sequence: 1,
          incident,
        },
      ],
    ])
  })

  it('keeps what is known of it, the time written as the service writes times', async () => {
    const { incident } = await open({
      title: 'Checkout fails',
      severity: 'low',
      service: 'checkout',
      description: 'Card payments end in errors.',
      started_at: '2026-01-31T11:30:00Z',
    })
    expect(incident).toMatchObject({
      service: 'checkout',
      description: 'Card payments end in errors.',
      started_at: '2026-01-31T11:30:00.000Z',
    })
  })

  it('has no start where the one given is none', async () => {
    const { incident } = await open({ title: 'Checkout fails', severity: 'low', started_at: 'yesterday' })
    expect(incident.started_at).toBeNull()
  })

  it('takes a start that a clock ahead of ours tells, and none that is still to come', async () => {
    const begun = (started_at: string) => open({ title: 'Checkout fails', severity: 'low', started_at })
    const { incident } = await begun('2026-01-31T12:05:00Z')
    expect(incident.started_at).toBe('2026-01-31T12:05:00.000Z')
    await expect(begun('2026-01-31T12:05:01Z')).rejects.toMatchObject({
      kind: 'invalid',
      details: { field: 'started_at', reason: 'must not lie in the future' },
    })
  })
})
