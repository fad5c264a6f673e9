import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE_CULPRIT } from '#infra/sample-outage/sample-changes.ts'
import { SAMPLE_INCIDENT } from '#infra/sample-outage/sample-incident.ts'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { type InvestigationActs, retryAt, runInvestigation } from '#shared/domain/run-investigation.ts'
import { type FakeGithub, startFakeGithub } from '#test/endpoints/fake-github.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { allItems, eventsOf } from '#test/endpoints/stored.ts'
import { failCalls, type PlannedFaults } from '#test/storage/fail-calls.ts'
import { doorbellFor, investigate, relay, streamedRecords } from './invocations.ts'

const MINUTE = 60_000
const REMAINING = 20_000

let service: Service
let github: FakeGithub
let faults: PlannedFaults
beforeAll(async () => {
  service = await startService({ queue: true, egress: 'local' })
  github = await startFakeGithub()
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() })
  faults = failCalls((await runtime()).documents())
})
afterEach(async () => {
  for (const { id } of (await service.done('list-integrations')).integrations) {
    await service.done('delete-integration', { id })
  }
})
afterAll(async () => {
  await github.close()
  await service.stop()
})

const runtime = () => import('#shared/runtime.ts')
const opened = async (): Promise<string> =>
  (await service.done('create-incident', { body: SAMPLE_INCIDENT })).id
const read = (id: string) => service.done('get-incident', { id })
const kindsOf = async (id: string): Promise<string[]> =>
  (await read(id)).timeline.map(({ kind }: { kind: string }) => kind)
const connectOutage = () =>
  service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })

/** The worker's own acts at an instant, so that no test has to wait for a lease or a retry. */
async function actsAt(now: number, change: Partial<InvestigationActs> = {}): Promise<InvestigationActs> {
  const acts = (await runtime()).investigationActs(
    () => undefined,
    () => undefined,
  )
  return { ...acts, clock: () => now, ...change }
}

describe('an investigation', () => {
  it('goes from POST over stream and queue to a root cause that names its evidence', async () => {
    await connectOutage()
    const id = await opened()
    expect((await read(id)).root_cause).toBeNull()
    expect(await relay(await streamedRecords(service))).toEqual([])
    const messages = await service.messages()
    expect(messages.map(({ body }) => JSON.parse(body))).toContainEqual({ incident_id: id })
    expect(await investigate(messages)).toEqual([])

    const incident = await read(id)
    expect(incident).toMatchObject({ analysis: 'done', status: 'open' })
    const { root_cause } = incident
    expect(root_cause).toMatchObject({
      outcome: 'identified',
      cause: { change: SAMPLE_CULPRIT, entity: 'pricing' },
    })
    expect(root_cause.evidence.length).toBeGreaterThanOrEqual(3)
    expect(root_cause.snapshot_digest).toMatch(/^[0-9a-f]{64}$/)
    expect(incident.timeline.map(({ kind }: { kind: string }) => kind)).toEqual(['created', 'analysed'])
    expect(incident.timeline[1]).toMatchObject({ by: 'service', text: expect.stringContaining('identified') })
    // Analysing changes no status; it tells those who asked to be told of root causes.
    expect((await eventsOf(service, id)).map(({ kind }) => kind)).toEqual([
      'incident.created',
      'incident.analyzed',
    ])
  })

  it('keeps the snapshot that it judged by, so that the same evidence gives the same root cause again', async () => {
    await connectOutage()
    const id = await opened()
    await investigate([doorbellFor(id)])
    const { root_cause } = await read(id)
    const { snapshots } = await actsAt(Date.now())
    const snapshot = await snapshots.read(id, root_cause.snapshot_digest)
    if (snapshot === undefined) throw new Error('the snapshot was not kept')
    const { investigate: engine } = await import('#shared/domain/investigation/investigate.ts')
    const again = JSON.parse(JSON.stringify(engine(snapshot, { service: SAMPLE_INCIDENT.service })))
    const { snapshot_digest, analysed_at, ...findings } = root_cause
    expect(again).toEqual(findings)
    expect(Date.parse(analysed_at)).toBeLessThanOrEqual(Date.now())
    expect(snapshot_digest).toMatch(/^[0-9a-f]{64}$/)
  })

  it('without any tool is done, inconclusive, and says that nothing was asked', async () => {
    const id = await opened()
    await investigate([doorbellFor(id)])
    const { analysis, root_cause } = await read(id)
    expect(analysis).toBe('done')
    expect(root_cause).toMatchObject({ outcome: 'inconclusive', confidence: 0, evidence: [] })
    expect(JSON.stringify(root_cause.gaps)).toContain('no tool is connected')
  })

  it('is done in its time although a tool hangs, which it names', async () => {
    await service.done('create-integration', { body: { type: 'github', config: github.config } })
    github.mood = 'hanging'
    try {
      const id = await opened()
      // Of 6.5 s five are kept for engine and writes.
      expect(await investigate([doorbellFor(id)], 6_500)).toEqual([])
      const { root_cause, analysis } = await read(id)
      expect(analysis).toBe('done')
      expect(JSON.stringify(root_cause.gaps)).toMatch(/github/i)
    } finally {
      github.mood = 'well'
    }
  })

  it('looks once more at the moment of resolution, tells what changed, and then no more', async () => {
    const id = await opened()
    await investigate([doorbellFor(id)])
    const first = (await read(id)).root_cause
    const answer = await service.done('update-incident', { id, body: { status: 'resolved' } })
    expect(answer.analysis).toBe('pending')
    expect(await investigate([doorbellFor(id)])).toEqual([])
    const { analysis, root_cause, timeline } = await read(id)
    expect(analysis).toBe('done')
    expect(root_cause.revision.since).toBe(first.analysed_at)
    expect(timeline.filter(({ kind }: { kind: string }) => kind === 'analysed')).toHaveLength(2)
    const before = await allItems(service, 'incidents')
    expect(await runInvestigation(await actsAt(Date.now() + 60 * MINUTE), id, REMAINING)).toBe('not_due')
    expect(await allItems(service, 'incidents')).toEqual(before)
  })

  it('looks until a quarter of an hour after an incident was resolved', async () => {
    const id = await opened()
    await service.done('update-incident', { id, body: { status: 'resolved' } })
    const resolved = Date.parse((await read(id)).resolved_at)
    expect(await runInvestigation(await actsAt(resolved + 10 * 60 * MINUTE), id, REMAINING)).toBe('done')
    const { root_cause } = await read(id)
    const { snapshots } = await actsAt(0)
    expect((await snapshots.read(id, root_cause.snapshot_digest))?.window.to).toBe(resolved + 15 * MINUTE)
  })
})

