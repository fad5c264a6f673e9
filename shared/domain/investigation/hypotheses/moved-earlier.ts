/**
 * Whether what moved where a change arrived moved too long before anybody was hurt to tell anything of what fails elsewhere.
 *
 * Method: temporality (Hill, The environment and disease: association or causation?, 1965). What is used up where it fails takes its
 * time, so there a change may lie far back. Elsewhere something or other moves after nearly every change: an index is dropped and
 * another level follows, a machine is worked on and its clock begins anew. Where that hurts somebody else it does so at once, as who asks
 * is failed by the next answer. On faults of which the engine had not been taught, none of the changes that moved something more than
 * five minutes before was the cause of what failed elsewhere (docs/decisions/0103-what-was-over-or-moved-long-before.md).
 */
import type { RankedChange } from '../changes/ranked-change.ts'
import { NEAR_MS } from '../place/told-lines.ts'
import { isNamed } from './change-evidence.ts'

/**
 * Whether something moved where a change arrived, and the change lies long before users were hurt. What fails names none of it.
 * @param onset - since when users were hurt, epoch milliseconds; undefined where that is not known
 */
export const movedEarlier = (entry: RankedChange, onset: number | undefined): boolean =>
  entry.spent !== null && onset !== undefined && onset - entry.effective_at.from > NEAR_MS && !isNamed(entry)
