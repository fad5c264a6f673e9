import { describe, expect, it } from 'vitest'
import {
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_UNLINKED,
} from '#shared/domain/investigation/confidence.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { LogLine, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, deploy, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import { causes, facts, place, risen, said } from '../scene-by-hand.ts'

type Levels = readonly [before: number, during: number]
interface Made {
  readonly name?: string
  readonly label?: string
  /** Levels of each copy; the first is the one that differs. */
  readonly levels?: readonly Levels[]
  readonly of?: Partial<Series>
}
const made = ({ name = 'http_errors_ratio', label = 'pod', levels = ODD, of = {} }: Made = {}): Series[] =>
  levels.map(([before, during], copy) => ({
    ...series('stock', name, before, during),
    labels: { [label]: `c${copy}` },
    ...of,
  }))
const ODD: readonly Levels[] = [
  [0.01, 0.9],
  [0.01, 0.01],
  [0.01, 0.01],
]
const from = (instance: string, message: string, count = 9, service = 'stock'): LogLine[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{
      source: 'logs',
      timestamp: at(ONSET) + index * 20_000,
      service,
      severity: 'ERROR',
      message,
      instance,
    },
  }))
const WORDS = 'segment of the local table is missing'

interface Scene {
  readonly series?: readonly Series[]
  readonly lines?: readonly LogLine[]
  readonly changes?: Snapshot['changes']
  readonly words?: readonly string[]
  readonly shifted?: readonly Series[]
  readonly shift?: Parameters<typeof risen>[2]
  readonly observed?: Partial<Observed>
}
const NORMAL: Observed['normal'] = {
  baselines: [{ name: 'b', from: at(0), to: at(ONSET) }],
  ...{ origin: 'declared', incident: { from: at(0), to: at(LENGTH) } },
}
function differing(kind: 'infra' | 'data', scene: Scene = {}) {
  const { series: all = [...made(), ...made({ name: 'queue_depth' })], lines = [], changes = [] } = scene
  const { words = lines.length > 0 ? [WORDS] : [], shift = {}, observed = {} } = scene
  const moved = scene.shifted ?? all.filter(({ labels }) => Object.values(labels)[0] === 'c0')
  const shifts = moved.map((one) => ({ ...risen('stock', one.name, shift), series: one }))
  return causes({
    templates: words.map((text) => said(text)),
    shifts,
    snapshot: { series: all, logs: lines, changes },
    observed: { normal: NORMAL, first: place('stock'), ...observed },
  }).find(({ what }) =>
    (kind === 'infra' ? /instance that does otherwise/ : /part of the data that does otherwise/).test(what),
  )
}
const COPIES = [...from('c0', WORDS), ...from('c1', 'handled 7 requests', 3)]

