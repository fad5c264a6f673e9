/**
 * Outages of outside providers of which nothing but the calls to them is measured.
 */

import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import type { CauseKind } from '../findings.ts'
import { callersOf, failedAt } from '../place/call-graph.ts'
import { outcomesByCaller } from '../place/caller-outcomes.ts'
import { REFUSED } from '../place/refused-requests.ts'
import { isSaidAtOnset, type Line, matching, type Scene } from '../place/told-lines.ts'
import { seriesByEntity } from '../records/series-by-entity.ts'
import { servicesOf } from '../records/speaking-services.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, sign } from './operational-cause.ts'
import { statusSigns } from './provider-status.ts'
import { isAnswerOf } from './system-answers.ts'

/** What a caller's own broken calls say of whom it calls: alone a guess, since its credentials or its network would look the same. */
const FAILING_EDGE = 0.45

/**
 * Needs failing calls to something that tells nothing of itself, as what is outside does not, and a status entry about
 * it or a second caller that agrees.
 */
export function unmeasuredProviders(scene: Scene): readonly OperationalCause[] {
  const { snapshot, observed, names } = scene
  if (!observed.failing.some(({ flow }) => flow !== null && failedAt(flow) >= 1)) return []
  // Tens of thousands of records repeat a few names.
  const telling = new Set<string>()
  for (const entity of seriesByEntity(snapshot.series).keys()) telling.add(entity)
  for (const list of [snapshot.logs, snapshot.spans])
    for (const service of servicesOf(list)) telling.add(service)
  const measured = new Set([...telling].map(names.canonical))
  const causes: OperationalCause[] = []
  for (const { entity, flow } of observed.failing) {
    if (flow === null || failedAt(flow) < 1 || measured.has(entity)) continue
    if ((observed.graph.callees.get(entity)?.size ?? 0) > 0) continue
    const callers = callersOf(observed.graph, entity)
    const statuses = statusSigns(scene, (_text, provider) => names.canonical(provider) === entity)
    const told = [...statuses, ...ownFailures(scene, entity)]
    if (told.length === 0 && callers.length < 2) continue
    const { fail, served } = outcomesByCaller(
      snapshot.edges,
      entity,
      scene.onset ?? observed.normal.incident.from,
      observed.normal.incident.to,
    )
    // Who serves others as ever, or says that it does not accept a credential or what it is asked, is up.
    const isUp =
      (fail.length === 1 && served.length > 0) ||
      isRefusedBy(scene, new Set(callers)) ||
      refusesWhatIsAsked(scene, entity, new Set(callers))
    if (statuses.length === 0 && isUp) continue
    const signs: readonly Sign[] = [{ strength: FAILING_EDGE, fact: { of: 'calls', flow } }, ...told]
    causes.push({
      kind: 'provider',
      entity,
      // What its callers counted is the symptom itself, so nothing is left that it would have to explain.
      score: round6(Math.min(0.9, chanceOf(signs))),
      what: `an outage of the outside provider ${entity}`,
      signs,
      action: 'failover',
      yields_to_changes: told.length === 0,
      // What one caller counts and what it says are one witness; its own way there may be what fails. So may everybody's who
      // is told that no way leads there, whatever else is answered in its place.
      ...(statuses.length === 0 && (callers.length < 2 || isOutOfReach(scene, new Set(callers)))
        ? { at_most: CONFIDENCE_CAP_UNLINKED }
        : {}),
    })
  }
  return causes
}

/** Whether callers say again and again, from the onset on, what is an answer of one of these kinds. */
function isAnsweredTo(scene: Scene, callers: ReadonlySet<string>, kinds: readonly CauseKind[]): boolean {
  const answered = scene.lines.filter(
    ({ failing, origin, entity, text }) =>
      failing &&
      origin === 'log' &&
      callers.has(entity ?? '') &&
      kinds.some((kind) => isAnswerOf(kind, text)),
  )
  return isSaidAtOnset(scene, answered)
}

/** Whether callers are told that a credential was not accepted. */
const isRefusedBy = (scene: Scene, callers: ReadonlySet<string>): boolean =>
  isAnsweredTo(scene, callers, ['certificate', 'config'])

/**
 * Whether callers are told by their own system that no way leads to the other end (connect(2), ENETUNREACH): that is said
 * before anybody there is asked, so it is no word of the other end's.
 * @see https://man7.org/linux/man-pages/man2/connect.2.html
 */
export const isOutOfReach = (scene: Scene, callers: ReadonlySet<string>): boolean =>
  isAnsweredTo(scene, callers, ['network'])

/** A server's own word that it fails, RFC 9110, section 15.6: neither credentials nor a network on the way give it. */
const SERVER_FAILED = /\b50[023]\b|internal server error|bad gateway|service unavailable/i

const timesSaid = (lines: readonly Line[]): number => lines.reduce((sum, { count }) => sum + count, 0)

/**
 * Whether callers are told from the onset on, in more of their lines than that the server fails, that what they ask is wrong: then
 * it is up, and as likely who asks has changed (RFC 9110, section 15.5).
 */
function refusesWhatIsAsked(scene: Scene, entity: string, callers: ReadonlySet<string>): boolean {
  const told = scene.lines.filter(
    ({ failing, origin, entity: speaker, text }) =>
      failing &&
      origin === 'log' &&
      callers.has(speaker ?? '') &&
      scene.names.mentionedIn(text).includes(entity),
  )
  const refused = told.filter(({ text }) => REFUSED.test(text))
  const failed = told.filter(({ text }) => SERVER_FAILED.test(text))
  return timesSaid(refused) > timesSaid(failed) && isSaidAtOnset(scene, refused)
}

/** What callers quote of a server that says of itself, from the onset on, that it fails. */
function ownFailures(scene: Scene, entity: string): readonly Sign[] {
  const lines = matching(scene, SERVER_FAILED).filter(
    ({ text, origin, entity: speaker }) =>
      origin !== 'alert' &&
      scene.observed.graph.callees.get(speaker ?? '')?.has(entity) === true &&
      scene.names.mentionedIn(text).includes(entity),
  )
  return isSaidAtOnset(scene, lines) ? lines.slice(0, 1).map((line) => sign(line, FAILING_EDGE)) : []
}
