import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SAMPLE_CULPRIT } from '#infra/sample-outage/sample-changes.ts'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { timeText } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import { openIncident } from '#shared/domain/open-incident.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { type FakeGithub, startFakeGithub } from './fake-github.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'
import { allItems } from './stored.ts'

const HOUR = 3_600_000

let service: Service
let github: FakeGithub
/** The outage ends when the tests begin: it is going on as far as anybody can see. */
let endsAt: number
beforeAll(async () => {
  service = await startService({ egress: 'local' })
  github = await startFakeGithub()
  endsAt = Date.now()
})
beforeEach(() => {
  github.mood = 'well'
})
/** Integrations of a test end with it: what is connected shows in every answer. */
afterEach(async () => {
  for (const { id } of (await service.done('list-integrations')).integrations) {
    await service.done('delete-integration', { id })
  }
})
afterAll(async () => {
  await github.close()
  await service.stop()
})

refusesAlike('answer-query', () => service)

const ask = (query: string, context?: object, remaining?: number) =>
  service.done('answer-query', {
    body: { query, ...(context === undefined ? {} : { context }) },
    ...(remaining === undefined ? {} : { remaining }),
  })
async function connectOutage(): Promise<string> {
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt })
  return (await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } }))
    .id
}
const connectGithub = async (): Promise<string> =>
  (await service.done('create-integration', { body: { type: 'github', config: github.config } })).id

interface Answer {
  readonly gaps: readonly { readonly what: string; readonly why: string }[]
  readonly evidence: readonly { readonly id: string; readonly digest: string | null }[]
}
const gapsText = ({ gaps }: Answer) => gaps.map(({ what, why }) => `${what}: ${why}`).join('\n')

