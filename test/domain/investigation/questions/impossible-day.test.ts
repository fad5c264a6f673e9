import { describe, expect, it } from 'vitest'
import { impossibleDay } from '#shared/domain/investigation/questions/impossible-day.ts'

describe('a day that no calendar has', () => {
  it.each([
    ['what happened on 2026-02-30', '2026-02-30'],
    ['why did it fail between 2026-02-27 and 2026-02-29?', '2026-02-29'],
    ['what happened on 2026-13-01', '2026-13-01'],
    ['what happened on 0000-00-00', '0000-00-00'],
    ['what changed since 2026-04-31T10:00:00Z', '2026-04-31'],
    ['Why did checkout fail on February 30?', 'February 30'],
    ['what changed on june 31st', 'june 31st'],
    ['what changed on Sep 31', 'Sep 31'],
  ])('is found in “%s”', (text, day) => {
    expect(impossibleDay(text)).toBe(day)
  })

  it.each([
    'what happened on 2024-02-29',
    'what happened on 2026-12-31T23:59:59Z',
    'why does backup-2026-02-30 fail',
    'why does release 1.2026-02-30 fail',
    'did 2026-02-30-a change',
    'what happened on february 29',
    'what changed on may 31',
    'did june 31% of calls fail',
    'were there feb 300 errors',
    'why does checkout fail',
  ])('is none in “%s”', (text) => {
    expect(impossibleDay(text)).toBeNull()
  })
})
