import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploymentInOwnProcess, deploymentSources } from '#infra/local/deployment-process.ts'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { ROOT } from '#infra/root.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'deployment-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('the deployment that the runner follows', () => {
  it('is that of the synthesised template, and is synthesised again only after a change', async () => {
    const folder = join(root, 'cache')
    const file = join(folder, 'deployment.json')
    const outdated = { sources: 'others', deployment: { stage: 'outdated' } }
    mkdirSync(folder)
    writeFileSync(file, JSON.stringify(outdated))
    const deployment = await deploymentInOwnProcess(file)
    expect(deployment).toEqual(JSON.parse(JSON.stringify(await readDeployment())))

    const kept = JSON.parse(readFileSync(file, 'utf8')) as typeof outdated
    writeFileSync(file, JSON.stringify({ ...kept, deployment: { stage: 'kept' } }))
    expect(await deploymentInOwnProcess(file)).toEqual({ stage: 'kept' })
  })

  it('says that it took too long where it did, not that the stack is wrong', async () => {
    await expect(deploymentInOwnProcess(join(root, 'none.json'), 1)).rejects.toThrow(
      'The stack was not synthesised within 0.001 s: is the machine busy?',
    )
  })

  it.each(['infra/settings.json', 'infra/new-file.ts', 'shared/names.ts', 'cdk.json', 'package-lock.json'])(
    'changes with %s',
    (changed) => {
      const copy = mkdtempSync(join(root, 'sources-'))
      for (const folder of ['infra', 'shared']) mkdirSync(join(copy, folder))
      for (const name of [
        'infra/settings.json',
        'shared/names.ts',
        'cdk.json',
        'package.json',
        'package-lock.json',
      ]) {
        cpSync(join(ROOT, name), join(copy, name))
      }
      const before = deploymentSources(copy)
      expect(deploymentSources(copy)).toBe(before)
      writeFileSync(join(copy, changed), 'changed')
      expect(deploymentSources(copy)).not.toBe(before)
    },
  )
})
