import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { functionPlans } from '#infra/functions.ts'
import { LONGEST_DELAY_MS } from '#shared/domain/deliver-webhook.ts'
import { WAITS } from '#shared/domain/delivery.ts'
import { MESSAGES } from '#shared/edge/log.ts'
import { resourcesOf, synthesise } from './synthesise.ts'

/** More alarms than this nobody tells apart. */
const MOST_ALARMS = 25
const given = synthesise({ alarmEmail: 'someone@example.com' })
const alarms = resourcesOf(given, 'AWS::CloudWatch::Alarm').map(({ resource }) => resource.Properties)

/** The anchors that a Markdown file offers, as GitHub makes them. */
const anchors = new Set(
  readFileSync('docs/runbook.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('## '))
    .map((line) =>
      line
        .slice(3)
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    ),
)

describe('the alarms', () => {
  it('are few', () => {
    expect(alarms.length).toBeGreaterThan(10)
    expect(alarms.length).toBeLessThanOrEqual(MOST_ALARMS)
  })

  it('each say what happened, what people notice, and where it stands what to do', () => {
    for (const { AlarmDescription } of alarms) {
      const parts = /^.+\. Impact: .+\. What to do: docs\/runbook\.md#([a-z0-9-]+)$/.exec(AlarmDescription)
      expect(parts, AlarmDescription).not.toBeNull()
      expect(anchors, AlarmDescription).toContain(parts?.[1])
    }
  })

  it('each stand in the first table of the runbook, with the section that their text names', () => {
    const runbook = readFileSync('docs/runbook.md', 'utf8')
    const table = runbook.slice(runbook.indexOf('| alarm |')).split('\n\n')[0] ?? ''
    const rows = table.split('\n').filter((row) => row.startsWith('| `'))
    const sections = new Map(
      rows.flatMap((row) => {
        const [, section = ''] = /\(#([a-z0-9-]+)\) \|$/.exec(row) ?? []
        const names = [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)]
        return names.map(([, name = '']) => [name.replaceAll('-', ''), section] as const)
      }),
    )
    const told = resourcesOf(given, 'AWS::CloudWatch::Alarm')
      .filter(({ part }) => part === 'alarms')
      .map(({ id, resource }) => [
        // The library adds eight digits to what the plan is called.
        id.slice(0, -8),
        String(resource.Properties.AlarmDescription).split('#')[1],
      ])
    expect(told.length).toBe(alarms.length)
    expect([...sections].sort()).toEqual(told.sort())
  })

  it('each tell the one topic, which writes to the person of the settings', () => {
    for (const { AlarmActions } of alarms) {
      expect(AlarmActions).toHaveLength(1)
      expect(given.references.follow('alarms', AlarmActions[0]).part).toBe('state')
    }
    given.templates.state.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'someone@example.com',
    })
    synthesise().templates.state.resourceCountIs('AWS::SNS::Subscription', 0)
  })

  it('may publish to it, over TLS, and only those of this account', () => {
    const [policy] = Object.values(given.templates.state.findResources('AWS::SNS::TopicPolicy'))
    const statements = policy?.Properties.PolicyDocument.Statement as Record<string, unknown>[]
    expect(statements.filter(({ Effect }) => Effect === 'Allow')).toEqual([
      expect.objectContaining({
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ])
    expect(JSON.stringify(statements)).toContain('"aws:SecureTransport":"false"')
  })

  it('watch every schedule, queue and busy table, and the API', () => {
    const names = Object.keys(given.templates.alarms.findResources('AWS::CloudWatch::Alarm')).join(' ')
    for (const { id, scheduled } of functionPlans)
      if (scheduled) expect(names).toContain(`${id.replaceAll('-', '')}stands`)
    for (const name of [
      'investigationswait',
      'investigationsdead',
      'relayeventslate',
      'relaydead',
      'ApiErrors',
      'ApiSlow',
      'deliverieswait',
      'deliveriesdead',
      'alertsdead',
      'deliveriesfail',
      'webhookdisabled',
      'investigationsfail',
    ])
      expect(names).toContain(name)
    for (const name of ['incidents', 'webhooks', 'keys']) expect(names).toContain(`${name}throttled`)
  })

  it('watch the writes of the list of all incidents, which DynamoDB does not count as those of its table', () => {
    const throttled = alarms
      .filter(({ MetricName }) => MetricName === 'WriteThrottleEvents')
      .map(({ Dimensions }) => Dimensions as readonly { readonly Name: string; readonly Value: unknown }[])
    expect(throttled).toHaveLength(3)
    const indexes = throttled.flatMap((dimensions) =>
      dimensions.filter(({ Name }) => Name === 'GlobalSecondaryIndexName').map(({ Value }) => Value),
    )
    const [list] = resourcesOf(given, 'AWS::DynamoDB::GlobalTable').flatMap(({ resource }) =>
      (
        (resource.Properties.GlobalSecondaryIndexes ?? []) as readonly {
          readonly IndexName: string
          readonly KeySchema: readonly { readonly AttributeName: string }[]
          readonly Projection: { readonly ProjectionType: string }
        }[]
      ).filter(
        ({ KeySchema, Projection }) =>
          KeySchema[0]?.AttributeName === 'list_all' && Projection.ProjectionType === 'ALL',
      ),
    )
    expect(indexes).toEqual([list?.IndexName])
  })

  it('watch what a worker that a queue or the stream feeds leaves undone: all that waits, all that was put aside', () => {
    const watched = alarms
      .flatMap(({ Dimensions = [] }) => Dimensions as readonly { readonly Value: unknown }[])
      .filter(({ Value }) => typeof Value === 'object')
      .map(({ Value }) => given.references.follow('alarms', Value).logicalId)
    for (const { resource } of resourcesOf(given, 'AWS::Lambda::EventSourceMapping')) {
      const { EventSourceArn, DestinationConfig, FunctionName } = resource.Properties
      const source = given.references.follow('workers', EventSourceArn)
      const { RedrivePolicy } = given.references.resource(source).Properties as {
        readonly RedrivePolicy?: { readonly deadLetterTargetArn: unknown }
      }
      const waiting = RedrivePolicy === undefined ? FunctionName : EventSourceArn
      const dead =
        RedrivePolicy === undefined
          ? given.references.follow('workers', DestinationConfig.OnFailure.Destination)
          : given.references.follow('state', RedrivePolicy.deadLetterTargetArn)
      expect(watched).toContain(given.references.follow('workers', waiting).logicalId)
      expect(watched).toContain(dead.logicalId)
    }
  })

  it('ring for the one receiver of a quiet service that is down, although most minutes have no attempt', () => {
    const [rings] = alarms.filter(({ AlarmDescription }) => AlarmDescription.includes('attempts to deliver'))
    expect(rings.EvaluationPeriods).toBe(1)
    const metrics = rings.Metrics as readonly {
      readonly Expression?: string
      readonly MetricStat?: { readonly Period: number }
    }[]
    const [period = 0, ...others] = metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? [])
    expect(others).toEqual([period])
    const [, least = ''] = /failed >= (\d+)/.exec(metrics.map(({ Expression }) => Expression).join('')) ?? []
    // Every wait as long as jitter makes it, and not shortened by anything: what one delivery fails in one period.
    const starts = WAITS.map((_, index) => 1.2 * WAITS.slice(0, index).reduce((sum, wait) => sum + wait, 0))
    const failed = starts.filter((at) => at < period * 1_000).length
    expect(failed).toBeGreaterThanOrEqual(Number(least))
    expect(Number(least)).toBeGreaterThan(1)
  })

  it('take no doorbell for late that lies in the queue for as long as it was sent to', () => {
    const [rings] = alarms.filter(({ AlarmDescription }) =>
      AlarmDescription.startsWith('A doorbell for a delivery'),
    )
    expect(rings.Threshold * 1_000).toBeGreaterThan(LONGEST_DELAY_MS)
    // It still rings within the hour.
    expect(rings.Threshold + rings.Period * rings.EvaluationPeriods).toBeLessThan(3_600)
  })

  it('count lines of codes that are logged', () => {
    const patterns = resourcesOf(given, 'AWS::Logs::MetricFilter').map(({ resource }) =>
      String(resource.Properties.FilterPattern),
    )
    expect(patterns).toHaveLength(4)
    for (const pattern of patterns)
      expect(Object.keys(MESSAGES)).toContain(/^\{ \$\.code = "(\w+)" \}$/.exec(pattern)?.[1])
  })

  it('take silence as well, except of what runs by the clock', () => {
    const breaching = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching')
    expect(breaching).toHaveLength(functionPlans.filter(({ scheduled }) => scheduled).length)
    for (const { AlarmDescription, Statistic, MetricName } of breaching) {
      expect(AlarmDescription).toMatch(/^No run of (sweep|check)-[a-z]+ has succeeded/)
      // The least of 0 for a success and 1 for a failure: one success is enough.
      expect([MetricName, Statistic]).toEqual(['Errors', 'Minimum'])
    }
  })
})
