/** What is known of alerts and of the groups that they form, and what one step of folding writes of both. */

import type { Incident, ListedAlert, ServiceEvent, Severity, TimelineEntry } from '../incident.ts'
import type { Ending } from './alert.ts'

/**
 * What is known of one alert. Its instants only grow, whatever order messages come in and however often: the same
 * messages always come to the same.
 */
export interface KnownAlert {
  /** Digest of its integration and fingerprint. */
  readonly key: string
  /** Whose tool tells of it; null for what was written down without it. */
  readonly integration_id: string | null
  /** Digest of the group it was last counted in. */
  readonly group: string
  /** The incident it last belonged to; null while it was only ever seen to end. */
  readonly incident_id: string | null
  /** The last instant (ms) at which it is known to have begun; null while nobody said that it did. */
  readonly fired_at: number | null
  readonly resolved_at: number | null
  readonly severity: Severity
  readonly ending: Ending
  /** When a message about it last came in (ms), give or take. */
  readonly seen_at: number
  /** Counted as over because its sender fell silent. */
  readonly stale: boolean
  /** Counts the writes. */
  readonly rev: number
}

/** What is known of a group: at most one of its incidents is not resolved. */
export interface AlertGroup {
  readonly key: string
  /** Its last incident. */
  readonly incident_id: string
  /** Alerts of that incident that fire. */
  readonly firing: number
  /** When the incident is resolved unless something fires before (ms). */
  readonly quiet_until: number | null
  /** When the first of its alerts may count as over for silence (ms); may be too early, never too late. */
  readonly stale_at: number | null
  readonly version: number
}

/** One alert after a fold, and how its incident shows it: anew, as over, or unchanged. */
export interface AlertWrite {
  readonly before: KnownAlert | undefined
  readonly after: KnownAlert
  readonly shown:
    | { readonly how: 'anew'; readonly alert: ListedAlert }
    | { readonly how: 'over'; readonly ends_at: string; readonly incident_id: string }
    | { readonly how: 'unchanged' }
}

/** What becomes of the incident of a group. */
export type IncidentWrite =
  | { readonly how: 'untouched' }
  | {
      readonly how: 'opened'
      readonly incident: Incident
      readonly entry: TimelineEntry
      readonly event: ServiceEvent
    }
  /** Alerts join it, or leave it: it must still be in this status when that is written. */
  | { readonly how: 'joined'; readonly incident: Incident }
  | {
      readonly how: 'changed'
      readonly before: Incident
      readonly after: Incident
      readonly entries: readonly TimelineEntry[]
      readonly event: ServiceEvent | null
      /** Its investigation begins again. */
      readonly investigate: boolean
    }

/** Everything that one step writes, in one transaction. */
export interface Fold {
  readonly before: AlertGroup | undefined
  /** Nothing while all that the group knows are ends of what nobody saw begin. */
  readonly after: AlertGroup | undefined
  readonly alerts: readonly AlertWrite[]
  readonly incident: IncidentWrite
}

/** A group as it was read. */
export interface GroupState {
  readonly key: string
  readonly group: AlertGroup | undefined
  /** Its incident; undefined when it has none, or that is gone. */
  readonly incident: Incident | undefined
}
