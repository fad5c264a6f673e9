import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INTEGRATION_TYPES } from '#shared/domain/integration-types.ts'
import { serveTool, type ToolServer } from '#test/adapters/tools/tool-server.ts'
import { writeCalmBundle } from '#test/endpoints/calm-bundle.ts'
import { type Service, startService } from '#test/endpoints/service.ts'

const fileOf = (type: string): URL => new URL(`../docs/integrations/${type}.md`, import.meta.url)
const pages = INTEGRATION_TYPES.filter(({ type }) => existsSync(fileOf(type))).map((row) => ({
  ...row,
  page: readFileSync(fileOf(row.type), 'utf8'),
}))

/** What the curl lines of a page send. */
const bodiesIn = (
  page: string,
): readonly { readonly type: string; readonly config: Readonly<Record<string, unknown>> }[] =>
  Array.from(page.matchAll(/<<'JSON'\n([\s\S]*?)\nJSON\n/g), ([, text = '']) => JSON.parse(text))

const AWS = ['AWS_ENDPOINT_URL_CLOUDWATCH', 'AWS_ENDPOINT_URL_STS']
let service: Service
let stranger: ToolServer
beforeAll(async () => {
  service = await startService({ egress: 'local' })
  await writeCalmBundle(join(service.bundles, 'outage'))
  stranger = await serveTool(() => undefined)
  // AWS is asked at the addresses of its services, which no setting names.
  for (const name of AWS) process.env[name] = stranger.url
})
afterAll(async () => {
  for (const name of AWS) delete process.env[name]
  await stranger.close()
  await service.stop()
})

describe.each(pages)('the page of $type', ({ type, fields, page }) => {
  it('names every setting, and none that there is not', () => {
    const table = page.split('\n').filter((line) => /^\| `/.test(line))
    const named = table.flatMap((line) =>
      Array.from((line.split('|')[1] ?? '').matchAll(/`([a-z_]+)`/g), ([, name = '']) => name),
    )
    expect(named.toSorted()).toEqual(fields.map(({ name }) => name).toSorted())
  })

  it('says which settings are required', () => {
    for (const { name, required } of fields) {
      const row = page
        .split('\n')
        .find((line) => line.startsWith('| `') && line.split('|')[1]?.includes(`\`${name}\``))
      expect([name, row?.split('|')[2]?.trim() ?? '']).toEqual([name, required ? 'yes' : ''])
    }
  })

  it('shows a request that the service takes, and that gives no secret back', async () => {
    const bodies = bodiesIn(page)
    expect(bodies.length).toBeGreaterThan(0)
    for (const body of bodies) {
      // The address of the page is nobody's: a server that knows nothing stands in, so the integration is kept as one
      // that could not be reached.
      const config = { ...body.config, ...('base_url' in body.config ? { base_url: stranger.url } : {}) }
      const made = await service.done('create-integration', { body: { ...body, config } })
      // There is nobody to ask where a tool only sends, or is a folder.
      const status = type === 'webhook' || type === 'bundle' ? 'connected' : 'error'
      expect(made).toMatchObject({ type, status })
      for (const { name, sensitive } of fields) {
        if (sensitive) expect(made.config).not.toHaveProperty(name)
      }
    }
  })
})

it('there is a page of every tool', () => {
  const types = INTEGRATION_TYPES.map(({ type }): string => type)
  expect(pages.map(({ type }): string => type)).toEqual(types)
})
