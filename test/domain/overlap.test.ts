import { expect, it } from 'vitest'
import { overlapEnds } from '#shared/domain/overlap.ts'

it('what is replaced stays valid for a day, or for as many seconds as are asked for', () => {
  expect(overlapEnds(5, {})).toBe(86_400_005)
  expect(overlapEnds(5, { overlap_seconds: undefined })).toBe(86_400_005)
  expect(overlapEnds(5, { overlap_seconds: 2 })).toBe(2_005)
  expect(overlapEnds(5, { overlap_seconds: 0 })).toBe(5)
})
