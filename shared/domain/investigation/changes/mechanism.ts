/** What a change can break, and how that shows. */
import type { CauseKind } from '../findings.ts'
import type { DiffReading } from './read-diff.ts'

/** What a diff does, paired with what is then observed. */
export interface Mechanism {
  readonly id: string
  /** Completes the sentence "The change …". */
  readonly does: string
  readonly kind: CauseKind
  /** How surely the diff does it, 0 to 1. */
  readonly in_diff: (diff: DiffReading) => number
  /** What is observed when it does harm and seldom otherwise, in the words of logs, alerts and metrics. */
  readonly symptom: RegExp
  /** What is observed too, but after many other faults as well. */
  readonly general?: RegExp
}
