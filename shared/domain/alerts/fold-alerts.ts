import { changeIncident, type ListedAlert } from '../incident.ts'
import { writeInstant } from '../instant.ts'
import { incidentOpened } from '../open-incident.ts'
import type { NewId } from '../ports.ts'
import type { Alert, Ending } from './alert.ts'
import type { AlertGroup, AlertWrite, Fold, GroupState, IncidentWrite, KnownAlert } from './alert-group.ts'
import { serviceOf } from './group-key.ts'
import { worse } from './severity-map.ts'

/** How long things are waited for, in milliseconds. All of them are settings of the deployment. */
export interface AlertWindows {
  /** After the last alert is over, before the incident is resolved: what flaps comes back within. */
  readonly quiet_ms: number
  /** After an incident is resolved, in which the same trouble opens it again instead of another one. */
  readonly reopen_ms: number
  /** Silence of a sender that repeats what fires, after which its alert counts as over. */
  readonly repeats_stale_ms: number
  /** The same of a sender that never tells the end. */
  readonly silent_stale_ms: number
}

/** An alert by its key, with what is known of it. */
export interface KeyedAlert {
  readonly key: string
  readonly alert: Alert
}

export interface FoldContext {
  readonly now: number
  readonly windows: AlertWindows
  readonly newId: NewId
}

/** True while an alert fires, as far as anybody knows. */
export const isFiring = ({ fired_at, resolved_at, stale }: KnownAlert): boolean =>
  fired_at !== null && !stale && (resolved_at === null || fired_at > resolved_at)

/**
 * Alerts of one transaction: DynamoDB takes a hundred items, each alert is two, and the incident with what happened is
 * up to seven.
 */
export const MOST_ALERTS = 40

const later = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b)

const staleAfter = (ending: Ending, windows: AlertWindows): number | null =>
  ending === 'tells' ? null : ending === 'repeats' ? windows.repeats_stale_ms : windows.silent_stale_ms

/** What is noted of a repetition is as old as this part of the window in which it counts, at most. */
const NOTED_PART = 12

/**
 * A sender that repeats what fires and says so this long after it said that it was over (ms) says that it fires again: what
 * several of its replicas send at once is closer together.
 */
const AGAIN_MS = 60_000

/**
 * What is said of one alert, each at the instant for which it counts. One that is taken for over while nobody hears of it
 * fires again with the begin of before: by that alone its end would outlast all that is said of it later.
 * @see https://github.com/prometheus/alertmanager/issues/952
 */
function inOrder(messages: readonly Alert[], before: KnownAlert | undefined): readonly Alert[] {
  const ends = messages.flatMap(({ status, at, received_at }) =>
    status === 'resolved' ? [Math.max(at, received_at ?? at)] : [],
  )
  if (before !== undefined && before.resolved_at !== null && !isFiring(before))
    ends.push(Math.max(before.resolved_at, before.seen_at))
  return messages.map((message) => {
    const { status, ending, at, received_at = at } = message
    const isAgain =
      status === 'firing' &&
      ending === 'repeats' &&
      ends.some((end) => at <= end && received_at - end >= AGAIN_MS)
    return isAgain ? { ...message, at: received_at } : message
  })
}

/** One alert with the messages about it taken in; `latest` is the last of those that say that it fires. */
interface Taken {
  readonly before: KnownAlert | undefined
  readonly after: KnownAlert
  readonly latest: Alert | undefined
  /** It begins to fire, or is first heard to have fired. */
  readonly fresh: boolean
  readonly ended: boolean
  readonly worsened: boolean
}

