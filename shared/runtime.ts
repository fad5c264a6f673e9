import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import packageJson from '../package.json' with { type: 'json' }
import { folderBundle } from './adapters/bundle/bundle-files.ts'
import { objectBundle } from './adapters/bundle/object-bundle.ts'
import { packSnapshot, unpackSnapshot, unpackWindow } from './adapters/bundle/write-bundle.ts'
import { consoleAssets } from './adapters/console-assets.ts'
import { consolePage } from './adapters/console-page.ts'
import { sha256 } from './adapters/digest.ts'
import { alertStore } from './adapters/dynamo/alerts.ts'
import { keyAdmin } from './adapters/dynamo/api-key-admin.ts'
import { keyAdmission } from './adapters/dynamo/api-keys.ts'
import { cursorKeys } from './adapters/dynamo/cursor-keys.ts'
import { deliveryStore } from './adapters/dynamo/deliveries.ts'
import { documentClient } from './adapters/dynamo/document-client.ts'
import { eventStore } from './adapters/dynamo/events.ts'
import { incidentReader } from './adapters/dynamo/incident-reader.ts'
import { incidentStore } from './adapters/dynamo/incidents.ts'
import { integrationStore } from './adapters/dynamo/integrations.ts'
import { queryStore } from './adapters/dynamo/queries.ts'
import { repeatStore } from './adapters/dynamo/repeats.ts'
import { signalKeeper } from './adapters/dynamo/signal-keeper.ts'
import { signalReader } from './adapters/dynamo/signal-reader.ts'
import { userAdmission } from './adapters/dynamo/users.ts'
import { webhookStore } from './adapters/dynamo/webhooks.ts'
import { given, givenNumbers } from './adapters/environment.ts'
import { hmacSign } from './adapters/hmac-sign.ts'
import { allowedNetworks, localRules, strictRules } from './adapters/http/address-rules.ts'
import { checkAddress } from './adapters/http/check-address.ts'
import { guardedRequest } from './adapters/http/guarded-request.ts'
import { postWebhook } from './adapters/http/post-webhook.ts'
import { senderGate } from './adapters/intake/sender-gate.ts'
import { verifySns } from './adapters/intake/verify-sns.ts'
import { keyHash } from './adapters/key-hash.ts'
import { idMaker } from './adapters/new-id.ts'
import { folderObjects } from './adapters/objects/folder-objects.ts'
import { objectsAtUse } from './adapters/objects/objects-at-use.ts'
import { s3Client, s3Objects } from './adapters/objects/s3-objects.ts'
import { type SentBodies, sentBodies } from './adapters/objects/sent-bodies.ts'
import { snapshotStore } from './adapters/objects/snapshots.ts'
import { keyFileSealer } from './adapters/seal/key-file-sealer.ts'
import { kmsClient, kmsSealer } from './adapters/seal/kms-sealer.ts'
import { messageQueue, messagesWait, openAlertMessage, readAwsEvent } from './adapters/sqs/alert-messages.ts'
import { deliveryDoorbell } from './adapters/sqs/delivery-doorbell.ts'
import { queueDoorbell, sqsClient } from './adapters/sqs/doorbell.ts'
import { awsEndpoint } from './adapters/tools/aws-access.ts'
import { toolOfType } from './adapters/tools/tool-of-type.ts'
import { allIntegrations, sharesOf } from './domain/alerts/aws-events.ts'
import type { AlertWindows } from './domain/alerts/fold-alerts.ts'
import { type AlertActs, type SettleActs, takeAlerts } from './domain/alerts/take-alerts.ts'
import type { MessageActs } from './domain/alerts/take-message.ts'
import type { QuestionActs } from './domain/answer-question.ts'
import { readKey } from './domain/api-key.ts'
import type { ChartActs } from './domain/chart-incident.ts'
import type { CheckActs } from './domain/check-integrations.ts'
import type { IntegrationActs } from './domain/connect-integration.ts'
import type { KeyActs } from './domain/create-key.ts'
import { type DeliveryActs, deliverWebhook } from './domain/deliver-webhook.ts'
import { deliverySlots } from './domain/delivery-slots.ts'
import { invalidField } from './domain/errors.ts'
import type { FanOutActs } from './domain/fan-out.ts'
import type { IntegrationConfig, Tool } from './domain/integration.ts'
import { readLengths } from './domain/investigation/records/windows.ts'
import type { IncidentActs } from './domain/open-incident.ts'
import type { PingActs } from './domain/ping-webhook.ts'
import type {
  Clock,
  IncidentRecords,
  IntegrationRecords,
  KeyGate,
  ObjectStore,
  Sealer,
  VerifiedMessage,
  WebhookRecords,
} from './domain/ports.ts'
import { keepSignals, type SignalActs } from './domain/push-signals.ts'
import { latenessNotes } from './domain/queue-lateness.ts'
import {
  type RecoveryActs,
  type RecoveryRequestActs,
  recoverDeliveries,
} from './domain/recover-deliveries.ts'
import type { RedeliveryActs } from './domain/redeliver.ts'
import type { Claim } from './domain/repeat.ts'
import type { RotationActs } from './domain/rotate-secret.ts'
import type { InvestigationActs } from './domain/run-investigation.ts'
import type { WebhookActs } from './domain/subscribe-webhook.ts'
import type { SweepActs } from './domain/sweep-deliveries.ts'
import type { InvestigationSweepActs } from './domain/sweep-investigations.ts'
import type { IncidentVerificationActs, QueryVerificationActs } from './domain/verify-evidence.ts'
import type { DisabledReason } from './domain/webhook.ts'
import type { AlertWork } from './edge/alert-worker.ts'
import { ENV, OBJECTS, TABLES } from './names.ts'

