import { describe, expect, it } from 'vitest'
import { sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { observe } from '#shared/domain/investigation/place/failing-services.ts'
import { collectSymptoms } from '#shared/domain/investigation/place/symptoms.ts'
import {
  BEFORE_MS,
  entitiesOf,
  explaining,
  hasShiftedInTime,
  holdsOn,
  isInTime,
  isSaidAtOnset,
  LEAD_MS,
  type Line,
  linesOf,
  matching,
  NEAR_MS,
  outlasts,
  placeSpokenOf,
  placeToldOf,
  type Scene,
  wasChanged,
} from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, lines, ONSET, pattern, series } from '../incident-scenarios.ts'

const sceneOf = (more: Partial<Snapshot>): Scene => {
  const snapshot: Snapshot = { ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }], ...more }
  const names = entityNames(snapshot)
  const observed = observe(snapshot, names, null)
  return {
    ...{ snapshot, observed, names, symptoms: collectSymptoms(snapshot, observed, names) },
    ...{ lines: linesOf(snapshot, observed, names), onset: observed.onset?.at ?? null },
  }
}
const errors = (entity: string) => series(entity, 'http_5xx_ratio', 0.003, 0.4)
const of = (scene: Scene, origin: Line['origin']): readonly Line[] =>
  scene.lines.filter((line) => line.origin === origin)
const line = (more: Partial<Line> = {}): Line => ({
  ...{ text: 'no such host', entity: 'stock', count: 5, at: at(ONSET), source: 'logs', origin: 'log' },
  ...{ failing: true, ...more },
})
const node = (minute: number) => ({
  ...{ source: 'k8s', timestamp: at(minute), kind: 'Node', name: 'node-7', reason: 'MemoryPressure' },
})
const event = (minute: number) => ({
  ...{ source: 'events', timestamp: at(minute), resource: 'db-1', kind: 'failover', message: 'started' },
})

describe('what was said', () => {
  it('is nothing where nobody said anything', () => {
    expect(sceneOf({}).lines).toEqual([])
  })

  it('are the lines that are new or grew, with their variants, and whether they tell of a failure', () => {
    const scene = sceneOf({
      logs: [
        ...lines('stock', 'ERROR', 'the ledger refused order alpha for blue', ONSET, ONSET + 9),
        ...lines('stock', 'ERROR', 'the ledger refused order gamma for blue', ONSET + 9),
        ...lines('stock', 'INFO', 'reading everything again', ONSET),
        ...lines('stock', 'ERROR', 'one retry was needed', 0),
        ...lines('stock', 'INFO', 'posted quickly', 0, 50),
      ],
    })
    expect(of(scene, 'log')).toMatchObject([
      { text: 'reading everything again', failing: false, count: 30 },
      {
        text: 'the ledger refused order alpha for blue',
        failing: true,
        count: 30,
        entity: 'stock',
        at: at(ONSET) + 7_000,
      },
    ])
    expect(of(scene, 'log')[1]?.variants).toEqual(['the ledger refused order gamma for blue'])
  })

  it('are patterns that grew, which fail where their words say so', () => {
    const scene = sceneOf({
      patterns: [
        pattern('stock', 'request failed', 41, 20),
        pattern('stock', 'request served', 90, 20),
        pattern('stock', 'login failed', 40, 20),
      ],
    })
    expect(of(scene, 'pattern')).toMatchObject([
      { text: 'request served', count: 90, failing: false, at: null, entity: 'stock', source: 'patterns' },
      { text: 'request failed', count: 41, failing: true },
    ])
  })

  it('are events of Kubernetes and of platforms from half an hour before the onset to the end of the window', () => {
    expect(BEFORE_MS).toBe(30 * 60_000)
    const minutes = [58, 59, 90, LENGTH - 1, LENGTH]
    const scene = sceneOf({ series: [errors('stock')], k8s: minutes.map(node), events: minutes.map(event) })
    const times = [59, 90, LENGTH - 1].map(at)
    expect(of(scene, 'kubernetes').map(({ at: time }) => time)).toEqual(times)
    expect(of(scene, 'event').map(({ at: time }) => time)).toEqual(times)
    expect(of(scene, 'kubernetes')[0]).toMatchObject({
      ...{ text: 'Node MemoryPressure', entity: 'node-7', count: 1, failing: true, source: 'k8s' },
    })
    expect(of(scene, 'event')[0]).toMatchObject({ text: 'failover started', entity: 'db-1', failing: true })
  })

  it('are events of the whole window where nothing tells the onset, and none from before it', () => {
    const early = { ...event(0), timestamp: at(0) - 1 }
    const { lines: said } = sceneOf({ events: [early, event(0)], k8s: [{ ...node(1), count: 4 }] })
    expect(said.map(({ origin, at: time, count }) => [origin, time, count])).toEqual([
      ['kubernetes', at(1), 4],
      ['event', at(0), 1],
    ])
  })

  it('are alerts in the words that somebody wrote, and failed spans with the words they carry', () => {
    const scene = sceneOf({
      alerts: [{ ...alert('web', 'errors'), summary: 'customers cannot pay', detail: 'since noon' }],
      spans: [0, 1, 2, 3, 4, 5].map((index) => ({
        ...{ source: 'traces', trace_id: `${index}`, span_id: `${index}`, parent_id: null, service: 'stock' },
        ...{ name: 'GET /stock', start: at(ONSET + index), duration_us: 1_000, status: 'ERROR' },
        attributes: { exception: 'NullPointer', retries: 3 },
      })),
    })
    expect(of(scene, 'alert')).toMatchObject([
      { text: 'customers cannot pay. since noon', entity: 'web', at: at(ONSET + 6), failing: true },
    ])
    expect(of(scene, 'trace').map(({ text, at: time }) => [text, time])).toEqual(
      [0, 1, 2, 3, 4].map((index) => ['GET /stock NullPointer', at(ONSET + index)]),
    )
  })

  it('are alerts without a detail too, and none of what is gone or only goes on', () => {
    const { detail: _detail, ...short } = { ...alert('web', 'errors'), summary: 'customers cannot pay' }
    const scene = sceneOf({
      alerts: [short],
      series: [errors('stock')],
      logs: [
        ...lines('stock', 'ERROR', 'an old trouble of before', 0, 40),
        ...lines('stock', 'ERROR', 'what is said all day', 0),
      ],
    })
    expect(scene.lines.map(({ text, failing }) => [text, failing])).toEqual([['customers cannot pay', true]])
  })

  it('come loudest first, then earliest, then by their words and their service', () => {
    const events = [
      { ...event(ONSET), resource: 'b' },
      { ...event(ONSET), resource: 'a' },
      { ...event(ONSET), message: 'ended' },
      event(ONSET - 1),
    ]
    for (const given of [events, events.toReversed()])
      expect(
        sceneOf({ events: given, k8s: [{ ...node(ONSET + 2), count: 9 }] }).lines.map(({ text, entity }) => [
          text,
          entity,
        ]),
      ).toEqual([
        ['Node MemoryPressure', 'node-7'],
        ['failover started', 'db-1'],
        ['failover ended', 'db-1'],
        ['failover started', 'a'],
        ['failover started', 'b'],
      ])
  })
})

