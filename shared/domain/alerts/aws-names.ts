/**
 * Dimensions of CloudWatch that name what is measured, in the order in which they are believed: what serves before what
 * stands before it, and both before what carries them.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/aws-services-cloudwatch-metrics.html
 */
const NAMING = [
  'ServiceName',
  'FunctionName',
  'ApiName',
  'ApiId',
  'TableName',
  'QueueName',
  'StreamName',
  'TopicName',
  'DBInstanceIdentifier',
  'DBClusterIdentifier',
  'CacheClusterId',
  'StateMachineArn',
  'TargetGroup',
  'LoadBalancer',
  'AutoScalingGroupName',
  'ClusterName',
  'InstanceId',
] as const

/**
 * The name within a dimension's value: of a target group, a load balancer and an ARN, which hold more than their name.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html
 */
export const nameInValue = (value: string): string =>
  /^(?:targetgroup|app|net|gwy)\/([^/]+)\/[0-9a-f]+$/.exec(value)?.[1] ??
  (value.startsWith('arn:')
    ? value.slice(Math.max(value.lastIndexOf(':'), value.lastIndexOf('/')) + 1)
    : value)

/** What dimensions name, the surest of them; undefined where none that names anything is there. */
export function namedByDimensions(dimensions: Readonly<Record<string, string>>): string | undefined {
  const found = NAMING.map((name) => dimensions[name]).find((value) => value !== undefined && value !== '')
  return found === undefined ? undefined : nameInValue(found)
}