describe('a message', () => {
  it('that is rung twice does no harm', async () => {
    const id = await opened()
    await investigate([doorbellFor(id)])
    const before = await allItems(service, 'incidents')
    expect(await investigate([doorbellFor(id), doorbellFor(id, 'again')])).toEqual([])
    expect(await allItems(service, 'incidents')).toEqual(before)
  })

  it('for an incident that does not exist is done: there is nothing to try again', async () => {
    expect(await investigate([doorbellFor('inc_01ARZ3NDEKTSV4RRFFQ69G5FAV')])).toEqual([])
  })

  it('that nobody can read is named as failed, and keeps no other from its work', async () => {
    const id = await opened()
    const poison = ['no JSON', '{}', '{"incident_id":"../x"}', '[]', 'null'].map((body, number) => ({
      messageId: `poison-${number}`,
      body,
    }))
    expect(await investigate([...poison, doorbellFor(id)])).toEqual(poison.map(({ messageId }) => messageId))
    expect((await read(id)).analysis).toBe('done')
  })

  it('is given back when the store cannot even be asked for the lease', async () => {
    const id = await opened()
    faults.failNext(1, new Error('the store is away'))
    expect(await investigate([doorbellFor(id, 'message-1')])).toEqual(['message-1'])
    expect((await read(id)).analysis).toBe('pending')
    expect(await investigate([doorbellFor(id)])).toEqual([])
  })
})

