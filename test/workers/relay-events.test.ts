import type { DynamoDBRecord } from 'aws-lambda'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ENV } from '#shared/names.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { sampleEntry, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { relay, streamedRecords } from './invocations.ts'

let service: Service
/** Records that were there before the test. */
let seen = 0
beforeAll(async () => {
  service = await startService({ queue: true })
})
beforeEach(async () => {
  seen = (await streamedRecords(service)).length
  await service.messages()
})
afterAll(() => service.stop())

const opened = async (): Promise<string> =>
  (await service.done('create-incident', { body: { title: 'Checkout fails', severity: 'high' } })).id
/** What the stream says that happened in this test. */
const happened = async (): Promise<DynamoDBRecord[]> => (await streamedRecords(service)).slice(seen)
const rung = async () => (await service.messages()).map(({ body }) => JSON.parse(body))
const store = async () => (await import('#shared/runtime.ts')).incidents()

describe('the relay', () => {
  it('rings once for an incident that was opened, whatever else was written with it', async () => {
    const id = await opened()
    const records = await happened()
    // The incident, its timeline entry and its event: one transaction.
    expect(records.length).toBe(3)
    expect(await relay(records)).toEqual([])
    expect(await rung()).toEqual([{ incident_id: id }])
  })

  it('sends nothing but the id: no message holds what an incident says', async () => {
    await opened()
    await relay(await happened())
    for (const { body } of await service.messages()) {
      expect(Object.keys(JSON.parse(body))).toEqual(['incident_id'])
      expect(body).not.toContain('Checkout')
    }
  })

  it('rings for a new request, and for another try after a failure', async () => {
    const id = await opened()
    const incidents = await store()
    seen = (await streamedRecords(service)).length
    await service.done('request-investigation', { id })
    await relay(await happened())
    expect(await rung()).toEqual([{ incident_id: id }])

    const lease = await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000)
    seen = (await streamedRecords(service)).length
    await incidents.failInvestigation(
      lease as never,
      Date.now() + 15_000,
      sampleEntry(Date.now(), 'analysis_failed'),
    )
    await relay(await happened())
    expect(await rung()).toEqual([{ incident_id: id }])
  })

  it('does not ring for what people change, for a lease that is taken, nor for a root cause that is written', async () => {
    const id = await opened()
    const incidents = await store()
    seen = (await streamedRecords(service)).length
    await service.done('update-incident', {
      id,
      body: { title: 'x', severity: 'low', status: 'investigating' },
    })
    await service.done('update-incident', { id, body: { severity: 'critical' } })
    const lease = await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000)
    await incidents.completeInvestigation(
      lease as never,
      sampleRootCause(),
      sampleEntry(Date.now(), 'analysed'),
    )
    const records = await happened()
    expect(records.length).toBeGreaterThan(5)
    expect(await relay(records)).toEqual([])
    expect(await rung()).toEqual([])
  })

  it('rings for an incident that is resolved: it is looked at once more', async () => {
    const id = await opened()
    seen = (await streamedRecords(service)).length
    await service.done('update-incident', { id, body: { status: 'resolved' } })
    await relay(await happened())
    expect(await rung()).toEqual([{ incident_id: id }])
  })

  it('does not ring for a failure that was given up, nor for what is removed', async () => {
    const id = await opened()
    const incidents = await store()
    const lease = await incidents.claimInvestigation(id, Date.now(), Date.now() + 60_000)
    seen = (await streamedRecords(service)).length
    await incidents.failInvestigation(lease as never, null, sampleEntry(Date.now(), 'analysis_failed'))
    const records = await happened()
    const [incident] = records.filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === 'INCIDENT')
    const removed = {
      ...incident,
      dynamodb: { ...incident?.dynamodb, NewImage: undefined },
    } as DynamoDBRecord
    await relay([...records, removed])
    expect(await rung()).toEqual([])
  })

  it('rings for each of many incidents once', async () => {
    const ids = await Promise.all(Array.from({ length: 23 }, opened))
    expect(await relay(await happened())).toEqual([])
    expect((await rung()).map(({ incident_id }) => incident_id).sort()).toEqual(ids.sort())
  })

  it('rings again when the same records come again, which is what a stream may do', async () => {
    const id = await opened()
    const records = await happened()
    await relay(records)
    await relay(records)
    expect(await rung()).toEqual([{ incident_id: id }, { incident_id: id }])
  })

  it('fails as a whole when the queue cannot be reached, so that the stream gives the batch again', async () => {
    await opened()
    const records = await happened()
    // A relay of its own, whose queue is where nobody listens.
    vi.resetModules()
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', 'http://127.0.0.1:1')
    vi.stubEnv(ENV.investigationsQueueUrl, 'http://127.0.0.1:1/000000000000/gone')
    try {
      await expect(relay(records)).rejects.toThrow()
    } finally {
      vi.unstubAllEnvs()
      vi.resetModules()
    }
  })
})
