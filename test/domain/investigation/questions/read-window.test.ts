import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readWindow } from '#shared/domain/investigation/questions/read-window.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Thursday, the 14th. */
const NOW = Date.parse('2026-05-14T15:20:00Z')
const at = (text: string): number => Date.parse(text)
const read = (plain: string, timezone?: string) =>
  readWindow(plain, timezone === undefined ? { now: NOW } : { now: NOW, timezone })
const told = (plain: string, timezone?: string): readonly (string | undefined)[] => {
  const window = read(plain, timezone)
  return window === null ? [] : [new Date(window.from).toISOString(), new Date(window.to).toISOString()]
}
const span = (from: string, to: string): readonly string[] => [
  new Date(from).toISOString(),
  new Date(to).toISOString(),
]

describe('a time that only says its end', () => {
  it.each([
    ['what broke before 14:00', '2026-05-14T00:00Z', '2026-05-14T14:00Z'],
    ['what broke before 9', '2026-05-14T00:00Z', '2026-05-14T09:00Z'],
    ['what was deployed by 14:00', '2026-05-14T00:00Z', '2026-05-14T14:00Z'],
    ['what changed until 3pm yesterday', '2026-05-13T00:00Z', '2026-05-13T15:00Z'],
    ['what changed yesterday before 15:00', '2026-05-13T00:00Z', '2026-05-13T15:00Z'],
    ['what changed today before noon', '2026-05-14T00:00Z', '2026-05-14T12:00Z'],
    ['what changed before yesterday', '2026-05-12T00:00Z', '2026-05-13T00:00Z'],
    ['what changed before last night', '2026-05-12T18:00Z', '2026-05-13T18:00Z'],
    // Just after midnight it is an hour at least.
    ['what broke before 0:10', '2026-05-13T23:10Z', '2026-05-14T00:10Z'],
  ])('%s', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })

  it('is an instant where it is counted from one', () => {
    expect(told('2 hours before 14:00')).toEqual(span('2026-05-14T11:30Z', '2026-05-14T12:30Z'))
  })

  it('reaches as far back as is asked for where it ends with a day', () => {
    const window = readWindow('incidents before yesterday', { now: NOW, reach: 30 * DAY })
    expect(window).toEqual({ from: at('2026-04-13T00:00Z'), to: at('2026-05-13T00:00Z') })
  })
})

describe('an hour as people write and speak it', () => {
  it.each([
    ['what passed between 10h and 11h30', '2026-05-14T10:00Z', '2026-05-14T11:30Z'],
    ['errors from 9h to 10h', '2026-05-14T09:00Z', '2026-05-14T10:00Z'],
    ['errors at 14h', '2026-05-14T13:30Z', '2026-05-14T14:30Z'],
    ["slow since about two o'clock", '2026-05-14T14:00Z', '2026-05-14T15:20Z'],
    ["slow since four o'clock", '2026-05-14T04:00Z', '2026-05-14T15:20Z'],
    ["what broke at two o'clock yesterday", '2026-05-13T01:30Z', '2026-05-13T02:30Z'],
    ['what broke around 2ish', '2026-05-14T13:30Z', '2026-05-14T14:30Z'],
    ['what broke at 0200', '2026-05-14T01:30Z', '2026-05-14T02:30Z'],
    ['errors from 13:00 on', '2026-05-14T13:00Z', '2026-05-14T15:20Z'],
    ['down since twenty minutes', '2026-05-14T15:00Z', '2026-05-14T15:20Z'],
    ['errors in the last quarter of an hour', '2026-05-14T15:05Z', '2026-05-14T15:20Z'],
    // How long something is, is not when it is.
    ['slow since 3h', '2026-05-14T12:20Z', '2026-05-14T15:20Z'],
    ['incidents since 2024', '2024-01-01T00:00Z', '2026-05-14T15:20Z'],
  ])('%s', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })
})

