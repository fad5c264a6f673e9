import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { refusesStale } from './refuses-stale.ts'
import { SAMPLE_WEBHOOK, SHUT_ADDRESSES } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('update-webhook', () => service)

const created = () => service.done('create-webhook', { body: SAMPLE_WEBHOOK })

describe('200', () => {
  it.each([
    [{ url: 'https://example.com/elsewhere' }],
    [{ events: ['incident.resolved'] }],
    [{ status: 'disabled' }],
    [{ url: 'https://example.com/all', events: ['incident.created'], status: 'disabled' }],
  ])('changes %j and nothing else', async (body) => {
    const made = await created()
    const got = await service.call('update-webhook', { id: made.id, body })
    expect(got.status).toBe(200)
    const reason = 'status' in body ? { disabled_reason: 'requested' } : {}
    expect(got.body).toEqual({ ...made, ...body, ...reason, updated_at: expect.any(String) })
    expect(Date.parse(got.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(made.updated_at))
    expect(await service.done('get-webhook', { id: made.id })).toEqual(got.body)
  })

  it('keeps the secret', async () => {
    const { id } = await created()
    await service.done('update-webhook', { id, body: { status: 'disabled' } })
    const { webhooks } = await import('#shared/runtime.ts')
    expect((await webhooks().open(id, Date.now()))?.secrets).toEqual([SAMPLE_WEBHOOK.secret])
  })

  it('collapses kinds of events that are given twice', async () => {
    const { id } = await created()
    const body = { events: ['incident.resolved', 'incident.resolved'] }
    expect((await service.done('update-webhook', { id, body })).events).toEqual(['incident.resolved'])
  })
})

describe('400', () => {
  it.each(SHUT_ADDRESSES)(
    'refuses an address that leads to %s, and keeps the one before',
    async (_name, url) => {
      const made = await created()
      expectInvalid(await service.call('update-webhook', { id: made.id, body: { url } }), 'url')
      expect(await service.done('get-webhook', { id: made.id })).toEqual(made)
    },
  )

  it.each([
    ['an empty change', {}, 'body'],
    ['no events at all', { events: [] }, 'events'],
    ['a status that there is none of', { status: 'paused' }, 'status'],
    ['a secret, which does not change here', { secret: 'x'.repeat(24) }, 'secret'],
    ['an id', { id: 'wh_1' }, 'id'],
  ])('names the field for %s', async (_name, body, field) => {
    const { id } = await created()
    expectInvalid(await service.call('update-webhook', { id, body }), field)
  })
})

describe('409', () => {
  it('tells the later of two that change a subscription at once, and loses nothing silently', async () => {
    const { id } = await created()
    const bodies = Array.from({ length: 6 }, (_, number) => ({ url: `https://example.com/${number}` }))
    const answers = await Promise.all(bodies.map((body) => service.call('update-webhook', { id, body })))
    for (const got of answers) {
      if (got.status !== 200) expectError(got, 409, 'INVALID_REQUEST')
    }
    const written = answers.filter(({ status }) => status === 200).map(({ body }) => body.url)
    expect(written.length).toBeGreaterThan(0)
    expect(written).toContain((await service.done('get-webhook', { id })).url)
    const { webhooks } = await import('#shared/runtime.ts')
    expect((await webhooks().get(id))?.version).toBe(1 + written.length)
  })
})

describe('412', () => {
  refusesStale('update-webhook', () => service, {
    make: async () => (await created()).id,
    read: 'get-webhook',
    body: { events: ['incident.created'] },
    meanwhile: (id) => service.done('update-webhook', { id, body: { url: 'https://example.com/other' } }),
  })
})
