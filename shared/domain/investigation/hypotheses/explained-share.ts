/**
 * How much of what fails a hypothesis explains. One that its own signs fit, and that most of the harm is nowhere near, is
 * beside the point: something else happened, of a kind that nobody here looks for.
 *
 * Method: a hypothesis speaks of places. Two shares are taken of what fails there, and the greater counts, as either may be
 * all that was measured:
 * - of the calls that were counted to fail, those that fail inside of these places (conservation of flows, see
 *   `call-graph.ts`); where none were, what fails first stands for all of them;
 * - of those whose users were measured to be hurt, those that are such a place or call one, through others too; that counts
 *   for nothing where calls are lost between everybody and everybody (`lost-everywhere.ts`).
 * What all go through explains all of it, where it fails with it.
 */

import { tellerOf } from '../causes/operational-cause.ts'
import { FITS, type RankedChange } from '../changes/ranked-change.ts'
import { everHurting } from '../deviations/felt-symptoms.ts'
import { failedAt } from '../place/call-graph.ts'
import type { Observed } from '../place/failing-services.ts'
import { round6 } from '../statistics.ts'
import { type Candidate, subjectOf } from './candidate.ts'

/** Fewer failed calls than one are what is left of rounding. */
const LEAST_FAILED = 1
/** From this share on a hypothesis explains more of what fails than it leaves open. */
export const MOSTLY = 0.5

/**
 * What a change brings falls on what runs on the machine that it reached and on who cannot read its answers, on whom its place calls as well, where it is seen to be able to
 * do such harm, and on who cannot read its files.
 */
function reachedBy(
  { reaches, falls_on, misread_by, mechanism, quoted }: RankedChange,
  { graph }: Observed,
): readonly (string | null)[] {
  const called = reaches === null || (mechanism?.score ?? 0) < FITS ? [] : (graph.callees.get(reaches) ?? [])
  const readers = quoted?.how === 'stores' ? quoted.symptom.entity : null
  return [reaches, falls_on ?? null, misread_by ?? null, ...called, readers]
}

/** The places that a hypothesis speaks of: what it names, whom that fails by itself, who tells its signs, and what runs on these alone. */
export function placesOf(candidate: Candidate, observed: Observed): ReadonlySet<string> {
  const places =
    candidate.of === 'service'
      ? [candidate.service.entity]
      : candidate.of === 'change'
        ? reachedBy(candidate.entry, observed)
        : [
            candidate.found.entity,
            ...(candidate.found.falls_on ?? []),
            ...candidate.found.signs.map(tellerOf),
          ]
  const named = new Set(places.filter((place) => place !== null))
  return new Set([...named, ...runningOn(named, observed)])
}

/** What is known to run on some machines and on no other: an instance elsewhere would go on. */
const runningOn = (machines: ReadonlySet<string>, { runs_on: runsOn }: Observed): readonly string[] =>
  [...runsOn].flatMap(([entity, on]) =>
    on.size > 0 && [...on].every((machine) => machines.has(machine)) ? [entity] : [],
  )

/** Of the calls that were counted to fail, the share inside of some places; null where none were. */
function countedShare(places: ReadonlySet<string>, { flows }: Observed): number | null {
  let inside = 0
  let all = 0
  for (const flow of flows.values()) {
    const failed = failedAt(flow)
    all += failed
    if (places.has(flow.entity)) inside += failed
  }
  return all < LEAST_FAILED ? null : inside / all
}

/** Of those whose users were measured to be hurt, the share that is one of some places or calls one; null where nobody was. */
function dependingShare(places: ReadonlySet<string>, { shifts, graph }: Observed): number | null {
  const hurt = everHurting(shifts)
  const depending = [...hurt].filter((entity) => {
    const reached = graph.reachableFrom(entity)
    return places.has(entity) || [...places].some((place) => reached.has(place))
  })
  return hurt.size === 0 ? null : depending.length / hurt.size
}

/**
 * The share of what fails that some places explain, 0 (nothing of it) to 1 (all of it).
 * @returns null where nothing that could be explained was measured
 */
export function shareExplainedBy(places: ReadonlySet<string>, observed: Observed): number | null {
  if ([...places].some((place) => observed.gone_through.has(place))) return 1
  const within = countedShare(places, observed)
  // Where everybody loses everybody, most call each of them: that says nothing for any one.
  if (observed.lost_everywhere && [...places].some((place) => observed.flows.has(place))) return within
  const depending = dependingShare(places, observed)
  const isFirst = observed.first !== null && places.has(observed.first.entity)
  const counted = within ?? (isFirst ? 1 : null)
  return counted === null && depending === null ? null : round6(Math.max(counted ?? 0, depending ?? 0))
}

/**
 * Whether a hypothesis explains most of what fails, or too little of it.
 * @returns null where nothing that could be explained was measured, or where it seems to explain little and several signs of the very
 * place tell that it fails: what leans on a cache or a volume is seldom on record
 */
export function explainsMost(candidate: Candidate, observed: Observed): boolean | null {
  const share = shareExplainedBy(placesOf(candidate, observed), observed)
  const most = share === null ? null : share >= MOSTLY
  return most !== true && candidate.of === 'operational' && candidate.found.is_placed === true ? null : most
}

/** Whether a change explains most of what fails by nothing but that who fails cannot read what comes from where it arrived. */
export function explainsByReading(candidate: Candidate, observed: Observed): boolean {
  if (candidate.of !== 'change') return false
  const { misread_by: reader, ...entry } = candidate.entry
  return (
    reader !== undefined &&
    explainsMost(candidate, observed) === true &&
    explainsMost({ ...candidate, entry }, observed) === false
  )
}

/** What `explainsMost` tells of a hypothesis, about one incident. */
export type ExplainsMost = (candidate: Candidate) => boolean | null

/** Asks `explainsMost` once of each thing that a hypothesis is of, however often and with whatever score it is looked at. */
export function explainsMostOnce(observed: Observed): ExplainsMost {
  const told = new Map<object, boolean | null>()
  return (candidate) => {
    const subject = subjectOf(candidate)
    const before = told.get(subject)
    if (before !== undefined) return before
    const most = explainsMost(candidate, observed)
    told.set(subject, most)
    return most
  }
}
