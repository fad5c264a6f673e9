import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { describe, expect, it } from 'vitest'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { CONSOLE, CONSOLE_PATHS } from '#shared/contract/console.ts'
import { errorBody } from '#shared/contract/error-body.ts'
import { ERROR_CODES, REFUSALS } from '#shared/contract/errors.ts'
import { CATCH_ALL, operationList } from '#shared/contract/operations.ts'
import { resourcesOf, synthesise } from './synthesise.ts'

const deployment = await readDeployment()
const { api } = synthesise().templates

/** The path and every one above it: `/a/{id}/b` → `/`, `/a`, `/a/{id}`, `/a/{id}/b`. */
const withParents = (path: string): string[] => {
  const segments = path.split('/').slice(1)
  return ['/', ...segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)]
}

describe('the routes', () => {
  it('are the operations of the table, the console, and a refusal on every resource, the root and everything else', () => {
    const operations = operationList.map(({ id, method, path }) => `${method} ${path} ${id}`)
    const files = CONSOLE_PATHS.map((path) => `GET ${path} ${CONSOLE}`)
    const paths = [...operationList.map(({ path }) => path), ...CONSOLE_PATHS]
    const resources = new Set([...paths.flatMap(withParents), '/{proxy+}'])
    const refusals = [...resources].map((resource) => `ANY ${resource} ${CATCH_ALL}`)
    const routes = deployment.routes.map(
      ({ method, resource, functionId }) => `${method} ${resource} ${functionId}`,
    )
    expect(routes.sort()).toEqual([...operations, ...files, ...refusals].sort())
  })

  it('leave every function its time: none is cut off by the gateway first', () => {
    for (const { functionId, timeoutMs } of deployment.routes)
      expect(deployment.functions[functionId]?.timeoutMs, functionId).toBeLessThan(timeoutMs)
  })

  it('hand every request to the function as it came, without authorizer or template', () => {
    const methods = Object.values(api.findResources('AWS::ApiGateway::Method'))
    expect(methods).toHaveLength(deployment.routes.length)
    for (const { Properties } of methods) {
      expect(Properties.AuthorizationType).toBe('NONE')
      expect(Properties.Integration.Type).toBe('AWS_PROXY')
      expect(Properties.Integration.RequestTemplates).toBeUndefined()
    }
  })

  it('may each call their function, and nothing else may', () => {
    const permissions = Object.values(api.findResources('AWS::Lambda::Permission'))
    expect(permissions).toHaveLength(deployment.routes.length)
    const sources = permissions.map(({ Properties }) => JSON.stringify(Properties.SourceArn))
    expect(new Set(sources).size).toBe(permissions.length)
    for (const { Properties } of permissions) {
      expect(Properties.Principal).toBe('apigateway.amazonaws.com')
      expect(JSON.stringify(Properties.SourceArn)).not.toContain('test-invoke-stage')
      expect(JSON.stringify(Properties.SourceArn)).toContain('DeploymentStagev1')
    }
  })
})

describe('the API', () => {
  it('is regional, gives bodies to the functions as bytes, and throttles its one stage v1', () => {
    api.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      BinaryMediaTypes: ['*/*'],
    })
    expect(Object.keys(api.findResources('AWS::ApiGateway::Stage'))).toHaveLength(1)
    api.hasResourceProperties('AWS::ApiGateway::Stage', { StageName: 'v1', TracingEnabled: true })
    expect(deployment).toMatchObject({ stage: 'v1', throttle: { ratePerSecond: 200, burst: 400 } })
  })

  it('takes throttle and tracing from the settings', () => {
    const given = synthesise({ throttleRatePerSecond: 7, throttleBurst: 9, xray: false })
    given.templates.api.hasResourceProperties('AWS::ApiGateway::Stage', {
      MethodSettings: [
        { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9, HttpMethod: '*', ResourcePath: '/*' },
      ],
    })
    for (const { resource } of resourcesOf(given, 'AWS::Lambda::Function'))
      expect(resource.Properties.TracingConfig?.Mode ?? 'PassThrough').toBe('PassThrough')
  })

  it('traces one request in twenty, of its own requests alone, and none where traces are off', () => {
    api.hasResourceProperties('AWS::XRay::SamplingRule', {
      SamplingRule: {
        FixedRate: 0.05,
        ReservoirSize: 0,
        ServiceName: 'incident-investigator-dev/v1',
        ServiceType: 'AWS::ApiGateway::Stage',
      },
    })
    synthesise({ xray: false }).templates.api.resourceCountIs('AWS::XRay::SamplingRule', 0)
  })

  it('writes an access log of JSON lines without query strings, paths or keys, where asked to', () => {
    const given = synthesise({ accessLog: 'with-existing-account-role' })
    const [stage] = Object.values(given.templates.api.findResources('AWS::ApiGateway::Stage'))
    const { Format, DestinationArn } = stage?.Properties.AccessLogSetting ?? {}
    expect(DestinationArn).toBeDefined()
    expect(Object.values(JSON.parse(Format) as Record<string, string>)).toContain('$context.requestId')
    expect(Format).not.toMatch(/context\.path\b|querystring|protocol|authorization|header/i)
    expect(resourcesOf(given, 'AWS::ApiGateway::Account')).toEqual([])
  })

  it('logs executions that fail, without bodies and as long as the other logs, where it may write logs', () => {
    const { templates } = synthesise({ accessLog: 'with-existing-account-role' })
    const [stage] = Object.values(templates.api.findResources('AWS::ApiGateway::Stage'))
    expect(stage?.Properties.MethodSettings).toEqual([
      expect.objectContaining({
        HttpMethod: '*',
        ResourcePath: '/*',
        LoggingLevel: 'ERROR',
        DataTraceEnabled: false,
      }),
    ])
    const groups = Object.entries(templates.api.findResources('AWS::Logs::LogGroup'))
    const [id, group] = groups.find(([name]) => name.startsWith('ExecutionLog')) ?? []
    expect(JSON.stringify(group?.Properties.LogGroupName)).toMatch(
      /^\{"Fn::Join":\["",\["API-Gateway-Execution-Logs_",\{"Ref":"Api\w+"\},"\/v1"\]\]\}$/,
    )
    expect(group?.Properties.RetentionInDays).toBe(30)
    expect(stage?.DependsOn).toContain(id)
  })

  it('sets the role for the whole account only where asked to, and does not take it away again', () => {
    const given = synthesise({ accessLog: 'with-new-account-role' })
    const [account] = resourcesOf(given, 'AWS::ApiGateway::Account')
    expect(account?.resource.DeletionPolicy).toBe('Retain')
    const [stage] = Object.values(given.templates.api.findResources('AWS::ApiGateway::Stage'))
    expect(stage?.DependsOn).toContain(account?.id)
  })

  it('stands behind a web firewall that judges addresses, never bodies, where asked to', () => {
    const { templates } = synthesise({ waf: true })
    const [firewall] = Object.values(templates.api.findResources('AWS::WAFv2::WebACL'))
    const statements = JSON.stringify(firewall?.Properties.Rules)
    expect(statements).toContain('RateBasedStatement')
    expect(statements).toContain('AWSManagedRulesAmazonIpReputationList')
    expect(statements).not.toMatch(/CommonRuleSet|FieldToMatch|KnownBadInputs/)
    templates.api.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1)
    api.resourceCountIs('AWS::WAFv2::WebACL', 0)
  })
})

