import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Architecture,
  Function as CdkFunction,
  type CfnFunction,
  type Code,
  type IFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CANARIES, Canary } from './canary.ts'
import type { FunctionId, FunctionPlan } from './functions.ts'
import { functionPlan } from './functions.ts'
import { asksTools, grantAll, type SignInNames } from './grants.ts'
import type { Settings } from './settings.ts'
import type { StateStack } from './state-stack.ts'

/** Gives the code of a function: its bundle, or in tests a stand-in. */
export type CodeOf = (plan: FunctionPlan) => Code

/** What all functions of a deployment share. */
export interface FunctionSurroundings {
  readonly state: StateStack
  readonly settings: Settings
  readonly codeOf: CodeOf
  /** Whose access tokens count, for functions of the API. */
  readonly signIn?: SignInNames
}

const allow = (actions: readonly string[], resource: string): PolicyStatement =>
  new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [resource] })

/**
 * A function of the house: Node 24 on arm64, a role of its own that holds exactly what `grants.ts` says, a log group
 * that forgets, traces if the settings want them, and in `prod` a canary where its fault would reach everybody.
 */
export class LambdaFunction extends Construct {
  readonly plan: FunctionPlan
  readonly lambda: CdkFunction
  /** What callers invoke: the function, or the alias that brings a new version to a few calls first. */
  readonly invoked: IFunction
  readonly canary: Canary | null

  constructor(scope: Construct, functionId: FunctionId, surroundings: FunctionSurroundings) {
    super(scope, functionId)
    const { settings, codeOf } = surroundings
    this.plan = functionPlan(functionId)
    // A trace each minute of a month in which nothing happens would cost more than all the rest of the run.
    const traced = settings.xray && this.plan.scheduled !== true
    const { environment, statements } = grantAll(functionId, surroundings)
    const logGroup = new LogGroup(this, 'Logs', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `What ${functionId} may do`,
      // Inside the role rather than beside it: the function cannot run before it may do its work.
      inlinePolicies: {
        work: new PolicyDocument({
          statements: [
            allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn),
            // X-Ray knows no resources.
            ...(traced ? [allow(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], '*')] : []),
            ...statements,
          ],
        }),
      },
    })
    this.lambda = new CdkFunction(this, 'Function', {
      description: this.plan.purpose,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: codeOf(this.plan),
      timeout: Duration.seconds(this.plan.timeoutSeconds),
      memorySize: this.plan.memoryMb,
      // The table of grants is the whole of it: nothing that is attached later may widen a role.
      role: role.withoutPolicyUpdates(),
      logGroup,
      tracing: traced ? Tracing.ACTIVE : Tracing.DISABLED,
      environment,
    })
    const { network } = settings
    if (network !== undefined && asksTools(functionId)) {
      const { subnetIds, securityGroupIds } = network
      // By their ids alone: the construct of a network would want to look it up in the account.
      const resource = this.lambda.node.defaultChild as CfnFunction
      resource.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] }
    }
    this.canary =
      settings.stage === 'prod' && CANARIES.has(functionId) ? new Canary(this, 'Canary', this.lambda) : null
    this.invoked = (this.canary?.alias as IFunction | undefined) ?? this.lambda
  }
}
