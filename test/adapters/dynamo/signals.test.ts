import { gzipSync } from 'node:zlib'
import { PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { signalKeeper } from '#shared/adapters/dynamo/signal-keeper.ts'
import { signalReader } from '#shared/adapters/dynamo/signal-reader.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { FoundSignals } from '#shared/domain/ports.ts'
import { type SignalBatch, spanOf } from '#shared/domain/signals.ts'
import { countCalls } from '#test/storage/count-calls.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { itemBytes } from '#test/storage/item-bytes.ts'

const NOON = Date.UTC(2026, 0, 31, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY_S = 86_400

let store: TestStore
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store.stop())

const TableName = () => store.names.signals
const items = async () =>
  (await store.client.send(new ScanCommand({ TableName: TableName(), ConsistentRead: true }))).Items ?? []
afterEach(async () => {
  // What one test pushed has run out for the next.
  for (const { pk, sk } of await items()) await expire(pk, sk)
})
const expire = (pk: string, sk: string, expires_at_s = 1) =>
  store.client.send(
    new UpdateCommand({
      TableName: TableName(),
      Key: { pk, sk },
      UpdateExpression: 'SET expires_at_s = :at',
      ExpressionAttributeValues: { ':at': expires_at_s },
    }),
  )

const line = (at: number, message = 'refused') => ({
  timestamp: writeInstant(at),
  service: 'checkout',
  severity: 'error',
  message,
})
const push = (records: SignalBatch, now = NOON) => {
  const span = spanOf(records)
  if (span === null) throw new Error('the batch tells of no time')
  return signalKeeper(store.client, TableName()).keep({ records, span }, now)
}
const read = (from: number, to: number, now = NOON, limits?: { pages: number; bytes: number }) =>
  signalReader(store.client, TableName(), limits).read([{ from, to }], now, new AbortController().signal)
const messages = ({ batches }: FoundSignals) =>
  batches.flatMap(({ logs }) => logs.map(({ message }) => message))

describe('a batch', () => {
  it('is read as it was pushed, decoded, by the next read', async () => {
    const values = [0.1, null, 0.3]
    const records = {
      changes: [
        {
          id: 'deploy-1',
          kind: 'deploy',
          recorded_at: '2026-01-31T11:58:00Z',
          effective_at: { from: '2026-01-31T11:58:00Z', to: '2026-01-31T11:59:00Z' },
        },
      ],
      series: [
        {
          entity: 'checkout',
          name: 'errors',
          type: 'gauge',
          t0: '2026-01-31T11:57:00Z',
          interval_s: 60,
          values,
        },
      ],
      logs: [line(NOON - MINUTE)],
      spans: [
        {
          trace_id: 't',
          span_id: 's',
          parent_id: null,
          service: 'checkout',
          name: 'pay',
          start: '2026-01-31T11:59:00.000001Z',
          duration_us: 1_500,
          status: 'error',
        },
      ],
      edges: [{ caller: 'web', callee: 'checkout', t0: '2026-01-31T11:59:00Z', interval_s: 60, failed: 3 }],
      events: [{ timestamp: '2026-01-31T11:59:30Z', resource: 'db', kind: 'failover', message: 'done' }],
    }
    await push(records)
    const { batches, cut, unread, digest } = await read(NOON - HOUR, NOON)
    expect({ cut, unread }).toEqual({ cut: false, unread: 0 })
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
    const start = NOON - 3 * MINUTE
    expect(batches).toEqual([
      {
        changes: [
          {
            ...records.changes[0],
            recorded_at: NOON - 2 * MINUTE,
            effective_at: { from: NOON - 2 * MINUTE, to: NOON - MINUTE },
          },
        ],
        series: [
          {
            entity: 'checkout',
            name: 'errors',
            labels: {},
            type: 'gauge',
            interval_s: 60,
            times: Float64Array.of(start, start + MINUTE, start + 2 * MINUTE),
            values: Float64Array.of(0.1, Number.NaN, 0.3),
          },
        ],
        logs: [{ ...records.logs[0], timestamp: NOON - MINUTE }],
        spans: [{ ...records.spans[0], start: NOON - MINUTE + 0.001 }],
        edges: [{ ...records.edges[0], t0: NOON - MINUTE }],
        events: [{ ...records.events[0], timestamp: NOON - MINUTE / 2 }],
      },
    ])
  })

  it('is one write and one item that is kept for 30 days, packed', async () => {
    const calls = countCalls(store.client)
    const logs = Array.from({ length: 1_000 }, (_, index) => line(NOON + index, `refused ${'x'.repeat(100)}`))
    await push({ logs })
    expect(calls.names()).toEqual(['PutItem'])
    const [item, ...others] = (await items()).filter(({ expires_at_s }) => expires_at_s > 1)
    expect(others).toEqual([])
    expect(item?.expires_at_s).toBe(NOON / 1_000 + 30 * DAY_S)
    expect(itemBytes(item ?? {})).toBeLessThan(30_000)
  })

  it('sent again changes nothing, however its members are ordered', async () => {
    await push({ logs: [line(NOON)], changes: [] })
    const before = await items()
    await push({ changes: [], logs: [line(NOON)] }, NOON + HOUR)
    await Promise.all([1, 2, 3].map(() => push({ logs: [line(NOON)], changes: [] }, NOON + HOUR)))
    expect(await items()).toEqual(before)
  })

  it('that has run out is read no more, though it still lies there, and may be pushed anew', async () => {
    await push({ logs: [line(NOON, 'once')] })
    const later = NOON + 30 * DAY_S * 1_000
    expect(messages(await read(NOON - HOUR, NOON + HOUR, later - 1_000))).toEqual(['once'])
    expect(messages(await read(NOON - HOUR, NOON + HOUR, later))).toEqual([])
    await push({ logs: [line(NOON, 'once')] }, later)
    expect(messages(await read(NOON - HOUR, NOON + HOUR, later + 1_000))).toEqual(['once'])
  })

  it('of which a record cannot be read, as one of another version, gives the others and counts it', async () => {
    const records = JSON.stringify({ logs: [{ text: 'unknown' }, line(NOON, 'known')], spans: 'none' })
    await store.client.send(
      new PutCommand({
        TableName: TableName(),
        Item: {
          pk: 'SIGNALS#SHORT',
          sk: `${String(NOON).padStart(15, '0')}#${'f'.repeat(64)}`,
          until: NOON,
          pushed_at: NOON,
          bytes: records.length,
          records: gzipSync(records),
          expires_at_s: NOON / 1_000 + 60,
        },
      }),
    )
    const found = await read(NOON - HOUR, NOON + HOUR)
    expect(messages(found)).toEqual(['known'])
    expect(found.unread).toBe(1)
  })
})

describe('a window', () => {
  it.each([
    ['begins before it and reaches into it', -50, 10, true],
    ['lies in it', 10, 20, true],
    ['is longer than it', -300, 300, true],
    ['is far longer than it', -60 * 24 * 20, 60 * 24, true],
    ['begins in its last minute', 59, 59, true],
    ['ends before it', -50, -1, false],
    ['is long and ends before it', -60 * 24 * 20, -1, false],
    ['begins at its end', 61, 70, false],
  ])('finds a batch that %s: %i to %i min', async (message, from, to, isFound) => {
    await push({ logs: [line(NOON + from * MINUTE, message), line(NOON + to * MINUTE, message)] })
    const found = messages(await read(NOON, NOON + HOUR))
    expect(found).toEqual(isFound ? [message, message] : [])
  })

  it('beside another one gives a batch that both touch once, and batches in the order of their pushing', async () => {
    await push({ logs: [line(NOON + 30 * MINUTE, 'second')] }, NOON + 2)
    await push({ logs: [line(NOON + 10 * MINUTE, 'third')] }, NOON + 3)
    await push({ logs: [line(NOON + 50 * MINUTE, 'first'), line(NOON + 70 * MINUTE, 'first')] }, NOON + 1)
    const windows = [
      { from: NOON, to: NOON + HOUR },
      { from: NOON + HOUR + 1, to: NOON + 2 * HOUR },
    ]
    const calls = countCalls(store.client)
    const found = await signalReader(store.client, TableName()).read(
      windows,
      NOON,
      new AbortController().signal,
    )
    expect(messages(found)).toEqual(['first', 'first', 'second', 'third'])
    // One for each window, and one for batches of a long span.
    expect(calls.names()).toEqual(['Query', 'Query', 'Query'])
  })
})

describe('more than one read takes', () => {
  it('is cut: what begins last is read, and the cut is told', async () => {
    for (const [minute, message] of ['old', 'middle', 'new'].entries())
      await push({ logs: [line(NOON + minute * MINUTE, message)] })
    const found = await read(NOON, NOON + HOUR, NOON, { pages: 8, bytes: 250 })
    expect(messages(found)).toEqual(['middle', 'new'])
    expect(found.cut).toBe(true)
  })

  it('of pages is cut too', async () => {
    // Random letters hardly pack: four batches are more than one page of 1 MB.
    for (let batch = 0; batch < 6; batch += 1) {
      const message = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')
      await push({
        logs: Array.from({ length: 3 }, (_, index) =>
          line(
            NOON + batch * MINUTE + index,
            Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64'),
          ),
        ).concat(line(NOON + batch * MINUTE, message)),
      })
    }
    const whole = await read(NOON, NOON + HOUR)
    expect([whole.batches.length, whole.cut]).toEqual([6, false])
    const part = await read(NOON, NOON + HOUR, NOON, { pages: 1, bytes: 1e9 })
    expect(part.cut).toBe(true)
    expect(part.batches.length).toBeGreaterThan(0)
    expect(part.batches.length).toBeLessThan(6)
  })
})

describe('a read that is told to stop', () => {
  it('rejects', async () => {
    await push({ logs: [line(NOON)] })
    const reading = signalReader(store.client, TableName()).read(
      [{ from: NOON, to: NOON + HOUR }],
      NOON,
      AbortSignal.abort(),
    )
    await expect(reading).rejects.toThrow(/abort/i)
  })
})
