import { describe, expect, it } from 'vitest'
import {
  intakeContext,
  intakeOf,
  MESSAGES_A_MINUTE,
  MOST_SENT_BYTES,
  MOST_SKEW_MS,
  senderOf,
  TOKEN_BYTES,
  writeToken,
} from '#shared/domain/alerts/intake.ts'

const TOKEN = 'whsec_token'

describe('a tool that sends', () => {
  it.each([
    ['alertmanager', 'token', null, false, [], []],
    ['cloudwatch', 'sns', null, false, [], []],
    ['datadog', 'token', null, false, [], []],
    ['github', 'github', 'webhook_secret', true, ['repositories'], ['x-github-event']],
    ['grafana', 'grafana', 'hmac_secret', true, [], []],
    ['pagerduty', 'pagerduty', 'webhook_secret', false, [], []],
    ['sentry', 'sentry', 'client_secret', false, [], ['sentry-hook-timestamp', 'sentry-hook-resource']],
    ['webhook', 'webhook', 'signing_secret', true, [], []],
  ] as const)(
    '%s proves itself by %s, signs with %s, and is read by what it needs',
    (type, proof, secret, tokenSigns, settings, headers) => {
      expect(senderOf(type)).toEqual({ proof, secret, tokenSigns, settings, headers })
    },
  )

  it.each(['prometheus', 'loki', '', 'constructor', '__proto__', 'toString'])('is not %j', (type) => {
    expect(senderOf(type)).toBeUndefined()
    expect(intakeOf(type, {}, TOKEN)).toBeNull()
  })
})

describe('what messages are verified by', () => {
  it('is the secret of its own that the tool signs with, beside the token', () => {
    expect(intakeOf('github', { webhook_secret: 'own' }, TOKEN)).toEqual({ token: TOKEN, secret: 'own' })
    expect(intakeOf('pagerduty', { webhook_secret: 'own' }, TOKEN)).toEqual({ token: TOKEN, secret: 'own' })
    expect(intakeOf('sentry', { client_secret: 'own', webhook_secret: 'other' }, TOKEN)?.secret).toBe('own')
  })

  it('is the token where the tool may be given it, and no secret where the tool chooses its own', () => {
    for (const type of ['github', 'grafana', 'webhook'])
      expect(intakeOf(type, {}, TOKEN)).toEqual({ token: TOKEN, secret: TOKEN })
    for (const type of ['alertmanager', 'cloudwatch', 'datadog', 'pagerduty', 'sentry'])
      expect(intakeOf(type, {}, TOKEN)).toEqual({ token: TOKEN, secret: null })
    expect(intakeOf('alertmanager', { webhook_secret: 'own', null: 'own' }, TOKEN)?.secret).toBeNull()
  })
})

describe('an ingest token', () => {
  it('is written in the form of Standard Webhooks: the prefix and its bytes in base64', () => {
    expect(writeToken(Uint8Array.from([0, 255, 16]))).toBe('whsec_AP8Q')
    expect(writeToken(new Uint8Array(TOKEN_BYTES))).toBe(`whsec_${'A'.repeat(43)}=`)
  })

  it('has 32 bytes; messages are bounded in number, size and age', () => {
    expect([TOKEN_BYTES, MESSAGES_A_MINUTE, MOST_SENT_BYTES, MOST_SKEW_MS]).toEqual([
      32, 6_000, 4_500_000, 300_000,
    ])
  })

  it('is sealed for the intake of one integration', () => {
    expect(intakeContext('int_1')).toBe('intake-int_1')
  })
})
