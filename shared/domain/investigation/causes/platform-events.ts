/**
 * Events of a platform or a datastore, such as a failover or a maintenance, shortly before or at the onset.
 *
 * Method: an event explains those who run on what it is of, or call it. In a large infrastructure some machine is stopped,
 * replaced or started anew all the time, so one on which nothing that fails depends is no evidence, nor is a store where what
 * fails is seen to ask another (base rates; Hill, The environment and disease: association or causation?, 1965: specificity).
 * Where what fails was not seen to run anywhere, or to ask any store, that is not asked.
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { onCalls } from '../place/call-graph.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import { storeOfOthers } from '../place/stores-of-others.ts'
import {
  explaining,
  isInTime,
  isRecorded,
  isSaidAtOnset,
  type Line,
  NEAR_MS,
  placeToldOf,
  type Scene,
  TO_COME,
} from '../place/told-lines.ts'
import { isOfWorkload, machinesOf } from '../records/hosting.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, sign, strongest } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const DATASTORE = wordsFor('datastore')
const DATASTORE_HINT =
  /leader.?election|reboot|restart(ed|ing)|recovery|backup|snapshot|vacuum|rebalanc|upgrade|maintenance|checkpoint|compaction/i
/** A runtime compacts as well, and that is its own memory. */
const OF_RUNTIME = /\bgc\b|garbage.?collect/i
/** What a platform does to whoever runs on it, in the words of its records: begun anew, or begun elsewhere. */
const BEGUN_ANEW =
  /\bre-?(?:start|boot|schedul|creat|provision|cycl|deploy|plac|imag)|\bstart(?:ed|ing)? (?:again|anew)\b|\bmoved?\b|\b(?:migrat|relocat|drain|evict|preempt)/i
/** A process that ends by itself is begun anew again and again: that is what fails, not what failed it. */
const BY_ITSELF = /back-?off|crash|unhealthy|\bprobes?\b/i
/** What it is worth that the first failing place itself was begun anew, and failed at once: as likely as not. */
const STRUCK = 0.5
/** How long before the onset that shows at once: a process is begun anew, and its first calls fail. */
const STRUCK_WITHIN_MS = 90_000
/** Says of itself that all went well. */
const ROUTINE = /(completed|finished) (successfully|for)|successfully (completed|finished)|\b(info|notice): /i
/** Says that it ended. */
const OVER = /\b(finished|completed|ended|done|succeeded)\b/i

/**
 * Tells whether a machine is one on which nothing runs of what fails, of what was asked about and of all that these call. A store is
 * none, nor is what calls reach: who uses it is seldom counted whole.
 */
function isMachineElsewhere(
  { snapshot, observed, names }: Scene,
  stores: ReadonlySet<string>,
): (entity: string) => boolean {
  const { first, symptom_service: asked, graph } = observed
  const runsOn = machinesOf(snapshot, names)
  if (first === null || !runsOn.has(first.entity)) return () => false
  const depended = new Set(
    [first.entity, asked].flatMap((entity) =>
      entity === null ? [] : [entity, ...graph.reachableFrom(entity)],
    ),
  )
  const machines = new Set([...depended].flatMap((entity) => [...(runsOn.get(entity) ?? [])]))
  const serving = new Set([...runsOn.keys(), ...onCalls(graph), ...stores])
  return (entity) => !machines.has(entity) && !serving.has(entity) && !isOfAny(entity, serving)
}

function isOfAny(entity: string | null, workloads: ReadonlySet<string>): boolean {
  for (const name of workloads) if (isOfWorkload(entity, name, [])) return true
  return false
}

/** What a platform did to the first failing place itself, and what at once showed there. */
function strikesOf({ observed, snapshot, onset }: Scene, told: readonly Line[]): readonly Line[] {
  const first = observed.first?.entity
  if (first === undefined || onset === null) return []
  return told
    .filter(isRecorded)
    .filter(({ entity }) => isOfWorkload(entity, first, snapshot.entities))
    .filter(({ at }) => at !== null && at >= onset - STRUCK_WITHIN_MS && at <= onset)
    .filter(({ text }) => BEGUN_ANEW.test(text) && !BY_ITSELF.test(text) && !TO_COME.test(text))
}

/**
 * Without what was recorded of other places than the one that matters: what fails itself, else where it was recorded nearest to
 * the onset. Two places that change in one hour are two events, and one of them is no evidence of the other.
 */
