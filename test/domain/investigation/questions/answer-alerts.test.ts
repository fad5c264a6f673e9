import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerAlerts } from '#shared/domain/investigation/questions/answer-alerts.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import type { Alert } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH } from '../incident-scenarios.ts'

const told = (alerts: readonly Alert[], service: string | null = null, from = 0) => {
  const snapshot = { ...EMPTY, alerts }
  return answerAlerts(
    { from: at(from), to: at(LENGTH) },
    answerGround(snapshot, investigate(snapshot), service),
  )
}
const OVER = { ...alert('web', 'latency', 20), resolved_at: at(40) }
const GOING = alert('stock', 'errors', 96)
const SPAN = 'from 2026-03-02 08:00:00 UTC to 2026-03-02 10:00:00 UTC'

describe('which alerts fire', () => {
  it('is told one by one with what crossed which threshold, those without an end first, each cited', () => {
    const { answer, evidence } = told([OVER, GOING])
    expect(answer.split('\n')).toEqual([
      `2 alerts are on record ${SPAN}; 1 has no end on record.`,
      '- Alert errors too high of stock fired at 2026-03-02 09:36:00 UTC: errors 0.4 against a threshold of 0.05.',
      '- Alert latency too high of web fired at 2026-03-02 08:20:00 UTC: latency 0.4 against a threshold of 0.05. It ended at 2026-03-02 08:40:00 UTC.',
    ])
    expect(evidence).toHaveLength(3)
    expect(
      evidence.every(({ source, query }) => source === 'alerts' && query === 'alerts of the window'),
    ).toBe(true)
  })

  it('is told of a service alone, and how many others there are', () => {
    expect(told([OVER, GOING], 'web').answer.split('\n').at(-1)).toBe(
      '1 alert of other services is on record for that time.',
    )
    expect(told([OVER, GOING], 'web').answer).toContain(`1 alert of web is on record ${SPAN}; it has ended.`)
  })

  it('says that none is on record, as an absence that was looked for', () => {
    const { answer, evidence } = told([])
    expect(answer).toBe(`No alerts are on record ${SPAN}.`)
    expect(evidence.map(({ type, query }) => [type, query])).toEqual([['absence', 'metrics of the window']])
  })

  it('leaves out what was over before the time that is asked about', () => {
    expect(told([OVER], null, 60).answer).toContain('No alerts')
    expect(told([OVER], null, 30).answer).toContain('1 alert is')
  })

  it('names ten and says that there are others', () => {
    const many = Array.from({ length: 12 }, (_, index) => alert('web', `m${index}`, 20 + index))
    const lines = told(many).answer.split('\n')
    expect(lines).toHaveLength(12)
    expect(lines.at(-1)).toBe('The others are not listed here.')
  })
})
