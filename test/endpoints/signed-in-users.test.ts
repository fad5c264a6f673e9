import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userAdmin } from '#shared/adapters/dynamo/user-admin.ts'
import { mayCall } from '#shared/contract/may-call.ts'
import { type Operation, operationList } from '#shared/contract/operations.ts'
import { expectError, unknownId } from './refusals.ts'
import { type Service, startService, withKey } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
})
afterAll(() => service.stop())

const incident = { title: 'Checkout fails', severity: 'high' }
const users = () => userAdmin(service.store.client, service.store.names.keys)

describe('a signed-in admin', () => {
  it('opens, changes and reads incidents as an Admin key does, and is named in their timeline', async () => {
    const headers = service.asUser('admin')
    const { status, body } = await service.call('create-incident', { headers, body: incident })
    expect(status).toBe(201)
    const change = { id: body.id, headers, body: { status: 'investigating' } }
    expect((await service.call('update-incident', change)).status).toBe(200)
    const file = (await service.call('get-incident', { id: body.id, headers })).body
    expect(file.timeline.map(({ by }: { by: string }) => by)).toContainEqual(expect.stringMatching(/^user_/))
  })

  it('is told where they stand by the limit of the standard plan', async () => {
    const got = await service.call('list-incidents', { headers: service.asUser('admin') })
    expect(got.headers['X-RateLimit-Limit']).toBe('100')
    expect(Number(got.headers['X-RateLimit-Remaining'])).toBeLessThan(100)
  })
})

describe('a signed-in viewer', () => {
  it('reads and asks', async () => {
    const headers = service.asUser('viewer')
    expect((await service.call('list-incidents', { headers })).status).toBe(200)
    expect((await service.call('list-webhooks', { headers })).status).toBe(200)
    const asked = await service.call('answer-query', {
      headers,
      body: { query: 'Which incidents are open?' },
    })
    expect(asked.status).toBe(200)
    expect((await service.call('get-query', { headers, id: asked.body.id })).status).toBe(200)
  })

  const forbidden = operationList.filter(
    (row) => row.access !== 'anyone' && !mayCall(row as Operation, 'user_viewer'),
  )
  it.each(forbidden.map(({ id }) => id))('may not %s, whatever it is sent', async (id) => {
    const headers = service.asUser('viewer')
    const got = await service.call(id, { headers, id: unknownId(id), body: '{' })
    expectError(got, 403, 'FORBIDDEN')
  })
})

describe('a token', () => {
  it('of a user in no group may nothing', async () => {
    const headers = withKey(service.signIn.token('admin', { 'cognito:groups': [] }))
    expectError(await service.call('list-incidents', { headers }), 403, 'FORBIDDEN')
  })

  it.each([
    ['an ID token', { token_use: 'id' }],
    ['one for another client', { client_id: 'another' }],
    ['one of another issuer', { iss: 'https://example.com' }],
    ['one that has expired', { exp: 1 }],
  ])('is refused as any other wrong credential is: %s', async (_what, change) => {
    const headers = withKey(service.signIn.token('admin', change))
    const got = await service.call('list-incidents', { headers })
    expectError(got, 401, 'UNAUTHORIZED')
    expect(got.headers['WWW-Authenticate']).toBe('Bearer')
  })

  it.each([
    ['unsigned', { alg: 'none' }, ''],
    ['unsigned, with a signature of another', { alg: 'none' }, undefined],
    ['said to be signed with a shared secret', { alg: 'HS256' }, undefined],
    ['whose signature is left out', {}, ''],
  ])('is refused as any other wrong credential is: one %s', async (_what, change, signed) => {
    const [header = '', claims, signature] = service.signIn.token('admin').split('.')
    const read = JSON.parse(Buffer.from(header, 'base64url').toString()) as object
    const changed = Buffer.from(JSON.stringify({ ...read, ...change })).toString('base64url')
    const headers = withKey(`${changed}.${claims}.${signed ?? signature}`)
    expectError(await service.call('list-incidents', { headers }), 401, 'UNAUTHORIZED')
  })

  it('beyond the size of one is not even looked at', async () => {
    const headers = withKey(service.signIn.token('admin', { padding: 'x'.repeat(9_000) }))
    expectError(await service.call('list-incidents', { headers }), 401, 'UNAUTHORIZED')
  })

  it('is refused from the very next request after its user was disabled or signed out', async () => {
    const sub = '7e4b1c52-0000-4f5e-9a51-a11ce0000009'
    const headers = withKey(service.signIn.token('admin', { sub }))
    const list = () => service.call('list-incidents', { headers })
    expect((await list()).status).toBe(200)
    await users().setDisabled(`user_${sub}`, true, Date.now())
    expectError(await list(), 401, 'UNAUTHORIZED')
    await users().setDisabled(`user_${sub}`, false, Date.now())
    expect((await list()).status).toBe(200)
    await users().signOut(`user_${sub}`, Date.now() + 1_000)
    expectError(await list(), 401, 'UNAUTHORIZED')
  })

  it('whose issuer gives no keys fails, and says nothing of the token', async () => {
    const { tokenVerifier } = await import('#shared/adapters/sign-in/verify-token.ts')
    const { signIn } = service
    const check = tokenVerifier({ issuer: 'http://127.0.0.1:9', clientId: signIn.clientId }, Date.now)
    await expect(check(signIn.token('admin', { iss: 'http://127.0.0.1:9' }))).rejects.toThrow()
  })
})
