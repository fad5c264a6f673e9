/**
 * A process of the first failing place that ended by a fault of its own when users began to be hurt.
 *
 * Method: an operating system ends a process that touches what is not its own, and a runtime one whose fault nobody caught; both
 * say so once, in words or as the code that it exits with (128 and the number of the signal). Who was ended by somebody else
 * (SIGKILL, SIGTERM: 137, 143) was not at fault, and who is begun anew again and again is told elsewhere. Once is enough, since
 * what follows may last: what a process holds in its memory is read again before it serves. A change of that place may have
 * brought the fault, so this yields to one.
 * @see https://man7.org/linux/man-pages/man7/signal.7.html
 * @see https://www.gnu.org/software/bash/manual/html_node/Exit-Status.html
 */
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import { isRecorded, type Line, type Scene, wasChanged } from '../place/told-lines.ts'
import { isOfWorkload } from '../records/hosting.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, sign } from './operational-cause.ts'
import { isKilledForMemory } from './platform-records.ts'
import { wordsFor } from './spoken-signs.ts'

const FATAL = wordsFor('fatal')

/** How long before the onset it may have ended, and after: an onset is told to a sample or two, ms. */
const BEFORE_MS = 2 * 60_000
const AFTER_MS = 60_000
/** What each witness is worth: the platform that saw it end, and the process's last words. */
const WITNESS = 0.45

/** The process of the first failing place that ended by itself at the onset; null where none did. */
export function endedProcess(scene: Scene): OperationalCause | null {
  const { observed, snapshot, onset } = scene
  const place = observed.first?.entity
  if (place === undefined || onset === null) return null
  const isOwn = ({ entity }: Line): boolean =>
    entity === place || isOfWorkload(entity, place, snapshot.entities)
  const ends = scene.lines.filter(
    (line) =>
      (line.origin === 'log' || isRecorded(line)) &&
      line.failing &&
      isOwn(line) &&
      line.at !== null &&
      line.at >= onset - BEFORE_MS &&
      line.at <= onset + AFTER_MS &&
      FATAL.test(line.text) &&
      !isKilledForMemory(line.text),
  )
  const seen = ends.find(isRecorded)
  const said = ends.find(({ origin }) => origin === 'log')
  const witnesses = [seen, said].filter((line) => line !== undefined)
  if (witnesses.length === 0) return null
  const signs = witnesses.map((line) => sign(line, WITNESS))
  const hasChanged = wasChanged(scene, place)
  return {
    ...{ kind: 'code', entity: place, signs, action: 'escalate', yields_to_changes: true },
    what: 'a process that ended by a fault of its own',
    score: round6(chanceOf(signs)),
    at_most: witnesses.length > 1 && !hasChanged ? CONFIDENCE_CAP_UNMAPPED : CONFIDENCE_CAP_UNLINKED,
  }
}
