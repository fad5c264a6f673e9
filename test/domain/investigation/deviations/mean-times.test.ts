import { describe, expect, it } from 'vitest'
import { withMeanTimes } from '#shared/domain/investigation/deviations/mean-times.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const total = (name: string, values: readonly number[], more: Partial<Series> = {}): Series => ({
  ...{ source: 's', entity: 'shop', name, labels: {}, type: 'counter' },
  times: Float64Array.from(values, (_, minute) => at(minute)),
  values: Float64Array.from(values),
  ...more,
})
const given = (...series: readonly Series[]): Snapshot => ({ ...EMPTY, series })
const madeOf = (snapshot: Snapshot) => withMeanTimes(snapshot).series.slice(snapshot.series.length)

describe('waiting of which sums and counts are told', () => {
  const sums = total('http_request_duration_seconds_sum', [0, 5, 5, 25])
  const counts = total('http_request_duration_seconds_count', [0, 10, 10, 20])
  it('is the mean of each interval, and unknown where nothing was waited for', () => {
    const [mean] = madeOf(given(sums, counts))
    expect(mean).toMatchObject({
      ...{ entity: 'shop', name: 'http_request_duration_seconds', type: 'gauge', agg: 'avg', unit: 's' },
    })
    expect([...(mean as Series).values]).toEqual([0.5, Number.NaN, 2])
    expect([...(mean as Series).times]).toEqual([at(0), at(1), at(2)])
  })

  it('is told in milliseconds where the name says so', () => {
    const [mean] = madeOf(
      given(
        total('http_server_duration_milliseconds_sum', [0, 50]),
        total('http_server_duration_milliseconds_count', [0, 10]),
      ),
    )
    expect(mean).toMatchObject({ unit: 'ms' })
  })

  it('is one mean of all statuses and copies, weighed by how many each has, without what the entity asks of others', () => {
    const of = (part: Series, labels: Record<string, string>, factor: number): Series => ({
      ...part,
      labels,
      values: part.values.map((value) => factor * value),
    })
    const made = madeOf(
      given(
        ...[of(sums, { pod: 'a' }, 1), of(counts, { pod: 'a' }, 1)],
        ...[of(sums, { pod: 'b' }, 2), of(counts, { pod: 'b' }, 3)],
        ...[of(sums, { span_kind: 'client' }, 99), of(counts, { span_kind: 'client' }, 1)],
      ),
    )
    expect(made).toHaveLength(1)
    expect((made[0] as Series).values[0]).toBeCloseTo(15 / 40)
  })

  it('is made of nothing where one of both is missing, or where the tool tells the mean itself', () => {
    expect(madeOf(given(sums))).toEqual([])
    expect(madeOf(given(counts))).toEqual([])
    expect(
      madeOf(given(sums, counts, total('http_request_duration_seconds', [1, 1], { type: 'gauge' }))),
    ).toEqual([])
    const without = given(total('requests', [0, 1]))
    expect(withMeanTimes(without)).toBe(without)
  })
})
