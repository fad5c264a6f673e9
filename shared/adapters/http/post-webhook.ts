import { type PostResult, RESPONSE_BYTES } from '../../domain/delivery.ts'
import { legible } from '../../domain/investigation/legible-text.ts'
import type { Post } from '../../domain/ports.ts'
import { EgressFailed, EgressRefused, EgressTimedOut, type GuardedRequest } from './guarded-request.ts'

type FailedPost = Extract<PostResult, { kind: 'failed' }>

const NO_ADDRESS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'])
const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$)/
const PROTOCOL = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_|UND_ERR_BAD_|UND_ERR_RESPONSE)/

/** Why no answer came, in the words of the log. */
function failureOf(error: unknown): FailedPost {
  if (error instanceof EgressRefused) return { kind: 'failed', error: 'refused_address' }
  if (error instanceof EgressTimedOut)
    return { kind: 'failed', error: error.missing === 'body' ? 'timeout_body' : 'timeout' }
  const code = error instanceof EgressFailed ? error.code : ''
  if (NO_ADDRESS.has(code)) return { kind: 'failed', error: 'no_address' }
  if (TLS.test(code)) return { kind: 'failed', error: 'tls' }
  return { kind: 'failed', error: PROTOCOL.test(code) ? 'protocol' : 'connection' }
}

/**
 * Posts events under the guard. A kept connection that the receiver had closed meanwhile is tried once more at once, on
 * a new one, within the same deadline: nothing of the event had been answered.
 * @param userAgent tells receivers who posts
 */
export function postWebhook(
  request: GuardedRequest,
  userAgent: string,
  clock: () => number = performance.now.bind(performance),
): Post {
  return async ({ url, headers, body, deadlineMs }) => {
    const startedAt = clock()
    const once = async (): Promise<PostResult> => {
      const left = Math.max(1, Math.round(deadlineMs - (clock() - startedAt)))
      const answer = await request({
        method: 'POST',
        url,
        headers: { ...headers, 'user-agent': userAgent },
        body,
        deadlineMs: left,
        maxBytes: RESPONSE_BYTES,
      })
      return {
        kind: 'answered',
        status: answer.status,
        retryAfter: answer.headers['retry-after'] ?? null,
        // Others print it: as JSON a control character is seven bytes long, and on a terminal it is obeyed.
        response: legible(Buffer.from(answer.body).toString('utf8')),
      }
    }
    try {
      return await once()
    } catch (error) {
      if (!(error instanceof EgressFailed && error.staleConnection)) return failureOf(error)
    }
    try {
      return await once()
    } catch (error) {
      return failureOf(error)
    }
  }
}