describe('200 for a question why', () => {
  it('names the cause with at least three pieces of evidence, each of which can be asked for again', async () => {
    const id = await connectOutage()
    const got = await ask('Why is checkout failing?')
    expect(got).toMatchObject({
      id: expect.stringMatching(/^query_/),
      outcome: 'identified',
      timestamp: expect.stringMatching(/Z$/),
      understood: { intent: 'why', service: 'checkout' },
    })
    expect(got.confidence).toBeGreaterThan(0.5)
    expect(got.hypotheses[0].cause.change).toBe(SAMPLE_CULPRIT)
    expect(got.hypotheses[0].supported_by.length).toBeGreaterThanOrEqual(3)
    expect(got.evidence.length).toBeGreaterThanOrEqual(3)
    const known = new Set(got.evidence.map((item: { id: string }) => item.id))
    for (const each of got.hypotheses[0].supported_by) expect(known).toContain(each)
    for (const item of got.evidence) {
      expect(item).toMatchObject({
        integration_id: id,
        query: expect.stringMatching(/\S/),
        content: expect.stringMatching(/\S/),
      })
    }
    expect(got.answer).toContain('pricing')
  })

  it('keeps the snapshot that it answered from, by its digest, and does not show the digest', async () => {
    await connectOutage()
    const got = await ask('Why is checkout failing?')
    const { queries } = await import('#shared/runtime.ts')
    const stored = await queries().get(got.id)
    expect(stored?.snapshot_digest).toMatch(/^[0-9a-f]{64}$/)
    expect(stored?.query).toBe('Why is checkout failing?')
    const { snapshotStore } = await import('#shared/adapters/objects/snapshots.ts')
    const { folderObjects } = await import('#shared/adapters/objects/folder-objects.ts')
    const form = await import('#shared/adapters/bundle/write-bundle.ts')
    const snapshots = snapshotStore(folderObjects(service.objects), {
      pack: form.packSnapshot,
      unpack: form.unpackSnapshot,
      unpackWindow: form.unpackWindow,
    })
    const kept = await snapshots.read('queries', stored?.snapshot_digest ?? '')
    expect(kept?.changes.some(({ id }) => id === SAMPLE_CULPRIT)).toBe(true)
  })

  it('looks at the time range that it is given, and says which it understood', async () => {
    const time_range = { start: writeInstant(endsAt - HOUR), end: writeInstant(endsAt) }
    const got = await ask('Why is checkout failing?', { time_range })
    expect(got.understood.window).toEqual(time_range)
    // An open end is now; a missing start is an hour before the end.
    const since = await ask('Why is checkout failing?', { time_range: { start: time_range.start } })
    expect(since.understood.window.start).toBe(time_range.start)
    expect(Date.parse(since.understood.window.end)).toBeGreaterThanOrEqual(endsAt)
    const until = await ask('Why is checkout failing?', { time_range: { end: time_range.end } })
    expect(until.understood.window).toEqual(time_range)
  })

  it('says the window that was asked for, and as a gap which one a bundle gives in its place', async () => {
    await connectOutage()
    const time_range = { start: writeInstant(endsAt - 2 * HOUR), end: writeInstant(endsAt) }
    const got = await ask('Why is checkout failing?', { time_range })
    const minute = Math.floor(endsAt / 60_000) * 60_000
    expect(got.understood.window).toEqual(time_range)
    expect(got.gaps[0].why).toContain(`${timeText(minute - HOUR)} to ${timeText(minute)}, all of which`)
    expect(got.outcome).toBe('identified')
  })

  it('claims nothing about a time of which the tools gave nothing, and says which time that is', async () => {
    await connectOutage()
    const time_range = { start: '2026-01-31T12:00:00.000Z', end: '2026-01-31T13:00:00.000Z' }
    const got = await ask('Why was checkout failing?', { time_range })
    expect(got).toMatchObject({ outcome: 'inconclusive', confidence: 0, evidence: [], hypotheses: [] })
    expect(got.understood.window).toEqual(time_range)
    const started = `${time_range.start.slice(0, 19).replace('T', ' ')} UTC`
    expect(got.gaps[0].what).toContain(started)
    expect(got.answer).toContain(started)
    expect(got.gaps.map(({ what }: { what: string }) => what)).toContain('slow query log of orders-db')
  })

  it('lets the time range of the context win over the words, and reads the words without one', async () => {
    const time_range = { start: '2026-01-31T12:00:00.000Z', end: '2026-01-31T13:00:00.000Z' }
    const query = 'Why did checkout fail in the last 30 minutes?'
    expect((await ask(query, { time_range })).understood.window).toEqual(time_range)
    const { window } = (await ask(query)).understood
    expect(Date.parse(window.end) - Date.parse(window.start)).toBe(HOUR / 2)
  })

  it('asks about the service of the context, whatever the words name', async () => {
    await connectOutage()
    const got = await ask('Why is it failing?', { service: 'checkout' })
    expect(got.understood.service).toBe('checkout')
    expect((await ask('Why is checkout failing?', { service: 'orders' })).understood.service).toBe('orders')
  })

  it('looks at the time of the incident that it is about, when no time is named', async () => {
    const { incidentActs } = await import('#shared/runtime.ts')
    const startedAt = Date.UTC(2026, 0, 31, 12)
    const acts = { ...incidentActs(), clock: () => startedAt + HOUR }
    const given = {
      title: 'Search is slow',
      severity: 'high',
      service: 'search',
      started_at: writeInstant(startedAt),
    } as const
    const { id } = await openIncident(acts, given, { id: 'key_1', type: 'admin' })
    const { understood } = await ask('Why is search slow?')
    expect(understood.service).toBe('search')
    expect(understood.window.start).toBe(writeInstant(startedAt - HOUR))
    await service.done('update-incident', { id, body: { status: 'resolved' } })
    expect((await ask('Why is search slow?')).understood.window.start).toBe(writeInstant(startedAt - HOUR))
  })
})

describe('200 for a follow-up', () => {
  it('is about the service and the time of the answer before, and says what it took over', async () => {
    await connectOutage()
    const first = await ask('Why is checkout failing?')
    const next = await ask('What speaks against it?', { previous_query_id: first.id })
    expect(next.understood).toMatchObject({
      intent: 'what_contradicts',
      service: 'checkout',
      carried_over: ['service', 'window', 'snapshot'],
    })
    expect(next.hypotheses).toEqual(first.hypotheses)
  })

  it('is about the incident that it names', async () => {
    await connectOutage()
    const { id } = await service.done('create-incident', {
      body: { title: 'Checkout fails', severity: 'high', service: 'checkout' },
    })
    const got = await ask('What changed?', { incident_id: id })
    expect(got.understood).toMatchObject({ intent: 'what_changed', service: 'checkout' })
    expect(got.outcome).toMatch(/identified|best_effort/)
  })
})

