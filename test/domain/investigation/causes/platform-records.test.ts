import { describe, expect, it } from 'vitest'
import {
  isKilledForMemory,
  PLATFORM_REASONS,
  platformRecords,
} from '#shared/domain/investigation/causes/platform-records.ts'
import { PLATFORM_PAGES } from '#shared/domain/investigation/changes/row-pages.ts'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { BEFORE_MS, type Line, NEAR_MS, type Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { isOfWorkload } from '#shared/domain/investigation/records/hosting.ts'
import type { KubernetesRecord, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, causes, counted, graphOf, place, risen, type Seen, SINCE } from '../scene-by-hand.ts'

/** What Kubernetes writes of each, word for word, and what sounds alike and says something else. */
const SAID: Readonly<Record<string, readonly [says: string, other: string]>> = {
  memory: ['OOMKilled Container quotes was OOM killed', 'Completed Container quotes ended'],
  'no-room': [
    'FailedScheduling 0/4 nodes are available: 4 Insufficient memory.',
    'Scheduled Successfully assigned',
  ],
  volume: [
    'FailedAttachVolume Multi-Attach error for volume "pvc-1"',
    'SuccessfulAttachVolume volume "pvc-1"',
  ],
  image: ['Failed Failed to pull image "registry.test/quotes:7"', 'Pulled Container image already present'],
  sandbox: [
    'FailedCreatePodSandBox failed to assign an IP address to container',
    'SandboxChanged Pod sandbox changed',
  ],
  settings: ['Failed Error: secret "quotes-key" not found', 'Pulled image found'],
  machine: [
    'NodeNotReady Node is not ready',
    'Evicted Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.',
  ],
  webhook: [
    'FailedCreate Internal error occurred: failed calling webhook "checks.example"',
    'SuccessfulCreate Created pod',
  ],
}
const records = (name: string, message: string, minutes: readonly number[]): readonly KubernetesRecord[] =>
  minutes.map((minute) => ({ source: 'k8s', timestamp: at(minute), kind: 'Pod', name, message }))
const find = (k8s: readonly KubernetesRecord[], more: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('site', 'http_5xx_ratio')],
    edges: calls('site', 'quotes', 0.4),
    k8s,
    ...more,
    series: [
      series('site', 'http_5xx_ratio', 0.003, 0.4),
      series('quotes', 'http_5xx_ratio', 0.003, 0.4),
      ...(more.series ?? []),
    ],
  })

describe('what a platform records of the workload that fails', () => {
  it.each(PLATFORM_REASONS.map((row) => [row.id, row] as const))(
    '%s tells place and reason at once',
    (id, row) => {
      const [says, other] = SAID[id] as readonly [string, string]
      expect(other).not.toMatch(row.pattern)
      expect(PLATFORM_PAGES[id]).toMatch(/^https:\/\/kubernetes\.io\//)
      expect(find(records('quotes', says, [ONSET, ONSET + 2])).cause).toMatchObject({
        kind: row.kind,
        entity: 'quotes',
      })
    },
  )

  it.each([
    ['no-room', 'Preempted by pod 71 on node pool-1-a'],
    ['no-room', 'OutOfcpu Pod was rejected: Node did not have enough resource'],
    ['volume', 'ProvisioningFailed storageclass "fast" not found'],
    ['image', 'ErrImageNeverPull Container image is not present'],
    ['machine', 'Evicted The node was low on resource: ephemeral-storage.'],
    ['machine', 'NodeLost the machine was lost'],
    ['machine', 'NodeShutdown Pod was terminated in response to imminent node shutdown.'],
  ])('tells %s in further words of Kubernetes: %s', (id, says) => {
    expect(says).toMatch(PLATFORM_REASONS.find((row) => row.id === id)?.pattern as RegExp)
  })

  it('counts for a pod by its workload, and explains that it is started again and again', () => {
    const found = find(records('quotes-7d9-x2', 'OOMKilled', [ONSET, ONSET + 3]), {
      series: [series('quotes', 'container_restarts', 0, 9)],
    })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'quotes' })
    expect(found.hypotheses.map(({ cause }) => cause.kind)).not.toContain('infra')
  })

  it('is surer where others that fail meet the same', () => {
    const own = records('quotes', 'FailedMount', [ONSET, ONSET + 1])
    const one = find(own)
    const several = find([...own, ...records('site', 'FailedMount', [ONSET])])
    expect(several.confidence).toBeGreaterThanOrEqual(one.confidence)
  })

  it('is nothing where it was said once, elsewhere, or long before', () => {
    for (const k8s of [
      records('quotes', 'OOMKilled', [ONSET]),
      records('reports', 'OOMKilled', [ONSET, ONSET + 1]),
      records('quotes', 'OOMKilled', [ONSET - 60, ONSET - 50]),
    ])
      expect(find(k8s).cause.kind).toBe('unknown')
    expect(investigate({ ...EMPTY, k8s: records('quotes', 'OOMKilled', [1, 2]) }).cause.kind).toBe('unknown')
  })
})

