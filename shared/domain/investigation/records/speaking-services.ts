/** Which services a list of records is of: tens of thousands of records repeat a few names. */

type Records = readonly { readonly service: string }[]

/** What was read before of a list, as long as the list itself is kept: most of the engine's steps ask. */
const readBefore = new WeakMap<Records, ReadonlySet<string>>()

/** The services that the records are of, in the order of their first records; read once for each list. */
export function servicesOf(records: Records): ReadonlySet<string> {
  const before = readBefore.get(records)
  if (before !== undefined) return before
  const services = new Set<string>()
  for (const { service } of records) services.add(service)
  readBefore.set(records, services)
  return services
}