describe('a time of a day that is named apart from it', () => {
  it.each([
    ['what changed today since 9', '2026-05-14T09:00Z', '2026-05-14T15:20Z'],
    ['what changed today since 9:30', '2026-05-14T09:30Z', '2026-05-14T15:20Z'],
    ['what changed yesterday since 3pm', '2026-05-13T15:00Z', '2026-05-14T00:00Z'],
    ['what changed yesterday after 15:00', '2026-05-13T15:00Z', '2026-05-14T00:00Z'],
    ['yesterday evening since 20:00', '2026-05-13T20:00Z', '2026-05-14T00:00Z'],
    ['last night around 23:00', '2026-05-13T22:30Z', '2026-05-13T23:30Z'],
    ['last night around 2:00', '2026-05-14T01:30Z', '2026-05-14T02:30Z'],
    ['last night at 2', '2026-05-14T01:30Z', '2026-05-14T02:30Z'],
    ['this morning, was it slow at 9:00', '2026-05-14T08:30Z', '2026-05-14T09:30Z'],
  ])('%s', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })
})

describe('a day of a month that is not named', () => {
  it.each([
    ['what happened on the 10th', '2026-05-10T00:00Z', '2026-05-11T00:00Z'],
    ['what happened on the 14th', '2026-05-14T00:00Z', '2026-05-14T15:20Z'],
    ['what happened on the 20th?', '2026-04-20T00:00Z', '2026-04-21T00:00Z'],
    // April has no such day.
    ['what happened on the 31st', '2026-03-31T00:00Z', '2026-04-01T00:00Z'],
    ['what changed since the 12th', '2026-05-12T00:00Z', '2026-05-14T15:20Z'],
    ['what changed between the 3rd and the 5th', '2026-05-03T00:00Z', '2026-05-06T00:00Z'],
    ['what changed on the 10th at 14:00', '2026-05-10T13:30Z', '2026-05-10T14:30Z'],
  ])('%s', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })

  it.each(['latency at the 95th percentile', 'what broke on the 2nd replica'])('is none in %s', (plain) => {
    expect(read(plain)).toBeNull()
  })
})

describe('an evening or a night', () => {
  it.each([
    ['last friday night', '2026-05-08T18:00Z', '2026-05-09T06:00Z'],
    ['on friday night', '2026-05-08T18:00Z', '2026-05-09T06:00Z'],
    // Today is a Thursday, and its night is still to come.
    ['thursday night', '2026-05-07T18:00Z', '2026-05-08T06:00Z'],
    ['on tuesday evening', '2026-05-12T18:00Z', '2026-05-13T00:00Z'],
    ['yesterday evening', '2026-05-13T18:00Z', '2026-05-14T00:00Z'],
    ['yesterday night', '2026-05-13T18:00Z', '2026-05-14T06:00Z'],
    ['overnight', '2026-05-13T18:00Z', '2026-05-14T06:00Z'],
    ['since midnight', '2026-05-14T00:00Z', '2026-05-14T15:20Z'],
  ])('%s', (plain, from, to) => {
    expect(told(`what happened ${plain}`)).toEqual(span(from, to))
  })

  it.each([
    ['tonight', '2026-05-13T18:00Z', '2026-05-14T03:10Z'],
    ['this evening', '2026-05-13T18:00Z', '2026-05-14T00:00Z'],
    ['this morning', '2026-05-14T00:00Z', '2026-05-14T03:10Z'],
  ])('is the one that is not over yet for who is up before it is morning: %s', (plain, from, to) => {
    const window = readWindow(`what changed ${plain}`, { now: at('2026-05-14T03:10:00Z') })
    expect(window).toEqual({ from: at(from), to: at(to) })
  })
})

