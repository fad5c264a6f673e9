import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_CLIENT } from '#infra/local/local-users.ts'
import { type SignIn, startSignIn } from '#infra/local/sign-in.ts'
import { tokenVerifier } from '#shared/adapters/sign-in/verify-token.ts'
import { codeVerifier, cookieBrowser } from '#test/cookie-browser.ts'

const CONSOLE = 'http://127.0.0.1:4010/v1/console/'
const folder = mkdtempSync(join(tmpdir(), 'sign-in-'))
const file = join(folder, 'sign-in.json')
let signIn: SignIn
beforeAll(async () => {
  signIn = await startSignIn({ file })
  signIn.returnTo(CONSOLE)
})
afterAll(async () => {
  await signIn.stop()
  rmSync(folder, { recursive: true, force: true })
})

const browser = () => cookieBrowser(signIn.issuer)

const { verifier, challenge } = codeVerifier()
const authorize = (change: Readonly<Record<string, string | undefined>> = {}): string => {
  const wanted = {
    client_id: LOCAL_CLIENT,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: CONSOLE,
    state: 'state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...change,
  }
  const given = Object.entries(wanted).filter((each): each is [string, string] => each[1] !== undefined)
  return `/oauth2/authorize?${new URLSearchParams(given).toString()}`
}

/** Goes to the form, fills it in, and follows to where the page would be shown again. */
async function signingIn(go: ReturnType<typeof browser>, user: string, password: string) {
  const { to: form } = await go(authorize())
  expect(form).toMatch(/^\/interaction\//)
  const shown = await go(form ?? '')
  expect(shown.answer.status).toBe(200)
  const sent = await go(form ?? '', { user, password })
  return sent.to === null ? sent : go(sent.to)
}

const exchange = (form: Readonly<Record<string, string>>, origin = new URL(CONSOLE).origin) =>
  fetch(`${signIn.issuer}/oauth2/token`, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({ client_id: LOCAL_CLIENT, redirect_uri: CONSOLE, ...form }),
  })

describe('signing in on this machine', () => {
  it('leads over a page with a form to a code, and with its verifier to a token that the API takes', async () => {
    const go = browser()
    const { to } = await signingIn(go, 'admin', signIn.password)
    const back = new URL(to ?? '')
    expect(back.href).toMatch(CONSOLE)
    expect(back.searchParams.get('state')).toBe('state')
    const code = back.searchParams.get('code') ?? ''
    const answer = await exchange({ grant_type: 'authorization_code', code, code_verifier: verifier })
    expect(answer.headers.get('access-control-allow-origin')).toBe(new URL(CONSOLE).origin)
    const tokens = (await answer.json()) as Record<string, string>
    expect(tokens).toMatchObject({ expires_in: 900, token_type: 'Bearer' })
    const verify = tokenVerifier(signIn, Date.now)
    expect(await verify(tokens.access_token ?? '')).toMatchObject({ name: 'admin', group: 'admin' })
    // What tells the page who signed in is no access.
    expect(await verify(tokens.id_token ?? '')).toBeNull()
    const again = await exchange({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' })
    const renewed = (await again.json()) as Record<string, string>
    expect(await verify(renewed.access_token ?? '')).toMatchObject({ name: 'admin' })
    // A second page of the same browser needs no form; after signing out it does.
    expect((await go(authorize({ prompt: 'none' }))).to).toContain('code=')
    expect((await go('/logout')).to).toBe(CONSOLE)
    expect((await go(authorize())).to).toMatch(/^\/interaction\//)
  })

  it('takes no other name and no other password, and does not say which was wrong', async () => {
    const texts: string[] = []
    for (const [user, password] of [
      ['admin', 'guess'],
      ['nobody', signIn.password],
      ['__proto__', signIn.password],
      ['<script>', ''],
    ] as const) {
      const { answer, text } = await signingIn(browser(), user, password)
      expect(answer.status).toBe(401)
      expect(text).toContain('role="alert"')
      expect(text).not.toContain('<script>')
      texts.push(text.replace(/interaction\/[\w-]+/, ''))
    }
    expect(new Set(texts).size).toBe(1)
  })

  it('shows its form nowhere but on a page of its own, without scripts', async () => {
    const go = browser()
    const { to } = await go(authorize())
    const policy = (await go(to ?? '')).answer.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
  })

  it.each([
    ['without a challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with a challenge that is the verifier itself', { code_challenge_method: 'plain' }],
    ['for a token in the address', { response_type: 'token' }],
  ])('is refused %s', async (_what, change) => {
    const { to } = await browser()(authorize(change))
    expect(new URL(to ?? 'http://none/').href).toMatch(/error=/)
    expect(to).not.toContain('code=')
  })

  it.each([
    ['another page', { redirect_uri: 'http://127.0.0.1:4010/v1/elsewhere' }],
    ['another host', { redirect_uri: 'https://example.com/v1/console/' }],
    ['another client', { client_id: 'another' }],
  ])('leads nobody back to %s', async (_what, change) => {
    const { answer, to } = await browser()(authorize(change))
    expect(answer.status).toBe(400)
    expect(to).toBeNull()
  })

  it('gives no token for a code without its verifier, nor twice for one, nor to a page of another origin', async () => {
    const codeOf = async () => {
      const { to } = await signingIn(browser(), 'viewer', signIn.password)
      return new URL(to ?? '').searchParams.get('code') ?? ''
    }
    const code = await codeOf()
    const wrong = await exchange({ grant_type: 'authorization_code', code, code_verifier: 'x'.repeat(43) })
    expect(wrong.status).toBe(400)
    const form = { grant_type: 'authorization_code', code: await codeOf(), code_verifier: verifier }
    expect((await exchange(form, 'https://example.com')).status).toBe(400)
    const good = { ...form, code: await codeOf() }
    expect((await exchange(good)).status).toBe(200)
    expect((await exchange(good)).status).toBe(400)
  })

  it('waits until it is known where to come back to', async () => {
    const early = await startSignIn({ file: join(folder, 'early.json') })
    expect((await fetch(`${early.issuer}${authorize()}`)).status).toBe(503)
    expect((await fetch(`${early.issuer}/.well-known/jwks.json`)).status).toBe(200)
    await early.stop()
  })
})

describe('what is kept of it', () => {
  it('is the key and the password, for their owner alone, over restarts', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const again = await startSignIn({ file })
    expect(again.password).toBe(signIn.password)
    const keysOf = async ({ issuer }: SignIn) => (await fetch(`${issuer}/.well-known/jwks.json`)).text()
    expect(await keysOf(again)).toBe(await keysOf(signIn))
    expect(await keysOf(again)).not.toContain('"d"')
    await again.stop()
  })

  it('is told to be broken when it is', async () => {
    const broken = join(folder, 'broken.json')
    for (const text of ['', '{}', '{"key":{},"password":"x"}']) {
      writeFileSync(broken, text)
      await expect(startSignIn({ file: broken })).rejects.toThrow(`${broken} holds no key and password`)
    }
    await expect(startSignIn({ file: folder })).rejects.toThrow('cannot be read')
  })

  it('does not end the start when its port is taken', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const beside = await startSignIn({ file, port })
    expect(beside.issuer).not.toContain(`:${port}`)
    await beside.stop()
    other.close()
    const free = await startSignIn({ file, port })
    expect(free.issuer).toContain(`:${port}`)
    await free.stop()
  })
})
