/**
 * What an orchestrator records of the very workload that fails: killed for its memory, no room for it, a volume that does
 * not come, an image that cannot be had. It names place and reason at once, so it needs no second witness; that it is said
 * again and again from the onset on, by the platform and not in passing, is asked for.
 *
 * The page on which Kubernetes documents each reason stands in `row-pages.ts`.
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { CauseKind, RemediationAction } from '../findings.ts'
import { BEFORE_MS, hasShiftedInTime, type Line, NEAR_MS, outlasts, type Scene } from '../place/told-lines.ts'
import { isOfWorkload } from '../records/hosting.ts'
import { round6 } from '../statistics.ts'
import { type OperationalCause, shown, sign } from './operational-cause.ts'

export interface PlatformReason {
  readonly id: string
  readonly pattern: RegExp
  readonly kind: CauseKind
  readonly what: string
  readonly action: RemediationAction
}

export const PLATFORM_REASONS: readonly PlatformReason[] = [
  {
    id: 'memory',
    pattern: /oom-?kill|out of memory|exit code:? 137/i,
    kind: 'capacity',
    what: 'a memory that is used up',
    action: 'scale',
  },
  {
    id: 'no-room',
    pattern:
      /failedscheduling|unschedulable|insufficient (cpu|memory|pods|ephemeral-storage)|exceeded quota|\bpreempt(ed|ing)\b|outof(cpu|memory|pods)\b/i,
    kind: 'capacity',
    what: 'a cluster without room for what should run',
    action: 'scale',
  },
  {
    id: 'volume',
    pattern:
      /failedmount|failedattachvolume|failedmapvolume|multi-attach error|provisioningfailed|volumeresizefailed/i,
    kind: 'infra',
    what: 'a volume that cannot be attached',
    action: 'escalate',
  },
  {
    id: 'image',
    pattern: /errimagepull|imagepullbackoff|failed to pull image|errimageneverpull|inspectfailed/i,
    kind: 'infra',
    what: 'an image that cannot be had',
    action: 'escalate',
  },
  {
    id: 'sandbox',
    pattern: /failedcreatepodsandbox|failed to (assign|allocate) an? ip|networknotready/i,
    kind: 'infra',
    what: 'a network that has no place for new instances',
    action: 'escalate',
  },
  {
    id: 'settings',
    pattern: /createcontainerconfigerror|(secret|configmap) "?[\w.-]+"? not found/i,
    kind: 'config',
    what: 'settings that are missing',
    action: 'revert_config',
  },
  {
    id: 'machine',
    pattern:
      /\bevicted\b(?!.{0,120}\bexceeds the )|low on resource|\bnodenotready\b|\bnodelost\b|node is not ready|\bnodeshutdown\b/i,
    kind: 'node',
    what: 'a machine that cannot keep what runs there',
    action: 'reschedule',
  },
  {
    id: 'webhook',
    pattern: /failed calling webhook/i,
    kind: 'infra',
    what: 'a cluster that lets nothing new in',
    action: 'escalate',
  },
]

/** Whether a record says that the platform killed something for its memory. */
export const isKilledForMemory = (text: string): boolean =>
  PLATFORM_REASONS.some(({ id, pattern }) => id === 'memory' && pattern.test(text))

/** Records of one reason that are no chance one: a platform tries again by itself. */
const LEAST_RECORDS = 2
/** What the record of the failing workload is worth: as much as a provider's status entry. */
const RECORDED = 0.6
/** Where the platform records as much of several of those that fail. */
const OF_SEVERAL = 0.75

