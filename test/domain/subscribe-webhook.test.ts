import { describe, expect, it } from 'vitest'
import { HEALTHY, type PostResult } from '#shared/domain/delivery.ts'
import { invalidField } from '#shared/domain/errors.ts'
import {
  changeWebhook,
  subscribeWebhook,
  type WebhookChange,
  type WebhookChangeActs,
} from '#shared/domain/subscribe-webhook.ts'
import type { Webhook } from '#shared/domain/webhook.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const AT = '2026-01-31T12:00:00.000Z'
const OWN_HOST = 'api.example.org'
const webhook: Webhook = {
  id: 'wh_1',
  url: 'https://example.com/hook',
  events: ['incident.created'],
  status: 'enabled',
  disabled_reason: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  version: 4,
}
const disabled: Webhook = { ...webhook, status: 'disabled', disabled_reason: 'failing' }
const ACCEPTED: PostResult = { kind: 'answered', status: 204, retryAfter: null, response: '' }

/** A subscription, how its receiver answers, and what was done in which order. */
function world(
  change: { webhook?: Webhook | undefined; answer?: PostResult; overtaken?: boolean; refuse?: string } = {},
) {
  const given = { webhook, answer: ACCEPTED, overtaken: false, refuse: '', ...change }
  const done: unknown[] = []
  const webhooks = {
    get: async (id: string) => (id === 'wh_1' ? given.webhook : undefined),
    open: async () =>
      given.webhook === undefined
        ? undefined
        : { webhook: given.webhook, health: HEALTHY, secrets: ['a secret'] },
    create: async (...what: unknown[]) => {
      done.push(['create', ...what])
    },
    change: async (...what: unknown[]) => {
      done.push(['change', ...what])
      return !given.overtaken
    },
  }
  const acts = {
    webhooks,
    clock: () => NOW,
    newId: (prefix: string, at: number) => `${prefix}_${at}`,
    checkAddress: async (url: string, field: string, ownHost: string) => {
      done.push(['check', url, field, ownHost])
      if (url === given.refuse) throw invalidField(field, 'must not be called')
    },
    post: async ({ url }: { url: string }) => {
      done.push(['post', url])
      return given.answer
    },
    sign: () => 'signed',
  } as unknown as WebhookChangeActs
  return {
    done,
    subscribe: (url: string) =>
      subscribeWebhook(
        acts,
        { url, events: ['incident.resolved', 'incident.created', 'incident.resolved'], secret: 's' },
        OWN_HOST,
      ),
    change: (what: WebhookChange, expected?: readonly number[]) =>
      changeWebhook(acts, 'wh_1', what, OWN_HOST, expected),
  }
}

describe('a subscription', () => {
  it('begins enabled, with each kind of event once, after its address was checked', async () => {
    const { done, subscribe } = world()
    const made: Webhook = {
      id: `wh_${NOW}`,
      url: 'https://example.org/in',
      events: ['incident.created', 'incident.resolved'],
      status: 'enabled',
      disabled_reason: null,
      created_at: AT,
      updated_at: AT,
      version: 1,
    }
    expect(await subscribe('https://example.org/in')).toEqual(made)
    expect(done).toEqual([
      ['check', 'https://example.org/in', 'url', OWN_HOST],
      ['create', made, 's', 100],
    ])
  })

  it('is not made to an address that must not be called', async () => {
    const { done, subscribe } = world({ refuse: 'https://bad.example' })
    await expect(subscribe('https://bad.example')).rejects.toMatchObject({ details: { field: 'url' } })
    expect(done).toHaveLength(1)
  })
})

describe('a change of a subscription', () => {
  it('of its events checks no address and sends nothing', async () => {
    const { done, change } = world()
    const after = { ...webhook, events: ['incident.resolved'], updated_at: AT, version: 5 }
    expect(await change({ events: ['incident.resolved', 'incident.resolved'] })).toEqual(after)
    expect(done).toEqual([['change', webhook, after]])
  })

  it('of its address checks the new one first', async () => {
    const { done, change } = world()
    const after = { ...webhook, url: 'https://example.org/new', updated_at: AT, version: 5 }
    expect(await change({ url: 'https://example.org/new' })).toEqual(after)
    expect(done).toEqual([
      ['check', 'https://example.org/new', 'url', OWN_HOST],
      ['change', webhook, after],
    ])
  })

  it('to an address that must not be called changes nothing', async () => {
    const { done, change } = world({ refuse: 'https://bad.example' })
    await expect(change({ url: 'https://bad.example' })).rejects.toMatchObject({ kind: 'invalid' })
    expect(done).toEqual([['check', 'https://bad.example', 'url', OWN_HOST]])
  })

  it('that disables says that somebody asked for it', async () => {
    const { done, change } = world()
    expect(await change({ status: 'disabled' })).toMatchObject({
      status: 'disabled',
      disabled_reason: 'requested',
    })
    expect(done).toHaveLength(1)
  })

  it('of one that is disabled leaves it so, for the reason that it had', async () => {
    const { change } = world({ webhook: disabled })
    expect(await change({ events: ['incident.resolved'] })).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
    })
    expect(await change({ status: 'disabled' })).toMatchObject({ disabled_reason: 'failing' })
  })

  it('that enables pings first, at the address that it will have', async () => {
    const { done, change } = world({ webhook: disabled })
    expect(await change({ status: 'enabled', url: 'https://example.org/new' })).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
    })
    expect(done.slice(0, 2)).toEqual([
      ['check', 'https://example.org/new', 'url', OWN_HOST],
      ['post', 'https://example.org/new'],
    ])
  })

  it('that enables what is enabled pings nobody', async () => {
    const { done, change } = world()
    expect(await change({ status: 'enabled' })).toMatchObject({ status: 'enabled', disabled_reason: null })
    expect(done).toHaveLength(1)
  })

  it.each([
    [{ kind: 'answered', status: 500, retryAfter: null, response: 'no' }, 'it answered 500', 'status'],
    [{ kind: 'failed', error: 'timeout' }, 'it could not be reached (timeout)', 'timeout'],
  ] as const)('leaves it disabled where the ping is not accepted: %j', async (answer, why, error) => {
    const { done, change } = world({ webhook: disabled, answer })
    await expect(change({ status: 'enabled' })).rejects.toMatchObject({
      kind: 'conflict',
      message: `The webhook stays disabled: its receiver was pinged, and ${why}.`,
      details: {
        field: 'status',
        reason: 'the ping before enabling failed',
        ping: { delivered: false, error },
      },
    })
    expect(done).toEqual([['post', webhook.url]])
  })

  it('of an unknown one is refused', async () => {
    const { done, change } = world({ webhook: undefined })
    await expect(change({ status: 'disabled' })).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Webhook wh_1'),
    })
    expect(done).toEqual([])
  })

  it('meant for another version does nothing at all', async () => {
    const { done, change } = world()
    await expect(change({ url: 'https://example.org/new' }, [3])).rejects.toMatchObject({
      kind: 'precondition_failed',
    })
    expect(done).toEqual([])
  })

  it('that met another one says so', async () => {
    const { change } = world({ overtaken: true })
    await expect(change({ status: 'disabled' })).rejects.toMatchObject({
      kind: 'conflict',
      message: 'Somebody else changed this webhook; read it and try again.',
    })
    await expect(change({ status: 'disabled' }, [4])).rejects.toMatchObject({ kind: 'precondition_failed' })
  })
})
