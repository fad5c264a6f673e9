/**
 * Which services the measurements point to, when one asks where rather than what.
 *
 * Method: four independent scorers, each silent without its input. Flow over the call graph decides alone where it
 * speaks, because it accounts for the whole of the symptom. Else three are added: how far a service's resources and
 * rates left normal, time lost on its edges, and log lines that its work stopped writing. Each is bounded, so that no
 * single one can outvote the agreement of the others.
 */

import { shareOf } from '../deviations/at-its-end.ts'
import type { BrokenSequence } from '../deviations/log-sequences.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { compareText } from '../records/log-templates.ts'
import { round6 } from '../statistics.ts'
import type { EdgeGap } from './edge-gaps.ts'
import type { NodeFlow } from './node-flow.ts'

/** Most that each scorer can give; equal, since none is known to be better where they disagree. */
export const MOST_BLAME = 10
/** Standard deviations at which a shift gives half of the most: twice the usual limits of a control chart and more. */
const HALF_SHIFT = 20
/** Milliseconds lost per call at which an edge gap gives half of the most: what a person begins to notice (Nielsen, 1993). */
const HALF_GAP_MS = 100
/** Strength of a broken sequence at which it gives half of the most. */
const HALF_BREAK = 6
/** Below this a scorer has only seen noise. */
const LEAST = 0.5

/** Where less of the whole flow arises than this nobody need look: one part in a hundred. */
const LEAST_STRENGTH = 0.01

export interface Blame {
  readonly entity: string
  readonly score: number
  /** The score as a share of certainty, 0 to 1. */
  readonly strength: number
  readonly flow: NodeFlow | null
  readonly shift: SeriesShift | null
  readonly gap: EdgeGap | null
  readonly broken: BrokenSequence | null
  readonly onset_at: number
}

type Draft = { -readonly [Key in keyof Blame]: Blame[Key] }

/** Ranks services, most blamed first; what scored next to nothing is left out. */
export function blameServices(found: {
  readonly flows: readonly NodeFlow[]
  readonly shifts: readonly SeriesShift[]
  readonly gaps: readonly EdgeGap[]
  readonly broken: readonly BrokenSequence[]
}): readonly Blame[] {
  if (found.flows.length > 0) return byFlow(found.flows)
  const drafts = new Map<string, Draft>()
  const draft = (entity: string, at: number): Draft => {
    let known = drafts.get(entity)
    if (known === undefined) {
      known = {
        entity,
        score: 0,
        strength: 0,
        flow: null,
        shift: null,
        gap: null,
        broken: null,
        onset_at: at,
      }
      drafts.set(entity, known)
    }
    known.onset_at = Math.min(known.onset_at, at)
    return known
  }
  for (const shift of found.shifts) {
    if (!speaks(shift)) continue
    const one = draft(shift.series.entity, shift.onset.at)
    if (one.shift === null || compareStrength(shift, one.shift) < 0) one.shift = shift
  }
  for (const gap of found.gaps) {
    if (gap.excess_ms <= 0) continue
    const one = draft(gap.service, gap.from)
    if (one.gap === null || gap.excess_ms > one.gap.excess_ms) one.gap = gap
  }
  for (const broken of found.broken) draft(broken.service, broken.first_seen).broken = broken
  const widest = found.gaps.reduce((most, gap) => Math.max(most, gap.excess_ms), 0)
  const blames: Blame[] = []
  for (const one of drafts.values()) {
    const parts = [
      one.shift === null ? 0 : blameOfShift(one.shift),
      one.broken === null ? 0 : half(one.broken.score, HALF_BREAK),
      // Neighbours of a slow instance lose time with it: beside the widest gap theirs counts for less.
      one.gap === null ? 0 : half(one.gap.excess_ms, HALF_GAP_MS) * (one.gap.excess_ms / widest),
    ]
    const score = round6(parts.reduce((sum, part) => sum + part, 0))
    if (score < LEAST) continue
    blames.push({ ...one, score, strength: round6(score / (score + MOST_BLAME / 2)) })
  }
  return blames.sort(
    (a, b) => b.score - a.score || a.onset_at - b.onset_at || compareText(a.entity, b.entity),
  )
}

const half = (value: number, at: number): number => (MOST_BLAME * value) / (value + at)

/** Settings and expiries say nothing of how a service does; less traffic is as a rule a consequence. */
const speaks = (shift: SeriesShift): boolean =>
  shift.meaning.meaning !== 'setting' &&
  shift.meaning.meaning !== 'expiry' &&
  (shift.is_bad || shift.meaning.bad === null) &&
  shift.meaning.meaning !== 'throughput'

/** Names of what is used of a whole where the unit does not tell: a number of cores has the unit of a share. */
const IS_USE = /util|ratio|pct|percent/i
/** Use of a whole from which calls wait as long as the work itself takes, which is all that can be asked. */
const HALF_USED = 0.5

/**
 * How much calls wait for what is used to a share of its whole, 0 to 1: beside the work itself they wait use / (1 − use) of it (a
 * queue of one server, M/M/1: Kleinrock, Queueing Systems, volume 1, 1975, chapter 3); 1 where nothing tells the whole. A
 * processor that goes from 1 % to 4 % is many deviations from normal, and nobody waits for it.
 */
function waitedFor({ series, meaning, during }: SeriesShift): number {
  if (meaning.meaning !== 'saturation' || meaning.bad !== 'up') return 1
  if (series.unit !== '%' && !IS_USE.test(series.name)) return 1
  const use = shareOf(series, during)
  return use < HALF_USED ? Math.max(0, use / (1 - use)) : 1
}

const blameOfShift = (shift: SeriesShift): number => half(shift.z, HALF_SHIFT) * waitedFor(shift)

const compareStrength = (a: SeriesShift, b: SeriesShift): number =>
  round6(blameOfShift(b)) - round6(blameOfShift(a)) ||
  round6(b.z) - round6(a.z) ||
  a.onset.at - b.onset.at ||
  compareText(a.series.name, b.series.name) ||
  compareText(JSON.stringify(a.series.labels), JSON.stringify(b.series.labels))

/** Distance from normal at which it is as likely as not that something is off; the control-chart limit. */
const EVEN = 3

/**
 * How sure it is that an entity is off, 0 to 1. A spread that was measured has tails of its own, so that certainty grows
 * slowly with the distance. Where chance among few calls makes up the spread, that is a normal law, whose odds grow with the
 * square of the distance and faster.
 */
function certainty({ z, beyond_chance: beyond }: NodeFlow): number {
  const slowly = (distance: number): number => distance / (distance + EVEN)
  return beyond < EVEN ? slowly(beyond) : Math.min(slowly(z), beyond ** 2 / (beyond ** 2 + EVEN ** 2))
}

function byFlow(flows: readonly NodeFlow[]): readonly Blame[] {
  const blames = flows.map((flow, index): Blame => {
    const share = Math.max(0, Math.min(1, flow.own / flow.total))
    return {
      entity: flow.entity,
      // The order of the flows is kept even where their shares tie.
      score: round6(MOST_BLAME * share * (index === 0 ? 1 : 0.99)),
      strength: round6(share * certainty(flow)),
      flow,
      shift: null,
      gap: null,
      broken: null,
      onset_at: flow.onset_at,
    }
  })
  return blames.filter(({ strength }, index) => index === 0 || strength >= LEAST_STRENGTH)
}
