/**
 * What is said against a node, and what says only that it is emptied on purpose.
 */

import type { Line } from '../place/told-lines.ts'
import { wordsFor } from './spoken-signs.ts'

/** What is said of a node in trouble. */
export const NODE = wordsFor('node')

/**
 * A node that is emptied on purpose: cordoned, drained, its pods marked for deletion. That is work on the infrastructure,
 * and says nothing against the node.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/
 */
const EMPTIED = /notschedulable|cordon|\bdrain|taintmanager|marking for deletion/i
/** Says that a node is not well, also where it was emptied for that. */
const UNWELL =
  /not ?ready|pressure|unreachable|preempt|lost|unhealthy|reboot|hardware|kernel|fail|contend|steal|spot|retire/i

/** Whether a line tells of a node that is emptied on purpose and well otherwise. */
export const isPlanned = ({ text }: Line): boolean => EMPTIED.test(text) && !UNWELL.test(text)
