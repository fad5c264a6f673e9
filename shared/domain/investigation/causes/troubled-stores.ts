/**
 * Things that others lean on and that nobody counts calls to: a cache that lost what it kept, a replica that is behind,
 * a broker or an endpoint that its platform works on. What stands behind them, or waits for them, fails the loudest.
 *
 * Method: three signs that do not follow from each other. Its own state left normal when the symptoms began; its platform
 * recorded an interruption just before; those that fail name it again and again from the onset on. One alone is possible,
 * two are likely. Sources: Beyer et al., Site Reliability Engineering, 2016, chapter 22 ("Slow Startup and Cold Caching": a
 * service that needs its cache to bear its load fails without it); "Caching challenges and strategies", Amazon Builders'
 * Library.
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { isAtItsEnd } from '../deviations/at-its-end.ts'
import { type StoreState, storeStateOf } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { CauseKind } from '../findings.ts'
import type { Observed } from '../place/failing-services.ts'
import { BEFORE_MS, isSaidAtOnset, type Line, NEAR_MS, naming, type Scene } from '../place/told-lines.ts'
import { compareText } from '../records/log-templates.ts'
import { round6 } from '../statistics.ts'
import type { OperationalCause, Sign } from './operational-cause.ts'
import { bySureness, chanceOf, shown, sign } from './operational-cause.ts'

/** What a state that left normal with the symptoms is worth, what a recorded interruption, what callers that name it. */
const STATE = 0.45
const RECORDED = 0.45
const NAMED = 0.35
/** What it is worth that the processor of a cache that finds less is at its end: that is why it does. */
const FULL = 0.45
/** Most that the three are worth together: what led there may still be something else. */
const MOST = 0.9
/** Share of what was kept that must be gone: a day's keys expire by less. */
const LOST = 0.5
/** By what factor misses, evictions or a lag must stand above normal to hurt anybody. */
const CLEARLY_MORE = 2
/** How long before anybody felt it a state may have left normal, ms: what is missing is missed when it is asked for. */
const LEAD_MS = 10 * 60_000
/** How long others may fail after a copy caught up, ms: what waited for it is asked again. */
const OUTLASTS_MS = NEAR_MS
/** How long after the onset it may be seen at the latest, ms: two samples. */
const SEEN_MS = 2 * 60_000

/**
 * How platforms say that they interrupted a thing or found it interrupted.
 * @see https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/ECEvents.html
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html
 * @see https://cloud.google.com/memorystore/docs/redis/about-maintenance
 */
const INTERRUPTED =
  /\b(recover(y|ing)|re-?start(ed|ing)?|re-?boot(ed|ing)?|fail(ed|ing)?[- ]?over|replac(ed|ing|ement)|flush(ed|ing|all)?|purg(ed|ing)|crash(ed)?|interrupt(ed|ion)|terminat(ed|ing|ion)|unhealthy|unreachable|degraded|patch(ed|ing)|promot(ed|ing|ion)|demot(ed|ing)|re-?sharding|re-?balanc(ed|ing))\b/i
/** What keeps data safe interrupts nobody, and what is announced has not happened yet. */
const HARMLESS =
  /\b(backup|snapshot)\b|\b(planned|scheduled|available|upcoming) (for|on|at|in)\b|\bis (planned|scheduled|available)\b|\bwill (be|begin|start)\b/i
const OVER = /\b(finished|completed|ended|done|succeeded)\b/i

interface Trouble {
  readonly entity: string
  readonly state: { readonly shift: SeriesShift; readonly of: StoreState } | null
  readonly event: Line | null
  readonly named: readonly Line[]
  /** Its processor came to its end with that. */
  readonly full: SeriesShift | null
}

const WHAT: Readonly<Record<StoreState, readonly [kind: CauseKind, what: string]>> = {
  kept: ['infra', 'a store that lost what it kept'],
  found: ['infra', 'a cache that no longer holds what is asked for'],
  pushed_out: ['capacity', 'a cache that has no room for what is asked for'],
  behind: ['infra', 'a replica that is behind'],
}

const OVERLOADED = ['capacity', 'a cache that has more to do than it can'] as const

/** The things that others lean on and that are in trouble, surest first. */
export function troubledStores(scene: Scene): readonly OperationalCause[] {
  const { onset } = scene
  if (onset === null) return []
  const states = statesBy(scene, onset)
  const events = eventsBy(scene, onset)
  return [...new Set([...states.keys(), ...events.keys()])]
    .sort(compareText)
    .map(
      (entity): Trouble => ({
        entity,
        state: states.get(entity) ?? null,
        event: events.get(entity) ?? null,
        named: namedBy(scene, entity),
        full: fullOf(scene, entity, onset),
      }),
    )
    .filter(({ state, named }) => state !== null || named.length > 0)
    .map(causeOf)
    .sort(bySureness)
}

