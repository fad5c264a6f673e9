import { describe, expect, it } from 'vitest'
import { functionPlans } from '#infra/functions.ts'
import { GRANTS } from '#infra/grants.ts'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { operationList, operations } from '#shared/contract/operations.ts'
import { INTEGRATION_TYPES } from '#shared/domain/integration-types.ts'
import { ENV, TABLES } from '#shared/names.ts'
import { describeSurface, namedRoles } from './public-surface.ts'
import { resourcesOf, synthesise } from './synthesise.ts'

const given = synthesise()
const deployment = await readDeployment()
const roles = namedRoles(given)
/** Functions whose runs leave no traces. */
const scheduled = new Set<string>(functionPlans.filter((plan) => plan.scheduled).map(({ id }) => id))

const statementsOf = (id: string) => {
  const statements = roles.get(id)
  if (statements === undefined) throw new Error(`${id} has no role`)
  return statements
}

/** Whoever opens bundles asks tools. */
const readsTelemetry = (id: string): boolean =>
  statementsOf(id).some(({ resources }) => resources.includes('Bucket/bundles/*'))

/** Roles of other accounts, in the partition of the stack: in `aws-us-gov` and `aws-cn` no role is one of `aws`. */
const READER_ROLES = 'arn:<AWS::Partition>:iam::*:role/iis-reader-*'

/** What functions that ask tools may read of their own account. */
const TELEMETRY = [
  'cloudwatch:DescribeAlarmHistory',
  'cloudwatch:DescribeAlarms',
  'cloudwatch:GetMetricData',
  'cloudwatch:ListMetrics',
  'health:DescribeEvents',
  'logs:GetQueryResults',
  'logs:StartQuery',
  'logs:StopQuery',
  'xray:BatchGetTraces',
  'xray:GetServiceGraph',
  'xray:GetTraceSummaries',
]

describe('the public surface', () => {
  it('is the one that was read and agreed to', async () => {
    await expect(describeSurface(given, deployment.routes)).toMatchFileSnapshot('public-surface.txt')
  })
})

describe('the roles', () => {
  it('are one for each function, each for Lambda alone', () => {
    expect([...roles.keys()].sort()).toEqual(functionPlans.map(({ id }) => id).sort())
    const lambdas = resourcesOf(given, 'AWS::IAM::Role')
    expect(lambdas).toHaveLength(functionPlans.length)
    for (const { resource } of lambdas) {
      const { Statement } = resource.Properties.AssumeRolePolicyDocument
      expect(Statement).toEqual([
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ])
    }
    const used = resourcesOf(given, 'AWS::Lambda::Function').map(({ resource }) =>
      JSON.stringify(resource.Properties.Role),
    )
    expect(new Set(used).size).toBe(functionPlans.length)
  })

  it('hold everything themselves: no managed policy, no policy attached later', () => {
    expect(resourcesOf(given, 'AWS::IAM::Policy')).toEqual([])
    expect(resourcesOf(given, 'AWS::IAM::ManagedPolicy')).toEqual([])
    for (const { resource } of resourcesOf(given, 'AWS::IAM::Role'))
      expect(resource.Properties.ManagedPolicyArns).toBeUndefined()
  })

  it('name every action, and every resource but telemetry and traces, which have none', () => {
    for (const [id, statements] of roles)
      for (const { actions, resources } of statements) {
        for (const action of actions) expect(action, id).toMatch(/^[a-z0-9]+:[A-Z][A-Za-z]+$/)
        for (const resource of resources) {
          if (resource === '*')
            expect(actions, id).toEqual([
              ...(readsTelemetry(id) ? TELEMETRY : []),
              ...(scheduled.has(id) ? [] : ['xray:PutTelemetryRecords', 'xray:PutTraceSegments']),
            ])
          else if (resource === READER_ROLES) {
            expect(actions, id).toEqual(['sts:AssumeRole'])
            expect(readsTelemetry(id)).toBe(true)
          } else
            expect(resource, id).toMatch(
              /^[A-Za-z]+(\/stream|\/index\/[a-z-]+|\/(bundles|snapshots|root-causes|answers|sent-bodies)\/\*)?$/,
            )
        }
      }
  })

  it('say nothing of traces where the settings want none', () => {
    for (const [id, statements] of namedRoles(synthesise({ xray: false })))
      expect(
        statements.filter(({ resources }) => resources.includes('*')).flatMap(({ actions }) => actions),
        id,
      ).toEqual(readsTelemetry(id) ? TELEMETRY : [])
  })

  it('assume no role but those that are named for readers, in the partition of the stack, and only where tools are asked', () => {
    const assumed = [...roles.values()].flat().filter(({ actions }) => actions.includes('sts:AssumeRole'))
    expect(assumed.length).toBeGreaterThan(0)
    for (const { resources } of assumed) expect(resources).toEqual([READER_ROLES])
    expect([...roles.keys()].filter(readsTelemetry)).toContain('investigate-incident')
    expect([...roles.keys()].filter(readsTelemetry)).toEqual(
      [...roles.keys()].filter((id) =>
        statementsOf(id).some(({ actions }) => actions.includes('sts:AssumeRole')),
      ),
    )
  })

  it('never read a whole table, nor write many items at once', () => {
    const actions = new Set([...roles.values()].flat().flatMap(({ actions }) => actions))
    for (const forbidden of ['Scan', 'BatchWriteItem', 'DeleteTable', 'UpdateTable'])
      expect(actions).not.toContain(`dynamodb:${forbidden}`)
    // Only where an index holds nothing but ids.
    const batches = [...roles].filter(([, all]) => JSON.stringify(all).includes('BatchGetItem'))
    expect(batches.map(([id]) => id)).toEqual(['list-keys'])
    for (const action of actions)
      expect(action).not.toMatch(/^(iam|sts:(?!AssumeRole$)|lambda|cloudformation):?/)
  })

  it('let a function at the items of a table only by their partitions', () => {
    const itemActions = /^dynamodb:(BatchGetItem|GetItem|PutItem|UpdateItem|DeleteItem)$/
    for (const [id, statements] of roles)
      for (const { actions, conditions } of statements)
        if (actions.some((action) => itemActions.test(action)))
          expect(conditions['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'], id).toBeDefined()
  })

  it('let every function that takes a key count the request, and none but those that manage them do anything else to keys', () => {
    const keyed = [
      ...operationList.filter(({ access }) => access !== 'anyone').map(({ id }) => id),
      'refuse-unknown',
    ]
    for (const { id } of functionPlans) {
      const onKeys = statementsOf(id).filter(({ resources }) =>
        resources.some((resource) => resource.startsWith('KeysTable')),
      )
      const counting = {
        actions: ['dynamodb:UpdateItem'],
        resources: ['KeysTable'],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['KEY#*', 'USER#*'] } },
      }
      const managing = operationList.some((row) => row.id === id && row.people === true)
      if (managing) expect(onKeys, id).toContainEqual(counting)
      else expect(onKeys, id).toEqual(keyed.includes(id) ? [counting] : [])
    }
  })

  it('let only those open secrets that ask tools or sign events, each its own, and lists their cursor keys', () => {
    const opening = [...roles].flatMap(([id, statements]) =>
      statements
        .filter(({ actions }) => actions.includes('kms:Decrypt'))
        .map(({ conditions }) => [id, conditions.StringLike?.['kms:EncryptionContext:id']]),
    )
    const tools = INTEGRATION_TYPES.map(({ type }) => `${type}_*`)
    const senders = operations['push-events'].idPrefixes.map((type) => `intake-${type}_*`)
    const receivers = ['wh_*']
    expect(opening).toEqual([
      ['answer-query', tools],
      ['verify-query', tools],
      ['list-integrations', ['cursor-keys']],
      ['update-integration', [...tools, ...senders]],
      ['check-integration', [...tools, ...senders]],
      ['push-events', senders],
      ['list-incidents', ['cursor-keys']],
      ['verify-incident', tools],
      ['list-webhooks', ['cursor-keys']],
      ['update-webhook', receivers],
      ['ping-webhook', receivers],
      ['list-deliveries', ['cursor-keys']],
      ['list-keys', ['cursor-keys']],
      ['investigate-incident', tools],
      ['deliver-webhook', receivers],
      ['check-integrations', tools],
    ])
  })

  it('let nobody overwrite a bundle or delete an object', () => {
    for (const [id, statements] of roles)
      for (const { actions, resources } of statements) {
        expect(actions, id).not.toContain('s3:DeleteObject')
        if (actions.includes('s3:PutObject'))
          for (const resource of resources) expect(resource, id).not.toContain('/bundles/')
      }
  })
})

