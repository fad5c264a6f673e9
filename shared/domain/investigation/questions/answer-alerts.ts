/** Answers to which alerts fire: each of the time that is asked about, with whether its end is on record. */

import { alertSentence, counted, quoteText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import type { Alert, Window } from '../records/snapshot.ts'
import { type Ground, type Reply, say, stated } from './answer-ground.ts'

/** Alerts that are told one by one; the rest is counted. */
const MOST = 10

/** The alerts that fired within a time or were not over when it began: of a service, or all; those without an end first. */
export function answerAlerts({ from, to }: Window, ground: Ground, words: readonly string[] = []): Reply {
  const isOfText = words.some((word) => /^(?:say|text|summary|mean|message)/.test(word))
  const { snapshot, service, names } = ground
  const evidence = new EvidenceList(snapshot)
  const isGoingOn = ({ resolved_at = to }: Alert): boolean => resolved_at >= to
  const of = snapshot.alerts
    .filter(({ fired_at, resolved_at = to }) => fired_at < to && resolved_at >= from)
    .sort((a, b) => Number(isGoingOn(b)) - Number(isGoingOn(a)) || b.fired_at - a.fired_at)
  const own = of.filter(({ service: at }) => service === null || names.canonical(at ?? '') === service)
  const count = (some: number): string => `${some === 0 ? 'No' : some} ${some === 1 ? 'alert' : 'alerts'}`
  const going = own.filter(isGoingOn).length
  const ended = own.length === 1 ? '; it has ended' : '; all of them have ended'
  const open = `; ${counted(going, 'has', 'have')} no end on record`
  const end = own.length === 0 ? '' : going === 0 ? ended : open
  const lead = `${count(own.length)}${service === null ? '' : ` of ${service}`} ${own.length === 1 ? 'is' : 'are'} on record from ${spanText(from, to)}${end}.`
  const [asked] = snapshot.sources
  const lines = [
    say(
      evidence,
      ['alerts', own.length === 0 ? 'absence' : 'statement'],
      lead,
      own[0]?.source ?? asked?.id ?? '',
    ),
    ...own.slice(0, MOST).map((alert) => {
      const over = isGoingOn(alert) ? '' : ` It ended at ${timeText(alert.resolved_at as number)}.`
      return `- ${say(evidence, ['alerts', 'statement'], `${alertSentence(alert)}${over}${isOfText && alert.summary !== undefined ? ` It says ${quoteText(alert.summary)}.` : ''}`, alert.source)}`
    }),
  ]
  if (own.length > MOST) lines.push('The others are not listed here.')
  if (of.length > own.length) {
    const others = `${count(of.length - own.length)} of other services ${of.length - own.length === 1 ? 'is' : 'are'} on record for that time.`
    lines.push(say(evidence, ['alerts', 'statement'], others, of[0]?.source ?? ''))
  }
  return stated(ground, lines.join('\n'), evidence)
}
