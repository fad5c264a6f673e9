import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersUnmodified } from './answers-unmodified.ts'
import { writeCalmBundle } from './calm-bundle.ts'
import { refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await writeCalmBundle(join(service.bundles, 'outage'))
})
afterAll(() => service.stop())

refusesAlike('get-integration', () => service)

describe('200', () => {
  it('is what the last write answered', async () => {
    const made = await service.done('create-integration', {
      body: { type: 'bundle', config: { path: 'outage' } },
    })
    expect(made).toMatchObject({ status: 'connected', connected_at: made.created_at })
    expect(await service.done('get-integration', { id: made.id })).toEqual(made)
    const changed = await service.done('update-integration', { id: made.id, body: { enabled: false } })
    expect(await service.done('get-integration', { id: made.id })).toEqual(changed)
    expect(Object.keys(changed).sort()).toEqual([
      'config',
      'connected_at',
      'created_at',
      'id',
      'ingest',
      'status',
      'status_detail',
      'type',
      'updated_at',
    ])
  })
})

describe('304', () => {
  answersUnmodified(
    'get-integration',
    () => service,
    async () =>
      (await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })).id,
    async (id) => {
      const { status } = await service.done('get-integration', { id })
      await service.done('update-integration', { id, body: { enabled: status === 'disabled' } })
    },
  )
})
