import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb'
import { GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { LISTED_ROOT_CAUSE_BYTES, listedRootCause } from '#shared/adapters/dynamo/listed-incident.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { rootCause as rootCauseShape } from '#shared/contract/findings.ts'
import { dueIncident } from '#shared/domain/due-incident.ts'
import { eventBody } from '#shared/domain/event-body.ts'
import {
  changeIncident,
  INCIDENT_STATUSES,
  type Incident,
  type IncidentFile,
  SEVERITIES,
} from '#shared/domain/incident.ts'
import { readInstant, writeInstant } from '#shared/domain/instant.ts'
import type { IncidentFilter, IncidentStore, Lease, ObjectStore } from '#shared/domain/ports.ts'
import { countCalls } from '#test/storage/count-calls.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { itemBytes } from '#test/storage/item-bytes.ts'
import {
  sampleEntry,
  sampleEvent,
  sampleId,
  sampleIncident,
  sampleRootCause,
} from '#test/storage/sample-incidents.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
const DAY_S = 86_400
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const noPause = () => Promise.resolve()

let store: TestStore
let folder: string
let objects: ObjectStore
let incidents: IncidentStore
beforeAll(async () => {
  store = await startTestStore()
  folder = await mkdtemp(join(tmpdir(), 'objects-'))
  objects = folderObjects(folder)
  incidents = open(store.client)
})
afterAll(async () => {
  await store.stop()
  await rm(folder, { recursive: true })
})

const open = (client: TestStore['client']) =>
  incidentStore({ client, table: store.names.incidents, objects, retentionDays: 400, pause: noPause })

async function openIncident(at = NOON, change: Partial<Incident> = {}): Promise<Incident> {
  const incident = sampleIncident(at, change)
  await incidents.create(incident, sampleEntry(at), sampleEvent(incident, at))
  return incident
}

const read = async (id: string): Promise<IncidentFile> => {
  const file = await incidents.read(id)
  if (file === undefined) throw new Error(`no incident ${id}`)
  return file
}
const claim = async (id: string, now: number, until: number): Promise<Lease> => {
  const lease = await incidents.claimInvestigation(id, now, until)
  if (lease === undefined) throw new Error('not claimed')
  return lease
}
const itemsOf = async (pk: string) => {
  const { Items } = await store.client.send(
    new QueryCommand({
      TableName: store.names.incidents,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    }),
  )
  return Items ?? []
}

describe('an incident', () => {
  test('with a storm of alerts is read without holding many more of them than are shown', async () => {
    const incident = await openIncident()
    const own = await itemsOf(`INCIDENT#${incident.id}`)
    const PAGES = 12
    const EACH = 100
    const held: WeakRef<object>[] = []
    let live = 0
    /** Alerts that fire come last, of these the first that began. */
    const alertsOf = (page: number) =>
      Array.from({ length: EACH }, (_, index) => {
        const number = page * EACH + index
        const alert = {
          title: `alert ${number}`,
          status: page < PAGES - 1 ? 'resolved' : 'firing',
          starts_at: writeInstant(NOON - number * 1_000),
        }
        held.push(new WeakRef(alert))
        return { pk: `INCIDENT#${incident.id}`, sk: `ALERT#${String(number).padStart(5, '0')}`, alert }
      })
    const send = async ({ input }: QueryCommand) => {
      const page = Number(input.ExclusiveStartKey?.page ?? 0)
      // What WeakRef gave in this turn stays until its end.
      await new Promise((resolve) => setImmediate(resolve))
      collectGarbage()
      live = Math.max(live, held.filter((each) => each.deref() !== undefined).length)
      const last = page === PAGES - 1
      return {
        Items: [...alertsOf(page), ...(page === 0 ? own : [])],
        ...(last ? {} : { LastEvaluatedKey: { page: page + 1 } }),
      }
    }
    const client = Object.assign(Object.create(store.client), { send }) as TestStore['client']
    const file = await open(client).read(incident.id)
    expect(live).toBeGreaterThan(0)
    // Those that are shown, and the last page or two.
    expect(live).toBeLessThanOrEqual(200 + 2 * EACH)
    const told = file?.alerts.map(({ title }) => title) ?? []
    expect(told).toHaveLength(200)
    expect(told.slice(0, 2)).toEqual(['alert 1199', 'alert 1198'])
    expect(told.slice(100, 102)).toEqual(['alert 1099', 'alert 1098'])
    expect(file?.timeline).toHaveLength(1)
  })

  test('is written with its timeline entry and its event in one transaction, and read in one query', async () => {
    const client = store.connect()
    const calls = countCalls(client)
    const own = open(client)
    const incident = sampleIncident(NOON)
    const entry = sampleEntry(NOON)
    const event = sampleEvent(incident, NOON)
    await own.create(incident, entry, event)
    expect(calls.names()).toEqual(['TransactWriteItems'])
    calls.reset()
    expect(await own.read(incident.id)).toEqual({ ...incident, alerts: [], timeline: [entry] })
    expect(calls.names()).toEqual(['Query'])
    calls.reset()
    expect(await own.get(incident.id)).toEqual(incident)
    expect(calls.names()).toEqual(['GetItem'])
    const [stored] = await itemsOf(`EVENT#${event.id}`)
    expect(stored).toMatchObject({
      kind: 'incident.created',
      incident_id: incident.id,
      sequence: 1,
      expires_at_s: NOON / 1_000 + 30 * DAY_S,
      body: eventBody(event),
      due_list: 'FAN_OUT',
      due_at: NOON,
    })
  })

  test('that does not exist is undefined, not an error', async () => {
    const id = sampleId('inc', NOON)
    expect(await incidents.get(id)).toBeUndefined()
    expect(await incidents.read(id)).toBeUndefined()
    expect(await incidents.requestInvestigation(id, NOON, sampleEntry(NOON))).toBe(false)
    expect(await incidents.claimInvestigation(id, NOON, NOON + 1)).toBeUndefined()
    expect(await itemsOf(`INCIDENT#${id}`)).toEqual([])
  })

  test('is refused when its id is taken, tells another instant, or it brings a root cause', async () => {
    const incident = await openIncident()
    const entry = sampleEntry(NOON)
    const event = sampleEvent(incident, NOON)
    await expect(incidents.create(incident, entry, event)).rejects.toThrow('exists already')
    const moved = sampleIncident(NOON, { created_at: writeInstant(NOON + 1) })
    await expect(incidents.create(moved, entry, event)).rejects.toThrow(RangeError)
    const vague = sampleIncident(NOON, { created_at: 'noon' })
    await expect(incidents.create(vague, entry, event)).rejects.toThrow('not an instant: noon')
    const solved = sampleIncident(NOON, { root_cause: sampleRootCause() })
    await expect(incidents.create(solved, entry, event)).rejects.toThrow(RangeError)
    expect((await read(incident.id)).timeline).toHaveLength(1)
  })

  test('and all that belongs to it is kept for the same time, counted from its creation', async () => {
    const incident = await openIncident(NOON, { description: 'd'.repeat(4_000) })
    await incidents.requestInvestigation(incident.id, NOON + 5 * DAY_S * 1_000, sampleEntry(NOON + 5))
    const lease = await claim(incident.id, NOON + 6 * DAY_S * 1_000, NOON + 7 * DAY_S * 1_000)
    await incidents.completeInvestigation(lease, sampleRootCause(), sampleEntry(NOON + 9, 'analysed'))
    const items = await itemsOf(`INCIDENT#${incident.id}`)
    expect(items.map(({ sk }) => String(sk).split('#')[0]).sort()).toEqual([
      'DESCRIPTION',
      'INCIDENT',
      'ROOT_CAUSE',
      'TIMELINE',
      'TIMELINE',
      'TIMELINE',
    ])
    for (const item of items) expect(item.expires_at_s).toBe(NOON / 1_000 + 400 * DAY_S)
  })

  test('with a long description shows its beginning in lists and all of it when read', async () => {
    const description = '\u{1f525}'.repeat(4_000)
    const { id } = await openIncident(NOON, { description })
    expect((await read(id)).description).toBe(description)
    const listed = (await incidents.get(id))?.description ?? ''
    expect(listed.endsWith('…')).toBe(true)
    expect(description.startsWith(listed.slice(0, -1))).toBe(true)
    expect(Buffer.byteLength(listed)).toBeLessThanOrEqual(1_024)
  })
})

describe('a change', () => {
  test('is written with what happened and its event, and moves the incident between the lists', async () => {
    const before = await openIncident(NOON + 1_000, { severity: 'low' })
    const at = writeInstant(NOON + 2_000)
    const { incident: after } = changeIncident(before, { status: 'resolved', severity: 'critical' }, at)
    const entries = [
      sampleEntry(NOON + 2_000, 'status_changed'),
      sampleEntry(NOON + 2_000, 'severity_changed'),
    ]
    const event = sampleEvent(after, NOON + 2_000, 2)
    const client = store.connect()
    const calls = countCalls(client)
    expect(await open(client).change(before, after, entries, event)).toBe(true)
    expect(calls.names()).toEqual(['TransactWriteItems'])
    const file = await read(before.id)
    expect(file).toMatchObject({ ...after, analysis: 'pending', root_cause: null })
    expect(await incidents.dueInvestigations(NOON + 2_000, 100)).toContain(before.id)
    expect(file.timeline.map(({ kind }) => kind)).toEqual(['created', 'status_changed', 'severity_changed'])
    expect(await itemsOf(`EVENT#${event.id}`)).toHaveLength(1)
    const page = { limit: 100, after: null }
    const ids = async (filter: IncidentFilter) =>
      (await incidents.list(filter, page)).items.map(({ id }) => id)
    expect(await ids({ status: 'open', severity: 'low' })).not.toContain(before.id)
    expect(await ids({ status: 'resolved', severity: 'critical' })).toContain(before.id)
  })

  test('of what somebody else changed since it was read writes nothing', async () => {
    const before = await openIncident()
    const first = changeIncident(before, { title: 'one' }, writeInstant(NOON + 1)).incident
    const second = changeIncident(before, { title: 'two' }, writeInstant(NOON + 2)).incident
    expect(await incidents.change(before, first, [], null)).toBe(true)
    const event = sampleEvent(second, NOON + 2, 2)
    expect(await incidents.change(before, second, [sampleEntry(NOON + 2, 'title_changed')], event)).toBe(
      false,
    )
    const file = await read(before.id)
    expect(file.title).toBe('one')
    expect(file.timeline).toHaveLength(1)
    expect(await itemsOf(`EVENT#${event.id}`)).toEqual([])
  })

  test('of twenty that begin from the same version exactly one is written', async () => {
    const before = await openIncident()
    const written = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        incidents.change(
          before,
          changeIncident(before, { title: `title ${index}` }, writeInstant(NOON + 1)).incident,
          [sampleEntry(NOON + 1, 'title_changed')],
          null,
        ),
      ),
    )
    expect(written.filter(Boolean)).toHaveLength(1)
    expect((await read(before.id)).timeline).toHaveLength(2)
  })
})

