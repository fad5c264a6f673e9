import { pathToFileURL } from 'node:url'
import type { Context } from 'aws-lambda'
import { functionContext } from './function-context.ts'
import { type FunctionError, type HostReply, type HostRequest, timedOut } from './function-protocol.ts'

// The process that holds the functions: started by function-host.ts, ended with its IPC channel.

type Handler = (event: unknown, context: Context) => unknown

const handlers = new Map<string, Promise<Handler>>()

async function load(file: string): Promise<Handler> {
  const module = (await import(pathToFileURL(file).href)) as { handler?: unknown }
  if (typeof module.handler !== 'function')
    throw new TypeError(`${file} does not export a function \`handler\``)
  return module.handler as Handler
}

function handlerOf(file: string): Promise<Handler> {
  const known = handlers.get(file)
  if (known !== undefined) return known
  const loading = load(file)
  handlers.set(file, loading)
  // A module that fails to load is tried again, as a new environment of Lambda would.
  loading.catch(() => handlers.delete(file))
  return loading
}

function errorOf(thrown: unknown): FunctionError {
  if (thrown instanceof Error) {
    process.stderr.write(`${thrown.stack ?? thrown.message}\n`)
    return { type: thrown.name, message: thrown.message }
  }
  return { type: typeof thrown, message: String(thrown) }
}

const reply = (message: HostReply): void => {
  if (process.connected) process.send?.(message)
}

async function invoke(request: Extract<HostRequest, { kind: 'invoke' }>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    // Loading a function is Lambda's init phase: it does not eat into the function's own time.
    const handler = await handlerOf(request.file)
    const deadline = Date.now() + request.timeoutMs
    // The first reply counts; what the handler still answers later is dropped, as Lambda would have frozen it.
    timer = setTimeout(() => {
      reply({ kind: 'failure', id: request.id, error: timedOut(request.timeoutMs) })
    }, request.timeoutMs)
    const answer = await handler(JSON.parse(request.event), functionContext({ ...request, deadline }))
    reply({ kind: 'result', id: request.id, payload: JSON.stringify(answer) ?? 'null' })
  } catch (thrown) {
    reply({ kind: 'failure', id: request.id, error: errorOf(thrown) })
  } finally {
    clearTimeout(timer)
  }
}

process.on('message', (request: HostRequest) => {
  if (request.kind === 'ping') reply({ kind: 'pong', id: request.id })
  else void invoke(request)
})
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole foreground group; the runner decides when the functions end.
process.on('SIGINT', () => {})
