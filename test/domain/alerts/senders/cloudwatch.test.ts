import { describe, expect, it } from 'vitest'
import { readCloudwatch } from '#shared/domain/alerts/senders/cloudwatch.ts'
import { INTEGRATION, START } from '../alert-world.ts'

const ARN = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:Errors'
const read = (body: unknown) =>
  readCloudwatch({ integration_id: INTEGRATION, config: {}, headers: {}, received_at: START, body })
const one = (body: unknown) => read(body).alerts[0]
const why = (body: unknown) => read(body).left_out[0]
const at = (text: string) => Date.parse(text)

const detail = (more: object = {}) => ({
  alarmName: 'Errors',
  state: { value: 'ALARM', reason: 'crossed', timestamp: '2026-01-31T12:00:00.653+0000' },
  configuration: { description: 'too many errors' },
  ...more,
})
const event = (more: object = {}, outer: object = {}) => ({
  ...{
    source: 'aws.cloudwatch',
    'detail-type': 'CloudWatch Alarm State Change',
    time: '2026-01-31T12:00:01Z',
  },
  ...{ resources: [ARN], detail: detail(more), ...outer },
})
const measuring = (...dimensions: readonly object[]) =>
  event({
    configuration: { metrics: dimensions.map((each) => ({ metricStat: { metric: { dimensions: each } } })) },
  })
const notification = (more: object = {}) => ({
  Type: 'Notification',
  Message: JSON.stringify({
    ...{ AlarmName: 'Errors', AlarmArn: ARN, NewStateValue: 'ALARM', NewStateReason: 'crossed' },
    ...{ StateChangeTime: '2026-01-31T12:10:00.000+0000', AlarmDescription: 'too many errors', ...more },
  }),
})

