/**
 * One copy of several that differs from its peers since the onset: it answers otherwise, takes longer, uses more or passes
 * nothing on. So with one part of the data that it keeps.
 *
 * Method: peer comparison (Kasick et al., Black-Box Problem Diagnosis in Parallel File Systems, FAST 2010). Copies of one
 * service run the same code under the same settings and share the same requests, so that what one of them alone does since an
 * instant is none of those: what differs is that copy, or what it runs on. Each series that is measured by copy counts where
 * one copy left its level and no other went a part of that way; lines count where one copy says nearly all of what is new.
 * The more such signs agree on one copy, the surer. A copy of another version differs by that, and is told as a change.
 * What fails so is neither well nor down (Huang et al., Gray Failure, HotOS 2017).
 */

import { CONFIDENCE_CAP_CONSEQUENCE, CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { hurtsUsers } from '../deviations/felt-symptoms.ts'
import { asRate, lowerBound, type SeriesShift } from '../deviations/series-shift.ts'
import { isOfCopy } from '../deviations/version-contrast.ts'
import {
  hasShiftedInTime,
  holdsOn,
  isSaidAtOnset,
  type Line,
  NEAR_MS,
  type Scene,
  wasChanged,
} from '../place/told-lines.ts'
import { compareText, lineMasker } from '../records/log-templates.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series, Window } from '../records/snapshot.ts'
import { linesByService } from '../records/speaking-services.ts'
import { median, round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, sign, strongest } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'
import { SYSTEM_ANSWERS } from './system-answers.ts'

/** Share of the way of the one that its peers may have gone as well: they take on what it leaves. */
const PEERS_MOVE = 0.25
/** By what factor the level of the one must have changed at least: copies of one service differ by less on any day. */
const CLEARLY = 2
/** Labels that tell parts of what a store keeps apart. */
const PART_LABEL = /^(shard|partition|keyspace|tablespace|table|index|range|slot)$/
/** Lines that one copy says since the onset beyond the usual, and share of all such lines of the service. */
const LEAST_LINES = 5
const NEARLY_ALL = 0.8
/** What each sign is worth: what users feel of it, what else of it moved, and what it alone says. */
const WORTH = { felt: 0.45, moved: 0.35, said: 0.45 } as const
const MOST = 0.85
/** One measurement alone may be an odd sample, or a copy that is asked for something dear. */
const LEAST_SIGNS = 2

/** What a thing may be divided in, by the labels that tell its parts apart, and what differs where one of them does. */
const DIVISIONS: readonly Division[] = [
  {
    ...{ kind: 'infra', action: 'reschedule', tells: isOfCopy },
    what: 'one instance that does otherwise than its peers',
  },
  {
    ...{ kind: 'data', action: 'escalate', tells: (label) => PART_LABEL.test(label) },
    what: 'one part of the data that does otherwise than the others',
  },
]

interface Division extends Pick<OperationalCause, 'kind' | 'action' | 'what'> {
  readonly tells: (label: string) => boolean
}

/** The one copy, and the one part of its data, by which the first failing place differs from itself, where there is one. */
export const differingCopies = (scene: Scene): readonly OperationalCause[] =>
  DIVISIONS.flatMap((division) => differing(scene, division) ?? [])

function differing(scene: Scene, division: Division): OperationalCause | null {
  const { observed, onset } = scene
  const place = observed.first?.entity
  if (onset === null || place === undefined) return null
  const odd = oddShifts(scene, place, onset, division)
  const told = division.kind === 'infra' ? soleSpeaker(scene, place, onset) : null
  // Tools count copies in ways of their own: in each of them there must be a single one.
  const isOne = [...Map.groupBy(odd, ({ label }) => label).values()].every(
    (found) => new Set(found.map(({ copy }) => copy)).size === 1 && !isContradicted(found[0], told),
  )
  if (!isOne) return null
  const shifts = [...new Map(odd.map(({ shift }) => [shift.series.name, shift])).values()]
  const line = told?.line ?? named(scene, place, odd[0])
  const signs: readonly Sign[] = [
    ...shifts.map(
      (shift): Sign => ({
        strength: hurtsUsers(shift) ? WORTH.felt : WORTH.moved,
        fact: { of: 'shift', shift },
      }),
    ),
    ...(line === null ? [] : [sign(line, WORTH.said)]),
  ]
  // A line is one sign at most, so of two one was measured.
  if (signs.length < LEAST_SIGNS) return null
  const hasChanged = wasChanged(scene, place)
  const { what } = division
  return {
    ...{ ...reasonOf(division, line), what, entity: place, signs: strongest(signs) },
    score: round6(Math.min(MOST, chanceOf(signs))),
    // A rollout gets to one copy first.
    yields_to_changes: hasChanged,
    // Measured and said: two witnesses of which neither follows from the other. They say which copy it is; why that one does
    // so, full, stuck or on a bad machine, they leave open.
    ...(line !== null && !hasChanged
      ? { is_whole: true, at_most: CONFIDENCE_CAP_CONSEQUENCE }
      : { at_most: CONFIDENCE_CAP_UNLINKED }),
  }
}

/** Of what kind it is: of that which the copy alone complains of in a system's own words, else its own. */
function reasonOf({ kind, action }: Division, line: Line | null): Pick<OperationalCause, 'kind' | 'action'> {
  if (line === null || kind !== 'infra') return { kind, action }
  const answer = SYSTEM_ANSWERS.find(
    ({ pattern, is_either: isEither }) => isEither !== true && pattern.test(line.text),
  )
  if (answer !== undefined) return { kind: answer.kind, action: answer.action }
  return wordsFor('capacity').test(line.text) ? { kind: 'capacity', action } : { kind, action }
}

interface Odd {
  /** The label that tells copies apart here, and the copy that it names. */
  readonly label: string
  readonly copy: string
  readonly shift: SeriesShift
}

interface Speaker {
  readonly copy: string
  /** All copies that lines are of. */
  readonly peers: readonly string[]
  readonly line: Line
}

/** Where the copies that were measured are those that lines are of, they must be the same one. */
const isContradicted = (odd: Odd | undefined, told: Speaker | null): boolean =>
  odd !== undefined && told !== null && odd.copy !== told.copy && told.peers.includes(odd.copy)

/** What one copy, or part, of an entity alone did otherwise since the onset. */
function oddShifts(scene: Scene, entity: string, onset: number, { tells }: Division): readonly Odd[] {
  const { observed, snapshot } = scene
  const shiftOf = new Map<Series, SeriesShift>()
  for (const shift of observed.shifts) if (shift.series.entity === entity) shiftOf.set(shift.series, shift)
  // Of a name of which none left its level no copy did: their labels need not be compared.
  const moved = new Set([...shiftOf.keys()].map(({ name }) => name))
  const own = seriesOf(snapshot.series, entity).filter(
    ({ name, type }) => type !== 'histogram' && moved.has(name),
  )
  return [...Map.groupBy(own, keyBy(tells)).values()].flatMap((group) => {
    // The one must have left its level, which of most groups none did.
    if (!group.some((series) => shiftOf.has(series))) return []
    const label = labelOf(group, tells)
    if (label === null) return []
    const steps = group.map((series) => ({ series, ...stepOf(series, observed, onset) }))
    const [most, next] = steps.sort((a, b) => b.way - a.way)
    const shift = most === undefined ? undefined : shiftOf.get(most.series)
    if (most === undefined || next === undefined || shift === undefined) return []
    const isAlone = next.way <= PEERS_MOVE * most.way && most.factor >= CLEARLY
    if (!isAlone || !hasShiftedInTime(scene, shift) || !holdsOn(observed, shift)) return []
    return [{ label, copy: most.series.labels[label] as string, shift }]
  })
}

/** What series of several copies, or parts, have in common. */
const keyBy =
  (tells: Division['tells']) =>
  ({ name, type, unit, window_of, labels }: Series): string =>
    JSON.stringify([
      ...[name, type, unit, window_of],
      ...Object.entries(labels)
        .filter(([label]) => !tells(label) && !isOfCopy(label))
        .sort(([a], [b]) => compareText(a, b)),
    ])

/** The label by which each series of a group is of another one; null where there is none. */
function labelOf(group: readonly Series[], tells: Division['tells']): string | null {
  const labels = Object.keys(group[0]?.labels ?? {}).filter(
    (label) => tells(label) && new Set(group.map((one) => one.labels[label])).size === group.length,
  )
  return group.length < 2 ? null : (labels.sort(compareText)[0] ?? null)
}

/** How far the level since the onset is from the level before, and by what factor; none where either is not known. */
function stepOf(
  series: Series,
  { normal }: Scene['observed'],
  onset: number,
): { readonly way: number; readonly factor: number } {
  const { times, values } = asRate(series)
  const within = ({ from, to }: Window) => values.subarray(lowerBound(times, from), lowerBound(times, to))
  const [baseline, ...others] = normal.baselines
  const before =
    baseline !== undefined && others.length === 0
      ? median(within(baseline))
      : median(normal.baselines.flatMap((each) => [...within(each)]))
  const during = median(within({ from: onset, to: normal.incident.to }))
  const way = Math.abs(during - before)
  const [low, high] = [Math.min(before, during), Math.max(before, during)]
  return Number.isFinite(way) ? { way, factor: low <= 0 ? Infinity : high / low } : { way: 0, factor: 1 }
}

/** The one copy that says nearly all of what an entity complains of anew, and the loudest such line. */
function soleSpeaker({ snapshot, names, lines }: Scene, entity: string, onset: number): Speaker | null {
  const own = [...linesByService(snapshot.logs)].flatMap(([service, all]) =>
    names.canonical(service) === entity
      ? all.filter(({ timestamp, instance }) => instance !== undefined && timestamp >= onset - NEAR_MS)
      : [],
  )
  const peers = [...new Set(own.map(({ instance }) => instance as string))]
  if (peers.length < 2) return null
  const mask = lineMasker()
  const byText = Map.groupBy(own, ({ message }) => mask(message))
  const speakers = lines.flatMap((line): readonly Speaker[] => {
    if (line.origin !== 'log' || line.entity !== entity || !line.failing || line.at === null) return []
    if (Math.abs(line.at - onset) > NEAR_MS) return []
    const said = byText.get(mask(line.text)) ?? []
    const counts = [...Map.groupBy(said, ({ instance }) => instance as string)]
    const [copy, most] = counts.find(([, some]) => some.length >= NEARLY_ALL * said.length) ?? ['', []]
    return most.length >= LEAST_LINES ? [{ copy, line, peers }] : []
  })
  const [speaker] = speakers
  return new Set(speakers.map(({ copy }) => copy)).size === 1 ? (speaker ?? null) : null
}

/** The loudest complaint, from the onset on, that names the one that differs as its measurements do. */
function named(scene: Scene, entity: string, odd: Odd | undefined): Line | null {
  if (odd === undefined) return null
  const words = wordsOf(`${odd.label} ${odd.copy}`)
  const names = ({ text }: Line): boolean => ` ${wordsOf(text)} `.includes(` ${words} `)
  const lines = scene.lines.filter(
    (line) => line.origin === 'log' && line.entity === entity && line.failing && names(line),
  )
  return isSaidAtOnset(scene, lines) ? (lines[0] ?? null) : null
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .join(' ')
