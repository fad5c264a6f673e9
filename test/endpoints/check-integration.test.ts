import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGithub, startFakeGithub } from './fake-github.ts'
import { expectError, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
let github: FakeGithub
beforeAll(async () => {
  service = await startService({ egress: 'local' })
  github = await startFakeGithub()
})
beforeEach(() => {
  github.mood = 'well'
})
afterAll(async () => {
  await github.close()
  await service.stop()
})

refusesAlike('check-integration', () => service)

const connected = () =>
  service.done('create-integration', { body: { type: 'github', config: github.config } })

describe('200', () => {
  it('asks the tool and says what it found, which is kept', async () => {
    const { id, status } = await connected()
    const before = github.requests().length
    const well = await service.call('check-integration', { id })
    expect(well).toMatchObject({ status: 200, body: { id, status } })
    expect(github.requests().length).toBeGreaterThan(before)
    github.mood = 'failing'
    const ill = await service.call('check-integration', { id })
    expect(ill).toMatchObject({ status: 200, body: { status: 'error' } })
    expect((await service.done('get-integration', { id })).status).toBe('error')
    github.mood = 'well'
    expect((await service.done('check-integration', { id })).status).toBe(status)
  })

  it('tells no secret, and no token a second time', async () => {
    const made = await connected()
    const got = await service.call('check-integration', { id: made.id })
    expect(JSON.stringify(got)).not.toContain(github.config.client_secret)
    expect(got.body.ingest.token).toBeNull()
  })
})

describe('409', () => {
  it('refuses to ask a tool that is disabled', async () => {
    const { id } = await connected()
    await service.done('update-integration', { id, body: { enabled: false } })
    const before = github.requests().length
    expectError(await service.call('check-integration', { id }), 409, 'INVALID_REQUEST')
    expect(github.requests()).toHaveLength(before)
  })
})
