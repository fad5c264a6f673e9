import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

describe('the pages that the engine cites', () => {
  const folder = 'shared/domain/investigation'
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const modules = files.map((file) => readFileSync(path.join(folder, file), 'utf8'))

  it('stand apart, by the rows that they belong to, and no module that is bundled takes them', () => {
    expect(files.filter((file) => file.endsWith('-pages.ts')).length).toBeGreaterThan(2)
    for (const text of modules) {
      expect(text).not.toMatch(/from '[^']*-pages\.ts'/)
      expect(text).not.toMatch(/^ +documented:/m)
    }
  })
})
