/**
 * What is outside and no longer takes what it is asked: a version of an interface that has ended, a route that is gone, a
 * form that is refused, a limit that is reached.
 *
 * Method: who differs and who does not. Whoever asks as ever, with nothing of its own changed, and is refused by an answer
 * that finds fault with what was asked, is refused because the other side changed. Two readings of such an answer: words by
 * which those who end an interface say so (a table, each row with its page) or which say that too much was asked, which tell
 * why; and an answer's code alone, which tells that the request was not taken (RFC 9110, section 15.5). Refused credentials
 * (401, 403, 407) are told elsewhere. That others are served by the same peer is no contradiction: they ask otherwise, and each
 * has its own limit.
 */

import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { failedAt } from '../place/call-graph.ts'
import {
  hasShiftedInTime,
  holdsOn,
  isInTime,
  isSaidAtOnset,
  type Line,
  type Scene,
  wasChanged,
} from '../place/told-lines.ts'
import { holdsName } from '../records/whole-name.ts'
import { round6 } from '../statistics.ts'
import { bySureness, chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { insideOf, outsideOf } from './slow-outside.ts'
import { wordsFor } from './spoken-signs.ts'
import { isAnswerOf } from './system-answers.ts'

const ENDED = wordsFor('ended')
/**
 * Codes that find fault with the request and are none of credentials, limits or timeouts; a number of milliseconds is none.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.6.2 (501 Not Implemented)
 */
const NOT_TAKEN = /(?<![\d.:/-])(4(0[0456]|1[0-57]|2[26]|51)|501)(?=[\s:,;{("\]]|$)(?! (ms|s|bytes)\b)/
/**
 * That too much was asked, as a code or in words: who answers so is well and serves as much as was agreed.
 * @see https://www.rfc-editor.org/rfc/rfc6585#section-4 (429 Too Many Requests)
 * @see https://cloud.google.com/apis/design/errors (RESOURCE_EXHAUSTED: quota or rate limiting)
 */
const LIMITED =
  /(?<![\d.:/-])429(?=[\s:,;{("\]]|$)(?! (ms|s|bytes)\b)|too[ _]many[ _]requests|\bresource_?exhausted\b|\b(quota|rate[ _-]?limit)[ _-]?(was |is |has been )?(exceeded|reached|used up|exhausted)/i
const CODE = /^(4xx|4(0[0456]|1[0-57]|2[26]|51)|501)$/i
/** What words of an end are worth, what a code alone, what failed calls that were counted, what a second caller. */
const SAID = 0.6
const CODED = 0.4
const COUNTED = 0.45
const FURTHER = 0.3
/** What a caller's own count of such answers of that peer is worth. */
const REFUSED = 0.4
const MOST = 0.9

/** The outside parties that no longer take what they are asked, surest first. */
export function endedInterfaces(scene: Scene): readonly OperationalCause[] {
  const inside = insideOf(scene)
  const counts = countsOf(scene, inside)
  const lines = scene.lines.filter(
    ({ failing, origin, at, text }) =>
      failing &&
      origin === 'log' &&
      isInTime(scene, at) &&
      (ENDED.test(text) || LIMITED.test(text) || NOT_TAKEN.test(text)) &&
      !isAnswerOf('certificate', text) &&
      !isAnswerOf('config', text),
  )
  const peers = new Set([...outsideOf(scene, inside), ...counts.keys()])
  return [...peers]
    .map((entity) =>
      causeOf(
        scene,
        entity,
        lines.filter(({ text, entity: speaker }) => speaker !== entity && holdsName(text, entity)),
        counts.get(entity) ?? [],
      ),
    )
    .filter((cause) => cause !== null)
    .sort(bySureness)
}

/** Labels that name whom a client asks. */
const PEER_LABELS = ['peer', 'peer_service', 'server_address', 'destination_service', 'upstream', 'host']
const OF_CLIENTS = /client|outbound|outgoing|upstream|egress/i

/**
 * What callers count of answers that find fault with the request, by the peer that gives them and tells nothing of itself,
 * where it rose with the symptoms and lasted.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ (http.client.request.duration, server.address)
 */
function countsOf(scene: Scene, inside: ReadonlySet<string>): ReadonlyMap<string, readonly SeriesShift[]> {
  const counts = scene.observed.shifts.filter(
    (shift) =>
      shift.direction === 'up' &&
      OF_CLIENTS.test(shift.series.name) &&
      (/4xx/i.test(shift.series.name) ||
        Object.values(shift.series.labels).some((value) => CODE.test(value))) &&
      hasShiftedInTime(scene, shift) &&
      holdsOn(scene.observed, shift),
  )
  const byPeer = new Map<string, SeriesShift[]>()
  for (const shift of counts) {
    const value = PEER_LABELS.map((label) => shift.series.labels[label]).find((one) => one !== undefined)
    const peer = value === undefined ? undefined : scene.names.canonical(value)
    if (peer === undefined || inside.has(peer)) continue
    byPeer.set(peer, [...(byPeer.get(peer) ?? []), shift])
  }
  return byPeer
}

/** Share of the most failed calls that must arise where they are refused: what is refused now and then is no outage. */
const MOST_FAILED = 0.5

function causeOf(
  scene: Scene,
  entity: string,
  lines: readonly Line[],
  counts: readonly SeriesShift[],
): OperationalCause | null {
  const isSaid = isSaidAtOnset(scene, lines)
  if (!isSaid && counts.length === 0) return null
  const why = [ENDED, LIMITED].find((words) => isSaidAtOnset(scene, saying(lines, words)))
  const told = why !== undefined ? saying(lines, why) : isSaid ? lines : []
  const speakers = [
    ...new Set([...told.map((line) => line.entity), ...counts.map(({ series }) => series.entity)]),
  ]
  const flow = scene.observed.flows.get(entity)
  const most = Math.max(1, ...[...scene.observed.flows.values()].map(failedAt))
  const isCounted = flow !== undefined && failedAt(flow) >= MOST_FAILED * most
  if (scene.observed.flows.size > 0 && !isCounted) return null
  const hasChanged = speakers.some((speaker) => wasChanged(scene, speaker))
  // Calls that fail since who makes them was changed, by a code that finds fault with what is asked, say no more than that code.
  const isOfAsker = hasChanged && why === undefined
  const signs: readonly Sign[] = [
    ...told.slice(0, 1).map((line) => sign(line, why === undefined ? CODED : SAID)),
    ...told
      .filter((line) => line.entity !== told[0]?.entity)
      .slice(0, 1)
      .map((line) => sign(line, FURTHER)),
    ...shown(counts[0], REFUSED),
    ...(isCounted && !isOfAsker ? [{ strength: COUNTED, fact: { of: 'calls', flow } } as const] : []),
  ]
  return {
    ...{ kind: 'provider', entity, signs },
    score: round6(Math.min(MOST, chanceOf(signs))),
    what:
      why === LIMITED
        ? `an outside provider whose limit is reached (${entity})`
        : `an outside provider that no longer takes what it is asked (${entity})`,
    action: 'escalate',
    // Who was changed may ask otherwise than it did.
    yields_to_changes: hasChanged || why === undefined,
    ...(why !== undefined && isCounted && !hasChanged
      ? {}
      : { at_most: why === undefined ? CONFIDENCE_CAP_UNLINKED : CONFIDENCE_CAP_UNMAPPED }),
  }
}

const saying = (lines: readonly Line[], words: RegExp): readonly Line[] =>
  lines.filter(({ text }) => words.test(text))
