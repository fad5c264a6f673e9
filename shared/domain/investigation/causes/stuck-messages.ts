/**
 * A message that nobody can handle: it is given back, delivered again, and fails or kills whoever takes it next, while
 * what is behind it waits.
 *
 * Method: signs that do not follow from each other. A broker or a consumer says that it delivers again what it delivered
 * before, or sets it aside; the consumer dies; it says that it cannot read what it was given; the oldest message grows
 * older, by a second each second where it is the same message all the time. That a queue grows is none by itself: a slow consumer and more senders look the same. A consumer that fails by
 * its own fault from a rollout on looks the same as well, so this yields to changes.
 */
import { queueStateOf } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import { isSaidAtOnset, type Line, matching, NEAR_MS, type Scene } from '../place/told-lines.ts'
import { median, round6 } from '../statistics.ts'
import type { OperationalCause, Sign } from './operational-cause.ts'
import { chanceOf, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const AGAIN = wordsFor('redelivery')
const UNREADABLE = wordsFor('unreadable')
const DIES = wordsFor('crash')

/** What each sign is worth; that it was delivered again says the most, since nothing but a message that fails is. */
const WORTH = { again: 0.45, stays: 0.4, set_aside: 0.4, waits: 0.3, unreadable: 0.3, dies: 0.25 } as const
const MOST = 0.85
/** By what factor a queue or its oldest message must have grown: a burst of senders makes less. */
const GROWN = 3

/** The consumer that a message stops, or null where nothing says that one does. */
export function stuckMessage(scene: Scene): OperationalCause | null {
  const { onset, observed } = scene
  if (onset === null) return null
  const said = (pattern: RegExp): readonly Line[] => {
    const lines = matching(scene, pattern).filter(({ origin }) => origin === 'log' || origin === 'event')
    return isSaidAtOnset(scene, lines) ? lines : []
  }
  const again = said(AGAIN)
  const consumer = again.find(({ origin }) => origin === 'log')?.entity ?? observed.first?.entity ?? null
  // A store and a queue consume nothing.
  if (consumer === null || storesAndQueues(scene.snapshot).has(consumer)) return null
  const own = (lines: readonly Line[]): readonly Line[] => lines.filter(({ entity }) => entity === consumer)
  const unreadable = own(said(UNREADABLE))
  const dies = own(said(DIES))
  const restarts = observed.shifts.find(
    ({ series, is_bad }) => is_bad && series.entity === consumer && /(^|_)restarts?(_|$)/i.test(series.name),
  )
  const queues = observed.shifts.filter((shift) => isGrowing(shift, onset))
  const aside = queues.find(({ series }) => queueStateOf(series.name) === 'set_aside')
  const waits = queues.find(({ series }) => queueStateOf(series.name) === 'waits')
  // Who is started anew takes what comes after it, unless it is given the same again.
  const same = restarts === undefined ? undefined : queues.find(isSameMessage)
  // A queue that grows and a consumer that dies are what an outage of any kind looks like, and so are messages that are set aside.
  const isOfMessages = aside !== undefined && unreadable.length + dies.length > 0
  if (again.length === 0 && same === undefined && !isOfMessages) return null
  const signs: readonly Sign[] = [
    ...again.slice(0, 1).map((line) => sign(line, WORTH.again)),
    ...shown(aside, WORTH.set_aside),
    ...(same === undefined ? shown(waits, WORTH.waits) : shown(same, WORTH.stays)),
    ...unreadable.slice(0, 1).map((line) => sign(line, WORTH.unreadable)),
    ...(dies.length > 0 && dies[0] !== unreadable[0]
      ? dies.slice(0, 1).map((line) => sign(line, WORTH.dies))
      : shown(restarts, WORTH.dies)),
  ]
  if (signs.length < LEAST_SIGNS) return null
  return {
    kind: 'data',
    entity: consumer,
    score: round6(Math.min(MOST, chanceOf(signs))),
    what: 'a message that is delivered again and again and that nobody can handle',
    signs,
    action: 'clean_data',
    yields_to_changes: true,
  }
}

/** One sign is an ordinary day: messages are delivered twice, and some are set aside. */
const LEAST_SIGNS = 2

/** How far from a second each second the oldest message may grow older, and how many samples tell it. */
const SLOPE_OFF = 0.1
const LEAST_SAMPLES = 6

/** Whether the oldest message is the same one all the time: then it grows older as fast as time goes by. */
function isSameMessage({ series, onset, ended_at }: SeriesShift): boolean {
  const { name, times, values, unit } = series
  const from = times.findIndex((at) => at > onset.latest)
  if (!/age|oldest/i.test(name) || ended_at !== null || from < 0) return false
  const [since, ages] = [times.subarray(from), values.subarray(from)]
  const rises = [...ages.subarray(1)].map((age, index) => {
    const passed = (since[index + 1] as number) - (since[index] as number)
    return (age - (ages[index] as number)) / (unit === 'ms' ? passed : passed / 1000)
  })
  return rises.length >= LEAST_SAMPLES && Math.abs(median(rises) - 1) <= SLOPE_OFF
}

const isGrowing = (
  { series, direction, before, during, onset: own, ended_at }: SeriesShift,
  onset: number,
): boolean =>
  queueStateOf(series.name) !== null &&
  direction === 'up' &&
  during >= GROWN * before &&
  Math.abs(own.at - onset) <= NEAR_MS &&
  (ended_at === null || ended_at > onset)
