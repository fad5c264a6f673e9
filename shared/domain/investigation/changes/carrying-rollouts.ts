/**
 * Which rollouts carried a change into effect.
 */

import type { Observed } from '../place/failing-services.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { compareText } from '../records/log-templates.ts'
import type { Change } from '../records/snapshot.ts'
import { effectTime, placeOfTarget } from './place-of-changes.ts'
import type { DiffReading } from './read-diff.ts'

const MANIFEST =
  /(^|\/)(go\.mod|package\.json|requirements[^/]*\.txt|pom\.xml|build\.gradle(\.kts)?|Cargo\.toml|Gemfile)$/i

/** The rollouts that say what they carry, by the id of each change that they do. */
export function carriersOf(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const carriers = new Map<string, Change[]>()
  for (const change of changes)
    for (const id of change.carries ?? []) {
      const list = carriers.get(id)
      if (list === undefined) carriers.set(id, [change])
      else list.push(change)
    }
  return carriers
}

/**
 * A library's change takes effect where a manifest takes its new version: a changed module path that ends in
 * the folders of the library's files. The rollouts of the manifest's change then carry both.
 */
export function inheritedRollouts(
  candidates: readonly Change[],
  diffs: ReadonlyMap<Change, DiffReading>,
  carriers: ReadonlyMap<string, readonly Change[]>,
): ReadonlyMap<Change, readonly Change[]> {
  const found = new Map<Change, Change[]>()
  for (const bump of candidates) {
    const diff = diffs.get(bump) as DiffReading
    const rollouts = carriers.get(bump.id)
    if (rollouts === undefined || !diff.files.some((path) => MANIFEST.test(path))) continue
    const modules = diff.lines_new.flatMap((line) => line.match(/@?[\w.-]+(?:\/[\w.-]+)+/g) ?? [])
    for (const module of modules) {
      const folders = module.replace(/^@/, '').split('/')
      const tail = folders.slice(-2).join('/')
      for (const change of candidates) {
        if (change === bump || change.recorded_at > bump.recorded_at) continue
        const owns = diffs.get(change)?.files.some((path) => `/${path}`.includes(`/${tail}/`))
        if (owns !== true || (carriers.get(change.id)?.length ?? 0) > 0) continue
        const list = found.get(change)
        if (list === undefined) found.set(change, [...rollouts])
        else list.push(...rollouts)
      }
    }
  }
  return found
}

/** Of several rollouts the one that still precedes the onset and reaches what fails most, latest first. */
export function chooseRollout(
  rollouts: readonly Change[],
  observed: Observed,
  latest: number | null,
  names: EntityNames,
): Change | null {
  const rank = (change: Change): number =>
    (latest === null || effectTime(change, null).from <= latest ? 2 : 0) +
    (change.entity === undefined ? 0 : placeOfTarget(names.canonical(change.entity), observed))
  const ordered = [...rollouts].sort(
    (a, b) =>
      rank(b) - rank(a) || effectTime(b, null).from - effectTime(a, null).from || compareText(a.id, b.id),
  )
  return ordered[0] ?? null
}