describe('lines that tell of something', () => {
  const scene = {
    ...sceneOf({}),
    lines: [line(), line({ failing: false, entity: 'web' }), line({ text: 'disk full' })],
  }

  it('are those that fail in such words', () => {
    expect(matching(scene, /no such host/)).toEqual([line()])
    expect(matching(scene, /timeout/)).toEqual([])
  })

  it('come from whoever says so; an alert is about a service, not from it', () => {
    expect([
      ...entitiesOf([
        line(),
        line({ entity: 'web', origin: 'alert' }),
        line({ entity: null }),
        line({ entity: 'cart' }),
      ]),
    ]).toEqual(['stock', 'cart'])
  })

  it('become signs with everything but what only sorts them', () => {
    expect(sign(line(), 0.4)).toEqual({
      strength: 0.4,
      fact: {
        ...{ of: 'text', text: 'no such host', entity: 'stock', count: 5, at: at(ONSET), source: 'logs' },
        origin: 'log',
      },
    })
  })
})

describe('how much of what is observed they explain', () => {
  const share = (matched: number, all: number): number =>
    explaining(
      {
        ...sceneOf({}),
        symptoms: Array.from({ length: all }, (_, index) => ({
          ...{ text: 'named', plain: index < matched ? 'dns' : 'other', entity: null, weight: 1, at: null },
          ...{ count: 1, origin: 'log' as const, source: 'logs' },
        })),
      },
      /dns/,
    )

  it('is a third where they explain nothing, and all from three tenths of the symptoms on', () => {
    expect(share(0, 10)).toBeCloseTo(0.34)
    expect(share(3, 10)).toBeCloseTo(1)
    expect(share(10, 10)).toBeCloseTo(1)
    expect(share(1, 10)).toBeGreaterThan(share(0, 10))
    expect(share(2, 10)).toBeGreaterThan(share(1, 10))
    expect(share(2, 10)).toBeLessThan(1)
  })

  it('looks at names only where they are asked for', () => {
    const scene: Scene = {
      ...sceneOf({}),
      symptoms: [
        {
          text: 'dns-api fails',
          plain: 'fails',
          entity: null,
          weight: 1,
          at: null,
          count: 1,
          origin: 'log',
          source: 'x',
        },
      ],
    }
    expect(explaining(scene, /dns/)).toBeCloseTo(0.34)
    expect(explaining(scene, /dns/, 'text')).toBeCloseTo(1)
  })
})

