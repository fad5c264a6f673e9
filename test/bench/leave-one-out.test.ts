import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { engineConstants } from './engine-constants.ts'
import { bestWithout, RANKING, rankingConstants, type Tried } from './leave-one-out.ts'

const tried = (value: number, scores: Readonly<Record<string, number>>): Tried => ({
  constant: { file: 'a.ts', name: 'WEIGHT', value },
  scores: new Map(Object.entries(scores)),
})

describe('a constant that is chosen with one system left out', () => {
  const asIs = tried(1, { shop: 90, bank: 80, farm: 70 })

  it('is the one that does best on the others, whatever it does on that one', () => {
    const bold = tried(2, { shop: 10, bank: 90, farm: 70 })
    expect(bestWithout([asIs, bold], 'shop')?.value).toBe(2)
    expect(bestWithout([asIs, bold], 'bank')?.value).toBe(1)
  })

  it('stays what it is where another value does no better', () => {
    const same = tried(0.5, { shop: 100, bank: 80, farm: 70 })
    expect(bestWithout([asIs, same], 'shop')?.value).toBe(1)
    expect(bestWithout([asIs, same], 'farm')?.value).toBe(0.5)
  })

  it('is none where nothing was tried', () => {
    expect(bestWithout([], 'shop')).toBeUndefined()
  })
})

describe('the constants that rank', () => {
  it('are of each file that weighs causes and places, in whichever folder of the engine it is', async () => {
    const files = rankingConstants(await engineConstants()).map(({ file }) => basename(file))
    expect([...new Set(files)].sort()).toEqual([...RANKING].sort())
  })
})
