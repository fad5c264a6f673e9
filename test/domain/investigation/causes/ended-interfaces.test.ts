import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'

const refused = {
  ...series('booking', 'http_client_responses_4xx_per_second', 0.4, 20),
  labels: { peer: 'tariffs' },
}
/** A booking site that asks an outside service for tariffs. */
const find = ({ series: more = [], ...rest }: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('booking', 'http_5xx_ratio')],
    edges: [...calls('booking', 'tariffs', 0.6), ...calls('invoices', 'tariffs')],
    changes: [commit('aa11', 20, 'Say how to run the tests', ['booking/README.md'], null)],
    ...rest,
    series: [series('booking', 'http_5xx_ratio', 0.003, 0.5), ...more],
  })
const ended = lines('booking', 'ERROR', 'tariffs answered 410: version 2019 is no longer supported', ONSET)
const coded = lines('booking', 'ERROR', 'tariffs answered 422: {"field":"currency"}', ONSET)
const whats = ({ hypotheses }: Findings): string => hypotheses.map(({ statement }) => statement).join(' ')
const NO_LONGER = 'no longer takes what it is asked'

describe('an outside party that no longer takes what it is asked', () => {
  it('is likely where it says so itself, though it serves others and one caller alone is refused', () => {
    const found = find({ logs: ended })
    expect(found.cause).toMatchObject({ kind: 'provider', entity: 'tariffs', change: null })
    expect(found.confidence).toBeGreaterThan(0.6)
    expect(whats(found)).toContain(NO_LONGER)
  })

  it('is possible where only codes find fault with the request, in words or counted by who asks', () => {
    for (const more of [{ logs: coded }, { series: [refused] }]) {
      const found = find(more)
      expect(found.cause).toMatchObject({ kind: 'provider', entity: 'tariffs' })
      expect(found.confidence).toBeLessThan(0.5)
    }
  })

  it('is told without counted calls by what the caller says and counts', () => {
    const found = find({ edges: [], logs: ended, series: [refused] })
    expect(found.cause).toMatchObject({ kind: 'provider', entity: 'tariffs' })
    expect(found.confidence).toBeLessThanOrEqual(0.6)
  })

  it('is told by a limit that is reached, as a code or in words', () => {
    for (const message of [
      'POST https://tariffs.example/v2 answered 429: {"error":"slow down"}',
      'tariffs: quota_exceeded for this day',
      'tariffs: Too Many Requests',
      'tariffs: rate limit reached',
    ]) {
      const found = find({ logs: lines('booking', 'ERROR', message, ONSET) })
      expect(found.cause).toMatchObject({ kind: 'provider', entity: 'tariffs', change: null })
      expect(found.confidence).toBeGreaterThan(0.6)
      expect(whats(found)).toContain('whose limit is reached (tariffs)')
    }
    for (const message of ['tariffs answered after 429 ms', 'tariffs: the rate is limited to 20 %'])
      expect(whats(find({ logs: lines('booking', 'ERROR', message, ONSET) }))).not.toContain(
        'limit is reached',
      )
  })

  it('says that something ended where it says both', () => {
    const both = [...ended, ...lines('booking', 'ERROR', 'tariffs answered 429: slow down', ONSET)]
    expect(whats(find({ logs: both }))).toContain(NO_LONGER)
  })

  it('yields where who is refused was changed just before', () => {
    const changed = find({
      logs: ended,
      changes: [
        commit('bb22', ONSET - 8, 'Ask for tariffs by another version', ['booking/src/tariffs.ts'], null),
        deploy('d1', ONSET - 4, 'booking', 'v2', ['bb22']),
      ],
    })
    expect(changed.confidence).toBeLessThan(find({ logs: ended }).confidence)
  })

  it('is told by the code alone where who is refused was changed just before: its failing calls are its own as likely', () => {
    const changed = (changes: Snapshot['changes']) =>
      find({ logs: coded, changes }).hypotheses.find(({ cause }) => cause.kind === 'provider')?.confidence ??
      0
    const rollout = deploy('d1', ONSET - 2, 'booking', 'v2', [])
    expect(changed([rollout])).toBeLessThan(changed([]))
  })

  it('is none where a credential is refused, a limit is met, or the number is none of a code', () => {
    for (const message of [
      'tariffs answered 400: {"error":"invalid_grant"}',
      'tariffs answered 429: slow down',
      'tariffs answered after 410 ms',
      'tariffs took order 4104 at 10:404',
    ])
      expect(whats(find({ logs: lines('booking', 'ERROR', message, ONSET) }))).not.toContain(NO_LONGER)
  })

  it('is none where it was always so, was over soon, or hardly any call fails there', () => {
    const over: Series = {
      ...series('booking', 'http_client_responses_4xx_per_second', 0.4, 20, ONSET, ONSET + 8),
      labels: { peer: 'tariffs' },
    }
    for (const more of [
      { logs: lines('booking', 'ERROR', 'tariffs answered 410: version 2019 is no longer supported', 0) },
      { series: [over] },
      { logs: ended, edges: [...calls('site', 'booking', 0.6), ...calls('booking', 'tariffs')] },
    ])
      expect(whats(find(more))).not.toContain(NO_LONGER)
  })

  it('is none that tells of itself: what is one’s own is asked there', () => {
    const own = find({ logs: ended, series: [series('tariffs', 'http_requests_per_second', 40, 40)] })
    expect(whats(own)).not.toContain(NO_LONGER)
  })
})
