import { Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Alias, type Function as CdkFunction, type IVersion } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern } from 'aws-cdk-lib/aws-logs'
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

/**
 * What a function logs that answered 500, or gave an item back, for a reason nobody foresaw: it has answered all the same, so
 * Lambda counts no error.
 */
const FAILURES = ['request_failed', 'batch_item_failed'] as const
const ONE_MINUTE = Duration.minutes(1)

/** Failures that a version of a function has logged. */
function loggedFailures(lambda: CdkFunction, name: string, version: string): Metric {
  const filter = lambda.logGroup.addMetricFilter('VersionFailures', {
    metricNamespace: 'IncidentInvestigator',
    metricName: `${Stack.of(lambda).nestedStackParent?.stackName}-${name}-Failures`,
    filterPattern: FilterPattern.any(
      ...FAILURES.map((code) => FilterPattern.stringValue('$.code', '=', code)),
    ),
    metricValue: '1',
    // Which version it was the line itself says: the log is of all of them.
    dimensions: { Version: '$.version' },
  })
  return filter.metric({
    statistic: Stats.SUM,
    period: ONE_MINUTE,
    dimensionsMap: { Version: version },
  })
}

/** What callers invoke instead of the function itself. */
const ALIAS = 'live'

const allow = (actions: readonly string[], resources: readonly string[]): PolicyStatement =>
  new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [...resources] })

/**
 * Brings a new version of a function to one call in ten for five minutes, then to all; one error of the new version,
 * whether it ends with it or answers with it, takes it back, and the deployment with it.
 */
export class Canary extends Construct {
  readonly alias: Alias
  readonly role: Role

  constructor(scope: Construct, id: string, lambda: CdkFunction) {
    super(scope, id)
    const version = lambda.currentVersion
    // The library declares an optional role in one way and means the other.
    this.alias = new Alias(this, 'Alias', { aliasName: ALIAS, version: version as IVersion })
    const name = lambda.node.scope?.node.id ?? id
    const ended = new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap: {
        FunctionName: lambda.functionName,
        Resource: `${lambda.functionName}:${ALIAS}`,
        // What the version before fails at is no reason to go back to it.
        ExecutedVersion: version.version,
      },
      statistic: Stats.SUM,
      period: ONE_MINUTE,
    })
    const errors = new Alarm(this, 'Errors', {
      alarmDescription:
        `A new version of ${name} fails.` +
        ' Impact: one call in ten, until the version before is back. What to do: docs/runbook.md#a-deployment-was-taken-back',
      metric: new MathExpression({
        expression: 'FILL(ended, 0) + FILL(told, 0)',
        usingMetrics: { ended, told: loggedFailures(lambda, name, version.version) },
        label: 'Errors of the new version',
        period: ONE_MINUTE,
      }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      description: `Moves the calls of ${name} to a new version`,
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
