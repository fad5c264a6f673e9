import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { observe } from '#shared/domain/investigation/failing-services.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { type RankedChange, rankChanges } from '#shared/domain/investigation/rank-changes.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { collectSymptoms } from '#shared/domain/investigation/symptoms.ts'
import { alert, at, commit, deploy, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

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
    expect(merged?.closeness).toBe(0)
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
