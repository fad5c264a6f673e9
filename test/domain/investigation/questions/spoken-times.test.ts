import { describe, expect, it } from 'vitest'
import { spokenTimes } from '#shared/domain/investigation/questions/spoken-times.ts'

const LOCAL = Date.parse('2026-06-09T15:50:00Z')

describe('times as they are said in passing', () => {
  it.each([
    ['slow for 2 hours already', 'slow in the last 2 hours'],
    ['slow for about half an hour now', 'slow in the last half an hour'],
    ['already for 20 min', 'in the last 20 min'],
    ['errors an hour back', 'errors an hour ago'],
    ['errors -1h', 'errors in the last 1 h'],
    ['errors t-30m', 'errors in the last 30 m'],
    ['errors this time yesterday', 'errors  at 2026-06-08 15:50'],
    ['than this time last week', ' at 2026-06-02 15:50'],
    ['errors 12-13h', 'errors from 12:00 to 13:00'],
    ['during lunch', 'from 12:00 to 13:00'],
    ['the night from monday to tuesday', 'the monday night'],
    ['on 08.06.', 'on 2026-06-08'],
    ['on 8.12.', 'on 2025-12-08'],
    ['on 8.6.2025', 'on 2025-06-08'],
    ['2026-06-09t12:00z to 13:00z', '2026-06-09t12:00z to 2026-06-09t13:00z'],
    ['since i left yesterday', 'since yesterday'],
    ['since we deployed it at 14:00', 'since at 14:00'],
    ['in the hour before it broke', 'before it broke'],
  ])('“%s” is “%s”', (plain, told) => {
    expect(spokenTimes(plain, LOCAL)).toBe(told)
  })

  it.each([
    ['roll back 2.18.0'],
    ['is 11.4 live'],
    ['on 31.02.'],
    ['the hour before yesterday'],
    ['http-2 errors'],
    ['since the deploy at 14:00'],
    ['stock-12h is slow'],
  ])('“%s” stays as it is', (plain) => {
    expect(spokenTimes(plain, LOCAL)).toBe(plain)
  })
})
