import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type ErrorCode, REFUSALS, tooLargeForAny } from '#shared/contract/errors.ts'

/** An error that API Gateway makes itself, before or after a function. */
interface GatewayError {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const { invalid, unauthorized, forbidden, not_found, too_large, unsupported_media_type, rate_limited } =
  REFUSALS

const FORBIDDEN_HERE: GatewayError = { ...forbidden, message: 'The request was refused.' }
const BROKEN: GatewayError = {
  status: 500,
  code: 'INTERNAL_ERROR',
  message: 'The service failed to answer. Quote the request id when you report it.',
}

/** The stage's bucket of requests refills every second. */
const THROTTLED_RETRY_SECONDS = '1'
/** No usage plan sets a quota; were one added, a minute is the least a client should wait. */
const QUOTA_RETRY_SECONDS = '60'

/**
 * Every response type that API Gateway has. Without an entry here a type would fall back to the gateway's own body and
 * lose the headers that every answer of the service carries.
 */
export const GATEWAY_ERRORS: Readonly<Record<string, GatewayError>> = {
  ACCESS_DENIED: FORBIDDEN_HERE,
  API_CONFIGURATION_ERROR: BROKEN,
  AUTHORIZER_CONFIGURATION_ERROR: BROKEN,
  AUTHORIZER_FAILURE: BROKEN,
  BAD_REQUEST_BODY: { ...invalid, message: 'The body is not valid.' },
  BAD_REQUEST_PARAMETERS: { ...invalid, message: 'The parameters are not valid.' },
  DEFAULT_4XX: { ...invalid, message: 'The request is not valid.' },
  DEFAULT_5XX: BROKEN,
  EXPIRED_TOKEN: FORBIDDEN_HERE,
  INTEGRATION_FAILURE: { ...BROKEN, status: 502 },
  INTEGRATION_TIMEOUT: { ...BROKEN, status: 504, message: 'The answer took longer than 29 seconds.' },
  INVALID_API_KEY: FORBIDDEN_HERE,
  INVALID_SIGNATURE: FORBIDDEN_HERE,
  // What API Gateway calls a missing token is a path and method that it does not know.
  MISSING_AUTHENTICATION_TOKEN: { ...not_found, message: 'There is no such resource.' },
  QUOTA_EXCEEDED: {
    ...rate_limited,
    message: 'The quota is used up.',
    headers: { 'Retry-After': QUOTA_RETRY_SECONDS },
  },
  REQUEST_TOO_LARGE: { ...too_large, message: tooLargeForAny() },
  RESOURCE_NOT_FOUND: { ...not_found, message: 'There is no such resource.' },
  THROTTLED: {
    ...rate_limited,
    message: 'The service takes no more requests this second.',
    headers: { 'Retry-After': THROTTLED_RETRY_SECONDS },
  },
  UNAUTHORIZED: {
    ...unauthorized,
    message: 'An API key is required.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  UNSUPPORTED_MEDIA_TYPE: { ...unsupported_media_type, message: 'The body must be application/json.' },
  WAF_FILTERED: FORBIDDEN_HERE,
}

/**
 * Headers of every answer. The gateway knows no key, so it cannot count: limit and rest are the constants of a caller
 * who may not go on, and the reset is unknown.
 */
const HEADERS = {
  'X-RateLimit-Limit': '100',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '0',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

const REQUEST_ID = '$context.requestId'

const bodyOf = ({ code, message }: GatewayError): string =>
  JSON.stringify({ error: { code, message, details: { request_id: REQUEST_ID } } })

/** Gives the API's own errors the shape and the headers of all others. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, error] of Object.entries(GATEWAY_ERRORS)) {
    const literals = Object.entries({ ...HEADERS, ...error.headers })
    api.addGatewayResponse(`Gateway-${type}`, {
      type: ResponseType.of(type),
      statusCode: String(error.status),
      responseHeaders: {
        'X-Request-Id': 'context.requestId',
        ...Object.fromEntries(literals.map(([name, value]) => [name, `'${value}'`])),
      },
      templates: { 'application/json': bodyOf(error) },
    })
  }
}
