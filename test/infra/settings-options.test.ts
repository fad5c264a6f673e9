import { describe, expect, it } from 'vitest'
import { CANARIES } from '#infra/canary.ts'
import { resourcesOf, synthesise } from './synthesise.ts'

const PROD = { stage: 'prod' } as const
/** What is invoked, as a template names it: an alias by its own reference, a function by its ARN. */
const aliasIn = (value: unknown): boolean => /Canary[^"]*Alias/.test(JSON.stringify(value))

describe('a new version of a function whose fault would reach everybody', () => {
  it('gets one call in ten for five minutes, and is taken back by one error of its own, whether it ends with it or answers with it', () => {
    const groups = resourcesOf(synthesise(PROD), 'AWS::CodeDeploy::DeploymentGroup')
    expect(groups).toHaveLength(CANARIES.size)
    for (const { part, resource } of groups) {
      expect(resource.Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
        AlarmConfiguration: { Enabled: true },
      })
      const [alarm] = resource.Properties?.AlarmConfiguration.Alarms ?? []
      const { templates } = synthesise(PROD)
      const alarms = templates[part].findResources('AWS::CloudWatch::Alarm')
      const { Metrics, ...properties } = alarms[alarm.Name.Ref]?.Properties ?? {}
      expect(properties).toMatchObject({
        ...{ Threshold: 1, EvaluationPeriods: 1, TreatMissingData: 'notBreaching' },
      })
      const [sum, ended, told] = Metrics
      expect(sum).toMatchObject({ Expression: 'FILL(ended, 0) + FILL(told, 0)' })
      expect(ended.MetricStat).toMatchObject({
        ...{ Period: 60, Stat: 'Sum' },
        Metric: {
          ...{ Namespace: 'AWS/Lambda', MetricName: 'Errors' },
          Dimensions: [{ Name: 'ExecutedVersion' }, { Name: 'FunctionName' }, { Name: 'Resource' }],
        },
      })
      // An answer that is 500 is no error of Lambda's: the log tells it, by the same version.
      const [{ Value: version }] = ended.MetricStat.Metric.Dimensions
      expect(told.MetricStat).toMatchObject({
        ...{ Period: 60, Stat: 'Sum' },
        Metric: { Dimensions: [{ Name: 'Version', Value: version }] },
      })
      const filters = Object.values(templates[part].findResources('AWS::Logs::MetricFilter'))
      const [filter] = filters.filter(
        ({ Properties }) =>
          JSON.stringify(Properties.MetricTransformations[0].MetricName) ===
          JSON.stringify(told.MetricStat.Metric.MetricName),
      )
      expect(filter?.Properties).toMatchObject({
        FilterPattern: '{ ($.code = "request_failed") || ($.code = "batch_item_failed") }',
        MetricTransformations: [{ Dimensions: [{ Key: 'Version', Value: '$.version' }], MetricValue: '1' }],
      })
    }
  })

  it('is what callers reach, by the alias that moves: operations, queues and the stream', () => {
    const all = synthesise(PROD)
    const mappings = resourcesOf(all, 'AWS::Lambda::EventSourceMapping')
    const byAlias = mappings.filter(({ resource }) => aliasIn(resource.Properties?.FunctionName))
    expect(byAlias).toHaveLength(['relay-events', 'deliver-webhook', 'investigate-incident'].length)
    const methods = resourcesOf(all, 'AWS::ApiGateway::Method').filter(({ resource }) =>
      aliasIn(resource.Properties?.Integration?.Uri),
    )
    expect(methods.map(({ resource }) => resource.Properties?.HttpMethod)).toEqual(['POST', 'POST'])
    const permissions = resourcesOf(all, 'AWS::Lambda::Permission').filter(({ resource }) =>
      aliasIn(resource.Properties?.FunctionName),
    )
    expect(permissions).toHaveLength(methods.length)
    const aliases = resourcesOf(all, 'AWS::Lambda::Alias')
    expect(aliases).toHaveLength(CANARIES.size)
    for (const { resource } of aliases)
      expect(resource.UpdatePolicy).toHaveProperty('CodeDeployLambdaAliasUpdate')
  })

  it('is moved by a role that can move nothing else', () => {
    const roles = resourcesOf(synthesise(PROD), 'AWS::IAM::Role').filter(({ resource }) =>
      JSON.stringify(resource.Properties?.AssumeRolePolicyDocument).includes('codedeploy'),
    )
    expect(roles).toHaveLength(CANARIES.size)
    for (const { resource } of roles) {
      expect(resource.Properties?.ManagedPolicyArns).toBeUndefined()
      const [{ PolicyDocument }] = resource.Properties?.Policies ?? []
      expect(PolicyDocument.Statement).toMatchObject([
        { Action: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'] },
        { Action: 'cloudwatch:DescribeAlarms', Resource: '*' },
      ])
      expect(JSON.stringify(PolicyDocument.Statement[0].Resource)).not.toContain('*')
    }
  })

  it('takes the place of the one before at once in dev, where waiting serves nobody', () => {
    for (const type of ['AWS::CodeDeploy::DeploymentGroup', 'AWS::Lambda::Alias', 'AWS::Lambda::Version'])
      expect(resourcesOf(synthesise(), type)).toEqual([])
  })
})

describe('a name of the API’s own', () => {
  const domain = {
    name: 'incidents.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0aa0',
  }

  it('leads to the same addresses, over TLS 1.2, and is told with where it leads', () => {
    const { templates } = synthesise({ domain })
    templates.api.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: domain.name,
      RegionalCertificateArn: domain.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'TLS_1_2',
    })
    templates.api.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1' })
    const outputs = templates.root.findOutputs('*')
    expect(outputs).toHaveProperty('DomainTarget')
    const [client] = Object.values(templates.api.findResources('AWS::Cognito::UserPoolClient'))
    expect(JSON.stringify(client?.Properties?.CallbackURLs)).toContain('/v1/console/')
  })

  it('is none unless the settings have one', () => {
    expect(resourcesOf(synthesise(), 'AWS::ApiGateway::DomainName')).toEqual([])
    expect(synthesise().templates.root.findOutputs('*')).not.toHaveProperty('DomainTarget')
  })
})

