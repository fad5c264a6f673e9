import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bundleFunctions } from '#infra/bundling/bundle-functions.ts'
import { BUNDLES, entryOf } from '#infra/bundling/bundle-places.ts'
import { functionPlans } from '#infra/functions.ts'
import { INTEGRATION_TYPES } from '#shared/domain/integration-types.ts'

const run = promisify(execFile)
const KB = 1024
/** Above it something came along that no function of its kind needs; `npm run bundle:sizes` says what. */
const LARGEST = { waiting: 560 * KB, goingOut: 1050 * KB } as const
const GOING_OUT = new Set([
  'answer-query',
  'verify-query',
  'verify-incident',
  'create-integration',
  'update-integration',
  'check-integration',
  'push-events',
  'update-webhook',
  'ping-webhook',
  'investigate-incident',
  'check-integrations',
  'deliver-webhook',
])

const sizes = await bundleFunctions()
const filesOf = (id: string) => readdirSync(path.join(BUNDLES, id)).filter((file) => file.endsWith('.mjs'))

describe("the service's bundles", () => {
  it('are one for each function, none larger than its kind', () => {
    expect(sizes.map(({ id }) => id).sort()).toEqual(functionPlans.map(({ id }) => id).sort())
    for (const { id, bytes } of sizes)
      expect(bytes, id).toBeLessThan(GOING_OUT.has(id) ? LARGEST.goingOut : LARGEST.waiting)
  })

  it('hold the part of undici only where functions go out', () => {
    // By the codes of its errors, which no minifier renames; it may lie in a part that is read at its first use.
    const holds = ({ id }: { readonly id: string }) =>
      filesOf(id).some((file) => readFileSync(path.join(BUNDLES, id, file), 'utf8').includes('UND_ERR_'))
    const holding = sizes.filter(holds).map(({ id }) => id)
    expect(holding.sort()).toEqual([...GOING_OUT].sort())
  })

  it('each load with nothing in their environment, export a handler, and load neither undici nor http2', async () => {
    const files = functionPlans.map(({ id }) => entryOf(id))
    const script = `for (const file of ${JSON.stringify(files)}) {
      const { handler } = await import(file)
      if (typeof handler !== 'function') console.log(file)
    }
    console.log(process.moduleLoadList.filter((name) => /undici|http2/.test(name)).join())`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env.PATH },
    })
    expect(stdout.trim()).toBe('')
  })

  it('hold each tool in a part that loads beside its entry, and takes what both need from it', async () => {
    const asking = sizes.map(({ id }) => id).filter((id) => filesOf(id).includes('grafana.mjs'))
    expect(asking).toContain('check-integration')
    const parts = asking.flatMap((id) =>
      INTEGRATION_TYPES.map(({ type }) => path.join(BUNDLES, id, `${type}.mjs`)),
    )
    // The class of refusals, by which the chain tells them from failures: a second one would be no refusal to it.
    const refusal = /extends Error\{[^}]{0,80}details/
    for (const id of asking)
      expect(
        filesOf(id).filter((file) => refusal.test(readFileSync(path.join(BUNDLES, id, file), 'utf8'))),
        id,
      ).toEqual(['index.mjs'])
    const script = `for (const file of ${JSON.stringify(parts)}) {
      const made = Object.values(await import(file))
      if (!made.some((each) => typeof each === 'function')) console.log(file)
    }`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env.PATH },
    })
    expect(stdout.trim()).toBe('')
  })
})
