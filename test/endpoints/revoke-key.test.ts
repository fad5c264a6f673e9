import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { refusesAlike } from './refusals.ts'
import { type Service, startService, withKey } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('revoke-key', () => service)

describe('204', () => {
  it('refuses the key from the very next request on, and again changes nothing', async () => {
    const { id, value } = await service.done('create-key', { body: { name: 'leaked', type: 'admin' } })
    const list = async () => (await service.call('list-incidents', { headers: withKey(value) })).status
    expect(await list()).toBe(200)
    expect(await service.call('revoke-key', { id })).toMatchObject({ status: 204, body: null })
    expect(await list()).toBe(401)
    const shown = async () => {
      const { keys } = await service.done('list-keys', { query: { limit: '100' } })
      return keys.find((key: { id: string }) => key.id === id).revoked_at
    }
    const at = await shown()
    expect((await service.call('revoke-key', { id })).status).toBe(204)
    expect(await shown()).toBe(at)
  })

  it('writes down once who revoked it, latest act first', async () => {
    const headers = service.asUser('admin')
    const { id } = await service.done('create-key', { headers, body: { name: 'short', type: 'admin' } })
    await service.call('revoke-key', { id, headers })
    await service.call('revoke-key', { id, headers })
    const acts = await keyAdmin(service.store.client, service.store.names.keys).acts()
    const own = acts.filter(({ key_id }) => key_id === id)
    expect(own.map(({ act, by }) => `${act} by ${by}`)).toEqual(['revoked by admin', 'created by admin'])
  })
})
