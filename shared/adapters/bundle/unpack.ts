import { createGunzip } from 'node:zlib'

/** What became of unpacking: all of it, cut at the limit, or ended by damage. */
export interface Unpacked {
  readonly data: Buffer
  readonly cut: 'limit' | 'damage' | null
}

/**
 * Unpacks gzip, never holding more than `limit` bytes of what comes out: a small file that unpacks to gigabytes is
 * stopped there. What came before the limit or before the damage is kept.
 */
export async function gunzipUpTo(bytes: Uint8Array, limit: number): Promise<Unpacked> {
  const stream = createGunzip()
  const chunks: Buffer[] = []
  let length = 0
  let cut: Unpacked['cut'] = null
  stream.end(bytes)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const room = limit - length
      if (chunk.length > room) {
        chunks.push(chunk.subarray(0, room))
        length = limit
        cut = 'limit'
        // Leaving the loop destroys the stream: nothing more is unpacked.
        break
      }
      chunks.push(chunk)
      length += chunk.length
    }
  } catch {
    // zlib's only errors here say that the data is no gzip or ends early.
    cut = 'damage'
  }
  return { data: Buffer.concat(chunks, length), cut }
}

/** The lines of a file as bytes, without their line ends; empty lines are passed with their number, from 1. */
export function* linesOf(data: Buffer): Generator<readonly [number, Buffer]> {
  let from = 0
  for (let number = 1; from < data.length; number++) {
    const end = data.indexOf(10, from)
    const to = end === -1 ? data.length : end
    yield [number, data.subarray(from, to > from && data[to - 1] === 13 ? to - 1 : to)]
    from = to + 1
  }
}
