import { sign } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { selfSigned } from '#infra/local/self-signed.ts'
import type { OutboundRequest } from '#shared/adapters/http/guarded-request.ts'
import { type VerifySns, verifySns } from '#shared/adapters/intake/verify-sns.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms'
const CERTIFICATE = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem'
const CONFIRM = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=t'
const { key, cert } = selfSigned('sns.amazonaws.com')

/** The text that SNS signs, written a second time on purpose. */
const textOf = (message: Readonly<Record<string, string>>): string =>
  Object.keys(message)
    .filter((name) => !/^(Signature|SigningCert|Unsubscribe)/.test(name))
    .sort()
    .map((name) => `${name}\n${message[name]}\n`)
    .join('')
function signed(message: Readonly<Record<string, string>>, version = '2', url = CERTIFICATE) {
  const Signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(textOf(message)), key)
  return {
    ...message,
    SignatureVersion: version,
    Signature: Signature.toString('base64'),
    SigningCertURL: url,
  }
}
const notification = (more: object = {}) => ({
  Type: 'Notification',
  MessageId: 'm',
  TopicArn: TOPIC,
  Message: '{"AlarmName":"Errors"}',
  Timestamp: '2026-01-31T12:00:00.000Z',
  ...more,
})
const confirmation = (SubscribeURL = CONFIRM) => ({
  Type: 'SubscriptionConfirmation',
  MessageId: 'm',
  TopicArn: TOPIC,
  Message: 'You have chosen to subscribe',
  Timestamp: '2026-01-31T12:00:00.000Z',
  Token: 't',
  SubscribeURL,
})

let asked: string[]
let answers: Record<string, { status: number; body: string }>
let verify: VerifySns
beforeEach(() => {
  asked = []
  answers = { [CERTIFICATE]: { status: 200, body: cert }, [CONFIRM]: { status: 200, body: '<ok/>' } }
  verify = verifySns(async ({ url }: OutboundRequest) => {
    asked.push(url)
    const { status, body } = answers[url] ?? { status: 404, body: '' }
    return { status, headers: {}, body: Buffer.from(body), cut: false }
  })
})
const isTaken = (message: unknown, topics = [TOPIC], now = NOW) =>
  verify(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), topics, now)

describe('a message of SNS', () => {
  it.each(['1', '2'])(
    'is taken when it is signed in version %s, with a subject or without',
    async (version) => {
      expect(await isTaken(signed(notification(), version))).toBe(true)
      expect(await isTaken(signed(notification({ Subject: 'ALARM' }), version))).toBe(true)
      // The certificate is asked for once.
      expect(asked).toEqual([CERTIFICATE])
    },
  )

  it.each(['cn-north-1.amazonaws.com.cn', 'us-gov-west-1.amazonaws.com', 'eusc-de-east-1.amazonaws.eu'])(
    'is taken from the region’s own domain: %s',
    async (where) => {
      const url = `https://sns.${where}/SimpleNotificationService-0.pem`
      answers[url] = { status: 200, body: cert }
      expect(await isTaken(signed(notification(), '2', url))).toBe(true)
    },
  )

  it('is refused when anything that is signed is altered', async () => {
    const whole = signed(notification({ Subject: 'ALARM' }))
    const names = ['Message', 'MessageId', 'Subject', 'Timestamp', 'Signature'] as const
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.nat(), async (name, at) => {
        const text = whole[name as keyof typeof whole]
        // The last characters of base64 hold bits that stand for nothing.
        const place = at % (text.length - 4)
        const other = text[place] === 'A' ? 'B' : 'A'
        const altered = { ...whole, [name]: `${text.slice(0, place)}${other}${text.slice(place + 1)}` }
        expect(await isTaken(altered)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['of a topic that the settings do not name', { TopicArn: `${TOPIC}-other` }],
    ['of another type', { Type: 'UnsubscribeConfirmation' }],
    ['of a type that is a name of every object', { Type: 'constructor' }],
  ])('is refused unasked when it is %s', async (_name, change) => {
    expect(await isTaken(signed({ ...notification(), ...change }))).toBe(false)
    expect(asked).toEqual([])
  })

  it.each([
    'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com.example.com/SimpleNotificationService-0.pem',
    'https://example.com/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-0.pem',
    'https://user@sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://169.254.169.254/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.com/?Action=GetTopicAttributes',
    `${CERTIFICATE}?Action=Publish`,
    'https://sns.eu-central-1.amazonaws.com/other.pem',
    'https://sns.eu-central-1.amazonaws.com.cn/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.eu/SimpleNotificationService-0.pem',
    'https://sns.cn-north-1.amazonaws.com/SimpleNotificationService-0.pem',
    'https://sns.eusc-de-east-1.amazonaws.eu.example.com/SimpleNotificationService-0.pem',
    'https://sns.eu-central-1.amazonaws.example/SimpleNotificationService-0.pem',
    'nowhere',
  ])('whose certificate lies at %s is refused unasked', async (url) => {
    expect(await isTaken(signed(notification(), '2', url))).toBe(false)
    expect(asked).toEqual([])
  })

  it.each(['', 'no JSON', '[]', 'null', '{"Type":7}', '{"Type":"Notification","SignatureVersion":"3"}'])(
    'is none when it is %j',
    async (text) => {
      expect(await isTaken(text)).toBe(false)
    },
  )

  it('is refused with a certificate whose time is over or has not come', async () => {
    expect(await isTaken(signed(notification()), [TOPIC], Date.UTC(2050, 0, 1))).toBe(false)
    expect(await isTaken(signed(notification()), [TOPIC], Date.UTC(2019, 0, 1))).toBe(false)
  })

  it('is neither taken nor refused where its certificate cannot be read, so that SNS sends it again', async () => {
    answers[CERTIFICATE] = { status: 503, body: '' }
    await expect(isTaken(signed(notification()))).rejects.toThrow(
      'sns.eu-central-1.amazonaws.com answered 503',
    )
    answers[CERTIFICATE] = { status: 200, body: cert }
    expect(await isTaken(signed(notification()))).toBe(true)
  })
})

describe('a subscription', () => {
  it('is confirmed once it is proven to be of a topic that the settings name', async () => {
    expect(await isTaken(signed(confirmation()))).toBe(true)
    expect(asked).toEqual([CERTIFICATE, CONFIRM])
  })

  it('is not confirmed for anybody else, nor anywhere else', async () => {
    expect(await isTaken(signed(confirmation()), [])).toBe(false)
    expect(await isTaken({ ...signed(confirmation()), Token: 'other' })).toBe(false)
    expect(await isTaken(signed(confirmation('https://169.254.169.254/latest/meta-data')))).toBe(false)
    expect(asked).toEqual([CERTIFICATE])
  })
})
