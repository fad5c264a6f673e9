import { describe, expect, it } from 'vitest'
import { stepsOf } from '#shared/domain/investigation/closeness.ts'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import type { FailingService } from '#shared/domain/investigation/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/failing-services.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { rankChanges } from '#shared/domain/investigation/rank-changes.ts'
import type { RankedChange } from '#shared/domain/investigation/ranked-change.ts'
import type { SeriesShift } from '#shared/domain/investigation/series-shift.ts'
import type { Change, KubernetesRecord, Snapshot, Span } from '#shared/domain/investigation/snapshot.ts'
import { collectSymptoms, type Symptom } from '#shared/domain/investigation/symptoms.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

const id = (letter: string): string => letter.repeat(40)
const POOL = '@@ pool.go @@\n-\tcfg.MaxConns = 50\n+\tcfg.MaxConns = 5'

const scene = (changes: readonly Change[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('stock-api', 'http_5xx_ratio')],
  series: [
    series('stock-api', 'http_5xx_ratio', 0.003, 0.4),
    series('stock-api', 'http_server_duration_p99_ms', 80, 900),
  ],
  logs: [
    ...lines('stock-api', 'ERROR', 'pool exhausted: no free connection in pgpool', ONSET),
    ...lines('web', 'ERROR', 'upstream stock-api returned 500', ONSET + 1),
  ],
  changes,
  ...more,
})
const rank = (snapshot: Snapshot): { ranked: readonly RankedChange[]; too_late: readonly RankedChange[] } => {
  const names = entityNames(snapshot)
  const observed = observe(snapshot, names, null)
  return rankChanges(snapshot, observed, collectSymptoms(snapshot, observed, names), names)
}
const score = (change: Change, ...rest: Change[]): number =>
  rank(scene([change, ...rest])).ranked.find((entry) => entry.change === change)?.score ?? 0

