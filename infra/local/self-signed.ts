import { generateKeyPairSync, sign } from 'node:crypto'

/** One DER element (X.690): tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const length =
    content.length < 128
      ? [content.length]
      : content.length < 256
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const SEQUENCE = 0x30
const SET = 0x31
const OBJECT = 0x06
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT, Buffer.from('2a8648ce3d040302', 'hex')))

/** UTCTime of X.509: two digits of the year to the second. */
const FROM = '200101000000Z'
const UNTIL = '491231235959Z'

/**
 * A fresh key and a self-signed certificate (X.509 version 1) with this common name, so that none lies in the tree.
 * @param until its end, as `YYMMDDhhmmssZ`
 */
export function selfSigned(
  commonName: string,
  until = UNTIL,
): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(commonName)))),
  )
  const validity = der(SEQUENCE, der(0x17, Buffer.from(FROM)), der(0x17, Buffer.from(until)))
  const body = der(
    SEQUENCE,
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', body, privateKey)
  const certificate = der(SEQUENCE, body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
  }
}
