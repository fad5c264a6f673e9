/** By what a question would choose incidents, beside the status, severity, service and time by which it can. */
import { spelt } from './names-aside.ts'

/**
 * By what else somebody may want to choose incidents: who or what opened or caused them, how long they lasted, what they are
 * about. It stands behind a word that says so and ends with the sentence or before a time.
 */
const CHOSEN_BY =
  /\b(?:(?:opened|created|raised|reported|caused|triggered|started|closed|resolved|handled|assigned|owned|acknowledged|tagged|labell?ed) (?:automatically|manually|(?:by|to|from|with|as) (?!\d))|(?:lasting|lasted|more|longer|less|shorter) (?:for )?(?:longer |more |less |shorter )?than \S+ (?:min|hour|day|week)|(?:with|without) (?:a |an |the |any )?(?:label|tag|root cause|cause|owner|assignee|postmortem)|assigned to)[^?!.;,]*/
/** Where a time begins, which is a filter. */
const TIME_BEGINS =
  / (?:today|yesterday|tonight|since|this|last|in the|in|on|between|before|after|during|over the|from|until|right now|now|at)\b.*$/
/** What of plain words would choose incidents and cannot; null where nothing does. */
export function chosenBy(plain: string): string | null {
  const told = CHOSEN_BY.exec(plain)?.[0].replace(TIME_BEGINS, '').trim() ?? ''
  return told === '' ? null : spelt(told)
}