describe('a time that reaches back from now', () => {
  it.each([
    ['in the last 10 minutes', 10 * MINUTE],
    ['over the past 2 hours', 2 * HOUR],
    ['during the previous 3 days', 3 * DAY],
    ['last 90 min', 90 * MINUTE],
    ['past 4 hrs', 4 * HOUR],
    ['last 2h', 2 * HOUR],
    ['last 15m', 15 * MINUTE],
    ['last 2d', 2 * DAY],
    ['last hour', HOUR],
    ['the past day', DAY],
    ['the past month', 30 * DAY],
    ['in the last month', 30 * DAY],
    ['last an hour', HOUR],
    ['last a day', DAY],
    ['last one hour', HOUR],
    ['last two hours', 2 * HOUR],
    ['last three hours', 3 * HOUR],
    ['last four hours', 4 * HOUR],
    ['last five hours', 5 * HOUR],
    ['last six hours', 6 * HOUR],
    ['last seven hours', 7 * HOUR],
    ['last eight hours', 8 * HOUR],
    ['last nine hours', 9 * HOUR],
    ['last ten hours', 10 * HOUR],
    ['last twelve hours', 12 * HOUR],
    ['last few hours', 3 * HOUR],
    ['last couple hours', 2 * HOUR],
    ['last couple of hours', 2 * HOUR],
    ['in the last week', 7 * DAY],
    ['over the past week', 7 * DAY],
    ['last 2 weeks', 14 * DAY],
    ['last 366 days', 366 * DAY],
    ['last 1.5 hours', 1.5 * HOUR],
    ['last half hour', 30 * MINUTE],
    ['last half an hour', 30 * MINUTE],
    ['last half a day', 12 * HOUR],
    ['last hour and a half', 1.5 * HOUR],
    ['last day or two', 2 * DAY],
    ['last week or two', 14 * DAY],
    ['last fortnight', 14 * DAY],
  ])('is “%s”', (plain, length) => {
    expect(read(`what failed ${plain}?`)).toEqual({ from: NOW - length, to: NOW })
  })

  it.each(['last 367 days', 'last 0 minutes', 'last 999999999999999 hours'])('is not “%s”', (plain) => {
    expect(read(plain)).toBeNull()
  })

  it('is the calendar week before where the last week is named alone', () => {
    expect(told('what changed last week?')).toEqual(span('2026-05-04T00:00:00Z', '2026-05-11T00:00:00Z'))
    expect(told('last week', 'Asia/Tokyo')).toEqual(span('2026-05-03T15:00:00Z', '2026-05-10T15:00:00Z'))
    const monday = readWindow('last week', { now: at('2026-05-11T00:00:00Z') })
    expect(monday).toEqual({ from: at('2026-05-04T00:00:00Z'), to: at('2026-05-11T00:00:00Z') })
    const sunday = readWindow('last week', { now: at('2026-05-10T23:59:00Z') })
    expect(sunday).toEqual({ from: at('2026-04-27T00:00:00Z'), to: at('2026-05-04T00:00:00Z') })
  })

  it('is the present week or month up to now', () => {
    expect(told('what changed this week?')).toEqual(span('2026-05-11T00:00:00Z', '2026-05-14T15:20:00Z'))
    expect(told('this month')).toEqual(span('2026-05-01T00:00:00Z', '2026-05-14T15:20:00Z'))
    expect(told('this week', 'America/New_York')).toEqual(
      span('2026-05-11T04:00:00Z', '2026-05-14T15:20:00Z'),
    )
  })
})

describe('times that one question joins', () => {
  it.each([
    ['what changed today and yesterday?', '2026-05-13T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed yesterday and today?', '2026-05-13T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed yesterday or today?', '2026-05-13T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed today & yesterday?', '2026-05-13T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed on monday and tuesday?', '2026-05-11T00:00:00Z', '2026-05-13T00:00:00Z'],
    ['what changed on monday, tuesday and today?', '2026-05-11T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed on friday and over the weekend?', '2026-05-08T00:00:00Z', '2026-05-11T00:00:00Z'],
    ['what changed last night and this morning?', '2026-05-13T18:00:00Z', '2026-05-14T12:00:00Z'],
    ['what broke yesterday evening and today?', '2026-05-13T18:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed last week and this week?', '2026-05-04T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed yesterday and the day before?', '2026-05-12T00:00:00Z', '2026-05-14T00:00:00Z'],
    ['what changed last week or the week before?', '2026-04-27T00:00:00Z', '2026-05-11T00:00:00Z'],
  ])('“%s” is read from the first to the last', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })

  it.each([
    ['did it fail yesterday and is it up today?', 'yesterday'],
    ['what changed today and the day before the release?', 'today'],
    ['is it slower today than yesterday?', 'today'],
  ])('“%s” joins none', (plain, one) => {
    expect(told(plain)).toEqual(told(one))
  })

  it('are read by the clock of the place that is named behind them', () => {
    expect(told('what changed yesterday and today, tokyo time?')).toEqual(
      told('what changed yesterday and today?', 'Asia/Tokyo'),
    )
    expect(told('what changed yesterday and today?', 'Asia/Tokyo')).toEqual(
      span('2026-05-13T15:00:00Z', '2026-05-14T15:20:00Z'),
    )
  })

  it('are read in no longer than a question of that length takes', () => {
    const plain = 'today and '.repeat(60)
    expect(told(`what changed ${plain}yesterday?`)[1]).toBe('2026-05-14T15:20:00.000Z')
  })
})