describe('an investigation', () => {
  test('ends with the whole root cause to read and a short one in lists', async () => {
    const { id } = await openIncident(NOON - 3_600_000)
    const lease = await claim(id, NOON, NOON + 60_000)
    expect(lease).toMatchObject({ fence: 1, attempt: 1, incident: { id, analysis: 'running' } })
    const rootCause = sampleRootCause(40, 600)
    const entry = sampleEntry(NOON + 9, 'analysed')
    expect(await incidents.completeInvestigation(lease, rootCause, entry)).toBe(true)
    const file = await read(id)
    expect(file).toMatchObject({ analysis: 'done', status: 'open', updated_at: entry.at })
    expect(file.root_cause).toEqual(rootCause)
    expect(file.timeline.at(-1)).toEqual(entry)
    const listed = (await incidents.get(id))?.root_cause
    expect(listed?.evidence).toHaveLength(3)
    expect(listed?.summary).toBe(rootCause.summary)
    expect(await incidents.dueInvestigations(NOON + 3_600_000, 100)).not.toContain(id)
    expect(await incidents.claimInvestigation(id, NOON + 3_600_000, NOON + 7_200_000)).toBeUndefined()
  })

  test('whose root cause is too large for an item leaves it with the objects', async () => {
    const { id } = await openIncident()
    const rootCause = sampleRootCause(400, 2_000, 'ü')
    await incidents.completeInvestigation(await claim(id, NOON, NOON + 1), rootCause, sampleEntry(NOON))
    expect((await read(id)).root_cause).toEqual(rootCause)
    const [object] = await objects.list(`root-causes/${id}/`)
    expect(object?.bytes).toBeGreaterThan(300_000)
    for (const item of await itemsOf(`INCIDENT#${id}`)) expect(itemBytes(item)).toBeLessThan(8_192)
    await objects.delete(object?.key ?? '')
    const { root_cause: left } = await read(id)
    expect(left?.gaps).toEqual([{ what: 'the root cause in full', why: expect.stringContaining('missing') }])
  })

  test('is due from its opening, is taken once, and is due again when its lease runs out', async () => {
    const { id } = await openIncident(NOON)
    const due = (now: number) => incidents.dueInvestigations(now, 1_000)
    expect(await due(NOON - 1)).not.toContain(id)
    expect(await due(NOON)).toContain(id)
    expect(await incidents.claimInvestigation(id, NOON - 1, NOON + 60_000)).toBeUndefined()
    const first = await claim(id, NOON, NOON + 60_000)
    expect(await due(NOON + 59_999)).not.toContain(id)
    expect(await incidents.claimInvestigation(id, NOON + 59_999, NOON + 99_999)).toBeUndefined()
    expect(await due(NOON + 60_000)).toContain(id)
    const second = await claim(id, NOON + 60_000, NOON + 120_000)
    expect(second).toMatchObject({ fence: 2, attempt: 2 })
    // The first holder is late: what it found does not count any more.
    expect(await incidents.completeInvestigation(first, sampleRootCause(), sampleEntry(NOON))).toBe(false)
    expect(await incidents.failInvestigation(first, null, sampleEntry(NOON))).toBe(false)
    expect(await incidents.completeInvestigation(second, sampleRootCause(), sampleEntry(NOON))).toBe(true)
    expect(await incidents.completeInvestigation(second, sampleRootCause(), sampleEntry(NOON))).toBe(false)
  })

  test('of twenty workers that claim it one gets it', async () => {
    const { id } = await openIncident(NOON)
    const leases = await Promise.all(
      Array.from({ length: 20 }, () => incidents.claimInvestigation(id, NOON, NOON + 1)),
    )
    expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1)
  })

  test('that failed is due again at its time, and after the last try not at all', async () => {
    const { id } = await openIncident(NOON)
    const retry = NOON + 15_000
    expect(
      await incidents.failInvestigation(await claim(id, NOON, NOON + 1), retry, sampleEntry(NOON + 1)),
    ).toBe(true)
    expect((await read(id)).analysis).toBe('pending')
    expect(await incidents.claimInvestigation(id, retry - 1, retry)).toBeUndefined()
    const again = await claim(id, retry, retry + 1)
    expect(again.attempt).toBe(2)
    expect(await incidents.failInvestigation(again, null, sampleEntry(retry))).toBe(true)
    expect((await read(id)).analysis).toBe('failed')
    expect(await incidents.claimInvestigation(id, retry * 2, retry * 3)).toBeUndefined()
  })

  test('that is requested anew is due at once, also while one runs, which then has lost its lease', async () => {
    const { id } = await openIncident(NOON)
    const running = await claim(id, NOON, NOON + 60_000)
    const client = store.connect()
    const calls = countCalls(client)
    const entry = sampleEntry(NOON + 5, 'analysis_requested')
    expect(await open(client).requestInvestigation(id, NOON + 5, entry)).toBe(true)
    expect(calls.names()).toEqual(['TransactWriteItems'])
    expect(await incidents.completeInvestigation(running, sampleRootCause(), sampleEntry(NOON))).toBe(false)
    expect(await read(id)).toMatchObject({ analysis: 'pending', root_cause: null })
    expect((await claim(id, NOON + 5, NOON + 6)).attempt).toBe(1)
    // Twice in a row is no error.
    expect(await incidents.requestInvestigation(id, NOON + 7, sampleEntry(NOON + 7))).toBe(true)
    expect(await incidents.requestInvestigation(id, NOON + 8, sampleEntry(NOON + 8))).toBe(true)
    expect((await read(id)).timeline).toHaveLength(4)
  })

  test('is seen as due in the images that the stream shows of its opening and of a request', async () => {
    const { id } = await openIncident(NOON)
    const image = async () => (await itemsOf(`INCIDENT#${id}`)).find(({ sk }) => sk === 'INCIDENT') ?? null
    const opened = await image()
    expect(dueIncident({ before: null, after: opened })).toBe(id)
    await incidents.requestInvestigation(id, NOON, sampleEntry(NOON))
    const requested = await image()
    expect(dueIncident({ before: opened, after: requested })).toBe(id)
    await claim(id, NOON, NOON + 1)
    expect(dueIncident({ before: requested, after: await image() })).toBeNull()
  })
})

