/** Who calls whom, as far as tools have seen it: what depends on a service, and what it depends on. */

import type { EvidenceList } from '../hypotheses/evidence-list.ts'
import { callersOf } from '../place/call-graph.ts'
import { type Ground, namesText, say } from './answer-ground.ts'
import type { AskedCalls } from './asked-calls.ts'

/** Names that are told; more are counted. */
const MOST_NAMED = 10

/** Who is seen to call a service, or to be called by it, cited; that nobody is where calls of others were seen. */
export function linesOfCalls(
  { snapshot, observed: { graph }, names }: Ground,
  service: string,
  asked: AskedCalls,
  evidence: EvidenceList,
): readonly string[] {
  const source = snapshot.edges[0]?.source ?? snapshot.spans[0]?.source
  if (source === undefined) return ['No connected tool tells who calls whom.']
  const isCallers = asked === 'callers'
  const found = isCallers ? callersOf(graph, service) : [...(graph.callees.get(service) ?? [])]
  const own = snapshot.edges.find(
    ({ caller, callee }) => names.canonical(isCallers ? callee : caller) === service,
  )
  const listed = namesText(found.toSorted(), MOST_NAMED)
  const sentence =
    found.length === 0
      ? `No call ${isCallers ? `to ${service}` : `of ${service} to anybody`} was seen.`
      : isCallers
        ? `${service} is called by ${listed}, as far as calls were seen.`
        : `${service} calls ${listed}, as far as calls were seen.`
  return [say(evidence, ['topology', 'statement'], sentence, own?.source ?? source)]
}
