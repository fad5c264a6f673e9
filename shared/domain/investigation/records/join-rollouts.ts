import { PUSHED } from './pushed-evidence.ts'
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
/** A deploy of which its record does not say when it took effect, as a pipeline reports one. */
interface Reported extends Change {
  readonly effective_at?: never
}
const isDeploy = (change: Change): boolean => change.kind === 'deploy' && change.entity !== undefined
const isRollout = (change: Change): change is Rollout => isDeploy(change) && change.effective_at !== undefined
const isReported = (change: Change): change is Reported =>
  isDeploy(change) && change.effective_at === undefined

/** A pipeline reports a rollout as it begins it, or once all copies are there and were looked at: so far apart at most, ms. */
const REPORTED_MS = 5 * 60_000

/** How much a record says of a rollout: what it carries, then what was recorded, then what was seen to have changed. */
const worth = ({ carries = [], certainty }: Change): number =>
  carries.length > 0 ? 2 : certainty === 'recorded' ? 1 : 0

const overlap = (a: Rollout, b: Rollout): boolean =>
  a.effective_at.from <= b.effective_at.to && b.effective_at.from <= a.effective_at.to

/** A version as people count them; a commit is none. */
const VERSION = /^v?\d+(?:[.-]\w+)*$/i
const DIGEST = /^[\da-f]{7,}$/i
/** Which version an image or a record names, without its `v`; undefined where it is told by a commit or not at all. */
function versionOf({ after = '' }: Change): string | undefined {
  const version = imagePath(after) === undefined ? after : /:([^:/@]+)(?:@|$)/.exec(after)?.[1]
  return version === undefined || !VERSION.test(version) || DIGEST.test(version)
    ? undefined
    : version.replace(/^v/i, '')
}

/** Two records of one version: the same image or the same number, or one of them names none. */
function sameVersion(a: Change, b: Change): boolean {
  if (imagePath(a.after) !== undefined && imagePath(b.after) !== undefined) return a.after === b.after
  const [one, other] = [versionOf(a), versionOf(b)]
  return one === undefined || other === undefined || one === other
}

/** What several tools tell of one rollout. */
interface Group {
  /** The record that says most: it stays. */
  first: Change
  joined: Rollout
  readonly members: Change[]
  readonly tools: Set<unknown>
}

/** Who tells of a change; undefined where that is not known, so that two records of one tool stay two. */
const tellerOf = (change: Change, sourceOf: SourceOf): string | undefined => {
  const source = sourceOf(change)
  return source?.integration_id ?? (source?.tool === PUSHED ? PUSHED : undefined)
}

/** Titles of both; what was only seen to have changed is no news beside what was recorded. */
function titlesOf(joined: Change, other: Change): Pick<Change, 'title'> {
  const told = worth(other) > 0 ? [joined.title, other.title] : [joined.title]
  const title = told.filter((text) => text !== undefined).join('; ')
  return title === '' ? {} : { title }
}

/**
 * One rollout that several tools tell of is one change: each of their records alone would speak against the others. It
 * is the record that says most, in effect since the time that all agree on.
 */
function oneForEach(changes: readonly Change[], sourceOf: SourceOf): ReadonlyMap<Change, Change | null> {
  const groups: Group[] = []
  const become = new Map<Change, Change | null>()
  for (const rollout of changes.filter(isRollout).toSorted((a, b) => worth(b) - worth(a))) {
    const teller = tellerOf(rollout, sourceOf)
    const group = groups.find(
      ({ joined, tools }) =>
        joined.entity === rollout.entity &&
        teller !== undefined &&
        !tools.has(teller) &&
        overlap(joined, rollout) &&
        sameVersion(joined, rollout),
    )
    if (group === undefined)
      groups.push({ first: rollout, joined: rollout, members: [rollout], tools: new Set([teller]) })
    else {
      const { joined } = group
      const from = Math.max(joined.effective_at.from, rollout.effective_at.from)
      const to = Math.min(joined.effective_at.to, rollout.effective_at.to)
      group.joined = { ...joined, ...titlesOf(joined, rollout), effective_at: { from, to } }
      group.members.push(rollout)
      group.tools.add(teller)
      become.set(rollout, null)
    }
  }
  for (const reported of changes.filter(isReported)) joinReported(reported, groups, become, sourceOf)
  for (const { first, joined } of groups) become.set(first, joined)
  return become
}

/** Joins what a pipeline reported with the rollout that others saw, the nearest in time: they know since when it is in effect. */
function joinReported(
  reported: Reported,
  groups: readonly Group[],
  become: Map<Change, Change | null>,
  sourceOf: SourceOf,
): void {
  const teller = tellerOf(reported, sourceOf)
  // Tools that see rollouts say when they took effect: one of which they do not say so did not take effect.
  if (teller !== PUSHED) return
  const apart = ({ joined: { effective_at } }: Group): number =>
    Math.max(effective_at.from - reported.recorded_at, reported.recorded_at - effective_at.to, 0)
  const [group] = groups
    .filter(
      (one) =>
        one.joined.entity === reported.entity &&
        !one.tools.has(teller) &&
        apart(one) <= REPORTED_MS &&
        one.members.every((member) => sameVersion(member, reported)),
    )
    .sort((a, b) => apart(a) - apart(b))
  if (group === undefined) return
  const { first, joined } = group
  const isMore = worth(reported) > worth(joined)
  const [most, other] = isMore ? [reported, joined] : [joined, reported]
  group.joined = {
    ...most,
    // What was there before, and what came, are told in the same words.
    ...(most.before === undefined && other.before !== undefined
      ? { before: other.before, ...(other.after === undefined ? {} : { after: other.after }) }
      : {}),
    ...titlesOf(most, other),
    effective_at: joined.effective_at,
  }
  group.tools.add(teller)
  become.set(isMore ? first : reported, null)
  if (isMore) group.first = reported
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
  const become = oneForEach(changes, sourceOf)
  return {
    ...snapshot,
    changes: changes.flatMap((change) => {
      const one = become.get(change)
      return one === null ? [] : [one ?? change]
    }),
  }
}
