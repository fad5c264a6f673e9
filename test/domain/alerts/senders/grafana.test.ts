import { describe, expect, it } from 'vitest'
import { readAlertmanager } from '#shared/domain/alerts/senders/alertmanager.ts'
import { readGrafana } from '#shared/domain/alerts/senders/grafana.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const read = (body: unknown, by = readGrafana) =>
  by({ integration_id: INTEGRATION, config: {}, headers: {}, received_at: START, body })
const alert = () => ({
  ...{ status: 'firing', fingerprint: 'f1', startsAt: '2026-01-31T11:00:00Z' },
  ...{
    labels: { alertname: 'Latency', service: 'cart', severity: 'page' },
    annotations: { summary: 'slow' },
  },
})

describe('an alert of Grafana', () => {
  const test = { labels: { alertname: 'TestAlert', instance: 'Grafana' } }

  it('is told as by Alertmanager', () => {
    const body = { orgId: 1, alerts: [alert()] }
    expect(read(body)).toEqual(read(body, readAlertmanager))
    expect(read({ alerts: [] })).toEqual(read({ alerts: [] }, readAlertmanager))
    expect(read({}).left_out).toEqual(['no list of alerts'])
  })

  it('is none where a contact point is tested, and only then', () => {
    expect(read({ alerts: [test, test] })).toEqual({
      alerts: [],
      signals: {},
      left_out: ['a test of the contact point'],
    })
    expect(read({ alerts: [test, alert()] }).alerts).toHaveLength(2)
    for (const labels of [{ alertname: 'TestAlert' }, { instance: 'Grafana' }])
      expect(read({ alerts: [{ labels }] }).alerts).toHaveLength(1)
  })
})
