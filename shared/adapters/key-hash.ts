import { sha256 } from './digest.ts'

/** Keeps the hashes of keys apart from every other SHA-256, so that no text hashed elsewhere can name a key. */
const DOMAIN = 'iis-key-v1:'

/**
 * What a key is found by: SHA-256 (hex) of its text. A fast hash is right here: 178 random bits leave nothing to
 * guess, and a slow one would let anybody without a key spend our CPU.
 */
export const keyHash = (key: string): string => sha256(DOMAIN + key)
