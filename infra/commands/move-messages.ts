import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'

/** As many as one call to a queue carries. */
const BATCH = 10
/** A queue spread over many machines may answer with nothing although something is there. */
const EMPTY_ANSWERS = 3

/** How many messages lie in a queue, about. */
export async function countMessages(sqs: SQSClient, url: string): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages'] }),
  )
  return Number(Attributes?.ApproximateNumberOfMessages ?? 0)
}

/**
 * Gives the messages of a queue to another one, each with its group: sent first, then deleted, so that whatever ends
 * this in between leaves a message twice rather than nowhere.
 * @returns how many were moved
 * @throws Error when the other queue refuses one; it stays where it was
 */
export async function moveMessages(sqs: SQSClient, from: string, to: string): Promise<number> {
  let moved = 0
  for (let empty = 0; empty < EMPTY_ANSWERS; ) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: from,
        MaxNumberOfMessages: BATCH,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    )
    empty = Messages.length === 0 ? empty + 1 : 0
    if (Messages.length === 0) continue
    const { Failed: refused = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: to,
        Entries: Messages.map(({ Body, Attributes }, index) => ({
          Id: String(index),
          MessageBody: Body,
          ...(Attributes?.MessageGroupId === undefined ? {} : { MessageGroupId: Attributes.MessageGroupId }),
        })),
      }),
    )
    const stays = new Set(refused.map(({ Id }) => Id))
    const sent = Messages.filter((_, index) => !stays.has(String(index)))
    if (sent.length > 0)
      await sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl: from,
          Entries: sent.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
        }),
      )
    moved += sent.length
    if (refused[0] !== undefined)
      throw new Error(`${moved} were moved, then one was refused: ${refused[0].Message ?? refused[0].Code}`)
  }
  return moved
}
