import { type Operation, type OperationId, operations } from '../contract/operations.ts'
import { conflict, invalidField, Refusal } from '../domain/errors.ts'
import type { Clock } from '../domain/ports.ts'
import {
  type Claim,
  ClaimTaken,
  type Done,
  type Earlier,
  type Repeatable,
  type RepeatStore,
} from '../domain/repeat.ts'
import type { AnswerOf, Call, Respond } from './endpoint.ts'
import type { Answer } from './render.ts'

const HEADER = 'Idempotency-Key'
/** Printable ASCII, as what chooses keys writes them: UUIDs, numbers of orders, digests. */
const KEY = /^[ -~]{1,255}$/

/** The records of requests in one table, and the clock that they end by. */
export interface Repeating {
  readonly records: () => RepeatStore
  readonly clock: Clock
}

/** An operation in three parts, so that a request that is sent again is answered from what the first one made. */
export interface Parts<Id extends OperationId, Made> {
  /** Does what is asked. With a claim, what is written must be written with it. */
  readonly first: (call: Call<Id>, claim?: Claim) => Promise<Made>
  /** Reads what an earlier request made, or nothing when it is gone. */
  readonly again: (call: Call<Id>, done: Done) => Promise<Made | undefined>
  readonly answer: (made: Made, call: Call<Id>) => AnswerOf<Id>
  /** For work that is long or writes nothing of its own: the right to it is taken before, for the function's time. */
  readonly long?: true
}

/** The key of a request, or nothing. @throws Refusal `invalid` naming the header */
function keyOf(values: readonly string[]): string | undefined {
  const [key, ...more] = values
  if (key === undefined) return undefined
  if (more.length > 0) throw invalidField(HEADER, 'must be given once')
  if (!KEY.test(key)) throw invalidField(HEADER, 'must be 1 to 255 printable ASCII characters')
  return key
}

/**
 * Makes an operation one that may be sent again: with the same `Idempotency-Key` and body it is done once and answered
 * alike for a day. Only success is recorded; whatever was refused or failed is tried afresh.
 */
export function repeatable<Id extends OperationId, Made>(
  id: Id,
  { records, clock }: Repeating,
  { first, again, answer, long }: Parts<Id, Made>,
): Respond<Id> {
  const { success, timeoutSeconds }: Operation = operations[id]

  const replay = async (call: Call<Id>, earlier: Earlier): Promise<AnswerOf<Id>> => {
    if (earlier.state === 'other')
      throw new Refusal('unprocessable', `This ${HEADER} was used with another body.`, {
        field: HEADER,
        reason: 'was used with another body',
      })
    if (earlier.state === 'under_way')
      throw conflict(`The first request with this ${HEADER} is still running; repeat this one in a moment.`, {
        field: HEADER,
        reason: 'its first request is still running',
      })
    const made = await again(call, earlier)
    if (made === undefined)
      throw conflict(`What the first request with this ${HEADER} made no longer exists.`, {
        field: HEADER,
        reason: 'what its first request made no longer exists',
      })
    const shown: Answer = answer(made, call)
    const headers = { ...shown.headers, 'Idempotency-Replayed': 'true' }
    return { ...shown, status: earlier.status, headers } as unknown as AnswerOf<Id>
  }

  const take = async (request: Repeatable): Promise<{ claim: Claim } | { earlier: Earlier }> => {
    const now = clock()
    if (long === true) return records().begin(request, success.status, now, now + timeoutSeconds * 1_000)
    const earlier = await records().find(request, now)
    return earlier === undefined ? { claim: records().claim(request, success.status, now) } : { earlier }
  }

  return async (call) => {
    const key = keyOf(call.header('idempotency-key'))
    if (key === undefined) return answer(await first(call), call)
    const route = [id, call.id, call.innerId].join(' ')
    const request: Repeatable = { caller: call.caller.id, route, key, says: call.body ?? null }
    const taken = await take(request)
    if ('earlier' in taken) return replay(call, taken.earlier)
    try {
      return answer(await first(call, taken.claim), call)
    } catch (error) {
      if (error instanceof ClaimTaken) {
        // Long work lost its right to somebody who does it now; what was not found yet is being written.
        const found = long === true ? undefined : await records().find(request, clock())
        return replay(call, found ?? { state: 'under_way' })
      }
      // If it cannot be given back it runs out by itself; what failed is told all the same.
      if (long === true)
        await records()
          .release(taken.claim)
          .catch(() => undefined)
      throw error
    }
  }
}
