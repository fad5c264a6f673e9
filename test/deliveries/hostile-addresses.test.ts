import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AddressRules,
  allowedNetworks,
  localRules,
  strictRules,
} from '#shared/adapters/http/address-rules.ts'
import { checkAddress } from '#shared/adapters/http/check-address.ts'
import { EgressRefused, guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import type { Lookup } from '#shared/adapters/http/lookup.ts'
import { postWebhook } from '#shared/adapters/http/post-webhook.ts'
import { fanOut } from '#shared/domain/fan-out.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import { ENV } from '#shared/names.ts'
import { serveHttp } from '#test/adapters/loopback-server.ts'
import { expectInvalid } from '#test/endpoints/refusals.ts'
import { SAMPLE_WEBHOOK } from '#test/endpoints/sample-webhooks.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { outsideFile } from '#test/outside-data.ts'
import { watchDials } from './dials.ts'

/** A public address that stands for any; nothing here may dial it. */
const PUBLIC = '203.0.114.10'
/** Nobody listens there, and nobody is to find that out. */
const PORT = 9

interface Corpus {
  readonly urls: readonly string[]
  /** What each name resolves to, one list of answers for each time that it is asked for; the last one stays. */
  readonly names: Readonly<Record<string, readonly (readonly string[])[]>>
}

function ownCorpus(): Corpus {
  const text = readFileSync(new URL('../data/hostile-urls.json', import.meta.url), 'utf8')
  const { literal, malformed, names } = JSON.parse(text) as {
    literal: string[]
    malformed: string[]
    names: Record<string, string[]>
  }
  // Some malformed ones are refused for leading to a host that only another test calls our own.
  const urls = [...literal, ...malformed.filter((url) => !URL.canParse(url.replaceAll('PORT', '9')))]
  return {
    urls: urls.map((url) => url.replaceAll('PORT', String(PORT))),
    names: {
      ...Object.fromEntries(Object.entries(names).map(([name, answers]) => [name, [answers]])),
      'turns-inwards.test': [[PUBLIC], ['127.0.0.1']],
    },
  }
}

function outsideCorpus(): Corpus | undefined {
  const text = outsideFile('ssrf', 'hostile-urls.json')
  const vectors = outsideFile('ssrf', 'ip-vectors.json')
  if (text === undefined || vectors === undefined) return undefined
  const { urls, dns } = JSON.parse(text) as { urls: string[]; dns: Record<string, string[]> }
  const addresses = (JSON.parse(vectors) as { vectors: { ip: string; allowed: boolean }[] }).vectors
  const shut = addresses.filter(({ allowed }) => !allowed)
  expect([urls.length, addresses.length]).toEqual([51, 43])
  const written = shut.map(({ ip }) => `http://${ip.includes(':') ? `[${ip}]` : ip}`)
  const answersOf = (answers: readonly string[]): string[][] =>
    answers.some((answer) => answer.startsWith('first'))
      ? [[PUBLIC], ['127.0.0.1']]
      : [answers.map((answer) => (answer.includes(' ') ? PUBLIC : answer))]
  return {
    urls: [...urls, ...written].map((url) => `${url}:${PORT}/`),
    names: Object.fromEntries(Object.entries(dns).map(([name, answers]) => [name, answersOf(answers)])),
  }
}

/** A resolver that begins anew with each name. */
function resolverOf({ names }: Corpus): Lookup {
  const asked = new Map<string, number>()
  return async (name) => {
    const rounds = names[name]
    if (rounds === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    const times = asked.get(name) ?? 0
    asked.set(name, times + 1)
    const answers = rounds[Math.min(times, rounds.length - 1)] ?? []
    return answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

const secured = (url: string): string => url.replace('http:', 'https:')

let service: Service
let webhooks: Awaited<ReturnType<typeof runtime>>['webhooks']
const runtime = () => import('#shared/runtime.ts')
/** Ports of the service's own stores, which it dials all the time. */
let ownPorts: readonly number[]
const watched = watchDials()
const dialled = () => watched.dials().filter(({ port }) => !ownPorts.includes(port))

/** Everything that an operator can open for tools: receivers of webhooks stay refused all the same. */
const OPENED = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']

beforeAll(async () => {
  process.env[ENV.allowedNetworks] = OPENED.join()
  service = await startService({ queue: true })
  ownPorts = [service.store.endpoint, process.env.AWS_ENDPOINT_URL_SQS ?? ''].map((url) =>
    Number(new URL(url).port),
  )
  webhooks = (await runtime()).webhooks
})
afterAll(async () => {
  delete process.env[ENV.allowedNetworks]
  watched.stop()
  await service.stop()
})

/** Writes a subscription down that the API refuses, as if it had slipped past the check at its creation. */
async function slippedPast(url: string, number: number): Promise<string> {
  const id = `wh_01KGA2B3C4D5E6F7G8H9J${String(number).padStart(5, '0')}`
  const at = new Date(0).toISOString()
  const record = { id, url, events: ['incident.created'], status: 'enabled', disabled_reason: null } as const
  const webhook = { ...record, created_at: at, updated_at: at, version: 1 }
  await webhooks().create(webhook, 'x'.repeat(24), 10_000)
  return id
}

/** An incident whose event the relay gave to every subscription. @returns the id of its event */
async function raised(): Promise<string> {
  const body = { title: 'Checkout fails', severity: 'low' }
  const { id } = await service.done('create-incident', { body })
  const event = createdEventId(id as string)
  await fanOut((await runtime()).sweepActs(), event)
  return event
}

/** Lets the function of the queue work one message. */
async function work(webhook_id: string, delivery_id: string): Promise<void> {
  const { handler } = (await import('../../functions/workers/deliver-webhook.ts')) as unknown as {
    handler: (event: object, context: object) => Promise<object>
  }
  const record = { messageId: 'one', body: JSON.stringify({ webhook_id, delivery_id, due_at: 1 }) }
  const answer = await handler({ Records: [record] }, { getRemainingTimeInMillis: () => 60_000 })
  expect(answer).toEqual({ batchItemFailures: [] })
}

const attemptsOf = async (webhook: string) => {
  const { deliveries } = await service.done('list-deliveries', { id: webhook })
  return deliveries[0].attempts.map(({ status, error }: Record<string, unknown>) => ({ status, error }))
}

const outside = outsideCorpus()
const corpora = [
  ['of our own corpus', ownCorpus()],
  ['of the outside corpus (not run without INCIDENT_DATA: 51 URLs, 7 names, 43 addresses)', outside],
] as const

describe.each(corpora)('an address %s', (_name, corpus) => {
  const given = corpus ?? { urls: [], names: {} }
  const run = it.skipIf(corpus === undefined)

  run(
    'is refused when it is written down, over http and over https, and nobody is called',
    async () => {
      const before = dialled().length
      for (const url of given.urls)
        for (const form of [url, secured(url)]) {
          const got = await service.call('create-webhook', { body: { ...SAMPLE_WEBHOOK, url: form } })
          expectInvalid(got, 'url')
        }
      for (const [name, rounds] of Object.entries(given.names)) {
        const check = checkAddress(`https://${name}/`, strictRules(), 'url', resolverOf(given))
        // What is public now is taken: every dial checks again.
        if (rounds.length > 1) await check
        else await expect(check, name).rejects.toMatchObject({ kind: 'invalid', details: { field: 'url' } })
      }
      expect(dialled()).toHaveLength(before)
    },
    120_000,
  )

  run(
    'that is written down all the same is never dialled by the worker, and its log says why',
    async () => {
      const before = dialled().length
      const ids = new Map<string, string>()
      let number = 0
      // Over https, so that the address and not the scheme is the reason.
      for (const url of given.urls.map(secured)) {
        number += 1
        ids.set(await slippedPast(url, number), url)
      }
      const event = await raised()
      const { deliveries } = await runtime()
      for (const [id, url] of ids) {
        await work(id, deliveries().idOf(event, id))
        expect([url, await attemptsOf(id)]).toEqual([url, [{ status: null, error: 'refused_address' }]])
        await webhooks().delete(id)
      }
      expect(dialled()).toHaveLength(before)
    },
    120_000,
  )

  run('that a name leads to is never dialled, not even when the name was public before', async () => {
    const before = dialled().length
    // http is allowed, so that only the address can be the reason.
    const rules: AddressRules = { ...strictRules(), http: true }
    const lookup = resolverOf(given)
    const request = guardedRequest(rules, { lookup })
    const post = postWebhook(request, 'test')
    for (const [name, rounds] of Object.entries(given.names)) {
      if (rounds.length > 1) await checkAddress(`https://${name}/`, rules, 'url', lookup)
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${name}:${PORT}/`
        expect([url, await post({ url, headers: {}, body: '{}', deadlineMs: 1_000 })]).toEqual([
          url,
          { kind: 'failed', error: 'refused_address' },
        ])
      }
    }
    await request.close()
    expect(dialled()).toHaveLength(before)
  })
})

describe('tools in private networks', () => {
  // One small network; http is allowed everywhere, so that only the address can be the reason.
  const narrow: AddressRules = { ...strictRules([], allowedNetworks(['10.20.30.0/24'])), http: true }
  const everything: AddressRules = { ...strictRules([], allowedNetworks(OPENED)), http: true }
  const refusedBy = async (rules: AddressRules, url: string, lookup: Lookup) => {
    const request = guardedRequest(rules, { lookup })
    const asked = { method: 'GET' as const, url, deadlineMs: 300, maxBytes: 10 }
    const outcome = await request(asked).catch((error: unknown) => error)
    await request.close()
    return outcome instanceof EgressRefused
  }

  it.each(corpora)('what is not opened stays refused %s', async (_name, corpus) => {
    const { urls, names } = corpus ?? { urls: [], names: {} }
    const before = dialled().length
    const lookup = resolverOf({ urls, names })
    // The first answer of a name that turns inwards is public, and is asked for here.
    for (const [name, rounds] of Object.entries(names)) if (rounds.length > 1) await lookup(name)
    for (const url of [...urls, ...Object.keys(names).map((name) => `http://${name}:${PORT}/`)])
      for (const form of [url, secured(url)])
        expect([form, await refusedBy(narrow, form, lookup)]).toEqual([form, true])
    expect(dialled()).toHaveLength(before)
  })

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
  ])(
    'the metadata address %s is never dialled, as written or by a name, whatever is opened',
    async (address) => {
      const before = dialled().length
      const host = address.includes(':') ? `[${address}]` : address
      const family = address.includes(':') ? 6 : 4
      for (const name of [host, 'tool.corp.test'])
        expect(await refusedBy(everything, `http://${name}/`, async () => [{ address, family }])).toBe(true)
      expect(dialled()).toHaveLength(before)
    },
  )

  it('a name that leads out of the opened network on its second answer is not dialled there', async () => {
    const before = dialled().length
    const answers = [['10.20.30.5'], ['10.20.31.5'], ['127.0.0.1'], ['10.20.30.5', '10.99.0.1']]
    const asked: string[][] = []
    const lookup: Lookup = async () => {
      const now = answers[asked.length] ?? []
      asked.push(now)
      return now.map((address) => ({ address, family: 4 }))
    }
    // When it is written down it leads into the network; each dial asks anew.
    await checkAddress('http://tool.corp.test/', narrow, 'config.base_url', lookup)
    for (let dial = 1; dial < answers.length; dial += 1)
      expect(await refusedBy(narrow, 'http://tool.corp.test/', lookup)).toBe(true)
    expect(asked).toHaveLength(answers.length)
    expect(dialled()).toHaveLength(before)
  })

  it('what is opened is dialled for an integration, and refused to a webhook of the same service', async () => {
    const tool = { type: 'alertmanager', config: { base_url: 'http://10.255.255.1:9/' } }
    const made = await service.call('create-integration', { body: tool })
    expect([made.status, made.body.status]).toEqual([201, 'error'])
    expect(dialled().some(({ address }) => address === '10.255.255.1')).toBe(true)
    const before = dialled().length
    for (const base_url of ['http://169.254.169.254/', 'http://127.0.0.1:9/', 'http://192.0.2.1/'])
      expectInvalid(
        await service.call('create-integration', { body: { ...tool, config: { base_url } } }),
        'config.base_url',
      )
    const url = 'https://10.255.255.1:9/'
    expectInvalid(await service.call('create-webhook', { body: { ...SAMPLE_WEBHOOK, url } }), 'url')
    expect(dialled()).toHaveLength(before)
  }, 20_000)
})

it.skipIf(outside === undefined)(
  'a public address of the outside corpus is taken (not run without INCIDENT_DATA: 6 of 43 addresses)',
  async () => {
    const text = outsideFile('ssrf', 'ip-vectors.json') ?? ''
    const { vectors } = JSON.parse(text) as { vectors: { ip: string; allowed: boolean }[] }
    const open = vectors.filter(({ allowed }) => allowed)
    for (const { ip } of open) {
      const url = `https://${ip.includes(':') ? `[${ip}]` : ip}/`
      await service.done('create-webhook', { body: { ...SAMPLE_WEBHOOK, url } })
    }
    expect(open.length).toBeGreaterThanOrEqual(4)
  },
)

it('a redirect is not followed to another address: only the receiver itself is dialled', async () => {
  const canary = await serveHttp((_, response) => response.end())
  for (const location of [`http://127.0.0.1:${canary.port}/`, 'http://169.254.169.254/latest/meta-data']) {
    const receiver = await serveHttp((_, response) => response.writeHead(307, { location }).end())
    const before = dialled().length
    const request = guardedRequest(localRules())
    const post = postWebhook(request, 'test')
    const result = await post({ url: receiver.url, headers: {}, body: '{}', deadlineMs: 5_000 })
    expect(result).toMatchObject({ kind: 'answered', status: 307 })
    // That this one is seen also shows that the count sees what is dialled.
    expect(dialled().slice(before)).toEqual([{ address: '127.0.0.1', port: receiver.port }])
    await request.close()
    await receiver.close()
  }
  expect(canary.connections()).toBe(0)
  await canary.close()
})
