import type { Change, Snapshot, SourceAsked } from './snapshot.ts'

/** The repository that a question to GitHub was about. */
const REPOSITORY = /^GET \/repos\/([^/?]+\/[^/?]+)/
/** An image: where it lies, its path, and which of its versions. */
const IMAGE = /^(?:[^/]*[.:][^/]*\/)?([^:@]+)[:@]/

type SourceOf = (change: Change) => SourceAsked | undefined

const imagePath = (text: string | undefined): string | undefined => IMAGE.exec(text ?? '')?.[1]

/** Services by the paths of the images that they run, and by their own names; null where several would fit. */
function servicesByName({ changes, entities }: Snapshot): ReadonlyMap<string, string | null> {
  const services = new Map<string, string | null>()
  const name = (key: string, service: string): void => {
    const known = services.get(key)
    services.set(key, known === undefined || known === service ? service : null)
  }
  for (const { entity, after } of changes) {
    const path = imagePath(after)
    if (path !== undefined && entity !== undefined) name(path, entity)
  }
  for (const entity of entities)
    if (entity.kind === 'service' || entity.kind === 'workload') name(entity.name, entity.name)
  return services
}

/** A change in a repository is one of the service whose image is built from it, or that has its name. */
function withService(
  change: Change,
  sourceOf: SourceOf,
  services: ReadonlyMap<string, string | null>,
): Change {
  const repository =
    change.entity === undefined ? REPOSITORY.exec(sourceOf(change)?.query ?? '')?.[1] : undefined
  if (repository === undefined) return change
  const service = services.get(repository) ?? services.get(repository.split('/')[1] ?? '')
  return service == null ? change : { ...change, entity: service }
}

interface Rollout extends Change {
  readonly effective_at: NonNullable<Change['effective_at']>
}
const isRollout = (change: Change): change is Rollout =>
  change.kind === 'deploy' && change.entity !== undefined && change.effective_at !== undefined

/** How much a record says of a rollout: what it carries, then what was recorded, then what was seen to have changed. */
const worth = ({ carries = [], certainty }: Change): number =>
  carries.length > 0 ? 2 : certainty === 'recorded' ? 1 : 0

const overlap = (a: Rollout, b: Rollout): boolean =>
  a.effective_at.from <= b.effective_at.to && b.effective_at.from <= a.effective_at.to

/** Two records of one version: the same image, or one of them names none. */
const sameVersion = (a: Rollout, b: Rollout): boolean =>
  imagePath(a.after) === undefined || imagePath(b.after) === undefined || a.after === b.after

/**
 * One rollout that several tools tell of is one change: each of their records alone would speak against the others. It
 * is the record that says most, in effect since the time that all agree on.
 */
function oneForEach(rollouts: readonly Rollout[], sourceOf: SourceOf): ReadonlyMap<Change, Change | null> {
  const groups: { readonly first: Rollout; joined: Rollout; readonly tools: Set<unknown> }[] = []
  const become = new Map<Change, Change | null>()
  for (const rollout of rollouts.toSorted((a, b) => worth(b) - worth(a))) {
    const tool = sourceOf(rollout)?.integration_id
    const group = groups.find(
      ({ joined, tools }) =>
        joined.entity === rollout.entity &&
        tool != null &&
        !tools.has(tool) &&
        overlap(joined, rollout) &&
        sameVersion(joined, rollout),
    )
    if (group === undefined) groups.push({ first: rollout, joined: rollout, tools: new Set([tool]) })
    else {
      const { joined } = group
      const from = Math.max(joined.effective_at.from, rollout.effective_at.from)
      const to = Math.min(joined.effective_at.to, rollout.effective_at.to)
      // What was only seen to have changed is no news beside what was recorded.
      const told = worth(rollout) > 0 ? [joined.title, rollout.title] : [joined.title]
      const title = told.filter((text) => text !== undefined).join('; ')
      group.joined = { ...joined, ...(title === '' ? {} : { title }), effective_at: { from, to } }
      group.tools.add(tool)
      become.set(rollout, null)
    }
  }
  for (const { first, joined } of groups) become.set(first, joined)
  return become
}

/**
 * Joins what several tools tell of one rollout, and gives changes of a repository the service that they are of. What one
 * tool tells alone stays as it is.
 */
export function joinRollouts(snapshot: Snapshot): Snapshot {
  const sources = new Map(snapshot.sources.map((source) => [source.id, source]))
  const sourceOf: SourceOf = ({ source }) => sources.get(source)
  const services = servicesByName(snapshot)
  const changes = snapshot.changes.map((change) => withService(change, sourceOf, services))
  const become = oneForEach(changes.filter(isRollout), sourceOf)
  return {
    ...snapshot,
    changes: changes.flatMap((change) => {
      const one = become.get(change)
      return one === null ? [] : [one ?? change]
    }),
  }
}
