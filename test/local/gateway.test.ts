import type { APIGatewayProxyEvent } from 'aws-lambda'
import { afterEach, describe, expect, it } from 'vitest'
import type { Deployment, Route } from '#infra/local/deployment.ts'
import type { InvokeOutcome } from '#infra/local/function-host.ts'
import { type Gateway, type GatewayOptions, startGateway } from '#infra/local/gateway.ts'
import { fillTemplate, routeTable } from '#infra/local/gateway-event.ts'
import { headerOf, type RawResponse, sendRequest } from './send-request.ts'

const route = (method: Route['method'], resource: string): Route => ({
  method,
  resource,
  functionId: `${method} ${resource}`,
  timeoutMs: 29_000,
})

const ROUTES = [
  route('ANY', '/'),
  route('ANY', '/{proxy+}'),
  route('GET', '/incidents'),
  route('POST', '/incidents'),
  route('ANY', '/incidents'),
  route('GET', '/incidents/{id}'),
  route('ANY', '/incidents/{id}'),
  route('POST', '/incidents/{id}/investigate'),
  route('GET', '/incidents/latest'),
]

const errorTemplate = (code: string) =>
  `{"error":{"code":"${code}","message":$context.error.messageString,"details":{"request_id":"$context.requestId"}}}`

const DEPLOYMENT: GatewayOptions['deployment'] = {
  stage: 'v1',
  routes: ROUTES,
  throttle: { ratePerSecond: 200, burst: 400 },
  gatewayResponses: {
    DEFAULT_4XX: { status: 400, headers: {}, template: errorTemplate('INVALID_REQUEST') },
    DEFAULT_5XX: {
      status: 500,
      headers: { 'X-Request-Id': { context: 'context.requestId' } },
      template: errorTemplate('INTERNAL_ERROR'),
    },
    MISSING_AUTHENTICATION_TOKEN: { status: 404, headers: {}, template: errorTemplate('NOT_FOUND') },
    REQUEST_TOO_LARGE: {
      status: 413,
      headers: {
        'Cache-Control': { literal: 'no-store' },
        'content-type': { literal: 'application/json; charset=utf-8' },
      },
      template: errorTemplate('INVALID_REQUEST'),
    },
    THROTTLED: {
      status: 429,
      headers: { 'Retry-After': { literal: '1' } },
      template: errorTemplate('RATE_LIMIT_EXCEEDED'),
    },
    INTEGRATION_FAILURE: {
      status: 502,
      headers: { 'X-Request-Id': { context: 'context.requestId' } },
      template: errorTemplate('INTERNAL_ERROR'),
    },
    INTEGRATION_TIMEOUT: { status: 504, headers: {}, template: errorTemplate('INTERNAL_ERROR') },
  },
}

const opened: Gateway[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((gateway) => gateway.close()))
})

interface Recorded {
  readonly gateway: Gateway
  readonly events: { readonly functionId: string; readonly event: APIGatewayProxyEvent }[]
}

async function serve(
  answer: unknown = { statusCode: 200, body: '{}' },
  options: Partial<GatewayOptions> = {},
): Promise<Recorded> {
  const events: Recorded['events'] = []
  const gateway = await startGateway({
    deployment: DEPLOYMENT,
    port: 0,
    invoke: (functionId, event) => {
      events.push({ functionId, event: event as APIGatewayProxyEvent })
      return Promise.resolve({ ok: true, payload: answer })
    },
    ...options,
  })
  opened.push(gateway)
  return { gateway, events }
}

const only = (recorded: Recorded): APIGatewayProxyEvent => {
  expect(recorded.events).toHaveLength(1)
  return (recorded.events[0] as Recorded['events'][number]).event
}

const bodyOf = (response: RawResponse): unknown => JSON.parse(response.body.toString())

