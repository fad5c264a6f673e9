import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hmacSign } from '#shared/adapters/hmac-sign.ts'
import { signedContent, webhookHeaders } from '#shared/domain/signature.ts'

const sign = hmacSign()
const ID = 'evt_01KGA2B3C4D5E6F7G8H9JKMNPQ'
const whsec = () =>
  fc.uint8Array({ minLength: 24, maxLength: 64 }).map((key) => `whsec_${Buffer.from(key).toString('base64')}`)
const raw = () =>
  fc
    .string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 256,
    })
    .filter((secret) => !secret.startsWith('whsec_'))
const body = () => fc.string({ unit: 'grapheme', maxLength: 2_000 }).map((text) => JSON.stringify({ text }))

afterEach(() => void vi.useRealTimers())

describe('a signature', () => {
  it('is the one of the fixed vector of the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const content = signedContent('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}')
    expect(sign(secret, content)).toBe('g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    expect(
      webhookHeaders(
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        1_614_265_330_999,
        '{"test": 2432232314}',
        [secret],
        sign,
      ),
    ).toEqual({
      'content-type': 'application/json',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('by a whsec_ secret is verified by standardwebhooks and by svix, whatever is sent', () => {
    fc.assert(
      fc.property(whsec(), body(), (secret, text) => {
        const headers = webhookHeaders(ID, Date.now(), text, [secret], sign)
        expect(new Standard(secret).verify(text, headers)).toEqual(JSON.parse(text))
        expect(() => new Svix(secret).verify(text, headers)).not.toThrow()
      }),
    )
  })

  it('by a raw secret is verified by standardwebhooks in its raw format', () => {
    fc.assert(
      fc.property(raw(), body(), (secret, text) => {
        const headers = webhookHeaders(ID, Date.now(), text, [secret], sign)
        expect(new Standard(secret, { format: 'raw' }).verify(text, headers)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('is verified with either secret while they overlap, by both libraries', () => {
    fc.assert(
      fc.property(whsec(), whsec(), body(), (present, previous, text) => {
        const headers = webhookHeaders(ID, Date.now(), text, [present, previous], sign)
        expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
        for (const secret of [present, previous]) {
          expect(new Standard(secret).verify(text, headers)).toEqual(JSON.parse(text))
          expect(() => new Svix(secret).verify(text, headers)).not.toThrow()
        }
      }),
    )
  })

  it('is refused for another body, id, time or secret', () => {
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const text = '{"a":1}'
    const headers = webhookHeaders(ID, Date.now(), text, [secret], sign)
    const library = new Standard(secret)
    expect(() => library.verify('{"a":2}', headers)).toThrow()
    expect(() => library.verify(text, { ...headers, 'webhook-id': `${ID}1` })).toThrow()
    const late = String(Number(headers['webhook-timestamp']) + 1)
    expect(() => library.verify(text, { ...headers, 'webhook-timestamp': late })).toThrow()
    const other = new Standard(`whsec_${Buffer.alloc(24, 2).toString('base64')}`)
    expect(() => other.verify(text, headers)).toThrow()
    expect(() => new Svix(secret).verify('{"a":2}', headers)).toThrow()
  })

  it('is refused by both libraries once its attempt is more than five minutes ago, or as far ahead', () => {
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const at = Date.UTC(2026, 0, 31, 12)
    const headers = webhookHeaders(ID, at, '{"a":1}', [secret], sign)
    for (const library of [new Standard(secret), new Svix(secret)])
      for (const [seconds, holds] of [
        [-301, false],
        [-299, true],
        [299, true],
        [301, false],
      ] as const) {
        vi.useFakeTimers({ now: at + seconds * 1_000 })
        const verify = () => library.verify('{"a":1}', headers)
        if (holds) expect(verify).not.toThrow()
        else expect(verify).toThrow(/timestamp/i)
      }
  })

  it('needs a secret', () => {
    expect(() => webhookHeaders(ID, 0, '', [], sign)).toThrow('without a secret')
  })
})

describe('a signature', () => {
  it('is the HMAC-SHA256 that Node makes, for any content and for keys shorter and longer than a block', () => {
    const content = fc.oneof(fc.string({ unit: 'binary', maxLength: 3_000 }), fc.string({ maxLength: 200 }))
    const secret = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'abcXYZ019 ~!'), minLength: 1, maxLength: 256 }),
      fc
        .uint8Array({ minLength: 1, maxLength: 130 })
        .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`),
    )
    const signing = hmacSign()
    fc.assert(
      fc.property(secret, content, (of, text) => {
        const key = of.startsWith('whsec_') ? Buffer.from(of.slice(6), 'base64') : Buffer.from(of, 'ascii')
        expect(signing(of, text)).toBe(createHmac('sha256', key).update(text).digest('base64'))
      }),
    )
  })

  it('is of the whole content, however long, and of no content before it', () => {
    const signing = hmacSign()
    for (const text of ['x'.repeat(10_000), '€'.repeat(5_000), '', 'short'])
      expect(signing('secret', text)).toBe(createHmac('sha256', 'secret').update(text).digest('base64'))
  })
})

describe('keys', () => {
  it('are kept, and forgotten in the order in which they came', () => {
    const signing = hmacSign()
    const first = signing('secret 0', 'content')
    for (let number = 1; number < 1_500; number += 1) signing(`secret ${number}`, 'content')
    expect(signing('secret 0', 'content')).toBe(first)
  })
})
