import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** Faults that an emulator does not have: planted in the client, before or after the call. */
export interface PlannedFaults {
  /** Fails the call with this number (1 is the next one) instead of sending it. */
  failNext(number: number, error: Error): void
  /** Sends the call with this number, then fails as if its answer got lost. */
  loseAnswer(number: number, error: Error): void
  /** Takes back what has not happened. */
  clear(): void
}

/** Plants faults into a client; calls the SDK repeats by itself count as one. */
export function failCalls(client: Pick<DynamoDBDocumentClient, 'middlewareStack'>): PlannedFaults {
  let calls = 0
  const planned = new Map<number, { readonly error: Error; readonly sent: boolean }>()
  client.middlewareStack.add(
    (next) => async (args) => {
      calls += 1
      const fault = planned.get(calls)
      if (fault === undefined) return next(args)
      planned.delete(calls)
      if (fault.sent) await next(args)
      throw fault.error
    },
    { step: 'build', name: 'failCalls', override: true },
  )
  return {
    failNext: (number, error) => planned.set(calls + number, { error, sent: false }),
    loseAnswer: (number, error) => planned.set(calls + number, { error, sent: true }),
    clear: () => planned.clear(),
  }
}