describe('ranking changes', () => {
  it('a rollout to the failing service outranks the owner’s path, a shared path and another service, in this order', () => {
    const rolled = score(
      commit(id('a'), 80, 'x', ['pkg/pool.go'], POOL),
      deploy('d', 85, 'stock-api', 'v', [id('a')]),
    )
    const owned = score(commit(id('a'), 80, 'x', ['services/stock/pool.go'], POOL))
    const shared = score(commit(id('a'), 80, 'x', ['pkg/pool.go'], POOL))
    const elsewhere = score({ ...commit(id('a'), 80, 'x', ['web/pool.go'], POOL), entity: 'billing' })
    expect(rolled).toBeGreaterThan(owned)
    expect(owned).toBeGreaterThan(shared)
    expect(shared).toBeGreaterThan(elsewhere)
  })

  it('documentation, tests, appearance, pipelines, comments, moved code and logging count for little', () => {
    const plain = score(commit(id('a'), 80, 'x', ['services/stock/pool.go'], POOL))
    const triflings: Change[] = [
      commit(id('a'), 80, 'x', ['docs/pool.md'], POOL),
      commit(id('a'), 80, 'x', ['services/stock/pool_test.go'], POOL),
      commit(id('a'), 80, 'x', ['web/pool.css'], POOL),
      commit(id('a'), 80, 'x', ['.github/workflows/pool.yml'], POOL),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], '-// pool\n+// the pool'),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], '-  open(pool)\n+    open(pool)'),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], '-  log.Info("pool")\n+  log.Info("pool", n)'),
      commit(id('a'), 80, 'x', ['services/stock/pool.go'], null),
    ]
    for (const change of triflings) {
      const entry = rank(scene([change])).ranked[0]
      expect(entry?.trivial).not.toBeNull()
      expect(entry?.score).toBeLessThan(plain / 2)
    }
  })

  it('types, quieter logs and what is done when a process stops count for little', () => {
    const triflings: readonly [string, string, string][] = [
      ['code', '-  const pool = open()\n+  const pool: Pool = open()', 'types only'],
      ['code', '+  Runtime.getRuntime().addShutdownHook(drain(pool))', 'when a process stops'],
      ['settings', '-  level: debug\n+  level: warn', 'quieter'],
    ]
    for (const [what, diff, why] of triflings) {
      const path = what === 'code' ? 'services/stock/Pool.java' : 'services/stock/app.yaml'
      expect(rank(scene([commit(id('a'), 80, 'x', [path], diff)])).ranked[0]?.trivial).toContain(why)
    }
    const louder = commit(id('a'), 80, 'x', ['services/stock/app.yaml'], '-  level: warn\n+  level: debug')
    expect(rank(scene([louder])).ranked[0]?.trivial).toBeNull()
  })

  it('of several rollouts of a library the one to what fails counts, though another came later', () => {
    const library = commit(id('a'), 60, 'x', ['libs/pgpool/pool.go'], POOL)
    const { ranked } = rank(
      scene([
        library,
        deploy('d', 85, 'stock-api', 'v', [id('a')]),
        deploy('e', 88, 'billing', 'w', [id('a')]),
      ]),
    )
    expect(ranked[0]).toMatchObject({ carried_by: { id: 'd' }, reaches: 'stock-api', place: 1 })
  })

  it('a change in a repository of settings reaches whose folder it touches, in full once it is in effect', () => {
    const setting = (minute: number | null): Change => ({
      ...commit(id('a'), 80, 'x', ['clusters/eu/stock/app.yaml'], '-  idle: 10\n+  idle: 20'),
      kind: 'config',
      entity: 'all-settings',
      ...(minute === null ? {} : { effective_at: { from: at(minute), to: at(minute) } }),
    })
    const [live] = rank(scene([setting(ONSET - 2)])).ranked
    const [merged] = rank(scene([setting(null)])).ranked
    expect(live).toMatchObject({ reaches: 'stock-api', place: 1 })
    expect(merged).toMatchObject({ reaches: 'stock-api', place: 0.75 })
    expect(live?.closeness).toBeGreaterThan(0.9)
    // Nobody recorded that it is in effect: it is from when it was merged, for half.
    expect(merged?.effective_at.known).toBe(false)
    expect(merged?.closeness).toBeGreaterThan(0.3)
    expect(merged?.closeness).toBeLessThan(0.5)
    const code = commit(id('a'), 80, 'x', ['services/stock/pool.go'], POOL)
    expect(rank(scene([code])).ranked[0]?.closeness).toBe(0)
  })

  it('a statement that lost a word for good is no moved code, however much stays', () => {
    const query = (text: string): string =>
      `db.all("select id, name, place, price, state, kind from stock where owner = $1 and open order by id ${text}", [owner])`
    const trivial = (after: string) =>
      rank(
        scene([
          commit(id('a'), 80, 'x', ['services/stock/list.go'], `-  ${query('desc limit 9')}\n+  ${after}`),
        ]),
      ).ranked[0]?.trivial
    expect(trivial(query('desc'))).toBeNull()
    expect(trivial(`return ${query('desc limit 9')}`)).toContain('moves code')
  })

  it('a record of the very thing that fails was done when it was recorded', () => {
    const resized = (entity: string): Change => ({
      ...{ source: 'cloud', id: 'op-2', kind: 'infra', title: 'A review', recorded_at: at(80), entity },
    })
    expect(rank(scene([resized('stock-api')])).ranked[0]?.effective_at.known).toBe(true)
    const pool = scene([{ ...resized('pool-4'), files: ['stock-api/app.yaml'] }])
    expect(rank(pool).ranked[0]?.effective_at.known).toBe(false)
  })

  describe('a flag of which nothing says whose it is', () => {
    const step = (minute: number, percent: string): Change => ({
      ...{ source: 'flags', id: `s${minute}`, kind: 'flag', title: 'dense-search', after: percent },
      ...{ recorded_at: at(minute), effective_at: { from: at(minute), to: at(minute) } },
    })

    it('may be asked by what fails, and its steps do not speak against each other', () => {
      const { ranked } = rank(
        scene([step(ONSET - 16, '5 %'), step(ONSET - 8, '20 %'), step(ONSET - 1, '50 %')]),
      )
      expect(ranked.map(({ change }) => change.id)).toEqual(['s89', 's82', 's74'])
      expect(ranked[0]?.closeness).toBeGreaterThan(0.9)
      const found = investigate(scene([step(ONSET - 8, '20 %'), step(ONSET - 1, '50 %')], { logs: [] }))
      expect(found.cause).toMatchObject({ kind: 'flag', change: 's89' })
      expect(found.confidence).toBeGreaterThan(0)
      expect(found.confidence).toBeLessThan(0.5)
    })

    it('is asked with the next request, so a rollout of some minutes before has the better claim', () => {
      const code = commit(id('a'), 60, 'x', ['services/stock/shape.go'], '-  round(a)\n+  square(a)')
      const beside = (minute: number) => {
        const { ranked } = rank(
          scene([
            code,
            deploy('d', ONSET - 9, 'stock-api', 'v', [code.id]),
            { ...step(minute, '50 %'), entity: 'stock-api' },
          ]),
        )
        const of = (kind: Change['kind']) => ranked.find(({ change }) => change.kind === kind)?.closeness ?? 0
        return of('flag') / of('commit')
      }
      expect(beside(ONSET - 9)).toBeLessThan(0.9)
      expect(beside(ONSET - 1)).toBeGreaterThan(3)
    })

    it('counts half when it is on record only after the onset', () => {
      const [early] = rank(scene([step(ONSET - 1, '50 %')])).ranked
      const [late] = rank(scene([step(ONSET + 1, '50 %')])).ranked
      expect(late?.closeness).toBeLessThan(0.6 * (early?.closeness ?? 0))
    })
  })

  describe('a renewed pool of machines', () => {
    const renewed: Change = {
      ...{ source: 'cloud', id: 'op-1', kind: 'infra', title: 'Upgrade of pool burst-large' },
      ...{ recorded_at: at(70), effective_at: { from: at(70), to: at(71) } },
    }
    const record = (minute: number, kind: string, name: string, reason: string, message = '') => ({
      ...{ source: 'k8s', timestamp: at(minute), kind, name, reason, message },
    })
    const drained = [
      record(75, 'Node', 'burst-large-7f', 'NodeNotSchedulable'),
      record(76, 'Pod', 'billing-1', 'Killing', 'Stopping container'),
      record(ONSET - 1, 'Pod', 'stock-api-5c-x2', 'TaintManagerEviction', 'left burst-large-7f'),
      record(ONSET + 9, 'Pod', 'web-5c-x2', 'TaintManagerEviction', 'left burst-large-7f'),
    ]

    it('reaches the services whose pods had to leave its nodes, when they had to', () => {
      const [entry] = rank(scene([renewed], { k8s: drained })).ranked
      expect(entry).toMatchObject({ reaches: 'stock-api', place: 1 })
      expect(entry?.effective_at).toEqual({ from: at(ONSET - 1), to: at(ONSET - 1), known: true })
    })

    it('reaches nobody by events of other nodes or before it, and perhaps anybody without an orchestrator', () => {
      const others = drained.map((one) => ({ ...one, message: one.message.replace('burst', 'slow') }))
      const before = drained.map((one) => ({ ...one, timestamp: at(60) }))
      for (const k8s of [others, before])
        expect(rank(scene([renewed], { k8s })).ranked[0]).toMatchObject({ reaches: null, place: 0.45 })
      const pool = { ...renewed, entity: 'burst-large' }
      expect(rank(scene([pool])).ranked[0]).toMatchObject({ reaches: null, place: 0.7 })
    })

    it('is passed over where a pod is of no known service', () => {
      const unknown = [
        ...drained.slice(0, 2),
        record(ONSET - 1, 'Pod', 'job-9', 'Evicted', 'left burst-large-7f'),
      ]
      expect(rank(scene([renewed], { k8s: unknown })).ranked[0]?.reaches).toBeNull()
    })
  })

  it('whose change it is that what fails quotes is next to it where nobody counted calls', () => {
    const quoted = {
      ...commit(
        id('a'),
        60,
        'x',
        ['services/billing/state.go'],
        '-  state("open")\n+  state("parked_twice")',
      ),
      entity: 'billing',
    }
    const changes = [quoted, deploy('d', ONSET - 6, 'billing', 'v', [quoted.id])]
    const logs = lines('stock-api', 'ERROR', 'unknown state "parked_twice"', ONSET)
    const place = (more: Partial<Snapshot>) => rank(scene(changes, { logs, ...more })).ranked[0]?.place
    expect(place({})).toBe(0.7)
    expect(place({ edges: calls('web', 'stock-api', 0.4) })).toBeLessThan(0.7)
    expect(place({ logs: lines('stock-api', 'ERROR', 'unknown state', ONSET) })).toBeLessThan(0.7)
  })

  it('a setting that a series moved with is an echo, and the strongest sign', () => {
    const change = commit(id('a'), 80, 'x', ['services/stock/pool.go'], POOL)
    const snapshot = scene([change, deploy('d', ONSET - 1, 'stock-api', 'v', [id('a')])])
    const steps = {
      ...series('stock-api', 'db_pool_limit', 0, 0),
      values: Float64Array.from({ length: 120 }, (_, minute) => (minute < ONSET ? 50 : 5)),
    }
    const entry = rank({ ...snapshot, series: [...snapshot.series, steps] }).ranked[0]
    expect(entry?.echo?.setting.key).toContain('MaxConns')
    expect(entry?.score).toBeGreaterThan(rank(snapshot).ranked[0]?.score ?? 1)
    const findings = investigate({ ...snapshot, series: [...snapshot.series, steps] })
    expect(findings.evidence.map((item) => item.content).join('\n')).toMatch(
      /db_pool_limit of stock-api moved from 50 to 5/,
    )
  })

  it('is no echo where a series moved elsewhere, or at another time, between the same two numbers', () => {
    const change = commit(id('a'), 40, 'x', ['services/stock/pool.go'], POOL)
    const limit = (entity: string, minute: number) => ({
      ...series(entity, 'worker_limit', 0, 0),
      values: Float64Array.from({ length: 120 }, (_, index) => (index < minute ? 50 : 5)),
    })
    const echo = (rolled: number, entity: string, minute: number) => {
      const changes = [change, deploy('d', rolled, 'stock-api', 'v', [id('a')])]
      const { series: own } = scene([])
      return rank(scene(changes, { series: [...own, limit(entity, minute)] })).ranked[0]?.echo ?? null
    }
    expect(echo(ONSET - 10, 'stock-api', ONSET - 9)).not.toBeNull()
    expect(echo(ONSET - 10, 'billing', ONSET - 9)).toBeNull()
    expect(echo(ONSET - 30, 'stock-api', ONSET)).toBeNull()
    expect(echo(ONSET - 10, 'stock-api', ONSET - 20)).toBeNull()
  })

  it('a library’s change rolls out where a manifest takes its new version', () => {
    const library = commit(id('a'), 60, 'x', ['libs/pgpool/pool.go'], POOL)
    const bump = commit(
      id('b'),
      70,
      'bump',
      ['stock/go.mod'],
      '@@ go.mod @@\n-\texample.com/libs/pgpool v0.1.0\n+\texample.com/libs/pgpool v0.2.0',
    )
    const { ranked } = rank(scene([library, bump, deploy('d', 85, 'stock-api', 'v', [id('b')])]))
    expect(ranked[0]?.change).toBe(library)
    expect(ranked[0]?.carried_by?.id).toBe('d')
    expect(ranked[0]?.effective_at.from).toBe(at(85))
  })

  it('a flag or a deploy of unknown content near the onset is possible, and less so the longer ago', () => {
    const flag = (minute: number): Change => ({
      source: 'flags',
      id: 'use_new_path',
      recorded_at: at(minute),
      effective_at: { from: at(minute), to: at(minute) },
      kind: 'flag',
      entity: 'stock-api',
      before: 'off',
      after: 'on',
      actor: 'dana',
    })
    expect(score(flag(ONSET - 1))).toBeGreaterThan(score(flag(ONSET - 60)))
    const findings = investigate(
      scene([flag(ONSET - 1)], { logs: lines('stock-api', 'ERROR', 'strange trouble', ONSET) }),
    )
    expect(findings.cause).toMatchObject({ kind: 'flag', change: 'use_new_path', level: 'change' })
    expect(findings.outcome).toBe('best_effort')
    expect(findings.remediation).toMatchObject({ action: 'disable_flag', target: 'use_new_path' })
    expect(findings.revert_to).toBe('off')
  })

  it('takes of several rollouts the one that precedes the onset', () => {
    const change = commit(id('a'), 40, 'x', ['pkg/pool.go'], POOL)
    const { ranked, too_late: late } = rank(
      scene([
        change,
        deploy('d1', 50, 'stock-api', 'v1', [id('a')]),
        deploy('d2', ONSET + 20, 'web', 'v2', [id('a')]),
      ]),
    )
    expect(ranked[0]?.carried_by?.id).toBe('d1')
    expect(late).toEqual([])
  })

  it('returns to the version before, or to what the rollout says it replaced', () => {
    const change = commit(id('a'), 80, 'x', ['pkg/pool.go'], POOL)
    const rollout = deploy('d', 85, 'stock-api', 'v3', [id('a')])
    expect(
      investigate(
        scene([
          change,
          rollout,
          deploy('e', 20, 'stock-api', 'v2', []),
          deploy('f', 10, 'stock-api', 'v1', []),
        ]),
      ).revert_to,
    ).toBe('v2')
    expect(investigate(scene([change, { ...rollout, before: 'v2.9' }])).revert_to).toBe('v2.9')
    expect(investigate(scene([change, rollout])).revert_to).toBeNull()
  })

  it.each([
    ['config', { kind: 'config' as const }, 'revert_config'],
    ['infra', { kind: 'infra' as const }, 'rollback'],
    ['config', { files: ['deploy/stock.yaml'] }, 'revert_config'],
    ['infra', { files: ['terraform/main.tf'] }, 'rollback'],
  ])('calls the cause %s and advises accordingly', (kind, part, action) => {
    const change = { ...commit(id('a'), 80, 'x', ['services/stock/pool.go'], POOL), ...part }
    const findings = investigate(scene([change, deploy('d', 85, 'stock-api', 'v3', [id('a')])]))
    expect(findings.cause.kind).toBe(kind)
    expect(findings.remediation.action).toBe(action)
  })

  it('advises to roll forward from a migration', () => {
    const change = commit(
      id('a'),
      80,
      'x',
      ['stock/migrations/7.sql'],
      '+ALTER TABLE stock DROP COLUMN shelf;',
    )
    const findings = investigate(
      scene([change, deploy('d', 85, 'stock-api', 'v3', [id('a')])], {
        logs: lines('stock-api', 'ERROR', 'column shelf does not exist', ONSET),
      }),
    )
    expect(findings.remediation.action).toBe('roll_forward')
  })
})

