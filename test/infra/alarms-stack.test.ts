import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { functionPlans } from '#infra/functions.ts'
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

  it('watch every worker, queue and table, and the API', () => {
    const names = Object.keys(given.templates.alarms.findResources('AWS::CloudWatch::Alarm')).join(' ')
    const workers = functionPlans.filter(({ file }) => file.startsWith('functions/workers/'))
    for (const { id } of workers) expect(names).toContain(`${id.replaceAll('-', '')}fails`)
    for (const name of [
      'investigationswait',
      'investigationsdead',
      'ApiErrors',
      'ApiSlow',
      'deliverieswait',
      'deliveriesdead',
      'alertsdead',
      'deliveriesfail',
      'webhookdisabled',
    ])
      expect(names).toContain(name)
    expect(JSON.stringify(alarms)).toContain('investigations + relay')
    for (const name of ['incidents', 'integrations', 'webhooks', 'keys', 'queries'])
      expect(names).toContain(`${name}throttled`)
  })

  it('take silence as well, except of the sweepers, which run every minute', () => {
    const breaching = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching')
    expect(breaching).toHaveLength(2)
    for (const { AlarmDescription } of breaching)
      expect(AlarmDescription).toMatch(/The sweeper (of deliveries )?has not run/)
  })
})
