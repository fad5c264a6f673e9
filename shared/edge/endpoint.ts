import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type * as z from 'zod/mini'
import { CONSOLE_PATHS } from '../contract/console.ts'
import { mayCall, whoMayCall } from '../contract/may-call.ts'
import { type Operation, type OperationId, operationList, operations } from '../contract/operations.ts'
import { validate, validateNothing } from '../contract/validate.ts'
import { MESSAGES_A_MINUTE, MOST_SENT_BYTES } from '../domain/alerts/intake.ts'
import { invalidField, notFound, Refusal } from '../domain/errors.ts'
import { isId } from '../domain/ids.ts'
import type { Integration } from '../domain/integration.ts'
import type { Caller, Clock, KeyGate, SenderGate } from '../domain/ports.ts'
import { isAmong, type Versions } from '../domain/precondition.ts'
import type { RateState } from '../domain/rate-limit.ts'
import { Allowance } from './allowance.ts'
import {
  type Admitted,
  admit,
  admitAnyone,
  admitSender,
  GateRefusal,
  readCredential,
  refuseUnproven,
} from './authenticate.ts'
import { readTags } from './entity-tags.ts'
import { log } from './log.ts'
import { bodyBytes, readJson, requireJson, textProblem } from './read-body.ts'
import { type Answer, renderAnswer, renderError } from './render.ts'

type Table = typeof operations
type Body<Id extends OperationId> = Table[Id] extends { body: infer Shape extends z.ZodMiniType }
  ? z.output<Shape>
  : Table[Id] extends { sender: true }
    ? Uint8Array
    : undefined
type Query<Id extends OperationId> = Table[Id] extends { query: infer Shape extends z.ZodMiniType }
  ? z.output<Shape>
  : Record<string, never>

/** A request that passed every check that does not need the store. */
export interface Call<Id extends OperationId> {
  readonly caller: Caller
  /** The `{id}` of the path, well formed; empty when the path has none. */
  readonly id: string
  /** The second parameter of the path, well formed; empty when the path has none. */
  readonly innerId: string
  readonly query: Query<Id>
  readonly body: Body<Id>
  /** Versions that a change is meant for; nothing when the caller named none. */
  readonly expected: Versions | undefined
  /** The values of a header, by its name in lower case. */
  readonly header: (name: string) => readonly string[]
  /** Path of the request with the stage, without a slash at its end: what a Location is built on. */
  readonly path: string
  /** Host under which the service was called. */
  readonly host: string
  /** Address of the API as it was called, without a slash at its end: what addresses in answers are built on. */
  readonly base: string
  /** The integration whose tool calls. */
  readonly sender: Table[Id] extends { sender: true } ? Integration : undefined
  /** Instant (ms) by which the answer must stand. */
  readonly deadline: number
}

/** The answer of an operation; where the row says that it is tagged, it tells its version. */
export type AnswerOf<Id extends OperationId> = Table[Id] extends { tagged: true }
  ? Answer & { readonly version: number }
  : Answer
export type Respond<Id extends OperationId> = (call: Call<Id>) => Promise<AnswerOf<Id>>
export type ApiHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** What the chain needs from the composition root. */
export interface Gatekeeping {
  readonly gate: () => KeyGate
  readonly clock: Clock
  /** Lets in what tools send, where the operation takes that. */
  readonly senders?: () => SenderGate
}

/** Time kept back from the function's own, so that an answer can still be written. */
const ANSWER_MARGIN_MS = 1_000
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/
/** Callers without a key share one allowance a process. */
const allowance = new Allowance()
/** Tools of one integration share another. */
const senderAllowance = new Allowance(MESSAGES_A_MINUTE)

function headerValues(event: APIGatewayProxyEvent, name: string): string[] {
  // Asked several times a request: the lengths alone tell nearly all names apart.
  const isNamed = (key: string) => key.length === name.length && key.toLowerCase() === name
  const many = event.multiValueHeaders ?? {}
  const found = Object.keys(many).filter(isNamed)
  if (found.length > 0) return found.flatMap((key) => many[key] ?? [])
  const single = event.headers ?? {}
  return Object.keys(single)
    .filter(isNamed)
    .flatMap((key) => single[key] ?? [])
}

