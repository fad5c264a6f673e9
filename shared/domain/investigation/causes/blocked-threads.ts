/**
 * A process whose threads wait for each other: for a lock that one of them keeps, or for a thread that is free.
 *
 * Method: who waits in a ring waits for ever, and whoever comes after waits behind (Coffman, Elphick and Shoshani, System
 * Deadlocks, ACM Computing Surveys 3, 1971). The process says so itself, again and again since users are hurt, in the words of
 * its runtime, or of what watches its threads. Signs that do not follow from that: threads that wait are counted to a multiple;
 * its processor rests though it is asked; who calls it says that it does not answer. Who waits for somebody else waits as well, so
 * whom it calls must be no part of what it complains of, nor wait itself. A change there may have brought it, so this yields to
 * changes.
 * @see https://docs.oracle.com/en/java/javase/21/troubleshoot/troubleshooting-process-hangs-and-loops.html
 */
import { CONFIDENCE_CAP_CONSEQUENCE, CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import {
  hasShiftedInTime,
  holdsOn,
  isInTime,
  isSaidAtOnset,
  naming,
  type Scene,
} from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { bySureness, chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const BLOCKED = wordsFor('blocked')
/** What counts threads that wait, by its name or by the state that a label gives. */
const THREADS = /thread|goroutine|fib(?:er|re)/i
const WAITING = /block|deadlock|stuck|starv|hung/i
/** By what factor they must have grown: a few wait in any busy minute. */
const MULTIPLE = 3
/** Share of its usual work at which a processor that is asked as ever rests. */
const RESTING = 0.6
/** What each sign is worth: its own words say what happens, the others that it matters. */
const SAID = 0.45
const COUNTED = 0.45
const RESTS = 0.3
const QUOTED = 0.3
const MOST = 0.85

/** The one process whose threads wait for each other since users are hurt; null where there is none, or several. */
export function blockedThreads(scene: Scene): OperationalCause | null {
  const { observed, names } = scene
  const own = Map.groupBy(
    scene.lines.filter(
      ({ entity, origin, at }) => entity !== null && origin === 'log' && isInTime(scene, at),
    ),
    ({ entity }) => entity as string,
  )
  const saying = [...own]
    .map(([entity, lines]) => ({ entity, lines, said: lines.filter(({ text }) => BLOCKED.test(text)) }))
    .filter(({ said }) => isSaidAtOnset(scene, said))
  const isBlocked = new Set(saying.map(({ entity }) => entity))
  const found = saying.flatMap(({ entity, lines, said }): readonly OperationalCause[] => {
    const complains = lines.filter(({ failing }) => failing)
    const isWaitedFor = (callee: string): boolean =>
      isBlocked.has(callee) || complains.some(({ text }) => names.mentionedIn(text).includes(callee))
    if ([...(observed.graph.callees.get(entity) ?? [])].some(isWaitedFor)) return []
    const shifts = observed.shifts.filter(
      (shift) => shift.series.entity === entity && hasShiftedInTime(scene, shift) && holdsOn(observed, shift),
    )
    const counted = shifts.find(({ series: { name, labels }, direction, before, during }) => {
      const called = [name, ...Object.values(labels)].join(' ')
      const isMore = direction === 'up' && during >= MULTIPLE * Math.max(1, before)
      return isMore && THREADS.test(called) && WAITING.test(called)
    })
    const rests = shifts.find(
      ({ meaning, direction, before, during }) =>
        meaning.resource === 'cpu' && direction === 'down' && during <= RESTING * before,
    )
    const quoting = naming(scene, entity)
    const signs: readonly Sign[] = [
      ...said.slice(0, 1).map((line) => sign(line, SAID)),
      ...shown(counted, COUNTED),
      ...shown(rests, RESTS),
      ...(isSaidAtOnset(scene, quoting) ? quoting.slice(0, 1).map((line) => sign(line, QUOTED)) : []),
    ]
    return [
      {
        ...{ kind: 'code', entity, signs, action: 'reschedule', yields_to_changes: true },
        what: 'a process whose threads wait for each other',
        score: round6(Math.min(MOST, chanceOf(signs))),
        at_most: signs.length > 1 ? CONFIDENCE_CAP_CONSEQUENCE : CONFIDENCE_CAP_UNLINKED,
      },
    ]
  })
  const [best, next] = found.sort(bySureness)
  return best === undefined || next?.score === best.score ? null : best
}
