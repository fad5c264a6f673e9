import { describe, expect, it } from 'vitest'
import { sharedThings } from '#shared/domain/investigation/changes/shared-identifiers.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, series as levels, ONSET } from '../incident-scenarios.ts'
import { CALLEES, first, judge, of, SEEN, says } from '../ranking-by-hand.ts'

const record = (title: string, more: Partial<Change> = {}): Change => ({
  ...{ source: 'infra', id: title, kind: 'infra', title, recorded_at: at(ONSET - 40) },
  ...more,
})
const shared = (title: string, text: string, others: readonly Change[] = [], more: Partial<Symptom> = {}) =>
  sharedThings([record(title), ...others], [says(text, more)])(record(title))
const name = (...given: Parameters<typeof shared>): string | null => shared(...given)?.name ?? null

describe('one thing of many that an error and a record name by its number', () => {
  it('is the noun and the number, however each writes them', () => {
    expect(shared('orders of tenant 311 moved', 'cannot read tenant 311: two rows')).toMatchObject({
      ...{ name: 'tenant 311', how: 'bears' },
      symptom: { text: 'cannot read tenant 311: two rows' },
    })
    for (const text of ['Tenants: 311', 'tenant_id=311', 'tenant #311', 'tenant-311', 'TENANT_311.'])
      expect(name('tenant 311 moved', text), text).toBe('tenant 311')
  })

  it('is compared without a plural’s s, and told as the record writes it', () => {
    expect(name('orders of tenants 311', 'tenant 311')).toBe('tenants 311')
    expect(name('job 311 moved', 'jobs 311')).toBe('job 311')
    expect(name('Canvas 311 moved', 'canvas 311')).toBe('canvas 311')
    expect(name('bus 311 moved', 'bus 311')).toBe('bus 311')
  })

  it('is another where the noun or the number is another, or the number goes on', () => {
    const texts = [
      'site 311',
      'tenant 312',
      'tenant 3110',
      'tenant 311.5',
      'tenant 311-b',
      'tenant 311%',
      'x/tenant 311',
    ]
    for (const text of texts) expect(name('tenant 311 moved', text), text).toBeNull()
    // Two digits are anything's.
    expect(name('tenant 31 moved', 'tenant 31')).toBeNull()
    expect(name('tenant 311 moved', 'id 311')).toBeNull()
    expect(name('mast 311 moved', 'mat 311')).toBeNull()
  })

  it('is nothing that is counted or measured', () => {
    const counts =
      'after about above almost answer answered attempt attempts below byte bytes code codes count'
    const more =
      'duration error errors every exit for from http least line lines more most over pid port ports'
    const rest =
      'release retry returned size status than timeout timeouts took total uid version waited with within'
    for (const word of [counts, more, rest].join(' ').split(' '))
      expect(name(`${word} 503`, `${word} 503`), word).toBeNull()
    const short = 'b kb mb gb tb kib byte bytes ms us ns s sec secs second seconds min mins minute minutes'
    const long = 'hour hours times percent request requests row rows entries items lines'
    for (const unit of `${short} ${long}`.split(' '))
      expect(name(`page 300 ${unit} on`, `page 300 ${unit} on`), unit).toBeNull()
    expect(name('page 300ms', 'page 300ms')).toBeNull()
    // A word that holds such a one is another.
    for (const text of [
      'mainline 300',
      'codec 300',
      'page 300 moved',
      'page 300 sites',
      'page 300, in seconds',
    ])
      expect(name(text, text), text).not.toBeNull()
  })

  it('is that of no record where unlike ones name it, and of each of those that were done alike', () => {
    const other = record('tenant 311 told of it')
    expect(name('tenant 311 moved', 'tenant 311', [other])).toBeNull()
    const step = (part: number): Change => record(`store-${part}: tenant 311 moved`)
    expect(name('store-1: tenant 311 moved', 'tenant 311', [step(2)])).toBe('tenant 311')
  })

  it('is spoken of by the failing place itself, and not by an alert', () => {
    expect(name('tenant 311 moved', 'tenant 311', [], { weight: 0.5 })).toBe('tenant 311')
    expect(name('tenant 311 moved', 'tenant 311', [], { weight: 0.49 })).toBeNull()
    expect(name('tenant 311 moved', 'tenant 311', [], { origin: 'alert' })).toBeNull()
    const twice = [says('tenant 311', { weight: 2 }), says('tenant 311')]
    const heaviest = sharedThings([record('tenant 311')], twice)(record('tenant 311'))
    expect(heaviest?.symptom).toBe(twice[0])
    expect(
      sharedThings([record('x', { title: undefined } as never)], [says('tenant 311')])(record('')),
    ).toBeNull()
  })

  it('links a record of most of an hour ago before a change of a minute ago that says nothing', () => {
    const made = record('shelf-db: rows of tenant 311 made by hand', { id: 'made' })
    const plain = commit('plain', ONSET - 1, 'Name a size', ['stock-api/page.ts'], null)
    const snapshot = { series: [levels('shelf-db', 'db_connections_open', 9, 9)] }
    const told = [says('rows of tenant 311 cannot be read')]
    expect(first([made, plain], told, { snapshot })).toMatchObject({
      ...{ change: { id: 'made' }, reaches: 'shelf-db', quoted: { name: 'tenant 311' } },
    })
    // Away from what fails it is somebody else's.
    const away = record('billing: rows of tenant 311 made by hand', { id: 'away' })
    const { ranked } = judge([away], told, {
      snapshot: { series: [levels('billing', 'queue_messages_ready', 9, 9)] },
    })
    expect(of(ranked, 'away').quoted).toBeNull()
  })
})

describe('a thing that an error names by its number, and a record of a part that nobody calls', () => {
  const edges = [
    { source: 'calls', caller: 'web', callee: 'stock-api', t0: at(60), t1: at(61), interval_s: 60 },
  ]
  const series = ['billing', 'tags-console'].map((entity) => levels(entity, 'process_threads', 9, 9))
  const place = (entity: string, title: string, callees = CALLEES) =>
    judge([record(title, { entity, kind: 'config' })], [says('bad answer (tag 4638)')], {
      ...{ snapshot: { edges, series }, observed: { graph: { ...SEEN.graph, callees } } },
    }).ranked[0]?.place

  it('is next to what fails: that nobody is counted to call it speaks not against it', () => {
    expect(place('tags-console', 'Tag 4638 of seat try-out')).toBe(0.7)
    expect(place('tags-console', 'Tag 4639 of seat try-out')).toBe(0.25)
  })

  it('is as far off as ever where it is known whom it calls, and none of those fails', () => {
    const callees = new Map([...CALLEES, ['billing', new Set<string>()]])
    expect(place('billing', 'Tag 4638 of seat try-out', callees)).toBe(0.25)
  })
})
