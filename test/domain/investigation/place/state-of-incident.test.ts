import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { stateOf, stillFailing } from '#shared/domain/investigation/place/state-of-incident.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { place, risen } from '../scene-by-hand.ts'

const ERRORS = 'http_5xx_ratio'
const measured = (entity: string, latest: number): FailingService =>
  place(entity, { shifts: [risen(entity, ERRORS, { latest })] })
const ended = (entity: string): FailingService =>
  place(entity, { ended_at: 5, shifts: [risen(entity, ERRORS)] })
const of = (first: FailingService | null, ...failing: readonly FailingService[]) => ({
  ...{ first, failing: first === null ? failing : [first, ...failing] },
  symptom_service: 'web',
})

describe('where an incident is going', () => {
  it('is told by what failed first, or by the service asked about where that is worse off', () => {
    expect(stateOf(of(measured('stock', 2)))).toBe('ongoing')
    expect(stateOf(of(ended('stock'), measured('web', 2)))).toBe('ongoing')
    expect(stateOf(of(measured('stock', 2), measured('web', 3)))).toBe('worsening')
    expect(stateOf(of(measured('stock', 2), ended('web')))).toBe('ongoing')
    expect(stateOf(of(ended('stock'), measured('web', 1.2)))).toBe('recovering')
  })

  it('is over where neither fails any more, whoever else does', () => {
    expect(stateOf(of(ended('stock'), ended('web'), measured('mail', 2)))).toBe('recovered')
    expect(stateOf(of(ended('web')))).toBe('recovered')
  })

  it('is told by the one of them that was measured, and not known where none was', () => {
    expect(stateOf(of(place('stock'), ended('web')))).toBe('recovered')
    expect(stateOf(of(place('stock'), place('web')))).toBe('unknown')
    expect(stateOf(of(null))).toBe('unknown')
    expect(stateOf(of(null, measured('web', 2)))).toBe('ongoing')
  })
})

describe('by whom it is told whether an incident is over', () => {
  const name = (...given: Parameters<typeof of>) => stillFailing(of(...given))?.entity

  it('is what failed first, unless that is over and the service asked about is not', () => {
    expect(name(measured('stock', 2), measured('web', 3))).toBe('stock')
    expect(name(ended('stock'), measured('web', 2))).toBe('web')
    expect(name(ended('stock'), ended('web'))).toBe('stock')
    expect(name(ended('stock'), measured('mail', 2))).toBe('stock')
    expect(name(null)).toBeUndefined()
  })
})

describe('an incident whose first service says something of itself that came and went', () => {
  // For four minutes its loop lagged, which nobody felt; its users have been failed since.
  const snapshot = {
    ...EMPTY,
    alerts: [alert('web', ERRORS)],
    series: [
      series('web', ERRORS, 0.003, 0.4),
      series('stock', 'http_client_errors_per_second', 0.01, 9, ONSET + 3, ONSET + 7),
      series('stock', ERRORS, 0.003, 0.4),
    ],
    logs: lines('stock', 'ERROR', 'no space left on device', ONSET),
    edges: [...calls('web', 'stock', 200)],
  }

  it('goes on, is advised upon as such, and is looked at again by what is still away', () => {
    const { state, remediation, next_check: next, summary } = investigate(snapshot)
    expect(state).toBe('ongoing')
    expect(remediation.why).not.toMatch(/recovering|is over/)
    expect(next?.text).toContain(`${ERRORS} of stock is back at`)
    expect(summary).toContain('stock has been failing since')
  })

  it('says that who was asked about still fails where the first no longer does', () => {
    const well = series('stock', ERRORS, 0.003, 0.9, ONSET, ONSET + 6)
    const slow = { ...snapshot, series: [series('web', ERRORS, 0.003, 0.4), well] }
    const edges = calls('web', 'stock', 200).map((edge) =>
      edge.t0 >= at(ONSET + 6) ? { ...edge, failed: 0 } : edge,
    )
    const { state, summary, next_check: next } = investigate({ ...slow, edges })
    expect(state).toBe('ongoing')
    expect(summary).toMatch(/^stock failed from .* until .* UTC\. web still fails\./)
    expect(next?.text).toContain(`${ERRORS} of web is back at`)
  })
})
