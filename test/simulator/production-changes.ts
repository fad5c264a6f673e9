/** What was changed around an incident: the cause if a change is one, and everything else that teams ship meanwhile. */
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { hunk } from './faults.ts'
import type { CulpritRecord, ProductionFault } from './production-fault.ts'
import type { Chance } from './random.ts'
import type { Rollout } from './run-system.ts'
import { hex, innocent } from './simulate-incident.ts'

const MINUTE_MS = 60_000
/** Marks a pod that was made anew at the version that it had; no record knows the mark. */
const RENEWED = '@renewed'
const ACTORS = ['ana', 'bo', 'cem', 'dia', 'release-bot'] as const

/** The version as labels have it. */
export const labelOf = (version: string): string => version.replace(RENEWED, '')

export interface Times {
  readonly start: number
  /** Seconds from the start: the change, its effect, the end. */
  readonly changed_s: number
  readonly began_s: number
  readonly end_s: number
}

export interface Changed {
  readonly changes: readonly Change[]
  readonly rollouts: readonly Rollout[]
  /** Ids of the records of the cause, in order; empty where no change is one. */
  readonly culprits: readonly string[]
}

interface What {
  readonly title: string
  readonly files: readonly string[]
  readonly diff: string
}

/** A rollout before versions are counted. */
interface Shipment {
  readonly part: string
  readonly at_s: number
  readonly carries: readonly string[]
  readonly isRenewal: boolean
  /** Share of the pods that get it, all unless given. */
  readonly share?: number
}

/** Changes that harm nobody and look as if they could. */
function suspicious(dice: Chance, service: string): What {
  const path = `${service}/src/${dice.pick(['client', 'retry', 'pool', 'cache', 'session'])}.ts`
  const shapes: readonly What[] = [
    {
      title: 'Wait less for what is optional',
      files: [path],
      diff: hunk(path, ['  const hint = await ask(1500)'], ['  const hint = await ask(400)']),
    },
    {
      title: 'Drop the second lookup',
      files: [path],
      diff: hunk(
        path,
        ['  const known = cache.get(id)', '  if (known !== undefined) return known', '  return load(id)'],
        ['  return cache.get(id) ?? load(id)'],
      ),
    },
    {
      title: 'Close idle connections on shutdown',
      files: [path],
      diff: hunk(path, [], ['  process.once("SIGTERM", () => pool.end())']),
    },
    { title: 'Update generated clients', files: [`${service}/src/generated/api.ts`], diff: '' },
  ]
  return dice.pick(shapes)
}

/** A change to a library that harms none of those who are built with it. */
function harmlessInLibrary(dice: Chance, library: string): What {
  const path = `libs/${library}/src/${dice.pick(['options', 'format', 'parse'])}.ts`
  const [title, gone, come] = dice.pick([
    ['Types for the options', '  const given = options', '  const given: Options = options'],
    [
      'One default in one place',
      '  const size = given.size ?? 50',
      '  const size = given.size ?? DEFAULT_SIZE',
    ],
    ['Drop a branch for an old runtime', '  if (isOld) return legacy(given)', '  // One runtime is left.'],
  ] as const)
  return { title: `${library}: ${title}`, files: [path], diff: hunk(path, [gone], [come]) }
}

