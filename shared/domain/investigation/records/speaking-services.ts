/** Which services a list of records is of: tens of thousands of records repeat a few names. */

import type { LogLine } from './snapshot.ts'

type Records = readonly { readonly service: string }[]

/** What was read before of a list, as long as the list itself is kept: most of the engine's steps ask. */
const readBefore = new WeakMap<Records, ReadonlySet<string>>()

/** The services that the records are of, in the order of their first records; read once for each list. */
export function servicesOf(records: Records): ReadonlySet<string> {
  const before = readBefore.get(records)
  if (before !== undefined) return before
  const grouped = groupedBefore.get(records)
  const services = new Set<string>(grouped?.keys())
  if (grouped === undefined) for (const { service } of records) services.add(service)
  readBefore.set(records, services)
  return services
}

/** What was grouped before of a list, as long as the list itself is kept. */
const groupedBefore = new WeakMap<Records, ReadonlyMap<string, readonly LogLine[]>>()

// Made once, as it is called for every line: what is made anew each time is compiled anew as well.
const serviceOf = ({ service }: LogLine): string => service

/** The lines of each service, in the order of their records; grouped once for each list: several steps ask for those of one. */
export function linesByService(lines: readonly LogLine[]): ReadonlyMap<string, readonly LogLine[]> {
  const before = groupedBefore.get(lines)
  if (before !== undefined) return before
  const grouped = Map.groupBy(lines, serviceOf)
  groupedBefore.set(lines, grouped)
  return grouped
}
