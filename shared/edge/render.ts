import type { APIGatewayProxyResult } from 'aws-lambda'
import { REFUSALS } from '../contract/errors.ts'
import { Refusal } from '../domain/errors.ts'
import { type RateState, rateHeaders } from '../domain/rate-limit.ts'
import { entityTag } from './entity-tags.ts'

/** What an operation answers; the status is the one its row in the table declares. */
export interface Answer {
  /** Another status than that of the row: what was asked for is there already. */
  readonly status?: number
  readonly body?: unknown
  /** Version of the resource that is answered; it becomes the ETag. */
  readonly version?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** The headers that every response carries, whatever it says. */
const everyResponse = (requestId: string, rate: RateState): Record<string, string> => ({
  ...rateHeaders(rate),
  'X-Request-Id': requestId,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
})

/** An answer as API Gateway takes it. */
export function renderAnswer(
  status: number,
  answer: Answer,
  requestId: string,
  rate: RateState,
): APIGatewayProxyResult {
  const headers: Record<string, string> = { ...everyResponse(requestId, rate), ...answer.headers }
  const statusCode = answer.status ?? status
  if (answer.version !== undefined) headers.ETag = entityTag(answer.version)
  if (answer.body === undefined) return { statusCode, headers, body: '' }
  headers['Content-Type'] = 'application/json; charset=utf-8'
  return { statusCode, headers, body: JSON.stringify(answer.body) }
}

/** An error in the shape of the specification. An unforeseen one shows the request's id and nothing else. */
export function renderError(error: unknown, requestId: string, rate: RateState): APIGatewayProxyResult {
  if (error instanceof Refusal) {
    const { code, status } = REFUSALS[error.kind]
    const body = { error: { code, message: error.message, details: error.details } }
    return renderAnswer(status, { body, headers: error.headers }, requestId, rate)
  }
  const body = {
    error: {
      code: 'INTERNAL_ERROR',
      message: 'The service failed to answer. Quote the request id when you report it.',
      details: { request_id: requestId },
    },
  }
  return renderAnswer(500, { body }, requestId, rate)
}
