/**
 * What runs on a machine that was worked on, and how much of it: an update of its packages, another kernel, a tool that is run on
 * it reach whoever has instances there, though no record names them.
 *
 * Method: the machines that series and lines name (`hosting.ts`), read from the machine's side. Of several machines one can do to a
 * service what its share of them is, as far as they are asked alike: whoever fails by more than that is not failed by one.
 */
import type { EntityNames } from '../records/entity-names.ts'
import { machinesOf } from '../records/hosting.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import { holdsName } from '../records/whole-name.ts'

/** Something that runs on a machine, and the share of its machines that this one is. */
export interface Hosted {
  readonly entity: string
  readonly machine: string
  readonly share: number
}

/**
 * Tells of a record what runs on the machine that it is of or whose name its title holds, with that machine; nothing of a record
 * that is of no machine.
 */
export function hostedBy(
  snapshot: Pick<Snapshot, 'series' | 'logs'>,
  names: EntityNames,
): (change: Pick<Change, 'entity' | 'title'>) => readonly Hosted[] {
  const hosted = [...machinesOf(snapshot, names)].flatMap(([entity, machines]) =>
    [...machines].map((machine): Hosted => ({ entity, machine, share: 1 / machines.size })),
  )
  // A machine hosts many, and is looked for once.
  const all = [...new Set(hosted.map(({ machine }) => machine))]
  const canonical = all.map(names.canonical)
  return ({ entity = '', title = '' }) => {
    const known = names.canonical(entity)
    const named = new Set(
      all.filter((machine, index) => known === canonical[index] || holdsName(title, machine)),
    )
    return named.size === 0 ? [] : hosted.filter(({ machine }) => named.has(machine))
  }
}
