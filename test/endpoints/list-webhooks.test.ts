import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('list-webhooks', () => service)

describe('200', () => {
  it('is empty at first', async () => {
    expect(await service.done('list-webhooks')).toEqual({ webhooks: [], next_cursor: null })
  })

  it('is newest first, each subscription once over the pages, secrets nowhere', async () => {
    const made: { id: string }[] = []
    for (let count = 0; count < 7; count += 1) {
      made.unshift(await service.done('create-webhook', { body: SAMPLE_WEBHOOK }))
    }
    for (const limit of ['1', '3', '7', '100']) {
      const seen: unknown[] = []
      let cursor: string | null = null
      do {
        const query: Record<string, string> = { limit, ...(cursor === null ? {} : { cursor }) }
        const body = await service.done('list-webhooks', { query })
        expect(JSON.stringify(body)).not.toContain(SAMPLE_WEBHOOK.secret)
        seen.push(...body.webhooks)
        cursor = body.next_cursor
      } while (cursor !== null)
      expect(seen).toEqual(made)
    }
  })

  it('goes on behind a subscription that ended meanwhile', async () => {
    const { webhooks, next_cursor } = await service.done('list-webhooks', { query: { limit: '2' } })
    const all = (await service.done('list-webhooks')).webhooks
    await service.done('delete-webhook', { id: webhooks[1].id })
    const rest = await service.done('list-webhooks', { query: { limit: '100', cursor: next_cursor } })
    expect(rest.webhooks).toEqual(all.slice(2))
  })
})

describe('400', () => {
  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', 'nonsense'],
  ])('names %s for %j', async (field, value) => {
    expectInvalid(await service.call('list-webhooks', { query: { [field]: value } }), field)
  })
})