function requestId(event: APIGatewayProxyEvent): string {
  const [given, ...more] = headerValues(event, 'x-request-id')
  if (given !== undefined && more.length === 0 && REQUEST_ID.test(given)) return given
  return event.requestContext.requestId
}

/** Query parameters as one value each. @throws Refusal `invalid` for one that is repeated or no Unicode text */
function readParameters(event: APIGatewayProxyEvent): Record<string, string> {
  const read: [string, string][] = []
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const [value, ...more] = values ?? []
    if (more.length > 0) throw invalidField(name, 'must be given once')
    const problem = textProblem(value ?? '') ?? textProblem(name)
    if (problem !== null) throw invalidField(name, problem)
    read.push([name, value ?? ''])
  }
  return Object.fromEntries(read)
}

/** The body of a request as it was sent. @throws Refusal `too_large` for one that the operation does not take */
const sentBytes = ({ sender }: Operation, { body, isBase64Encoded }: APIGatewayProxyEvent): Uint8Array =>
  bodyBytes(body, isBase64Encoded, sender === true ? MOST_SENT_BYTES : undefined)

function readRequestBody(operation: Operation, event: APIGatewayProxyEvent): unknown {
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined
  const bytes = sentBytes(operation, event)
  if (operation.sender === true) {
    requireJson(bytes)
    return bytes
  }
  if (operation.body === undefined && bytes.length === 0) return undefined
  const [type, ...more] = headerValues(event, 'content-type')
  if (more.length > 0 || !/^application\/json\s*(;|$)/i.test(type ?? '')) {
    throw new Refusal('unsupported_media_type', 'The body must be JSON: Content-Type: application/json.', {
      field: 'Content-Type',
      reason: 'must be application/json',
    })
  }
  // Nothing between a caller and the service unpacks a body.
  if (headerValues(event, 'content-encoding').some((coding) => !/^\s*(identity)?\s*$/i.test(coding))) {
    throw new Refusal('unsupported_media_type', 'The body must be sent as it is, not compressed.', {
      field: 'Content-Encoding',
      reason: 'must be left out: a compressed body is not read',
    })
  }
  const value = readJson(bytes)
  if (operation.body === undefined) {
    validateNothing(value, 'body')
    return undefined
  }
  return validate(operation.body, value, 'body')
}

