import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { doorbellFor, investigate } from '#test/workers/invocations.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() })
  await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })
})
afterAll(() => service.stop())

refusesAlike('verify-incident', () => service)

const opened = async (): Promise<string> =>
  (
    await service.done('create-incident', {
      body: { title: 'Checkout fails', severity: 'high', service: 'checkout' },
    })
  ).id

describe('200', () => {
  it('evaluates every piece of evidence of the root cause again, and leaves the incident as it is', async () => {
    const id = await opened()
    await investigate([doorbellFor(id)])
    const before = await service.done('get-incident', { id })
    const got = await service.done('verify-incident', { id })
    expect(got.evidence).toHaveLength(before.root_cause.evidence.length)
    expect(got.evidence.filter(({ status }: { status: string }) => status !== 'same')).toEqual([])
    expect(await service.done('get-incident', { id })).toEqual(before)
  })

  it('tells drift from contradiction when the tool gives other data for the same time', async () => {
    const id = await opened()
    await investigate([doorbellFor(id)])
    const { root_cause } = await service.done('get-incident', { id })
    // The same outage a minute later: every value stays, every time moves.
    await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() + 60_000 })
    const { counts } = await service.done('verify-incident', { id })
    expect(counts.same).toBeLessThan(root_cause.evidence.length)
    expect(counts.drifted).toBeGreaterThan(0)
    expect(counts.contradicted + counts.expired + counts.unreachable).toBe(0)
  })

  it('has nothing to say of an incident that was not analysed yet', async () => {
    expect((await service.done('verify-incident', { id: await opened() })).evidence).toEqual([])
  })
})

describe('400', () => {
  it('refuses a body that says anything, naming it', async () => {
    const got = await service.call('verify-incident', { id: await opened(), body: { force: true } })
    expectInvalid(got, 'force')
  })
})
