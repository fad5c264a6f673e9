/** What the runner tells the process that holds the functions. */
export type HostRequest =
  | {
      readonly kind: 'invoke'
      readonly id: number
      readonly functionId: string
      /** Absolute path of the module that exports `handler`. */
      readonly file: string
      /** The event as JSON text: what does not survive JSON does not reach a function, as on Lambda. */
      readonly event: string
      readonly requestId: string
      readonly timeoutMs: number
      readonly memoryMb: number
    }
  | { readonly kind: 'ping'; readonly id: number }

/** What that process tells the runner. */
export type HostReply =
  | { readonly kind: 'result'; readonly id: number; readonly payload: string }
  | { readonly kind: 'failure'; readonly id: number; readonly error: FunctionError }
  | { readonly kind: 'pong'; readonly id: number }

/** An invocation that failed, as Lambda reports it (`errorType`, `errorMessage`). */
export interface FunctionError {
  readonly type: string
  readonly message: string
}

/** The error of an invocation whose time is over, in Lambda's words. */
export const timedOut = (timeoutMs: number): FunctionError => ({
  type: 'Sandbox.Timedout',
  message: `Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`,
})