interface Read {
  readonly id: string
  readonly innerId: string
  readonly query: unknown
  readonly body: unknown
  /** Versions that the caller holds already. */
  readonly held?: Versions | undefined
  readonly expected?: Versions | undefined
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** What the operation's path names, in the singular: `Incident` for `/incidents/{id}`. */
const resourceName = ({ path }: Operation): string =>
  capitalised((path.split('/')[1] ?? 'resource').replace(/s$/, ''))

/** The `{id}` of the path. @throws Refusal `not_found` for one that the operation cannot have */
function readId(operation: Operation, event: APIGatewayProxyEvent): string {
  const id = event.pathParameters?.id ?? ''
  if (operation.idPrefixes !== undefined && !operation.idPrefixes.some((prefix) => isId(id, prefix))) {
    throw notFound(`${resourceName(operation)} ${JSON.stringify(id.slice(0, 64))}`)
  }
  return id
}

/** Why nothing can prove a message for this `{id}`; nothing where something may. */
function silence({ silentIds }: Operation, event: APIGatewayProxyEvent): string | undefined {
  const id = event.pathParameters?.id ?? ''
  return silentIds?.prefixes.some((prefix) => isId(id, prefix)) === true ? silentIds.reason : undefined
}

/** Address of the API as it was called: the path without what the operation adds to it. */
function baseOf({ path }: Operation, event: APIGatewayProxyEvent): string {
  const parts = event.requestContext.path.replace(/\/+$/, '').split('/')
  const above = parts.slice(0, parts.length - (path.split('/').length - 1)).join('/')
  // API Gateway answers over TLS alone; the local runner says that it does not.
  const [proto] = headerValues(event, 'x-forwarded-proto')
  return `${proto === 'http' ? 'http' : 'https'}://${event.requestContext.domainName ?? ''}${above}`
}

/** Reads path, query and body in the order in which their errors are told. */
function readInput(operation: Operation, event: APIGatewayProxyEvent): Read {
  const body = readRequestBody(operation, event)
  const parameters = readParameters(event)
  const query =
    operation.query === undefined
      ? validateNothing(parameters, 'query')
      : validate(operation.query, parameters, 'query')
  const held =
    operation.tagged === true && operation.method === 'GET'
      ? readTags('If-None-Match', headerValues(event, 'if-none-match'), false)
      : undefined
  const expected =
    operation.precondition === true ? readTags('If-Match', headerValues(event, 'if-match'), true) : undefined
  const id = readId(operation, event)
  const { name, prefix } = operation.innerId ?? { name: '', prefix: '' }
  const innerId = event.pathParameters?.[name] ?? ''
  if (name !== '' && !isId(innerId, prefix)) {
    throw notFound(`${capitalised(name.replace(/_id$/, ''))} ${JSON.stringify(innerId.slice(0, 64))}`)
  }
  return { id, innerId, query, body, held, expected }
}

/**
 * A class, since its base is worked out for the few operations that ask: an accessor of an object that is made for each
 * request costs a tenth of a warm one.
 */
class CheckedCall implements Call<OperationId> {
  readonly id: string
  readonly innerId: string
  readonly query: Call<OperationId>['query']
  readonly body: Call<OperationId>['body']
  readonly expected: Versions | undefined
  readonly caller: Caller
  readonly sender: Call<OperationId>['sender']
  readonly deadline: number
  readonly header: (name: string) => string[]
  readonly path: string
  readonly host: string
  readonly #operation: Operation
  readonly #event: APIGatewayProxyEvent

  constructor(
    operation: Operation,
    event: APIGatewayProxyEvent,
    { id, innerId, query, body, expected }: Read,
    { caller, sender, deadline }: { caller: Caller; sender: Integration | undefined; deadline: number },
  ) {
    this.id = id
    this.innerId = innerId
    // Read by the operation's own row, whose types the callers of the chain see.
    this.query = query as Call<OperationId>['query']
    this.body = body as Call<OperationId>['body']
    this.expected = expected
    this.caller = caller
    this.sender = sender as Call<OperationId>['sender']
    this.deadline = deadline
    this.header = (name) => headerValues(event, name)
    this.path = event.requestContext.path.replace(/\/+$/, '')
    this.host = event.requestContext.domainName ?? ''
    this.#operation = operation
    this.#event = event
  }

