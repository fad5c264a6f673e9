/**
 * Families of faults that the engine may be worked on with. A fault changes how a part works; which records it leaves
 * (a change, an event, a line in a log) is what a real one of its kind leaves.
 */
import type { Chance } from './random.ts'
import type { Rollout, Working } from './run-system.ts'
import type { Part, Topology } from './topology.ts'

/** What the telemetry of a fault tells beyond metrics. */
export interface Trace {
  /** Lines that the part itself logs while it fails, and how many a minute. */
  readonly lines?: readonly { readonly part: string; readonly message: string; readonly per_minute: number }[]
  readonly events?: readonly { readonly resource: string; readonly kind: string; readonly message: string }[]
  readonly status?: { readonly provider: string; readonly detail: string }
}

/** A change as version control and delivery record it. */
export interface Culprit {
  readonly kind: 'commit' | 'config' | 'flag'
  readonly title: string
  readonly files: readonly string[]
  readonly diff: string
  readonly before?: string
  readonly after?: string
}

export interface Fault {
  readonly kind: string
  /** Where it is: the part that works differently. */
  readonly entity: string
  readonly culprit: Culprit | null
  /** Share of the pods that get the change. */
  readonly share: number
  /** Seconds between the change and its effect. */
  readonly delay_s: number
  readonly trace: Trace
  demand?(since_s: number): number
  /** How the part works since the fault began. */
  working(part: string, since_s: number): Working
}

/** Makes a fault at a place that it can be at; null where there is none. */
export type Family = (topology: Topology, chance: Chance) => Fault | null

const servicesOf = ({ parts }: Topology, least = 0): readonly Part[] =>
  parts.filter(({ kind }, index) => kind === 'service' && index >= least)

