import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { CONFIDENCE_CAP_TIMED } from '#shared/domain/investigation/confidence.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type {
  Change,
  KubernetesRecord,
  Snapshot,
  Span,
} from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, commit, deploy, lines, ONSET } from '../incident-scenarios.ts'
import {
  CUT,
  FAILS,
  first,
  id,
  judge,
  LATEST,
  merged,
  NEUTRAL,
  POOL,
  rank,
  says,
  scene,
  score,
  settings,
} from '../ranking-by-hand.ts'
import { risen } from '../scene-by-hand.ts'

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

  it('a flag or a deploy of unknown content just before the onset is likely, and less so the longer ago', () => {
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
    expect(findings.confidence).toBeLessThanOrEqual(CONFIDENCE_CAP_TIMED)
    expect(findings.remediation).toMatchObject({ action: 'disable_flag', target: 'use_new_path' })
    expect(findings.revert_to).toBe('off')
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
})

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

  /** Odds of a score, which are what a delay multiplies. */
  const oddsOf = ({ score }: RankedChange): number => score / (1 - score)
  /** A change elsewhere, whose score no closeness raises: of its delay alone it is that it differs from one five minutes before. */
  const ratioAt = (delay: number, more: Partial<Change> = {}): number => {
    const of = (minutes: number) =>
      oddsOf(first([settings('a', ONSET - minutes, { entity: 'billing', ...more })]))
    return of(delay) / of(5)
  }

  it('multiplies its odds by what its delay tells: more within minutes before the onset, ever less from then on', () => {
    expect(ratioAt(0)).toBeCloseTo(2.7, 1)
    expect(ratioAt(5)).toBe(1)
    expect(ratioAt(30)).toBeCloseTo(0.125, 2)
    expect(ratioAt(60)).toBeCloseTo(0.062, 2)
    expect(ratioAt(-1)).toBe(ratioAt(0))
    for (let delay = 0; delay < 80; delay += 1) expect(ratioAt(delay + 1)).toBeLessThan(ratioAt(delay))
  })

  it('leaves a third of the odds of what is seen to do the harm, however late that comes', () => {
    const symptoms = [says('unknown state "parked_twice"')]
    const by = (delay: number, diff: string) =>
      first([settings('a', ONSET - delay, { entity: 'billing', diff })], symptoms)
    const removes = '-  state("parked_twice")\n+  state("open")'
    const adds = '-  state("open")\n+  state("parked_twice")'
    expect(oddsOf(by(89, removes)) / oddsOf(by(40, removes))).toBeGreaterThan(0.9)
    expect(oddsOf(by(89, adds)) / oddsOf(by(40, adds))).toBeLessThan(0.6)
  })

  it('weighs what is not known to have taken effect a little less, and no delay takes more than two thirds of its odds', () => {
    const at = (minutes: number, certainty: 'guessed' | 'observed') => {
      const change = settings('a', ONSET - minutes, certainty === 'guessed' ? { certainty } : {})
      return first([{ ...change, entity: 'billing' }])
    }
    expect(at(5, 'observed').effective_at.known).toBe(true)
    expect(at(5, 'guessed').effective_at.known).toBe(false)
    expect(at(5, 'guessed').score / at(5, 'observed').score).toBeCloseTo(0.85, 3)
    expect(at(80, 'guessed').score).toBe(at(40, 'guessed').score)
    expect(oddsOf(at(80, 'guessed')) / oddsOf(at(5, 'guessed'))).toBeCloseTo(0.35, 1)
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
    const unseen = first([merged('a', ONSET - 5, CUT)], [symptom])
    expect(unseen.is_linked).toBe(false)
    expect(unseen.mechanism?.score).toBe(1)
    const linked = first([merged('a', ONSET - 5, CUT)], [symptom, says('pool', { weight: 0.2 })])
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
      const long = { diff: CUT, effective_at: { from: at(-100_000), to: at(-100_000) } }
      const of = (version: string) =>
        first(
          [{ ...deploy('d', ONSET - 5, 'stock-api', version, []), ...long }],
          [says('too many clients already')],
          { snapshot: { spans: both } },
        )
      expect(of('1.0').score / of('3.0').score).toBeCloseTo(0.3, 3)
    })

    it('acquit nobody who changes what is stored: the versions before miss what that moved', () => {
      const owned = { entity: 'stock-api', files: ['stock-api/migrations/7.sql'] }
      const of = (diff: string) => {
        const change = merged('m', ONSET - 50, diff, owned)
        const rollout = deploy('d', ONSET - 5, 'stock-api', '1.0', [change.id])
        return first([change, rollout], [], { snapshot: { spans: both } }).closeness
      }
      expect(of('+ALTER TABLE ledger SET SCHEMA apart;')).toBeGreaterThan(0.5)
      expect(of('+SELECT a FROM ledger;')).toBe(0)
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

describe('what speaks for a change beside its time and place', () => {
  const since = (minute: number) => ({
    onset: { at: at(minute), earliest: at(minute), latest: at(minute) },
  })
  const seen = (...shifts: readonly ReturnType<typeof risen>[]) => ({ observed: { shifts } })
  const early = (more: Partial<Change> = {}) => settings('a', 59, { diff: NEUTRAL, ...more })

  it('is that something began to be used up where and when it arrived, and ran out', () => {
    const spent = risen('stock-api', 'memory_used_bytes', { before: 10, extreme: 40, ...since(60) })
    const by = (change: Change, ...shifts: readonly ReturnType<typeof risen>[]) =>
      first([change], [], seen(...shifts))
    const [one, none] = [by(early(), spent), by(early())]
    expect(one).toMatchObject({ spent, is_linked: true })
    expect(none).toMatchObject({ spent: null, is_linked: false })
    expect(one.closeness).toBeGreaterThan(none.closeness)
    expect(one.score).toBeGreaterThan(0.5)
    expect(none.score).toBeLessThan(0.3)
    // Not elsewhere, not of what only documents, and not of what nobody knows to be in effect.
    for (const change of [
      early({ entity: 'billing' }),
      early({ files: ['README.md'] }),
      early({ certainty: 'guessed' }),
      merged('a', 59, NEUTRAL),
    ])
      expect(by(change, spent).spent).toBeNull()
  })

  it('is that a series moved there as its setting did', () => {
    const change = early({ diff: '-  idle: 10\n+  idle: 20', effective_at: { from: at(89), to: at(89) } })
    const moved = (entity: string) => risen(entity, 'workers_idle', { before: 10, during: 20 })
    const [echo, elsewhere] = ['stock-api', 'web'].map((entity) => first([change], [], seen(moved(entity))))
    expect(echo).toMatchObject({ echo: { setting: { key: 'idle' } }, is_linked: true })
    expect(elsewhere?.echo).toBeNull()
    expect(echo?.score).toBeGreaterThan(1.3 * (elsewhere?.score ?? 1))
  })

  it('is that what fails quotes what it removes, half as much what it adds', () => {
    const symptoms = [says('unknown state "parked_twice"')]
    const by = (diff: string) => first([merged('a', ONSET - 5, diff)], symptoms)
    const removes = by('-  state("parked_twice")\n+  state("open")')
    const adds = by('-  state("open")\n+  state("parked_twice")')
    expect(removes.quoted).toMatchObject({ name: 'parked_twice', how: 'removes' })
    expect(adds.quoted).toMatchObject({ name: 'parked_twice', how: 'adds' })
    for (const entry of [removes, adds]) expect(entry.is_linked).toBe(true)
    expect(adds.score / removes.score).toBeGreaterThan(0.45)
    expect(adds.score / removes.score).toBeLessThan(0.75)
  })

  it('is that what fails quotes the key of a flag, or a resource next to it that a record names', () => {
    const flag = (id: string) => settings(id, 60, { kind: 'flag', before: 'off', after: 'on' })
    const symptoms = [says('strategy dense-search failed on "parcel-events"')]
    expect(first([flag('dense-search')], symptoms)).toMatchObject({
      ...{ quoted: { name: 'dense-search', how: 'bears' }, is_linked: true },
    })
    expect(first([flag('sparse-search')], symptoms).quoted).toBeNull()
    const record = (entity: string): Change => {
      const { diff: _, ...act } = settings('r', 60, { kind: 'infra', entity, title: 'Topic parcel-events' })
      return act
    }
    for (const entity of ['stock-api', 'shelf-db'])
      expect(first([record(entity)], symptoms).quoted).toMatchObject({ name: 'parcel-events', how: 'bears' })
    expect(first([record('billing')], symptoms).quoted).toBeNull()
  })

  it('is that a flag was taken off, not that it was put on', () => {
    const flag = (before: string, after: string) =>
      first([settings('f', 60, { kind: 'flag', before, after })], [says('no such table')]).mechanism
    expect(flag('off', 'on')).toBeNull()
    expect(flag('on', 'off')?.mechanism.id).toBe('flag-taken-off')
  })

  it('counts for little where it can break nothing, and that is said', () => {
    const of = (file: string) => first([early({ files: [file] })])
    expect(of('a.yaml').trivial).toBeNull()
    expect(of('README.md').trivial).toBe('it touches documentation only')
    expect(of('README.md').score / of('a.yaml').score).toBeLessThan(0.2)
  })

  it('is time alone where it came alone and just before', () => {
    expect(first([settings('a', ONSET)])).toMatchObject({ coincides: true, is_linked: true })
    expect(first([settings('a', 40)])).toMatchObject({ coincides: false, is_linked: false })
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

describe('a change of whom the failing place cannot read', () => {
  const unread = [says('NoneType object has no attribute factor')]
  const of = (minute: number, entity = 'shelf-db', symptoms = unread) =>
    first([settings('a', minute, { entity })], symptoms).misread_by

  it('falls on that place where it took effect just before: the next answer is the first that cannot be read', () => {
    expect(of(ONSET - 1)).toBe('stock-api')
    expect(of(ONSET - 5)).toBe('stock-api')
    expect(of(ONSET - 5.1)).toBeUndefined()
  })

  it('falls on nobody where it is of the failing place itself, or this one says nothing of the kind', () => {
    expect(of(ONSET - 1, 'stock-api')).toBeUndefined()
    expect(of(ONSET - 1, 'billing')).toBeUndefined()
    expect(of(ONSET - 1, 'shelf-db', [says('pool exhausted')])).toBeUndefined()
  })
})
