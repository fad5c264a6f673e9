import { identityOf } from './investigation/records/change-record.ts'
import type { FoundSignals, PushedRecords } from './ports.ts'

type PushedChange = PushedRecords['changes'][number]

/** What is of two services is a change of each. */
const recordOf = (change: PushedChange): string => JSON.stringify([identityOf(change), change.entity ?? null])

/**
 * What was pushed without the guesses that later records replaced: a change is pushed again as more of it becomes known, such
 * as a deployment with its status. A guess replaces nothing that is known to have taken effect, in whatever order they come.
 */
export function withLatestChanges(found: FoundSignals): FoundSignals {
  const latest = new Map<string, PushedChange>()
  const replaced = new Set<PushedChange>()
  for (const change of found.batches.flatMap(({ changes }) => changes)) {
    const identity = recordOf(change)
    const known = latest.get(identity)
    if (known !== undefined && known.certainty !== 'guessed') {
      if (change.certainty === 'guessed') replaced.add(change)
      continue
    }
    if (known !== undefined) replaced.add(known)
    latest.set(identity, change)
  }
  if (replaced.size === 0) return found
  const batches = found.batches.map((batch) => ({
    ...batch,
    changes: batch.changes.filter((change) => !replaced.has(change)),
  }))
  return { ...found, batches }
}
