import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { NOTHING_PULLED, type Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { anySnapshot } from '../../../adapters/bundle/arbitrary-snapshot.ts'

const OURS = { from: 0, to: 10 }
const OUR_BASELINES = [{ name: 'b1', from: -10, to: 0 }]
const merged = (...parts: Pulled[]) => mergePulled(OURS, OUR_BASELINES, parts)
/** What a tool that was asked for our window gives. */
const anyPart = anySnapshot.map(({ format: _, window: __, baselines: ___, ...part }): Pulled => part)
const sourceOf = (id: string): Pulled['sources'][number] => ({
  id,
  tool: 't',
  query: id,
  outcome: 'answered',
  records: 0,
})

test('one part alone comes out as it is, under our window', () => {
  fc.assert(
    fc.property(anyPart, (part) => {
      expect(merged(part)).toEqual({
        format: 'incident-bundle/1',
        window: OURS,
        baselines: OUR_BASELINES,
        ...part,
      })
    }),
    { numRuns: 50 },
  )
})

test('nothing pulled is neutral, and grouping does not matter', () => {
  fc.assert(
    fc.property(anyPart, anyPart, anyPart, (a, b, c) => {
      expect(merged(NOTHING_PULLED, a, NOTHING_PULLED, b)).toEqual(merged(a, b))
      const { format: _, window: __, baselines: ___, ...left } = merged(a, b)
      expect(merged(left, c)).toEqual(merged(a, b, c))
    }),
    { numRuns: 40 },
  )
})

test('source ids are unique, every record still points to the request that brought it, none is lost', () => {
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 4 }), (parts) => {
      const snapshot = merged(...parts)
      const byId = new Map(snapshot.sources.map((source) => [source.id, source]))
      expect(byId.size).toBe(snapshot.sources.length)
      const before = parts.flatMap((part) =>
        part.logs.map((log) => {
          const source = part.sources.find(({ id }) => id === log.source)
          return [log.message, source?.query, source?.tool]
        }),
      )
      expect(
        snapshot.logs.map((log) => [log.message, byId.get(log.source)?.query, byId.get(log.source)?.tool]),
      ).toEqual(before)
      expect(snapshot.gaps).toHaveLength(parts.flatMap(({ gaps }) => gaps).length)
    }),
    { numRuns: 40 },
  )
})

test('a free id never takes a name that its own part uses', () => {
  const one = { ...NOTHING_PULLED, sources: [sourceOf('logs')] }
  const two = {
    ...NOTHING_PULLED,
    sources: [sourceOf('logs'), sourceOf('logs_2')],
    gaps: [{ what: 'a', why: 'b', source: 'logs' }],
  }
  const snapshot = merged(one, two)
  expect(snapshot.sources.map(({ id }) => id)).toEqual(['logs', 'logs_3', 'logs_2'])
  expect(snapshot.gaps[0]?.source).toBe('logs_3')
})

test('the window of the only part that declares one wins over ours, with its baselines', () => {
  const bundle: Pulled = { ...NOTHING_PULLED, window: { from: 50, to: 60 }, baselines: [] }
  expect(merged(NOTHING_PULLED, bundle)).toMatchObject({
    window: { from: 50, to: 60 },
    baselines: [],
    gaps: [],
  })
  expect(merged(bundle, bundle)).toMatchObject({ window: { from: 50, to: 60 }, gaps: [] })
  const { baselines: _, ...bare } = bundle
  expect(merged(bare).baselines).toEqual([])
})

test('parts that declare different windows leave ours in place, and that is a gap', () => {
  const one: Pulled = { ...NOTHING_PULLED, window: { from: 50, to: 60 } }
  const two: Pulled = { ...NOTHING_PULLED, window: { from: 70, to: 80 } }
  expect(merged(one, two)).toMatchObject({
    window: OURS,
    baselines: OUR_BASELINES,
    gaps: [{ what: 'window', why: expect.stringContaining('2 tools') }],
  })
})

test('the same entity from two tools is one entity with the aliases of both', () => {
  const entity = (...aliases: string[]): Pulled => ({
    ...NOTHING_PULLED,
    entities: [
      { name: 'cart', kind: 'service', aliases: aliases.map((alias) => ({ alias, learnt_from: 'x' })) },
    ],
  })
  expect(merged(entity('a', 'b'), entity('b', 'c')).entities).toEqual([
    {
      name: 'cart',
      kind: 'service',
      aliases: ['a', 'b', 'c'].map((alias) => ({ alias, learnt_from: 'x' })),
    },
  ])
})