/** Made at the first use and kept for the life of the process. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export const version = packageJson.version
export const clock: Clock = Date.now
export const newId = /* @__PURE__ */ idMaker()
const abortAfter = (milliseconds: number) => AbortSignal.timeout(milliseconds)

/** The one client of the tables. */
export const documents = /* @__PURE__ */ once(() => documentClient())

/** The one client of the queues. */
export const queues = /* @__PURE__ */ once(() => sqsClient())
/** The one client of the key that seals. */
export const keyService = /* @__PURE__ */ once(() => kmsClient())
/** The one client of the bucket, for functions that write to it at every request. */
export const bucketClient = /* @__PURE__ */ once(() => s3Client())

/** Functions have no right to list the bucket beyond its bundles. */
const AS_FUNCTION = { mayList: false }

/** The bucket, for functions that write to it at every request. */
const objects = /* @__PURE__ */ once((): ObjectStore => {
  const folder = process.env[ENV.objectsFolder]
  return folder === undefined
    ? s3Objects(bucketClient(), given(ENV.bucket), AS_FUNCTION)
    : folderObjects(folder)
})

/** The bucket, for functions that read a root cause or an answer from it when one was too large for an item. */
const rareObjects = /* @__PURE__ */ once(() =>
  objectsAtUse(async () => {
    const folder = process.env[ENV.objectsFolder]
    if (folder !== undefined) {
      const file = await import('./adapters/objects/folder-objects.ts')
      return file.folderObjects(folder)
    }
    const s3 = await import('./adapters/objects/s3-objects.ts')
    return s3.s3Objects(s3.s3Client(), given(ENV.bucket), AS_FUNCTION)
  }),
)

/** Stands in for what a function has no use for, so that its bundle leaves it out; the types keep it unused. */
const unused = (what: string) => (): never => {
  throw new Error(`this function was made without ${what}`)
}
const noObjects: ObjectStore = {
  put: /* @__PURE__ */ unused('objects'),
  get: /* @__PURE__ */ unused('objects'),
  list: /* @__PURE__ */ unused('objects'),
  delete: /* @__PURE__ */ unused('objects'),
}
const noSealer: Sealer = { seal: /* @__PURE__ */ unused('secrets'), open: /* @__PURE__ */ unused('secrets') }

const sealer = /* @__PURE__ */ once((): Sealer => {
  const file = process.env[ENV.sealKeyFile]
  return file === undefined ? kmsSealer(keyService, given(ENV.sealKeyId), clock) : keyFileSealer(file)
})

function retentionDays(): number {
  const [days] = givenNumbers(ENV.retentionDays, ['days'])
  return days
}

/** Verifies access tokens, for functions that meet one: a process that serves keys alone never loads it. */
const verifyToken = /* @__PURE__ */ once(async () => {
  const { tokenVerifier } = await import('./adapters/sign-in/verify-token.ts')
  return tokenVerifier({ issuer: given(ENV.signInIssuer), clientId: given(ENV.signInClient) }, clock)
})

