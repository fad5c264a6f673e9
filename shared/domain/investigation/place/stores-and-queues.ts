/**
 * What keeps something or holds it back for others: it passes no call on, and what is counted of it is its own work.
 *
 * Method: what a tool lists as a store or a queue is one. What is listed as a service or as somebody else's is none, whatever is
 * measured there: a service measures the statements that it sends to its store. Of all else, what measures what only stores measure is
 * a store.
 */
import { isStore } from '../deviations/metric-meaning.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Snapshot } from '../records/snapshot.ts'

type Records = Pick<Snapshot, 'entities' | 'series'>

/** What was found before among series, as long as their list is kept, and of which entities that was: a dozen steps ask. */
const foundBefore = new WeakMap<
  Snapshot['series'],
  Pick<Snapshot, 'entities'> & { readonly found: ReadonlySet<string> }
>()

/** The names of the stores and queues that a snapshot lists or measures; looked for once in the same records. */
export function storesAndQueues({ entities, series }: Records): ReadonlySet<string> {
  const before = foundBefore.get(series)
  if (before?.entities === entities) return before.found
  const found = storesIn({ entities, series })
  foundBefore.set(series, { entities, found })
  return found
}

function storesIn({ entities, series }: Records): ReadonlySet<string> {
  const kinds = new Map(entities.map(({ name, kind }) => [name, kind]))
  const found = new Set<string>()
  for (const [name, kind] of kinds) if (kind === 'datastore' || kind === 'queue') found.add(name)
  for (const { entity } of seriesNamed(series, isStore)) {
    const kind = kinds.get(entity)
    if (kind !== 'service' && kind !== 'external') found.add(entity)
  }
  return found
}
