/**
 * Since when a version is seen at work, where its rollout was recorded late.
 *
 * A pipeline often records a rollout when it is done with it, minutes after its first copies answered. What those copies put
 * out bears their version: where another version of the same service was seen before the first of it, it took effect then
 * at the latest, whatever its record says.
 */
import { isSameVersion, versionOf } from '../deviations/version-contrast.ts'
import type { EvidenceSource } from '../findings.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { isRollout } from './place-of-changes.ts'

/** The first that bears a version: of which service, when, and in what. */
export interface SeenVersion {
  readonly entity: string
  readonly version: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly of: 'log line' | 'span' | 'series'
  readonly evidence: EvidenceSource
  readonly source: string
}

type Sight = Omit<SeenVersion, 'entity' | 'version'>

/** Every version that something bears, by service, each with the first that does. */
type Sights = ReadonlyMap<string, ReadonlyMap<string, Sight>>

/** When the first sample above nothing was taken: a level of nothing tells of nobody. Infinite where there is none. */
function firstAbove(times: Float64Array, values: Float64Array): number {
  for (let index = 0; index < values.length; index++)
    if ((values[index] as number) > 0) return times[index] as number
  return Number.POSITIVE_INFINITY
}

/** Reads once what every line, span and series says of versions. */
function sightsIn({ logs, spans, series }: Snapshot, names: EntityNames): Sights {
  const found = new Map<string, Map<string, Sight>>()
  const see = (
    service: string,
    labels: Readonly<Record<string, unknown>> | undefined,
    sightOf: () => Sight,
  ): void => {
    const version = labels === undefined ? null : versionOf(labels)
    if (version === null) return
    const entity = names.canonical(service)
    const versions = found.get(entity) ?? new Map<string, Sight>()
    found.set(entity, versions)
    const sight = sightOf()
    const known = versions.get(version)
    if (known === undefined || sight.at < known.at) versions.set(version, sight)
  }
  for (const { service, attributes, timestamp: at, source } of logs)
    see(service, attributes, () => ({ at, of: 'log line', evidence: 'logs', source }))
  for (const { service, attributes, start: at, source } of spans)
    see(service, attributes, () => ({ at, of: 'span', evidence: 'traces', source }))
  for (const { entity, labels, times, values, source } of series)
    see(entity, labels, () => ({ at: firstAbove(times, values), of: 'series', evidence: 'metrics', source }))
  return found
}

/**
 * Tells which is the first that bears a rollout's version, where another version of that service was seen before; null where
 * nothing says so until an instant: what comes to be seen later came later.
 */
export function seenVersions(
  snapshot: Snapshot,
  names: EntityNames,
): (rollout: Change, until: number) => SeenVersion | null {
  let sights: Sights | null = null
  return (rollout, until) => {
    const { entity, after } = rollout
    if (!isRollout(rollout) || entity === undefined || after === undefined) return null
    sights ??= sightsIn(snapshot, names)
    const service = names.canonical(entity)
    const own = [...(sights.get(service) ?? [])]
    const borne = own.filter(([version]) => isSameVersion(after, version)).sort(([, a], [, b]) => a.at - b.at)
    const [first] = borne
    if (first === undefined || first[1].at > until) return null
    // What ran all the time, and was gone back to, is seen from the beginning.
    const isSecond = own.some(([version, { at }]) => !isSameVersion(after, version) && at < first[1].at)
    return isSecond ? { ...first[1], entity: service, version: first[0] } : null
  }
}
