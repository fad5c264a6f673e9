/**
 * What an investigation knows: the records that every asked tool gave back, normalised.
 * A snapshot is immutable; its file form is the incident bundle, format `incident-bundle/1`.
 * Instants are milliseconds since the Unix epoch (`*_at`, `t0`, `start`), durations carry their unit in the name.
 * Record fields keep the names that the bundle's files use.
 */

/** A half-open span of time, `from` included, `to` excluded; both milliseconds since the epoch. */
export interface Window {
  readonly from: number
  readonly to: number
}

/** A stretch of time that counts as normal; it may lie anywhere, also after the incident. */
export interface Baseline extends Window {
  readonly name: string
}

export type AskOutcome = 'answered' | 'empty' | 'cut' | 'failed' | 'timed_out'

/** One request to one tool: what was asked, word for word, and what became of it. */
export interface SourceAsked {
  /** Unique in the snapshot; records point here by it. */
  readonly id: string
  /** The integration that was asked, absent when a bundle is read from a folder by hand. */
  readonly integration_id?: string
  /** Type of the tool: `bundle`, `github`, … */
  readonly tool: string
  /** The question as the tool understood it, so that a person can ask it again. */
  readonly query: string
  readonly window?: Window
  readonly link?: string
  readonly outcome: AskOutcome
  /** How many records came back. */
  readonly records: number
  /** SHA-256 (hex) over the canonical form of what came back; absent when nothing did. */
  readonly digest?: string
  readonly detail?: string
}

/** Something that was not asked, did not answer, was cut short or could not be read. */
export interface Gap {
  readonly what: string
  readonly why: string
  readonly source?: string
}

export interface Entity {
  readonly name: string
  readonly kind: 'service' | 'workload' | 'pod' | 'node' | 'datastore' | 'queue' | 'host' | 'external'
  readonly namespace?: string
  readonly environment?: string
  readonly aliases: readonly { readonly alias: string; readonly learnt_from: string }[]
}

/** Every record says which request brought it. */
export interface Sourced {
  readonly source: string
}

export interface Alert extends Sourced {
  readonly name: string
  readonly service?: string
  readonly metric?: string
  readonly threshold?: number
  readonly observed?: number
  readonly fired_at: number
  readonly resolved_at?: number
  readonly for_s?: number
  readonly severity?: string
  readonly summary?: string
  readonly detail?: string
  readonly labels?: Readonly<Record<string, string>>
}

export const SERIES_TYPES = ['gauge', 'counter', 'rate', 'histogram', 'summary'] as const
export type SeriesType = (typeof SERIES_TYPES)[number]

