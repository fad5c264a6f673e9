import type { Severity } from '../incident.ts'
import type { SignalBatch } from '../signals.ts'
import type { Payload } from './payload-fields.ts'

/**
 * How one learns that an alert is over: its sender `tells` it; it tells it, and `repeats` what still fires, so that
 * long silence means that the end got lost; or it never does, and it is `silent`.
 */
export type Ending = 'tells' | 'repeats' | 'silent'

/** What one alert of one sender says, in the one form that everything else knows. */
export interface SentAlert {
  /** The same for every message about the same alert of one sender. */
  readonly fingerprint: string
  readonly status: 'firing' | 'resolved'
  /** When it began to fire, or when it was over (ms): the order in which messages count, whatever theirs was. */
  readonly at: number
  readonly severity: Severity
  readonly title: string
  readonly description: string | null
  readonly labels: Readonly<Record<string, string>>
  /** The service as the sender names it apart from its labels, or null. */
  readonly service: string | null
  /** What the sender itself groups it by, or null. */
  readonly sender_group: string | null
  readonly starts_at: number | null
  readonly ends_at: number | null
  readonly url: string | null
  readonly ending: Ending
}

/** A sent alert with whose it is and what it belongs to. */
export interface Alert extends SentAlert {
  readonly integration_id: string
  /** Alerts with the same group are one incident. */
  readonly group: string
  /** When the message came in (ms). */
  readonly received_at?: number
  /** It only says that what is known to fire still does: it opens nothing and raises nothing. */
  readonly confirms?: true
}

/** What a payload says. */
export interface Reading {
  readonly alerts: readonly SentAlert[]
  /** Evidence that is no alert: changes, and what a provider says of itself. */
  readonly signals: SignalBatch
  /** Why something in it was left out; empty when nothing was. */
  readonly left_out: readonly string[]
}

/** A message of a sender, verified. */
export interface Sent {
  readonly integration_id: string
  /** Settings of the integration that are no secret. */
  readonly config: Payload
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** When it came in (ms); stands in where the sender tells no time. */
  readonly received_at: number
  readonly body: unknown
  /** We asked the tool: its alerts only confirm what is known. */
  readonly confirms?: true
}

/** Reads what a sender sends; never throws for what the sender does. */
export type ReadSent = (sent: Sent) => Reading

export const TITLE_LENGTH = 200
export const DESCRIPTION_LENGTH = 2_000

/** A reading of alerts alone. */
export const alertsAlone = (alerts: readonly SentAlert[], left_out: readonly string[] = []): Reading => ({
  alerts,
  signals: {},
  left_out,
})

/** A reading of nothing, and why. */
export const nothing = (why: string): Reading => alertsAlone([], [why])
