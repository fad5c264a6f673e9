import { describe, expect, it } from 'vitest'
import { EvidenceList } from '#shared/domain/investigation/hypotheses/evidence-list.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { partAsked, partLines } from '#shared/domain/investigation/questions/answer-parts.ts'
import type { Series, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const labelled = (labels: Record<string, string>, during: number): Series => ({
  ...series('stock', 'http_5xx_ratio', 0.01, during),
  labels,
})
const span = (name: string, status: string, minute: number): Span =>
  ({
    ...{ source: 'traces', trace_id: `${name}${minute}`, span_id: `${name}${minute}`, parent_id: null },
    ...{ service: 'stock', name, start: at(minute), duration_us: 1_000, status },
  }) as Span
const BASE: Partial<Snapshot> = { baselines: [{ name: 'b1', from: at(0), to: at(80) }] }
const told = (part: 'region' | 'endpoint', more: Partial<Snapshot>, service: string | null = null) => {
  const snapshot: Snapshot = { ...EMPTY, ...BASE, ...more }
  const evidence = new EvidenceList(snapshot)
  /** What is cited, each with where it is from. */
  const items = () => evidence.items.map(({ source, type, content }) => [source, type, content])
  const lines = partLines(answerGround(snapshot, investigate(snapshot), service), part, evidence)
  return { lines, cited: evidence.items.map(({ content }) => content), items: items() }
}

describe('the part that is asked for', () => {
  it.each([
    ['which region', 'region'],
    ['which availability zones are affected', 'zone'],
    ['which pod is crashing', 'instance'],
    ['which hosts', 'node'],
    ['which endpoint is failing', 'endpoint'],
    ['which customers are affected', 'customer'],
    ['is it all regions or only one', 'region'],
    ['one pod or all of them', 'instance'],
    ['is it just customers in the north', 'customer'],
  ])('of “%s” is the %s', (plain, part) => {
    expect(partAsked(plain)).toBe(part)
  })

  it('is none where nothing is asked for by one', () => {
    expect(partAsked('what is affected')).toBeNull()
    expect(partAsked('which services fail')).toBeNull()
  })
})

describe('which part it is', () => {
  it('is told by the labels of what left normal, and which are as ever, all cited', () => {
    const { lines, cited } = told('region', {
      series: [labelled({ region: 'north' }, 0.4), labelled({ region: 'south' }, 0.01)],
    })
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^http_5xx_ratio of stock \(region=north\) went up from 0\.01 to 0\.4/)
    expect(lines[1]).toBe('As usual, as far as was measured: south.')
    expect(cited).toEqual(lines)
  })

  it('is as usual only where it was measured since it began', () => {
    const south = labelled({ region: 'south' }, 0.01)
    const until = (minutes: number): Series => ({
      ...south,
      ...{ times: south.times.slice(0, minutes), values: south.values.slice(0, minutes) },
    })
    const lines = (one: Series) => told('region', { series: [labelled({ region: 'north' }, 0.4), one] }).lines
    expect(lines(until(ONSET - 5))).toHaveLength(1)
    expect(lines(until(ONSET + 1))).toHaveLength(2)
  })

  it('is of what fails, or of who is asked about, and six of each at most', () => {
    const of = (entity: string, region: string, during: number): Series => ({
      ...series(entity, 'http_5xx_ratio', 0.01, during),
      labels: { region },
    })
    const web = [of('web', 'east', 0.01), of('web', 'west', 0.01)]
    const all = [of('stock', 'north', 0.4), of('stock', 'south', 0.01), ...web]
    expect(told('region', { series: all }).lines[1]).toBe('As usual, as far as was measured: south.')
    expect(told('region', { series: all }, 'web').lines).toEqual([
      'As usual, as far as was measured: east, west.',
    ])
    const eight = Array.from({ length: 8 }, (_, index) => of('stock', `r${index}`, 0.4))
    const { lines, items } = told('region', { series: eight })
    expect([lines.length, items.length]).toEqual([6, 6])
    expect(items[0]?.slice(0, 2)).toEqual(['metrics', 'anomaly'])
    expect(told('region', { series: all }).items[1]?.slice(0, 2)).toEqual(['metrics', 'statement'])
  })

  it('is not known where nothing tells one from another', () => {
    const { lines, cited } = told('region', { series: [labelled({}, 0.4)] })
    expect(lines).toEqual(['Nothing that was read tells one region from another.'])
    expect(cited).toEqual([])
  })

  it('is counted by traces where an endpoint is asked for, only since it began', () => {
    const spans = [
      ...Array.from({ length: 6 }, (_, minute) => span('GET /a', 'OK', ONSET + minute)),
      ...Array.from({ length: 4 }, (_, minute) => span('GET /b', 'ERROR', ONSET + 1 + minute)),
      span('GET /b', 'OK', ONSET + 9),
      span('GET /b', 'OK', ONSET - 60),
    ]
    const more = [3, 1, 2].flatMap((count) =>
      Array.from({ length: count }, (_, minute) => span(`GET /c${count}`, 'OK', ONSET + minute)),
    )
    expect(told('endpoint', { series: [labelled({}, 0.4)], spans: more }, 'stock')).toMatchObject({
      lines: [3, 2, 1].map((count) => `0 of ${count} spans “GET /c${count}” of stock failed since it began.`),
      items: Array(3).fill(['traces', 'statement', expect.any(String)]),
    })
    const eight = Array.from({ length: 8 }, (_, index) => span(`GET /d${index}`, 'OK', ONSET + 1))
    const of = (part: 'endpoint' | 'region') =>
      told(part, { series: [labelled({}, 0.4)], spans: eight }, 'stock').lines
    expect(of('endpoint')).toHaveLength(6)
    expect(of('region')).toEqual(['Nothing that was read tells one region from another.'])
    const { lines, cited } = told('endpoint', { series: [labelled({}, 0.4)], spans }, 'stock')
    expect(lines).toEqual([
      '4 of 5 spans “GET /b” of stock failed since it began.',
      '0 of 6 spans “GET /a” of stock failed since it began.',
    ])
    expect(cited).toEqual(lines)
  })
})