describe('200 without what it takes to know', () => {
  it('claims nothing when no tool is connected, and says that nothing was asked', async () => {
    const got = await ask('Why is checkout failing?')
    expect(got).toMatchObject({ outcome: 'inconclusive', evidence: [], hypotheses: [] })
    expect(got.confidence).toBe(0)
    expect(got.gaps).toContainEqual({
      what: 'integrations',
      why: 'no tool is connected, so nothing was asked',
    })
  })

  it('says so when it cannot read the question, names what it can answer, and asks no tool', async () => {
    await connectGithub()
    const asked = github.requests().length
    const got = await ask('What is the meaning of life?')
    expect(got).toMatchObject({
      outcome: 'inconclusive',
      confidence: 0,
      evidence: [],
      understood: { intent: 'unknown' },
    })
    expect(got.gaps).toEqual([{ what: 'the question', why: 'its intent could not be read' }])
    expect(got.answer).toContain('Why is checkout failing?')
    expect(github.requests()).toHaveLength(asked)
  })

  it('never fails for any text that is a question in form', async () => {
    const query = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
      .filter((text) => text.trim() !== '' && !text.includes('\0') && text.isWellFormed())
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const got = await ask(text)
        expect(got.confidence).toBe(0)
        expect(got.gaps.length).toBeGreaterThan(0)
      }),
      { numRuns: 30 },
    )
  })
})

describe('200 when a tool does not do its part', () => {
  it('answers from the others and names the one that fails', async () => {
    await connectOutage()
    const id = await connectGithub()
    github.mood = 'failing'
    const got = await ask('Why is checkout failing?')
    expect(got.outcome).toBe('identified')
    expect(gapsText(got)).toMatch(/github/i)
    expect(JSON.stringify(got)).not.toContain('cannot serve')
    expect(id).toMatch(/^github_/)
  })

  it('answers in time and names the one that hangs', async () => {
    await connectGithub()
    github.mood = 'hanging'
    // Of 7.5 s a second is kept for the answer and five for engine and writes: what is left is for the tools.
    const got = await ask('Why is checkout failing?', undefined, 7_500)
    expect(got.outcome).toBe('inconclusive')
    expect(gapsText(got)).toMatch(/github/i)
  })

  it('names a bundle whose folder has gone', async () => {
    await connectOutage()
    await rm(join(service.bundles, 'outage'), { recursive: true })
    const got = await ask('Why is checkout failing?')
    expect(got).toMatchObject({ outcome: 'inconclusive', evidence: [] })
    expect(gapsText(got)).toContain('bundle:outage')
  })

  it('does not repeat what a tool babbles', async () => {
    await connectGithub()
    github.mood = 'babbling'
    const got = await ask('Why is checkout failing?')
    expect(got.gaps.length).toBeGreaterThan(0)
    expect(JSON.stringify(got)).not.toContain(github.config.client_secret)
  })
})

