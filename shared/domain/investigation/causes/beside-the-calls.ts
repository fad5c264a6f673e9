/**
 * A part that nobody counts calls to and that left normal with what fails: a link, a balancer, a gateway, a firewall, a volume.
 *
 * Method: what lies between or beneath those who call each other is on no edge, so no flow leads to it. It is told by what on-call
 * engineers look for: which graph has the same shape as the one that hurts, and who began to complain in the same minute? What
 * stepped with what users feel and lasts as long (Mill's method of concomitant variations, A System of Logic, 1843, book III,
 * chapter 8), or is said anew again and again since, and is about what fails: by a label or a name, or because several places
 * fail and say that they miss what such a part is for, or because whoever fails first names it, again and again since then. What moved at another minute, or is well again while
 * users are hurt, is another story. What waits in queues is a consequence, and so is what demand moves; copies and caches follow whom they
 * serve, and are told elsewhere. Of several such parts none is told. A part that was changed just before is told by that change.
 */

import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED, CONFIDENCE_CAP_WITNESSED } from '../confidence.ts'
import { everHurting } from '../deviations/felt-symptoms.ts'
import { isDemand, queueStateOf, storeStateOf } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { CauseKind } from '../findings.ts'
import { CLOCK } from '../place/begun-anew.ts'
import { callersOf, type Flow, failedAt } from '../place/call-graph.ts'
import {
  holdsOn,
  isInTime,
  isOnRecord,
  isSaidAtOnset,
  type Line,
  type Scene,
  stepsWith,
  TO_COME,
  wasChanged,
} from '../place/told-lines.ts'
import { pairsOf } from '../records/calls-by-pair.ts'
import { machinesOf, nodeOf } from '../records/hosting.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Series } from '../records/snapshot.ts'
import { servicesOf } from '../records/speaking-services.ts'
import { round6 } from '../statistics.ts'
import { bySureness, chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

/** What each sign is worth: the same shape, what it says itself, and that either is about who fails. */
const SHAPE = 0.4
const SAID = 0.4
const MOST = 0.85
/**
 * How long it must have been seen to last with what fails, ms: in a large system something flaps for some minutes all the time, and who
 * looks a minute after the alert cannot tell (docs/decisions/0119-a-part-beside-the-calls-has-to-last.md).
 */
const LASTS_MS = 5 * 60_000
/** Share of what fails most from which a place fails as well. */
const ALSO_FAILS = 0.1

/** What a part is for, by the words of its name and of what is measured of it, and how who leans on it says that it is missing. */
const KINDS: readonly (readonly [CauseKind, RegExp, RegExp])[] = [
  ['dns', /\b(dns|coredns|resolver|nameserver|ns\d{0,3})\b/i, wordsFor('resolution')],
  [
    'network',
    /\b(link|links|interconnect|packets?|network|nat|vpn|vpc|subnet|peering|tunnel|router|switch|firewall|bgp|wan|uplink|transit)\b/i,
    /\bconnection (timed out|reset)|\b(read|write) (tcp|udp)\b|i\/o timeout|no route to host|unreachable|broken pipe/i,
  ],
]
/** How many of those who fail must say so: one alone may have a way of its own. */
const LEAST_SHARING = 2

/** Who serves calls, who of them fails, and who fails or calls one that does. */
interface Served {
  readonly serving: ReadonlySet<string>
  readonly failing: ReadonlySet<string>
  readonly hurt: ReadonlySet<string>
}

/** By what was counted of calls; where no tool counts them, by who measures what it is asked and what its users feel. */
function servedIn({ observed, snapshot, names }: Scene): Served {
  const { flows, graph, shifts } = observed
  // Tens of thousands of records repeat a few names.
  const onCalls = new Set<string>()
  for (const { caller, callee } of pairsOf(snapshot.edges)) onCalls.add(caller).add(callee)
  for (const service of servicesOf(snapshot.spans)) onCalls.add(service)
  if (onCalls.size === 0) {
    const asked = new Set(seriesNamed(snapshot.series, isDemand).map(({ entity }) => entity))
    const hurting = everHurting(shifts)
    const hurt = new Set([...asked].filter((entity) => hurting.has(entity)))
    const called = [...asked].flatMap((one) => [...(graph.callees.get(one) ?? [])])
    return { serving: new Set([...asked, ...called]), failing: hurt, hurt }
  }
  const most = (of: (flow: Flow) => number): readonly string[] => {
    const least = ALSO_FAILS * Math.max(1, ...[...flows.values()].map(of))
    return [...flows.values()].filter((flow) => of(flow) >= least).map(({ entity }) => entity)
  }
  const failing = most(failedAt)
  const calling = failing.flatMap((entity) => callersOf(graph, entity))
  return {
    serving: new Set([...onCalls].map(names.canonical)),
    failing: new Set(failing),
    hurt: new Set([...most(({ excess_failed }) => excess_failed), ...calling]),
  }
}

const isNever = (): boolean => false

/** Tells of machines whether nothing runs there; each is looked for once, since many series and lines are of one. */
function unusedOf(
  series: readonly Series[],
  runsOn: ReadonlyMap<string, ReadonlySet<string>>,
): (entity: string) => boolean {
  const used = new Set<string>()
  for (const machines of runsOn.values()) for (const machine of machines) used.add(machine)
  const known = new Map<string, boolean>()
  return (entity) => {
    if (used.has(entity)) return false
    const before = known.get(entity)
    if (before !== undefined) return before
    const found = seriesOf(series, entity).some(({ labels }) => nodeOf(labels) === entity)
    known.set(entity, found)
    return found
  }
}

/** The one part beside the calls that left normal with what fails; null where there is none, or several. */
export function besideTheCalls(scene: Scene): OperationalCause | null {
  const { observed, snapshot, onset } = scene
  if (onset === null || observed.first === null) return null
  const { serving, failing, hurt } = servedIn(scene)
  if (serving.size === 0) return null
  const queues = new Set(snapshot.entities.flatMap(({ name, kind }) => (kind === 'queue' ? [name] : [])))
  const runsOn = machinesOf(snapshot, scene.names)
  // In a large infrastructure some machine is stopped or begins anew all the time.
  const isUnused = runsOn.has(observed.first.entity) ? unusedOf(snapshot.series, runsOn) : isNever
  const isBeside = (entity: string | null): entity is string =>
    entity !== null &&
    !serving.has(entity) &&
    !queues.has(entity) &&
    entity !== observed.symptom_service &&
    !isUnused(entity)
  const isConcerned = (name: string): boolean => failing.has(name) || name === observed.first?.entity
  const isAbout = (named: readonly string[]): boolean => named.length === 0 || named.some(isConcerned)
  const isMissed = (words: RegExp): boolean =>
    new Set(
      scene.lines
        .filter(
          ({ text, origin, failing: fails, at }) =>
            origin === 'log' && fails && isInTime(scene, at) && words.test(text),
        )
        .flatMap(({ entity }) => (entity !== null && hurt.has(entity) ? [entity] : [])),
    ).size >= LEAST_SHARING
  const steps = observed.shifts.filter(
    (shift) =>
      stepsWith(shift, onset) &&
      isBeside(shift.series.entity) &&
      // A clock that began anew says that something did so, and nothing of what it is like since.
      !CLOCK.test(shift.series.name) &&
      holdsOn(observed, shift) &&
      (shift.is_bad || shift.meaning.meaning === 'other') &&
      queueStateOf(shift.series.name) === null &&
      storeStateOf(shift.series.name) === null &&
      isAbout(labelled(scene, shift)),
  )
  const lines = scene.lines.filter(
    (line) =>
      line.failing &&
      (line.origin === 'log' || line.origin === 'event') &&
      isInTime(scene, line.at) &&
      isBeside(line.entity) &&
      // What is announced has not happened.
      !TO_COME.test(line.text) &&
      isAbout(spokenOf(scene, line)),
  )
  // Whoever fails most, and says whom it misses, again and again since then: nobody counts what it asks of that one. So does whoever
  // calls it, and says of which way there.
  const first = observed.first.entity
  const asking = new Set(callersOf(observed.graph, first))
  const missing = scene.lines.filter(
    ({ entity, origin, failing: fails, at }) =>
      origin === 'log' && fails && (entity === first || asking.has(entity ?? '')) && isInTime(scene, at),
  )
  const missedBy = (name: string): Line | undefined => {
    const lines = missing.filter(({ entity, text }) =>
      entity === first
        ? scene.names.mentionedIn(text).includes(name)
        : onTheWayTo(scene, first, text).includes(name),
    )
    return isSaidAtOnset(scene, lines) ? lines[0] : undefined
  }
  const found = [
    ...new Set([...steps.map(({ series }) => series.entity), ...lines.map(({ entity }) => entity as string)]),
  ]
    .filter((entity) => !isOnRecord(scene, entity))
    .flatMap((entity) =>
      causesOf(
        entity,
        steps.filter(({ series }) => series.entity === entity),
        lines.filter((line) => line.entity === entity),
        scene,
        isMissed,
        missedBy(entity),
      ),
    )
    .sort(bySureness)
  const [best, next] = found
  return best === undefined || next?.score === best.score ? null : best
}

/** Characters that end a word of a line, in which the name of a host and that of its domain are one. */
const WORD_ENDS = /[\s"'()<>,;]+/

/** Whom a line that speaks of one names beside it, in other words: a host's domain is no way there. */
function onTheWayTo({ names }: Scene, to: string, text: string): readonly string[] {
  const named = names.mentionedIn(text)
  if (named.length < 2 || !named.includes(to)) return []
  const others = text.split(WORD_ENDS).filter((word) => !names.mentionedIn(word).includes(to))
  return names.mentionedIn(others.join(' '))
}

/** Whom the labels of a series name beside whom it is of. */
const labelled = ({ names }: Scene, { series }: SeriesShift): readonly string[] =>
  Object.values(series.labels)
    .flatMap((value) => names.mentionedIn(value))
    .filter((name) => name !== series.entity)

/** Whom a line speaks of beside who says it. */
const spokenOf = ({ names }: Scene, { text, entity }: Line): readonly string[] =>
  names.mentionedIn(text).filter((name) => name !== entity)

function causesOf(
  entity: string,
  steps: readonly SeriesShift[],
  lines: readonly Line[],
  scene: Scene,
  isMissed: (words: RegExp) => boolean,
  missed: Line | undefined,
): readonly OperationalCause[] {
  const words = [entity, ...steps.map(({ series }) => series.name)].join(' ').replace(/[_-]/g, ' ')
  const part = KINDS.find(([, pattern]) => pattern.test(words))
  const said = [
    ...lines.filter(({ origin }) => origin === 'event'),
    ...lines.filter(
      (line, _, all) =>
        line.origin === 'log' &&
        isSaidAtOnset(
          scene,
          all.filter(({ origin }) => origin === 'log'),
        ),
    ),
  ]
  // What names nobody who fails is one of many graphs and words, unless those who fail miss what such a part is for, or it does both.
  const isNamed =
    missed !== undefined ||
    steps.some((shift) => labelled(scene, shift).length > 0) ||
    said.some((line) => spokenOf(scene, line).length > 0)
  const isBoth = steps.length > 0 && said.length > 0
  if (steps.length + said.length === 0) return []
  if (!(isNamed || isBoth || (part !== undefined && isMissed(part[2])))) return []
  const signs: readonly Sign[] = [
    ...steps.slice(0, 2).flatMap((shift) => shown(shift, SHAPE)),
    ...said.slice(0, 2).map((line) => sign(line, SAID)),
    ...(missed === undefined ? [] : [sign(missed, SAID)]),
  ]
  return [
    {
      ...{ entity, signs, action: 'failover', yields_to_changes: true },
      kind: part?.[0] ?? 'infra',
      what: 'a part that the calls pass without anybody counting it',
      score: round6(Math.min(MOST, chanceOf(signs))),
      // One witness alone may suffer from what fails; two of the very part do not both, once both are seen to last.
      at_most: isBoth ? capOfBoth(scene, missed) : CONFIDENCE_CAP_UNLINKED,
    },
  ]
}

/**
 * The bound of two witnesses of the very part: whoever fails and names it needs no time to be one of those who miss it. Where nobody
 * does, and what failed first was changed just before, that it needs the part now may be what was changed.
 */
function capOfBoth(scene: Scene, missed: Line | undefined): number {
  if (missed !== undefined) return CONFIDENCE_CAP_WITNESSED
  const { observed, onset } = scene
  const seenFor = onset === null ? 0 : observed.normal.incident.to - onset
  const isSeen = seenFor >= LASTS_MS && !wasChanged(scene, observed.first?.entity ?? null)
  return isSeen ? CONFIDENCE_CAP_WITNESSED : CONFIDENCE_CAP_UNMAPPED
}
