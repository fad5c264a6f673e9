import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { ulid } from 'ulid'
import { describe, expect, it } from 'vitest'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { refusalStatuses } from '#shared/contract/openapi.ts'
import { type Operation, type OperationId, operations } from '#shared/contract/operations.ts'
import { MOST_SENT_BYTES } from '#shared/domain/alerts/intake.ts'
import { PLAN_LIMITS, windowOf } from '#shared/domain/rate-limit.ts'
import type { Got } from '#test/edge/call-endpoint.ts'
import { type Service, withKey } from './service.ts'

/** An id that has the form of this operation's and that nothing has. */
export const unknownId = (operation: OperationId): string => {
  const { idPrefixes } = operations[operation] as Operation
  return `${idPrefixes?.[0] ?? ''}_${ulid()}`
}

/** An error in the shape of the specification, and nothing more. */
export function expectError(got: Got, status: number, code: string): void {
  expect(got.status, JSON.stringify(got.body)).toBe(status)
  expect(got.body).toEqual({
    error: { code, message: expect.any(String), details: expect.any(Object) },
  })
  expect(got.headers['Content-Type']).toBe('application/json; charset=utf-8')
}

/** An INVALID_REQUEST that names the field. */
export function expectInvalid(got: Got, field: string, reason: string | RegExp = /./): void {
  expectError(got, 400, 'INVALID_REQUEST')
  expect(got.body.error.details.field).toBe(field)
  expect(got.body.error.details.reason).toMatch(reason)
}

/**
 * The refusals that every operation of its kind gives alike, tested through the operation itself: by its key (401,
 * 403), its rate (429), its id (404) and the form of its request (400, 413, 415).
 */
