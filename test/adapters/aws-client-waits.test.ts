import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { s3Client, s3Objects } from '#shared/adapters/objects/s3-objects.ts'
import { kmsClient, kmsSealer } from '#shared/adapters/seal/kms-sealer.ts'
import { messagesWait } from '#shared/adapters/sqs/alert-messages.ts'
import { sqsClient } from '#shared/adapters/sqs/doorbell.ts'

/** Of the usual limits (2.5 s and 10 s), so that three tries take less than a second. */
const PATIENCE = 0.02

/** Begins every answer and never ends it. */
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': '1000' })
  response.write('{"Item":')
})
const address = { endpoint: '', region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('an answer of AWS that begins and stands still', () => {
  const patient = () => ({ ...address, patience: PATIENCE })
  it.each([
    [
      'the tables',
      () => documentClient(patient()).send(new GetCommand({ TableName: 'things', Key: { pk: 'a' } })),
    ],
    ['the queues', () => messagesWait(sqsClient(patient()), `${address.endpoint}/1/queue`)],
    [
      'the key that seals',
      () => kmsSealer(() => kmsClient(patient()), 'key', Date.now).seal('a', Buffer.from('b')),
    ],
    [
      'the bucket',
      () => s3Objects(s3Client({ ...patient(), forcePathStyle: true }), 'bucket').get('snapshots/a'),
    ],
  ])('is waited for no longer than one that does not begin: %s', async (_, ask) => {
    await expect(ask()).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
