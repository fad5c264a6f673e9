import { randomUUID } from 'node:crypto'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repeatStore } from '#shared/adapters/dynamo/repeats.ts'
import { transact } from '#shared/adapters/dynamo/transact.ts'
import { ClaimTaken, type Done, REPEAT_MS, type Repeatable } from '#shared/domain/repeat.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { faultLayer } from '#test/storage/fault-layer.ts'

let store: TestStore
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store.stop())

const NOW = Date.UTC(2026, 0, 31, 12)
const LEASE = 28_000
const pause = async () => undefined
const repeatsOf = (client = store.client) =>
  repeatStore({ client, table: store.names.webhooks, sort: true, pause })
const request = (change: Partial<Repeatable> = {}): Repeatable => ({
  caller: 'key_1',
  route: 'create-webhook  ',
  key: randomUUID(),
  says: { url: 'https://example.com', secret: 'hush' },
  ...change,
})

/** Writes a resource with a claim, as the stores do. */
const write = (given: Repeatable, now: number, resource = `wh_${randomUUID()}`) => {
  const claim = repeatsOf().claim(given, 201, now)
  const Item = { pk: `MADE#${resource}`, sk: 'MADE' }
  return transact(store.client, [{ Put: { TableName: store.names.webhooks, Item } }], pause, {
    claim,
    resource,
  })
}
const isWritten = async (resource: string) =>
  await store.client
    .send(new GetCommand({ TableName: store.names.webhooks, Key: { pk: `MADE#${resource}`, sk: 'MADE' } }))
    .then(({ Item }) => Item !== undefined)

describe('a request with a key', () => {
  it('is new until what it makes is written, and from then on known for a day by what it came to', async () => {
    const given = request()
    expect(await repeatsOf().find(given, NOW)).toBeUndefined()
    await write(given, NOW, 'wh_1')
    const done = { state: 'done', status: 201, resource: 'wh_1', at: NOW, result: null }
    for (const later of [0, 1, REPEAT_MS - 1])
      expect(await repeatsOf().find(given, NOW + later)).toEqual(done)
    expect(await repeatsOf().find(given, NOW + REPEAT_MS)).toBeUndefined()
  })

  it('is written once: a second write of it writes nothing at all', async () => {
    const given = request()
    await write(given, NOW, 'wh_2')
    await expect(write(given, NOW + REPEAT_MS - 1, 'wh_3')).rejects.toThrow(ClaimTaken)
    expect([await isWritten('wh_2'), await isWritten('wh_3')]).toEqual([true, false])
  })

  it('may be written anew when its day is over, though its record is still there', async () => {
    const given = request()
    await write(given, NOW, 'wh_4')
    await write(given, NOW + REPEAT_MS, 'wh_5')
    expect(await repeatsOf().find(given, NOW + REPEAT_MS)).toMatchObject({ resource: 'wh_5' })
  })

  it('that several try at once is written by one of them', async () => {
    const given = request()
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => write(given, NOW)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of tries) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ClaimTaken)
  })

  const cancelled = (...codes: string[]) => {
    const error = new TransactionCanceledException({ message: '', $metadata: {} })
    error.CancellationReasons = codes.map((Code) => ({ Code }))
    return { send: () => Promise.reject(error) } as unknown as DynamoDBDocumentClient
  }

  it('that another try of the request keeps writing is taken, not a failure of the store', async () => {
    const made = { claim: repeatsOf().claim(request(), 201, NOW), resource: 'wh_6' }
    const written = (...codes: string[]) => transact(cancelled(...codes), [{}], pause, made)
    await expect(written('None', 'TransactionConflict')).rejects.toThrow(ClaimTaken)
    await expect(written('TransactionConflict', 'TransactionConflict')).rejects.toThrow(ClaimTaken)
    // Others write the resource, or too much is written: nobody has the claim.
    for (const code of ['TransactionConflict', 'ThrottlingError'])
      await expect(written(code, 'None')).rejects.toThrow(TransactionCanceledException)
    await expect(transact(cancelled('TransactionConflict'), [{}], pause)).rejects.toThrow(
      TransactionCanceledException,
    )
  })

  it('is another one for another caller, another route and another key', async () => {
    const given = request()
    await write(given, NOW)
    for (const other of [{ caller: 'key_2' }, { route: 'create-webhook wh_1 ' }, { key: `${given.key} ` }])
      expect(await repeatsOf().find({ ...given, ...other }, NOW)).toBeUndefined()
  })

  it('is the same one in whatever order its body names its fields, and another with another body', async () => {
    const given = request({ says: { a: 1, b: { c: [1, 2], d: null } } })
    await write(given, NOW)
    const found = (says: unknown) => repeatsOf().find({ ...given, says }, NOW)
    expect(await found({ b: { d: null, c: [1, 2] }, a: 1 })).toMatchObject({ state: 'done' })
    for (const says of [
      { a: 1 },
      { a: 1, b: { c: [2, 1], d: null } },
      null,
      { a: '1', b: { c: [1, 2], d: null } },
    ])
      expect(await found(says)).toEqual({ state: 'other' })
  })

  it('leaves neither its key nor its body behind, nor a digest that somebody could try bodies against', async () => {
    const given = request()
    await write(given, NOW)
    await repeatsOf().begin(request(), 200, NOW, NOW + LEASE)
    const { Items } = await store.client.send(new ScanCommand({ TableName: store.names.webhooks }))
    const text = JSON.stringify(Items)
    expect(text).toContain('REPEAT#')
    for (const secret of [given.key, 'hush', 'example.com']) expect(text).not.toContain(secret)
    const { digestOf } = await import('#shared/adapters/digest.ts')
    expect(text).not.toContain(digestOf(given.says))
  })

  it('ends by TTL, never before its day is over', async () => {
    const given = request()
    await write(given, NOW + 1)
    const { Items = [] } = await store.client.send(new ScanCommand({ TableName: store.names.webhooks }))
    const records = Items.filter(({ pk }) => String(pk).startsWith('REPEAT#'))
    expect(records.length).toBeGreaterThan(0)
    for (const { expires_at_s, until } of records) {
      expect(expires_at_s * 1_000).toBeGreaterThanOrEqual(until)
      expect(expires_at_s * 1_000).toBeLessThan(until + 1_000)
    }
  })
})

