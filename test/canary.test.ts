import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { type OperationId, operationList } from '#shared/contract/operations.ts'
import { TABLES, type TableName } from '#shared/names.ts'
import type { Sent } from '#test/edge/call-endpoint.ts'
import { type FakeGithub, startFakeGithub } from '#test/endpoints/fake-github.ts'
import { SAMPLE_WEBHOOK } from '#test/endpoints/sample-webhooks.ts'
import { type Service, startService, withKey } from '#test/endpoints/service.ts'
import { allItems } from '#test/endpoints/stored.ts'
import { failCalls, type PlannedFaults } from '#test/storage/fail-calls.ts'
import { doorbellFor, investigate, relay, streamedRecords, sweep } from '#test/workers/invocations.ts'

/** A secret that stands nowhere else in the world. */
const canary = (mark: string): string => `canary-${mark}-${randomBytes(12).toString('hex')}`

const SECRETS = {
  client: canary('client'),
  wrongClient: canary('wrong-client'),
  changedClient: canary('changed-client'),
  webhook: canary('webhook'),
  short: canary('short').slice(0, 20),
  standard: `whsec_${randomBytes(32).toString('base64')}`,
  ingest: `ingest_${randomBytes(16).toString('hex')}`,
  password: canary('password'),
}

/** A secret in every form in which it might get out: as it is, in base64 however it lies there, in a URL. */
function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64')
    // What the neighbours' bits reach into is left out.
    return text.slice(offset === 0 ? 0 : 4, -4)
  })
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...inBase64]
}

/** A record of the kind that senders push; whatever it says is kept as it came. */
const PUSHED = {
  timestamp: new Date().toISOString(),
  service: 'checkout',
  severity: 'error',
  message: 'card refused',
}

let service: Service
let github: FakeGithub
let faults: PlannedFaults
/** Everything that the process wrote to stdout and stderr, and everything that was answered. */
let written = ''
let answered = ''
const messages: string[] = []
const keys: string[] = []

const call = async (operation: OperationId, sent: Sent = {}) => {
  const got = await service.call(operation, sent)
  answered += `${operation} ${JSON.stringify(got)}\n`
  return got
}

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    })
  }
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, name).mockImplementation((...all) => {
      written += `${all.map(String).join(' ')}\n`
    })
  }
  service = await startService({ egress: 'local', queue: true })
  process.env.LOG_LEVEL = 'DEBUG'
  github = await startFakeGithub(SECRETS.client)
  await writeSampleOutage(join(service.bundles, 'outage'), { endsAt: Date.now() })
  const { documents } = await import('#shared/runtime.ts')
  faults = failCalls(documents())
  keys.push(service.adminKey, service.assistantKey)
})
afterAll(async () => {
  process.env.LOG_LEVEL = 'SILENT'
  await github.close()
  await service.stop()
  vi.restoreAllMocks()
})

const webhook = (secret: string, change: object = {}) => ({ ...SAMPLE_WEBHOOK, secret, ...change })
const config = (client_secret: string, change: object = {}) => ({
  ...github.config,
  client_secret,
  ...change,
})

