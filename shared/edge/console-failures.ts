import type { APIGatewayProxyResult } from 'aws-lambda'
import { notFound } from '../domain/errors.ts'
import type { RateState } from '../domain/rate-limit.ts'
import { log } from './log.ts'
import { renderError } from './render.ts'

/** The answer for a page or an asset that is not there: 404 in the shape of every error. */
export const pageMissing = (requestId: string, rate: RateState): APIGatewayProxyResult =>
  renderError(notFound('This page'), requestId, rate)

/** The answer when serving failed for a reason nobody foresaw: 500, and a line in the log that says where. */
export function pageFailed(error: unknown, requestId: string, rate: RateState): APIGatewayProxyResult {
  log('error', 'request_failed', { operation: 'serve-console', request_id: requestId }, error)
  return renderError(error, requestId, rate)
}
