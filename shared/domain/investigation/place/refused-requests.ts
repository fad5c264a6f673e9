/**
 * Whose requests are refused by whom they ask.
 *
 * A status of the 400s says that the client seems to have erred (RFC 9110, section 15.5): what is asked is malformed, in the
 * name of somebody who may not, of something that is not there, in a form that is not taken. Then who asks has changed as
 * likely as who answers, so a change of a caller whose requests fail there is nearly as well placed as one of the failing
 * service itself. Who asks too often (429) or too slowly (408) has not erred in this way.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5
 */
import type { Edge } from '../records/snapshot.ts'
import { callersOf } from './call-graph.ts'
import { outcomesByCaller } from './caller-outcomes.ts'
import type { Observed } from './failing-services.ts'
import type { Symptom } from './symptoms.ts'

/** A status that says that the client erred: not too often, too slowly or too early, nor at what is locked for now. */
const STATUS = '4(?:0[0-79]|1[0-7]|2[12468]|31)'
/** Such a status as lines tell one: behind what it is, before a colon or the words of its own, and in words alone. */
export const REFUSED = new RegExp(
  [
    `(?:\\bhttp(?:/\\d(?:\\.\\d)?)?[ :=]+|\\bstatus(?:[ _]?code)?[ :="]+|\\bcode[ :="]+)${STATUS}\\b`,
    `(?:^|[\\s"(:])${STATUS}(?=: )`,
    `(?:^|[\\s"(:])${STATUS}(?=:? (?:from|for|by|on|to|bad|unauth|forbidden|not|method|conflict|gone|length|precondition|payload|content|uri|unsupported|range|expectation|misdirected|unprocessable|failed|upgrade|request)\\b)`,
    // Before what was asked, as lines of access tell it, or behind the name of an exception.
    `(?:^|[\\s"(:])${STATUS}(?= (?:get|head|post|put|patch|delete) /)`,
    `\\b[a-z]{1,60}(?:exception|error): ${STATUS}\\b`,
    '\\bbad request\\b|\\bunauthori[sz]ed\\b|\\bforbidden\\b|\\bunsupported media type\\b|\\bunprocessable\\b',
    '\\bprecondition (?:failed|required)\\b|\\binvalid_(?:token|grant|request|client)\\b',
  ].join('|'),
  'i',
)
/** Share of what the failing service and its callers say: a few lines of another matter do not count. */
const MUCH = 0.2

/**
 * Who asks the first failing service and is refused, where that one or they say so; else nobody. Where calls are counted, those
 * whose calls fail there.
 */
export function refusedAt(
  { first, graph, onset, normal }: Observed,
  symptoms: readonly Symptom[],
  edges: readonly Edge[],
): ReadonlySet<string> {
  if (first === null || onset === null) return new Set()
  const callers = callersOf(graph, first.entity)
  const speakers: ReadonlySet<string | null> = new Set([first.entity, ...callers])
  let all = 0
  let refused = 0
  for (const { entity, origin, plain, weight } of symptoms) {
    if (!speakers.has(entity) || origin === 'metric' || origin === 'alert') continue
    all += weight
    if (REFUSED.test(plain)) refused += weight
  }
  if (all === 0 || refused < MUCH * all) return new Set()
  const { fail, served } = outcomesByCaller(edges, first.entity, onset.at, normal.incident.to)
  return new Set(fail.length + served.length > 0 ? fail : callers)
}