describe('one copy that differs from its peers', () => {
  it('is told by what it alone does, possible while nobody says so', () => {
    const found = differing('infra')
    expect(found).toMatchObject({
      ...{ entity: 'stock', action: 'reschedule', score: 0.6425, at_most: CONFIDENCE_CAP_UNLINKED },
      ...{ what: 'one instance that does otherwise than its peers', yields_to_changes: false },
    })
    expect(found?.is_whole).toBeUndefined()
    expect(facts(found)).toEqual([
      [0.45, 'http_errors_ratio'],
      [0.35, 'queue_depth'],
    ])
  })

  it('is whole where it alone says what is new, and likely at most: which copy it is is seen, and not why', () => {
    const found = differing('infra', { lines: COPIES })
    expect(found).toMatchObject({ is_whole: true, score: 0.803375, at_most: CONFIDENCE_CAP_CONSEQUENCE })
    expect(facts(found)).toContainEqual([0.45, WORDS])
    const more = ['a_depth', 'b_depth', 'c_depth'].flatMap((name) => made({ name }))
    expect(differing('infra', { series: [...made(), ...more], lines: COPIES })?.score).toBe(0.85)
  })

  it('is of the kind of which it alone complains in the words of a system, else of its own', () => {
    const of = (text: string) =>
      differing('infra', {
        lines: [...from('c0', text), ...from('c1', 'handled 7 requests', 3)],
        words: [text],
      })
    expect(of('pool timeout: 20/20 connections in use')).toMatchObject({
      ...{ kind: 'capacity', action: 'reschedule', what: 'one instance that does otherwise than its peers' },
    })
    expect(of('write: no space left on device')).toMatchObject({ kind: 'capacity', action: 'scale' })
    expect(of('dial: no route to host')).toMatchObject({ kind: 'infra', action: 'reschedule' })
  })

  it('yields, and is possible alone, where a record says that the place was changed', () => {
    const changes = [deploy('d1', ONSET - 2, 'stock', 'v2', [])]
    const found = differing('infra', { lines: COPIES, changes })
    expect(found).toMatchObject({ yields_to_changes: true, at_most: CONFIDENCE_CAP_UNLINKED })
  })

  it('needs two signs, one of them measured', () => {
    expect(differing('infra', { series: made() })).toBeUndefined()
    expect(differing('infra', { series: [], lines: COPIES })).toBeUndefined()
    expect(differing('infra', { series: made(), lines: COPIES })?.signs).toHaveLength(2)
    expect(differing('infra', { series: [...made(), ...made({ label: 'instance' })] })).toBeUndefined()
  })

  it('may be one that does less than its peers, and is none where nothing moved by half', () => {
    const idle: readonly Levels[] = [
      [5, 0],
      [5, 5.1],
      [5, 5.1],
    ]
    const less = [...made({ name: 'sent_per_second', levels: idle }), ...made()]
    expect(facts(differing('infra', { series: less }))).toContainEqual([0.35, 'sent_per_second'])
    const little: readonly Levels[] = [
      [5, 9],
      [5, 5],
    ]
    expect(
      differing('infra', { series: [...made(), ...made({ name: 'd', levels: little })] }),
    ).toBeUndefined()
    const twice: readonly Levels[] = [
      [5, 11],
      [5, 5],
    ]
    expect(differing('infra', { series: [...made(), ...made({ name: 'd', levels: twice })] })).toBeDefined()
  })

  it('is none where others went a part of the way, or another one goes as well', () => {
    const some: readonly Levels[] = [
      [1, 9],
      [1, 4],
      [1, 1],
    ]
    expect(differing('infra', { series: [...made(), ...made({ name: 'd', levels: some })] })).toBeUndefined()
    const few: readonly Levels[] = [
      [1, 9],
      [1, 2.5],
      [1, 1],
    ]
    expect(differing('infra', { series: [...made(), ...made({ name: 'd', levels: few })] })).toBeDefined()
    const other = made({ name: 'd' }).map((one, index) => ({ ...one, labels: { pod: `c${2 - index}` } }))
    const both = [...made(), ...other]
    expect(differing('infra', { series: both, shifted: [both[0], both[3]] as Series[] })).toBeUndefined()
  })

  it('is none of what is measured once, by another label, of another entity or in buckets', () => {
    for (const one of [
      made({ name: 'd', levels: ODD.slice(0, 1) }),
      made({ name: 'd', label: 'route' }),
      made({ name: 'd', of: { entity: 'web' } }),
      made({ name: 'd', of: { type: 'histogram' } }),
      made({ name: 'd', of: { labels: { pod: 'c0' } } }),
    ])
      expect(differing('infra', { series: [...made(), ...one] })).toBeUndefined()
  })

  it('is told wherever it stands among them, and up to a quarter of its way by another', () => {
    const last: readonly Levels[] = [
      [4, 4],
      [4, 6],
      [4, 12],
    ]
    const flat = (of: readonly Levels[], name: string) =>
      made({ name, levels: of }).map((one, copy) => ({
        ...one,
        values: one.values.map((_, minute) => (of[copy] as Levels)[minute < ONSET ? 0 : 1]),
      }))
    const shifted = (all: readonly Series[]) => all.filter(({ labels }) => labels.pod === 'c2')
    const all = [...flat(last, 'a_depth'), ...flat(last, 'b_depth')]
    expect(facts(differing('infra', { series: all, shifted: shifted(all) }))).toEqual([
      [0.35, 'a_depth'],
      [0.35, 'b_depth'],
    ])
    const more = last.map(([before, during], copy): Levels => [before, copy === 1 ? 6.1 : during])
    const beyond = [...flat(more, 'a_depth'), ...flat(more, 'b_depth')]
    expect(differing('infra', { series: beyond, shifted: shifted(beyond) })).toBeUndefined()
  })

  it('is compared with copies of the same thing alone', () => {
    const routes = ['a', 'b'].flatMap((route) =>
      made({ name: 'd' }).map((one) => ({ ...one, labels: { ...one.labels, route } })),
    )
    expect(differing('infra', { series: [...made(), ...routes] })).toBeDefined()
    const nodes = made({ name: 'd' }).map((one, index) => ({
      ...one,
      labels: { ...one.labels, node: `n${index}` },
    }))
    expect(differing('infra', { series: [...made(), ...nodes] })).toBeDefined()
  })

  it('is none that was so long before, was over, or whose way nobody measured', () => {
    const early = { at: at(ONSET - 40), earliest: at(ONSET - 40), latest: at(ONSET - 40) }
    expect(differing('infra', { shift: { onset: early } })).toBeUndefined()
    expect(differing('infra', { shift: { ended_at: at(ONSET + 9) } })).toBeUndefined()
    expect(differing('infra', { shifted: [] })).toBeUndefined()
    const blank = made({ name: 'd', of: { values: new Float64Array(LENGTH).fill(Number.NaN) } })
    expect(differing('infra', { series: [...made(), ...blank] })).toBeUndefined()
    expect(differing('infra', { observed: { onset: null } })).toBeUndefined()
    expect(differing('infra', { observed: { first: null } })).toBeUndefined()
  })

  it('is not told by lines that several say, too few, other ones, or of long before', () => {
    const both = [...from('c0', WORDS, 6), ...from('c1', WORDS, 4)]
    const few = [...from('c0', WORDS, 4), ...from('c1', 'handled 7 requests')]
    const alone = from('c0', WORDS)
    const old = COPIES.map((line) => ({ ...line, timestamp: line.timestamp - 3_600_000 }))
    const elsewhere = [...from('c0', WORDS, 9, 'web'), ...from('c1', 'handled 7 requests')]
    const unnamed = COPIES.map(({ instance: _, ...line }) => line)
    for (const lines of [both, few, alone, old, elsewhere, unnamed])
      expect(differing('infra', { series: made(), lines })).toBeUndefined()
    const most = [...from('c0', WORDS, 9), ...from('c1', WORDS, 2)]
    expect(differing('infra', { series: made(), lines: most })).toBeDefined()
  })

  it('is not told by lines of which two copies each say one, nor by one whose peers do what was measured', () => {
    const two = [...from('c0', WORDS), ...from('c1', 'ran out of ink')]
    expect(
      differing('infra', { series: made(), lines: two, words: [WORDS, 'ran out of ink'] }),
    ).toBeUndefined()
    const another = [...from('c1', WORDS), ...from('c0', 'handled 7 requests', 3)]
    expect(differing('infra', { lines: another })).toBeUndefined()
    // A tool that counts its workers does not know the names of pods.
    const named = [...from('stock-x1', WORDS), ...from('stock-x2', 'handled 7 requests', 3)]
    expect(differing('infra', { series: made({ label: 'worker' }), lines: named })).toBeDefined()
  })

  it('is not told by what is no complaint, or is said from another time on', () => {
    const at_ = (more: Parameters<typeof said>[2], service = 'stock') =>
      causes({
        templates: [said(WORDS, service, more)],
        shifts: [{ ...risen('stock', 'http_errors_ratio'), series: COPY[0] as Series }],
        snapshot: { series: COPY, logs: COPIES },
        observed: { normal: NORMAL, first: place('stock') },
      }).find(({ what }) => /otherwise/.test(what))
    const COPY = made()
    expect(at_({})).toBeDefined()
    expect(at_({ risen_at: at(ONSET + 5) })).toBeDefined()
    expect(at_({ risen_at: at(ONSET + 6) })).toBeUndefined()
    expect(at_({ severity: 'information' })).toBeUndefined()
    expect(at_({}, 'web')).toBeUndefined()
  })

  it('is told by a line that names a part only where the place itself complains of it from then on', () => {
    const shards = [...made({ label: 'shard' }), ...made({ label: 'shard', name: 'queue_depth' })]
    const told = (more: Parameters<typeof said>[2], service = 'stock') =>
      causes({
        templates: [said('shard c0 is not allocated', service, more)],
        shifts: shards
          .filter(({ labels }) => labels.shard === 'c0')
          .map((one) => ({ ...risen('stock', one.name), series: one })),
        snapshot: { series: shards },
        observed: { normal: NORMAL, first: place('stock') },
      }).find(({ what }) => /otherwise/.test(what))
    expect(told({})?.is_whole).toBe(true)
    expect(told({ severity: 'information' })?.is_whole).toBeUndefined()
    expect(told({ during: 4 })?.is_whole).toBeUndefined()
    expect(told({}, 'web')?.is_whole).toBeUndefined()
  })

  it('may be a part of the data, named as it is measured', () => {
    const shards = [...made({ label: 'shard' }), ...made({ label: 'shard', name: 'queue_depth' })]
    expect(differing('data', { series: shards })).toMatchObject({
      ...{ entity: 'stock', action: 'escalate', at_most: CONFIDENCE_CAP_UNLINKED },
      what: 'one part of the data that does otherwise than the others',
    })
    expect(differing('infra', { series: shards })).toBeUndefined()
    expect(differing('data')).toBeUndefined()
    const told = differing('data', { series: shards, words: ['Shard: c0 is not allocated'] })
    expect(told).toMatchObject({ is_whole: true })
    expect(facts(told)).toContainEqual([0.45, 'Shard: c0 is not allocated'])
    for (const words of ['shard c01 is not allocated', 'reshard c0 is late', 'nothing is allocated'])
      expect(differing('data', { series: shards, words: [words] })?.is_whole).toBeUndefined()
  })
})
