import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Where calls are answered when they are recorded. */
export interface Answering {
  readonly dynamodb: string
  /** KMS, SQS and S3. */
  readonly rest: string
}

/** AWS as one process meets it: answered by what is behind it and kept, or answered from what was kept. */
export interface ReplayingAws {
  /** Base address for one process: calls are told apart by `name`, and each process counts its own. */
  address(name: string, way: 'record' | 'replay'): string
  /** Calls that were asked for and had not been recorded, so far. */
  readonly unknown: readonly string[]
  stop(): Promise<void>
}

interface Kept {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Set anew by the server that answers. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'])

/**
 * What a call is, without what differs from process to process (ids, instants, windows): service and action, table, and
 * the expressions by which one table is asked for two things.
 */
function nameOf({ method, headers }: IncomingMessage, path: string, body: Buffer): string {
  const target = headers['x-amz-target']
  if (target === undefined) return `${method} ${path.split('?')[0]?.split('/').slice(0, 3).join('/')}`
  if (!String(target).startsWith('DynamoDB')) return String(target)
  const { TableName, IndexName, KeyConditionExpression } = JSON.parse(body.toString()) as Record<
    string,
    unknown
  >
  return [target, TableName, IndexName, KeyConditionExpression].filter((part) => part !== undefined).join(' ')
}

/** Asks what stands behind. */
function passOn({ method, headers }: IncomingMessage, url: URL, body: Buffer): Promise<Kept> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { ...headers, host: url.host } }, (answer) => {
      buffer(answer).then((bytes) => {
        const kept = Object.entries(answer.headers).filter(([name]) => !OF_THE_CONNECTION.has(name))
        resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(kept), body: bytes })
      }, reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** The process that answers: addresses are `/<way>/<name>/<number of the process>/…`. */
async function serve(
  { dynamodb, rest }: Answering,
  tell: (message: { port: number } | { unknown: string }) => void,
) {
  const kept = new Map<string, Kept>()
  const counted = new Map<string, number>()
  const answerTo = async (message: IncomingMessage): Promise<Kept> => {
    const [, way, name, asking, ...parts] = (message.url ?? '').split('/')
    const [path, body] = [`/${parts.join('/')}`, await buffer(message)]
    const call = `${name} ${nameOf(message, path, body)}`
    const turn = (counted.get(`${asking} ${call}`) ?? 0) + 1
    counted.set(`${asking} ${call}`, turn)
    const known = kept.get(`${call} ${turn}`)
    if (way === 'replay') {
      if (known === undefined) tell({ unknown: `${call}, the ${turn}. time` })
      return known ?? { status: 500, headers: {}, body: Buffer.from('{}') }
    }
    const upstream = String(message.headers['x-amz-target']).startsWith('DynamoDB') ? dynamodb : rest
    const answer = await passOn(message, new URL(path, upstream), body)
    kept.set(`${call} ${turn}`, answer)
    return answer
  }
  const server = createServer((message, response) => {
    answerTo(message).then(
      ({ status, headers, body }) =>
        response.writeHead(status, { ...headers, 'content-length': body.length }).end(body),
      (error: unknown) => response.destroy(error as Error),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  tell({ port: (server.address() as AddressInfo).port })
}

/**
 * Starts a process that stands before what answers a function's calls. An emulator on the same few cores takes
 * milliseconds that no one would tell from the function's own; what it once answered is given again at once.
 */
export async function startReplayingAws(behind: Answering): Promise<ReplayingAws> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(behind)], { execArgv: [] })
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  const unknown: string[] = []
  child.on('message', (message: { readonly unknown: string }) => unknown.push(message.unknown))
  let asking = 0
  return {
    unknown,
    address(name, way) {
      asking += 1
      return `http://127.0.0.1:${port}/${way}/${name}/${asking}`
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  // It must not outlive the one that measures.
  process.on('disconnect', () => process.exit(0))
  await serve(JSON.parse(process.argv[2] ?? '') as Answering, (message) => process.send?.(message))
}