const record = (text: string, entity: string | null = 'quotes', more: Partial<Line> = {}): Line => ({
  ...{ text, entity, count: 1, at: at(ONSET), source: 'k8s', origin: 'kubernetes', failing: true },
  ...more,
})
const sceneOf = (lines: readonly Line[], more: Partial<Scene> = {}): Scene => {
  const failing = ['site', 'quotes', 'quotes-v2'].map((name) => place(name))
  return {
    ...{ snapshot: EMPTY, names: entityNames(EMPTY), symptoms: [], lines, onset: at(ONSET) },
    observed: { ...BARE, failing, first: failing[1] as Scene['observed']['first'] },
    ...more,
  }
}
const told = (...lines: readonly Line[]) => platformRecords(sceneOf(lines))

describe('the reason that a platform gives', () => {
  it.each([
    ['OOMKilled', 'capacity', 'a memory that is used up', 'scale'],
    ['oom-kill', 'capacity', 'a memory that is used up', 'scale'],
    ['exit code 137', 'capacity', 'a memory that is used up', 'scale'],
    ['exit code: 137', 'capacity', 'a memory that is used up', 'scale'],
    ['FailedScheduling', 'capacity', 'a cluster without room for what should run', 'scale'],
    ['FailedMount', 'infra', 'a volume that cannot be attached', 'escalate'],
    ['ImagePullBackOff', 'infra', 'an image that cannot be had', 'escalate'],
    ['failed to allocate a IP', 'infra', 'a network that has no place for new instances', 'escalate'],
    ['failed to assign an IP', 'infra', 'a network that has no place for new instances', 'escalate'],
    ['secret "quotes-key" not found', 'config', 'settings that are missing', 'revert_config'],
    ['configmap quotes.yaml not found', 'config', 'settings that are missing', 'revert_config'],
  ])('%s is told with what it means and what helps', (text, kind, what, action) => {
    expect(told(record(text, 'quotes', { count: 2 }))).toMatchObject([
      { kind, entity: 'quotes', what, action, score: 0.6, yields_to_changes: true },
    ])
  })

  it('is told once for each reason, with three of its records at most', () => {
    const memory = [0, 1, 2, 3].map((minute) => record('OOMKilled', 'quotes', { at: at(ONSET + minute) }))
    const found = told(...memory, record('FailedMount'), record('FailedMount'))
    expect(found.map(({ what, signs }) => [what, signs.length])).toEqual([
      ['a memory that is used up', 3],
      ['a volume that cannot be attached', 2],
    ])
    expect(found[0]?.signs.map(({ strength }) => strength)).toEqual([0.6, 0.6, 0.6])
  })

  it('is surer where several of those that fail meet it, and not for who does not fail', () => {
    const own = record('FailedMount', 'quotes', { count: 2 })
    const score = (...more: readonly Line[]) => told(own, ...more)[0]?.score
    expect(score(record('FailedMount', 'site'))).toBe(0.75)
    expect(score(record('FailedMount', 'site-7d9-x2'))).toBe(0.75)
    for (const other of [
      record('FailedMount'),
      record('FailedMount', 'reports'),
      record('FailedMount', null),
      record('OOMKilled', 'site'),
    ])
      expect(score(other)).toBe(0.6)
  })

  it('counts two records of the failing workload or its instances, the longest name deciding whose they are', () => {
    expect(told(record('OOMKilled'))).toEqual([])
    expect(told(record('OOMKilled'), record('OOMKilled', 'quotes-7d9-x2'))).toHaveLength(1)
    expect(told(record('OOMKilled'), record('OOMKilled', 'quotes-v2-7d9'))).toEqual([])
    expect(told(record('OOMKilled'), record('OOMKilled', 'quotes-v2'))).toEqual([])
    expect(told(record('OOMKilled'), record('OOMKilled', 'quotesfeed'))).toEqual([])
    expect(told(record('OOMKilled'), record('OOMKilled', null))).toEqual([])
  })

  it('counts no records of a store that fails nothing and is named after the failing workload', () => {
    const entities = [{ name: 'quotes-db', kind: 'datastore' as const, aliases: [] }]
    const lines = [record('OOMKilled', 'quotes-db-0', { count: 2 })]
    expect(platformRecords(sceneOf(lines))).toHaveLength(1)
    expect(platformRecords(sceneOf(lines, { snapshot: { ...EMPTY, entities } }))).toEqual([])
  })

  it('counts what the platform recorded from half an hour before the onset to ten minutes after', () => {
    const recorded = (when: number | null, origin: Line['origin'] = 'kubernetes') =>
      told(record('OOMKilled', 'quotes', { count: 2, at: when, origin })).length
    const onset = at(ONSET)
    expect(recorded(onset - BEFORE_MS)).toBe(1)
    expect(recorded(onset - BEFORE_MS - 1)).toBe(0)
    expect(recorded(onset + 2 * NEAR_MS)).toBe(1)
    expect(recorded(onset + 2 * NEAR_MS + 1)).toBe(0)
    expect(recorded(null)).toBe(0)
    expect(recorded(onset, 'log')).toBe(0)
  })

  it('is none where nothing fails or nobody knows since when', () => {
    const lines = [record('OOMKilled', 'quotes', { count: 2 })]
    expect(platformRecords(sceneOf(lines, { onset: null }))).toEqual([])
    expect(platformRecords(sceneOf(lines, { observed: { ...BARE, first: null } }))).toEqual([])
  })
})

