import { STATUS_CODES } from 'node:http'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Deployment, GatewayResponse, Route } from './deployment.ts'

/** An HTTP request as the gateway received it. */
export interface ReceivedRequest {
  readonly method: string
  /** Request target with its query, exactly as sent: `/v1/incidents?limit=1`. */
  readonly target: string
  /** Names and values in turn, in the case and order in which they were sent (`IncomingMessage.rawHeaders`). */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly sourceIp: string
  /** Port that the gateway listens on. */
  readonly port: number
  /** When the request arrived, ms since the epoch. */
  readonly at: number
  readonly requestId: string
}

/** What the gateway sends. */
export interface GatewayAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** Where a path leads: the resource and what its parameters held. */
export interface Match {
  readonly resource: string
  readonly pathParameters: Readonly<Record<string, string>> | null
  /** Absent when the resource has neither this method nor `ANY`. */
  readonly route: Route | undefined
}

const segmentsOf = (path: string): string[] => {
  // One slash at the end is not a segment: API Gateway leads `/incidents/` to `/incidents`.
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '')
  return trimmed === '' ? [] : trimmed.split('/')
}

type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'one' | 'rest'; readonly name: string }

function readSegment(text: string): Segment {
  const parameter = /^\{([^}+]+)(\+?)\}$/.exec(text)
  if (parameter?.[1] === undefined) return { kind: 'static', text }
  return { kind: parameter[2] === '+' ? 'rest' : 'one', name: parameter[1] }
}

/** A static segment beats a parameter, a parameter beats the rest of the path, whatever comes after. */
const RANK: Readonly<Record<Segment['kind'], string>> = { static: '0', one: '1', rest: '2' }

/**
 * The function from method and path (below the stage, still encoded) to a route, as API Gateway decides it: by
 * resource first, by method second. A resource that matches but lacks the method is not left for a vaguer one.
 *
 * @returns a function that gives undefined when no resource matches, and throws URIError when a path parameter is no
 * valid percent-encoding
 */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Match | undefined {
  const resources = [...new Set(routes.map((route) => route.resource))]
    .map((resource) => ({ resource, segments: segmentsOf(resource).map(readSegment) }))
    .sort((a, b) => {
      const left = a.segments.map((segment) => RANK[segment.kind]).join('')
      const right = b.segments.map((segment) => RANK[segment.kind]).join('')
      return left < right ? -1 : left > right ? 1 : 0
    })
  const byMethod = new Map(routes.map((route) => [`${route.method} ${route.resource}`, route]))

  return (method, path) => {
    const parts = segmentsOf(path)
    for (const { resource, segments } of resources) {
      const parameters = bind(segments, parts)
      if (parameters === undefined) continue
      return {
        resource,
        pathParameters: parameters.size === 0 ? null : Object.fromEntries(parameters),
        route: byMethod.get(`${method} ${resource}`) ?? byMethod.get(`ANY ${resource}`),
      }
    }
    return undefined
  }
}

