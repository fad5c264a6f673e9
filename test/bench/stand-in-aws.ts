import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** The one data key that the stand-in gives: 32 bytes. */
const DATA_KEY = Buffer.alloc(32, 7).toString('base64')
const BUNDLE_HEAD = JSON.stringify({
  format: 'incident-bundle/1',
  window: { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' },
})
const LISTING = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>
<Contents><Key>bundles/one/bundle.json</Key><Size>${BUNDLE_HEAD.length}</Size></Contents></ListBucketResult>`

function keyService(action: string): unknown {
  if (action === 'GenerateDataKey')
    return { CiphertextBlob: Buffer.from('encrypted').toString('base64'), Plaintext: DATA_KEY, KeyId: 'key' }
  return { Plaintext: DATA_KEY, KeyId: 'key' }
}

/** What a call gets: type of content and text. */
function answerTo({ method, url = '/', headers }: IncomingMessage, body: Buffer): readonly [string, string] {
  const [service = '', action = ''] = String(headers['x-amz-target'] ?? '').split('.')
  if (service === 'TrentService') return ['application/x-amz-json-1.1', JSON.stringify(keyService(action))]
  if (service === 'AmazonSQS') {
    const { Entries = [] } = JSON.parse(body.toString()) as {
      readonly Entries?: readonly { Id: string; MessageBody: string }[]
    }
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: `message-${Id}`,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }))
    return ['application/x-amz-json-1.0', JSON.stringify({ Successful, Failed: [] })]
  }
  if (method === 'GET' && url.includes('list-type=2')) return ['application/xml', LISTING]
  return method === 'GET' ? ['application/json', BUNDLE_HEAD] : ['application/xml', '']
}

/**
 * Stands in for KMS, SQS and S3 where only the time and the modules of a call count: each answers at once what the
 * service can go on with. One data key for all, so what one process seals another opens.
 */
export async function startStandInAws(): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const [type, text] = answerTo(request, body)
      response.writeHead(200, { 'content-type': type }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