describe('a stretch between days that name no hour', () => {
  it.each([
    ['what changed between yesterday and today?', '2026-05-13T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed from yesterday to today?', '2026-05-13T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed between monday and wednesday?', '2026-05-11T00:00:00Z', '2026-05-14T00:00:00Z'],
    ['what changed monday through wednesday?', '2026-05-11T00:00:00Z', '2026-05-14T00:00:00Z'],
    ['what changed from monday to friday?', '2026-05-11T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed from may 1 to may 3?', '2026-05-01T00:00:00Z', '2026-05-04T00:00:00Z'],
    ['what changed from yesterday at 10:00 to today?', '2026-05-13T10:00:00Z', '2026-05-14T15:20:00Z'],
  ])('“%s” holds both of them as a whole', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })
})

describe('a weekend', () => {
  const onDay = (plain: string, now: string) => {
    const window = readWindow(plain, { now: at(now) })
    return window === null ? [] : [new Date(window.from).toISOString(), new Date(window.to).toISOString()]
  }

  it('is the latest one, both of its days', () => {
    const latest = span('2026-05-09T00:00:00Z', '2026-05-11T00:00:00Z')
    for (const which of ['over the weekend', 'this weekend', 'last weekend', 'on the past weekend'])
      expect(told(`what failed ${which}?`), which).toEqual(latest)
    expect(told('what changed since the weekend?')).toEqual(
      span('2026-05-09T00:00:00Z', '2026-05-14T15:20:00Z'),
    )
    expect(onDay('over the weekend', '2026-05-11T00:00:00Z')).toEqual(latest)
  })

  it('is the present one up to now, or the one before that where the last one is meant', () => {
    for (const now of ['2026-05-09T08:00:00Z', '2026-05-10T23:00:00Z']) {
      expect(onDay('this weekend', now)).toEqual(span('2026-05-09T00:00:00Z', now))
      expect(onDay('over the weekend', now)).toEqual(span('2026-05-09T00:00:00Z', now))
      expect(onDay('last weekend', now)).toEqual(span('2026-05-02T00:00:00Z', '2026-05-04T00:00:00Z'))
    }
  })

  it('is none where it is a part of a name', () => {
    for (const plain of ['why is weekend-batch slow?', 'why is batch-weekend slow?', 'is friday-report up?'])
      expect(told(plain), plain).toEqual([])
  })
})

