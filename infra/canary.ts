import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Alias, type Function as CdkFunction, type IVersion } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { FunctionId } from './functions.ts'

/** Functions whose fault would reach everybody at once: what answers, what takes in, and what works behind them. */
export const CANARIES: ReadonlySet<FunctionId> = new Set<FunctionId>([
  'answer-query',
  'push-events',
  'relay-events',
  'deliver-webhook',
  'investigate-incident',
])

/** What callers invoke instead of the function itself. */
const ALIAS = 'live'

const allow = (actions: readonly string[], resources: readonly string[]): PolicyStatement =>
  new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [...resources] })

/**
 * Brings a new version of a function to one call in ten for five minutes, then to all; one error of the new version
 * takes it back, and the deployment with it.
 */
export class Canary extends Construct {
  readonly alias: Alias
  readonly role: Role

  constructor(scope: Construct, id: string, lambda: CdkFunction) {
    super(scope, id)
    const version = lambda.currentVersion
    // The library declares an optional role in one way and means the other.
    this.alias = new Alias(this, 'Alias', { aliasName: ALIAS, version: version as IVersion })
    const errors = new Alarm(this, 'Errors', {
      alarmDescription:
        `A new version of ${lambda.node.scope?.node.id ?? id} fails.` +
        ' Impact: one call in ten, until the version before is back. What to do: docs/runbook.md#a-deployment-was-taken-back',
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Errors',
        dimensionsMap: {
          FunctionName: lambda.functionName,
          Resource: `${lambda.functionName}:${ALIAS}`,
          // What the version before fails at is no reason to go back to it.
          ExecutedVersion: version.version,
        },
        statistic: Stats.SUM,
        period: Duration.minutes(1),
      }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      description: `Moves the calls of ${lambda.node.scope?.node.id ?? id} to a new version`,
      inlinePolicies: {
        move: new PolicyDocument({
          statements: [
            allow(
              ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              [lambda.functionArn, `${lambda.functionArn}:${ALIAS}`],
            ),
            // CodeDeploy asks for alarms by their names, which CloudWatch answers for all or none.
            allow(['cloudwatch:DescribeAlarms'], ['*']),
          ],
        }),
      },
    })
    new LambdaDeploymentGroup(this, 'Deployments', {
      alias: this.alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [errors],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      // The policy of AWS for this purpose reads every function and every bucket of its kind.
      role: this.role.withoutPolicyUpdates(),
    })
  }
}