describe('200 for lists and counts', () => {
  it('counts and lists what fits the words, from the store alone, and says how to ask it again', async () => {
    for (const [title, severity] of [
      ['Mail is late', 'critical'],
      ['Orders fail', 'critical'],
      ['Logo is gone', 'low'],
    ]) {
      await service.done('create-incident', { body: { title, severity, service: 'mailer' } })
    }
    const { incidents } = await service.done('list-incidents', {
      query: { severity: 'critical', status: 'open' },
    })
    const count = await ask('How many critical incidents are open?')
    expect(count).toMatchObject({
      outcome: 'identified',
      confidence: 1,
      gaps: [],
      understood: { intent: 'count_incidents' },
    })
    expect(count.answer).toMatch(new RegExp(`^${incidents.length} incidents match`))
    const list = await ask('Which critical incidents are open?')
    expect(list.understood.intent).toBe('list_incidents')
    for (const { id } of incidents) expect(list.answer).toContain(id)
    expect(list.evidence[0].query).toBe('GET /incidents?severity=critical')
  })

  it('takes an incident under investigation for open, and a resolved one for neither', async () => {
    const named = async (query: string, id: string) => (await ask(query)).answer.includes(id)
    const { id } = await service.done('create-incident', { body: { title: 'x', severity: 'medium' } })
    await service.done('update-incident', { id, body: { status: 'investigating' } })
    expect(await named('Which medium incidents are open?', id)).toBe(true)
    await service.done('update-incident', { id, body: { status: 'resolved' } })
    expect(await named('Which medium incidents are open?', id)).toBe(false)
    expect(await named('Which medium incidents are resolved?', id)).toBe(true)
  })

  it('keeps to the time range and the service of the context', async () => {
    const { id, created_at } = await service.done('create-incident', {
      body: { title: 'x', severity: 'low', service: 'basket' },
    })
    const at = Date.parse(created_at)
    const named = async (start: number, end: number, service_?: string) => {
      const time_range = { start: writeInstant(start), end: writeInstant(end) }
      const context = { time_range, ...(service_ === undefined ? {} : { service: service_ }) }
      return (await ask('List the low incidents', context)).answer.includes(id)
    }
    expect(await named(at, at + 1)).toBe(true)
    expect(await named(at - HOUR, at)).toBe(false)
    expect(await named(at + 1, at + HOUR)).toBe(false)
    expect(await named(at, at + 1, 'basket')).toBe(true)
    expect(await named(at, at + 1, 'orders')).toBe(false)
  })
})

describe('400', () => {
  const range = (start: string, end: string) => ({ query: 'Why?', context: { time_range: { start, end } } })
  it.each([
    ['no question', {}, 'query'],
    ['a blank question', { query: ' \n ' }, 'query'],
    ['a question of 4,001 characters', { query: 'x'.repeat(4_001) }, 'query'],
    [
      'an end before its start',
      range('2026-01-31T13:00:00Z', '2026-01-31T12:00:00Z'),
      'context.time_range.start',
    ],
    ['an empty range', range('2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'), 'context.time_range.start'],
    [
      'more than 31 days',
      range('2026-01-01T00:00:00Z', '2026-02-01T00:00:00.001Z'),
      'context.time_range.start',
    ],
    [
      'a date that is in no calendar',
      range('2026-02-30T00:00:00Z', '2026-03-01T00:00:00Z'),
      'context.time_range.start',
    ],
    ['a time zone that is none', { query: 'Why?', context: { timezone: 'Mars/Base' } }, 'context.timezone'],
    [
      'an incident that does not exist',
      { query: 'Why?', context: { incident_id: 'inc_01KAAAAAAAAAAAAAAAAAAAAAAA' } },
      'context.incident_id',
    ],
    [
      'an incident that it names itself, in which a letter is mistaken',
      { query: 'What is the status of inc_01KAAAAAAAAAAAAAAAAAAAAAAO?' },
      'query',
    ],
    [
      'an answer by an id of another kind',
      { query: 'Why?', context: { previous_query_id: 'inc_01KAAAAAAAAAAAAAAAAAAAAAAA' } },
      'context.previous_query_id',
    ],
    ['an empty service', { query: 'Why?', context: { service: '' } }, 'context.service'],
    [
      'a field of the context that nobody knows',
      { query: 'Why?', context: { servce: 'x' } },
      'context.servce',
    ],
    ['a field that nobody knows', { query: 'Why?', model: 'x' }, 'model'],
  ])('names the field for %s, and stores no answer', async (_name, body, field) => {
    const before = (await allItems(service, 'queries')).length
    expectInvalid(await service.call('answer-query', { body }), field)
    expect((await allItems(service, 'queries')).length).toBe(before)
  })
})

describe('500', () => {
  it('is the answer when the answer cannot be stored: what cannot be read again was not answered', async () => {
    const { documents } = await import('#shared/runtime.ts')
    failCalls(documents()).failNext(2, new Error('the store is away'))
    expectError(
      await service.call('answer-query', { body: { query: 'What is love?' } }),
      500,
      'INTERNAL_ERROR',
    )
  })
})
