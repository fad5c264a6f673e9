import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sent } from '#shared/domain/alerts/alert.ts'
import { readSent } from '#shared/domain/alerts/read-sent.ts'
import { INTEGRATION, START } from './alert-world.ts'

const SENDERS = [
  'alertmanager',
  'cloudwatch',
  'datadog',
  'github',
  'grafana',
  'pagerduty',
  'sentry',
  'webhook',
] as const
const at = (text: string) => Date.parse(text)

const read = (type: string, body: unknown, more: Partial<Sent> = {}) =>
  readSent(type, { integration_id: INTEGRATION, config: {}, headers: {}, received_at: START, body, ...more })
const one = (type: string, body: unknown, more: Partial<Sent> = {}) => {
  const { alerts, left_out } = read(type, body, more)
  expect(left_out).toEqual([])
  expect(alerts).toHaveLength(1)
  return alerts[0] as (typeof alerts)[0]
}
const anHourLater = { received_at: START + 3_600_000 }
/** Reads what a real Alertmanager posted. */
const recorded = (name: string) => {
  const file = new URL(`../../data/alertmanager/${name}.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { body: unknown }).body
}

describe('Alertmanager', () => {
  it('tells each alert with its fingerprint, begin, severity, group and link', () => {
    expect(one('alertmanager', recorded('webhook_firing_single'))).toMatchObject({
      status: 'firing',
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      severity: expect.stringMatching(/^(medium|high|critical|low)$/),
      starts_at: expect.any(Number),
      ends_at: null,
      url: expect.stringMatching(/^http:/),
      ending: 'repeats',
    })
  })

  it('tells of each alert by itself whether it is over, also in a payload that says firing', () => {
    const { alerts } = read('alertmanager', recorded('webhook_partial_resolve_status_firing'))
    expect(new Set(alerts.map(({ status }) => status))).toEqual(new Set(['firing', 'resolved']))
    for (const { status, at: instant, starts_at, ends_at } of alerts)
      expect(instant).toBe(status === 'firing' ? starts_at : ends_at)
  })

  it('tells when each came in', () => {
    const { alerts } = read('alertmanager', recorded('webhook_firing_single'), anHourLater)
    expect(alerts.map(({ received_at }) => received_at)).toEqual([anHourLater.received_at])
  })

  it('ends nothing by a payload that hides alerts', () => {
    const payload = recorded('webhook_resolved_single') as object
    const { alerts, left_out } = read('alertmanager', { ...payload, truncatedAlerts: 3 })
    expect(alerts).toEqual([])
    expect(left_out[0]).toMatch(/hides 3 alerts/)
    expect(read('alertmanager', recorded('webhook_truncated_group')).alerts).toHaveLength(1)
  })

  it('takes signs of life for no alert', () => {
    const payload = { status: 'firing', alerts: [{ status: 'firing', labels: { alertname: 'Watchdog' } }] }
    expect(read('alertmanager', payload)).toEqual({
      alerts: [],
      signals: {},
      left_out: ['Watchdog is a sign of life'],
    })
  })

  it('tells an alert apart by its labels where it has no fingerprint, whatever their order', () => {
    const payload = (labels: object) => ({ alerts: [{ status: 'firing', labels }] })
    const first = one('alertmanager', payload({ alertname: 'A', service: 's' }))
    const second = one('alertmanager', payload({ service: 's', alertname: 'A' }))
    expect(first.fingerprint).toBe(second.fingerprint)
    expect(first).toMatchObject({ at: START, starts_at: null, severity: 'medium', title: 'A' })
  })
})

describe('Grafana', () => {
  const alert = {
    status: 'firing',
    labels: { alertname: 'Latency', service: 'cart', severity: 'page' },
    annotations: { summary: 'p95 above 1 s' },
    startsAt: '2026-01-31T14:00:00.123456+02:00',
    endsAt: '0001-01-01T00:00:00Z',
    fingerprint: 'c6eadffa33fcdf37',
    values: { B: 1.2 },
  }

  it('tells alerts in any offset of time, with what it alone adds left aside', () => {
    expect(one('grafana', { orgId: 1, alerts: [alert], groupKey: '{}:{}' })).toMatchObject({
      at: at('2026-01-31T12:00:00.123Z'),
      severity: 'critical',
      title: 'p95 above 1 s',
    })
  })

  it('opens nothing by the test of a contact point', () => {
    const test = { ...alert, labels: { alertname: 'TestAlert', instance: 'Grafana' } }
    expect(read('grafana', { alerts: [test] }).left_out).toEqual(['a test of the contact point'])
  })
})

describe('Datadog', () => {
  const message = {
    alert_id: '77',
    scope: 'service:cart,host:a',
    transition: 'Triggered',
    priority: 'P1',
    type: 'error',
    date: '1769860800000',
    tags: 'env:prod,team:x',
    title: 'Errors',
    link: 'https://app.datadoghq.com/event/1',
  }

  it('tells one alert a monitor and scope, its tags as labels', () => {
    expect(one('datadog', message)).toMatchObject({
      fingerprint: '["77","service:cart,host:a"]',
      severity: 'critical',
      at: 1_769_860_800_000,
      labels: { env: 'prod', host: 'a', service: 'cart', team: 'x' },
      group: '["service","cart","prod",null]',
    })
  })

  it.each([
    ['Triggered', 'firing'],
    ['Re-Triggered', 'firing'],
    ['Warn', 'firing'],
    ['No Data', 'firing'],
    ['Recovered', 'resolved'],
  ])('%s means %s', (transition, status) => {
    expect(one('datadog', { ...message, transition }).status).toBe(status)
  })

  it.each([
    ['error', 'high'],
    ['warning', 'medium'],
    ['success', 'low'],
    ['other', 'medium'],
  ])('without a priority %s is %s', (type, severity) => {
    expect(one('datadog', { ...message, priority: '', type }).severity).toBe(severity)
  })

  it('is read from templates that name the variables otherwise, and refused without a monitor', () => {
    const other = {
      monitor_id: '77',
      scopes: 'service:cart,host:a',
      alert_transition: 'Recovered',
      last_updated: '1769860800000',
      severity: '',
      alert_type: 'success',
    }
    expect(one('datadog', other)).toMatchObject({
      fingerprint: one('datadog', message).fingerprint,
      status: 'resolved',
    })
    expect(read('datadog', { title: 'x' }).left_out).toHaveLength(1)
  })
})

describe('PagerDuty', () => {
  const incident = {
    id: 'PGR0VU2',
    type: 'incident',
    title: 'Down',
    status: 'triggered',
    created_at: '2026-01-31T12:00:00Z',
    service: { id: 'PF9KMXH', summary: 'API' },
    urgency: 'high',
    html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
  }
  const event = (event_type: string, data: object, occurred_at = '2026-01-31T12:30:00Z') => ({
    event: { id: 'e', event_type, occurred_at, data: { ...incident, ...data } },
  })

  it('tells the incident as firing since it was created, whatever event it is', () => {
    const triggered = one('pagerduty', event('incident.triggered', {}))
    expect(triggered).toMatchObject({
      fingerprint: 'PGR0VU2',
      status: 'firing',
      at: at('2026-01-31T12:00:00Z'),
      severity: 'high',
      service: 'API',
    })
    expect(one('pagerduty', event('incident.acknowledged', { status: 'acknowledged' })).at).toBe(triggered.at)
  })

  it('tells the end when it occurred, and a new begin when it is opened again', () => {
    const over = one('pagerduty', event('incident.resolved', { status: 'resolved' }), anHourLater)
    expect(over).toMatchObject({ status: 'resolved', at: at('2026-01-31T12:30:00Z') })
    const again = one('pagerduty', event('incident.reopened', {}, '2026-01-31T13:00:00Z'), anHourLater)
    expect(again).toMatchObject({ status: 'firing', at: at('2026-01-31T13:00:00Z') })
  })

  it.each([
    [{ priority: { summary: 'P1' } }, 'critical'],
    [{ priority: { summary: 'P4' } }, 'low'],
    [{ urgency: 'low' }, 'low'],
    [{ urgency: undefined }, 'medium'],
  ])('takes %j as %s', (more, severity) => {
    expect(one('pagerduty', event('incident.triggered', more)).severity).toBe(severity)
  })

  it('leaves out what tells of no incident', () => {
    expect(read('pagerduty', { event: { event_type: 'pagey.ping', data: {} } }).left_out).toHaveLength(1)
    expect(read('pagerduty', {}).left_out).toHaveLength(1)
  })
})

describe('Sentry', () => {
  const told = { ...anHourLater, headers: { 'sentry-hook-timestamp': '1769861400' } }

  it('tells an alert rule and the end of its issue as the same alert', () => {
    const event = { issue_id: '123', title: 'Boom', level: 'fatal', datetime: '2026-01-31T12:00:00.5Z' }
    const fired = one('sentry', { action: 'triggered', data: { event } }, told)
    expect(fired).toMatchObject({ severity: 'critical', at: at('2026-01-31T12:00:00.5Z'), ending: 'silent' })
    const issue = { id: 123, title: 'Boom', level: 'fatal', project: { slug: 'web' } }
    const over = one('sentry', { action: 'resolved', data: { issue } }, told)
    expect(over).toMatchObject({ fingerprint: fired.fingerprint, status: 'resolved', at: 1_769_861_400_000 })
    expect(over.service).toBe('web')
  })

  it('tells a new issue since it was first seen, and one that came back since then', () => {
    const issue = { id: '5', title: 'x', level: 'warning', firstSeen: '2026-01-31T11:00:00Z' }
    expect(one('sentry', { action: 'created', data: { issue } }, told)).toMatchObject({
      at: at('2026-01-31T11:00:00Z'),
      severity: 'medium',
    })
    expect(one('sentry', { action: 'unresolved', data: { issue } }, told).at).toBe(1_769_861_400_000)
  })

  it('tells a metric alert by its action, and by its status where there is none', () => {
    const metric_alert = { id: 7, title: 'p95', projects: ['web'], date_started: '2026-01-31T12:00:00Z' }
    const critical = { action: 'critical', data: { metric_alert, description_text: 'slow' } }
    expect(one('sentry', critical, told)).toMatchObject({
      fingerprint: 'metric:7',
      severity: 'critical',
      service: 'web',
      description: 'slow',
      at: at('2026-01-31T12:00:00Z'),
    })
    const closed = { data: { metric_alert: { ...metric_alert, status: 2 } } }
    expect(one('sentry', closed, told)).toMatchObject({ status: 'resolved', at: 1_769_861_400_000 })
    expect(read('sentry', { data: { metric_alert: {} } }).left_out).toHaveLength(1)
  })

  it('reads the older plugin, and leaves out what begins and ends nothing', () => {
    const older = {
      id: '9',
      project_slug: 'web',
      level: 'error',
      event: { title: 'x', timestamp: 1769860800.5 },
    }
    expect(one('sentry', older)).toMatchObject({
      fingerprint: 'issue:9',
      service: 'web',
      severity: 'high',
      at: 1_769_860_800_500,
    })
    expect(read('sentry', { action: 'assigned', data: { issue: { id: '1' } } }).left_out).toHaveLength(1)
    expect(read('sentry', { action: 'created', installation: {} }).left_out).toHaveLength(1)
  })
})

describe('CloudWatch', () => {
  const arn = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:Errors'
  const event = (detail: object) => ({
    source: 'aws.cloudwatch',
    'detail-type': 'CloudWatch Alarm State Change',
    time: '2026-01-31T12:00:01Z',
    resources: [arn],
    detail: {
      alarmName: 'Errors',
      state: { value: 'ALARM', reason: 'crossed', timestamp: '2026-01-31T12:00:00.653+0000' },
      configuration: {
        metrics: [{ metricStat: { metric: { dimensions: { FunctionName: 'checkout' } } } }],
      },
      ...detail,
    },
  })
  const message = (more: object = {}) => ({
    Type: 'Notification',
    Message: JSON.stringify({
      AlarmName: 'Errors',
      AlarmArn: arn,
      NewStateValue: 'OK',
      StateChangeTime: '2026-01-31T12:10:00.000+0000',
      Trigger: { Dimensions: [{ name: 'FunctionName', value: 'checkout' }] },
      ...more,
    }),
  })

  it('tells the same alarm by EventBridge, by SNS and by its own action', () => {
    const fired = one('cloudwatch', event({}))
    expect(fired).toMatchObject({
      fingerprint: arn,
      service: 'checkout',
      severity: 'medium',
      at: at('2026-01-31T12:00:00.653Z'),
    })
    expect(one('cloudwatch', message())).toMatchObject({ fingerprint: arn, status: 'resolved' })
    const { detail } = event({})
    expect(one('cloudwatch', { alarmArn: arn, alarmData: detail })).toMatchObject({ fingerprint: arn })
  })

  it.each([
    ['severity: critical', {}, 'critical'],
    ['nothing of the kind', { alarmRule: 'ALARM(a)' }, 'high'],
  ])('takes the severity from %j', (description, more, severity) => {
    const got = one('cloudwatch', event({ configuration: { description, ...more } }))
    expect(got.severity).toBe(severity)
  })

  it.each([
    ['an alarm of target tracking', event({ alarmName: 'TargetTracking-table/x-AlarmHigh' })],
    [
      'an alarm that acts on autoscaling',
      message({ AlarmActions: ['arn:aws:autoscaling:eu-west-1:1:scalingPolicy:x'] }),
    ],
    ['an alarm without data', event({ state: { value: 'INSUFFICIENT_DATA' } })],
    ['a change of settings', { ...event({}), 'detail-type': 'CloudWatch Alarm Configuration Change' }],
    ['a message that is no JSON', { Type: 'Notification', Message: 'hello' }],
  ])('leaves out %s', (_name, body) => {
    const { alerts, left_out } = read('cloudwatch', body)
    expect(alerts).toEqual([])
    expect(left_out).toHaveLength(1)
  })

  it('keeps what AWS says of its own services as evidence, and opens nothing', () => {
    const health = {
      source: 'aws.health',
      time: '2026-01-31T12:00:00Z',
      resources: ['vol-1'],
      detail: {
        service: 'EBS',
        eventTypeCode: 'AWS_EBS_VOLUME_LOST',
        eventDescription: [{ latestDescription: 'lost' }],
      },
    }
    const { alerts, signals } = read('cloudwatch', health)
    expect(alerts).toEqual([])
    expect(signals.events).toEqual([
      {
        timestamp: '2026-01-31T12:00:00.000Z',
        resource: 'vol-1',
        service: 'EBS',
        kind: 'AWS_EBS_VOLUME_LOST',
        message: 'lost',
      },
    ])
    expect(read('cloudwatch', { source: 'aws.health', detail: {} }).left_out).toHaveLength(1)
  })
})

describe('GitHub', () => {
  const repository = { full_name: 'acme/shop', default_branch: 'main' }
  const changes = (event: string, payload: object, config: object = {}) =>
    read(
      'github',
      { repository, ...payload },
      { headers: { 'x-github-event': event }, config: config as Sent['config'] },
    ).signals.changes ?? []
  const deployment = { id: 5, sha: 'f95f852bd8', environment: 'prod', created_at: '2026-01-31T12:00:00Z' }

  it('tells a deployment, and from its success when it took effect', () => {
    expect(changes('deployment', { action: 'created', deployment })).toEqual([
      {
        id: '5',
        kind: 'deploy',
        recorded_at: '2026-01-31T12:00:00.000Z',
        title: 'Deploy of f95f852 to prod (acme/shop)',
        after: 'f95f852bd8',
        certainty: 'guessed',
      },
    ])
    const status = (state: string) => ({
      deployment,
      deployment_status: { state, created_at: '2026-01-31T12:05:00Z' },
    })
    expect(changes('deployment_status', status('success'))[0]).toMatchObject({
      effective_at: { from: '2026-01-31T12:00:00.000Z', to: '2026-01-31T12:05:00.000Z' },
      certainty: 'recorded',
    })
    const [failed] = changes('deployment_status', status('failure'))
    expect(failed).toMatchObject({
      ...{ id: '5', certainty: 'guessed' },
      title: 'Deploy of f95f852 to prod (failure) (acme/shop)',
    })
    expect(failed).not.toHaveProperty('effective_at')
  })

  it('tells the commits that come to the branch that is deployed, and of no other', () => {
    const commits = [
      {
        id: 'a1',
        message: 'Fix\n\nlong',
        timestamp: '2026-01-31T13:00:00+01:00',
        author: { username: 'ann' },
      },
    ]
    expect(changes('push', { ref: 'refs/heads/main', commits })).toEqual([
      expect.objectContaining({
        id: 'a1',
        kind: 'commit',
        recorded_at: '2026-01-31T12:00:00.000Z',
        actor: 'ann',
      }),
    ])
    expect(changes('push', { ref: 'refs/heads/topic', commits })).toEqual([])
    expect(changes('push', { ref: 'refs/tags/v1', commits, repository: { full_name: 'a/b' } })).toEqual([])
  })

  it('tells releases, merged pull requests and runs that deploy', () => {
    const release = { tag_name: 'v2', published_at: '2026-01-31T12:00:00Z' }
    expect(changes('release', { action: 'published', release })[0]).toMatchObject({
      kind: 'release',
      after: 'v2',
    })
    expect(changes('release', { action: 'created', release })).toEqual([])
    const pull_request = { number: 3, title: 'x', merged_at: '2026-01-31T11:00:00Z', user: { login: 'ann' } }
    expect(changes('pull_request', { action: 'closed', pull_request })[0]).toMatchObject({
      id: '#3',
      kind: 'pull_request',
    })
    expect(changes('pull_request', { action: 'closed', pull_request: { number: 3 } })).toEqual([])
    const run = { id: 8, name: 'Deploy', conclusion: 'success', created_at: '2026-01-31T12:00:00Z' }
    expect(changes('workflow_run', { action: 'completed', workflow_run: run })[0]).toMatchObject({
      kind: 'deploy',
    })
    const test = { ...run, name: 'Test' }
    expect(changes('workflow_run', { action: 'completed', workflow_run: test })).toEqual([])
  })

  it('names the service where the settings say which repository is its', () => {
    const named = { repositories: { checkout: 'Acme/Shop' } }
    expect(changes('deployment', { deployment }, named)[0]).toMatchObject({ entity: 'checkout' })
    expect(changes('deployment', { deployment }, { repositories: ['acme/shop'] })[0]).not.toHaveProperty(
      'entity',
    )
  })

  it('leaves out every other event, also one named like what every object has', () => {
    for (const event of ['ping', 'issues', 'constructor', ''])
      expect(read('github', { repository }, { headers: { 'x-github-event': event } }).left_out).toHaveLength(
        1,
      )
  })
})

describe('an instant that is still to come', () => {
  const MINUTE = 60_000
  const sent = (action: string, timestamp: number) =>
    one('webhook', { incidentId: 'i-1', action, title: 'Down', timestamp })

  it('counts as of when the message came in, for a begin as for an end', () => {
    for (const ahead of [5 * MINUTE + 1, 3 * 3_600_000, Date.UTC(9999, 0, 1) - START]) {
      expect(sent('created', START + ahead)).toMatchObject({ status: 'firing', at: START, starts_at: START })
      expect(sent('closed', START + ahead)).toMatchObject({ status: 'resolved', at: START, ends_at: START })
    }
  })

  it('is taken as it is while a clock is ahead by five minutes at most', () => {
    expect(sent('created', START + 5 * MINUTE)).toMatchObject({ at: START + 5 * MINUTE })
    expect(sent('closed', START + 5 * MINUTE)).toMatchObject({ ends_at: START + 5 * MINUTE })
  })
})

describe('a description', () => {
  it('that ends in the middle of a character can be stored all the same', () => {
    const description = `${'d'.repeat(1_999)}😀`
    const sent = one('webhook', { incidentId: 'i-1', action: 'created', title: 'Down', description })
    expect(sent.description?.isWellFormed()).toBe(true)
    expect(sent.description).toHaveLength(2_000)
  })
})

describe('the generic webhook', () => {
  const incident = {
    eventType: 'incident',
    incidentId: 'i-1',
    action: 'created',
    priority: 'HIGH',
    title: 'Down',
    timestamp: '2026-01-31T12:00:00Z',
    service: 'cart',
    data: { region: 'eu' },
  }

  it('tells an incident by its id, action and priority', () => {
    expect(one('webhook', incident)).toMatchObject({
      fingerprint: 'i-1',
      severity: 'high',
      at: START,
      service: 'cart',
      labels: { region: 'eu' },
    })
    const closed = { ...incident, action: 'closed', timestamp: '2026-01-31T12:10:00Z' }
    expect(one('webhook', closed, anHourLater)).toMatchObject({
      status: 'resolved',
      at: at('2026-01-31T12:10:00Z'),
    })
    expect(one('webhook', { ...incident, priority: 'MINIMAL' }).severity).toBe('low')
  })

  it('is read as the data of an event, with plain names, and in the shape of Alertmanager', () => {
    const event = { type: 'incident.created', timestamp: '2026-01-31T12:00:00Z', data: incident }
    expect(one('webhook', event).fingerprint).toBe('i-1')
    const plain = {
      fingerprint: 'x',
      status: 'resolved',
      severity: 'page',
      starts_at: START,
      ends_at: START + 1,
    }
    expect(one('webhook', plain)).toMatchObject({ status: 'resolved', at: START + 1, severity: 'critical' })
    expect(one('webhook', recorded('webhook_firing_single')).ending).toBe('repeats')
  })

  it('leaves out what has no id, and what nobody knows', () => {
    expect(read('webhook', { title: 'x' }).left_out).toHaveLength(1)
    expect(read('webhook', { ...incident, action: 'exploded' }).left_out).toHaveLength(1)
  })
})

describe('the group of an alert', () => {
  const groupOf = (labels: object, groupKey?: string) =>
    one('alertmanager', { groupKey, alerts: [{ status: 'firing', fingerprint: 'f', labels }] }).group

  it('is what somebody chose, else the service, else what the sender groups by, else the alert itself', () => {
    expect(groupOf({ incident_group: 'g', service: 's' })).toBe('["chosen","g"]')
    expect(groupOf({ app: 'Cart', env: 'prod', cluster: 'c' })).toBe('["service","cart","prod","c"]')
    expect(groupOf({ instance: 'a' }, '{}:{x}')).toBe(`["sender","${INTEGRATION}","{}:{x}"]`)
    expect(groupOf({ instance: 'a' })).toBe(`["alert","${INTEGRATION}","f"]`)
  })

  it('is the job that is scraped, unless that measures others', () => {
    expect(groupOf({ job: 'default/cart' })).toBe('["service","cart",null,null]')
    expect(groupOf({ job: 'node-exporter' })).toContain('"alert"')
  })
})

describe('every sender', () => {
  it.each(SENDERS)('%s is read without a fault, whatever comes', (type) => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (body) => {
        const { alerts } = read(type, body, { headers: { 'x-github-event': 'push' } })
        for (const alert of alerts) expect(Number.isFinite(alert.at)).toBe(true)
      }),
    )
  })

  it('that does not exist says nothing', () => {
    expect(read('carrier pigeon', {}).left_out).toHaveLength(1)
    expect(read('constructor', {}).left_out).toHaveLength(1)
  })

  it('gives titles of one printable line', () => {
    const { title } = one('webhook', { incidentId: 'x', title: `a\u202eb\n${'c'.repeat(300)}` })
    expect(title).toMatch(/^ab c+…$/)
    expect(Array.from(title)).toHaveLength(200)
  })
})
