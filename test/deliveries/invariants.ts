import { Webhook as Standard } from 'standardwebhooks'
import { MOST_ATTEMPTS } from '#shared/domain/delivery.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import { windowOf } from '#shared/domain/rate-limit.ts'
import type { Item } from './dynamo-in-memory.ts'
import { START, type World } from './world.ts'

/** Seconds that a signature's time may differ from the clock of its receiver. */
const TOLERANCE_S = 300

/** What was promised and does not hold in a world that has come to rest. */
export function broken(world: World, options: { readonly duplicates?: number } = {}): string[] {
  const found: string[] = []
  const webhooks = [...world.dynamo.table('webhooks').values()].filter(({ pk }) => pk === 'WEBHOOK')
  const deliveries = world.deliveries()
  const events = world.events()
  const byPath = (webhook: Item) => new URL(String(webhook.url)).pathname.slice(1)

  // I1: every event reaches every subscription that matched, at least once, or says why not.
  for (const event of events) {
    for (const webhook of webhooks) {
      if (!(webhook.events as string[]).includes(String(event.kind))) continue
      if (String(webhook.created_at) > String(event.at)) continue
      const delivery = deliveries.find(
        ({ event_id, webhook_id }) => event_id === event.id && webhook_id === webhook.id,
      )
      if (delivery === undefined)
        found.push(`I1: ${String(event.kind)} has no delivery to ${byPath(webhook)}`)
      else if (delivery.status === 'pending') found.push(`I1: ${String(event.kind)} still waits`)
      else if (delivery.status === 'delivered') {
        const accepted = world.accepted(byPath(webhook)).filter(({ id }) => id === event.id)
        if (accepted.length === 0) found.push(`I1: ${String(event.kind)} is called delivered and was not`)
      } else if (delivery.reason === null) found.push('I6: a delivery ended without a reason')
    }
  }
  // An incident and its events are one transaction.
  for (const { sk, id, status } of world.dynamo.table('incidents').values()) {
    if (sk !== 'INCIDENT') continue
    const kinds = events.filter(({ incident_id }) => incident_id === id).map(({ kind }) => kind)
    if (!kinds.includes('incident.created')) found.push('I1: an incident without its incident.created')
    if (status === 'resolved' && !kinds.includes('incident.resolved'))
      found.push('I1: a resolved incident without its incident.resolved')
  }
  // The only duplicates are those of an attempt that was accepted and not committed.
  let duplicates = 0
  for (const delivery of deliveries) {
    const webhook = webhooks.find(({ id }) => id === delivery.webhook_id)
    if (webhook === undefined) continue
    const accepted = world.accepted(byPath(webhook)).filter(({ id }) => id === delivery.event_id)
    duplicates += Math.max(0, accepted.length - 1)
    const attempts = world.attemptsOf(String(delivery.id)).length
    // I5, and the log has every attempt but those that died with their process.
    if (attempts > MOST_ATTEMPTS && delivery.trigger === 'event') found.push(`I5: ${attempts} attempts`)
    const posted = world.posts.filter(
      ({ id, webhook: name }) => id === delivery.event_id && name === byPath(webhook),
    )
    const lost = posted.length - attempts
    if (lost < 0 || lost > (options.duplicates ?? 0))
      found.push(`log: ${attempts} of ${posted.length} attempts`)
    if (delivery.status === 'failed' && delivery.reason === 'exhausted' && posted.length < MOST_ATTEMPTS)
      found.push(`schedule: given up after ${posted.length} attempts`)
  }
  if (duplicates > (options.duplicates ?? 0)) found.push(`${duplicates} duplicates`)

  // I3: the same event is the same bytes under the same id; the signature is of its own time.
  const bodies = new Map(events.map(({ id, body }) => [String(id), String(body)]))
  for (const { id, body, timestamp, at, webhook, signature } of world.posts) {
    if (bodies.get(id) !== body) found.push('I3: another body or id')
    if (Math.abs(at / 1_000 - timestamp) > TOLERANCE_S) found.push('a timestamp of another attempt')
    const verified = (world.secrets.get(webhook) ?? []).every((secret) =>
      isSignedBy(secret, id, timestamp, body, signature),
    )
    if (!verified) found.push('a signature that a valid secret does not verify')
  }
  // I4: of one incident, `created` is settled before anything later is accepted.
  for (const webhook of webhooks) {
    for (const { id, at } of world.accepted(byPath(webhook))) {
      const event = events.find((each) => each.id === id)
      const createdId = createdEventId(String(event?.incident_id))
      if (event === undefined || id === createdId) continue
      const first = deliveries.find(
        ({ event_id, webhook_id }) => event_id === createdId && webhook_id === webhook.id,
      )
      if (first === undefined) continue
      const settled = world
        .accepted(byPath(webhook))
        .some((posted) => posted.id === createdId && posted.at <= at)
      if (first.status === 'delivered' && !settled) found.push('I4: resolved before created')
    }
  }
  // I2: nothing is sent by an attempt that began after a deletion was acknowledged.
  if (world.sentAfterDeletion.length > 0) found.push('I2: sent after the deletion was acknowledged')
  // I6: what was fanned out is delivered, or skipped with a reason, and is nothing beside that.
  const matches = events.flatMap((event) =>
    webhooks.filter(
      ({ events: kinds, created_at }) =>
        (kinds as string[]).includes(String(event.kind)) && String(created_at) <= String(event.at),
    ),
  )
  const standing = deliveries.filter(({ webhook_id }) => webhooks.some(({ id }) => id === webhook_id))
  if (standing.length > matches.length) found.push('I6: more deliveries than were fanned out')
  found.push(...rateProblems(world), ...exposed(world))
  // What nobody could read is nothing that we write.
  if (world.deadLetters > 0) found.push(`I6: ${world.deadLetters} dead letters`)
  if (world.now < START) found.push('the clock ran backwards')
  return [...new Set(found)]
}

/** I7: no window of the key grants more than its limit, and none refuses below it but for those that died counted. */
function rateProblems({ asked, limit }: World): string[] {
  const windows = Map.groupBy(asked, ({ at }) => windowOf(at))
  return [...windows.values()].flatMap((requests) => {
    const count = (outcome: string) => requests.filter((each) => each.outcome === outcome).length
    if (count('granted') > limit) return [`I7: ${count('granted')} requests granted of ${limit}`]
    const least = Math.min(limit, requests.length) - count('died')
    return count('granted') < least ? [`I7: ${count('granted')} requests granted of ${least} at least`] : []
  })
}

/** I9: no secret and no key lies in a table, a message or what a receiver gets, in no form. */
function exposed(world: World): string[] {
  const items = [...world.dynamo.tables.values()].flatMap((table) => [...table.values()])
  const text = JSON.stringify([items, world.sent, world.posts])
  return world.secretForms().some((form) => text.includes(form)) ? ['I9: a secret lies open'] : []
}

function isSignedBy(secret: string, id: string, timestamp: number, body: string, signature: string): boolean {
  const signed = new Standard(secret).sign(id, new Date(timestamp * 1_000), body)
  return signature.split(' ').includes(signed)
}