function causeOf({ entity, state, event, named, full }: Trouble): OperationalCause {
  // What it holds it cannot give out as fast as it is asked for: then all behind it are asked.
  const isOverloaded = state?.of === 'found' && event === null && full !== null
  const signs: readonly Sign[] = [
    ...shown(state?.shift, STATE),
    ...shown(isOverloaded ? full : null, FULL),
    ...(event === null ? [] : [sign(event, RECORDED)]),
    ...named.slice(0, 1).map((line) => sign(line, NAMED)),
  ]
  // That less of what is asked for is found says how a cache fails: what it keeps, for how long and what is asked may be changed.
  const isDescribed = state?.of === 'found' && event === null && !isOverloaded
  const [kind, what] = isOverloaded
    ? OVERLOADED
    : state === null
      ? (['infra', 'an interruption of what others lean on'] as const)
      : WHAT[state.of]
  return {
    ...{ kind, entity, what, signs },
    score: round6(Math.min(MOST, chanceOf(signs))),
    action: kind === 'capacity' ? 'scale' : 'escalate',
    // What a platform recorded of a thing, no rollout of those who use it brought about.
    yields_to_changes: event === null,
    // Whom it serves puts its load on others, so that those who fail need not be the ones that lean on it. Where nothing of its own
    // was seen to leave normal, those who name it are all that shows that it matters to anybody.
    ...(signs.length > 1 && !isDescribed
      ? { is_placed: state !== null && (kind === 'infra' || isOverloaded) }
      : { at_most: CONFIDENCE_CAP_UNLINKED }),
  }
}

/** The clearest state of each thing that left normal with the symptoms and did not come back before them. */
function statesBy({ observed }: Scene, onset: number): ReadonlyMap<string, NonNullable<Trouble['state']>> {
  const found = new Map<string, NonNullable<Trouble['state']>>()
  for (const shift of observed.shifts) {
    if (!isInTime(shift, onset)) continue
    const of = storeStateOf(shift.series.name)
    if (of === null || !isClear(shift, of) || isOver(shift, of, observed)) continue
    const known = found.get(shift.series.entity)
    // That things are gone says more than that they are missed.
    if (known === undefined || ORDER.indexOf(of) < ORDER.indexOf(known.of))
      found.set(shift.series.entity, { shift, of })
  }
  return found
}

/**
 * Its processor at its end, with the symptoms: one thread of a cache does all that it is asked for.
 * @see https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/CacheMetrics.Redis.html (EngineCPUUtilization)
 */
const fullOf = ({ observed }: Scene, entity: string, onset: number): SeriesShift | null =>
  observed.shifts.find(
    (shift) =>
      shift.series.entity === entity &&
      shift.direction === 'up' &&
      shift.meaning.meaning === 'saturation' &&
      shift.meaning.resource === 'cpu' &&
      isAtItsEnd(shift, 'during') &&
      isInTime(shift, onset),
  ) ?? null

const ORDER: readonly StoreState[] = ['kept', 'behind', 'pushed_out', 'found']

const isInTime = (shift: SeriesShift, onset: number): boolean =>
  shift.onset.at >= onset - LEAD_MS &&
  shift.onset.earliest <= onset + SEEN_MS &&
  (shift.ended_at === null || shift.ended_at > onset)

/** Whether a copy has caught up while users are hurt as before: then it was not what hurt them. */
const isOver = ({ ended_at: ended }: SeriesShift, of: StoreState, { first, normal }: Observed): boolean =>
  of === 'behind' &&
  ended !== null &&
  first !== null &&
  (first.ended_at ?? normal.incident.to) > ended + OUTLASTS_MS

function isClear({ before, during, extreme, direction, meaning }: SeriesShift, of: StoreState): boolean {
  if (of === 'kept') return direction === 'down' && before > 0 && extreme <= (1 - LOST) * before
  // A share of what was asked for falls, a count of what was missed rises.
  if (of === 'found' && meaning.meaning === 'availability')
    return direction === 'down' && before > 0 && 1 - during >= CLEARLY_MORE * (1 - before)
  return direction === 'up' && during >= CLEARLY_MORE * before
}

/** The latest interruption that a platform recorded of each thing, in time. */
function eventsBy({ lines, names }: Scene, onset: number): ReadonlyMap<string, Line> {
  const found = new Map<string, Line>()
  for (const line of lines) {
    const { origin, at, entity, text } = line
    if (origin !== 'event' || entity === null || at === null) continue
    if (at < onset - BEFORE_MS || at > onset + SEEN_MS) continue
    if (!INTERRUPTED.test(text) || HARMLESS.test(text) || OVER.test(text)) continue
    const name = names.canonical(entity)
    const known = found.get(name)
    if (known === undefined || (known.at as number) < at) found.set(name, line)
  }
  return found
}

/** What others say of a thing by its name, where they begin to with the symptoms and say it again and again. */
function namedBy(scene: Scene, entity: string): readonly Line[] {
  const lines = naming(scene, entity).filter(
    ({ at }) => at !== null && Math.abs(at - (scene.onset as number)) <= NEAR_MS,
  )
  return isSaidAtOnset(scene, lines) ? lines : []
}
