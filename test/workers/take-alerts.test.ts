import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { alarmEvent, newSender } from '#test/endpoints/sender.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { streamedRecords, sweep, takeIn } from './invocations.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
})
afterAll(() => service.stop())

let messages = 0
/** A message of a tool as it comes out of the queue. */
function message(type: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  messages += 1
  const text = writeAlertMessage({
    integration_id: `${type}_01KG9XH200000000000000000A`,
    config: {},
    headers,
    received_at: Date.now(),
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  })
  return { messageId: `message-${messages}`, body: text ?? '' }
}
const alert = (service: string, status: 'firing' | 'resolved', at: number) => ({
  status,
  fingerprint: `${service} is down`,
  labels: { alertname: 'Down', service, severity: 'page' },
  annotations: { summary: `${service} is down` },
  startsAt: writeInstant(at),
  endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : writeInstant(at + 1_000),
})
const ofService = async (name: string) => {
  const { incidents } = await service.done('list-incidents')
  return (incidents as { id: string; service: string; status: string }[]).filter(
    (incident) => incident.service === name,
  )
}

describe('the worker that takes in what tools send', () => {
  it('opens an incident that is read with its alert, investigated and told like any other', async () => {
    const sent = message('alertmanager', { alerts: [alert('checkout', 'firing', Date.now())] })
    expect(await takeIn([sent, { ...sent, messageId: 'again' }])).toEqual([])
    expect(await takeIn([sent])).toEqual([])
    const [incident, ...more] = await ofService('checkout')
    expect(more).toEqual([])
    const read = await service.done('get-incident', { id: incident?.id ?? '' })
    expect(read).toMatchObject({ title: 'checkout is down', severity: 'critical', analysis: 'pending' })
    expect(read.alerts).toEqual([
      expect.objectContaining({ status: 'firing', integration_id: expect.stringMatching(/^alertmanager_/) }),
    ])
    const kinds = (await streamedRecords(service)).map(({ dynamodb }) => dynamodb?.NewImage?.sk?.S)
    expect(kinds.filter((sk) => sk === 'EVENT')).toHaveLength(1)
    expect(await sweep()).toBeGreaterThan(0)
    expect((await service.messages()).map(({ body }) => body).join()).toContain(incident?.id)
  })

  it('leaves an incident open whose alerts are over until the quiet time is over', async () => {
    const at = Date.now() - 1_000
    await takeIn([message('alertmanager', { alerts: [alert('cart', 'firing', at)] })])
    await takeIn([message('alertmanager', { alerts: [alert('cart', 'resolved', at)] })])
    await sweep()
    expect((await ofService('cart'))[0]?.status).toBe('open')
  })

  it('opens an incident as of now where a clock is hours ahead, and hears of its end', async () => {
    const ahead = Date.now() + 3 * 3_600_000
    await takeIn([message('alertmanager', { alerts: [alert('ahead', 'firing', ahead)] })])
    const [incident] = await ofService('ahead')
    const read = () => service.done('get-incident', { id: incident?.id ?? '' })
    expect(Date.parse((await read()).started_at as string)).toBeLessThanOrEqual(Date.now())
    await takeIn([message('alertmanager', { alerts: [alert('ahead', 'resolved', Date.now())] })])
    expect((await read()).alerts).toMatchObject([{ status: 'resolved' }])
  })

  it.each([
    [
      'labels named like what every object has',
      '{"__proto__":"a","constructor":"b","service":"odd 1"}',
      'odd 1',
    ],
    ['half characters', '{"x\\ud83d":"y\\ud83d","service":"odd 2\\ud83d"}', 'odd 2\ufffd'],
    ['a service of 100,000 characters', `{"service":"${'s'.repeat(100_000)}"}`, `${'s'.repeat(199)}…`],
  ])('opens an incident for an alert with %s', async (what, labels, name) => {
    const given = JSON.stringify(alert(what, 'firing', Date.now()))
    const sent = message(
      'alertmanager',
      `{"alerts":[${given.replace(/"labels":\{[^}]*\}/, `"labels":${labels}`)}]}`,
    )
    expect(await takeIn([sent])).toEqual([])
    expect(await ofService(name)).toHaveLength(1)
  })

  it('keeps changes as evidence, once however often they come, and opens nothing', async () => {
    const deployment = { id: 5, sha: 'f95f852bd8', environment: 'prod', created_at: writeInstant(Date.now()) }
    const body = { repository: { full_name: 'acme/shop' }, deployment }
    const sent = message('github', body, { 'x-github-event': 'deployment' })
    expect(await takeIn([sent])).toEqual([])
    expect(await takeIn([sent])).toEqual([])
    const { documents } = await import('#shared/runtime.ts')
    const { ScanCommand } = await import('@aws-sdk/lib-dynamodb')
    const { Items } = await documents().send(new ScanCommand({ TableName: service.store.names.signals }))
    expect(Items).toHaveLength(1)
  })

  it('takes in an alarm of AWS while an integration names its account and region, and no other', async () => {
    const event = () => ({ messageId: 'event', body: JSON.stringify(alarmEvent()) })
    expect(await takeIn([event()])).toEqual([])
    const { id } = await newSender('cloudwatch', { region: 'us-east-1' })
    expect(await takeIn([event()])).toEqual([])
    expect(await ofService('checkout-api')).toEqual([])
    const named = await newSender('cloudwatch', { region: 'eu-central-1' })
    expect(await takeIn([event(), event()])).toEqual([])
    expect(await takeIn([event()])).toEqual([])
    const [incident, ...more] = await ofService('checkout-api')
    expect([incident?.status, more]).toEqual(['open', []])
    const { alerts } = await service.done('get-incident', { id: incident?.id ?? '' })
    expect(alerts).toMatchObject([{ integration_id: named.id }])
    await service.done('delete-integration', { id })
  })

  it('takes a large body from where it is kept, lets it go, and knows it when its message comes again', async () => {
    const { largeBodies } = await import('#shared/runtime.ts')
    const body = { alerts: [alert('large', 'firing', Date.now())] }
    const stored = await largeBodies().keep('alertmanager_1', gzipSync(JSON.stringify(body)))
    const sent = (key: string) => ({
      messageId: key,
      body: JSON.stringify({
        integration_id: 'alertmanager_01KG9XH200000000000000000A',
        received_at: 1,
        stored: key,
      }),
    })
    expect(await takeIn([sent(stored)])).toEqual([])
    expect(await largeBodies().read(stored)).toBeNull()
    expect(await takeIn([sent(stored), sent('sent-bodies/alertmanager_1/none')])).toEqual([
      'sent-bodies/alertmanager_1/none',
    ])
    expect(await ofService('large')).toHaveLength(1)
  })

  it('takes thousands of alerts in portions, and none of a batch for which too little time is left', async () => {
    const many = Array.from({ length: 1_100 }, (_, index) => ({
      ...alert('storm', 'firing', Date.now()),
      fingerprint: `storm-${index}`,
    }))
    const messages = [message('alertmanager', { alerts: many }), message('alertmanager', { alerts: many })]
    expect(await takeIn(messages, 5_000)).toEqual(messages.map(({ messageId }) => messageId))
    expect(await ofService('storm')).toEqual([])
    expect(await takeIn(messages)).toEqual([])
    expect(await ofService('storm')).toHaveLength(1)
  })

  it('gives back only what it cannot read, and takes in what nobody understands', async () => {
    const good = message('alertmanager', { alerts: [alert('orders', 'firing', Date.now())] })
    const failed = await takeIn([
      { messageId: 'torn', body: '{' },
      { messageId: 'strange', body: '{"incident_id":"inc_1"}' },
      message('alertmanager', 'no JSON at all'),
      message('carrier-pigeon', { alerts: [] }),
      good,
    ])
    expect(failed.sort()).toEqual(['strange', 'torn'])
    expect(await ofService('orders')).toHaveLength(1)
  })

  it('gives back the message whose alert cannot be stored, to be taken in later', async () => {
    const { alertActs } = await import('#shared/runtime.ts')
    const { takeAlerts } = await import('#shared/domain/alerts/take-alerts.ts')
    const acts = {
      ...alertActs(),
      alerts: { ...alertActs().alerts, write: () => Promise.resolve(false) },
      pause: () => Promise.resolve(),
    }
    const { alertOf } = await import('#test/domain/alerts/alert-world.ts')
    const given = [{ id: 'm', alerts: [alertOf({ service: 'busy', fingerprint: 'busy' })] }]
    const errors: unknown[] = []
    expect([
      ...(await takeAlerts(
        acts,
        given,
        (error) => errors.push(error),
        () => 60_000,
      )),
    ]).toEqual(['m'])
    expect(errors.map(String)).toEqual(['Error: others keep writing the same group of alerts'])
  })
})
