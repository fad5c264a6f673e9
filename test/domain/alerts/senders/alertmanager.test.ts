import { describe, expect, it } from 'vitest'
import { readAlertmanager } from '#shared/domain/alerts/senders/alertmanager.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const NOON = '2026-01-31T11:00:00Z'
const at = (text: string) => Date.parse(text)
const read = (body: unknown) =>
  readAlertmanager({ integration_id: INTEGRATION, config: {}, headers: {}, received_at: START, body })
const alert = (more: object = {}) => ({
  ...{ status: 'firing', fingerprint: 'f1', startsAt: NOON, endsAt: '2026-01-31T11:30:00Z' },
  ...{
    labels: { alertname: 'Latency', service: 'cart', severity: 'page' },
    generatorURL: 'https://prom.example/g',
  },
  ...{ annotations: { summary: 'p95 above 1 s', description: 'since the deploy' }, ...more },
})
const one = (more: object = {}, outer: object = {}) =>
  read({ groupKey: 'g1', alerts: [alert(more)], ...outer }).alerts[0]

describe('an alert of Alertmanager', () => {
  it('is told whole', () => {
    expect(one()).toEqual({
      ...{ fingerprint: 'f1', status: 'firing', at: at(NOON), severity: 'critical', title: 'p95 above 1 s' },
      ...{ description: 'since the deploy', labels: alert().labels, service: null, sender_group: 'g1' },
      ...{ starts_at: at(NOON), ends_at: null, url: 'https://prom.example/g', ending: 'repeats' },
    })
  })

  it('is over by its own status, else by that of the payload', () => {
    const over = {
      status: 'resolved',
      at: at('2026-01-31T11:30:00Z'),
      starts_at: at(NOON),
      ends_at: at('2026-01-31T11:30:00Z'),
    }
    expect(one({ status: 'resolved' }, { status: 'firing' })).toMatchObject(over)
    expect(one({ status: undefined }, { status: 'resolved' })).toMatchObject(over)
    expect(one({ status: 'firing' }, { status: 'resolved' })?.status).toBe('firing')
    expect(one({ status: 'resolved', endsAt: null })).toMatchObject({ at: START, ends_at: null })
    expect(one({ startsAt: null })).toMatchObject({ at: START, starts_at: null })
  })

  it('is told apart by its labels where it has no fingerprint', () => {
    expect(one({ fingerprint: undefined })?.fingerprint).toBe(
      '{"alertname":"Latency","service":"cart","severity":"page"}',
    )
  })

  it('is named and described by what there is', () => {
    const named = (annotations: object, labels: object = {}) =>
      one({ annotations, labels: { alertname: 'A', ...labels } })
    expect(named({ title: 'T', message: 'M' })).toMatchObject({ title: 'T', description: 'M' })
    expect(named({})).toMatchObject({ title: 'A', description: null, severity: 'medium' })
    expect(named({}, { priority: 'p2' })?.severity).toBe('high')
    expect(one({ labels: {}, annotations: {} })?.title).toBe('alert')
  })

  it('has the first link that people may follow', () => {
    expect(one({ generatorURL: null, dashboardURL: 'https://g.example/d' })?.url).toBe('https://g.example/d')
    expect(one({ generatorURL: null }, { externalURL: 'https://am.example' })?.url).toBe('https://am.example')
    expect(one({ generatorURL: null })?.url).toBeNull()
  })

  it.each(['Watchdog', 'DeadMansSwitch', 'DeadMansSnitch', 'InfoInhibitor'])(
    'named %s is a sign of life and no alert',
    (alertname) => {
      expect(read({ alerts: [alert({ labels: { alertname } }), alert()] })).toMatchObject({
        ...{ alerts: [{ fingerprint: 'f1' }], left_out: [`${alertname} is a sign of life`] },
      })
    },
  )

  it('does not end in a payload that hides others, and still begins there', () => {
    const body = { alerts: [alert({ status: 'resolved' }), alert({ fingerprint: 'f2' })], truncatedAlerts: 3 }
    expect(read(body)).toMatchObject({
      ...{ alerts: [{ fingerprint: 'f2' }], left_out: ['Latency resolved in a payload that hides 3 alerts'] },
    })
    for (const truncatedAlerts of [0, null, 'none'])
      expect(read({ ...body, truncatedAlerts }).alerts).toHaveLength(2)
  })

  it('is none without a list of alerts', () => {
    for (const body of [{}, { alerts: {} }, null]) expect(read(body).left_out).toEqual(['no list of alerts'])
  })
})
