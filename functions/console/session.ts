import { computed, signal } from '@preact/signals'
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import { forgetAsked } from './asked-questions.ts'
import { settings } from './settings.ts'

/** Who is signed in. It ends with the page: no token of it is ever stored. */
export interface Session {
  /** The same over names and sign-ins. */
  readonly id: string
  /** As people know themselves: their address, or the name they signed in with. */
  readonly name: string
  /** Whether they may change anything; the API decides, this only spares them buttons that it would refuse. */
  readonly isAdmin: boolean
}

/** `pending` until it is known whether somebody is signed in. */
export const session = signal<Session | 'pending' | null>('pending')
/** Whether whoever is signed in may change things. */
export const mayChange = computed(() => {
  const who = session.value
  return who !== null && who !== 'pending' && who.isAdmin
})
/** Why the last attempt to sign in failed, in words. */
export const signInProblem = signal<string | null>(null)

interface Tokens {
  readonly access: string
  readonly refresh: string | undefined
  /** When the access token ends, ms. */
  readonly endsAt: number
}
let tokens: Tokens | null = null

/** What a sign-in under way must find again when the browser comes back; it ends with the tab. */
const UNDER_WAY = 'sign-in-under-way'
/** Set when people signed out: a reload must not sign them in again behind their backs. */
const SIGNED_OUT = 'signed-out'
/** A token that ends within it is renewed first. */
const RENEW_BEFORE_MS = 30_000

const { address, issuer, clientId } = settings.signIn
const server: AuthorizationServer = {
  issuer,
  authorization_endpoint: `${address}/oauth2/authorize`,
  token_endpoint: `${address}/oauth2/token`,
}
const client: Client = { client_id: clientId }
/** The local sign-in service answers by plain http on this machine. */
const options = { [allowInsecureRequests]: new URL(address).hostname === '127.0.0.1' }
const returnAddress = new URL(settings.base, location.origin).href

interface UnderWay {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  /** Where the person was. */
  readonly returnTo: string
}

/** The claims of a token that came straight from the issuer. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
}

function take(answer: TokenEndpointResponse): void {
  tokens = {
    access: answer.access_token,
    refresh: answer.refresh_token ?? tokens?.refresh,
    endsAt: Date.now() + (answer.expires_in ?? 0) * 1_000,
  }
  const claims = claimsOf(answer.access_token)
  const groups = Array.isArray(claims['cognito:groups']) ? claims['cognito:groups'] : []
  const email = getValidatedIdTokenClaims(answer)?.email
  const known = session.peek()
  session.value = {
    id: String(claims.sub),
    name: String(email ?? (known !== null && known !== 'pending' ? known.name : claims.username)),
    isAdmin: groups.includes('admin'),
  }
}

/**
 * Leads the browser to the sign-in pages; it comes back with a code, or with why not.
 * @param silently takes what the provider still knows, and shows no page
 */
export async function signIn(silently = false): Promise<void> {
  const underWay: UnderWay = {
    verifier: generateRandomCodeVerifier(),
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    returnTo: location.pathname + location.search,
  }
  sessionStorage.setItem(UNDER_WAY, JSON.stringify(underWay))
  sessionStorage.removeItem(SIGNED_OUT)
  const to = new URL(server.authorization_endpoint ?? '')
  to.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: returnAddress,
    scope: 'openid',
    state: underWay.state,
    nonce: underWay.nonce,
    code_challenge: await calculatePKCECodeChallenge(underWay.verifier),
    code_challenge_method: 'S256',
    ...(silently ? { prompt: 'none' } : {}),
  }).toString()
  location.replace(to)
}

/** Takes the code that stands in the address that the browser came back to. @throws what the provider or the check of its answer said */
async function comeBack(came: URL, underWay: UnderWay): Promise<void> {
  const parameters = validateAuthResponse(server, client, came, underWay.state)
  const answer = await authorizationCodeGrantRequest(
    server,
    client,
    None(),
    parameters,
    returnAddress,
    underWay.verifier,
    options,
  )
  take(
    await processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: underWay.nonce,
      requireIdToken: true,
    }),
  )
}

function readUnderWay(): UnderWay | null {
  const kept = sessionStorage.getItem(UNDER_WAY)
  sessionStorage.removeItem(UNDER_WAY)
  return kept === null ? null : (JSON.parse(kept) as UnderWay)
}

/** Finds out who is signed in: from the code in the address, or else by asking the provider without a page. */
export async function resumeSession(): Promise<void> {
  const came = new URL(location.href)
  const given = came.searchParams
  const isReturn = given.has('state') && (given.has('code') || given.has('error'))
  const underWay = readUnderWay()
  if (!isReturn) {
    if (sessionStorage.getItem(SIGNED_OUT) === null) return signIn(true)
    session.value = null
    return
  }
  // Neither code nor state stay in the address, whatever comes of them.
  const returnTo = underWay?.returnTo.startsWith(settings.base) ? underWay.returnTo : settings.base
  history.replaceState(null, '', returnTo)
  const failure = given.get('error')
  try {
    if (underWay !== null && failure === null) await comeBack(came, underWay)
    else session.value = null
  } catch {
    session.value = null
    signInProblem.value = 'The sign-in did not come to an end. Please try again.'
  }
  if (failure !== null && failure !== 'login_required') {
    signInProblem.value = 'The sign-in service refused. Please try again.'
  }
}

/** Everyone who needs a new token waits for the same one. */
let renewal: Promise<void> | null = null

async function renew(refresh: string): Promise<void> {
  const answer = await refreshTokenGrantRequest(server, client, None(), refresh, options)
  take(await processRefreshTokenResponse(server, client, answer))
}

/** The sign-in service gave no answer to whoever is still signed in, as far as anybody knows. */
export class SignInUnreachable extends Error {}

/** A refused renewal ends the session; one that nobody answered leaves it, since the next one may succeed. */
function endIfRefused(failure: unknown): void {
  if (!(failure instanceof ResponseBodyError)) throw new SignInUnreachable()
  endSession()
}

/** Forgets who was signed in, such as after the API refused the token. */
export function endSession(): void {
  tokens = null
  session.value = null
}

/**
 * An access token that is valid for a while, or null where nobody is signed in any more.
 * @throws SignInUnreachable where it must be renewed and the sign-in service gives no answer
 */
export async function accessToken(): Promise<string | null> {
  if (tokens === null) return null
  if (tokens.endsAt - Date.now() > RENEW_BEFORE_MS) return tokens.access
  if (tokens.refresh === undefined) {
    endSession()
    return null
  }
  renewal ??= renew(tokens.refresh)
    .catch(endIfRefused)
    .finally(() => {
      renewal = null
    })
  await renewal
  return (tokens as Tokens | null)?.access ?? null
}

/** Ends the session here and at the provider. */
export function signOut(): void {
  endSession()
  forgetAsked(sessionStorage)
  sessionStorage.setItem(SIGNED_OUT, 'yes')
  const to = new URL(`${address}/logout`)
  to.search = new URLSearchParams({ client_id: clientId, logout_uri: returnAddress }).toString()
  location.assign(to)
}
