import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerVersion } from '#shared/domain/investigation/questions/answer-version.ts'
import type { AskedVersion } from '#shared/domain/investigation/questions/asked-record.ts'
import type { Snapshot, Window } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, deploy, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const INCIDENT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('stock', 'http_5xx_ratio')],
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
  changes: [
    { ...deploy('d42', ONSET - 2, 'stock', 'v42', []), before: 'v41' },
    { ...deploy('d7', 30, 'web', 'v7', []), before: 'v6' },
  ],
}
const told = (
  asked: AskedVersion,
  window: Window | null,
  service: string | null = 'stock',
  more: Partial<Snapshot> = {},
) => {
  const snapshot = { ...INCIDENT, ...more }
  return answerVersion(answerGround(snapshot, investigate(snapshot), service), asked, window)
}

describe('which version ran', () => {
  it('is that of the middle of the time around an instant, with the rollout that says so', () => {
    const { answer, evidence } = told('at_instant', { from: at(40), to: at(100) })
    expect(answer).toMatch(/^At 2026-03-02 09:10:00 UTC stock ran v41\. It changed with this: Deploy d42/)
    expect(evidence.map(({ content }) => content)).toContain('At 2026-03-02 09:10:00 UTC stock ran v41.')
  })

  it('is another one where the record says another time', () => {
    const [one, other] = INCIDENT.changes
    const early = { ...one, effective_at: { from: at(20), to: at(20) }, recorded_at: at(20) } as typeof one
    const { answer } = told('at_instant', { from: at(40), to: at(100) }, 'stock', {
      changes: [early, other] as Snapshot['changes'],
    })
    expect(answer).toMatch(/^At 2026-03-02 09:10:00 UTC stock ran v42\. By this: Deploy d42/)
  })

  it('is the one at the onset where it is asked for', () => {
    expect(told('at_onset', null).answer).toMatch(/stock ran v42/)
    expect(told('at_onset', null, 'stock', { alerts: [], series: [] }).answer).toBe(
      'Nothing is known to have begun to fail, so there is no such time.',
    )
  })

  it('is every one of a time that is named, and the last where none is', () => {
    const { answer } = told('in_time', { from: at(80), to: at(100) })
    expect(answer.split('\n').map((line) => / ran (\S+)\./.exec(line)?.[1])).toEqual(['v41', 'v42'])
    expect(told('in_time', null).answer).toMatch(/^At 2026-03-02 09:59:59[.\d]* UTC stock ran v42\./)
  })

  it('is told of each service that has rollouts where none is named, what fails first', () => {
    const { answer } = told('in_time', null, null)
    expect(answer.split('\n').map((line) => / UTC (\w+) ran/.exec(line)?.[1])).toEqual(['stock', 'web'])
  })

  it('is not known where no rollout is on record', () => {
    const { answer, confidence } = told('in_time', null, 'other')
    expect(answer).toBe('No rollout of other is on record, so which version ran is not known.')
    expect(confidence).toBe(0)
  })
})