/** The incident as it was seen, by hand: `web` asks `stock-api`, which fails. */
const FAILS: FailingService = {
  ...{
    entity: 'stock-api',
    score: 1,
    onset: { at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET + 1) },
  },
  ...{ ended_at: null, shifts: [], templates: [], patterns: [], error_spans: [], flow: null, blame: null },
  signs: ['metrics'],
}
const CALLEES = new Map([
  ['web', new Set(['stock-api'])],
  ['stock-api', new Set(['shelf-db'])],
  ['reports', new Set(['stock-api'])],
])
const SEEN: Observed = {
  normal: { baselines: [], origin: 'none', incident: { from: at(80), to: at(120) } },
  ...{ shifts: [], templates: [], flows: new Map(), failing: [FAILS], first: FAILS, suspects: [] },
  graph: { callees: CALLEES, blames: () => false, reachableFrom: () => new Set() },
  ...{ unexplained: [FAILS], blast_radius: [], onset: FAILS.onset, symptom_service: 'stock-api', made: null },
}
/** The last instant at which what took effect may still be the cause: a minute after the latest onset. */
const LATEST = at(ONSET + 2)

const says = (plain: string, more: Partial<Symptom> = {}): Symptom => ({
  ...{ text: plain, plain, entity: 'stock-api', weight: 1, at: at(ONSET), count: 1 },
  ...{ origin: 'log', source: 'logs', ...more },
})
const judge = (
  changes: readonly Change[],
  symptoms: readonly Symptom[] = [],
  more: { readonly observed?: Partial<Observed>; readonly snapshot?: Partial<Snapshot> } = {},
) => {
  const entities = ['stock-api', 'web', 'shelf-db', 'reports', 'billing'].map((name) => ({
    ...{ name, kind: 'service' as const, aliases: [] },
  }))
  const alerts = entities.map(({ name }) => alert(name, 'http_5xx_ratio'))
  const snapshot: Snapshot = { ...EMPTY, entities, alerts, changes, ...more.snapshot }
  return rankChanges(snapshot, { ...SEEN, ...more.observed }, symptoms, entityNames(snapshot))
}
const first = (...given: Parameters<typeof judge>): RankedChange => judge(...given).ranked[0] as RankedChange
const of = (ranked: readonly RankedChange[], id: string): RankedChange =>
  ranked.find(({ change }) => change.id === id) as RankedChange
/** Settings of the failing service that took effect at a minute. */
const settings = (id: string, minute: number, more: Partial<Change> = {}): Change => ({
  ...{ source: 'config', id, kind: 'config', entity: 'stock-api', recorded_at: at(minute) },
  ...{ effective_at: { from: at(minute), to: at(minute) }, ...more },
})
/** The same, merged and not known to have taken effect, which closeness says nothing of. */
const merged = (id: string, minute: number, diff: string, more: Partial<Change> = {}): Change => ({
  ...commit(id, minute, 'x', ['services/stock/a.go'], diff),
  ...more,
})
const CUT = '-pool_size: 50\n+pool_size: 5'
const NEUTRAL = '-  colour: "teal"\n+  colour: "navy"'

describe('when a change arrived', () => {
  it('rules out what took effect more than a minute after the latest onset, earliest first', () => {
    const [on, after] = [settings('on', 0), settings('after', 0)]
    const when = (from: number) => ({ effective_at: { from, to: from } })
    const { ranked, too_late: late } = judge([
      settings('later', ONSET + 20),
      { ...after, ...when(LATEST + 1) },
      { ...on, ...when(LATEST) },
      settings('latest', ONSET + 25),
      settings('last-b', ONSET + 30),
      settings('last-a', ONSET + 30),
    ])
    expect(ranked.map(({ change }) => change.id)).toEqual(['on'])
    expect(late.map(({ change }) => change.id)).toEqual(['after', 'later', 'latest', 'last-a', 'last-b'])
  })

  it('rules nothing out, and says nothing of closeness, where no onset is known', () => {
    const { ranked, too_late: late } = judge([settings('a', ONSET + 20), settings('b', 10)], [], {
      observed: { onset: null },
    })
    expect(late).toEqual([])
    expect(ranked.map(({ closeness, coincides }) => [closeness, coincides])).toEqual([
      [0, false],
      [0, false],
    ])
    expect(ranked[0]?.score).toBe(ranked[1]?.score)
  })

  it('is the closer the nearer before the onset, half after half an hour, and half after the onset', () => {
    const close = (minute: number) => first([settings('a', minute)]).closeness
    expect(close(ONSET)).toBe(1)
    expect(close(ONSET - 30)).toBe(0.5)
    expect(close(ONSET - 60)).toBe(0.25)
    expect(close(ONSET + 1)).toBe(0.5)
    expect(first([{ ...settings('a', 0), effective_at: { from: LATEST, to: LATEST } }]).closeness).toBe(0.5)
  })

  it('coincides from a quarter of an hour before on, where nothing else arrived', () => {
    const of = (minute: number) => first([settings('a', minute)])
    expect(of(ONSET - 15)).toMatchObject({ coincides: true, is_linked: true })
    expect(of(ONSET - 16)).toMatchObject({ coincides: false, is_linked: false })
  })

  it('is shared among all that arrived, and who came at once has the better claim', () => {
    const { ranked } = judge([settings('now', ONSET), settings('before', ONSET - 15)])
    expect(of(ranked, 'now').closeness).toBeGreaterThan(0.7)
    expect(of(ranked, 'before').closeness).toBeLessThan(0.25)
    const both = judge([settings('a', ONSET), settings('b', ONSET)]).ranked
    expect(both.map(({ closeness }) => closeness)).toEqual([0.5, 0.5])
    const around = judge([settings('now', ONSET), settings('after', ONSET + 1)]).ranked
    expect(of(around, 'now').closeness).toBeCloseTo(2 / 3, 5)
    expect(of(around, 'after').closeness).toBeCloseTo(1 / 6, 5)
  })

  it('is claimed by the square of the place', () => {
    const { ranked } = judge([settings('here', ONSET), settings('beside', ONSET, { entity: 'web' })])
    expect(of(ranked, 'beside').place).toBe(0.7)
    expect(of(ranked, 'here').closeness).toBeCloseTo(1 / 1.49, 5)
    expect(of(ranked, 'beside').closeness).toBeCloseTo(0.49 / 1.49, 5)
  })

  it('is nothing, and claims nothing, for what arrived elsewhere or is not known to have arrived', () => {
    const { ranked } = judge([
      settings('here', ONSET),
      settings('elsewhere', ONSET, { entity: 'billing' }),
      merged('merged', ONSET, NEUTRAL),
      settings('late', ONSET + 20),
    ])
    expect(of(ranked, 'here').closeness).toBe(1)
    expect(of(ranked, 'elsewhere').closeness).toBe(0)
    expect(of(ranked, 'merged').closeness).toBe(0)
  })

  it('claims most for what can do such harm, less for what cannot be read, least for what can do none', () => {
    const { ranked } = judge(
      [
        settings('fits', ONSET, { diff: CUT }),
        settings('unread', ONSET),
        settings('unfit', ONSET, { diff: NEUTRAL }),
      ],
      [says('pool exhausted')],
    )
    const [fits, unread, unfit] = ['fits', 'unread', 'unfit'].map((id) => of(ranked, id).closeness)
    expect(fits).toBeCloseTo(1 / 2.25, 5)
    expect(unread).toBeCloseTo(0.75 / 2.25, 5)
    expect(unfit).toBeCloseTo(0.5 / 2.25, 5)
  })

  it('claims little for what does nothing', () => {
    const idle = settings('idle', ONSET, { files: ['docs/pool.md'] })
    expect(first([idle]).closeness).toBeCloseTo(0.1, 5)
    const { ranked } = judge([idle, settings('other', ONSET)])
    expect(of(ranked, 'other').closeness).toBeCloseTo(1 / 1.1, 5)
    expect(of(ranked, 'idle').closeness).toBeCloseTo((0.1 * 0.1) / 1.1, 5)
  })

  it('costs what arrived two hours before the onset a fifth of its score', () => {
    const now = first([merged('a', ONSET, NEUTRAL)])
    const before = first([merged('a', ONSET - 120, NEUTRAL)])
    const after = first([merged('a', ONSET + 1, NEUTRAL)])
    expect(before.score / now.score).toBeCloseTo(0.8, 3)
    expect(after.score).toBe(now.score)
  })

  it('weighs what is not known to have taken effect a little less', () => {
    const guessed = settings('a', ONSET - 100, { certainty: 'guessed' })
    const known = first([settings('a', ONSET - 100, { entity: 'billing' })])
    const unknown = first([{ ...guessed, entity: 'billing' }])
    expect(known.effective_at.known).toBe(true)
    expect(unknown.effective_at.known).toBe(false)
    expect(unknown.score / known.score).toBeCloseTo(0.85, 3)
  })

  it('is the same for all steps of one flag, and its own for anything else', () => {
    const flag = (id: string, more: Partial<Change> = {}): string =>
      stepsOf({ source: 'flags', id, kind: 'flag', recorded_at: 0, ...more })
    expect(flag('a', { title: 'dense' })).toBe(flag('b', { title: 'dense' }))
    expect(flag('a')).toBe(flag('a', { title: 'a' }))
    expect(flag('a')).not.toBe(flag('b'))
    expect(flag('a', { entity: 'web' })).not.toBe(flag('a', { entity: 'billing' }))
    expect(flag('a', { kind: 'config', title: 'dense' })).not.toBe(
      flag('b', { kind: 'config', title: 'dense' }),
    )
    expect(flag('a', { kind: 'config' })).not.toBe(flag('a', { kind: 'scale' }))
    const { ranked } = judge([
      settings('s1', ONSET, { kind: 'flag', title: 'dense' }),
      settings('s2', ONSET, { kind: 'flag', title: 'dense' }),
    ])
    expect(ranked.map(({ closeness }) => closeness)).toEqual([1, 1])
  })
})

