import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { receivedEvents } from '#shared/contract/events.ts'
import { openapiDocument } from '#shared/contract/openapi.ts'
import { eventBody } from '#shared/domain/event-body.ts'
import { EVENT_KINDS, type Incident } from '#shared/domain/incident.ts'
import { PING_TYPE, ping } from '#shared/domain/ping-webhook.ts'
import { sampleRootCause } from '#test/storage/sample-incidents.ts'

const AT = '2026-01-31T12:00:00.000Z'
const ULID = '01KGA2B3C4D5E6F7G8H9JKMNPQ'
const incidents: fc.Arbitrary<Incident> = fc.record({
  id: fc.constant(`inc_${ULID}`),
  title: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  status: fc.constantFrom('open', 'investigating', 'resolved'),
  severity: fc.constantFrom('low', 'medium', 'high', 'critical'),
  service: fc.option(fc.string({ minLength: 1 })),
  description: fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 4_000, size: 'max' })),
  started_at: fc.option(fc.constant(AT)),
  created_at: fc.constant(AT),
  updated_at: fc.constant(AT),
  resolved_at: fc.option(fc.constant(AT)),
  analysis: fc.constantFrom('pending', 'done', 'failed'),
  root_cause: fc.option(fc.constant(sampleRootCause())),
  version: fc.nat(),
}) as fc.Arbitrary<Incident>

describe('the catalogue of events', () => {
  it('is in the OpenAPI document: every kind that can be subscribed to, and the test event', () => {
    const { webhooks } = openapiDocument()
    expect(Object.keys(webhooks ?? {}).sort()).toEqual([...EVENT_KINDS, PING_TYPE].sort())
  })

  it('has a schema that every body of an event keeps, cut or whole', () => {
    fc.assert(
      fc.property(
        incidents,
        fc.constantFrom(...EVENT_KINDS),
        fc.integer({ min: 1 }),
        (given, kind, sequence) => {
          const event = { id: `evt_${ULID}`, kind, incident_id: given.id, at: AT, sequence, incident: given }
          const body: unknown = JSON.parse(eventBody(event))
          expect(z.safeParse(receivedEvents[kind], body).error).toBeUndefined()
          const others = Object.entries(receivedEvents).filter(([type]) => type !== kind)
          for (const [, schema] of others) expect(z.safeParse(schema, body).success).toBe(false)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('has a schema that the test event keeps', async () => {
    const id = `wh_${ULID}`
    const bodies: string[] = []
    const health = { failures: 0, failing_since: 0, open_until: 0, openings: 0, probe_until: 0 }
    const webhook = { id, url: 'https://example.com/', events: EVENT_KINDS, status: 'enabled' } as const
    const dates = { disabled_reason: null, created_at: AT, updated_at: AT, version: 1 }
    await ping(
      {
        webhooks: {
          open: async () => ({ webhook: { ...webhook, ...dates }, health, secrets: ['a secret'] }),
        },
        post: async ({ body }) => {
          bodies.push(body)
          return { kind: 'answered', status: 204, retryAfter: null, response: '' }
        },
        sign: () => '',
        clock: () => Date.parse(AT),
        newId: (prefix) => `${prefix}_${ULID}`,
      },
      id,
    )
    expect(z.safeParse(receivedEvents[PING_TYPE], JSON.parse(bodies[0] ?? '')).error).toBeUndefined()
  })
})