/** Everything that was changed, in the order in which it was recorded. */
export function changesAround(
  fault: ProductionFault,
  times: Times,
  dice: Chance,
  nameIn: (part: string) => string,
): Changed {
  const { start, changed_s, began_s, end_s } = times
  const changes: Change[] = []
  const shipments: Shipment[] = []
  const at = (seconds: number): number => start + seconds * 1_000
  const add = (kind: Change['kind'], recorded_at: number, more: Partial<Change>): string => {
    const id = hex(dice)
    changes.push({ source: 'changes', id, recorded_at, kind, actor: dice.pick(ACTORS), ...more })
    return id
  }
  const commit = (what: What, at_s: number, service?: string): string =>
    add('commit', at(at_s) - dice.whole(4, 50) * MINUTE_MS, {
      ...{ title: what.title, files: what.files },
      ...(what.diff === '' ? {} : { diff: what.diff }),
      ...(service === undefined ? {} : { entity: nameIn(service) }),
    })
  const another = (service: string): What =>
    dice.is(0.35) ? suspicious(dice, service) : innocent(dice, service)

  /** A change that takes effect without a rollout; of some nobody writes down when. */
  const apply = (record: CulpritRecord, at_s: number): string => {
    const effective = at(at_s)
    const isKnown = record.kind === 'flag' || dice.is(0.65)
    const { kind, title, files, diff, before, after, entity } = record
    return add(kind, effective - (record.applied_after_s ?? 0) * 1_000, {
      title,
      ...(isKnown
        ? { effective_at: { from: effective, to: effective + 60_000 }, certainty: 'recorded' as const }
        : {}),
      ...(files === undefined ? {} : { files }),
      ...(diff === undefined ? {} : { diff }),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(entity === undefined ? {} : { entity: nameIn(entity) }),
    })
  }

  const culprits = fault.culprits.map((record) =>
    record.kind === 'commit'
      ? commit(
          { title: record.title, files: record.files ?? [], diff: record.diff ?? '' },
          changed_s,
          record.entity,
        )
      : apply(record, changed_s + record.after_s),
  )
  for (const { part, after_s, share } of fault.shipped) {
    const at_s = changed_s + after_s
    const isAlone = fault.shipped.length === 1 && dice.is(0.6)
    const beside = isAlone ? [] : [commit(another(part), at_s, part)]
    shipments.push({ part, at_s, carries: [...beside, ...culprits], isRenewal: false, share: share ?? 1 })
  }
  for (const { part, after_s } of fault.renewed)
    shipments.push({ part, at_s: changed_s + after_s, carries: [], isRenewal: true })

  const services = fault.topology.parts.filter(({ kind }) => kind === 'service')
  // What is shared is built into whatever ships next, harmless or not.
  const shared = Array.from({ length: dice.whole(1, 3) }, () => {
    const at_s = dice.whole(600, began_s + 600)
    const library = dice.pick(['http-client', 'log-format', 'money'])
    return { at_s, id: commit(harmlessInLibrary(dice, library), at_s, dice.is(0.5) ? library : undefined) }
  })
  const carriedBy = (part: string, at_s: number): string[] => [
    commit(another(part), at_s, part),
    ...shared
      .filter((one) => at_s >= one.at_s && at_s < one.at_s + 1_500 && dice.is(0.6))
      .map(({ id }) => id),
  ]
  const reached = new Set([...fault.shipped, ...fault.renewed].map(({ part }) => part))
  const isTaken = (part: string, at_s: number): boolean =>
    fault.undisturbed?.includes(part) === true ||
    (reached.has(part) && at_s > changed_s - 300 && at_s < began_s + 150)
  for (let count = dice.whole(5, 10); count > 0; count -= 1) {
    const part = dice.pick(services).name
    const draw = dice.next()
    // Some ship just before the trouble, some into it: both look guilty to who only looks at the clock.
    const at_s =
      draw < 0.3
        ? dice.whole(began_s - 600, began_s - 20)
        : draw < 0.55
          ? dice.whole(began_s + 20, began_s + 900)
          : dice.whole(300, began_s - 600)
    if (!isTaken(part, at_s)) shipments.push({ part, at_s, carries: carriedBy(part, at_s), isRenewal: false })
  }
  const [root] = services
  if (root !== undefined && dice.is(0.3) && !isTaken(root.name, began_s + 500)) {
    const at_s = began_s + dice.whole(420, 900)
    const what = another(root.name)
    const back = commit({ ...what, title: `Revert "${what.title}"` }, at_s + 2_000, root.name)
    shipments.push({ part: root.name, at_s, carries: [back], isRenewal: false })
  }
  // Merged and not shipped yet, whatever their words promise.
  for (let count = dice.whole(1, 3); count > 0; count -= 1) {
    const { name } = dice.pick(services)
    commit(suspicious(dice, name), dice.whole(1_800, began_s + 600), name)
  }
  for (const record of withoutRollout(dice, services))
    apply(record, dice.whole(600, Math.min(end_s - 60, began_s + 700)))
  /** Applies a change, or ships it to its part. */
  const make = (record: CulpritRecord, at_s: number): void => {
    const { kind, entity: part, title, files, diff } = record
    if (kind !== 'commit') apply(record, at_s)
    else if (part !== undefined) {
      const id = commit({ title, files: files ?? [], diff: diff ?? '' }, at_s, part)
      shipments.push({ part, at_s, carries: [id], isRenewal: false })
    }
  }
  for (const record of fault.harmless ?? []) {
    const at_s = dice.whole(600, Math.min(end_s - 60, began_s + 700))
    const { kind, entity: part } = record
    if (kind !== 'commit' || part === undefined || !isTaken(part, at_s)) make(record, at_s)
  }
  for (const record of fault.elsewhere ?? []) make(record, began_s + record.after_s)

  const { rollouts, deploys } = shipped(shipments, dice)
  for (const { part, at_s, carries, before, after, every_s } of deploys)
    add('deploy', at(at_s), {
      ...{ entity: nameIn(part), before, after, carries },
      effective_at: { from: at(at_s), to: at(at_s + 3 * every_s) },
      certainty: dice.is(0.75) ? 'recorded' : 'inferred',
    })
  changes.sort((a, b) => a.recorded_at - b.recorded_at || (a.id < b.id ? -1 : 1))
  return { changes, rollouts, culprits }
}