function take(
  key: string,
  told: readonly Alert[],
  before: KnownAlert | undefined,
  group: string,
  { now, windows }: FoldContext,
): Taken | null {
  const messages = inOrder(told, before)
  const fires = messages.filter(({ status }) => status === 'firing')
  const instants = (of: readonly Alert[]) => of.map(({ at }) => at).reduce<number | null>(later, null)
  const firedNow = instants(fires)
  const fired_at = later(before?.fired_at ?? null, firedNow)
  const resolved_at = later(
    before?.resolved_at ?? null,
    instants(messages.filter(({ status }) => status === 'resolved')),
  )
  const [latest] = [...fires].sort((a, b) => b.at - a.at || (a.title < b.title ? -1 : 1))
  const [any] = messages
  if (any === undefined) return null
  const stale = before?.stale === true && (firedNow === null || firedNow < (before.fired_at ?? 0))
  const severities = fires.map(({ severity }) => severity)
  const fired = before !== undefined && before.fired_at !== null
  const wasFiring = before !== undefined && isFiring(before)
  const first = severities[0] ?? before?.severity ?? any.severity
  const after: KnownAlert = {
    key,
    integration_id: any.integration_id,
    group,
    incident_id: before?.incident_id ?? null,
    fired_at,
    resolved_at,
    severity: severities.reduce(worse, fired ? before.severity : first),
    ending: latest?.ending ?? before?.ending ?? any.ending,
    seen_at: Math.max(now, before?.seen_at ?? 0),
    stale,
    rev: (before?.rev ?? 0) + 1,
  }
  const firing = isFiring(after)
  const fresh = (!fired && fired_at !== null) || (firing && !wasFiring)
  const worsened = fired && after.severity !== before.severity
  const window = staleAfter(after.ending, windows)
  const unnoted = window !== null && firing && now - (before?.seen_at ?? 0) > window / NOTED_PART
  const same =
    before !== undefined &&
    before.fired_at === fired_at &&
    before.resolved_at === resolved_at &&
    before.stale === stale &&
    !worsened &&
    !unnoted
  return same ? null : { before, after, latest, fresh, ended: wasFiring && !firing, worsened }
}

const shownAs = (alert: Alert, { after }: Taken): ListedAlert => {
  const firing = isFiring(after)
  return {
    integration_id: alert.integration_id,
    title: alert.title,
    description: alert.description,
    severity: after.severity,
    status: firing ? 'firing' : 'resolved',
    service: serviceOf(alert),
    labels: alert.labels,
    starts_at: writeInstant(alert.starts_at ?? alert.at),
    ends_at: firing || after.resolved_at === null ? null : writeInstant(after.resolved_at),
    url: alert.url,
  }
}

/** The alert that an incident is named after: the worst, of those the first. */
function leading(fresh: readonly Taken[]): Alert | undefined {
  const alerts = fresh.flatMap(({ latest }) => latest ?? [])
  const [lead] = [...alerts].sort((a, b) => {
    if (a.severity !== b.severity) return worse(a.severity, b.severity) === a.severity ? -1 : 1
    return a.at - b.at || (a.title < b.title ? -1 : 1)
  })
  return lead
}

/** Opens, opens again, raises or merely joins the incident of a group. */
function incidentFor(
  taken: readonly Taken[],
  { group, incident }: GroupState,
  context: FoldContext,
): IncidentWrite {
  const { now, windows, newId } = context
  const fresh = taken.filter((each) => each.fresh)
  const lead = leading(fresh)
  const at = writeInstant(now)
  const resolvedFor = incident?.resolved_at == null ? null : now - Date.parse(incident.resolved_at)
  const over = incident === undefined || (resolvedFor !== null && resolvedFor > windows.reopen_ms)
  if (lead !== undefined && over) {
    const severity = fresh.map(({ after }) => after.severity).reduce(worse, 'low')
    const started = Math.min(...fresh.map(({ after, latest }) => latest?.starts_at ?? after.fired_at ?? now))
    const given = {
      title: lead.title,
      severity,
      service: serviceOf(lead) ?? undefined,
      description: lead.description ?? undefined,
      started_at: writeInstant(started),
    }
    const text = `Incident opened by an alert: ${lead.title}`
    return { how: 'opened', ...incidentOpened(given, { id: lead.integration_id, text }, now, newId) }
  }
  if (incident === undefined) return { how: 'untouched' }
  const again = resolvedFor !== null && fresh.some(({ after }) => isFiring(after))
  const members = taken.filter(
    (each) => each.fresh || (each.worsened && each.after.incident_id === group?.incident_id),
  )
  const severity =
    resolvedFor === null || again
      ? members.map(({ after }) => after.severity).reduce(worse, incident.severity)
      : incident.severity
  const changed = changeIncident(
    incident,
    { severity, ...(again ? { status: 'investigating' as const } : {}) },
    at,
  )
  if (changed.happened.length === 0) return { how: 'joined', incident }
  return {
    how: 'changed',
    before: incident,
    after: changed.incident,
    entries: changed.happened.map((entry) => ({
      ...entry,
      id: newId('tl', now),
      at,
      by: lead?.integration_id ?? 'service',
    })),
    event: null,
    investigate: again,
  }
}

