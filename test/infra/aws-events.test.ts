import { describe, expect, it } from 'vitest'
import { eventFilter } from '#infra/local/event-filter.ts'
import { resourcesOf, synthesise } from './synthesise.ts'

const given = synthesise()
const rules = Object.values(given.templates.state.findResources('AWS::Events::Rule'))
const isTaken = eventFilter(rules.map(({ Properties }) => Properties.EventPattern))

const alarm = (alarmName: string, value = 'ALARM') => ({
  source: 'aws.cloudwatch',
  'detail-type': 'CloudWatch Alarm State Change',
  detail: { alarmName, state: { value } },
})

describe('the events of AWS that are taken in', () => {
  it('are alarms that go off or are over, and what AWS says of its services', () => {
    expect(isTaken(alarm('checkout-5xx'))).toBe(true)
    expect(isTaken(alarm('checkout-5xx', 'OK'))).toBe(true)
    expect(isTaken({ source: 'aws.health', 'detail-type': 'AWS Health Event', detail: {} })).toBe(true)
  })

  it.each([
    ['an alarm that autoscaling makes', alarm('TargetTracking-service/shop/checkout-AlarmHigh-1')],
    ['an alarm of this service', alarm('incident-investigator-dev-AlarmsNestedStack-ApiErrors-1')],
    ['an alarm without data', alarm('checkout-5xx', 'INSUFFICIENT_DATA')],
    ['a changed configuration', { ...alarm('x'), 'detail-type': 'CloudWatch Alarm Configuration Change' }],
    ['another source', { ...alarm('x'), source: 'aws.ec2' }],
  ])('are not %s', (_name, event) => {
    expect(isTaken(event)).toBe(false)
  })

  it('go to the queue of alerts, which takes them from these rules alone', () => {
    expect(rules).toHaveLength(2)
    for (const { Properties } of rules) expect(JSON.stringify(Properties.Targets)).toMatch(/"AlertsQueue/)
    const policies = resourcesOf(given, 'AWS::SQS::QueuePolicy').map(({ resource }) =>
      JSON.stringify(resource),
    )
    const [policy = ''] = policies.filter((text) => text.includes('events.amazonaws.com'))
    expect(policies.filter((text) => text.includes('events.amazonaws.com'))).toHaveLength(1)
    expect(policy).toContain('"aws:SourceArn"')
  })
})
