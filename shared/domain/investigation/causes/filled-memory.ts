/**
 * A memory that came to its end: what a process keeps of each request fills its heap, its runtime collects ever longer for
 * ever less, and at last the platform kills it.
 *
 * Method: five signs of the place that fails first. Its runtime says that there is nothing left to give, or that it collected all
 * of its heap and freed next to nothing; its memory grew evenly for as long as it was measured (a straight line, as for disks); its
 * memory was measured at its end; it spends most of its time on collecting; its platform killed it for its memory. The first two
 * say that memory is the trouble; the others alone also follow from too much work. What grew evenly from the first sample on was not brought by anything that the records of that time hold.
 * The page on which the makers of a runtime document what it says stands in `answer-pages.ts`.
 */
import { FULL, isAtItsEnd, shareOf } from '../deviations/at-its-end.ts'
import { countsInstances, readMetricName } from '../deviations/metric-meaning.ts'
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { grewEvenly, trendOf } from '../deviations/trend-of-series.ts'
import type { FailingService } from '../place/failing-service.ts'
import { hasShiftedInTime, holdsOn, LEAD_MS, type Line, matching, type Scene } from '../place/told-lines.ts'
import { isOfWorkload } from '../records/hosting.ts'
import { compareText } from '../records/log-templates.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { restarted } from './comings-and-goings.ts'
import type { OperationalCause, Sign } from './operational-cause.ts'
import { chanceOf, shown, sign } from './operational-cause.ts'
import { isKilledForMemory } from './platform-records.ts'

export interface RuntimeWord {
  readonly id: string
  readonly pattern: RegExp
}

/** What runtimes say where a collection frees next to nothing, or where nothing is left. */
export const OUT_OF_MEMORY: readonly RuntimeWord[] = [
  {
    id: 'v8',
    pattern:
      /\bmark-compact\b[^\n]{0,200}\blast resort\b|ineffective mark-compacts near heap limit|reached heap limit|javascript heap out of memory/i,
  },
  {
    id: 'jvm',
    pattern:
      /outofmemoryerror: (java heap space|gc overhead limit|metaspace|direct buffer)|to-space exhausted/i,
  },
  {
    id: 'dotnet',
    pattern: /\bsystem\.outofmemoryexception\b/i,
  },
  {
    id: 'go',
    pattern: /\bruntime: (out of memory|cannot allocate memory)/i,
  },
  {
    id: 'python',
    pattern: /\bmemoryerror\b/i,
  },
  {
    id: 'ruby',
    pattern: /\bnomemoryerror\b/i,
  },
  {
    id: 'cpp',
    pattern: /\bstd::bad_alloc\b/i,
  },
  {
    id: 'php',
    pattern: /allowed memory size of \d{1,15} bytes exhausted/i,
  },
]

/**
 * A collection of the whole heap as Java's log writes it: what was used before it and after it, and the whole.
 * @see https://docs.oracle.com/en/java/javase/21/docs/specs/man/java.html (-Xlog:gc)
 */
const FULL_COLLECTION = /\bPause Full\b[^\n]{0,80}?\b\d{1,9}([KMG])->(\d{1,9})\1\((\d{1,9})\1\)/
/**
 * Time that a runtime spends on collecting, which its exporters give as seconds of each second.
 * @see https://docs.micrometer.io/micrometer/reference/reference/jvm.html (jvm.gc.pause, jvm.gc.overhead)
 * @see https://opentelemetry.io/docs/specs/semconv/runtime/jvm-metrics/ (jvm.gc.duration)
 */
const COLLECTING = /\bgc(?: collection)? (?:pause|duration|time|overhead|seconds)\b/
/** Share of all time from which collecting leaves too little for anything else. */
const MOSTLY = 0.5

/** Lines of a runtime that are no chance one: a large request may fail once. */
const LEAST_LINES = 5
/** What each sign is worth; the two that say that memory is the trouble are worth more. */
const TOLD = 0.55
const TREND = 0.55
const AT_END = 0.4
const KILLED = 0.45
const RESTARTED = 0.3
const MOST = 0.9

/**
 * The memory of the first failing place, or of the one place that it calls, where two signs or more say that it came to its end;
 * null elsewhere. Whoever waits for it may seem to fail before it.
 */
export function filledMemory(scene: Scene): OperationalCause | null {
  const { first, graph } = scene.observed
  if (first === null || scene.onset === null) return null
  const own = filledAt(scene, first, scene.onset)
  if (own !== null) return own
  const behind = scene.observed.failing.flatMap((service) =>
    service.entity !== first.entity &&
    graph.reachableFrom(first.entity).has(service.entity) &&
    collectingAt(scene, service.entity) !== null
      ? (filledAt(scene, service, scene.onset as number) ?? [])
      : [],
  )
  return behind.length === 1 ? (behind[0] ?? null) : null
}

