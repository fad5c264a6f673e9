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
import { seriesByEntity } from '../records/series-by-entity.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { linesByService } from '../records/speaking-services.ts'
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

/** Every version that something of a service bears, each with the first that does. */
type Sights = Map<string, Sight>

/** When the first sample above nothing was taken: a level of nothing tells of nobody. Infinite where there is none. */
function firstAbove(times: Float64Array, values: Float64Array): number {
  for (let index = 0; index < values.length; index++)
    if ((values[index] as number) > 0) return times[index] as number
  return Number.POSITIVE_INFINITY
}

type Labels = Readonly<Record<string, unknown>> | undefined

/** What bears a version at an instant, where it is the first that does. */
function see(sights: Sights, labels: Labels, at: number, sight: Omit<Sight, 'at'>): void {
  const version = labels === undefined ? null : versionOf(labels)
  const known = version === null ? undefined : sights.get(version)
  if (version !== null && (known === undefined || at < known.at)) sights.set(version, { ...sight, at })
}

/** What every line, span and series of a service says of versions. */
function sightsOf(service: string, { logs, spans, series }: Snapshot, names: EntityNames): Sights {
  const sights: Sights = new Map()
  for (const [speaker, lines] of linesByService(logs))
    if (names.canonical(speaker) === service)
      for (const { attributes, timestamp, source } of lines)
        see(sights, attributes, timestamp, { of: 'log line', evidence: 'logs', source })
  for (const { service: worker, attributes, start, source } of spans)
    if (names.canonical(worker) === service)
      see(sights, attributes, start, { of: 'span', evidence: 'traces', source })
  for (const [entity, own] of seriesByEntity(series))
    if (names.canonical(entity) === service)
      for (const { labels, times, values, source } of own) {
        // Most bear none, and when these began need not be looked for.
        if (versionOf(labels) === null) continue
        see(sights, labels, firstAbove(times, values), { of: 'series', evidence: 'metrics', source })
      }
  return sights
}

/**
 * Tells which is the first that bears a rollout's version, where another version of that service was seen before; null where
 * nothing says so until an instant: what comes to be seen later came later.
 */
export function seenVersions(
  snapshot: Snapshot,
  names: EntityNames,
): (rollout: Change, until: number) => SeenVersion | null {
  const known = new Map<string, Sights>()
  return (rollout, until) => {
    const { entity, after } = rollout
    if (!isRollout(rollout) || entity === undefined || after === undefined) return null
    const service = names.canonical(entity)
    const sights = known.get(service) ?? sightsOf(service, snapshot, names)
    known.set(service, sights)
    const own = [...sights]
    const borne = own.filter(([version]) => isSameVersion(after, version)).sort(([, a], [, b]) => a.at - b.at)
    const [first] = borne
    if (first === undefined || first[1].at > until) return null
    // What ran all the time, and was gone back to, is seen from the beginning.
    const isSecond = own.some(([version, { at }]) => !isSameVersion(after, version) && at < first[1].at)
    return isSecond ? { ...first[1], entity: service, version: first[0] } : null
  }
}
