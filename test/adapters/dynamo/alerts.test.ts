import { DeleteCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { ulid } from 'ulid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256 } from '#shared/adapters/digest.ts'
import { alertStore } from '#shared/adapters/dynamo/alerts.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import type { Alert } from '#shared/domain/alerts/alert.ts'
import { HELD_BACK_MS } from '#shared/domain/alerts/fold-alerts.ts'
import { type SettleActs, settleAlerts, takeAlerts } from '#shared/domain/alerts/take-alerts.ts'
import { amendIncident } from '#shared/domain/amend-incident.ts'
import type { IncidentFile } from '#shared/domain/incident.ts'
import type { IncidentStore } from '#shared/domain/ports.ts'
import { AMPLE, MINUTE, START, alertOf as sampleAlert, WINDOWS } from '#test/domain/alerts/alert-world.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { FAULTS, type FaultLayer, faultLayer, seededRandom, transactions } from '#test/storage/fault-layer.ts'

const noPause = () => Promise.resolve()
const noObjects = {
  put: () => Promise.reject(new Error('nothing here is large')),
  get: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  delete: () => Promise.resolve(),
}
let store: TestStore
let incidents: IncidentStore
/** Transactions under way over all clients: those that overlap conflict, as in the real service. */
const underWay = transactions()
let faults: FaultLayer
let now = START
/** When the tool was asked which of its alerts fire. */
let askedAt: number | undefined
/** Whether messages of tools wait. */
let waits: () => boolean = () => false
let acts: SettleActs
const newId = (prefix: string, at: number) => `${prefix}_${ulid(at)}`

function actsOf(client: TestStore['client'], pause: SettleActs['pause'] = noPause): SettleActs {
  const table = store.names.incidents
  return {
    alerts: alertStore({ client, table, retentionDays: 400, clock: () => now, pause }),
    clock: () => now,
    newId,
    windows: WINDOWS,
    digest: sha256,
    pause,
    random: seededRandom(1),
    askedAt: async () => askedAt,
    waits: async () => waits(),
  }
}

beforeAll(async () => {
  store = await startTestStore()
  const table = store.names.incidents
  incidents = incidentStore({
    client: store.client,
    table,
    objects: noObjects,
    retentionDays: 400,
    pause: noPause,
  })
  const client = store.connect()
  faults = faultLayer(client, underWay)
  acts = actsOf(client)
})
afterAll(() => store.stop())

/** An alert of a service, no other service's. */
const alertOf = (given: NonNullable<Parameters<typeof sampleAlert>[0]>): Alert =>
  sampleAlert({ ...given, fingerprint: `${given.fingerprint ?? 'f1'} of ${given.service}` })
let services = 0
/** A service that no other test knows. */
const newService = (): string => {
  services += 1
  return `service-${services}`
}
const take = async (...alerts: readonly Alert[]): Promise<number> => {
  const errors: unknown[] = []
  const failed = await takeAlerts(
    acts,
    alerts.map((alert, index) => ({ id: String(index), alerts: [alert] })),
    (error) => errors.push(error),
    AMPLE,
  )
  if (failed.size > 0 && faults.met.length === 0) throw errors[0]
  return failed.size
}
const settle = () =>
  settleAlerts(acts, 1_000, (error) => {
    throw error
  })
const over = (service: string, at: number, more: Partial<Parameters<typeof alertOf>[0]> = {}): Alert =>
  alertOf({ service, status: 'resolved', at, ends_at: at, ...more })

/** Every incident of a service, oldest first, whole. */
async function incidentsOf(service: string): Promise<readonly IncidentFile[]> {
  const { items } = await incidents.list({}, { limit: 1_000, after: null })
  const own = items.filter((incident) => incident.service === service).reverse()
  return Promise.all(own.map(async ({ id }) => (await incidents.read(id)) as IncidentFile))
}
/** Kinds of the events of an incident, as receivers get them. */
async function eventsOf(id: string): Promise<readonly string[]> {
  const events: Record<string, unknown>[] = []
  let start: Record<string, unknown> | undefined
  do {
    const page = await store.client.send(
      new ScanCommand({
        TableName: store.names.incidents,
        FilterExpression: 'sk = :event AND incident_id = :id',
        ExpressionAttributeValues: { ':event': 'EVENT', ':id': id },
        ExclusiveStartKey: start,
      }),
    )
    events.push(...(page.Items ?? []))
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return events.sort((a, b) => Number(a.sequence) - Number(b.sequence)).map(({ kind }) => String(kind))
}

describe('an alert', () => {
  it('opens an incident that lists, shows its alert, is due for investigation and raises its event', async () => {
    const service = newService()
    await take(alertOf({ service, labels: { team: 'x' }, url: 'https://example.com/a' }))
    const [incident, ...more] = await incidentsOf(service)
    expect(more).toEqual([])
    expect(incident).toMatchObject({ status: 'open', analysis: 'pending', severity: 'high', service })
    expect(incident?.alerts).toEqual([
      expect.objectContaining({ status: 'firing', labels: { team: 'x' }, url: 'https://example.com/a' }),
    ])
    expect(incident?.timeline.map(({ text }) => text)).toEqual([
      'Incident opened by an alert: Errors above 5 %',
    ])
    expect(await eventsOf(incident?.id ?? '')).toEqual(['incident.created'])
    expect(await incidents.dueInvestigations(now, 1_000)).toContain(incident?.id)
  })

  it('is resolved with its incident after the quiet time, with one event', async () => {
    const service = newService()
    await take(alertOf({ service }))
    await take(over(service, START + 1_000))
    expect((await incidentsOf(service))[0]?.alerts[0]).toMatchObject({
      status: 'resolved',
      ends_at: new Date(START + 1_000).toISOString(),
    })
    await settle()
    expect((await incidentsOf(service))[0]?.status).toBe('open')
    now += WINDOWS.quiet_ms
    await Promise.all([settle(), settle()])
    await settle()
    const [incident] = await incidentsOf(service)
    expect(incident?.status).toBe('resolved')
    expect(await eventsOf(incident?.id ?? '')).toEqual(['incident.created', 'incident.resolved'])
    // Within ten minutes the same trouble opens it again, and it is investigated again.
    const lease = await incidents.claimInvestigation(incident?.id ?? '', now, now + MINUTE)
    await take(alertOf({ service, at: now }))
    const [again] = await incidentsOf(service)
    expect(again).toMatchObject({ id: incident?.id, status: 'investigating', analysis: 'pending' })
    expect(
      await incidents.failInvestigation(lease as never, null, (again as IncidentFile).timeline[0] as never),
    ).toBe(false)
  })

  it('keeps its incident open past the quiet time while messages wait, or nobody can tell, but not for long', async () => {
    const service = newService()
    await take(alertOf({ service, at: now }))
    await take(over(service, now + 1))
    now += WINDOWS.quiet_ms
    waits = () => true
    await settle()
    const errors: unknown[] = []
    waits = () => {
      throw new Error('the queue does not answer')
    }
    await settleAlerts(acts, 1_000, (error) => errors.push(error))
    expect(errors.map(String)).toEqual(['Error: the queue does not answer'])
    expect((await incidentsOf(service))[0]?.status).toBe('open')
    now += HELD_BACK_MS
    waits = () => true
    await settle()
    waits = () => false
    expect((await incidentsOf(service))[0]?.status).toBe('resolved')
  })

  it('is left to the next worker when too little time is left', async () => {
    const [service, errors] = [newService(), [] as unknown[]]
    const given = [{ id: 'm', alerts: [alertOf({ service })] }]
    const left = await takeAlerts(
      acts,
      given,
      (error) => errors.push(error),
      () => 5_000,
    )
    expect([...left, ...errors.map(String)]).toEqual(['m', 'Error: too little time is left'])
    expect(await incidentsOf(service)).toEqual([])
    expect([...(await takeAlerts(acts, given, () => undefined, AMPLE))]).toEqual([])
    expect(await incidentsOf(service)).toHaveLength(1)
  })

  it('ends by silence where its sender repeats what fires', async () => {
    const service = newService()
    await take(alertOf({ service, ending: 'repeats' }))
    now += WINDOWS.repeats_stale_ms
    await settle()
    now += WINDOWS.quiet_ms
    await settle()
    expect((await incidentsOf(service))[0]).toMatchObject({
      status: 'resolved',
      alerts: [{ status: 'resolved' }],
    })
  })

  it('ends by silence with all the others of its incident, however many they are', async () => {
    const service = newService()
    const many = Array.from({ length: 130 }, (_, index) =>
      alertOf({ service, ending: 'repeats', fingerprint: `f${index}` }),
    )
    expect(await take(...many)).toBe(0)
    now += WINDOWS.repeats_stale_ms
    await settle()
    now += WINDOWS.quiet_ms
    await settle()
    const [incident] = await incidentsOf(service)
    expect(incident?.status).toBe('resolved')
    expect(new Set(incident?.alerts.map(({ status }) => status))).toEqual(new Set(['resolved']))
  })

  it('ends by silence only once its tool was asked, where it is asked', async () => {
    const service = newService()
    await take(alertOf({ service, ending: 'repeats', at: now }))
    askedAt = now
    now += WINDOWS.repeats_stale_ms + MINUTE
    await settle()
    expect((await incidentsOf(service))[0]?.alerts[0]?.status).toBe('firing')
    askedAt = now
    now += 10 * MINUTE
    await settle()
    askedAt = undefined
    expect((await incidentsOf(service))[0]?.alerts[0]?.status).toBe('resolved')
  })

  /** What the table drops of an incident whose time is over, all of it or what its alerts show. */
  const expire = async (id: string, isGone: (sk: string) => boolean): Promise<void> => {
    const TableName = store.names.incidents
    const { Items = [] } = await store.client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': itemKeys.incidentPartition(id) },
      }),
    )
    for (const { pk, sk } of Items)
      if (isGone(String(sk))) await store.client.send(new DeleteCommand({ TableName, Key: { pk, sk } }))
  }

  it.each([
    ['its incident', () => true],
    ['what its incident shows of it', (sk: string) => sk.startsWith(itemKeys.incidentAlert('', '').sk)],
  ])('that outlived %s ends, and keeps no other alert of its group waiting', async (_what, isGone) => {
    const service = newService()
    await take(alertOf({ service }), alertOf({ service, fingerprint: 'f2' }))
    const [incident] = await incidentsOf(service)
    await expire(incident?.id ?? '', isGone)
    expect(await take(over(service, now), alertOf({ service, fingerprint: 'f3' }))).toBe(0)
    const ends = ['f2', 'f3'].map((fingerprint) => over(service, now, { fingerprint }))
    expect(await take(...ends)).toBe(0)
    now += WINDOWS.quiet_ms
    await settle()
    expect((await incidentsOf(service)).map(({ status }) => status)).toEqual(['resolved'])
  })

  it('that was only seen to end opens nothing, and is remembered', async () => {
    const service = newService()
    await take(over(service, now))
    expect(await incidentsOf(service)).toEqual([])
    await take(alertOf({ service, at: now - 1_000 }))
    expect((await incidentsOf(service))[0]?.alerts[0]?.status).toBe('resolved')
  })

  it('says that more than two hundred of an incident are there by showing those that fire', async () => {
    const service = newService()
    const many = Array.from({ length: 210 }, (_, index) => alertOf({ service, fingerprint: `many-${index}` }))
    await take(...many)
    await take(over(service, START + 1, { fingerprint: 'many-7' }))
    const [incident] = await incidentsOf(service)
    expect(incident?.alerts).toHaveLength(200)
    expect(incident?.alerts.every(({ status }) => status === 'firing')).toBe(true)
  })
})

