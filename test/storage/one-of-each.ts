import { alertStore } from '#shared/adapters/dynamo/alerts.ts'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { keyAdmission } from '#shared/adapters/dynamo/api-keys.ts'
import { cursorKeys } from '#shared/adapters/dynamo/cursor-keys.ts'
import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import { eventStore } from '#shared/adapters/dynamo/events.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { integrationStore } from '#shared/adapters/dynamo/integrations.ts'
import { queryStore } from '#shared/adapters/dynamo/queries.ts'
import { repeatStore } from '#shared/adapters/dynamo/repeats.ts'
import { signalKeeper } from '#shared/adapters/dynamo/signal-keeper.ts'
import { userAdmission } from '#shared/adapters/dynamo/users.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import type { KnownAlert } from '#shared/domain/alerts/alert-group.ts'
import { newDelivery } from '#shared/domain/delivery.ts'
import { changeIncident, type Incident, type ListedAlert } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { ObjectStore, Sealer, StoredAnswer } from '#shared/domain/ports.ts'
import { spanOf } from '#shared/domain/signals.ts'
import { OBJECTS } from '#shared/names.ts'
import type { TestStore } from './emulator.ts'
import { sampleEntry, sampleEvent, sampleId, sampleIncident, sampleRootCause } from './sample-incidents.ts'

/** Beginning of every text that nobody may see outside of the account. */
export const CANARY = 'canary-secret'
/** Seals nothing: what is left out for being sealed would be readable here. */
export const openSealer: Sealer = {
  seal: async (context, bytes) => `${context}:${Buffer.from(bytes).toString('utf8')}`,
  open: async (context, sealed) => Buffer.from(sealed.slice(context.length + 1)),
}
const noPause = () => Promise.resolve()
const RETENTION_DAYS = 400
const HOUR_MS = 3_600_000

/** What was written, by the ids that it is found by. */
export interface OneOfEach {
  readonly incident: string
  readonly query: string
  readonly largeQuery: string
  readonly webhook: string
  readonly integration: string
  readonly key: string
  readonly keyValue: string
}

const answerOf = (id: string, at: number, answer: string): StoredAnswer => ({
  id,
  query: 'Why does checkout fail?',
  answer,
  evidence: [],
  confidence: 0.5,
  timestamp: writeInstant(at),
  outcome: 'inconclusive',
  hypotheses: [],
  ruled_out: [],
  gaps: [],
  understood: { intent: 'why', service: 'checkout', window: null, carried_over: [] },
  snapshot_digest: null,
})

/**
 * Writes one of everything that the service stores, by the code that stores it: an incident of an alert, analysed and
 * resolved, with its events, deliveries and attempts; questions with small and large answers; a tool, a subscription, keys.
 * @param at the instant (ms) at which all of it happens
 */
