import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WEBHOOK_QUOTA } from '#shared/domain/subscribe-webhook.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK, SHUT_ADDRESSES } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('create-webhook', () => service)

describe('201', () => {
  it('answers the subscription without its secret, at a Location that reads it', async () => {
    const got = await service.call('create-webhook', { body: SAMPLE_WEBHOOK })
    expect(got.status).toBe(201)
    expect(got.body).toEqual({
      id: expect.stringMatching(/^wh_/),
      url: SAMPLE_WEBHOOK.url,
      events: SAMPLE_WEBHOOK.events,
      status: 'enabled',
      disabled_reason: null,
      created_at: expect.any(String),
      updated_at: got.body.created_at,
    })
    expect(got.headers.Location).toBe(`/v1/webhooks/${got.body.id}`)
    expect(await service.done('get-webhook', { id: got.body.id })).toEqual(got.body)
  })

  it('keeps the secret sealed, and opens it to what signs', async () => {
    const { id } = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    const stored = await allItems(service, 'webhooks')
    expect(stored.some((item) => item.id === id)).toBe(true)
    expect(JSON.stringify(stored)).not.toContain(SAMPLE_WEBHOOK.secret)
    const { webhooks } = await import('#shared/runtime.ts')
    expect((await webhooks().open(id, Date.now()))?.secrets).toEqual([SAMPLE_WEBHOOK.secret])
    expect(await webhooks().open(`${id.slice(0, -1)}!`, Date.now())).toBeUndefined()
  })

  it.each([
    ['a', '1 bytes'],
    ['x'.repeat(23), '23 bytes'],
    ['whsec_c2hvcnQ=', '5 bytes'],
  ])(
    'takes the short secret %s with a warning that tells its length and not itself',
    async (secret, told) => {
      const got = await service.call('create-webhook', { body: { ...SAMPLE_WEBHOOK, secret } })
      expect(got.status).toBe(201)
      expect(got.body.warnings).toEqual([expect.stringContaining(told)])
      if (secret.length > 1) expect(JSON.stringify(got)).not.toContain(secret)
    },
  )

  it('collapses kinds of events that are given twice, in the order of the catalogue', async () => {
    const events = ['incident.resolved', 'incident.created', 'incident.resolved']
    const made = await service.done('create-webhook', { body: { ...SAMPLE_WEBHOOK, events } })
    expect(made.events).toEqual(['incident.created', 'incident.resolved'])
  })
})

describe('400', () => {
  it.each(SHUT_ADDRESSES)('refuses an address that leads to %s, on `url`', async (_name, url) => {
    expectInvalid(await service.call('create-webhook', { body: { ...SAMPLE_WEBHOOK, url } }), 'url')
  })

  it.each([
    ['no address', { ...SAMPLE_WEBHOOK, url: undefined }, 'url'],
    ['an address that is none', { ...SAMPLE_WEBHOOK, url: 'example.com/hook' }, 'url'],
    ['another scheme', { ...SAMPLE_WEBHOOK, url: 'ftp://example.com/hook' }, 'url'],
    [
      'an address above 2,048 characters',
      { ...SAMPLE_WEBHOOK, url: `https://example.com/${'x'.repeat(2_048)}` },
      'url',
    ],
    ['no events', { ...SAMPLE_WEBHOOK, events: [] }, 'events'],
    ['events that are no list', { ...SAMPLE_WEBHOOK, events: 'incident.created' }, 'events'],
    ['a kind that there is none of', { ...SAMPLE_WEBHOOK, events: ['incident.deleted'] }, 'events[0]'],
    ['no secret', { ...SAMPLE_WEBHOOK, secret: undefined }, 'secret'],
    ['an empty secret', { ...SAMPLE_WEBHOOK, secret: '' }, 'secret'],
    ['a secret of 257 characters', { ...SAMPLE_WEBHOOK, secret: 'x'.repeat(257) }, 'secret'],
    ['a secret outside of ASCII', { ...SAMPLE_WEBHOOK, secret: 'gehäim' }, 'secret'],
    ['whsec_ without base64 behind it', { ...SAMPLE_WEBHOOK, secret: 'whsec_***' }, 'secret'],
    ['a field that nobody knows', { ...SAMPLE_WEBHOOK, status: 'enabled' }, 'status'],
  ])('names the field for %s', async (_name, body, field) => {
    const got = await service.call('create-webhook', { body })
    expectInvalid(got, field)
    if (typeof body.secret === 'string' && body.secret.length > 3) {
      expect(JSON.stringify(got.body)).not.toContain(body.secret)
    }
  })
})

describe('409', () => {
  it('refuses the subscription past the limit, naming the limit, and takes one again when one has ended', async () => {
    const made: string[] = (await allItems(service, 'webhooks')).flatMap(({ id }) => id ?? [])
    while (made.length < WEBHOOK_QUOTA) {
      made.push((await service.done('create-webhook', { body: SAMPLE_WEBHOOK })).id)
    }
    const got = await service.call('create-webhook', { body: SAMPLE_WEBHOOK })
    expectError(got, 409, 'INVALID_REQUEST')
    expect(got.body.error.details).toEqual({ limit: 100 })
    expect(got.body.error.message).toContain('100 webhooks')
    await service.done('delete-webhook', { id: made[0] ?? '' })
    const both = await Promise.all([1, 2].map(() => service.call('create-webhook', { body: SAMPLE_WEBHOOK })))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })
})
