/**
 * Causes that several detectors found put together where they are one, and those that follow from another lowered.
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import type { Observed } from '../place/failing-services.ts'
import { shareOfLost } from '../place/lost-everywhere.ts'
import { anyOf, round6 } from '../statistics.ts'
import { saysGone } from './down-part.ts'
import {
  EXPLAINED,
  isMeasuredAndTold,
  MOST_JOINED,
  type OperationalCause,
  strongest,
} from './operational-cause.ts'
import { READY } from './troubled-node.ts'

/** Who does not know where it was does not contradict who does. */
export const samePlace = (one: OperationalCause, other: OperationalCause): boolean =>
  one.entity === null || other.entity === null || one.entity === other.entity

/** Share of its certainty by which trouble of what others lean on explains the load that it leaves to them. */
const LEAVES = 0.75

/**
 * A cache that is empty leaves its load to what stands behind it: connections, processors and demand there are used up by
 * what the cache did not answer, and that is the consequence.
 */
export const followingFrom =
  (stores: readonly OperationalCause[]) =>
  (cause: OperationalCause): OperationalCause => {
    const sure = stores.reduce(
      (most, { entity, score, signs }) =>
        entity !== cause.entity && signs.length > 1 ? Math.max(most, score) : most,
      0,
    )
    const isLoad = cause.kind === 'capacity' || cause.kind === 'traffic'
    return isLoad && sure > 0 ? { ...cause, score: round6(cause.score * (1 - LEAVES * sure)) } : cause
  }

/**
 * Where what all go through fails with it, calls are lost between everybody, and who or what some of them happen to say so
 * of has not failed. Where it is not known, each explains what it explains.
 */
export const lostBy =
  ({ gone_through: through, lost_everywhere: isEverywhere, flows }: Observed) =>
  (cause: OperationalCause): OperationalCause => {
    const { entity, score } = cause
    if (through.size > 0)
      return entity !== null && through.has(entity)
        ? cause
        : { ...cause, score: round6(score * (1 - LEAVES)) }
    return isEverywhere && entity !== null && flows.has(entity)
      ? { ...cause, score: round6(score * shareOfLost(entity, flows)) }
      : cause
  }

/** Who waits or works in a store holds its connections and its processor meanwhile: that they are used up is the consequence. */
export const usedUpBy =
  (busy: readonly OperationalCause[]) =>
  (cause: OperationalCause): OperationalCause => {
    const sure = busy.find(({ entity }) => entity === cause.entity)?.score ?? 0
    return cause.kind === 'capacity' ? { ...cause, score: round6(cause.score * (1 - LEAVES * sure)) } : cause
  }

/** Who tries again asks for more: that traffic is the consequence. */
export const madeBy =
  (repeated: OperationalCause | null) =>
  (cause: OperationalCause): OperationalCause =>
    repeated !== null && cause.kind === 'traffic'
      ? { ...cause, score: round6(cause.score * (1 - LEAVES * repeated.score)) }
      : cause

/**
 * Whoever runs on a machine that was itself measured to be off restarts, comes and goes, or cannot be begun there: that is the
 * consequence.
 */
export const runningOn =
  (machine: OperationalCause | null, runsOn: ReadonlyMap<string, ReadonlySet<string>>) =>
  (cause: OperationalCause): OperationalCause =>
    machine?.entity != null &&
    cause.kind === 'infra' &&
    runsOn.get(cause.entity ?? '')?.has(machine.entity) === true &&
    machine.signs.some(({ fact }) => fact.of === 'shift' && fact.shift.series.entity === machine.entity)
      ? { ...cause, score: round6(cause.score * (1 - LEAVES * machine.score)) }
      : cause

/**
 * How platforms say that a machine is away; that it is short of something is no reason to be down.
 * @see https://kubernetes.io/docs/reference/node/node-status/#condition (Ready, Unknown)
 */
const AWAY = /not ?ready|unreachable|status ?unknown/i

