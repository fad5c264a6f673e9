/**
 * A memory that came to its end: what a process keeps of each request fills its heap, its runtime collects ever longer for
 * ever less, and at last the platform kills it.
 *
 * Method: four signs of the place that fails first. Its runtime says that there is nothing left to give, its memory grew
 * evenly for as long as it was measured (a straight line, as for disks), its memory was measured at its end, its platform
 * killed it for its memory. The first two say that memory is the trouble; kills and high use alone also follow from too much
 * work. What grew evenly from the first sample on was not brought by anything that the records of that time hold.
 * The page on which the makers of a runtime document what it says stands in `answer-pages.ts`.
 */ import { FULL, isAtItsEnd, shareOf } from '../deviations/at-its-end.ts'
import { countsInstances, readMetricName } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { grewEvenly, trendOf } from '../deviations/trend-of-series.ts'
import type { FailingService } from '../place/failing-service.ts'
import { LEAD_MS, type Line, matching, type Scene } from '../place/told-lines.ts'
import { compareText } from '../records/log-templates.ts'
import type { Series } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { restarted } from './comings-and-goings.ts'
import type { OperationalCause, Sign } from './operational-cause.ts'
import { chanceOf, shown, sign } from './operational-cause.ts'
import { isKilledForMemory, isOfWorkload } from './platform-records.ts'

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

/** Lines of a runtime that are no chance one: a large request may fail once. */
const LEAST_LINES = 5
/** What each sign is worth; the two that say that memory is the trouble are worth more. */
const TOLD = 0.55
const TREND = 0.55
const AT_END = 0.4
const KILLED = 0.45
const RESTARTED = 0.3
const MOST = 0.9

/** The memory of the first failing place, where two signs or more say that it came to its end; null elsewhere. */
export function filledMemory(scene: Scene): OperationalCause | null {
  const { observed, onset } = scene
  const { first } = observed
  if (first === null || onset === null) return null
  const told = toldBy(scene, first.entity, onset)
  const trend = grownBefore(scene, first.entity, onset)
  if (told.length === 0 && trend === null) return null
  const killed = scene.lines.filter(
    ({ origin, at, entity, text }) =>
      origin === 'kubernetes' &&
      at !== null &&
      at >= onset - LEAD_MS &&
      isOfWorkload(entity, first.entity, scene.snapshot.entities) &&
      isKilledForMemory(text),
  )
  const measured = trend === null ? atItsEnd(first) : null
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
    ...{ kind: 'capacity', entity: first.entity, signs, action: 'scale', is_placed: true },
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
      OUT_OF_MEMORY.some(({ pattern }) => pattern.test(text)),
  )
  return lines.reduce((sum, { count }) => sum + count, 0) >= LEAST_LINES ? lines : []
}

const tellsMemory = (name: string): boolean => {
  const { meaning, resource, bad } = readMetricName(name)
  return meaning === 'saturation' && resource === 'memory' && bad === 'up' && !countsInstances(name)
}

/** The memory that grew evenly up to the onset, of the whole place before that of an instance. */
function grownBefore(scene: Scene, place: string, onset: number): SeriesShift | null {
  const grown = scene.snapshot.series
    .filter(
      (one: Series) =>
        one.entity === place &&
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
