import type { Alert, SentAlert } from '#shared/domain/alerts/alert.ts'
import type { AlertGroup, Fold, KnownAlert } from '#shared/domain/alerts/alert-group.ts'
import { type AlertWindows, foldAlerts, isFiring, settleGroup } from '#shared/domain/alerts/fold-alerts.ts'
import { groupOf } from '#shared/domain/alerts/group-key.ts'
import {
  changeIncident,
  type Incident,
  type IncidentStatus,
  type ListedAlert,
  type ServiceEvent,
} from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'

export const MINUTE = 60_000
export const WINDOWS: AlertWindows = {
  quiet_ms: MINUTE,
  reopen_ms: 10 * MINUTE,
  repeats_stale_ms: 12 * 60 * MINUTE,
  silent_stale_ms: 4 * 60 * MINUTE,
}
/** A worker with all the time that it needs. */
export const AMPLE = (): number => Number.POSITIVE_INFINITY
export const START = Date.UTC(2026, 0, 31, 12)
export const INTEGRATION = 'alertmanager_01KG0000000000000000000000'

/** An alert of the service `checkout`, firing since `START` unless said otherwise. */
export function alertOf(
  given: Partial<SentAlert> & Pick<Alert, 'received_at'> & { readonly group?: string } = {},
): Alert {
  const { group, ...rest } = given
  const sent: SentAlert = {
    fingerprint: 'f1',
    status: 'firing',
    at: START,
    severity: 'high',
    title: 'Errors above 5 %',
    description: null,
    labels: {},
    service: 'checkout',
    sender_group: null,
    starts_at: given.at ?? START,
    ends_at: null,
    url: null,
    ending: 'tells',
    ...rest,
  }
  return { ...sent, integration_id: INTEGRATION, group: group ?? groupOf(INTEGRATION, sent) }
}

/** What folds write, kept in memory: the rules alone, without a store. */
export class AlertWorld {
  now = START
  readonly known = new Map<string, KnownAlert>()
  readonly groups = new Map<string, AlertGroup>()
  readonly incidents = new Map<string, Incident>()
  readonly shown = new Map<string, ListedAlert>()
  readonly events: ServiceEvent[] = []
  /** When the tools that are asked last said which of their alerts fire. */
  readonly asked = new Map<string, number>()
  /** Whether messages of tools wait to be taken in. */
  waits = false
  /** Incidents whose investigation was begun again. */
  readonly investigated: string[] = []
  folds = 0
  #ids = 0

  readonly #newId = (prefix: string): string => {
    this.#ids += 1
    return `${prefix}_${String(this.#ids).padStart(26, '0')}`
  }

  #state(key: string) {
    const group = this.groups.get(key)
    return { key, group, incident: group === undefined ? undefined : this.incidents.get(group.incident_id) }
  }

  #context() {
    return { now: this.now, windows: WINDOWS, newId: this.#newId }
  }

  #write(key: string, { after, alerts, incident }: Fold): void {
    this.folds += 1
    if (after !== undefined) this.groups.set(key, after)
    for (const { after: known, shown } of alerts) {
      this.known.set(known.key, known)
      const place = `${known.incident_id} ${known.key}`
      const present = this.shown.get(place)
      if (shown.how === 'anew') this.shown.set(place, shown.alert)
      if (shown.how === 'over' && present !== undefined)
        this.shown.set(place, { ...present, status: 'resolved', ends_at: shown.ends_at })
    }
    if (incident.how === 'opened') {
      this.incidents.set(incident.incident.id, incident.incident)
      this.events.push(incident.event)
    }
    if (incident.how === 'changed') {
      this.incidents.set(incident.after.id, incident.after)
      if (incident.event !== null) this.events.push(incident.event)
      if (incident.investigate) this.investigated.push(incident.after.id)
    }
  }

  /** Takes messages of one batch. @returns whether anything was written */
  take(...alerts: readonly Alert[]): boolean {
    const byGroup = new Map<string, { key: string; alert: Alert }[]>()
    for (const alert of alerts) {
      const key = `${alert.integration_id} ${alert.fingerprint}`
      const known = this.known.get(key)
      const group = known !== undefined && isFiring(known) ? known.group : alert.group
      byGroup.set(group, [...(byGroup.get(group) ?? []), { key, alert }])
    }
    let wrote = false
    for (const [group, members] of byGroup) {
      const fold = foldAlerts(this.#state(group), members, this.known, this.#context())
      if (fold !== null) this.#write(group, fold)
      wrote ||= fold !== null
    }
    return wrote
  }

  /** Lets time pass, doing what comes due every minute as the sweeper does. */
  pass(milliseconds: number): void {
    const until = this.now + milliseconds
    while (this.now < until) {
      this.now = Math.min(until, this.now + MINUTE)
      this.sweep()
    }
  }

  sweep(): void {
    for (const key of this.groups.keys()) {
      for (let steps = 0; steps < 3; steps += 1) {
        const state = this.#state(key)
        if (state.group === undefined) break
        const fold = settleGroup(
          { ...state, group: state.group },
          [...this.known.values()],
          this.#context(),
          { asked: this.asked, waits: this.waits },
        )
        if (fold === null) break
        this.#write(key, fold)
      }
    }
  }

  /** A person changes the status of an incident. */
  person(id: string, status: IncidentStatus): void {
    const incident = this.incidents.get(id)
    if (incident === undefined) throw new Error(`there is no incident ${id}`)
    this.incidents.set(id, changeIncident(incident, { status }, writeInstant(this.now)).incident)
  }

  /** Incidents in order of their creation. */
  get all(): readonly Incident[] {
    return [...this.incidents.values()]
  }

  eventsOf(id: string): readonly string[] {
    return this.events.filter(({ incident_id }) => incident_id === id).map(({ kind }) => kind)
  }

  /** What must hold after any history: each group counts exactly the firing alerts of its incident. */
  wrongCounts(): readonly string[] {
    return [...this.groups.values()].flatMap((group) => {
      const firing = [...this.known.values()].filter(
        (known) => isFiring(known) && known.incident_id === group.incident_id,
      ).length
      return firing === group.firing ? [] : [`${group.key} counts ${group.firing} and has ${firing}`]
    })
  }
}
