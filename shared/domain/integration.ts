import type { Pulled, Window } from './investigation/records/snapshot.ts'

export const INTEGRATION_STATUSES = ['pending', 'connected', 'degraded', 'error', 'disabled'] as const
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number]

/** Settings of one integration, secrets in the clear: lives in memory only, never stored, logged or answered. */
export type IntegrationConfig = Readonly<Record<string, unknown>>

/** A connection to an external tool. Its settings are kept sealed beside it. */
export interface Integration {
  readonly id: string
  readonly type: string
  readonly status: IntegrationStatus
  /** What keeps it from being fully connected, in words; null when nothing does. */
  readonly status_detail: string | null
  /** Settings without the sensitive ones; for each of those there is `has_<name>`. */
  readonly config: IntegrationConfig
  readonly created_at: string
  readonly updated_at: string
  /** When it was first connected; null until then. */
  readonly connected_at: string | null
  readonly version: number
}

/** A live check of a tool may take this long, in milliseconds. */
export const CHECK_MS = 5_000

/** When a tool was first found to work, kept for ever; `before` says so where it was found before. */
export const firstConnected = (before: string | null, status: IntegrationStatus, at: string): string | null =>
  before ?? (status === 'connected' || status === 'degraded' ? at : null)

/** What a live check of a tool said. */
export interface CheckResult {
  readonly status: 'connected' | 'degraded' | 'error'
  readonly detail: string | null
}

/** What an investigation wants from one tool. */
export interface PullRequest {
  readonly integration_id: string
  readonly window: Window
  readonly baselines: readonly (Window & { readonly name: string })[]
  readonly service: string | null
  /** Aborted at the deadline: the tool gives what it has and says what is missing. */
  readonly signal: AbortSignal
}

/** One kind of external tool. */
export interface Tool {
  /**
   * Asks the tool whether these settings work. Resolves within the signal's deadline also when the tool cannot be
   * reached (`error`).
   * @throws Refusal `invalid` naming the field when the tool refuses the credentials.
   */
  check(config: IntegrationConfig, signal: AbortSignal): Promise<CheckResult>
  /**
   * Asks which of its alerts fire at this moment, in the form in which the tool would send them. Only tools have it that
   * repeat what fires and may lose the word that it is over.
   * @returns null when it did not answer, or not whole
   */
  firing?(config: IntegrationConfig, signal: AbortSignal): Promise<object | null>
  /**
   * Asks what it would have sent since an instant (ms), in the form in which it sends it, the oldest first. Only tools
   * have it that keep a history, and can say what they were told to send here.
   * @returns null when it did not answer, or does not say what it sends
   */
  history?(config: IntegrationConfig, since: number, signal: AbortSignal): Promise<readonly object[] | null>
  /** Brings the tool's records. Never rejects for what the tool does: failure is a gap in the answer. */
  pull(config: IntegrationConfig, request: PullRequest): Promise<Pulled>
}

/** An integration as a check meets it. */
export interface Checkable {
  readonly integration: Integration
  /** Null where the settings could not be opened. */
  readonly config: IntegrationConfig | null
  /** When it was last checked on the schedule (ms); null before the first time. */
  readonly checked_at: number | null
  /** Checks that failed since the last one that did not. */
  readonly failures: number
  /** When it last said which of its alerts fire, or what it sent (ms); null before the first time. */
  readonly asked_at: number | null
  /** The last time in which it could not be asked, as long as that is told. */
  readonly unasked: Unasked | null
}

/** A time (ms) of which nobody knows what fired and ended within. */
export interface Unasked {
  readonly from: number
  readonly until: number
}
