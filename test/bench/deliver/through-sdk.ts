import { randomBytes } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { eventStore } from '#shared/adapters/dynamo/events.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { postWebhook } from '#shared/adapters/http/post-webhook.ts'
import { closeBox, openBox, SEAL_KEY_BYTES } from '#shared/adapters/seal/sealed-box.ts'
import { type DeliveryActs, deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import { spreadOf } from '../spread.ts'
import { type Figures, rounded, single } from './figures.ts'
import { inParallel, type Measured, measured } from './measured.ts'
import { startReceiverThread, startThread } from './receiver-thread.ts'
import {
  BATCH,
  deliveryOf,
  EVENT,
  numbered,
  remaining,
  STORED_EVENT,
  secretOf,
  stubbedActs,
  webhookOf,
  withoutLog,
  worker,
} from './stubbed-acts.ts'

/**
 * Stands in for DynamoDB, in a thread of its own: it answers each call at once with what it was given for its operation
 * and the kind of its key.
 */
const STORE = `
const { createServer } = require('node:http')
const { parentPort, workerData } = require('node:worker_threads')
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const operation = String(request.headers['x-amz-target']).split('.')[1]
    const { Key } = JSON.parse(Buffer.concat(chunks))
    const kind = Key === undefined ? '' : Key.pk.S.split('#')[0]
    const answer = workerData[operation + ' ' + kind]
    response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(answer ?? JSON.stringify({ __type: 'UnknownOperation', message: operation + ' ' + kind }))
  })
})
server.keepAliveTimeout = 60000
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

/** A value as the store writes it on the wire. */
function wire(value: unknown): unknown {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  return { L: (value as readonly unknown[]).map(wire) }
}
const wireItem = (item: object) =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, wire(value)]))

const WEBHOOK = numbered('wh', 0)
const DELIVERY = numbered('dlv', 0)
const key = randomBytes(SEAL_KEY_BYTES)
const sealer: Parameters<typeof webhookStore>[0]['sealer'] = {
  seal: (id, plain) => Promise.resolve(closeBox(key, id, plain).toString('base64url')),
  open: (id, sealed) => Promise.resolve(openBox(key, id, Buffer.from(sealed, 'base64url'))),
}

async function storedAnswers(url: string): Promise<Record<string, string>> {
  const sealed = await sealer.seal(WEBHOOK, Buffer.from(secretOf(WEBHOOK)))
  const delivery = { ...itemKeys.delivery(WEBHOOK, DELIVERY), ...deliveryOf(WEBHOOK, DELIVERY) }
  const claimed = { ...delivery, fence: 1, lease_until: Date.now() + 65_000 }
  return {
    'GetItem WEBHOOK': JSON.stringify({ Item: wireItem({ ...webhookOf(WEBHOOK, url), sealed }) }),
    'GetItem DELIVERY': JSON.stringify({ Item: wireItem(delivery) }),
    'GetItem EVENT': JSON.stringify({ Item: wireItem({ ...itemKeys.event(EVENT), ...STORED_EVENT }) }),
    'UpdateItem DELIVERY': JSON.stringify({ Attributes: wireItem(claimed) }),
    'TransactWriteItems ': '{}',
  }
}

interface Call {
  readonly constructor: new (input: never) => Parameters<DynamoDBDocumentClient['send']>[0]
  readonly input: { readonly TransactItems?: readonly unknown[] }
}

/** The calls that one delivery makes, in order. */
async function callsOf(
  client: DynamoDBDocumentClient,
  actsOver: (client: DynamoDBDocumentClient) => DeliveryActs,
): Promise<Call[]> {
  const calls: Call[] = []
  const send = (command: Call) => {
    calls.push(command)
    return client.send(command as never)
  }
  const acts = actsOver({ send } as unknown as DynamoDBDocumentClient)
  const outcome = await deliverWebhook(acts, { webhook_id: WEBHOOK, delivery_id: DELIVERY }, remaining)
  if (outcome !== 'delivered') throw new Error(`a delivery through the SDK was ${outcome}`)
  return calls
}

/** Items that a call writes. */
const writesOf = ({ constructor: { name }, input }: Call): number =>
  name === 'TransactWriteCommand' ? (input.TransactItems?.length ?? 0) : Number(name !== 'GetCommand')

/**
 * The whole path of the worker through the SDK, its store a stub that answers at once, beside the same calls made by the
 * SDK alone, in alternating runs: the difference is what the service itself takes, its POST included.
 */
export async function throughSdk(pairs: number, count: number): Promise<Figures> {
  const receiver = await startReceiverThread()
  const store = await startThread(STORE, await storedAnswers(receiver.url))
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' }
  const client = documentClient({ endpoint: store.url, region: 'us-east-1', credentials, patience: 100 })
  const guarded = guardedRequest(localRules())
  const post = postWebhook(guarded, 'bench')
  const actsOver = (over: DynamoDBDocumentClient): DeliveryActs => ({
    ...stubbedActs(receiver.url, post),
    deliveries: deliveryStore(over, 'webhooks'),
    webhooks: webhookStore({ client: over, table: 'webhooks', sealer }),
    events: eventStore(over, 'incidents'),
  })
  const work = worker(actsOver(client))
  const calls = await callsOf(client, actsOver)
  const alone = async () => {
    // The delivery and its subscription are read beside each other, as the worker does.
    const [delivery, webhook, ...rest] = calls.map(
      (call) => () => client.send(new call.constructor(call.input as never) as never),
    )
    await Promise.all([delivery?.(), webhook?.()])
    for (const call of rest) await call()
  }
  // In batches too, so that as many calls are under way at once.
  const batchAlone = () => Promise.all(Array.from({ length: BATCH }, alone))
  const runs = await withoutLog(async () => {
    await inParallel(count / BATCH, work)
    await inParallel(count / BATCH, batchAlone)
    const made: { worker: Measured; alone: Measured }[] = []
    for (let pair = 0; pair < pairs; pair += 1)
      made.push({
        worker: await measured(count, work, BATCH),
        alone: await measured(count, batchAlone, BATCH),
      })
    return made
  })
  await guarded.close()
  client.destroy()
  await store.stop()
  await receiver.stop()
  const spread = (read: (run: (typeof runs)[number]) => number) => rounded(spreadOf(runs.map(read)))
  return {
    through_sdk_cpu_us: spread((run) => run.worker.cpuUs),
    sdk_alone_cpu_us: spread((run) => run.alone.cpuUs),
    own_to_sdk_cpu: {
      ...spread((run) => (run.worker.cpuUs - run.alone.cpuUs) / run.alone.cpuUs),
      goal: '≤ 0.25',
    },
    calls_of_a_delivery: single(calls.length),
    writes_of_a_delivery: single(
      calls.reduce((sum, call) => sum + writesOf(call), 0),
      '≤ 3',
    ),
  }
}
