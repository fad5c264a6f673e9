import { App, Validations } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import { unbundled } from '#infra/bundling/stack-code.ts'
import { cdkContext } from '#infra/local/read-deployment.ts'
import { ServiceStack } from '#infra/service-stack.ts'
import { readSettingsFile, SETTINGS_FILE, type Settings } from '#infra/settings.ts'
import { resourcesOf, type Synthesised, synthesise } from './synthesise.ts'

/** A template may have 500; beyond this it is time to cut it. */
const MOST_RESOURCES = 400
const LEAST_REASON = 20

const DOMAIN = {
  name: 'incidents.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0aa0',
}
const YES_NO = [false, true] as const

const combinations = (['dev', 'prod'] as const).flatMap((stage) =>
  (['off', 'with-existing-account-role', 'with-new-account-role'] as const).flatMap((accessLog) =>
    YES_NO.flatMap((waf) =>
      YES_NO.map(
        (xray): Partial<Settings> => ({
          stage,
          accessLog,
          waf,
          xray,
          // They add a subscription and a user, whatever the rest is.
          alarmEmail: waf === xray ? 'someone@example.com' : null,
          adminEmail: waf === xray ? null : 'someone@example.com',
          mfa: xray ? 'required' : 'optional',
          customerKey: waf,
          ...(xray ? { domain: DOMAIN } : {}),
        }),
      ),
    ),
  ),
)

/** The templates as they are deployed, without the files that only tell where they were made. */
const templatesOf = ({ assembly }: Synthesised): ReadonlyMap<string, string> =>
  new Map([...assembly].filter(([file]) => file.endsWith('.template.json')))

/** Findings that stand, with where and why. */
const answersOf = ({ stack }: Synthesised) =>
  stack.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) =>
        Object.entries(data as Record<string, string>).map(([rule, reason]) => ({
          where: construct.node.path,
          rule,
          reason,
        })),
      ),
  )

/** The rules that findings stand against, by their short names. */
const rulesOf = (given: Synthesised): string[] =>
  [...new Set(answersOf(given).map(({ rule }) => /AwsSolutions-([A-Z]+\d+)/.exec(rule)?.[1] ?? rule))].sort()

describe('the stack', () => {
  it.each(combinations)('synthesises without an unanswered finding: %j', (changes) => {
    const { templates } = synthesise(changes)
    for (const template of Object.values(templates)) {
      const { Resources } = template.toJSON() as { Resources: Record<string, unknown> }
      expect(Object.keys(Resources).length).toBeGreaterThan(0)
      expect(Object.keys(Resources).length).toBeLessThan(MOST_RESOURCES)
    }
  })

  it('does not change when it is synthesised again with the same settings', () => {
    const first = templatesOf(synthesise())
    const again = templatesOf(synthesise({ deletionProtection: false }))
    expect(again).toEqual(first)
    expect(first.size).toBe(5)
  })

  it('answers for each standing finding on one construct, with a reason', () => {
    const answers = answersOf(synthesise())
    expect(answers.length).toBeGreaterThan(0)
    for (const { where, rule, reason } of answers) {
      // Root, nested stack, construct: an answer that covered a stack would hide what comes later.
      expect(where.split('/').length, where).toBeGreaterThan(2)
      expect(rule).toMatch(/AwsSolutions-[A-Z]+\d+(\[[^\]]+\])?$/)
      expect(reason.length, where).toBeGreaterThanOrEqual(LEAST_REASON)
    }
  })

  it('answers for six rules at most where data is kept and every protection is on', () => {
    const strictest = { stage: 'prod', accessLog: 'with-existing-account-role', waf: true } as const
    expect(rulesOf(synthesise(strictest))).toEqual(['APIG2', 'APIG4', 'COG4', 'COG8', 'IAM5', 'SQS3'])
  })

  it('answers by default for what only a log role of the account, a monthly price or lasting logs would mend too', () => {
    const byDefault = ['APIG1', 'APIG2', 'APIG3', 'APIG4', 'APIG6', 'COG4', 'COG8', 'IAM5', 'S1', 'SQS3']
    expect(rulesOf(synthesise())).toEqual(byDefault)
  })

  it('ends with a finding that nobody has answered for', () => {
    const app = new App({ context: cdkContext() })
    const stack = new ServiceStack(app, readSettingsFile(SETTINGS_FILE), unbundled)
    new Queue(stack.state, 'Forgotten')
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
    expect(() => Template.fromStack(stack)).toThrow(/validation/i)
  })

  it('tells the base address without a cycle, and last of all a line to try', () => {
    const { Outputs } = synthesise().templates.root.toJSON() as {
      Outputs: Record<string, { Value: unknown }>
    }
    const names = Object.keys(Outputs).sort()
    expect(names).toEqual([
      'BaseUrl',
      'BundlesBucket',
      'IncidentsTable',
      'KeysTable',
      'SignInAddress',
      'SignInPool',
      'TryIt',
    ])
    const line = JSON.stringify(Outputs.TryIt?.Value)
    expect(line).toContain('curl -s https://')
    expect(line).toContain('/v1/health')
  })

  it('puts no secret into an environment or an output', () => {
    const given = synthesise()
    const literals = resourcesOf(given, 'AWS::Lambda::Function').flatMap(({ resource }) =>
      Object.entries<unknown>(resource.Properties.Environment?.Variables ?? {}),
    )
    expect(literals.length).toBeGreaterThan(0)
    for (const [name, value] of literals) {
      expect(name).not.toMatch(/SECRET|PASSWORD|TOKEN|CREDENTIAL/)
      // A name of a resource is a reference; the only literals there are times, and where the console's files lie.
      if (typeof value === 'string')
        expect([
          ['RETENTION_DAYS', '400'],
          ['ALERT_WINDOWS', '60,600,43200,14400'],
          ['CONSOLE_FOLDER', 'console'],
        ]).toContainEqual([name, value])
    }
    const text = JSON.stringify(given.templates.root.toJSON())
    expect(text).not.toMatch(/iis_[a-z0-9]+_(adm|ast)_|whsec_|AKIA/)
  })

  it('needs no account, no region and no lookup', () => {
    const { assembly, stack } = synthesise()
    const manifest = assembly.get('manifest.json') ?? ''
    expect((JSON.parse(manifest) as { missing?: unknown }).missing).toBeUndefined()
    expect(stack.environment).toBe('aws://unknown-account/unknown-region')
  })

  it('names no account-wide or fixed physical resource', () => {
    const given = synthesise()
    expect(resourcesOf(given, 'AWS::ApiGateway::Account')).toEqual([])
    const fixed = [
      'TableName',
      'BucketName',
      'QueueName',
      'FunctionName',
      'RoleName',
      'LogGroupName',
      'AlarmName',
    ]
    for (const type of ['DynamoDB::GlobalTable', 'S3::Bucket', 'SQS::Queue', 'IAM::Role', 'Logs::LogGroup'])
      for (const { resource } of resourcesOf(given, `AWS::${type}`))
        expect(Object.keys(resource.Properties ?? {}).filter((name) => fixed.includes(name))).toEqual([])
  })
})
