import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { QUEUES } from '#infra/queues.ts'
import { readSettingsFile, SETTINGS_FILE } from '#infra/settings.ts'

describe('reading the deployment', () => {
  it('gives plain data that survives JSON', async () => {
    const deployment = await readDeployment()
    expect(JSON.parse(JSON.stringify(deployment))).toEqual(deployment)
  })

  it('names files that exist, and queues as the stack calls them', async () => {
    const { functions, queues, routes } = await readDeployment()
    for (const { file } of Object.values(functions)) expect(existsSync(file), file).toBe(true)
    expect(Object.keys(queues).sort()).toEqual([...QUEUES].sort())
    for (const { functionId } of routes) expect(Object.keys(functions)).toContain(functionId)
  })

  it('tells values that the template sets, and leaves open those that only a deployment knows', async () => {
    const { functions } = await readDeployment()
    expect(functions['create-incident']?.environment).toEqual({
      KEYS_TABLE: null,
      INCIDENTS_TABLE: null,
      BUCKET: null,
      RETENTION_DAYS: '400',
      SIGN_IN_CLIENT: null,
      SIGN_IN_ISSUER: null,
    })
    expect(functions['get-health']?.environment).toEqual({})
  })

  it('follows the settings', async () => {
    const settings = { ...readSettingsFile(SETTINGS_FILE), retentionDays: 7, throttleBurst: 3 }
    const { functions, throttle } = await readDeployment(settings)
    expect(throttle.burst).toBe(3)
    expect(functions['create-incident']?.environment.RETENTION_DAYS).toBe('7')
  })

  it('leaves no folder behind', async () => {
    // A folder of our own: other processes read deployments at the same time.
    const own = mkdtempSync(join(tmpdir(), 'reading-'))
    const usual = process.env.TMPDIR
    process.env.TMPDIR = own
    try {
      await readDeployment()
      expect(readdirSync(own)).toEqual([])
    } finally {
      if (usual === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = usual
      rmSync(own, { recursive: true, force: true })
    }
  })
})
