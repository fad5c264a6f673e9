import * as z from 'zod/mini'
import { ATTEMPT_ERRORS, DELIVERY_REASONS, DELIVERY_STATUSES, DELIVERY_TRIGGERS } from '../domain/delivery.ts'
import { EVENT_KINDS } from '../domain/incident.ts'
import { idOut, instantIn, instantOut, overlapSeconds } from './fields.ts'
import { nextCursor, pagingParameters } from './paging.ts'
import { webhookFields, webhookSecret } from './webhooks.ts'

const whole = () => z.int().check(z.minimum(0))
const answered = {
  status: z.nullable(z.int()),
  error: z.nullable(z.enum(ATTEMPT_ERRORS)),
  duration_ms: whole(),
  response: z.nullable(z.string()),
}

const attempt = z
  .strictObject({ number: z.int().check(z.minimum(1)), at: instantOut(), ...answered })
  .register(z.globalRegistry, { id: 'Attempt' })

const deliveryFields = {
  id: idOut('dlv'),
  webhook_id: idOut('wh'),
  event_id: idOut('evt'),
  event: z.enum(EVENT_KINDS),
  incident_id: idOut('inc'),
  status: z.enum(DELIVERY_STATUSES),
  reason: z.nullable(z.enum(DELIVERY_REASONS)),
  trigger: z.enum(DELIVERY_TRIGGERS),
  next_attempt_at: z.nullable(instantOut()),
  created_at: instantOut(),
  updated_at: instantOut(),
}

export const delivery = z.strictObject(deliveryFields).register(z.globalRegistry, { id: 'Delivery' })

const loggedDelivery = z
  .strictObject({ ...deliveryFields, attempts: z.array(attempt) })
  .register(z.globalRegistry, { id: 'LoggedDelivery' })

export const deliveryList = z
  .strictObject({ deliveries: z.array(loggedDelivery), next_cursor: nextCursor })
  .register(z.globalRegistry, { id: 'DeliveryList' })

export const deliveryPaging = z.strictObject(pagingParameters)

export const pingResult = z
  .strictObject({ event_id: idOut('evt'), delivered: z.boolean(), ...answered })
  .register(z.globalRegistry, { id: 'PingResult' })

export const newSecret = z
  .strictObject({
    secret: webhookSecret(),
    overlap_seconds: z.optional(overlapSeconds()),
  })
  .register(z.globalRegistry, { id: 'NewSecret' })

export const rotation = z
  .strictObject({
    ...webhookFields,
    previous_secret_valid_until: instantOut(),
    warnings: z.optional(z.array(z.string())),
  })
  .register(z.globalRegistry, { id: 'SecretRotation' })

export const newRecovery = z
  .strictObject({ since: instantIn() })
  .register(z.globalRegistry, { id: 'NewRecovery' })

export const recovery = z
  .strictObject({ webhook_id: idOut('wh'), since: instantOut() })
  .register(z.globalRegistry, { id: 'Recovery' })