describe('lines at the onset', () => {
  const scene = { ...sceneOf({}), onset: at(ONSET) }
  it('are said five times and more within five minutes of it', () => {
    expect(NEAR_MS).toBe(5 * 60_000)
    expect(isSaidAtOnset(scene, [line()])).toBe(true)
    expect(isSaidAtOnset(scene, [line({ count: 4 })])).toBe(false)
    expect(isSaidAtOnset(scene, [line({ count: 4 }), line({ count: 1 })])).toBe(true)
    for (const [minute, near] of [
      [ONSET - 5, true],
      [ONSET + 5, true],
      [ONSET - 5.1, false],
      [ONSET + 5.1, false],
    ] as const)
      expect(isSaidAtOnset(scene, [line({ at: at(minute) })])).toBe(near)
  })

  it('are no alert, none without a time, and none where no onset is known', () => {
    expect(isSaidAtOnset(scene, [line({ origin: 'alert' })])).toBe(false)
    expect(isSaidAtOnset(scene, [line({ at: null })])).toBe(false)
    expect(isSaidAtOnset({ ...scene, onset: null }, [line()])).toBe(false)
    expect(isSaidAtOnset(scene, [])).toBe(false)
  })
})

describe('the place that lines tell of', () => {
  const scene = sceneOf({
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [errors('web'), errors('stock')],
    edges: [{ source: 'edges', caller: 'web', callee: 'stock', t0: at(0), interval_s: 60 }],
    entities: [{ name: 'other', kind: 'service', aliases: [] }],
  })

  it('is what the measurements blame, where it says so itself or is named', () => {
    expect(scene.observed.first?.entity).toBe('stock')
    expect(placeSpokenOf(scene, [line()])).toBe('stock')
    expect(
      placeSpokenOf(scene, [line({ entity: 'other' }), line({ entity: 'other', text: 'stock refused' })]),
    ).toBe('stock')
    expect(placeSpokenOf(scene, [line({ entity: 'other', text: 'other refused' })])).toBeNull()
    expect(placeSpokenOf(scene, [])).toBeNull()
  })

  it('is that too where its caller says so', () => {
    expect(placeToldOf(scene, [line({ entity: 'web' })])).toBe('stock')
    expect(placeSpokenOf(scene, [line({ entity: 'web' })])).toBeNull()
    expect(placeToldOf(scene, [line({ entity: 'other' })])).toBeNull()
    expect(placeToldOf(scene, [line({ entity: null })])).toBeNull()
    expect(placeToldOf(scene, [line()])).toBe('stock')
    expect(placeToldOf(scene, [line({ entity: 'other' }), line({ entity: 'web' })])).toBe('stock')
    expect(placeToldOf(scene, [])).toBeNull()
  })

  it('is none where nothing is blamed', () => {
    expect(placeToldOf(sceneOf({}), [line()])).toBeNull()
    expect(placeToldOf(sceneOf({}), [line({ entity: null })])).toBeNull()
  })
})

describe('what can have brought the symptoms', () => {
  const onset = at(ONSET)
  const scene = { ...sceneOf({}), onset }
  const moved = (began: number | null, ended: number | null): SeriesShift =>
    ({ onset: { at: began }, ended_at: ended }) as unknown as SeriesShift

  it('began from a quarter of an hour before anybody felt it to five minutes after, or nobody knows when', () => {
    expect(LEAD_MS).toBe(15 * 60_000)
    expect(
      [
        onset - LEAD_MS - 1,
        onset - LEAD_MS,
        onset,
        onset + NEAR_MS,
        onset + NEAR_MS + 1,
        at(0),
        at(LENGTH),
        null,
      ].map((began) => isInTime(scene, began)),
    ).toEqual([false, true, true, true, false, false, false, true])
    for (const began of [at(0), at(LENGTH), null])
      expect(isInTime({ ...scene, onset: null }, began)).toBe(true)
  })

  it('left normal in time and was not well again before anybody felt it', () => {
    expect(hasShiftedInTime(scene, moved(onset, null))).toBe(true)
    expect(hasShiftedInTime(scene, moved(onset, onset + 1))).toBe(true)
    expect(hasShiftedInTime(scene, moved(onset - 1, onset))).toBe(false)
    expect(hasShiftedInTime(scene, moved(at(0), null))).toBe(false)
    expect(hasShiftedInTime(scene, moved(at(0), onset + 1))).toBe(false)
    expect(hasShiftedInTime({ ...scene, onset: null }, moved(at(0), at(1)))).toBe(true)
  })

  it('lasted as long as the failing did, give or take five minutes', () => {
    const failing = (ended_at: number | null) => ({
      first: { ended_at } as unknown as Scene['observed']['first'],
    })
    const end = at(ONSET + 20)
    expect(holdsOn(failing(end), moved(onset, null))).toBe(true)
    expect(holdsOn(failing(null), moved(onset, null))).toBe(true)
    expect(holdsOn({ first: null }, moved(onset, end))).toBe(true)
    expect(holdsOn(failing(end), moved(onset, end - NEAR_MS))).toBe(true)
    expect(holdsOn(failing(end), moved(onset, end - NEAR_MS - 1))).toBe(false)
    expect(holdsOn(failing(end), moved(onset, end + NEAR_MS))).toBe(true)
    // What still fails is not brought by what is well again.
    expect(holdsOn(failing(null), moved(onset, end))).toBe(false)
  })
})

