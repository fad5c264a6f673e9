import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleEntry, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'
import { eventsOf } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('request-investigation', () => service)

const opened = async (): Promise<string> =>
  (await service.done('create-incident', { body: { title: 'Checkout fails', severity: 'high' } })).id
const store = async () => (await import('#shared/runtime.ts')).incidents()

describe('202', () => {
  it('makes the investigation due now, with what was asked for in the timeline and no event', async () => {
    const id = await opened()
    const got = await service.call('request-investigation', { id })
    expect(got.status).toBe(202)
    expect(got.body).toEqual({ id, analysis: 'pending' })
    const { timeline, analysis } = await service.done('get-incident', { id })
    expect(analysis).toBe('pending')
    expect(timeline.at(-1)).toMatchObject({ kind: 'analysis_requested' })
    expect((await eventsOf(service, id)).map(({ kind }) => kind)).toEqual(['incident.created'])
    expect(await (await store()).dueInvestigations(Date.now(), 100)).toContain(id)
  })

  it('takes a running investigation its lease: what that one finds is not written', async () => {
    const id = await opened()
    const incidents = await store()
    const lease = await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000)
    expect(lease).toBeDefined()
    await service.done('request-investigation', { id })
    const late = await incidents.completeInvestigation(
      lease as never,
      sampleRootCause(),
      sampleEntry(Date.now(), 'analysed'),
    )
    expect(late).toBe(false)
    expect(await service.done('get-incident', { id })).toMatchObject({
      analysis: 'pending',
      root_cause: null,
    })
    expect(await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000)).toBeDefined()
  })

  it('keeps the last root cause until there is a new one', async () => {
    const id = await opened()
    const incidents = await store()
    const lease = await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000)
    await incidents.completeInvestigation(
      lease as never,
      sampleRootCause(),
      sampleEntry(Date.now(), 'analysed'),
    )
    await service.done('request-investigation', { id })
    const got = await service.done('get-incident', { id })
    expect(got.analysis).toBe('pending')
    expect(got.root_cause).toEqual(sampleRootCause())
  })

  it('begins counting the tries anew for one that was given up', async () => {
    const id = await opened()
    const incidents = await store()
    const lease = await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000)
    await incidents.failInvestigation(lease as never, null, sampleEntry(Date.now(), 'analysis_failed'))
    expect((await service.done('get-incident', { id })).analysis).toBe('failed')
    await service.done('request-investigation', { id })
    expect((await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000))?.attempt).toBe(1)
  })

  it('takes an empty object as a body, too', async () => {
    expect((await service.call('request-investigation', { id: await opened(), body: {} })).status).toBe(202)
  })
})

describe('400', () => {
  it('refuses a body that says anything, naming it', async () => {
    const got = await service.call('request-investigation', { id: await opened(), body: { force: true } })
    expectInvalid(got, 'force')
  })
})
