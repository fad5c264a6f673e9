import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INCIDENT_STATUSES, type IncidentStatus } from '#shared/domain/incident.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { refusesStale } from './refuses-stale.ts'
import { type Service, startService, withKey } from './service.ts'
import { eventsOf, itemsOfIncident } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('update-incident', () => service)

/** The way by which an incident gets to a status. */
const WAYS: Readonly<Record<IncidentStatus, readonly IncidentStatus[]>> = {
  open: [],
  investigating: ['investigating'],
  resolved: ['resolved'],
}

async function incidentIn(status: IncidentStatus): Promise<string> {
  const { id } = await service.done('create-incident', {
    body: { title: 'Checkout fails', severity: 'high' },
  })
  for (const next of WAYS[status]) await service.done('update-incident', { id, body: { status: next } })
  return id
}
const patch = (id: string, body: unknown) => service.call('update-incident', { id, body })

describe('200', () => {
  it.each([
    ['open', 'investigating'],
    ['open', 'resolved'],
    ['investigating', 'resolved'],
    ['resolved', 'investigating'],
  ] as const)('moves an incident from %s to %s', async (from, to) => {
    const id = await incidentIn(from)
    const got = await patch(id, { status: to })
    expect(got.status).toBe(200)
    expect(got.body).toMatchObject({
      id,
      status: to,
      resolved_at: to === 'resolved' ? got.body.updated_at : null,
    })
    const { timeline, alerts, summary_card, ...read } = await service.done('get-incident', { id })
    expect(read).toEqual(got.body)
    expect(timeline.at(-1)).toMatchObject({
      kind: 'status_changed',
      text: `Status changed from ${from} to ${to}.`,
    })
    expect(alerts).toEqual([])
  })

  it('changes everything that is named in one write, and nothing else', async () => {
    const id = await incidentIn('open')
    const before = await service.done('get-incident', { id })
    const got = await patch(id, { status: 'resolved', severity: 'low', title: 'It was nothing' })
    expect(got.body).toEqual({
      ...got.body,
      id,
      status: 'resolved',
      severity: 'low',
      title: 'It was nothing',
      created_at: before.created_at,
      description: before.description,
      analysis: before.analysis,
    })
    const { timeline } = await service.done('get-incident', { id })
    expect(new Set(timeline.slice(1).map(({ at }: { at: string }) => at)).size).toBe(1)
  })

  it.each(INCIDENT_STATUSES)(
    'writes nothing and raises nothing when an incident is %s already',
    async (status) => {
      const id = await incidentIn(status)
      const before = [await itemsOfIncident(service, id), await eventsOf(service, id)]
      const got = await patch(id, { status, severity: 'high', title: 'Checkout fails' })
      expect(got.status).toBe(200)
      expect(got.body.status).toBe(status)
      expect([await itemsOfIncident(service, id), await eventsOf(service, id)]).toEqual(before)
    },
  )

  it('raises exactly one incident.resolved for each time that it is resolved, and no event for anything else', async () => {
    const id = await incidentIn('open')
    const kinds = async () => (await eventsOf(service, id)).map(({ kind }) => kind)
    await patch(id, { title: 'x' })
    await patch(id, { severity: 'low' })
    await patch(id, { status: 'investigating' })
    expect(await kinds()).toEqual(['incident.created'])
    await patch(id, { status: 'resolved' })
    await patch(id, { status: 'resolved' })
    expect(await kinds()).toEqual(['incident.created', 'incident.resolved'])
    await patch(id, { status: 'investigating' })
    await patch(id, { status: 'resolved' })
    const events = await eventsOf(service, id)
    expect(events.map(({ kind }) => kind)).toEqual([
      'incident.created',
      'incident.resolved',
      'incident.resolved',
    ])
    expect(new Set(events.map(({ sequence }) => sequence)).size).toBe(3)
    expect(JSON.parse(events[2]?.body).data).toMatchObject({ id, status: 'resolved', title: 'x' })
  })

  it('loses none of several changes that come at once, and writes each once', async () => {
    const id = await incidentIn('open')
    const answers = await Promise.all([
      patch(id, { status: 'investigating' }),
      patch(id, { severity: 'critical' }),
      patch(id, { title: 'Both' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { timeline, ...incident } = await service.done('get-incident', { id })
    expect(incident).toMatchObject({ status: 'investigating', severity: 'critical', title: 'Both' })
    expect(timeline.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'created',
      'severity_changed',
      'status_changed',
      'title_changed',
    ])
  })

  it('raises one incident.resolved when several resolve at once', async () => {
    const id = await incidentIn('open')
    const answers = await Promise.all(Array.from({ length: 4 }, () => patch(id, { status: 'resolved' })))
    for (const { status, body } of answers) {
      // Who keeps meeting others is told so; nobody is told that it failed when it did not.
      expect([200, 409]).toContain(status)
      if (status === 200) expect(body.status).toBe('resolved')
    }
    const events = (await eventsOf(service, id)).map(({ kind }) => kind)
    expect(events).toEqual(['incident.created', 'incident.resolved'])
  })
})

describe('400', () => {
  it.each([
    ['an empty change', {}, 'body'],
    ['a status that there is none of', { status: 'closed' }, 'status'],
    ['a severity of null', { severity: null }, 'severity'],
    ['an empty title', { title: '' }, 'title'],
    ['a description, which does not change', { description: 'x' }, 'description'],
    ['the root cause', { root_cause: null }, 'root_cause'],
    ['the time of creation', { created_at: '2026-01-01T00:00:00Z' }, 'created_at'],
  ])('names the field for %s', async (_name, body, field) => {
    const id = await incidentIn('open')
    expectInvalid(await patch(id, body), field)
  })
})

describe('409', () => {
  it.each([
    ['investigating', 'open'],
    ['resolved', 'open'],
  ] as const)(
    'refuses to move from %s to %s, says what may follow, and changes nothing',
    async (from, to) => {
      const id = await incidentIn(from)
      const before = await itemsOfIncident(service, id)
      const got = await patch(id, { status: to, title: 'not this either' })
      expectError(got, 409, 'INVALID_REQUEST')
      expect(got.body.error.details).toEqual({
        field: 'status',
        reason: `allowed from ${from}: ${from === 'resolved' ? 'investigating' : 'resolved'}`,
      })
      expect(await itemsOfIncident(service, id)).toEqual(before)
    },
  )
})

describe('412', () => {
  refusesStale('update-incident', () => service, {
    make: () => incidentIn('open'),
    read: 'get-incident',
    body: { title: 'changed' },
    meanwhile: (id) => service.done('update-incident', { id, body: { severity: 'critical' } }),
  })

  it('refuses also what would change nothing, to a version that is no more', async () => {
    const id = await incidentIn('open')
    const { title } = await service.done('update-incident', { id, body: { title: 'as it is' } })
    const headers = { ...withKey(service.adminKey), 'If-Match': '"1"' }
    expectError(
      await service.call('update-incident', { id, body: { title }, headers }),
      412,
      'INVALID_REQUEST',
    )
  })
})
