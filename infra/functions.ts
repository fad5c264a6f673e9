import { CONSOLE } from '#shared/contract/console.ts'
import { CATCH_ALL, type OperationId, operationList } from '#shared/contract/operations.ts'

/** The functions behind the API: one an operation, one for the console, and one that refuses what nothing else has. */
export type ApiFunctionId = OperationId | typeof CATCH_ALL | typeof CONSOLE
/** The functions that queues, streams and schedules call. */
export type WorkerId =
  | 'relay-events'
  | 'investigate-incident'
  | 'sweep-investigations'
  | 'deliver-webhook'
  | 'sweep-deliveries'
  | 'check-integrations'
  | 'take-alerts'
export type FunctionId = ApiFunctionId | WorkerId

/** What every function is deployed with, besides what `grants.ts` lets it touch. */
export interface FunctionPlan {
  readonly id: FunctionId
  /** Source file below the repository's root; it exports `handler`. */
  readonly file: string
  /** What it does, in a sentence; shown in the console. */
  readonly purpose: string
  readonly timeoutSeconds: number
  readonly memoryMb: number
  /** It runs by the clock, all month long, whether anything happens or not. */
  readonly scheduled?: true
}

/** About 0.3 of a virtual CPU: an answer is made of waiting for the store. */
const WAITING_MB = 512
/** One whole virtual CPU: the engine computes. */
const COMPUTING_MB = 1769
/** It counts the request against its key, nothing else. */
const REFUSE_SECONDS = 10
/** It reads a file. */
const CONSOLE_SECONDS = 5
/** One batch of doorbells is one call to the queue. */
const RELAY_SECONDS = 30
/** Every tool is asked at once with 8 s each; the engine and the writes are far shorter. */
const INVESTIGATE_SECONDS = 120
/** A receiver may take 15 s; a batch is worked at once, and what begins late still has its whole time. */
const DELIVER_SECONDS = 60
/** A batch is a few transactions a group; who meets others waits and reads again. */
const TAKE_ALERTS_SECONDS = 30
/** It is called every minute and must never meet itself. */
const SWEEP_SECONDS = 50

/** Two hundred tools, twenty at once, each with 5 s. */
const CHECK_SECONDS = 60

const COMPUTING: ReadonlySet<FunctionId> = new Set([
  'answer-query',
  'verify-query',
  'verify-incident',
  'get-incident-charts',
])

const apiPlans = operationList.map(
  ({ id, summary, timeoutSeconds }): FunctionPlan => ({
    id,
    file: `functions/api/${id}.ts`,
    purpose: summary,
    timeoutSeconds,
    memoryMb: COMPUTING.has(id) ? COMPUTING_MB : WAITING_MB,
  }),
)

const workerPlans: readonly FunctionPlan[] = [
  {
    id: 'relay-events',
    file: 'functions/workers/relay-events.ts',
    purpose: 'Rings for incidents whose investigation became due; gives every event its deliveries',
    timeoutSeconds: RELAY_SECONDS,
    memoryMb: WAITING_MB,
  },
  {
    id: 'investigate-incident',
    file: 'functions/workers/investigate-incident.ts',
    purpose: 'Asks the connected tools and writes the root cause of an incident',
    timeoutSeconds: INVESTIGATE_SECONDS,
    memoryMb: COMPUTING_MB,
  },
  {
    id: 'sweep-investigations',
    file: 'functions/workers/sweep-investigations.ts',
    purpose: 'Rings again for overdue investigations; resolves incidents whose alerts are over',
    timeoutSeconds: SWEEP_SECONDS,
    memoryMb: WAITING_MB,
    scheduled: true,
  },
  {
    id: 'deliver-webhook',
    file: 'functions/workers/deliver-webhook.ts',
    purpose: 'Posts events, signed, to their receivers',
    timeoutSeconds: DELIVER_SECONDS,
    memoryMb: WAITING_MB,
  },
  {
    id: 'sweep-deliveries',
    file: 'functions/workers/sweep-deliveries.ts',
    purpose: 'Rings again for deliveries that are overdue, and for events without deliveries',
    timeoutSeconds: SWEEP_SECONDS,
    memoryMb: WAITING_MB,
    scheduled: true,
  },
  {
    id: 'check-integrations',
    file: 'functions/workers/check-integrations.ts',
    purpose: 'Checks every integration again, so that people know which tools can be asked',
    timeoutSeconds: CHECK_SECONDS,
    memoryMb: WAITING_MB,
    scheduled: true,
  },
  {
    id: 'take-alerts',
    file: 'functions/workers/take-alerts.ts',
    purpose: 'Makes incidents of the alerts that tools send',
    timeoutSeconds: TAKE_ALERTS_SECONDS,
    memoryMb: WAITING_MB,
  },
]

/** Every function of the service, API first. */
export const functionPlans: readonly FunctionPlan[] = [
  ...apiPlans,
  {
    id: CATCH_ALL,
    file: `functions/api/${CATCH_ALL}.ts`,
    purpose: 'Answers 404, or 405 with Allow, where no operation is',
    timeoutSeconds: REFUSE_SECONDS,
    memoryMb: WAITING_MB,
  },
  {
    id: CONSOLE,
    file: `functions/api/${CONSOLE}.ts`,
    purpose: 'Serves the files of the console',
    timeoutSeconds: CONSOLE_SECONDS,
    memoryMb: WAITING_MB,
  },
  ...workerPlans,
]

/** @throws Error when there is no such function */
export function functionPlan(id: FunctionId): FunctionPlan {
  const plan = functionPlans.find((candidate) => candidate.id === id)
  if (plan === undefined) throw new Error(`there is no function ${id}`)
  return plan
}
