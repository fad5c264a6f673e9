/** Answers to which version ran: when the trouble began, at an instant, or through a time. */

import { spanText, timeText } from '../hypotheses/compose-answer.ts'
import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { CHANGE_SOURCE, effectOf } from '../records/change-record.ts'
import type { Change, Window } from '../records/snapshot.ts'
import { overlaps } from '../records/windows.ts'
import { changeMeant, changesOf, effectSentence } from './answer-changes.ts'
import { type Ground, notKnown, type Reply, say, stated } from './answer-ground.ts'
import type { AskedVersion } from './asked-record.ts'
import { type VersionSpan, versionSpans } from './version-spans.ts'

/** Services that are told where none is named, and stretches of each. */
const MOST_SERVICES = 6
const MOST_SPANS = 6

/** Which version ran, with the rollouts that say so; null where no rollout of what is asked about is on record. */
export function answerVersion(ground: Ground, asked: AskedVersion, window: Window | null): Reply {
  const { snapshot, service, observed, names } = ground
  const evidence = new EvidenceList(snapshot)
  if (asked === 'before') return answerBefore(ground)
  const { onset } = observed.first ?? {}
  const time =
    asked === 'at_onset'
      ? onset === undefined
        ? null
        : instant(onset.at)
      : window === null
        ? instant(snapshot.window.to - 1)
        : asked === 'at_instant'
          ? instant((window.from + window.to) / 2)
          : { from: window.from, to: Math.min(window.to, snapshot.window.to) }
  if (time === null)
    return notKnown(ground, 'Nothing is known to have begun to fail, so there is no such time.')
  const rollouts = new Set(
    snapshot.changes.filter(
      ({ kind, after }) => (kind === 'deploy' || kind === 'release') && after !== undefined,
    ),
  )
  const placeOf = ({ entity = '' }: Change): string => names.canonical(entity)
  const places =
    service === null
      ? [...new Set([...rollouts].filter(({ entity }) => entity !== undefined).map(placeOf))]
      : [service]
  const rank = (place: string): number => {
    const at = observed.failing.findIndex(({ entity }) => entity === place)
    return at < 0 ? observed.failing.length : at
  }
  const lines = places
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .slice(0, MOST_SERVICES)
    .flatMap((place) => {
      const own = changesOf(ground, new Set([place])).filter(
        (change) => rollouts.has(change) && placeOf(change) === place,
      )
      return versionSpans(own)
        .filter((span) => span.by !== null && overlaps(span, time))
        .slice(-MOST_SPANS)
        .map((span) => spanSentence(place, span, time, evidence))
    })
  if (lines.length === 0) {
    const of = service === null ? '' : ` of ${service}`
    return notKnown(ground, `No rollout${of} is on record, so which version ran is not known.`)
  }
  return stated(ground, lines.join('\n'), evidence)
}

/** Which version ran before the change that is meant. */
function answerBefore(ground: Ground): Reply {
  const change = changeMeant(ground)
  if (change?.before === undefined)
    return notKnown(ground, 'No rollout that says which version it went from is on record.')
  const evidence = new EvidenceList(ground.snapshot)
  const of = [CHANGE_SOURCE[change.kind], 'change'] as const
  const lead = say(evidence, of, `${change.entity ?? 'It'} ran ${change.before} before this:`, change.source)
  return stated(ground, `${lead} ${say(evidence, of, effectSentence(change), change.source)}`, evidence)
}

const instant = (at: number): Window => ({ from: at, to: at + 1 })

/** The sentence of a stretch, with the rollout that says so. */
function spanSentence(
  place: string,
  { from, to, versions, by }: VersionSpan,
  time: Window,
  evidence: EvidenceList,
): string {
  const change = by as Change
  const record = say(evidence, [CHANGE_SOURCE[change.kind], 'change'], effectSentence(change), change.source)
  const isInstant = time.to - time.from <= 1
  const when = isInstant
    ? `At ${timeText(time.from)}`
    : `From ${spanText(Math.max(from, time.from), Math.min(to, time.to))}`
  const which =
    versions.length === 0
      ? `which version of ${place} ran is not on record`
      : versions.length === 1
        ? `${place} ran ${versions[0]}`
        : `${place} went from ${versions[0]} to ${versions[1]}`
  const side = effectOf(change) > time.from ? 'It changed with this' : 'By this'
  const sentence = say(
    evidence,
    [CHANGE_SOURCE[change.kind], 'statement'],
    `${when} ${which}.`,
    change.source,
  )
  return `${sentence} ${side}: ${record}`
}