describe('writes that meet trouble', () => {
  const conflict = () =>
    new TransactionCanceledException({
      message: 'conflict',
      $metadata: {},
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    })

  test('are made again while other transactions hold the item', async () => {
    const client = store.connect()
    const faults = failCalls(client)
    const calls = countCalls(client)
    const own = open(client)
    const { id } = await openIncident(NOON)
    for (const number of [1, 2, 3]) faults.failNext(number, conflict())
    expect(await own.requestInvestigation(id, NOON, sampleEntry(NOON))).toBe(true)
    expect(calls.names()).toHaveLength(4)
    faults.failNext(1, new TransactionConflictException({ message: 'conflict', $metadata: {} }))
    expect(await own.claimInvestigation(id, NOON, NOON + 1)).toBeDefined()
  })

  test('are given up, as an error, when the item stays held or the transaction is refused', async () => {
    const client = store.connect()
    const faults = failCalls(client)
    const own = open(client)
    const { id } = await openIncident(NOON)
    for (let number = 1; number <= 10; number += 1) faults.failNext(number, conflict())
    await expect(own.requestInvestigation(id, NOON, sampleEntry(NOON))).rejects.toThrow('conflict')
    for (let number = 1; number <= 10; number += 1)
      faults.failNext(number, new TransactionConflictException({ message: 'held', $metadata: {} }))
    await expect(own.claimInvestigation(id, NOON, NOON + 1)).rejects.toThrow('held')
    faults.failNext(
      1,
      new TransactionCanceledException({
        message: 'refused',
        $metadata: {},
        CancellationReasons: [{ Code: 'ValidationError' }],
      }),
    )
    await expect(own.requestInvestigation(id, NOON, sampleEntry(NOON))).rejects.toThrow('refused')
    faults.failNext(1, new Error('the store is gone'))
    await expect(own.requestInvestigation(id, NOON, sampleEntry(NOON))).rejects.toThrow('gone')
    expect((await read(id)).timeline).toHaveLength(1)
  })

  test('whose answer got lost are not written twice: the SDK repeats them', async () => {
    const client = store.connect()
    let lost = 0
    // Below the SDK's own repetition: the server has written, the answer never comes.
    client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args)
        if (lost > 0) {
          lost -= 1
          throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
        }
        return answer
      },
      { step: 'deserialize', priority: 'high', name: 'loseAnswers' },
    )
    const calls = countCalls(client)
    const own = open(client)
    const incident = sampleIncident(NOON)
    lost = 1
    await own.create(incident, sampleEntry(NOON), sampleEvent(incident, NOON))
    expect(calls.attempts()).toBe(2)
    lost = 1
    expect(await own.claimInvestigation(incident.id, NOON, NOON + 1)).toMatchObject({ fence: 1, attempt: 1 })
    lost = 1
    const after = changeIncident(incident, { title: 'new' }, writeInstant(NOON + 1)).incident
    expect(await own.change({ ...incident, version: 2 }, { ...after, version: 3 }, [], null)).toBe(true)
    expect((await read(incident.id)).version).toBe(3)
  })
})

