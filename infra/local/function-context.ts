import type { Context } from 'aws-lambda'

export interface ContextSettings {
  readonly functionId: string
  readonly requestId: string
  readonly memoryMb: number
  /** Instant (ms since the epoch) at which the function's time is over. */
  readonly deadline: number
}

const unsupported = (): never => {
  throw new Error('done, fail and succeed do not exist in Node 24 on Lambda: return a promise')
}

/** The context that Lambda gives a handler, with the time that is really left. */
export const functionContext = (settings: ContextSettings): Context => ({
  callbackWaitsForEmptyEventLoop: true,
  functionName: settings.functionId,
  functionVersion: '$LATEST',
  invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${settings.functionId}`,
  memoryLimitInMB: String(settings.memoryMb),
  awsRequestId: settings.requestId,
  logGroupName: `/aws/lambda/${settings.functionId}`,
  logStreamName: `local/${process.pid}`,
  getRemainingTimeInMillis: () => Math.max(0, settings.deadline - Date.now()),
  done: unsupported,
  fail: unsupported,
  succeed: unsupported,
})
