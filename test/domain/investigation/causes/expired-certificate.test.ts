import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, calls, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'
import { facts, find, found, graphOf, place, said, score, UNEXPLAINED } from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('a certificate is named only where its expiry matches the onset', () => {
    const expired = 'tls: x509: certificate has expired'
    const dated = (time: string): Findings => find([expired, `peer check: notAfter=${time}`])
    expect(dated(new Date(at(ONSET)).toISOString().replace('.000', '')).cause.kind).toBe('certificate')
    const sure = dated(new Date(at(ONSET)).toISOString().replace('.000', '')).confidence
    expect(dated('2027-01-01T00:00:00Z').confidence).toBeLessThan(sure)
    expect(find([expired]).confidence).toBeLessThan(sure)
  })

  it('a credential is named whose remaining time ran out with the onset at who fails, or at who calls it', () => {
    const left = (entity: string, end = ONSET): Snapshot['series'][number] => {
      const one = series(entity, 'credential_remaining_seconds', 0, 0)
      return { ...one, values: one.values.map((_, minute) => 60 * (end - minute)) }
    }
    const edges = [...calls('stock-api', 'paylane', 0.4)]
    const own = find([], { series: [left('stock-api')], edges })
    expect(own.cause).toMatchObject({ kind: 'certificate', entity: 'stock-api', change: null })
    expect(own.hypotheses[0]?.statement).toContain('credential that has expired')
    for (const other of [left('letters'), left('stock-api', ONSET + 12), left('stock-api', ONSET - 12)])
      expect(find([], { series: [other], edges }).cause.kind).not.toBe('certificate')
  })

  it('a certificate is told by who checks it, again and again from the onset on', () => {
    const expired = 'x509: certificate has expired or is not yet valid'
    const told = find([expired])
    expect(told.cause).toMatchObject({ kind: 'certificate', entity: 'stock-api' })
    // A word of long before is another story.
    const before = find([], { logs: lines('stock-api', 'ERROR', expired, ONSET - 40, ONSET - 30) })
    expect(before.cause.kind).not.toBe('certificate')
  })
})

