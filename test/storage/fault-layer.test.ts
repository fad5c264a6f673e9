import { GetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countCalls } from './count-calls.ts'
import { startTestStore, type TestStore } from './emulator.ts'
import { type Fault, faultLayer, seededRandom, transactions } from './fault-layer.ts'

let store: TestStore
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store.stop())

const layered = (shared = transactions()) => {
  const client = store.connect()
  return { client, faults: faultLayer(client, shared), counted: countCalls(client) }
}
let TableName: string
let pk: string
let tests = 0
beforeEach(() => {
  TableName = store.names.keys
  tests += 1
  pk = `test ${tests}`
})
const add = () =>
  new UpdateCommand({
    TableName,
    Key: { pk },
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': 1 },
  })
const count = async () =>
  (await store.client.send(new GetCommand({ TableName, Key: { pk }, ConsistentRead: true }))).Item?.n ?? 0

describe('a fault', () => {
  it.each<[Fault, 'first' | 'all', boolean, number]>([
    ['throttled', 'first', true, 1],
    ['throttled', 'all', false, 0],
    ['failing', 'first', true, 1],
    ['failing', 'all', false, 0],
    ['timed_out', 'first', true, 1],
    ['timed_out', 'all', false, 0],
    ['answered_twice', 'all', true, 2],
    ['lost', 'first', true, 2],
    ['lost', 'all', false, 3],
    ['refused', 'all', false, 0],
  ])(
    '%s at %s tries: the caller hears success %s, and it was done %i times',
    async (fault, tries, success, done) => {
      const { client, faults } = layered()
      faults.at(2, fault, tries)
      await client.send(new GetCommand({ TableName, Key: { pk } }))
      const got = await client.send(add()).then(
        () => true,
        () => false,
      )
      expect([got, await count()]).toEqual([success, done])
      expect(faults.met.every(({ call, command }) => call === 2 && command === 'UpdateItem')).toBe(true)
      faults.off()
      await client.send(add())
      expect(await count()).toBe(done + 1)
    },
  )

  it('does not come while the layer is off', async () => {
    const { client, faults } = layered()
    await client.send(add())
    expect([await count(), faults.met]).toEqual([1, []])
  })
})

describe('chance', () => {
  it('gives the same faults for the same seed and others for another', async () => {
    const metWith = async (seed: number) => {
      const { client, faults } = layered()
      faults.randomly(seed, 0.5)
      for (let index = 0; index < 20; index += 1) await client.send(add()).catch(() => undefined)
      return faults.met
    }
    const first = await metWith(7)
    expect(first.length).toBeGreaterThan(5)
    expect(await metWith(7)).toEqual(first)
    expect(await metWith(8)).not.toEqual(first)
  })

  it('is even', () => {
    const random = seededRandom(1)
    const values = Array.from({ length: 10_000 }, random)
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true)
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.5, 1)
  })
})

describe('two writes at once', () => {
  const transaction = (...keys: string[]) =>
    new TransactWriteCommand({
      TransactItems: keys.map((key) => ({ Put: { TableName, Item: { pk: key } } })),
    })

  it('conflict when they are transactions that share an item, over clients too, and say which', async () => {
    const shared = transactions()
    const [one, other] = [layered(shared), layered(shared)]
    const both = await Promise.allSettled([
      one.client.send(transaction(`${pk} a`, `${pk} b`)),
      other.client.send(transaction(`${pk} c`, `${pk} b`)),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = both.find((each) => each.status === 'rejected')
    const codes = refused?.reason.CancellationReasons.map(({ Code }: { Code: string }) => Code)
    expect(codes).toEqual(['None', 'TransactionConflict'])
    await one.client.send(transaction(`${pk} b`))
  })

  it('conflict when one is a transaction, and not when they share nothing or neither is one', async () => {
    const { client } = layered()
    const put = (key: string) => new PutCommand({ TableName, Item: { pk: key } })
    const [, single] = await Promise.allSettled([
      client.send(transaction(`${pk} a`)),
      client.send(put(`${pk} a`)),
    ])
    expect(single).toMatchObject({ status: 'rejected', reason: { name: 'TransactionConflictException' } })
    await Promise.all([client.send(transaction(`${pk} a`)), client.send(transaction(`${pk} b`))])
    await Promise.all([client.send(put(`${pk} a`)), client.send(put(`${pk} a`))])
  })
})
