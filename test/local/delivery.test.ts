import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endLaunched, launch, newFolder, type Ready, readiness, type Started, start } from './launch.ts'

const RECEIVER = ['infra/commands/receiver.ts']
const SECRET = 'whsec_ZW5kLXRvLWVuZC1zZWNyZXQtb2YtYS10ZXN0'
const BOTH = ['incident.created', 'incident.resolved']
/** A delivery is there within a second; a machine that is busy with other tests gets more. */
const WITHIN = { timeout: 20_000, interval: 50 }

afterAll(endLaunched)

/** Starts `npm run receiver`. @returns it, and the address that it prints */
async function startReceiver(...args: string[]): Promise<{ receiver: Started; url: string }> {
  const receiver = launch(['--port', '0', '--json', ...args], RECEIVER)
  const address = /Receiving at (\S+):/
  await expect.poll(() => receiver.stderr(), WITHIN).toMatch(address)
  return { receiver, url: address.exec(receiver.stderr())?.[1] ?? '' }
}

const lines = (started: Started) =>
  started
    .stdout()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown> & { event: { type: string; data: object } })

describe('an incident on the local service', () => {
  let ready: Ready
  beforeAll(async () => {
    ready = await readiness(start(newFolder(), '--empty'))
  }, 300_000)

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  async function call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<any> {
    const answer = await request(`${ready.base_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${ready.admin_key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const read = await answer.body.text()
    expect(answer.statusCode, read).toBeLessThan(300)
    return JSON.parse(read)
  }

  it('reaches its receiver, which verifies every event by an independent library', async () => {
    const { receiver, url } = await startReceiver('--secret', SECRET)
    await call('POST', '/webhooks', { url, events: BOTH, secret: SECRET })
    const { id } = await call('POST', '/incidents', { title: 'Checkout fails', severity: 'high' })
    await expect.poll(() => lines(receiver).length, WITHIN).toBe(1)
    await call('PATCH', `/incidents/${id}`, { status: 'resolved' })
    await expect.poll(() => lines(receiver).length, WITHIN).toBe(2)
    const arrivals = lines(receiver)
    expect(arrivals.map(({ event, verified, times }) => [event.type, verified, times])).toEqual([
      ['incident.created', true, 1],
      ['incident.resolved', true, 1],
    ])
    for (const { event } of arrivals) expect(event.data).toMatchObject({ id, title: 'Checkout fails' })
    receiver.child.kill('SIGINT')
    expect(await receiver.ended).toBe(0)
  }, 300_000)

  it('is posted with the headers of Standard Webhooks, and told in the log of deliveries', async () => {
    const posts: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
    const server = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        posts.push({ headers: incoming.headers, body })
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const webhook = await call('POST', '/webhooks', { url, events: BOTH, secret: SECRET })
    const incident = await call('POST', '/incidents', { title: 'Search is slow', severity: 'low' })
    await expect.poll(() => posts.length, WITHIN).toBe(1)
    const [{ headers, body } = { headers: {}, body: '' }] = posts
    const verified = new Webhook(SECRET).verify(body, headers as Record<string, string>)
    expect(verified).toMatchObject({ type: 'incident.created', data: { id: incident.id } })
    const logged = async () => (await call('GET', `/webhooks/${webhook.id}/deliveries`)).deliveries
    await expect.poll(async () => (await logged())[0].status, WITHIN).toBe('delivered')
    expect(await logged()).toMatchObject([
      { event_id: headers['webhook-id'], attempts: [{ number: 1, status: 204, error: null }] },
    ])
    server.closeAllConnections()
    server.close()
  }, 300_000)

  it('whose event is refused with a bad certificate says so in the log', async () => {
    const { receiver, url } = await startReceiver('--play', 'self-signed')
    const webhook = await call('POST', '/webhooks', { url, events: BOTH, secret: SECRET })
    const ping = await call('POST', `/webhooks/${webhook.id}/ping`)
    expect(ping).toMatchObject({ delivered: false, status: null, error: 'tls' })
    receiver.child.kill('SIGINT')
    expect(await receiver.ended).toBe(0)
    expect(receiver.stdout()).toBe('')
  }, 300_000)
})

describe('the receiver', () => {
  it('prints an event for people, and says when it is not verified', async () => {
    const receiver = launch(['--port', '0', '--secret', SECRET], RECEIVER)
    await expect.poll(() => receiver.stderr(), WITHIN).toContain('Receiving at')
    const url = /Receiving at (\S+):/.exec(receiver.stderr())?.[1] ?? ''
    // The names are those that npm start prints, so that its lines can be pasted before this one.
    expect(receiver.stderr()).toContain('  curl -s $BASE_URL/webhooks -H "Authorization: Bearer $ADMIN_KEY"')
    const body = JSON.stringify({ type: 'incident.created', data: { title: 'Disk full', sequence: 1 } })
    const at = new Date()
    const headers = (signature: string) => ({
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signature,
    })
    const signature = new Webhook(SECRET).sign('evt_1', at, body)
    for (const sent of [signature, `v1,${Buffer.alloc(32).toString('base64')}`])
      await request(url, { method: 'POST', headers: headers(sent), body })
    await request(url, { method: 'POST', headers: headers(signature), body: 'no JSON' })
    // What names no event is not the same event again.
    for (const path of ['', '?again']) await request(`${url}${path}`)
    await expect.poll(() => receiver.stdout().split('\n').length, WITHIN).toBe(6)
    const [first, second, third, , fifth] = receiver.stdout().split('\n')
    expect(fifth).toMatch(/NOT VERIFIED/)
    expect(fifth).not.toContain('received')
    expect(first).toMatch(/ {2}verified {2}incident\.created {2}Disk full {2}sequence 1 {2}evt_1$/)
    expect(second).toMatch(/NOT VERIFIED \(.+\).* evt_1, received 2 times$/)
    expect(third).toMatch(/NOT VERIFIED \(.+\).* evt_1, received 3 times$/)
    const second_ = launch(['--port', new URL(url).port], RECEIVER)
    expect(await second_.ended).toBe(1)
    expect(second_.stderr()).toBe(`Port ${new URL(url).port} is taken: choose another with --port.\n`)
    receiver.child.kill('SIGINT')
    expect(await receiver.ended).toBe(0)
  }, 300_000)

  it.each([
    [['--play', 'dead'], '--play must be one of ok, refuse, '],
    [['--status', '99'], '--status must be a number from 200 to 599, not 99'],
    [['--seconds', '-1'], "Option '--seconds' argument is ambiguous"],
    [['--port', '65536'], '--port must be a number from 0 to 65535, not 65536'],
    [['--secret', ''], '--secret must be whsec_ and base64 behind it, or any other text that is not empty'],
    [['--secret', 'whsec_***'], '--secret must be whsec_ and base64'],
    [['--cert', 'x'], '--cert and --key go together'],
    [['surplus'], "Unexpected argument 'surplus'"],
  ])('called with %j is bad usage', async (args, message) => {
    const refused = launch([...args], RECEIVER)
    expect(await refused.ended).toBe(2)
    expect(refused.stderr()).toContain(message)
    expect(refused.stderr()).not.toContain('    at ')
  })

  it('says in one line which file it cannot read', async () => {
    const refused = launch(['--cert', 'nowhere.pem', '--key', 'nowhere.pem'], RECEIVER)
    expect(await refused.ended).toBe(1)
    expect(refused.stderr()).toBe('--cert nowhere.pem cannot be read (ENOENT).\n')
  })

  it('lists every way to play with --help', async () => {
    const helped = launch(['--help'], RECEIVER)
    expect(await helped.ended).toBe(0)
    for (const word of [
      'refuse',
      'busy-until',
      'drip-head',
      'early-hints',
      'self-signed',
      'expired',
      'wrong-host',
    ])
      expect(helped.stdout()).toContain(`  ${word} `)
  })
})

it('says at its start how it plays, with the number that it was given', async () => {
  const { receiver } = await startReceiver('--play', 'refuse', '--status', '503')
  expect(receiver.stderr()).toContain('answers a status of your choice: --status N (here 503).')
  receiver.child.kill('SIGINT')
  expect(await receiver.ended).toBe(0)
}, 60_000)
