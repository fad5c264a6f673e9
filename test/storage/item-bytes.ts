/** Bytes of an attribute value as DynamoDB counts them (developer guide, "DynamoDB item sizes and formats"). */
function valueBytes(value: unknown): number {
  if (value === null || typeof value === 'boolean') return 1
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.byteLength
  // About a byte for two digits, and one on top; one more where the number is negative.
  if (typeof value === 'number')
    return Math.ceil(String(value).replace(/\D/g, '').length / 2) + (value < 0 ? 2 : 1)
  if (Array.isArray(value)) return 3 + value.reduce<number>((sum, each) => sum + 1 + valueBytes(each), 0)
  if (typeof value === 'object') return 3 + itemBytes(value, 1)
  throw new TypeError(`DynamoDB holds no ${typeof value}`)
}

/** Bytes of an item as DynamoDB counts them: names and values, `overhead` for each member of a map. */
export const itemBytes = (item: object, overhead = 0): number =>
  Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value) + overhead,
    0,
  )
