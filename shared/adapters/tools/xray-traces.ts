import * as z from 'zod/mini'
import type { Span } from '#shared/domain/investigation/records/snapshot.ts'

// What X-Ray answers about traces: segments are documents of JSON in a text, spans within spans.

/** An error's text longer than this is cut. */
const LONGEST_MESSAGE = 500

export const traceSummary = z.object({ Id: z.string() })
export const traceAnswer = z.object({
  Id: z.string(),
  Segments: z.array(z.object({ Document: z.string() })),
})

const exception = z.object({ type: z.optional(z.string()), message: z.optional(z.string()) })
const document = z.object({
  id: z.string(),
  name: z.string(),
  start_time: z.number(),
  end_time: z.optional(z.number()),
  parent_id: z.optional(z.string()),
  fault: z.optional(z.boolean()),
  error: z.optional(z.boolean()),
  throttle: z.optional(z.boolean()),
  http: z.optional(
    z.object({
      request: z.optional(z.object({ method: z.optional(z.string()) })),
      response: z.optional(z.object({ status: z.optional(z.number()) })),
    }),
  ),
  aws: z.optional(z.object({ operation: z.optional(z.string()) })),
  // An id instead, where the exception is told by the segment in which it arose.
  cause: z.optional(z.union([z.string(), z.object({ exceptions: z.optional(z.array(exception)) })])),
  subsegments: z.optional(z.array(z.unknown())),
})
type XrayDocument = z.infer<typeof document>

/** How a segment went, in the names that spans of other tools have. */
function attributesOf({ http, aws, cause, throttle }: XrayDocument): Readonly<Record<string, unknown>> {
  const thrown = typeof cause === 'object' ? cause.exceptions?.[0] : undefined
  return Object.fromEntries(
    Object.entries({
      'http.request.method': http?.request?.method,
      'http.response.status_code': http?.response?.status,
      'rpc.method': aws?.operation,
      'exception.type': thrown?.type,
      'exception.message': thrown?.message?.slice(0, LONGEST_MESSAGE),
      'error.throttled': throttle === true ? true : undefined,
    }).filter(([, value]) => value !== undefined),
  )
}

/**
 * The spans of one trace; documents that cannot be read are counted. One that has not ended yet has no duration to tell
 * and is left out.
 * @param named the service that a name in X-Ray stands for
 */
export function xraySpans(
  { Id, Segments }: z.infer<typeof traceAnswer>,
  source: string,
  named: (name: string) => string,
): { readonly spans: Span[]; readonly malformed: number } {
  const spans: Span[] = []
  let malformed = 0
  const read = (one: unknown, parent: string | null): void => {
    const parsed = document.safeParse(one)
    if (!parsed.success) {
      malformed += 1
      return
    }
    const { id, name, start_time, end_time, parent_id, fault, error, subsegments = [] } = parsed.data
    if (end_time !== undefined) {
      spans.push({
        source,
        trace_id: Id,
        span_id: id,
        parent_id: parent ?? parent_id ?? null,
        service: named(name),
        name,
        start: Math.floor(start_time * 1_000),
        duration_us: Math.max(0, Math.round((end_time - start_time) * 1e6)),
        status: fault === true || error === true ? 'error' : 'ok',
        attributes: attributesOf(parsed.data),
      })
    }
    for (const inner of subsegments) read(inner, id)
  }
  for (const { Document } of Segments) {
    try {
      read(JSON.parse(Document), null)
    } catch {
      malformed += 1
    }
  }
  return { spans, malformed }
}
