import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import type { NamedStatement } from './public-surface.ts'

/** One permission that a call needs; `partition` (prefix, encryption context) where the role may be bound to some. */
export interface Needed {
  readonly action: string
  readonly resource: string
  readonly partition?: string
}

type Attribute = { readonly S?: string }
type Attributes = Readonly<Record<string, Attribute>>
interface ItemRequest {
  readonly TableName: string
  readonly IndexName?: string
  readonly Key?: Attributes
  readonly Item?: Attributes
  readonly KeyConditionExpression?: string
  readonly ExpressionAttributeValues?: Attributes
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Attributes[] }>>
  readonly TransactItems?: readonly Readonly<Record<string, ItemRequest>>[]
}

const partitionOf = ({ Key, Item }: ItemRequest): string => (Key ?? Item)?.pk?.S ?? '(none)'

/** What a call of DynamoDB needs, one permission for each item that it touches. */
export function neededByDynamo(operation: string, call: ItemRequest): Needed[] {
  if (operation === 'TransactWriteItems')
    return (call.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, each]) => ({
        action: `dynamodb:${kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`}`,
        resource: each.TableName,
        partition: partitionOf(each),
      })),
    )
  const action = `dynamodb:${operation}`
  if (operation === 'BatchGetItem')
    return Object.entries(call.RequestItems ?? {}).flatMap(([resource, { Keys }]) =>
      Keys.map((Key) => ({ action, resource, partition: Key.pk?.S ?? '(none)' })),
    )
  if (operation !== 'Query') return [{ action, resource: call.TableName, partition: partitionOf(call) }]
  if (call.IndexName !== undefined) return [{ action, resource: `${call.TableName}/index/${call.IndexName}` }]
  const value = /^\s*\S+\s*=\s*(:\w+)/.exec(call.KeyConditionExpression ?? '')?.[1] ?? ''
  const partition = call.ExpressionAttributeValues?.[value]?.S ?? '(none)'
  return [{ action, resource: call.TableName, partition }]
}

/** Whether a value is like a pattern of IAM's, in which `*` stands for any text. */
function isLike(value: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  return rest.length === 0 ? value === pattern : value.startsWith(first) && value.endsWith(rest.at(-1) ?? '')
}

/** Whether a role grants a permission, as IAM would judge it. */
export function isGranted(statements: readonly NamedStatement[], needed: Needed): boolean {
  return statements.some(({ actions, resources, conditions }) => {
    if (!actions.includes(needed.action)) return false
    if (!resources.some((resource) => isLike(needed.resource, resource))) return false
    const keys = conditions['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']
    const prefixes = conditions.StringLike?.['s3:prefix']
    const contexts = conditions.StringLike?.['kms:EncryptionContext:id']
    const allowed = keys ?? prefixes ?? contexts
    if (allowed === undefined) return true
    const patterns = Array.isArray(allowed) ? allowed.map(String) : [String(allowed)]
    return patterns.some((pattern) => isLike(needed.partition ?? '', pattern))
  })
}

/** AWS as a function sees it: DynamoDB for real, the rest as little as an answer takes; nothing that its role forbids. */
export interface RoleGuard {
  readonly endpoint: string
  /**
   * Whose role counts from now on, and by which key its process is known. What another process still asks for, such as the rest
   * of what it gave up waiting for, is let through and counted to nobody.
   */
  actAs(statements: readonly NamedStatement[], accessKeyId: string): void
  /** What was asked for since, and what of it the role forbids. */
  readonly asked: Needed[]
  readonly forbidden: Needed[]
  close(): void
}

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The bucket's name in addresses, which are lower case. */
export const BUCKET_NAME = 'bucket'

function neededByS3({ method = 'GET', url = '/' }: IncomingMessage): Needed {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const key = decodeURIComponent(pathname).slice(`/${BUCKET_NAME}/`.length)
  if (key === '')
    return { action: 's3:ListBucket', resource: 'Bucket', partition: searchParams.get('prefix') ?? '' }
  const action = { GET: 's3:GetObject', PUT: 's3:PutObject', DELETE: 's3:DeleteObject' }[method] ?? method
  return { action, resource: `Bucket/${key}` }
}

const json = (answer: ServerResponse, status: number, body: unknown): void => {
  answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
  answer.end(JSON.stringify(body))
}

function answerS3(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { action, resource, partition = '' }: Needed,
  objects: ReadonlyMap<string, string>,
): void {
  const object = objects.get(resource.slice('Bucket/'.length))
  answer.setHeader('content-type', 'application/xml')
  if (action === 's3:ListBucket') {
    const contents = [...objects]
      .filter(([key]) => key.startsWith(partition))
      .map(([key, text]) => `<Contents><Key>${key}</Key><Size>${Buffer.byteLength(text)}</Size></Contents>`)
    answer.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`)
  } else if (incoming.method !== 'GET') answer.setHeader('etag', '"0"').end()
  else if (object === undefined)
    // No role may list the whole bucket: S3 does not tell them what is not there.
    answer.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>none</Message></Error>')
  else answer.end(object)
}

