import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { DeployedResource } from './stack-resources.ts'

/**
 * The address of a deployed queue.
 * @param beginning of what the templates call it
 * @throws Error when there is none
 */
export async function queueAddress(
  sqs: SQSClient,
  resources: readonly DeployedResource[],
  beginning: string,
): Promise<string> {
  const found = resources.find(
    ({ type, logicalId }) => type === 'AWS::SQS::Queue' && logicalId.startsWith(beginning),
  )
  if (found === undefined) throw new Error(`the stack has no queue ${beginning}`)
  if (found.physicalId.startsWith('http')) return found.physicalId
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName: found.physicalId }))
  return QueueUrl
}
