import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fanOut } from '#shared/domain/fan-out.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { Fuzz, type FuzzRelay } from './fuzz-run.ts'

/** The service with a bundle to read and a stand-in for GitHub, and the requests of a seed over it. */
export interface FuzzGround {
  readonly service: Service
  readonly fuzz: Fuzz
  /** Another run over the same service. */
  another(seed: number, service?: Service): Fuzz
  stop(): Promise<void>
}

/** The relay's own work, with what the functions themselves are made of. */
async function startRelay(): Promise<FuzzRelay> {
  const { sweepActs } = await import('#shared/runtime.ts')
  const acts = sweepActs()
  return {
    fanOut: async (incident) => {
      await fanOut(acts, createdEventId(incident))
    },
    deliveryOf: (incident, webhook) => {
      const event_id = createdEventId(incident)
      return { id: acts.deliveries.idOf(event_id, webhook), event_id }
    },
  }
}

/** Starts it; stop it at the end. */
export async function startFuzz(seed: number): Promise<FuzzGround> {
  const service = await startService({ egress: 'local', queue: true })
  const relayOfService = await startRelay()
  const gitHub = createServer(({ url = '' }, response) => {
    // A receiver is pinged before it is enabled again, and takes it.
    response.writeHead(url.startsWith('/hooks/') ? 204 : 404).end()
  })
  await new Promise<void>((resolve) => gitHub.listen(0, '127.0.0.1', resolve))
  await mkdir(join(service.bundles, 'one'), { recursive: true })
  const head = {
    format: 'incident-bundle/1',
    window: { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' },
  }
  await writeFile(join(service.bundles, 'one', 'bundle.json'), JSON.stringify(head))
  const address = `http://127.0.0.1:${(gitHub.address() as AddressInfo).port}`
  const another = (number: number, over = service) =>
    new Fuzz({ service: over, relay: relayOfService, gitHub: address, seed: number })
  const fuzz = another(seed)
  await fuzz.prepare()
  return {
    service,
    fuzz,
    another,
    stop: async () => {
      await service.stop()
      gitHub.closeAllConnections()
      gitHub.close()
    },
  }
}