  get base(): string {
    return baseOf(this.#operation, this.#event)
  }
}

/** Result or error of something that must not be told before its turn. */
function hold<Value>(read: () => Value): () => Value {
  try {
    const value = read()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Result of something that nobody is told before its turn, and that is not worth its time before. */
function atFirstUse<Value>(read: () => Value): () => Value {
  let result: { readonly value: Value } | undefined
  return () => {
    result ??= { value: read() }
    return result.value
  }
}

/** What the chain knows of a request; grows from stage to stage. */
interface State extends Record<string, unknown> {
  requestId: string
  startedAt: number
  rate: RateState
  admitted?: Admitted
}

/** What the last stage hands on: how to have the answer, which may have been begun early. */
interface Prepared {
  readonly answer: () => Promise<Answer>
  readonly held: Versions | undefined
}

/** One request on its way through the chain: event in, answer back, response out. */
interface Passage {
  event: unknown
  readonly context: Context
  response: unknown
  readonly error: unknown
  readonly internal: State
}

/** First in, last out: request id, rate headers, one line in the log, errors in the shape of the specification. */
function rendering(operationId: string, status: number, clock: Clock) {
  const finish = ({ internal, response }: Passage) => {
    log('info', 'request_answered', {
      operation: operationId,
      request_id: internal.requestId,
      status: (response as APIGatewayProxyResult).statusCode,
      duration_ms: clock() - internal.startedAt,
      caller: internal.admitted?.caller.id,
    })
  }
  return {
    before: ({ event, internal }: Passage) => {
      const received = event as APIGatewayProxyEvent
      internal.requestId = requestId(received)
      internal.startedAt = clock()
      internal.rate = allowance.state(received.requestContext.identity.sourceIp, internal.startedAt)
    },
    after: (passage: Passage) => {
      const { requestId: id, rate } = passage.internal
      passage.response = renderAnswer(status, passage.response as Answer, id, rate)
      finish(passage)
    },
    onError: (passage: Passage) => {
      const { error, internal } = passage
      if (error instanceof GateRefusal) internal.rate = error.rate
      if (!(error instanceof Refusal)) {
        log('error', 'request_failed', { operation: operationId, request_id: internal.requestId }, error)
      }
      passage.response = renderError(error, internal.requestId, internal.rate)
      finish(passage)
    },
  }
}

/**
 * Size, key, rate, permission, media type, input: told in this order, whichever is found first.
 * A read begins beside the admission when its input is valid, the key's own text permits it and this process has seen
 * the key accepted; a refusal is told at once and what was read is dropped.
 */
function checking(
  operation: Operation,
  { gate, senders }: Gatekeeping,
  read: (event: APIGatewayProxyEvent) => Read,
  begin: (call: Call<OperationId>) => Promise<Answer>,
) {
  return {
    before: async (passage: Passage) => {
      const { context, internal } = passage
      const event = passage.event as APIGatewayProxyEvent
      const address = event.requestContext.identity.sourceIp
      if (operation.method !== 'GET') sentBytes(operation, event)
      // What strangers send is large, and nobody reads it before it is verified.
      const input = operation.sender === true ? atFirstUse(() => read(event)) : hold(() => read(event))
      const callOf = (caller: Caller): Call<OperationId> =>
        new CheckedCall(operation, event, input(), {
          caller,
          sender: internal.admitted?.sender,
          deadline: internal.startedAt + Math.max(0, context.getRemainingTimeInMillis() - ANSWER_MARGIN_MS),
        })
      let early: Promise<Answer> | undefined
      if (operation.sender === true && senders !== undefined) {
        const silent = silence(operation, event)
        if (silent !== undefined) throw refuseUnproven(address, internal.startedAt, allowance, silent)
        // Nothing can be verified for an id that no integration has.
        const id = readId(operation, event)
        const message = {
          body: sentBytes(operation, event),
          header: (name: string) => headerValues(event, name),
        }
        const allowances = { strangers: allowance, integrations: senderAllowance }
        internal.admitted = await admitSender(id, message, address, internal.startedAt, senders(), allowances)
      } else if (operation.access === 'anyone') {
        internal.admitted = admitAnyone(address, internal.startedAt, allowance)
      } else {
        const credential = readCredential(headerValues(event, 'authorization'))
        const known = credential !== null && gate().seen(credential.text)
        const admission = admit(credential, address, internal.startedAt, gate(), allowance)
        if (known && operation.method === 'GET' && mayCall(operation, credential.type)) {
          const call = hold(() => callOf({ id: '', type: credential.type }))
          early = settled(call, begin)
        }
        internal.admitted = await admission
      }
      internal.rate = internal.admitted.rate
      if (!mayCall(operation, internal.admitted.caller.type)) {
        throw new Refusal('forbidden', `Only ${whoMayCall(operation)} may call this operation.`)
      }
      const { held } = input()
      const { caller } = internal.admitted
      const prepared: Prepared = { answer: () => early ?? begin(callOf(caller)), held }
      passage.event = prepared
    },
  }
}

/** Begins a read whose answer may be dropped; nothing is begun where the input is wrong, which is told in its turn. */
function settled(
  call: () => Call<OperationId>,
  begin: (call: Call<OperationId>) => Promise<Answer>,
): Promise<Answer> | undefined {
  let ready: Call<OperationId>
  try {
    ready = call()
  } catch {
    return undefined
  }
  const early = begin(ready)
  // A failure is told where the answer is awaited; until then it must not end the process.
  early.catch(() => undefined)
  return early
}

/** Time before the function's own end at which an answer that does not come becomes an INTERNAL_ERROR. */
const LAST_WORD_MS = 300

function chain(
  name: string,
  operation: Operation,
  keeping: Gatekeeping,
  read: (event: APIGatewayProxyEvent) => Read,
  begin: (call: Call<OperationId>) => Promise<Answer>,
): ApiHandler {
  const answering = async ({ answer: have, held }: Prepared): Promise<Answer> => {
    const answer = await have()
    const { version } = answer
    const unmodified = held !== undefined && version !== undefined && isAmong(held, version)
    return unmodified ? { status: 304, version } : answer
  }
  // The stages change what travels, event into call and answer into response, which middy's types cannot follow.
  return middy({ timeoutEarlyInMillis: LAST_WORD_MS })
    .use([
      rendering(name, operation.success.status, keeping.clock),
      checking(operation, keeping, read, begin),
    ] as object[])
    .handler(answering as never) as unknown as ApiHandler
}

/**
 * Makes the Lambda handler of an operation.
 * @param respond builds what answers, once, at the first request: its dependencies come from the composition root
 */
export function endpoint<Id extends OperationId>(
  id: Id,
  keeping: Gatekeeping,
  respond: () => Respond<Id>,
): ApiHandler {
  const operation: Operation = operations[id]
  let built: Respond<Id> | undefined
  const begin = (call: Call<OperationId>): Promise<Answer> => {
    built ??= respond()
    return built(call as unknown as Call<Id>)
  }
  return chain(id, operation, keeping, (event) => readInput(operation, event), begin)
}

/** Every path with a method that it takes: of the operations, and of the console's files, which no key is asked for. */
const ROUTES: readonly Pick<Operation, 'path' | 'method' | 'access'>[] = [
  ...operationList,
  ...CONSOLE_PATHS.map((path) => ({ path, method: 'GET', access: 'anyone' }) as const),
]

/**
 * Makes the handler of every route that no operation has: authentication and rate first, as everywhere, then 405 with
 * `Allow` where the path exists, else 404. Where no operation of a path asks for a key, its 405 asks for none either: who
 * watches with HEAD what answers anybody to GET is told the method, not to come with a key.
 */
export function catchAll(keeping: Gatekeeping): ApiHandler {
  const anyRoute: Operation = {
    method: 'POST',
    path: '/{proxy+}',
    summary: '',
    access: ['admin', 'assistant'],
    viewers: true,
    success: { status: 200, description: '' },
    calls: ['UpdateItem'],
    timeoutSeconds: 10,
  }
  const routesOf = ({ resource }: APIGatewayProxyEvent) => ROUTES.filter(({ path }) => path === resource)
  const refuse = (event: APIGatewayProxyEvent): Read => {
    const allowed = routesOf(event).map(({ method }) => method)
    if (allowed.length === 0) throw notFound('This path')
    const allow = allowed.join(', ')
    throw new Refusal(
      'method_not_allowed',
      `This path allows ${allow}.`,
      { allow: allowed },
      { Allow: allow },
    )
  }
  const refusing = (operation: Operation): ApiHandler =>
    chain('refuse-unknown', operation, keeping, refuse, () => Promise.reject(notFound('This path')))
  const [withKey, withoutKey] = [refusing(anyRoute), refusing({ ...anyRoute, access: 'anyone' })]
  return (event, context) => {
    const routes = routesOf(event)
    const isOpen = routes.length > 0 && routes.every(({ access }) => access === 'anyone')
    return (isOpen ? withoutKey : withKey)(event, context)
  }
}