describe('alerts with all the labels that are kept', () => {
  it('leave their incident small enough to be answered, and show those that fire', async () => {
    const service = newService()
    const labels = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`${'n'.repeat(297)}${index}`, 'v'.repeat(300)]),
    )
    const many = Array.from({ length: 90 }, (_, index) =>
      alertOf({ service, labels, fingerprint: `f${index}` }),
    )
    expect(await take(...many)).toBe(0)
    expect(await take(over(service, START + 1, { fingerprint: 'f7' }))).toBe(0)
    const [incident] = await incidentsOf(service)
    expect(incident?.alerts.length).toBeGreaterThan(50)
    expect(incident?.alerts.every(({ status }) => status === 'firing')).toBe(true)
    expect(Buffer.byteLength(JSON.stringify(incident))).toBeLessThan(2_100_000)
  })
})

describe('a person who resolves an incident while an alert joins it', () => {
  it('loses neither: the alert opens it again', async () => {
    const service = newService()
    await take(alertOf({ service }))
    const [incident] = await incidentsOf(service)
    const person = { incidents, clock: () => now, newId }
    const { state } = acts.alerts
    let resolved = false
    const disturbed: SettleActs = {
      ...acts,
      alerts: {
        ...acts.alerts,
        // The person comes between what is read and what is written.
        state: async (group) => {
          const read = await state(group)
          if (!resolved)
            await amendIncident(
              person,
              incident?.id ?? '',
              { status: 'resolved' },
              { id: 'p', type: 'admin' },
            )
          resolved = true
          return read
        },
      },
    }
    const alert = alertOf({ service, fingerprint: 'joins', at: now })
    const failed = await takeAlerts(disturbed, [{ id: '1', alerts: [alert] }], () => undefined, AMPLE)
    expect(failed.size).toBe(0)
    const [after] = await incidentsOf(service)
    expect(after?.status).toBe('investigating')
    expect(after?.alerts).toHaveLength(2)
  })
})