export const hunk = (path: string, gone: readonly string[], come: readonly string[]): string =>
  [
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -10,${gone.length + 2} +10,${come.length + 2} @@`,
    '   const started = clock()',
    ...gone.map((line) => `-${line}`),
    ...come.map((line) => `+${line}`),
    '   return finish(started)',
  ].join('\n')

const nothing: Trace = {}

/** Makes a working that only one part has. */
export const only =
  (entity: string, how: (since_s: number) => Working) =>
  (part: string, since_s: number): Working =>
    part === entity ? how(since_s) : {}

/** A missing check: some requests throw. */
const missingCheck: Family = (topology, chance) => {
  const { name } = chance.pick(servicesOf(topology, 1))
  const field = chance.pick(['currency', 'region', 'voucher', 'address', 'locale'])
  const path = `${name}/src/${field}.ts`
  const share = chance.between(0.12, 0.5)
  return {
    ...{ kind: 'code', entity: name, share: chance.is(0.2) ? 0.5 : 1, delay_s: 0 },
    culprit: {
      kind: 'commit',
      title: `Simplify how ${field} is read`,
      files: [path],
      diff: hunk(
        path,
        [`  if (order.${field} === undefined) return fallback`, `  const ${field} = order.${field}.trim()`],
        [`  const ${field} = order.${field}.trim()`],
      ),
    },
    trace: {
      lines: [
        {
          part: name,
          message: `TypeError: Cannot read properties of undefined (reading 'trim') at ${field}.ts`,
          per_minute: 20,
        },
      ],
    },
    working: only(name, () => ({ own_errors: share })),
  }
}

/** A query for every item instead of one for all. */
const queryInLoop: Family = (topology, chance) => {
  const with_store = servicesOf(topology, 1).filter(({ calls }) =>
    calls.some(({ to }) => topology.parts.find(({ name }) => name === to)?.kind === 'datastore'),
  )
  if (with_store.length === 0) return null
  const { name } = chance.pick(with_store)
  const path = `${name}/src/list-items.ts`
  const factor = chance.between(14, 30)
  return {
    ...{ kind: 'code', entity: name, share: 1, delay_s: 0, trace: nothing },
    culprit: {
      kind: 'commit',
      title: 'Load details of items where they are needed',
      files: [path],
      diff: hunk(
        path,
        ['  const details = await store.query("select * from details where id = any($1)", [ids])'],
        [
          '  for (const id of ids) {',
          '    details.push(await store.query("select * from details where id = $1", [id]))',
          '  }',
        ],
      ),
    },
    working: only(name, () => ({ own_factor: factor, cpu_factor: 1.6 })),
  }
}

/** Fewer workers than the load needs. */
const smallPool: Family = (topology, chance) => {
  const { name, workers } = chance.pick(servicesOf(topology, 1))
  const path = `deploy/${name}/values.yaml`
  return {
    ...{ kind: 'config', entity: name, share: 1, delay_s: 0 },
    culprit: {
      kind: 'config',
      title: `Lower the worker pool of ${name}`,
      files: [path],
      diff: [
        `--- a/${path}`,
        `+++ b/${path}`,
        '@@ -4,3 +4,3 @@',
        ' pool:',
        `-  maxWorkers: ${workers}`,
        '+  maxWorkers: 1',
        '   keepAlive: true',
      ].join('\n'),
      before: String(workers),
      after: '1',
    },
    trace: {
      lines: [
        { part: name, message: 'worker pool exhausted: no worker available within 800 ms', per_minute: 15 },
      ],
    },
    working: only(name, () => ({ workers: 1 })),
  }
}

/** A feature that fails for those who get it. */
const brokenFeature: Family = (topology, chance) => {
  const { name } = chance.pick(servicesOf(topology, 1))
  const feature = chance.pick(['new-ranking', 'express-path', 'smart-basket', 'fast-lookup'])
  const share = chance.between(0.15, 0.5)
  return {
    ...{ kind: 'flag', entity: name, share: 1, delay_s: 0 },
    culprit: {
      ...{ kind: 'flag', title: feature, files: [], diff: '', before: 'off', after: 'on' },
    },
    trace: {
      lines: [{ part: name, message: `${feature} failed: unexpected response shape`, per_minute: 18 }],
    },
    working: only(name, () => ({ own_errors: share })),
  }
}

/** More visitors than the system was made for. */
const surge: Family = (topology, chance) => {
  const factor = chance.between(4, 7)
  const weakest = chance.pick(servicesOf(topology))
  return {
    ...{ kind: 'traffic', entity: topology.parts[0]?.name ?? '', culprit: null, share: 1, delay_s: 0 },
    trace: nothing,
    demand: (since_s) => 1 + (factor - 1) * Math.min(1, since_s / 120),
    working: only(weakest.name, () => ({ workers: 2 })),
  }
}

/** A datastore whose disk or processor is at its end. */
const slowStore: Family = (topology, chance) => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const factor = chance.between(120, 300)
  return {
    ...{ kind: 'capacity', entity: store.name, culprit: null, share: 1, delay_s: 0 },
    trace: {
      events: [
        {
          resource: store.name,
          kind: 'storage',
          message: `${store.name}: burst balance exhausted, IOPS limited to the baseline`,
        },
      ],
    },
    working: only(store.name, () => ({ own_factor: factor, cpu_factor: 8 })),
  }
}

/** A provider that fails, and says so on its status page. */
const providerDown: Family = (topology, chance) => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const share = chance.between(0.3, 0.9)
  const callers = topology.parts.filter(({ calls }) => calls.some(({ to }) => to === provider.name))
  return {
    ...{ kind: 'provider', entity: provider.name, culprit: null, share: 1, delay_s: 0 },
    trace: {
      lines: callers.map(({ name }) => ({
        ...{
          part: name,
          message: `call to ${provider.name} failed: 503 Service Unavailable`,
          per_minute: 15,
        },
      })),
      status: { provider: provider.name, detail: 'Elevated error rates on the API' },
    },
    working: only(provider.name, () => ({ own_errors: share })),
  }
}

export const EARLY_FAMILIES: Readonly<Record<string, Family>> = {
  'missing-check': missingCheck,
  'query-in-loop': queryInLoop,
  'small-pool': smallPool,
  'broken-feature': brokenFeature,
  surge,
  'slow-store': slowStore,
  'provider-down': providerDown,
}

/** Rollout of what a change brings; flags and configuration take effect without one. */
export const rolloutOf = (fault: Fault, at_s: number): Rollout | null =>
  fault.culprit?.kind === 'commit'
    ? { part: fault.entity, version: 'v2', at_s, every_s: 45, share: fault.share }
    : null