describe('the environment', () => {
  it('names the resources that the role lets the function use, and those its stores are made with', () => {
    for (const { id } of functionPlans) {
      const text = JSON.stringify(statementsOf(id).map(({ resources }) => resources))
      const { environment = {} } = deployment.functions[id] ?? {}
      const alsoNamed = (GRANTS.get(id) ?? []).flatMap((access) => (access.on === 'name' ? [access.of] : []))
      // Lambda takes from a queue in the function's name; whoever rings or measures calls it by its address.
      const rings = (queue: string) =>
        statementsOf(id).some(
          ({ actions, resources }) =>
            resources.includes(queue) &&
            (actions.includes('sqs:SendMessage') ||
              (actions.includes('sqs:GetQueueAttributes') && !actions.includes('sqs:ReceiveMessage'))),
        )
      const expected: Readonly<Record<string, boolean>> = {
        ...Object.fromEntries(
          Object.entries(TABLES).map(([name, { env }]) => {
            const table = `"${name.charAt(0).toUpperCase()}${name.slice(1)}Table`
            return [env, text.replaceAll(`${table}/stream`, '').includes(table)]
          }),
        ),
        [ENV.bucket]: text.includes('"Bucket') || alsoNamed.includes('bucket'),
        [ENV.sealKeyId]: text.includes('"SealKey') || alsoNamed.includes('sealKey'),
        [ENV.investigationsQueueUrl]: rings('InvestigationsQueue'),
        [ENV.deliveriesQueueUrl]: rings('DeliveriesQueue'),
        [ENV.alertsQueueUrl]: rings('AlertsQueue'),
      }
      for (const [name, named] of Object.entries(expected))
        expect(name in environment, `${id} ${name}`).toBe(named)
    }
  })

  it('says for how long to keep things, to those that write them', () => {
    const told = functionPlans
      .filter(({ id }) => deployment.functions[id]?.environment[ENV.retentionDays] === '400')
      .map(({ id }) => id)
    const writing = [...GRANTS].filter(([, accesses]) => accesses.some(({ on }) => on === 'retention'))
    expect(told.sort()).toEqual(writing.map(([id]) => id).sort())
  })
})