describe('the lease', () => {
  it('lets one of two workers that come at once run', async () => {
    const id = await opened()
    const acts = await actsAt(Date.now())
    const outcomes = await Promise.all([1, 2, 3].map(() => runInvestigation(acts, id, REMAINING)))
    expect(outcomes.sort()).toEqual(['done', 'not_due', 'not_due'])
    expect(await kindsOf(id)).toEqual(['created', 'analysed'])
  })

  it('is outlived by nobody: who comes after it ran out takes over, and the late result is not written', async () => {
    await connectOutage()
    const id = await opened()
    const started = Date.now()
    let now = started
    let overtaken: string | undefined
    // The first worker hangs while it keeps its snapshot; meanwhile its lease runs out and a second one comes.
    const first = await actsAt(started)
    const slow: InvestigationActs = {
      ...first,
      clock: () => now,
      snapshots: {
        ...first.snapshots,
        keep: async (owner, snapshot) => {
          now = started + REMAINING + 5_001
          overtaken = await runInvestigation(await actsAt(now), id, REMAINING)
          return first.snapshots.keep(owner, snapshot)
        },
      },
    }
    expect(await runInvestigation(slow, id, REMAINING)).toBe('lost')
    expect(overtaken).toBe('done')
    const { root_cause } = await read(id)
    expect(root_cause.analysed_at).toBe(new Date(started + REMAINING + 5_001).toISOString())
    expect(await kindsOf(id)).toEqual(['created', 'analysed'])
  })

  it('holds until the worker cannot write any more', async () => {
    const id = await opened()
    const now = Date.now()
    let held: string | undefined
    const first = await actsAt(now)
    await runInvestigation(
      {
        ...first,
        snapshots: {
          ...first.snapshots,
          keep: async (owner, snapshot) => {
            held = await runInvestigation(await actsAt(now + REMAINING + 4_999), id, REMAINING)
            return first.snapshots.keep(owner, snapshot)
          },
        },
      },
      id,
      REMAINING,
    )
    expect(held).toBe('not_due')
  })

  it('is lost to a new request: what was begun before is not the answer to it', async () => {
    const id = await opened()
    const first = await actsAt(Date.now())
    const asked: InvestigationActs = {
      ...first,
      snapshots: {
        ...first.snapshots,
        keep: async (owner, snapshot) => {
          await service.done('request-investigation', { id })
          return first.snapshots.keep(owner, snapshot)
        },
      },
    }
    expect(await runInvestigation(asked, id, REMAINING)).toBe('lost')
    expect(await read(id)).toMatchObject({ analysis: 'pending', root_cause: null })
    expect(await runInvestigation(await actsAt(Date.now()), id, REMAINING)).toBe('done')
  })
})

describe('a failure', () => {
  const failing = async (now: number, reported: unknown[] = []) =>
    actsAt(now, {
      report: (error) => reported.push(error),
      snapshots: {
        keep: () => Promise.reject(new Error('the bucket is away: s3cr3t')),
        read: () => Promise.resolve(undefined),
      },
    })

  it('is tried again after 15, 30, 60 and 120 seconds, and given up visibly after the fifth', async () => {
    const id = await opened()
    let now = Date.now()
    const waits: number[] = []
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const reported: unknown[] = []
      expect(await runInvestigation(await failing(now, reported), id, REMAINING)).toBe('failed')
      expect(reported).toHaveLength(1)
      if (attempt === 5) break
      expect((await read(id)).analysis).toBe('pending')
      const again = retryAt(attempt, now) ?? 0
      // Not a millisecond earlier.
      expect(await runInvestigation(await failing(again - 1), id, REMAINING)).toBe('not_due')
      waits.push((again - now) / 1_000)
      now = again
    }
    expect(waits).toEqual([15, 30, 60, 120])
    const incident = await read(id)
    expect(incident).toMatchObject({ analysis: 'failed', status: 'open', root_cause: null })
    expect(await kindsOf(id)).toEqual(['created', ...Array.from({ length: 5 }, () => 'analysis_failed')])
    expect(incident.timeline.at(-1).text).toBe('The analysis failed 5 times and was given up.')
    expect(JSON.stringify(incident)).not.toContain('s3cr3t')
    expect(await runInvestigation(await actsAt(now + 24 * 60 * MINUTE), id, REMAINING)).toBe('not_due')
  })

  it('of workers that die is not repeated for ever: the sixth gives up, whoever finds the incident', async () => {
    const id = await opened()
    let now = Date.now()
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const { incidents } = await actsAt(now)
      // A worker that dies has claimed the incident, and writes nothing more.
      expect((await incidents.claimInvestigation(id, now, now + REMAINING))?.attempt).toBe(attempt)
      now += REMAINING
    }
    const told: string[] = []
    const acts = await actsAt(now, { gaveUp: (incident) => told.push(incident) })
    expect(await runInvestigation(acts, id, REMAINING)).toBe('failed')
    expect(told).toEqual([id])
    expect((await read(id)).analysis).toBe('failed')
    expect(await runInvestigation(await actsAt(now + 24 * 60 * MINUTE), id, REMAINING)).toBe('not_due')
  })

  it('once over is forgotten: the next try writes the root cause', async () => {
    const id = await opened()
    const now = Date.now()
    await runInvestigation(await failing(now), id, REMAINING)
    expect(await runInvestigation(await actsAt(now + 15_000), id, REMAINING)).toBe('done')
    expect(await kindsOf(id)).toEqual(['created', 'analysis_failed', 'analysed'])
  })

  it('of a worker that lost its lease meanwhile changes nothing', async () => {
    const id = await opened()
    const now = Date.now()
    const acts = await actsAt(now, {
      snapshots: {
        keep: async () => {
          await service.done('request-investigation', { id })
          throw new Error('and then it failed, too')
        },
        read: () => Promise.resolve(undefined),
      },
    })
    expect(await runInvestigation(acts, id, REMAINING)).toBe('lost')
    expect(await kindsOf(id)).toEqual(['created', 'analysis_requested'])
  })

  it('is a matter of the incident and not of the message, which is done', async () => {
    await connectOutage()
    const id = await opened()
    // Claim, then the list of integrations, which fails.
    faults.failNext(2, new Error('the store is away'))
    expect(await investigate([doorbellFor(id)])).toEqual([])
    expect(await kindsOf(id)).toEqual(['created', 'analysis_failed'])
    expect((await read(id)).analysis).toBe('pending')
  })

  it('does not undo a root cause that was written and whose answer alone got lost', async () => {
    const id = await opened()
    // Claim, integrations, the incident as it is now, then the transaction: this try fails, and finds that its lease is gone.
    faults.loseAnswer(4, new Error('the answer got lost'))
    expect(await investigate([doorbellFor(id)])).toEqual([])
    expect((await read(id)).analysis).toBe('done')
    expect(await kindsOf(id)).toEqual(['created', 'analysed'])
  })
})