/** What a confirmation says of an alert: that it goes on, as bad as it was; nothing of one that is not known to fire. */
const confirming = (alert: Alert, known: KnownAlert | undefined): Alert | undefined =>
  known === undefined || !isFiring(known) ? undefined : { ...alert, severity: known.severity }

/**
 * Takes messages about alerts of one group into what is known.
 * @param known by the alerts' keys, what is known of them
 * @returns what is to be written, or null when the messages say nothing new
 */
export function foldAlerts(
  state: GroupState,
  alerts: readonly KeyedAlert[],
  known: ReadonlyMap<string, KnownAlert>,
  context: FoldContext,
): Fold | null {
  const messages = new Map<string, Alert[]>()
  for (const { key, alert } of alerts) {
    const told = alert.confirms === true ? confirming(alert, known.get(key)) : alert
    if (told !== undefined) messages.set(key, [...(messages.get(key) ?? []), told])
  }
  const taken = [...messages].flatMap(
    ([key, about]) => take(key, about, known.get(key), state.key, context) ?? [],
  )
  if (taken.length === 0) return null

  const { now, windows } = context
  const { group } = state
  const touches = taken.some(({ fresh, worsened }) => fresh || worsened)
  const incident: IncidentWrite = touches ? incidentFor(taken, state, context) : { how: 'untouched' }
  const id = incident.how === 'opened' ? incident.incident.id : group?.incident_id
  const writes = taken.map((each): AlertWrite => {
    const { before, fresh, ended, worsened, latest } = each
    const after = fresh && id !== undefined ? { ...each.after, incident_id: id } : each.after
    if ((fresh || worsened) && latest !== undefined)
      return { before, after, shown: { how: 'anew', alert: shownAs(latest, each) } }
    if (ended && after.incident_id !== null)
      return {
        before,
        after,
        shown: {
          how: 'over',
          ends_at: writeInstant(after.resolved_at ?? now),
          incident_id: after.incident_id,
        },
      }
    return { before, after, shown: { how: 'unchanged' } }
  })
  if (id === undefined) return { before: group, after: undefined, alerts: writes, incident }

  const joined = taken.filter(({ fresh, after }) => fresh && isFiring(after)).length
  const left = taken.filter(({ ended, before }) => ended && before?.incident_id === group?.incident_id).length
  const base = incident.how === 'opened' ? 0 : (group?.firing ?? 0) - left
  const firing = Math.max(0, base + joined)
  const stirred = left > 0 || taken.some(({ fresh }) => fresh)
  const stale = writes.flatMap(({ after }) => {
    const window = staleAfter(after.ending, windows)
    return window === null || !isFiring(after) ? [] : [now + window]
  })
  const earlier = incident.how === 'opened' || group?.stale_at == null ? [] : [group.stale_at]
  const quiet = stirred ? now + windows.quiet_ms : (group?.quiet_until ?? null)
  return {
    before: group,
    after: {
      key: state.key,
      incident_id: id,
      firing,
      quiet_until: firing > 0 ? null : quiet,
      stale_at: firing > 0 && earlier.length + stale.length > 0 ? Math.min(...earlier, ...stale) : null,
      version: (group?.version ?? 0) + 1,
    },
    alerts: writes,
    incident,
  }
}

/** True when messages say anything that is not known, so that nothing more need be read for those that do not. */
export const tellsNews = (
  alerts: readonly KeyedAlert[],
  known: ReadonlyMap<string, KnownAlert>,
  context: FoldContext,
): boolean => foldAlerts({ key: '', group: undefined, incident: undefined }, alerts, known, context) !== null

