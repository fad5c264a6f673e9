/**
 * What was said of an incident: lines of logs, patterns, events, alerts and spans in one list, and what their words,
 * their number and their time tell. Scorers of causes that are no change read it.
 */

import { anyText } from '../any-text.ts'
import { stillHurtsUsers } from '../deviations/felt-symptoms.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { FAILURE_WORDS } from '../records/failure-words.ts'
import { compareText, shortened } from '../records/log-templates.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Observed } from './failing-services.ts'
import { hasGrown, type Symptom, shareMatching } from './symptoms.ts'

/** How far the time of an expiry or an event may lie from the onset, ms: a minute of sampling, a few of alerting. */
export const NEAR_MS = 5 * 60_000
/** How long before the onset an event of a platform may have begun to matter, ms. */
export const BEFORE_MS = 30 * 60_000

/** Says of what a platform does that it is announced, and not that it happened; in lower case. */
export const TO_COME =
  /\b(planned|scheduled|available|upcoming) (for|on|at|in)\b|\b(is|are) (planned|scheduled|available)\b|\bwill (be|begin|start)\b|\b(is|are) (going )?to be [a-z]+(ed|en|t)\b/i

export interface Line {
  readonly text: string
  readonly entity: string | null
  readonly count: number
  readonly at: number | null
  readonly source: string
  readonly origin: 'log' | 'pattern' | 'kubernetes' | 'event' | 'alert' | 'trace'
  readonly failing: boolean
  /** Further texts of the same kind. */
  readonly variants?: readonly string[]
}

export interface Scene {
  readonly snapshot: Snapshot
  readonly observed: Observed
  readonly symptoms: readonly Symptom[]
  readonly names: EntityNames
  readonly lines: readonly Line[]
  readonly onset: number | null
}

/** Everything that was said, loudest first. */
export function linesOf(snapshot: Snapshot, observed: Observed, names: EntityNames): readonly Line[] {
  const lines: Line[] = []
  for (const template of observed.templates) {
    if (template.during === 0 || template.change === 'steady' || template.change === 'vanished') continue
    lines.push({
      text: template.example,
      entity: template.service,
      count: template.during,
      at: template.risen_at,
      source: template.source,
      origin: 'log',
      failing: template.severity !== 'information',
      variants: template.variants,
    })
  }
  for (const pattern of snapshot.patterns)
    if (hasGrown(pattern))
      lines.push({
        text: pattern.signature,
        entity: names.canonical(pattern.service),
        count: pattern.count,
        at: null,
        source: pattern.source,
        origin: 'pattern',
        failing: FAILURE_WORDS.test(pattern.signature),
      })
  const { incident } = observed.normal
  const since = Math.max(incident.from, (observed.onset?.earliest ?? incident.from) - BEFORE_MS)
  for (const record of snapshot.k8s)
    if (record.timestamp >= since && record.timestamp < incident.to)
      lines.push({
        text: [record.kind, record.reason, record.message].filter((part) => part !== undefined).join(' '),
        entity: names.canonical(record.name),
        count: record.count ?? 1,
        at: record.timestamp,
        source: record.source,
        origin: 'kubernetes',
        failing: true,
      })
  for (const event of snapshot.events)
    if (event.timestamp >= since && event.timestamp < incident.to)
      lines.push({
        text: `${event.kind} ${event.message}`,
        entity: event.service ?? event.resource,
        count: 1,
        at: event.timestamp,
        source: event.source,
        origin: 'event',
        failing: true,
      })
  for (const alert of snapshot.alerts)
    lines.push({
      text: [alert.summary, alert.detail].filter((part) => part !== undefined).join('. '),
      entity: alert.service ?? null,
      count: 1,
      at: alert.fired_at,
      source: alert.source,
      origin: 'alert',
      failing: true,
    })
  for (const service of observed.failing)
    for (const span of service.error_spans.slice(0, 5))
      lines.push({
        text: [
          span.name,
          ...Object.values(span.attributes ?? {}).filter((value) => typeof value === 'string'),
        ].join(' '),
        entity: service.entity,
        count: 1,
        at: span.start,
        source: span.source,
        origin: 'trace',
        failing: true,
      })
  return lines
    .map((line) => ({ ...line, text: shortened(line.text) }))
    .sort(
      (a, b) =>
        b.count - a.count ||
        (a.at ?? 0) - (b.at ?? 0) ||
        compareText(a.text, b.text) ||
        compareText(a.entity ?? '', b.entity ?? ''),
    )
}

