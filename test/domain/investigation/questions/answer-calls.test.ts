import { describe, expect, it } from 'vitest'
import { EvidenceList } from '#shared/domain/investigation/hypotheses/evidence-list.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { linesOfCalls } from '#shared/domain/investigation/questions/answer-calls.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerInWords } from '#shared/domain/investigation/questions/answer-in-words.ts'
import { callsAsked } from '#shared/domain/investigation/questions/asked-calls.ts'
import { readQuestion } from '#shared/domain/investigation/questions/read-question.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const SNAPSHOT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(80) }],
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4, ONSET)],
  edges: [...calls('web', 'stock', 0.4), ...calls('print', 'stock', 0.4), ...calls('stock', 'shelf', 0)],
}
const known = {
  services: ['web', 'print', 'stock', 'shelf'],
  now: at(119),
  timezone: 'UTC',
}
const asked = (text: string) => readQuestion(text, known)
const answered = (text: string, snapshot = SNAPSHOT) => {
  const question = asked(text)
  return answerInWords(question, question.service, snapshot, investigate(snapshot))
}

describe('who calls a service', () => {
  it.each([
    'what depends on stock?',
    'who calls stock',
    'which services use stock',
    'which apps depend on stock?',
    'callers of stock',
  ])('is asked for by “%s”', (text) => {
    expect(asked(text)).toMatchObject({ intent: 'what_is_affected', service: 'stock', calls: 'callers' })
    expect(answered(text).answer).toContain('stock is called by print, web, as far as calls were seen.')
  })

  it.each([
    'what does stock depend on',
    'what does stock call?',
    'dependencies of stock',
    'who does stock talk to',
  ])('is not what is asked for by “%s”, but whom it calls', (text) => {
    expect(asked(text)).toMatchObject({ intent: 'what_is_affected', service: 'stock', calls: 'callees' })
    expect(answered(text).answer).toContain('stock calls shelf, as far as calls were seen.')
  })

  it.each([
    'who do i call',
    'who should we call about stock',
    'what is affected',
    'why does stock call fail',
  ])('is not asked for by “%s”', (text) => {
    expect(asked(text).calls).toBeUndefined()
  })

  it('is nobody where none was seen, and not known where no tool tells calls', () => {
    expect(answered('who calls web').answer).toContain('No call to web was seen.')
    expect(answered('what does shelf depend on').answer).toContain('No call of shelf to anybody was seen.')
    expect(answered('who calls stock', { ...SNAPSHOT, edges: [] }).answer).toContain(
      'No connected tool tells who calls whom.',
    )
  })

  it('is told where nothing fails as well', () => {
    const calm = { ...SNAPSHOT, series: [], edges: calls('web', 'stock', 0) }
    expect(answered('who calls stock', calm).answer).toBe(
      'stock is called by web, as far as calls were seen.',
    )
  })

  it('is cited with the request that told of the service itself, and where none did with the first that told of calls', () => {
    const edges = [
      ...calls('web', 'print', 0).map((edge) => ({ ...edge, source: 'traces' })),
      ...calls('web', 'stock', 0),
    ]
    const snapshot = { ...SNAPSHOT, edges }
    const cite = (service: string, of: 'callers' | 'callees') => {
      const evidence = new EvidenceList(snapshot)
      linesOfCalls(answerGround(snapshot, investigate(snapshot), service), service, of, evidence)
      return evidence.items.map(({ query }) => query)
    }
    expect(cite('stock', 'callers')).toEqual(['edges of the window'])
    expect(cite('print', 'callers')).toEqual(['traces of the window'])
    expect(cite('web', 'callees')).toEqual(['traces of the window'])
    expect(cite('shelf', 'callers')).toEqual(['traces of the window'])
  })

  it('is cited with the request that told it, and follows what was seen', () => {
    const evidence = new EvidenceList(SNAPSHOT)
    const ground = answerGround(SNAPSHOT, investigate(SNAPSHOT), 'stock')
    const lines = linesOfCalls(ground, 'stock', 'callers', evidence)
    expect(evidence.items.map(({ content, source }) => [content, source])).toEqual([[lines[0], 'topology']])
    expect(evidence.items.map(({ type }) => type)).toEqual(['statement'])
    const without = { ...SNAPSHOT, edges: SNAPSHOT.edges.filter(({ caller }) => caller !== 'print') }
    expect(answered('who calls stock', without).answer).toContain('stock is called by web, as far')
  })

  it('is read as it is asked', () => {
    expect(callsAsked('who relies on stock')).toBe('callers')
    expect(callsAsked('what is stock connected to')).toBe('callees')
    expect(callsAsked('which nodes are full')).toBeNull()
  })
})
