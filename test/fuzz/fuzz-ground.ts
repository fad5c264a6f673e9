import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Service, startService } from '#test/endpoints/service.ts'
import { Fuzz } from './fuzz-run.ts'

/** The service with a bundle to read and a stand-in for GitHub, and the requests of a seed over it. */
export interface FuzzGround {
  readonly service: Service
  readonly fuzz: Fuzz
  stop(): Promise<void>
}

/** Starts it; stop it at the end. */
export async function startFuzz(seed: number): Promise<FuzzGround> {
  const service = await startService({ egress: 'local' })
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
  const fuzz = new Fuzz({ service, gitHub: address, seed })
  await fuzz.prepare()
  return {
    service,
    fuzz,
    stop: async () => {
      await service.stop()
      gitHub.closeAllConnections()
      gitHub.close()
    },
  }
}