function bind(segments: readonly Segment[], parts: readonly string[]): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === 'rest') {
      if (parts.length <= index) return undefined
      parameters.set(segment.name, decodeURIComponent(parts.slice(index).join('/')))
      return parameters
    }
    const part = parts[index]
    if (part === undefined || part === '') return undefined
    if (segment.kind === 'static') {
      if (part !== segment.text) return undefined
    } else {
      parameters.set(segment.name, decodeURIComponent(part))
    }
  }
  return parts.length === segments.length ? parameters : undefined
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `09/Apr/2015:12:34:56 +0000`, the Common Log Format that `requestContext.requestTime` has. */
function logTime(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T')
  const [year, month = '1', day] = date.split('-')
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`
}

/** Headers with every value, the name in the case in which it came first. */
function headerValues(rawHeaders: readonly string[]): Map<string, { name: string; values: string[] }> {
  const headers = new Map<string, { name: string; values: string[] }>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const known = headers.get(name.toLowerCase())
    if (known === undefined) headers.set(name.toLowerCase(), { name, values: [value] })
    else known.values.push(value)
  }
  return headers
}

const lastOf = (values: readonly string[]): string => values[values.length - 1] ?? ''

/** The identity of a caller that neither IAM nor Cognito knows. */
const NO_IDENTITY = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
}

/**
 * The event that a REST API's proxy integration sends (payload format 1.0): header case kept, the last value of a
 * repeated header or query parameter in the single-value map, all of them in the other, path parameters decoded, and
 * the body in base64 because every media type counts as binary (`binaryMediaTypes: ['*' + '/*']`).
 */
export function proxyEvent(
  received: ReceivedRequest,
  match: Match,
  stage: string,
  path: string,
): APIGatewayProxyEvent {
  const headers = headerValues(received.rawHeaders)
  const add = (name: string, value: string) => {
    const known = headers.get(name.toLowerCase())
    if (known === undefined) headers.set(name.toLowerCase(), { name, values: [value] })
    else known.values = [value]
  }
  const host = lastOf(headers.get('host')?.values ?? [`127.0.0.1:${received.port}`])
  const forwarded = headers.get('x-forwarded-for')?.values.join(', ')
  add('X-Forwarded-For', forwarded === undefined ? received.sourceIp : `${forwarded}, ${received.sourceIp}`)
  add('X-Forwarded-Port', String(received.port))
  add('X-Forwarded-Proto', 'http')
  add('X-Amzn-Trace-Id', `Root=1-${Math.floor(received.at / 1_000).toString(16)}-${traceDigits(received)}`)

  const queryStart = received.target.indexOf('?')
  const query = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(
    queryStart === -1 ? '' : received.target.slice(queryStart + 1),
  )) {
    const known = query.get(name)
    if (known === undefined) query.set(name, [value])
    else known.push(value)
  }

  return {
    resource: match.resource,
    path,
    httpMethod: received.method,
    headers: Object.fromEntries([...headers.values()].map(({ name, values }) => [name, lastOf(values)])),
    multiValueHeaders: Object.fromEntries([...headers.values()].map(({ name, values }) => [name, values])),
    queryStringParameters:
      query.size === 0
        ? null
        : Object.fromEntries([...query].map(([name, values]) => [name, lastOf(values)])),
    multiValueQueryStringParameters: query.size === 0 ? null : Object.fromEntries(query),
    pathParameters: match.pathParameters === null ? null : { ...match.pathParameters },
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      domainName: host,
      domainPrefix: host.split('.')[0] ?? host,
      extendedRequestId: received.requestId,
      httpMethod: received.method,
      identity: {
        ...NO_IDENTITY,
        sourceIp: received.sourceIp,
        userAgent: lastOf(headers.get('user-agent')?.values ?? []) || null,
      },
      path: `/${stage}${path === '/' ? '' : path}`,
      protocol: 'HTTP/1.1',
      requestId: received.requestId,
      requestTime: logTime(received.at),
      requestTimeEpoch: received.at,
      resourceId: match.resource,
      resourcePath: match.resource,
      stage,
    },
    body: received.body.length === 0 ? null : received.body.toString('base64'),
    isBase64Encoded: received.body.length > 0,
  }
}

/** 24 hexadecimal digits of the request id, as the second part of a trace id has. */
const traceDigits = (received: ReceivedRequest): string =>
  received.requestId
    .replaceAll(/[^0-9a-f]/g, '')
    .padEnd(24, '0')
    .slice(0, 24)

/** What a mapping may ask of the request that failed. */
export interface ErrorContext {
  readonly requestId: string
  readonly at: number
  readonly stage: string
  readonly method: string
  readonly path: string
  readonly resource: string
  readonly sourceIp: string
  readonly responseType: string
  readonly message: string
}

function contextValue(context: ErrorContext, name: string): string {
  switch (name) {
    case 'requestId':
    case 'extendedRequestId':
      return context.requestId
    case 'requestTime':
      return logTime(context.at)
    case 'requestTimeEpoch':
      return String(context.at)
    case 'stage':
      return context.stage
    case 'httpMethod':
      return context.method
    case 'path':
      return context.path
    case 'resourcePath':
      return context.resource
    case 'identity.sourceIp':
      return context.sourceIp
    case 'error.responseType':
      return context.responseType
    case 'error.message':
      return context.message
    // The only variable that brings its own quotation marks.
    case 'error.messageString':
      return JSON.stringify(context.message)
    default:
      return ''
  }
}

/** Replaces `$context.…`; this is all that a gateway response's template can do (no VTL). */
export const fillTemplate = (template: string, context: ErrorContext): string =>
  template.replaceAll(/\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g, (_, name: string) =>
    contextValue(context, name),
  )

/** Status and text that API Gateway gives each error it makes itself, where the template says nothing else. */
const GATEWAY_ERRORS = {
  BAD_REQUEST_PARAMETERS: { status: 400, message: 'Bad Request' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'HTTP content length exceeded 10485760 bytes.' },
  THROTTLED: { status: 429, message: 'Too Many Requests' },
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
} as const

export type GatewayErrorType = keyof typeof GATEWAY_ERRORS

/**
 * The answer that the gateway itself makes: from the deployment's gateway response of that type, else from
 * `DEFAULT_4XX` or `DEFAULT_5XX`, else in the form that API Gateway has without either.
 */
export function gatewayError(
  responses: Deployment['gatewayResponses'],
  type: GatewayErrorType,
  context: Omit<ErrorContext, 'responseType' | 'message'>,
): GatewayAnswer {
  const error = GATEWAY_ERRORS[type]
  const filled: ErrorContext = { ...context, responseType: type, message: error.message }
  const response: GatewayResponse | undefined =
    responses[type] ?? responses[error.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX']
  const headers: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['x-amzn-RequestId', context.requestId],
    ['x-amzn-ErrorType', STATUS_CODES[response?.status ?? error.status]?.replaceAll(' ', '') ?? type],
  ]
  if (response === undefined) {
    const body = Buffer.from(JSON.stringify({ message: error.message }))
    return { status: error.status, headers, body }
  }
  for (const [name, value] of Object.entries(response.headers)) {
    const text =
      'literal' in value ? value.literal : contextValue(filled, value.context.replace(/^context\./, ''))
    const known = headers.findIndex(([other]) => other.toLowerCase() === name.toLowerCase())
    if (known === -1) headers.push([name, text])
    else headers[known] = [name, text]
  }
  return { status: response.status, headers, body: Buffer.from(fillTemplate(response.template, filled)) }
}

/** What API Gateway says before it has found a stage; no template applies there. */
export const forbiddenStage = (requestId: string): GatewayAnswer => ({
  status: 403,
  headers: [
    ['Content-Type', 'application/json'],
    ['x-amzn-RequestId', requestId],
    ['x-amzn-ErrorType', 'ForbiddenException'],
  ],
  body: Buffer.from('{"message":"Forbidden"}'),
})

/** Headers of a function that API Gateway does not let through under their own name. */
const REMAPPED = new Set([
  'authorization',
  'connection',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'user-agent',
  'www-authenticate',
])
/** Headers that belong to the connection: the gateway makes its own. */
const DROPPED = new Set(['content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer'])

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads what a function answered.
 * @returns null when it is not what a proxy integration must answer (API Gateway: 502, "Malformed Lambda proxy response")
 */
export function readProxyAnswer(payload: unknown, requestId: string): GatewayAnswer | null {
  if (!isRecord(payload)) return null
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = payload
  if (
    typeof statusCode !== 'number' ||
    !Number.isInteger(statusCode) ||
    statusCode < 200 ||
    statusCode > 599
  ) {
    return null
  }
  if (body !== undefined && body !== null && typeof body !== 'string') return null
  if (isBase64Encoded !== undefined && isBase64Encoded !== null && typeof isBase64Encoded !== 'boolean')
    return null

  const collected = new Map<string, { name: string; values: string[] }>()
  const put = (name: string, values: string[]) => {
    const lower = name.toLowerCase()
    if (DROPPED.has(lower)) return
    const sent = REMAPPED.has(lower) ? `x-amzn-remapped-${lower}` : name
    collected.set(sent.toLowerCase(), { name: sent, values })
  }
  for (const [source, multiple] of [
    [headers, false],
    [multiValueHeaders, true],
  ] as const) {
    if (source === undefined || source === null) continue
    if (!isRecord(source)) return null
    for (const [name, value] of Object.entries(source)) {
      const values: unknown[] = multiple ? (Array.isArray(value) ? value : [undefined]) : [value]
      if (!values.every(isScalar)) return null
      // Where both maps name a header, the map with several values is the one that counts.
      put(name, values.map(String))
    }
  }
  if (!collected.has('content-type')) put('Content-Type', ['application/json'])
  put('x-amzn-RequestId', [requestId])

  const text = typeof body === 'string' ? body : ''
  return {
    status: statusCode,
    headers: [...collected.values()].flatMap(({ name, values }) =>
      values.map((value): [string, string] => [name, value]),
    ),
    body: Buffer.from(text, isBase64Encoded === true ? 'base64' : 'utf8'),
  }
}
