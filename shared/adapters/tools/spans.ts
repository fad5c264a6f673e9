import * as z from 'zod/mini'
import type { Span } from '#shared/domain/investigation/records/snapshot.ts'

/** Attributes of a span that tell how it failed or what it was: the rest is left behind. */
const TELLING =
  /^(?:http\.|rpc\.|db\.(?:system|operation|name)|messaging\.|server\.|net\.peer|peer\.|error|exception\.|otel\.status|url\.path|feature_flag|service\.version|grpc\.|span\.kind)/
const MOST_ATTRIBUTES = 20
/** An attribute's text longer than this is cut. */
const LONGEST_ATTRIBUTE = 500

type Attributes = Record<string, unknown>

/** What OpenTelemetry writes a value as. */
const anyValue = z.object({
  stringValue: z.optional(z.string()),
  intValue: z.optional(z.union([z.string(), z.number()])),
  doubleValue: z.optional(z.number()),
  boolValue: z.optional(z.boolean()),
})
const attribute = z.object({ key: z.string(), value: z.optional(anyValue) })
const attributes = z.optional(z.array(attribute))
const nanoseconds = z.union([z.string(), z.number()])
const otlpSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.optional(z.string()),
  name: z.string(),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.optional(
    z.object({ code: z.optional(z.union([z.string(), z.number()])), message: z.optional(z.string()) }),
  ),
  events: z.optional(z.array(z.object({ name: z.optional(z.string()), attributes }))),
})
const scopeSpans = z.object({ spans: z.array(z.unknown()) })
const resourceSpans = z.object({
  resource: z.optional(z.object({ attributes })),
  scopeSpans: z.optional(z.array(scopeSpans)),
  instrumentationLibrarySpans: z.optional(z.array(scopeSpans)),
})

const kept = (all: Attributes): Attributes => {
  const entries = Object.entries(all)
    .filter(([key]) => TELLING.test(key))
    .slice(0, MOST_ATTRIBUTES)
    .map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, LONGEST_ATTRIBUTE) : value])
  return Object.fromEntries(entries) as Attributes
}

const valuesOf = (list: z.infer<typeof attributes>): Attributes =>
  Object.fromEntries(
    (list ?? []).map(({ key, value }) => [
      key,
      value?.stringValue ??
        value?.doubleValue ??
        value?.boolValue ??
        (value?.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  )

/** An id as hex: some answers carry the bytes in base64. */
function hexId(id: string, bytes: number): string {
  if (new RegExp(`^[0-9a-f]{${bytes * 2}}$`, 'i').test(id)) return id.toLowerCase()
  return Buffer.from(id, 'base64').toString('hex')
}

const microseconds = (nano: string | number): number => Number(BigInt(nano) / 1000n)

/**
 * The spans of a trace in OpenTelemetry's JSON, as Tempo (`batches`, `trace.resourceSpans`) and Jaeger (`result`) write
 * it; undefined for what is no such trace. Spans that cannot be read are counted.
 */
export function otlpSpans(
  body: unknown,
  source: string,
): { readonly spans: Span[]; readonly malformed: number } | undefined {
  const wrapped = body as {
    batches?: unknown
    resourceSpans?: unknown
    trace?: unknown
    result?: unknown
  } | null
  if (typeof wrapped !== 'object' || wrapped === null) return undefined
  if (wrapped.trace !== undefined) return otlpSpans(wrapped.trace, source)
  if (wrapped.result !== undefined) return otlpSpans(wrapped.result, source)
  const read = z.array(resourceSpans).safeParse(wrapped.batches ?? wrapped.resourceSpans)
  if (!read.success) return undefined
  let malformed = 0
  const spans = read.data.flatMap(({ resource, scopeSpans: scopes, instrumentationLibrarySpans = [] }) => {
    const about = valuesOf(resource?.attributes)
    const service = String(about['service.name'] ?? about['k8s.deployment.name'] ?? 'unknown')
    const instance = about['k8s.pod.name'] ?? about['service.instance.id']
    return (scopes ?? instrumentationLibrarySpans).flatMap((scope) =>
      scope.spans.flatMap((one): Span[] => {
        const parsed = otlpSpan.safeParse(one)
        try {
          if (!parsed.success) throw new TypeError('no span')
          const {
            traceId,
            spanId,
            parentSpanId = '',
            name,
            startTimeUnixNano,
            endTimeUnixNano,
            status,
            events = [],
          } = parsed.data
          const exception = events.find((event) => event.name === 'exception')
          const own = { ...about, ...valuesOf(parsed.data.attributes), ...valuesOf(exception?.attributes) }
          const failed = status?.code === 2 || status?.code === 'STATUS_CODE_ERROR'
          return [
            {
              source,
              trace_id: hexId(traceId, 16),
              span_id: hexId(spanId, 8),
              parent_id: parentSpanId === '' ? null : hexId(parentSpanId, 8),
              service,
              name,
              start: Math.floor(microseconds(startTimeUnixNano) / 1000),
              duration_us: Math.max(0, microseconds(endTimeUnixNano) - microseconds(startTimeUnixNano)),
              status: failed ? 'error' : 'ok',
              attributes: kept(
                status?.message === undefined ? own : { ...own, 'error.message': status.message },
              ),
              ...(typeof instance === 'string' ? { instance } : {}),
            },
          ]
        } catch {
          malformed += 1
          return []
        }
      }),
    )
  })
  return { spans, malformed }
}

const tag = z.object({ key: z.string(), value: z.unknown() })
const jaegerTrace = z.object({
  spans: z.array(z.unknown()),
  processes: z.record(z.string(), z.object({ serviceName: z.string(), tags: z.optional(z.array(tag)) })),
})
const jaegerSpan = z.object({
  traceID: z.string(),
  spanID: z.string(),
  operationName: z.string(),
  references: z.optional(z.array(z.object({ refType: z.string(), spanID: z.string() }))),
  startTime: z.number(),
  duration: z.number(),
  tags: z.optional(z.array(tag)),
  processID: z.string(),
})

/** The spans of one trace as Jaeger's own API writes it; undefined for what is no such trace. */
export function jaegerSpans(
  trace: unknown,
  source: string,
): { readonly spans: Span[]; readonly malformed: number } | undefined {
  const read = jaegerTrace.safeParse(trace)
  if (!read.success) return undefined
  let malformed = 0
  const spans = read.data.spans.flatMap((one): Span[] => {
    const parsed = jaegerSpan.safeParse(one)
    const process = parsed.success ? read.data.processes[parsed.data.processID] : undefined
    if (!parsed.success || process === undefined) {
      malformed += 1
      return []
    }
    const { traceID, spanID, operationName, references = [], startTime, duration, tags = [] } = parsed.data
    const own = Object.fromEntries(tags.map(({ key, value }) => [key, value])) as Attributes
    const about = Object.fromEntries((process.tags ?? []).map(({ key, value }) => [key, value])) as Attributes
    const parent = references.find(({ refType }) => refType === 'CHILD_OF')?.spanID
    const failed = own.error === true || own.error === 'true' || own['otel.status_code'] === 'ERROR'
    const instance = about['k8s.pod.name'] ?? about.hostname
    return [
      {
        source,
        trace_id: traceID,
        span_id: spanID,
        parent_id: parent ?? null,
        service: process.serviceName,
        name: operationName,
        start: Math.floor(startTime / 1000),
        duration_us: duration,
        status: failed ? 'error' : 'ok',
        attributes: kept(own),
        ...(typeof instance === 'string' ? { instance } : {}),
      },
    ]
  })
  return { spans, malformed }
}
