import * as z from 'zod/mini'
import { readInstant } from '../domain/instant.ts'
import { CHANGE_CERTAINTIES, CHANGE_KINDS, SERIES_TYPES } from '../domain/investigation/records/snapshot.ts'
import { endsInTime, MOST_SIGNALS, pointsProblem, SIGNAL_KINDS } from '../domain/signals.ts'
import { instantIn, text } from './fields.ts'

/** Longest name or id of anything; tools' own are far shorter. */
const MOST_NAME = 1_000
/** Longest interval or duration: that of the longest window that may be asked about. */
const MOST_SECONDS = 31 * 86_400
/** Most calls or milliseconds of one interval: a billion calls a second for eleven days, of which sums stay exact enough. */
const MOST_COUNTED = 1e15
/** Attributes may nest this deep, as in a bundle. */
const MOST_DEPTH = 16

/** Any text, also none; no body may hold NUL. */
const said = () => z.string().register(z.globalRegistry, { pattern: '^[^\\u0000]*$' })
const name = () => text(MOST_NAME)
const some = () => z.optional(said())
const count = () => z.number().check(z.minimum(0), z.maximum(MOST_COUNTED))
const labels = () => z.record(said(), said())
const interval = () => z.number().check(z.gt(0), z.maximum(MOST_SECONDS))

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce<number>((most, member) => Math.max(most, depthOf(member)), 0)
    : 0
const attributes = () =>
  z.optional(
    z.record(said(), z.unknown()).check(
      z.refine((value) => depthOf(value) <= MOST_DEPTH, {
        error: `must nest at most ${MOST_DEPTH} levels`,
      }),
    ),
  )

const effect = z.strictObject({ from: instantIn(), to: instantIn() }).check(
  z.refine(({ from, to }) => (readInstant(from) ?? 0) <= (readInstant(to) ?? 0), {
    error: 'from must not be after to',
  }),
)

const change = z
  .strictObject({
    id: name(),
    effective_at: z.optional(effect),
    recorded_at: instantIn(),
    kind: z.enum(CHANGE_KINDS),
    entity: z.optional(name()),
    title: some(),
    before: some(),
    after: some(),
    actor: some(),
    certainty: z.optional(z.enum(CHANGE_CERTAINTIES)),
    carries: z.optional(z.array(name())),
    files: z.optional(z.array(said())),
    diff: z.optional(z.nullable(said())),
  })
  .register(z.globalRegistry, { id: 'PushedChange' })

const series = z
  .strictObject({
    entity: name(),
    name: name(),
    labels: z.optional(labels()),
    type: z.enum(SERIES_TYPES),
    unit: some(),
    agg: some(),
    interval_s: z.optional(interval()),
    query: some(),
    t0: z.optional(instantIn()),
    values: z.optional(z.array(z.nullable(z.number()))),
    points: z.optional(z.array(z.tuple([instantIn(), z.nullable(z.number())]))),
  })
  .check((checked) => {
    const { t0, interval_s, values, points } = checked.value
    const refuse = (path: (string | number)[], message: string) =>
      checked.issues.push({ code: 'custom', input: checked.value, path, message })
    if ((values === undefined) === (points === undefined)) {
      refuse([], 'must have either values with t0 and interval_s, or points')
    } else if (points !== undefined) {
      if (t0 !== undefined) refuse(['t0'], 'belongs to values: points have their own instants')
      const problem = pointsProblem(points)
      if (problem !== null) refuse(['points', problem.at], problem.reason)
    } else if (t0 === undefined) refuse(['t0'], 'is required with values')
    else if (interval_s === undefined) refuse(['interval_s'], 'is required with values')
    else if (!endsInTime(t0, interval_s, values?.length ?? 0)) {
      refuse(['values'], 'must end before the year 10000')
    }
  })
  .register(z.globalRegistry, { id: 'PushedSeries' })

const logLine = z
  .strictObject({
    timestamp: instantIn(),
    service: name(),
    severity: said(),
    message: said(),
    trace_id: some(),
    span_id: some(),
    instance: some(),
    node: some(),
    attributes: attributes(),
  })
  .register(z.globalRegistry, { id: 'PushedLogLine' })

const span = z
  .strictObject({
    trace_id: name(),
    span_id: name(),
    parent_id: z.nullable(name()),
    service: name(),
    instance: some(),
    name: said(),
    start: instantIn(),
    duration_us: z.number().check(z.minimum(0), z.maximum(MOST_SECONDS * 1_000_000)),
    status: said(),
    attributes: attributes(),
  })
  .register(z.globalRegistry, { id: 'PushedSpan' })

const edge = z
  .strictObject({
    caller: name(),
    callee: name(),
    t0: instantIn(),
    interval_s: interval(),
    calls: z.optional(count()),
    failed: z.optional(count()),
    latency_sum_ms: z.optional(count()),
    latency_count: z.optional(count()),
  })
  .check((checked) => {
    const { calls, failed, latency_sum_ms: sum, latency_count: timed } = checked.value
    const refuse = (field: string, message: string) =>
      checked.issues.push({ code: 'custom', input: checked.value, path: [field], message })
    if (calls !== undefined && failed !== undefined && failed > calls)
      refuse('failed', 'must not be more than calls')
    if (timed === 0 && sum !== undefined && sum > 0)
      refuse('latency_sum_ms', 'must be 0 where latency_count is 0')
  })
  .register(z.globalRegistry, {
    id: 'PushedEdge',
    description:
      'Calls from one service to another in one interval. `failed` is at most `calls`; if no call was timed, the latency sum is 0.',
  })

const controlPlaneEvent = z
  .strictObject({
    timestamp: instantIn(),
    resource: name(),
    service: some(),
    kind: said(),
    message: said(),
  })
  .register(z.globalRegistry, { id: 'PushedEvent' })

const listOf = <Shape extends z.ZodMiniType>(shape: Shape) =>
  z.optional(z.array(shape).check(z.maxLength(MOST_SIGNALS)))

/** The records of the incident bundle, kind by kind, without a `source`: the batch is their source. */
export const signals = z
  .strictObject({
    changes: listOf(change),
    series: listOf(series),
    logs: listOf(logLine),
    spans: listOf(span),
    edges: listOf(edge),
    events: listOf(controlPlaneEvent),
  })
  .check((checked) => {
    const records = SIGNAL_KINDS.reduce((sum, kind) => sum + (checked.value[kind]?.length ?? 0), 0)
    if (records > 0 && records <= MOST_SIGNALS) return
    const message =
      records === 0 ? 'must hold at least one record' : `must hold at most ${MOST_SIGNALS} records in all`
    checked.issues.push({ code: 'custom', input: checked.value, path: [], message })
  })
  .register(z.globalRegistry, {
    id: 'Signals',
    minProperties: 1,
    description:
      'No instant lies in the future, but a change may be planned to take effect in the next 30 days. Records may be of any time before now.',
  })

const taken = () => z.int().check(z.minimum(0))

/** How many records of each kind were taken. */
export const signalsTaken = z
  .strictObject({
    changes: taken(),
    series: taken(),
    logs: taken(),
    spans: taken(),
    edges: taken(),
    events: taken(),
  })
  .register(z.globalRegistry, { id: 'SignalsTaken' })