describe('a month, a quarter or a year', () => {
  it.each([
    ['incidents in march 2025', '2025-03-01T00:00:00Z', '2025-04-01T00:00:00Z'],
    ['incidents in february', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    ['incidents of oct. 2025', '2025-10-01T00:00:00Z', '2025-11-01T00:00:00Z'],
    // A month that is still to come was last year's; the present one ends now.
    ['incidents in december', '2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['incidents in may', '2026-05-01T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['incidents since april', '2026-04-01T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['incidents between november and january', '2025-11-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['incidents from march to april', '2026-03-01T00:00:00Z', '2026-05-01T00:00:00Z'],
    ['incidents in q1', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['incidents in q3', '2025-07-01T00:00:00Z', '2025-10-01T00:00:00Z'],
    ['incidents of q4 2024', '2024-10-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['incidents this quarter', '2026-04-01T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['incidents last quarter', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['incidents in 2019', '2019-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
    ['what was the error rate in 1999', '1999-01-01T00:00:00Z', '2000-01-01T00:00:00Z'],
    ['why did it fail in march 1999', '1999-03-01T00:00:00Z', '1999-04-01T00:00:00Z'],
    ['incidents since 2024', '2024-01-01T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['incidents this year', '2026-01-01T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['incidents last year', '2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['incidents in the last year', '2025-05-14T15:20:00Z', '2026-05-14T15:20:00Z'],
    ['incidents in the last 2 years', '2024-05-14T15:20:00Z', '2026-05-14T15:20:00Z'],
    // A day keeps its meaning, of the year before where it is still to come.
    ['incidents on march 3', '2026-03-03T00:00:00Z', '2026-03-04T00:00:00Z'],
    ['incidents on 3 december', '2025-12-03T00:00:00Z', '2025-12-04T00:00:00Z'],
    // The day that it is has begun, whatever the hour.
    ['incidents on thursday', '2026-05-14T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['incidents on monday', '2026-05-11T00:00:00Z', '2026-05-12T00:00:00Z'],
    ['incidents on friday', '2026-05-08T00:00:00Z', '2026-05-09T00:00:00Z'],
    ['what failed on 2020-01-01?', '2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z'],
  ])('“%s” is read', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })

  it('is this day also before noon', () => {
    const now = at('2026-05-14T09:41:00Z')
    for (const plain of [
      'incidents on thursday',
      'incidents on 14 may',
      'incidents on may 14',
      'incidents today',
    ])
      expect(readWindow(plain, { now }), plain).toEqual({ from: at('2026-05-14T00:00:00Z'), to: now })
  })

  it('begins at midnight of the zone that is given', () => {
    expect(told('in march 2026', 'Asia/Tokyo')).toEqual(span('2026-02-28T15:00:00Z', '2026-03-31T15:00:00Z'))
  })
})

describe('a time with the place whose clock it is read from', () => {
  it.each([
    ['what changed since 14:00 berlin time?', '2026-05-14T12:00:00Z', '2026-05-14T15:20:00Z'],
    ['what failed at 10:30 new york time?', '2026-05-14T14:00:00Z', '2026-05-14T15:00:00Z'],
    ['what failed at 3am pacific time?', '2026-05-14T09:30:00Z', '2026-05-14T10:30:00Z'],
    ['what failed at 10:30 local time?', '2026-05-14T01:00:00Z', '2026-05-14T02:00:00Z'],
  ])('“%s” is read by that clock, whatever zone is given', (plain, from, to) => {
    expect(told(plain, 'Asia/Tokyo')).toEqual(span(from, to))
  })
})

describe('a day of a zone', () => {
  const zoned = (plain: string, now: string, timezone: string) => {
    const window = readWindow(plain, { now: at(now), timezone })
    return window === null ? [] : [new Date(window.from).toISOString(), new Date(window.to).toISOString()]
  }

  it('is the zone’s, where that is in another day, week or month already or still', () => {
    // Sunday in Greenwich, Monday in Tokyo.
    const sunday = '2026-05-10T23:00:00Z'
    expect(zoned('this week', sunday, 'Asia/Tokyo')).toEqual(span('2026-05-10T15:00:00Z', sunday))
    expect(zoned('last week', sunday, 'Asia/Tokyo')).toEqual(
      span('2026-05-03T15:00:00Z', '2026-05-10T15:00:00Z'),
    )
    // The last of May in Greenwich, the first of June in Tokyo.
    const may = '2026-05-31T20:00:00Z'
    expect(zoned('this month', may, 'Asia/Tokyo')).toEqual(span('2026-05-31T15:00:00Z', may))
    // Monday in Greenwich, Sunday in Lima.
    const monday = '2026-05-11T03:00:00Z'
    expect(zoned('this week', monday, 'America/Lima')).toEqual(span('2026-05-04T05:00:00Z', monday))
  })
})

describe('a time of day', () => {
  it.each([
    ['what failed at 10:30?', '2026-05-14T10:00:00Z', '2026-05-14T11:00:00Z'],
    ['what failed yesterday at 10:30?', '2026-05-13T10:00:00Z', '2026-05-13T11:00:00Z'],
    ['what changed today?', '2026-05-14T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed yesterday?', '2026-05-13T00:00:00Z', '2026-05-14T00:00:00Z'],
    ['what failed this morning?', '2026-05-14T06:00:00Z', '2026-05-14T12:00:00Z'],
    ['what failed yesterday morning?', '2026-05-13T06:00:00Z', '2026-05-13T12:00:00Z'],
    ['what failed yesterday afternoon?', '2026-05-13T12:00:00Z', '2026-05-13T18:00:00Z'],
    ['what failed this afternoon?', '2026-05-14T12:00:00Z', '2026-05-14T15:20:00Z'],
    ['what failed yesterday evening?', '2026-05-13T18:00:00Z', '2026-05-14T00:00:00Z'],
    ['what failed last night?', '2026-05-13T18:00:00Z', '2026-05-14T06:00:00Z'],
    ['what changed since yesterday?', '2026-05-13T00:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed since this morning?', '2026-05-14T06:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed since last night?', '2026-05-13T18:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed since lunch?', '2026-05-14T12:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed since 9?', '2026-05-14T09:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed since 14:00?', '2026-05-14T14:00:00Z', '2026-05-14T15:20:00Z'],
    ['what changed after 14:00?', '2026-05-14T14:00:00Z', '2026-05-14T15:20:00Z'],
    ['what failed starting at 14:00?', '2026-05-14T14:00:00Z', '2026-05-14T15:20:00Z'],
    ['what failed between 10:00 and 11:30?', '2026-05-14T10:00:00Z', '2026-05-14T11:30:00Z'],
    ['what failed from 10:00 to 11:30?', '2026-05-14T10:00:00Z', '2026-05-14T11:30:00Z'],
    ['what failed on friday?', '2026-05-08T00:00:00Z', '2026-05-09T00:00:00Z'],
    ['what broke since the deploy at 14:00?', '2026-05-14T13:30:00Z', '2026-05-14T14:30:00Z'],
    // What is still to come today was yesterday.
    ['what failed at 18:00?', '2026-05-13T17:30:00Z', '2026-05-13T18:30:00Z'],
    ['what failed on 2026-05-01?', '2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z'],
  ])('“%s” is read', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })

  it('is one of the zone that is given, and of UTC where nobody knows the zone', () => {
    expect(told('what failed at 10:30?', 'Europe/Berlin')).toEqual(
      span('2026-05-14T08:00:00Z', '2026-05-14T09:00:00Z'),
    )
    expect(told('what changed yesterday?', 'Asia/Kolkata')).toEqual(
      span('2026-05-12T18:30:00Z', '2026-05-13T18:30:00Z'),
    )
    for (const zone of ['UTC', 'Mars/Base', ''])
      expect(told('what failed at 10:30?', zone)).toEqual(told('what failed at 10:30?'))
  })

  it.each([
    'why is stock slow?',
    'may it be the march release?',
    'what failed tomorrow?',
    'what failed on 2026-05-15 at 01:00?',
    '',
    'it answers in 2000 ms',
    'it answers in 1990 ms',
    'in 2030',
    'what changed in q4 2027?',
    'what time did it fail?',
  ])('is none in “%s”', (plain) => {
    expect(read(plain)).toBeNull()
  })

  it('never begins in the future, never ends there and never turns around', () => {
    const words = fc.constantFrom(
      'today',
      'yesterday',
      'last',
      'since',
      'between',
      'and',
      'at',
      '10:30',
      '23:59',
      'week',
      'night',
      'this',
      'friday',
      '3',
      'hours',
      'ago',
      'to',
    )
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 6 }),
        fc.constantFrom('UTC', 'Asia/Tokyo', 'America/Lima'),
        (list, zone) => {
          const window = read(list.join(' '), zone)
          if (window === null) return
          expect(window.from).toBeLessThanOrEqual(window.to)
          expect(window.from).toBeLessThanOrEqual(NOW)
          expect(window.to).toBeLessThanOrEqual(NOW)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('a time of day as it is spoken', () => {
  it.each([
    // Of a clock with twelve hours the latest that has begun is meant, unless the part of the day is told.
    ['at quarter past 9', '2026-05-14T08:45Z', '2026-05-14T09:45Z'],
    ['half past two', '2026-05-14T14:00Z', '2026-05-14T15:00Z'],
    ['half past two this morning', '2026-05-14T02:00Z', '2026-05-14T03:00Z'],
    ['half past five', '2026-05-14T05:00Z', '2026-05-14T06:00Z'],
    ['around ten to three', '2026-05-14T14:20Z', '2026-05-14T15:20Z'],
    ['since twenty-five past 12', '2026-05-14T12:25Z', '2026-05-14T15:20Z'],
    ['since five to one', '2026-05-14T12:55Z', '2026-05-14T15:20Z'],
    ['at 10 to 3', '2026-05-14T14:20Z', '2026-05-14T15:20Z'],
    ['from 5 past 1 to 20 past 1', '2026-05-14T13:05Z', '2026-05-14T13:20Z'],
    ['around 9', '2026-05-14T08:30Z', '2026-05-14T09:30Z'],
  ])('%s', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })

  it('is none where two numbers are a stretch', () => {
    expect(told('from 10 to 11')).toEqual(span('2026-05-14T10:00Z', '2026-05-14T11:00Z'))
  })
})

describe('two times of which the later one is told first', () => {
  it.each([
    ['what failed between 14:50 and 14:40?', '2026-05-14T14:40Z', '2026-05-14T14:50Z'],
    ['what failed from 9:30 to 8:15 yesterday?', '2026-05-13T08:15Z', '2026-05-13T09:30Z'],
    ['what failed between 22:00 and 02:00?', '2026-05-13T22:00Z', '2026-05-14T02:00Z'],
  ])('are put in order unless a night is between them: “%s”', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })

  it.each([
    'what failed yesterday from 14:50 to 14:40 today?',
    'what failed from yesterday 14:50 to 14:40 today?',
  ])('are read as they are told where each is of a day of its own: “%s”', (plain) => {
    expect(told(plain)).toEqual(span('2026-05-13T14:50Z', '2026-05-14T14:40Z'))
  })
})

describe('hours that stand between two others', () => {
  it.each([
    ['between 2 and 3 last night', '2026-05-14T02:00Z', '2026-05-14T03:00Z'],
    ['last night between 23:00 and 1:00', '2026-05-13T23:00Z', '2026-05-14T01:00Z'],
    ['from 22 to 23 last night', '2026-05-13T22:00Z', '2026-05-13T23:00Z'],
    ['yesterday evening between 7 and 8', '2026-05-13T19:00Z', '2026-05-13T20:00Z'],
  ])('%s', (plain, from, to) => {
    expect(told(plain)).toEqual(span(from, to))
  })
})

describe('a stretch that is told by its length', () => {
  it.each([
    ['since one hour', HOUR],
    ['since 10 min', 10 * MINUTE],
    ['since about 2 days', 2 * DAY],
    ['since a few hours', 3 * HOUR],
  ])('%s', (plain, length) => {
    expect(read(plain)).toEqual({ from: NOW - length, to: NOW })
  })

  it('is an instant where it says ago', () => {
    expect(told('since 2 hours ago')).toEqual(span('2026-05-14T13:20Z', '2026-05-14T15:20Z'))
  })
})

describe('the month before this one', () => {
  it('is one of the calendar', () => {
    expect(told('incidents last month')).toEqual(span('2026-04-01T00:00Z', '2026-05-01T00:00Z'))
  })
})

describe('clocks that were set forward since', () => {
  it.each([
    ['this year', '2025-12-31T23:00Z', '2026-05-14T15:20Z'],
    ['in january', '2025-12-31T23:00Z', '2026-01-31T23:00Z'],
    ['in q1', '2025-12-31T23:00Z', '2026-03-31T22:00Z'],
    ['on january 5th at 10:00', '2026-01-05T08:30Z', '2026-01-05T09:30Z'],
    // What names its zone, or is counted back, is an instant.
    ['at 2026-01-05T10:00Z', '2026-01-05T09:30Z', '2026-01-05T10:30Z'],
    ['in the last 100 days', '2026-02-03T15:20Z', '2026-05-14T15:20Z'],
  ])('told the time of “%s” by the offset of that day', (plain, from, to) => {
    expect(told(plain, 'Europe/Amsterdam')).toEqual(span(from, to))
  })

  it('count hours back across the change', () => {
    const now = at('2026-03-29T03:00Z')
    expect(readWindow('5 hours ago', { now, timezone: 'Europe/Amsterdam' })).toEqual({
      from: at('2026-03-28T21:30Z'),
      to: at('2026-03-28T22:30Z'),
    })
  })
})

describe('a time of the clock with the mark of UTC', () => {
  it('is of a stretch as well', () => {
    expect(told('between 13:30Z and 13:35Z'.toLowerCase())).toEqual(
      span('2026-05-14T13:30Z', '2026-05-14T13:35Z'),
    )
  })
})

describe('the hour of a clock with twelve of them', () => {
  it.each([
    ['since 2', '2026-05-14T14:00Z'],
    ['since 9', '2026-05-14T09:00Z'],
    ['since 2 this morning', '2026-05-14T02:00Z'],
  ])('is the latest that has begun, unless the part of the day is told: “%s”', (plain, from) => {
    expect(told(plain)).toEqual(span(from, '2026-05-14T15:20Z'))
  })
})
