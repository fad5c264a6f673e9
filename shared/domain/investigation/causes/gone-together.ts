/**
 * Machines that are gone at the same instant, with all that ran on them and nowhere else, while others go on: one event of
 * whoever has them.
 *
 * Method: who is gone is held against who is not (Mill's joint method of agreement and difference, A System of Logic, 1843,
 * book III, chapter 8). Several parts that are reached no more tell nothing of what lies between, as each may have its own
 * reason; where all of them ran on machines of their own, which tell nothing of themselves since the same instant, and machines
 * on which the others run go on, these machines are what they have in common. Machines of their own end one by one, those of an
 * account end with it: that of all which an account had in use nothing is left, or that its host says so (also minutes later, as
 * hosts do), names the account. Where neither is told, the machines are.
 */
import { CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { hasShiftedInTime, holdsOn, type Line, type Scene } from '../place/told-lines.ts'
import { machinesOf } from '../records/hosting.ts'
import type { Series } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { wentDown } from './down-part.ts'
import { chanceOf, MOST_JOINED, type OperationalCause, shown, sign, strongest } from './operational-cause.ts'
import { isOfSuspension } from './system-answers.ts'

/** Parts that must be gone together: one alone has a reason of its own. */
const LEAST_PARTS = 2
/** Measures of a machine that must end together: one alone is an exporter that ended. */
const LEAST_ENDED = 2
/** How far apart the last samples of what ends together may lie, ms: two samples of a minute. */
const TOGETHER_MS = 2 * 60_000
/** What each sign is worth: who is gone, and what is told of the account that they belong to. */
const WORTH = { part: 0.35, level: 0.45, word: 0.45 } as const
const MOST_WORDS = 2

/**
 * A count of the machines that an account has in use, as clouds and their exporters call it.
 * @see https://github.com/openstack-exporter/openstack-exporter (openstack_nova_limits_instances_used)
 * @see https://cloud.google.com/compute/resource-usage (compute.googleapis.com/instances usage)
 */
const IN_USE =
  /(?:^|_)(?:instances|servers|machines|vms|droplets)_(?:used|in_use|usage|running|active)(?:_|$)|(?:^|_)(?:used|running|active)_(?:instances|servers|machines|vms|droplets)(?:_|$)/i
/** Share of what was in use below which nothing is left. */
const NOTHING_LEFT = 0.05

/** Several parts and their machines that went at the onset and stay away, and who has them, if that is told. */
export function goneTogether(scene: Scene): OperationalCause | null {
  const { onset } = scene
  const gone = wentDown(scene)
  if (onset === null || gone.size < LEAST_PARTS || !isHarmed(scene, gone)) return null
  const machines = machinesGone(scene, onset, gone)
  const account = accountOf(scene, onset, new Set([...gone.keys(), ...machines]))
  // Where nobody says what ran where, what is left of the account and the host's word have to agree.
  if (machines.length === 0 && !(account.levels.length > 0 && account.words.length > 0)) return null
  const signs = strongest([
    ...[...gone.values()].flatMap(([shift]) => shown(shift, WORTH.part)),
    ...account.levels.slice(0, 1).flatMap((shift) => shown(shift, WORTH.level)),
    ...account.words.slice(0, MOST_WORDS).map((line) => sign(line, WORTH.word)),
  ])
  const isSaid = account.words.length > 0
  return {
    ...(account.entity === null
      ? {
          kind: 'node',
          entity: machines[0] ?? null,
          what: 'machines that are gone at once, with all that ran on them',
        }
      : {
          kind: 'provider',
          entity: account.entity,
          what: 'an account of which all that ran there is gone at once',
        }),
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    signs,
    action: 'failover',
    yields_to_changes: !isSaid,
    falls_on: [...gone.keys()],
    // Why they are gone is not known where nobody says it.
    ...(isSaid ? {} : { at_most: CONFIDENCE_CAP_UNMAPPED }),
  }
}

/** What is told of who has what is gone: of one account, if levels and words agree on one. */
interface Account {
  readonly entity: string | null
  readonly levels: readonly SeriesShift[]
  readonly words: readonly Line[]
}

/** The account that is told of: by what it had in use, else by what is said of it. */
function accountOf(scene: Scene, onset: number, gone: ReadonlySet<string>): Account {
  const levels = levelsLeft(scene, gone)
  const words = scene.lines.filter((line) => isWordOf(line, onset) && ownerIn(scene, line) !== null)
  const [entity, ...others] = new Set([
    ...levels.map(({ series }) => series.entity),
    ...words.map((line) => ownerIn(scene, line)),
  ])
  // Of several accounts none is the one.
  return entity == null || others.length > 0
    ? { entity: null, levels: [], words: [] }
    : { entity, levels, words }
}

/** The machines of what is gone, in order: all of them tell nothing any more, while a machine of others does. */
function machinesGone(
  { snapshot, names }: Scene,
  onset: number,
  gone: ReadonlyMap<string, unknown>,
): readonly string[] {
  const runsOn = machinesOf(snapshot, names)
  const there = new Set([...gone.keys()].flatMap((part) => [...(runsOn.get(part) ?? [])]))
  const isKnown = [...gone.keys()].every((part) => (runsOn.get(part)?.size ?? 0) > 0)
  const others = [...runsOn]
    .flatMap(([part, on]) => (gone.has(part) ? [] : [...on]))
    .filter((one) => !there.has(one))
  const own = Map.groupBy(snapshot.series, ({ entity }) => entity)
  const hasEnded = (machine: string): boolean => isSilentSince(own.get(machine) ?? [], onset)
  return isKnown && [...there].every(hasEnded) && others.some((machine) => !hasEnded(machine))
    ? [...there].sort()
    : []
}

/** Whether several measures of a machine end together near an instant; what others measure of it may go on. */
function isSilentSince(own: readonly Series[], onset: number): boolean {
  const ended = own.filter(({ times, values }) => {
    const last = values.findLastIndex(Number.isFinite)
    return last >= 0 && Math.abs((times[last] as number) - onset) <= TOGETHER_MS
  })
  return new Set(ended.map(({ name }) => name)).size >= LEAST_ENDED
}

/** Whether who fails first is one of them, or calls one. */
const isHarmed = ({ observed: { first, graph } }: Scene, gone: ReadonlyMap<string, unknown>): boolean =>
  first !== null &&
  (gone.has(first.entity) || [...graph.reachableFrom(first.entity)].some((behind) => gone.has(behind)))

/** Counts of what something has in use that fell to nothing with them, but for those of the gone themselves. */
const levelsLeft = (scene: Scene, gone: ReadonlySet<string>): readonly SeriesShift[] =>
  scene.observed.shifts.filter(
    (shift) =>
      IN_USE.test(shift.series.name) &&
      !gone.has(shift.series.entity) &&
      !scene.observed.flows.has(shift.series.entity) &&
      shift.direction === 'down' &&
      shift.during <= NOTHING_LEFT * shift.before &&
      hasShiftedInTime(scene, shift) &&
      holdsOn(scene.observed, shift),
  )

/** What is said of a suspended account from then on; an alert only repeats it. */
const isWordOf = ({ text, at, origin }: Line, onset: number): boolean =>
  origin !== 'alert' && (at === null || at >= onset - TOGETHER_MS) && isOfSuspension(text)

/** Whom such a word is about: whom it names beside who says it, or of whom a platform records it. */
function ownerIn({ names }: Scene, { text, entity, origin }: Line): string | null {
  const [named, ...others] = names.mentionedIn(text).filter((name) => name !== entity)
  return origin === 'event' ? entity : others.length === 0 ? (named ?? null) : null
}
