import { Aws, Names, Validations } from 'aws-cdk-lib'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { IConstruct } from 'constructs'
import { OBJECTS } from '#shared/names.ts'
import type { ApiStack } from './api-stack.ts'
import { GRANTS, READER_ROLES } from './grants.ts'
import type { LambdaFunction } from './lambda-function.ts'
import { keepsData, type Settings } from './settings.ts'
import type { StateStack } from './state-stack.ts'
import type { WorkersStack } from './workers-stack.ts'

/** The parts of a service that findings are of. */
interface Parts {
  readonly state: StateStack
  readonly api: ApiStack
  readonly workers: WorkersStack
}

/** Findings of cdk-nag's AwsSolutions pack that stand, and why. Each names one construct; none covers a stack. */
const REASONS = {
  'AwsSolutions-APIG1':
    'API Gateway logs only with a role set for the whole account; the setting accessLog turns the log on.',
  'AwsSolutions-APIG2':
    'The functions validate every request: only they can answer in the error shape, naming the field.',
  'AwsSolutions-APIG3':
    'A web firewall costs by the month; the setting waf adds one. Keys, limits and the throttle stand without it.',
  'AwsSolutions-APIG4':
    'The function itself checks the API key, so that a revoked key is refused from the very next request.',
  'AwsSolutions-APIG6':
    'Execution logs need the role of the whole account too; failures are logged where accessLog says that there is one.',
  'AwsSolutions-COG2':
    'Only where the setting mfa makes a second factor a choice of each user; it is a duty by default.',
  'AwsSolutions-COG4':
    'The function itself checks API keys, which a user pool cannot, and the tokens of users, immediately revoked.',
  'AwsSolutions-COG8':
    'The Plus plan is charged for each user and month. Few sign in, each invited, by default with a second factor.',
  'AwsSolutions-S1':
    'Where no data outlives the stack, no log of who read it does; a stage that keeps its data has one.',
  'AwsSolutions-SQS3': 'This queue is itself where the stream puts what was given up; people empty it.',
} as const

const ACCOUNT_ROLE_REASON =
  'The only policy that API Gateway accepts for its account-wide log role; made only when a setting asks for it.'
const XRAY_REASON = 'X-Ray has no resources: AWS allows its two write actions on everything or not at all.'
const TELEMETRY_REASON =
  'Alarms, metrics and the service graph have no resources; which log groups are read is a setting made at run time.'
const NETWORK_REASON =
  'Lambda makes the network interfaces of a function in its name; AWS allows these actions on everything or not at all.'
const READERS_REASON =
  'Accounts decide by their trust policies whom they let read; the name of the role and an external id bound it here.'
const ALARMS_REASON =
  'CodeDeploy looks at alarms by their names, which CloudWatch permits for all or for none.'
const OBJECTS_REASON =
  'Objects are named by their content or by the person who uploads them; the folder is as narrow as it gets.'

const acknowledge = (construct: IConstruct, id: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id, reason })

const acknowledgeRule = (construct: IConstruct, rule: keyof typeof REASONS): void =>
  acknowledge(construct, rule, REASONS[rule])

/** The name that the bucket's ARN has in the other nested stacks: the parameter that brings it there. */
function bucketArnAbroad({ state }: Parts): string {
  const from = state.nestedStackResource
  const bucket: Bucket = state.bucket
  if (from === undefined || bucket.node.defaultChild === undefined)
    throw new Error('the bucket is not in a nested stack')
  return `referenceto${Names.nodeUniqueId(from.node)}Outputs${Names.nodeUniqueId(bucket.node.defaultChild.node)}Arn`
}

function acknowledgeRole(
  parts: Parts,
  { plan, node, canary }: LambdaFunction,
  { xray, network }: Settings,
): void {
  if (canary !== null) acknowledge(canary.role, 'AwsSolutions-IAM5[Resource::*]', ALARMS_REASON)
  const role = node.findChild('Role')
  const readsTelemetry = (GRANTS.get(plan.id) ?? []).some(({ on }) => on === 'telemetry')
  if (xray || readsTelemetry) {
    const reasons = [
      ...(xray ? [XRAY_REASON] : []),
      ...(readsTelemetry ? [TELEMETRY_REASON] : []),
      ...(readsTelemetry && network !== undefined ? [NETWORK_REASON] : []),
    ]
    acknowledge(role, 'AwsSolutions-IAM5[Resource::*]', reasons.join(' '))
  }
  if (readsTelemetry)
    acknowledge(
      role,
      `AwsSolutions-IAM5[Resource::${READER_ROLES.replace(Aws.PARTITION, '<AWS::Partition>')}]`,
      READERS_REASON,
    )
  const folders = new Set<string>(
    (GRANTS.get(plan.id) ?? []).flatMap((access) =>
      access.on === 'objects' ? [OBJECTS[access.prefix]] : [],
    ),
  )
  for (const folder of folders)
    acknowledge(role, `AwsSolutions-IAM5[Resource::<${bucketArnAbroad(parts)}>/${folder}*]`, OBJECTS_REASON)
}

/** Says for each finding that stands why it does; any other finding ends the synthesis. */
export function acknowledgeFindings(parts: Parts, settings: Settings): void {
  const { state, api, workers } = parts
  acknowledgeRule(state.queues['relay-dead'], 'AwsSolutions-SQS3')
  if (!keepsData(settings)) acknowledgeRule(state.bucket, 'AwsSolutions-S1')
  acknowledgeRule(state.users.pool, 'AwsSolutions-COG8')
  if (settings.mfa === 'optional') acknowledgeRule(state.users.pool, 'AwsSolutions-COG2')
  acknowledgeRule(api.api, 'AwsSolutions-APIG2')
  const stage = api.api.deploymentStage
  if (settings.accessLog === 'off') {
    acknowledgeRule(stage, 'AwsSolutions-APIG1')
    acknowledgeRule(stage, 'AwsSolutions-APIG6')
  }
  if (!settings.waf) acknowledgeRule(stage, 'AwsSolutions-APIG3')
  if (api.accountLogRole !== null)
    acknowledge(
      api.accountLogRole,
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      ACCOUNT_ROLE_REASON,
    )
  for (const method of api.api.methods) {
    acknowledgeRule(method, 'AwsSolutions-APIG4')
    acknowledgeRule(method, 'AwsSolutions-COG4')
  }
  for (const lambda of [...api.functions.values(), ...workers.functions.values()])
    acknowledgeRole(parts, lambda, settings)
}
