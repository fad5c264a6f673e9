import { describe, expect, it } from 'vitest'
import { readPagerduty } from '#shared/domain/alerts/senders/pagerduty.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const CREATED = '2026-01-31T11:00:00Z'
const NOW = '2026-01-31T11:30:00Z'
const at = (text: string) => Date.parse(text)
const read = (body: unknown) =>
  readPagerduty({ integration_id: INTEGRATION, config: {}, headers: {}, received_at: START, body })
const told = (event_type: string, data: object = {}, more: object = {}) =>
  read({
    event: {
      ...{ event_type, occurred_at: NOW },
      data: {
        ...{
          id: 'Q1',
          type: 'incident',
          status: 'triggered',
          title: 'Checkout is down',
          number: 7,
          urgency: 'low',
        },
        ...{
          created_at: CREATED,
          service: { id: 'P1', summary: 'checkout' },
          html_url: 'https://pd.example/Q1',
        },
        ...data,
      },
      ...more,
    },
  }).alerts[0]

describe('an incident of PagerDuty', () => {
  it('is told whole', () => {
    expect(told('incident.triggered')).toEqual({
      ...{ fingerprint: 'Q1', status: 'firing', at: at(CREATED), severity: 'low', title: 'Checkout is down' },
      ...{
        description: null,
        labels: { service_id: 'P1', urgency: 'low', number: '7' },
        service: 'checkout',
      },
      ...{
        sender_group: null,
        starts_at: at(CREATED),
        ends_at: null,
        url: 'https://pd.example/Q1',
        ending: 'tells',
      },
    })
  })

  it('is over by the event or by its status, when it was resolved or when that is told', () => {
    for (const over of [told('incident.resolved'), told('incident.annotated', { status: 'resolved' })])
      expect(over).toMatchObject({
        status: 'resolved',
        at: at(NOW),
        ends_at: at(NOW),
        starts_at: at(CREATED),
      })
    expect(told('incident.resolved', { resolved_at: '2026-01-31T11:29:00Z' })?.at).toBe(
      at('2026-01-31T11:29:00Z'),
    )
    expect(told('incident.acknowledged', { status: 'acknowledged' })?.status).toBe('firing')
  })

  it('begins again where it is opened again', () => {
    expect(told('incident.reopened')?.starts_at).toBe(at(NOW))
    expect(told('incident.reopened', { reopened_at: '2026-01-31T11:40:00Z' })?.at).toBe(
      at('2026-01-31T11:40:00Z'),
    )
    expect(told('incident.priority_updated', { reopened_at: '2026-01-31T11:10:00Z' })?.at).toBe(
      at('2026-01-31T11:10:00Z'),
    )
  })

  it('begins when it is told where nobody says when, at the latest when it arrives', () => {
    expect(told('incident.triggered', { created_at: null })?.at).toBe(at(NOW))
    expect(told('incident.triggered', { created_at: null }, { occurred_at: null })?.at).toBe(START)
  })

  it('is as severe as its priority, else as urgent as it is, else medium', () => {
    expect(told('incident.triggered', { priority: { summary: 'P1' } })?.severity).toBe('critical')
    expect(told('incident.triggered', { priority: { summary: 'ours' }, urgency: 'high' })?.severity).toBe(
      'high',
    )
    expect(told('incident.triggered', { urgency: 'critical' })?.severity).toBe('medium')
    expect(told('incident.triggered', { urgency: undefined })?.severity).toBe('medium')
  })

  it('is named by its summary, or by its id', () => {
    expect(told('incident.triggered', { title: '', summary: 'Down' })?.title).toBe('Down')
    expect(told('incident.triggered', { title: null })?.title).toBe('PagerDuty incident Q1')
  })

  it('is none of another kind', () => {
    const out = (body: unknown) => read(body).left_out
    expect(out({ event: { event_type: 'service.updated', data: { id: 'P1', type: 'service' } } })).toEqual([
      'service.updated tells of no incident',
    ])
    expect(out({ event: { event_type: 'incident.triggered', data: { type: 'incident' } } })).toHaveLength(1)
    expect(out({ event: { data: { id: 'Q1', type: 'incident' } } })).toEqual([
      'the event tells of no incident',
    ])
    expect(out(null)).toEqual(['the event tells of no incident'])
  })
})
