import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.UTC(2026, 2, 1, 18) })
})
afterAll(() => service.stop())

refusesAlike('verify-query', () => service)

const ask = (query: string) => service.done('answer-query', { body: { query } })
const verify = (id: string) => service.done('verify-query', { id })
const connect = async () =>
  (await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })).id

describe('200', () => {
  it('says of each piece of evidence that it is the same while nothing has changed, and stores nothing', async () => {
    await connect()
    const asked = await ask('Why is checkout failing?')
    const before = (await allItems(service, 'queries')).length
    const got = await verify(asked.id)
    expect(got.id).toBe(asked.id)
    expect(got.evidence.map(({ id }: { id: string }) => id)).toEqual(
      asked.evidence.map(({ id }: { id: string }) => id),
    )
    expect(got.counts).toEqual({
      same: asked.evidence.length,
      drifted: 0,
      contradicted: 0,
      expired: 0,
      unreachable: 0,
    })
    expect((await allItems(service, 'queries')).length).toBe(before)
    expect(await service.done('get-query', { id: asked.id })).toEqual(asked)
  })

  it('says that a tool that cannot answer any more cannot be reached', async () => {
    const asked = await ask('Why is checkout failing?')
    for (const { id } of (await service.done('list-integrations')).integrations) {
      await service.done('delete-integration', { id })
    }
    const { counts } = await verify(asked.id)
    expect(counts).toMatchObject({ unreachable: asked.evidence.length, same: 0 })
  })

  it('says of a list of incidents which of its statements still hold', async () => {
    const { id } = await service.done('create-incident', { body: { title: 'Mail is late', severity: 'low' } })
    await service.done('create-incident', { body: { title: 'Logo is gone', severity: 'low' } })
    const asked = await ask('Which low incidents are open?')
    expect((await verify(asked.id)).counts).toMatchObject({ same: 3 })
    await service.done('update-incident', { id, body: { status: 'resolved' } })
    const { evidence } = await verify(asked.id)
    expect(evidence.map(({ status }: { status: string }) => status).sort()).toEqual([
      'contradicted',
      'drifted',
      'same',
    ])
    const drifted = evidence.find(({ status }: { status: string }) => status === 'drifted')
    expect(drifted.was).toMatch(/^2 incidents match/)
    expect(drifted.now).toMatch(/^1 incident matches/)
  })

  it('has nothing to say of an answer without evidence', async () => {
    const { id } = await ask('What?')
    expect((await verify(id)).evidence).toEqual([])
  })

  it('says that what a bundle no longer holds has expired or cannot be reached', async () => {
    await connect()
    const asked = await ask('Why is checkout failing?')
    await rm(join(service.bundles, 'outage'), { recursive: true })
    const { counts } = await verify(asked.id)
    expect(counts.expired + counts.unreachable).toBe(asked.evidence.length)
  })
})

describe('400', () => {
  it('refuses a body that says anything, naming it', async () => {
    const { id } = await ask('What?')
    expectInvalid(await service.call('verify-query', { id, body: { force: true } }), 'force')
  })
})