function atOnePlace({ onset }: Scene, told: readonly Line[], failing: ReadonlySet<string>): readonly Line[] {
  const recorded = told.filter((line) => isRecorded(line) && line.entity !== null)
  const awayFrom = ({ at }: Line): number =>
    at === null || onset === null ? Number.POSITIVE_INFINITY : Math.abs(onset - at)
  const [nearest] = recorded.toSorted(
    (a, b) =>
      Number(failing.has(b.entity as string)) - Number(failing.has(a.entity as string)) ||
      awayFrom(a) - awayFrom(b),
  )
  return nearest === undefined
    ? told
    : told.filter((line) => !recorded.includes(line) || line.entity === nearest.entity)
}

/** An event of a datastore or a platform shortly before or at the onset, or several services that tell of one. */
export function platformEvent(scene: Scene): OperationalCause | null {
  // What services complain of since long before has not failed them; what a platform records acts for half an hour.
  const isTimely = (line: Line): boolean =>
    line.origin !== 'alert' &&
    (isRecorded(line)
      ? line.at === null || scene.onset === null || line.at <= scene.onset + NEAR_MS
      : isInTime(scene, line.at))
  const stores = storesAndQueues(scene.snapshot)
  const isBeside = isMachineElsewhere(scene, stores)
  const isOfOthers = storeOfOthers(scene)
  const told = scene.lines.filter(
    (line) =>
      isTimely(line) &&
      !(isRecorded(line) && line.entity !== null && (isBeside(line.entity) || isOfOthers(line.entity))),
  )
  const failing = new Set(scene.observed.failing.map(({ entity }) => entity))
  // What was over before anybody failed, is still to come, or happened where nothing fails explains nothing.
  const isOver = ({ text, at }: Line): boolean =>
    OVER.test(text) && at !== null && scene.onset !== null && at < scene.onset - NEAR_MS
  const isElsewhere = (line: Line): boolean =>
    isRecorded(line) && line.entity !== null && failing.size > 0 && !failing.has(line.entity)
  const isHint = (line: Line): boolean =>
    DATASTORE_HINT.test(line.text) &&
    !OF_RUNTIME.test(line.text) &&
    !ROUTINE.test(line.text) &&
    !TO_COME.test(line.text) &&
    !isOver(line) &&
    !isElsewhere(line)
  const there = atOnePlace(
    scene,
    told.filter((line) => DATASTORE.test(line.text) || isHint(line)),
    failing,
  )
  const clear = there.filter((line) => DATASTORE.test(line.text))
  const hints = there.filter((line) => !clear.includes(line))
  const struck = strikesOf(scene, told).filter((line) => !clear.includes(line))
  if (clear.length + hints.length + struck.length === 0) return null
  const signs = [
    ...struck.slice(0, 2).map((line) => sign(line, STRUCK)),
    ...clear.slice(0, 4).map((line) => sign(line, isRecorded(line) ? 0.4 : 0.28)),
    ...hints
      .filter((line) => !struck.includes(line))
      .slice(0, 2)
      .map((line) => sign(line, isRecorded(line) ? 0.25 : 0.1)),
  ]
  // What a platform records happened, and so did what is quoted again and again from the onset on.
  const isQuoted = isSaidAtOnset(scene, clear)
  const isCertain = clear.some(isRecorded) || struck.length > 0 || isQuoted
  const speaker = clear.find(isRecorded) ?? struck[0] ?? clear[0] ?? hints[0]
  const workload = [...failing].find((name) =>
    isOfWorkload(speaker?.entity ?? null, name, scene.snapshot.entities),
  )
  return {
    kind: 'infra',
    entity:
      // What a platform records stands at its place; anybody else tells of what failed for him.
      (speaker === undefined || isRecorded(speaker) ? null : placeToldOf(scene, [speaker])) ??
      // A pod has its workload's name before its own, and whoever looks for it asks for that.
      workload ??
      speaker?.entity ??
      null,
    score: round6(
      Math.min(0.8, chanceOf(strongest(signs))) *
        explaining(
          scene,
          /fail.?over|primary|leader|replica|read.only|broker|partition|connection|unavailable|refused|reset|timeout|lag|writ/i,
        ),
    ),
    what: 'an event of the platform or a datastore',
    signs: strongest(signs),
    action: 'escalate',
    yields_to_changes: !isCertain,
    // Some part is started anew, fails over or is written out all the time.
    ...(isQuoted ? {} : { is_everyday: true }),
    // A line in passing may be anybody's complaint of every day.
    ...(isCertain || scene.snapshot.changes.length === 0 ? {} : { at_most: CONFIDENCE_CAP_UNLINKED }),
  }
}
