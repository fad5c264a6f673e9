import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { transact } from '#shared/adapters/dynamo/transact.ts'

/** What the store says of a transaction whose item another one is writing. */
const conflict = () =>
  new TransactionCanceledException({
    message: 'cancelled',
    $metadata: {},
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  })

/** A store that refuses so many transactions for others, and how long each next try waited. */
function heldStore(refusals: number) {
  let calls = 0
  const pauses: number[] = []
  const send = async () => {
    calls += 1
    if (calls <= refusals) throw conflict()
    return {}
  }
  const write = () =>
    transact(
      { send } as unknown as DynamoDBDocumentClient,
      [{ Put: { TableName: 'incidents', Item: { pk: 'a', sk: 'b' } } }],
      async (ms) => pauses.push(ms),
    )
  return { write, pauses, calls: () => calls }
}

describe('a transaction that meets others', () => {
  it('is written though nine tries met them, and no pause is longer than 320 ms', async () => {
    const store = heldStore(9)
    await expect(store.write()).resolves.toEqual({ written: true })
    const longest = [20, 40, 80, 160, 320, 320, 320, 320, 320]
    expect(store.pauses).toHaveLength(longest.length)
    for (const [index, pause] of store.pauses.entries()) {
      expect(pause).toBeLessThanOrEqual(longest[index] ?? 0)
      expect(pause).toBeGreaterThanOrEqual((longest[index] ?? 0) / 2)
    }
  })

  it('fails as the store said after ten tries, and makes no eleventh', async () => {
    const store = heldStore(Infinity)
    await expect(store.write()).rejects.toBeInstanceOf(TransactionCanceledException)
    expect([store.calls(), store.pauses.length]).toEqual([10, 9])
  })
})
