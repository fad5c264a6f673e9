/** Whether an answer names what is true of a simulated incident, by any of the names that are right. */
import type { SimulatedTruth } from './simulate-incident.ts'

const isOneOf = (answer: string | null, right: string | null, also: readonly string[] | undefined): boolean =>
  answer !== null && (answer === right || also?.includes(answer) === true)

/** Whether it is the place, by whichever tool's name for it. */
export const isThePlace = ({ entity, also }: SimulatedTruth, answer: string | null): boolean =>
  isOneOf(answer, entity, also?.entities)

/** Whether it is the kind of cause, in whichever words are right. */
export const isTheKind = ({ kind, also }: SimulatedTruth, answer: string): boolean =>
  isOneOf(answer, kind, also?.kinds)

/** Whether it is a record of the change that is the cause. */
export const isTheChange = ({ change, also }: SimulatedTruth, answer: string | null): boolean =>
  change !== null && isOneOf(answer, change, also?.changes)