describe('an alarm of EventBridge', () => {
  it('is told whole', () => {
    expect(read(event())).toEqual({
      alerts: [
        {
          ...{ fingerprint: ARN, status: 'firing', at: at('2026-01-31T12:00:00.653Z'), severity: 'medium' },
          ...{ title: 'Errors', description: 'crossed', labels: {}, service: null, sender_group: null },
          ...{ starts_at: at('2026-01-31T12:00:00.653Z'), ends_at: null, url: null, ending: 'tells' },
        },
      ],
      ...{ signals: {}, left_out: [] },
    })
  })

  it('is over when it is OK', () => {
    const over = { value: 'OK', timestamp: '2026-01-31T12:05:00Z' }
    expect(one(event({ state: over }))).toMatchObject({
      ...{ status: 'resolved', at: at('2026-01-31T12:05:00Z'), starts_at: null },
      ...{ ends_at: at('2026-01-31T12:05:00Z'), description: 'too many errors' },
    })
  })

  it('is described by why it went off, else by its own words, else by nothing', () => {
    const described = (reason: string | undefined, description: string | undefined) =>
      one(event({ state: { value: 'ALARM', reason }, configuration: { description } }))?.description
    expect(described('crossed', 'too many errors')).toBe('crossed')
    expect(described(undefined, 'too many errors')).toBe('too many errors')
    expect(described(undefined, undefined)).toBeNull()
  })

  it('has the time of its state, else of the event, else of its arrival', () => {
    expect(one(event({ state: { value: 'ALARM' } }))?.at).toBe(at('2026-01-31T12:00:01Z'))
    expect(one(event({ state: { value: 'ALARM' } }, { time: undefined }))?.at).toBe(START)
  })

  it('is told apart by its address, and by its name where it has none', () => {
    expect(one(event({}, { resources: [] }))?.fingerprint).toBe('Errors')
    expect(one({ alarmArn: ARN, alarmData: detail() })?.fingerprint).toBe(ARN)
    expect(one({ alarmData: detail() })?.fingerprint).toBe('Errors')
  })

  it('has what it measures as labels, of every metric', () => {
    expect(one(measuring({ FunctionName: 'checkout' }, { Stage: 'prod' }))?.labels).toEqual({
      ...{ FunctionName: 'checkout', Stage: 'prod' },
    })
    expect(one(event({ configuration: { metrics: [{}, 'x', { metricStat: {} }] } }))?.labels).toEqual({})
  })

  it('is of the service that the first of its dimensions names that is believed', () => {
    const believed = [
      ...[
        'ServiceName',
        'FunctionName',
        'ApiName',
        'ApiId',
        'TableName',
        'QueueName',
        'StreamName',
        'TopicName',
      ],
      ...[
        'DBInstanceIdentifier',
        'DBClusterIdentifier',
        'CacheClusterId',
        'StateMachineArn',
        'TargetGroup',
        'LoadBalancer',
        'AutoScalingGroupName',
      ],
      ...['ClusterName', 'InstanceId'],
    ]
    for (const [index, name] of believed.entries()) {
      const rest = Object.fromEntries(believed.slice(index).map((each) => [each, `of ${each}`]))
      expect(one(measuring({ Other: 'x', ...rest }))?.service).toBe(`of ${name}`)
    }
    expect(one(measuring({ Other: 'x' }))?.service).toBeNull()
  })

  it.each([
    [
      { TargetGroup: 'targetgroup/checkout/0123456789abcdef', LoadBalancer: 'app/shop/0123456789abcdef' },
      'checkout',
    ],
    [{ LoadBalancer: 'app/shop/0123456789abcdef' }, 'shop'],
    [{ StateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:fulfil' }, 'fulfil'],
  ])('is of the service in the name of %j, as what is pulled of it: %s', (dimensions, name) => {
    expect(one(measuring(dimensions))?.service).toBe(name)
  })

  it('is of the service that settings name for a dimension, as what is pulled of it', () => {
    const config = { service_map: { 'orders-queue': 'orders' } }
    const named = (dimensions: object) =>
      readCloudwatch({
        ...{ integration_id: INTEGRATION, config, headers: {}, received_at: START },
        body: measuring(dimensions),
      }).alerts[0]?.service
    expect(named({ QueueName: 'orders-queue' })).toBe('orders')
    expect(named({ ApiName: 'shop', QueueName: 'orders-queue' })).toBe('orders')
    expect(named({ QueueName: 'others' })).toBe('others')
  })

  it('is as severe as its description says, high where it is made of others, else medium', () => {
    const severity = (configuration: object) => one(event({ configuration }))?.severity
    expect(severity({ description: 'Severity: critical. Wake somebody' })).toBe('critical')
    expect(severity({ description: 'severity:low', alarmRule: 'ALARM(a)' })).toBe('low')
    expect(severity({ description: 'severity: unheard', alarmRule: 'ALARM(a)' })).toBe('high')
    expect(severity({ description: 'critical' })).toBe('medium')
    expect(severity({})).toBe('medium')
  })
})

describe('an alarm of SNS', () => {
  it('is the same as of EventBridge', () => {
    const told = one(
      notification({
        Trigger: { Dimensions: [{ name: 'FunctionName', value: 'checkout' }, 7, { value: 'x' }] },
      }),
    )
    expect(told).toMatchObject({
      ...{
        fingerprint: ARN,
        status: 'firing',
        at: at('2026-01-31T12:10:00Z'),
        severity: 'medium',
        title: 'Errors',
      },
      ...{ description: 'crossed', service: 'checkout' },
    })
    expect(told?.labels).toEqual({ FunctionName: 'checkout' })
    const part = (name: string, value: string) => ({
      MetricStat: { Metric: { Dimensions: [{ name, value }] } },
    })
    const share = {
      Metrics: [{ Expression: 'e / i' }, part('FunctionName', 'checkout'), part('Resource', 'v1')],
    }
    expect(one(notification({ Trigger: share }))).toMatchObject({
      ...{ service: 'checkout', labels: { FunctionName: 'checkout', Resource: 'v1' } },
    })
    expect(one(notification({ AlarmRule: 'ALARM(a)' }))?.severity).toBe('high')
    expect(one(notification({ AlarmDescription: 'severity: low' }))?.severity).toBe('low')
    expect(one(notification({ NewStateReason: undefined }))?.description).toBe('too many errors')
    expect(one(notification({ AlarmArn: undefined }))?.fingerprint).toBe('Errors')
    expect(one(notification({ StateChangeTime: undefined }))?.at).toBe(START)
    expect(one(notification({ NewStateValue: 'OK' }))?.status).toBe('resolved')
  })

  it('is none without a name, or in a message that is no object', () => {
    expect(why(notification({ AlarmName: undefined }))).toBe('Notification tells of no alarm')
    for (const Message of ['hello', '[]', '7', 7, undefined])
      expect(why({ Type: 'Notification', Message })).toBe('Notification tells of no alarm')
    expect(why({ Type: 'SubscriptionConfirmation' })).toBe('SubscriptionConfirmation tells of no alarm')
  })
})

describe('what is no alarm', () => {
  it.each([
    [event({ alarmName: 'TargetTracking-table/x' }), 'TargetTracking-table/x belongs to autoscaling'],
    [event({ state: { value: 'INSUFFICIENT_DATA' } }), 'Errors is INSUFFICIENT_DATA'],
    [event({ state: {} }), 'Errors is in no state'],
    [event({ alarmName: '' }), 'CloudWatch Alarm State Change tells of no alarm'],
    [
      event({}, { 'detail-type': 'CloudWatch Alarm Configuration Change' }),
      'CloudWatch Alarm Configuration Change tells of no alarm',
    ],
    [{}, 'it tells of no alarm'],
    [null, 'it tells of no alarm'],
  ])('%# is left out, and why', (body, reason) => {
    expect(read(body)).toEqual({ alerts: [], signals: {}, left_out: [reason] })
  })

  it('is what acts on autoscaling, by whichever of its actions', () => {
    const action = 'arn:aws:autoscaling:eu-west-1:1:scalingPolicy:x'
    for (const list of ['alarmActions', 'okActions', 'insufficientDataActions'])
      expect(why(event({ configuration: { [list]: [action] } }))).toBe('Errors acts on autoscaling')
    for (const list of ['AlarmActions', 'OKActions'])
      expect(why(notification({ [list]: ['arn:aws-cn:application-autoscaling:cn-north-1:1:x'] }))).toBe(
        'Errors acts on autoscaling',
      )
    for (const other of ['arn:aws:sns:eu-west-1:1:autoscaling', 'xarn:aws:autoscaling:x', 7])
      expect(one(event({ configuration: { alarmActions: [other] } }))).toBeDefined()
    expect(one(event({ alarmName: 'My TargetTracking-x' }))).toBeDefined()
  })
})

describe('what AWS says of its own services', () => {
  const health = (more: object = {}, outer: object = {}) =>
    read({
      ...{ source: 'aws.health', time: '2026-01-31T12:00:00Z', resources: ['vol-1', 'vol-2'] },
      detail: {
        ...{ service: 'EBS', eventTypeCode: 'AWS_EBS_VOLUME_LOST', startTime: '2026-01-31T11:00:00Z' },
        ...{ eventDescription: [{ latestDescription: ' ' }, { latestDescription: 'lost' }], ...more },
      },
      ...outer,
    })

  it('is evidence of each of its resources, and no alert', () => {
    expect(health()).toEqual({
      ...{ alerts: [], left_out: [] },
      signals: {
        events: ['vol-1', 'vol-2'].map((resource) => ({
          ...{
            timestamp: '2026-01-31T11:00:00.000Z',
            resource,
            service: 'EBS',
            kind: 'AWS_EBS_VOLUME_LOST',
            message: 'lost',
          },
        })),
      },
    })
  })

  it('is of the service where it names no resource, and of AWS where it names no service', () => {
    expect(health({}, { resources: [] }).signals.events).toMatchObject([{ resource: 'EBS' }])
    expect(health({ service: undefined }, { resources: [{}] }).signals.events).toMatchObject([
      { resource: 'aws', service: 'aws' },
    ])
  })

  it('is told by its kind where nobody describes it, at the time of the event or of its arrival', () => {
    expect(health({ eventDescription: [], startTime: undefined }).signals.events?.[0]).toMatchObject({
      ...{ message: 'AWS_EBS_VOLUME_LOST', timestamp: '2026-01-31T12:00:00.000Z' },
    })
    expect(health({ startTime: undefined }, { time: undefined }).signals.events?.[0]?.timestamp).toBe(
      new Date(START).toISOString(),
    )
  })

  it('is cut to a hundred resources and a bounded message, and left out without its kind', () => {
    const many = Array.from({ length: 101 }, (_, index) => `vol-${index}`)
    expect(health({}, { resources: many }).signals.events).toHaveLength(100)
    expect(
      health({ eventDescription: [{ latestDescription: 'x'.repeat(2_001) }] }).signals.events,
    ).toMatchObject([{ message: 'x'.repeat(2_000) }, {}])
    expect(health({ eventTypeCode: null }).left_out).toEqual(['a health event without its kind'])
  })
})
