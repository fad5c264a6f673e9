import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packSnapshot, unpackSnapshot } from '#shared/adapters/bundle/write-bundle.ts'
import { withKeepableRecords } from '#shared/domain/investigation/records/keepable-records.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import { NOTHING_PULLED, type Pulled, RECORD_LISTS } from '#shared/domain/investigation/records/snapshot.ts'
import { anySnapshot } from '#test/adapters/bundle/arbitrary-snapshot.ts'
import { at } from '../incident-scenarios.ts'

const WHAT = 'integration int_1 (grafana)'
const keep = (pulled: Partial<Pulled>) => withKeepableRecords({ ...NOTHING_PULLED, ...pulled }, WHAT)
const change = (more: object = {}) =>
  ({ source: 'notes', id: 'n1', kind: 'deploy', recorded_at: at(10), ...more }) as Pulled['changes'][number]
const oneOf = (list: keyof Pulled, record: object): unknown =>
  (keep({ [list]: [record] } as never)[list] as readonly unknown[])[0]

describe('records that a snapshot can keep', () => {
  it('are left as they are', () => {
    fc.assert(
      fc.property(anySnapshot, (any) => {
        const inOrder = any.alerts.filter(({ fired_at, resolved_at = fired_at }) => resolved_at >= fired_at)
        const snapshot = { ...any, alerts: inOrder }
        expect(withKeepableRecords(snapshot, WHAT)).toEqual(snapshot)
      }),
    )
  })

  it.each([
    ['no number', Number.NaN],
    ['nanoseconds', 1.7e18],
    ['after the year 9999', Date.UTC(10_000, 0, 1)],
    ['before the year 100', Date.UTC(99, 11, 31) - 2e12 - 6e13],
    ['infinite', Number.POSITIVE_INFINITY],
  ])('have a real instant, not one that is %s', (_name, instant) => {
    const others = { kind: 'Pod', name: 'a', message: 'm' }
    const { changes, alerts, logs, events, k8s, gaps } = keep({
      changes: [change({ recorded_at: instant }), change({ id: 'n2' })],
      alerts: [{ source: 's', name: 'a', fired_at: instant }],
      logs: [{ source: 's', timestamp: instant, service: 'a', severity: 'error', message: 'm' }],
      events: [{ source: 's', timestamp: instant, resource: 'a', kind: 'k', message: 'm' }],
      k8s: [{ source: 's', timestamp: instant, ...others }],
    })
    expect(changes).toEqual([change({ id: 'n2' })])
    expect([...alerts, ...logs, ...events, ...k8s]).toEqual([])
    expect(gaps).toEqual([
      { what: WHAT, why: '5 records are left out: without a name, a real time or a number.' },
    ])
  })

  it('end when they begin where they would end before', () => {
    const early = { from: at(10), to: at(9) }
    const once = { from: at(10), to: at(10) }
    expect(oneOf('changes', change({ effective_at: early }))).toEqual(change({ effective_at: once }))
    expect(oneOf('changes', change({ effective_at: { from: at(10), to: 0 } }))).toEqual(
      change({ effective_at: once }),
    )
    expect(oneOf('changes', change({ effective_at: { from: Number.NaN, to: at(9) } }))).toEqual(change())
    const alert = { source: 's', name: 'a', fired_at: at(10) }
    expect(oneOf('alerts', { ...alert, resolved_at: at(9) })).toEqual({ ...alert, resolved_at: at(10) })
    expect(oneOf('alerts', { ...alert, resolved_at: Number.NaN })).toEqual(alert)
  })

  it('hold points of which each is later than the one before, and not measured what is no number', () => {
    const series = { source: 's', entity: 'a', name: 'n', labels: {}, type: 'gauge' }
    const times = [at(1), at(3), at(2), at(3), 1.7e18, at(4)]
    const values = [1, 2, 3, 4, 5, Number.POSITIVE_INFINITY]
    expect(
      oneOf('series', { ...series, times: Float64Array.from(times), values: Float64Array.from(values) }),
    ).toEqual({
      ...series,
      times: Float64Array.from([at(1), at(3), at(4)]),
      values: Float64Array.from([1, 2, Number.NaN]),
    })
  })

  it('are written and read again whatever a tool gave in them', () => {
    const odd = fc.constantFrom<unknown>(
      ...['', Number.NaN, -1, 0, 1.7e18, -7e13, 4e14, Number.POSITIVE_INFINITY, [''], { a: Number.NaN }],
      ...[
        { from: 2, to: 1 },
        { from: Number.NaN, to: 1 },
        { from: 1, to: 1.7e18 },
      ],
    )
    const isAlike = (value: unknown, other: unknown) =>
      (value as object | null)?.constructor === (other as object | null)?.constructor
    const CHOSEN_BY_US = ['source', 'type', 'certainty', 'waits', 'labels']
    /** Every field of a record in turn with what is odd of its type. */
    const poisoned = (record: object, value: unknown, pick: number): object => {
      const names = Object.entries(record).flatMap(([name, was]) =>
        !CHOSEN_BY_US.includes(name) && !('recorded_at' in record && name === 'kind') && isAlike(was, value)
          ? [name]
          : [],
      )
      const name = names[pick % names.length]
      return name === undefined ? record : { ...record, [name]: value }
    }
    const untouched: readonly string[] = ['entities', 'statements', 'patterns', 'status', 'gaps']
    const lists = RECORD_LISTS.filter((list) => !untouched.includes(list))
    fc.assert(
      fc.property(
        anySnapshot,
        fc.array(odd, { minLength: 4, maxLength: 4 }),
        fc.nat(7),
        (snapshot, values, pick) => {
          const records = [...lists, 'patterns' as const].map((list) => [
            list,
            (snapshot[list] as readonly object[]).map((one, index) =>
              poisoned(one, values[index % values.length], pick + index),
            ),
          ])
          const { format: _f, window, baselines, ...pulled } = snapshot
          const kept = withKeepableRecords({ ...pulled, ...Object.fromEntries(records) }, WHAT)
          const whole = mergePulled(window, baselines, [kept])
          const { bytes, digest } = packSnapshot(whole)
          expect(() => unpackSnapshot(bytes, digest)).not.toThrow()
        },
      ),
      { numRuns: 500 },
    )
  })
})