export const gate = /* @__PURE__ */ once((): KeyGate => {
  const admission = keyAdmission(documents(), given(ENV.keysTable))
  const users = userAdmission(documents(), given(ENV.keysTable))
  // The chain asks several times about one key: it is hashed once.
  let last = { key: '', hash: '' }
  const hashOf = (key: string): string => {
    if (last.key !== key) last = { key, hash: keyHash(key) }
    return last.hash
  }
  return {
    seen: (credential) => readKey(credential) !== null && admission.seen(hashOf(credential)),
    admit: async (credential, now) => {
      if (readKey(credential) === null) {
        const user = await (await verifyToken())(credential)
        return user === null ? { outcome: 'unknown' } : users.admit(user, now)
      }
      const admitted = await admission.admit(hashOf(credential), now)
      return admitted.outcome === 'admitted'
        ? {
            outcome: 'admitted',
            caller: { id: admitted.key.id, type: admitted.key.type },
            rate: admitted.rate,
          }
        : admitted
    },
  }
})

/** What every endpoint's chain needs. */
export const keeping = { gate, clock }

/** What an operation's chain needs that anyone may call. */
export const keepingNobodyOut = { gate: /* @__PURE__ */ unused('keys'), clock }

const consoleAsset = /* @__PURE__ */ once(() => consoleAssets(given(ENV.consoleFolder)))
/** What serves the console's files. */
export const consoleHousing = {
  page: /* @__PURE__ */ once(() => consolePage(given(ENV.consoleFolder))),
  asset: (name: string) => consoleAsset()(name),
  signIn: () => ({
    address: given(ENV.signInAddress),
    issuer: given(ENV.signInIssuer),
    clientId: given(ENV.signInClient),
  }),
  clock,
}

/** The records of requests that may be sent again, beside what they make. */
const repeatsIn = (table: 'incidents' | 'integrations' | 'keys' | 'webhooks' | 'queries' | 'signals') => ({
  records: once(() =>
    repeatStore({ client: documents(), table: given(TABLES[table].env), sort: TABLES[table].sort }),
  ),
  clock,
})
export const incidentRepeats = /* @__PURE__ */ repeatsIn('incidents')
export const integrationRepeats = /* @__PURE__ */ repeatsIn('integrations')
export const webhookRepeats = /* @__PURE__ */ repeatsIn('webhooks')
export const keyRepeats = /* @__PURE__ */ repeatsIn('keys')
export const queryRepeats = /* @__PURE__ */ repeatsIn('queries')
export const signalRepeats = /* @__PURE__ */ repeatsIn('signals')

const incidentsWith = (kept: ObjectStore, claim?: Claim) =>
  incidentStore({
    claim,
    client: documents(),
    table: given(ENV.incidentsTable),
    objects: kept,
    retentionDays: retentionDays(),
  })
/** Incidents with their root causes in full. */
export const incidents = /* @__PURE__ */ once(() => incidentsWith(rareObjects()))
/** Incidents as lists show them: all that opening, changing and listing needs. */
export const incidentRecords = /* @__PURE__ */ once((): IncidentRecords => incidentsWith(noObjects))

const integrationsWith = (seals: Sealer, claim?: Claim) =>
  integrationStore({ claim, client: documents(), table: given(ENV.integrationsTable), sealer: seals })
/** Integrations with their settings opened. */
export const integrations = /* @__PURE__ */ once(() => integrationsWith(sealer()))
/** What the chain of the operation needs that takes in what tools send. */
export const keepingSenders = {
  gate: /* @__PURE__ */ unused('keys'),
  clock,
  senders: /* @__PURE__ */ once(() => senderGate(integrations(), verifySns(guardedRequest(rules())))),
}
/** Integrations without their settings. */
export const integrationRecords = /* @__PURE__ */ once((): IntegrationRecords => integrationsWith(noSealer))

const webhooksWith = (seals: Sealer, claim?: Claim) =>
  webhookStore({ claim, client: documents(), table: given(ENV.webhooksTable), sealer: seals })
/** Subscriptions with their secrets. */
export const webhooks = /* @__PURE__ */ once(() => webhooksWith(sealer()))
/** Subscriptions without their secrets. */
export const webhookRecords = /* @__PURE__ */ once((): WebhookRecords => webhooksWith(noSealer))

