import { BatchGetCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'

const TABLE = 'keys'
const KEY = { pk: 'KEY#1', id: 'key_1', name: 'one', list_all: 'KEYS' }

/** A table under so much load that it leaves what is read out of its first answers. */
function busyTable(leftOut: number) {
  let reads = 0
  const client = {
    send: async (command: unknown) => {
      if (command instanceof QueryCommand) return { Items: [KEY] }
      if (!(command instanceof BatchGetCommand)) throw new Error('nothing else is asked')
      reads += 1
      return reads <= leftOut
        ? { Responses: {}, UnprocessedKeys: command.input.RequestItems }
        : { Responses: { [TABLE]: [KEY] } }
    },
  } as unknown as DynamoDBDocumentClient
  const pauses: number[] = []
  const pause = async (milliseconds: number) => void pauses.push(milliseconds)
  return { admin: keyAdmin(client, TABLE, pause), pauses, reads: () => reads }
}

describe('a list of keys that the table leaves some out of', () => {
  it('is read on after pauses that grow', async () => {
    const { admin, pauses } = busyTable(3)
    expect((await admin.list()).map(({ id }) => id)).toEqual(['key_1'])
    expect(pauses).toEqual([50, 100, 200])
  })

  it('is an error where that does not end, and not asked for without end', async () => {
    const { admin, reads } = busyTable(1_000)
    await expect(admin.list()).rejects.toThrow('too much is asked of the table of keys')
    expect(reads()).toBe(5)
  })
})
