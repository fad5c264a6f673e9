import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { request } from 'undici'
import { spreadOf } from '../spread.ts'
import { type Figures, rounded, single } from './figures.ts'

const COMMANDS = fileURLToPath(new URL('../../../infra/commands/', import.meta.url))
/** Incidents before those that count: functions and connections are cold at first. */
const WARM_UP = 5
/** Between two incidents, so that each meets the pollers at another moment of their turn. */
const SPACING_MS = [60, 210] as const
/** An event that has not come by then is an error, not a slow one. */
const MOST_MS = 30_000

interface Arrival {
  readonly incident: string
  /** From the instant at which the event was written to that at which its POST had arrived. */
  readonly ms: number
}

async function startReceiver(tell: (arrival: Arrival) => void) {
  const server = createServer((incoming, response) => {
    const at = Date.now()
    void text(incoming).then((body) => {
      const { timestamp, data } = JSON.parse(body) as { timestamp: string; data: { id: string } }
      tell({ incident: data.id, ms: at - Date.parse(timestamp) })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function startService(data: string) {
  const args = [join(COMMANDS, 'start.ts'), '--empty', '--json', '--port', '0', '--data', data]
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
  return {
    post: async (path: string, body: object): Promise<{ readonly id: string }> => {
      const answer = await request(`${base_url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const read = await answer.body.text()
      if (answer.statusCode !== 201) throw new Error(`POST ${path} answered ${answer.statusCode}: ${read}`)
      return JSON.parse(read) as { id: string }
    },
    stop: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}

/** The 99th percentile: the greatest but one of a hundred. */
const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN

/** From an event to its POST on the local service: incidents one after the other, each waited for. */
export async function eventToPost(count: number): Promise<Figures> {
  const data = mkdtempSync(join(tmpdir(), 'bench-deliver-'))
  const arrived = new Map<string, (arrival: Arrival) => void>()
  const early = new Map<string, Arrival>()
  const receiver = await startReceiver((arrival) => {
    early.set(arrival.incident, arrival)
    arrived.get(arrival.incident)?.(arrival)
  })
  const service = await startService(data)
  try {
    await service.post('/webhooks', {
      url: receiver.url,
      events: ['incident.created'],
      secret: 'a secret of a bench',
    })
    const taken: number[] = []
    for (let number = 0; number < WARM_UP + count; number += 1) {
      const { id } = await service.post('/incidents', { title: `Incident ${number}`, severity: 'low' })
      const arrival = await new Promise<Arrival>((resolve, reject) => {
        const seen = early.get(id)
        if (seen !== undefined) return resolve(seen)
        const timer = setTimeout(() => reject(new Error(`the event of ${id} did not come`)), MOST_MS)
        arrived.set(id, (come) => {
          clearTimeout(timer)
          resolve(come)
        })
      })
      if (number >= WARM_UP) taken.push(arrival.ms)
      const [least, most] = SPACING_MS
      await pause(least + Math.random() * (most - least))
    }
    return {
      event_to_post_ms: { ...rounded(spreadOf(taken)), goal: '≤ 400' },
      event_to_post_p99_ms: single(p99(taken)),
      event_to_post_events: single(taken.length),
    }
  } finally {
    await service.stop()
    receiver.close()
    rmSync(data, { recursive: true, force: true })
  }
}
