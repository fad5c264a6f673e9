/**
 * A part that nobody counts calls to and that left normal with what fails: a link, a balancer, a gateway, a firewall, a volume.
 *
 * Method: what lies between or beneath those who call each other is on no edge, so no flow leads to it. It is told by what on-call
 * engineers look for: which graph has the same shape as the one that hurts, and who began to complain in the same minute? What
 * stepped with what users feel and lasts as long (Mill's method of concomitant variations, A System of Logic, 1843, book III,
 * chapter 8), or is said anew again and again since, and is about what fails: by a label or a name, or because several places
 * fail and say that they miss what such a part is for. What moved at another minute, or is well again while
 * users are hurt, is another story. What waits in queues is a consequence, and so is what demand moves; copies and caches follow whom they
 * serve, and are told elsewhere. Of several such parts none is told. A part that was changed just before is told by that change.
 */
import { failedAt } from './call-graph.ts'
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from './confidence.ts'
import type { CauseKind } from './findings.ts'
import { compareText } from './log-templates.ts'
import { queueStateOf, storeStateOf } from './metric-meaning.ts'
import { chanceOf, type OperationalCause, type Sign, sign } from './operational-cause.ts'
import type { SeriesShift } from './series-shift.ts'
import { wordsFor } from './spoken-signs.ts'
import { round6 } from './statistics.ts'
import { holdsOn, isInTime, isSaidAtOnset, type Line, type Scene, wasChanged } from './told-lines.ts'

/** How far apart two series may step to step together, ms: two samples of a minute. */
const TOGETHER_MS = 2 * 60_000
/** What each sign is worth: the same shape, what it says itself, and that either is about who fails. */
const SHAPE = 0.4
const SAID = 0.4
const MOST = 0.85
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

/** The one part beside the calls that left normal with what fails; null where there is none, or several. */
export function besideTheCalls(scene: Scene): OperationalCause | null {
  const { observed, snapshot, names, onset } = scene
  if (onset === null || observed.first === null) return null
  const onCalls = new Set(
    [
      ...snapshot.edges.flatMap(({ caller, callee }) => [caller, callee]),
      ...snapshot.spans.map(({ service }) => service),
    ].map(names.canonical),
  )
  if (onCalls.size === 0) return null
  const queues = new Set(snapshot.entities.flatMap(({ name, kind }) => (kind === 'queue' ? [name] : [])))
  const isBeside = (entity: string | null): entity is string =>
    entity !== null && !onCalls.has(entity) && !queues.has(entity) && entity !== observed.symptom_service
  const most = Math.max(1, ...[...observed.flows.values()].map(failedAt))
  const failing = new Set(
    [...observed.flows.values()]
      .filter((flow) => failedAt(flow) >= ALSO_FAILS * most)
      .map(({ entity }) => entity),
  )
  const isSpread = failing.size > 1
  const isAbout = (named: readonly string[]): boolean =>
    named.length === 0 ? isSpread : named.some((one) => failing.has(one) || one === observed.first?.entity)
  const isSharedBy = (words: RegExp): boolean =>
    new Set(
      scene.lines
        .filter(
          ({ text, origin, failing: fails, at }) =>
            origin === 'log' && fails && isInTime(scene, at) && words.test(text),
        )
        .flatMap(({ entity }) => (entity !== null && failing.has(entity) ? [entity] : [])),
    ).size >= LEAST_SHARING
  const steps = observed.shifts.filter(
    (shift) =>
      isBeside(shift.series.entity) &&
      Math.abs(shift.onset.at - onset) <= TOGETHER_MS &&
      holdsOn(observed, shift) &&
      (shift.is_bad || shift.meaning.meaning === 'other') &&
      queueStateOf(shift.series.name) === null &&
      storeStateOf(shift.series.name) === null &&
      isAbout(namedBy(scene, shift)),
  )
  const lines = scene.lines.filter(
    ({ entity, text, failing: fails, origin, at }) =>
      isBeside(entity) &&
      fails &&
      (origin === 'log' || origin === 'event') &&
      isInTime(scene, at) &&
      isAbout(names.mentionedIn(text).filter((name) => name !== entity)),
  )
  const found = [
    ...new Set([...steps.map(({ series }) => series.entity), ...lines.map(({ entity }) => entity)]),
  ]
    .filter((entity) => entity !== null && !wasChanged(scene, entity))
    .flatMap((entity) =>
      causesOf(
        entity as string,
        steps.filter(({ series }) => series.entity === entity),
        lines.filter((line) => line.entity === entity),
        scene,
        isSharedBy,
      ),
    )
    .sort((a, b) => b.score - a.score || compareText(a.entity ?? '', b.entity ?? ''))
  const [best, next] = found
  return best === undefined || next?.score === best.score ? null : best
}

/** Whom the labels of a series name. */
const namedBy = ({ names }: Scene, { series }: SeriesShift): readonly string[] =>
  Object.values(series.labels)
    .flatMap((value) => names.mentionedIn(value))
    .filter((name) => name !== series.entity)

function causesOf(
  entity: string,
  steps: readonly SeriesShift[],
  lines: readonly Line[],
  scene: Scene,
  isSharedBy: (words: RegExp) => boolean,
): readonly OperationalCause[] {
  const events = lines.filter(({ origin }) => origin === 'event')
  const logged = lines.filter(({ origin }) => origin === 'log')
  const said = [...(isSaidAtOnset(scene, logged) ? logged : []), ...events]
  const words = [entity, ...steps.map(({ series }) => series.name)].join(' ').replace(/[_-]/g, ' ')
  const part = KINDS.find(([, pattern]) => pattern.test(words))
  // What names nobody and says nothing is one of many graphs, unless those who fail miss what it is for.
  const isNamed = steps.some((shift) => namedBy(scene, shift).length > 0)
  const isMissed = part !== undefined && isSharedBy(part[2])
  if (said.length === 0 && (steps.length === 0 || !(isNamed || isMissed))) return []
  const signs: readonly Sign[] = [
    ...steps.slice(0, 2).map((shift): Sign => ({ strength: SHAPE, fact: { of: 'shift', shift } })),
    ...said.slice(0, 2).map((line) => sign(line, SAID)),
  ]
  return [
    {
      ...{ entity, signs, action: 'failover', yields_to_changes: true },
      kind: part?.[0] ?? 'infra',
      what: 'a part that the calls pass without anybody counting it',
      score: round6(Math.min(MOST, chanceOf(signs))),
      // One witness alone may suffer from what fails; two of the very part do not both.
      at_most: steps.length > 0 && said.length > 0 ? CONFIDENCE_CAP_UNMAPPED : CONFIDENCE_CAP_UNLINKED,
    },
  ]
}
