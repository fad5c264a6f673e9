import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const FOLDER = new URL('../shared/domain/investigation/', import.meta.url)
const page = readFileSync(new URL('../docs/engine.md', import.meta.url), 'utf8')
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'))
/** The files that the page names, step by step. */
const steps = page
  .split(/^## /m)
  .slice(1)
  .map((step) =>
    Array.from(
      step.matchAll(/\(\.\.\/shared\/domain\/investigation\/([\w-]+\.ts)\)/g),
      ([, file = '']) => file,
    ),
  )
const stepOf = new Map(steps.flatMap((named, index) => named.map((file) => [file, index] as const)))

describe('docs/engine.md', () => {
  it('names every file of the engine once, and none that is not there', () => {
    expect(steps.flat().toSorted()).toEqual(files.toSorted())
  })

  it.each(files)('%s uses only files of its own step and of steps before it', (file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const used = Array.from(text.matchAll(/ from '\.\/([\w-]+\.ts)'/g), ([, name = '']) => name)
    const later = used.filter((name) => (stepOf.get(name) as number) > (stepOf.get(file) as number))
    expect(later).toEqual([])
  })
})