describe('routing', () => {
  const match = routeTable(ROUTES)
  it.each([
    ['GET', '/incidents', 'GET /incidents', null],
    ['GET', '/incidents/', 'GET /incidents', null],
    ['DELETE', '/incidents', 'ANY /incidents', null],
    ['HEAD', '/incidents', 'ANY /incidents', null],
    ['OPTIONS', '/incidents/inc_1', 'ANY /incidents/{id}', { id: 'inc_1' }],
    ['GET', '/incidents/latest', 'GET /incidents/latest', null],
    ['GET', '/incidents/inc%201%2F2', 'GET /incidents/{id}', { id: 'inc 1/2' }],
    ['POST', '/incidents/inc_1/investigate', 'POST /incidents/{id}/investigate', { id: 'inc_1' }],
    ['GET', '/incidents/inc_1/nowhere', 'ANY /{proxy+}', { proxy: 'incidents/inc_1/nowhere' }],
    ['GET', '/Incidents', 'ANY /{proxy+}', { proxy: 'Incidents' }],
    ['GET', '/', 'ANY /', null],
  ])('%s %s goes to %s', (method, path, functionId, pathParameters) => {
    const found = match(method, path)
    expect(found?.route?.functionId).toBe(functionId)
    expect(found?.pathParameters).toEqual(pathParameters)
  })

  it('does not leave a resource that lacks the method for a vaguer one', () => {
    const found = match('DELETE', '/incidents/latest')
    expect(found).toEqual({ resource: '/incidents/latest', pathParameters: null, route: undefined })
  })

  it('matches no parameter with an empty segment', () => {
    expect(match('POST', '/incidents//investigate')?.resource).toBe('/{proxy+}')
  })
})

describe('the event', () => {
  it('keeps the case of header names and gives the last value of a repeated one, with all of them beside', async () => {
    const recorded = await serve()
    await sendRequest(recorded.gateway.port, 'GET', '/v1/incidents', ['X-OwnName: one', 'x-ownname: two'])
    const event = only(recorded)
    expect(event.headers['X-OwnName']).toBe('two')
    expect(event.headers['x-ownname']).toBeUndefined()
    expect(event.multiValueHeaders['X-OwnName']).toEqual(['one', 'two'])
  })

  it('gives the last value of a repeated query parameter, with all of them beside, decoded', async () => {
    const recorded = await serve()
    await sendRequest(recorded.gateway.port, 'GET', '/v1/incidents?a=1&a=2%20%26&b=&c')
    const event = only(recorded)
    expect(event.queryStringParameters).toEqual({ a: '2 &', b: '', c: '' })
    expect(event.multiValueQueryStringParameters).toEqual({ a: ['1', '2 &'], b: [''], c: [''] })
  })

  it('has null where there is no query, no path parameter and no body', async () => {
    const recorded = await serve()
    await sendRequest(recorded.gateway.port, 'GET', '/v1/incidents')
    expect(only(recorded)).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
    })
  })

  it('names the resource, the path without the stage and the path with it', async () => {
    const recorded = await serve(undefined, {
      newRequestId: () => '11111111-2222-3333-4444-555555555555',
      now: () => Date.UTC(2026, 3, 9, 12, 34, 56),
    })
    await sendRequest(recorded.gateway.port, 'GET', '/v1/incidents/inc%201?x=1', ['User-Agent: tests'])
    expect(only(recorded)).toMatchObject({
      resource: '/incidents/{id}',
      path: '/incidents/inc%201',
      httpMethod: 'GET',
      pathParameters: { id: 'inc 1' },
      requestContext: {
        requestId: '11111111-2222-3333-4444-555555555555',
        resourcePath: '/incidents/{id}',
        path: '/v1/incidents/inc%201',
        stage: 'v1',
        protocol: 'HTTP/1.1',
        httpMethod: 'GET',
        domainName: `127.0.0.1:${recorded.gateway.port}`,
        requestTime: '09/Apr/2026:12:34:56 +0000',
        requestTimeEpoch: Date.UTC(2026, 3, 9, 12, 34, 56),
        identity: { sourceIp: '127.0.0.1', userAgent: 'tests', user: null },
      },
    })
  })

  it('carries every byte of a body in base64, valid UTF-8 or not', async () => {
    const recorded = await serve()
    const bytes = Buffer.from([0, 255, 128, 10, 13, 123, 125])
    await sendRequest(recorded.gateway.port, 'POST', '/v1/incidents', [], bytes)
    const event = only(recorded)
    expect(event.isBase64Encoded).toBe(true)
    expect(Buffer.from(event.body ?? '', 'base64')).toEqual(bytes)
  })

  it('appends the caller to X-Forwarded-For and never lets a caller choose the source address', async () => {
    const recorded = await serve()
    await sendRequest(recorded.gateway.port, 'GET', '/v1/incidents', ['X-Forwarded-For: 203.0.113.9'])
    const event = only(recorded)
    expect(event.headers['X-Forwarded-For']).toBe('203.0.113.9, 127.0.0.1')
    expect(event.requestContext.identity.sourceIp).toBe('127.0.0.1')
  })
})

