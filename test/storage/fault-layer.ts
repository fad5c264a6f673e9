import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/**
 * What may become of one call, as the SDK sees it.
 * - `throttled`: refused for now, nothing was done (the SDK tries again);
 * - `failing`: the service failed, nothing was done (the SDK tries again);
 * - `timed_out`: no connection in time, nothing was done (the SDK tries again);
 * - `answered_twice`: done, but its answer got lost, and the SDK's next try is done once more;
 * - `lost`: done, but neither its answer nor that of any further try arrives;
 * - `refused`: the service forbids it, as a role without the right would (the SDK does not try again).
 */
export const FAULTS = ['throttled', 'failing', 'timed_out', 'answered_twice', 'lost', 'refused'] as const
export type Fault = (typeof FAULTS)[number]

/** A fault that was met, for the message of a test that fails. */
export interface MetFault {
  readonly call: number
  readonly command: string
  /** The table it concerned; undefined for a transaction. */
  readonly table: string | undefined
  readonly fault: Fault | 'conflict'
}

export interface FaultLayer {
  /** From now on the call with this number (1 is the next one) meets the fault at every try, or at its first only. */
  at(number: number, fault: Fault, tries?: 'first' | 'all'): void
  /** From now on each call meets a fault with this probability, by chance from a seed. */
  randomly(seed: number, probability: number, faults?: readonly Fault[]): void
  /** No faults from now on; conflicts of overlapping transactions stay, as the real service has them. */
  off(): void
  /** What was met since the last `off`, in order. */
  readonly met: readonly MetFault[]
  /** Calls begun since the layer was switched on, tries of the SDK not counted. */
  calls(): number
}

/** A random number generator with 32 bits of state (mulberry32): the same seed gives the same numbers everywhere. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const errorOf = (name: string, status: number, more: object = {}): Error =>
  Object.assign(new Error(`planted: ${name}`), {
    name,
    $fault: status >= 500 ? 'server' : 'client',
    $metadata: { httpStatusCode: status },
    ...more,
  })

const THROWN: Readonly<Record<Fault, () => Error>> = {
  throttled: () =>
    errorOf('ProvisionedThroughputExceededException', 400, { $retryable: { throttling: true } }),
  failing: () => errorOf('InternalServerError', 500),
  timed_out: () => errorOf('TimeoutError', 0),
  answered_twice: () => errorOf('TimeoutError', 0),
  lost: () => errorOf('TimeoutError', 0),
  refused: () => errorOf('AccessDeniedException', 400),
}
/** Those of which the service has done what was asked before the fault. */
const DONE: ReadonlySet<Fault> = new Set(['answered_twice', 'lost'])
/** As many tries as the service's own clients make. */
const MOST_TRIES = 3

