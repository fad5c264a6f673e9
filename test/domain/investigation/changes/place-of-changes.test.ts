import { describe, expect, it } from 'vitest'
import {
  effectTime,
  isRollout,
  NEAR_PLACE,
  placeOf,
  placeOfTarget,
  type Surroundings,
  surroundingsOf,
} from '#shared/domain/investigation/changes/place-of-changes.ts'
import { observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import {
  CHANGE_KINDS,
  type Change,
  type Edge,
  type Snapshot,
} from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, deploy, EMPTY, lines, pattern, series } from '../incident-scenarios.ts'

const edge = (caller: string, callee: string): Edge => ({
  ...{ source: 'edges', caller, callee, t0: at(0), interval_s: 60 },
})
/** `web` asks `cart`, which asks `stock`, where it fails first; `apart` fails by itself. */
const INCIDENT: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('web', 'http_5xx_ratio')],
  series: ['web', 'cart', 'stock', 'apart'].map((name) => series(name, 'http_5xx_ratio', 0.003, 0.4)),
  edges: [edge('web', 'cart'), edge('cart', 'shelf'), edge('cart', 'stock'), edge('stock', 'store')],
}
const OBSERVED = observe(INCIDENT, entityNames(INCIDENT), null)
const record = (kind: Change['kind'], more: Partial<Change> = {}): Change => ({
  ...{ source: 'deploys', id: 'c1', kind, recorded_at: at(10), ...more },
})

describe('a rollout', () => {
  it('is a deploy or a release, and nothing else', () => {
    expect(CHANGE_KINDS.filter((kind) => isRollout(record(kind)))).toEqual(['deploy', 'release'])
  })
})

describe('when a change took effect', () => {
  it('is when it says so, which is known unless it was guessed', () => {
    const effective_at = { from: at(20), to: at(25) }
    expect(effectTime(record('commit', { effective_at }), null)).toEqual({ ...effective_at, known: true })
    for (const [certainty, known] of [
      ['recorded', true],
      ['inferred', true],
      ['guessed', false],
    ] as const)
      expect(effectTime(record('commit', { effective_at, certainty }), null).known).toBe(known)
  })

  it('is when its rollout did, which then is known', () => {
    const rollout = { ...deploy('d1', 30, 'stock', 'v', ['c1']), certainty: 'guessed' as const }
    const own = record('commit', { effective_at: { from: at(5), to: at(5) } })
    expect(effectTime(own, rollout)).toEqual({ from: at(30), to: at(30), known: true })
  })

  it('is not known of what is only guessed to have been done: a rollout that failed', () => {
    const { effective_at: _none, ...failed } = {
      ...deploy('d1', 30, 'stock', 'v', ['c1']),
      certainty: 'guessed' as const,
    }
    expect(effectTime(failed, null)).toMatchObject({ known: false })
    expect(effectTime(record('commit'), failed)).toEqual({ from: at(30), to: at(30), known: false })
  })

  it('is when it was recorded where nothing says when, which is known of what takes effect at once', () => {
    for (const kind of CHANGE_KINDS)
      expect(effectTime(record(kind), null)).toEqual({
        ...{ from: at(10), to: at(10) },
        known: ['deploy', 'release', 'flag', 'scale'].includes(kind),
      })
  })
})

