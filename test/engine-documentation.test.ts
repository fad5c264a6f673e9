import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const FOLDER = new URL('../shared/domain/investigation/', import.meta.url)
const page = readFileSync(new URL('../docs/engine.md', import.meta.url), 'utf8')
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
)
/** What the page says step by step: the folder, where the heading names one, and the files. */
const steps = page
  .split(/^## /m)
  .slice(1)
  .map((step) => ({
    folder: /^[^\n]*`([a-z]+)\/`\n/.exec(step)?.[1] ?? '.',
    files: Array.from(
      step.matchAll(/\(\.\.\/shared\/domain\/investigation\/([\w/-]+\.ts)\)/g),
      ([, file = '']) => file,
    ),
  }))
const stepOf = new Map(steps.flatMap((step, index) => step.files.map((file) => [file, index] as const)))

describe('docs/engine.md', () => {
  it('names every file of the engine once, and none that is not there', () => {
    expect(steps.flatMap((step) => step.files).toSorted()).toEqual(files.toSorted())
  })

  it('names each file with the step whose folder it stands in; beside the folders stand what all share and the entry', () => {
    const elsewhere = steps.flatMap(({ folder, files: named }) =>
      named.filter((file) => posix.dirname(file) !== folder && file !== 'investigate.ts'),
    )
    expect(elsewhere).toEqual([])
    expect(steps.map(({ folder }) => folder).filter((folder) => folder !== '.')).toHaveLength(9)
  })

  it.each(files)('%s uses only files of its own step and of steps before it', (file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const used = Array.from(text.matchAll(/ from '(\.[^']+)'/g), ([, target = '']) =>
      posix.join(posix.dirname(file), target),
    ).filter((target) => !target.startsWith('..'))
    expect(used.filter((target) => !stepOf.has(target))).toEqual([])
    expect(used.filter((target) => Number(stepOf.get(target)) > Number(stepOf.get(file)))).toEqual([])
  })
})
