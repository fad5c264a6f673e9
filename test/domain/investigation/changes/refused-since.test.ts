import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withRefusedSince } from '#shared/domain/investigation/changes/refused-since.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { BARE, place, risen, said } from '../scene-by-hand.ts'

const TOLD = said('POST https://id.example/token: {"error":"invalid_client"}')
const counted = (entity: string, more: Partial<SeriesShift> = {}, status = '401'): SeriesShift =>
  risen(
    entity,
    'http_client_requests_per_second',
    { before: 0.1, during: 9, ...more },
    { labels: { status } },
  )
const written = (entity: string, minute = ONSET): SeriesShift =>
  risen(entity, 'kube_secret_metadata_resource_version', {
    ...{ is_bad: false, before: 7e7, during: 9e7 },
    onset: { at: at(minute), earliest: at(minute), latest: at(minute) },
  })
/** A change of settings that gave out the stock and others, a minute before. */
const arrival = (more: object = {}, minute = ONSET - 1): Arrival =>
  ({
    change: { id: 'c1', kind: 'config', recorded_at: at(minute), source: 'changes' },
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.25, reaches: 'web', owners: new Set(['web', 'stock']), is_named: false },
    ...{ rollout: null, mechanism: null, trivial: null },
    ...more,
  }) as unknown as Arrival

interface Seen {
  readonly templates?: readonly Template[]
  readonly shifts?: readonly SeriesShift[]
  readonly given?: Arrival
  readonly failing?: readonly string[]
  readonly onset?: null
}
const found = ({ templates = [TOLD], shifts = [], given = arrival(), ...seen }: Seen = {}): Arrival =>
  withRefusedSince(
    [given],
    {
      ...{ ...BARE, first: place('stock'), templates, shifts },
      failing: (seen.failing ?? ['stock', 'web']).map((name) => place(name)),
      onset:
        seen.onset === null ? null : { at: at(ONSET), earliest: at(ONSET - 0.5), latest: at(ONSET + 0.5) },
    },
    [],
  )[0] as Arrival
const scoreOf = (seen: Seen): number => found(seen).place.score

describe('a change after which a service is no longer believed', () => {
  it('is next to what fails where it gave out anew whoever is refused since', () => {
    expect(found().place).toMatchObject({ score: 0.95, reaches: 'stock' })
    // That others were given out too, and may do harm, is no sight of how.
    expect(found().mechanism).toBeNull()
    expect(found({ given: arrival({ place: { ...arrival().place, score: 1 } }) }).place.score).toBe(1)
  })

  it('can have done it where the secret of who is refused is seen to have been written then', () => {
    const seen = found({ shifts: [written('stock')] })
    expect(seen.mechanism).toMatchObject({
      score: 0.9,
      mechanism: { does: 'gives out anew what a service logs in with', kind: 'config' },
    })
    expect(seen.seen?.series.name).toBe('kube_secret_metadata_resource_version')
    expect(found({ shifts: [written('web')] }).mechanism).toBeNull()
    expect(found({ shifts: [written('stock', ONSET - 9)] }).mechanism).toBeNull()
    const surer = { mechanism: { id: 'credentials', does: 'x', kind: 'config' }, score: 0.95, symptom: null }
    expect(found({ shifts: [written('stock')], given: arrival({ mechanism: surer }) }).mechanism).toBe(surer)
  })

  it('took effect when that secret was written where nobody recorded when', () => {
    const unknown = { effective: { from: at(ONSET - 1), to: at(ONSET - 1), known: false } }
    expect(found({ given: arrival(unknown), shifts: [written('stock')] }).effective).toEqual({
      ...{ from: at(ONSET), to: at(ONSET), known: true },
    })
    expect(found({ given: arrival(unknown) }).effective.known).toBe(false)
  })

  it('is told by lines that say so for the first time, again and again, when users begin to be hurt', () => {
    const lineScore = (more: Partial<Template>): number => scoreOf({ templates: [{ ...TOLD, ...more }] })
    for (const example of [
      'FATAL: password authentication failed for user "app"',
      "Access denied for user 'app'@'10.0.0.7' (using password: YES)",
      'WRONGPASS invalid username-password pair or user is disabled.',
      'MongoServerError: AuthenticationFailed',
      'org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed',
      'ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN',
      'LDAP: error code 49 - 80090308',
      'Request failed with status code 401',
      'AADSTS7000215: Invalid client secret provided.',
    ])
      expect(lineScore({ example })).toBe(0.95)
    expect(lineScore({ example: 'Request failed with status code 503' })).toBe(0.25)
    expect(lineScore({ example: 'access denied by policy of the office' })).toBe(0.25)
    expect(lineScore({ change: 'grown' })).toBe(0.25)
    expect(lineScore({ severity: 'warning' })).toBe(0.25)
    expect(lineScore({ during: 4 })).toBe(0.25)
    expect(lineScore({ risen_at: at(ONSET + 9) })).toBe(0.25)
  })

  it('is told by refusals that clients count, much more of them than ever and still', () => {
    const countedScore = (shift: SeriesShift): number => scoreOf({ templates: [], shifts: [shift] })
    expect(countedScore(counted('stock'))).toBe(0.95)
    expect(countedScore(counted('stock', { during: 0.9 }))).toBe(0.25)
    expect(countedScore(counted('stock', { direction: 'down' }))).toBe(0.25)
    expect(countedScore(counted('stock', { ended_at: at(ONSET + 1) }))).toBe(0.25)
    expect(countedScore(counted('stock', {}, '404'))).toBe(0.25)
  })

  it('gave out everybody who is refused, minutes before', () => {
    const stranger = { ...arrival().place, owners: new Set(['web']) }
    expect(scoreOf({ given: arrival({ place: stranger }) })).toBe(0.25)
    expect(scoreOf({ given: arrival({}, ONSET - 9) })).toBe(0.25)
    expect(scoreOf({ given: arrival({}, ONSET + 3) })).toBe(0.25)
    const other = said('invalid_client', 'vault')
    expect(scoreOf({ templates: [TOLD, other], failing: ['stock', 'vault'] })).toBe(0.25)
    // Who is refused and hurts nobody is another story.
    expect(scoreOf({ failing: ['web'] })).toBe(0.25)
    expect(scoreOf({ onset: null })).toBe(0.25)
  })

  it('is of settings, or was rolled out, and does something', () => {
    const commit = { ...arrival().change, kind: 'commit' }
    expect(scoreOf({ given: arrival({ change: commit }) })).toBe(0.25)
    expect(scoreOf({ given: arrival({ change: commit, rollout: commit }) })).toBe(0.95)
    expect(scoreOf({ given: arrival({ trivial: { reason: 'only words', factor: 0.1 } }) })).toBe(0.25)
    expect(scoreOf({ given: arrival({ stopped: written('stock') }) })).toBe(0.25)
  })
})