/** So long after a tool was asked, what it said has been taken in, in milliseconds. */
const TAKEN_IN_MS = 10 * 60_000
/** A silent alert whose tool could not be asked yet is looked at again after this, in milliseconds. */
const LOOK_AGAIN_MS = 2 * 60_000

/**
 * So long an incident whose quiet time is over is held back while anything that tools sent waits, in milliseconds: what
 * a worker died with comes again within, and where something always waits an incident is resolved all the same.
 */
export const HELD_BACK_MS = 2 * 60_000

/** What is found out beside the tables before a group is settled. */
export interface SettleFindings {
  /**
   * When each tool that is asked for its alerts last said which of them fire: what such a tool sent falls silent only
   * when it was asked since and did not name it.
   */
  readonly asked: ReadonlyMap<string, number>
  /** Something that tools sent was not taken in yet: it may say that an alert of the group fires. */
  readonly waits: boolean
}

/**
 * Does what is due of a group: counts those as over whose senders fell silent, as many as one transaction takes, and
 * resolves the incident once all of its alerts have been over for the quiet time.
 * @param members what is known of the alerts of its incident; needed when `stale_at` is due
 * @returns what is to be written, or null when nothing is due
 */
export function settleGroup(
  state: GroupState & { readonly group: AlertGroup },
  members: readonly KnownAlert[],
  context: FoldContext,
  { asked, waits }: SettleFindings,
): Fold | null {
  const { group, incident } = state
  const { now, windows, newId } = context
  if (group.stale_at !== null && group.stale_at <= now) {
    const firing = members.filter((known) => isFiring(known) && known.incident_id === group.incident_id)
    const silentUntil = (known: KnownAlert): number =>
      known.seen_at + (staleAfter(known.ending, windows) ?? Number.POSITIVE_INFINITY)
    const unsaid = ({ integration_id, seen_at }: KnownAlert): boolean => {
      const at = integration_id === null ? undefined : asked.get(integration_id)
      return at === undefined || (at > seen_at && now - at >= TAKEN_IN_MS)
    }
    const allSilent = firing.filter((known) => silentUntil(known) <= now && unsaid(known))
    const silent = allSilent.slice(0, MOST_ALERTS)
    const isSilent = new Set(allSilent)
    const next = firing
      .filter((known) => !isSilent.has(known))
      .map((known) => Math.max(silentUntil(known), now + (silentUntil(known) <= now ? LOOK_AGAIN_MS : 0)))
    // What one transaction does not take is due at once.
    if (allSilent.length > silent.length) next.push(now)
    const left = group.firing - silent.length
    const soonest = Math.min(...next)
    return {
      before: group,
      after: {
        ...group,
        firing: Math.max(0, left),
        stale_at: left > 0 && Number.isFinite(soonest) ? soonest : null,
        quiet_until: left > 0 ? null : (group.quiet_until ?? now + windows.quiet_ms),
        version: group.version + 1,
      },
      alerts: silent.map((known) => ({
        before: known,
        after: { ...known, stale: true, rev: known.rev + 1 },
        shown: { how: 'over', ends_at: writeInstant(now), incident_id: group.incident_id },
      })),
      incident: { how: 'untouched' },
    }
  }
  if (group.quiet_until === null || group.firing > 0) return null
  if (now < group.quiet_until + (waits ? HELD_BACK_MS : 0)) return null
  const settled: Fold = {
    before: group,
    after: { ...group, quiet_until: null, version: group.version + 1 },
    alerts: [],
    incident: { how: 'untouched' },
  }
  if (incident === undefined || incident.status === 'resolved') return settled
  const at = writeInstant(now)
  const changed = changeIncident(incident, { status: 'resolved' }, at)
  return {
    ...settled,
    incident: {
      how: 'changed',
      before: incident,
      after: changed.incident,
      entries: changed.happened.map((entry) => ({
        ...entry,
        text: `${entry.text} Every alert is over.`,
        id: newId('tl', now),
        at,
        by: 'service',
      })),
      event: {
        id: newId('evt', now),
        kind: 'incident.resolved',
        incident_id: incident.id,
        at,
        sequence: changed.incident.version,
        incident: changed.incident,
      },
      investigate: false,
    },
  }
}
