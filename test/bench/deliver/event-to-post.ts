import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { startLocalService } from '../local-service.ts'
import { spreadOf } from '../spread.ts'
import { type Figures, rounded, single } from './figures.ts'

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
  const service = await startLocalService(data, '--empty')
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