const isAway = ({ signs }: OperationalCause): boolean =>
  signs.some(({ fact }) =>
    fact.of === 'shift' ? saysGone(fact.shift, READY) : fact.of === 'text' && AWAY.test(fact.text),
  )

/**
 * Whether a part that is down went with a machine that it ran on and that is away, or with all that ran on machines which are gone:
 * that is why it is down, where nobody but who misses it says that it is. Its own platform knows of it, and not of its machine.
 *
 * @param machines - the machines that are in trouble or gone, by what is known of each
 */
export const wentWith = (
  { entity, at_most: most = 1 }: OperationalCause,
  machines: readonly (OperationalCause | null)[],
  runsOn: ReadonlyMap<string, ReadonlySet<string>>,
): boolean =>
  entity !== null &&
  most <= CONFIDENCE_CAP_UNLINKED &&
  machines.some(
    (machine) =>
      machine !== null &&
      machine.score >= EXPLAINED &&
      (machine.falls_on?.includes(entity) === true ||
        (machine.entity !== null && isAway(machine) && runsOn.get(entity)?.has(machine.entity) === true)),
  )

/**
 * Whom nobody reaches while what lies on the way was measured to step with the harm, and says so itself, has not failed.
 * An end that fails is no reason for a way to be gone, and a way that is gone is one for every end behind it.
 *
 * @param part - what is beside the calls
 * @param isOutOfReach - whether those who call it are told that no way leads there
 */
export const reachedOver =
  (part: OperationalCause | null, isOutOfReach: (entity: string) => boolean) =>
  (cause: OperationalCause): OperationalCause =>
    part?.kind === 'network' &&
    (cause.kind === 'provider' || cause.kind === 'network') &&
    cause.entity !== null &&
    cause.entity !== part.entity &&
    isMeasuredAndTold(part) &&
    isOutOfReach(cause.entity)
      ? { ...cause, score: round6(cause.score * (1 - LEAVES * part.score)) }
      : cause

/** What is told of an event, the gap that it leaves and the answers that it brings are one cause. */
export function joinedCauses(
  known: readonly OperationalCause[],
  more: readonly OperationalCause[],
  isOnePlace: (one: OperationalCause, other: OperationalCause) => boolean,
): readonly OperationalCause[] {
  const kept = [...known]
  for (const cause of more) {
    const index = kept.findIndex((one) => one.kind === cause.kind && isOnePlace(one, cause))
    const other = kept[index]
    if (other === undefined) kept.push(cause)
    else kept[index] = asOne(other, cause)
  }
  return kept
}

/** Words that both found count once: then the surer score stands, and only further facts are added. */
function asOne(one: OperationalCause, other: OperationalCause): OperationalCause {
  const [surer, weaker] = other.score > one.score ? [other, one] : [one, other]
  const told = new Set(surer.signs.map(({ fact }) => (fact.of === 'text' ? fact.text : '')))
  const further = weaker.signs.filter(({ fact }) => fact.of !== 'text' || !told.has(fact.text))
  const isNew = further.length === weaker.signs.length
  const { at_most: _, ...cause } = surer
  const isShown = ({ at_most, signs }: OperationalCause): boolean =>
    at_most === undefined && signs.some(({ fact }) => fact.of !== 'text')
  const limits =
    isNew || isShown(one) || isShown(other)
      ? []
      : [one.at_most, other.at_most].filter((limit) => limit !== undefined)
  return {
    ...cause,
    ...(limits.length > 0 ? { at_most: Math.min(...limits) } : {}),
    entity: surer.entity ?? weaker.entity,
    score: isNew
      ? Math.max(surer.score, round6(Math.min(MOST_JOINED, anyOf(surer.score, weaker.score))))
      : surer.score,
    signs: strongest([...surer.signs, ...further]),
    yields_to_changes: surer.yields_to_changes && weaker.yields_to_changes,
  }
}
