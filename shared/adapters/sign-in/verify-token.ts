import { createPublicKey, type JsonWebKey } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { JwtVerifier } from 'aws-jwt-verify'
import { validateCognitoJwtFields } from 'aws-jwt-verify/cognito-verifier'
import {
  JwksValidationError,
  JwtBaseError,
  KidNotFoundInJwksError,
  WaitPeriodNotYetEndedJwkError,
} from 'aws-jwt-verify/error'
import { isJwk, type Jwk, type Jwks, type PenaltyBox, SimpleJwksCache } from 'aws-jwt-verify/jwk'
import type { Clock } from '../../domain/ports.ts'
import { groupAmong, type SignedInUser } from '../../domain/user.ts'

/** Who issues access tokens, and for which client. */
export interface SignInNames {
  readonly issuer: string
  readonly clientId: string
}

/** The issuer's keys are asked for at most this often for tokens whose key is unknown: anybody can write one. */
const LOOK_MS = 60_000
/** The issuer's keys are a few KB next door. */
const FETCH_MS = 3_000
const MOST_KEY_BYTES = 64 * 1_024
/** Subjects are UUIDs; anything longer or stranger is none that a sign-in service gives. */
const SUBJECT = /^[\w-]{1,64}$/
const NAME = /^[^\p{Cc}]{1,128}$/u

/** Lets the issuer's keys be fetched again only some time after they turned out not to hold the one that was wanted. */
function oneLookAMinute(clock: Clock): PenaltyBox {
  let failedAt = Number.NEGATIVE_INFINITY
  return {
    async wait() {
      if (Math.abs(clock() - failedAt) < LOOK_MS)
        throw new WaitPeriodNotYetEndedJwkError('the keys of the issuer were looked at a moment ago')
    },
    registerFailedAttempt() {
      failedAt = clock()
    },
    registerSuccessfulAttempt() {},
  }
}

/**
 * Node's own client: the global fetch would load all of undici for one small file.
 * @throws Error when the issuer does not give its keys: that is no verdict about any token
 */
function fetchKeys(uri: string): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    // Http only where the issuer is this machine's own: its address is configured, never a caller's.
    const get = uri.startsWith('https:') ? https.get : http.get
    const asked = get(uri, { signal: AbortSignal.timeout(FETCH_MS) }, (answer) => {
      const chunks: Buffer[] = []
      let room = MOST_KEY_BYTES
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        room -= chunk.length
        if (room < 0)
          answer.destroy(new Error(`the issuer of tokens gives more than ${MOST_KEY_BYTES} bytes of keys`))
      })
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(new Uint8Array(Buffer.concat(chunks)).buffer)
        else reject(new Error(`the issuer of tokens answers ${answer.statusCode} for its keys`))
      })
    })
    asked.on('error', reject)
  })
}

/** Whether a signature can be verified by a key, whatever it is for. */
function isUsable(key: unknown): boolean {
  try {
    return isJwk(key as Jwk) && createPublicKey({ key: key as JsonWebKey, format: 'jwk' }) !== undefined
  } catch {
    return false
  }
}

/** The keys of an answer, and the names of those that are none. */
interface KeysRead {
  readonly usable: Jwks
  readonly spoilt: ReadonlySet<unknown>
}

/**
 * Reads the issuer's keys; one that is malformed spoils no other.
 * @throws JwksValidationError when the answer holds no key that can be used: it says nothing about any token
 */
function readKeys(bytes: ArrayBuffer): KeysRead {
  let answer: { readonly keys?: unknown } | null
  try {
    answer = JSON.parse(Buffer.from(bytes).toString())
  } catch {
    throw new JwksValidationError('what the issuer of tokens answers for its keys is no JSON')
  }
  const all: readonly unknown[] = Array.isArray(answer?.keys) ? answer.keys : []
  const keys = all.filter(isUsable) as Jwk[]
  if (keys.length === 0) throw new JwksValidationError('the issuer of tokens gives no key that can be used')
  const spoilt = all.filter((key) => !isUsable(key)) as readonly ({ readonly kid?: unknown } | null)[]
  return { usable: { keys }, spoilt: new Set(spoilt.map((key) => key?.kid)) }
}

/** The name of the key that a token says it is signed by; of one that was found to be a token. */
const keyNamedIn = (token: string): unknown =>
  (JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as { kid?: unknown }).kid

/** User pools write their issuer in one of two ways; both are the same pool. */
const issuersOf = (issuer: string): readonly string[] => {
  const other = issuer.replace(/^https:\/\/cognito-idp\./, 'https://issuer-cognito-idp.')
  return other === issuer ? [issuer] : [issuer, other]
}

/**
 * Makes what verifies access tokens: signature by a key of the issuer, issuer, client, expiry and use. An ID token is no
 * access token.
 * @returns a function that gives the user, or null for anything that is no valid access token; it throws when the
 * issuer's keys, or the one that the token names, cannot be had
 */
export function tokenVerifier(
  { issuer, clientId }: SignInNames,
  clock: Clock,
): (token: string) => Promise<SignedInUser | null> {
  let spoilt: KeysRead['spoilt'] = new Set()
  const verifier = JwtVerifier.create(
    issuersOf(issuer).map((each) => ({
      issuer: each,
      audience: null,
      jwksUri: `${issuer}/.well-known/jwks.json`,
    })),
    {
      jwksCache: new SimpleJwksCache({
        fetcher: { fetch: fetchKeys },
        penaltyBox: oneLookAMinute(clock),
        jwksParser: (bytes) => {
          const read = readKeys(bytes)
          spoilt = read.spoilt
          return read.usable
        },
      }),
    },
  )
  return async (token) => {
    try {
      const payload = await verifier.verify(token)
      validateCognitoJwtFields(payload, { tokenUse: 'access', clientId })
      const { sub, iat, exp, username } = payload
      const groups: unknown = payload['cognito:groups']
      // What never expires, or was issued nobody knows when, is refused too.
      if (sub === undefined || !SUBJECT.test(sub) || iat === undefined || exp === undefined) return null
      return {
        id: `user_${sub}`,
        name: typeof username === 'string' && NAME.test(username) ? username : sub,
        group: groupAmong(Array.isArray(groups) ? groups : []),
        issued_at: iat * 1_000,
      }
    } catch (error) {
      const missing =
        error instanceof KidNotFoundInJwksError || error instanceof WaitPeriodNotYetEndedJwkError
      // The issuer has the key, and gives it so that nobody can read it: the token may well be good.
      if (missing && spoilt.has(keyNamedIn(token)))
        throw new Error('the issuer of tokens gives a malformed key', { cause: error })
      if (error instanceof JwtBaseError && !(error instanceof JwksValidationError)) return null
      throw error
    }
  }
}