describe('long work', () => {
  it('is under way for others until its lease is over, and then free', async () => {
    const given = request()
    const begun = await repeatsOf().begin(given, 200, NOW, NOW + LEASE)
    expect(begun).toHaveProperty('claim')
    for (const now of [NOW, NOW + LEASE - 1])
      expect(await repeatsOf().begin(given, 200, now, now + LEASE)).toEqual({
        earlier: { state: 'under_way' },
      })
    const other = { ...given, says: 'another body' }
    expect(await repeatsOf().begin(other, 200, NOW, NOW + LEASE)).toEqual({ earlier: { state: 'other' } })
    expect(await repeatsOf().begin(given, 200, NOW + LEASE, NOW + 2 * LEASE)).toHaveProperty('claim')
  })

  it('is begun by one of several that begin it at once', async () => {
    const given = request()
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => repeatsOf().begin(given, 200, NOW, NOW + LEASE)),
    )
    expect(begun.filter((each) => 'claim' in each)).toHaveLength(1)
  })

  it('that is done answers what it came to; that lost its right does nothing', async () => {
    const given = request()
    const first = await repeatsOf().begin(given, 200, NOW, NOW + LEASE)
    const second = await repeatsOf().begin(given, 200, NOW + LEASE, NOW + 2 * LEASE)
    if (!('claim' in first && 'claim' in second)) throw new Error('not begun')
    await expect(repeatsOf().finish(first.claim, 'evt_1', '{}')).rejects.toThrow(ClaimTaken)
    await repeatsOf().finish(second.claim, 'evt_2', '{"a":1}')
    // What comes too late takes nothing back.
    await repeatsOf().release(first.claim)
    await repeatsOf().release(second.claim)
    expect(await repeatsOf().begin(given, 200, NOW + 2 * LEASE, NOW + 3 * LEASE)).toEqual({
      earlier: { state: 'done', status: 200, resource: 'evt_2', at: NOW + LEASE, result: '{"a":1}' },
    })
  })

  it('that failed is free at once', async () => {
    const given = request()
    const begun = await repeatsOf().begin(given, 200, NOW, NOW + LEASE)
    if (!('claim' in begun)) throw new Error('not begun')
    await repeatsOf().release(begun.claim)
    expect(await repeatsOf().begin({ ...given, says: 'other' }, 200, NOW, NOW + LEASE)).toHaveProperty(
      'claim',
    )
  })

  it.each([1, 2, 3])('knows its own writes when their answers got lost: call %i', async (call) => {
    const client = store.connect()
    const faults = faultLayer(client)
    faults.at(call, 'answered_twice')
    const given = request()
    const begun = await repeatsOf(client).begin(given, 200, NOW, NOW + LEASE)
    if (!('claim' in begun)) throw new Error('not begun')
    if (call === 3) {
      await repeatsOf(client).find(given, NOW)
      await repeatsOf(client).release(begun.claim)
      expect(await repeatsOf().find(given, NOW)).toBeUndefined()
    } else {
      await repeatsOf(client).finish(begun.claim, 'evt_1', '{}')
      expect(await repeatsOf().find(given, NOW)).toMatchObject({ state: 'done', resource: 'evt_1' })
    }
    expect(faults.met).toHaveLength(1)
  })
})