describe('an expired certificate', () => {
  const noted = (minute: number, form = (time: string) => `peer check: notAfter=${time}`) =>
    form(new Date(at(minute)).toISOString().replace('.000', ''))

  it('is told by a date that lies at the onset, however it is written', () => {
    const cause = found('certificate', { templates: [said(noted(ONSET))] })
    expect(cause).toEqual({
      ...{ kind: 'certificate', entity: 'stock', score: round6(0.5 * UNEXPLAINED) },
      ...{ what: 'a credential that has expired', action: 'rotate', yields_to_changes: false },
      signs: [
        {
          strength: 0.5,
          fact: {
            ...{ of: 'expiry', entity: 'stock', at: at(ONSET), text: noted(ONSET), source: 'logs' },
            origin: 'log',
          },
        },
      ],
    })
    for (const form of [
      (time: string) => `checked, not after: ${time.replace('T', ' ')}`,
      (time: string) => `not_after is ${time.replace('Z', '')}`,
      (time: string) => `notafter="${time}" of the peer`,
    ])
      expect(score('certificate', { templates: [said(noted(ONSET, form))] })).toBe(round6(0.5 * UNEXPLAINED))
  })

  it('is none where the date lies more than five minutes away, or nothing began', () => {
    const near = (minute: number) => found('certificate', { templates: [said(noted(minute))] })
    expect([near(ONSET + 5), near(ONSET - 5)].map((cause) => cause?.signs.length)).toEqual([1, 1])
    expect([near(ONSET + 6), near(ONSET - 6)]).toEqual([undefined, undefined])
    const templates = [said(noted(ONSET))]
    expect(found('certificate', { templates, observed: { onset: null } })).toBeUndefined()
  })

  it('is told by a series of the time left that reached nothing at the onset', () => {
    const left = (name: string, end = ONSET, entity = 'vault'): Series => {
      const one = series(entity, name, 0, 0)
      return { ...one, values: one.values.map((_, minute) => end - minute) }
    }
    const cause = found('certificate', {
      snapshot: { series: [series('web', 'http_5xx_ratio', 0, 0), left('tls_cert_days_remaining')] },
      templates: [said(noted(ONSET))],
    })
    expect(cause).toMatchObject({ entity: 'vault', what: 'an expired certificate' })
    expect(cause?.signs[0]).toEqual({
      strength: 0.6,
      fact: {
        ...{ of: 'expiry', entity: 'vault', at: at(ONSET), text: 'tls_cert_days_remaining' },
        ...{ source: 'metrics', origin: 'metric' },
      },
    })
    const of = (one: Series, observed: Partial<Observed> = {}) =>
      found('certificate', { snapshot: { series: [one] }, observed })
    expect(of(left('token_ttl_seconds', ONSET + 5))).toBeDefined()
    for (const end of [ONSET + 6, ONSET - 6, LENGTH + 9])
      expect(of(left('token_ttl_seconds', end))).toBeUndefined()
    expect(of(left('token_ttl_seconds'), { onset: null })).toBeUndefined()
    // Of who fails, or of who calls it, nothing else has to be said.
    const own = { first: place('vault') }
    expect(of(left('token_ttl_seconds'))?.score).toBe(round6(0.5 * UNEXPLAINED))
    expect(of(left('token_ttl_seconds'), own)?.score).toBe(0.5)
    const caller = { first: place('stock'), graph: graphOf({ vault: ['stock'] }) }
    expect(of(left('token_ttl_seconds'), caller)?.score).toBe(0.5)
    const called = { first: place('stock'), graph: graphOf({ stock: ['vault'] }) }
    expect(of(left('token_ttl_seconds'), called)?.score).toBe(round6(0.5 * UNEXPLAINED))
  })

  it('is sure by a date and by words together, likely by words again and again, and else a word in passing', () => {
    const word = 'certificate has expired'
    const symptoms = [word]
    expect(score('certificate', { templates: [said(word), said(noted(ONSET))], symptoms })).toBe(0.95)
    expect(score('certificate', { templates: [said(word)], symptoms })).toBe(0.6)
    expect(score('certificate', { templates: [said(word, 'stock', { during: 4 })], symptoms })).toBe(0.3)
    expect(score('certificate', { templates: [said(word)] })).toBe(round6(0.6 * UNEXPLAINED))
    const many = ['a', 'b', 'c', 'd'].map((part) => said(`${part}: ${word}`))
    expect(facts(found('certificate', { templates: many }))?.map(([strength]) => strength)).toEqual([
      0.2, 0.2, 0.2,
    ])
    const dated = [1, 2, 3].map((part) => said(`${part} ${noted(ONSET)}`))
    expect(found('certificate', { templates: dated })?.signs).toHaveLength(2)
  })

  it('lies at who is named with the date or the word, or at the place that the measurements blame', () => {
    expect(found('certificate', { templates: [said(`stock asks vault: ${noted(ONSET)}`)] })?.entity).toBe(
      'vault',
    )
    const word = 'vault: certificate has expired'
    expect(found('certificate', { templates: [said(word)] })?.entity).toBe('vault')
    expect(found('certificate', { templates: [said('certificate has expired')] })?.entity).toBeNull()
    expect(
      found('certificate', { templates: [said(word)], observed: { first: place('stock') } })?.entity,
    ).toBe('stock')
    const shows = said('remote error: tls: expired certificate', 'web')
    expect(found('certificate', { templates: [said(word), shows] })?.entity).toBe('web')
  })

  it('is told by an alert as by a line', () => {
    const alerts = [
      { source: 'alerts', name: 'a', service: 'stock', fired_at: at(ONSET), summary: noted(ONSET) },
    ]
    expect(found('certificate', { snapshot: { alerts } })?.signs[0]?.fact).toMatchObject({ origin: 'alert' })
  })
})
