import type { AddressInfo } from 'node:net'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import type { DeployedQueue, Deployment } from './deployment.ts'

/** An SQS emulator inside this process; its queues live as long as it does. */
export interface RunningSqs {
  /** Address for the SDK's `endpoint`. */
  readonly endpoint: string
  stop(): Promise<void>
}

/**
 * Starts the emulator on a free port of 127.0.0.1. Messages are kept in memory only: the tables know what is due, and
 * the sweeper rings again for what was in a queue when the process ended.
 */
export async function startSqs(): Promise<RunningSqs> {
  // Not `startFauxqs`: that listens on every interface of the machine, whatever host it is given.
  const app = buildApp({ logger: false, host: '127.0.0.1' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => app.close(),
  }
}

/** Where a queue is reached. */
export interface QueueAddress {
  readonly url: string
  readonly arn: string
}

const seconds = (ms: number): string => String(Math.round(ms / 1_000))

/**
 * Creates the deployment's queues, named `<prefix>-<queue>`, with their visibility timeouts, retention and redrive
 * policies. A queue that exists gets the deployment's settings.
 * @param endpoint of the emulator; the addresses in the answer lead there
 */
export async function createQueues(
  client: SQSClient,
  endpoint: string,
  queues: Deployment['queues'],
  prefix: string,
): Promise<Readonly<Record<string, QueueAddress>>> {
  const made = new Map<string, QueueAddress>()
  const create = async (name: string, queue: DeployedQueue): Promise<QueueAddress> => {
    const known = made.get(name)
    if (known !== undefined) return known
    const attributes: Record<string, string> = {
      VisibilityTimeout: seconds(queue.visibilityTimeoutMs),
      MessageRetentionPeriod: seconds(queue.retentionMs),
    }
    if (queue.redrive !== null) {
      const target = queues[queue.redrive.queue]
      if (target === undefined)
        throw new Error(`queue ${name}: there is no dead-letter queue ${queue.redrive.queue}`)
      const { arn } = await create(queue.redrive.queue, target)
      attributes.RedrivePolicy = JSON.stringify({
        deadLetterTargetArn: arn,
        maxReceiveCount: queue.redrive.maxReceiveCount,
      })
    }
    const created = await client.send(new CreateQueueCommand({ QueueName: `${prefix}-${name}` }))
    // The emulator advertises a host name below 127.0.0.1, which is no valid address; its path is what counts.
    const url = (created.QueueUrl ?? '').replace(/^https?:\/\/[^/]+/, endpoint)
    await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes }))
    const read = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    )
    const address = { url, arn: read.Attributes?.QueueArn ?? '' }
    made.set(name, address)
    return address
  }
  for (const [name, queue] of Object.entries(queues)) await create(name, queue)
  return Object.fromEntries(made)
}