describe('alerts that come at once', () => {
  it('make one incident and one event, two of them', async () => {
    const service = newService()
    const alerts = [alertOf({ service }), alertOf({ service, fingerprint: 'f2' })]
    await Promise.all(alerts.map((alert) => take(alert)))
    const all = await incidentsOf(service)
    expect(all).toHaveLength(1)
    expect(all[0]?.alerts).toHaveLength(2)
    expect(await eventsOf(all[0]?.id ?? '')).toEqual(['incident.created'])
  })

  it('make one incident, two thousand of one group, with a transaction for five of them or fewer', async () => {
    const service = newService()
    const alerts = Array.from({ length: 2_000 }, (_, index) =>
      alertOf({ service, fingerprint: `storm-${index}`, severity: index % 7 === 0 ? 'critical' : 'high' }),
    )
    // As many workers at once, and as many messages in a batch, as the queue hands out.
    const WORKERS = 3
    const BATCH = 50
    let tried = 0
    let conflicts = 0
    const workers = Array.from({ length: WORKERS }, () => {
      const client = store.connect()
      const layer = faultLayer(client, underWay)
      client.middlewareStack.add(
        (next, context) => (args) => {
          if (String(context.commandName).startsWith('TransactWrite')) tried += 1
          return next(args)
        },
        { step: 'finalizeRequest', priority: 'high', name: 'countTransactions' },
      )
      const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
      return { acts: { ...actsOf(client, pause), random: Math.random }, layer }
    })
    const batches: Alert[][] = []
    for (let start = 0; start < alerts.length; start += BATCH)
      batches.push(alerts.slice(start, start + BATCH))
    await Promise.all(
      workers.map(async ({ acts: own, layer }) => {
        for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
          const failed = await takeAlerts(
            own,
            batch.map((alert, index) => ({ id: String(index), alerts: [alert] })),
            () => undefined,
            AMPLE,
          )
          // What others keep from being written goes back to the queue, and comes again.
          if (failed.size > 0) batches.push(batch.filter((_, index) => failed.has(String(index))))
        }
        conflicts += layer.met.length
      }),
    )
    const all = await incidentsOf(service)
    expect(all).toHaveLength(1)
    expect(all[0]?.severity).toBe('critical')
    expect(await eventsOf(all[0]?.id ?? '')).toEqual(['incident.created'])
    const members = await acts.alerts.members(all[0]?.id ?? '')
    expect(members).toHaveLength(2_000)
    const { group } = await acts.alerts.state(
      (await acts.alerts.known(members.slice(0, 1))).get(members[0] ?? '')?.group ?? '',
    )
    expect(group?.firing).toBe(2_000)
    console.log(`2,000 alerts: ${tried} transactions tried, ${conflicts} conflicts met`)
    expect(conflicts).toBeGreaterThan(0)
    expect(tried).toBeLessThanOrEqual(2_000 / 5)
  }, 120_000)
})