describe('whether something of an entity was changed', () => {
  const change = (from: number | null, entity: string | undefined = 'stock'): Change =>
    ({
      ...{ source: 'deploys', id: 'd1', kind: 'deploy', recorded_at: at(0) },
      ...(entity === undefined ? {} : { entity }),
      ...(from === null ? {} : { effective_at: { from, to: from } }),
    }) as Change
  const entities = [
    { name: 'stock', kind: 'service' as const, aliases: [{ alias: 'stock-be', learnt_from: 'labels' }] },
  ]
  const changed = (changes: readonly Change[], onset: number | null = at(ONSET)) =>
    wasChanged({ ...sceneOf({ changes, entities }), onset }, 'stock')

  it('counts what took effect from half an hour before the onset to five minutes after', () => {
    const onset = at(ONSET)
    expect(
      [onset - BEFORE_MS - 1, onset - BEFORE_MS, onset, onset + NEAR_MS, onset + NEAR_MS + 1].map((from) =>
        changed([change(from)]),
      ),
    ).toEqual([false, true, true, true, false])
  })

  it('counts one of several, by any name of the entity, and none that nobody can place or date', () => {
    expect(changed([change(at(0)), change(at(ONSET)), change(at(ONSET), 'web')])).toBe(true)
    expect(changed([change(at(ONSET), 'stock-be')])).toBe(true)
    expect(changed([change(at(ONSET), 'web')])).toBe(false)
    expect(changed([change(null)])).toBe(false)
    expect(changed([])).toBe(false)
    expect(changed([change(at(ONSET))], null)).toBe(false)
    const { entity: _entity, ...nowhere } = change(at(ONSET))
    expect(wasChanged({ ...sceneOf({ changes: [nowhere] }), onset: at(ONSET) }, null)).toBe(false)
  })
})

describe('what is off for as long as users are hurt', () => {
  const shift = (entity: string, ended: number | null, more: Partial<SeriesShift> = {}): SeriesShift =>
    ({
      ...{ series: { entity }, is_bad: true, meaning: { weight: 1 } },
      ended_at: ended === null ? null : at(ended),
      ...more,
    }) as SeriesShift
  const lasting = (own: SeriesShift, asked: SeriesShift, first: number | null = null): boolean =>
    outlasts(
      {
        ...{ first: { ended_at: first === null ? null : at(first) } as never, symptom_service: 'web' },
        ...{ shifts: [own, asked], normal: { incident: { from: at(80), to: at(120) } } as never },
      },
      own,
    )

  it('is what has not ended, or ended within minutes of the end of what was looked at', () => {
    expect(lasting(shift('edge', null), shift('web', null))).toBe(true)
    expect(lasting(shift('edge', 115), shift('web', null))).toBe(true)
    expect(lasting(shift('edge', 114.9), shift('web', null))).toBe(false)
    // What first failed may be well again while they are not.
    expect(lasting(shift('edge', 100), shift('web', null), 100)).toBe(false)
  })

  it('is held against what first failed where users of who was asked about are hurt no more', () => {
    expect(lasting(shift('edge', 100), shift('web', 105), 105)).toBe(true)
    expect(lasting(shift('edge', 99), shift('web', 105), 105)).toBe(false)
    expect(lasting(shift('edge', 100), shift('other', null), 105)).toBe(true)
    expect(lasting(shift('edge', 100), shift('web', null, { is_bad: false }), 105)).toBe(true)
    expect(lasting(shift('edge', 100), shift('web', null, { meaning: { weight: 0.89 } as never }), 105)).toBe(
      true,
    )
    expect(lasting(shift('edge', 100), shift('web', null, { meaning: { weight: 0.9 } as never }), 105)).toBe(
      false,
    )
  })
})