describe('a key of the account’s own', () => {
  const all = () => synthesise({ customerKey: true })

  it('encrypts every table and the bucket, and is turned over every year', () => {
    const { state } = all().templates
    const keys = Object.entries(state.findResources('AWS::KMS::Key')).filter(([id]) =>
      id.startsWith('DataKey'),
    )
    expect(keys).toMatchObject([[expect.anything(), { Properties: { EnableKeyRotation: true } }]])
    const [[keyId]] = keys as [[string, unknown]]
    const tables = Object.values(state.findResources('AWS::DynamoDB::GlobalTable'))
    expect(tables.length).toBeGreaterThan(5)
    for (const { Properties } of tables) {
      expect(Properties?.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' })
      expect(JSON.stringify(Properties?.Replicas)).toContain(keyId)
    }
    const [bucket] = Object.values(state.findResources('AWS::S3::Bucket'))
    const [rule] = bucket?.Properties?.BucketEncryption.ServerSideEncryptionConfiguration ?? []
    expect(rule).toMatchObject({
      BucketKeyEnabled: true,
      ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' },
    })
  })

  it('may be used by exactly the functions that reach tables or objects, and only by way of those', () => {
    const roles = resourcesOf(all(), 'AWS::IAM::Role').map(({ resource }) =>
      (resource.Properties?.Policies ?? []).flatMap(
        (policy: { PolicyDocument: { Statement: unknown[] } }) => policy.PolicyDocument.Statement,
      ),
    )
    const text = (value: unknown) => JSON.stringify(value)
    const isOfKey = (statement: unknown) => text(statement).includes('kms:ViaService')
    for (const statements of roles) {
      const services = new Set<string>()
      if (statements.some((each: unknown) => /"dynamodb:(?!ListStreams)/.test(text(each))))
        services.add('dynamodb')
      if (statements.some((each: unknown) => text(each).includes('"s3:'))) services.add('s3')
      const own = statements.filter(isOfKey)
      expect(own).toHaveLength(services.size === 0 ? 0 : 1)
      for (const service of services) expect(text(own)).toContain(`"${service}.`)
      expect(text(own)).not.toContain('*"')
    }
  })

  it('is none unless the settings ask for one', () => {
    const keys = Object.keys(synthesise().templates.state.findResources('AWS::KMS::Key'))
    expect(keys.filter((id) => id.startsWith('DataKey'))).toEqual([])
  })
})
