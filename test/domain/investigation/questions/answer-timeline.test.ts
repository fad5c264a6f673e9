import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import {
  answerTimeline,
  type IncidentsOfTime,
} from '#shared/domain/investigation/questions/answer-timeline.ts'
import type { Snapshot, Window } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, deploy, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

const SNAPSHOT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [{ ...alert('web', 'http_5xx_ratio'), resolved_at: at(115) }],
  series: [series('web', 'http_5xx_ratio', 0.003, 0.4)],
  changes: [deploy('d-web', 80, 'web', 'v2', []), deploy('d-other', 70, 'other', 'v3', [])],
  entities: ['web', 'other'].map((name) => ({ name, kind: 'service' as const, aliases: [] })),
}
const INCIDENTS: IncidentsOfTime = {
  query: 'GET /incidents',
  incidents: [
    {
      id: 'inc_1',
      title: 'Web fails',
      status: 'resolved',
      severity: 'high',
      created_at: at(97),
      resolved_at: at(118),
      service: 'web',
    },
  ],
}
const WHOLE = { from: at(0), to: at(LENGTH) }
const told = (window: Window = WHOLE, service: string | null = null, more: Partial<Snapshot> = {}) => {
  const snapshot = { ...SNAPSHOT, ...more }
  return answerTimeline(answerGround(snapshot, investigate(snapshot), service), window, INCIDENTS)
}
const events = (reply: { readonly answer: string }) =>
  reply.answer.split('\n').flatMap((line) => /^- (.*)$/.exec(line)?.[1] ?? [])

describe('what happened in a time', () => {
  it('is what changed, what failed, what alerted and which incidents there were, first to last', () => {
    expect(events(told()).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'Deploy d-other',
      'Deploy d-web',
      'web has',
      'Alert http_5xx_ratio',
      'Incident inc_1',
      'Alert http_5xx_ratio',
      'Incident inc_1',
    ])
  })

  it('is cited, every line of it', () => {
    const { answer, evidence } = told()
    const cited = evidence.map(({ content }) => content)
    expect(cited).toEqual(answer.split('\n').map((line) => line.replace(/^- /, '')))
  })

  it('has its beginning included and its end not', () => {
    expect(events(told({ from: at(70), to: at(80) }))).toHaveLength(1)
    expect(events(told({ from: at(80), to: at(81) }))[0]).toContain('d-web')
    expect(events(told({ from: at(97), to: at(98) }))).toEqual([
      'Incident inc_1 “Web fails” (high) was opened at 2026-03-02 09:37:00 UTC.',
    ])
  })

  it('loses what no record tells any more', () => {
    expect(events(told(WHOLE, null, { changes: [] })).join()).not.toContain('Deploy')
    expect(events(told(WHOLE, null, { alerts: [] })).join()).not.toContain('Alert')
  })

  it('is of a service what happened to it and to what it calls', () => {
    const edges = [{ source: 'edges', caller: 'web', callee: 'other', t0: at(0), interval_s: 60 }]
    expect(events(told(WHOLE, 'web')).join()).not.toContain('d-other')
    expect(events(told(WHOLE, 'web', { edges })).join()).toContain('d-other')
    expect(events(told(WHOLE, 'other'))).toHaveLength(1)
  })

  it('is nothing where nothing is on record, which is said', () => {
    const { answer, evidence } = told({ from: at(1), to: at(ONSET - 30) })
    expect(answer).toBe(
      'No incident, alert or change is on record from 2026-03-02 08:01:00 UTC to 2026-03-02 09:00:00 UTC, and nothing began to fail.',
    )
    expect(evidence.map(({ type }) => type)).toEqual(['absence'])
  })

  it('says of which time the tools gave anything where more was asked', () => {
    expect(told({ from: at(-60), to: at(LENGTH) }).answer).toMatch(
      /\nWhat the connected tools gave covers 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC\.$/,
    )
    expect(told().answer).not.toContain('What the connected tools gave')
  })

  it('tells twenty-five, and that there is more', () => {
    const changes = Array.from({ length: 40 }, (_, index) => deploy(`d${index}`, index + 1, 'other', 'v', []))
    const reply = told({ from: at(0), to: at(60) }, null, { changes })
    expect(events(reply)).toHaveLength(25)
    expect(reply.answer).toMatch(/\nLater events are not listed here\.$/)
  })
})
