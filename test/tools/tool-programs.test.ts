import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { findTools, howToInstall, lookForTools, TOOL_PROGRAMS } from '#infra/tools-demo/tool-programs.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})
function folderWith(...programs: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  folders.push(folder)
  for (const program of programs) {
    writeFileSync(join(folder, program), '#!/bin/sh\n')
    chmodSync(join(folder, program), 0o755)
  }
  return folder
}

describe('the programs of the real tools', () => {
  it('are found along the path, and those that are not are named', () => {
    const path = `${folderWith('prometheus')}::${folderWith('prometheus-alertmanager')}`
    const { paths, missing } = lookForTools(path)
    expect(Object.keys(paths)).toEqual(['prometheus', 'prometheus-alertmanager'])
    expect(missing).toEqual(['prometheus-node-exporter', 'prometheus-blackbox-exporter'])
  })

  it('are no programs where nobody may run them', () => {
    const folder = folderWith('prometheus')
    chmodSync(join(folder, 'prometheus'), 0o644)
    expect(lookForTools(folder).missing).toEqual(TOOL_PROGRAMS)
  })

  it('are never installed for a person: one line says what is missing and how to get it', async () => {
    const said: string[] = []
    const path = process.env.PATH
    process.env.PATH = folderWith()
    try {
      expect(await findTools(false, (line) => said.push(line))).toBeNull()
    } finally {
      process.env.PATH = path
    }
    expect(said).toEqual([howToInstall(TOOL_PROGRAMS)])
    expect(said[0]).toMatch(/^skipped: prometheus, .* not found; on Debian: apt-get install/)
  })

  it('are a failure under CI where they cannot be installed', async () => {
    const path = process.env.PATH
    process.env.PATH = folderWith()
    try {
      await expect(findTools(true, () => undefined)).rejects.toThrow(/apt-get install .* failed/)
    } finally {
      process.env.PATH = path
    }
  })
})