describe('lists', () => {
  const base = Date.UTC(2025, 5, 1)
  const all: Incident[] = []
  beforeAll(async () => {
    // Several in one millisecond, all statuses and severities at each.
    for (let index = 0; index < 60; index += 1) {
      const at = base + Math.floor(index / 4) * 10
      all.push(
        await openIncident(at, {
          status: INCIDENT_STATUSES[index % 3] ?? 'open',
          severity: SEVERITIES[Math.floor(index / 3) % 4] ?? 'low',
        }),
      )
    }
  })

  /** What a filter means, written a second time. */
  const expected = (filter: IncidentFilter, incidentsKnown: readonly Incident[]) =>
    incidentsKnown
      .filter((incident) => {
        const created = readInstant(incident.created_at) ?? 0
        return (
          (filter.status === undefined || incident.status === filter.status) &&
          (filter.severity === undefined || incident.severity === filter.severity) &&
          (filter.after === undefined || created > filter.after) &&
          (filter.before === undefined || created < filter.before)
        )
      })
      .map(({ id }) => id)
      .sort()
      .reverse()

  /** Only the incidents of this part of the file: the others are of another year. */
  const own = (filter: IncidentFilter): IncidentFilter => ({ before: base + 1_000_000, ...filter })

  test('each of the 80 combinations of filters is one query that reads no item it does not give', async () => {
    const client = store.connect()
    const reads: { Count?: number; ScannedCount?: number }[] = []
    client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args)
        reads.push(answer.output as (typeof reads)[number])
        return answer
      },
      { step: 'initialize', name: 'keepOutputs' },
    )
    const lists = open(client)
    let combinations = 0
    for (const status of [undefined, ...INCIDENT_STATUSES])
      for (const severity of [undefined, ...SEVERITIES])
        for (const after of [undefined, base + 30])
          for (const before of [undefined, base + 110]) {
            combinations += 1
            const filter = { status, severity, after, before: before ?? base + 1_000_000 }
            reads.length = 0
            const { items, next } = await lists.list(filter, { limit: 100, after: null })
            expect(items.map(({ id }) => id)).toEqual(expected(filter, all))
            expect(next).toBeNull()
            expect(reads).toHaveLength(1)
            expect(reads[0]?.ScannedCount).toBe(reads[0]?.Count)
          }
    expect(combinations).toBe(80)
  })

  test('an incident of the very millisecond of a bound is not in the list', async () => {
    const at = base + 50
    const page = { limit: 100, after: null }
    const later = (await incidents.list(own({ after: at }), page)).items
    const earlier = (await incidents.list({ before: at }, page)).items
    const same = all.filter(({ created_at }) => readInstant(created_at) === at)
    expect(same).toHaveLength(4)
    expect(later.length + earlier.length + same.length).toBe(all.length)
    expect((await incidents.list({ after: at - 1, before: at + 1 }, page)).items).toHaveLength(4)
    expect((await incidents.list({ after: at, before: at + 1 }, page)).items).toEqual([])
    expect((await incidents.list({ after: at, before: at }, page)).items).toEqual([])
    expect((await incidents.list({ before: 0 }, page)).items).toEqual([])
  })

  test('pages of any size, over any filter, give each incident once, newest first', async () => {
    const filters = fc.record({
      status: fc.constantFrom(undefined, ...INCIDENT_STATUSES),
      severity: fc.constantFrom(undefined, ...SEVERITIES),
      after: fc.option(fc.integer({ min: base - 5, max: base + 160 }), { nil: undefined }),
      before: fc.integer({ min: base - 5, max: base + 160 }),
    })
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 30 }), async (filter, limit) => {
        const seen: string[] = []
        let after: string | null = null
        do {
          const { items, next } = await incidents.list(filter, { limit, after })
          expect(items.length).toBeLessThanOrEqual(limit)
          // A next page is promised only where there is one.
          if (after !== null) expect(items.length).toBeGreaterThan(0)
          seen.push(...items.map(({ id }) => id))
          after = next
        } while (after !== null)
        expect(seen).toEqual(expected(filter, all))
      }),
      { numRuns: 60 },
    )
  })

  test('while incidents are opened and changed, every one that stays in the list is seen exactly once', async () => {
    let at = Date.UTC(2024, 0, 1)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('open', 'resolve', 'retitle', 'read'), { maxLength: 20 }),
        async (limit, acts) => {
          at += 1_000
          const from = at
          const staying: Incident[] = []
          const openNext = () => {
            at += 1
            return openIncident(at)
          }
          for (let index = 0; index < 6; index += 1) staying.push(await openNext())
          const leaving: Incident[] = []
          for (let index = 0; index < 3; index += 1) leaving.push(await openNext())
          const filter: IncidentFilter = { status: 'open', after: from, before: Date.UTC(2025, 0, 1) }
          const seen: string[] = []
          let after: string | null = null
          let over = false
          const readPage = async () => {
            if (over) return
            const { items, next } = await incidents.list(filter, { limit, after })
            seen.push(...items.map(({ id }) => id))
            after = next
            over = next === null
          }
          for (const act of acts) {
            if (act === 'read') await readPage()
            if (act === 'open') await openNext()
            const leaver = act === 'resolve' ? leaving.pop() : undefined
            if (leaver !== undefined)
              await incidents.change(
                leaver,
                changeIncident(leaver, { status: 'resolved' }, writeInstant(at)).incident,
                [],
                null,
              )
            const stayer = act === 'retitle' ? staying.shift() : undefined
            if (stayer !== undefined) {
              const changed = changeIncident(stayer, { title: `t${at++}` }, writeInstant(at)).incident
              await incidents.change(stayer, changed, [], null)
              staying.push(changed)
            }
          }
          while (!over) await readPage()
          expect(new Set(seen).size).toBe(seen.length)
          expect(seen).toEqual(expect.arrayContaining(staying.map(({ id }) => id)))
          expect(seen).toEqual([...seen].sort().reverse())
        },
      ),
      { numRuns: 15 },
    )
  })

  test('100 incidents with the most evidence fit one page, each item at most 8 KB', async () => {
    const at = Date.UTC(2023, 0, 1)
    const huge = sampleRootCause(40, 2_000, '\u{1f525}')
    const worst = {
      ...huge,
      summary: '\u{1f525}'.repeat(5_000),
      confidence_basis: '\u0000'.repeat(5_000),
      blast_radius: Array.from({ length: 500 }, () => 'ü'.repeat(500)),
      evidence: huge.evidence.map((item) => ({ ...item, link: `https://example.com/${'l'.repeat(9_000)}` })),
      cause: { ...huge.cause, contributing: Array.from({ length: 50 }, () => '\u{1f525}'.repeat(900)) },
    }
    for (let index = 0; index < 100; index += 1) {
      const { id } = await openIncident(at + index, {
        title: '\u{1f525}'.repeat(200),
        service: '\u{1f525}'.repeat(200),
        description: '\u{1f525}'.repeat(4_000),
        status: 'investigating',
        severity: 'critical',
      })
      const lease = await claim(id, at + 100, at + 200)
      expect(await incidents.completeInvestigation(lease, worst, sampleEntry(at))).toBe(true)
    }
    const filter = { before: at + 1_000, status: 'investigating', severity: 'critical' } as const
    const { items, next } = await incidents.list(filter, { limit: 100, after: null })
    expect(items).toHaveLength(100)
    expect(next).toBeNull()
    for (const incident of items) {
      expect(rootCauseShape.safeParse(incident.root_cause).success).toBe(true)
      expect(incident.root_cause?.summary).toMatch(/^\u{1f525}+…$/u)
      expect(incident.root_cause?.evidence.length).toBeGreaterThan(0)
    }
    const { Items } = await store.client.send(
      new ScanCommand({
        TableName: store.names.incidents,
        IndexName: 'by-status-and-severity',
        FilterExpression: 'id < :end',
        ExpressionAttributeValues: { ':end': items[0]?.id },
      }),
    )
    expect(Math.max(...(Items ?? []).map((item) => itemBytes(item)))).toBeLessThanOrEqual(8_192)
  })
})

