import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  changeIncident,
  INCIDENT_STATUSES,
  type Incident,
  type IncidentChange,
  SEVERITIES,
} from '#shared/domain/incident.ts'
import { type Service, startService } from './service.ts'
import { eventsOf } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** What the service has to know of an incident: the incident, its timeline and its events. */
interface Known {
  incident: Incident
  readonly kinds: string[]
  readonly events: string[]
}

/** Everything that was ever opened, newest first; the service is never emptied, so the model is not either. */
const model: Known[] = []

type Step =
  | { readonly act: 'create'; readonly title: string; readonly severity: Incident['severity'] }
  | { readonly act: 'change'; readonly which: number; readonly change: IncidentChange }
  | { readonly act: 'read'; readonly which: number }
  | {
      readonly act: 'list'
      readonly limit: number
      readonly status: Incident['status'] | undefined
      readonly severity: Incident['severity'] | undefined
      /** An incident at whose creation the list begins or ends. */
      readonly since: number | undefined
      readonly until: number | undefined
    }

const title = fc.constantFrom('Checkout fails', 'Search is slow', 'Mail is late')
const which = fc.nat()
const severity = fc.constantFrom(...SEVERITIES)
const status = fc.constantFrom(...INCIDENT_STATUSES)
const change = fc
  .record({ status, severity, title }, { requiredKeys: [] })
  .filter((given) => Object.keys(given).length > 0)
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ act: fc.constant('create' as const), title, severity }), weight: 2 },
  { arbitrary: fc.record({ act: fc.constant('change' as const), which, change }), weight: 5 },
  { arbitrary: fc.record({ act: fc.constant('read' as const), which }), weight: 1 },
  {
    arbitrary: fc.record({
      act: fc.constant('list' as const),
      limit: fc.integer({ min: 1, max: 7 }),
      status: fc.option(status, { nil: undefined }),
      severity: fc.option(severity, { nil: undefined }),
      since: fc.option(which, { nil: undefined }),
      until: fc.option(which, { nil: undefined }),
    }),
    weight: 2,
  },
)

const pick = (index: number): Known | undefined => model[index % Math.max(1, model.length)]

async function create({ title: text, severity: weight }: Extract<Step, { act: 'create' }>): Promise<void> {
  const made = await service.done('create-incident', { body: { title: text, severity: weight } })
  model.unshift({ incident: { ...made, version: 1 }, kinds: ['created'], events: ['incident.created'] })
}

/** The rules say what has to come of a change; the service has to do just that, or to refuse and do nothing. */
async function amend(known: Known, given: IncidentChange): Promise<void> {
  const got = await service.call('update-incident', { id: known.incident.id, body: given })
  let expected: ReturnType<typeof changeIncident>
  try {
    expected = changeIncident(known.incident, given, got.body.updated_at ?? '')
  } catch {
    expect(got.status).toBe(409)
    return
  }
  expect(got.status, JSON.stringify(got.body)).toBe(200)
  const { version, ...shown } = expected.incident
  expect(got.body).toEqual(shown)
  expect(version).toBeGreaterThanOrEqual(known.incident.version)
  known.incident = expected.incident
  known.kinds.push(...expected.happened.map(({ kind }) => kind))
  if (expected.event !== null) known.events.push(expected.event)
}

async function read({ incident, kinds, events }: Known): Promise<void> {
  const { alerts, timeline, summary_card, ...got } = await service.done('get-incident', { id: incident.id })
  const { version: _version, ...shown } = incident
  expect(got).toEqual(shown)
  expect(alerts).toEqual([])
  expect(timeline.map(({ kind }: { kind: string }) => kind)).toEqual(kinds)
  expect((await eventsOf(service, incident.id)).map(({ kind }) => kind)).toEqual(events)
}

async function list(asked: Extract<Step, { act: 'list' }>): Promise<void> {
  const bound = (index: number | undefined) =>
    index === undefined ? undefined : pick(index)?.incident.created_at
  const [start_time, end_time] = [bound(asked.since), bound(asked.until)]
  const query: Record<string, string> = {
    limit: String(asked.limit),
    ...(asked.status === undefined ? {} : { status: asked.status }),
    ...(asked.severity === undefined ? {} : { severity: asked.severity }),
    ...(start_time === undefined ? {} : { start_time }),
    ...(end_time === undefined ? {} : { end_time }),
  }
  const seen: unknown[] = []
  let cursor: string | null = null
  do {
    const page = await service.done('list-incidents', {
      query: cursor === null ? query : { ...query, cursor },
    })
    if (page.next_cursor !== null) expect(page.incidents).toHaveLength(asked.limit)
    seen.push(...page.incidents)
    cursor = page.next_cursor
  } while (cursor !== null)
  const expected = model
    .map(({ incident: { version: _version, ...shown } }) => shown)
    .filter(
      (each) =>
        (asked.status === undefined || each.status === asked.status) &&
        (asked.severity === undefined || each.severity === asked.severity) &&
        (start_time === undefined || each.created_at > start_time) &&
        (end_time === undefined || each.created_at < end_time),
    )
  expect(seen).toEqual(expected)
}

describe('any history of incidents', () => {
  it('is told by answers, lists, timelines and events as the rules of the domain have it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const touched = new Set<Known>()
        for (const each of steps) {
          const known = each.act === 'change' || each.act === 'read' ? pick(each.which) : undefined
          if (known !== undefined) touched.add(known)
          if (each.act === 'create') await create(each)
          else if (each.act === 'list') await list(each)
          else if (each.act === 'change' && known !== undefined) await amend(known, each.change)
          else if (known !== undefined) await read(known)
        }
        for (const known of touched) await read(known)
      }),
      { numRuns: 30 },
    )
    expect(model.length).toBeGreaterThan(10)
    expect(model.some(({ events }) => events.length > 1)).toBe(true)
  }, 300_000)
})
