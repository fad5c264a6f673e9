import { MOST_BODY_BYTES, tooLarge } from '../contract/errors.ts'
import { invalidField, Refusal } from '../domain/errors.ts'
import { repeatedName } from './repeated-names.ts'

/** Deepest nesting of a body: far below what makes a recursive walk overflow. */
const MOST_DEPTH = 32
/** Names through which a merge could reach an object's prototype. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])
const BYTE = {
  quote: 0x22,
  backslash: 0x5c,
  openBrace: 0x7b,
  openBracket: 0x5b,
  closeBrace: 0x7d,
  closeBracket: 0x5d,
  colon: 0x3a,
}

/**
 * The bytes of a request's body as the client sent them.
 * @throws Refusal `too_large` above `most` bytes
 */
export function bodyBytes(body: string | null, isBase64Encoded: boolean, most = MOST_BODY_BYTES): Uint8Array {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > most) {
    throw new Refusal('too_large', tooLarge(most), {
      field: 'body',
      reason: `must have at most ${most} bytes`,
    })
  }
  return bytes
}

/**
 * The number of members that all objects of a JSON text have, each with its colon; null when brackets nest deeper than
 * allowed. Found without parsing: JSON.parse itself would take millions.
 */
function membersWithin(bytes: Uint8Array): number | null {
  let depth = 0
  let members = 0
  let inString = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (inString) {
      if (byte === BYTE.backslash) index += 1
      else if (byte === BYTE.quote) inString = false
    } else if (byte === BYTE.quote) inString = true
    else if (byte === BYTE.openBrace || byte === BYTE.openBracket) {
      depth += 1
      if (depth > MOST_DEPTH) return null
    } else if (byte === BYTE.closeBrace || byte === BYTE.closeBracket) depth -= 1
    else if (byte === BYTE.colon) members += 1
  }
  return members
}

/** Why a text cannot be taken, or null when it can. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not hold the NUL character'
  if (!text.isWellFormed()) return 'must be well-formed Unicode'
  return null
}

/**
 * Refuses what no operation takes, anywhere in a parsed body: hostile names, NUL, lone surrogates, infinities.
 * @returns the number of members that all its objects have
 */
function refuseHostile(value: unknown, path: string): number {
  let members = 0
  if (typeof value === 'string') {
    const problem = textProblem(value)
    if (problem !== null) throw invalidField(path || 'body', problem)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidField(path || 'body', 'must be a finite number')
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      members += refuseHostile(item, `${path}[${index}]`)
    })
  } else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) {
      if (FORBIDDEN_KEYS.has(key))
        throw invalidField(path === '' ? key : `${path}.${key}`, 'is not an allowed name')
      const problem = textProblem(key)
      if (problem !== null) throw invalidField(path || 'body', `names ${problem}`)
      members += 1 + refuseHostile(member, path === '' ? key : `${path}.${key}`)
    }
  }
  return members
}

/**
 * Checks what a tool sends as far as its form: JSON, of which anything is taken, since tools add to it as they like. That
 * includes a name that an object has twice, of which the last counts: nobody here could mend the tool, and a refused alert
 * is a lost one.
 * @throws Refusal `invalid` when it is no JSON, no UTF-8 or nests too deep
 */
export function requireJson(bytes: Uint8Array): void {
  parseJson(bytes)
}

interface Parsed {
  readonly text: string
  readonly value: unknown
  /** Members that the text has: more than the value, where a name is repeated. */
  readonly members: number
}

function parseJson(bytes: Uint8Array): Parsed {
  if (bytes.length === 0) throw invalidField('body', 'is empty; it must be valid JSON')
  const members = membersWithin(bytes)
  if (members === null) throw invalidField('body', `must nest at most ${MOST_DEPTH} levels`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidField('body', 'must be UTF-8')
  }
  try {
    return { text, value: JSON.parse(text) as unknown, members }
  } catch {
    // The parser's own message quotes the input, which may hold a secret.
    throw invalidField('body', 'must be valid JSON')
  }
}

/**
 * Parses a JSON body.
 * @throws Refusal `invalid` naming the field when it is no JSON, no UTF-8, nests too deep, names a field twice or holds
 * what no operation takes
 */
export function readJson(bytes: Uint8Array): unknown {
  const { text, value, members } = parseJson(bytes)
  // What the parser dropped is missed by count, which costs next to nothing; where it stood is looked for only then.
  if (refuseHostile(value, '') < members) {
    const field = repeatedName(text) ?? 'body'
    const problem = textProblem(field)
    throw problem === null
      ? invalidField(field, 'must be given once')
      : invalidField('body', `names ${problem}`)
  }
  return value
}
