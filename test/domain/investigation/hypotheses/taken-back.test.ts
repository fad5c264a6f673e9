import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { adviceOf } from '#shared/domain/investigation/hypotheses/remediation.ts'
import { takenBackIn } from '#shared/domain/investigation/hypotheses/taken-back.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { heldAt } from '#shared/domain/investigation/verification/revise-findings.ts'
import { at, deploy, ONSET, series } from '../incident-scenarios.ts'
import { able, INCIDENT, mechanism, OBSERVED, record } from '../verdict-by-hand.ts'

/** Minutes from the onset until the change is taken back. */
const BACK = 10

const back = (minute = ONSET + BACK, more: Partial<Change> = {}): Change => ({
  ...deploy('d2', minute, 'stock', 'v1', []),
  before: 'v2',
  ...more,
})

/** `stock` and `web` fail from the onset until the minute that is given. */
const failingUntil = (minute: number): readonly Snapshot['series'][number][] => [
  series('web', 'http_5xx_ratio', 0.003, 0.3, ONSET, minute),
  series('stock', 'http_5xx_ratio', 0.003, 0.4, ONSET, minute),
]

function found(changes: readonly Change[], more: Partial<Snapshot> = {}): Findings {
  const [commit, rollout] = INCIDENT.changes as readonly [Change, Change]
  return investigate({
    ...INCIDENT,
    changes: [commit, { ...rollout, before: 'v1' }, ...changes],
    ...more,
  })
}

const saying = ({ evidence }: Findings, ids: readonly string[] = []): readonly string[] =>
  evidence.filter(({ id }) => ids.includes(id)).map(({ content }) => content)

const LEAD = 'Deploy v1 of stock took back deploy v2 of stock at 2026-03-02 09:40:00 UTC'
const ADVICE = 'It was taken back at 2026-03-02 09:40:00 UTC by deploy v1 of stock'

describe('a cause that has been taken back while the harm goes on', () => {
  const findings = found([back()])
  const [best] = findings.hypotheses

  it('is no longer likely, and the harm that outlived it speaks against it', () => {
    expect(found([]).confidence).toBeGreaterThan(0.6)
    expect(findings.cause.change).toBe('c1')
    expect(findings).toMatchObject({ confidence: 0.49, outcome: 'best_effort' })
    expect(findings.confidence_basis).toContain(
      'it has been taken back and the harm goes on, so the confidence is capped',
    )
    expect(saying(findings, best?.contradicted_by)).toEqual([
      `${LEAD}; stock still failed at 2026-03-02 09:59:00 UTC.`,
    ])
  })

  it('is not so by the very rollout that brought it, whatever was rolled out before that', () => {
    const [, rollout] = INCIDENT.changes as readonly [Change, Change]
    const before = back(0, { recorded_at: rollout.recorded_at - 30_000, carries: ['c1'] })
    const { remediation } = found([
      { ...before, effective_at: { from: before.recorded_at, to: before.recorded_at } },
    ])
    expect(remediation.why).not.toContain('taken back')
  })

  it('is not to be taken back again', () => {
    expect(findings.revert_to).toBeNull()
    expect(findings.remediation).toEqual({
      action: 'escalate',
      target: 'stock',
      why: `${ADVICE}, and that has not helped. See whether that arrived everywhere; if so, look for another cause.`,
    })
    expect(heldAt(findings, { confidence: 0.2, outcome: 'best_effort' }).remediation).toEqual(
      findings.remediation,
    )
  })

  it('is in effect again where what took it back was taken back, and may be so where something else was rolled out there', () => {
    const again = back(ONSET + 12, { id: 'd3', before: 'v1', after: 'v2' })
    expect(found([back(), again])).toMatchObject({ revert_to: 'v1', remediation: { action: 'rollback' } })
    const other = back(ONSET + 12, { id: 'd3', before: 'v1', after: 'v3' })
    expect(found([back(), other]).confidence).toBeGreaterThan(0.6)
  })

  it('is in effect again where its revert was reverted, each by a rollout of its own', () => {
    const commit = (id: string, minute: number, title: string) =>
      record({ ...{ kind: 'commit', id, title }, recorded_at: at(minute) })
    const cut = commit('c1', ONSET - 5, 'Cut the timeout')
    const rolled = (id: string, minute: number, of: string) => deploy(id, minute, 'stock', id, [of])
    const reverted = [commit('c2', ONSET + 5, 'Revert "Cut the timeout"'), rolled('d2', ONSET + 6, 'c2')]
    const again = [
      commit('c3', ONSET + 15, 'Revert "Revert "Cut the timeout""'),
      rolled('d3', ONSET + 16, 'c3'),
    ]
    const takenBack = (changes: readonly Change[]) =>
      takenBackIn({ ...INCIDENT, changes: [cut, ...changes] }, OBSERVED.first)(able({ change: cut }))
    expect(takenBack(reverted)?.change.id).toBe('d2')
    expect(takenBack([...reverted, ...again])).toBeNull()
  })

  it('has nothing against it where going back does not undo what it stored', () => {
    const [, rollout] = INCIDENT.changes as readonly [Change, Change]
    const carried_by = { ...rollout, before: 'v1' }
    const sequel = (more: Partial<RankedChange>) =>
      takenBackIn(
        { ...INCIDENT, changes: [carried_by, back()] },
        OBSERVED.first,
      )(able({ carried_by, ...more }))?.harm.is
    expect(sequel({})).toBe('lasted')
    expect(sequel({ acts_on_stored_data: true })).toBe('open')
    expect(sequel({ mechanism: mechanism(0.6, { id: 'migration' }) })).toBe('open')
    const entry = able({ acts_on_stored_data: true, change: record({ kind: 'commit' }) })
    const taken = { change: back(), of: carried_by, at: at(ONSET + BACK), harm: { is: 'open' } } as const
    expect(adviceOf({ of: 'change', entry, score: 1, kinds: 2 }, OBSERVED, 0.9, taken).action).toBe(
      'roll_forward',
    )
  })
})

