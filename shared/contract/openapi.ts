import * as z from 'zod/mini'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { MOST_SENT_BYTES } from '../domain/alerts/intake.ts'
import { errorBody } from './error-body.ts'
import { MOST_BODY_BYTES, tooLarge } from './errors.ts'
import { eventHeaders, eventSummaries, receivedEvents } from './events.ts'
import { examples } from './examples.ts'
import { whoMayCall } from './may-call.ts'
import { type Operation, type OperationId, operationList } from './operations.ts'
import { SENT_BODY } from './sent-body.ts'

/** Version of the contract: additive within v1. */
const CONTRACT_VERSION = '1.0.0'

const REASONS: Readonly<Record<number, string>> = {
  304: 'The resource has not changed: it is in a version that `If-None-Match` names.',
  400: 'The request breaks the contract; `details.field` and `details.reason` say where and why.',
  401: 'No valid API key.',
  404: 'There is no such resource.',
  409: 'The request contradicts the state of the resource, or a quota is full, or the first request with this `Idempotency-Key` is still running.',
  412: 'The resource has changed: it is in none of the versions that `If-Match` names.',
  415: 'The body is not JSON, its Content-Type does not say so, or it is compressed.',
  422: 'The `Idempotency-Key` was used with another body.',
  429: 'Too many requests in this window; `Retry-After` says for how long.',
  500: 'The service failed; the details hold the request id.',
  502: 'The function behind the API failed (answered by the gateway).',
  504: 'The function behind the API took too long (answered by the gateway).',
}

/** Every status that an operation may refuse with. */
export function refusalStatuses(operation: Operation): number[] {
  const keyed = operation.access !== 'anyone'
  const bodied = operation.method === 'POST' || operation.method === 'PATCH'
  const repeats = operation.repeats !== undefined
  return [
    400,
    ...(keyed ? [401, 403] : operation.sender === true ? [401] : []),
    ...new Set([...(operation.refusals ?? []), ...(repeats ? [409 as const] : [])]),
    ...(repeats ? [422] : []),
    ...(operation.precondition === true ? [412] : []),
    // The size of a body is looked at where none is read, too.
    ...(operation.method === 'GET' ? [] : [413]),
    ...(bodied && operation.sender !== true ? [415] : []),
    429,
    500,
    502,
    504,
  ]
}

/** Why an operation refuses with a status. */
function reasonOf(status: number, operation: Operation): string | undefined {
  if (status === 403) return `The caller may not: only ${whoMayCall(operation)} may call this.`
  if (status === 413) return tooLarge(operation.sender === true ? MOST_SENT_BYTES : MOST_BODY_BYTES)
  return REASONS[status]
}

/** Statuses that an operation answers with besides its success and its refusals. */
export const otherStatuses = ({ method, tagged }: Operation): number[] =>
  tagged === true && method === 'GET' ? [304] : []

const headers = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/X-RateLimit-Limit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/X-RateLimit-Remaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/X-RateLimit-Reset' },
  'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
}

const tagHeader = { ETag: { $ref: '#/components/headers/ETag' } }

const replayHeader = {
  'Idempotency-Replayed': { $ref: '#/components/headers/Idempotency-Replayed' },
}

const integerHeader = (description: string) => ({
  description,
  schema: { type: 'integer' as const, minimum: 0 },
})

/** `*`, or entity tags with commas between (RFC 9110, 13.1). */
const ENTITY_TAGS = '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*"){0,19})$'

/** The headers that an operation takes beyond those that every one does. */
function requestHeaders({ method, precondition, repeats, tagged }: Operation): Record<string, z.ZodMiniType> {
  const header = (description: string) =>
    z
      .optional(z.string().check(z.minLength(1)))
      .register(z.globalRegistry, { description, pattern: ENTITY_TAGS, examples: ['"3"'] })
  return {
    ...(tagged === true && method === 'GET'
      ? {
          'If-None-Match': header('ETags that you hold; 304 while the resource is in one of these versions.'),
        }
      : {}),
    ...(precondition === true
      ? { 'If-Match': header('ETags of the versions that the change is meant for; 412 in any other.') }
      : {}),
    ...(repeats === undefined
      ? {}
      : {
          'Idempotency-Key': z
            .optional(z.string().check(z.minLength(1), z.maxLength(255)))
            .register(z.globalRegistry, {
              description:
                'Makes it safe to repeat the request: for 24 h, a request with the same key and body is done once; repetitions are answered with what the first one made.',
            }),
        }),
  }
}

/** What holds for every body that callers write themselves. */
const BODY = `JSON in UTF-8, at most ${MOST_BODY_BYTES} bytes. A field that is given twice in one object is refused.`