test('the root cause in lists never takes more than its share, and stays what the contract says it is', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 3_000 })
  fc.assert(
    fc.property(
      fc.array(texts, { maxLength: 40 }),
      texts,
      fc.nat(60),
      fc.nat(6_000),
      (names, summary, pieces, characters) => {
        const full = sampleRootCause(pieces, characters)
        const listed = listedRootCause({
          ...full,
          summary,
          first_failing_service: summary,
          revert_to: summary,
          confidence_basis: summary,
          blast_radius: names,
          cause: { ...full.cause, entity: summary, change: summary, trigger: summary, contributing: names },
          remediation: { ...full.remediation, target: summary, why: summary },
        })
        expect(Buffer.byteLength(listed)).toBeLessThanOrEqual(LISTED_ROOT_CAUSE_BYTES)
        expect(rootCauseShape.safeParse(JSON.parse(listed)).success).toBe(true)
      },
    ),
    { numRuns: 200 },
  )
})

test('random histories of changes, requests, claims and endings follow the rules of version and fence', async () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('wait' as const), by: fc.constantFrom(1, 30, 61) }),
    fc.record({ kind: fc.constant('change' as const), stale: fc.boolean() }),
    fc.record({ kind: fc.constant('request' as const) }),
    fc.record({ kind: fc.constant('claim' as const) }),
    fc.record({ kind: fc.constant('complete' as const), lease: fc.nat(5) }),
    fc.record({
      kind: fc.constant('fail' as const),
      lease: fc.nat(5),
      retry: fc.constantFrom(null, 0, 20),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      let now = NOON
      const incident = await openIncident(now)
      const model = {
        version: 1,
        fence: 0,
        attempt: 0,
        analysis: 'pending' as Incident['analysis'],
        dueAt: now as number | null,
        leaseUntil: 0,
        entries: 1,
        solved: false,
      }
      const leases: Lease[] = []
      for (const step of acts) {
        if (step.kind === 'wait') now += step.by
        if (step.kind === 'change') {
          const current = await incidents.get(incident.id)
          if (current === undefined) throw new Error('it is gone')
          const before = step.stale ? { ...current, version: current.version - 1 } : current
          const { incident: after } = changeIncident(before, { title: `at ${now++}` }, writeInstant(now))
          const written = await incidents.change(before, after, [sampleEntry(now, 'title_changed')], null)
          expect(written).toBe(!step.stale)
          if (written) {
            model.version += 1
            model.entries += 1
          }
        }
        if (step.kind === 'request') {
          expect(await incidents.requestInvestigation(incident.id, now, sampleEntry(now))).toBe(true)
          model.version += 1
          model.fence += 1
          model.entries += 1
          Object.assign(model, { analysis: 'pending', attempt: 0, dueAt: now, leaseUntil: 0 })
        }
        if (step.kind === 'claim') {
          const lease = await incidents.claimInvestigation(incident.id, now, now + 60)
          const may = model.dueAt !== null && model.dueAt <= now && model.leaseUntil <= now
          expect(lease !== undefined).toBe(may)
          if (lease !== undefined) {
            model.version += 1
            model.fence += 1
            model.attempt += 1
            Object.assign(model, { analysis: 'running', dueAt: now + 60, leaseUntil: now + 60 })
            expect(lease).toMatchObject({ fence: model.fence, attempt: model.attempt })
            leases.push(lease)
          }
        }
        const lease = step.kind === 'complete' || step.kind === 'fail' ? leases[step.lease] : undefined
        if (lease !== undefined) {
          const holds = lease.fence === model.fence && model.analysis === 'running'
          if (step.kind === 'complete') {
            const written = await incidents.completeInvestigation(lease, sampleRootCause(), sampleEntry(now))
            expect(written).toBe(holds)
            if (written) Object.assign(model, { analysis: 'done', dueAt: null, solved: true })
          }
          if (step.kind === 'fail') {
            const retry = step.retry === null ? null : now + step.retry
            const written = await incidents.failInvestigation(lease, retry, sampleEntry(now))
            expect(written).toBe(holds)
            if (written)
              Object.assign(model, { analysis: retry === null ? 'failed' : 'pending', dueAt: retry })
          }
          if (holds) {
            model.version += 1
            model.entries += 1
            model.leaseUntil = 0
          }
        }
        const { Item } = await store.client.send(
          new GetCommand({
            TableName: store.names.incidents,
            Key: { pk: `INCIDENT#${incident.id}`, sk: 'INCIDENT' },
          }),
        )
        expect(Item).toMatchObject({
          version: model.version,
          fence: model.fence,
          attempt: model.attempt,
          analysis: model.analysis,
          lease_until: model.leaseUntil,
        })
        expect(Item?.due_at ?? null).toBe(model.dueAt)
        expect(Item?.due_list).toBe(model.dueAt === null ? undefined : 'DUE')
      }
      const file = await read(incident.id)
      expect(file.timeline).toHaveLength(model.entries)
      expect(file.root_cause !== null).toBe(model.solved)
    }),
    { numRuns: 40 },
  )
})
