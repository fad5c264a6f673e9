import { type EventPattern, Rule } from 'aws-cdk-lib/aws-events'
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'

/**
 * Which events of the account come into the queue of what tools send: alarms that changed, and what AWS says of its own
 * services. Alarms that autoscaling makes go off whenever a service is resized, and this service's own would be
 * incidents of itself.
 */
export const eventPatterns = (stackName: string): Readonly<Record<'Alarms' | 'Health', EventPattern>> => ({
  Alarms: {
    source: ['aws.cloudwatch'],
    detailType: ['CloudWatch Alarm State Change'],
    detail: {
      alarmName: [{ 'anything-but': { prefix: ['TargetTracking-', `${stackName}-`] } }],
      state: { value: ['ALARM', 'OK'] },
    },
  },
  Health: { source: ['aws.health'], detailType: ['AWS Health Event'] },
})

/** Puts them into the queue; nothing reads them unless an integration names the account and the region. */
export function takeAwsEvents(scope: Construct, stackName: string, alerts: Queue): void {
  const patterns = eventPatterns(stackName)
  const take = (id: keyof typeof patterns, description: string) =>
    new Rule(scope, `${id}Rule`, {
      description,
      eventPattern: patterns[id],
      targets: [new SqsQueue(alerts)],
    })
  take('Alarms', 'Alarms that changed become incidents while an integration wants them')
  take('Health', 'What AWS says of its services is evidence')
}
