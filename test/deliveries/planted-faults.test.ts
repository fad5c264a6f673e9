import { describe, expect, it } from 'vitest'
import { BACKLOG_CHECK, CHECKS, type Fault } from './checks.ts'
import { FAULTS } from './planted-faults.ts'

/** The first check that sees a fault, or null. */
async function caughtBy(make: () => Fault): Promise<string | null> {
  for (const [name, check] of make().backlog === undefined ? CHECKS : [BACKLOG_CHECK]) {
    try {
      if ((await check(make())).length > 0) return name
    } catch {
      // A fault may also show as an error that nobody expects.
      return name
    }
  }
  return null
}

describe('without a fault', () => {
  it.each([...CHECKS, BACKLOG_CHECK])(
    'nothing is wrong: %s',
    async (_name, check) => {
      expect(await check({})).toEqual([])
    },
    300_000,
  )
})

describe('a planted fault is caught', () => {
  it('there are at least twenty', () => {
    expect(Object.keys(FAULTS).length).toBeGreaterThanOrEqual(20)
  })

  it.each(Object.entries(FAULTS))(
    '%s',
    async (_name, make) => {
      expect(await caughtBy(make)).not.toBeNull()
    },
    300_000,
  )
})
