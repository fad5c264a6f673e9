import { Stack } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'

/** Twice what an enterprise key may ask in five minutes, the window in which the firewall counts. */
const REQUESTS_PER_ADDRESS = 10_000

const visibility = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
})

/**
 * Puts a web firewall before the API. It judges addresses only, never bodies: incident texts and logs hold attacks as
 * a matter of course, and rules over bodies would refuse exactly those.
 */
export function addWebFirewall(scope: Construct, api: RestApi): void {
  const firewall = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibility('firewall'),
    rules: [
      {
        name: 'requests-per-address',
        priority: 0,
        action: { block: {} },
        statement: { rateBasedStatement: { limit: REQUESTS_PER_ADDRESS, aggregateKeyType: 'IP' } },
        visibilityConfig: visibility('requests-per-address'),
      },
      {
        name: 'address-reputation',
        priority: 1,
        overrideAction: { none: {} },
        statement: {
          managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' },
        },
        visibilityConfig: visibility('address-reputation'),
      },
    ],
  })
  new CfnWebACLAssociation(scope, 'FirewallAssociation', {
    resourceArn: Stack.of(scope).formatArn({
      service: 'apigateway',
      account: '',
      resource: `/restapis/${api.restApiId}/stages`,
      resourceName: api.deploymentStage.stageName,
    }),
    webAclArn: firewall.attrArn,
  })
}
