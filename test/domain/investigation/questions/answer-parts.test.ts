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
  const lines = partLines(answerGround(snapshot, investigate(snapshot), service), part, evidence)
  return { lines, cited: evidence.items.map(({ content }) => content) }
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
    const { lines, cited } = told('endpoint', { series: [labelled({}, 0.4)], spans }, 'stock')
    expect(lines).toEqual([
      '4 of 5 spans “GET /b” of stock failed since it began.',
      '0 of 6 spans “GET /a” of stock failed since it began.',
    ])
    expect(cited).toEqual(lines)
  })
})