describe('a cause with which the harm ended', () => {
  const findings = found([back()], { series: failingUntil(ONSET + BACK + 4) })

  it('has that for it, and is kept back', () => {
    const [best] = findings.hypotheses
    expect(findings.state).toBe('recovered')
    expect(saying(findings, best?.supported_by)).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${LEAD}; stock no longer failed from 2026-03-02 09:4\\d:00 UTC on\\.$`),
      ),
    )
    expect(best?.contradicted_by).toEqual([])
    expect(findings.confidence_basis).toContain('the harm ended once it had been taken back')
    expect(findings).toMatchObject({
      revert_to: null,
      remediation: {
        action: 'none',
        target: 'd1',
        why: `${ADVICE}, and it is over. Keep it back until it is mended.`,
      },
    })
  })

  it('has nothing for it where it was over before', () => {
    const before = found([back(ONSET + 20)], { series: failingUntil(ONSET + BACK) })
    expect(before.evidence.map(({ content }) => content).join()).toContain('took back deploy v2 of stock')
    expect(before.confidence_basis).not.toContain('taken back')
    expect(before.remediation.why).toMatch(/ by deploy v1 of stock, and it is over\./)
  })
})

describe('a cause that has just been taken back', () => {
  it('is as likely as before, and what is advised is to wait', () => {
    const findings = found([back(ONSET + 25)])
    expect(findings.confidence).toBe(found([]).confidence)
    expect(findings.remediation).toMatchObject({
      action: 'none',
      why: 'It was taken back at 2026-03-02 09:55:00 UTC by deploy v1 of stock. Nothing that was measured tells yet whether that helps: wait, and look again.',
    })
  })

  it('is so for ten minutes', () => {
    expect(found([back(109)]).confidence).toBe(0.49)
    expect(found([back(110)]).confidence).toBe(found([]).confidence)
  })

  it('counts from when the going back was done', () => {
    const slow = back(ONSET + BACK, { effective_at: { from: at(ONSET + BACK), to: at(ONSET + 25) } })
    expect(found([slow]).confidence).toBe(found([]).confidence)
  })
})

describe('a flag that was switched often', () => {
  const flag = (minute: number, before: string, after: string): Change => ({
    ...{
      source: 'flags',
      id: 'sizes',
      recorded_at: at(minute),
      kind: 'flag',
      entity: 'stock',
      title: 'sizes',
    },
    ...{ before, after, effective_at: { from: at(minute), to: at(minute) } },
  })
  const quoting = { logs: [], edges: INCIDENT.edges }

  it('is taken back only by what came after', () => {
    const early = [flag(20, 'off', 'on'), flag(30, 'on', 'off'), flag(ONSET - 1, 'off', 'on')]
    const last = investigate({ ...INCIDENT, ...quoting, changes: early })
    expect(last.remediation).toMatchObject({ action: 'disable_flag', target: 'sizes' })
    const off = investigate({ ...INCIDENT, ...quoting, changes: [...early, flag(ONSET + 5, 'on', 'off')] })
    expect(off.remediation.why).toBe(
      'It was taken back at 2026-03-02 09:35:00 UTC by feature flag sizes of stock, and that has not helped. See whether that arrived everywhere; if so, look for another cause.',
    )
  })
})

describe('what is over without being taken back', () => {
  it('has nothing that must be done at once', () => {
    const over = found([], { series: failingUntil(ONSET + 15) })
    expect(over).toMatchObject({
      ...{ state: 'recovered', revert_to: null },
      remediation: {
        action: 'none',
        why: expect.stringMatching(
          /^Nothing has to be done at once, as it is over; should it come back, roll back deploy v2 of stock, /,
        ),
      },
    })
  })

  it('is first looked at again where it is recovering', () => {
    const better = (entity: string, worst: number) => {
      const { values, ...rest } = series(entity, 'http_5xx_ratio', 0.003, worst)
      return { ...rest, values: values.map((value, minute) => (minute < 117 ? value : worst / 4)) }
    }
    const recovering = found([], { series: [better('web', 0.3), better('stock', 0.4)] })
    expect(recovering).toMatchObject({
      ...{ state: 'recovering', revert_to: 'v1' },
      remediation: {
        action: 'rollback',
        why: expect.stringMatching(
          /^See first whether it goes on recovering; if it does not, roll back deploy v2 of stock, /,
        ),
      },
    })
  })
})
