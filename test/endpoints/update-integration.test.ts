import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeCalmBundle } from './calm-bundle.ts'
import { type FakeGithub, startFakeGithub } from './fake-github.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { refusesStale } from './refuses-stale.ts'
import { type Service, startService } from './service.ts'

let service: Service
let github: FakeGithub
beforeAll(async () => {
  service = await startService({ egress: 'local' })
  github = await startFakeGithub()
})
beforeEach(async () => {
  github.mood = 'well'
  await writeCalmBundle(join(service.bundles, 'outage'))
  await writeCalmBundle(join(service.bundles, 'another'))
})
afterAll(async () => {
  await github.close()
  await service.stop()
})

refusesAlike('update-integration', () => service)

const connectedBundle = () =>
  service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })
const connectedGithub = () =>
  service.done('create-integration', { body: { type: 'github', config: github.config } })
const patch = (id: string, body: unknown) => service.call('update-integration', { id, body })
/** The settings as the service itself sees them. */
const opened = async (id: string) =>
  (await (await import('#shared/runtime.ts')).integrations().open(id))?.config

describe('200', () => {
  it('merges the settings that are named with the others, the secret included, and checks them live', async () => {
    const made = await connectedGithub()
    const asked = github.requests().length
    const got = await patch(made.id, { config: { app_id: '999' } })
    expect(got.status).toBe(200)
    expect(got.body).toEqual({
      ...made,
      config: { ...made.config, app_id: '999' },
      ingest: { ...made.ingest, token: null },
      updated_at: expect.any(String),
    })
    expect(await opened(made.id)).toEqual({ ...github.config, app_id: '999' })
    expect(github.requests().length).toBeGreaterThan(asked)
  })

  it('takes an optional setting away by null', async () => {
    const made = await connectedGithub()
    const got = await patch(made.id, { config: { repositories: null } })
    expect(got.body.config).not.toHaveProperty('repositories')
    const { repositories, ...rest } = github.config
    expect(repositories).toEqual(['acme/shop'])
    expect(await opened(made.id)).toEqual(rest)
    expect(got.body.status_detail).toContain('no repositories')
  })

  it('changes the secret, and neither shows the old nor the new one', async () => {
    const made = await connectedGithub()
    const other = await startFakeGithub('another-right-secret')
    try {
      const { base_url, client_secret } = other.config
      const got = await patch(made.id, { config: { base_url, client_secret } })
      expect(got.status).toBe(200)
      for (const secret of [client_secret, github.config.client_secret])
        expect(JSON.stringify(got)).not.toContain(secret)
      expect(await opened(made.id)).toMatchObject({ client_secret, base_url })
    } finally {
      await other.close()
    }
  })

  it('disables without asking the tool, and enables with a live check', async () => {
    const made = await connectedGithub()
    const asked = github.requests().length
    const off = await patch(made.id, { enabled: false })
    expect(off.body).toMatchObject({ status: 'disabled', connected_at: made.connected_at })
    expect(github.requests()).toHaveLength(asked)
    // A change of settings does not enable it by the way.
    expect((await patch(made.id, { config: { app_id: '7' } })).body.status).toBe('disabled')
    expect(github.requests()).toHaveLength(asked)
    const on = await patch(made.id, { enabled: true })
    expect(on.body).toMatchObject({ status: 'degraded', config: { app_id: '7' } })
    expect(github.requests().length).toBeGreaterThan(asked)
  })

  it('names a disabled integration as a gap in answers, and asks it nothing', async () => {
    const made = await connectedBundle()
    const ask = () => service.done('answer-query', { body: { query: 'Why is checkout failing?' } })
    const gapsOf = (answer: { gaps: { what: string; why: string }[] }) =>
      answer.gaps.filter(({ what }) => what.includes(made.id))
    expect(gapsOf(await ask())).toEqual([])
    await patch(made.id, { enabled: false })
    const answer = await ask()
    expect(gapsOf(answer)).toEqual([{ ...gapsOf(answer)[0], why: 'is disabled' }])
    await patch(made.id, { enabled: true })
    expect(gapsOf(await ask())).toEqual([])
  })

  it('finds out that a tool works again, and since when it has first been connected', async () => {
    github.mood = 'failing'
    const made = await connectedGithub()
    expect(made).toMatchObject({ status: 'error', connected_at: null })
    github.mood = 'well'
    const well = (await patch(made.id, { enabled: true })).body
    expect(well).toMatchObject({ status: 'degraded', connected_at: well.updated_at })
    github.mood = 'failing'
    const ill = (await patch(made.id, { enabled: true })).body
    expect(ill).toMatchObject({ status: 'error', connected_at: well.connected_at })
  })
})

