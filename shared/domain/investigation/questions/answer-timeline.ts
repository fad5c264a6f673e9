/** Answers to what happened in a time: incidents, what failed, what alerted and what changed, in their order. */

import type { Evidence } from '../findings.ts'
import { changeSentence, quoteText, spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import type { Window } from '../records/snapshot.ts'
import { changesOf } from './answer-changes.ts'
import { type Ground, type Reply, recordOf, sinceOf, stated } from './answer-ground.ts'
import type { ListedIncident } from './answer-listing.ts'

/** Incidents of a time as the store knows them, with when each was over (null while it is not), and what was asked. */
export interface IncidentsOfTime {
  readonly incidents: readonly (ListedIncident & { readonly resolved_at: number | null })[]
  readonly query: string
}

/** Events that are told; of more the first are. */
const MOST = 25

/** What happened in a time, first to last; of a service, to it and to what it calls. */
export function answerTimeline(
  ground: Ground,
  { from, to }: Window,
  { incidents, query }: IncidentsOfTime,
): Reply {
  const { snapshot, service, observed, names } = ground
  const events: (readonly [
    at: number,
    sentence: string,
    of: Evidence['source'],
    record: string,
    asked?: string | undefined,
  ])[] = []
  const add = (
    at: number | null | undefined,
    sentence: (time: string) => string,
    of: Evidence['source'],
    record: string,
    asked?: string,
  ): void => {
    if (typeof at === 'number' && at >= from && at < to)
      events.push([at, sentence(`at ${timeText(at)}.`), of, record, asked])
  }
  const isAbout = (entity: string | null | undefined): boolean =>
    service === null || names.canonical(entity ?? '') === service
  // Of one instant what was changed stands before what failed.
  const changes =
    service === null
      ? snapshot.changes
      : changesOf(ground, new Set([service, ...observed.graph.reachableFrom(service)]))
  for (const change of changes)
    add(effectOf(change), () => changeSentence({ change }), CHANGE_SOURCE[change.kind], change.source)
  for (const { id, title, severity, created_at, resolved_at, service: of } of incidents) {
    if (!isAbout(of)) continue
    const incident = `Incident ${id} ${quoteText(title)} (${severity})`
    add(created_at, (time) => `${incident} was opened ${time}`, 'incidents', '', query)
    add(resolved_at, (time) => `${incident} was resolved ${time}`, 'incidents', '', query)
  }
  for (const failing of observed.failing) {
    if (!isAbout(failing.entity)) continue
    add(failing.onset.at, () => sinceOf(failing, new EvidenceList(snapshot)), 'metrics', recordOf(failing))
  }
  for (const { name, service: of, fired_at, resolved_at, source } of snapshot.alerts) {
    if (!isAbout(of)) continue
    add(fired_at, (time) => `Alert ${name} fired ${time}`, 'alerts', source)
    add(resolved_at, (time) => `Alert ${name} ended ${time}`, 'alerts', source)
  }
  const evidence = new EvidenceList(snapshot)
  const span = `${service === null ? '' : ` of ${service} and what it calls`} from ${spanText(from, to)}`
  const lead =
    events.length === 0
      ? `No incident, alert or change is on record${span}, and nothing began to fail.`
      : `On record${span}:`
  const [asked] = snapshot.sources
  evidence.add('integrations', events.length === 0 ? 'absence' : 'statement', lead, asked?.id ?? '')
  const lines = events
    .sort((a, b) => a[0] - b[0])
    .slice(0, MOST)
    .map(([, sentence, of, record, query]) => {
      evidence.add(of, 'statement', sentence, record, query)
      return `- ${sentence}`
    })
  if (events.length > MOST) lines.push('Later events are not listed here.')
  const { window } = snapshot
  if (from < window.from || to > window.to) {
    const given = `What the connected tools gave covers ${spanText(window.from, window.to)}.`
    evidence.add('integrations', 'statement', given, asked?.id ?? '')
    lines.push(given)
  }
  return stated(ground, [lead, ...lines].join('\n'), evidence)
}
