import { SQSClient } from '@aws-sdk/client-sqs'
import type { Doorbell } from '../../domain/ports.ts'
import { clientWaits } from '../aws-client-waits.ts'
import { type Pause, sendMessages } from './send-messages.ts'

const CONNECTION_MS = 1_000
const REQUEST_MS = 2_500

/** Where the queues are, when not where the environment says. */
export interface QueuesAddress {
  readonly endpoint: string
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Times the usual time limits. */
  readonly patience?: number
}

/** The one SQS client of a process. */
export const sqsClient = ({ patience, ...address }: Partial<QueuesAddress> = {}): SQSClient =>
  new SQSClient({
    ...address,
    maxAttempts: 3,
    requestHandler: clientWaits(CONNECTION_MS, REQUEST_MS, patience),
  })

/**
 * Rings by messages `{"incident_id": "inc_…"}`, ten in a call, each incident once. Messages that SQS refuses for
 * reasons of its own are sent again.
 * `ring` throws when some could not be sent; those that were rang, and ringing twice does no harm.
 */
export function queueDoorbell(client: SQSClient, queueUrl: string, pause?: Pause): Doorbell {
  return {
    async ring(incidentIds) {
      const messages = [...new Set(incidentIds)].map((incident_id) => ({
        body: JSON.stringify({ incident_id }),
      }))
      await sendMessages(client, queueUrl, messages, pause)
    },
  }
}
