import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { replayIncident } from '#infra/commands/replay-incident.ts'
import { deploymentInOwnProcess } from '#infra/local/deployment-process.ts'
import { ROOT } from '#infra/root.ts'
import { OUTAGES } from '#infra/tools-demo/outages.ts'
import { analyse, playOutage } from '#infra/tools-demo/play-outage.ts'
import { findTools } from '#infra/tools-demo/tool-programs.ts'
import { WINDOWS_S, type World } from '#infra/tools-demo/world.ts'
import { baselinesOf, readLengths } from '#shared/domain/investigation/records/windows.ts'

// Plays one outage and writes what a real Prometheus answered to the pull of its investigation: node test/tools/record.ts
// What it writes is replayed by test/adapters/tools/recorded-prometheus.test.ts; format it with `npx biome format --write`.

const FILE = join(ROOT, 'test/data/prometheus/bad-version.json')

/** One question and its answer. */
interface Exchange {
  readonly path: string
  readonly status: number
  readonly body: unknown
}

/** Nothing of this machine: not its name, not where its files lie. */
const cleaned = (text: string): string =>
  text.replaceAll(new RegExp(`${tmpdir()}/[^/"]+/`, 'g'), '/etc/').replaceAll(hostname(), 'node-1')

async function record({ prometheus, service, integrations, data }: World, id: string): Promise<void> {
  const exchanges: Exchange[] = []
  const between = createServer((request, response) => {
    const path = request.url ?? '/'
    void fetch(`${prometheus.url}${path}`).then(async (answer) => {
      const text = await answer.text()
      exchanges.push({ path, status: answer.status, body: JSON.parse(cleaned(text)) })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })
  })
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', () => resolve()))
  const { port } = between.address() as AddressInfo
  await service.patch(`/integrations/${integrations.prometheus}`, {
    config: { base_url: `http://127.0.0.1:${port}` },
  })
  exchanges.splice(0)
  await analyse({ service }, id)
  const { snapshot } = await replayIncident(id, { data })
  between.closeAllConnections()
  between.close()
  const { window } = snapshot
  const { lead, guard, baseline } = WINDOWS_S
  const baselines = baselinesOf(window, readLengths(`${lead},${guard},${baseline}`))
  const sorted = exchanges.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify({ window, baselines, service: 'storefront', exchanges: sorted })}\n`)
  process.stderr.write(`${exchanges.length} answers in ${FILE}\n`)
}

const paths = await findTools(false, (line) => void process.stdout.write(`${line}\n`))
const [outage] = OUTAGES
if (paths !== null && outage !== undefined) {
  await playOutage(outage, {
    paths,
    deployment: deploymentInOwnProcess(),
    tell: (line) => void process.stderr.write(`${line}\n`),
    log: () => undefined,
    afterwards: (_, world, id) => record(world, id),
  })
}
process.exit(0)