describe('a worker that dies at any call', () => {
  const whole = async (...alerts: readonly Alert[]) => (await take(...alerts)) === 0

  it.each(FAULTS)('comes to the same when its messages come again: %s', async (fault) => {
    for (let call = 1; call <= 40; call += 1) {
      const service = newService()
      const messages = [
        alertOf({ service, at: now }),
        alertOf({ service, at: now, fingerprint: 'f2', severity: 'critical' }),
        over(service, now + 1_000),
        over(service, now + 1_000, { fingerprint: 'f2' }),
      ]
      faults.at(call, fault)
      let met = 0
      const attempt = async (work: () => Promise<boolean>): Promise<void> => {
        const done = await work().catch(() => false)
        met += faults.met.length
        if (!done) {
          faults.off()
          await work()
        }
      }
      await attempt(() => whole(messages[0] as Alert))
      await attempt(() => whole(messages[1] as Alert, messages[2] as Alert))
      await attempt(() => whole(messages[3] as Alert))
      now += WINDOWS.quiet_ms
      await attempt(async () => (await settle()) >= 0)
      faults.off()
      await settle()
      const all = await incidentsOf(service)
      expect(all, `call ${call}`).toHaveLength(1)
      expect(all[0], `call ${call}`).toMatchObject({ status: 'resolved', severity: 'critical' })
      expect(
        all[0]?.alerts.map(({ status }) => status),
        `call ${call}`,
      ).toEqual(['resolved', 'resolved'])
      expect(await eventsOf(all[0]?.id ?? ''), `call ${call}`).toEqual([
        'incident.created',
        'incident.resolved',
      ])
      now += 2 * WINDOWS.reopen_ms
      if (met === 0) {
        expect(call).toBeGreaterThan(8)
        return
      }
    }
    throw new Error('more than forty calls')
  })
})