describe('work that a change brings', () => {
  const job = (more: Partial<Change> = {}): Change => ({
    ...commit(
      'job',
      20,
      'x',
      ['services/reports/nightly-export.yaml'],
      '+kind: CronJob\n+  name: nightly-export\n+  schedule: "30 * * * *"',
    ),
    ...more,
  })
  const ran = (minute: number, name: string): KubernetesRecord => ({
    ...{ source: 'k8s', timestamp: at(minute), kind: 'Job', name },
  })

  it('acts when it last ran before the onset, and the less likely the more often it ran without harm', () => {
    const k8s = [
      ran(30, 'nightly-export-1'),
      ran(60, 'nightly-export-2'),
      ran(ONSET + 20, 'nightly-export-3'),
    ]
    const entry = first([job()], [], { snapshot: { k8s } })
    expect(entry).toMatchObject({
      effective_at: { from: at(60), to: at(60), known: true },
      run: { at: at(60), share: 0.5, schedule: null },
      ...{ acts_on_stored_data: false, reaches: 'stock-api', place: 1 },
    })
    expect(entry.closeness).toBe(0.25)
  })

  it('acts when its schedule was last due, which only a record makes known', () => {
    const entry = first([job()])
    expect(entry.effective_at).toEqual({ from: at(ONSET), to: at(ONSET), known: false })
    expect(entry.run).toMatchObject({ at: at(ONSET), seen: null, schedule: '30 * * * *', share: 0.5 })
    expect(entry.place).toBe(0.75)
    expect(entry.closeness).toBeGreaterThan(0)
  })

  it('is looked for up to the end of the window where no onset is known', () => {
    const entry = first([job()], [], {
      observed: { onset: null },
      snapshot: { k8s: [ran(ONSET + 25, 'nightly-export-3')] },
    })
    expect(entry.run?.at).toBe(at(ONSET + 25))
  })

  it('is none where none of it ran', () => {
    const never = job({ diff: '+kind: CronJob\n+  name: nightly-export' })
    expect(first([never])).toMatchObject({ run: null, effective_at: { from: at(20), known: false } })
    expect(first([settings('a', ONSET)])).toMatchObject({ run: null, acts_on_stored_data: false })
  })

  it('on stored data says so, and acts where its owner keeps what it stores', () => {
    const migration = (more: Partial<Change> = {}) =>
      settings('m', 40, { kind: 'migration', entity: 'stock-api', ...more })
    const k8s = [ran(ONSET - 5, 'stock-api-migrate-1')]
    const entry = first([migration()], [], { snapshot: { k8s } })
    expect(entry).toMatchObject({ acts_on_stored_data: true, run: { at: at(ONSET - 5) } })
    expect(entry.effective_at).toEqual({ from: at(ONSET - 5), to: at(ONSET - 5), known: true })
    expect(first([migration()])).toMatchObject({ run: null, effective_at: { from: at(40) } })
  })

  const store: FailingService = { ...FAILS, entity: 'shelf-db' }
  const atStore = { first: store, failing: [store], unexplained: [store] }
  /** A change of the structure of what `stock-api` stores, which was seen to be done half an hour before. */
  const alters = (diff: string): Change => ({
    ...settings('m', ONSET - 30, { kind: 'migration', files: ['m.sql'], diff }),
  })

  it('is linked to what fails where it is done on the very place and fails it in the manner of such work', () => {
    const diff = '+CREATE INDEX CONCURRENTLY shelf_row ON shelf (row);'
    const other = says('the lamp is green', { weight: 0.85 })
    const lag = [says('9 s of replication lag', { weight: 0.15 }), other]
    const linked = first([alters(diff)], lag, { observed: atStore })
    expect(linked).toMatchObject({ reaches: 'shelf-db', closeness: 0.5, is_linked: true, coincides: false })
    expect(linked.mechanism?.score).toBeLessThan(0.8)
    expect(first([alters(diff)], [other], { observed: atStore }).is_linked).toBe(false)
    const weak = [says('9 s of replication lag', { weight: 0.05 }), other]
    expect(first([alters(diff)], weak, { observed: atStore }).is_linked).toBe(false)
    const web: FailingService = { ...FAILS, entity: 'web' }
    const elsewhere = { first: web, failing: [web], unexplained: [web] }
    expect(first([alters(diff)], lag, { observed: elsewhere })).toMatchObject({
      place: 0.7,
      is_linked: false,
    })
    expect(first([alters(diff)], lag, { observed: { first: null } }).is_linked).toBe(false)
    const { effective_at: _, ...unseen } = alters(diff)
    expect(first([unseen], lag, { observed: atStore })).toMatchObject({ closeness: 0, is_linked: false })
  })
})