/** Flags, settings and machines that somebody sees to at any time of the day. */
function withoutRollout(dice: Chance, services: readonly { readonly name: string }[]): CulpritRecord[] {
  const made: CulpritRecord[] = []
  const service = (): string => dice.pick(services).name
  for (let count = dice.whole(1, 4); count > 0; count -= 1) {
    const [before, after] = dice.pick([
      ['off', 'on'],
      ['0 %', '10 %'],
      ['10 %', '50 %'],
      ['50 %', '100 %'],
      ['on', 'off'],
    ] as const)
    const title = dice.pick(['dark-theme', 'new-footer', 'wide-cards', 'gift-notes', 'short-links'])
    made.push({
      ...{ kind: 'flag', title, after_s: 0, before, after },
      ...(dice.is(0.6) ? { entity: service() } : {}),
    })
  }
  for (let count = dice.whole(1, 3); count > 0; count -= 1) made.push(harmlessSetting(dice, services))
  for (let count = dice.whole(0, 2); count > 0; count -= 1) {
    const pool = `batch-${dice.whole(1, 4)}`
    made.push({
      ...{ kind: 'infra', after_s: 0 },
      ...(dice.is(0.6) ? { entity: pool } : {}),
      ...dice.pick([
        { title: `Node pool ${pool}: automatic upgrade`, before: '2026.02.1', after: '2026.02.2' },
        { title: `Node pool ${pool}: one more node` },
      ]),
    })
  }
  return made
}

/** A setting that somebody applies in the repository of settings, for one service or for many alike. */
function harmlessSetting(dice: Chance, services: readonly { readonly name: string }[]): CulpritRecord {
  const first = dice.pick(services).name
  const [title, file, gone, come] = dice.pick([
    ['Less to read in logs', 'app', '  logLevel: debug', '  logLevel: info'],
    ['Room for the busy season', 'app', '  maxReplicas: 8', '  maxReplicas: 12'],
    ['Longer answers for exports', 'app', '  exportTimeoutMs: 20000', '  exportTimeoutMs: 30000'],
    ['One shape for limits.yaml', 'limits', '  memoryMi: 900', '  memoryMi: 1024'],
    ['Tidy up prod overlays', 'ingress', '  idleSeconds: 600', '  idleSeconds: 900'],
  ] as const)
  const others = services.filter(({ name }) => name !== first && dice.is(0.4)).map(({ name }) => name)
  const files = [first, ...(file === 'app' ? [] : others)].sort().map((of) => `prod/${of}/${file}.yaml`)
  const hunkOf = (path: string): string =>
    [`--- a/${path}`, `+++ b/${path}`, '@@ -3,3 +3,3 @@', ` ${file}:`, `-${gone}`, `+${come}`].join('\n')
  const entity = dice.pick(file === 'app' ? ['fleet-config', first] : ['fleet-config', undefined])
  return {
    ...{ kind: 'config', title, after_s: 0, applied_after_s: dice.whole(100, 500), files },
    diff: files.map(hunkOf).join('\n'),
    ...(entity === undefined ? {} : { entity }),
  }
}

/** Shipments as rollouts, each with the next version of its part. */
function shipped(
  shipments: readonly Shipment[],
  dice: Chance,
): {
  rollouts: Rollout[]
  deploys: (Shipment & { readonly before: string; readonly after: string; readonly every_s: number })[]
} {
  const versions = new Map<string, string[]>()
  const rollouts: Rollout[] = []
  const deploys: (Shipment & { before: string; after: string; every_s: number })[] = []
  for (const shipment of shipments.toSorted((a, b) => a.at_s - b.at_s)) {
    const { part, at_s, isRenewal, share = 1 } = shipment
    const known = versions.get(part) ?? ['v1']
    const before = labelOf(known.at(-1) as string)
    const after = `v${known.filter((version) => !version.endsWith(RENEWED)).length + 1}`
    const version = isRenewal ? `${before}${RENEWED}` : after
    versions.set(part, [...known, version])
    const every_s = isRenewal ? dice.whole(80, 140) : dice.whole(30, 60)
    rollouts.push({ part, version, at_s, every_s, share })
    if (!isRenewal) deploys.push({ ...shipment, before, after, every_s })
  }
  return { rollouts, deploys }
}
