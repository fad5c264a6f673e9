import { createHmac, createPublicKey } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_USERS } from '#infra/local/local-users.ts'
import { type SignIn, startSignIn } from '#infra/local/sign-in.ts'
import { tokenVerifier } from '#shared/adapters/sign-in/verify-token.ts'

let folder: string
let signIn: SignIn
/** A service of the same form that nobody trusts. */
let stranger: SignIn
let verify: ReturnType<typeof tokenVerifier>
const now = () => Math.floor(Date.now() / 1_000)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-token-'))
  signIn = await startSignIn({ file: join(folder, 'one.json') })
  stranger = await startSignIn({ file: join(folder, 'other.json') })
  verify = tokenVerifier(signIn, Date.now)
})
afterAll(async () => {
  await signIn.stop()
  await stranger.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('a valid access token', () => {
  it('tells who signed in, when, and in which group', async () => {
    const user = await verify(signIn.token('viewer'))
    expect(user).toMatchObject({ id: `user_${LOCAL_USERS.viewer.sub}`, name: 'viewer', group: 'viewer' })
    expect(Math.abs((user?.issued_at ?? 0) - Date.now())).toBeLessThan(5_000)
  })

  it.each([
    [['viewer', 'admin'], 'admin'],
    [['strangers'], null],
    [[], null],
    [undefined, null],
    ['admin', null],
  ])('with the groups %j makes a user of group %s', async (groups, group) => {
    expect((await verify(signIn.token('admin', { 'cognito:groups': groups })))?.group).toBe(group)
  })

  it.each([undefined, 7, 'a\nb', 'x'.repeat(200)])(
    'calls a user by the subject whose name is %j',
    async (username) => {
      const { sub } = LOCAL_USERS.admin
      expect((await verify(signIn.token('admin', { username })))?.name).toBe(sub)
    },
  )
})

describe('no user is behind a token', () => {
  const wrongClaims: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['of another issuer', { iss: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_other' }],
    ['for another client', { client_id: 'another' }],
    ['for no client', { client_id: undefined }],
    ['that is an ID token', { token_use: 'id', aud: 'local-console' }],
    ['of no use', { token_use: undefined }],
    ['that has expired', { exp: now() - 1 }],
    ['that never expires', { exp: undefined }],
    ['that is not valid yet', { nbf: now() + 600 }],
    ['that was issued nobody knows when', { iat: undefined }],
    ['without a subject', { sub: undefined }],
    ['with a subject that no sign-in service gives', { sub: '../KEY#1' }],
  ]
  it.each(wrongClaims)('%s', async (_what, change) => {
    expect(await verify(signIn.token('admin', change))).toBeNull()
  })

  it('signed by another issuer, whatever it claims', async () => {
    expect(await verify(stranger.token('admin', { iss: signIn.issuer }))).toBeNull()
  })

  it('whose claims were changed after it was signed', async () => {
    const [header, claims, signature] = signIn.token('viewer').split('.')
    const changed = encode({ ...decode(claims), 'cognito:groups': ['admin'] })
    expect(await verify(`${header}.${changed}.${signature}`)).toBeNull()
  })

  it('that is not signed', async () => {
    const [header, claims] = signIn.token('admin').split('.')
    const none = encode({ ...decode(header), alg: 'none' })
    expect(await verify(`${none}.${claims}.`)).toBeNull()
    expect(await verify(`${none}.${claims}.x`)).toBeNull()
  })

  it('signed with the public key as a shared secret', async () => {
    const { key } = JSON.parse(await readFile(join(folder, 'one.json'), 'utf8'))
    const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    const [header, claims] = signIn.token('admin').split('.')
    const input = `${encode({ ...decode(header), alg: 'HS256' })}.${claims}`
    const signature = createHmac('sha256', pem).update(input).digest('base64url')
    expect(await verify(`${input}.${signature}`)).toBeNull()
  })

  it.each(['', 'a.b.c', 'eyJ.eyJ.x', `${encode({})}.${encode([])}.x`])('that is none: %j', async (text) => {
    expect(await verify(text)).toBeNull()
  })
})

describe('the keys of the issuer', () => {
  let keys: Server
  let issuer: string
  let asked = 0
  let answer: { readonly status: number; readonly body: string }
  beforeAll(async () => {
    const jwks = await (await fetch(`${signIn.issuer}/.well-known/jwks.json`)).text()
    answer = { status: 200, body: jwks }
    keys = createServer((_request, response) => {
      asked += 1
      response.writeHead(answer.status).end(answer.body)
    })
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve))
    issuer = `http://127.0.0.1:${(keys.address() as AddressInfo).port}`
  })
  afterAll(() => {
    keys.closeAllConnections()
    keys.close()
  })
  const claims = () => ({ iss: issuer, client_id: signIn.clientId })

  it('are fetched once, and for a key that is unknown at most once a minute', async () => {
    let clock = 1_000_000
    asked = 0
    const check = tokenVerifier({ issuer, clientId: signIn.clientId }, () => clock)
    expect(await check(signIn.token('admin', claims()))).not.toBeNull()
    expect(asked).toBe(1)
    const unknown = (kid: string) => check(signIn.sign({ kid }, { iss: issuer }))
    for (const kid of ['one', 'two', 'three']) expect(await unknown(kid)).toBeNull()
    expect(asked).toBe(2)
    // Whoever has a known key goes on.
    expect(await check(signIn.token('admin', claims()))).not.toBeNull()
    clock += 59_999
    expect(await unknown('four')).toBeNull()
    expect(asked).toBe(2)
    clock += 1
    expect(await unknown('five')).toBeNull()
    expect(asked).toBe(3)
  })

  it('are no verdict about a token when they cannot be had', async () => {
    const good = answer
    for (const broken of [
      { status: 500, body: '' },
      { status: 200, body: '{"keys": 1}' },
      { status: 200, body: '<html>Back in a moment</html>' },
      { status: 200, body: '' },
      { status: 200, body: 'null' },
      { status: 200, body: '{"keys": []}' },
      { status: 200, body: '{"keys": [{"kty": 7}]}' },
    ]) {
      answer = broken
      const check = tokenVerifier({ issuer, clientId: signIn.clientId }, Date.now)
      await expect(check(signIn.token('admin', claims()))).rejects.toThrow()
      answer = good
      expect(await check(signIn.token('admin', claims()))).not.toBeNull()
    }
  })

  it.each([
    ['of no form at all', 7],
    ['of which nothing is there', null],
    ['without a kind', { kid: 'spoilt' }],
    ['whose name is no text', { kid: 7, kty: 'RSA' }],
    ['without its numbers', { kid: 'spoilt', kty: 'RSA', alg: 'RS256', use: 'sig' }],
    ['of a kind that nobody knows', { kid: 'spoilt', kty: 'XYZ' }],
  ])('spoil no other one where one is malformed: %s', async (_, key) => {
    const good = answer
    answer = { status: 200, body: JSON.stringify({ keys: [key, ...JSON.parse(good.body).keys] }) }
    const check = tokenVerifier({ issuer, clientId: signIn.clientId }, Date.now)
    expect(await check(signIn.token('admin', claims()))).not.toBeNull()
    answer = good
  })

  it('say nothing about a token whose key is malformed, and are looked at again within a minute', async () => {
    const good = answer
    const { keys: all } = JSON.parse(good.body)
    const other = JSON.parse(await (await fetch(`${stranger.issuer}/.well-known/jwks.json`)).text()).keys[0]
    answer = {
      status: 200,
      body: JSON.stringify({
        keys: [
          { ...all[0], n: undefined },
          { ...other, kid: 'other' },
        ],
      }),
    }
    let clock = 1_000_000
    asked = 0
    const check = tokenVerifier({ issuer, clientId: signIn.clientId }, () => clock)
    const token = signIn.token('admin', claims())
    for (let times = 0; times < 3; times += 1) await expect(check(token)).rejects.toThrow('a malformed key')
    expect(asked).toBe(1)
    // Who names a key that the issuer does not have is refused as ever.
    expect(await check(signIn.sign({ kid: 'unknown' }, { iss: issuer }))).toBeNull()
    answer = good
    clock += 60_000
    expect(await check(token)).not.toBeNull()
  })

  it('are not read beyond what keys of an issuer weigh', async () => {
    const good = answer
    answer = { status: 200, body: JSON.stringify({ ...JSON.parse(good.body), more: 'x'.repeat(65_536) }) }
    const check = tokenVerifier({ issuer, clientId: signIn.clientId }, Date.now)
    await expect(check(signIn.token('admin', claims()))).rejects.toThrow('more than 65536 bytes of keys')
    answer = good
    expect(await check(signIn.token('admin', claims()))).not.toBeNull()
  })

  it('are those of the same pool, however it writes its issuer', async () => {
    const region = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x'
    const known = tokenVerifier({ issuer: region, clientId: signIn.clientId }, Date.now)
    // Both are looked up; the pool is none that exists, so its keys cannot be had. Any other issuer is refused unasked.
    for (const iss of [region, region.replace('cognito-idp', 'issuer-cognito-idp')])
      await expect(known(signIn.token('admin', { iss }))).rejects.toThrow()
    expect(await known(signIn.token('admin', { iss: 'https://example.com' }))).toBeNull()
  })
})