/** One time series. `NaN` in `values` means not measured; 0 is measured. */
export interface Series extends Sourced {
  readonly entity: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly type: SeriesType
  /** True where the type was guessed from the name (a plain `metrics.csv`). */
  readonly type_guessed?: boolean
  /** UCUM unit, absent when unknown. */
  readonly unit?: string
  readonly agg?: string
  readonly interval_s?: number
  readonly query?: string
  /** Name of the window it was asked for: `incident` or a baseline's name; absent when it spans several. */
  readonly window_of?: string
  /** Ascending instants, one for each value. */
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Calls of one service to another within one interval. */
export interface Edge extends Sourced {
  readonly caller: string
  readonly callee: string
  readonly t0: number
  readonly interval_s: number
  /** Absent where it is known that they call each other, not how often. */
  readonly calls?: number
  readonly failed?: number
  readonly latency_sum_ms?: number
  readonly latency_count?: number
}

export interface Span extends Sourced {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_id: string | null
  readonly service: string
  readonly instance?: string
  readonly name: string
  readonly start: number
  readonly duration_us: number
  readonly status: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

export interface LogLine extends Sourced {
  readonly timestamp: number
  readonly service: string
  readonly severity: string
  readonly message: string
  readonly trace_id?: string
  readonly span_id?: string
  readonly instance?: string
  readonly node?: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

/** How many lines there were in all, counted by the tool, which fetched lines cannot tell. */
export interface LogCount extends Sourced {
  readonly service: string
  readonly severity?: string
  readonly t0: number
  readonly interval_s: number
  readonly count: number
}

export const CHANGE_KINDS = [
  'commit',
  'pull_request',
  'deploy',
  'release',
  'flag',
  'config',
  'infra',
  'migration',
  'scale',
  'other',
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** How a tool knows when a change took effect. */
export const CHANGE_CERTAINTIES = ['recorded', 'inferred', 'guessed'] as const

export interface Change extends Sourced {
  /** The tool's own id: a commit's sha, a flag's key, a deployment's number. */
  readonly id: string
  /** When it took effect, as an interval; absent when nothing says so. */
  readonly effective_at?: { readonly from: number; readonly to: number }
  /** When it was recorded (committed, merged, written down). */
  readonly recorded_at: number
  readonly kind: ChangeKind
  /** The service it touches; absent when unknown. */
  readonly entity?: string
  readonly title?: string
  readonly before?: string
  readonly after?: string
  readonly actor?: string
  readonly certainty?: (typeof CHANGE_CERTAINTIES)[number]
  /** Ids of changes that this one carries into effect (a deploy's commits). */
  readonly carries?: readonly string[]
  readonly files?: readonly string[]
  /** Unified diff; null or absent when the tool gave none. */
  readonly diff?: string | null
}

export interface KubernetesRecord extends Sourced {
  readonly timestamp: number
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly attributes?: Readonly<Record<string, unknown>>
}

/** An event of a control plane: a cloud's, a database's. */
export interface ControlPlaneEvent extends Sourced {
  readonly timestamp: number
  readonly resource: string
  readonly service?: string
  readonly kind: string
  readonly message: string
}

/** Database load of one statement. */
export interface Statement extends Sourced {
  readonly start: number
  readonly end: number
  readonly statement: string
  readonly load: number
  readonly waits?: Readonly<Record<string, number>>
  readonly calls_per_s?: number
}

/** Lines of one shape, counted by the log tool. */
export interface LogPattern extends Sourced {
  readonly signature: string
  readonly service: string
  readonly count: number
  /** Absent when the tool knows no baseline; 0 means it was never seen before. */
  readonly baseline_count?: number
}

export interface ProviderStatus extends Sourced {
  readonly provider: string
  readonly component?: string
  readonly events: readonly {
    readonly timestamp: number
    readonly status: string
    readonly detail?: string
  }[]
}

export interface Snapshot {
  readonly format: 'incident-bundle/1'
  readonly window: Window
  readonly baselines: readonly Baseline[]
  readonly sources: readonly SourceAsked[]
  readonly entities: readonly Entity[]
  readonly alerts: readonly Alert[]
  readonly series: readonly Series[]
  readonly edges: readonly Edge[]
  readonly spans: readonly Span[]
  readonly logs: readonly LogLine[]
  readonly log_counts: readonly LogCount[]
  readonly changes: readonly Change[]
  readonly k8s: readonly KubernetesRecord[]
  readonly events: readonly ControlPlaneEvent[]
  readonly statements: readonly Statement[]
  readonly patterns: readonly LogPattern[]
  readonly status: readonly ProviderStatus[]
  readonly gaps: readonly Gap[]
}

/** The lists of records that a snapshot holds, each under the name of its bundle file. */
export const RECORD_LISTS = [
  'entities',
  'alerts',
  'series',
  'edges',
  'spans',
  'logs',
  'log_counts',
  'changes',
  'k8s',
  'events',
  'statements',
  'patterns',
  'status',
  'gaps',
] as const satisfies readonly (keyof Snapshot)[]

/** What one tool gives for one investigation: its records and what was asked to get them. */
export type Pulled = Omit<Snapshot, 'format' | 'window' | 'baselines'> & {
  /** The windows that the tool itself declares (a bundle does); absent for tools asked for ours. */
  readonly window?: Window
  readonly baselines?: readonly Baseline[]
}

/** Nothing pulled yet: the neutral element of merging. */
export const NOTHING_PULLED: Pulled = {
  sources: [],
  entities: [],
  alerts: [],
  series: [],
  edges: [],
  spans: [],
  logs: [],
  log_counts: [],
  changes: [],
  k8s: [],
  events: [],
  statements: [],
  patterns: [],
  status: [],
  gaps: [],
}