describe('400', () => {
  it('names a setting that nobody knows, and keeps what there is', async () => {
    const made = await connectedBundle()
    expectInvalid(await patch(made.id, { config: { pfad: 'x' } }), 'config.pfad')
    expect(await service.done('get-integration', { id: made.id })).toEqual(made)
  })

  it('refuses credentials that the tool refuses, on the field, and keeps the good ones', async () => {
    const made = await connectedGithub()
    const got = await patch(made.id, { config: { client_secret: 'a-wrong-secret' } })
    expectInvalid(got, 'config.client_secret')
    expect(JSON.stringify(got)).not.toContain('a-wrong-secret')
    expect(await opened(made.id)).toEqual(github.config)
    expect(await service.done('get-integration', { id: made.id })).toEqual({
      ...made,
      ingest: { ...made.ingest, token: null },
    })
  })

  it('refuses to take away a setting that is required', async () => {
    const made = await connectedGithub()
    expectInvalid(await patch(made.id, { config: { app_id: null } }), 'config.app_id')
  })

  it('refuses a bundle that is not there', async () => {
    const made = await connectedBundle()
    expectInvalid(await patch(made.id, { config: { path: 'gone' } }), 'config.path')
    await rm(join(service.bundles, 'outage'), { recursive: true })
    expectInvalid(await patch(made.id, { enabled: true }), 'config.path')
    expect((await patch(made.id, { config: { path: 'another' } })).body.status).toBe('connected')
  })

  it.each([
    ['an empty change', {}, 'body'],
    ['a token with anything else', { rotate_ingest_token: {}, enabled: true }, 'rotate_ingest_token'],
    [
      'an overlap of more than a week',
      { rotate_ingest_token: { overlap_seconds: 604_801 } },
      'rotate_ingest_token.overlap_seconds',
    ],
    [
      'a negative overlap',
      { rotate_ingest_token: { overlap_seconds: -1 } },
      'rotate_ingest_token.overlap_seconds',
    ],
    ['a text for enabled', { enabled: 'no' }, 'enabled'],
    ['settings that are a list', { config: [] }, 'config'],
    ['the type', { type: 'github' }, 'type'],
    ['the status', { status: 'connected' }, 'status'],
  ])('names the field for %s', async (_name, body, field) => {
    const { id } = await connectedBundle()
    expectInvalid(await patch(id, body), field)
  })
})

describe('409', () => {
  it('refuses a new ingest token for a tool that sends nothing, and keeps what there is', async () => {
    const made = await connectedBundle()
    const got = await patch(made.id, { rotate_ingest_token: {} })
    expectError(got, 409, 'INVALID_REQUEST')
    expect(got.body.error.message).toContain('send nothing')
    expect(await service.done('get-integration', { id: made.id })).toEqual(made)
  })

  it('tells the later of two that change an integration at once', async () => {
    const { id } = await connectedBundle()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        patch(id, { config: { path: number % 2 ? 'another' : 'outage' } }),
      ),
    )
    for (const got of answers) if (got.status !== 200) expectError(got, 409, 'INVALID_REQUEST')
    const written = answers.filter(({ status }) => status === 200)
    expect(written.length).toBeGreaterThan(0)
    const { integrations } = await import('#shared/runtime.ts')
    expect((await integrations().get(id))?.version).toBe(1 + written.length)
  })
})

describe('412', () => {
  refusesStale('update-integration', () => service, {
    make: async () => (await connectedBundle()).id,
    read: 'get-integration',
    body: { config: { path: 'outage' } },
    meanwhile: (id) => service.done('update-integration', { id, body: { config: { path: 'another' } } }),
  })
})