const queriesWith = (kept: ObjectStore, claim?: Claim) =>
  queryStore({
    claim,
    client: documents(),
    table: given(ENV.queriesTable),
    objects: kept,
    retentionDays: retentionDays(),
  })
export const queries = /* @__PURE__ */ once(() => queriesWith(rareObjects()))
const snapshotsWith = (kept: ObjectStore) =>
  snapshotStore(kept, { pack: packSnapshot, unpack: unpackSnapshot, unpackWindow })
const snapshots = /* @__PURE__ */ once(() => snapshotsWith(objects()))
const cursors = (table: 'incidents' | 'integrations' | 'keys' | 'webhooks') =>
  once(() => {
    const { env, sort } = TABLES[table]
    return cursorKeys({ client: documents(), table: given(env), sort, sealer: sealer(), clock })
  })
export const incidentCursors = /* @__PURE__ */ cursors('incidents')
export const integrationCursors = /* @__PURE__ */ cursors('integrations')
export const webhookCursors = /* @__PURE__ */ cursors('webhooks')
export const keyCursors = /* @__PURE__ */ cursors('keys')
export const doorbell = /* @__PURE__ */ once(() => queueDoorbell(queues(), given(ENV.investigationsQueueUrl)))

/** Which addresses may be called: public https ones, and in the local runner also http and this machine. */
const rules = (ownHosts: readonly string[] = []) =>
  process.env[ENV.egress] === 'local' ? localRules(ownHosts) : strictRules(ownHosts)

/**
 * The same for tools, which may also be in the private networks that the settings open. Receivers of webhooks may not:
 * whoever subscribes would otherwise reach into them.
 */
const toolRules = () => {
  const given = process.env[ENV.allowedNetworks]
  const networks = allowedNetworks(given === undefined || given === '' ? [] : given.split(','))
  return process.env[ENV.egress] === 'local' ? localRules([], networks) : strictRules([], networks)
}

/** The files that the settings of a bundle integration name, where this service runs. */
const openBundleIn = (kept: () => ObjectStore) => async (config: IntegrationConfig) => {
  const folder = process.env[ENV.bundlesFolder]
  const [field, other] = folder === undefined ? (['prefix', 'path'] as const) : (['path', 'prefix'] as const)
  if (config[other] !== undefined) {
    throw invalidField(`config.${other}`, `is of no use here: name the bundle by config.${field}`)
  }
  const name = config[field]
  if (typeof name !== 'string') throw invalidField(`config.${field}`, 'is required')
  return folder === undefined ? objectBundle(kept(), OBJECTS.bundles, name) : folderBundle(folder, name)
}

const toolsWith = (kept: () => ObjectStore) =>
  toolOfType({
    request: guardedRequest(toolRules()),
    now: clock,
    openBundle: openBundleIn(kept),
    aws: {
      // Lambda puts new ones into the environment of a new process only; a process does not outlive them.
      credentials: () => ({
        accessKeyId: given('AWS_ACCESS_KEY_ID'),
        secretAccessKey: given('AWS_SECRET_ACCESS_KEY'),
        sessionToken: process.env.AWS_SESSION_TOKEN,
      }),
      issuer: process.env[ENV.sealKeyId] ?? 'local',
      endpoint: awsEndpoint,
    },
  })
const allTools = /* @__PURE__ */ once(() => toolsWith(objects))
/** The tools by type, where the bucket is written to at every request. */
const tools = (type: string): Tool | undefined => allTools()(type)
const checkedTools = /* @__PURE__ */ once(() => toolsWith(rareObjects))
/** The same where it is only read, and only by a tool that is a folder of it. */
const toolsToCheck = (type: string): Tool | undefined => checkedTools()(type)

/** The API keys, for the functions that people manage them by. @param claim of the request that is done */
export const keysOf = (claim?: Claim) => keyAdmin(documents(), given(ENV.keysTable), undefined, claim)
/** @param claim of the request that is done; its instant is that of the key */
export const keyActs = (claim?: Claim): KeyActs => ({
  keys: keysOf(claim),
  clock: claim === undefined ? clock : () => claim.at,
  newId,
  random: (bytes) => randomBytes(bytes),
  hash: keyHash,
})

