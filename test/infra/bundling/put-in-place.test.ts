import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { putInPlace } from '#infra/bundling/put-in-place.ts'

describe('bundles that two processes make at the same time', () => {
  const own = mkdtempSync(path.join(tmpdir(), 'incident-investigator-places-'))
  const [making, placed] = [path.join(own, 'making'), path.join(own, 'placed')]
  afterAll(() => rmSync(own, { recursive: true, force: true }))
  const make = (at: string, text: string) => {
    mkdirSync(at, { recursive: true })
    writeFileSync(path.join(at, 'made'), text)
  }
  /** Another process puts its own in place just before each of the first renames. */
  const forestalled = (times: number) => (from: string, to: string) => {
    times -= 1
    if (times >= 0) make(to, 'theirs')
    renameSync(from, to)
  }
  const read = () => readFileSync(path.join(placed, 'made'), 'utf8')

  it('stand in place whole, whoever was first', () => {
    make(making, 'ours')
    expect(putInPlace(making, placed, () => null, forestalled(2))).toBeNull()
    expect(read()).toBe('ours')
  })

  it('are taken from the other where it made them of the same', () => {
    make(making, 'ours')
    let looks = 0
    const present = () => (looks++ === 0 ? null : { sizes: [] })
    expect(putInPlace(making, placed, present, forestalled(1))).toEqual([])
    expect(read()).toBe('theirs')
  })

  it('fail where they cannot be put in place, for whatever other reason', () => {
    make(making, 'ours')
    expect(() => putInPlace(making, placed, () => null, forestalled(9))).toThrow('ENOTEMPTY')
    expect(() => putInPlace(path.join(own, 'nothing'), placed, () => null)).toThrow('ENOENT')
  })
})
