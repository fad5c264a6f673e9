import { describe, expect, it } from 'vitest'
import { functionPlans } from '#infra/functions.ts'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { operationList } from '#shared/contract/operations.ts'
import { resourcesOf, synthesise } from './synthesise.ts'

const deployment = await readDeployment()
const given = synthesise()

describe('the workers', () => {
  it('relay events, and only incidents whose investigation waits, and put aside what keeps failing', () => {
    expect(deployment.streamMappings).toEqual([
      {
        table: 'incidents',
        functionId: 'relay-events',
        batchSize: 10,
        windowMs: 0,
        filters: [
          {
            eventName: ['INSERT', 'MODIFY'],
            dynamodb: { NewImage: { sk: { S: ['INCIDENT'] }, analysis: { S: ['pending'] } } },
          },
          { eventName: ['INSERT'], dynamodb: { NewImage: { sk: { S: ['EVENT'] } } } },
        ],
        maxRetries: 5,
        maxRecordAgeMs: 3_600_000,
        bisectsBatchOnError: true,
        reportsBatchItemFailures: true,
        onFailure: 'relay-dead',
      },
    ])
    given.templates.workers.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      StartingPosition: 'TRIM_HORIZON',
    })
  })

  it('investigate one incident a run, deliver in batches, and give back only what failed', () => {
    expect(deployment.queueMappings).toEqual([
      {
        queue: 'investigations',
        functionId: 'investigate-incident',
        batchSize: 1,
        windowMs: 0,
        maxConcurrency: 5,
        reportsBatchItemFailures: true,
      },
      {
        queue: 'deliveries',
        functionId: 'deliver-webhook',
        batchSize: 10,
        windowMs: 0,
        maxConcurrency: 20,
        reportsBatchItemFailures: true,
      },
      {
        queue: 'alerts',
        functionId: 'take-alerts',
        batchSize: 50,
        windowMs: 1_000,
        maxConcurrency: 2,
        reportsBatchItemFailures: true,
      },
    ])
  })

  it('sweep every minute, and never two at once', () => {
    const sweepers = ['sweep-investigations', 'sweep-deliveries']
    expect(deployment.schedules).toEqual([
      ...sweepers.map((functionId) => ({ functionId, everyMs: 60_000 })),
      { functionId: 'check-integrations', everyMs: 300_000 },
    ])
    expect(deployment.functions['check-integrations']?.timeoutMs).toBeLessThan(300_000)
    for (const sweeper of sweepers) expect(deployment.functions[sweeper]?.timeoutMs).toBeLessThan(60_000)
    given.templates.workers.resourceCountIs('AWS::Lambda::EventInvokeConfig', sweepers.length + 1)
    given.templates.workers.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
    })
  })
})

describe('the functions', () => {
  it('are those of the plans, each with the time of its operation', () => {
    expect(Object.keys(deployment.functions).sort()).toEqual(functionPlans.map(({ id }) => id).sort())
    for (const { id, timeoutSeconds } of operationList)
      expect(deployment.functions[id]?.timeoutMs, id).toBe(timeoutSeconds * 1000)
    for (const { id, file, memoryMb } of functionPlans)
      expect(deployment.functions[id]).toMatchObject({ file, memoryMb })
  })

  it('run on Node 24 and arm64, with a log group of their own that forgets', () => {
    const functions = resourcesOf(given, 'AWS::Lambda::Function')
    const logGroups = new Set<string>()
    for (const { part, resource } of functions) {
      expect(resource.Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      })
      const { logicalId } = given.references.follow(part, resource.Properties.LoggingConfig.LogGroup)
      logGroups.add(logicalId)
      expect(given.references.resource({ part, logicalId }).Properties.RetentionInDays).toBe(30)
    }
    expect(logGroups.size).toBe(functions.length)
  })

  it('are traced, except for those that run by the clock: traces of nothing would cost more than the runs', () => {
    const traced = new Map(
      resourcesOf(given, 'AWS::Lambda::Function').map(({ resource: { Properties } }) => [
        Properties.Description,
        Properties.TracingConfig?.Mode,
      ]),
    )
    for (const { purpose, scheduled } of functionPlans)
      expect(traced.get(purpose), purpose).toBe(scheduled ? undefined : 'Active')
  })
})
