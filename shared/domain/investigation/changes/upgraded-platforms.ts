/**
 * Whom the upgrade of a platform reached: who says since then that it no longer serves what it is asked for.
 *
 * An upgrade is recorded of the platform, which no tool measures and nobody calls. What runs there asks it for interfaces in a
 * version, and says so where that version is gone; nothing else brings these words (`record-mechanisms.ts`).
 */
import type { EntityNames } from '../records/entity-names.ts'
import type { Change, LogLine, Snapshot } from '../records/snapshot.ts'
import type { FittingMechanism } from './fitting-mechanism.ts'
import { isActRecord } from './named-resources.ts'
import { type Place, WRITES } from './place-of-changes.ts'
import { NO_LONGER_SERVED, PLATFORM, titleWords } from './record-mechanisms.ts'

/** Where such an upgrade arrived, and what of it does the harm there. */
export interface Upgraded {
  readonly place: Pick<Place, 'score' | 'reaches'>
  readonly mechanism: FittingMechanism
}

/** How surely it did it: its record says that it was done, and who needs what is gone says that it is. */
const SAID = 0.8

/**
 * Tells of a change whether it is an upgrade of a platform after which one part alone says what only such a one brings. What
 * was said before it has another reason.
 */
export function atUpgraded(
  { logs }: Snapshot,
  names: EntityNames,
): (change: Change, effective: number) => Upgraded | null {
  let said: readonly LogLine[] | null = null
  return (change, effective) => {
    if (!isActRecord(change)) return null
    if (!PLATFORM.in_title.test(titleWords(names.withoutNames(change.title ?? '')))) return null
    said ??= logs.filter(({ message }) => NO_LONGER_SERVED.test(message))
    const speakers = new Set(said.map(({ service }) => names.canonical(service)))
    const [first] = said
    if (first === undefined || speakers.size > 1 || said.some(({ timestamp }) => timestamp < effective))
      return null
    const { id, does, kind } = PLATFORM
    const entity = names.canonical(first.service)
    return {
      place: { score: WRITES, reaches: entity },
      mechanism: {
        mechanism: { id, does, kind },
        score: SAID,
        symptom: {
          ...{ text: first.message, plain: names.withoutNames(first.message), entity, weight: 1 },
          ...{ at: first.timestamp, count: said.length, origin: 'log', source: first.source },
        },
      },
    }
  }
}
