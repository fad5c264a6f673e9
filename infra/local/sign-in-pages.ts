import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, { type Adapter, type AdapterPayload, type JWK } from 'oidc-provider'
import {
  LOCAL_CLIENT,
  LOCAL_USERS,
  type LocalUser,
  type SignInSecrets,
  TOKEN_SECONDS,
  userClaims,
} from './local-users.ts'

export interface SignInPagesOptions {
  readonly issuer: string
  readonly secrets: SignInSecrets
  /** Page to which browsers come back. */
  readonly at: string
}

/** A working day, as deployed. */
const SESSION_SECONDS = 43_200
/** Time to type a password. */
const FORM_SECONDS = 600
/** A form with a name and a password. */
const MOST_FORM_BYTES = 4_096

/** What the provider remembers, for as long as this process lives. */
function memory(): (model: string) => Adapter {
  const kept = new Map<string, { readonly payload: AdapterPayload; readonly until: number }>()
  return (model) => {
    const nameOf = (id: string) => `${model}:${id}`
    const find = (id: string): AdapterPayload | undefined => {
      const found = kept.get(nameOf(id))
      return found === undefined || found.until <= Date.now() ? undefined : found.payload
    }
    return {
      async upsert(id, payload, expiresIn) {
        for (const [name, { until }] of kept) if (until <= Date.now()) kept.delete(name)
        kept.set(nameOf(id), { payload, until: Date.now() + (expiresIn ?? SESSION_SECONDS) * 1_000 })
      },
      find: async (id) => find(id),
      findByUserCode: async () => undefined,
      async findByUid(uid) {
        for (const [name, { payload }] of kept)
          if (payload.uid === uid && name.startsWith(`${model}:`)) return find(name.slice(model.length + 1))
        return undefined
      },
      async consume(id) {
        const payload = find(id)
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000)
      },
      async destroy(id) {
        kept.delete(nameOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [name, { payload }] of kept) if (payload.grantId === grantId) kept.delete(name)
      },
    }
  }
}

const isUser = (name: string): name is LocalUser => Object.hasOwn(LOCAL_USERS, name)
const userOf = (sub: string): LocalUser | undefined =>
  (Object.keys(LOCAL_USERS) as LocalUser[]).find((name) => LOCAL_USERS[name].sub === sub)

function isPassword(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > MOST_FORM_BYTES) throw new Error('the form is too large')
  }
  return new URLSearchParams(text)
}

const STYLE = `:root{color-scheme:light dark;font-family:system-ui,sans-serif}body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f6f7f9,#14171c);color:light-dark(#1b2430,#e6eaf0)}main{width:min(22rem,calc(100vw - 3rem))}h1{font-size:1.25rem}label{display:block;margin-top:1rem}input{box-sizing:border-box;width:100%;font:inherit;padding:.5rem;margin-top:.25rem}button{margin-top:1.5rem;width:100%;font:inherit;padding:.6rem;border:0;border-radius:.3rem;background:#1f5fbf;color:#fff}p[role=alert]{color:light-dark(#a11,#ff9a9a)}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The one page; nothing of a request is ever part of it but the name of a form that the provider made. */
const page = (
  uid: string,
  isWrong: boolean,
): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Sign in · Incident investigator</title>
<style>${STYLE}</style></head><body><main><h1>Sign in to the incident investigator</h1>
<p>On this machine the users are admin and viewer; npm start tells the password.</p>
${isWrong ? '<p role="alert">There is no such user, or the password is another one.</p>' : ''}
<form method="post" action="/interaction/${uid}"><label>User<input name="user" autocomplete="username" required autofocus></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form></main></body></html>`

const hasForm = /^\/interaction\/([\w-]{1,64})$/

/** The pages and endpoints of the local sign-in service: OpenID Connect with a code and PKCE, and a login page. */
export function signInPages({ issuer, secrets, at }: SignInPagesOptions) {
  const origin = new URL(at).origin
  // People write either name of this machine into the address bar.
  const addresses = [at, at.replace('//127.0.0.1:', '//localhost:')]
  const origins = addresses.map((address) => new URL(address).origin)
  const provider = new Provider(issuer, {
    adapter: memory(),
    jwks: { keys: [secrets.key as JWK] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    clients: [
      {
        client_id: LOCAL_CLIENT,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: addresses,
        application_type: 'web',
      },
    ],
    clientBasedCORS: (_context, from) => origins.includes(from),
    pkce: { required: () => true },
    scopes: ['openid'],
    routes: { jwks: '/.well-known/jwks.json', authorization: '/oauth2/authorize', token: '/oauth2/token' },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => issuer,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'openid',
          accessTokenFormat: 'jwt',
          accessTokenTTL: TOKEN_SECONDS,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    ttl: {
      Session: SESSION_SECONDS,
      Grant: SESSION_SECONDS,
      RefreshToken: SESSION_SECONDS,
      Interaction: FORM_SECONDS,
      AuthorizationCode: 60,
      IdToken: TOKEN_SECONDS,
      AccessToken: TOKEN_SECONDS,
    },
    issueRefreshToken: () => true,
    // The reasons are texts of the provider; none of them is markup here.
    renderError: (context, { error, error_description }) => {
      context.type = 'text/plain'
      context.body = `The sign-in service refuses the request: ${error} (${error_description ?? ''}).`
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: (_context, token) => {
      const name = 'accountId' in token ? userOf(String(token.accountId)) : undefined
      return name === undefined ? {} : userClaims(name)
    },
    // Whoever may sign in here may use the console: there is nobody to ask for consent.
    loadExistingGrant: async (context) => {
      const grant = new provider.Grant({
        clientId: LOCAL_CLIENT,
        accountId: context.oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid')
      grant.addResourceScope(issuer, 'openid')
      await grant.save()
      return grant
    },
  })
  const serveProtocol = provider.callback()

  const showForm = (response: ServerResponse, uid: string, isWrong: boolean): void => {
    response
      .writeHead(isWrong ? 401 : 200, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${origins.join(' ')}; frame-ancestors 'none'; base-uri 'none'`,
      })
      .end(page(uid, isWrong))
  }

  const interact = async (request: IncomingMessage, response: ServerResponse, uid: string): Promise<void> => {
    // Throws for a form that is not of this browser, or too old.
    const details = await provider.interactionDetails(request, response)
    if (details.uid !== uid) throw new Error('the form is another one')
    if (request.method !== 'POST') return showForm(response, uid, false)
    const form = await readForm(request)
    const name = form.get('user') ?? ''
    if (!isUser(name) || !isPassword(form.get('password') ?? '', secrets.password))
      return showForm(response, uid, true)
    await provider.interactionFinished(request, response, { login: { accountId: LOCAL_USERS[name].sub } })
  }

  /** Forgets the browser's session and leads it back. */
  const signOut = (response: ServerResponse): void => {
    const gone = ['_session', '_session.sig', '_session.legacy', '_session.legacy.sig']
    response
      .writeHead(303, {
        location: at,
        'set-cookie': gone.map((name) => `${name}=; path=/; max-age=0; httponly`),
      })
      .end()
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = new URL(request.url ?? '/', origin).pathname
    const uid = hasForm.exec(path)?.[1]
    if (path === '/logout') signOut(response)
    else if (uid === undefined) void serveProtocol(request, response)
    else
      interact(request, response, uid).catch(() => {
        response.writeHead(303, { location: at }).end()
      })
  }
}
