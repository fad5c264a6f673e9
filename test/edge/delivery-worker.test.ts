import type { SQSEvent } from 'aws-lambda'
import { ulid } from 'ulid'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deliveryWorker } from '#shared/edge/delivery-worker.ts'
import { contextOf } from './call-endpoint.ts'

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})

const webhook_id = `wh_${ulid(1)}`
const delivery_id = `dlv_${ulid(1)}`
const queued = (...bodies: string[]) =>
  ({ Records: bodies.map((body, index) => ({ body, messageId: `message-${index}` })) }) as SQSEvent
const call = (more: object) => JSON.stringify({ webhook_id, due_at: 1_000, ...more })

describe('the worker of deliveries', () => {
  it('tells deliveries from recoveries, and how late each message was taken', async () => {
    const done: unknown[] = []
    const worker = deliveryWorker('worker', () => ({
      now: () => 1_250,
      deliver: async (given, remaining) => {
        done.push(given, remaining())
        return 'delivered'
      },
      recover: async (id) => done.push(`recover ${id}`),
      late: async (late) => void done.push(late),
    }))
    const answer = await worker(queued(call({ delivery_id })), contextOf(4_321))
    expect(done).toEqual([250, { webhook_id, delivery_id }, 4_321])
    await worker(queued(call({})), contextOf())
    expect(done.slice(3)).toEqual([250, `recover ${webhook_id}`])
    expect(answer).toEqual({ batchItemFailures: [] })
  })

  it('works a batch at once, so that one that hangs delays no other', async () => {
    let release = () => {}
    const hanging = new Promise<void>((resolve) => {
      release = resolve
    })
    const done: string[] = []
    const worker = deliveryWorker('worker', () => ({
      now: () => 0,
      deliver: async (given) => {
        if (given.delivery_id === delivery_id) await hanging
        else release()
        done.push(given.delivery_id)
        return 'delivered'
      },
      recover: async () => undefined,
      late: async () => undefined,
    }))
    const other = `dlv_${ulid(2)}`
    await worker(queued(call({ delivery_id }), call({ delivery_id: other })), contextOf())
    expect(done).toEqual([other, delivery_id])
  })

  it('delivers also where nobody can note how late it is, and says so', async () => {
    const lines: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
    const done: string[] = []
    const worker = deliveryWorker('worker', () => ({
      now: () => 0,
      deliver: async (given) => {
        done.push(given.delivery_id)
        return 'delivered'
      },
      recover: async () => undefined,
      late: () => Promise.reject(new Error('throttled')),
    }))
    expect(await worker(queued(call({ delivery_id })), contextOf())).toEqual({ batchItemFailures: [] })
    expect(done).toEqual([delivery_id])
    expect(lines.join()).toContain('lateness_not_noted')
  })

  it('gives back only what failed or is no doorbell', async () => {
    const worker = deliveryWorker('worker', () => ({
      now: () => 0,
      deliver: () => Promise.reject(new Error('the store is away')),
      recover: async () => undefined,
      late: async () => undefined,
    }))
    const bodies = [
      call({}),
      call({ delivery_id }),
      'no JSON',
      '{}',
      'null',
      call({ delivery_id: 'x' }),
      call({ due_at: 'x' }),
    ]
    const { batchItemFailures } = await worker(queued(...bodies), contextOf())
    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => `message-${number}`),
    )
  })
})
