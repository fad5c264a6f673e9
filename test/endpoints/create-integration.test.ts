import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { INTEGRATION_QUOTA } from '#shared/domain/connect-integration.ts'
import { type FakeGithub, startFakeGithub } from './fake-github.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
let github: FakeGithub
beforeAll(async () => {
  service = await startService({ egress: 'local' })
  github = await startFakeGithub()
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() })
  await mkdir(join(service.bundles, 'no-head'))
  await mkdir(join(service.bundles, 'torn'))
  const head = {
    format: 'incident-bundle/1',
    window: { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' },
  }
  await writeFile(join(service.bundles, 'torn', 'bundle.json'), JSON.stringify(head))
  await writeFile(join(service.bundles, 'torn', 'logs.ndjson'), '{"timestamp": "never"}\nno JSON\n')
  await symlink(join(service.bundles, 'outage'), join(service.bundles, 'link'))
  await writeFile(join(service.bundles, 'file'), 'x')
})
beforeEach(() => {
  github.mood = 'well'
})
afterAll(async () => {
  await github.close()
  await service.stop()
})

refusesAlike('create-integration', () => service)

const create = (type: string, config: object) =>
  service.call('create-integration', { body: { type, config } })
const stored = async () => (await allItems(service, 'integrations')).filter(({ pk }) => pk === 'INTEGRATION')

describe('201 for an incident bundle', () => {
  it('is connected when its folder can be read, and says what is in it', async () => {
    const got = await create('bundle', { path: 'outage' })
    expect(got.status).toBe(201)
    expect(got.body).toEqual({
      id: expect.stringMatching(/^bundle_/),
      type: 'bundle',
      // The sample says itself what is missing of it.
      status: expect.stringMatching(/^(connected|degraded)$/),
      status_detail: expect.stringContaining('logs.ndjson'),
      config: { path: 'outage' },
      ingest: null,
      created_at: expect.any(String),
      updated_at: got.body.created_at,
      connected_at: got.body.created_at,
    })
    expect(got.headers.Location).toBe(`/v1/integrations/${got.body.id}`)
    expect(await service.done('get-integration', { id: got.body.id })).toEqual(got.body)
  })

  it('is degraded when some of its records cannot be read, naming the file', async () => {
    const got = await create('bundle', { path: 'torn' })
    expect(got.status).toBe(201)
    expect(got.body.status).toBe('degraded')
    expect(got.body.status_detail).toContain('logs.ndjson')
    expect(got.body.connected_at).toBe(got.body.created_at)
  })
})

describe('201 for GitHub', () => {
  it('is degraded, since only public data can be read, and shows every setting but the secret', async () => {
    const got = await create('github', github.config)
    expect(got.status).toBe(201)
    expect(got.body).toMatchObject({ type: 'github', status: 'degraded' })
    expect(got.body.status_detail).toMatch(/^public data only: /)
    const { client_secret, ...shown } = github.config
    expect(got.body.config).toEqual({
      ...shown,
      has_client_secret: true,
      has_private_key: false,
      has_webhook_secret: false,
    })
    expect(JSON.stringify(got)).not.toContain(client_secret)
  })

  it('keeps its settings sealed: nothing that is stored shows the secret', async () => {
    const { id } = (await create('github', github.config)).body
    const items = await stored()
    expect(items.some((item) => item.id === id)).toBe(true)
    const text = JSON.stringify(items)
    expect(text).not.toContain(github.config.client_secret)
    expect(text).not.toContain(Buffer.from(github.config.client_secret).toString('base64').slice(0, -4))
    const { integrations } = await import('#shared/runtime.ts')
    expect((await integrations().open(id))?.config).toEqual(github.config)
  })

  it('is taken with the status `error` when nothing answers at its address', async () => {
    const gone = await startFakeGithub()
    await gone.close()
    const got = await create('github', { ...github.config, base_url: gone.baseUrl })
    expect(got.status).toBe(201)
    expect(got.body).toMatchObject({ status: 'error', connected_at: null })
    expect(got.body.status_detail).toMatch(/\w/)
  })

  it.each(['failing', 'babbling'] as const)(
    'is taken with the status `error` when the tool is %s, whose words it does not repeat',
    async (mood) => {
      github.mood = mood
      const got = await create('github', github.config)
      expect(got.status).toBe(201)
      expect(got.body).toMatchObject({ status: 'error', connected_at: null })
      expect(JSON.stringify(got)).not.toContain(github.config.client_secret)
      expect(JSON.stringify(got)).not.toContain('cannot serve')
    },
  )

  it('names the repositories that cannot be read', async () => {
    const got = await create('github', {
      ...github.config,
      repositories: { checkout: 'acme/shop', orders: 'acme/gone' },
    })
    expect(got.body.status).toBe('degraded')
    expect(got.body.status_detail).toContain('acme/gone')
    expect(got.body.config.repositories).toEqual({ checkout: 'acme/shop', orders: 'acme/gone' })
  })
})

