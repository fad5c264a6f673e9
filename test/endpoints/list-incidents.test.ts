import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INCIDENT_STATUSES, type IncidentStatus, SEVERITIES, type Severity } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { openIncident } from '#shared/domain/open-incident.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

const START = Date.UTC(2026, 0, 31, 12)
const CALLER = { id: 'key_1', type: 'admin' } as const

/** What the list has to show of an incident. */
interface Known {
  readonly id: string
  readonly at: number
  readonly status: IncidentStatus
  readonly severity: Severity
}

let service: Service
/** Newest first. */
const known: Known[] = []

async function open(at: number, severity: Severity, status: IncidentStatus): Promise<Known> {
  const { incidentActs } = await import('#shared/runtime.ts')
  const acts = { ...incidentActs(), clock: () => at }
  const { id } = await openIncident(acts, { title: `${severity} ${status}`, severity }, CALLER)
  if (status !== 'open') await service.done('update-incident', { id, body: { status } })
  return { id, at, status, severity }
}

beforeAll(async () => {
  service = await startService()
  let minute = 0
  for (const severity of SEVERITIES) {
    for (const status of INCIDENT_STATUSES) {
      for (let count = 0; count < 2; count += 1) {
        known.unshift(await open(START + minute * 60_000, severity, status))
        minute += 1
      }
    }
  }
})
afterAll(() => service.stop())

refusesAlike('list-incidents', () => service)

type Query = Readonly<Record<string, string>>
const idsOf = (body: { incidents: { id: string }[] }) => body.incidents.map(({ id }) => id)

/** All pages of a list. */
async function walk(query: Query): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = null
  do {
    const page = { ...query, ...(cursor === null ? {} : { cursor }) } as Query
    const body = await service.done('list-incidents', { query: page })
    found.push(...idsOf(body))
    cursor = body.next_cursor
  } while (cursor !== null)
  return found
}

describe('200', () => {
  it('is newest first, 25 a page unless asked otherwise', async () => {
    const body = await service.done('list-incidents')
    expect(idsOf(body)).toEqual(known.slice(0, 25).map(({ id }) => id))
  })

  it('shows what fits every filter, and nothing else, for every combination of them and any page size', async () => {
    const instant = fc.integer({ min: -1, max: known.length }).map((minute) => START + minute * 60_000)
    const query = fc.record(
      {
        status: fc.constantFrom(...INCIDENT_STATUSES),
        severity: fc.constantFrom(...SEVERITIES),
        start_time: instant,
        end_time: instant,
        limit: fc.integer({ min: 1, max: 30 }),
      },
      { requiredKeys: ['limit'] },
    )
    await fc.assert(
      fc.asyncProperty(query, async ({ status, severity, start_time, end_time, limit }) => {
        const expected = known.filter(
          (each) =>
            (status === undefined || each.status === status) &&
            (severity === undefined || each.severity === severity) &&
            (start_time === undefined || each.at > start_time) &&
            (end_time === undefined || each.at < end_time),
        )
        const asked = {
          limit: String(limit),
          ...(status === undefined ? {} : { status }),
          ...(severity === undefined ? {} : { severity }),
          ...(start_time === undefined ? {} : { start_time: writeInstant(start_time) }),
          ...(end_time === undefined ? {} : { end_time: writeInstant(end_time) }),
        }
        expect(await walk(asked)).toEqual(expected.map(({ id }) => id))
      }),
      { numRuns: 40 },
    )
  })

  it('leaves out what was created at the very instant of a bound', async () => {
    const at = known[10]?.at ?? 0
    const after = idsOf(await service.done('list-incidents', { query: { start_time: writeInstant(at) } }))
    expect(after).toEqual(known.slice(0, 10).map(({ id }) => id))
    const before = await walk({ end_time: writeInstant(at) })
    expect(before).toEqual(known.slice(11).map(({ id }) => id))
    const around = { start_time: writeInstant(at - 1), end_time: writeInstant(at + 1) }
    expect(await walk(around)).toEqual([known[10]?.id])
  })

  it('follows an incident from one filter to another as its status changes', async () => {
    const one = await open(START - 60_000, 'low', 'open')
    const listed = async (status: string) =>
      (await walk({ status, end_time: writeInstant(START) })).includes(one.id)
    expect([await listed('open'), await listed('resolved')]).toEqual([true, false])
    await service.done('update-incident', { id: one.id, body: { status: 'resolved' } })
    expect([await listed('open'), await listed('resolved')]).toEqual([false, true])
    known.push({ ...one, status: 'resolved' })
  })

  it('shows no incident twice and leaves none out while new ones come in', async () => {
    const first = await service.done('list-incidents', {
      query: { limit: '5', end_time: writeInstant(START + 3_600_000) },
    })
    await open(START + 7_200_000, 'low', 'open').then((made) => known.unshift(made))
    const query = { limit: '100', end_time: writeInstant(START + 3_600_000), cursor: first.next_cursor }
    const rest = await service.done('list-incidents', { query })
    const seen = [...idsOf(first), ...idsOf(rest)]
    expect(seen).toEqual(known.filter(({ at }) => at < START + 3_600_000).map(({ id }) => id))
  })

  it('takes bounds at the beginning and the end of all time', async () => {
    const all = known.map(({ id }) => id)
    const query = { start_time: '1970-01-01T00:00:00Z', end_time: '9999-12-31T23:59:59.999Z' }
    expect(await walk(query)).toEqual(all)
    expect(await walk({ end_time: '1970-01-01T00:00:00Z' })).toEqual([])
    expect(await walk({ start_time: '9999-12-31T23:59:59.999Z' })).toEqual([])
    expect(await walk({ start_time: '2026-02-01T00:00:00Z', end_time: '2026-01-01T00:00:00Z' })).toEqual([])
  })

  it('says null at the end, also where the last page is full', async () => {
    const whole = await service.done('list-incidents', { query: { limit: String(known.length) } })
    expect(idsOf(whole)).toHaveLength(known.length)
    expect(whole.next_cursor).toBeNull()
  })
})