const RESPONSE_TYPES = Object.values(ResponseType).flatMap((type: unknown) =>
  type instanceof ResponseType ? [type.responseType] : [],
)
const STATUS_OF_CODE = new Map([
  ...Object.values(REFUSALS).map(({ code, status }) => [`${code} ${status}`, true] as const),
  ...[500, 502, 503, 504].map((status) => [`INTERNAL_ERROR ${status}`, true] as const),
])

describe('the errors that the gateway makes itself', () => {
  it('are all of those it can make', () => {
    expect(RESPONSE_TYPES.length).toBeGreaterThan(20)
    expect(Object.keys(deployment.gatewayResponses).sort()).toEqual([...RESPONSE_TYPES].sort())
  })

  it.each(RESPONSE_TYPES)('%s has the shape and the headers of every other error', (type) => {
    const response = deployment.gatewayResponses[type]
    if (response === undefined) throw new Error(`${type} is missing`)
    const body = JSON.parse(response.template.replaceAll('$context.requestId', 'a-request')) as unknown
    const parsed = errorBody.parse(body)
    expect(ERROR_CODES).toContain(parsed.error.code)
    expect(parsed.error.message).toMatch(/^[A-Z].*\.$/)
    expect(parsed.error.details).toEqual({ request_id: 'a-request' })
    expect(STATUS_OF_CODE.has(`${parsed.error.code} ${response.status}`), `${response.status}`).toBe(true)
    expect(response.headers).toMatchObject({
      'Content-Type': { literal: 'application/json' },
      'X-RateLimit-Limit': { literal: '100' },
      'X-RateLimit-Remaining': { literal: '0' },
      'X-RateLimit-Reset': { literal: '0' },
      'X-Request-Id': { context: 'context.requestId' },
      'Cache-Control': { literal: 'no-store' },
      'X-Content-Type-Options': { literal: 'nosniff' },
    })
    expect(response.headers['Retry-After'] !== undefined).toBe(response.status === 429)
    expect(response.headers['WWW-Authenticate'] !== undefined).toBe(response.status === 401)
  })

  it.each([
    ['MISSING_AUTHENTICATION_TOKEN', 404, 'NOT_FOUND'],
    ['THROTTLED', 429, 'RATE_LIMIT_EXCEEDED'],
    ['QUOTA_EXCEEDED', 429, 'RATE_LIMIT_EXCEEDED'],
    ['REQUEST_TOO_LARGE', 413, 'INVALID_REQUEST'],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'INVALID_REQUEST'],
    ['UNAUTHORIZED', 401, 'UNAUTHORIZED'],
    ['WAF_FILTERED', 403, 'FORBIDDEN'],
    ['INTEGRATION_TIMEOUT', 504, 'INTERNAL_ERROR'],
    ['INTEGRATION_FAILURE', 502, 'INTERNAL_ERROR'],
    ['DEFAULT_4XX', 400, 'INVALID_REQUEST'],
    ['DEFAULT_5XX', 500, 'INTERNAL_ERROR'],
  ])('%s is %i %s', (type, status, code) => {
    const response = deployment.gatewayResponses[type]
    expect(response?.status).toBe(status)
    expect(response?.template).toContain(`"code":"${code}"`)
  })

  it('tells of a body that is too large for all how large one may be', () => {
    expect(deployment.gatewayResponses.REQUEST_TOO_LARGE?.template).toContain(
      'it may have at most 256 KB, what a tool sends to its ingest address 4.5 MB.',
    )
  })
})
