import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOf, eager, firstRun, readPlaces, writePlaces } from '#infra/bundling/eager-functions.ts'
import { ROOT } from '#infra/root.ts'
import { functionPlaces } from '#test/bench/function-places.ts'

/** Loads a module from its text. */
const load = (text: string) =>
  import(`data:text/javascript,${encodeURIComponent(text)}`) as Promise<Record<string, unknown>>
const withAll = (text: string) => eager(text, functionPlaces(text, 'js'))

describe('a module whose functions are compiled with it', () => {
  it('has each of them in parentheses, methods apart', () => {
    expect(withAll('const f = (a) => a + 1\nconst g = { h: function () {}, i() {} }\n')).toBe(
      'const f = ((a) => a + 1)\nconst g = { h: (function () {}), i() {} }\n',
    )
  })

  it('gives what it gave, also where a function is called before it is declared, and within another', async () => {
    const text = `export const early = later(2)
      export function later(n) { return n < 1 ? [] : [n, ...later(n - 1)].map((each) => each * 10) }
      async function apart() { return (() => [1, 2].filter(x=>x>1))() }
      export const all = [await apart(), [3].map(x=>y=>x+y)[0](4)]
      export class Kept { static of = () => new Kept(); get it() { return function () { return this } } }
      export const same = Kept.of().it.call(5) === 5`
    const [before, after] = await Promise.all([load(text), load(withAll(text))])
    expect(withAll(text)).toMatch(/^export var later = \(function later\(n\)/)
    expect(JSON.stringify(after)).toBe(JSON.stringify(before))
    expect(after).toMatchObject({ early: [20, 100], all: [[2], 7], same: true })
  })

  it('leaves a function where it is said to do nothing but give a value', () => {
    const text =
      '/* @__NO_SIDE_EFFECTS__ */ export function f() {}\nconst g = /* @__NO_SIDE_EFFECTS__ */ () => 1\n'
    expect(withAll(text)).toBe(text)
  })

  it('is found again in what was written of it', () => {
    const places = functionPlaces('export function a() {}\nfunction b() {}\nconst c = () => 1\n', 'js').map(
      ({ body: _body, ...place }) => place,
    )
    expect(places).toHaveLength(3)
    expect(readPlaces(writePlaces(places))).toEqual(places)
  })
})

describe('what first calls run', () => {
  const ofPackages = [...firstRun()].filter(([file]) => file.startsWith('node_modules/'))

  it('is known of the packages that are installed: npm run bundle:first-run', () => {
    const stale = ofPackages.filter(
      ([file, { digest }]) =>
        !existsSync(path.join(ROOT, file)) ||
        digestOf(readFileSync(path.join(ROOT, file), 'utf8')) !== digest,
    )
    expect(stale.map(([file]) => file)).toEqual([])
    expect(ofPackages.length).toBeGreaterThan(100)
  })

  it('are functions of the files that it names', () => {
    const lost = [...firstRun()].filter(([file, { digest, functions }]) => {
      const text = existsSync(path.join(ROOT, file)) ? readFileSync(path.join(ROOT, file), 'utf8') : ''
      // Changed since, or gone: nothing of it is marked.
      if (digestOf(text) !== digest) return false
      const there = new Set(
        functionPlaces(text, file.endsWith('.ts') ? 'ts' : 'js').map(({ start, end }) => `${start}-${end}`),
      )
      return functions.some(({ start, end }) => !there.has(`${start}-${end}`))
    })
    expect(lost.map(([file]) => file)).toEqual([])
  })
})
