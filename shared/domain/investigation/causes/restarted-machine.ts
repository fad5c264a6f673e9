/**
 * A machine that stopped when users were hurt and began anew, under what fails or what that calls and is not answered by as ever: what it does afterwards, however
 * odd, is a consequence of it.
 *
 * Method: its own clock says so (`begun-anew.ts`); the records of platforms say the same in their own words. It counts where all
 * machines of a place did so, since the others would serve.
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { CLOCK, hasBegunAnew, machinesBehind } from '../place/begun-anew.ts'
import { isRecorded, type Line, NEAR_MS, type Scene } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, shown, sign } from './operational-cause.ts'

/** What a clock that began anew is worth, and each record of the machine besides. */
const WORTH = { clock: 0.6, record: 0.3 } as const
const MOST_RECORDS = 2

/** The machine of the first failing place, or of what that or who was asked about goes on to call, that stopped with the harm and began anew. */
export function restartedMachine(scene: Scene): OperationalCause | null {
  const { snapshot, names, onset, observed } = scene
  if (observed.first === null || onset === null) return null
  const restarted = observed.shifts.filter(
    (shift) => CLOCK.test(shift.series.name) && hasBegunAnew(shift, onset),
  )
  for (const machines of machinesBehind(snapshot, names, observed)) {
    const clocks = machines.map((machine) => restarted.find(({ series }) => series.entity === machine))
    const [machine, shift] = [machines[0], clocks[0]]
    if (machine === undefined || shift === undefined || clocks.includes(undefined)) continue
    const records = scene.lines.filter((line) => isRecordOf(line, machine, onset)).slice(0, MOST_RECORDS)
    const signs = [...shown(shift, WORTH.clock), ...records.map((line) => sign(line, WORTH.record))]
    return {
      kind: 'node',
      entity: machine,
      score: round6(chanceOf(signs)),
      what: 'a machine that stopped and began anew',
      signs,
      action: 'failover',
      yields_to_changes: false,
      // Who had it begin anew is not known where nobody recorded anything of it.
      ...(records.length > 0 ? {} : { at_most: CONFIDENCE_CAP_UNLINKED }),
    }
  }
  return null
}

/** What a platform records of a machine near the onset. */
const isRecordOf = (line: Line, machine: string, onset: number): boolean =>
  isRecorded(line) && line.entity === machine && line.at !== null && Math.abs(line.at - onset) <= NEAR_MS
