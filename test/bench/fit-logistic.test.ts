import { describe, expect, it } from 'vitest'
import { chanceOf, fitLogistic, type Sample } from './fit-logistic.ts'

const sample = (system: string, inputs: readonly number[], right: boolean): Sample => ({
  system,
  inputs,
  right,
})
const many = (count: number, one: Sample): Sample[] => Array.from({ length: count }, () => one)

describe('the fit of the confidence', () => {
  it('states what came true where the inputs say nothing', () => {
    const weights = fitLogistic([...many(30, sample('a', [0], true)), ...many(10, sample('a', [0], false))])
    expect(chanceOf(weights, [0])).toBeCloseTo(0.75, 2)
  })

  it('gives an input that speaks the wrong way no say instead of a negative one', () => {
    const weights = fitLogistic([...many(20, sample('a', [0], true)), ...many(20, sample('a', [1], false))])
    expect(weights[1]).toBe(0)
  })

  it('lets every system weigh the same, however many answers it has', () => {
    const weights = fitLogistic([
      ...many(300, sample('large', [0], true)),
      ...many(3, sample('small', [0], false)),
    ])
    expect(chanceOf(weights, [0])).toBeCloseTo(0.5, 2)
  })

  it('stays finite where an input separates right from wrong', () => {
    const weights = fitLogistic([...many(20, sample('a', [1], true)), ...many(20, sample('a', [0], false))])
    expect(weights.every(Number.isFinite)).toBe(true)
    expect(chanceOf(weights, [1])).toBeGreaterThan(0.8)
    expect(chanceOf(weights, [0])).toBeLessThan(0.2)
  })
})