/** @param claim of the request that is done */
export const incidentActs = (claim?: Claim): IncidentActs => ({
  incidents: claim === undefined ? incidentRecords() : incidentsWith(noObjects, claim),
  clock,
  newId,
})
/** @param claim of the request that is done */
export const integrationActs = (claim?: Claim): IntegrationActs => ({
  integrations: claim === undefined ? integrations() : integrationsWith(sealer(), claim),
  tools: toolsToCheck,
  clock,
  newId,
  abortAfter,
  random: (bytes) => randomBytes(bytes),
})
/** @param claim of the request that is done */
export const webhookActs = (claim?: Claim): WebhookActs => ({
  webhooks: claim === undefined ? webhooks() : webhooksWith(sealer(), claim),
  clock,
  newId,
  checkAddress: (url, field, ownHost) => checkAddress(url, rules(ownHost === '' ? [] : [ownHost]), field),
})
const collecting = () => ({
  integrations: integrations(),
  tools,
  signals: signalReader(documents(), given(ENV.signalsTable)),
  abortAfter,
  windows: readLengths(process.env[ENV.windows]),
  snapshots: snapshots(),
  clock,
  newId,
})
/** @param claim of the request that is done */
export const questionActs = (claim?: Claim): QuestionActs => ({
  ...collecting(),
  incidents: incidentReader({ client: documents(), table: given(ENV.incidentsTable) }),
  queries: queriesWith(objects(), claim),
})

/** A message of a tool that it was asked for. */
const ownMessage = (integration_id: string, body: object, received_at: number): VerifiedMessage => ({
  integration_id,
  config: {},
  headers: {},
  received_at,
  body: Buffer.from(JSON.stringify(body)),
})
const putOwn = (message: VerifiedMessage) => messageQueue(queues(), given(ENV.alertsQueueUrl)).put(message)

/** What checks the integrations on their schedule. */
export const checkActs = (): CheckActs => ({
  integrations: integrations(),
  tools: toolsToCheck,
  clock,
  random: Math.random,
  abortAfter,
  confirm: (integration_id, body, at) => putOwn({ ...ownMessage(integration_id, body, at), confirms: true }),
  makeUp: (integration_id, body, at) => putOwn(ownMessage(integration_id, body, at)),
})
export const signalActs = (): SignalActs => ({
  signals: signalKeeper(documents(), given(ENV.signalsTable)),
  clock,
})
/** What evaluates the evidence of an answer again: it writes nothing. */
export const queryVerificationActs = (): QueryVerificationActs => ({
  ...collecting(),
  incidents: incidentReader({ client: documents(), table: given(ENV.incidentsTable) }),
  queries: queriesWith(objects()),
})
/** What evaluates the evidence of a root cause again: it writes nothing. */
export const incidentVerificationActs = (): IncidentVerificationActs => ({
  ...collecting(),
  incidents: incidentsWith(objects()),
})

/** What draws an incident: it asks no tool. */
export const chartActs = /* @__PURE__ */ once(
  (): ChartActs => ({ incidents: incidents(), snapshots: snapshotsWith(rareObjects()) }),
)

/** The windows of alerts, which the deployment gives in seconds. */
function alertWindows(): AlertWindows {
  const [quiet, reopen, repeats, silent] = givenNumbers(ENV.alertWindows, [
    'seconds of quiet',
    'of reopening',
    'of silence of who repeats',
    'of silence of who never tells the end',
  ])
  return {
    quiet_ms: quiet * 1_000,
    reopen_ms: reopen * 1_000,
    repeats_stale_ms: repeats * 1_000,
    silent_stale_ms: silent * 1_000,
  }
}