test('entities of one name are two where their kind, namespace or environment differs', () => {
  const one = { name: 'cart', kind: 'service' as const, aliases: [] }
  const others = [
    { ...one, kind: 'node' as const },
    { ...one, namespace: 'prod' },
    { ...one, environment: 'live' },
    { ...one, namespace: 'live' },
  ]
  const given = [one, ...others, ...others]
  expect(merged({ ...NOTHING_PULLED, entities: given }).entities).toEqual([one, ...others])
})

test('an alias is known once for each that it was learnt from', () => {
  const entity = (learnt_from: string): Pulled => ({
    ...NOTHING_PULLED,
    entities: [{ name: 'cart', kind: 'service', aliases: [{ alias: 'a', learnt_from }] }],
  })
  const [joined] = merged(entity('x'), entity('y'), entity('x')).entities
  expect(joined?.aliases).toEqual(['x', 'y'].map((learnt_from) => ({ alias: 'a', learnt_from })))
})

test('parts agree on a window where its ends and its baselines are the same, down to their names', () => {
  const base = { name: 'b', from: 0, to: 5 }
  const part = (baselines?: Pulled['baselines'], window = { from: 50, to: 60 }): Pulled => ({
    ...NOTHING_PULLED,
    window,
    ...(baselines && { baselines }),
  })
  const agree = (one: Pulled, other: Pulled): boolean => merged(one, other).gaps.length === 0
  expect([agree(part([base]), part([{ ...base }])), agree(part(), part()), agree(part(), part([]))]).toEqual([
    ...[true, true, true],
  ])
  for (const other of [
    { ...base, name: 'c' },
    { ...base, from: 1 },
    { ...base, to: 6 },
  ])
    expect(agree(part([base]), part([other]))).toBe(false)
  expect(agree(part([base]), part())).toBe(false)
  for (const window of [
    { from: 51, to: 60 },
    { from: 50, to: 61 },
  ])
    expect(agree(part(), part([], window))).toBe(false)
  expect(merged(part([base])).gaps).toEqual([])
  expect(merged(NOTHING_PULLED)).toMatchObject({ window: OURS, baselines: OUR_BASELINES, gaps: [] })
})

test('what declares quite another time is left out where others gave records, which is a gap; who was asked stays', () => {
  const log = { message: 'm', timestamp: 5, source: 'live' }
  const live = { ...NOTHING_PULLED, sources: [sourceOf('live')], logs: [log] } as unknown as Pulled
  const old = (window: Pulled['window']) =>
    ({
      ...{ ...NOTHING_PULLED, sources: [sourceOf('old')], gaps: [{ what: 'a', why: 'b' }], window },
      logs: [{ ...log, timestamp: 55, source: 'old' }],
    }) as unknown as Pulled
  const far = merged(old({ from: 50, to: 60 }), live)
  expect(far).toMatchObject({ window: OURS, baselines: OUR_BASELINES, logs: [log] })
  expect(far.sources.map(({ id }) => id)).toEqual(['old', 'live'])
  expect(far.gaps).toEqual([
    { what: 'a', why: 'b' },
    {
      what: 'what t gave',
      why: 'it is of 1970-01-01T00:00:00.050Z to 1970-01-01T00:00:00.060Z, and others answered for the time that was asked',
    },
  ])
  // Where its time is also ours, or nobody else gave a record, what it declares holds.
  for (const near of [
    { from: 9, to: 60 },
    { from: -50, to: 1 },
  ])
    expect(merged(old(near), live)).toMatchObject({ window: near, logs: [{ timestamp: 55 }, log] })
  for (const apart of [
    { from: 10, to: 60 },
    { from: -50, to: 0 },
  ])
    expect(merged(old(apart), live)).toMatchObject({ window: OURS, logs: [log] })
  const asked = { ...NOTHING_PULLED, sources: [sourceOf('live')] }
  expect(merged(old({ from: 50, to: 60 }), asked)).toMatchObject({ window: { from: 50, to: 60 } })
  const { sources: _, ...bare } = old({ from: 50, to: 60 })
  expect(merged({ ...bare, sources: [] }, live).gaps[1]?.what).toBe('what a tool gave')
})