describe('machines that went', () => {
  const unplaced = records('quotes-0', 'FailedScheduling 0/4 nodes are available: 4 Insufficient cpu.', [
    ONSET,
    ONSET + 3,
  ])
  const of = (shift: SeriesShift) =>
    causes({
      ...{ shifts: [shift], snapshot: { k8s: unplaced } },
      observed: { first: place('quotes'), failing: [place('quotes')] },
    }).find(({ what }) => what === 'a cluster without room for what should run')
  const fewer = (name: string, more: Partial<SeriesShift> = {}) =>
    risen('pool-a', name, { direction: 'down', before: 6, during: 2, ...more })

  it('are why there is no room, as long as they are away', () => {
    for (const name of ['pool_nodes_ready', 'node_count', 'ready_nodes']) {
      const found = of(fewer(name))
      expect(found).toMatchObject({ entity: 'quotes', is_whole: true })
      expect(found?.signs.filter(({ fact }) => fact.of === 'shift')).toHaveLength(1)
    }
    for (const shift of [
      fewer('node_counter'),
      fewer('pool_nodes_ready', { direction: 'up' }),
      fewer('pool_nodes_ready', { ended_at: at(ONSET + 4) }),
      fewer('pool_nodes_ready', { onset: { ...SINCE, at: at(ONSET + 6) } }),
    ])
      expect(of(shift)).not.toHaveProperty('is_whole')
  })
})