/** What others log of an entity by its name where they fail. */
export const naming = ({ lines, names }: Scene, entity: string): readonly Line[] =>
  lines.filter(
    (line) =>
      line.failing &&
      line.origin === 'log' &&
      line.entity !== entity &&
      names.mentionedIn(line.text).includes(entity),
  )

/** Whether a platform or a cloud recorded it, and nobody logged it. */
export const isRecorded = ({ origin }: Pick<Line, 'origin'>): boolean =>
  origin === 'event' || origin === 'kubernetes'

/** The lines of a list that tell of a failure, and whether an expression may match one of them. */
interface Failing {
  readonly lines: readonly Line[]
  readonly mayMatch: (pattern: RegExp) => boolean
}

/** What was read before of a list, as long as it is kept: every cause that has words of its own is looked for in it. */
const failingBefore = new WeakMap<readonly Line[], Failing>()

function failingOf(all: readonly Line[]): Failing {
  const before = failingBefore.get(all)
  if (before !== undefined) return before
  const lines = all.filter(({ failing }) => failing)
  const found: Failing = { lines, mayMatch: anyText(lines.map(({ text }) => text)) }
  failingBefore.set(all, found)
  return found
}

/** Lines that tell of a failure in such words. */
export function matching(scene: Scene, pattern: RegExp): readonly Line[] {
  const { lines, mayMatch } = failingOf(scene.lines)
  return mayMatch(pattern) ? lines.filter(({ text }) => pattern.test(text)) : []
}
/** Who says so; an alert is about a service, not from it. */
export const entitiesOf = (lines: readonly Line[]): ReadonlySet<string> =>
  new Set(
    lines
      .filter((line) => line.origin !== 'alert')
      .flatMap((line) => (line.entity === null ? [] : [line.entity])),
  )
/** A cause that leaves most symptoms unexplained keeps a third of its score. */
export const explaining = (scene: Scene, pattern: RegExp, form: 'plain' | 'text' = 'plain'): number =>
  0.34 + 0.66 * Math.min(1, shareMatching(scene.symptoms, pattern, form) / 0.3)
/** Lines that say the same from the onset on: so many are no straggler's. */
const MANY_LINES = 5

/** How long before anybody felt it what answers fail by may have begun, ms: at first a few meet it. */
export const LEAD_MS = 15 * 60_000

/** Whether what began then can have brought the symptoms: what is as old as the day did not, nor what came after. */
export const isInTime = ({ onset }: Scene, at: number | null): boolean =>
  at === null || onset === null || (at >= onset - LEAD_MS && at <= onset + NEAR_MS)

/** Whether a series left normal in time, and was not well again before anybody felt it. */
export const hasShiftedInTime = (scene: Scene, { onset, ended_at }: SeriesShift): boolean =>
  isInTime(scene, onset.at) && (ended_at === null || scene.onset === null || ended_at > scene.onset)

/**
 * Whether what moved lasted as long as the failing. A resource that has room again, or demand that is what it was, is not why
 * anybody fails still; how long one takes to recover from it, a few minutes are left for.
 */
export function holdsOn({ first }: Pick<Observed, 'first'>, { ended_at }: SeriesShift): boolean {
  if (ended_at === null || first === null) return true
  return first.ended_at !== null && ended_at >= first.ended_at - NEAR_MS
}

