import { randomBytes } from 'node:crypto'
import type { ConsoleSettings } from '#shared/contract/console.ts'
import { codeVerifier, cookieBrowser } from '#test/cookie-browser.ts'

/** What a browser holds once somebody has signed in. */
export interface Tokens {
  readonly access: string
  readonly id: string
  /** Seconds that the access token lasts. */
  readonly lasts: number
}

/** What the console's page is told of where users sign in. */
async function settingsOf(baseUrl: string): Promise<ConsoleSettings> {
  const page = await (await fetch(`${baseUrl}/console/`)).text()
  const given = /<meta name="console-settings" content="([^"]*)"/.exec(page)?.[1]
  if (given === undefined) throw new Error('the page of the console does not say where users sign in')
  const text = given.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
  return JSON.parse(text) as ConsoleSettings
}

/** Signs in as a browser does at the pages of the local service: a form, a code, and its verifier for the tokens. */
export async function signIn(baseUrl: string, user: string, password: string): Promise<Tokens> {
  const { base, signIn: place } = await settingsOf(baseUrl)
  const redirect_uri = new URL(base, baseUrl).href
  const { verifier, challenge } = codeVerifier()
  const wanted = {
    client_id: place.clientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri,
    state: randomBytes(8).toString('hex'),
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const open = cookieBrowser(place.address)
  const go = async (address: string, filledIn?: Readonly<Record<string, string>>) =>
    (await open(address, filledIn)).to ?? ''
  const form = await go(`/oauth2/authorize?${new URLSearchParams(wanted).toString()}`)
  await go(form)
  const back = new URL(await go(await go(form, { user, password })))
  const code = back.searchParams.get('code')
  if (code === null || back.searchParams.get('state') !== wanted.state)
    throw new Error(`${user} was led back without a code: ${back.search}`)
  const answer = await fetch(`${place.address}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: place.clientId,
      redirect_uri,
      code,
      code_verifier: verifier,
    }),
  })
  const { access_token, id_token, expires_in } = (await answer.json()) as Record<string, string>
  if (access_token === undefined || id_token === undefined)
    throw new Error('the code was taken for no tokens')
  return { access: access_token, id: id_token, lasts: Number(expires_in) }
}
