import { randomUUID } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
} from '@aws-sdk/lib-dynamodb'
import {
  type Claim,
  ClaimTaken,
  type Earlier,
  REPEAT_MS,
  type Repeatable,
  type RepeatStore,
} from '../../domain/repeat.ts'
import { digestOf } from '../digest.ts'
import { itemKeys } from './item-keys.ts'
import { conditional, type Pause } from './transact.ts'
import { readWireItem } from './wire-item.ts'

export interface RepeatStoreOptions {
  readonly client: DynamoDBDocumentClient
  /** The table of what the requests make: one transaction, one role. */
  readonly table: string
  /** Whether the table has a sort key. */
  readonly sort: boolean
  readonly pause?: Pause
}

type Item = Readonly<Record<string, unknown>>

/** The record of a request. `lease_until` stands on one that is under way. */
interface RepeatItem {
  readonly digest: string
  readonly status: number
  readonly at: number
  /** When it ends to count (ms): DynamoDB's own expiry may come two days late. */
  readonly until: number
  readonly resource?: string
  readonly result?: string
  readonly claim?: string
  readonly lease_until?: number
}

/** A right that this store gave, with what its writes need. */
interface OwnClaim extends Claim {
  recording(resource: string, result?: string): { readonly Put: PutCommandInput }
  readonly taken: { readonly key: Item; readonly id: string } | null
}

const VACANT = 'attribute_not_exists(pk) OR #until <= :now'
const NAMES = { '#until': 'until' }

/** Requests that were sent with a key, for a day: what each said, as a digest, and what it came to. */
export function repeatStore({ client, table, sort, pause }: RepeatStoreOptions): RepeatStore {
  const keyOf = ({ caller, route, key }: Repeatable): Item => {
    const { pk, sk } = itemKeys.repeat(digestOf([caller, route, key]))
    return sort ? { pk, sk } : { pk }
  }
  // Bodies may hold secrets that are short enough to be guessed. The key is stored nowhere, so nobody can try.
  const bodyDigest = ({ key, says }: Repeatable): string => digestOf([key, says])

  const begun = (request: Repeatable, status: number, now: number): RepeatItem & Item => ({
    ...keyOf(request),
    digest: bodyDigest(request),
    status,
    at: now,
    until: now + REPEAT_MS,
    expires_at_s: Math.ceil((now + REPEAT_MS) / 1_000),
  })

  const toEarlier = (item: RepeatItem | undefined, request: Repeatable, now: number): Earlier | undefined => {
    if (item === undefined || item.until <= now) return undefined
    if (item.lease_until !== undefined && item.lease_until <= now) return undefined
    if (item.digest !== bodyDigest(request)) return { state: 'other' }
    if (item.lease_until !== undefined) return { state: 'under_way' }
    const { status, resource = '', at, result = null } = item
    return { state: 'done', status, resource, at, result }
  }

  const read = async (request: Repeatable): Promise<RepeatItem | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: keyOf(request), ConsistentRead: true }),
    )
    return Item as RepeatItem | undefined
  }

  const owned = (request: Repeatable, status: number, now: number, taken: string | null): OwnClaim => ({
    at: now,
    taken: taken === null ? null : { key: keyOf(request), id: taken },
    recording: (resource, result) => ({
      Put: {
        TableName: table,
        // It keeps the claim, so that the same write holds again when its answer got lost.
        Item: { ...begun(request, status, now), resource, result, claim: taken ?? undefined },
        ...(taken === null
          ? {
              ConditionExpression: VACANT,
              ExpressionAttributeNames: NAMES,
              ExpressionAttributeValues: { ':now': now },
            }
          : { ConditionExpression: 'claim = :claim', ExpressionAttributeValues: { ':claim': taken } }),
      },
    }),
  })

  return {
    find: async (request, now) => toEarlier(await read(request), request, now),

    claim: (request, status, now) => owned(request, status, now, null),

    async begin(request, status, now, until) {
      // Tells our own claim, whose answer got lost and which the SDK repeated, from somebody else's.
      const claim = randomUUID()
      let present: RepeatItem | undefined
      const written = await conditional(async () => {
        try {
          return await client.send(
            new PutCommand({
              TableName: table,
              Item: { ...begun(request, status, now), claim, lease_until: until },
              ConditionExpression: `${VACANT} OR lease_until <= :now`,
              ExpressionAttributeNames: NAMES,
              ExpressionAttributeValues: { ':now': now },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error
          present = readWireItem(error.Item) as unknown as RepeatItem
          if (present.claim === claim) return true
          throw error
        }
      }, pause)
      const earlier = written === undefined ? toEarlier(present, request, now) : undefined
      // What ran out while it was looked at is as good as under way: the next try finds it free.
      if (written === undefined) return { earlier: earlier ?? { state: 'under_way' } }
      return { claim: owned(request, status, now, claim) }
    },

    async finish(claim, resource, result) {
      const { Put } = (claim as OwnClaim).recording(resource, result)
      const written = await conditional(() => client.send(new PutCommand(Put)), pause)
      if (written === undefined) throw new ClaimTaken()
    },

    async release(claim) {
      const { taken } = claim as OwnClaim
      if (taken === null) return
      await conditional(
        () =>
          client.send(
            new DeleteCommand({
              TableName: table,
              Key: taken.key,
              ConditionExpression: 'claim = :claim AND attribute_exists(lease_until)',
              ExpressionAttributeValues: { ':claim': taken.id },
            }),
          ),
        pause,
      )
    },
  }
}
