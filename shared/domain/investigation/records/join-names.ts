/**
 * Gives every record the one name of what it is about.
 *
 * Method: declared aliases first. What no alias joins is taken for one service where the names differ only in the
 * namespace before them, the domain that Kubernetes puts behind them, or a word that says no more than "service"
 * (kubernetes.io/docs/concepts/services-networking/dns-pod-service; OpenTelemetry keeps `service.namespace` apart from
 * `service.name`, opentelemetry.io/docs/specs/semconv/resource/#service). That is a guess, so it stands among the gaps,
 * and it is not made where one tool tells the names apart, where they are declared apart, or across environments.
 */
import { compareText } from './log-templates.ts'
import type { Edge, Entity, Gap, Series, Snapshot } from './snapshot.ts'

/** `prod/orders`: a namespace, an environment or a team before the name. */
const QUALIFIED = /^((?:[\w.-]+\/)+)([\w.-]+)$/
/** `orders.shop.svc.cluster.local`: a service's name within a cluster. */
const CLUSTER_NAME = /^([\w-]+)\.([\w-]+)\.svc(?:\.[\w.-]+)?$/
/** Says no more than that it is a service; an `api` or a `worker` is often a second one beside it. */
const GENERIC = /[-_. ](?:service|svc)$/i
/** What runs there explains nothing of what users meet. */
const REHEARSAL = /^(?:dev|development|test|testing|qa|uat|stag(?:e|ing)|sandbox|preview|demo|ci)\b/i
/** Shorter remainders are words of anything. */
const SHORTEST = 3

interface Parts {
  readonly base: string
  readonly namespace: string | null
}

/** A name without what only says where it runs and that it is a service; null where too little remains. */
function partsOf(name: string): Parts | null {
  const cluster = CLUSTER_NAME.exec(name)
  const qualified = QUALIFIED.exec(name)
  const [namespace, rest] =
    cluster !== null
      ? [cluster[2] as string, cluster[1] as string]
      : qualified !== null
        ? [(qualified[1] as string).slice(0, -1), qualified[2] as string]
        : [null, name]
  const base = rest.replace(GENERIC, '').toLowerCase()
  if (base.length < SHORTEST || (namespace !== null && REHEARSAL.test(namespace))) return null
  return { base, namespace: namespace?.toLowerCase() ?? null }
}

/** Who says a name: the names that one tool uses in one list are names of different things. */
type Sayers = Map<string, Set<string>>

/** Hears who says which names. Tens of thousands of records repeat a few names, list by list of few sources. */
class Hearing {
  readonly said: Sayers = new Map()
  readonly #integrations: ReadonlyMap<string, string>
  readonly #heard = new Map<string, Set<string | undefined>>()
  #source: string | null = null
  #names = new Set<string | undefined>()
  #name: string | undefined

  constructor(integrations: ReadonlyMap<string, string>) {
    this.#integrations = integrations
  }

