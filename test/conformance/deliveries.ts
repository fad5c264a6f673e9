import { Webhook } from 'standardwebhooks'
import { afterAll, expect, type TestContext } from 'vitest'
import { startReceiver, type TestReceiver } from '#test/endpoints/receiver.ts'
import type { Answered } from './client.ts'
import { lazily, resourcesOf, SECRET, type Suite, until, unusedId } from './resources.ts'
import { also, states } from './states.ts'

const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const ULID = '[0-9A-HJKMNP-TV-Z]{26}'

interface Attempt {
  readonly number: number
  readonly status: number | null
  readonly duration_ms: number
  readonly response: string | null
}
interface Delivery {
  readonly id: string
  readonly event_id: string
  readonly incident_id: string
  readonly event: string
  readonly status: string
  readonly attempts: readonly Attempt[]
}

/** What the documents say about events and their deliveries, seen by a receiver on this machine. */
export function deliveries(suite: Suite): void {
  const { client, service } = suite
  const make = resourcesOf(suite)
  const receivers: TestReceiver[] = []
  afterAll(() => {
    for (const receiver of receivers) receiver.close()
  })

  /** A receiver with its subscription; skips where the service may not call this machine. */
  async function subscribed(context: TestContext, ...events: readonly string[]) {
    if (!service().localEgress) return context.skip('the service may not call this machine')
    const receiver = await startReceiver()
    receivers.push(receiver)
    const { webhook } = await make.webhook({ url: receiver.url, events })
    return { receiver, webhook, path: `/webhooks/${webhook.id}` }
  }
  /** Events that came in, of one incident. */
  const came = (receiver: TestReceiver, incident: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } })
      .filter(({ data }) => data.id === incident)
      .map(({ type }) => type)
  const arrived = (receiver: TestReceiver, incident: string, wanted: readonly string[]) =>
    until(
      async () => came(receiver, incident),
      (types) => wanted.every((type) => types.includes(type)),
    )
  const post = (path: string, body?: unknown) =>
    client.send({ method: 'POST', path, ...(body === undefined ? {} : { body }) })
  const logged = async (path: string) =>
    (await client.send({ method: 'GET', path: `${path}/deliveries` })).body as { deliveries: Delivery[] }
  const settled = (path: string, status: string) =>
    until(
      async () => (await logged(path)).deliveries[0],
      (delivery) => delivery?.status === status,
    ) as Promise<Delivery>
  const accepted = ({ status, text }: Answered, wanted: number) => expect(status, text).toBe(wanted)

  states('spec-event-created', async (context) => {
    const { receiver } = await subscribed(context, 'incident.created')
    const { id } = await make.incident()
    await arrived(receiver, id, ['incident.created'])
    const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: '' }
    expect(() => new Webhook(SECRET).verify(body, headers as Record<string, string>)).not.toThrow()
  })
  states('spec-event-resolved', async (context) => {
    const { receiver } = await subscribed(context, 'incident.resolved')
    const { id } = await make.incident()
    await make.moved(id, 'resolved')
    await arrived(receiver, id, ['incident.resolved'])
    expect(came(receiver, id)).toEqual(['incident.resolved'])
  })
  states('api-incidents-create-event', async (context) => {
    const { receiver } = await subscribed(context, 'incident.created', 'incident.resolved')
    const { id } = await make.incident({ severity: 'critical' })
    // The end of an incident waits for its beginning to be delivered; the next look after that may be a minute away.
    await arrived(receiver, id, ['incident.created'])
    await make.moved(id, 'resolved')
    expect(await arrived(receiver, id, ['incident.resolved'])).toEqual([
      'incident.created',
      'incident.resolved',
    ])
  })
  states('api-event-analyzed', async (context) => {
    const { receiver } = await subscribed(context, 'incident.analyzed')
    const { receiver: unasked } = await subscribed(context, 'incident.created')
    const { id } = await make.incident()
    await arrived(receiver, id, ['incident.analyzed'])
    await arrived(unasked, id, ['incident.created'])
    expect(came(unasked, id)).not.toContain('incident.analyzed')
  })

  const one = lazily(async () => {
    const receiver = await startReceiver()
    receivers.push(receiver)
    const { webhook } = await make.webhook({ url: receiver.url })
    const { id } = await make.incident()
    await arrived(receiver, id, ['incident.created'])
    const path = `/webhooks/${webhook.id}`
    return { receiver, path, incident: id, delivery: await settled(path, 'delivered') }
  })
  const delivered = async (context: TestContext) =>
    service().localEgress ? one() : context.skip('the service may not call this machine')

  states('api-id-event', async (context) => {
    const { delivery, receiver } = await delivered(context)
    expect(delivery.event_id).toMatch(new RegExp(`^evt_${ULID}$`))
    expect(receiver.received[0]?.headers['webhook-id']).toBe(delivery.event_id)
  })
  states('api-id-delivery', async (context) => {
    expect((await delivered(context)).delivery.id).toMatch(new RegExp(`^dlv_${ULID}$`))
  })
  states('api-deliveries-list', async (context) => {
    const { delivery, incident } = await delivered(context)
    expect(delivery).toMatchObject({ incident_id: incident, event: 'incident.created' })
    expect(delivery.attempts).toHaveLength(1)
    expect(delivery.attempts[0]).toMatchObject({ number: 1, status: 200, response: 'seen' })
    expect(delivery.attempts[0]?.duration_ms).toBeGreaterThanOrEqual(0)
    await client.refusal({ method: 'GET', path: `/webhooks/${unusedId('wh')}/deliveries` }, 404)
  })
  states('api-deliveries-redeliver', async (context) => {
    const { delivery, path, receiver, incident } = await delivered(context)
    const before = came(receiver, incident).length
    accepted(await post(`${path}/deliveries/${delivery.id}/redeliver`), 202)
    await until(
      async () => came(receiver, incident).length,
      (count) => count === before + 1,
    )
    // The same event, so that a receiver which has it already can tell.
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const nothing = `${path}/deliveries/${unusedId('dlv')}/redeliver`
    await client.refusal({ method: 'POST', path: nothing }, 404)
  })
  states('api-webhooks-ping', async (context) => {
    const { receiver, path } = await subscribed(context, 'incident.created')
    const got = await post(`${path}/ping`)
    accepted(got, 200)
    expect(got.body).toMatchObject({ delivered: true, status: 200, response: 'seen' })
    expect(receiver.received).toHaveLength(1)
    receiver.status = 500
    expect((await post(`${path}/ping`)).body).toMatchObject({ delivered: false, status: 500 })
  })
  states('api-webhooks-rotate-secret', async (context) => {
    const { receiver, path } = await subscribed(context, 'incident.created')
    const rotated = await post(`${path}/rotate-secret`, { secret: OTHER_SECRET })
    accepted(rotated, 200)
    const until24h = Date.parse(
      (rotated.body as { previous_secret_valid_until: string }).previous_secret_valid_until,
    )
    expect(Math.abs(until24h - Date.now() - 86_400_000)).toBeLessThan(60_000)
    expect(rotated.text).not.toContain(OTHER_SECRET)
    await post(`${path}/ping`)
    const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: '' }
    for (const secret of [SECRET, OTHER_SECRET])
      expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow()
  })
  states('api-webhooks-recover', async (context) => {
    const { receiver, path } = await subscribed(context, 'incident.created')
    // Gone: the receiver says that it wants no more, and its subscription is disabled.
    receiver.status = 410
    const { id } = await make.incident()
    await settled(path, 'failed')
    receiver.status = 200
    await client.send({ method: 'PATCH', path, body: { status: 'enabled' } })
    const before = came(receiver, id).length
    accepted(await post(`${path}/recover`, { since: new Date(Date.now() - 3_600_000).toISOString() }), 202)
    await until(
      async () => came(receiver, id).length,
      (count) => count > before,
    )
    await settled(path, 'delivered')
    const ago = (days: number) => ({ since: new Date(Date.now() - days * 86_400_000).toISOString() })
    for (const body of [ago(15), ago(-1)])
      await client.invalid({ method: 'POST', path: `${path}/recover`, body }, 'since')
  })
  also('a receiver that refuses is told of in the log, with what it answered', async (context) => {
    const { receiver, path } = await subscribed(context, 'incident.created')
    receiver.status = 410
    await make.incident()
    expect((await settled(path, 'failed')).attempts).toMatchObject([{ status: 410, response: 'seen' }])
  })
}