export async function writeOneOfEach(
  { client, names }: Pick<TestStore, 'client' | 'names'>,
  objects: ObjectStore,
  at: number,
): Promise<OneOfEach> {
  const kept = { client, objects, retentionDays: RETENTION_DAYS, pause: noPause }
  const incidents = incidentStore({ ...kept, table: names.incidents })
  const deliveries = deliveryStore(client, names.webhooks, noPause)

  const webhook = sampleId('wh', at - HOUR_MS)
  const webhooks = webhookStore({ client, table: names.webhooks, sealer: openSealer, pause: noPause })
  const before = writeInstant(at - HOUR_MS)
  const subscription = {
    id: webhook,
    url: 'https://receiver.example/hook',
    events: ['incident.created', 'incident.resolved'] as const,
    status: 'enabled' as const,
    disabled_reason: null,
    created_at: before,
    updated_at: before,
    version: 1,
  }
  await webhooks.create(subscription, `${CANARY}-of-webhook`, 100)
  await webhooks.rotateSecret(
    subscription,
    { ...subscription, version: 2 },
    `${CANARY}-of-webhook-2`,
    at + HOUR_MS,
  )
  await webhooks.countFailure(webhook, at)

  const integration = sampleId('prometheus', at)
  await integrationStore({ client, table: names.integrations, sealer: openSealer, pause: noPause }).create(
    {
      id: integration,
      type: 'prometheus',
      status: 'connected',
      status_detail: null,
      config: { base_url: 'https://prometheus.example', has_bearer_token: true },
      created_at: writeInstant(at),
      updated_at: writeInstant(at),
      connected_at: writeInstant(at),
      version: 1,
    },
    { base_url: 'https://prometheus.example', bearer_token: `${CANARY}-of-tool` },
    100,
    { token: `${CANARY}-of-intake`, secret: null },
  )

  const opened: Incident = sampleIncident(at, { description: 'd'.repeat(3_000) })
  const listed: ListedAlert = {
    integration_id: integration,
    title: 'CheckoutErrors',
    description: null,
    severity: 'high',
    status: 'firing',
    service: 'checkout',
    labels: { team: 'shop' },
    starts_at: writeInstant(at),
    ends_at: null,
    url: null,
  }
  const alert: KnownAlert = {
    key: 'a'.repeat(64),
    integration_id: null,
    group: 'b'.repeat(64),
    incident_id: opened.id,
    fired_at: at,
    resolved_at: null,
    severity: 'high',
    ending: 'tells',
    seen_at: at,
    stale: false,
    rev: 1,
  }
  const created = sampleEvent(opened, at)
  const folded = await alertStore({
    client,
    table: names.incidents,
    retentionDays: RETENTION_DAYS,
    clock: () => at,
    pause: noPause,
  }).write({
    before: undefined,
    after: {
      key: alert.group,
      incident_id: opened.id,
      firing: 1,
      quiet_until: null,
      stale_at: at + HOUR_MS,
      version: 1,
    },
    alerts: [{ before: undefined, after: alert, shown: { how: 'anew', alert: listed } }],
    incident: { how: 'opened', incident: opened, entry: sampleEntry(at), event: created },
  })
  if (!folded) throw new Error('the alert was not written')

  const lease = await incidents.claimInvestigation(opened.id, at, at + HOUR_MS)
  if (lease === undefined) throw new Error('the investigation was not due')
  // Large enough for an object of its own.
  await incidents.completeInvestigation(lease, sampleRootCause(40, 5_000), sampleEntry(at + 1, 'analysed'))
  await objects.put(`${OBJECTS.snapshots}${opened.id}/${'f'.repeat(64)}`, Buffer.from('a snapshot'))
  const analysed = await incidents.get(opened.id)
  if (analysed === undefined) throw new Error('the incident is not there')
  const resolved = changeIncident(analysed, { status: 'resolved' }, writeInstant(at + 2)).incident
  await incidents.change(
    analysed,
    resolved,
    [sampleEntry(at + 2, 'status_changed')],
    sampleEvent(resolved, at + 2, 2),
  )

  // What was created is delivered; what was resolved waits to be fanned out.
  const id = deliveries.idOf(created.id, webhook)
  const about = { event_id: created.id, event_kind: created.kind, incident_id: opened.id }
  await deliveries.add(newDelivery(id, webhook, about, at))
  const claimed = await deliveries.claim({ id, webhook_id: webhook } as never, at, at + HOUR_MS)
  if (claimed === undefined) throw new Error('the delivery was not due')
  await deliveries.commit(
    claimed,
    { ...claimed, status: 'delivered', attempts: 1, updated_at: at },
    { number: 1, at, duration_ms: 5, status: 200, error: null, response: 'ok' },
  )
  await eventStore(client, names.incidents, noPause).markFannedOut(created.id)
  await deliveries.beginRecovery(
    { id: sampleId('rec', at), webhook_id: webhook, since: at, after: null, resent: 0 },
    at,
  )
  await deliveries.noteLateness(at, 10)

  const [query, largeQuery] = [sampleId('query', at), sampleId('query', at)]
  const queries = queryStore({ ...kept, table: names.queries })
  await queries.put(answerOf(query, at, `It is ${opened.id}.`))
  await queries.put(answerOf(largeQuery, at, 'x'.repeat(400_000)))
  await objects.put(`${OBJECTS.snapshots}${query}/${'e'.repeat(64)}`, Buffer.from('a snapshot'))

  const records = {
    logs: [{ timestamp: writeInstant(at), service: 'checkout', severity: 'error', message: 'refused' }],
  } as never
  const span = spanOf(records)
  if (span === null) throw new Error('the batch tells of no time')
  await signalKeeper(client, names.signals).keep({ records, span }, at)

  const key = sampleId('key', at)
  const keys = keyAdmin(client, names.keys, noPause)
  const [value, next] = [keyHash(`${CANARY}-key`), keyHash(`${CANARY}-next-key`)]
  await keys.create(
    {
      id: key,
      name: 'status page',
      type: 'admin',
      plan: 'standard',
      prefix: 'iis_adm_',
      last4: 'abcd',
      created_by: 'ann',
      created_at: writeInstant(at),
      expires_at: writeInstant(at + 1_000 * HOUR_MS),
      last_used_at: null,
      revoked_at: null,
    },
    value,
    100,
  )
  await keyAdmission(client, names.keys).admit(value, at)
  await keys.rotate(key, at + 1, () => ({
    hash: next,
    display: { prefix: 'iis_adm_', last4: 'efgh' },
    previousUntil: at + HOUR_MS,
    by: 'ann',
  }))
  await userAdmission(client, names.keys).admit(
    { id: 'user_ann', name: 'ann', group: 'admin', issued_at: at - 1_000 },
    at,
  )

  for (const table of ['incidents', 'webhooks', 'integrations', 'keys', 'queries', 'signals'] as const) {
    const sort = table !== 'keys' && table !== 'queries'
    const records_ = repeatStore({ client, table: names[table], sort, pause: noPause })
    const request = { caller: 'key_1', route: table, key: `${CANARY}-${table}`, says: { a: 1 } }
    const begun = await records_.begin(request, 201, at, at + HOUR_MS)
    if (!('claim' in begun)) throw new Error('the request was sent before')
    await records_.finish(begun.claim, table === 'incidents' ? opened.id : 'a resource', '{}')
    if (table === 'queries' || table === 'signals') continue
    await cursorKeys({
      client,
      table: names[table],
      sort,
      sealer: openSealer,
      clock: () => at,
      pause: noPause,
    }).current()
  }
  return { incident: opened.id, query, largeQuery, webhook, integration, key, keyValue: value }
}
