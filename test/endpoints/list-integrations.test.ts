import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCalmBundle } from './calm-bundle.ts'
import { type FakeGithub, startFakeGithub } from './fake-github.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
let github: FakeGithub
beforeAll(async () => {
  service = await startService({ egress: 'local' })
  github = await startFakeGithub()
  await writeCalmBundle(join(service.bundles, 'outage'))
})
afterAll(async () => {
  await github.close()
  await service.stop()
})

refusesAlike('list-integrations', () => service)

describe('200', () => {
  it('is empty at first', async () => {
    expect(await service.done('list-integrations')).toEqual({ integrations: [], next_cursor: null })
  })

  it('is newest first whatever the types, whole without a limit, in pages with one, secrets nowhere', async () => {
    const bodies = [
      { type: 'bundle', config: { path: 'outage' } },
      { type: 'github', config: github.config },
    ]
    const made: unknown[] = []
    for (let count = 0; count < 30; count += 1) {
      const { ingest, ...one } = await service.done('create-integration', {
        body: bodies[count % 7 === 0 ? 1 : 0],
      })
      made.unshift({ ...one, ingest: ingest === null ? null : { ...ingest, token: null } })
    }
    const whole = await service.done('list-integrations')
    expect(whole).toEqual({ integrations: made, next_cursor: null })
    expect(JSON.stringify(whole)).not.toContain(github.config.client_secret)
    const seen: unknown[] = []
    let cursor: string | null = null
    do {
      const query: Record<string, string> = { limit: '7', ...(cursor === null ? {} : { cursor }) }
      const body = await service.done('list-integrations', { query })
      seen.push(...body.integrations)
      cursor = body.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(made)
  })
})

describe('400', () => {
  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'all'],
    ['cursor', 'nonsense'],
  ])('names %s for %j', async (field, value) => {
    expectInvalid(await service.call('list-integrations', { query: { [field]: value } }), field)
  })
})
