import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Sent } from '../domain/alerts/alert.ts'
import { readSent } from '../domain/alerts/read-sent.ts'
import { type AlertMessage, PORTION_MS } from '../domain/alerts/take-alerts.ts'
import type { SignalBatch } from '../domain/signals.ts'
import { log } from './log.ts'

/** What a message of the queue means: to whom, and what is to be done once it was taken in. */
export interface MessageMeaning {
  /** One for each integration that it concerns; none for a message that was taken in before. */
  readonly sent: readonly Sent[]
  readonly letGo?: (() => Promise<unknown>) | undefined
}

/** What the worker needs from the composition root. */
export interface AlertWork {
  /**
   * What reads the messages of one batch. An event of AWS is a message of each integration that it concerns.
   * @returns a function that throws for a text that is no message of a tool
   */
  readonly reader: () => (text: string) => Promise<MessageMeaning>
  /** @returns ids of the messages that were not taken whole */
  readonly take: (
    messages: readonly AlertMessage[],
    report: (error: unknown) => void,
    remaining: () => number,
  ) => Promise<ReadonlySet<string>>
  readonly keep: (signals: SignalBatch) => Promise<unknown>
}

/** Alerts that are read before they are taken in: a batch of large messages would not fit into memory at once. */
const MOST_READ = 1_000

/** The type of an integration, which its id begins with. */
const typeOf = (integrationId: string): string => integrationId.slice(0, integrationId.lastIndexOf('_'))

const isEmpty = (signals: SignalBatch): boolean =>
  Object.values(signals).every((records) => records === undefined || records.length === 0)

/** A message that was read and is not taken in yet. */
interface Read {
  readonly message: AlertMessage
  readonly letGo: MessageMeaning['letGo']
}

/** One batch on its way, in as few parts as fit into memory. */
class Batch {
  readonly failed = new Set<string>()
  alerts = 0
  leftOut = 0
  readonly #name: string
  readonly #work: AlertWork
  readonly #remaining: () => number
  readonly #read: (text: string) => Promise<MessageMeaning>
  #waiting: Read[] = []

  constructor(name: string, work: AlertWork, remaining: () => number) {
    this.#name = name
    this.#work = work
    this.#remaining = remaining
    this.#read = work.reader()
  }

  #report(error: unknown, message_id?: string): void {
    log('error', 'batch_item_failed', { worker: this.#name, message_id }, error)
  }

  /** Reads a message. What cannot be read, or no longer fits into the time, is given back. */
  async read(id: string, text: string): Promise<void> {
    try {
      if (this.#remaining() < PORTION_MS) throw new Error('too little time is left')
      const { sent, letGo } = await this.#read(text)
      const readings = sent.map((each) => readSent(typeOf(each.integration_id), each))
      this.leftOut += readings.reduce((sum, { left_out }) => sum + left_out.length, 0)
      // The same for each that an event concerns: it is kept once.
      const [first] = readings
      if (first !== undefined && !isEmpty(first.signals)) await this.#work.keep(first.signals)
      this.#waiting.push({ message: { id, alerts: readings.flatMap(({ alerts }) => alerts) }, letGo })
    } catch (error) {
      this.#report(error, id)
      this.failed.add(id)
    }
    if (this.#waiting.reduce((sum, { message }) => sum + message.alerts.length, 0) >= MOST_READ)
      await this.take()
  }

  /** Takes in what was read, and then lets its bodies go. */
  async take(): Promise<void> {
    const read = this.#waiting.splice(0)
    const messages = read.map(({ message }) => message)
    this.alerts += messages.reduce((sum, { alerts }) => sum + alerts.length, 0)
    const report = (error: unknown): void => this.#report(error)
    for (const id of await this.#work.take(messages, report, this.#remaining)) this.failed.add(id)
    // A body that stays is ended by the bucket: the message was taken in all the same.
    for (const { message, letGo } of read) if (!this.failed.has(message.id)) await letGo?.().catch(report)
  }
}

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
    const batch = new Batch(name, work, () => context.getRemainingTimeInMillis())
    for (const { body, messageId } of Records) await batch.read(messageId, body)
    await batch.take()
    const { alerts, failed, leftOut } = batch
    log('info', 'worker_finished', {
      worker: name,
      items: Records.length,
      failed: failed.size,
      alerts,
      left_out: leftOut,
    })
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) }
  }
}
