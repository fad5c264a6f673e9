import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

/**
 * The service that a question names first, or null. Known are the names of entities with their aliases, of everything
 * alerted, measured, traced, logged and changed; of two names that begin at one place the longer one is meant.
 */
export function serviceNamedIn(question: string, snapshot: Snapshot): string | null {
  const names = new Map<string, string>()
  const know = (name: string | undefined, of = name) => {
    if (name !== undefined && of !== undefined && name !== '') names.set(name.toLowerCase(), of)
  }
  for (const series of snapshot.series) know(series.entity)
  for (const edge of snapshot.edges) {
    know(edge.caller)
    know(edge.callee)
  }
  for (const span of snapshot.spans) know(span.service)
  for (const log of snapshot.logs) know(log.service)
  for (const change of snapshot.changes) know(change.entity)
  for (const alert of snapshot.alerts) know(alert.service)
  for (const entity of snapshot.entities) for (const { alias } of entity.aliases) know(alias, entity.name)
  for (const entity of snapshot.entities) know(entity.name)

  const text = question.toLowerCase()
  const partOfName = /[a-z0-9_-]/
  let found: { readonly at: number; readonly length: number; readonly of: string } | undefined
  for (const [name, of] of names) {
    for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
      if (partOfName.test(text[at - 1] ?? ' ') || partOfName.test(text[at + name.length] ?? ' ')) continue
      if (found === undefined || at < found.at || (at === found.at && name.length > found.length))
        found = { at, length: name.length, of }
      break
    }
  }
  return found?.of ?? null
}
