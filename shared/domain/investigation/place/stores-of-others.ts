/**
 * Which stores are others' own: what is recorded of a store that nobody asks who is hurt harms somebody else, if anybody.
 *
 * Method: specificity (Hill, The environment and disease: association or causation?, 1965). In a large infrastructure some store
 * is changed, grown or begun anew all the time, so where who is hurt is seen to ask a store, what is recorded of another one is no
 * evidence. Where who is hurt is seen to ask none, that is not known. The stores of those that they call are why these fail, and
 * whoever complains a little meanwhile asks what it always asks.
 */
import { pairsOf } from '../records/calls-by-pair.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { isOfWorkload } from '../records/hosting.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Observed } from './failing-services.ts'
import { storesAndQueues } from './stores-and-queues.ts'

/** Texts of what came more often than ever, or was never said, by who said it. */
const saidBy = (
  { templates }: Pick<Observed, 'templates'>,
  entities: ReadonlySet<string>,
): readonly string[] =>
  templates
    .filter(
      ({ service, during, change }) =>
        service !== null &&
        entities.has(service) &&
        during > 0 &&
        change !== 'steady' &&
        change !== 'vanished',
    )
    .map(({ example }) => example)

/** Whether calls to some store are counted, and calls that an entity makes or gets. */
function countsStores({ edges }: Snapshot, stores: ReadonlySet<string>, entity: string): boolean {
  const pairs = pairsOf(edges)
  return (
    pairs.some(({ callee }) => stores.has(callee)) &&
    pairs.some(({ caller, callee }) => caller === entity || callee === entity)
  )
}

/**
 * Tells whether a store is another one than those that what fails first, or was asked about, is seen to ask itself: by calls, or by
 * whom its own lines name.
 */
export function storeOfOthers({
  snapshot,
  observed,
  names,
}: {
  readonly snapshot: Snapshot
  readonly observed: Observed
  readonly names: EntityNames
}): (entity: string) => boolean {
  const { first, symptom_service: asked, graph } = observed
  const stores = storesAndQueues(snapshot)
  const hurt = new Set([first?.entity ?? asked, asked].filter((entity) => entity !== null))
  const asks = new Set(
    [
      ...[...hurt].flatMap((entity) => [...(graph.callees.get(entity) ?? [])]),
      ...saidBy(observed, hurt).flatMap((text) => names.mentionedIn(text)),
      // A store that fails first is itself the one that is asked.
      ...(first === null ? [] : [first.entity]),
    ].filter((entity) => stores.has(entity) && !graph.callees.has(entity)),
  )
  // Where calls to stores are counted, and those to what fails first as well, what it is not counted to ask it does not ask.
  const isCounted = first !== null && countsStores(snapshot, stores, first.entity)
  const beyond = new Set(isCounted ? [...hurt].flatMap((entity) => [...graph.reachableFrom(entity)]) : [])
  return (entity) =>
    (asks.size > 0 || (isCounted && !beyond.has(entity))) &&
    stores.has(entity) &&
    !hurt.has(entity) &&
    ![...asks].some((name) => isOfWorkload(entity, name, snapshot.entities))
}
