import { DAY_MS } from '../../domain/delivery.ts'
import { isId, timeOf } from '../../domain/ids.ts'
import { OBJECTS, type TableName } from '../../names.ts'
import { SCHEMA_VERSION } from './document-client.ts'
import { everyItem } from './every-item.ts'
import type { Item } from './incident-writes.ts'
import {
  type Finding,
  type FindingKind,
  findingsOfItem,
  type Mendable,
  mending,
  placeOf,
  type Stores,
  type Surroundings,
  surroundingsOf,
} from './item-findings.ts'
import { itemKeys, KEY_LIST } from './item-keys.ts'
import { countItem, type ItemCounts, itemKind } from './item-kind.ts'

export interface RepairOptions extends Stores {
  /** False only finds. */
  readonly really: boolean
  readonly tell: (finding: Finding) => void
}

export interface Repaired {
  readonly looked_at: ItemCounts & { objects: number }
  readonly found: Partial<Record<FindingKind, number>>
  readonly mended: number
}

/** What is done with what is seen. */
interface Look {
  /** Counts an item that was looked at. */
  readonly count: (table: TableName, item: Item) => void
  /** Tells a finding and mends it. */
  readonly handle: (finding: Mendable) => Promise<void>
}

/** An object may be written so long before the item that names it; anything younger is left alone. */
const UNSETTLED_MS = DAY_MS

/** Members that a table counts. */
interface Counted {
  readonly table: TableName
  /** The key of the item in which the count stands. */
  readonly key: Item
  /** Whether an item of the table is one that is counted. */
  readonly isMember: (item: Item) => boolean
}

const COUNTED: readonly Counted[] = [
  {
    table: 'webhooks',
    key: itemKeys.memberCount(itemKeys.webhooks),
    isMember: ({ pk }) => pk === itemKeys.webhooks,
  },
  {
    table: 'integrations',
    key: itemKeys.memberCount(itemKeys.integrations),
    isMember: ({ pk }) => pk === itemKeys.integrations,
  },
  { table: 'keys', key: itemKeys.apiKeyCount, isMember: ({ list_all }) => list_all === KEY_LIST },
]

/**
 * Finds what does not fit together between items, the lists and indexes they stand in, the events that wait to be sent
 * and the objects they name, as it is after tables were restored to different seconds or somebody wrote to them by
 * hand, and mends it. Every mending holds only if the item is still as it was found, so that it may be done beside the
 * running service, and again.
 */
export async function repairItems({ really, tell, ...stores }: RepairOptions): Promise<Repaired> {
  const around = surroundingsOf(stores)
  const items: ItemCounts = {}
  const found: Repaired['found'] = {}
  let mended = 0
  const look: Look = {
    count: (table, item) => countItem(items, table, itemKind(item)),
    async handle({ mend, ...finding }) {
      found[finding.kind] = (found[finding.kind] ?? 0) + 1
      tell(finding)
      if (!really || mend === null) return
      await stores.pace(1)
      if (await mend()) mended += 1
    },
  }
  for (const table of ['incidents', 'queries'] as const) await lookOver(around, look, table)
  for (const counted of COUNTED) await lookOverCounted(around, look, counted)
  const objects = await lookOverObjects(around, look)
  return { looked_at: { objects, ...items }, found, mended }
}

/** Looks at every item of a table. @returns how many are members */
async function lookOver(
  around: Surroundings,
  { count, handle }: Look,
  table: TableName,
  isMember: (item: Item) => boolean = () => false,
): Promise<number> {
  let members = 0
  for await (const { items } of everyItem(around.client, around.names[table], around.pace))
    for (const item of items) {
      count(table, item)
      if (isMember(item)) members += 1
      for await (const finding of findingsOfItem(around, table, item)) await handle(finding)
    }
  return members
}

/** Looks at every item of a table that counts its members, and at the count. */
async function lookOverCounted(
  around: Surroundings,
  look: Look,
  { table, key, isMember }: Counted,
): Promise<void> {
  // Read before the members are counted: one that comes meanwhile changes it, and the mending does not hold.
  const counted = await around.read(table, key)
  const members = await lookOver(around, look, table, isMember)
  const before: unknown = counted?.members
  const told = Number(before ?? 0)
  if (told === members) return
  await look.handle({
    kind: 'wrong_count',
    at: placeOf(table, key),
    says: `counts ${members} instead of ${told}`,
    mend: mending(around, table, key, {
      update: 'SET members = :members, schema_v = :schema',
      condition: before === undefined ? 'attribute_not_exists(members)' : 'members = :counted',
      values: {
        ':members': members,
        ':schema': SCHEMA_VERSION,
        ...(before === undefined ? {} : { ':counted': before }),
      },
    }),
  })
}

/** Looks at every object that belongs to an incident or an answer. @returns how many there are */
async function lookOverObjects(around: Surroundings, { handle }: Look): Promise<number> {
  let looked = 0
  for (const prefix of [OBJECTS.snapshots, OBJECTS.rootCauses, OBJECTS.answers])
    for (const { key } of await around.objects.list(prefix)) {
      looked += 1
      const owner = /^[^/.]+/.exec(key.slice(prefix.length))?.[0] ?? ''
      if (await isOwnerGone(around, owner))
        await handle({
          kind: 'object_without_owner',
          at: key,
          says: `deletes it: ${owner} is not there`,
          mend: async () => {
            await around.objects.delete(key)
            return true
          },
        })
    }
  return looked
}

/** Whether what an object is named for is an incident or a question that is settled and not there. */
async function isOwnerGone({ clock, incidentExists, read }: Surroundings, owner: string): Promise<boolean> {
  const isIncident = isId(owner, 'inc')
  if (!isIncident && !isId(owner, 'query')) return false
  if (timeOf(owner) > clock() - UNSETTLED_MS) return false
  return isIncident
    ? !(await incidentExists(owner))
    : (await read('queries', itemKeys.query(owner))) === undefined
}