/** Encrypted data keys are the data keys themselves here: what matters is who asks. */
function answerKms(operation: string, call: Readonly<Record<string, string>>, answer: ServerResponse): void {
  const key = operation === 'Decrypt' ? call.CiphertextBlob : randomBytes(32).toString('base64')
  json(answer, 200, { KeyId: 'SealKey', Plaintext: key, CiphertextBlob: key })
}

/**
 * Starts the guard on a free port of 127.0.0.1.
 * @param dynamo address of an emulator that holds the tables by the names of their constructs
 * @param objects what lies in the bucket, by key
 */
export async function startRoleGuard(
  dynamo: string,
  objects: ReadonlyMap<string, string>,
): Promise<RoleGuard> {
  let role: readonly NamedStatement[] = []
  const asked: Needed[] = []
  const forbidden: Needed[] = []

  let process = ''
  const refuse = (incoming: IncomingMessage, needed: readonly Needed[], answer: ServerResponse): boolean => {
    if (!incoming.headers.authorization?.includes(`Credential=${process}/`)) return false
    asked.push(...needed)
    const missing = needed.filter((each) => !isGranted(role, each))
    forbidden.push(...missing)
    if (missing.length > 0) json(answer, 400, { __type: 'AccessDeniedException', message: 'not in the role' })
    return missing.length > 0
  }

  const serve = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming)
    const [service = '', operation = ''] = String(incoming.headers['x-amz-target'] ?? '').split('.')
    const call = (service === '' ? {} : JSON.parse(body.toString())) as Readonly<Record<string, unknown>>
    if (service.startsWith('DynamoDB')) {
      if (refuse(incoming, neededByDynamo(operation, call as unknown as ItemRequest), answer)) return
      const { host: _, ...headers } = incoming.headers
      const got = await request(dynamo, { method: 'POST', body, headers: headers as Record<string, string> })
      const sent = Buffer.from(await got.body.arrayBuffer())
      answer.writeHead(got.statusCode, { 'content-type': 'application/x-amz-json-1.0' }).end(sent)
    } else if (service === 'TrentService') {
      const { id = '' } = (call.EncryptionContext ?? {}) as { readonly id?: string }
      if (refuse(incoming, [{ action: `kms:${operation}`, resource: 'SealKey', partition: id }], answer))
        return
      answerKms(operation, call as Readonly<Record<string, string>>, answer)
    } else if (service === 'AmazonSQS') {
      const queue = String(call.QueueUrl).split('/').at(-1) ?? ''
      const measures = operation === 'GetQueueAttributes'
      const action = measures ? 'sqs:GetQueueAttributes' : 'sqs:SendMessage'
      if (refuse(incoming, [{ action, resource: queue }], answer)) return
      if (measures) return json(answer, 200, { Attributes: { ApproximateNumberOfMessages: '0' } })
      const entries = (call.Entries ?? []) as readonly { readonly Id: string; readonly MessageBody: string }[]
      const taken = entries.map(({ Id, MessageBody }) => ({
        Id,
        MessageId: Id,
        MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
      }))
      json(answer, 200, { Successful: taken, Failed: [] })
    } else {
      const needed = neededByS3(incoming)
      if (refuse(incoming, [needed], answer)) return
      answerS3(incoming, answer, needed, objects)
    }
  }

  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch((error: unknown) => json(answer, 500, { message: String(error) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    actAs: (statements, accessKeyId) => {
      role = statements
      process = accessKeyId
      asked.length = 0
      forbidden.length = 0
    },
    asked,
    forbidden,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