describe('the answer of a function', () => {
  it('is sent with its status, headers and body', async () => {
    const { gateway } = await serve({
      statusCode: 201,
      headers: { Location: '/v1/incidents/inc_1', 'X-Number': 7 },
      multiValueHeaders: { 'X-Many': ['a', 'b'] },
      body: '{"id":"inc_1"}',
    })
    const response = await sendRequest(gateway.port, 'POST', '/v1/incidents')
    expect(response.status).toBe(201)
    expect(headerOf(response, 'Location')).toBe('/v1/incidents/inc_1')
    expect(headerOf(response, 'X-Number')).toBe('7')
    expect(response.headers.filter(([name]) => name === 'X-Many').map(([, value]) => value)).toEqual([
      'a',
      'b',
    ])
    expect(headerOf(response, 'Content-Type')).toBe('application/json')
    expect(bodyOf(response)).toEqual({ id: 'inc_1' })
  })

  it('takes the values of the map with several where both name a header', async () => {
    const { gateway } = await serve({
      statusCode: 200,
      headers: { 'x-name': 'single' },
      multiValueHeaders: { 'X-Name': ['several'] },
    })
    const response = await sendRequest(gateway.port, 'GET', '/v1/incidents')
    expect(headerOf(response, 'x-name')).toBe('several')
  })

  it('has WWW-Authenticate renamed', async () => {
    const { gateway } = await serve({
      statusCode: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      body: '{}',
    })
    const response = await sendRequest(gateway.port, 'GET', '/v1/incidents')
    expect(headerOf(response, 'x-amzn-remapped-www-authenticate')).toBe('Bearer')
    expect(headerOf(response, 'WWW-Authenticate')).toBeUndefined()
  })

  it('is decoded from base64', async () => {
    const bytes = Buffer.from([0, 1, 254, 255])
    const { gateway } = await serve({
      statusCode: 200,
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    })
    expect((await sendRequest(gateway.port, 'GET', '/v1/incidents')).body).toEqual(bytes)
  })

  it('goes to HEAD without its body, through ANY', async () => {
    const recorded = await serve({ statusCode: 405, headers: { Allow: 'GET, POST' }, body: '{"error":1}' })
    const response = await sendRequest(recorded.gateway.port, 'HEAD', '/v1/incidents')
    expect(recorded.events[0]?.functionId).toBe('ANY /incidents')
    expect(response.status).toBe(405)
    expect(headerOf(response, 'Allow')).toBe('GET, POST')
    expect(response.body).toHaveLength(0)
  })

  it('has neither body nor length when it is 204', async () => {
    const { gateway } = await serve({ statusCode: 204 })
    const response = await sendRequest(gateway.port, 'DELETE', '/v1/incidents')
    expect(response.status).toBe(204)
    expect(response.body).toHaveLength(0)
    expect(headerOf(response, 'Content-Length')).toBeUndefined()
  })

  it.each([
    ['nothing', null],
    ['a text', 'hello'],
    ['no status', { body: '{}' }],
    ['a status as text', { statusCode: '200' }],
    ['a body that is no text', { statusCode: 200, body: { a: 1 } }],
    ['a header that is an object', { statusCode: 200, headers: { A: {} } }],
    ['several values that are no list', { statusCode: 200, multiValueHeaders: { A: 'a' } }],
    ['a header that HTTP cannot carry', { statusCode: 200, headers: { A: 'a\nb' } }],
  ])('is refused with 502 when it is %s', async (_, payload) => {
    const { gateway } = await serve(payload)
    const response = await sendRequest(gateway.port, 'GET', '/v1/incidents')
    expect(response.status).toBe(502)
    expect(bodyOf(response)).toMatchObject({
      error: { code: 'INTERNAL_ERROR', message: 'Internal server error' },
    })
  })
})