describe('a workload apart from the calls that waits for room', () => {
  const unplaced = (...minutes: number[]) =>
    records('reckoning-77-1', 'FailedScheduling 0/6 nodes are available: 6 Insufficient memory.', minutes)
  const waiting = (entity = 'reckoning', more: Partial<SeriesShift> = {}, name = 'job_pods_pending') =>
    risen(entity, name, { before: 0, onset: { ...SINCE, at: at(ONSET - 20) }, ...more })
  const of = (seen: Seen) =>
    causes({
      ...{ snapshot: { k8s: unplaced(ONSET - 20, ONSET - 9) }, shifts: [waiting()], ...seen },
      observed: { first: place('quotes'), failing: [place('quotes')], ...seen.observed },
    }).find(({ entity }) => entity === 'reckoning')

  it('may have failed those who need what it makes, where it waits since before and still, as is recorded', () => {
    expect(of({})).toMatchObject({
      ...{ kind: 'capacity', score: 0.6, at_most: CONFIDENCE_CAP_UNLINKED, yields_to_changes: true },
    })
    expect(of({ shifts: [waiting('reckoning', {}, 'unschedulable_pods')] })).toBeDefined()
  })

  it('has not where it began to wait later, waits no more, was recorded once, is called, or is one of several', () => {
    for (const shift of [
      waiting('reckoning', { onset: { ...SINCE, at: at(ONSET + 1) } }),
      waiting('reckoning', { ended_at: at(ONSET + 9) }),
      waiting('reckoning', { direction: 'down' }),
      waiting('reckoning', {}, 'job_pods'),
    ])
      expect(of({ shifts: [shift] })).toBeUndefined()
    expect(of({ snapshot: { k8s: unplaced(ONSET - 9) } })).toBeUndefined()
    expect(of({ observed: { flows: new Map([['reckoning', counted('reckoning', 9)]]) } })).toBeUndefined()
    expect(of({ observed: { graph: graphOf({ reckoning: [] }) } })).toBeUndefined()
    const more = records('audit-1', 'FailedScheduling', [ONSET - 20, ONSET - 9])
    expect(
      of({
        shifts: [waiting(), waiting('audit')],
        snapshot: { k8s: [...unplaced(ONSET - 20, ONSET - 9), ...more] },
      }),
    ).toBeUndefined()
  })
})

describe('a record of a workload', () => {
  it('has its name, or begins with it where it is of an instance', () => {
    expect(isOfWorkload('quotes', 'quotes', [])).toBe(true)
    expect(isOfWorkload('quotes-7d9-x2', 'quotes', [])).toBe(true)
    for (const other of ['quotesfeed', 'my-quotes', 'my-quotes-', 'quote', null])
      expect(isOfWorkload(other, 'quotes', [])).toBe(false)
  })

  it('is of the workload with the longer name where two names begin alike', () => {
    const known = (kind: 'service' | 'datastore' | 'pod') => [
      { name: 'quotes', kind: 'service' as const, aliases: [] },
      { name: 'quotes-db', kind, aliases: [] },
    ]
    for (const kind of ['service', 'datastore'] as const) {
      expect(isOfWorkload('quotes-db-0', 'quotes', known(kind))).toBe(false)
      expect(isOfWorkload('quotes-db', 'quotes', known(kind))).toBe(false)
      expect(isOfWorkload('quotes-db-0', 'quotes-db', known(kind))).toBe(true)
      expect(isOfWorkload('quotes-dbx-0', 'quotes', known(kind))).toBe(true)
    }
    // A pod that is known by its name is an instance still.
    expect(isOfWorkload('quotes-db', 'quotes', known('pod'))).toBe(true)
  })

  it('says that it was killed for its memory, and not that it found no room', () => {
    expect(isKilledForMemory('OOMKilled')).toBe(true)
    expect(isKilledForMemory('FailedScheduling')).toBe(false)
    expect(isKilledForMemory('Started')).toBe(false)
  })
})
