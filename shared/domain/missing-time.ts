import { spanText } from './investigation/hypotheses/compose-answer.ts'
import type { Gap, Window } from './investigation/records/snapshot.ts'

/** Of which time the tools gave what they have, whatever was asked. */
export const givenFor = ({ from, to }: Window): string =>
  `what the connected tools gave covers ${spanText(from, to)}`

/** That nothing was given of a time that was asked about. */
export const nothingOf = (asked: Window, given: Window): Gap => ({
  what: `evidence about ${spanText(asked.from, asked.to)}`,
  why: givenFor(given),
})
