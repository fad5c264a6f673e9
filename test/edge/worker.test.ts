import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda'
import { ulid } from 'ulid'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StoredChange } from '#shared/domain/due-incident.ts'
import { queueWorker, scheduledWorker, streamWorker } from '#shared/edge/worker.ts'
import { contextOf } from './call-endpoint.ts'

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})

const id = () => `inc_${ulid(1)}`
const queued = (...bodies: string[]) =>
  ({ Records: bodies.map((body, index) => ({ body, messageId: `message-${index}` })) }) as SQSEvent

describe('a queue worker', () => {
  it('names the messages that failed and no others', async () => {
    const [bad, good] = [id(), id()]
    const done: string[] = []
    const worker = queueWorker('worker', async ({ incident_id }) => {
      if (incident_id === bad) throw new Error('no')
      done.push(incident_id)
    })
    const bodies = [bad, good].map((incident_id) => JSON.stringify({ incident_id }))
    const answer = await worker(
      queued(...bodies, 'no JSON', '{}', '{"incident_id":"x"}', 'null'),
      contextOf(),
    )
    expect(done).toEqual([good])
    expect(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual([
      'message-0',
      'message-2',
      'message-3',
      'message-4',
      'message-5',
    ])
  })

  it('tells the work how long it may still run', async () => {
    let told = 0
    const worker = queueWorker('worker', async (_message, { remaining }) => {
      told = remaining()
    })
    await worker(queued(JSON.stringify({ incident_id: id() })), contextOf(4_321))
    expect(told).toBe(4_321)
  })
})

describe('a stream worker', () => {
  const event = {
    Records: [
      {
        dynamodb: {
          SequenceNumber: '1',
          NewImage: { sk: { S: 'INCIDENT' }, due_at: { N: '12' }, seen: { BOOL: true } },
        },
      },
      { dynamodb: { SequenceNumber: '2', OldImage: { sk: { S: 'INCIDENT' } } } },
    ],
  } as unknown as DynamoDBStreamEvent

  it('hands over what each item was and is, with numbers as numbers', async () => {
    let got: readonly StoredChange[] = []
    const answer = await streamWorker('relay', async (changes) => {
      got = changes
    })(event)
    expect(got).toEqual([
      { before: null, after: { sk: 'INCIDENT', due_at: 12 } },
      { before: { sk: 'INCIDENT' }, after: null },
    ])
    expect(answer).toEqual({ batchItemFailures: [] })
  })

  it('throws what failed, so that the stream halves the batch', async () => {
    const failing = streamWorker('relay', async () => {
      throw new Error('queue is away')
    })
    await expect(failing(event)).rejects.toThrow('queue is away')
  })
})

describe('a scheduled worker', () => {
  it('says how many it rang for', async () => {
    expect(await scheduledWorker('sweep', async () => 3)()).toEqual({ rung: 3 })
  })
})
