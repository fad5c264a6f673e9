import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerTool } from '#shared/domain/investigation/questions/answer-tool.ts'
import type { Snapshot, SourceAsked } from '#shared/domain/investigation/records/snapshot.ts'
import { EMPTY } from '../incident-scenarios.ts'

const LOKI = { type: 'loki', name: 'loki' }
const source = (id: string, tool: string, outcome: SourceAsked['outcome'] = 'answered'): SourceAsked => ({
  ...{ id, tool, query: `{app="${id}"}`, outcome, records: 2 },
})
const groundOf = (more: Partial<Snapshot>) => {
  const snapshot = { ...EMPTY, ...more }
  return answerGround(snapshot, investigate(snapshot), null)
}

describe('whether one tool answered', () => {
  it('is told by its own requests alone, each cited', () => {
    const ground = groundOf({ sources: [source('a', 'loki'), source('b', 'prometheus')] })
    const { answer, evidence, outcome } = answerTool(ground, LOKI, [])
    expect(answer.split('\n')).toEqual([
      '1 request was made to loki; it was answered.',
      '- loki was asked “{app="a"}”: it answered, 2 records.',
    ])
    expect(evidence.map(({ content }) => content)).toEqual(answer.replaceAll('- ', '').split('\n'))
    expect(outcome).toBe('identified')
  })

  it('counts what was not answered whole, and tells what is missing of it', () => {
    const ground = groundOf({
      sources: [source('a', 'loki'), source('b', 'loki', 'timed_out'), source('c', 'loki', 'failed')],
      gaps: [
        { what: 'logs of c', why: 'the answer was no JSON', source: 'c' },
        { what: 'others', why: 'not asked' },
      ],
    })
    const { answer, confidence, evidence } = answerTool(ground, LOKI, [])
    expect(answer.split('\n')).toEqual([
      '3 requests were made to loki; 2 were not answered whole.',
      // What did not answer comes first.
      '- loki was asked “{app="b"}”: it did not answer in time, 2 records.',
      '- loki was asked “{app="c"}”: it failed, 2 records.',
      '- loki was asked “{app="a"}”: it answered, 2 records.',
      'Not known is logs of c: the answer was no JSON',
    ])
    expect(evidence.map(({ source, type }) => `${source} ${type}`)).toEqual([
      ...Array(4).fill('integrations statement'),
      'integrations absence',
    ])
    expect(answer).not.toContain('others')
    expect(confidence).toBe(0.5)
  })

  it('lists twelve requests and says that there are more', () => {
    const ground = groundOf({
      sources: Array.from({ length: 13 }, (_, index) => source(`s${index}`, 'loki')),
    })
    const { answer } = answerTool(ground, LOKI, [])
    expect(answer.split('\n')).toHaveLength(14)
    expect(answer).toContain('each was answered.')
    expect(answer).toMatch(/The other requests are in the snapshot\.$/)
    const twelve = groundOf({
      sources: Array.from({ length: 12 }, (_, index) => source(`s${index}`, 'loki')),
    })
    expect(answerTool(twelve, LOKI, []).answer).not.toContain('The other requests')
  })

  it('is told of a tool that no type is known of by its name, in whatever case, found nothing included', () => {
    const ground = groundOf({ sources: [source('a', 'Splunk', 'empty'), source('b', 'loki')] })
    expect(answerTool(ground, { type: null, name: 'splunk' }, []).answer).toMatch(
      /^1 request was made to splunk; it was answered\.\n- Splunk was asked/,
    )
    const gaps = [{ what: 'integration x (loki)', why: 'is slow' }]
    expect(
      answerTool(groundOf({ sources: [source('b', 'loki')], gaps }), { type: null, name: 'null' }, []).answer,
    ).not.toContain('is slow')
  })

  it('names the tools that were asked in their order, each once', () => {
    const sources = ['prometheus', 'loki', 'datadog', 'loki'].map((tool, index) => source(`s${index}`, tool))
    const { answer, evidence } = answerTool(groundOf({ sources }), { type: 'sentry', name: 'sentry' }, [])
    expect(answer).toMatch(/Asked were: datadog, loki, prometheus\.$/)
    expect(new Set(evidence.map(({ source: of, type }) => `${of} ${type}`))).toEqual(
      new Set(['integrations absence']),
    )
  })

  it.each([
    [[], 'no such tool is connected'],
    [[{ id: 'prom_1', type: 'prometheus', status: 'connected' }], 'no such tool is connected'],
    [[{ id: 'loki_1', type: 'loki', status: 'disabled' }], 'loki_1 is connected and disabled'],
    [
      [{ id: 'loki_1', type: 'loki', status: 'connected' }],
      'loki_1 is connected, and no request to it is on record for this answer',
    ],
  ])('is told of %j, of which none was asked, with who was asked', (connected, why) => {
    const { answer, evidence } = answerTool(
      groundOf({ sources: [source('b', 'prometheus')] }),
      LOKI,
      connected,
    )
    expect(answer).toBe(`Nothing was asked of loki: ${why}.\nAsked were: prometheus.`)
    expect(evidence.map(({ content }) => content)).toEqual(answer.split('\n'))
  })

  it('tells why a connected tool gave nothing, by its gap', () => {
    const gaps = [{ what: 'integration loki_1 (loki)', why: 'did not answer within 8000 ms' }]
    const { answer } = answerTool(groundOf({ sources: [source('b', 'prometheus')], gaps }), LOKI, [
      { id: 'loki_1', type: 'loki', status: 'connected' },
    ])
    expect(answer).toContain('Not known is integration loki_1 (loki): did not answer within 8000 ms')
  })

  it('says once that a tool is disabled, which is its gap as well', () => {
    const gaps = [{ what: 'integration loki_1 (loki)', why: 'is disabled' }]
    const { answer } = answerTool(groundOf({ sources: [source('b', 'prometheus')], gaps }), LOKI, [
      { id: 'loki_1', type: 'loki', status: 'disabled' },
    ])
    expect(answer).toBe(
      'Nothing was asked of loki: loki_1 is connected and disabled.\nAsked were: prometheus.',
    )
  })

  it('is not known where no tool was asked at all', () => {
    expect(answerTool(groundOf({ sources: [] }), { type: null, name: 'splunk' }, [])).toMatchObject({
      answer: 'Nothing was asked of splunk: no such tool is connected.\nNo tool was asked.',
      ...{ confidence: 0, outcome: 'inconclusive', evidence: [] },
    })
  })
})
