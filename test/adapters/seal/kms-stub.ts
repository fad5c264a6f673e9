import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { KMSClient } from '@aws-sdk/client-kms'
import { kmsClient } from '#shared/adapters/seal/kms-sealer.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

/** What one call asked for. */
export interface KmsCall {
  readonly command: string
  readonly context: Readonly<Record<string, string>>
}

export interface KmsStub {
  readonly endpoint: string
  readonly client: KMSClient
  readonly calls: KmsCall[]
  stop(): Promise<void>
}

/**
 * The two commands of KMS that the sealer uses, with what matters of their behaviour: a data key is encrypted under a
 * master key that never leaves, bound to its encryption context; another context or key is InvalidCiphertext.
 */
export async function startKms(keyId: string): Promise<KmsStub> {
  const master = randomBytes(32)
  const calls: KmsCall[] = []
  const boundTo = (context: Readonly<Record<string, string>>) =>
    Buffer.from(JSON.stringify([keyId, Object.entries(context).sort()]))

  const answer = (command: string, input: Record<string, unknown>): Record<string, unknown> | null => {
    const context = (input.EncryptionContext ?? {}) as Record<string, string>
    calls.push({ command, context })
    if (input.KeyId !== keyId) return null
    if (command === 'GenerateDataKey' && input.KeySpec === 'AES_256') {
      const plain = randomBytes(32)
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', master, iv)
      cipher.setAAD(boundTo(context))
      const box = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      return { Plaintext: plain.toString('base64'), CiphertextBlob: box.toString('base64'), KeyId: keyId }
    }
    if (command === 'Decrypt') {
      const box = Buffer.from(String(input.CiphertextBlob), 'base64')
      try {
        const decipher = createDecipheriv('aes-256-gcm', master, box.subarray(0, 12))
        decipher.setAAD(boundTo(context))
        decipher.setAuthTag(box.subarray(-16))
        const plain = Buffer.concat([decipher.update(box.subarray(12, -16)), decipher.final()])
        return { Plaintext: plain.toString('base64'), KeyId: keyId }
      } catch {
        return null
      }
    }
    return null
  }

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const command = String(request.headers['x-amz-target']).replace('TrentService.', '')
      const given = answer(command, JSON.parse(body) as Record<string, unknown>)
      response.writeHead(given === null ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
      response.end(JSON.stringify(given ?? { __type: 'InvalidCiphertextException' }))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const endpoint = `http://127.0.0.1:${port}`
  const client = kmsClient({
    endpoint,
    region: 'us-east-1',
    credentials: EMULATOR_CREDENTIALS,
  })
  return {
    endpoint,
    client,
    calls,
    stop: async () => {
      client.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}