type Key = Readonly<Record<string, unknown>>
interface WriteInput {
  readonly TableName?: string
  readonly Key?: Key
  readonly Item?: Key
  readonly TransactItems?: readonly Readonly<Record<string, WriteInput>>[]
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''
/** The items that a write concerns, by table and key. */
function itemsOf(input: WriteInput): string[] {
  const writes = input.TransactItems?.flatMap((entry) => Object.values(entry)) ?? [input]
  return writes.map(({ TableName, Key, Item }) => {
    const at = Key ?? { pk: Item?.pk, sk: Item?.sk }
    return `${TableName} ${textOf(at.pk)} ${textOf(at.sk)}`
  })
}

const SINGLE_WRITES = new Set(['UpdateItem', 'PutItem', 'DeleteItem'])

/** Transactions under way over all clients of one store: two that share an item conflict, as in the real service. */
export interface Transactions {
  readonly held: Map<string, number>
}
export const transactions = (): Transactions => ({ held: new Map() })

/** A client of the SDK, of whatever service. */
export interface AnyClient {
  readonly middlewareStack: { add(middleware: never, options: never): void }
  readonly config: object
}

/**
 * Puts a layer of faults between the SDK's tries and the services of some clients, whose calls are counted together. It is off until it is told otherwise, but for
 * transactions: those that overlap on an item with one under way are cancelled, which emulators do not do.
 * The SDK waits between tries; here it does not, so that every call of every operation can be tried.
 */
export function faultLayer(
  clients: AnyClient | readonly AnyClient[],
  { held }: Transactions = transactions(),
): FaultLayer {
  let calls = 0
  let met: MetFault[] = []
  let choose: (number: number) => { readonly fault: Fault; readonly tries: 'first' | 'all' } | undefined =
    () => undefined

  const strategy = {
    mode: 'standard',
    acquireInitialRetryToken: async () => ({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
    refreshRetryTokenForRetry: async (
      token: { getRetryCount(): number },
      { errorType }: { errorType: string },
    ) => {
      const count = token.getRetryCount() + 1
      if (errorType === 'CLIENT_ERROR' || count >= MOST_TRIES) throw new Error('no further try')
      return { getRetryCount: () => count, getRetryDelay: () => 0 }
    },
    recordSuccess: () => undefined,
  }

  const conflictOf = (command: string, input: WriteInput): Error | undefined => {
    const overlaps = itemsOf(input).map((item) => held.has(item))
    if (!overlaps.includes(true)) return undefined
    if (command !== 'TransactWriteItems') return errorOf('TransactionConflictException', 400)
    const CancellationReasons = overlaps.map((overlap) => ({
      Code: overlap ? 'TransactionConflict' : 'None',
    }))
    return errorOf('TransactionCanceledException', 400, { CancellationReasons })
  }

  /** Which call this is, and how many of its tries were made: all of them share the context. */
  const known = new WeakMap<object, { readonly number: number; tries: number }>()

  const putInto = (client: AnyClient): void => {
    Object.assign(client.config, { retryStrategy: async () => strategy })
    const stack = client.middlewareStack as DynamoDBDocumentClient['middlewareStack']
    stack.add(
      (next, context) => (args) => {
        calls += 1
        known.set(context, { number: calls, tries: 0 })
        return next(args)
      },
      { step: 'initialize', priority: 'low', name: 'faultLayerCall', override: true },
    )
    stack.add(
      (next, context) => async (args) => {
        const command = String(context.commandName).replace(/Command$/, '')
        const input = args.input as WriteInput
        const call = known.get(context) ?? { number: calls, tries: 0 }
        call.tries += 1
        const chosen = choose(call.number)
        const fault =
          chosen === undefined ||
          ((chosen.tries === 'first' || chosen.fault === 'answered_twice') && call.tries > 1)
            ? undefined
            : chosen.fault
        if (fault !== undefined) met.push({ call: call.number, command, table: input.TableName, fault })
        if (fault !== undefined && !DONE.has(fault)) throw THROWN[fault]()

        const writes = command === 'TransactWriteItems' || SINGLE_WRITES.has(command)
        const conflict = writes ? conflictOf(command, input) : undefined
        if (conflict !== undefined) {
          met.push({ call: call.number, command, table: input.TableName, fault: 'conflict' })
          throw conflict
        }
        const holding = command === 'TransactWriteItems' ? itemsOf(input) : []
        for (const item of holding) held.set(item, (held.get(item) ?? 0) + 1)
        try {
          if (fault === undefined) return await next(args)
          // Whatever it answers, also that the second time its condition did not hold, gets lost.
          await next(args).catch(() => undefined)
          throw THROWN[fault]()
        } finally {
          for (const item of holding) held.delete(item)
        }
      },
      { step: 'finalizeRequest', priority: 'low', name: 'faultLayer', override: true },
    )
  }
  for (const client of 'middlewareStack' in clients ? [clients] : clients) putInto(client)

  const reset = () => {
    calls = 0
    met = []
  }
  return {
    at: (number, fault, tries = 'all') => {
      reset()
      choose = (each) => (each === number ? { fault, tries } : undefined)
    },
    randomly: (seed, probability, faults = FAULTS) => {
      reset()
      const chosen = new Map<number, { readonly fault: Fault; readonly tries: 'first' | 'all' } | undefined>()
      const random = seededRandom(seed)
      choose = (number) => {
        if (!chosen.has(number)) {
          const [hit, which, tries] = [random(), random(), random()]
          const fault = hit < probability ? faults[Math.floor(which * faults.length)] : undefined
          chosen.set(
            number,
            fault === undefined ? undefined : { fault, tries: tries < 0.5 ? 'first' : 'all' },
          )
        }
        return chosen.get(number)
      }
    },
    off: () => {
      reset()
      choose = () => undefined
    },
    get met() {
      return met
    },
    calls: () => calls,
  }
}
