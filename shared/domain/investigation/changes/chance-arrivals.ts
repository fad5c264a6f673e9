/**
 * How much likelier it is that a change brought the incident than that it arrived just before by chance.
 *
 * Method: Bayes' theorem on one instant. Changes that harm nobody arrive at the failing place, or nearer, as often as they
 * did in the time that was looked at, evenly (a Poisson process), so one of them is as likely in any minute as in another.
 * One that harms shows it soon: half within some minutes, half within an hour (the two exponential distributions of
 * `closeness.ts`). The ratio of the two densities at the delay that was seen, times what is known of incidents before any is
 * looked at: about 70 % are due to changes (Beyer et al., Site Reliability Engineering, 2016, chapter 1). What the change
 * does is not asked, so it holds as well for one whose text nobody can read. Where little is changed, a change seconds before
 * is hardly chance; where much is, it may be.
 */

import type { Observed } from '../place/failing-services.ts'
import type { Window } from '../records/snapshot.ts'
import { type Arrival, AT_ONCE_MS, CLOSE_MS } from './closeness.ts'

/** Incidents that a change brought, to those that none did. */
export const BEFORE_ALL = 0.7 / 0.3
/** Changes in less time than this say little of how often there are some, ms. */
export const LEAST_SPAN_MS = 30 * 60_000
/** From these odds on it is hardly chance: four incidents of five. */
export const HARDLY_CHANCE = 4

/** Density per millisecond of what halves within a time. */
export const densityOf = (half: number, delay: number): number => (Math.LN2 / half) * 2 ** (-delay / half)

/** What is known of one change beside the others that arrived there or nearer. */
export interface ArrivalOdds {
  /** That it brought the incident, to that it arrived by chance. */
  readonly odds: number
  /** It is hardly chance, and likelier than all others there together. */
  readonly is_hardly_chance: boolean
}

const NONE: ArrivalOdds = { odds: 0, is_hardly_chance: false }

/** Changes that one rollout carried arrived once. */
const arrivalOf = ({ rollout, change }: Arrival): string => (rollout ?? change).id

/**
 * The odds of each change that it brought the incident, not chance; 0 for what arrived later or at a time that nobody saw,
 * and for what can do no harm.
 */
export function oddsOfArrival(
  arrivals: readonly Arrival[],
  { onset }: Observed,
  { from }: Window,
): (arrival: Arrival) => ArrivalOdds {
  if (onset === null) return () => NONE
  const { at, latest } = onset
  const seen = arrivals.filter(
    ({ effective, trivial }) =>
      trivial === null && effective.known && effective.from >= from && effective.from <= latest,
  )
  const span = Math.max(LEAST_SPAN_MS, latest - from)
  /** What arrived as near as a place or nearer, each once: the odds of each, and of all together. */
  const nearBy = (least: number): { readonly odds: ReadonlyMap<string, number>; readonly all: number } => {
    const near = new Map(
      seen.filter(({ place }) => place.score >= least).map((one) => [arrivalOf(one), one.effective.from]),
    )
    const often = near.size / span
    const odds = new Map([...near].map(([id, time]) => [id, oddsAt(time, at, often)] as const))
    return { odds, all: [...odds.values()].reduce((sum, one) => sum + one, 0) }
  }
  const found = new Map(
    [...new Set(seen.map(({ place }) => place.score))].map((score) => [score, nearBy(score)]),
  )
  const isSeen = new Set(seen)
  return (arrival) => {
    const near = isSeen.has(arrival) ? found.get(arrival.place.score) : undefined
    if (near === undefined) return NONE
    const odds = oddsAt(arrival.effective.from, at, near.odds.size / span)
    const rivals = near.all - (near.odds.get(arrivalOf(arrival)) ?? 0)
    return { odds, is_hardly_chance: odds >= HARDLY_CHANCE && odds > rivals }
  }
}

/** The odds of a change at a time, where so many arrive in a millisecond by chance. */
function oddsAt(time: number, onset: number, often: number): number {
  const delay = Math.max(0, onset - time)
  return (BEFORE_ALL * densityOfHarm(delay)) / often
}

/** Density per millisecond of the time after which a change that harms shows it. */
const densityOfHarm = (delay: number): number =>
  (densityOf(AT_ONCE_MS, delay) + densityOf(CLOSE_MS, delay)) / 2

/**
 * The delay that speaks neither for a change nor against it, ms. On unseen faults, of the changes that were the cause four of five came
 * sooner, and of the others that came within the hour one in ten (docs/decisions/0110-how-long-harm-takes-to-show.md).
 */
export const INDIFFERENT_MS = 5 * 60_000

/**
 * By how much the delay of a change alone multiplies the odds that it brought the incident: above 1 in the minutes before the onset, far
 * below an hour before. Bayes' theorem with the densities that `oddsOfArrival` has.
 * @param delay - from when it took effect to the onset, ms; what is recorded just after it came at once
 */
export const ratioOfDelay = (delay: number): number =>
  densityOfHarm(Math.max(0, delay)) / densityOfHarm(INDIFFERENT_MS)