export function refusesAlike(operation: OperationId, service: () => Service): void {
  const { access, method, people, sender, idPrefixes, innerId, body } = operations[operation] as Operation
  const inner = innerId === undefined ? {} : { parameters: { [innerId.name]: `${innerId.prefix}_${ulid()}` } }
  const id = idPrefixes === undefined ? {} : { id: unknownId(operation), ...inner }

  if (access === 'anyone') {
    describe('429', () => {
      it('refuses an address that has used up what callers without a key share', async () => {
        const sent = { ...id, headers: {}, sourceIp: '203.0.113.77' }
        let last: Got | undefined
        // The minute may turn on the way: twice the allowance meets the limit of one of the two.
        for (let calls = 0; calls <= 2 * PLAN_LIMITS.standard && last?.status !== 429; calls += 1) {
          last = await service().call(operation, sent)
        }
        expectError(last as Got, 429, 'RATE_LIMIT_EXCEEDED')
        expect(Number(last?.headers['Retry-After'])).toBeGreaterThan(0)
        const another = await service().call(operation, { ...id, headers: {}, sourceIp: '203.0.113.78' })
        expect(another.status).toBe(sender === true ? 401 : 200)
      })
    })
    if (sender === true) {
      describe('404 for the id', () => {
        it.each(['1', 'x'.repeat(500), '../..', `inc_${ulid()}`, 'bundle_1'])(
          'refuses %s',
          async (malformed) => {
            const got = await service().call(operation, { id: malformed, headers: {}, body: '{}' })
            expectError(got, 404, 'NOT_FOUND')
          },
        )
      })
      describe('413', () => {
        it('refuses a body above 4.5 MB, before it asks for the proof', async () => {
          const body = 'x'.repeat(MOST_SENT_BYTES + 1)
          const got = await service().call(operation, { ...id, headers: {}, body })
          expectError(got, 413, 'INVALID_REQUEST')
        })
      })
    }
    return
  }

  describe('401', () => {
    const unknown = 'iis_live_adm_'
    const refuses = async (headers: Readonly<Record<string, string | string[]>>) => {
      const got = await service().call(operation, { ...id, headers })
      expectError(got, 401, 'UNAUTHORIZED')
      expect(got.headers['WWW-Authenticate']).toBe('Bearer')
      expect(got.headers['X-RateLimit-Limit']).toBe(String(PLAN_LIMITS.standard))
      return got
    }

    it('refuses a request without a key', async () => {
      await refuses({})
    })

    it('refuses a key that is malformed, under another scheme, or one of two', async () => {
      await refuses(withKey(`${unknown}nonsense`))
      await refuses({ Authorization: `Basic ${service().adminKey}` })
      await refuses({ Authorization: service().adminKey })
      await refuses({ Authorization: [`Bearer ${service().adminKey}`, `Bearer ${service().adminKey}`] })
    })

    it('refuses a well-formed key that nobody made, and says no more than for any other', async () => {
      const { writeKey } = await import('#shared/domain/api-key.ts')
      const got = await refuses(
        withKey(
          writeKey(
            'live',
            'admin',
            Uint8Array.from({ length: 64 }, (_, n) => n),
          ),
        ),
      )
      expect(got.body).toEqual((await refuses({})).body)
    })

    it('refuses a key from the very next request after it was revoked', async () => {
      const { id: key, key: text } = await service().newKey('admin')
      // Where no key may call, one that is valid is told so.
      expect((await service().call(operation, { ...id, headers: withKey(text) })).status).not.toBe(401)
      expect(await service().revokeKey(key)).toBe(true)
      await refuses(withKey(text))
    })

    it('refuses a key that has expired', async () => {
      await refuses(withKey((await service().newKey('admin', { expired: true })).key))
    })
  })

  describe('403', () => {
    if (people === true) {
      it('refuses every key and every viewer, whatever they send', async () => {
        const { adminKey, assistantKey } = service()
        for (const headers of [withKey(adminKey), withKey(assistantKey), service().asUser('viewer')]) {
          expectError(await service().call(operation, { ...id, headers }), 403, 'FORBIDDEN')
          const nonsense = { ...id, headers, query: { nonsense: '1' }, body: '{' }
          expectError(await service().call(operation, nonsense), 403, 'FORBIDDEN')
        }
      })
    } else if (access.includes('assistant')) {
      it('is for no type of key: both may call it', async () => {
        for (const key of [service().adminKey, service().assistantKey]) {
          expect((await service().call(operation, { ...id, headers: withKey(key) })).status).not.toBe(403)
        }
      })
    } else {
      it('refuses an Assistant key, whatever it sends', async () => {
        const headers = withKey(service().assistantKey)
        expectError(await service().call(operation, { ...id, headers }), 403, 'FORBIDDEN')
        const nonsense = { ...id, headers, query: { nonsense: '1' }, body: '{' }
        expectError(await service().call(operation, nonsense), 403, 'FORBIDDEN')
      })
    }
  })

  describe('429', () => {
    it('refuses a key past the requests of its plan, telling when to come again', async () => {
      const { key } = await service().newKey('admin', { plan: 'standard' })
      const headers = withKey(key)
      const first = await service().call(operation, { ...id, headers })
      expect(first.headers['X-RateLimit-Limit']).toBe('100')
      expect(first.headers['X-RateLimit-Remaining']).toBe('99')
      // The window is used up in the store, not by a hundred requests; the minute may turn, so the next one is too.
      const window = windowOf(Date.now())
      await service().store.client.send(
        new UpdateCommand({
          TableName: service().store.names.keys,
          Key: { pk: `KEY#${keyHash(key)}` },
          UpdateExpression: 'SET #now = :limit, #next = :limit',
          ExpressionAttributeNames: { '#now': `w${window}`, '#next': `w${window + 1}` },
          ExpressionAttributeValues: { ':limit': PLAN_LIMITS.standard },
        }),
      )
      const got = await service().call(operation, { ...id, headers })
      expectError(got, 429, 'RATE_LIMIT_EXCEEDED')
      expect(got.headers['X-RateLimit-Remaining']).toBe('0')
      const wait = Number(got.headers['Retry-After'])
      expect(wait).toBeGreaterThanOrEqual(1)
      expect(wait).toBeLessThanOrEqual(60)
    })
  })

  describe('400 for the form', () => {
    it('names a query parameter that it does not know', async () => {
      const sent = { ...id, query: { stauts: 'open' }, ...(body === undefined ? {} : { body: {} }) }
      const got = await service().call(operation, sent)
      expectError(got, 400, 'INVALID_REQUEST')
      const { field, errors } = got.body.error.details
      // What is wrong with the body is told first.
      if (body === undefined) expect([field, ...(errors ?? [])]).toContain('stauts')
    })

    if (body !== undefined) {
      it('refuses a body that is no JSON without quoting it', async () => {
        const got = await service().call(operation, { ...id, body: '{"client_secret": "hush-hush' })
        expectInvalid(got, 'body', 'valid JSON')
        expect(JSON.stringify(got)).not.toContain('hush-hush')
      })

      it('says of a body that was not sent that it is empty', async () => {
        expectInvalid(await service().call(operation, { ...id, body: '' }), 'body', 'is empty')
      })

      it.each([
        ['a list', []],
        ['a text', 'text'],
        ['null', null],
        ['a number', 7],
      ])('refuses %s in place of an object', async (_name, value) => {
        const got = await service().call(operation, { ...id, body: JSON.stringify(value) })
        expectError(got, 400, 'INVALID_REQUEST')
      })

      it('names a field that would reach the prototype', async () => {
        const got = await service().call(operation, { ...id, body: '{"__proto__": {"admin": true}}' })
        expectInvalid(got, '__proto__')
      })

      it('names a field that is given twice', async () => {
        const got = await service().call(operation, { ...id, body: '{"a": {"b": 1}, "a": {"c": 1}}' })
        expectInvalid(got, 'a', 'must be given once')
      })
    }
  })

  if (idPrefixes !== undefined) {
    describe('404 for the id', () => {
      it('refuses an id that nothing has', async () => {
        const valid: Partial<Record<OperationId, unknown>> = {
          'update-incident': { title: 'x' },
          'update-integration': { enabled: false },
          'update-webhook': { status: 'disabled' },
          'rotate-webhook-secret': { secret: 'x'.repeat(24) },
          'rotate-key': {},
          'recover-webhook': { since: new Date(Date.now() - 1_000).toISOString() },
        }
        const sent = { ...id, ...(body === undefined ? {} : { body: valid[operation] }) }
        expectError(await service().call(operation, sent), 404, 'NOT_FOUND')
        for (const malformed of [
          '1',
          'x'.repeat(500),
          '../..',
          `evt_${ulid()}`,
          `${unknownId(operation)}0`,
        ]) {
          expectError(await service().call(operation, { ...sent, id: malformed }), 404, 'NOT_FOUND')
        }
      })
    })
  }

  if (method === 'POST' || method === 'PATCH') {
    if (body !== undefined) {
      describe('415', () => {
        it('refuses a body that is not declared as JSON', async () => {
          const headers = { ...service().permitted(operation), 'Content-Type': 'text/plain' }
          expectError(await service().call(operation, { ...id, headers, body: '{}' }), 415, 'INVALID_REQUEST')
        })
      })
    }
  }

  if (method !== 'GET') {
    describe('413', () => {
      it('refuses a body above 256 KB, as the document says, before it asks for the key', async () => {
        const got = await service().call(operation, { ...id, headers: {}, body: 'x'.repeat(262_145) })
        expectError(got, 413, 'INVALID_REQUEST')
        expect(refusalStatuses(operations[operation])).toContain(413)
      })
    })
  }
}