describe('how much a change can explain by where it arrived', () => {
  it('is most where it failed first, less where nothing explains the failing, less next to it, hardly elsewhere', () => {
    const place = (target: string) => placeOfTarget(target, OBSERVED)
    expect(OBSERVED.first?.entity).toBe('stock')
    expect(place('stock')).toBe(1)
    expect(place('apart')).toBeLessThan(place('stock'))
    expect(place('cart')).toBeLessThan(place('apart'))
    expect(place('cart')).toBe(NEAR_PLACE)
    expect(place('store')).toBe(NEAR_PLACE)
    expect(place('nobody')).toBeLessThan(NEAR_PLACE)
    expect(place('shelf')).toBe(place('nobody'))
  })

  it('is the very place where all go through what it is done to, and that fails with them', () => {
    const through = { ...OBSERVED, gone_through: new Set(['ns-1']) }
    expect(placeOfTarget('ns-1', through)).toBe(1)
    expect(placeOfTarget('ns-1', OBSERVED)).toBeLessThan(NEAR_PLACE)
    expect(placeOfTarget('cart', through)).toBe(NEAR_PLACE)
  })

  it('is as next to it where it asks the same failing thing, which the one keeps from the other', () => {
    const shared: Snapshot = {
      ...INCIDENT,
      series: [...INCIDENT.series, series('store', 'http_5xx_ratio', 0.003, 0.4, 95)],
      edges: [...INCIDENT.edges, edge('batch', 'store'), edge('till', 'shelf'), edge('stock', 'shelf')],
    }
    const observed = observe(shared, entityNames(shared), null)
    const { first, failing } = observed
    expect(first?.entity).toBe('stock')
    expect(failing.map(({ entity }) => entity)).toContain('store')
    expect(placeOfTarget('batch', observed)).toBe(NEAR_PLACE)
    expect(placeOfTarget('till', observed)).toBeLessThan(NEAR_PLACE)
  })

  it('is as much as next to it for what was asked about and what lies between', () => {
    expect(placeOfTarget('web', OBSERVED)).toBe(NEAR_PLACE)
    const apart = { ...OBSERVED, symptom_service: null }
    expect(placeOfTarget('web', apart)).toBeLessThan(NEAR_PLACE)
    expect(placeOfTarget('web', apart)).toBeGreaterThan(placeOfTarget('nobody', apart))
  })

  it('is what is given for elsewhere', () => {
    expect(placeOfTarget('nobody', OBSERVED, 0.65)).toBe(0.65)
    expect(placeOfTarget('stock', OBSERVED, 0.65)).toBe(1)
    expect(placeOfTarget('web', { ...OBSERVED, first: null }, 0.65)).not.toBe(0.65)
  })
})

describe('how much a change can explain by its place beside what fails', () => {
  const among = (more: Partial<typeof OBSERVED>) => ({ ...OBSERVED, unexplained: [], ...more })
  const failing = (...names: string[]) =>
    names.map((entity) => ({ ...(OBSERVED.failing[0] as (typeof OBSERVED.failing)[number]), entity }))

  it('is as much for who calls what failed first, and for what that calls, though neither fails', () => {
    const observed = among({ failing: failing('stock') })
    expect(placeOfTarget('cart', observed)).toBe(NEAR_PLACE)
    expect(placeOfTarget('store', observed)).toBe(NEAR_PLACE)
    expect(placeOfTarget('web', observed)).toBe(0.25)
  })

  it('is half for what fails and does not lie between what was asked about and where it failed first', () => {
    expect(placeOfTarget('apart', among({ failing: failing('apart') }))).toBe(0.5)
    expect(placeOfTarget('shelf', among({ failing: failing('shelf') }))).toBe(0.5)
    expect(placeOfTarget('web', among({ failing: failing('web'), symptom_service: 'cart' }))).toBe(0.5)
    expect(placeOfTarget('web', among({ failing: failing('web'), symptom_service: null }))).toBe(0.5)
    expect(placeOfTarget('web', among({ failing: failing('web'), first: null }))).toBe(0.5)
  })
})

