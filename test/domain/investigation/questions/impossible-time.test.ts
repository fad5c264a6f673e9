import { describe, expect, it } from 'vitest'
import { impossibleDay, impossibleTime } from '#shared/domain/investigation/questions/impossible-time.ts'

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
    ['Did checkout fail on 29 February 2026?', '29 February 2026'],
    ['did checkout fail on feb 29, 2025', 'feb 29, 2025'],
    ['what happened on February 29 1900', 'February 29 1900'],
    ['what changed on the 31st of June?', '31st of June'],
    ['was it slow on 30 feb', '30 feb'],
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
    'what happened on 29 february 2024',
    'what happened on feb 29, 2000',
    'what changed on the 29th of february',
    'what changed on 30 june 2026',
    'why does 1.31 june fail',
    'what changed on may 31',
    'did june 31% of calls fail',
    'were there feb 300 errors',
    'why does checkout fail',
  ])('is none in “%s”', (text) => {
    expect(impossibleDay(text)).toBeNull()
  })
})

describe('a time that no clock shows', () => {
  it.each([
    ['what happened at 25:99', '25:99'],
    ['why did checkout fail since 12:60?', '12:60'],
    ['what changed between 24:01 and 25:00', '24:01'],
    ['what changed before 10:00:61', '10:00:61'],
  ])('is found in “%s”', (text, time) => {
    expect(impossibleTime(text)).toBe(time)
  })

  it.each([
    'what happened at 24:00',
    'what happened at 23:59:60',
    'why does it fail at 10:75%',
    'is web:8443 down',
    'did the ratio go from 90:10 to 50:50-ish',
    'why does checkout fail at host-1:99',
  ])('is none in “%s”', (text) => {
    expect(impossibleTime(text)).toBeNull()
  })
})
