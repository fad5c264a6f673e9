import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { clientWaits } from '../aws-client-waits.ts'

/** A connection takes about 125 ms with DNS and TLS from a cold function; one that takes a second will not come. */
const CONNECTION_MS = 1_000
/** DynamoDB answers in single milliseconds; three tries of this length end before the shortest function timeout (10 s). */
const REQUEST_MS = 2_500
const MOST_ATTEMPTS = 3

/**
 * The form in which items are written; each item says in `schema_v` which it has. What is only added, and may be
 * missing, needs no new one: it is raised when code of the form before would read an item wrongly.
 */
export const SCHEMA_VERSION = 1

interface Write {
  readonly Item?: object
}
const stamped = <Given extends Write>(write: Given): Given =>
  write.Item === undefined ? write : { ...write, Item: { ...write.Item, schema_v: SCHEMA_VERSION } }

/** A request whose items say in which form they are: the one place that every item passes on its way to the store. */
function stampedInput<Input extends object>(input: Input): Input {
  const { TransactItems: writes } = input as { readonly TransactItems?: readonly { readonly Put?: Write }[] }
  if (writes === undefined) return stamped(input)
  return {
    ...input,
    TransactItems: writes.map((write) =>
      write.Put === undefined ? write : { ...write, Put: stamped(write.Put) },
    ),
  }
}

/** Where the store is, when not where the environment says. */
export interface StoreAddress {
  readonly endpoint: string
  readonly region?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Times the usual time limits: for emulators that are slower than DynamoDB. */
  readonly patience?: number
}

/**
 * The one client of a process. Address, region and credentials come from the environment unless given
 * (`AWS_ENDPOINT_URL_DYNAMODB` leads to an emulator). Undefined members are left out of items.
 */
export function documentClient({ patience, ...address }: Partial<StoreAddress> = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...address,
    maxAttempts: MOST_ATTEMPTS,
    requestHandler: clientWaits(CONNECTION_MS, REQUEST_MS, patience),
  })
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  documents.middlewareStack.add((next) => (args) => next({ ...args, input: stampedInput(args.input) }), {
    step: 'initialize',
    name: 'stampSchemaVersion',
  })
  return documents
}
