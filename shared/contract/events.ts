import * as z from 'zod/mini'
import type { EventKind } from '../domain/incident.ts'
import { PING_TYPE } from '../domain/ping-webhook.ts'
import { idOut, instantOut } from './fields.ts'
import { incident } from './incidents.ts'

const data = z
  .extend(incident, {
    sequence: z.int().check(z.minimum(1)),
    /** Fields that were cut so that the whole stays below 20 KB. */
    truncated: z.optional(z.array(z.enum(['root_cause.evidence', 'root_cause', 'description']))),
  })
  .register(z.globalRegistry, { id: 'EventIncident' })

const incidentEvent = (kind: EventKind) =>
  z.strictObject({ type: z.literal(kind), timestamp: instantOut(), data })

/** What a receiver gets, by the type of the event: the body of its POST. */
export const receivedEvents: Readonly<Record<EventKind | typeof PING_TYPE, z.ZodMiniType>> = {
  'incident.created': incidentEvent('incident.created'),
  'incident.resolved': incidentEvent('incident.resolved'),
  'incident.analyzed': incidentEvent('incident.analyzed'),
  [PING_TYPE]: z.strictObject({
    type: z.literal(PING_TYPE),
    timestamp: instantOut(),
    data: z.strictObject({ webhook_id: idOut('wh') }),
  }),
}

/** When each is sent. */
export const eventSummaries: Readonly<Record<keyof typeof receivedEvents, string>> = {
  'incident.created': 'An incident was opened.',
  'incident.resolved': 'An incident was resolved.',
  'incident.analyzed': 'The root cause of an incident was found, or its outcome changed.',
  [PING_TYPE]: 'A test event, sent on request.',
}

const header = (description: string) => z.string().register(z.globalRegistry, { description })
/** What comes with each. */
export const eventHeaders = z.object({
  'webhook-id': header('Id of the event: the same on every attempt and to every subscriber.'),
  'webhook-timestamp': header('Time of this attempt, in seconds since the epoch.'),
  'webhook-signature': header(
    '`v1,` and the signature; two of them with a space between while a secret is being replaced.',
  ),
})