/** What tools send has the form that each gives it. */
function describe(id: OperationId, operation: Operation): ZodOpenApiOperationObject {
  const { success, summary } = operation
  const responses: Record<string, unknown> = {
    [String(success.status)]: {
      description: success.description,
      headers: {
        ...headers,
        ...(success.status === 201 ? { Location: { $ref: '#/components/headers/Location' } } : {}),
        ...(operation.tagged === true ? tagHeader : {}),
        ...(operation.repeats === undefined ? {} : replayHeader),
      },
      ...(success.body ? { content: { 'application/json': { schema: success.body } } } : {}),
    },
  }
  for (const status of otherStatuses(operation)) {
    responses[String(status)] = { description: REASONS[status], headers: { ...headers, ...tagHeader } }
  }
  for (const status of refusalStatuses(operation)) {
    responses[String(status)] = {
      description: reasonOf(status, operation),
      headers: {
        ...headers,
        ...(status === 429 ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
      },
      content: { 'application/json': { schema: errorBody } },
    }
  }
  const shown = Object.fromEntries(
    (examples[id] ?? []).flatMap((example, index) =>
      example.body === undefined
        ? []
        : [[`example${index + 1}`, { summary: example.summary, value: example.body }]],
    ),
  )
  const requestParams: Record<string, unknown> = {}
  if (operation.idPrefixes !== undefined) {
    const description = `Id that begins with ${operation.idPrefixes.map((prefix) => `\`${prefix}_\``).join(' or ')}.`
    const named = (about: string) => z.string().register(z.globalRegistry, { description: about })
    const { innerId } = operation
    requestParams.path = z.object({
      id: named(description),
      ...(innerId === undefined
        ? {}
        : { [innerId.name]: named(`Id that begins with \`${innerId.prefix}_\`.`) }),
    })
  }
  if (operation.query !== undefined) requestParams.query = operation.query
  const conditions = requestHeaders(operation)
  if (Object.keys(conditions).length > 0) requestParams.header = z.object(conditions)
  return {
    operationId: id,
    summary,
    tags: [
      operation.path.split('/')[1]?.replace('openapi.json', 'service').replace('health', 'service') ??
        'service',
    ],
    security:
      operation.sender === true
        ? [{ ingestToken: [] }]
        : operation.access === 'anyone'
          ? []
          : [{ apiKey: [] }],
    ...(Object.keys(requestParams).length > 0 ? { requestParams } : {}),
    ...(operation.sender === true ? { requestBody: SENT_BODY } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            description: BODY,
            content: { 'application/json': { schema: operation.body, examples: shown } },
          },
        }
      : {}),
    responses,
  } as ZodOpenApiOperationObject
}

/** The events that receivers get: what is posted, and which answers mean what. */
const webhooks = (): NonNullable<ZodOpenApiObject['webhooks']> =>
  Object.fromEntries(
    Object.entries(receivedEvents).map(([type, schema]) => [
      type,
      {
        post: {
          operationId: `receive-${type.replaceAll('.', '-')}`,
          summary: eventSummaries[type as keyof typeof receivedEvents],
          tags: ['webhooks'],
          security: [],
          requestParams: { header: eventHeaders },
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses: {
            '2XX': {
              description:
                'The event is accepted. Any other answer is a failure, and the event is sent again.',
            },
            '410': { description: 'The receiver is gone for good: the webhook is disabled.' },
          },
        },
      },
    ]),
  )

/** The OpenAPI 3.1 document of the whole API, built from the table of operations and nothing else. */
export function openapiDocument(): ReturnType<typeof createDocument> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const { id, ...operation } of operationList) {
    const path = paths[operation.path] ?? {}
    paths[operation.path] = path
    path[operation.method.toLowerCase()] = describe(id, operation)
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: 'Incident Investigator',
      version: CONTRACT_VERSION,
      summary: 'Says what broke, why, and with which evidence.',
      description:
        'Answers questions about a monitored system from the evidence of the connected tools. Timestamps are ISO 8601 UTC ending in `Z`; unknown fields and parameters are refused, and so is one that is given twice. Every response carries the rate limit of its caller; `X-RateLimit-Reset` is the end of the window in seconds since the epoch. Responses of the gateway itself carry constants there: limit 100, remaining 0, reset 0.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'https://{host}/v1',
        description: 'The stack prints its address after deployment.',
        variables: { host: { default: 'localhost', description: 'Host of the deployed API.' } },
      },
    ],
    tags: [
      { name: 'query', description: 'Questions and answers.' },
      { name: 'incidents', description: 'Incidents and their root causes.' },
      { name: 'integrations', description: 'Connections to tools.' },
      { name: 'signals', description: 'Pushed evidence.' },
      { name: 'webhooks', description: 'Subscriptions to events.' },
      { name: 'service', description: 'The service itself.' },
    ],
    paths: paths as ZodOpenApiPathsObject,
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer <API_KEY>`.',
        },
        ingestToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The ingest token of the integration, as a bearer, as the password of basic authentication or in `X-Ingest-Token`; or the signature of the tool itself.',
        },
      },
      headers: {
        'X-RateLimit-Limit': integerHeader('Requests allowed in the window.'),
        'X-RateLimit-Remaining': integerHeader('Requests left in the window.'),
        'X-RateLimit-Reset': integerHeader('End of the window, seconds since the epoch (UTC).'),
        'X-Request-Id': { description: 'Quote it when you report a problem.', schema: { type: 'string' } },
        'Retry-After': integerHeader('Seconds to wait.'),
        ETag: { description: 'Version of the resource, strong.', schema: { type: 'string' } },
        'Idempotency-Replayed': {
          description: '`true` if an earlier request with this `Idempotency-Key` did the work.',
          schema: { type: 'string', enum: ['true'] },
        },
        Location: { description: 'Path of the new resource.', schema: { type: 'string' } },
      },
    },
  }
  return createDocument(document)
}
