import { describe, expect, it } from 'vitest'
import { isLess } from '#shared/domain/investigation/changes/machine-sizes.ts'

describe('less than before', () => {
  it.each([
    ['m6i.4xlarge', 'm6i.xlarge'],
    ['db.r5.xlarge', 'db.t3.large'],
    ['cache.m6g.large', 'cache.t4g.medium'],
    ['t3.small', 't3.micro'],
    ['t3.micro', 't3.nano'],
    ['n2-standard-16', 'e2-standard-4'],
    ['db-custom-8-30720', 'db-custom-4-15360'],
    ['Standard_D16s_v5', 'Standard_D8s_v5'],
    ['16Gi', '4Gi'],
    ['2000m', '500m'],
    ['6', '3'],
  ])('is %s that became %s, and not the other way round', (before, after) => {
    expect(isLess(before, after)).toBe(true)
    expect(isLess(after, before)).toBe(false)
    expect(isLess(before, before)).toBe(false)
  })

  it.each([
    ['14.9', '14.11'],
    ['v1.9', 'v1.10'],
    ['9.6.24', '10.1'],
    ['1.2', '1.2.0'],
    ['1.9', '1.9.3'],
    ['14.11', '14.9'],
  ])('is not told of %s that became %s, where it is more as a version or as a number', (before, after) => {
    expect(isLess(before, after)).toBe(false)
  })

  it.each([
    ['2.5', '1.5'],
    ['14.9', '13.2'],
  ])('is told of %s that became %s, as a version and as a number', (before, after) => {
    expect(isLess(before, after)).toBe(true)
  })

  it.each([
    ['m6i.4xlarge', 'n2-standard-2'],
    ['blue', 'green'],
    ['large', 'small'],
    ['m6i.metal', 'm6i.large'],
    ['16', 'm6i.large'],
    ['', ''],
  ])('is not told of %j and %j, which cannot be compared', (before, after) => {
    expect(isLess(before, after)).toBe(false)
  })
})