describe('an open incident', () => {
  const look = async (id: string, now: number) => runInvestigation(await actsAt(now), id, REMAINING)
  const createdAt = async (id: string) => Date.parse((await read(id)).created_at)

  it('is looked at again 3, 10 and 30 minutes after it was opened, and then no more', async () => {
    const id = await opened()
    const at = await createdAt(id)
    expect(await look(id, at + 1)).toBe('done')
    const due = async (minutes: number) =>
      (await (await runtime()).incidents().dueInvestigations(at + minutes * MINUTE, 500)).includes(id)
    for (const minutes of [3, 10, 30]) {
      expect(await due(minutes - 0.01)).toBe(false)
      expect(await look(id, at + minutes * MINUTE - 1)).toBe('not_due')
      expect(await due(minutes)).toBe(true)
      expect(await look(id, at + minutes * MINUTE)).toBe('done')
    }
    expect(await due(24 * 60)).toBe(false)
    expect((await kindsOf(id)).filter((kind) => kind === 'analysed')).toHaveLength(4)
  })

  it('is not looked at again once it is resolved', async () => {
    const id = await opened()
    const at = await createdAt(id)
    await service.done('update-incident', { id, body: { status: 'resolved' } })
    expect(await look(id, at + MINUTE)).toBe('done')
    expect(await look(id, at + 3 * MINUTE)).toBe('not_due')
  })

  it('keeps its cause where a later look can no longer read the changes, though it measures', async () => {
    await connectOutage()
    const id = await opened()
    const at = await createdAt(id)
    await look(id, at + 1)
    const before = (await read(id)).root_cause
    expect(before.cause.change).toBe(SAMPLE_CULPRIT)
    const changes = join(service.bundles, 'outage', 'changes.ndjson')
    const text = readFileSync(changes)
    rmSync(changes)
    try {
      await look(id, at + 3 * MINUTE)
    } finally {
      writeFileSync(changes, text)
    }
    const later = await read(id)
    expect(later.root_cause).toEqual(before)
    expect(later.timeline.at(-1).text).toContain('a tool that told of changes then gave none now')
  })

  it('tells what a later look changed and why, and keeps what was withdrawn', async () => {
    await connectOutage()
    const id = await opened()
    const at = await createdAt(id)
    await look(id, at + 1)
    const before = (await read(id)).root_cause
    expect(before.revision).toBeUndefined()
    await look(id, at + 3 * MINUTE)
    expect((await read(id)).root_cause.revision).toMatchObject({
      since: before.analysed_at,
      new_evidence: [],
      withdrawn: [],
    })
    for (const { id: integration } of (await service.done('list-integrations')).integrations) {
      await service.done('delete-integration', { id: integration })
    }
    await look(id, at + 10 * MINUTE)
    const { root_cause } = await read(id)
    expect(root_cause.outcome).toBe('inconclusive')
    const { revision } = root_cause
    expect(revision.changed).toContainEqual({ what: 'outcome', before: 'identified', after: 'inconclusive' })
    expect(revision.lost_evidence.length).toBeGreaterThanOrEqual(3)
    expect(revision.withdrawn[0]).toMatchObject({ cause: { change: SAMPLE_CULPRIT } })
    await look(id, at + 30 * MINUTE)
    expect((await read(id)).root_cause.revision.withdrawn).toEqual(revision.withdrawn)
  })
})