  hear(name: string | undefined, source: string): void {
    if (source !== this.#source) {
      this.#source = source
      this.#names = this.#heard.get(source) ?? new Set([undefined, ''])
      this.#heard.set(source, this.#names)
    } else if (name === this.#name) return
    this.#name = name
    if (this.#names.has(name)) return
    this.#names.add(name)
    const sayers = this.said.get(name as string) ?? new Set()
    this.said.set(name as string, sayers.add(this.#integrations.get(source) ?? source))
  }
}

/** A record of what a service said, or of what is said of it. */
interface Said {
  readonly service?: string
  readonly source: string
}

/** Names in the order in which they are preferred: what is measured is known by its measurements' name. */
function namesSaid(snapshot: Snapshot): Sayers {
  const hearing = new Hearing(
    new Map(snapshot.sources.map(({ id, integration_id }) => [id, integration_id ?? id])),
  )
  const { series, edges } = snapshot
  for (let index = 0; index < series.length; index++) {
    const { entity, source } = series[index] as Series
    hearing.hear(entity, source)
  }
  for (const { service, source } of snapshot.alerts) hearing.hear(service, source)
  for (let index = 0; index < edges.length; index++) {
    const { caller, callee, source } = edges[index] as Edge
    hearing.hear(caller, source)
    hearing.hear(callee, source)
  }
  for (const list of [snapshot.spans, snapshot.logs, snapshot.log_counts, snapshot.patterns, snapshot.events])
    for (let index = 0; index < list.length; index++) {
      const { service, source } = list[index] as Said
      hearing.hear(service, source)
    }
  for (const { entity, source } of snapshot.changes) hearing.hear(entity, source)
  return hearing.said
}

/** Names that mean one service, the preferred one first. */
function guessedGroups(said: Sayers, entities: readonly Entity[]): readonly (readonly string[])[] {
  const declared = new Map(entities.map((entity) => [entity.name, entity]))
  const aliases = new Set(entities.flatMap((entity) => entity.aliases.map(({ alias }) => alias)))
  const names = [...new Set([...declared.keys(), ...said.keys()])].filter((name) => !aliases.has(name))
  const groups = Map.groupBy(names, (name) => partsOf(name)?.base ?? null)
  groups.delete(null)
  return [...groups.values()].filter((group) => {
    if (group.length < 2) return false
    const known = group.flatMap((name) => declared.get(name) ?? [])
    const namespaces = new Set(group.flatMap((name) => partsOf(name)?.namespace ?? []))
    const sayers = group.flatMap((name) => [...(said.get(name) ?? [])])
    return (
      known.length <= 1 &&
      known.every(({ kind }) => kind === 'service' || kind === 'workload') &&
      namespaces.size <= 1 &&
      new Set(sayers).size === sayers.length
    )
  })
}

const gapOf = (groups: readonly (readonly string[])[]): Gap => {
  const list = groups
    .map((group) => [...group].sort(compareText).join(' = '))
    .sort(compareText)
    .join('; ')
  return {
    what: 'names',
    why: `No tool says which names belong together; by their likeness these were taken for one service each: ${list}.`,
  }
}

/** The entities with what was guessed as aliases of theirs. */
function entitiesWith(
  groups: readonly (readonly string[])[],
  entities: readonly Entity[],
): readonly Entity[] {
  const joined = new Map(entities.map((entity) => [entity.name, entity]))
  for (const [name, ...others] of groups as readonly (readonly [string, ...string[]])[]) {
    const own = joined.get(name) ?? { name, kind: 'service' as const, aliases: [] }
    const more = others.map((alias) => ({ alias, learnt_from: 'a name like it' }))
    joined.set(name, { ...own, aliases: [...own.aliases, ...more] })
  }
  return [...joined.values()]
}

/** What was joined before, so that a question that is answered in several steps reads its records once. */
const madeBefore = new WeakMap<Snapshot, Snapshot>()

/** The snapshot with one name for each of its entities; itself where all records agree. */
export function withOneName(snapshot: Snapshot): Snapshot {
  const known = madeBefore.get(snapshot)
  if (known !== undefined) return known
  const made = join(snapshot)
  madeBefore.set(snapshot, made)
  madeBefore.set(made, made)
  return made
}

/** The preferred name by each other one. */
type NameOf = ReadonlyMap<string, string>
interface OfService {
  readonly service?: string
}
interface OfEntity {
  readonly entity?: string
}

/**
 * A list with the records that go by another name renamed; itself where none does.
 * @param renamed - gives the record itself where it goes by no other name
 */
function withRenamed<T>(
  list: readonly T[],
  nameOf: NameOf,
  renamed: (record: T, nameOf: NameOf) => T,
): readonly T[] {
  let made: T[] | null = null
  for (let index = 0; index < list.length; index++) {
    const record = list[index] as T
    const now = renamed(record, nameOf)
    if (now === record) continue
    made ??= [...list]
    made[index] = now
  }
  return made ?? list
}

// Each is called for every record, so none is made anew for a snapshot.
function withOneService<T extends OfService>(record: T, nameOf: NameOf): T {
  const service = record.service === undefined ? undefined : nameOf.get(record.service)
  return service === undefined ? record : { ...record, service }
}

function withOneEntity<T extends OfEntity>(record: T, nameOf: NameOf): T {
  const entity = record.entity === undefined ? undefined : nameOf.get(record.entity)
  return entity === undefined ? record : { ...record, entity }
}

function withOneCall(edge: Edge, nameOf: NameOf): Edge {
  const caller = nameOf.get(edge.caller)
  const callee = nameOf.get(edge.callee)
  if (caller === undefined && callee === undefined) return edge
  return { ...edge, caller: caller ?? edge.caller, callee: callee ?? edge.callee }
}

function join(snapshot: Snapshot): Snapshot {
  const groups = guessedGroups(namesSaid(snapshot), snapshot.entities)
  const entities = groups.length === 0 ? snapshot.entities : entitiesWith(groups, snapshot.entities)
  const nameOf: NameOf = new Map(
    entities.flatMap(({ name, aliases }) => aliases.map(({ alias }) => [alias, name])),
  )
  if (nameOf.size === 0) return snapshot
  const services = <T extends OfService>(list: readonly T[]): readonly T[] =>
    withRenamed<T>(list, nameOf, withOneService)
  const own = <T extends OfEntity>(list: readonly T[]): readonly T[] =>
    withRenamed<T>(list, nameOf, withOneEntity)
  return {
    ...snapshot,
    entities,
    alerts: services(snapshot.alerts),
    series: own(snapshot.series),
    edges: withRenamed(snapshot.edges, nameOf, withOneCall),
    spans: services(snapshot.spans),
    logs: services(snapshot.logs),
    log_counts: services(snapshot.log_counts),
    changes: own(snapshot.changes),
    events: services(snapshot.events),
    patterns: services(snapshot.patterns),
    gaps: groups.length === 0 ? snapshot.gaps : [...snapshot.gaps, gapOf(groups)],
  }
}
