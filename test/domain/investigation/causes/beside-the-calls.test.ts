import { describe, expect, it } from 'vitest'
import {
  CONFIDENCE_CAP_UNLINKED,
  CONFIDENCE_CAP_UNMAPPED,
  CONFIDENCE_CAP_WITNESSED,
} from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, commit, deploy, ONSET, series } from '../incident-scenarios.ts'
import { causes, counted, event, facts, graphOf, place, risen, said } from '../scene-by-hand.ts'
import { failedSpan } from '../verdict-by-hand.ts'

const names = ['web', 'stock', 'vault', 'balancer', 'link-a', 'link-b', 'jobs-queue', 'stock-db']
const snapshot: Partial<Snapshot> = {
  edges: [...calls('web', 'stock', 0.5), ...calls('stock', 'vault')],
  entities: names.map((name) => ({ name, kind: name === 'jobs-queue' ? 'queue' : 'service', aliases: [] })),
}
const observed = (...failing: readonly string[]) => ({
  first: place('stock'),
  symptom_service: 'web',
  graph: graphOf({ web: ['stock'], stock: ['vault'] }),
  flows: new Map(failing.map((one) => [one, counted(one, 400)])),
})
const WHAT = 'a part that the calls pass without anybody counting it'
const of = (seen: Parameters<typeof causes>[0], failing: readonly string[] = ['stock']) =>
  causes({ snapshot, ...seen, observed: { ...observed(...failing), ...seen.observed } }).find(
    ({ what }) => what === WHAT,
  )
const servers = (
  more: Partial<SeriesShift> = {},
  labels: Series['labels'] = { backend: 'stock' },
  by = 'balancer',
) => risen(by, 'servers_up', { direction: 'down', before: 3, during: 1, ...more }, { labels })
const full = said('no slot for another server of stock', 'balancer')
const loss = (by: string, more: Partial<SeriesShift> = {}) =>
  risen(by, 'packet_loss_ratio', { is_bad: false, ...more })
const broken = ['stock', 'vault'].map((by) => said('read tcp 10.1.2.3:81: read: connection timed out', by))

