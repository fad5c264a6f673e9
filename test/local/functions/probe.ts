import type { Context } from 'aws-lambda'

/** What a test asks the function to do. */
interface Probe {
  readonly act:
    | 'echo'
    | 'context'
    | 'environment'
    | 'fail'
    | 'exit'
    | 'hang'
    | 'loop'
    | 'large'
    | 'nothing'
    | 'print'
  readonly value?: unknown
}

/** A function that behaves as its event says: it stands in for functions that are slow, broken or loud. */
export async function handler(event: Probe, context: Context): Promise<unknown> {
  switch (event.act) {
    case 'echo':
      return event
    case 'context':
      return {
        name: context.functionName,
        memory: context.memoryLimitInMB,
        requestId: context.awsRequestId,
        remaining: context.getRemainingTimeInMillis(),
        pid: process.pid,
      }
    case 'environment':
      return { ...process.env }
    case 'fail':
      throw new RangeError('out of range')
    case 'exit':
      return process.exit(7)
    case 'hang':
      return new Promise(() => {})
    case 'loop':
      for (;;);
    case 'large':
      return 'x'.repeat(6_291_557)
    case 'print':
      process.stdout.write('printed on stdout\n')
      process.stderr.write('printed on stderr\n')
      return null
    case 'nothing':
      return undefined
  }
}