/** Every place where somebody may hand in a secret, rightly or by mistake, on ways that end well and that do not. */
async function pushSecrets(): Promise<void> {
  const made = { wh: '', github: '' }
  // As they should be.
  made.wh = (await call('create-webhook', { body: webhook(SECRETS.webhook) })).body.id
  await call('create-webhook', { body: webhook(SECRETS.short) })
  await call('create-webhook', { body: webhook(SECRETS.standard) })
  made.github = (
    await call('create-integration', { body: { type: 'github', config: config(SECRETS.client) } })
  ).body.id
  await call('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })

  // Where the tool refuses, fails, babbles: it repeats the credentials in header and body.
  await call('create-integration', { body: { type: 'github', config: config(SECRETS.wrongClient) } })
  await call('update-integration', {
    id: made.github,
    body: { config: { client_secret: SECRETS.changedClient } },
  })
  for (const mood of ['failing', 'babbling'] as const) {
    github.mood = mood
    await call('create-integration', { body: { type: 'github', config: config(SECRETS.client) } })
    await call('update-integration', { id: made.github, body: { config: { app_id: mood } } })
    await call('answer-query', { body: { query: 'Why is checkout failing?' } })
  }
  github.mood = 'well'

  // Where the request is wrong in another place, or holds the secret where none belongs.
  for (const secret of Object.values(SECRETS)) {
    await call('create-webhook', { body: webhook(secret, { url: 'nowhere' }) })
    await call('create-webhook', { body: webhook(secret, { events: ['nothing'] }) })
    await call('create-webhook', { body: webhook(`${secret}\n`) })
    await call('create-webhook', { body: webhook(`${secret}é`) })
    await call('create-webhook', { body: webhook(secret, { url: 'https://10.0.0.1/' }) })
    await call('create-webhook', { body: { ...webhook(secret), secret: [secret] } })
    await call('update-webhook', { id: made.wh, body: { secret } })
    await call('create-integration', { body: { type: 'github', config: config(secret, { app_id: 7 }) } })
    await call('create-integration', {
      body: { type: 'github', config: { client_secret: { nested: secret } } },
    })
    await call('create-integration', { body: { type: 'github', config: config(`${secret}\n`) } })
    await call('create-integration', { body: { type: 'github', config: config(secret.repeat(20)) } })
    await call('create-integration', {
      body: { type: 'github', config: config(secret, { base_url: 'ftp://x' }) },
    })
    await call('update-integration', { id: made.github, body: { config: { client_secret: [secret] } } })
    await call('push-signals', { body: { logs: [PUSHED, { ...PUSHED, password: secret }] } })
    await call('push-signals', { body: { logs: [{ ...PUSHED, timestamp: secret }] } })
    await call('push-signals', { body: { changes: [{ id: 'a', recorded_at: secret, kind: secret }] } })
    for (const { id } of operationList.filter(({ body }) => body !== undefined)) {
      const path = id.startsWith('update') ? { id: made.github } : {}
      await call(id, { ...path, body: `{"secret": "${secret}", "client_secret": "${secret}"` })
      await call(id, { ...path, body: `"${secret}"` })
      await call(id, { ...path, body: `{"a": ${secret}}` })
      await call(id, {
        ...path,
        body: JSON.stringify([secret]),
        headers: { ...withKey(service.adminKey), 'Content-Type': 'text/plain' },
      })
    }
  }
  // A key, or what looks like one, where it is no key.
  const assistant = service.assistantKey
  for (const key of [...keys, `${service.adminKey}x`, SECRETS.password]) {
    for (const { id } of operationList) {
      await call(id, {
        id: 'inc_01ARZ3NDEKTSV4RRFFQ69G5FAV',
        headers: { Authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}` },
      })
      await call(id, { id: 'inc_01ARZ3NDEKTSV4RRFFQ69G5FAV', headers: { Authorization: key } })
      await call(id, {
        id: 'inc_01ARZ3NDEKTSV4RRFFQ69G5FAV',
        headers: { Authorization: [`Bearer ${key}`, `Bearer ${key}`] },
      })
      await call(id, { id: 'inc_01ARZ3NDEKTSV4RRFFQ69G5FAV', headers: withKey(`${key}.`) })
    }
  }
  await call('create-incident', { headers: withKey(assistant), body: { title: 'x', severity: 'low' } })
  await call('list-incidents', {
    headers: { ...withKey(service.adminKey), 'X-Request-Id': `${SECRETS.password}\n` },
  })

  // Where the store fails, by an error that repeats what it was given.
  const everything = Object.values(SECRETS).join(' ')
  const bodies: Partial<Record<OperationId, unknown>> = {
    'create-webhook': webhook(SECRETS.webhook),
    'create-integration': { type: 'github', config: config(SECRETS.client) },
    'update-integration': { config: { app_id: '1' } },
    'update-webhook': { status: 'disabled' },
    'create-incident': { title: 'x', severity: 'low' },
    'update-incident': { title: 'y' },
    'answer-query': { query: 'Why is checkout failing?' },
    'rotate-webhook-secret': { secret: SECRETS.webhook },
    'recover-webhook': { since: new Date(Date.now() - 3_600_000).toISOString() },
    'push-signals': { logs: [PUSHED] },
  }
  const incident = (await call('create-incident', { body: { title: 'x', severity: 'low' } })).body.id
  const idOf = (path: string) =>
    path.startsWith('/integ') ? made.github : path.startsWith('/web') ? made.wh : incident
  for (const { id, path, calls } of operationList) {
    for (let number = 1; number <= calls.length; number += 1) {
      const cause = Object.assign(new TypeError(everything), {
        $metadata: {},
        input: everything,
        cause: everything,
      })
      faults.failNext(number, cause)
      const body = bodies[id]
      const got = await call(id, {
        ...(path.includes('{') ? { id: idOf(path) } : {}),
        ...(body === undefined ? {} : { body }),
      })
      // A request that is refused before makes fewer calls.
      faults.clear()
      if (got.status >= 500) expect(got.body.error.code).toBe('INTERNAL_ERROR')
    }
  }

  // The workers, whose store and tools fail alike.
  await relay(await streamedRecords(service))
  await sweep()
  for (const { messageId, body } of await service.messages()) {
    messages.push(body)
    faults.failNext(2, new Error(everything))
    await investigate([{ messageId, body }])
  }
  await investigate([{ messageId: 'poison', body: everything }])
  github.mood = 'babbling'
  const fresh = (await call('create-incident', { body: { title: 'z', severity: 'low' } })).body.id
  await investigate([doorbellFor(fresh)])
  await call('get-incident', { id: fresh })
  await call('list-incidents')
  await call('list-integrations')
  await call('list-webhooks')
  await call('get-integration', { id: made.github })
  await call('get-webhook', { id: made.wh })
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const secrets = () =>
  [...Object.values(SECRETS), ...keys].map((secret) => ({ secret, forms: formsOf(secret) }))
/** Marks of the secrets that a text holds in any form. */
const found = (text: string): string[] =>
  secrets().flatMap(({ secret, forms }) =>
    forms.some((form) => text.includes(form)) ? [secret.slice(0, 14)] : [],
  )

describe('a secret that was handed in', () => {
  beforeAll(pushSecrets, 120_000)

  it('would be found if it got out', () => {
    for (const { secret } of secrets()) {
      expect(found(`x${secret}y`)).toContain(secret.slice(0, 14))
      for (const before of ['', 'a', 'ab']) {
        expect(found(Buffer.from(`${before}${secret}:more`).toString('base64'))).toContain(
          secret.slice(0, 14),
        )
      }
    }
    // What was looked through is not empty.
    expect(written).toContain('request_answered')
    expect(written).toContain('batch_item_failed')
    expect(written).toContain('request_failed')
    expect(answered).toContain('INTERNAL_ERROR')
    expect(answered).toContain('has_client_secret')
    expect(messages.length).toBeGreaterThan(0)
  })

  it('stands in no answer, whatever went wrong', () => {
    expect(found(answered)).toEqual([])
  })

  it('stands in nothing that is written to stdout or stderr, at any level', () => {
    expect(found(written)).toEqual([])
  })

  it('stands in no message of the queue', async () => {
    expect(found(messages.join('\n'))).toEqual([])
  })

  it('stands in no attribute of any table, except for keys as SHA-256', async () => {
    for (const table of Object.keys(TABLES) as TableName[]) {
      const items = await allItems(service, table)
      expect(found(JSON.stringify(items)), table).toEqual([])
      if (table === 'keys') {
        for (const key of keys) expect(items.some(({ pk }) => pk === `KEY#${keyHash(key)}`)).toBe(true)
      }
      if (table === 'webhooks' || table === 'integrations') {
        expect(items.filter(({ sealed }) => typeof sealed === 'string').length).toBeGreaterThan(0)
      }
    }
  })

  it('stands in no record of the stream', async () => {
    expect(found(JSON.stringify(await streamedRecords(service)))).toEqual([])
  })

  it('stands in no file and no object of the service', async () => {
    const files = await filesBelow(service.folder)
    expect(files.some((file) => file.startsWith(service.objects))).toBe(true)
    for (const file of files) expect(found((await readFile(file)).toString('latin1')), file).toEqual([])
    // Objects are packed: what they hold is looked at as the service reads it.
    const { investigationActs } = await import('#shared/runtime.ts')
    const { snapshots } = investigationActs(
      () => undefined,
      () => undefined,
    )
    let read = 0
    for (const file of files) {
      const [, owner, digest] = /snapshots\/([^/]+)\/([0-9a-f]{64})$/.exec(file) ?? []
      if (owner === undefined || digest === undefined) continue
      expect(found(JSON.stringify(await snapshots.read(owner, digest))), file).toEqual([])
      read += 1
    }
    expect(read).toBeGreaterThan(0)
  })
})
