import { describe, expect, it } from 'vitest'
import { readDatadog } from '#shared/domain/alerts/senders/datadog.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const NOON = Date.parse('2026-01-31T12:00:00Z')
const read = (body: unknown) =>
  readDatadog({ integration_id: INTEGRATION, config: {}, headers: {}, received_at: START + 1, body })
const told = (more: object = {}) =>
  read({
    ...{
      alert_id: '77',
      scope: 'service:cart,host:a',
      transition: 'Triggered',
      priority: 'P1',
      type: 'error',
    },
    ...{
      date: String(NOON),
      tags: 'env:prod, team : x ,plain,:odd,url:http://a',
      title: 'Errors',
      text: 'too many',
    },
    ...{ link: 'https://app.datadoghq.com/event/1', aggregate: 'g1', ...more },
  }).alerts[0]

describe('a monitor of Datadog', () => {
  it('is told whole, its tags and its scope as labels', () => {
    expect(told()).toEqual({
      ...{ fingerprint: '["77","service:cart,host:a"]', status: 'firing', at: NOON, severity: 'critical' },
      ...{
        title: 'Errors',
        description: 'too many',
        service: 'cart',
        sender_group: 'g1',
        starts_at: NOON,
        ends_at: null,
      },
      ...{ url: 'https://app.datadoghq.com/event/1', ending: 'tells' },
      labels: { env: 'prod', host: 'a', service: 'cart', team: 'x', url: 'http://a' },
    })
  })

  it('is read by the names of other templates', () => {
    const other = {
      ...{
        monitor_id: 77,
        alert_transition: 'Recovered',
        scopes: 'host:a',
        severity: 'low',
        alert_type: 'error',
      },
      ...{ last_updated: NOON, body: 'fine', url: 'https://a.example' },
    }
    expect(read(other).alerts[0]).toMatchObject({
      ...{
        fingerprint: '["77","host:a"]',
        status: 'resolved',
        at: NOON,
        severity: 'low',
        title: 'Monitor 77',
      },
      ...{
        description: 'fine',
        sender_group: '77',
        starts_at: null,
        ends_at: NOON,
        url: 'https://a.example',
      },
    })
  })

  it.each(['Recovered', 'Warn Recovered', 'recovered'])('is over by “%s”', (transition) => {
    expect(told({ transition })?.status).toBe('resolved')
  })

  it.each(['Triggered', 'Re-Triggered', 'Warn', 'No Data', 'Renotify'])('fires by “%s”', (transition) => {
    expect(told({ transition })?.status).toBe('firing')
  })

  it.each([
    ['error', 'high'],
    ['warning', 'medium'],
    ['success', 'low'],
    ['info', 'low'],
    ['user_update', 'medium'],
    [undefined, 'medium'],
  ])('of the type %s without a priority is %s', (type, severity) => {
    expect(told({ type, priority: '' })?.severity).toBe(severity)
  })

  it('came when it arrived where it has no time', () => {
    expect(told({ date: null })?.at).toBe(START + 1)
  })

  it('has a label of the scope before that of a tag', () => {
    expect(told({ tags: 'service:web', scope: 'service:cart' })?.labels).toEqual({ service: 'cart' })
    expect(told({ tags: null, scope: null })).toMatchObject({ labels: {}, fingerprint: '["77",null]' })
  })

  it.each([
    ['env:prod,kube_deployment:cart', 'cart'],
    ['kube_stateful_set:orders-db,kube_container_name:postgres', 'orders-db'],
    ['dbinstanceidentifier:orders-db,region:eu-central-1', 'orders-db'],
    ['env:prod', null],
  ])('is of the service that its tags %s name, as what is pulled of them: %s', (tags, service) => {
    expect(told({ tags, scope: undefined })?.service ?? null).toBe(service)
  })

  it('is none without a monitor or its transition', () => {
    for (const body of [{ transition: 'Triggered' }, { alert_id: 7 }, null])
      expect(read(body)).toEqual({
        alerts: [],
        signals: {},
        left_out: ['neither a monitor nor its transition'],
      })
  })
})
