import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import type { ToolDeps } from '#shared/adapters/tools/tool-request.ts'
import type { Tool } from '#shared/domain/integration.ts'
import { pullRequest, type Seen, serveTool, type ToolServer } from './tool-server.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')
const NOW = Date.parse('2026-03-10T12:00:00Z')

/** Blocks of code in the list that shows how an integration is added. */
async function blocks(): Promise<readonly string[]> {
  const page = await read('CONTRIBUTING.md')
  const [, list = ''] = /## Add an integration\n([\s\S]*?)(?=\n## |$)/.exec(page) ?? []
  return Array.from(list.matchAll(/^ {3}```ts\n([\s\S]*?)^ {3}```$/gm), ([, code = '']) =>
    code.replace(/^ {3}/gm, ''),
  )
}

let folder: string
let server: ToolServer
let shipyard: Tool
const request = guardedRequest(localRules())
const answers: Record<string, unknown> = {}

beforeAll(async () => {
  // Inside of the repository, so that what it imports is found.
  await mkdir(join(root.pathname, 'reports'), { recursive: true })
  folder = await mkdtemp(join(root.pathname, 'reports', 'contributing-'))
  const file = (await blocks()).find((code) => code.startsWith('// shared/adapters/tools/shipyard.ts'))
  if (file === undefined) throw new Error('CONTRIBUTING.md shows no file of a tool')
  await writeFile(join(folder, 'shipyard.ts'), file.replaceAll("from './", "from '#shared/adapters/tools/"))
  const made = (await import(join(folder, 'shipyard.ts'))) as { shipyardTool(deps: ToolDeps): Tool }
  shipyard = made.shipyardTool({ request, now: () => NOW })
  server = await serveTool(({ path }: Seen) => (path in answers ? { body: answers[path] } : undefined))
})
afterAll(async () => {
  await request.close()
  await server.close()
  await rm(folder, { recursive: true })
})

describe('the tool that CONTRIBUTING.md adds', () => {
  it('has a row of the table of types, built by what that table builds its rows with', async () => {
    const [row = ''] = await blocks()
    expect(row).toContain("type: 'shipyard'")
    const table = await read('shared/domain/integration-types.ts')
    for (const [, helper = ''] of row.matchAll(/\b([a-z]\w+)\(/g))
      expect(table).toContain(`const ${helper} = (`)
  })

  it('is connected, degraded without deployments, and an error where something else answers', async () => {
    const check = () => shipyard.check({ base_url: server.url }, new AbortController().signal)
    answers['/api/about'] = { name: 'other' }
    expect(await check()).toEqual({ status: 'error', detail: 'This is no Shipyard.' })
    answers['/api/about'] = { shipyard: '1' }
    expect(await check()).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('deployments cannot be read'),
    })
    answers['/api/deployments'] = []
    expect(await check()).toEqual({ status: 'connected', detail: null })
  })

  it('brings deployments with their source, and says what it could not read', async () => {
    answers['/api/deployments'] = [
      { id: 'd1', service: 'checkout', at: NOW - 1000, version: '1.4' },
      { id: 7 },
    ]
    const { changes, sources, gaps } = await shipyard.pull({ base_url: server.url }, pullRequest(NOW))
    expect(changes).toEqual([
      {
        source: sources[0]?.id,
        id: 'd1',
        kind: 'deploy',
        recorded_at: NOW - 1000,
        entity: 'checkout',
        after: '1.4',
      },
    ])
    expect(sources).toMatchObject([{ tool: 'shipyard', records: 1, outcome: 'answered' }])
    expect(gaps).toMatchObject([{ what: 'Shipyard: deployments', why: '1 of 2 items could not be read.' }])
  })
})
