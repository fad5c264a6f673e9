import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerRecord, changesCalled } from '#shared/domain/investigation/questions/answer-record.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'

const SHA = '5d0c7ae1f2b94c6e8a3f7710d94be62c1f08a3d7'
const CAUSE = commit(SHA, 60, 'Keep rates in one table (#614)', ['stock/rates.ts'], null)
const CHANGES: readonly Change[] = [
  CAUSE,
  commit('e4b27d90', 62, 'Log lines (#616)', ['stock/server.ts'], null),
  { ...deploy('deploy-stock-42', ONSET, 'stock', 'v42', [SHA, 'e4b27d90']), before: 'v41' },
  deploy('deploy-web-7', ONSET + 10, 'web', 'v7', []),
]
const INCIDENT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('stock', 'http_5xx_ratio')],
  entities: ['web', 'stock'].map((name) => ({ name, kind: 'service', aliases: [] })),
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
  edges: calls('web', 'stock', 0.4),
  logs: lines('stock', 'ERROR', 'TypeError: no rate', ONSET),
  changes: CHANGES,
}
const told = (name: string, more: Partial<Snapshot> = {}) => {
  const snapshot = { ...INCIDENT, ...more }
  return answerRecord(answerGround(snapshot, investigate(snapshot), null), name)
}
const called = (name: string) => changesCalled(INCIDENT, name).map(({ id }) => id.slice(0, 15))

describe('the changes that bear a name', () => {
  it.each([
    ['v42', ['deploy-stock-42']],
    ['42', ['deploy-stock-42']],
    ['V42', ['deploy-stock-42']],
    ['5d0c7ae1', [SHA.slice(0, 15)]],
    ['#616', ['e4b27d90']],
    ['616', ['e4b27d90']],
    ['deploy-web-7', ['deploy-web-7']],
    ['v41', ['deploy-stock-42']],
    ['v4', []],
    ['5d0', []],
  ])('of %s are %j', (name, ids) => {
    expect(called(name)).toEqual(ids)
  })
})

describe('a record that is named', () => {
  it('is told with what it carries and that it brought what fits best as the cause, each cited', () => {
    const { answer, evidence, confidence } = told('v42')
    expect(answer).toContain('Deploy deploy-stock-42 of stock was recorded at 2026-03-02 09:30:00 UTC')
    expect(answer).toContain('It carries: Commit 5d0c7ae1 “Keep rates in one table (#614)” by dana')
    expect(answer).toContain('It carries: Commit e4b27d90')
    expect(answer).toContain('It brought the change that fits best as the cause.')
    expect(confidence).toBeGreaterThan(0.5)
    const cited = evidence.map(({ content }) => content).join('\n')
    for (const time of answer.match(/\d\d:\d\d:\d\d/g) ?? []) expect(cited).toContain(time)
  })

  it('is told by what its record says: another author is another answer', () => {
    const changes = CHANGES.map((change) => (change.id === SHA ? { ...change, actor: 'kim' } : change))
    expect(told('5d0c7ae1', { changes }).answer).toContain('by kim')
    expect(told('5d0c7ae1').answer).not.toContain('by kim')
    expect(told('5d0c7ae1').answer).toContain('It came with: Deploy deploy-stock-42')
  })

  it('came after the symptoms where it did', () => {
    expect(told('deploy-web-7').answer).toMatch(/after the symptoms began/)
    expect(told('deploy-web-7').answer).not.toContain('fits best as the cause')
  })

  it('is the version before where a change went away from it', () => {
    expect(told('v41').answer).toMatch(/^v41 was in place until this: Deploy deploy-stock-42/)
  })

  it('is told with what took it back', () => {
    const back = {
      ...deploy('deploy-stock-43', ONSET + 20, 'stock', 'v41', []),
      before: 'v42',
      actor: 'mara',
    }
    const { answer } = told('v42', { changes: [...CHANGES, back] })
    expect(answer).toContain('It was taken back by this: Deploy deploy-stock-43 of stock by mara')
  })

  it('is told with the errors that are measured of it by its label', () => {
    const labelled = { ...series('stock', 'http_5xx_ratio', 0, 0.5), labels: { version: 'v42' } }
    expect(told('v42', { series: [...INCIDENT.series, labelled] }).answer).toContain('version=v42 was')
  })

  it('is on record by no name that no change bears, and what was read is said', () => {
    const { answer, confidence, outcome } = told('v99')
    expect(answer).toBe(
      'Nothing is on record by the name “v99”. 4 changes are recorded from 2026-03-02 09:00:00 UTC to 2026-03-02 09:40:00 UTC.',
    )
    expect({ confidence, outcome }).toEqual({ confidence: 0, outcome: 'inconclusive' })
    expect(told('v99', { changes: [] }).answer).toContain('No connected tool gave any change')
  })
})