describe('the place of a change', () => {
  const NAMES = entityNames({
    ...INCIDENT,
    entities: [{ name: 'ghost', kind: 'service', aliases: [] }],
  })
  const MEASURED = new Set(['web', 'cart', 'stock', 'apart', 'shelf', 'store'])
  const place = (
    change: Change,
    more: {
      readonly rollout?: Change
      readonly inherited?: boolean
      readonly around?: Partial<Surroundings>
      readonly work?: Parameters<typeof placeOf>[6]
      readonly hasRun?: Parameters<typeof placeOf>[7]
    } = {},
  ) => {
    const around: Surroundings = {
      ...{ isMeasured: (name) => MEASURED.has(name), movedBy: () => [], isOrchestrated: false },
      ...{ entities: [], hostedOn: () => [], misread: new Set<string>(), ...more.around },
    }
    return placeOf(
      ...([change, more.rollout ?? null, more.inherited ?? false, OBSERVED, NAMES, around] as const),
      ...([more.work ?? null, more.hasRun ?? (() => false)] as const),
    )
  }
  const known = { effective_at: { from: at(20), to: at(20) } }
  const files = (...paths: string[]) => ({ files: paths })

  it('is that of what runs on the machine that was worked on, as far as that runs nowhere else', () => {
    const machine = 'metal-1'
    const hostedOn: Surroundings['hostedOn'] = ({ entity }) =>
      entity === machine
        ? [
            { machine, entity: 'stock', share: 1 },
            { machine, entity: 'cart', share: 0.5 },
          ]
        : []
    const of = (kind: Change['kind'], entity: string, around: Partial<Surroundings> = { hostedOn }) =>
      place(record(kind, { entity }), { around: { isMeasured: () => false, ...around } })
    expect(of('infra', machine)).toMatchObject({
      score: 1,
      reaches: 'stock',
      is_named: true,
      is_hosting: true,
    })
    const half: Surroundings['hostedOn'] = (change) =>
      hostedOn(change).map((each) => ({ ...each, share: 0.5 }))
    expect(of('infra', machine, { hostedOn: half }).score).toBe(0.5)
    expect(of('infra', machine)).not.toHaveProperty('falls_on')
    expect(of('config', machine).reaches).toBe(machine)
    expect(of('infra', 'shelf')).toMatchObject({ is_named: false })
  })

  it('is that of its service, by whatever name, or of the service that its rollout went to', () => {
    expect(place(record('commit', { entity: 'STOCK' }))).toEqual({
      ...{ score: 1, reaches: 'stock', owners: new Set(['stock']), is_named: false },
    })
    const rollout = deploy('d1', 30, 'stock', 'v', ['c1'])
    expect(place(record('commit', { entity: 'apart' }), { rollout })).toMatchObject({
      score: 1,
      reaches: 'stock',
    })
  })

  it('is nearer than elsewhere where a library reached a service that does not fail', () => {
    const change = record('commit', { entity: 'shelf' })
    expect(place(change).score).toBe(0.25)
    expect(place(change, { inherited: true }).score).toBe(0.65)
  })

  it('is that of whose folders it touches where what it is of neither speaks nor is measured', () => {
    const change = record('config', { entity: 'repository', ...known, ...files('live/stock/a.yaml') })
    expect(place(change)).toEqual({
      ...{ score: 1, reaches: 'stock', owners: new Set(['stock']), is_named: false },
    })
    const measured = { ...change, entity: 'shelf' }
    expect(place(measured)).toMatchObject({ score: 0.6, reaches: 'stock', owners: new Set(['shelf']) })
    expect(place({ ...measured, entity: 'apart' })).toMatchObject({ score: 0.85, reaches: 'apart' })
    expect(place(record('config', { entity: 'repository' }))).toEqual({
      ...{ score: 0.25, reaches: 'repository', owners: new Set(['repository']), is_named: false },
    })
  })

  it('is certain of folders only for settings that are in effect', () => {
    const of = (kind: Change['kind'], more: Partial<Change> = {}, owner = 'stock') =>
      place(record(kind, { ...files(`${owner}/a.go`), ...more })).score
    expect(of('config', known)).toBe(1)
    expect(of('infra', known)).toBe(1)
    expect(of('config')).toBe(0.75)
    expect(of('commit', known)).toBe(0.75)
    expect(of('commit', {}, 'apart')).toBeCloseTo(0.85 * 0.75)
    expect(of('commit', {}, 'cart')).toBe(0.25)
    expect(of('config', known, 'cart')).toBe(0.7)
    expect(of('config', known, 'web')).toBe(0.7)
  })

  it('is the best of all that it reached, the first of equals', () => {
    const change = record('config', { ...known, ...files('cart/a.go', 'stock/b.go', 'web/c.go') })
    expect(place(change)).toMatchObject({ reaches: 'stock', owners: new Set(['cart', 'stock', 'web']) })
    expect(place({ ...change, files: ['web/a.go', 'cart/b.go'] }).reaches).toBe('web')
  })

  it('is where an orchestrator moved what ran on its machines', () => {
    const around = { isOrchestrated: true, movedBy: () => [{ entity: 'stock', at: at(20) }] }
    const found = place(record('infra', { entity: 'pool-blue' }), { around })
    expect(found).toMatchObject({ score: 1, reaches: 'stock', owners: new Set() })
  })

  it('is anybody’s for a pool of machines of which no orchestrator speaks', () => {
    const pool = record('infra', { entity: 'pool-blue' })
    expect(place(pool)).toEqual({ score: NEAR_PLACE, reaches: null, owners: new Set(), is_named: false })
    const { entity: _, ...nameless } = pool
    expect(place(nameless).score).toBe(NEAR_PLACE)
    expect(place(pool, { around: { isOrchestrated: true } })).toMatchObject({
      score: 0.25,
      reaches: 'pool-blue',
    })
    expect(place({ ...pool, kind: 'config' })).toMatchObject({ score: 0.25, reaches: 'pool-blue' })
    expect(place({ ...pool, entity: 'shelf' })).toMatchObject({ score: 0.25, reaches: 'shelf' })
  })

  it('is what the record names, where it is of no service', () => {
    const act = record('config', { title: 'pool of stock resized' })
    expect(place(act)).toEqual({ score: 1, reaches: 'stock', owners: new Set(), is_named: true })
    expect(place({ ...act, entity: 'vault' })).toMatchObject({ reaches: 'stock', is_named: true })
    expect(place({ ...act, entity: 'apart' })).toMatchObject({ reaches: 'apart', is_named: false })
    const ghost = record('config', { title: 'ghost resized' })
    expect(place(ghost)).toMatchObject({ score: 0.45, reaches: null, is_named: false })
    expect(place({ ...ghost, entity: 'vault' })).toMatchObject({ reaches: 'vault' })
    const owned = { ...act, ...files('live/cart/stock.yaml'), ...known }
    expect(place(owned)).toMatchObject({ reaches: 'cart', is_named: false })
  })

  it('is where its work is done, surely once it is in effect or was seen to run', () => {
    const work = { of: 'job' as const, names: [], schedules: [] }
    const change = record('commit', files('cart/job.yaml.erb'))
    const asked: unknown[] = []
    const hasRun = (ran: boolean) => (owners: ReadonlySet<string>) => {
      asked.push([...owners])
      return ran
    }
    expect(place(change).reaches).toBe('cart')
    expect(place(change, { work, hasRun: hasRun(false) })).toMatchObject({ score: 0.75, reaches: 'stock' })
    expect(place(change, { work, hasRun: hasRun(true) })).toMatchObject({ score: 1, reaches: 'stock' })
    expect(asked).toEqual([['cart'], ['cart']])
    expect(place({ ...change, ...known }, { work })).toMatchObject({ score: 1, reaches: 'stock' })
    const stored = { ...work, of: 'stored data' as const }
    expect(place({ ...change, ...known }, { work: stored })).toMatchObject({ score: 0.25, reaches: 'cart' })
    const store = [{ name: 'stock', kind: 'datastore' as const, aliases: [] }]
    expect(place({ ...change, ...known }, { work: stored, around: { entities: store } }).reaches).toBe(
      'stock',
    )
    const at = (entity: string) =>
      place(record('commit', { entity, ...files('stock/a.go') }), { work, hasRun: hasRun(true) })
    expect(at('cart')).toMatchObject({ score: 1, reaches: 'stock' })
    expect(at('shelf')).toMatchObject({ score: 0.6, reaches: 'stock' })
  })

  it('is next to that of the failing service for whose answers it cannot read, who is near it', () => {
    const around = { misread: new Set(['cart', 'shelf', 'stock']) }
    expect(place(record('deploy', { entity: 'cart' }), { around })).toMatchObject({
      score: 0.95,
      reaches: 'cart',
    })
    // It falls on who cannot read them, and what is done to that one on nobody else.
    expect(place(record('deploy', { entity: 'cart' }), { around }).misread_by).toBe('stock')
    expect(place(record('deploy', { entity: 'stock' }), { around })).not.toHaveProperty('misread_by')
    expect(place(record('deploy', { entity: 'web' }), { around })).not.toHaveProperty('misread_by')
    expect(place(record('deploy', { entity: 'web' }), { around }).score).toBe(0.7)
    expect(place(record('deploy', { entity: 'shelf' }), { around }).score).toBe(0.25)
    expect(place(record('deploy', { entity: 'stock' }), { around }).score).toBe(1)
  })

  describe('of nobody', () => {
    const score = (kind: Change['kind'], ...paths: string[]) => {
      const found = place(record(kind, files(...paths)))
      expect(found).toMatchObject({ reaches: null, owners: new Set(), is_named: false })
      return found.score
    }

    it('is near for a flag, which everybody may ask', () => {
      expect(place(record('flag'))).toMatchObject({ score: NEAR_PLACE, reaches: null })
      expect(place(record('other'))).toMatchObject({ score: 0.45, reaches: null })
    })

    it('is likelier than elsewhere where many use the folder', () => {
      for (const folder of [
        ...['pkg', 'lib', 'libs', 'shared', 'common', 'core', 'internal', 'platform', 'packages', 'modules'],
        ...['proto', 'schema', 'schemas', 'config', 'infra', 'terraform', 'charts', 'helm', 'deploy', 'k8s'],
        ...['manifests', 'base', 'sdk', 'PKG'],
      ]) {
        expect(score('commit', `${folder}/a.go`)).toBe(0.55)
        expect(score('commit', 'main.go', `x/${folder}/a.go`)).toBe(0.55)
        expect(score('commit', `x${folder}/a.go`, `${folder}x/a.go`, folder)).toBe(0.45)
      }
    })

    it('is less where only what the whole repository is built from changed', () => {
      for (const file of [
        ...['go.mod', 'go.sum', 'package.json', 'package-lock.json', 'Dockerfile', 'requirements.txt'],
        ...[
          'requirements-dev.txt',
          'pom.xml',
          'build.gradle',
          'build.gradle.kts',
          'Cargo.toml',
          'cargo.lock',
        ],
      ]) {
        expect(score('commit', file)).toBe(0.4)
        expect(score('commit', 'main.go', `x/${file}`)).toBe(0.4)
        expect(score('commit', `x${file}`, `${file}x`)).toBe(0.45)
      }
      expect(score('commit', 'requirements/x/a.txt')).toBe(0.45)
      expect(score('commit', 'main.go')).toBe(0.45)
    })
  })
})

