import { gzipSync } from 'node:zlib'
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { SignalKeeper } from '../../domain/ports.ts'
import { SIGNAL_DAYS } from '../../domain/signals.ts'
import { canonicalJson, sha256 } from '../digest.ts'
import { itemKeys } from './item-keys.ts'
import { conditional } from './transact.ts'

const DAY_S = 86_400
/**
 * Batches that span at most this long (ms) stand in a partition of their own: what a window touches is then found by
 * its earliest record alone, looked for from this long before the window.
 */
export const SHORT_SPAN_MS = 3_600_000

/**
 * Keeps each pushed batch as one packed item, named by the digest of its content: the same batch is the same item.
 * A body has at most 256 KB, so that a batch always fits.
 */
export function signalKeeper(client: DynamoDBDocumentClient, table: string): SignalKeeper {
  return {
    async keep({ records, span }, now) {
      const text = canonicalJson(records)
      const { short, long } = itemKeys.signals
      const partition = span.to - span.from <= SHORT_SPAN_MS ? short : long
      const seconds = Math.floor(now / 1_000)
      await conditional(() =>
        client.send(
          new PutCommand({
            TableName: table,
            Item: {
              ...itemKeys.signalBatch(partition, span.from, sha256(text)),
              until: Math.ceil(span.to),
              pushed_at: now,
              bytes: Buffer.byteLength(text),
              records: gzipSync(text),
              expires_at_s: seconds + SIGNAL_DAYS * DAY_S,
            },
            // One that has expired may still be there; whoever pushes it again wants it kept.
            ConditionExpression: 'attribute_not_exists(pk) OR expires_at_s <= :now',
            ExpressionAttributeValues: { ':now': seconds },
          }),
        ),
      )
    },
  }
}
