/**
 * What keeps something or holds it back for others: it passes no call on, and what is counted of it is its own work.
 *
 * Method: what a tool lists as a store or a queue is one. What is listed as a service or as somebody else's is none, whatever is
 * measured there: a service measures the statements that it sends to its store. Of all else, what measures what only stores measure is
 * a store.
 */
import { isStore } from '../deviations/metric-meaning.ts'
import type { Snapshot } from '../records/snapshot.ts'

/** The names of the stores and queues that a snapshot lists or measures. */
export function storesAndQueues({
  entities,
  series,
}: Pick<Snapshot, 'entities' | 'series'>): ReadonlySet<string> {
  const kinds = new Map(entities.map(({ name, kind }) => [name, kind]))
  const found = new Set<string>()
  for (const [name, kind] of kinds) if (kind === 'datastore' || kind === 'queue') found.add(name)
  for (const { entity, name } of series) {
    const kind = kinds.get(entity)
    if (kind !== 'service' && kind !== 'external' && isStore(name)) found.add(entity)
  }
  return found
}