describe('what links a change to what is seen', () => {
  it('is nothing where it says nothing of it and did not come close', () => {
    expect(first([merged('a', 60, NEUTRAL)], [says('pool exhausted')])).toMatchObject({
      ...{ is_linked: false, quoted: null, echo: null, contrast: null, words: [], words_score: 0 },
      ...{ mechanism: null, coincides: false },
    })
  })

  it('is a fault in the words of what it can break, once it arrived, and without a link that counts half', () => {
    const symptom = says('too many clients already')
    expect(first([settings('a', 60, { diff: CUT })], [symptom])).toMatchObject({
      ...{ is_linked: true, coincides: false, words: [] },
    })
    const unseen = first([merged('a', ONSET, CUT)], [symptom])
    expect(unseen.is_linked).toBe(false)
    expect(unseen.mechanism?.score).toBe(1)
    const linked = first([merged('a', ONSET, CUT)], [symptom, says('pool', { weight: 0.2 })])
    expect(linked.is_linked).toBe(true)
    expect(unseen.score / linked.score).toBeGreaterThan(0.5)
    expect(unseen.score / linked.score).toBeLessThan(0.6)
  })

  it('is not a fault of which only a part is in such words', () => {
    const weak = [
      says('too many clients already', { weight: 0.2 }),
      says('the lamp is green', { weight: 0.8 }),
    ]
    const entry = first([settings('a', 60, { diff: CUT })], weak)
    expect(entry.mechanism?.score).toBeGreaterThan(0.5)
    expect(entry.is_linked).toBe(false)
  })

  describe('a name that what fails quotes', () => {
    const quoted = says("no such field 'shelfMark'")
    const nothing = '-  hue()\n+  tint()'

    it('counts where the change removes it, half where it adds it, and not where it is nobody’s own', () => {
      const removes = first([merged('a', 60, '-  shelfMark()\n+  tint()')], [quoted])
      const adds = first([merged('a', 60, '-  hue()\n+  ShelfMark()')], [quoted])
      const neither = first([merged('a', 60, nothing)], [quoted])
      expect(removes.quoted).toEqual({ name: 'shelfMark', symptom: quoted, how: 'removes' })
      expect(adds.quoted).toEqual({ name: 'ShelfMark', symptom: quoted, how: 'adds' })
      expect(neither.quoted).toBeNull()
      const scale = neither.score / 0.03
      expect(removes.score / scale).toBeGreaterThan(0.85)
      expect(adds.score / scale).toBeGreaterThan(0.425)
      expect(adds.score / scale).toBeLessThan(0.7)
      const everyday = first([merged('a', 60, '-  message()\n+  tint()')], [says("no such field 'message'")])
      expect(everyday.quoted).toBeNull()
    })

    it('counts by itself', () => {
      const symptom = says("no such field 'x1'")
      const entry = first([merged('a', 60, '-  put("x1")\n+  tint()')], [symptom])
      expect(entry).toMatchObject({
        quoted: { name: 'x1', how: 'removes' },
        is_linked: true,
        words: [],
      })
    })

    it('counts where the record of what was done next to the failing place bears it', () => {
      const act = (entity: string): Change => ({
        ...settings('r', 30, { kind: 'infra', title: 'topic mint-7 altered', entity }),
      })
      const symptom = says("cannot read from 'mint-7'")
      const near = first([act('web')], [symptom])
      expect(near).toMatchObject({ place: 0.7, is_linked: true })
      expect(near.quoted).toEqual({ name: 'mint-7', symptom, how: 'bears' })
      expect(first([act('billing')], [symptom])).toMatchObject({ quoted: null })
    })
  })

  describe('a flag whose key stands in what the failing place logs', () => {
    const flag = (id: string, kind: Change['kind'] = 'flag') => settings(id, 30, { kind, entity: 'billing' })
    const found = (id: string, symptom: Symptom, kind?: Change['kind']) =>
      first([flag(id, kind)], [symptom]).quoted

    it('bears its name there as a whole word, however it is written', () => {
      const symptom = says('variant Dense-Lamp.v2 is on: gave up')
      expect(found('dense-lamp.v2', symptom)).toEqual({ name: 'dense-lamp.v2', symptom, how: 'bears' })
      expect(found('dense_lamp:b', says('by dense_lamp:b'))).not.toBeNull()
      expect(found('dense-lamp', says('variant dense-lamp-2 is on'))).toBeNull()
      expect(found('dense-lamp', says('variant x-dense-lamp is on'))).toBeNull()
      expect(found('dense-lamp', says('variant dense-lamps is on'))).toBeNull()
      expect(found('dense.lamp', says('variant dense-lamp is on'))).toBeNull()
    })

    it('is a key of several parts', () => {
      expect(found('lamp', says('lamp is on'))).toBeNull()
      expect(found('a-b-c', says('a-b-c is on'))).not.toBeNull()
      for (const id of ['-dense-lamp', 'dense-lamp-', 'dense--lamp', 'dense lamp', 'dense+lamp', 'é-lamp'])
        expect(found(id, says(`${id} is on`))).toBeNull()
    })

    it('stands in a line or a pattern of lines of the failing place, and no alert', () => {
      expect(found('dense-lamp', says('dense-lamp is on', { origin: 'pattern', weight: 0.5 }))).not.toBeNull()
      expect(found('dense-lamp', says('dense-lamp is on', { weight: 0.49 }))).toBeNull()
      expect(found('dense-lamp', says('dense-lamp is on', { origin: 'alert' }))).toBeNull()
      expect(found('dense-lamp', says('dense-lamp is on'), 'scale')).toBeNull()
    })
  })

  describe('a series that moved as a setting did', () => {
    const shift = (before: number, during: number): SeriesShift => ({
      ...{
        series: series('stock-api', 'limit', before, during),
        direction: 'down',
        is_bad: false,
        before,
        during,
      },
      ...{ meaning: { meaning: 'unknown', weight: 0, bad: null } as unknown as SeriesShift['meaning'] },
      ...{ extreme: during, latest: during, z: 9, onset: FAILS.onset, ended_at: null, normal_count: 80 },
    })
    const echo = (before: string, after: string, ...shifts: SeriesShift[]) =>
      first([merged('a', 60, `-  room: ${before}\n+  room: ${after}`)], [], { observed: { shifts } })

    it('is an echo of it, in its own unit or in thousandths', () => {
      const moved = shift(50, 5)
      const entry = echo('50', '5', shift(50, 6), shift(40, 5), moved)
      expect(entry).toMatchObject({ is_linked: true, echo: { setting: { key: 'room' } } })
      expect(entry.echo?.shift).toBe(moved)
      expect(echo('3s', '500ms', shift(3, 0.5)).echo).not.toBeNull()
      expect(echo('3ms', '5ms', shift(3000, 5000)).echo).toBeNull()
      expect(entry.score).toBeGreaterThan(20 * echo('50', '6', moved).score)
    })

    it('is one within a hundredth, from and to', () => {
      expect(echo('100', '200', shift(101, 202)).echo).not.toBeNull()
      expect(echo('100', '200', shift(99, 198)).echo).not.toBeNull()
      expect(echo('100', '200', shift(101.1, 200)).echo).toBeNull()
      expect(echo('100', '200', shift(100, 197)).echo).toBeNull()
    })

    it('is none where the values are those of a switch, or are no quantities', () => {
      expect(echo('0', '1', shift(0, 1)).echo).toBeNull()
      expect(echo('1', '0', shift(1, 0)).echo).toBeNull()
      expect(echo('0', '2', shift(0, 2)).echo).not.toBeNull()
      expect(echo('2', '0', shift(2, 0)).echo).not.toBeNull()
      expect(echo('all', '5', shift(0, 5)).echo).toBeNull()
      expect(echo('5', 'none', shift(5, 0)).echo).toBeNull()
    })
  })

  describe('versions that run side by side', () => {
    const spans = (version: string, failing: boolean, minute = ONSET + 5, service = 'stock-api'): Span[] =>
      Array.from({ length: 60 }, (_, index) => ({
        ...{
          source: 'traces',
          trace_id: `${index}`,
          span_id: `${index}`,
          parent_id: null,
          service,
          name: 'x',
        },
        ...{ start: at(minute) + index, duration_us: 1, status: failing ? 'ERROR' : 'OK' },
        attributes: { 'service.version': version },
      }))
    const both = [...spans('2.0', true), ...spans('1.0', false)]
    const rolled = (after: string | undefined, more: Partial<Change> = {}, given = both) => {
      const { after: _, ...rest } = deploy('d', ONSET - 5, 'stock-api', '', [])
      const change = { ...rest, ...(after === undefined ? {} : { after }), ...more }
      return first([change], [], { snapshot: { spans: given } })
    }

    it('speak against the one that does worse, and acquit the one that does well', () => {
      const [worse, better, neither] = ['2.0', '1.0', '3.0'].map((version) => rolled(version))
      expect(worse).toMatchObject({ contrast: { worse: '2.0', better: '1.0' }, is_linked: true })
      expect(better).toMatchObject({ contrast: null, closeness: 0, coincides: false })
      expect(neither?.contrast).toBeNull()
      expect(neither?.closeness).toBeGreaterThan(0.8)
      expect(worse?.score).toBeGreaterThan(0.9)
      const early = { effective_at: { from: at(10), to: at(10) } }
      expect(rolled('2.0', early)).toMatchObject({ coincides: false, is_linked: true })
      const unseen = rolled('1.0', {}, [])
      const apart = rolled('3.0', { entity: 'web' })
      expect(better?.score).toBeLessThan(0.1 * (unseen?.score ?? 0))
      expect(apart.contrast).toBeNull()
    })

    it('keep three tenths of the score of the one that is acquitted', () => {
      const long = { effective_at: { from: at(-100_000), to: at(-100_000) } }
      expect(rolled('1.0', long).score / rolled('3.0', long).score).toBeCloseTo(0.3, 3)
    })

    it('are those of the same service, by whatever name, since the onset', () => {
      expect(rolled('2.0', { entity: 'web' }).contrast).toBeNull()
      expect(rolled('2.0', { entity: 'STOCK-API' }).contrast).not.toBeNull()
      expect(rolled('1.0', { entity: 'web' }).closeness).toBeGreaterThan(0)
      expect(rolled(undefined).contrast).toBeNull()
      const { entity: _, ...nobody } = deploy('d', ONSET - 5, '', '2.0', [])
      expect(first([nobody], [], { snapshot: { spans: both } }).contrast).toBeNull()
      const before = [...spans('2.0', true, ONSET - 5), ...spans('1.0', false, ONSET - 5)]
      expect(rolled('2.0', {}, before).contrast).toBeNull()
    })

    it('are compared over the whole incident where no onset is known, and to its end', () => {
      const during = [...spans('2.0', true, 85), ...spans('1.0', false, 85)]
      const after = [...spans('2.0', true, 121), ...spans('1.0', false, 121)]
      const look = (given: Span[]) =>
        first([deploy('d', 85, 'stock-api', '2.0', [])], [], {
          ...{ observed: { onset: null }, snapshot: { spans: given } },
        }).contrast
      expect(look(during)).not.toBeNull()
      expect(look(after)).toBeNull()
    })

    it('are asked of what carried a change', () => {
      const change = commit('c', 60, 'x', ['pkg/a.go'], NEUTRAL)
      const { ranked } = judge([change, deploy('d', 85, 'stock-api', '2.0', ['c'])], [], {
        snapshot: { spans: both },
      })
      expect(ranked).toHaveLength(1)
      expect(ranked[0]).toMatchObject({ carried_by: { id: 'd' }, contrast: { worse: '2.0' } })
    })
  })
})

