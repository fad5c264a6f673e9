import { describe, expect, it } from 'vitest'
import { readWebhook } from '#shared/domain/alerts/senders/webhook.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const NOON = '2026-01-31T11:00:00Z'
const at = (text: string) => Date.parse(text)
const read = (body: unknown) =>
  readWebhook({ integration_id: INTEGRATION, config: {}, headers: {}, received_at: START, body })
const told = (more: object = {}) =>
  read({
    ...{
      incidentId: 'i1',
      action: 'created',
      priority: 'HIGH',
      title: 'Down',
      description: 'all of it',
      service: 'web',
    },
    ...{
      timestamp: NOON,
      data: { region: 'eu', zone: 'a' },
      labels: { zone: 'b' },
      url: 'https://a.example',
      ...more,
    },
  }).alerts[0]

describe('what anybody sends', () => {
  it('is told whole', () => {
    expect(told()).toEqual({
      ...{
        fingerprint: 'i1',
        status: 'firing',
        at: at(NOON),
        severity: 'high',
        title: 'Down',
        description: 'all of it',
      },
      ...{
        labels: { region: 'eu', zone: 'b' },
        service: 'web',
        sender_group: null,
        starts_at: at(NOON),
        ends_at: null,
      },
      ...{ url: 'https://a.example', ending: 'tells' },
    })
  })

  it('may be the data of an event, whose time counts where it has none', () => {
    const inner = { incidentId: 'i2', action: 'created' }
    expect(read({ type: 'incident', timestamp: NOON, data: inner }).alerts[0]).toMatchObject({
      fingerprint: 'i2',
      at: at(NOON),
    })
    expect(told({ data: inner })?.fingerprint).toBe('i1')
  })

  it('may bear the plain names of this service', () => {
    const plain = {
      status: 'firing',
      severity: 'low',
      summary: 'Slow',
      starts_at: NOON,
      link: 'https://b.example',
    }
    for (const id of ['incident_id', 'fingerprint', 'id'])
      expect(read({ ...plain, [id]: 'x' }).alerts[0]).toMatchObject({
        ...{ fingerprint: 'x', severity: 'low', title: 'Slow', at: at(NOON), url: 'https://b.example' },
      })
    expect(read({ id: 'x', startsAt: NOON }).alerts[0]).toMatchObject({
      status: 'firing',
      at: at(NOON),
      title: 'Alert x',
    })
  })

  it.each(['resolved', 'Closed', 'recovered', 'OK'])('is over by “%s”', (action) => {
    expect(told({ action })).toMatchObject({
      status: 'resolved',
      at: at(NOON),
      starts_at: null,
      ends_at: at(NOON),
    })
    expect(told({ action, endsAt: '2026-01-31T11:30:00Z' })?.at).toBe(at('2026-01-31T11:30:00Z'))
    expect(told({ action, ends_at: '2026-01-31T11:30:00Z', starts_at: NOON })).toMatchObject({
      ...{ starts_at: at(NOON), ends_at: at('2026-01-31T11:30:00Z') },
    })
  })

  it.each([
    'created',
    'updated',
    'opened',
    'reopened',
    'triggered',
    'firing',
    'acknowledged',
    'open',
    'Open',
  ])('goes on by “%s”', (action) => {
    expect(told({ action })).toMatchObject({ status: 'firing', ends_at: null })
  })

  it('fires as of when that is told, also with the begin of before', () => {
    const begun = '2026-01-31T10:00:00Z'
    expect(told({ action: 'reopened', starts_at: begun })).toMatchObject({
      ...{ at: at(NOON), starts_at: at(begun) },
    })
    expect(told({ action: 'created', starts_at: begun, timestamp: null })?.at).toBe(at(begun))
  })

  it('came when it arrived where it has no time', () => {
    expect(told({ timestamp: null })).toMatchObject({ at: START, starts_at: null })
    expect(told({ timestamp: null, action: 'resolved' })).toMatchObject({ at: START, ends_at: null })
  })

  it('may be what Alertmanager sends', () => {
    const body = { alerts: [{ status: 'firing', fingerprint: 'f', labels: { alertname: 'A' } }], id: 'x' }
    expect(read(body).alerts).toMatchObject([{ fingerprint: 'f', ending: 'repeats' }])
  })

  it('is none without an id or with an action that nobody knows', () => {
    expect(read({ action: 'created' }).left_out).toEqual(['neither incidentId nor fingerprint'])
    expect(read({ id: 'x', action: 'Exploded' }).left_out).toEqual(['an unknown action: exploded'])
    expect(read({ id: 'x', action: 'y'.repeat(41) }).left_out).toEqual([
      `an unknown action: ${'y'.repeat(39)}…`,
    ])
    expect(read([]).left_out).toHaveLength(1)
  })
})
