import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/**
 * The texts, numbers and nulls of an item that came with an error: those the document client leaves as they are on
 * the wire. Attributes of other kinds are left out.
 */
export function readWireItem(item: Readonly<Record<string, AttributeValue>>): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, { S, N, NULL }] of Object.entries(item)) {
    if (S !== undefined) read[name] = S
    else if (N !== undefined) read[name] = Number(N)
    else if (NULL === true) read[name] = null
  }
  return read
}
