/**
 * The mechanism that fits a change best: what it does against what is observed, each to its share.
 *
 * Method: how surely the change does it, times the share of the symptoms' weight in the words of that very fault; words
 * that many faults share count for little, and only up to a part.
 */

import { firstMatching, type Symptom, shareMatching } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { BASED_IMAGE, isBasedAnew } from './based-images.ts'
import { BUILT_OTHERWISE, isBuiltOtherwise } from './built-otherwise.ts'
import { BUMPED_ANY, bumpedIn, isBumpedOtherwise } from './bumped-libraries.ts'
import { isLess } from './machine-sizes.ts'
import type { Mechanism } from './mechanism.ts'
import { isManifestOnly, MECHANISMS } from './mechanisms.ts'
import type { DiffReading } from './read-diff.ts'
import { LESS, RECORD_MECHANISMS, TAKEN_OFF, titleWords } from './record-mechanisms.ts'

/** Share of the symptoms' weight at which a mechanism counts as fully observed. */
const FULL_SHARE = 0.3
/** What a symptom that many faults share is worth beside a specific one. */
const GENERAL = 0.35
/** How surely a record does what its title says that it is about: it says of what it is, and not what was done to it. */
const BY_TITLE = 0.7

/** The same where the record gives what was there before and after. */
const BY_VALUE = 0.9

export interface FittingMechanism {
  readonly mechanism: Pick<Mechanism, 'id' | 'does' | 'kind'>
  readonly score: number
  readonly symptom: Symptom | null
}

type Row = Omit<Mechanism, 'in_diff'>

/** How much of what is observed a mechanism would explain if it were done for sure, 0 to 1. */
function explained({ symptom: exact, general: loose }: Row, symptoms: readonly Symptom[]): number {
  const specific = shareMatching(symptoms, exact)
  // Of what is fully observed in its own words what many faults share need not be looked for.
  if (specific >= FULL_SHARE) return 1
  const general = loose === undefined ? 0 : shareMatching(symptoms, loose)
  const share = Math.max(specific / FULL_SHARE, (GENERAL * general) / FULL_SHARE)
  return Math.min(1, specific > 0 ? share : Math.min(GENERAL, share))
}

/** A mechanism with how much of what is observed it would explain if it were done for sure, 0 to 1, and where it stands. */
interface Explaining {
  readonly mechanism: Mechanism
  readonly share: number
  readonly rank: number
}

/** What was reckoned before of a list of symptoms, as long as it is kept: every change is held against the same. */
const explainingBefore = new WeakMap<readonly Symptom[], readonly Explaining[]>()

/** The mechanisms that would explain some of what is observed, what would explain most of it first. */
function fittingMechanisms(symptoms: readonly Symptom[]): readonly Explaining[] {
  const before = explainingBefore.get(symptoms)
  if (before !== undefined) return before
  const found = MECHANISMS.map(
    (mechanism, rank): Explaining => ({ mechanism, share: round6(explained(mechanism, symptoms)), rank }),
  )
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share || a.rank - b.rank)
  explainingBefore.set(symptoms, found)
  return found
}

function fitting(mechanism: Row, isDone: number, symptoms: readonly Symptom[]): FittingMechanism | null {
  const { symptom: exact, general: loose, id, does, kind } = mechanism
  const score = round6(isDone * explained(mechanism, symptoms))
  if (score <= 0) return null
  const pattern = shareMatching(symptoms, exact) > 0 ? exact : (loose as RegExp)
  return { mechanism: { id, does, kind }, score, symptom: firstMatching(symptoms, pattern) }
}

/** The better one; of equals the one that stands first. */
const stronger = (best: FittingMechanism | null, next: FittingMechanism | null): FittingMechanism | null =>
  next !== null && (best === null || next.score > best.score) ? next : best

/** What was found before of a list of symptoms, as long as it is kept: records without a diff have one reading. */
const strongestBefore = new WeakMap<readonly Symptom[], Map<DiffReading, FittingMechanism | null>>()

/** Of what a diff does the mechanism that fits best; looked for once for each reading. */
export function strongestMechanism(diff: DiffReading, symptoms: readonly Symptom[]): FittingMechanism | null {
  const found = strongestBefore.get(symptoms) ?? new Map<DiffReading, FittingMechanism | null>()
  strongestBefore.set(symptoms, found)
  const before = found.get(diff)
  if (before !== undefined) return before
  const best = strongestIn(diff, symptoms)
  found.set(diff, best)
  return best
}

function strongestIn(diff: DiffReading, symptoms: readonly Symptom[]): FittingMechanism | null {
  let best: FittingMechanism | null = null
  let bestRank = Number.POSITIVE_INFINITY
  const onlyVersions = isManifestOnly(diff)
  for (const { mechanism, share, rank } of fittingMechanisms(symptoms)) {
    // Where what is observed says no more than what was found, the diff need not be read for it, nor for what follows.
    if (best !== null && share < best.score) break
    if (onlyVersions && mechanism.kind !== 'dependency') continue
    const inDiff = mechanism.in_diff(diff)
    const found = inDiff > 0 ? fitting(mechanism, inDiff, symptoms) : null
    // Of equals the one that stands first among all.
    const isBest =
      found !== null &&
      (best === null || found.score > best.score || (found.score === best.score && rank < bestRank))
    if (!isBest) continue
    best = found
    bestRank = rank
  }
  const anew = isBasedAnew(diff)
  if (anew > 0) best = stronger(best, fitting(BASED_IMAGE, anew, symptoms))
  const otherwise = isBuiltOtherwise(diff)
  if (otherwise > 0) best = stronger(best, fitting(BUILT_OTHERWISE, otherwise, symptoms))
  if (!onlyVersions) return best
  for (const [row, sure] of bumpedIn(diff)) best = stronger(best, fitting(row, sure, symptoms))
  const unlike = isBumpedOtherwise(diff)
  return unlike > 0 ? stronger(best, fitting(BUMPED_ANY, unlike, symptoms)) : best
}

/** What is answered from then on to whoever asks for a flag is what stands in its code for that case. */
const IS_OFF = /^(?:off|false|0(?: ?%)?|none|disabled|archived|deleted|removed|retired|killed|default)$/i

/** The same of a flag, by what it was and what it is. */
export function mechanismOfFlag(
  { before = '', after = '' }: Pick<Change, 'before' | 'after'>,
  symptoms: readonly Symptom[],
): FittingMechanism | null {
  const isTakenOff = IS_OFF.test(after.trim()) && !IS_OFF.test(before.trim())
  return isTakenOff ? fitting(TAKEN_OFF, BY_TITLE, symptoms) : null
}

/** The same of a record without a diff, by what its title says that it is of and by the values that it gives. */
export function mechanismOfRecord(
  title: string,
  symptoms: readonly Symptom[],
  { before, after }: Pick<Change, 'before' | 'after'> = {},
): FittingMechanism | null {
  let best: FittingMechanism | null =
    before !== undefined && after !== undefined && isLess(before, after)
      ? fitting(LESS, BY_VALUE, symptoms)
      : null
  const spaced = titleWords(title)
  for (const row of RECORD_MECHANISMS)
    if (row.in_title.test(spaced)) best = stronger(best, fitting(row, BY_TITLE, symptoms))
  return best
}