/** What says that the memory of a place came to its end. */
function filledAt(scene: Scene, service: FailingService, onset: number): OperationalCause | null {
  const { observed } = scene
  const { entity } = service
  const told = toldBy(scene, entity, onset)
  const trend = grownBefore(scene, entity, onset)
  if (told.length === 0 && trend === null) return null
  const killed = scene.lines.filter(
    ({ origin, at, entity: of, text }) =>
      origin === 'kubernetes' &&
      at !== null &&
      at >= onset - LEAD_MS &&
      isOfWorkload(of, entity, scene.snapshot.entities) &&
      isKilledForMemory(text),
  )
  const measured = trend === null ? (collectingAt(scene, entity) ?? atItsEnd(service)) : null
  // Who starts anew after its memory grew for so long was stopped by it, also where no platform says so.
  const restarts = trend === null || killed.length > 0 ? null : restarted(observed)
  const signs: readonly Sign[] = [
    ...told.slice(0, 1).map((line) => sign(line, TOLD)),
    ...shown(trend, TREND),
    ...shown(measured, AT_END),
    ...killed.slice(0, 1).map((line) => sign(line, KILLED)),
    ...shown(restarts, RESTARTED),
  ]
  if (signs.length < 2) return null
  return {
    ...{ kind: 'capacity', entity, signs, action: 'scale', is_placed: true },
    score: round6(Math.min(MOST, chanceOf(signs))),
    what: trend === null ? 'a memory that is used up' : 'a memory that filled by itself',
    yields_to_changes: trend === null,
    // That it starts anew does not say what stopped it.
    ...(trend === null || told.length + killed.length === 0 ? {} : { is_whole: true }),
  }
}

/** What the place's own runtime says, from shortly before anybody felt it. */
function toldBy(scene: Scene, place: string, onset: number): readonly Line[] {
  const lines = matching(scene, /./).filter(
    ({ origin, entity, at, text }) =>
      origin === 'log' &&
      entity === place &&
      at !== null &&
      at >= onset - LEAD_MS &&
      (OUT_OF_MEMORY.some(({ pattern }) => pattern.test(text)) || isInVain(text)),
  )
  return lines.reduce((sum, { count }) => sum + count, 0) >= LEAST_LINES ? lines : []
}

/** Whether all of a heap was collected and is as good as full again. */
function isInVain(text: string): boolean {
  const [, , after, whole] = FULL_COLLECTION.exec(text) ?? []
  return after !== undefined && Number(after) >= FULL * Number(whole)
}

const tellsCollecting = keptByName((name) => COLLECTING.test(wordsOf(name).join(' ')))

/** What shows that a place does little but collect, for as long as users are hurt. */
const collectingAt = (scene: Scene, place: string): SeriesShift | null =>
  scene.observed.shifts.find(
    (shift) =>
      shift.series.entity === place &&
      shift.direction === 'up' &&
      tellsCollecting(shift.series.name) &&
      // Seconds of each second are a share, and so is what a counter of seconds gained in each.
      shareOf(shift.series.type === 'counter' ? { unit: '1' } : shift.series, shift.during) >= MOSTLY &&
      hasShiftedInTime(scene, shift) &&
      holdsOn(scene.observed, shift),
  ) ?? null

const tellsMemory = (name: string): boolean => {
  const { meaning, resource, bad } = readMetricName(name)
  return meaning === 'saturation' && resource === 'memory' && bad === 'up' && !countsInstances(name)
}

/** The memory that grew evenly up to the onset, of the whole place before that of an instance. */
function grownBefore(scene: Scene, place: string, onset: number): SeriesShift | null {
  const grown = seriesOf(scene.snapshot.series, place)
    .filter(
      (one: Series) =>
        one.type !== 'counter' &&
        tellsMemory(one.name) &&
        Object.keys(one.labels).length === 0 &&
        grewEvenly(one, onset),
    )
    .map((one) => trendOf(one, onset))
    // A share of the whole that is far from the whole has room.
    .filter(({ series, during }) => !(shareOf(series, during) < FULL))
  return grown.sort((a, b) => compareText(a.series.name, b.series.name))[0] ?? null
}

/** A memory that left normal and is full. */
const atItsEnd = ({ shifts }: FailingService): SeriesShift | null =>
  shifts.find(
    (shift) => shift.direction === 'up' && tellsMemory(shift.series.name) && isAtItsEnd(shift, 'extreme'),
  ) ?? null
