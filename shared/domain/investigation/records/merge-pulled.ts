import { joinRepeatedChanges } from './join-repeated-changes.ts'
import { joinRollouts } from './join-rollouts.ts'
import {
  type Baseline,
  type Entity,
  type Gap,
  NOTHING_PULLED,
  type Pulled,
  RECORD_LISTS,
  type Snapshot,
  type SourceAsked,
  type Window,
} from './snapshot.ts'
import { overlaps } from './windows.ts'

type SourcedList = Exclude<(typeof RECORD_LISTS)[number], 'entities' | 'gaps'>

const SOURCED_LISTS = RECORD_LISTS.filter(
  (list): list is SourcedList => list !== 'entities' && list !== 'gaps',
)

/** New ids for the sources of one part where another part has taken them: `logs` becomes `logs_2`, and so on. */
function freeIds(sources: readonly SourceAsked[], taken: Set<string>): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>()
  // A name that the part itself uses must not be given to another of its sources.
  const own = new Set(sources.map((source) => source.id))
  for (const { id } of sources) {
    if (!taken.has(id)) continue
    let free = id
    for (let suffix = 2; taken.has(free) || own.has(free); suffix++) free = `${id}_${suffix}`
    renamed.set(id, free)
    taken.add(free)
  }
  for (const id of own) if (!renamed.has(id)) taken.add(id)
  return renamed
}

function resourced<Of extends { readonly source?: string }>(
  records: readonly Of[],
  renamed: ReadonlyMap<string, string>,
): readonly Of[] {
  if (renamed.size === 0) return records
  return records.map((record) => {
    const source = record.source === undefined ? undefined : renamed.get(record.source)
    return source === undefined ? record : { ...record, source }
  })
}

/** The same entity from several tools is one entity with the aliases of all. */
function joinedEntities(entities: readonly Entity[]): readonly Entity[] {
  const byIdentity = new Map<string, Entity>()
  for (const entity of entities) {
    const identity = JSON.stringify([
      entity.kind,
      entity.name,
      entity.namespace ?? null,
      entity.environment ?? null,
    ])
    const known = byIdentity.get(identity)
    if (known === undefined) {
      byIdentity.set(identity, entity)
      continue
    }
    const fresh = entity.aliases.filter(
      ({ alias, learnt_from }) =>
        !known.aliases.some((old) => old.alias === alias && old.learnt_from === learnt_from),
    )
    byIdentity.set(identity, { ...known, aliases: [...known.aliases, ...fresh] })
  }
  return [...byIdentity.values()]
}

/** Lists of what was measured, said or done, without who was asked and what is missing. */
const holdsRecords = (part: Pulled): boolean => SOURCED_LISTS.some((list) => part[list].length > 0)

const spanOf = ({ from, to }: Window): string =>
  `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`

/** A part whose own window is of quite another time, left out where others answered for the time that was asked. */
function withoutOtherTimes(window: Window, parts: readonly Pulled[]): readonly Pulled[] {
  if (!parts.some((part) => part.window === undefined && holdsRecords(part))) return parts
  return parts.map((part) => {
    if (part.window === undefined || overlaps(part.window, window)) return part
    const { sources, gaps } = part
    const tools = [...new Set(sources.map(({ tool }) => tool))].join(', ')
    const why = `it is of ${spanOf(part.window)}, and others answered for the time that was asked`
    return { ...NOTHING_PULLED, sources, gaps: [...gaps, { what: `what ${tools || 'a tool'} gave`, why }] }
  })
}

/**
 * Makes one snapshot of what the asked tools gave.
 *
 * The window is ours unless exactly one part declares its own (a bundle does, whose records may lie years back): then
 * that part's window and baselines hold. Where others gave records of our window and that one is of quite another time,
 * ours holds, and what it gave is left out, which is a gap: whoever left an old bundle connected asks about now. Two parts
 * that declare different windows are a gap, and ours holds. Source ids are made unique, in the order of the parts, and
 * records follow their source. Everything else is joined in the order of the parts, so the same parts in the same order
 * give the same snapshot; one change that several tools tell of is one.
 * @param window the window that the tools were asked for
 * @param baselines the baselines that the tools were asked for
 * @param given what each of them gave
 */
export function mergePulled(
  window: Window,
  baselines: readonly Baseline[],
  given: readonly Pulled[],
): Snapshot {
  const parts = withoutOtherTimes(window, given)
  const declaring = parts.filter((part) => part.window !== undefined)
  const [declared] = declaring
  const windowsOf = (part: Pulled): string =>
    JSON.stringify([
      part.window?.from,
      part.window?.to,
      (part.baselines ?? []).map(({ name, from, to }) => [name, from, to]),
    ])
  const agree = new Set(declaring.map(windowsOf)).size === 1
  const gaps: Gap[] =
    declaring.length > 1 && !agree
      ? [
          {
            what: 'window',
            why: `${declaring.length} tools declare different windows of their own: the incident's window was used`,
          },
        ]
      : []
  const taken = new Set<string>()
  const lists: Record<SourcedList, unknown[]> & { sources: SourceAsked[]; gaps: Gap[]; entities: Entity[] } =
    {
      ...(Object.fromEntries(SOURCED_LISTS.map((list) => [list, []])) as unknown as Record<
        SourcedList,
        unknown[]
      >),
      sources: [],
      gaps: [],
      entities: [],
    }
  for (const part of parts) {
    const renamed = freeIds(part.sources, taken)
    for (const source of part.sources)
      lists.sources.push({ ...source, id: renamed.get(source.id) ?? source.id })
    // One by one: spreading a long list into `push` overflows the stack.
    for (const list of SOURCED_LISTS)
      for (const record of resourced<{ source: string }>(part[list], renamed)) lists[list].push(record)
    lists.entities.push(...part.entities)
    lists.gaps.push(...resourced(part.gaps, renamed))
  }
  const { sources, gaps: pulledGaps, entities, ...told } = lists
  const records = told as unknown as Pick<Snapshot, SourcedList>
  const times = agree && declared?.window !== undefined ? declared : { window, baselines }
  return joinRollouts({
    ...NOTHING_PULLED,
    ...records,
    changes: joinRepeatedChanges(records.changes),
    format: 'incident-bundle/1',
    window: times.window ?? window,
    baselines: times.baselines ?? [],
    sources,
    entities: joinedEntities(entities),
    gaps: [...pulledGaps, ...gaps],
  })
}
