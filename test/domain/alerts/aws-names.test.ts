import { describe, expect, it } from 'vitest'
import { namedByDimensions, nameInValue } from '#shared/domain/alerts/aws-names.ts'

describe('what dimensions of CloudWatch name', () => {
  it('is what serves before what stands before it, and both before what carries them', () => {
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
      ...['DBInstanceIdentifier', 'DBClusterIdentifier', 'CacheClusterId', 'StateMachineArn', 'TargetGroup'],
      ...['LoadBalancer', 'AutoScalingGroupName', 'ClusterName', 'InstanceId'],
    ]
    for (const [index, name] of believed.entries()) {
      const rest = believed.slice(index).toReversed()
      const dimensions = Object.fromEntries(rest.map((dimension) => [dimension, `of-${dimension}`]))
      expect(namedByDimensions({ Region: 'x', ...dimensions })).toBe(`of-${name}`)
    }
  })

  it('is nothing where no dimension names anything, and never an empty name', () => {
    expect(namedByDimensions({ Region: 'eu-west-1' })).toBeUndefined()
    expect(namedByDimensions({ ServiceName: '', ClusterName: 'shop' })).toBe('shop')
    expect(namedByDimensions({ ServiceName: '' })).toBeUndefined()
  })

  it.each([
    ['targetgroup/checkout/6d0ecf831eec9f09', 'checkout'],
    ['app/shop-front/50dc6c495c0c9188', 'shop-front'],
    ['net/shop-tcp/50dc6c495c0c9188', 'shop-tcp'],
    ['gwy/inspection/50dc6c495c0c9188', 'inspection'],
    ['arn:aws:states:eu-west-1:123456789012:stateMachine:orders', 'orders'],
    ['arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/classic', 'classic'],
    ['checkout', 'checkout'],
    // A queue or a function may be named with what parts such values.
    ['team:orders', 'team:orders'],
    ['app/shop', 'app/shop'],
    ['app/shop/live', 'app/shop/live'],
    ['app/shop/50dc6c495c0c9188/x', 'app/shop/50dc6c495c0c9188/x'],
    ['my-app/shop/50dc6c495c0c9188', 'my-app/shop/50dc6c495c0c9188'],
    ['carn:x', 'carn:x'],
  ])('is within the value %s', (value, name) => {
    expect(nameInValue(value)).toBe(name)
    expect(namedByDimensions({ TargetGroup: value })).toBe(name)
  })
})