/** What makes incidents of alerts. */
export const alertActs = /* @__PURE__ */ once(
  (): AlertActs => ({
    alerts: alertStore({
      client: documents(),
      table: given(ENV.incidentsTable),
      retentionDays: retentionDays(),
      clock,
    }),
    clock,
    newId,
    windows: alertWindows(),
    digest: sha256,
    pause: (milliseconds) => wait(milliseconds),
    random: Math.random,
    askedAt: (id) => integrationRecords().askedAt(id),
  }),
)
/** What ends incidents whose alerts are over. */
export const settleActs = (): SettleActs => ({
  ...alertActs(),
  waits: () => messagesWait(queues(), given(ENV.alertsQueueUrl)),
})
/** What rings again for investigations, and ends incidents whose alerts are over. */
export const investigationSweepActs = (): InvestigationSweepActs => ({
  settling: settleActs(),
  incidents: incidentRecords(),
  doorbell: doorbell(),
})
/** What puts what tools send where it waits. */
export const messageActs = /* @__PURE__ */ once(
  (): MessageActs => ({
    messages: messageQueue(queues(), given(ENV.alertsQueueUrl), { bodies: largeBodies() }),
    clock,
  }),
)
/** Where those bodies of tools are that no message of the queue holds. */
export const largeBodies = (): SentBodies => sentBodies(rareObjects(), () => newId('body', clock()))
/** What takes in what tools send. */
export const alertWork = (): AlertWork => ({
  reader: () => {
    let all: ReturnType<typeof allIntegrations> | undefined
    return async (text) => {
      const event = readAwsEvent(text)
      if (event === null) {
        const { sent, letGo } = await openAlertMessage(text, largeBodies())
        return { sent: sent === null ? [] : [sent], letGo }
      }
      all ??= allIntegrations(integrationRecords())
      return { sent: sharesOf(event, await all) }
    }
  },
  take: (messages, report, remaining) => takeAlerts(alertActs(), messages, report, remaining),
  keep: (signals) => keepSignals(signalActs(), signals),
})

const events = /* @__PURE__ */ once(() => eventStore(documents(), given(ENV.incidentsTable)))
const deliveriesWith = (claim?: Claim) =>
  deliveryStore(documents(), given(ENV.webhooksTable), undefined, claim)
export const deliveries = /* @__PURE__ */ once(() => deliveriesWith())
const deliveryBell = /* @__PURE__ */ once(() =>
  deliveryDoorbell(queues(), given(ENV.deliveriesQueueUrl), clock),
)
const sign = /* @__PURE__ */ once(() => hmacSign())
const slots = /* @__PURE__ */ once(() => deliverySlots())
const post = /* @__PURE__ */ once(() =>
  postWebhook(guardedRequest(rules()), `incident-investigator/${version}`),
)
const late = /* @__PURE__ */ once(() => latenessNotes(deliveries(), clock))

export const pingActs = (): PingActs => ({ webhooks: webhooks(), post: post(), sign: sign(), clock, newId })
export const webhookChangeActs = () => ({ ...webhookActs(), ...pingActs(), webhooks: webhooks() })
/** @param claim of the request that is done; its instant is that of the rotation */
export const rotationActs = (claim?: Claim): RotationActs =>
  claim === undefined
    ? { webhooks: webhooks(), clock }
    : { webhooks: webhooksWith(sealer(), claim), clock: () => claim.at }
/** What gives events their deliveries, and finds those that were lost. */
export const sweepActs = (): SweepActs & FanOutActs => ({
  events: events(),
  webhooks: webhookRecords(),
  deliveries: deliveries(),
  deliveryDoorbell: deliveryBell(),
  clock,
})
/** @param claim of the request that is done */
export const redeliveryActs = (claim?: Claim): RedeliveryActs & RecoveryRequestActs & RecoveryActs => ({
  webhooks: webhookRecords(),
  deliveries: claim === undefined ? deliveries() : deliveriesWith(claim),
  deliveryDoorbell: deliveryBell(),
  clock,
  newId,
})

/** @param disabled told when the service itself disables a subscription */
export const deliveryActs = (disabled: (id: string, reason: DisabledReason) => void): DeliveryActs => ({
  deliveries: deliveries(),
  webhooks: webhooks(),
  events: events(),
  deliveryDoorbell: deliveryBell(),
  post: post(),
  sign: sign(),
  slots: slots(),
  clock,
  random: Math.random,
  disabled,
})

/** @param disabled told when the service itself disables a subscription */
export const deliveryWork = (disabled: (id: string, reason: DisabledReason) => void) => ({
  now: clock,
  deliver: (call: { readonly webhook_id: string; readonly delivery_id: string }, remaining: () => number) =>
    deliverWebhook(deliveryActs(disabled), call, remaining),
  recover: (id: string) => recoverDeliveries(redeliveryActs(), id),
  late: late(),
})

/**
 * @param report told of what made an attempt fail
 * @param gaveUp told of an incident whose analysis is not tried again
 */
export const investigationActs = (
  report: (error: unknown) => void,
  gaveUp: (incidentId: string) => void,
): InvestigationActs => ({
  ...collecting(),
  incidents: incidentsWith(objects()),
  report,
  gaveUp,
})
