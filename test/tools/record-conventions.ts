import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '#infra/root.ts'
import { loopbackTool } from '../adapters/tools/tool-server.ts'
import { BASELINES, CONVENTIONS, type Sample, WINDOW } from './measured-shops.ts'

// Writes what a real Prometheus answers to a pull of each shop in measured-shops.ts: node test/tools/record-conventions.ts
// It needs prometheus and promtool. What it writes is replayed by test/adapters/tools/metric-conventions.test.ts; format it
// with `npx biome format --write`.

const FOLDER = join(ROOT, 'test/data/prometheus')
const SCRAPE_S = 30

/** The samples of a shop as promtool reads them. */
function openMetrics(samples: (at: number) => readonly Sample[]): string {
  const byName = new Map<string, string[]>()
  const from = Math.min(...BASELINES.map((baseline) => baseline.from))
  for (let at = from - 600_000; at <= WINDOW.to; at += SCRAPE_S * 1000) {
    for (const { name, labels, value } of samples(at)) {
      const told = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
      const lines = byName.get(name) ?? []
      lines.push(`${name}{${told.join(',')}} ${value} ${at / 1000}`)
      byName.set(name, lines)
    }
  }
  const blocks = [...byName].map(([name, lines]) => `# TYPE ${name} unknown\n${lines.join('\n')}`)
  return `${blocks.join('\n')}\n# EOF\n`
}

async function record(name: string, samples: (at: number) => readonly Sample[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'conventions-'))
  writeFileSync(join(folder, 'metrics.txt'), openMetrics(samples))
  writeFileSync(join(folder, 'prometheus.yml'), 'global: {}\n')
  execFileSync(
    'promtool',
    ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'metrics.txt'), folder],
    {
      stdio: 'ignore',
    },
  )
  const address = '127.0.0.1:19391'
  const server = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${folder}`,
      '--storage.tsdb.retention.time=100y',
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  )
  try {
    for (let tries = 0; tries < 100; tries += 1) {
      const ready = await fetch(`http://${address}/-/ready`).catch(() => undefined)
      if (ready?.ok === true) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const exchanges: { path: string; status: number; body: unknown }[] = []
    const between = createServer((request, response) => {
      const path = request.url ?? '/'
      void fetch(`http://${address}${path}`).then(async (answer) => {
        const text = await answer.text()
        exchanges.push({ path, status: answer.status, body: JSON.parse(text) })
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
      })
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', () => resolve()))
    const { port } = between.address() as AddressInfo
    const tool = loopbackTool('prometheus', { now: () => WINDOW.to })
    const pulled = await tool.pull(
      { base_url: `http://127.0.0.1:${port}` },
      {
        integration_id: 'tool_1',
        window: WINDOW,
        baselines: BASELINES,
        service: 'web',
        signal: new AbortController().signal,
      },
    )
    await tool.close()
    between.closeAllConnections()
    between.close()
    const sorted = exchanges.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    const file = join(FOLDER, `${name}.json`)
    const told = { window: WINDOW, baselines: BASELINES, service: 'web', exchanges: sorted }
    writeFileSync(file, `${JSON.stringify(told)}\n`)
    process.stderr.write(`${exchanges.length} answers in ${file}\n`)
    for (const gap of pulled.gaps) process.stderr.write(`  ${gap.what}: ${gap.why}\n`)
  } finally {
    server.kill()
    await new Promise((resolve) => server.once('exit', resolve))
    rmSync(folder, { recursive: true })
  }
}

for (const [name, samples] of Object.entries(CONVENTIONS)) await record(name, samples)
