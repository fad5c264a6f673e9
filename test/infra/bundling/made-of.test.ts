import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { freshRecord, recipeOf, writeRecord } from '#infra/bundling/made-of.ts'
import { ROOT } from '#infra/root.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'incident-investigator-made-of-'))
const rules = mkdtempSync(path.join(tmpdir(), 'incident-investigator-rules-'))
afterAll(() => {
  for (const each of [folder, rules]) rmSync(each, { recursive: true, force: true })
})

const plans = [{ id: 'reads-a-table', file: 'test/infra/functions/reads-a-table.ts' }]

describe('the digest of how functions are bundled', () => {
  beforeEach(() => {
    writeFileSync(path.join(rules, 'one-rule.ts'), 'export const left = 1')
    rmSync(path.join(rules, 'another-rule.ts'), { force: true })
  })

  it('stays the same while nothing changed', () => {
    expect(recipeOf(plans, rules)).toBe(recipeOf([...plans], rules))
  })

  it('is another one when a rule changed, came or went, or another function is wanted', () => {
    const seen = [recipeOf(plans, rules), recipeOf([], rules)]
    writeFileSync(path.join(rules, 'one-rule.ts'), 'export const left = 2')
    seen.push(recipeOf(plans, rules))
    copyFileSync(path.join(rules, 'one-rule.ts'), path.join(rules, 'another-rule.ts'))
    seen.push(recipeOf(plans, rules))
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('covers the rules that are in force', () => {
    expect(recipeOf(plans)).toBe(recipeOf(plans, path.join(ROOT, 'infra/bundling')))
  })
})

describe('the record of what bundles were made of', () => {
  const source = path.relative(ROOT, path.join(folder, 'source.ts'))
  const sizes = [{ id: 'reads-a-table', bytes: 3, later: 0, parts: [] }]
  beforeEach(() => {
    writeFileSync(path.join(folder, 'source.ts'), 'export {}')
    writeRecord(folder, { recipe: 'of today', sources: [source, 'builtin:fs'], sizes })
  })

  it('holds while recipe and sources are the same, and names no source that is no file', () => {
    const record = freshRecord(folder, 'of today')
    expect(record?.sizes).toEqual(sizes)
    expect(Object.keys(record?.inputs ?? {})).toEqual([source])
  })

  it('does not hold for another recipe', () => {
    expect(freshRecord(folder, 'of tomorrow')).toBeNull()
  })

  it('does not hold when a source changed or is gone', () => {
    writeFileSync(path.join(folder, 'source.ts'), 'export const changed = true')
    expect(freshRecord(folder, 'of today')).toBeNull()
    rmSync(path.join(folder, 'source.ts'))
    expect(freshRecord(folder, 'of today')).toBeNull()
  })

  it('does not hold where there is none, or half of one', () => {
    expect(freshRecord(path.join(folder, 'elsewhere'), 'of today')).toBeNull()
    writeFileSync(path.join(folder, 'made-of.json'), '{"recipe": "of to')
    expect(freshRecord(folder, 'of today')).toBeNull()
  })
})
