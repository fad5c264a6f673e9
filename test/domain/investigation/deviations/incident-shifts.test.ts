import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareShifts,
  incidentShifts,
  shiftsOf,
  shiftsOfIncident,
} from '#shared/domain/investigation/deviations/incident-shifts.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, MINUTE, ONSET, series } from '../incident-scenarios.ts'
import { errors, names, seen, well } from '../observed-by-hand.ts'

describe('since when a service fails', () => {
  it('begins with what lasts when the alert fires, not with what was over by then, there or elsewhere', () => {
    const noise = (entity: string, from: number, to: number) =>
      series(entity, 'http_4xx_ratio', 0.003, 0.1, from, to)
    const fires = [alert('web', 'http_5xx_ratio', ONSET + 3)]
    const { onset, shifts } = seen({
      alerts: fires,
      series: [errors('web'), noise('web', ONSET - 25, ONSET - 20), noise('stock', ONSET - 20, ONSET - 12)],
    })
    expect(onset?.at).toBe(at(ONSET))
    expect(shifts.map(({ series: { entity, name } }) => [entity, name])).toEqual([['web', 'http_5xx_ratio']])
    // Of the alerted service itself, nothing that was over a moment before.
    const close = seen({ alerts: fires, series: [errors('web'), noise('web', ONSET - 8, ONSET - 3)] })
    expect(close.onset?.at).toBe(at(ONSET))
    expect(close.shifts).toHaveLength(1)
    // Where nothing lasts until then, what was felt before is what it fired for.
    const over = seen({
      alerts: [alert('web', 'http_5xx_ratio', ONSET + 12)],
      series: [errors('web', ONSET - 9, ONSET + 2), noise('web', ONSET - 25, ONSET - 20)],
    })
    expect(over.onset?.at).toBe(at(ONSET - 25))
    // An alert of another service tells nothing of this one.
    const other = seen(
      {
        alerts: [alert('shop', 'http_5xx_ratio', ONSET + 3)],
        series: [errors('web', ONSET, ONSET + 9), noise('web', 70, 74)],
      },
      'web',
    )
    expect(other.onset?.at).toBe(at(70))
  })

  it('leaves out what was over five minutes before the alerted service began to fail', () => {
    const earlier = (to: number): readonly string[] =>
      names(
        seen({
          alerts: [alert('a', 'http_5xx_ratio')],
          series: [errors('a'), errors('b', 70, to)],
        }).failing,
      )
    // Samples of a minute leave the onset open by one.
    expect(earlier(ONSET - 6)).toEqual(expect.arrayContaining(['a', 'b']))
    expect(earlier(ONSET - 7)).toEqual(['a'])
  })
})

describe('what left normal in an incident', () => {
  it('is found without looking closely at what was over before as it is by looking closely at all', () => {
    const moved = fc.record({
      name: fc.constantFrom('http_5xx_ratio', 'http_server_duration_p95_ms', 'cpu_utilization_ratio'),
      ...{ entity: fc.constantFrom('a', 'b', 'c'), from: fc.integer({ min: 61, max: 115 }) },
      ...{ length: fc.integer({ min: 1, max: 60 }), before: fc.constantFrom(0.01, 50) },
      times: fc.constantFrom(1.01, 1.5, 40),
    })
    const { normal } = seen({ series: [errors('a')] })
    fc.assert(
      fc.property(
        fc.array(moved, { maxLength: 12 }),
        fc.option(fc.integer({ min: 61, max: 119 })),
        (drawn, minute) => {
          const list = drawn.map(({ name, entity, from, length, before, times }) =>
            series(entity, name, before, before * times, from, from + length),
          )
          const fired = minute === null ? null : at(minute)
          expect(incidentShifts(list, normal, 'a', fired)).toEqual(
            shiftsOfIncident(shiftsOf(list, normal), 'a', fired),
          )
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('the order of what fails', () => {
  const shift = fc.record({
    name: fc.constantFrom('http_5xx_ratio', 'cpu_utilization_ratio', 'requests_per_second'),
    ...{ entity: fc.constantFrom('a', 'b'), label: fc.constantFrom('x', 'y'), from: fc.constantFrom(80, 90) },
    during: fc.constantFrom(0.4, 0.9),
  })
  /** Some made from real series, so that every field is as it would be. */
  const shiftsOf = (drawn: readonly (typeof shift extends fc.Arbitrary<infer T> ? T : never)[]) =>
    drawn.flatMap(
      ({ name, entity, label, from, during }) =>
        seen({ series: [{ ...series(entity, name, 0.01, during, from), labels: { label } }] }).shifts,
    )

  it('of shifts is the same however they came', () => {
    fc.assert(
      fc.property(fc.array(shift, { maxLength: 8 }), (drawn) => {
        const list = shiftsOf(drawn)
        const sorted = list.toSorted(compareShifts)
        const again = list.toReversed().toSorted(compareShifts)
        const said = (all: typeof list) =>
          all.map(({ series: of, onset, during }) => [of.name, of.entity, of.labels, onset, during])
        expect(said(again)).toEqual(said(sorted))
        for (const one of list)
          for (const other of list)
            expect(Math.sign(compareShifts(one, other))).toBe(-Math.sign(compareShifts(other, one)) + 0)
      }),
      { numRuns: 30 },
    )
  })

  it('of shifts begins with what hurts most', () => {
    const found = seen({
      series: [
        series('a', 'requests_per_second', 10, 2),
        series('a', 'cpu_utilization_ratio', 0.2, 0.95),
        errors('a'),
        series('a', 'cache_hit_ratio', 0.4, 0.9),
      ],
    })
    expect(found.shifts.map(({ series: { name } }) => name)).toEqual([
      'http_5xx_ratio',
      'cpu_utilization_ratio',
      'requests_per_second',
      'cache_hit_ratio',
    ])
  })
})

describe('what is observed', () => {
  it('is compared with the time up to the onset where no normal time was declared', () => {
    const { normal, first } = seen({
      baselines: [],
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [errors('web')],
    })
    expect(normal).toMatchObject({ origin: 'derived', baselines: [{ from: at(0), to: at(ONSET - 1) }] })
    expect(first).toMatchObject({ entity: 'web', onset: { at: at(ONSET) } })
    expect(first?.shifts[0]?.normal_count).toBe((at(ONSET - 1) - at(0)) / MINUTE)
  })

  it('is compared with the normal time that was declared, whatever the onset', () => {
    const declared = [{ name: 'b1', from: at(0), to: at(60) }]
    expect(seen({ alerts: [alert('web', 'x')], series: [errors('web')] }).normal.baselines).toEqual(declared)
  })

  it('is compared with the time before the alerted service was felt to fail, not before others or causes did', () => {
    const normalOf = (...others: readonly Series[]) =>
      seen({ baselines: [], alerts: [alert('web', 'http_5xx_ratio')], series: [errors('web'), ...others] })
        .normal.baselines
    const own = normalOf()
    expect(normalOf(errors('other', ONSET - 20))).toEqual(own)
    expect(normalOf(series('web', 'memory_used_bytes', 2e8, 9e8, ONSET - 20))).toEqual(own)
    expect(normalOf(series('web', 'messages_processed_per_second', 50, 10, ONSET - 20))).toEqual(own)
    // Where the alerted service shows nothing, others tell.
    const silent = seen({
      baselines: [],
      alerts: [alert('web', 'x')],
      series: [well('web'), errors('other', ONSET - 20)],
    })
    expect(silent.normal.baselines[0]?.to).toBe(at(ONSET - 21))
  })
})
