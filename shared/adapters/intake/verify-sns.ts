import { verify, X509Certificate } from 'node:crypto'
import { objectOf, type Payload, textOf } from '../../domain/alerts/payload-fields.ts'
import { domainOf } from '../aws-endpoints.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { GuardedRequest } from '../http/guarded-request.ts'

/** Where SNS serves its certificates and confirmations; nothing else is asked, whatever a message says. */
const HOST = /^sns\.([a-z0-9-]{3,})\.(amazonaws\.[a-z.]+)$/
/** How SNS names its certificates: another answer of the same host may hold what its caller wrote. */
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-zA-Z]+\.pem$/
/** What is signed, by the type of the message, in this order. A subject is signed where there is one. */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
}
/** Digests by the version of the signature. */
const DIGESTS: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' }
/** SNS waits 15 s for an answer; a certificate is asked for once in the life of a process. */
const ASK_MS = 4_000
const MOST_CERTIFICATE_BYTES = 64 * 1_024
const MOST_CONFIRMATION_BYTES = 64 * 1_024
/** Regions have one certificate each, and change it about once a year. */
const MOST_CERTIFICATES = 40

/** True when a message is of one of the topics and signed by SNS. Confirms the subscription of one that asks for it. */
export type VerifySns = (body: Uint8Array, topics: readonly string[], now: number) => Promise<boolean>

/** The address where it is one of SNS itself. */
function snsAddress(value: unknown): URL | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const url = new URL(value)
  const plain = url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
  const [, region = '', domain] = HOST.exec(url.hostname) ?? []
  return plain && domain === domainOf(region) ? url : undefined
}

function messageIn(body: Uint8Array): Payload {
  try {
    return objectOf(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return {}
  }
}

/** @param request asks SNS, under the rules for every outgoing request */
export function verifySns(request: GuardedRequest): VerifySns {
  const certificates = new BoundedMap<X509Certificate>(MOST_CERTIFICATES)

  const ask = async (url: URL, maxBytes: number): Promise<Uint8Array> => {
    const answer = await request({ method: 'GET', url: url.href, deadlineMs: ASK_MS, maxBytes })
    // SNS sends again what is answered by 5xx.
    if (answer.status !== 200 || answer.cut) throw new Error(`${url.hostname} answered ${answer.status}`)
    return answer.body
  }
  const certificateAt = async (url: URL): Promise<X509Certificate> => {
    const known = certificates.get(url.href)
    if (known !== undefined) return known
    const certificate = new X509Certificate(await ask(url, MOST_CERTIFICATE_BYTES))
    certificates.set(url.href, certificate)
    return certificate
  }

  return async (body, topics, now) => {
    const message = messageIn(body)
    const { Type, TopicArn, Signature, SigningCertURL, SubscribeURL } = message
    const signed = typeof Type === 'string' && Object.hasOwn(SIGNED, Type) ? SIGNED[Type] : undefined
    const digest = DIGESTS[textOf(message.SignatureVersion) ?? '']
    const url = snsAddress(SigningCertURL)
    if (signed === undefined || digest === undefined || url === undefined) return false
    if (!CERTIFICATE_PATH.test(url.pathname) || url.search !== '') return false
    if (typeof TopicArn !== 'string' || !topics.includes(TopicArn) || typeof Signature !== 'string')
      return false
    const certificate = await certificateAt(url)
    if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime()) return false
    const text = signed
      .filter((name) => typeof message[name] === 'string')
      .map((name) => `${name}\n${message[name]}\n`)
      .join('')
    if (!verify(digest, Buffer.from(text), certificate.publicKey, Buffer.from(Signature, 'base64')))
      return false
    if (Type === 'Notification') return true
    const confirmation = snsAddress(SubscribeURL)
    if (confirmation === undefined) return false
    await ask(confirmation, MOST_CONFIRMATION_BYTES)
    return true
  }
}