describe('whatever happens, in whatever order', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        step: fc.constant('wait' as const),
        ms: fc.constantFrom(1, LEASE, REPEAT_MS - LEASE, REPEAT_MS),
      }),
      fc.record({
        step: fc.constantFrom('begin' as const, 'finish' as const, 'release' as const, 'find' as const),
        says: fc.constantFrom('a', 'b'),
      }),
    ),
    { maxLength: 12 },
  )

  it('a request is done once a day, and told alike to all who ask', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        runs += 1
        const key = `run ${runs} ${randomUUID()}`
        const repeats = repeatsOf()
        let now = NOW
        /** What the record should say. */
        let model: { says: string; until: number; lease: number | null; done: Done | null } | undefined
        const held: { claim: Parameters<typeof repeats.finish>[0]; says: string; live: () => boolean }[] = []
        const vacant = () =>
          model === undefined || model.until <= now || (model.lease !== null && model.lease <= now)
        const told = (says: string) => {
          if (model === undefined || vacant()) return undefined
          if (model.says !== says) return { state: 'other' }
          return model.done === null ? { state: 'under_way' } : { state: 'done', ...model.done }
        }
        for (const each of taken) {
          if (each.step === 'wait') {
            now += each.ms
            continue
          }
          const given = request({ key, says: each.says })
          if (each.step === 'find') expect(await repeats.find(given, now)).toEqual(told(each.says))
          else if (each.step === 'begin') {
            const expected = told(each.says)
            const begun = await repeats.begin(given, 200, now, now + LEASE)
            if (expected !== undefined) expect(begun).toEqual({ earlier: expected })
            else {
              if (!('claim' in begun)) throw new Error(`not begun: ${JSON.stringify(begun)}`)
              const mine = { says: each.says, until: now + REPEAT_MS, lease: now + LEASE, done: null }
              model = mine
              held.push({ claim: begun.claim, says: each.says, live: () => model === mine })
            }
          } else {
            const last = held.pop()
            if (last === undefined) continue
            if (each.step === 'release') {
              await repeats.release(last.claim)
              if (last.live()) model = undefined
            } else if (last.live()) {
              await repeats.finish(last.claim, 'evt_1', 'r')
              model = {
                says: last.says,
                until: last.claim.at + REPEAT_MS,
                lease: null,
                done: { status: 200, resource: 'evt_1', at: last.claim.at, result: 'r' },
              }
            } else await expect(repeats.finish(last.claim, 'evt_2', 'r')).rejects.toThrow(ClaimTaken)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})
