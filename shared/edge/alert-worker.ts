import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Sent } from '../domain/alerts/alert.ts'
import { readSent } from '../domain/alerts/read-sent.ts'
import type { AlertMessage } from '../domain/alerts/take-alerts.ts'
import type { SignalBatch } from '../domain/signals.ts'
import { log } from './log.ts'

/** What the worker needs from the composition root. */
export interface AlertWork {
  /**
   * What reads the messages of one batch. An event of AWS is a message of each integration that it concerns.
   * @returns a function that throws for a text that is no message of a tool
   */
  readonly reader: () => (text: string) => Promise<readonly Sent[]>
  /** @returns ids of the messages that were not taken whole */
  readonly take: (
    messages: readonly AlertMessage[],
    report: (error: unknown) => void,
    remaining: () => number,
  ) => Promise<ReadonlySet<string>>
  readonly keep: (signals: SignalBatch) => Promise<unknown>
}

/** The type of an integration, which its id begins with. */
const typeOf = (integrationId: string): string => integrationId.slice(0, integrationId.lastIndexOf('_'))

const isEmpty = (signals: SignalBatch): boolean =>
  Object.values(signals).every((records) => records === undefined || records.length === 0)

/**
 * Makes the handler of the queue of what tools send. A batch is read, and its alerts are taken in together; a message
 * that fails is named in the answer, so that the queue gives only that one again.
 */
export function alertWorker(
  name: string,
  workOf: () => AlertWork,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  let work: AlertWork | undefined
  return async ({ Records }, context) => {
    work ??= workOf()
    const failed = new Set<string>()
    const messages: AlertMessage[] = []
    const read = work.reader()
    let leftOut = 0
    for (const { body, messageId } of Records) {
      try {
        const readings = (await read(body)).map((sent) => readSent(typeOf(sent.integration_id), sent))
        leftOut += readings.reduce((sum, { left_out }) => sum + left_out.length, 0)
        // The same for each that an event concerns: it is kept once.
        const [first] = readings
        if (first !== undefined && !isEmpty(first.signals)) await work.keep(first.signals)
        messages.push({ id: messageId, alerts: readings.flatMap(({ alerts }) => alerts) })
      } catch (error) {
        log('error', 'batch_item_failed', { worker: name, message_id: messageId }, error)
        failed.add(messageId)
      }
    }
    const report = (error: unknown): void => log('error', 'batch_item_failed', { worker: name }, error)
    for (const id of await work.take(messages, report, () => context.getRemainingTimeInMillis()))
      failed.add(id)
    log('info', 'worker_finished', {
      worker: name,
      items: Records.length,
      failed: failed.size,
      alerts: messages.reduce((sum, { alerts }) => sum + alerts.length, 0),
      left_out: leftOut,
    })
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) }
  }
}
