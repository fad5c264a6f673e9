import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chosenOf, filesAsked, testsOf } from './sampled-mutants.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync('shared/domain/**/*.ts', { cwd: ROOT }).toSorted()
const mutants = new Map(
  files.map((file) => [file, Array.from({ length: 50 }, (_, place) => `${file} ${place}`)]),
)

describe('the sample of mutants', () => {
  it('is as large as asked, without a mutant twice, and the same for the same seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (count, seed) => {
        const drawn = [...chosenOf(mutants, count, seed).values()].flat()
        expect(new Set(drawn).size).toBe(count)
        expect([...chosenOf(mutants, count, seed).values()].flat()).toEqual(drawn)
        for (const [file, of] of chosenOf(mutants, count, seed))
          for (const mutant of of) expect(mutant.startsWith(`${file} `)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('is another one for another seed', () => {
    expect([...chosenOf(mutants, 100, 1).values()]).not.toEqual([...chosenOf(mutants, 100, 2).values()])
  })

  it('is all of them where fewer exist than were asked for', () => {
    const few = new Map([['a.ts', ['x', 'y']]])
    expect([...(chosenOf(few, 10, 1).get('a.ts') ?? [])].toSorted()).toEqual(['x', 'y'])
  })

  it('draws from the files that were asked for, each once, in the same order however they were given', () => {
    const all = ['b.ts', 'c.ts', 'a.ts']
    expect(filesAsked(all, ['c.ts', 'a.ts', 'c.ts'])).toEqual(['a.ts', 'c.ts'])
    expect(filesAsked(all, ['a.ts', 'c.ts'])).toEqual(['a.ts', 'c.ts'])
    expect(filesAsked(all, [])).toEqual(['a.ts', 'b.ts', 'c.ts'])
  })

  it('finds tests that are there for every file of the domain', () => {
    for (const file of files)
      for (const tests of testsOf(file))
        expect(globSync(tests, { cwd: ROOT }), `${file}: ${tests}`).not.toEqual([])
    expect(files.filter((file) => testsOf(file).length === 0)).toEqual([])
  })
})
