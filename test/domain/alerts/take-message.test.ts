import { describe, expect, it } from 'vitest'
import { type MessageActs, takeMessage } from '#shared/domain/alerts/take-message.ts'
import { START } from './alert-world.ts'

const taking = (type: string, more: object = {}) => {
  const put: unknown[] = []
  const acts = { messages: { put: async (message: unknown) => void put.push(message) }, clock: () => START }
  const headers: Readonly<Record<string, readonly string[]>> = {
    'x-github-event': ['push', 'star'],
    'sentry-hook-resource': ['issue'],
    authorization: ['Bearer secret'],
  }
  const sent = { body: Buffer.from('{}'), header: (name: string) => headers[name] ?? [] }
  const integration = {
    id: 'int_1',
    type,
    status: 'connected',
    config: { repositories: ['a/b'], app_id: '7' },
    ...more,
  }
  const taken = takeMessage(acts as unknown as MessageActs, integration as never, sent as never)
  return { put, taken, body: sent.body }
}

describe('a message of a tool', () => {
  it('waits with its body, when it came and whose it is, unread', async () => {
    const { put, taken, body } = taking('alertmanager')
    expect(await taken).toEqual({ integration_id: 'int_1', received_at: new Date(START).toISOString() })
    expect(put).toEqual([{ integration_id: 'int_1', config: {}, headers: {}, received_at: START, body }])
  })

  it('waits with the settings and the headers that reading it needs, and no others', async () => {
    const { put, taken } = taking('github')
    await taken
    expect(put).toMatchObject([{ config: { repositories: ['a/b'] }, headers: { 'x-github-event': 'push' } }])
    expect(Object.keys((put[0] as { config: object }).config)).toEqual(['repositories'])
    const sentry = taking('sentry')
    await sentry.taken
    expect((sentry.put[0] as { headers: object }).headers).toEqual({ 'sentry-hook-resource': 'issue' })
  })

  it('is refused while its integration is disabled', async () => {
    const { put, taken } = taking('github', { status: 'disabled' })
    await expect(taken).rejects.toThrow(
      'This integration is disabled: messages of its tool are not accepted.',
    )
    expect(put).toEqual([])
  })
})
