import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb'
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import { type Claim, ClaimTaken } from '../../domain/repeat.ts'

/** Milliseconds to let pass; tests pass one that does not. */
export type Pause = (milliseconds: number) => Promise<unknown>

/**
 * Tries of a write that others get in the way of; the SDK itself does not repeat these. Enough for six writers of one
 * item whose transactions take a fifth of a second each; all pauses together are at most 1.9 s.
 */
const MOST_TRIES = 10
/** First pause, doubled each time up to the longest, with jitter half to all of it. */
const FIRST_PAUSE_MS = 20
/** No pause is longer: a writer that came early would else wait while later ones get through. */
const LONGEST_PAUSE_MS = 320

/** What a request that may be repeated makes, and its claim. */
export interface Made {
  readonly claim: Claim
  readonly resource: string
}

/** What a store that may have a claim makes. */
export const madeBy = (claim: Claim | undefined, resource: string): Made | undefined =>
  claim === undefined ? undefined : { claim, resource }

export type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>

/**
 * How a transaction ended: written, or the places of the items whose condition did not hold, and of those among them
 * that the store showed, where it was asked to.
 */
export type Outcome =
  | { readonly written: true }
  | { readonly written: false; readonly failed: readonly number[]; readonly found: readonly number[] }

/** Pauses before try number `tries` + 1 of a write that met another one. */
const backOff = (tries: number, pause: Pause): Promise<unknown> =>
  pause(Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2))

/** Only conflicts with other writes of the same items, throttling: the same transaction may well succeed later. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded', 'None'])

/** True for a transaction that was cancelled only because others write the same items, or too much is written. */
export const metOthers = (error: unknown): boolean => {
  if (!(error instanceof TransactionCanceledException)) return false
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None')
  return codes.length > 0 && codes.every((code) => PASSING.has(code))
}

/**
 * Writes all items or none, and with a claim the record that the request is done. One token for all tries, so that a try whose answer got lost is not written twice; tries
 * that met other writes of the same items are repeated.
 * @throws ClaimTaken when another try of the request has been done, or is still being written after all tries;
 * TransactionCanceledException when it is cancelled for any other reason than a condition, or keeps meeting other writes
 */
export async function transact(
  client: DynamoDBDocumentClient,
  items: TransactItems,
  pause: Pause = wait,
  made?: Made,
  mostTries = MOST_TRIES,
): Promise<Outcome> {
  const all =
    made === undefined ? items : [...items, made.claim.recording(made.resource) as TransactItems[number]]
  const command = () => new TransactWriteCommand({ TransactItems: all, ClientRequestToken: token })
  const token = randomUUID()
  for (let tries = 0; ; tries += 1) {
    try {
      await client.send(command())
      return { written: true }
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error
      const reasons = error.CancellationReasons ?? []
      const codes = reasons.map((reason) => reason.Code ?? 'None')
      const failed = codes.flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []))
      if (failed.includes(items.length)) throw new ClaimTaken()
      if (failed.length > 0)
        return { written: false, failed, found: failed.filter((index) => reasons[index]?.Item !== undefined) }
      if (metOthers(error) && tries + 1 < mostTries) await backOff(tries, pause)
      // What still writes the record of this request is another try of it.
      else throw codes[items.length] === 'TransactionConflict' ? new ClaimTaken() : error
    }
  }
}

/** Runs a write of one item, again while a transaction holds the item. */
export async function unlessHeld<Result>(write: () => Promise<Result>, pause: Pause = wait): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || tries + 1 >= MOST_TRIES) throw error
      await backOff(tries, pause)
    }
  }
}

/**
 * Runs a conditional write of one item, again while a transaction holds the item.
 * @returns what the write gave, or nothing when its condition did not hold
 */
export async function conditional<Result>(
  write: () => Promise<Result>,
  pause: Pause = wait,
): Promise<Result | undefined> {
  try {
    return await unlessHeld(write, pause)
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined
    throw error
  }
}
