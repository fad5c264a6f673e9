import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** The store calls a client makes, by their names in the SDK (`UpdateItem`, `Query`, …). */
export interface CallCount {
  /** Names of the calls since the last reset, in order; one that the SDK repeats by itself counts once. */
  names(): string[]
  /** How many requests went over the wire, repeated ones too. */
  attempts(): number
  reset(): void
}

/** Counts what a client sends from now on. */
export function countCalls(client: Pick<DynamoDBDocumentClient, 'middlewareStack'>): CallCount {
  let names: string[] = []
  let attempts = 0
  client.middlewareStack.add(
    (next, context) => (args) => {
      // The document client wraps each command in one of the plain client, whose name ends in Command.
      names.push(String(context.commandName).replace(/Command$/, ''))
      return next(args)
    },
    { step: 'initialize', priority: 'high', name: 'countCalls', override: true },
  )
  client.middlewareStack.add(
    (next) => (args) => {
      attempts += 1
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'countAttempts', override: true },
  )
  return {
    names: () => [...names],
    attempts: () => attempts,
    reset: () => {
      names = []
      attempts = 0
    },
  }
}