/**
 * Whether what moved is off for as long as users are hurt, those of who was asked about included: what first failed may be well
 * again while they are not.
 */
export function outlasts(
  observed: Pick<Observed, 'first' | 'shifts' | 'symptom_service' | 'normal'>,
  shift: SeriesShift,
): boolean {
  const { shifts, symptom_service: asked, normal } = observed
  if (shift.ended_at === null) return true
  const [isNearEnd, isAsLong] = [shift.ended_at >= normal.incident.to - NEAR_MS, holdsOn(observed, shift)]
  if (isNearEnd === isAsLong) return isAsLong
  const isHurt = shifts.some((one) => one.series.entity === asked && stillHurtsUsers(one))
  return isHurt ? isNearEnd : isAsLong
}

/** How far apart two series may step to step together, ms: two samples of a minute. */
const TOGETHER_MS = 2 * 60_000

/** Whether a series stepped together with what users feel, which began at an instant in milliseconds. */
export const stepsWith = ({ onset }: SeriesShift, harmedAt: number): boolean =>
  Math.abs(onset.at - harmedAt) <= TOGETHER_MS

/** Whether lines say so again and again, and began to when the symptoms did. */
export const isSaidAtOnset = ({ onset }: Scene, lines: readonly Line[]): boolean =>
  lines
    .filter(
      ({ at, origin }) =>
        origin !== 'alert' && at !== null && onset !== null && Math.abs(at - onset) <= NEAR_MS,
    )
    .reduce((sum, { count }) => sum + count, 0) >= MANY_LINES

/** Whether a record says that something of an entity took effect shortly before the onset. */
export const wasChanged = ({ snapshot, names, onset }: Scene, entity: string | null): boolean =>
  onset !== null &&
  snapshot.changes.some(
    ({ entity: changed, effective_at: effect }) =>
      changed !== undefined &&
      names.canonical(changed) === entity &&
      effect !== undefined &&
      isNearBefore(onset, effect.from),
  )

const isNearBefore = (onset: number | null, at: number): boolean =>
  onset !== null && at >= onset - BEFORE_MS && at <= onset + NEAR_MS

/** Letters from which a word of a name tells one part from others: "db" and "prod" do not. */
const TELLING = 5

/** Whether a record of that time is of an entity, or its title or files have a word of its name: people write as they speak. */
export function isOnRecord(scene: Scene, entity: string): boolean {
  const words =
    entity
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.filter(({ length }) => length >= TELLING) ?? []
  if (wasChanged(scene, entity)) return true
  if (words.length === 0) return false
  for (const { title = '', files = [], effective_at: effect, recorded_at: recorded } of scene.snapshot
    .changes)
    if (
      isNearBefore(scene.onset, effect?.from ?? recorded) &&
      (speaksOf(title, words) || files.some((file) => speaksOf(file, words)))
    )
      return true
  return false
}

/** Whether a text has one of some words of small letters, as a whole. */
function speaksOf(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  // Hardly a text holds one, and only of those that do the words have to be told apart.
  for (const word of words)
    if (lower.includes(word) && lower.match(/[a-z]+/g)?.includes(word) === true) return true
  return false
}

/** The place that the measurements blame, where the lines come from it or name it. */
export function placeSpokenOf({ observed, names }: Scene, lines: readonly Line[]): string | null {
  const first = observed.first?.entity ?? null
  const isIt = (line: Line): boolean =>
    line.entity === first || names.mentionedIn(line.text).some((name) => name === first)
  return lines.some(isIt) ? first : null
}

/** The place that the measurements blame, where the lines come from it, name it, or are of who calls it. */
export function placeToldOf(scene: Scene, lines: readonly Line[]): string | null {
  const { first, graph } = scene.observed
  const isCaller = ({ entity }: Line): boolean =>
    first !== null && graph.callees.get(entity ?? '')?.has(first.entity) === true
  return placeSpokenOf(scene, lines) ?? (lines.some(isCaller) ? (first?.entity ?? null) : null)
}