/** The reasons that the platform records of what fails first, each once. */
export function platformRecords(scene: Scene): readonly OperationalCause[] {
  const place = scene.observed.first?.entity ?? null
  if (place === null || scene.onset === null) return []
  const failing = new Set(scene.observed.failing.map(({ entity }) => entity))
  const inTime = scene.lines.filter(
    (line) => line.origin === 'kubernetes' && isRecent(line, scene.onset as number),
  )
  return PLATFORM_REASONS.flatMap((reason): readonly OperationalCause[] => {
    const told = inTime.filter(({ text }) => reason.pattern.test(text))
    const own = told.filter(
      (line) =>
        workloadOf(line, failing) === place && isOfWorkload(line.entity, place, scene.snapshot.entities),
    )
    if (own.reduce((sum, { count }) => sum + count, 0) < LEAST_RECORDS) return []
    // That there is no room is half of an answer, that machines went and stay away is why.
    const lost = reason.id === 'no-room' ? scene.observed.shifts.filter(isOfLost(scene)).slice(0, 1) : []
    const others = new Set(told.map((line) => workloadOf(line, failing)).filter((name) => name !== null))
    return [
      {
        ...{ kind: reason.kind, entity: place, what: reason.what, action: reason.action },
        score: round6(others.size > 1 ? OF_SEVERAL : RECORDED),
        signs: [
          ...own.slice(0, 3).map((line) => sign(line, RECORDED)),
          ...lost.flatMap((shift) => shown(shift, RECORDED)),
        ],
        yields_to_changes: true,
        ...(lost.length > 0 ? { is_whole: true } : {}),
      },
    ]
  })
}

/** Counts of machines that are there, as those who manage pools of them write it. */
const MACHINES = /(?:^|_)nodes?_(?:ready|available|running|count)$|(?:^|_)(?:ready|available|running)_nodes$/i
const isOfLost =
  (scene: Scene) =>
  (shift: SeriesShift): boolean =>
    MACHINES.test(shift.series.name) &&
    shift.direction === 'down' &&
    hasShiftedInTime(scene, shift) &&
    outlasts(scene.observed, shift)

/** Counts of instances that wait for a place to run. */
const WAITING = /(?:^|_)(?:pending|unschedulable)(?:_|$)/i
/** What it is worth that somebody else's instances wait since before and still do: who needs what they make is on no call. */
const WAITS = 0.3

/**
 * A workload apart from the calls whose instances found no room before users were hurt and wait still, as was measured and is
 * recorded again and again: a job that did not run fails those who need what it makes.
 */
export function waitingWorkload({ snapshot, observed, lines, onset }: Scene): OperationalCause | null {
  const room = PLATFORM_REASONS.find(({ id }) => id === 'no-room')
  if (onset === null || room === undefined) return null
  const found = observed.shifts.flatMap((shift): readonly OperationalCause[] => {
    const { entity, name } = shift.series
    if (!WAITING.test(name) || shift.direction !== 'up' || shift.ended_at !== null) return []
    if (shift.onset.at > onset || observed.flows.has(entity) || observed.graph.callees.has(entity)) return []
    const told = lines.filter(
      (line) =>
        line.origin === 'kubernetes' &&
        room.pattern.test(line.text) &&
        isOfWorkload(line.entity, entity, snapshot.entities),
    )
    if (told.reduce((sum, { count }) => sum + count, 0) < LEAST_RECORDS) return []
    return [
      {
        ...{ kind: room.kind, entity, what: room.what, action: room.action },
        score: RECORDED,
        signs: [...shown(shift, WAITS), ...told.slice(0, 2).map((line) => sign(line, WAITS))],
        yields_to_changes: true,
        at_most: CONFIDENCE_CAP_UNLINKED,
      },
    ]
  })
  const [only, another] = found
  return only === undefined || another !== undefined ? null : only
}

const isRecent = ({ at }: Line, onset: number): boolean =>
  at !== null && at >= onset - BEFORE_MS && at <= onset + 2 * NEAR_MS

/** A pod carries its workload's name before the parts that Kubernetes adds. */
function workloadOf({ entity }: Line, known: ReadonlySet<string>): string | null {
  if (entity === null || known.has(entity)) return entity
  return (
    [...known].filter((name) => entity.startsWith(`${name}-`)).sort((a, b) => b.length - a.length)[0] ?? null
  )
}
