import { describe, expect, it } from 'vitest'
import type { OperationalCause, Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import {
  CONFIDENCE_CAP_ASIDE,
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_SAID,
  CONFIDENCE_CAP_SHOWN,
  CONFIDENCE_CAP_TIMED,
  CONFIDENCE_CAP_UNEXPLAINED,
  CONFIDENCE_CAP_UNLINKED,
  CONFIDENCE_CAP_UNMAPPED,
  CONFIDENCE_CAP_UNMEASURED,
  CONFIDENCE_CAP_USUAL,
  CONFIDENCE_CAP_WORDS,
  IDENTIFIED,
} from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Blame } from '#shared/domain/investigation/place/blame-services.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, lines, ONSET, series } from '../incident-scenarios.ts'
import { find } from '../scene-by-hand.ts'
import {
  able,
  another,
  capsOf,
  counted,
  firm,
  fused,
  type Given,
  INCIDENT,
  LINKS,
  mechanism,
  NO_BLAME,
  nodeFlow,
  OBSERVED,
  observedIn,
  PARTS,
  PLAIN,
  STOCK,
  shifted,
  shown,
  stated,
  told,
} from '../verdict-by-hand.ts'

describe('causes that are no change', () => {
  it('unreadable data and a used-up resource that was only spoken of stay below “likely”', () => {
    const message = 'write failed: no space left on device'
    const told = find([message]).hypotheses.find(({ cause }) => cause.kind === 'capacity')
    expect(told?.confidence ?? 0).toBeLessThanOrEqual(0.6)
    const full = find([message], { series: [series('stock-api', 'disk_used_percent', 40, 100)] })
    expect(full.cause.kind).toBe('capacity')
    expect(full.confidence).toBeGreaterThan(0.6)
    const poison = find(
      ['malformed payload in message 7', 'corrupt record skipped', 'duplicate key in batch'],
      { logs: lines('refunds', 'ERROR', 'invalid utf-8 in message', ONSET) },
    )
    expect(poison.cause.kind).toBe('data')
    expect(poison.confidence).toBeLessThanOrEqual(0.6)
  })
})

/** Time and place leave hardly any other: at the very place, singled out there, and hardly by chance. */
const LEFT = { score: 0.8, place: 1, closeness: 0.5, hardly_chance: true }

/** Nearly all of what fails was counted at a service that what is looked at does not explain. */
const MOST_ELSEWHERE = {
  ...OBSERVED,
  shifts: [],
  flows: new Map([
    ['printer', { entity: 'printer', calls: 900, own_failed: 800, excess_failed: 800 } as never],
    ['stock', { entity: 'stock', calls: 900, own_failed: 1, excess_failed: 1 } as never],
  ]),
}

