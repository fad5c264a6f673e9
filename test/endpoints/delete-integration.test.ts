import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCalmBundle } from './calm-bundle.ts'
import { expectError, refusesAlike } from './refusals.ts'
import { refusesStale } from './refuses-stale.ts'
import { type Service, startService } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await writeCalmBundle(join(service.bundles, 'outage'))
})
afterAll(() => service.stop())

refusesAlike('delete-integration', () => service)

const connected = async (): Promise<string> =>
  (await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })).id

describe('204', () => {
  it('forgets the integration and its settings, and no answer asks it any more', async () => {
    const id = await connected()
    const got = await service.call('delete-integration', { id })
    expect(got.status).toBe(204)
    expect(got.body).toBeNull()
    expect((await allItems(service, 'integrations')).filter(({ pk }) => pk === 'INTEGRATION')).toEqual([])
    expect(await service.done('list-integrations')).toEqual({ integrations: [], next_cursor: null })
    const answer = await service.done('answer-query', { body: { query: 'Why is checkout failing?' } })
    expect(answer.evidence).toEqual([])
  })
})

describe('404', () => {
  it('is the answer to everything that asks for it afterwards', async () => {
    const id = await connected()
    await service.done('delete-integration', { id })
    expectError(await service.call('delete-integration', { id }), 404, 'NOT_FOUND')
    expectError(await service.call('get-integration', { id }), 404, 'NOT_FOUND')
    expectError(await service.call('update-integration', { id, body: { enabled: true } }), 404, 'NOT_FOUND')
  })

  it('is the answer to all but one of several that delete at once', async () => {
    const id = await connected()
    const answers = await Promise.all([1, 2, 3].map(() => service.call('delete-integration', { id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404])
  })
})

describe('412', () => {
  refusesStale('delete-integration', () => service, {
    make: connected,
    read: 'get-integration',
    meanwhile: (id) => service.done('update-integration', { id, body: { enabled: false } }),
  })
})
