import { randomBytes } from 'node:crypto'
import {
  type DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  PutCommand,
} from '@aws-sdk/lib-dynamodb'
import type { Clock, CursorKey, CursorKeys, Sealer } from '../../domain/ports.ts'
import { itemKeys } from './item-keys.ts'
import { conditional, type Pause } from './transact.ts'

const KEY_BYTES = 32
/** What the keys are sealed for. */
const CONTEXT = 'cursor-keys'
/**
 * How long a process goes without looking for a newer key: cursors signed with the one before stay valid until the
 * next rotation, so nothing depends on it being short.
 */
const KEPT_MS = 15 * 60_000
/** A cursor of an unknown version makes a process look at most this often: anybody can write one. */
const LOOK_MS = 10_000

export interface CursorKeysOptions {
  readonly client: DynamoDBDocumentClient
  /** The table whose lists the cursors are of: every function reads a key from the table that it reads anyway. */
  readonly table: string
  /** Whether the table has a sort key, as all but that of API keys have. */
  readonly sort?: boolean
  readonly sealer: Sealer
  readonly clock: Clock
  readonly pause?: Pause
}

type Item = Readonly<Record<string, NativeAttributeValue>>

/**
 * The keys that sign the cursors of a table's lists: made at the first use, sealed, read once by each process. The
 * present one signs; the one before is valid until the next rotation.
 */
export function cursorKeys(options: CursorKeysOptions): CursorKeys {
  const { client, table, sort = true, sealer, clock, pause } = options
  const { pk, sk } = itemKeys.cursorKeys
  const Key = sort ? { pk, sk } : { pk }
  let kept: { readonly keys: readonly CursorKey[]; readonly at: number } | undefined
  let reading: Promise<readonly CursorKey[]> | undefined

  const getItem = async (): Promise<Item | undefined> => {
    const { Item } = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }))
    return Item
  }

  /** Writes the next version if `present` is still the latest. */
  const write = async (present: Item | undefined): Promise<void> => {
    const version = present === undefined ? 1 : Number(present.version) + 1
    await conditional(
      async () =>
        client.send(
          new PutCommand({
            TableName: table,
            Item: {
              ...Key,
              version,
              current: await sealer.seal(CONTEXT, randomBytes(KEY_BYTES)),
              previous: present?.current ?? null,
            },
            ...(present === undefined
              ? { ConditionExpression: 'attribute_not_exists(pk)' }
              : {
                  ConditionExpression: 'version = :present',
                  ExpressionAttributeValues: { ':present': present.version },
                }),
          }),
        ),
      pause,
    )
  }

  const read = async (): Promise<readonly CursorKey[]> => {
    let item = await getItem()
    if (item === undefined) {
      await write(undefined)
      // Whoever wrote first, from here on there is one.
      item = await getItem()
      if (item === undefined) throw new Error('the cursor keys were written and are not there')
    }
    const version = Number(item.version)
    const open = async (sealed: unknown, of: number): Promise<CursorKey[]> =>
      typeof sealed === 'string' ? [{ version: of, key: await sealer.open(CONTEXT, sealed) }] : []
    return [...(await open(item.current, version)), ...(await open(item.previous, version - 1))]
  }

  /** The keys as read at most `age` ms ago, newest first. */
  const keys = async (age: number): Promise<readonly CursorKey[]> => {
    if (kept !== undefined && Math.abs(clock() - kept.at) < age) return kept.keys
    reading ??= read()
      .then((found) => {
        kept = { keys: found, at: clock() }
        return found
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return {
    async current() {
      const [current] = await keys(KEPT_MS)
      if (current === undefined) throw new Error('there is no cursor key')
      return current
    },

    async find(version) {
      const known = (await keys(KEPT_MS)).find((each) => each.version === version)
      return known ?? (await keys(LOOK_MS)).find((each) => each.version === version)
    },

    async rotate() {
      await write(await getItem())
      kept = undefined
    },
  }
}
