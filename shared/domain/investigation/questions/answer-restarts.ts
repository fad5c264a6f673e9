/** Answers to whether something was restarted: what an orchestrator wrote of its instances in a time, each record cited. */

import { counted, quoteText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { isOfWorkload } from '../records/hosting.ts'
import type { KubernetesRecord, Window } from '../records/snapshot.ts'
import { type Ground, notKnown, type Reply, say, stated } from './answer-ground.ts'

/** Records that are told one by one. */
const MOST = 8
/** What is written where an instance begins, ends or is begun again. */
const LIFE = /started|created|killing|stopp|terminat|restart|back-?off|evict|oom|preempt|scal(?:ed|ing)/i

/** Why an instance ended, where a question says it, by so many letters as orchestrators write of it. */
const OF_SORT = /^(?:oom|evict|crash)/
const SHORTEST_SORT = 3

/** What was written of the instances of a service, or of all, that began and ended in a time. */
export function answerRestarts(ground: Ground, { from, to }: Window, words: readonly string[] = []): Reply {
  const { service, snapshot } = ground
  const evidence = new EvidenceList(snapshot)
  const isOwn = ({ name }: KubernetesRecord): boolean =>
    service === null || isOfWorkload(name, service, snapshot.entities)
  const [any] = snapshot.k8s
  if (any === undefined) return notKnown(ground, 'No record that was read tells which instances restarted.')
  const own = snapshot.k8s.filter(
    (record) =>
      record.timestamp >= from &&
      record.timestamp < to &&
      LIFE.test(`${record.reason} ${record.message}`) &&
      isOwn(record),
  )
  const of = service === null ? '' : ` of ${service}`
  const amount = own.length === 0 ? 'No record' : counted(own.length, 'record')
  const lead = `${amount} from ${spanText(from, to)} ${own.length > 1 ? 'tell' : 'tells'} of instances${of} that were started or stopped.`
  const lines = [
    say(
      evidence,
      ['deploys', own.length === 0 ? 'absence' : 'statement'],
      lead,
      own[0]?.source ?? any.source,
    ),
  ]
  const sort = words.find((word) => OF_SORT.test(word))
  if (sort !== undefined && own.length > 0) {
    const held = sort.slice(0, SHORTEST_SORT)
    const isSaid = own.some(({ reason, message }) => `${reason} ${message}`.toLowerCase().includes(held))
    if (!isSaid) lines.push(say(evidence, ['deploys', 'absence'], `None of them says “${sort}”.`, any.source))
  }
  for (const record of own.slice(0, MOST)) {
    const { kind, name, reason, message, count = 1, timestamp } = record
    const times = count === 1 ? '' : ` (${count} times)`
    const said = quoteText(message ?? reason ?? '')
    const sentence = `${kind} ${name}: ${said} at ${timeText(timestamp)}${times}.`
    lines.push(`- ${say(evidence, ['deploys', 'statement'], sentence, record.source)}`)
  }
  if (own.length > MOST) lines.push('The later ones are not listed here.')
  return stated(ground, lines.join('\n'), evidence)
}