describe('what the gateway refuses itself', () => {
  it('answers an unknown stage as AWS does, without a template', async () => {
    const { gateway } = await serve()
    for (const target of ['/', '/v2/incidents', '/v1x/incidents', '/incidents']) {
      const response = await sendRequest(gateway.port, 'GET', target)
      expect(response.status).toBe(403)
      expect(response.body.toString()).toBe('{"message":"Forbidden"}')
    }
  })

  it('takes a request of 10 MB only up to what an event can hold, and none above 10 MB', async () => {
    const recorded = await serve()
    for (const bytes of [10_485_761, 5_000_000]) {
      const response = await sendRequest(
        recorded.gateway.port,
        'POST',
        '/v1/incidents',
        [],
        Buffer.alloc(bytes),
      )
      expect(response.status).toBe(413)
      expect(headerOf(response, 'Cache-Control')).toBe('no-store')
      expect(headerOf(response, 'Content-Type')).toBe('application/json; charset=utf-8')
      expect(bodyOf(response)).toMatchObject({
        error: { message: 'HTTP content length exceeded 10485760 bytes.' },
      })
    }
    expect(recorded.events).toHaveLength(0)
    const taken = await sendRequest(
      recorded.gateway.port,
      'POST',
      '/v1/incidents',
      [],
      Buffer.alloc(4_700_000),
    )
    expect(taken.status).toBe(200)
  })

  it('answers 504 when a function takes longer than the route waits, and drops its late answer', async () => {
    const appointments: { readonly ms: number; readonly then: () => void }[] = []
    let answer: (outcome: InvokeOutcome) => void = () => {}
    const { gateway } = await serve(undefined, {
      after: (ms, then) => {
        appointments.push({ ms, then })
        return () => {}
      },
      invoke: () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    })
    const sent = sendRequest(gateway.port, 'GET', '/v1/incidents')
    await expect.poll(() => appointments.length).toBe(1)
    expect(appointments[0]?.ms).toBe(29_000)
    appointments[0]?.then()
    const response = await sent
    answer({ ok: true, payload: { statusCode: 200 } })
    expect(response.status).toBe(504)
    expect(bodyOf(response)).toMatchObject({ error: { message: 'Endpoint request timed out' } })
  })

  it('answers 502 with a request id and nothing of the failure when a function fails', async () => {
    const lines: string[] = []
    const { gateway } = await serve(undefined, {
      log: (line) => lines.push(line),
      invoke: () => Promise.resolve({ ok: false, error: { type: 'TypeError', message: 'secret detail' } }),
    })
    const response = await sendRequest(gateway.port, 'GET', '/v1/incidents')
    expect(response.status).toBe(502)
    expect(response.body.toString()).not.toContain('secret detail')
    const requestId = headerOf(response, 'X-Request-Id')
    expect(bodyOf(response)).toMatchObject({ error: { details: { request_id: requestId } } })
    expect(lines).toEqual([`${requestId} GET /incidents: TypeError: secret detail`])
  })

  it('answers a resource without the method with its own gateway response', async () => {
    const { gateway } = await serve()
    const response = await sendRequest(gateway.port, 'DELETE', '/v1/incidents/latest')
    expect(response.status).toBe(404)
    expect(bodyOf(response)).toMatchObject({
      error: { code: 'NOT_FOUND', message: 'Missing Authentication Token' },
    })
  })

  it('falls back to DEFAULT_4XX for a path that cannot be decoded', async () => {
    const { gateway } = await serve()
    const response = await sendRequest(gateway.port, 'GET', '/v1/incidents/%E0%A4')
    expect(response.status).toBe(400)
    expect(bodyOf(response)).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  })

  it('answers in the form of AWS where the template has no gateway response', async () => {
    const bare: Deployment['gatewayResponses'] = {}
    const { gateway } = await serve(null, { deployment: { ...DEPLOYMENT, gatewayResponses: bare } })
    const response = await sendRequest(gateway.port, 'GET', '/v1/incidents')
    expect(response.status).toBe(502)
    expect(bodyOf(response)).toEqual({ message: 'Internal server error' })
  })

  it('throttles the stage: its burst at once, its rate in the long run', async () => {
    let now = 0
    const { gateway } = await serve(undefined, {
      now: () => now,
      deployment: { ...DEPLOYMENT, throttle: { ratePerSecond: 1, burst: 2 } },
    })
    const status = async () => (await sendRequest(gateway.port, 'GET', '/v1/incidents')).status
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429])
    now = 1_000
    expect([await status(), await status()]).toEqual([200, 429])
  })
})

it('fills templates by plain replacement: only messageString brings quotation marks, unknown names are empty', () => {
  const context = {
    requestId: 'r',
    at: 0,
    stage: 'v1',
    method: 'GET',
    path: '/v1/a',
    resource: '/a',
    sourceIp: '127.0.0.1',
    responseType: 'THROTTLED',
    message: 'say "no"',
  }
  const template =
    '$context.error.message|$context.error.messageString|$context.requestId.|$context.no.such|$other'
  expect(fillTemplate(template, context)).toBe('say "no"|"say \\"no\\""|r.||$other')
})

it('refuses a port that is taken', async () => {
  const { gateway } = await serve()
  await expect(serve(undefined, { port: gateway.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
