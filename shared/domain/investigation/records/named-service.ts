import type { EntityNames } from './entity-names.ts'
import type { Snapshot } from './snapshot.ts'

/** Whether anything that the tools gave names a service: a record, or an alert of it. Where nothing names any, none is missed. */
export function isNamedService(
  snapshot: Pick<Snapshot, 'alerts'>,
  names: EntityNames,
  service: string,
): boolean {
  const name = names.canonical(service)
  return (
    names.all.length === 0 ||
    names.all.includes(name) ||
    snapshot.alerts.some(({ service: of }) => of !== undefined && names.canonical(of) === name)
  )
}
