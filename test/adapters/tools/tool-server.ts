import type http from 'node:http'
import { onTestFinished } from 'vitest'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { type AllToolDeps, toolOfType } from '#shared/adapters/tools/tool-of-type.ts'
import type { PullRequest, Tool } from '#shared/domain/integration.ts'
import { type LoopbackServer, serveHttp } from '../loopback-server.ts'

/** What a tool of a test answers to one request. */
export interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, a text as it is. */
  readonly body?: unknown
}

/** A request as the tool saw it. */
export interface Seen {
  readonly method: string
  readonly path: string
  /** Search parameters, those of a form included. */
  readonly search: URLSearchParams
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A tool of a test, which answers over HTTP. */
export interface ToolServer extends LoopbackServer {
  readonly seen: readonly Seen[]
}

async function seenOf(request: http.IncomingMessage): Promise<Seen> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const url = new URL(request.url ?? '/', 'http://tool')
  const search = new URLSearchParams(url.search)
  if (request.headers['content-type'] === 'application/x-www-form-urlencoded') {
    for (const [name, value] of new URLSearchParams(body)) search.append(name, value)
  }
  return { method: request.method ?? '', path: url.pathname, search, headers: request.headers, body }
}

/** Serves what `answer` gives, 404 where it gives nothing. */
export async function serveTool(answer: (request: Seen) => Canned | undefined): Promise<ToolServer> {
  const seen: Seen[] = []
  const server = await serveHttp((request, response) => {
    void seenOf(request).then((one) => {
      seen.push(one)
      const canned = answer(one) ?? { status: 404, body: { error: 'no such page' } }
      const { status = 200, headers = {}, body = {} } = canned
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  return Object.assign(server, { seen })
}

/** Closes what a test opened once it is over, whatever came of it. */
export function closeAfterTest(...opened: readonly { close(): Promise<void> }[]): void {
  onTestFinished(async () => {
    await Promise.all(opened.map((each) => each.close()))
  })
}

/** No pause is waited for: a test sees which were asked for. */
export const withoutWaiting = () => {
  const waited: number[] = []
  return { waited, wait: async (milliseconds: number) => void waited.push(milliseconds) }
}

/** A tool as the service makes it, allowed to reach this machine. */
export function loopbackTool(
  type: string,
  deps: Partial<AllToolDeps> = {},
): Tool & { close(): Promise<void> } {
  const request = guardedRequest(localRules())
  const tool = toolOfType({
    request,
    now: Date.now,
    openBundle: () => Promise.reject(new Error('no bundle')),
    aws: {
      issuer: 'tests',
      credentials: () => ({ accessKeyId: 'none', secretAccessKey: 'none' }),
      endpoint: () => 'http://127.0.0.1:9',
    },
    ...deps,
  })(type)
  if (tool === undefined) throw new Error(`there is no tool ${type}`)
  return { ...tool, close: () => request.close() }
}

/** A pull of the hour before an instant. */
export const pullRequest = (to: number, change: Partial<PullRequest> = {}): PullRequest => ({
  integration_id: 'tool_1',
  window: { from: to - 3_600_000, to },
  baselines: [{ name: 'b1', from: to - 3 * 3_600_000, to: to - 2 * 3_600_000 }],
  service: null,
  signal: new AbortController().signal,
  ...change,
})
