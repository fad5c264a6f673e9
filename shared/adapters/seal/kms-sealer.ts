import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import type { Clock, Sealer } from '../../domain/ports.ts'
import { clientWaits } from '../aws-client-waits.ts'
import { BoundedMap } from '../bounded-map.ts'
import { closeBox, openBox } from './sealed-box.ts'

const CONNECTION_MS = 1_000
const REQUEST_MS = 2_500

/** Where the key service is, when not where the environment says. */
export interface KmsAddress {
  readonly endpoint: string
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Times the usual time limits. */
  readonly patience?: number
}

/** The one KMS client of a process. */
export const kmsClient = ({ patience, ...address }: Partial<KmsAddress> = {}): KMSClient =>
  new KMSClient({
    ...address,
    maxAttempts: 3,
    requestHandler: clientWaits(CONNECTION_MS, REQUEST_MS, patience),
  })

/** Form of what this sealer wrote: mark, the data key encrypted by KMS, the box; parted by dots. */
const MARK = 'k1'
/** Data keys kept in the clear: as many as a deployment has integrations, webhooks and cursor keys, with room. */
const MOST_DATA_KEYS = 500
/** How long a data key is kept: a key that is withdrawn in KMS works in a warm process no longer than this. */
const DATA_KEY_MS = 15 * 60_000

interface DataKey {
  readonly plain: Uint8Array
  readonly encrypted: string
  readonly at: number
}

/**
 * Seals with envelope encryption: KMS makes a data key bound to the context (`id` in its encryption context, so that
 * CloudTrail names what was opened), AES-256-GCM does the rest. Data keys stay in this process for 15 minutes, the
 * oldest of more than 500 go first; within that, sealing and opening again costs no call.
 * @param client asked for when the first call is made: a list that needs no key makes no client
 */
export function kmsSealer(client: () => KMSClient, keyId: string, clock: Clock): Sealer {
  /** By the encrypted form, and by the context for sealing anew. */
  const dataKeys = new BoundedMap<DataKey>(MOST_DATA_KEYS)

  const kept = (name: string): DataKey | undefined => {
    const dataKey = dataKeys.get(name)
    if (dataKey !== undefined && Math.abs(clock() - dataKey.at) >= DATA_KEY_MS) {
      dataKeys.delete(name)
      return undefined
    }
    return dataKey
  }
  const sealName = (context: string): string => `seal ${context}`
  const openName = (context: string, encrypted: string): string => `open ${encrypted} ${context}`

  return {
    async seal(context, plain) {
      let dataKey = kept(sealName(context))
      if (dataKey === undefined) {
        const { Plaintext, CiphertextBlob } = await client().send(
          new GenerateDataKeyCommand({
            KeyId: keyId,
            KeySpec: 'AES_256',
            EncryptionContext: { id: context },
          }),
        )
        if (Plaintext === undefined || CiphertextBlob === undefined) throw new Error('KMS gave no data key')
        dataKey = {
          plain: Plaintext,
          encrypted: Buffer.from(CiphertextBlob).toString('base64url'),
          at: clock(),
        }
        dataKeys.set(sealName(context), dataKey)
        dataKeys.set(openName(context, dataKey.encrypted), dataKey)
      }
      return [MARK, dataKey.encrypted, closeBox(dataKey.plain, context, plain).toString('base64url')].join(
        '.',
      )
    },

    async open(context, sealed) {
      const [mark, encrypted, box, ...more] = sealed.split('.')
      if (mark !== MARK || encrypted === undefined || box === undefined || more.length > 0)
        throw new Error(`what is sealed for ${context} was sealed elsewhere`)
      let dataKey = kept(openName(context, encrypted))
      if (dataKey === undefined) {
        const { Plaintext } = await client().send(
          new DecryptCommand({
            KeyId: keyId,
            CiphertextBlob: Buffer.from(encrypted, 'base64url'),
            EncryptionContext: { id: context },
          }),
        )
        if (Plaintext === undefined) throw new Error('KMS gave no data key')
        dataKey = { plain: Plaintext, encrypted, at: clock() }
        dataKeys.set(openName(context, encrypted), dataKey)
      }
      return openBox(dataKey.plain, context, Buffer.from(box, 'base64url'))
    },
  }
}
