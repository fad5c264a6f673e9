import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda'
import type { StoredChange } from '../domain/due-incident.ts'
import { isId } from '../domain/ids.ts'
import { log } from './log.ts'

/** What rings the worker: it says that something about an incident is due, never what. */
interface IncidentCall {
  readonly incident_id: string
}

type AttributeMap = Readonly<Record<string, Readonly<Record<string, unknown>>>>

function readCall(body: string): IncidentCall {
  const value: unknown = JSON.parse(body)
  const id =
    typeof value === 'object' && value !== null && 'incident_id' in value ? value.incident_id : undefined
  if (typeof id !== 'string' || !isId(id, 'inc')) throw new Error('the message is no doorbell')
  return { incident_id: id }
}

/** What a queue's worker knows of the invocation it runs in. */
export interface Invocation {
  /** How long the worker may still run, in milliseconds. */
  remaining(): number
  /** Logs what went wrong without failing the message. */
  report(error: unknown): void
}

/**
 * Makes the handler of a queue's worker. Each message stands alone: one that fails is named in the answer, so that the
 * queue gives only that one again, and after too many times puts it aside.
 */
export function queueWorker(
  name: string,
  work: (call: IncidentCall, invocation: Invocation) => Promise<void>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  return async (event, context) => {
    const batchItemFailures: { itemIdentifier: string }[] = []
    for (const { body, messageId } of event.Records) {
      const invocation = {
        remaining: () => context.getRemainingTimeInMillis(),
        report: (error: unknown) =>
          log('error', 'batch_item_failed', { worker: name, message_id: messageId }, error),
      }
      try {
        await work(readCall(body), invocation)
      } catch (error) {
        log('error', 'batch_item_failed', { worker: name, message_id: messageId }, error)
        batchItemFailures.push({ itemIdentifier: messageId })
      }
    }
    log('info', 'worker_finished', {
      worker: name,
      items: event.Records.length,
      failed: batchItemFailures.length,
    })
    return { batchItemFailures }
  }
}

/** The scalar attributes of a stored item; the relay needs no others. */
function scalars(image: AttributeMap | undefined): StoredChange['after'] {
  if (image === undefined) return null
  const entries = Object.entries(image).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value.S === 'string') return [[name, value.S]]
    return typeof value.N === 'string' ? [[name, Number(value.N)]] : []
  })
  return Object.fromEntries(entries)
}

/**
 * Makes the handler of a table's stream. A batch that fails is thrown, not named record by record: then the stream
 * halves it until the bad record stands alone, and puts that one aside. Naming the first record would give the same
 * batch again and again.
 */
export function streamWorker(
  name: string,
  work: (changes: readonly StoredChange[]) => Promise<void>,
): (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse> {
  return async (event) => {
    const changes = event.Records.map(({ dynamodb }) => ({
      before: scalars(dynamodb?.OldImage as AttributeMap | undefined),
      after: scalars(dynamodb?.NewImage as AttributeMap | undefined),
    }))
    try {
      await work(changes)
    } catch (error) {
      log('error', 'batch_item_failed', { worker: name, items: changes.length }, error)
      throw error
    }
    log('info', 'worker_finished', { worker: name, items: changes.length, failed: 0 })
    return { batchItemFailures: [] }
  }
}

/** Makes the handler of a schedule. @param work returns how many items it rang for */
export function scheduledWorker(name: string, work: () => Promise<number>): () => Promise<{ rung: number }> {
  return async () => {
    const rung = await work()
    log('info', 'worker_finished', { worker: name, items: rung, failed: 0 })
    return { rung }
  }
}
