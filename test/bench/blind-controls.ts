import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

/**
 * Answers that look at next to nothing. What they score is how much of a benchmark can be had without understanding it,
 * so every score stands beside theirs.
 */

/** Names a commit's sha or `none`. */
export type CommitControl = (snapshot: Snapshot) => string
/** Names the service that failed first. */
export type ServiceControl = (snapshot: Snapshot) => string

const commitsOf = (snapshot: Snapshot): readonly Change[] =>
  snapshot.changes.filter((change) => change.kind === 'commit')
const deploysOf = (snapshot: Snapshot): readonly Change[] =>
  snapshot.changes.filter((change) => change.kind === 'deploy')

/** The commit with the highest score above zero; the earlier one wins a tie. */
function best(snapshot: Snapshot, score: (commit: Change) => number): string {
  let top = 0
  let named = 'none'
  for (const commit of commitsOf(snapshot)) {
    const scored = score(commit)
    if (scored > top) {
      top = scored
      named = commit.id
    }
  }
  return named
}

function latestDeploy(deploys: readonly Change[]): string {
  let latest: Change | undefined
  for (const deploy of deploys)
    if (latest === undefined || deploy.recorded_at >= latest.recorded_at) latest = deploy
  return latest?.carries?.at(-1) ?? 'none'
}

/** What the deploy that was recorded last carries. */
export function latestDeployOf(snapshot: Snapshot): readonly string[] {
  const latest = deploysOf(snapshot).reduce<Change | undefined>(
    (best, each) => (best === undefined || each.recorded_at > best.recorded_at ? each : best),
    undefined,
  )
  return latest?.carries ?? []
}

/** The change that was recorded last before the alert, and what it carries: an answer that looks at no telemetry. */
export function latestRecordedChange({ alerts, changes }: Snapshot): readonly string[] {
  const fired_at = alerts[0]?.fired_at ?? Number.POSITIVE_INFINITY
  const latest = changes
    .filter(({ recorded_at }) => recorded_at < fired_at)
    .reduce<Change | undefined>(
      (best, each) => (best === undefined || each.recorded_at > best.recorded_at ? each : best),
      undefined,
    )
  return latest === undefined ? [] : [latest.id, ...(latest.carries ?? [])]
}

function netRemoval(diff: string): number {
  const lines = diff.split('\n')
  const starting = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length
  return starting('-') - starting('+')
}

const words = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[a-z][a-z0-9]{3,}/g) ?? [])

const alertText = (snapshot: Snapshot): string =>
  snapshot.alerts
    .flatMap(({ name, service, metric, summary, detail }) => [name, service, metric, summary, detail])
    .join(' ')

/** The entity whose series strays farthest, in standard deviations of its first half. */
export const farthestEntity = (snapshot: Snapshot): string => farthestEntities(snapshot)[0] ?? 'none'

/**
 * Entities by how far their series stray, farthest first: in standard deviations of the declared baselines, or of the
 * first half where there are none.
 */
export function farthestEntities(snapshot: Snapshot): readonly string[] {
  const reach = new Map<string, number>()
  const isCalm = (at: number): boolean => snapshot.baselines.some(({ from, to }) => at >= from && at < to)
  const isDuring = (at: number): boolean => at >= snapshot.window.from && at < snapshot.window.to
  for (const series of snapshot.series) {
    let farthest = 0
    const at = (index: number): number => series.times[index] as number
    const declared = snapshot.baselines.length > 0
    const all = series.values.filter((value) => !Number.isNaN(value))
    const half = Math.floor(all.length / 2)
    const calm = declared
      ? series.values.filter((value, index) => !Number.isNaN(value) && isCalm(at(index)))
      : all.subarray(0, half)
    const later = declared
      ? series.values.filter((value, index) => !Number.isNaN(value) && isDuring(at(index)))
      : all.subarray(half)
    if (calm.length < 2) continue
    const mean = calm.reduce((sum, value) => sum + value, 0) / calm.length
    const deviation = Math.sqrt(calm.reduce((sum, value) => sum + (value - mean) ** 2, 0) / calm.length)
    // A constant series would stray infinitely far at its first step: one part in a thousand is the least scale.
    const scale = Math.max(deviation, Math.abs(mean) / 1000, 1e-9)
    for (const value of later) {
      const z = Math.abs(value - mean) / scale
      farthest = Math.max(farthest, z)
    }
    reach.set(series.entity, Math.max(reach.get(series.entity) ?? 0, farthest))
  }
  return [...reach]
    .filter(([, z]) => z > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([entity]) => entity)
}

export const COMMIT_CONTROLS: Readonly<Record<string, CommitControl>> = {
  'always none': () => 'none',
  'latest deploy': (snapshot) => latestDeploy(deploysOf(snapshot)),
  'largest net removal': (snapshot) => best(snapshot, ({ diff }) => netRemoval(diff ?? '')),
  'longest diff': (snapshot) => best(snapshot, ({ diff }) => (diff ?? '').length),
  'word overlap with the alert': (snapshot) => {
    const alert = words(alertText(snapshot))
    return best(
      snapshot,
      ({ title, files, diff }) =>
        [...words([title, ...(files ?? []), diff].join(' '))].filter((word) => alert.has(word)).length,
    )
  },
  'latest deploy of the alerted service': (snapshot) =>
    latestDeploy(deploysOf(snapshot).filter((deploy) => deploy.entity === snapshot.alerts[0]?.service)),
  'latest deploy of the max-|z| entity': (snapshot) => {
    const entity = farthestEntity(snapshot)
    return latestDeploy(deploysOf(snapshot).filter((deploy) => deploy.entity === entity))
  },
}

export const SERVICE_CONTROLS: Readonly<Record<string, ServiceControl>> = {
  'copy of the alerted service': (snapshot) => snapshot.alerts[0]?.service ?? 'none',
  'max-|z| entity': farthestEntity,
}

/** How often the one answer that fits most cases is right: the best that a constant answer can do. */
export function bestConstant(truths: readonly string[]): { readonly answer: string; readonly right: number } {
  const counts = new Map<string, number>()
  for (const truth of truths) counts.set(truth, (counts.get(truth) ?? 0) + 1)
  const [answer, right] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? ['none', 0]
  return { answer, right }
}
