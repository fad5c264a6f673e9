import * as z from 'zod/mini'
import { EVENT_KINDS } from '../domain/incident.ts'
import { DISABLED_REASONS, secretProblem, WEBHOOK_STATUSES } from '../domain/webhook.ts'
import { idOut, instantOut, line } from './fields.ts'
import { nextCursor, pagingParameters } from './paging.ts'

/** Longest address of a receiver. */
const MOST_URL = 2_048

const receiverUrl = () =>
  line(MOST_URL)
    .check(
      z.refine((value) => URL.canParse(value) && /^https?:\/\//i.test(value), {
        error: 'must be an absolute http(s) URL',
      }),
    )
    .register(z.globalRegistry, { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', maxLength: MOST_URL })

const eventKinds = () => z.array(z.enum(EVENT_KINDS)).check(z.minLength(1), z.maxLength(50))

export const webhookSecret = () =>
  z
    .string()
    .check(
      z.superRefine((value, context) => {
        const problem = secretProblem(value)
        if (problem !== null) context.issues.push({ code: 'custom', input: '', message: problem })
      }),
    )
    .register(z.globalRegistry, { minLength: 1, maxLength: 256, pattern: '^[ -~]+$', writeOnly: true })

export const newWebhook = z
  .strictObject({
    url: receiverUrl(),
    events: eventKinds(),
    secret: webhookSecret(),
  })
  .register(z.globalRegistry, { id: 'NewWebhook' })

export const webhookChange = z
  .strictObject({
    url: z.optional(receiverUrl()),
    events: z.optional(eventKinds()),
    status: z.optional(z.enum(WEBHOOK_STATUSES)),
  })
  .check(
    z.refine((change) => Object.keys(change).length > 0, { error: 'must name at least one field to change' }),
  )
  .register(z.globalRegistry, { id: 'WebhookChange', minProperties: 1 })

export const webhookFields = {
  id: idOut('wh'),
  url: z.string(),
  events: z.array(z.enum(EVENT_KINDS)),
  status: z.enum(WEBHOOK_STATUSES),
  disabled_reason: z.nullable(z.enum(DISABLED_REASONS)),
  created_at: instantOut(),
  updated_at: instantOut(),
}

export const webhook = z.strictObject(webhookFields).register(z.globalRegistry, { id: 'Webhook' })

/** The answer to a creation may carry warnings about the secret. */
export const webhookCreated = z
  .strictObject({ ...webhookFields, warnings: z.optional(z.array(z.string())) })
  .register(z.globalRegistry, { id: 'WebhookCreated' })

export const webhookList = z
  .strictObject({ webhooks: z.array(webhook), next_cursor: nextCursor })
  .register(z.globalRegistry, { id: 'WebhookList' })

export const webhookPaging = z.strictObject(pagingParameters)
