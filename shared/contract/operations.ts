import type * as z from 'zod/mini'
import { SENDERS } from '../domain/alerts/intake.ts'
import type { KeyType } from '../domain/api-key.ts'
import { INTEGRATION_TYPES } from '../domain/integration-types.ts'
import { incidentCharts } from './charts.ts'
import {
  delivery,
  deliveryList,
  deliveryPaging,
  newRecovery,
  newSecret,
  pingResult,
  recovery,
  rotation,
} from './deliveries.ts'
import {
  incident,
  incidentChange,
  incidentFile,
  incidentFilters,
  incidentList,
  investigationRequested,
  newIncident,
} from './incidents.ts'
import {
  integration,
  integrationChange,
  integrationCreated,
  integrationList,
  integrationPaging,
  messageTaken,
  newIntegration,
} from './integrations.ts'
import { keyCreated, keyList, keyPaging, keyRotated, keyRotation, newKey } from './keys.ts'
import { answer, question } from './query.ts'
import { health, openapiDocument } from './service.ts'
import { signals, signalsTaken } from './signals.ts'
import { incidentVerification, queryVerification } from './verification.ts'
import { newWebhook, webhook, webhookChange, webhookCreated, webhookList, webhookPaging } from './webhooks.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Calls to the store that one request makes in a warm process, by their names in the SDK, in order. */
export type StoreCall = 'UpdateItem' | 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'TransactWriteItems'

/**
 * One operation of the API. The table of operations is read by the stack (routes, functions), the local gateway, the
 * OpenAPI document, authorisation and the tests; nothing about an operation is written a second time.
 */
export interface Operation {
  readonly method: Method
  /** Path below the base address; it may have `{id}`, and behind it the parameter that `innerId` names. */
  readonly path: string
  readonly summary: string
  /** Key types that may call it; `anyone` needs no key. */
  readonly access: 'anyone' | readonly KeyType[]
  /** Signed-in admins alone may call it, and no key of any type. */
  readonly people?: true
  /**
   * It is called by the tool of an integration, which needs no key: what it sends is verified byte for byte by that
   * tool's own signature or by the integration's ingest token. Its body is of any media type.
   */
  readonly sender?: true
  /** Signed-in viewers may call it though it is no GET. */
  readonly viewers?: true
  /** Prefixes that an `{id}` in the path may have; any other is NOT_FOUND without a read. */
  readonly idPrefixes?: readonly string[]
  /** Prefixes of ids whose tools send nothing, and what whoever claims to be one is told: UNAUTHORIZED without a read. */
  readonly silentIds?: { readonly prefixes: readonly string[]; readonly reason: string }
  /** The second parameter of a path: something that belongs to `{id}`. Ids of another prefix are NOT_FOUND unread. */
  readonly innerId?: { readonly name: string; readonly prefix: string }
  readonly query?: z.ZodMiniType
  readonly body?: z.ZodMiniType
  readonly success: {
    readonly status: 200 | 201 | 202 | 204
    readonly description: string
    readonly body?: z.ZodMiniType
  }
  /** It answers one resource, with its ETag; a GET also takes `If-None-Match`. */
  readonly tagged?: true
  /** It takes `If-Match`, and answers 412 where the resource is in another version. */
  readonly precondition?: true
  /** Statuses it may answer beyond those that every operation of its kind may. */
  readonly refusals?: readonly (404 | 409)[]
  /** Store calls of a successful request, counted by a test. */
  readonly calls: readonly StoreCall[]
  /**
   * It takes an `Idempotency-Key`: store calls of the first request that has one, and of one that is answered from what
   * the first one made.
   */
  readonly repeats?: { readonly first: readonly StoreCall[]; readonly again: readonly StoreCall[] }
  /** Seconds the function may take; API Gateway itself waits 29 s. */
  readonly timeoutSeconds: number
}

const ADMIN = ['admin'] as const
const EVERY_KEY = ['admin', 'assistant'] as const
/** Keys cannot make keys: who holds one could otherwise outlive its revocation. */
const NO_KEY = [] as const
/** Long enough for a store that throttles and retries; far longer than an answer takes. */
const STORE_SECONDS = 10
/** A live check of a tool may take 5 s on top. */
const CHECK_SECONDS = 15
/** A receiver that is pinged may take 15 s. */
const PING_SECONDS = 25
/** API Gateway gives up after 29 s. */
const QUESTION_SECONDS = 28

