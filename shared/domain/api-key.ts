import type { Plan } from './rate-limit.ts'

export const KEY_TYPES = ['admin', 'assistant'] as const
export type KeyType = (typeof KEY_TYPES)[number]

/** An API key as it is kept: never its value, only what recognises it. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly type: KeyType
  readonly plan: Plan
  /** First characters and last four, for people to recognise it by. */
  readonly prefix: string
  readonly last4: string
  readonly created_by: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

const TYPE_MARKS: Readonly<Record<KeyType, string>> = { admin: 'adm', assistant: 'ast' }
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 base62 characters hold 178 random bits. */
export const KEY_RANDOM_CHARACTERS = 30
const CHECKSUM_CHARACTERS = 6
const KEY_FORM = /^iis_([a-z0-9]{1,16})_(adm|ast)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** CRC-32 (IEEE 802.3, reflected, polynomial 0xEDB88320) of an ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

function checksum(text: string): string {
  let rest = crc32(text)
  let out = ''
  for (let index = 0; index < CHECKSUM_CHARACTERS; index += 1) {
    out = (BASE62[rest % 62] ?? '0') + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/**
 * The text of a key: `iis_<env>_<adm|ast>_<30 base62><6 base62 CRC32 of all before it>`.
 * @param random bytes from a cryptographic source; those of 248 and above are skipped so that all 62 characters are
 * equally likely, so give at least 64
 * @throws RangeError when too few bytes remain
 */
export function writeKey(environment: string, type: KeyType, random: Uint8Array): string {
  const characters = Array.from(random)
    .filter((byte) => byte < 248)
    .slice(0, KEY_RANDOM_CHARACTERS)
    .map((byte) => BASE62[byte % 62])
  if (characters.length < KEY_RANDOM_CHARACTERS) throw new RangeError('too few random bytes for a key')
  const body = `iis_${environment}_${TYPE_MARKS[type]}_${characters.join('')}`
  return body + checksum(body)
}

/** The type that a key's own text claims, or null when the text is no key or its checksum is wrong. */
export function readKey(text: string): { readonly type: KeyType } | null {
  const parts = KEY_FORM.exec(text)
  if (parts === null) return null
  if (checksum(text.slice(0, -CHECKSUM_CHARACTERS)) !== parts[4]) return null
  return { type: parts[2] === 'adm' ? 'admin' : 'assistant' }
}

/** What people recognise a key by. */
export const keyDisplay = (text: string): Pick<ApiKey, 'prefix' | 'last4'> => ({
  prefix: text.slice(0, text.length - KEY_RANDOM_CHARACTERS - CHECKSUM_CHARACTERS),
  last4: text.slice(-4),
})
