import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { answersUnmodified } from './answers-unmodified.ts'
import { refusesAlike } from './refusals.ts'
import { type Service, startService, withKey } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() })
  await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })
})
afterAll(() => service.stop())

refusesAlike('get-query', () => service)

describe('200', () => {
  it.each([
    'Why is checkout failing?',
    'How many critical incidents are open?',
    'Which incidents are open?',
    'What is love?',
  ])('is what POST answered to %j, for either type of key', async (query) => {
    const asked = await service.done('answer-query', { body: { query } })
    for (const key of [service.adminKey, service.assistantKey]) {
      expect(await service.done('get-query', { id: asked.id, headers: withKey(key) })).toEqual(asked)
    }
  })

  it('stays what it was when the world goes on', async () => {
    const asked = await service.done('answer-query', { body: { query: 'How many incidents are open?' } })
    await service.done('create-incident', { body: { title: 'x', severity: 'low' } })
    expect(await service.done('get-query', { id: asked.id })).toEqual(asked)
  })

  it('gives back an answer that is larger than an item of the store', async () => {
    const { queries } = await import('#shared/runtime.ts')
    const asked = await service.done('answer-query', { body: { query: 'Why is checkout failing?' } })
    const stored = await queries().get(asked.id)
    if (stored === undefined) throw new Error('the answer is not stored')
    const id = `query_${'7'.padEnd(26, 'Z')}`
    const large = {
      ...stored,
      id,
      evidence: Array.from({ length: 400 }, () => stored.evidence)
        .flat()
        .slice(0, 2_000),
    }
    await queries().put(large)
    const got = await service.done('get-query', { id })
    expect(got.evidence).toEqual(large.evidence)
  })
})

describe('304', () => {
  answersUnmodified(
    'get-query',
    () => service,
    async () => (await service.done('answer-query', { body: { query: 'Which incidents are open?' } })).id,
  )
})
