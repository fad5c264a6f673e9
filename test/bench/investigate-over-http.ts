import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { canonicalJson } from '#shared/adapters/digest.ts'
import type { Findings, RootCause } from '#shared/domain/investigation/findings.ts'

/** The command that starts the service. */
export const START = fileURLToPath(new URL('../../infra/commands/start.ts', import.meta.url))

/** A first start sets up emulators and tables. */
const READY_WITHIN_MS = 90_000
/** Analysis of one bundle, with the queue's doorbell and the worker's poll before it. */
const ANALYSED_WITHIN_MS = 60_000
const POLL_EVERY_MS = 250
/** Ctrl-C ends everything within two seconds; then it is ended for it. */
const ENDED_WITHIN_MS = 5_000

interface Ready {
  readonly base_url: string
  readonly admin_key: string
}

/** A service started for the bench, reached only by its HTTP interface. */
export interface RunningService {
  /** Connects the bundle, creates the incident, waits for its analysis and takes the connection away again. */
  investigate(
    path: string,
    incident: { readonly title: string; readonly severity: string; readonly service?: string },
  ): Promise<RootCause>
  stop(): Promise<void>
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

async function readyLine(child: ChildProcessByStdio<null, Readable, null>): Promise<Ready> {
  const lines = createInterface({ input: child.stdout })
  const deadline = new AbortController()
  const timer = setTimeout(
    () => deadline.abort(new Error('the service was not ready in time')),
    READY_WITHIN_MS,
  )
  try {
    const [first] = (await Promise.race([
      once(lines, 'line', { signal: deadline.signal }),
      once(child, 'exit', { signal: deadline.signal }).then(([code]) => {
        throw new Error(`the service ended with ${String(code)} before it was ready`)
      }),
    ])) as [string]
    return JSON.parse(first) as Ready
  } finally {
    clearTimeout(timer)
    deadline.abort()
  }
}

/**
 * Starts the service on a free port with an empty data folder.
 * @param bundles directory below which the bundles lie
 * @param data an empty folder for the service's state
 * @param start the program that starts it
 */
export async function startService(
  bundles: string,
  data: string,
  start: string = START,
): Promise<RunningService> {
  const child = spawn(
    process.execPath,
    [start, '--empty', '--json', '--bundles', bundles, '--data', data, '--port', '0'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    const timer = setTimeout(() => child.kill('SIGKILL'), ENDED_WITHIN_MS)
    await ended
    clearTimeout(timer)
  }
  let ready: Ready
  try {
    ready = await readyLine(child)
  } catch (error) {
    await stop()
    throw error
  }
  const base = ready.base_url.replace(/\/$/, '')

  async function call<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Answer> {
    const answer = await request(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ready.admin_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }

  return {
    stop,
    async investigate(path, incident) {
      const integration = await call<{ id: string }>('POST', '/integrations', {
        type: 'bundle',
        config: { path },
      })
      try {
        const created = await call<{ id: string }>('POST', '/incidents', incident)
        const deadline = Date.now() + ANALYSED_WITHIN_MS
        for (;;) {
          const now = await call<{ analysis: string; root_cause: RootCause | null }>(
            'GET',
            `/incidents/${created.id}`,
          )
          if (now.analysis === 'done' && now.root_cause !== null) return now.root_cause
          if (now.analysis === 'failed') throw new Error(`the analysis of ${created.id} failed`)
          if (Date.now() > deadline) throw new Error(`the analysis of ${created.id} took too long`)
          await pause(POLL_EVERY_MS)
        }
      } finally {
        await call('DELETE', `/integrations/${integration.id}`)
      }
    },
  }
}

/** In what two answers differ: cause, outcome, confidence, or what the evidence says. */
export function differences(one: Findings, other: Findings): readonly string[] {
  const parts: readonly (readonly [string, (findings: Findings) => unknown])[] = [
    ['cause', ({ cause }) => cause],
    ['outcome', ({ outcome }) => outcome],
    ['confidence', ({ confidence }) => confidence],
    ['evidence', ({ evidence }) => evidence.map(({ content }) => content)],
  ]
  return parts
    .filter(([, part]) => canonicalJson(part(one)) !== canonicalJson(part(other)))
    .map(([name]) => name)
}
