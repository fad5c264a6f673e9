import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** AES-256-GCM with a random 96-bit IV and a full tag (NIST SP 800-38D); safe for 2^32 texts under one key. */
const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Bytes of a key. */
export const SEAL_KEY_BYTES = 32

/** Encrypts bytes under a key so that they open only with the same context. @returns IV, ciphertext, tag */
export function closeBox(key: Uint8Array, context: string, plain: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** @throws Error when the box was altered or closed with another key or context */
export function openBox(key: Uint8Array, context: string, box: Uint8Array): Buffer {
  if (box.byteLength < IV_BYTES + TAG_BYTES) throw new Error('a sealed text is too short')
  const decipher = createDecipheriv(CIPHER, key, box.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(box.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch (error) {
    throw new Error(`what is sealed for ${context} was altered or sealed for something else`, {
      cause: error,
    })
  }
}