describe('a part beside the calls', () => {
  it('is told by what steps with what fails and names it, and by what it says of it anew', () => {
    const both = of({ shifts: [servers()], templates: [full] })
    expect(both).toMatchObject({
      ...{ kind: 'infra', entity: 'balancer', score: 0.64, action: 'failover', yields_to_changes: true },
      at_most: CONFIDENCE_CAP_WITNESSED,
    })
    expect(facts(both)).toEqual([
      [0.4, 'servers_up'],
      [0.4, 'no slot for another server of stock'],
    ])
    for (const alone of [{ shifts: [servers()] }, { templates: [full] }])
      expect(of(alone)).toMatchObject({ entity: 'balancer', score: 0.4, at_most: CONFIDENCE_CAP_UNLINKED })
    const many = { shifts: [servers(), servers(), servers()], templates: [full, full, full] }
    expect(of(many)).toMatchObject({ score: 0.85, signs: { length: 4 } })
  })

  it('is told by what steps with what fails where whoever fails first names it, again and again since then', () => {
    const step = servers({}, {})
    const missed = said('cannot write to balancer', 'stock')
    expect(of({ shifts: [step] })).toBeUndefined()
    const named = of({ shifts: [step], templates: [missed] })
    expect(named).toMatchObject({ entity: 'balancer', score: 0.64, at_most: CONFIDENCE_CAP_UNLINKED })
    expect(facts(named)).toEqual([
      [0.4, 'servers_up'],
      [0.4, 'cannot write to balancer'],
    ])
    for (const line of [
      said('cannot write to balancer', 'vault'),
      said('cannot write to link-a', 'stock'),
      { ...missed, during: 4 },
      { ...missed, severity: 'information' as const },
      { ...missed, risen_at: at(ONSET - 60) },
    ])
      expect(of({ shifts: [step], templates: [line] })).toBeUndefined()
    expect(of({ templates: [missed] })).toBeUndefined()
  })

  it('is named as well by who calls what fails first, where it says of which way there', () => {
    const step = servers({}, {})
    const by = (text: string, service = 'web') => of({ shifts: [step], templates: [said(text, service)] })
    expect(by('read ECONNRESET (stock by way of balancer)')).toMatchObject({
      ...{ entity: 'balancer', score: 0.64, at_most: CONFIDENCE_CAP_UNLINKED },
    })
    // Of a call to another, of a host in its domain, and from somebody who does not call it.
    expect(by('cannot write to balancer')).toBeUndefined()
    expect(by('Post "https://stock.balancer.example/v1": certificate is valid for another')).toBeUndefined()
    expect(by('read ECONNRESET (stock by way of balancer)', 'vault')).toBeUndefined()
  })

  it('is likely by two witnesses for five minutes, in which it may flap and be another story, unless whoever fails names it', () => {
    const seenUntil = (minute: number, ...more: readonly ReturnType<typeof said>[]) =>
      of({
        ...{ shifts: [servers()], templates: [full, ...more] },
        observed: {
          ...observed('stock'),
          normal: { baselines: [], origin: 'none', incident: { from: at(0), to: at(minute) } },
        },
      })
    expect(seenUntil(ONSET + 5)?.at_most).toBe(CONFIDENCE_CAP_WITNESSED)
    expect(seenUntil(ONSET + 4)?.at_most).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(seenUntil(ONSET + 4, said('cannot write to balancer', 'stock'))?.at_most).toBe(
      CONFIDENCE_CAP_WITNESSED,
    )
  })

  it('is likely at most where what failed first was changed just before and does not name it: it may need the part only now', () => {
    const bound = (changes: Snapshot['changes'], ...more: readonly ReturnType<typeof said>[]) =>
      of({
        ...{ shifts: [servers()], templates: [full, ...more], snapshot: { ...snapshot, changes } },
        observed: {
          ...observed('stock'),
          normal: { baselines: [], origin: 'none', incident: { from: at(0), to: at(ONSET + 9) } },
        },
      })?.at_most
    const rolledOut = (entity: string, minute: number) => [deploy('d1', minute, entity, 'v2', [])]
    expect(bound([])).toBe(CONFIDENCE_CAP_WITNESSED)
    expect(bound(rolledOut('stock', ONSET - 30))).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(bound(rolledOut('stock', ONSET - 31))).toBe(CONFIDENCE_CAP_WITNESSED)
    expect(bound(rolledOut('vault', ONSET - 4))).toBe(CONFIDENCE_CAP_WITNESSED)
    expect(bound(rolledOut('stock', ONSET - 4), said('cannot write to balancer', 'stock'))).toBe(
      CONFIDENCE_CAP_WITNESSED,
    )
  })

  it('is no part of which it is only announced what will be done', () => {
    const step = servers({}, {})
    const told = (text: string) =>
      of({ shifts: [step], snapshot: { ...snapshot, events: [event(text, 'balancer')] } })
    expect(told('firmware was replaced')).toMatchObject({ entity: 'balancer' })
    for (const text of [
      'firmware is to be replaced on Thursday',
      'disks are going to be swapped',
      'it will be off',
    ])
      expect([text, told(text)]).toEqual([text, undefined])
  })

  it('is no clock that began anew, and no machine on which nothing runs', () => {
    const saying = [said('begun anew', 'link-a')]
    expect(of({ shifts: [loss('link-a')], templates: saying })).toBeDefined()
    for (const name of ['process_uptime_seconds', 'node_boot_time_seconds'])
      expect(of({ shifts: [risen('link-a', name, { is_bad: false })], templates: saying })).toBeUndefined()
    const own = (entity: string, node: string) => ({ ...series(entity, 'load', 1, 1), labels: { node } })
    const among = (...measured: Series[]) =>
      of({ snapshot: { ...snapshot, series: measured }, shifts: [loss('link-a')], templates: saying })
    expect(among(own('link-a', 'link-a'))).toBeDefined()
    expect(among(own('link-a', 'link-a'), own('stock', 'peg-1'))).toBeUndefined()
    expect(among(own('link-a', 'link-a'), own('stock', 'peg-1'), own('mail', 'link-a'))).toBeDefined()
    expect(among(own('link-a', 'rack-1'), own('stock', 'peg-1'))).toBeDefined()
  })

  it('stands before what is quoted of it, which says less than what was measured of it and what it says', () => {
    const refused = said('connect ECONNREFUSED balancer:8080', 'web')
    const seen = (more: Parameters<typeof causes>[0]) =>
      causes({
        ...{ snapshot, ...more },
        observed: { ...observed('stock'), failing: [place('stock', { flow: counted('stock', 400) })] },
      }).filter(({ entity }) => entity === 'balancer')
    const quoted = seen({ templates: [refused], symptoms: ['ECONNREFUSED'] })
    expect(quoted).toMatchObject([{ what: 'an instance on which nothing listens' }])
    const both = seen({ templates: [refused, full], symptoms: ['ECONNREFUSED'], shifts: [servers()] })
    expect(both).toMatchObject([{ what: WHAT, score: 0.64, at_most: CONFIDENCE_CAP_WITNESSED }])
    expect(quoted[0]?.score).toBeLessThan(0.64)
    expect(quoted[0]?.score).toBeGreaterThan(0.2)
  })

  it('may be recorded by its platform once, where a line has to be said again and again', () => {
    const recorded = of({
      snapshot: { ...snapshot, events: [event('no room for servers of stock', 'balancer')] },
    })
    expect(recorded).toMatchObject({ entity: 'balancer', at_most: CONFIDENCE_CAP_UNLINKED })
    expect(of({ templates: [{ ...full, during: 4 }] })).toBeUndefined()
    expect(of({ templates: [{ ...full, severity: 'information' }] })).toBeUndefined()
  })

  it('is none that speaks of another, moved at another minute, or was well again while users were hurt', () => {
    for (const shift of [
      servers({}, { backend: 'other-shop' }),
      servers({}, { backend: 'link-a' }),
      servers({ onset: { at: at(ONSET - 3), earliest: at(ONSET - 3), latest: at(ONSET - 3) } }),
      servers({ onset: { at: at(ONSET + 3), earliest: at(ONSET + 3), latest: at(ONSET + 3) } }),
      servers({ ended_at: at(ONSET + 4) }),
      servers({ is_bad: false }),
    ])
      expect(of({ shifts: [shift] })).toBeUndefined()
    expect(of({ templates: [said('no slot for another server of link-a', 'balancer')] })).toBeUndefined()
  })

  it('is none to whom calls are counted, no queue, no copy of a store, and not who was alerted', () => {
    for (const by of ['vault', 'stock', 'web', 'jobs-queue'])
      expect(of({ shifts: [servers({}, { backend: 'stock' }, by)] })).toBeUndefined()
    const labels = { backend: 'stock' }
    expect(of({ shifts: [risen('stock-db', 'replication_lag_seconds', {}, { labels })] })).toBeUndefined()
    expect(of({ shifts: [risen('stock-db', 'queue_oldest_age_seconds', {}, { labels })] })).toBeUndefined()
    expect(of({ shifts: [risen('stock-db', 'keys_evicted_per_second', {}, { labels })] })).toBeUndefined()
    expect(of({ shifts: [servers()], observed: { symptom_service: 'balancer' } })).toBeUndefined()
  })

  it('that names nobody is told where several fail or call who fails, and say that they miss what it is for', () => {
    const several = ['stock', 'vault']
    const told = of({ shifts: [loss('link-a')], templates: broken }, several)
    expect(told).toMatchObject({ kind: 'network', entity: 'link-a', at_most: CONFIDENCE_CAP_UNLINKED })
    const calling = broken.map((line) => ({ ...line, service: line.service === 'vault' ? 'web' : 'stock' }))
    expect(of({ shifts: [loss('link-a')], templates: calling })).toMatchObject({ entity: 'link-a' })
    expect(of({ shifts: [loss('link-a')], templates: broken })).toBeUndefined()
    expect(of({ shifts: [loss('link-a')], templates: broken.slice(1) }, several)).toBeUndefined()
    const others = [said('x', 'stock'), said('x', 'vault')]
    expect(of({ shifts: [loss('link-a')], templates: others }, several)).toBeUndefined()
    expect(of({ shifts: [loss('balancer')], templates: broken }, several)).toMatchObject({ kind: 'network' })
    const asked = ['stock', 'vault'].map((by) => said('getaddrinfo ENOTFOUND vault.internal', by))
    const slow = risen('coredns', 'request_duration_p99_ms')
    expect(of({ shifts: [slow], templates: asked }, several)).toMatchObject({
      kind: 'dns',
      entity: 'coredns',
    })
    expect(of({ shifts: [slow], templates: broken }, several)).toBeUndefined()
  })

  it('that names nobody is told where it moved and says something, and by neither alone', () => {
    const weak = said('optical power is low', 'balancer')
    const restarts = risen('balancer', 'workers_busy_ratio')
    expect(of({ shifts: [restarts], templates: [weak] })).toMatchObject({ at_most: CONFIDENCE_CAP_WITNESSED })
    expect(of({ shifts: [restarts] })).toBeUndefined()
    expect(of({ templates: [weak] })).toBeUndefined()
  })

  it('is told without counted calls beside those that measure what they are asked and hurt their users', () => {
    const asked = (by: string) => series(by, 'http_requests_per_second', 9, 9)
    const hurt = (by: string) => risen(by, 'http_errors_ratio')
    const uncounted = { ...snapshot, edges: [], series: [asked('stock'), asked('vault')] }
    const shifts = [loss('link-a'), hurt('stock'), hurt('vault')]
    const told = of({ shifts, templates: broken, snapshot: uncounted }, [])
    expect(told).toMatchObject({ kind: 'network', entity: 'link-a' })
    expect(of({ shifts: shifts.slice(0, 2), templates: broken, snapshot: uncounted }, [])).toBeUndefined()
    const below = risen('vault', 'packet_loss_ratio')
    const own = { ...snapshot, edges: [], series: [asked('stock')] }
    expect(
      of({ shifts: [below, hurt('stock')], templates: [said('x of stock', 'vault')], snapshot: own }, []),
    ).toBeUndefined()
  })

  it('is none of two that are as likely, and the likelier of two', () => {
    const several = ['stock', 'vault']
    const two = [loss('link-a'), loss('link-b')]
    expect(of({ shifts: two, templates: broken }, several)).toBeUndefined()
    const light = [event('optical power is low', 'link-b')]
    const seen = { shifts: two, templates: broken, snapshot: { ...snapshot, events: light } }
    expect(of(seen, several)).toMatchObject({ entity: 'link-b', at_most: CONFIDENCE_CAP_WITNESSED })
  })

  it('is none that was changed just before, where no calls were counted, or where nothing fails', () => {
    const changes = [
      commit('aa11', ONSET - 8, 'Another firmware', ['balancer/firmware'], null),
      deploy('d1', ONSET - 5, 'balancer', 'v2', ['aa11']),
    ]
    expect(of({ shifts: [servers()], snapshot: { ...snapshot, changes } })).toBeUndefined()
    const recorded = (title: string, files: readonly string[], minute = ONSET - 8) =>
      of({
        shifts: [servers()],
        snapshot: { ...snapshot, changes: [commit('bb22', minute, title, files, null)] },
      })
    expect(recorded('Another chart for the Balancer', ['charts/x.yaml'])).toBeUndefined()
    expect(recorded('Another chart', ['prod/balancer/x.yaml'])).toBeUndefined()
    expect(recorded('Balance the books', ['charts/x.yaml'])).toBeDefined()
    expect(recorded('Another chart for the balancer', [], ONSET - 31)).toBeDefined()
    expect(recorded('Another chart for the balancer', [], ONSET + 6)).toBeDefined()
    expect(of({ shifts: [servers()], snapshot: { ...snapshot, edges: [] } })).toBeUndefined()
    expect(of({ shifts: [servers()], observed: { first: null } })).toBeUndefined()
    expect(of({ shifts: [servers()], observed: { onset: null } })).toBeUndefined()
  })

  it('stepped two minutes from what fails at most', () => {
    const from = (minute: number) => ({ at: at(minute), earliest: at(minute), latest: at(minute) })
    for (const minute of [ONSET - 2, ONSET + 2])
      expect(of({ shifts: [servers({ onset: from(minute) })] })).toMatchObject({ entity: 'balancer' })
    expect(of({ shifts: [servers({ onset: from(ONSET + 2.1) })] })).toBeUndefined()
  })

  it('resolves names by any name that such servers bear', () => {
    const asked = ['stock', 'vault'].map((by) => said('getaddrinfo ENOTFOUND vault.internal', by))
    for (const by of ['ns', 'ns12', 'ns-2', 'resolver'])
      expect(
        of({ shifts: [risen(by, 'request_duration_p99_ms')], templates: asked }, ['stock', 'vault']),
      ).toMatchObject({ kind: 'dns', entity: by })
  })

  it('is nobody of whom calls were traced', () => {
    const traced = { ...snapshot, edges: [], spans: ['web', 'stock', 'vault'].map(failedSpan) }
    expect(of({ shifts: [servers()], snapshot: traced })).toMatchObject({ entity: 'balancer' })
    expect(of({ shifts: [servers({}, { backend: 'stock' }, 'vault')], snapshot: traced })).toBeUndefined()
  })

  it('is missed by those of whom a tenth of what fails most fails, and not by who hardly fails', () => {
    const flows = (vault: number) =>
      new Map([
        ['stock', counted('stock', 400)],
        ['vault', counted('vault', vault)],
      ])
    const missed = (vault: number) =>
      of({ shifts: [loss('link-a')], templates: broken, observed: { flows: flows(vault) } })
    expect(missed(40)).toMatchObject({ entity: 'link-a' })
    expect(missed(39)).toBeUndefined()
    expect(missed(0)).toBeUndefined()
  })

  it('is missed, where nobody counts calls, by those whose users are hurt and by nobody else', () => {
    const asked = (by: string) => series(by, 'http_requests_per_second', 9, 9)
    const hurt = risen('stock', 'http_errors_ratio')
    const missed = (other: SeriesShift, list = [asked('stock'), asked('vault')]) =>
      of(
        {
          shifts: [loss('link-a'), hurt, other],
          templates: broken,
          snapshot: { ...snapshot, edges: [], series: list },
        },
        [],
      )
    expect(missed(risen('vault', 'http_errors_ratio'))).toMatchObject({ entity: 'link-a' })
    expect(missed(risen('vault', 'http_errors_ratio', { is_bad: false }))).toBeUndefined()
    expect(missed(risen('vault', 'container_cpu_utilization_ratio'))).toBeUndefined()
    expect(missed(risen('vault', 'http_errors_ratio'), [asked('stock')])).toBeUndefined()
  })

  it('is missed by what is logged anew of failing, and by nothing that is old, only noted or recorded', () => {
    const several = ['stock', 'vault']
    const missed = (more: Parameters<typeof said>[2]) =>
      of({ shifts: [loss('link-a')], templates: broken.map((line) => ({ ...line, ...more })) }, several)
    expect(missed({})).toBeDefined()
    expect(missed({ severity: 'information' })).toBeUndefined()
    expect(missed({ risen_at: at(ONSET - 16) })).toBeUndefined()
    const events = several.map((by) => event('read tcp 10.1.2.3:81: read: connection timed out', by))
    expect(of({ shifts: [loss('link-a')], snapshot: { ...snapshot, events } }, several)).toBeUndefined()
  })

  it('is about what fails, or where it fails first, among others that it names', () => {
    const first = { first: place('vault') }
    expect(of({ shifts: [servers()], observed: first })).toMatchObject({ entity: 'balancer' })
    expect(of({ shifts: [servers({}, { backend: 'vault' })], observed: first })).toBeDefined()
    expect(of({ shifts: [servers({}, { backend: 'vault' })] })).toBeUndefined()
    expect(of({ shifts: [servers({}, { backend: 'stock', peer: 'link-a' })] })).toBeDefined()
  })

  it('may name itself, which says nothing of whom it is about', () => {
    const weak = said('balancer: optical power is low', 'balancer')
    const own = servers({}, { instance: 'balancer' })
    expect(of({ shifts: [own], templates: [weak] })).toMatchObject({ at_most: CONFIDENCE_CAP_WITNESSED })
    expect(of({ shifts: [own] })).toBeUndefined()
    expect(of({ templates: [weak] })).toBeUndefined()
  })

  it('is told by its own signs alone, whatever else moved, was said or recorded', () => {
    const events = [event('optical power towards stock is low', 'link-b')]
    const both = { shifts: [servers()], templates: [full], snapshot: { ...snapshot, events } }
    expect(of(both)).toMatchObject({ entity: 'balancer', score: 0.64 })
    const unnamed = risen('link-b', 'workers_busy_ratio')
    expect(of({ shifts: [servers(), unnamed] })).toMatchObject({ entity: 'balancer' })
    const once = said('optical power is low', 'link-b', { during: 4 })
    expect(of({ shifts: [servers()], templates: [once] })).toMatchObject({ entity: 'balancer' })
    const rare = [...broken, said('optical power is low', 'link-a', { during: 4 })]
    expect(of({ templates: rare }, ['stock', 'vault'])).toBeUndefined()
  })

  it('says again and again what it logs, whatever its platform records beside', () => {
    const events = [event('no room for servers of stock', 'balancer')]
    const seen = of({ templates: [{ ...full, during: 4 }], snapshot: { ...snapshot, events } })
    expect(facts(seen)).toEqual([[0.4, 'notice no room for servers of stock']])
  })
})
