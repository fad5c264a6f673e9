import { randomUUID } from 'node:crypto'
import { expect, type TestContext } from 'vitest'
import { type Operation, operationList } from '#shared/contract/operations.ts'
import { lazily, type Suite, unusedId } from './resources.ts'
import { signIn } from './sign-in.ts'
import { also, states } from './states.ts'

const KEY_FIELDS = [
  'created_at',
  'created_by',
  'expires_at',
  'id',
  'last4',
  'last_used_at',
  'name',
  'plan',
  'prefix',
  'revoked_at',
  'type',
]
const DAY_MS = 86_400_000
const KEY_ID = /^key_[0-9A-HJKMNP-TV-Z]{26}$/

/** What the documents say of signed-in users, and of the keys that only they make. */
export function people({ client, service }: Suite): void {
  const tokens = lazily(async () => {
    const { baseUrl, password } = service()
    if (password === undefined) return undefined
    const [admin, viewer] = await Promise.all([
      signIn(baseUrl, 'admin', password),
      signIn(baseUrl, 'viewer', password),
    ])
    return { admin, viewer }
  })
  const signedIn = async (context: TestContext) =>
    (await tokens()) ?? context.skip('nobody can sign in here without a person')

  const list = { method: 'GET', path: '/incidents?limit=1' }
  const make = async (context: TestContext, more: object = {}, headers: readonly string[] = []) => {
    const { admin } = await signedIn(context)
    const body = { name: `Conformance ${randomUUID()}`, type: 'admin', ...more }
    const answered = await client.send({ method: 'POST', path: '/keys', key: admin.access, body, headers })
    expect(answered.status, answered.text).toBe(201)
    return answered.body as Record<string, string> & { id: string; value: string }
  }
  const asAdmin = async (context: TestContext, method: string, path: string, body?: unknown) =>
    client.send({
      method,
      path,
      key: (await signedIn(context)).admin.access,
      ...(body === undefined ? {} : { body }),
    })
  const remainingOf = async (key: string) =>
    Number((await client.send({ ...list, key })).headers['x-ratelimit-remaining'])
  const refusedToKeys = async (method: string, path: string, body?: unknown) => {
    for (const key of [service().keys.admin, service().keys.assistant]) {
      const sent = { method, path, key, ...(body === undefined ? {} : { body }) }
      expect((await client.refusal(sent, 403)).code).toBe('FORBIDDEN')
    }
  }

  states('spec-keys-by-user', async (context) => {
    const { value } = await make(context)
    expect((await client.send({ ...list, key: value })).status).toBe(200)
  })
  states('spec-key-shown-once', async (context) => {
    const { id, value } = await make(context)
    const { text } = await asAdmin(context, 'GET', '/keys?limit=100')
    expect(text).toContain(id)
    expect(text).not.toContain(value)
  })
  states('api-id-key', async (context) => {
    expect((await make(context)).id).toMatch(KEY_ID)
  })
  states('api-plan-default', async (context) => {
    expect((await make(context)).plan).toBe('standard')
  })
  states('api-rotation-one-bucket', async (context) => {
    const made = await make(context)
    const before = await remainingOf(made.value)
    const { body } = await asAdmin(context, 'POST', `/keys/${made.id}/rotate`, {})
    const after = await remainingOf((body as { value: string }).value)
    // The minute may turn on the way: then it is the first request of a new one.
    expect([before - 1, 99]).toContain(after)
  })
  states('api-idempotency-secrets', async (context) => {
    const headers = ['idempotency-key', randomUUID()]
    const name = `Conformance ${randomUUID()}`
    const first = await make(context, { name }, headers)
    const again = await make(context, { name }, headers)
    expect(first.value).toMatch(/^iis_/)
    expect(again).toMatchObject({ id: first.id, value: null, warnings: [expect.stringMatching(/\S/)] })
  })
  states('api-key-value-once', async (context) => {
    const { id, value, last4 } = await make(context)
    expect(value.endsWith(last4 ?? '?')).toBe(true)
    const rotated = await asAdmin(context, 'POST', `/keys/${id}/rotate`, {})
    expect(rotated.text).not.toContain(value)
  })
  states('api-keys-list', async (context) => {
    const one = await make(context)
    const two = await make(context)
    const { body } = await asAdmin(context, 'GET', '/keys?limit=2')
    expect((body as { keys: { id: string }[] }).keys.map(({ id }) => id)).toEqual([two.id, one.id])
    await refusedToKeys('GET', '/keys')
  })
  states('api-keys-create', async (context) => {
    const { value } = await make(context, { type: 'assistant' })
    await client.refusal({ ...list, key: value }, 403)
    const { admin } = await signedIn(context)
    const post = (body: object) => ({ method: 'POST', path: '/keys', key: admin.access, body })
    await client.invalid(post({ name: '', type: 'admin' }), 'name')
    await client.invalid(post({ name: 'a', type: 'root' }), 'type')
    await client.invalid(post({ name: 'a', type: 'admin', plan: 'free' }), 'plan')
    await refusedToKeys('POST', '/keys', { name: 'a', type: 'admin' })
  })
  states('api-keys-rotate', async (context) => {
    const { id, value } = await make(context)
    const rotate = (body: object) => asAdmin(context, 'POST', `/keys/${id}/rotate`, body)
    const first = (await rotate({})).body as { value: string; previous_value_valid_until: string }
    const overlap = Date.parse(first.previous_value_valid_until) - Date.now()
    expect(Math.abs(overlap - DAY_MS)).toBeLessThan(60_000)
    for (const key of [value, first.value]) expect((await client.send({ ...list, key })).status).toBe(200)
    const second = (await rotate({ overlap_seconds: 0 })).body as { value: string }
    for (const key of [value, first.value]) await client.refusal({ ...list, key }, 401)
    expect((await client.send({ ...list, key: second.value })).status).toBe(200)
    const { admin } = await signedIn(context)
    const path = `/keys/${id}/rotate`
    for (const overlap_seconds of [-1, 604_801, 1.5])
      await client.invalid(
        { method: 'POST', path, key: admin.access, body: { overlap_seconds } },
        'overlap_seconds',
      )
    await refusedToKeys('POST', path, {})
  })
  states('api-keys-delete', async (context) => {
    const { id, value } = await make(context)
    await refusedToKeys('DELETE', `/keys/${id}`)
    expect((await asAdmin(context, 'DELETE', `/keys/${id}`)).status).toBe(204)
    await client.refusal({ ...list, key: value }, 401)
    const { admin } = await signedIn(context)
    await client.refusal({ method: 'DELETE', path: `/keys/${unusedId('key')}`, key: admin.access }, 404)
  })
  states('api-keys-fields', async (context) => {
    const soon = new Date(Date.now() + DAY_MS).toISOString()
    const { value: _value, ...shown } = await make(context, { expires_at: soon, plan: 'enterprise' })
    expect(Object.keys(shown).sort()).toEqual(KEY_FIELDS)
    expect(shown).toMatchObject({
      plan: 'enterprise',
      expires_at: soon,
      created_by: 'admin',
      last_used_at: null,
      revoked_at: null,
    })
    const { admin } = await signedIn(context)
    const far = new Date(Date.now() + 6 * 366 * DAY_MS).toISOString()
    const body = { name: 'a', type: 'admin', expires_at: far }
    await client.invalid({ method: 'POST', path: '/keys', key: admin.access, body }, 'expires_at')
  })
  states('api-user-token', async (context) => {
    const { admin, viewer } = await signedIn(context)
    const title = `Conformance ${randomUUID()}`
    const incident = { method: 'POST', path: '/incidents', body: { title, severity: 'low' } }
    expect((await client.send({ ...incident, key: admin.access })).status).toBe(201)
    for (const {
      id,
      access,
      method,
      path,
      idPrefixes,
      people: own,
    } of operationList as readonly (Operation & {
      id: string
    })[]) {
      if (access === 'anyone' || own === true) continue
      const at = path
        .replace('{id}', unusedId(idPrefixes?.[0] ?? 'x'))
        .replace('{delivery_id}', unusedId('dlv'))
      const { status } = await client.send({
        method,
        path: at,
        key: viewer.access,
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
      })
      const reads = method === 'GET' || id === 'answer-query'
      if (reads) expect([200, 400, 404], id).toContain(status)
      else if (!id.startsWith('verify-')) expect(status, id).toBe(403)
    }
  })
  states('api-user-access-token-only', async (context) => {
    const { admin } = await signedIn(context)
    expect(admin.lasts).toBe(900)
    await client.refusal({ ...list, key: admin.id }, 401)
    const [head = '', claims = '', signature = ''] = admin.access.split('.')
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
    for (const key of [`${unsigned}.${claims}.`, `${unsigned}.${claims}.${signature}`, `${head}.${claims}.`])
      await client.refusal({ ...list, key }, 401)
  })
  also('a viewer neither sees nor makes keys', async (context) => {
    const { viewer } = await signedIn(context)
    await client.refusal({ method: 'GET', path: '/keys', key: viewer.access }, 403)
    const body = { name: 'a', type: 'admin' }
    await client.refusal({ method: 'POST', path: '/keys', key: viewer.access, body }, 403)
  })
}