/** An integration's id begins with its type. */
const INTEGRATION_PREFIXES = /* @__PURE__ */ INTEGRATION_TYPES.map(({ type }) => type)
const SENDER_PREFIXES = /* @__PURE__ */ INTEGRATION_PREFIXES.filter((type) => Object.hasOwn(SENDERS, type))
const SILENT_PREFIXES = /* @__PURE__ */ INTEGRATION_PREFIXES.filter((type) => !Object.hasOwn(SENDERS, type))

export const operations = {
  'answer-query': {
    method: 'POST',
    path: '/query',
    access: EVERY_KEY,
    viewers: true,
    summary: 'Ask a question about the monitored system',
    body: question,
    success: { status: 200, description: 'The answer with its evidence.', body: answer },
    // The latest incidents, the integrations and, beside those, what was pushed.
    calls: ['UpdateItem', 'Query', 'Query', 'Query', 'Query', 'Query', 'PutItem'],
    repeats: {
      first: ['UpdateItem', 'PutItem', 'Query', 'Query', 'Query', 'Query', 'Query', 'TransactWriteItems'],
      again: ['UpdateItem', 'PutItem', 'GetItem'],
    },
    timeoutSeconds: QUESTION_SECONDS,
  },
  'get-query': {
    method: 'GET',
    path: '/query/{id}',
    access: EVERY_KEY,
    idPrefixes: ['query'],
    summary: 'Read a stored answer',
    success: { status: 200, description: 'The answer as it was given.', body: answer },
    tagged: true,
    refusals: [404],
    calls: ['UpdateItem', 'GetItem'],
    timeoutSeconds: STORE_SECONDS,
  },
  'verify-query': {
    method: 'POST',
    path: '/query/{id}/verify',
    access: ADMIN,
    idPrefixes: ['query'],
    summary: 'Fetch the evidence of a stored answer again and compare',
    success: {
      status: 200,
      description: 'What became of each piece of evidence.',
      body: queryVerification,
    },
    refusals: [404],
    // The answer, the integrations and, beside those, what was pushed.
    calls: ['UpdateItem', 'GetItem', 'Query', 'Query', 'Query', 'Query'],
    timeoutSeconds: QUESTION_SECONDS,
  },
  'list-integrations': {
    method: 'GET',
    path: '/integrations',
    access: ADMIN,
    summary: 'List the connected tools',
    query: integrationPaging,
    success: { status: 200, description: 'The integrations, newest first.', body: integrationList },
    calls: ['UpdateItem', 'Query'],
    timeoutSeconds: STORE_SECONDS,
  },
  'create-integration': {
    method: 'POST',
    path: '/integrations',
    access: ADMIN,
    summary: 'Connect a tool; its settings are checked live',
    body: newIntegration,
    success: {
      status: 201,
      description:
        'The integration, with the token that its tool sends alerts with, which is shown only this once. Other secrets are never returned.',
      body: integrationCreated,
    },
    tagged: true,
    refusals: [409],
    calls: ['UpdateItem', 'TransactWriteItems'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'GetItem'],
    },
    timeoutSeconds: CHECK_SECONDS,
  },
  'get-integration': {
    method: 'GET',
    path: '/integrations/{id}',
    access: ADMIN,
    idPrefixes: INTEGRATION_PREFIXES,
    summary: 'Read one integration',
    success: { status: 200, description: 'The integration.', body: integration },
    tagged: true,
    refusals: [404],
    calls: ['UpdateItem', 'GetItem'],
    timeoutSeconds: STORE_SECONDS,
  },
  'update-integration': {
    method: 'PATCH',
    path: '/integrations/{id}',
    access: ADMIN,
    idPrefixes: INTEGRATION_PREFIXES,
    summary: 'Change settings, disable or enable; checked live again',
    body: integrationChange,
    success: { status: 200, description: 'The integration after the change.', body: integration },
    tagged: true,
    precondition: true,
    refusals: [404, 409],
    calls: ['UpdateItem', 'GetItem', 'PutItem'],
    timeoutSeconds: CHECK_SECONDS,
  },
  'check-integration': {
    method: 'POST',
    path: '/integrations/{id}/check',
    access: ADMIN,
    idPrefixes: INTEGRATION_PREFIXES,
    summary: 'Check a connected tool live, now',
    success: { status: 200, description: 'The integration as the check found it.', body: integration },
    tagged: true,
    refusals: [404, 409],
    calls: ['UpdateItem', 'GetItem', 'UpdateItem'],
    timeoutSeconds: CHECK_SECONDS,
  },
  'delete-integration': {
    method: 'DELETE',
    path: '/integrations/{id}',
    access: ADMIN,
    idPrefixes: INTEGRATION_PREFIXES,
    summary: 'Disconnect a tool and forget its settings',
    success: { status: 204, description: 'Gone.' },
    precondition: true,
    refusals: [404],
    calls: ['UpdateItem', 'TransactWriteItems'],
    timeoutSeconds: STORE_SECONDS,
  },
  'push-events': {
    method: 'POST',
    path: '/integrations/{id}/events',
    access: 'anyone',
    sender: true,
    idPrefixes: SENDER_PREFIXES,
    silentIds: {
      prefixes: SILENT_PREFIXES,
      reason: 'Tools of this type are asked and send nothing: nothing can prove a message to be theirs.',
    },
    summary: 'Receive alerts and changes from a connected tool',
    success: {
      status: 202,
      description: 'The message is verified and will be processed.',
      body: messageTaken,
    },
    refusals: [404, 409],
    calls: ['GetItem'],
    timeoutSeconds: STORE_SECONDS,
  },
  'list-incidents': {
    method: 'GET',
    path: '/incidents',
    access: ADMIN,
    summary: 'List incidents, filtered by status, severity and time',
    query: incidentFilters,
    success: { status: 200, description: 'The incidents, newest first.', body: incidentList },
    calls: ['UpdateItem', 'Query'],
    timeoutSeconds: STORE_SECONDS,
  },
  'create-incident': {
    method: 'POST',
    path: '/incidents',
    access: ADMIN,
    summary: 'Open an incident; its investigation begins at once',
    body: newIncident,
    success: { status: 201, description: 'The incident.', body: incident },
    tagged: true,
    calls: ['UpdateItem', 'TransactWriteItems'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'GetItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'get-incident': {
    method: 'GET',
    path: '/incidents/{id}',
    access: ADMIN,
    idPrefixes: ['inc'],
    summary: 'Read one incident with its root cause',
    success: {
      status: 200,
      description: 'The incident with its root cause, alerts and timeline.',
      body: incidentFile,
    },
    tagged: true,
    refusals: [404],
    calls: ['UpdateItem', 'Query'],
    timeoutSeconds: STORE_SECONDS,
  },
  'get-incident-charts': {
    method: 'GET',
    path: '/incidents/{id}/charts',
    access: ADMIN,
    idPrefixes: ['inc'],
    summary: 'Read the charts of an incident: series that left their normal level, calls, marks',
    success: {
      status: 200,
      description:
        'What the stored analysis saw; `charts` is null before the first analysis, and once its evidence has expired.',
      body: incidentCharts,
    },
    refusals: [404],
    calls: ['UpdateItem', 'Query'],
    timeoutSeconds: STORE_SECONDS,
  },
  'update-incident': {
    method: 'PATCH',
    path: '/incidents/{id}',
    access: ADMIN,
    idPrefixes: ['inc'],
    summary: 'Change status, severity or title',
    body: incidentChange,
    success: { status: 200, description: 'The incident after the change.', body: incident },
    tagged: true,
    precondition: true,
    refusals: [404, 409],
    calls: ['UpdateItem', 'GetItem', 'TransactWriteItems'],
    timeoutSeconds: STORE_SECONDS,
  },
  'request-investigation': {
    method: 'POST',
    path: '/incidents/{id}/investigate',
    access: ADMIN,
    idPrefixes: ['inc'],
    summary: 'Investigate again on fresh evidence',
    success: { status: 202, description: 'The investigation will run.', body: investigationRequested },
    refusals: [404],
    calls: ['UpdateItem', 'TransactWriteItems'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'GetItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'push-signals': {
    method: 'POST',
    path: '/signals',
    access: ADMIN,
    summary: 'Push evidence from a source that cannot be asked',
    body: signals,
    success: {
      status: 202,
      description:
        'How many records of each kind were taken; they are kept for 30 days from now on, whatever time they are of, for investigations and questions.',
      body: signalsTaken,
    },
    calls: ['UpdateItem', 'PutItem'],
    repeats: {
      first: ['UpdateItem', 'PutItem', 'PutItem', 'PutItem'],
      again: ['UpdateItem', 'PutItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'verify-incident': {
    method: 'POST',
    path: '/incidents/{id}/verify',
    access: ADMIN,
    idPrefixes: ['inc'],
    summary: 'Fetch the evidence of a root cause again and compare',
    success: {
      status: 200,
      description: 'What became of each piece of evidence.',
      body: incidentVerification,
    },
    refusals: [404],
    // The incident, the integrations and, beside those, what was pushed.
    calls: ['UpdateItem', 'Query', 'Query', 'Query', 'Query', 'Query'],
    timeoutSeconds: QUESTION_SECONDS,
  },
  'list-webhooks': {
    method: 'GET',
    path: '/webhooks',
    access: ADMIN,
    summary: 'List the subscriptions',
    query: webhookPaging,
    success: { status: 200, description: 'The subscriptions, newest first.', body: webhookList },
    calls: ['UpdateItem', 'Query'],
    timeoutSeconds: STORE_SECONDS,
  },
  'create-webhook': {
    method: 'POST',
    path: '/webhooks',
    access: ADMIN,
    summary: 'Subscribe a receiver to events',
    body: newWebhook,
    success: {
      status: 201,
      description: 'The subscription; the secret is never returned.',
      body: webhookCreated,
    },
    tagged: true,
    refusals: [409],
    calls: ['UpdateItem', 'TransactWriteItems'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'GetItem'],
    },
    timeoutSeconds: CHECK_SECONDS,
  },
  'get-webhook': {
    method: 'GET',
    path: '/webhooks/{id}',
    access: ADMIN,
    idPrefixes: ['wh'],
    summary: 'Read one subscription',
    success: { status: 200, description: 'The subscription.', body: webhook },
    tagged: true,
    refusals: [404],
    calls: ['UpdateItem', 'GetItem'],
    timeoutSeconds: STORE_SECONDS,
  },
  'update-webhook': {
    method: 'PATCH',
    path: '/webhooks/{id}',
    access: ADMIN,
    idPrefixes: ['wh'],
    summary: 'Change address, events or status of a subscription; enabling pings first',
    body: webhookChange,
    success: { status: 200, description: 'The subscription after the change.', body: webhook },
    tagged: true,
    precondition: true,
    refusals: [404, 409],
    calls: ['UpdateItem', 'GetItem', 'UpdateItem'],
    timeoutSeconds: PING_SECONDS,
  },
  'delete-webhook': {
    method: 'DELETE',
    path: '/webhooks/{id}',
    access: ADMIN,
    idPrefixes: ['wh'],
    summary: 'End a subscription',
    success: { status: 204, description: 'Gone.' },
    precondition: true,
    refusals: [404],
    calls: ['UpdateItem', 'TransactWriteItems'],
    timeoutSeconds: STORE_SECONDS,
  },
  'ping-webhook': {
    method: 'POST',
    path: '/webhooks/{id}/ping',
    access: ADMIN,
    idPrefixes: ['wh'],
    summary: 'Send a signed test event now',
    success: { status: 200, description: 'What the receiver answered.', body: pingResult },
    refusals: [404],
    calls: ['UpdateItem', 'GetItem'],
    repeats: { first: ['UpdateItem', 'PutItem', 'GetItem', 'PutItem'], again: ['UpdateItem', 'PutItem'] },
    timeoutSeconds: PING_SECONDS,
  },
  'rotate-webhook-secret': {
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    access: ADMIN,
    idPrefixes: ['wh'],
    summary: 'Replace the secret; both sign for an overlap',
    body: newSecret,
    success: {
      status: 200,
      description: 'The subscription, and until when both secrets sign.',
      body: rotation,
    },
    refusals: [404, 409],
    calls: ['UpdateItem', 'GetItem', 'UpdateItem'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'GetItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'recover-webhook': {
    method: 'POST',
    path: '/webhooks/{id}/recover',
    access: ADMIN,
    idPrefixes: ['wh'],
    summary: 'Send everything again that failed since an instant',
    body: newRecovery,
    success: {
      status: 202,
      description: 'Everything that failed will be sent again, in the background.',
      body: recovery,
    },
    refusals: [404, 409],
    calls: ['UpdateItem', 'GetItem', 'PutItem'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'list-deliveries': {
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    access: ADMIN,
    idPrefixes: ['wh'],
    summary: 'List what was sent to a receiver, with every attempt',
    query: deliveryPaging,
    success: { status: 200, description: 'The deliveries, newest event first.', body: deliveryList },
    refusals: [404],
    calls: ['UpdateItem', 'Query'],
    timeoutSeconds: STORE_SECONDS,
  },
  redeliver: {
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    access: ADMIN,
    idPrefixes: ['wh'],
    innerId: { name: 'delivery_id', prefix: 'dlv' },
    summary: 'Send an event again',
    success: { status: 202, description: 'The event will be sent again.', body: delivery },
    refusals: [404, 409],
    calls: ['UpdateItem', 'GetItem', 'GetItem', 'UpdateItem'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'GetItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'GetItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'list-keys': {
    method: 'GET',
    path: '/keys',
    access: NO_KEY,
    people: true,
    summary: 'List the API keys, without their values',
    query: keyPaging,
    success: { status: 200, description: 'The keys, newest first.', body: keyList },
    // The index holds ids alone, so that counting a request does not write it; the keys are read beside it.
    calls: ['UpdateItem', 'Query', 'BatchGetItem'],
    timeoutSeconds: STORE_SECONDS,
  },
  'create-key': {
    method: 'POST',
    path: '/keys',
    access: NO_KEY,
    people: true,
    summary: 'Make an API key; its value is shown only once',
    body: newKey,
    success: { status: 201, description: 'The key with its value.', body: keyCreated },
    refusals: [409],
    calls: ['UpdateItem', 'TransactWriteItems'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'Query', 'GetItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'rotate-key': {
    method: 'POST',
    path: '/keys/{id}/rotate',
    access: NO_KEY,
    people: true,
    idPrefixes: ['key'],
    summary: 'Give an API key a new value; the old one stays valid during an overlap',
    body: keyRotation,
    success: {
      status: 200,
      description: 'The key with its new value, which is shown only this once.',
      body: keyRotated,
    },
    refusals: [404, 409],
    calls: ['UpdateItem', 'Query', 'GetItem', 'TransactWriteItems'],
    repeats: {
      first: ['UpdateItem', 'GetItem', 'Query', 'GetItem', 'TransactWriteItems'],
      again: ['UpdateItem', 'GetItem', 'Query', 'GetItem'],
    },
    timeoutSeconds: STORE_SECONDS,
  },
  'revoke-key': {
    method: 'DELETE',
    path: '/keys/{id}',
    access: NO_KEY,
    people: true,
    idPrefixes: ['key'],
    summary: 'Revoke an API key; the very next request with it is refused',
    success: { status: 204, description: 'The key is revoked, and stays in the list.' },
    refusals: [404],
    calls: ['UpdateItem', 'Query', 'GetItem', 'TransactWriteItems'],
    timeoutSeconds: STORE_SECONDS,
  },
  'get-openapi': {
    method: 'GET',
    path: '/openapi.json',
    access: 'anyone',
    summary: 'This document',
    success: { status: 200, description: 'The OpenAPI 3.1 document.', body: openapiDocument },
    calls: [],
    timeoutSeconds: STORE_SECONDS,
  },
  'get-health': {
    method: 'GET',
    path: '/health',
    access: 'anyone',
    summary: 'Say that the service is up',
    success: { status: 200, description: 'The service is up.', body: health },
    calls: [],
    timeoutSeconds: STORE_SECONDS,
  },
} as const satisfies Readonly<Record<string, Operation>>

export type OperationId = keyof typeof operations

/** Every operation with its id, in the order of the table. */
export const operationList = (Object.keys(operations) as OperationId[]).map((id) => ({
  id,
  ...(operations[id] as Operation),
}))

/** The function behind every route that no operation has: it answers 404, or 405 with `Allow`. */
export const CATCH_ALL = 'refuse-unknown'
