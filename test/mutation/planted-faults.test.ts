import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PLANTED_FAULTS } from './planted-faults.ts'

const LEAST_FAULTS = 20

describe('the faults that are planted into the edge', () => {
  it('are many, each another', () => {
    expect(PLANTED_FAULTS.length).toBeGreaterThanOrEqual(LEAST_FAULTS)
    expect(new Set(PLANTED_FAULTS.map(({ what }) => what)).size).toBe(PLANTED_FAULTS.length)
  })

  it.each(PLANTED_FAULTS)('$what: has its place in the source, once', ({ file, from, to }) => {
    const source = readFileSync(new URL(`../../shared/edge/${file}`, import.meta.url), 'utf8')
    expect(source.split(from)).toHaveLength(2)
    expect(to).not.toBe(from)
  })
})
