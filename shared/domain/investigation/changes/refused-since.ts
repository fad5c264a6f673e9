/**
 * Changes after which a service is no longer believed: whoever checks what it logs in with refuses it, and did not before.
 *
 * Method: who checks a credential says that it is not the right one, so the one who shows it has another one than before, or the other
 * end has. What a service shows it reads when it begins anew: a container that takes a secret from its environment sees another one
 * only then (Kubernetes, Secrets), and whoever gives a service out applies all that is kept of it, also what somebody had put in
 * by hand (Helm, upgrade). So a change that gave out anew everybody who is refused, minutes before they were for the first time, can
 * have done it whatever else it was made for. A secret that is counted to have been written in these very minutes says
 * so by itself, and when (kube-state-metrics, kube_secret_metadata_resource_version).
 * @see https://kubernetes.io/docs/concepts/configuration/secret/
 * @see https://helm.sh/docs/helm/helm_upgrade/
 * @see https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/storage/secret-metrics.md
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import { saysCredentialsRefused } from '../place/refused-credentials.ts'
import type { Symptom } from '../place/symptoms.ts'
import { NEAR_MS, outlasts } from '../place/told-lines.ts'
import type { Arrival } from './closeness.ts'
import { APPLIED_MS } from './moved-itself.ts'
import { isDelivered, WRITES } from './place-of-changes.ts'
import { effectSeen, hasMoved, sinceOf } from './seen-at.ts'
import { SHOWS_WITHIN_MS } from './stepped-at-rollout.ts'

/**
 * The same in words that only say how it failed, so that they are no answer of the table: MongoDB, Kafka, RabbitMQ, LDAP (RFC 4511,
 * appendix A), and HTTP itself (RFC 9110, section 15.5.2).
 */
const OTHERWISE_SAID = new RegExp(
  [
    '\\bauthenticationfailed\\b|\\bsasl ?authentication(?:exception| failed)|\\baccess_refused - login was refused',
    '\\bldap: error code 49\\b|\\binvalid credentials \\(49\\)',
    '\\b401:? unauthori[sz]ed\\b|\\bstatus(?: code)?:? 401\\b',
  ].join('|'),
  'i',
)
const isNotBelieved = (text: string): boolean => saysCredentialsRefused(text) || OTHERWISE_SAID.test(text)
/** The status that says so, as clients count what they are answered (Micrometer, OpenTelemetry). */
const UNAUTHORIZED = '401'
/** Labels that bear a status. */
const STATUS_LABELS = ['status', 'code', 'status_code', 'http_status_code', 'http_response_status_code']
/** Lines that say so from the onset on: so many are no straggler's. */
const MANY_LINES = 5
/** By what factor more is refused than ever: some clients have always had the wrong one. */
const MUCH_MORE = 10
/** Numbers by which it is told that a secret was written. */
const SECRET = /(?:^|_)secret_(?:\w{1,40}_)?(?:resource_version|version|generation)$/i

/** How surely giving it out anew did it where its secret is seen to have been written then. */
const GIVEN_ANEW_SURE = 0.9
const GIVEN_ANEW = {
  id: 'given-anew',
  does: 'gives out anew what a service logs in with',
  kind: 'config',
} as const

/** Who is refused since users are hurt and was not before, each with the instant of the first refusal, epoch milliseconds. */
function refused(observed: Observed): ReadonlyMap<string, number> {
  const { templates, shifts, onset, failing } = observed
  const found = new Map<string, number>()
  if (onset === null) return found
  const isInTime = (at: number): boolean => at >= onset.earliest - NEAR_MS && at <= onset.latest + NEAR_MS
  const add = (service: string, at: number): void => {
    if (isInTime(at) && failing.some(({ entity }) => entity === service))
      found.set(service, Math.min(at, found.get(service) ?? at))
  }
  for (const { service, change, severity, during, risen_at: at, example } of templates)
    if (
      service !== null &&
      at !== null &&
      change === 'new' &&
      severity === 'error' &&
      during >= MANY_LINES &&
      isNotBelieved(example)
    )
      add(service, at)
  for (const shift of shifts)
    if (isMoreRefused(shift) && outlasts(observed, shift)) add(shift.series.entity, shift.onset.at)
  return found
}

const isMoreRefused = ({ series, direction, before, during }: SeriesShift): boolean =>
  direction === 'up' &&
  during >= MUCH_MORE * before &&
  STATUS_LABELS.some((label) => series.labels[label] === UNAUTHORIZED)

/** The same arrivals; those that gave out anew everybody who is refused since are at who is, and can have done it. */
export function withRefusedSince(
  arrivals: readonly Arrival[],
  observed: Observed,
  symptoms: readonly Symptom[],
): readonly Arrival[] {
  const whom = refused(observed)
  const [[service, since] = ['', 0]] = [...whom].sort(([, a], [, b]) => a - b)
  if (whom.size === 0) return arrivals
  const symptom = symptoms.find(({ text, entity }) => entity === service && isNotBelieved(text)) ?? null
  const written = observed.shifts.filter(
    (shift) => SECRET.test(shift.series.name) && whom.has(shift.series.entity) && outlasts(observed, shift),
  )
  return arrivals.map((arrival) => {
    if (!gaveAnew(arrival, whom, since)) return arrival
    const seen = written.find((shift) => hasMoved(shift, sinceOf(arrival), untilOf(arrival)))
    const { place, mechanism } = arrival
    const near = { ...place, score: Math.max(place.score, WRITES), reaches: seen?.series.entity ?? service }
    if (seen === undefined) return { ...arrival, place: near }
    const isSurer = (mechanism?.score ?? 0) >= GIVEN_ANEW_SURE
    return {
      ...arrival,
      ...{ seen, place: near, effective: effectSeen(arrival, seen) },
      mechanism: isSurer ? mechanism : { mechanism: GIVEN_ANEW, score: GIVEN_ANEW_SURE, symptom },
    }
  })
}

/** Until when it shows what it does: what is given out anew logs in at once. */
const untilOf = ({ change, effective }: Arrival): number =>
  effective.known ? effective.to + SHOWS_WITHIN_MS : change.recorded_at + APPLIED_MS

/** Whether it gave out everybody who is refused, minutes before the first of them was. */
function gaveAnew(arrival: Arrival, whom: ReadonlyMap<string, number>, since: number): boolean {
  const { change, rollout, place, trivial, effective, stopped } = arrival
  if (trivial !== null || stopped !== undefined || arrival.seen !== undefined) return false
  if (!isDelivered(change) && (rollout === null || !effective.known)) return false
  return (
    since >= sinceOf(arrival) - CLOCK_TOLERANCE_MS &&
    since <= untilOf(arrival) &&
    [...whom.keys()].every((service) => place.reaches === service || place.owners.has(service))
  )
}
