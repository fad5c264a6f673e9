import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countCalls } from './count-calls.ts'
import { startTestStore, type TestStore } from './emulator.ts'

let store: TestStore
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store.stop())

test('calls are counted under the names that the operations table uses', async () => {
  const client = store.connect()
  const calls = countCalls(client)
  const TableName = store.names.keys
  await client.send(new GetCommand({ TableName, Key: { pk: 'a' } }))
  await client.send(new UpdateCommand({ TableName, Key: { pk: 'a' } }))
  await client.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item: { pk: 'b' } } }] }))
  expect(calls.names()).toEqual(['GetItem', 'UpdateItem', 'TransactWriteItems'])
  expect(calls.attempts()).toBe(3)
  calls.reset()
  expect(calls.names()).toEqual([])
})
