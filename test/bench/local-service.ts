import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { request } from 'undici'

const COMMANDS = fileURLToPath(new URL('../../infra/commands/', import.meta.url))

/** What the service answered. */
export interface Answered {
  readonly status: number
  /** What was read as JSON; null for an empty body. */
  readonly body: unknown
}

/** `npm start` in a process of its own, with a key of the plan that allows most. */
export interface LocalService {
  readonly pid: number
  /** Sends a request with the key. */
  send(method: 'DELETE' | 'GET' | 'PATCH' | 'POST', path: string, body?: object): Promise<Answered>
  /** Sends a POST. @throws Error for any other status than 201 */
  post(path: string, body: object): Promise<{ readonly id: string }>
  stop(): Promise<void>
}

/**
 * Starts the service on a free port.
 * @param data folder that it keeps its data in
 * @param more further arguments of `npm start`
 * @throws Error when it ends before it is ready
 */
export async function startLocalService(data: string, ...more: readonly string[]): Promise<LocalService> {
  const args = [join(COMMANDS, 'start.ts'), '--json', '--port', '0', '--data', data, ...more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([first]) => String(first)),
    ended.then(([code]) => {
      throw new Error(`the service ended with ${String(code)} before it was ready`)
    }),
  ])
  // The plan that a key of its own is given: the standard one allows 100 requests a minute.
  const made = await promisify(execFile)(process.execPath, [
    ...[join(COMMANDS, 'keys.ts'), 'create', '--name', 'bench', '--type', 'admin', '--plan', 'enterprise'],
    ...['--data', data],
  ])
  const { key } = JSON.parse(made.stdout) as { key: string }
  const { base_url } = JSON.parse(line) as { base_url: string }
  const send: LocalService['send'] = async (method, path, body) => {
    const answer = await request(`${base_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, body: text === '' ? null : (JSON.parse(text) as unknown) }
  }
  return {
    pid: child.pid ?? 0,
    send,
    post: async (path, body) => {
      const answer = await send('POST', path, body)
      if (answer.status !== 201)
        throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body as { id: string }
    },
    stop: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}