describe('the words of a change', () => {
  const word = (diff: string, symptom: string, more: Partial<Symptom> = {}) =>
    first([merged('a', 60, diff)], [says(symptom, more)])

  it('link it to what is seen, without a plural’s s, and count for a little', () => {
    const entry = word('-  marigolds()\n+  tint()', 'the marigold is wet')
    expect(entry).toMatchObject({ words: ['marigold'], is_linked: true })
    expect(entry.words_score).toBeGreaterThan(0)
    expect(entry.words_score).toBeLessThan(0.5)
    expect(word('-  marigold()', 'wet marigolds').words).toEqual(['marigold'])
    expect(word('-  gas()', 'ga').words).toEqual([])
    expect(word('-  gases()', 'wet gase').words).toEqual(['gase'])
    expect(word('-  boss()', 'bos').words).toEqual([])
    expect(word('-  stirred()', 'tirred').words).toEqual([])
  })

  it('are no words of every program, no numbers, no short ones and no parts of names of entities', () => {
    for (const common of ['status', 'handlers', 'go', 'xy', '503', '2024', 'shelf', 'stock', 'db'])
      expect(word(`-  put ${common} in`, `put ${common} in`).words).not.toContain(common)
    expect(word('-  put 5 abc', '5 abc').words).toEqual(['abc'])
    expect(word('-  v12 b34c', 'v12 b34c').words).toEqual(['b34c', 'v12'])
    const named = { entities: [{ name: 'marigold-service', kind: 'service' as const, aliases: [] }] }
    expect(first([merged('a', 60, '-  marigold()')], [says('marigold')], { snapshot: named }).words).toEqual(
      [],
    )
  })

  it('weigh most where they vanish, less where they come, little where they are only named', () => {
    const seen = 'the marigold is wet'
    const [gone, come, named, near] = [
      word('-  marigold()', seen),
      word('+  marigold()', seen),
      first([merged('a', 60, '-  a1b()', { title: 'x marigold' })], [says(seen)]),
      word(' marigold\n-  a1b()', seen),
    ].map(({ words_score: score }) => score) as [number, number, number, number]
    expect(gone / (1 - gone) / (come / (1 - come))).toBeCloseTo(1.2, 1)
    expect(come).toBeGreaterThan(named)
    expect(named).toBeGreaterThan(near)
    expect(near).toBeGreaterThan(0)
    const kept = word('-  hue(marigold)\n+  tint(marigold)', seen)
    expect(kept.words).toEqual(['marigold'])
    expect(kept.words_score).toBeLessThan(named)
  })

  it('are those of its title, its files and a flag’s key too', () => {
    const seen = [says('wet marigold')]
    const key = (kind: Change['kind']) => first([settings('marigold', 60, { kind })], seen).words
    expect(key('flag')).toEqual(['marigold'])
    expect(key('config')).toEqual([])
    expect(first([settings('a', 60, { files: ['x/marigold.rb'] })], seen).words).toEqual(['marigold'])
    const bare = first([settings('a', 60)], [says('stryker was here marigold')])
    expect(bare.words).toEqual([])
  })

  it('count as much as the symptom weighs, and no more than one of full weight', () => {
    const score = (weight: number) => word('-  marigold()', 'marigold', { weight }).words_score
    expect(score(0.5)).toBeLessThan(score(1))
    expect(score(0.1)).toBeLessThan(score(0.5))
    expect(score(3)).toBe(score(1))
    const twice = first(
      [merged('a', 60, '-  marigold()')],
      [says('marigold', { weight: 0.3 }), says('wet marigold marigold', { weight: 0.2 })],
    )
    expect(twice.words_score).toBe(score(0.5))
  })

  it('link nothing where the symptom weighs next to nothing', () => {
    const linked = (weight: number) => word('-  marigold()', 'marigold', { weight }).is_linked
    expect(linked(0.2)).toBe(true)
    expect(linked(0.19)).toBe(false)
  })

  it('weigh less the more changes use them, and link nothing where nearly all do', () => {
    const many = (using: number, others: number) =>
      judge(
        [
          ...Array.from({ length: using }, (_, index) => merged(`a${index}`, 60, '-  marigold()')),
          ...Array.from({ length: others }, (_, index) => merged(`b${index}`, 60, `-  other${index}()`)),
        ],
        [says('marigold')],
      ).ranked
    const scores = [1, 2, 3].map((using) => of(many(using, 6), 'a0').words_score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(new Set(scores).size).toBe(3)
    expect(of(many(1, 20), 'a0').words_score).toBeGreaterThan(of(many(1, 2), 'a0').words_score)
    expect(of(many(3, 0), 'a0').is_linked).toBe(true)
    expect(of(many(4, 5), 'a0').is_linked).toBe(false)
    expect(of(many(4, 6), 'a0').is_linked).toBe(true)
    expect(of(many(5, 6), 'a0').is_linked).toBe(false)
    expect(of(many(4, 0), 'a0').words_score).toBeGreaterThan(0)
  })

  it('weigh less in a change of many words', () => {
    const rest = Array.from({ length: 40 }, (_, index) => `-  unlike${index} apart${index}`).join('\n')
    const [short, long] = [word('-  marigold()', 'marigold'), word(`-  marigold()\n${rest}`, 'marigold')]
    expect(long.words).toEqual(['marigold'])
    expect(long.words_score).toBeLessThan(0.6 * short.words_score)
  })

  it('are told heaviest first, then by the alphabet, five at most', () => {
    const entry = word(
      '-  tulip dahlia\n+  aster lilac violet orchid',
      'aster dahlia lilac orchid tulip violet',
    )
    expect(entry.words).toEqual(['dahlia', 'tulip', 'aster', 'lilac', 'orchid'])
    const two = word('-  tulip', 'tulip').words_score
    expect(entry.words_score).toBeGreaterThan(two)
  })

  it('add up to half of what words can count at the worth of about two rare ones', () => {
    const alone = word('-  marigold()', 'marigold').words_score
    const total = (1.2 * Math.log(2 / 1.5)) / Math.sqrt(1 + 1 / 12)
    expect(alone).toBeCloseTo(total / (total + 3), 1)
  })
})

describe('what carries a change into effect', () => {
  const rollout = (id: string, minute: number, entity: string, ...carries: string[]) =>
    deploy(id, minute, entity, 'v', carries)

  it('is not ranked beside what it carries, and is where that is not on record', () => {
    const change = commit('c', 60, 'x', ['pkg/a.go'], NEUTRAL)
    const ids = (...changes: Change[]) =>
      judge(changes)
        .ranked.map((entry) => entry.change.id)
        .toSorted()
    expect(ids(change, rollout('d', 80, 'stock-api', 'c'))).toEqual(['c'])
    expect(ids(change, rollout('d', 80, 'stock-api', 'c', 'unknown'))).toEqual(['c'])
    expect(ids(change, rollout('d', 80, 'stock-api', 'unknown'))).toEqual(['c', 'd'])
    expect(ids(change, rollout('d', 80, 'stock-api'))).toEqual(['c', 'd'])
    const { carries: _, ...bare } = rollout('d', 80, 'stock-api')
    expect(ids(change, bare)).toEqual(['c', 'd'])
    expect(ids(change, settings('s', 80, { carries: ['c'] }))).toEqual(['c', 's'])
  })

  it('makes known when a change took effect', () => {
    const change = commit('c', 60, 'x', ['pkg/a.go'], NEUTRAL)
    const [entry] = judge([change, rollout('d', 80, 'stock-api', 'c')]).ranked
    expect(entry?.effective_at).toEqual({ from: at(80), to: at(80), known: true })
    const guessed = { ...rollout('d', 80, 'stock-api', 'c'), certainty: 'guessed' as const }
    expect(judge([change, guessed]).ranked[0]?.effective_at.known).toBe(true)
  })

  it('is, of several, what precedes the onset, then what reaches the failing place, then the latest', () => {
    const change = commit('c', 10, 'x', ['pkg/a.go'], NEUTRAL)
    const chosen = (...rollouts: Change[]) => judge([change, ...rollouts]).ranked[0]?.carried_by?.id
    for (const turn of [(list: Change[]) => list, (list: Change[]) => list.toReversed()]) {
      const of = (...list: Change[]) => chosen(...turn(list))
      const late = rollout('late', ONSET + 10, 'stock-api', 'c')
      expect(of(rollout('a', 50, 'billing', 'c'), late)).toBe('a')
      expect(of(rollout('a', 50, 'web', 'c'), rollout('b', 40, 'stock-api', 'c'))).toBe('b')
      expect(of(rollout('a', 50, 'web', 'c'), rollout('b', 40, 'web', 'c'))).toBe('a')
      expect(of(rollout('b', 50, 'web', 'c'), rollout('a', 50, 'web', 'c'))).toBe('a')
      const { entity: _, ...nobody } = rollout('n', 60, '', 'c')
      expect(of(nobody, rollout('b', 40, 'billing', 'c'))).toBe('b')
      expect(of(rollout('on', 0, 'stock-api', 'c'), rollout('b', 40, 'web', 'c'))).toBe('on')
    }
    const on = { ...rollout('on', 0, 'stock-api', 'c'), effective_at: { from: LATEST, to: LATEST } }
    expect(chosen(rollout('b', 40, 'stock-api', 'c'), on)).toBe('on')
  })

  it('is the latest of all where no onset is known', () => {
    const change = commit('c', 10, 'x', ['pkg/a.go'], NEUTRAL)
    const { ranked } = judge(
      [change, rollout('a', 50, 'web', 'c'), rollout('b', ONSET + 20, 'web', 'c')],
      [],
      { observed: { onset: null } },
    )
    expect(ranked[0]?.carried_by?.id).toBe('b')
  })

  describe('of a library', () => {
    const library = (more: Partial<Change> = {}) => ({
      ...commit('lib', 20, 'x', ['libs/grid/a.go', 'README.md'], NEUTRAL),
      ...more,
    })
    const bump = (line: string, more: Partial<Change> = {}) => ({
      ...commit('bump', 40, 'x', ['go.mod'], `-\tsomething/else v1\n+\t${line}`),
      ...more,
    })
    const carrier = (...changes: Change[]) =>
      of(judge([...changes, rollout('d', 80, 'stock-api', 'bump')]).ranked, 'lib').carried_by?.id

    it('is the rollout of the change that takes its new version', () => {
      expect(carrier(library(), bump('example.com/team/libs/grid v1.2.0'))).toBe('d')
      expect(carrier(library(), bump('"@libs/grid": "^2.0.0"', { files: ['a/package.json', 'x.ts'] }))).toBe(
        'd',
      )
      const manifests = [
        ...['requirements.txt', 'x/requirements-dev.txt', 'pom.xml', 'build.gradle', 'build.gradle.kts'],
        ...['Cargo.toml', 'Gemfile', 'x/GO.MOD'],
      ]
      for (const file of manifests)
        expect(carrier(library(), bump('libs/grid 2', { files: [file] }))).toBe('d')
      for (const file of ['main.go', 'go.mod.bak', 'xgo.mod', 'requirements/a.txt', 'build.gradle.md'])
        expect(carrier(library(), bump('libs/grid 2', { files: [file] }))).toBeUndefined()
    })

    it('is none where another module is taken, or an older one', () => {
      expect(carrier(library(), bump('example.com/team/libs/gridlock v1.2.0'))).toBeUndefined()
      expect(carrier(library(), bump('example.com/team/other/grid v1.2.0'))).toBeUndefined()
      expect(carrier(library(), bump('example.com/libs/grid/v2 v2'))).toBeUndefined()
      expect(carrier(library(), bump('nothing of the kind'))).toBeUndefined()
      expect(carrier(library({ recorded_at: at(41) }), bump('x/libs/grid v1'))).toBeUndefined()
      expect(carrier(library({ recorded_at: at(40) }), bump('x/libs/grid v1'))).toBe('d')
      expect(carrier(library({ files: ['mylibs/grid/a.go'] }), bump('x/libs/grid v1'))).toBeUndefined()
    })

    it('is its own where it was rolled out by itself', () => {
      const own = rollout('own', 30, 'web', 'lib')
      expect(carrier(library(), bump('x/libs/grid v1'), own)).toBe('own')
    })

    it('is the better placed of several that take it', () => {
      const other = bump('x/libs/grid v1', { id: 'other', recorded_at: at(42) })
      const changes = [library(), bump('x/libs/grid v1'), other, rollout('e', 85, 'stock-api', 'other')]
      expect(carrier(...changes)).toBe('e')
    })

    it('is not that of the manifest’s own change', () => {
      const itself = bump('x/libs/grid v1', { files: ['libs/grid/go.mod'] })
      const { ranked } = judge([itself, rollout('d', 80, 'billing', 'bump')])
      expect(ranked[0]).toMatchObject({ place: 0.25, carried_by: { id: 'd' } })
    })

    it('is nothing where what takes it was not rolled out', () => {
      const { ranked } = judge([library(), bump('x/libs/grid v1')])
      expect(of(ranked, 'lib').carried_by).toBeNull()
    })
  })
})

describe('what is done by itself or moved by an orchestrator', () => {
  it('took effect when it was written down, where it is of no service and names what it changed', () => {
    const act: Change = {
      ...{ source: 'cloud', id: 'r', kind: 'infra', recorded_at: at(70) },
      title: 'shelf-db resized',
    }
    expect(first([act])).toMatchObject({
      ...{ reaches: 'shelf-db', place: 0.7, effective_at: { from: at(70), to: at(70), known: true } },
    })
    expect(first([{ ...act, title: 'resized' }]).effective_at.known).toBe(false)
    expect(first([{ ...act, diff: '+x', files: ['shelf-db.tf'] }])).toMatchObject({
      ...{ reaches: 'shelf-db', effective_at: { known: false } },
    })
  })

  it('can break what its title says that it is of, whatever the names in it', () => {
    const act: Change = { ...settings('r', 60, { kind: 'infra' }), title: 'Password of shelf-db rotated' }
    expect(first([act], [says('401 login failed')]).mechanism?.mechanism.id).toBe('record-secret')
    const { title: _, ...silent } = act
    expect(first([silent], [says('401 login failed')]).mechanism).toBeNull()
    const named = { entities: [{ name: 'password', kind: 'service' as const, aliases: [] }] }
    const only = { ...act, title: 'password' }
    expect(first([only], [says('401 login failed')], { snapshot: named }).mechanism).toBeNull()
  })

  it('took effect where and when an orchestrator moved it, whatever else it moved', () => {
    const k8s: KubernetesRecord[] = [
      { source: 'k8s', timestamp: at(72), kind: 'Node', name: 'pool-blue-1' },
      ...(
        [
          [74, 'web-1'],
          [78, 'stock-api-1'],
        ] as const
      ).map(([minute, name]) => ({
        ...{
          source: 'k8s',
          timestamp: at(minute),
          kind: 'Pod',
          name,
          reason: 'Evicted',
          message: 'pool-blue-1',
        },
      })),
    ]
    const act: Change = {
      ...{ source: 'cloud', id: 'r', kind: 'infra', recorded_at: at(70) },
      title: 'pool-blue',
    }
    const entry = first([{ ...act, certainty: 'guessed', effective_at: { from: at(70), to: at(71) } }], [], {
      snapshot: { k8s },
    })
    expect(entry).toMatchObject({ reaches: 'stock-api', place: 1 })
    expect(entry.effective_at).toEqual({ from: at(78), to: at(78), known: true })
    const job = first([{ ...act, diff: '+schedule: "30 * * * *"' }], [], { snapshot: { k8s } })
    expect(job).toMatchObject({ run: null, effective_at: { from: at(78) } })
  })
})

describe('a change that does next to nothing', () => {
  const why = (diff: string | null, more: Partial<Change> = {}, symptoms: readonly Symptom[] = []) =>
    first([merged('a', 60, '', { diff, ...more })], symptoms).trivial
  /** What remains of a score without it. */
  const factor = (diff: string | null, more: Partial<Change> = {}) =>
    first([merged('a', 60, '', { diff, ...more })]).score / first([merged('a', 60, NEUTRAL)]).score
  const files = (...paths: string[]) => ({ files: paths.map((path) => `services/stock/${path}`) })

  it.each([
    ['it touches documentation only', files('a.md', 'docs/b.html'), 0.1],
    ['it touches tests only', files('tests/a.ts', 'b.spec.ts'), 0.1],
    ['it touches the build pipeline only', files('.github/a.yml', 'Jenkinsfile', '.eslintrc'), 0.3],
    ['it touches appearance only', files('a.css', 'b.woff2', 'c.woff', 'd.html'), 0.15],
  ])('says that %s where every file is such a one', (reason, more, rest) => {
    expect(why(NEUTRAL, more)).toBe(reason)
    expect(factor(NEUTRAL, more)).toBeCloseTo(rest, 3)
    expect(why(NEUTRAL, { files: [...more.files, 'services/stock/main.go'] })).toBeNull()
  })

  it('takes no file for one of appearance or the pipeline by a part of its name', () => {
    for (const path of ['a.css.ts', 'b.html.erb', 'x.githubber', 'svg.go'])
      expect(why(NEUTRAL, files(path))).toBeNull()
  })

  it.each([
    ['its diff is not known', null, 0.6],
    ['its diff is not known', '', 0.6],
    ['it changes comments only', '-// old words\n+// new words', 0.1],
    ['it only moves code', '-  hue(a)\n+    hue(a)', 0.25],
    ['it changes types only', '-  const hue = open()\n+  const hue: Hue<Tone | Shade> = open()', 0.15],
    ['it acts only when a process stops', '+  onShutdown(close)\n+  atexit.register(hue)', 0.35],
    ['it changes logging and metrics only', '-  console.info(hue)\n+  tracer.start(hue)\n+  })', 0.35],
    ['it only makes logs quieter', '-  level: "info"\n+  level: "error"', 0.35],
  ])('says that %s of %j', (reason, diff, rest) => {
    expect(why(diff)).toBe(reason)
    expect(why(diff, { kind: 'pull_request' })).toBe(reason)
    expect(factor(diff)).toBeCloseTo(rest, 3)
  })

  it('says it of code alone, which has a diff', () => {
    const { diff: _, ...bare } = merged('a', 60, '')
    expect(first([bare]).trivial).toBe('its diff is not known')
    expect(why(null, { kind: 'config' })).toBeNull()
    expect(why('-// old\n+// new', { kind: 'release', entity: 'stock-api' })).toBeNull()
  })

  it('does more than move code where a setting or a fault in its words is in it, or much of it is new', () => {
    const moved = [...'abcdefghijkl'].map((one) => `shade${one} tone${one} tint${one}`)
    const both = [...moved.map((line) => `-${line}`), ...moved.toReversed().map((line) => `+${line}`)]
    const text = both.join('\n')
    expect(why(text)).toBe('it only moves code')
    expect(why(`${text}\n-  drop()`)).toBe('it only moves code')
    expect(why(`${text}\n-  pool_size: 50\n+  pool_size: 5`)).toBeNull()
    expect(why(`${text}\n-  dusk dawn noon night\n+  east west north south`)).toBeNull()
    expect(why(`${text}\n-  ack()`, {}, [says('messages redelivered')])).toBeNull()
    expect(why(`${text}\n-  ack()`, {}, [says('the lamp is green')])).toBe('it only moves code')
  })

  it('is no trifle where what is moved is given back too late, in the words of that fault', () => {
    const late = '-  conn.close()\n-  if (bare) return\n+  if (bare) return\n+  conn.close()'
    expect(why(late)).toBe('it only moves code')
    expect(why(late, {}, [says('pool exhausted: no free connection')])).toBeNull()
  })

  it.each([
    ['-  const hue = a()\n+  const hue: Hue = b()'],
    ['-  const hue = a()\n+  const hue: Hue = a()\n+  run()'],
    ['-  const hue = a()\n-  walk()\n+  const hue: Hue = a()\n+  run()'],
    ['-  paint(hue)\n+  paint(hue: blue)'],
  ])('changes more than types in %j', (diff) => {
    expect(why(diff)).toBeNull()
  })

  it.each([
    ['-  let hue = a()\n+  let hue: Hue = a()'],
    ['-  let   hue = a()\n+  let   hue : Hue = a()'],
    ['-  function paint(hue) {\n+  function paint(hue: Hue): Tone {'],
    ['-  paint(hue, tone)\n+  paint(hue: Hue, tone:Tone)'],
    ['-  private hue\n+  private hue: Hue'],
  ])('changes nothing but types in %j', (diff) => {
    expect(why(diff)).toBe('it changes types only')
  })

  it.each([
    ...['process.on("SIGTERM", hue)', 'process.on("SIGINT", hue)', 'signal(SIGQUIT, hue)', 'beforeExit(hue)'],
    ...[
      'before_exit(hue)',
      'atexit(hue)',
      'addShutdownHook(hue)',
      'add_shutdown_hook(hue)',
      'on_shutdown(hue)',
    ],
    ...['onShutdown(hue)', 'onApplicationShutdown(hue)', 'on_application_shutdown(hue)', '@PreDestroy'],
    ...['preStop: hue', 'pre_stop(hue)', 'addShutdown_hook(hue)', 'on_applicationShutdown(hue)'],
  ])('acts only when a process stops by %j', (line) => {
    expect(why(`+  ${line}`)).toBe('it acts only when a process stops')
    expect(why(`+  ${line}\n+  paint(hue)`)).toBeNull()
  })

  it.each([
    ...[
      'log(hue)',
      'logger.x(hue)',
      'logging.x(hue)',
      'slog.x(hue)',
      'print(hue)',
      'printf(hue)',
      'metric(hue)',
    ],
    ...[
      'fmt.Println(hue)',
      'metrics.x(hue)',
      'prometheus.x(hue)',
      'trace(hue)',
      'tracer(hue)',
      'span.x(hue)',
    ],
    ...['otel.x(hue)', 'attribute(hue)', 'counter.x(hue)', 'histogram.x(hue)', 'gauge.x(hue)', 'LOG_HUE = x'],
  ])('changes logging and metrics only by %j', (line) => {
    // A Go function is written with what it prints to, so that the word does not end after `Print`.
    const isWord = !line.startsWith('fmt.Println')
    expect(why(`+  ${line}`)).toBe(isWord ? 'it changes logging and metrics only' : null)
    expect(why(`+  ${line}\n+  paint(hue)`)).toBeNull()
    if (isWord) expect(why(`+  ${line}\n+  })\n+  ]`)).toBe('it changes logging and metrics only')
  })

  it('takes a line that ends a block for none of its own', () => {
    expect(why('+  log(hue)\n+  paint(hue) }')).toBeNull()
    expect(why('+  catalogue(hue)')).toBeNull()
  })

  it('makes logs quieter where nothing but their levels falls', () => {
    const levels = ['off', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace', 'all']
    for (const [index, level] of levels.entries())
      for (const [other, after] of levels.entries()) {
        if (index === other) continue
        const quieter = why(`-  level: "${level}"\n+  level: '${after.toUpperCase()}'`)
        expect(quieter).toBe(other < index ? 'it only makes logs quieter' : null)
      }
    expect(why('-  level: debug\n+  level: warn\n-  hue: blue\n+  hue: green')).toBeNull()
    expect(why('-  level: debug\n+  level: warn\n+  paint(hue)')).toBeNull()
    expect(why('-  level: debug\n-  paint(hue)\n+  level: warn')).toBeNull()
    expect(why('-  level: debug\n+  level: mauve')).toBeNull()
    expect(why('-  level: mauve\n+  level: off')).toBeNull()
  })
})

describe('the order of changes', () => {
  it('is by score, then the later, the larger, and the id', () => {
    const changes = [
      merged('z', ONSET, NEUTRAL),
      merged('c', ONSET + 1, NEUTRAL),
      merged('b', ONSET + 1, NEUTRAL),
      merged('y', ONSET, '-  hue(a)\n-  tone(b)\n+  tint(c)'),
      merged('k', ONSET, CUT),
    ]
    for (const list of [changes, changes.toReversed()]) {
      const { ranked } = judge(list, [says('pool exhausted')])
      expect(ranked.map(({ change }) => change.id)).toEqual(['k', 'b', 'c', 'y', 'z'])
    }
  })

  it('tells that a change of settings that nobody sees at work is not known to be in effect', () => {
    expect(first([merged('a', 60, NEUTRAL)]).effective_at).toEqual({ from: at(60), to: at(60), known: false })
  })
})