describe('400', () => {
  it('refuses credentials that the tool refuses, on the field, and stores nothing', async () => {
    const before = await stored()
    const config = { ...github.config, client_secret: 'a-wrong-secret' }
    const got = await create('github', config)
    expectInvalid(got, 'config.client_secret', /refuses/)
    expect(JSON.stringify(got)).not.toContain('a-wrong-secret')
    expect(await stored()).toEqual(before)
  })

  it.each([
    ['a folder that is not there', 'missing'],
    ['a folder above', '../x'],
    ['a folder above by a detour', 'outage/../../x'],
    ['a symbolic link', 'link'],
    ['what lies below a symbolic link', 'link/outage'],
    ['a file', 'file'],
    ['an absolute path', '/etc'],
    ['a path of another system', 'outage\\x'],
    ['a folder without bundle.json', 'no-head'],
  ])('refuses a bundle in %s, on config.path, and stores nothing', async (_name, path) => {
    const before = await stored()
    expectInvalid(await create('bundle', { path }), 'config.path')
    expect(await stored()).toEqual(before)
  })

  it.each([
    ['a type that there is none of', { type: 'pigeon-post', config: {} }, 'type'],
    ['no type', { config: {} }, 'type'],
    ['no settings', { type: 'github' }, 'config'],
    [
      'a required setting that is missing',
      { type: 'github', config: { app_id: '1', client_id: '2' } },
      'config.client_secret',
    ],
    ['a setting that nobody knows', { type: 'bundle', config: { path: 'outage', pfad: 'x' } }, 'config.pfad'],
    ['a bundle without a place', { type: 'bundle', config: {} }, 'config.path'],
    ['a place that is for the cloud', { type: 'bundle', config: { prefix: 'outage' } }, 'config.prefix'],
    ['a field beside the settings', { type: 'bundle', config: { path: 'outage' }, enabled: true }, 'enabled'],
  ])('names the field for %s', async (_name, body, field) => {
    expectInvalid(await service.call('create-integration', { body }), field)
  })

  it.each([
    ['repositories without an owner', { repositories: ['shop'] }, 'config.repositories'],
    ['an address that is none', { base_url: 'github' }, 'config.base_url'],
    ['an address in a private network', { base_url: 'https://10.1.2.3/api/v3' }, 'config.base_url'],
    ["an address of a machine's metadata", { base_url: 'http://169.254.169.254/api/v3' }, 'config.base_url'],
    ['a secret of 257 characters', { client_secret: 'x'.repeat(257) }, 'config.client_secret'],
    ['a secret of two lines', { client_secret: 'a\nb' }, 'config.client_secret'],
  ])('names the field for %s', async (_name, change, field) => {
    const got = await create('github', { ...github.config, ...change })
    expectError(got, 400, 'INVALID_REQUEST')
    expect(got.body.error.details.field.startsWith(field)).toBe(true)
    expect(JSON.stringify(got)).not.toContain(github.config.client_secret)
  })

  it('refuses settings above 32 KB', async () => {
    const repositories = Object.fromEntries(
      Array.from({ length: 50 }, (_, number) => [`${'𝄞'.repeat(190)}${number}`, 'acme/shop']),
    )
    expectInvalid(await create('github', { ...github.config, repositories }), 'config', /32768/)
  })
})

describe('409', () => {
  it('refuses the integration past the limit, naming the limit', async () => {
    const many = (await stored()).length
    for (let count = many; count < INTEGRATION_QUOTA; count += 1) {
      expect((await create('bundle', { path: 'torn' })).status).toBe(201)
    }
    const got = await create('bundle', { path: 'torn' })
    expectError(got, 409, 'INVALID_REQUEST')
    expect(got.body.error.details).toEqual({ limit: 200 })
    expect(got.body.error.message).toContain('200 integrations')
    expect(await stored()).toHaveLength(INTEGRATION_QUOTA)
  })
})