describe('what surrounds a change', () => {
  const around = (more: Partial<Snapshot>) => {
    const snapshot = { ...EMPTY, ...more }
    return surroundingsOf(snapshot, entityNames(snapshot), null, new Set())
  }

  it('is measured or speaks by any record of it', () => {
    const span = {
      ...{ source: 'traces', trace_id: 't', span_id: '1', parent_id: null, service: 'd', name: 'x' },
      start: 0,
      duration_us: 1,
      status: 'OK',
    }
    const { service: _, ...nameless } = alert('x', 'y')
    const { isMeasured } = around({
      ...{
        series: [series('a', 'x', 1, 1)],
        logs: lines('b', 'INFO', 'x', 0, 1),
        patterns: [pattern('c', 'x', 1, 1)],
      },
      ...{ spans: [span], edges: [edge('e', 'f')], alerts: [alert('g', 'x'), nameless] },
    })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) expect(isMeasured(name)).toBe(true)
    for (const name of ['h', '', 'undefined']) expect(isMeasured(name)).toBe(false)
  })

  it('says what moved where an orchestrator does', () => {
    const upgrade = record('infra', { entity: 'pool-blue' })
    const k8s = [
      { source: 'k8s', timestamp: at(10), kind: 'Node', name: 'pool-blue-1' },
      {
        source: 'k8s',
        timestamp: at(12),
        kind: 'Pod',
        name: 'stock-1',
        reason: 'Evicted',
        message: 'from pool-blue-1',
      },
    ]
    const entities = [{ name: 'stock', kind: 'service' as const, aliases: [] }]
    const found = around({ k8s, entities, changes: [upgrade] })
    expect(found.isOrchestrated).toBe(true)
    expect(found.movedBy(upgrade)).toEqual([{ entity: 'stock', at: at(12) }])
    expect(found.movedBy(record('infra'))).toEqual([])
    expect(around({}).isOrchestrated).toBe(false)
  })
})