describe('400', () => {
  it.each([
    ['status', 'closed'],
    ['severity', 'urgent'],
    ['start_time', '2026-01-31'],
    ['start_time', '1969-12-31T23:59:59Z'],
    ['end_time', '2026-02-30T00:00:00Z'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', '+5'],
    ['limit', ''],
    ['cursor', 'nonsense'],
    ['cursor', 'x'.repeat(1_025)],
  ])('names %s for %j', async (field, value) => {
    expectInvalid(await service.call('list-incidents', { query: { [field]: value } }), field)
  })

  it('refuses a parameter that is given twice', async () => {
    const query = { status: ['open', 'resolved'] }
    expectInvalid(await service.call('list-incidents', { query }), 'status', 'once')
  })

  it('refuses a cursor under other filters, and one that was altered anywhere', async () => {
    const { next_cursor } = await service.done('list-incidents', { query: { limit: '2', status: 'open' } })
    const refuses = async (query: Query) =>
      expectInvalid(await service.call('list-incidents', { query }), 'cursor')
    await refuses({ cursor: next_cursor })
    await refuses({ cursor: next_cursor, status: 'resolved' })
    await refuses({ cursor: next_cursor, status: 'open', severity: 'low' })
    const characters: string[] = [...next_cursor]
    for (let index = 0; index < characters.length; index += 7) {
      const altered = characters.with(index, characters[index] === 'A' ? 'B' : 'A').join('')
      await refuses({ cursor: altered, status: 'open' })
    }
    const other = { cursor: next_cursor, status: 'open', limit: '50' }
    expect((await service.call('list-incidents', { query: other })).status).toBe(200)
  })

  it('refuses the cursor of another list', async () => {
    await service.done('create-webhook', {
      body: { url: 'https://example.com/a', events: ['incident.created'], secret: 's'.repeat(24) },
    })
    await service.done('create-webhook', {
      body: { url: 'https://example.com/b', events: ['incident.created'], secret: 's'.repeat(24) },
    })
    const { next_cursor } = await service.done('list-webhooks', { query: { limit: '1' } })
    expect(next_cursor).not.toBeNull()
    expectInvalid(await service.call('list-incidents', { query: { cursor: next_cursor } }), 'cursor')
  })
})
