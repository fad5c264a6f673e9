import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { timeOf } from '#shared/domain/ids.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'
import { allItems, eventsOf, itemsOfIncident } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('create-incident', () => service)

const given = { title: 'Checkout fails', severity: 'high' }

describe('201', () => {
  it('answers the whole incident, open, its analysis pending, at a Location that reads it', async () => {
    const got = await service.call('create-incident', {
      body: {
        ...given,
        service: 'checkout',
        description: 'Cards\nare refused.',
        started_at: '2026-01-31T12:14:00Z',
      },
    })
    expect(got.status).toBe(201)
    expect(got.body).toEqual({
      id: expect.stringMatching(/^inc_/),
      ...given,
      status: 'open',
      service: 'checkout',
      description: 'Cards\nare refused.',
      started_at: '2026-01-31T12:14:00.000Z',
      created_at: expect.any(String),
      updated_at: got.body.created_at,
      resolved_at: null,
      analysis: 'pending',
      root_cause: null,
    })
    expect(got.headers.Location).toBe(`/v1/incidents/${got.body.id}`)
    const read = await service.done('get-incident', { id: got.body.id })
    const { alerts, timeline, summary_card, ...incident } = read
    expect(incident).toEqual(got.body)
    expect(alerts).toEqual([])
    expect(timeline).toHaveLength(1)
  })

  it('is created at the very instant that its id tells', async () => {
    const before = Date.now()
    const made = await service.done('create-incident', { body: given })
    expect(Date.parse(made.created_at)).toBe(timeOf(made.id))
    expect(timeOf(made.id)).toBeGreaterThanOrEqual(before)
  })

  it.each([
    ['2026-01-31T12:14:00Z', '2026-01-31T12:14:00.000Z'],
    ['2026-01-31T12:14:00.5Z', '2026-01-31T12:14:00.500Z'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ])('writes the start %s as %s', async (started_at, written) => {
    expect((await service.done('create-incident', { body: { ...given, started_at } })).started_at).toBe(
      written,
    )
  })

  it('says null for what was not given', async () => {
    const made = await service.done('create-incident', { body: given })
    expect(made).toMatchObject({ service: null, description: null, started_at: null })
  })

  it('keeps a description of 4,000 characters whole, and lists show it shortened', async () => {
    const description = '𝄞'.repeat(4_000)
    const made = await service.done('create-incident', { body: { ...given, description } })
    expect(made.description).toBe(description)
    expect((await service.done('get-incident', { id: made.id })).description).toBe(description)
    const { incidents } = await service.done('list-incidents', { query: { limit: '1' } })
    expect(incidents[0].id).toBe(made.id)
    expect(incidents[0].description).toMatch(/^𝄞+…$/u)
    expect(incidents[0].description.length).toBeLessThan(description.length)
  })

  it('writes the incident with its timeline entry and exactly one incident.created', async () => {
    const { newKey } = service
    const { id: keyId, key } = await newKey('admin')
    const headers = { Authorization: `Bearer ${key}` }
    const made = await service.done('create-incident', { body: given, headers })
    const items = await itemsOfIncident(service, made.id)
    expect(items.map(({ sk }) => sk.replace(/#.*/, ''))).toEqual(['INCIDENT', 'TIMELINE'])
    expect(items[1]).toMatchObject({ kind: 'created', at: made.created_at, by: keyId })
    const events = await eventsOf(service, made.id)
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ kind: 'incident.created', sequence: 1, at: made.created_at })
    expect(JSON.parse(events[0]?.body).data).toMatchObject({ id: made.id, title: given.title })
  })

  it('takes any title of one line, and answers it as it was given', async () => {
    const title = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
      .filter((text) => text.trim() !== '' && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text))
    await fc.assert(
      fc.asyncProperty(title, async (text) => {
        const made = await service.done('create-incident', { body: { ...given, title: text } })
        expect(made.title).toBe(text)
      }),
      { numRuns: 25 },
    )
  })
})

describe('400', () => {
  const cases: readonly (readonly [string, object, string])[] = [
    ['no title', { severity: 'high' }, 'title'],
    ['a blank title', { ...given, title: '  ' }, 'title'],
    ['a title of 201 characters', { ...given, title: 'x'.repeat(201) }, 'title'],
    ['a title of two lines', { ...given, title: 'a\nb' }, 'title'],
    ['a title with the NUL character', { ...given, title: 'a\0b' }, 'title'],
    ['a title that is no text', { ...given, title: 7 }, 'title'],
    ['a severity that there is none of', { ...given, severity: 'urgent' }, 'severity'],
    ['no severity', { title: 'x' }, 'severity'],
    ['an empty service', { ...given, service: '' }, 'service'],
    ['a description of 4,001 characters', { ...given, description: 'x'.repeat(4_001) }, 'description'],
    ['a date that is in no calendar', { ...given, started_at: '2026-02-30T00:00:00Z' }, 'started_at'],
    ['a time that is not in UTC', { ...given, started_at: '2026-01-31T12:14:00+01:00' }, 'started_at'],
    ['a day without a time', { ...given, started_at: '2026-01-31' }, 'started_at'],
    ['a time to come', { ...given, started_at: '9999-12-31T23:59:59Z' }, 'started_at'],
    ['a status, which it does not take', { ...given, status: 'open' }, 'status'],
    ['a field that nobody knows', { ...given, tilte: 'x' }, 'tilte'],
  ]
  it.each(cases)('names the field for %s', async (_name, body, field) => {
    expectInvalid(await service.call('create-incident', { body }), field)
  })

  it('names every field that is wrong, the first one first', async () => {
    const got = await service.call('create-incident', { body: { title: '', severity: 'urgent' } })
    expectInvalid(got, 'title')
    const fields = got.body.error.details.errors.map(({ field }: { field: string }) => field)
    expect(fields).toEqual(['title', 'severity'])
  })

  it('stores nothing of what it refuses', async () => {
    const before = await allItems(service, 'incidents')
    for (const [, body] of cases) await service.call('create-incident', { body })
    expect(await allItems(service, 'incidents')).toHaveLength(before.length)
  })
})

describe('500', () => {
  it('stores neither incident nor event when the store fails, and says nothing but the request id', async () => {
    const { documents } = await import('#shared/runtime.ts')
    const faults = failCalls(documents())
    const before = await allItems(service, 'incidents')
    faults.failNext(2, new Error('the store is away: table test-incidents'))
    const got = await service.call('create-incident', { body: given })
    expectError(got, 500, 'INTERNAL_ERROR')
    expect(got.body.error.details).toEqual({ request_id: got.headers['X-Request-Id'] })
    expect(JSON.stringify(got)).not.toContain('test-incidents')
    expect(await allItems(service, 'incidents')).toHaveLength(before.length)
  })
})
