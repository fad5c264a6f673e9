import { describe, expect, it } from 'vitest'
import {
  firstAlert,
  isNormalTime,
  normalLength,
  normalTime,
} from '#shared/domain/investigation/records/normal-time.ts'
import type { Alert, LogLine, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const firing = (minute: number, for_s?: number, severity?: string): Alert => ({
  source: 'alerts',
  name: 'errors',
  fired_at: at(minute),
  ...(for_s === undefined ? {} : { for_s }),
  ...(severity === undefined ? {} : { severity }),
})
const line = (minute: number): LogLine => ({
  source: 'logs',
  timestamp: at(minute),
  service: 'a',
  severity: 'INFO',
  message: 'm',
})
const samples = (...minutes: number[]): Series => ({
  source: 'metrics',
  entity: 'a',
  name: 'm',
  labels: {},
  type: 'gauge',
  times: Float64Array.from(minutes, at),
  values: Float64Array.from(minutes, () => 1),
})
const about = (change: Partial<Snapshot>): Snapshot => ({
  ...EMPTY,
  window: { from: at(60), to: at(180) },
  ...change,
})
const calm = (from: number, to: number) => ({
  baselines: [{ name: 'calm', from: at(from), to: at(to) }],
  origin: 'derived',
})

describe('normal time', () => {
  it('is what the snapshot declares, earliest first, whatever the alerts say', () => {
    const late = { name: 'late', from: at(20), to: at(30) }
    const early = { name: 'early', from: at(0), to: at(10) }
    const earlier = { name: 'earlier', from: at(0), to: at(5) }
    const normal = normalTime(about({ baselines: [late, early, earlier], alerts: [firing(120)] }), at(110))
    expect(normal).toEqual({
      baselines: [earlier, early, late],
      origin: 'declared',
      incident: { from: at(60), to: at(180) },
    })
  })

  it('else ends half an hour before the first alert, a quarter of an hour where the data begin too late', () => {
    expect(normalTime(about({ alerts: [firing(150), firing(120)] }))).toMatchObject(calm(60, 90))
    expect(normalTime(about({ alerts: [firing(100)] }))).toMatchObject(calm(60, 70))
    expect(normalTime(about({ alerts: [firing(99)] }))).toMatchObject(calm(60, 84))
    expect(normalTime(about({ alerts: [firing(85)] }))).toMatchObject(calm(60, 70))
  })

  it('is a third of what lies before an alert that came too early for any guard, if that is four minutes', () => {
    expect(normalTime(about({ alerts: [firing(84)] }))).toMatchObject(calm(60, 68))
    expect(normalTime(about({ alerts: [firing(72)] }))).toMatchObject(calm(60, 64))
    expect(normalTime(about({ alerts: [firing(71)] }))).toMatchObject({ baselines: [], origin: 'none' })
  })

  it('is the first third of the window without any alert', () => {
    expect(normalTime(about({}))).toMatchObject(calm(60, 100))
    expect(normalTime(about({ window: { from: at(60), to: at(84) } }))).toMatchObject(calm(60, 68))
    expect(normalTime(about({ window: { from: at(60), to: at(71) } })).origin).toBe('none')
  })

  it('reaches up to a minute before the onset once that is known, and is none where that leaves under ten', () => {
    const snapshot = about({ alerts: [firing(120)] })
    expect(normalTime(snapshot, at(111))).toMatchObject(calm(60, 110))
    expect(normalTime(snapshot, at(71))).toMatchObject(calm(60, 70))
    expect(normalTime(snapshot, at(70))).toMatchObject({ baselines: [], origin: 'none' })
  })

  it('begins with the first sample before the window, at most a day before it', () => {
    const alerts = [firing(120)]
    expect(normalTime(about({ alerts, series: [samples(80), samples(30, 70)] }))).toMatchObject(calm(30, 90))
    expect(normalTime(about({ alerts, logs: [line(50), line(20)] }))).toMatchObject(calm(20, 90))
    expect(normalTime(about({ alerts, series: [samples()] }))).toMatchObject(calm(60, 90))
    expect(normalTime(about({ alerts, logs: [line(60 - 24 * 60 - 5)] }))).toMatchObject(
      calm(60 - 24 * 60, 90),
    )
  })
})

describe('the stretch that is searched', () => {
  it('reaches past the last sample where the window is a mere instant, and is the window otherwise', () => {
    const instant = { from: at(60), to: at(60) }
    const data = { series: [samples(), samples(50, 70)], logs: [line(65)] }
    expect(normalTime(about({ window: instant, ...data })).incident).toEqual({ from: at(60), to: at(70) + 1 })
    expect(normalTime(about({ window: instant, logs: [line(75)] })).incident.to).toBe(at(75) + 1)
    expect(normalTime(about({ window: instant })).incident).toEqual(instant)
    expect(normalTime(about({ ...data, logs: [line(200)] })).incident).toEqual({ from: at(60), to: at(180) })
  })
})

describe('an alert', () => {
  it('began when its condition began to hold', () => {
    expect(firstAlert(about({}))).toBeNull()
    expect(firstAlert(about({ alerts: [firing(120)] }))).toBe(at(120))
    expect(firstAlert(about({ alerts: [firing(110), firing(120, 900), firing(115)] }))).toBe(at(105))
  })
})

it('an instant is normal from the beginning of a baseline up to its end, in any of them', () => {
  const normal = {
    baselines: [
      { name: 'a', from: at(0), to: at(10) },
      { name: 'b', from: at(20), to: at(25) },
    ],
    origin: 'declared',
    incident: { from: at(30), to: at(40) },
  } as const
  const inside = [0, 9, 20, 24].map((minute) => isNormalTime(normal, at(minute)))
  const outside = [-1, 10, 19, 25].map((minute) => isNormalTime(normal, at(minute)))
  expect([inside, outside]).toEqual([Array(4).fill(true), Array(4).fill(false)])
  expect(normalLength(normal)).toBe(15 * 60_000)
})

describe('the first alert', () => {
  it('is one that somebody is called for, unless all only inform', () => {
    const informing = firing(10, 0, 'info')
    expect(firstAlert(about({ alerts: [informing, firing(90, 60)] }))).toBe(at(89))
    expect(firstAlert(about({ alerts: [informing, firing(90, 0, 'critical')] }))).toBe(at(90))
    expect(firstAlert(about({ alerts: [informing] }))).toBe(at(10))
    expect(firstAlert(about({}))).toBeNull()
  })
})
