import { hash } from 'node:crypto'
import { type Sign, STANDARD_PREFIX } from '../domain/signature.ts'

/** Keys kept ready: making one costs several times as much as signing with it. */
const MOST_KEYS = 1_024
/** Bytes of a block of SHA-256, to which a key is filled up, and of a digest. */
const BLOCK = 64
const DIGEST = 32

/** A key filled up to a block, as it stands before the content and before the digest of that (RFC 2104, section 2). */
interface Pads {
  readonly inner: Buffer
  /** With room for the digest behind it. */
  readonly outer: Buffer
}

/** The key that a secret stands for: what follows `whsec_` as base64, any other secret as its own ASCII bytes. */
function padsOf(secret: string): Pads {
  const bytes = secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret, 'ascii')
  const key = bytes.length > BLOCK ? hash('sha256', bytes, 'buffer') : bytes
  const inner = Buffer.alloc(BLOCK, 0x36)
  const outer = Buffer.alloc(BLOCK + DIGEST, 0x5c)
  for (const [place, byte] of key.entries()) {
    inner[place] = byte ^ 0x36
    outer[place] = byte ^ 0x5c
  }
  return { inner, outer }
}

/**
 * Signs with HMAC-SHA256 (RFC 2104); what a key makes of itself is kept for the life of the process. Put together from
 * two bare hashes, which is what a signature costs: the objects around Node's own HMAC take longer than its work.
 */
export function hmacSign(): Sign {
  const kept = new Map<string, Pads>()
  let room = Buffer.allocUnsafe(4_096)
  return (secret, content) => {
    let pads = kept.get(secret)
    if (pads === undefined) {
      const [oldest] = kept.keys()
      if (kept.size >= MOST_KEYS && oldest !== undefined) kept.delete(oldest)
      pads = padsOf(secret)
      kept.set(secret, pads)
    }
    // A unit of UTF-16 has at most three bytes in UTF-8.
    const most = BLOCK + content.length * 3
    if (room.length < most) room = Buffer.allocUnsafe(most)
    room.set(pads.inner)
    const end = BLOCK + room.write(content, BLOCK)
    // As text of one character a byte: a buffer of its own for so little costs more than reading it in again.
    pads.outer.write(hash('sha256', room.subarray(0, end), 'binary'), BLOCK, 'latin1')
    return hash('sha256', pads.outer, 'base64')
  }
}
