import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { ApiHandler } from '#shared/edge/endpoint.ts'

/** What a test sends; everything else of the event is as API Gateway makes it. */
export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly resource?: string
  readonly id?: string
  /** Further parameters of the path. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  /** Text or bytes of the body, or a value to send as JSON. */
  readonly body?: unknown
  readonly sourceIp?: string
  /** Milliseconds the function may still run. */
  readonly remaining?: number
}

let requests = 0

/** The v1 proxy event of a request. */
export function eventOf(sent: Sent): APIGatewayProxyEvent {
  requests += 1
  const many = (given: Sent['headers'] = {}) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? [value] : [...value]]),
    )
  const last = (given: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values.at(-1) ?? '']))
  const { body } = sent
  const bytes =
    body === undefined
      ? null
      : body instanceof Uint8Array || typeof body === 'string'
        ? Buffer.from(body as string)
        : Buffer.from(JSON.stringify(body))
  const multiValueHeaders = many({
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...sent.headers,
  })
  const multiValueQueryStringParameters = many(sent.query)
  const path = sent.path ?? '/things'
  return {
    resource: sent.resource ?? path,
    path,
    httpMethod: sent.method ?? 'GET',
    headers: last(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: sent.query === undefined ? null : last(multiValueQueryStringParameters),
    multiValueQueryStringParameters: sent.query === undefined ? null : multiValueQueryStringParameters,
    pathParameters: sent.id === undefined ? null : { id: sent.id, ...sent.parameters },
    stageVariables: null,
    body: bytes === null ? null : bytes.toString('base64'),
    isBase64Encoded: bytes !== null,
    requestContext: {
      requestId: `request-${requests.toString().padStart(8, '0')}`,
      path: `/v1${path}`,
      stage: 'v1',
      domainName: 'api.example.test',
      identity: { sourceIp: sent.sourceIp ?? `198.51.100.${requests % 250}` },
    },
  } as unknown as APIGatewayProxyEvent
}

/** The longest that a function may run: how fast the machine is decides nothing, unless a test is about deadlines. */
const LONGEST_MS = 900_000

/** The context of a Lambda invocation. */
export const contextOf = (remaining = LONGEST_MS): Context =>
  ({
    awsRequestId: 'aws-request',
    functionName: 'function',
    getRemainingTimeInMillis: () => remaining,
  }) as Context

export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any
}

/** Sends one request through a handler, as JSON both ways like the real thing. */
export async function send(handler: ApiHandler, sent: Sent = {}): Promise<Got> {
  const event = JSON.parse(JSON.stringify(eventOf(sent))) as APIGatewayProxyEvent
  const result: APIGatewayProxyResult = await handler(event, contextOf(sent.remaining))
  return {
    status: result.statusCode,
    headers: Object.fromEntries(
      Object.entries(result.headers ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    body: result.body === '' ? null : JSON.parse(result.body),
  }
}