describe('how sure one may be at most', () => {
  it('has no bound where a rolled-out change can do the harm, is named by it and stands alone', () => {
    expect(capsOf(fused({ ranked: [able()] }))).toEqual([])
  })

  it.each([
    [
      'without a rollout',
      { effective_at: { from: 0, to: 0, known: false }, words_score: 0.5 },
      CONFIDENCE_CAP_UNMAPPED,
    ],
    [
      'without a word in common with what is observed, and elsewhere',
      { is_linked: false, reaches: 'printer' },
      CONFIDENCE_CAP_UNLINKED,
    ],
    ['with words alone', { mechanism: null, words_score: 0.5 }, CONFIDENCE_CAP_WORDS],
    ['with time and place alone', { mechanism: null, coincides: true }, CONFIDENCE_CAP_UNLINKED],
    ['that is hardly chance', { mechanism: null, hardly_chance: true, place: 0.94 }, CONFIDENCE_CAP_UNLINKED],
    ['that is hardly chance, where it fails', { mechanism: null, ...LEFT }, CONFIDENCE_CAP_TIMED],
    ['with one kind of evidence', { place: 0.8 }, CONFIDENCE_CAP_UNMAPPED],
  ] as const)('is bounded for a change %s', (_, more, cap) => {
    expect(capsOf(fused({ ranked: [able(more)] }))).toContain(cap)
  })

  it('is likely by time and place alone, where a change got to the very place minutes before', () => {
    const most = (more: Partial<RankedChange> = {}) =>
      Math.min(...capsOf(fused({ ranked: [able({ mechanism: null, ...LEFT, ...more })] })))
    const reached = (minute: number) => ({ from: at(minute), to: at(minute), known: true })
    expect(most()).toBe(CONFIDENCE_CAP_TIMED)
    expect(most({ hardly_chance: false, coincides: true })).toBe(CONFIDENCE_CAP_TIMED)
    expect(most({ is_linked: false })).toBe(CONFIDENCE_CAP_TIMED)
    expect(most({ effective_at: reached(ONSET - 3) })).toBe(CONFIDENCE_CAP_TIMED)
    expect(most({ effective_at: reached(ONSET - 3.1) })).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(most({ place: 0.94 })).toBe(CONFIDENCE_CAP_UNLINKED)
    // Others that came at once share the credit for closeness; that it is hardly chance leaves none of them.
    expect(most({ closeness: 0.19 })).toBe(CONFIDENCE_CAP_TIMED)
    expect(most({ closeness: 0.19, hardly_chance: false })).toBe(CONFIDENCE_CAP_WORDS)
    expect(most({ score: 0.14 })).toBe(CONFIDENCE_CAP_UNLINKED)
    // What agrees on it stands hardly out from noise.
    expect(most({ score: 0.3 })).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(most({ hardly_chance: false })).toBe(CONFIDENCE_CAP_WORDS)
    expect(CONFIDENCE_CAP_TIMED).toBeGreaterThanOrEqual(IDENTIFIED)
  })

  it('is likely at most by time and place where samples lie further apart than such a fault takes to show', () => {
    const apart = (minutes: number) => {
      const { series } = OBSERVED.shifts[0] as SeriesShift
      const times = Float64Array.from(series.times, (_, index) => index * minutes * 60_000)
      const shift = { ...(OBSERVED.shifts[0] as SeriesShift), series: { ...series, times } }
      const observed = { ...OBSERVED, first: { ...STOCK, shifts: [shift] } }
      return capsOf(fused({ ranked: [able({ mechanism: null, ...LEFT })], observed }))
    }
    expect(apart(3)).toContain(CONFIDENCE_CAP_TIMED)
    expect(apart(3.1)).toContain(CONFIDENCE_CAP_SHOWN)
    const untimed = { ...OBSERVED, first: { ...STOCK, shifts: [] } }
    const most = capsOf(fused({ ranked: [able({ mechanism: null, ...LEFT })], observed: untimed }))
    expect(most).toContain(CONFIDENCE_CAP_TIMED)
  })

  it('is bounded less where most fails elsewhere, where time and place leave hardly any other and it shows how', () => {
    const caps = (more: Partial<RankedChange>) =>
      capsOf(fused({ ranked: [able(more)], observed: MOST_ELSEWHERE }))
    expect(caps(LEFT)).toEqual([CONFIDENCE_CAP_SHOWN])
    expect(caps({ ...LEFT, mechanism: null })).toContain(CONFIDENCE_CAP_UNEXPLAINED)
    expect(caps({ ...LEFT, is_of_others: true })).toContain(CONFIDENCE_CAP_ASIDE)
    const early = { effective_at: { from: at(ONSET - 20), to: at(ONSET - 20), known: true } }
    for (const where of [
      { ...LEFT, ...early },
      { hardly_chance: true, place: 0.94 },
    ]) {
      expect(caps(where)).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    }
  })

  it('is told aside where most fails elsewhere, for a change that neither arrived at the very place nor hardly by chance', () => {
    const caps = (more: Partial<RankedChange>) =>
      capsOf(fused({ ranked: [able(more)], observed: MOST_ELSEWHERE }))
    expect(caps({})).toEqual([CONFIDENCE_CAP_ASIDE])
    expect(caps({ coincides: true, closeness: 0.9, place: 0.94 })).toEqual([CONFIDENCE_CAP_ASIDE])
    expect(caps({ mechanism: null })).toContain(CONFIDENCE_CAP_ASIDE)
    expect(capsOf(fused({ ranked: [able({})] }))).not.toContain(CONFIDENCE_CAP_ASIDE)
  })

  it('is told aside where most fails elsewhere, for a place, half of an answer and what is recorded every day', () => {
    const most = (operational: readonly OperationalCause[]) =>
      Math.min(...capsOf(fused({ operational, observed: MOST_ELSEWHERE })))
    expect(most([])).toBe(CONFIDENCE_CAP_ASIDE)
    expect(most([firm({ kind: 'data' })])).toBe(CONFIDENCE_CAP_ASIDE)
    expect(most([firm({ is_everyday: true })])).toBe(CONFIDENCE_CAP_ASIDE)
    expect(most([firm()])).toBe(CONFIDENCE_CAP_UNEXPLAINED)
    expect(most([firm({ at_most: CONFIDENCE_CAP_UNLINKED })])).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(capsOf(fused({ operational: [firm({ is_everyday: true })] }))).not.toContain(CONFIDENCE_CAP_ASIDE)
    expect(capsOf(fused({ ranked: [able({ is_of_others: true })] }))).not.toContain(CONFIDENCE_CAP_ASIDE)
  })

  it('is likely at most where all it has to show is that what was rolled out begins anew again and again', () => {
    const caps = (name: string, more: Partial<RankedChange> = { mechanism: null }) =>
      capsOf(fused({ ranked: [able({ spent: shifted('stock', name), ...more })] }))
    expect(caps('container_restarts_total')).toContain(CONFIDENCE_CAP_SHOWN)
    expect(caps('process_open_fds')).not.toContain(CONFIDENCE_CAP_SHOWN)
    // What it does is shown besides.
    expect(caps('container_restarts_total', {})).not.toContain(CONFIDENCE_CAP_SHOWN)
  })

  it('is possible at most where something moved where it arrived and nothing else shows how, unless time and place leave no other', () => {
    const moved = { mechanism: null, spent: shifted('stock', 'process_open_fds') }
    const caps = (more: Partial<RankedChange>) => capsOf(fused({ ranked: [able({ ...moved, ...more })] }))
    expect(caps({})).toContain(CONFIDENCE_CAP_UNLINKED)
    expect(caps({ ...LEFT, ...moved })).toEqual([CONFIDENCE_CAP_TIMED])
    expect(caps({ mechanism: able({}).mechanism })).not.toContain(CONFIDENCE_CAP_UNLINKED)
  })

  it('is told as one of two sides for a change of whom another cannot read, unless it shows how and time leaves no other', () => {
    const caps = (more: Partial<RankedChange>, observed: Observed = MOST_ELSEWHERE) =>
      capsOf(fused({ ranked: [able(more)], observed }))
    expect(caps({ misread_by: 'printer' })).toContain(CONFIDENCE_CAP_UNEXPLAINED)
    expect(caps({ misread_by: 'printer' })).not.toContain(CONFIDENCE_CAP_ASIDE)
    expect(caps({ ...LEFT, misread_by: 'printer' })).toContain(CONFIDENCE_CAP_SHOWN)
    // Where it explains most of what fails without that, it is no side of it but all.
    expect(caps({ misread_by: 'printer' }, OBSERVED)).not.toContain(CONFIDENCE_CAP_UNEXPLAINED)
  })

  it('keeps to the bound of a cause that reckons with what led there, though most fails elsewhere', () => {
    const caps = (at_most: number) =>
      capsOf(fused({ operational: [firm({ at_most })], observed: MOST_ELSEWHERE }))
    expect(Math.min(...caps(CONFIDENCE_CAP_CONSEQUENCE))).toBe(CONFIDENCE_CAP_CONSEQUENCE)
    expect(caps(CONFIDENCE_CAP_UNLINKED)).toContain(CONFIDENCE_CAP_UNEXPLAINED)
  })

  it('is not bounded by words where it coincides and is named, or shows how', () => {
    for (const more of [{ words_score: 0.1 }, { mechanism: mechanism(0.2) }])
      expect(capsOf(fused({ ranked: [able({ mechanism: null, coincides: true, ...more })] }))).toEqual([])
    expect(
      capsOf(fused({ ranked: [able({ mechanism: null, coincides: true, words_score: 0.09 })] })),
    ).toEqual([CONFIDENCE_CAP_UNLINKED])
  })

  it('is bounded where the next one is close', () => {
    const caps = (score: number) =>
      capsOf(fused({ ranked: [able({ score: 0.8 }), another('c2', { score })] }))
    expect(caps(0.69)).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(caps(0.67)).toEqual([])
  })

  it('is bounded without normal time to compare with', () => {
    const { first, ...more } = OBSERVED
    const observed = { ...more, first, normal: { ...more.normal, baselines: [], origin: 'none' as const } }
    const found = fused({ ranked: [able()], observed })
    expect(capsOf(found)).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(found.basis).toContain('without a baseline the confidence is capped')
    expect(fused({ ranked: [able()] }).basis).not.toContain('baseline')
  })

  it('is bounded where a flow has no level of its own, whatever normal time others have', () => {
    const withFlow = (has_level: boolean) => {
      const suspect = {
        ...(OBSERVED.suspects[0] as FailingService),
        blame: { ...NO_BLAME, flow: nodeFlow({ has_level }) },
      }
      return capsOf(fused({ ranked: [able()], observed: { ...OBSERVED, suspects: [suspect] } }))
    }
    expect(withFlow(false)).toContain(CONFIDENCE_CAP_UNMAPPED)
    expect(withFlow(true)).not.toContain(CONFIDENCE_CAP_UNMAPPED)
  })

  it('is bounded for a place while the records of what happened do not explain it', () => {
    expect(capsOf(fused({}))).toContain(CONFIDENCE_CAP_UNEXPLAINED)
    expect(capsOf(fused({ snapshot: { ...INCIDENT, changes: [] } }))).not.toContain(
      CONFIDENCE_CAP_UNEXPLAINED,
    )
  })

  it('is bounded as a place is where nothing but failed calls tells of an outage, while records were read', () => {
    const flow = { strength: 0.45, fact: { of: 'calls' as const, flow: counted(90) } }
    const outage = (...signs: readonly Sign[]) => firm({ kind: 'provider', entity: 'stock', signs })
    const bounds = (cause: OperationalCause, snapshot = INCIDENT) =>
      capsOf(fused({ operational: [cause], snapshot }))
    expect(bounds(outage(flow))).toContain(CONFIDENCE_CAP_UNEXPLAINED)
    expect(bounds(outage(flow, told('stock answered 503')))).not.toContain(CONFIDENCE_CAP_UNEXPLAINED)
    expect(bounds(outage(flow), { ...INCIDENT, changes: [] })).not.toContain(CONFIDENCE_CAP_UNEXPLAINED)
  })

  it('is bounded for a place that only suffers, and for none that is seen to be the place', () => {
    const snapshot = { ...INCIDENT, series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)], edges: [] }
    expect(capsOf(fused({ snapshot }))).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
    const full = { ...snapshot, series: [series('stock', 'memory_used_bytes', 2e8, 9e8)] }
    expect(capsOf(fused({ snapshot: full }))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    const observed = observedIn(snapshot)
    const [stock] = observed.suspects
    if (stock?.blame == null) throw new Error('nobody is suspected')
    for (const part of ['gap', 'broken'] as const) {
      const seen = { ...stock, blame: { ...stock.blame, [part]: PARTS[part] } }
      const found = fused({
        snapshot,
        observed: { ...observed, first: seen, suspects: [seen], unexplained: [seen] },
      })
      expect(capsOf(found)).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
      expect(found.said(found.hypotheses[0]?.supported_by)[0]).toMatch(
        part === 'gap'
          ? /^Calls from and to stock take 80 ms longer/
          : /^9 of 10 spans “GET \/stock” of stock/,
      )
      expect(found.items.find(({ id }) => id === found.hypotheses[0]?.supported_by[0])).toMatchObject(
        part === 'gap' ? { source: 'traces', type: 'anomaly' } : { source: 'logs', type: 'pattern' },
      )
    }
  })

  it('is not bounded by those whose failing the place was counted to explain', () => {
    expect(fused({}).stated?.margin).toBeLessThan(0.15)
    const counted = { ...INCIDENT, edges: [...calls('client', 'web', 0.4), ...calls('web', 'stock', 0.4)] }
    const found = fused({ snapshot: counted })
    expect(found.cause.entity).toBe('stock')
    expect(found.stated?.margin).toBeGreaterThan(0.9)
  })

  it('is likely at most where nothing was measured: lines that are counted say no more than lines', () => {
    const capsWith = (list: Snapshot['series']) =>
      capsOf(fused({ ranked: [able()], observed: OBSERVED, snapshot: { ...INCIDENT, series: list } }))
    expect(capsWith(INCIDENT.series)).toEqual([])
    expect(capsWith([])).toEqual([CONFIDENCE_CAP_UNMEASURED])
    expect(capsWith([series('stock', 'log_error_lines', 0, 40)])).toEqual([CONFIDENCE_CAP_UNMEASURED])
  })

  it('is likely at most for a change, and possible for anything else, where no alert fired and nobody asked about a service', () => {
    const capsWith = (given: Given, symptom_service: string | null, alerts: Snapshot['alerts']) =>
      capsOf(
        fused({
          ...given,
          observed: { ...OBSERVED, symptom_service },
          snapshot: { ...INCIDENT, alerts },
        }),
      )
    const fired = [{ source: 'alerts', name: 'errors', fired_at: at(ONSET) }]
    const change: Given = { ranked: [able()] }
    expect(capsWith(change, null, [])).toEqual([CONFIDENCE_CAP_SHOWN])
    expect(capsWith(change, null, fired)).toEqual([])
    expect(capsWith(change, 'web', [])).toEqual([])
    const outage: Given = { operational: [firm({ kind: 'provider' })] }
    expect(capsWith(outage, null, fired)).toEqual([CONFIDENCE_CAP_SAID])
    expect(capsWith(outage, null, [])).toEqual([CONFIDENCE_CAP_SAID, CONFIDENCE_CAP_UNEXPLAINED])
    // What is only possible where somebody was called is hardly likely where nobody was.
    const place: Given = {}
    expect(capsWith(place, null, fired)).toContain(CONFIDENCE_CAP_UNEXPLAINED)
    expect(capsWith(place, null, [])).toContain(CONFIDENCE_CAP_ASIDE)
  })

  it('is likely for a place without records, for a resource that was measured and spoken of, and hardly for one alone', () => {
    const snapshot = { ...INCIDENT, changes: [] }
    const capsWith = (...signs: readonly Sign[]) =>
      capsOf(fused({ operational: [firm({ kind: 'capacity', signs })], snapshot, observed: OBSERVED }))
    const [full, said] = [shown('stock', 'disk_used_ratio'), told('no space left on device')]
    expect(capsWith(full, said)).toContain(CONFIDENCE_CAP_SHOWN)
    expect(capsWith(full, full)).toContain(CONFIDENCE_CAP_CONSEQUENCE)
    expect(capsOf(fused({ snapshot, observed: OBSERVED }))).toContain(CONFIDENCE_CAP_SHOWN)
  })

  it('is bounded for data that cannot be read, and for a resource that was only spoken of', () => {
    const caps = (more: Partial<OperationalCause>) => capsOf(fused({ operational: [firm(more)] }))
    expect(caps({ kind: 'data' })).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_CONSEQUENCE])
    expect(caps({ kind: 'capacity' })).toContain(CONFIDENCE_CAP_CONSEQUENCE)
    expect(caps({ kind: 'certificate' })).not.toContain(CONFIDENCE_CAP_CONSEQUENCE)
  })

  it('is hardly likely for a name that does not resolve, whatever is measured: it may have been taken away', () => {
    const signs = [told('no such host'), shown('resolver', 'cpu_utilization')]
    expect(capsOf(fused({ operational: [firm({ kind: 'dns', signs })] }))).toEqual([
      CONFIDENCE_CAP_CONSEQUENCE,
    ])
  })

  it('is likely at most where programs say the cause and calls fail, and nobody measured or recorded it', () => {
    const caps = (...signs: readonly Sign[]) =>
      capsOf(fused({ operational: [firm({ kind: 'certificate', signs })] }))
    const said = told('no such host', { entity: 'web' })
    expect(caps(said, told('no such host'))).toEqual([CONFIDENCE_CAP_SAID])
    expect(caps(said, shown('stock', 'http_5xx_ratio'))).toEqual([CONFIDENCE_CAP_SAID])
    expect(caps(said, shown('resolver', 'cpu_utilization'))).toEqual([])
    for (const origin of ['event', 'kubernetes'] as const)
      expect(caps(said, told('the resolver was restarted', { origin }))).toEqual([])
  })

  it('is not bounded so for a resource that was measured', () => {
    const memory = series('stock', 'memory_used_bytes', 2e8, 9e8)
    const snapshot = { ...INCIDENT, series: [series('stock', 'http_5xx_ratio', 0.003, 0.4), memory] }
    const observed = observedIn(snapshot)
    const shift = observed.shifts.find(({ series: { name } }) => name === memory.name)
    if (shift === undefined) throw new Error('it did not shift')
    const full = firm({
      kind: 'capacity',
      signs: [told('out of memory'), { strength: 0.5, fact: { of: 'shift', shift } }],
    })
    expect(capsOf(fused({ operational: [full], snapshot, observed }))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    const spoken = { ...full, signs: [told('out of memory'), told('out of memory', { origin: 'event' })] }
    expect(capsOf(fused({ operational: [spoken], snapshot, observed }))).toEqual([CONFIDENCE_CAP_CONSEQUENCE])
  })

  it('is bounded for what changes bring, where time and place single one out at that very place', () => {
    const restarted = told('a restart', { origin: 'event' })
    const caps = (more: Partial<RankedChange>, kind: OperationalCause['kind'] = 'infra') =>
      capsOf(
        fused({
          ranked: [{ ...PLAIN, score: 0.05, closeness: 0.2, ...more }],
          operational: [firm({ kind, what: 'a restart', signs: [restarted, told('it restarted')] })],
        }),
      )
    expect(caps({})).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    expect(caps({ closeness: 0.19 })).toEqual([])
    expect(caps({ reaches: 'web' })).toEqual([])
    expect(caps({ trivial: 'it only touches documentation' })).toEqual([])
    expect(caps({}, 'certificate')).toEqual([])
  })

  it('is bounded by what the cause itself says', () => {
    const found = firm({ kind: 'certificate', at_most: 0.33 })
    expect(capsOf(fused({ operational: [found] }))).toEqual([CONFIDENCE_CAP_SAID, 0.33])
    expect(fused({ operational: [firm({ at_most: 0.33 })] }).confidence).toBeLessThanOrEqual(0.33)
  })

  it('is bounded for a cause that one kind of telemetry tells of', () => {
    const found = firm({ kind: 'certificate', signs: [told('certificate has expired')] })
    expect(capsOf(fused({ operational: [found] }))).toEqual([CONFIDENCE_CAP_SAID, CONFIDENCE_CAP_UNMAPPED])
  })

  it('is bounded where what was alerted is such as normal time has too', () => {
    const [suspect, ...others] = OBSERVED.suspects
    if (suspect?.blame == null || OBSERVED.shifts[0] === undefined) throw new Error('nobody is suspected')
    const flow = {
      ...{ entity: 'stock', kind: 'failing' as const, excess: 1, own: 1, z: 9, total: 1, interval_s: 60 },
      ...{ onset_at: at(ONSET), has_level: true, series: OBSERVED.shifts[0].series },
      ...{ adds_up: true, unmeasured: [], total_of: 'alerted' as const },
    }
    const caps = (is_usual: boolean) => {
      const usual = { ...suspect, blame: { ...suspect.blame, flow: { ...flow, is_usual } } }
      return capsOf(
        fused({ ranked: [able()], observed: { ...OBSERVED, suspects: [usual as never, ...others] } }),
      )
    }
    expect(caps(true)).toEqual([CONFIDENCE_CAP_USUAL])
    expect(caps(false)).toEqual([])
  })

  it('is not bounded by words where how it does the harm is seen at all', () => {
    const caps = (more: Partial<RankedChange>) =>
      capsOf(fused({ ranked: [{ ...PLAIN, score: 0.9, words_score: 0.5, ...more }] }))
    expect(caps({ mechanism: mechanism(0.3) })).toEqual([])
    expect(caps({ mechanism: mechanism(0.29) })).toEqual([CONFIDENCE_CAP_WORDS])
    for (const part of ['echo', 'quoted', 'contrast'] as const)
      expect(caps({ [part]: LINKS[part] })).toEqual([])
  })

  it('is bounded for a place of which nothing is measured or only a part, and for none whose calls are', () => {
    const caps = (blame: Blame | null) => {
      const place = { ...STOCK, blame }
      return capsOf(
        fused({ observed: { ...OBSERVED, first: place, suspects: [place], unexplained: [place] } }),
      )
    }
    expect(caps(null)).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
    expect(caps({ ...NO_BLAME, flow: nodeFlow() })).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    for (const partly of [{ unmeasured: ['till'] }, { adds_up: false }, { total_of: 'called' as const }])
      expect(caps({ ...NO_BLAME, flow: nodeFlow(partly) })).toEqual([
        CONFIDENCE_CAP_UNEXPLAINED,
        CONFIDENCE_CAP_UNMAPPED,
      ])
  })

  it('is not bounded without normal time where a flow brings a level of its own', () => {
    const normal = { ...OBSERVED.normal, baselines: [], origin: 'none' as const }
    const caps = (suspects: readonly FailingService[]) =>
      capsOf(fused({ ranked: [able()], observed: { ...OBSERVED, normal, suspects } }))
    const blamed = (has_level: boolean) => ({
      ...STOCK,
      blame: { ...NO_BLAME, flow: nodeFlow({ has_level }) },
    })
    expect(caps([blamed(true)])).toEqual([])
    for (const suspects of [
      [blamed(false)],
      [{ ...STOCK, blame: NO_BLAME }],
      [{ ...STOCK, blame: null }],
      [],
    ])
      expect(caps(suspects)).toEqual([CONFIDENCE_CAP_UNMAPPED])
  })

  it('is bounded for a cause that is told by how its place fails, by what was granted, or by a rest', () => {
    const caps = (kind: OperationalCause['kind'], ...signs: readonly Sign[]) =>
      capsOf(fused({ operational: [firm({ kind, signs })] }))
    expect(caps('infra', shown('node-7'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
    expect(caps('infra', told('it restarted', { origin: 'event' }))).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(caps('infra', shown('node-7'), shown('node-8'))).toEqual([])
    expect(caps('network', shown('node-7'))).toEqual([CONFIDENCE_CAP_UNMAPPED])
    expect(caps('config', told('refused'), told('refused', { entity: 'web' }))).toEqual([
      CONFIDENCE_CAP_UNEXPLAINED,
      CONFIDENCE_CAP_SAID,
    ])
  })

  it('is bounded for a used-up resource unless it was the resource that was measured', () => {
    const observed = { ...OBSERVED, suspects: [STOCK], unexplained: [STOCK] }
    const caps = (...signs: readonly Sign[]) =>
      capsOf(fused({ operational: [firm({ kind: 'capacity', signs })], observed }))
    expect(caps(stated('select 1'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    expect(caps(shown('stock'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED])
    expect(caps(shown('stock', 'http_4xx_ratio'))).toEqual([
      CONFIDENCE_CAP_UNEXPLAINED,
      CONFIDENCE_CAP_CONSEQUENCE,
    ])
    // Measured at another place, only one kind of evidence speaks for it.
    expect(caps(shown('node-7'))).toEqual([CONFIDENCE_CAP_UNEXPLAINED, CONFIDENCE_CAP_UNMAPPED])
  })

  it('grows with the kinds of telemetry that were there', () => {
    const covered = (more: Partial<Snapshot>) => {
      const { stated, basis } = fused({
        ranked: [able()],
        snapshot: { ...INCIDENT, ...more },
        observed: OBSERVED,
      })
      return [stated?.coverage, /looked at: ([^;.]*)/.exec(basis)?.[1]]
    }
    expect(covered({})).toEqual([1, 'metrics, logs, traces, changes'])
    expect(covered({ edges: [] })).toEqual([0.75, 'metrics, logs, changes'])
    expect(covered({ edges: [], logs: [] })).toEqual([0.5, 'metrics, changes'])
    expect(covered({ edges: [], logs: [], series: [], changes: [] })).toEqual([0, 'nothing'])
    const pattern = { source: 'patterns', signature: 'x', service: 'stock', count: 1 }
    expect(covered({ logs: [], patterns: [pattern] })).toEqual([1, 'metrics, logs, traces, changes'])
  })
})
