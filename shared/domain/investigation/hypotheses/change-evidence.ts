/**
 * How much speaks for a change: what it was seen to do, and the kinds of evidence that agree on it.
 */
import { FITS, isActedOn, type RankedChange } from '../changes/ranked-change.ts'

/** Share of the credit of all that arrived from which time and place single a change out: a fifth. */
export const SINGLED_OUT = 0.2
/** From here words name what is observed: a third of a word that hardly any other change uses. */
const NAMED = 0.1

/** Whether who fails says that it cannot read what comes from where it arrived, and its words name what is observed: more than words. */
export const isMisread = ({ misread_by: reader, words_score: words }: RankedChange): boolean =>
  reader !== undefined && words >= NAMED

/** From here such a change is worth naming: it can do the harm, and what says how it fails would be named instead. */
export const WORTH_EXPLAINING = 0.15

/** What fails names what the change took away, or the change itself. */
export const isNamed = ({ quoted }: RankedChange): boolean => isActedOn(quoted)

/** Whether time and place single it out among all that arrived. */
export const isSingledOut = ({ closeness }: RankedChange): boolean => closeness >= SINGLED_OUT

/** Whether it shows how it does the harm: by its diff, by a name, a level or a version that what fails shows too. */
export const hasMechanism = (entry: RankedChange): boolean => entry.spent !== null || showsHow(entry)

/** The same, by more than that a level moved where it arrived: that something fails there moves levels by itself. */
export const showsHow = (entry: RankedChange): boolean =>
  (entry.mechanism?.score ?? 0) >= 0.3 ||
  entry.echo !== null ||
  entry.quoted !== null ||
  entry.contrast !== null ||
  entry.failed_over !== null ||
  // What arrived just before the harm, alone, and can do it or is named by it: more of how need not show.
  (entry.coincides && (entry.words_score >= NAMED || (entry.mechanism?.score ?? 0) >= FITS))

/** A mechanism that fits less than well agrees as far as it fits. */
const mechanismKind = (score: number): number => (score >= 0.4 ? 1 : score >= FITS ? score : 0)

/** Independent kinds of evidence that agree on a change, each as far as it does. */
export const changeKinds = (entry: RankedChange): number =>
  mechanismKind(entry.mechanism?.score ?? 0) +
  Number(entry.echo !== null) +
  Number(isNamed(entry)) +
  Number(entry.contrast !== null) +
  Number(entry.spent !== null) +
  Number(entry.failed_over !== null) +
  Number(entry.words_score >= 0.4) +
  // Time and place are a kind of evidence as far as they are its own.
  (entry.coincides ? 1 : isSingledOut(entry) ? entry.closeness : 0) +
  Number(entry.effective_at.known && entry.place >= 0.85)

/** From this place on a change arrived at the very place that fails first. */
const THERE = 0.95

/**
 * A change that time and place single out at the very place that fails first, by its own share of the credit or since it is hardly
 * chance: how it does its harm need not be seen.
 */
export const arrivedThere = (entry: RankedChange): boolean =>
  entry.score >= WORTH_EXPLAINING &&
  entry.trivial === null &&
  entry.effective_at.known &&
  entry.place >= THERE &&
  (isSingledOut(entry) || entry.hardly_chance)

/**
 * A change of a store that nobody who is hurt asks, or one that neither arrived at the very place nor hardly by chance: where most of
 * what fails is elsewhere it is beside the point, as among so many changes one is always found that could do some harm.
 */
export const isAsideChange = (entry: RankedChange): boolean =>
  entry.is_of_others || (!arrivedThere(entry) && !entry.hardly_chance)

/** A change that is worth naming, arrived in time next to what fails, and is seen to be able to do such harm. */
export const explains = (entry: RankedChange): boolean =>
  entry.score >= WORTH_EXPLAINING &&
  entry.trivial === null &&
  entry.closeness > 0 &&
  ((entry.mechanism?.score ?? 0) >= FITS || entry.spent !== null || entry.contrast !== null || isNamed(entry))
