import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answerGround } from '#shared/domain/investigation/questions/answer-ground.ts'
import { answerRestarts } from '#shared/domain/investigation/questions/answer-restarts.ts'
import type { KubernetesRecord, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const WINDOW = { from: at(30), to: at(60) }
const record = (minute: number, name: string, message: string, count = 1): KubernetesRecord => ({
  ...{ timestamp: at(minute), kind: 'Pod', name, reason: 'Any', message, count, source: 'k8s' },
})
const told = (k8s: readonly KubernetesRecord[], service: string | null = 'stock') => {
  const snapshot: Snapshot = {
    ...EMPTY,
    k8s,
    entities: ['stock', 'stock-db', 'web'].map((name) => ({ name, kind: 'service', aliases: [] })),
  }
  return answerRestarts(answerGround(snapshot, investigate(snapshot), service), WINDOW)
}

describe('which instances were restarted', () => {
  it('is what was written of those of the service in that time, each cited', () => {
    const { answer, evidence } = told([
      record(29, 'stock-a', 'Started container stock'),
      record(30, 'stock-b', 'Stopping container stock'),
      record(40, 'stock-c', 'Back-off restarting failed container', 4),
      record(40, 'stock-db-a', 'Started container stock-db'),
      record(40, 'web-a', 'Started container web'),
      record(41, 'stock-d', 'Pulled the image'),
      record(60, 'stock-e', 'Started container stock'),
    ])
    expect(answer.split('\n')).toEqual([
      '2 records from 2026-03-02 08:30:00 UTC to 2026-03-02 09:00:00 UTC tell of instances of stock that were started or stopped.',
      '- Pod stock-b: “Stopping container stock” at 2026-03-02 08:30:00 UTC.',
      '- Pod stock-c: “Back-off restarting failed container” at 2026-03-02 08:40:00 UTC (4 times).',
    ])
    expect(evidence.map(({ content }) => content)).toEqual(
      answer.split('\n').map((line) => line.replace(/^- /, '')),
    )
  })

  it('is of every service where none is named', () => {
    expect(told([record(40, 'web-a', 'Started container web')], null).answer).toContain('Pod web-a')
  })

  it('is none where nothing was written of it, and not known where nothing was written at all', () => {
    const none = told([record(40, 'web-a', 'Started container web')])
    expect(none.answer).toMatch(
      /^No record from .* tells of instances of stock that were started or stopped\.$/,
    )
    expect(none.evidence.map(({ type }) => type)).toEqual(['absence'])
    expect(told([])).toMatchObject({ confidence: 0, outcome: 'inconclusive', evidence: [] })
  })

  it('names eight records and says that there are more', () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      record(40 + index, `stock-${index}`, 'Started container stock'),
    )
    expect(told(many).answer.split('\n').at(-1)).toBe('The later ones are not listed here.')
    expect(told(many.slice(1)).answer).not.toContain('not listed')
  })
})
