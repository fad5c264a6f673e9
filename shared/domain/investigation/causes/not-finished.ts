/**
 * What is begun and not finished, and who it waits for: followed from what lacks room to who holds it, and from there to what that
 * one waits for.
 *
 * Method: a graph of who waits for whom (Holt, Some Deadlock Properties of Computer Systems, ACM Computing Surveys 4, 1972), of
 * counts of what is in progress. By Little's law (Operations Research 9, 1961) what is in progress is what arrives times how long it
 * stays: where it grows to a multiple within the minute in which users are hurt and stays so, what is begun is not finished. A
 * label says whose it is: of a store's sessions the one client that has them, of a client's calls the one peer that they are
 * made to. Only one of several values may have grown: where all did, more is asked. The last in the row is why: an outside peer
 * that does not answer, the one client that keeps what it was given, or, where nobody else is named, the place itself, if it says
 * the same in its own words. Who waits for a peer inside is told by that peer. Where the last one was changed just before, that
 * change is why.
 */

import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  isInTime,
  isOnRecord,
  isSaidAtOnset,
  type Line,
  outlasts,
  type Scene,
  stepsWith,
} from '../place/told-lines.ts'
import { holdsName } from '../records/whole-name.ts'
import { round6 } from '../statistics.ts'
import { bySureness, chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { insideOf } from './slow-outside.ts'

/** Counts of what is begun and not yet ended, by what they are called; what waits in line is a consequence. */
const IN_PROGRESS =
  /in_(?:flight|progress|transaction)|unfinished|outstanding|half_open|held|checked_out|borrowed|leased/i
/** Labels that say for whom something is held, and whom it waits for. */
const HOLDERS = ['client', 'caller', 'application', 'application_name', 'client_name']
const PEERS = ['peer', 'upstream', 'target', 'destination', 'remote', 'callee']
/** By what factor it must have grown: twice is a busy minute. */
const MULTIPLE = 3
/** What each sign is worth: that it was counted, and that who has it says so. */
const COUNTED = 0.45
const SAID = 0.4
const MOST = 0.85
/** Shorter words name no thing. */
const SHORTEST = 5

/** What is not finished at a place, whose it is or whom it waits for. */
interface Held {
  readonly shift: SeriesShift
  readonly at: string
  /** Null where no label names anybody. */
  readonly next: { readonly name: string; readonly is_peer: boolean } | null
}

const isRate = ({ series }: SeriesShift): boolean =>
  series.unit === '/s' || /per_second|_total$/.test(series.name)

function heldIn({ observed, names }: Scene): readonly Held[] {
  const { onset, shifts } = observed
  if (onset === null) return []
  const grown = shifts.filter(
    (shift) =>
      shift.direction === 'up' &&
      IN_PROGRESS.test(shift.series.name) &&
      !isRate(shift) &&
      shift.during >= MULTIPLE * Math.max(1, shift.before) &&
      stepsWith(shift, onset.at) &&
      outlasts(observed, shift),
  )
  const nextOf = ({ series: { labels } }: SeriesShift): Held['next'] => {
    const named = (keys: readonly string[]): string | undefined =>
      keys.map((key) => labels[key]).find((value) => value !== undefined)
    const holder = named(HOLDERS)
    const next = holder ?? named(PEERS)
    return next === undefined ? null : { name: names.canonical(next), is_peer: holder === undefined }
  }
  const all = grown.map((shift): Held => ({ shift, at: shift.series.entity, next: nextOf(shift) }))
  // Where others grew as well, it is not one of them.
  return all.filter(
    (one) =>
      !all.some(
        (other) =>
          other.at === one.at &&
          other.shift.series.name === one.shift.series.name &&
          other.next?.name !== one.next?.name,
      ),
  )
}

/** The row from a place on: what it holds, or has held, and what the next one does. */
function rowFrom(start: Held, all: readonly Held[]): readonly Held[] {
  const row = [start]
  for (let last = start; last.next !== null; ) {
    const { name } = last.next
    const further = all.find(({ at, next }) => at === name && next?.is_peer === true)
    if (further === undefined || row.includes(further)) break
    row.push(further)
    last = further
  }
  return row
}

/** Words of what is counted, as people write them. */
const wordsOf = (name: string): readonly string[] =>
  name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(({ length }) => length >= SHORTEST)
    .map((word) => word.replace(/s$/, ''))

/** What is begun and not finished since users are hurt, at the last of those who wait for each other; null where nothing is. */
export function notFinished(scene: Scene): OperationalCause | null {
  const { observed } = scene
  const all = heldIn(scene)
  const inside = insideOf(scene)
  const saying = (of: string, isIt: (text: string) => boolean): readonly Line[] => {
    const own = scene.lines.filter(
      ({ entity, origin, failing, text, at }) =>
        entity === of && origin === 'log' && failing && isInTime(scene, at) && isIt(text.toLowerCase()),
    )
    return isSaidAtOnset(scene, own) ? own : []
  }
  const isHurt = (entity: string): boolean =>
    observed.failing.some((service) => service.entity === entity && service.ended_at === null)
  const isNamedInRecords = (name: string): boolean =>
    scene.snapshot.changes.some(({ title = '' }) => holdsName(title.toLowerCase(), name.toLowerCase()))
  const found = all.flatMap((start): readonly (OperationalCause & { readonly entity: string })[] => {
    const row = rowFrom(start, all)
    const last = row.at(-1) as Held
    const entity = last.next?.name ?? last.at
    const isOutside = last.next?.is_peer === true && !inside.has(entity)
    // Who waits for somebody inside is told by that one.
    if (last.next?.is_peer === true && !isOutside) return []
    if (!row.some(({ at }) => isHurt(at))) return []
    // A host outside has words of everybody's in its name.
    if (isOutside ? isNamedInRecords(entity) : isOnRecord(scene, entity)) return []
    const said = isOutside
      ? saying(last.at, (text) => holdsName(text, entity.toLowerCase()))
      : saying(entity, (text) => wordsOf(last.shift.series.name).some((word) => text.includes(word)))
    // One count alone may follow from anything that is slow.
    if (said.length === 0 && row.length < 2) return []
    const signs: readonly Sign[] = [
      ...row.flatMap(({ shift }) => shown(shift, COUNTED)),
      ...said.slice(0, 1).map((line) => sign(line, SAID)),
    ]
    return [
      {
        ...{ entity, signs, action: isOutside ? 'failover' : 'escalate', yields_to_changes: true },
        kind: isOutside ? 'provider' : 'capacity',
        what: isOutside
          ? `an outside party that is asked and does not answer (${entity})`
          : 'what is begun there and not finished',
        score: round6(Math.min(MOST, chanceOf(signs))),
        at_most: said.length > 0 ? CONFIDENCE_CAP_UNMAPPED : CONFIDENCE_CAP_UNLINKED,
        is_whole: true,
      },
    ]
  })
  const [best, ...others] = [...found].sort(bySureness)
  // Of two that are told as well, neither is.
  return best === undefined || others.some((one) => one.entity !== best.entity && one.score === best.score)
    ? null
    : best
}
