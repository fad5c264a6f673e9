import type { TableName } from '#shared/names.ts'

/**
 * What the synthesised template says about the running service, as plain data: the local runner takes its routes,
 * limits and gateway-made errors from here, so that what is tried locally is what is deployed.
 *
 * Functions go by the name of their file without folder and ending (`create-incident`, `relay-events`), queues by
 * their name in `infra/queues.ts`, tables by their name in `shared/names.ts`. Times are in milliseconds.
 */
export interface Deployment {
  /** The API's stage: the first path segment. */
  readonly stage: string
  /** Every method of every resource, `ANY` included; a route with the method itself wins over `ANY`. */
  readonly routes: readonly Route[]
  readonly functions: Readonly<Record<string, DeployedFunction>>
  /** The errors that the gateway makes itself, by response type (`THROTTLED`, `REQUEST_TOO_LARGE`, …). */
  readonly gatewayResponses: Readonly<Record<string, GatewayResponse>>
  /** Requests that the whole stage takes; beyond them the gateway answers `THROTTLED`. */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number }
  readonly queues: Readonly<Record<string, DeployedQueue>>
  readonly queueMappings: readonly QueueMapping[]
  readonly streamMappings: readonly StreamMapping[]
  readonly schedules: readonly Schedule[]
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'ANY'
  /** The resource's path as API Gateway matches it: `/`, `/incidents/{id}`, `/{proxy+}`. */
  readonly resource: string
  readonly functionId: string
  /** How long the gateway waits before it answers `INTEGRATION_TIMEOUT`. */
  readonly timeoutMs: number
}

export interface DeployedFunction {
  /** Source file below the repository's root: `functions/api/create-incident.ts`; it exports `handler`. */
  readonly file: string
  readonly timeoutMs: number
  readonly memoryMb: number
  /**
   * Its environment variables. The value is what the template sets literally (`RETENTION_DAYS` → `"400"`), or null
   * where it is known only once deployed (a table's name, a queue's address, a key's id).
   */
  readonly environment: Readonly<Record<string, string | null>>
}

export interface GatewayResponse {
  readonly status: number
  /** Header name → the text to send, or the request context's property to take it from (`context.requestId`). */
  readonly headers: Readonly<Record<string, GatewayValue>>
  /** The body, with `$context.…` variables still in it, exactly as the gateway gets it. */
  readonly template: string
}

export type GatewayValue = { readonly literal: string } | { readonly context: string }

export interface DeployedQueue {
  readonly visibilityTimeoutMs: number
  readonly retentionMs: number
  /** Where a message goes after that many receives that did not delete it, or null. */
  readonly redrive: { readonly maxReceiveCount: number; readonly queue: string } | null
}

export interface QueueMapping {
  readonly queue: string
  readonly functionId: string
  readonly batchSize: number
  readonly windowMs: number
  /** Invocations at once at most, or null for no bound of its own. */
  readonly maxConcurrency: number | null
  readonly reportsBatchItemFailures: boolean
}

export interface StreamMapping {
  readonly table: TableName
  readonly functionId: string
  readonly batchSize: number
  readonly windowMs: number
  /** Event filter patterns as parsed JSON; a record is delivered when any matches, all when there is none. */
  readonly filters: readonly unknown[]
  readonly maxRetries: number
  readonly maxRecordAgeMs: number | null
  readonly bisectsBatchOnError: boolean
  readonly reportsBatchItemFailures: boolean
  /** Queue that gets a pointer to the records that were given up, or null. */
  readonly onFailure: string | null
}

export interface Schedule {
  readonly functionId: string
  readonly everyMs: number
}
