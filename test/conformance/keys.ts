import { crc32 } from 'node:zlib'
import { assert, expect } from 'vitest'
import { operationList } from '#shared/contract/operations.ts'
import { type Suite, until, unusedId } from './resources.ts'
import { also, states } from './states.ts'

const COUNT = { query: 'How many critical incidents are open?' }
const KEY = /^iis_[a-z0-9]+_(adm|ast)_[0-9A-Za-z]{30}[0-9A-Za-z]{6}$/
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM = 6

/** The checksum of a key's text, computed here a second time and not by the service's own code. */
function checksum(text: string): string {
  let rest = crc32(text)
  let out = ''
  for (let index = 0; index < CHECKSUM; index += 1) {
    out = (BASE62[rest % 62] ?? '') + out
    rest = Math.floor(rest / 62)
  }
  return out
}

const other = (character: string | undefined) => (character === 'A' ? 'B' : 'A')

/** What the API contract says of keys. */
export function keys({ client, service }: Suite): void {
  const list = { method: 'GET', path: '/incidents?limit=1' }

  states('api-key-text', () => {
    const { admin, assistant } = service().keys
    expect(KEY.exec(admin)?.[1]).toBe('adm')
    expect(KEY.exec(assistant)?.[1]).toBe('ast')
    for (const key of [admin, assistant]) expect(key.slice(-CHECKSUM)).toBe(checksum(key.slice(0, -CHECKSUM)))
  })
  states('api-key-checksum', async () => {
    const { admin } = service().keys
    const last = admin.slice(0, -1) + other(admin.at(-1))
    const random = admin.slice(0, -10) + other(admin.at(-10)) + admin.slice(-9)
    const type = admin.replace('_adm_', '_ast_')
    for (const key of [last, random, type])
      expect((await client.refusal({ ...list, key }, 401)).code).toBe('UNAUTHORIZED')
  })
  also('a well-formed key that nobody was given is 401', async () => {
    const body = service().keys.admin.slice(0, -36) + 'Z'.repeat(30)
    await client.refusal({ ...list, key: body + checksum(body) }, 401)
  })
  also('a missing, malformed, doubled or differently schemed Authorization header is 401', async () => {
    const { admin } = service().keys
    const header = (value: string) => ['authorization', value]
    const wrong = [
      header('Bearer'),
      header(`Basic ${Buffer.from(`key:${admin}`).toString('base64')}`),
      header(`Bearer ${admin} ${admin}`),
      header(`Bearer ${admin.slice(0, -1)}`),
      header(`Bearer ${admin}0`),
      header(`Bearer ${admin.toLowerCase()}`),
      header(`Bearer "${admin}"`),
      [...header(`Bearer ${admin}`), ...header(`Bearer ${admin}`)],
      [...header(`Bearer ${admin}`), ...header('Basic eDp5')],
    ]
    for (const headers of wrong) {
      const answered = await client.refusal({ ...list, key: null, headers }, 401)
      expect(answered.code, headers.join(' ').replaceAll(admin, '<key>')).toBe('UNAUTHORIZED')
    }
    expect((await client.send({ ...list, key: null, headers: header(`bearer ${admin}`) })).status).toBe(200)
  })
  also('a key is taken from no other place than the Authorization header', async () => {
    const { admin } = service().keys
    await client.refusal({ method: 'GET', path: `/incidents?api_key=${admin}`, key: null }, 401)
    await client.refusal({ ...list, key: null, headers: ['x-api-key', admin] }, 401)
  })
  also('a refusal of a key does not repeat it', async () => {
    const key = `${service().keys.admin.slice(0, -1)}!`
    const { answered } = await client.refusal({ ...list, key }, 401)
    expect(answered.text).not.toContain(key.slice(-20))
  })
  states('api-admin-everything', async () => {
    for (const { id, method, path, people, sender, idPrefixes, body } of operationList) {
      // A tool proves itself; a key says nothing of it.
      if (people === true || sender === true) continue
      const shown = path
        .replace('{id}', unusedId(idPrefixes?.[0] ?? 'x'))
        .replace('{delivery_id}', unusedId('dlv'))
      const sent = { method, path: shown, ...(body === undefined ? {} : { body: {} }) }
      expect([200, 400, 404], id).toContain((await client.send(sent)).status)
    }
  })
  states('api-assistant-query', async () => {
    const key = service().keys.assistant
    const { body } = await client.call('answer-query', { key, body: COUNT })
    expect((await client.call('get-query', { key, id: body.id })).body).toEqual(body)
  })
  states('api-assistant-else', async () => {
    const key = service().keys.assistant
    const own = operationList.filter(({ access }) => access !== 'anyone' && access.includes('assistant'))
    expect(own.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /query/{id}',
      'POST /query',
    ])
    for (const { id, access, method, path, idPrefixes, body } of operationList) {
      if (access === 'anyone' || access.includes('assistant')) continue
      const shown = path
        .replace('{id}', unusedId(idPrefixes?.[0] ?? 'x'))
        .replace('{delivery_id}', unusedId('dlv'))
      const sent = { method, path: shown, key, ...(body === undefined ? {} : { body: {} }) }
      expect((await client.refusal(sent, 403)).code, id).toBe('FORBIDDEN')
    }
  })
  states('api-key-expired', async (context) => {
    const { expired } = service().keys
    if (expired === undefined) return context.skip('the keys file has no `expired` key')
    await until(
      async () => (await client.send({ ...list, key: expired })).status,
      (status) => status === 401,
    )
    await client.refusal({ ...list, key: expired }, 401)
  })
  states('api-key-revoked', async (context) => {
    const { revoked } = service().keys
    if (revoked === undefined) return context.skip('the keys file has no `revoked` key')
    await client.refusal({ ...list, key: revoked }, 401)
  })
  also('no answer to any operation repeats the key it was asked with', async () => {
    const { admin } = service().keys
    for (const path of ['/incidents', '/integrations', '/webhooks', '/health', '/no-such-path']) {
      const { text } = await client.send({ method: 'GET', path })
      assert(!text.includes(admin), path)
    }
  })
}
