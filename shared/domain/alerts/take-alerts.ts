import type { AlertStore, Clock, NewId } from '../ports.ts'
import type { Alert } from './alert.ts'
import type { KnownAlert } from './alert-group.ts'
import {
  type AlertWindows,
  type FoldContext,
  foldAlerts,
  isFiring,
  type KeyedAlert,
  MOST_ALERTS,
  settleGroup,
  tellsNews,
} from './fold-alerts.ts'

export interface AlertActs {
  readonly alerts: AlertStore
  readonly clock: Clock
  readonly newId: NewId
  readonly windows: AlertWindows
  /** The same short text for the same text. */
  readonly digest: (text: string) => string
  /** Lets milliseconds pass. */
  readonly pause: (milliseconds: number) => Promise<unknown>
  readonly random: () => number
  /** When a tool last said which of its alerts fire (ms); undefined for one that nobody asks. */
  readonly askedAt: (integrationId: string) => Promise<number | undefined>
}

/** What settling groups needs beyond taking alerts in. */
export interface SettleActs extends AlertActs {
  /** Whether anything that tools sent was not taken in yet. */
  readonly waits: () => Promise<boolean>
}

/** Alerts of one message. */
export interface AlertMessage {
  readonly id: string
  readonly alerts: readonly Alert[]
}

/** Groups worked at once. */
const GROUPS_AT_ONCE = 4
/** Workers that meet on a group read again this often before the messages go back to the queue. */
const MOST_TRIES = 8
/** Longest first pause after such a meeting, doubled each time up to the longest of all; each is any part of it. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 3_200

/** The longest that one portion takes, with every pause: no portion is begun when less is left (ms). */
export const PORTION_MS = 15_000

interface Work extends KeyedAlert {
  readonly message: string
}

const grouped = <Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> => {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    const present = groups.get(key)
    if (present === undefined) groups.set(key, [value])
    else present.push(value)
  }
  return groups
}

/** Portions of work with at most so many different alerts; messages about one alert stay together. */
function portions(work: readonly Work[]): readonly (readonly Work[])[] {
  const byAlert = [...grouped(work, ({ key }) => key).values()]
  const cut: Work[][] = []
  for (let start = 0; start < byAlert.length; start += MOST_ALERTS)
    cut.push(byAlert.slice(start, start + MOST_ALERTS).flat())
  return cut
}

const contextOf = ({ clock, windows, newId }: AlertActs): FoldContext => ({ now: clock(), windows, newId })

/** One that fires stays in its group until it is over, whatever its labels say meanwhile. */
const groupFor = (acts: AlertActs, { key, alert }: Work, known: ReadonlyMap<string, KnownAlert>): string => {
  const present = known.get(key)
  return present !== undefined && isFiring(present) ? present.group : acts.digest(alert.group)
}

/** Takes one portion into its group. @returns what belongs to another group by now */
async function takePortion(acts: AlertActs, group: string, work: readonly Work[]): Promise<readonly Work[]> {
  const keys = [...new Set(work.map(({ key }) => key))]
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const [known, state] = await Promise.all([acts.alerts.known(keys), acts.alerts.state(group)])
    const own = work.filter((each) => groupFor(acts, each, known) === group)
    const fold = foldAlerts(state, own, known, contextOf(acts))
    if (fold === null || (await acts.alerts.write(fold))) return work.filter((each) => !own.includes(each))
    await acts.pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * acts.random())
  }
  throw new Error('others keep writing the same group of alerts')
}

/**
 * Takes a batch of messages in: everything of one group in one transaction, or as few as it fits into. Taking the same
 * messages again changes nothing.
 * @param report told of what made a portion fail
 * @param remaining how long the worker may still run (ms): what no longer fits is left to the next one
 * @returns ids of the messages that were not taken whole; to take them again does no harm
 */
export async function takeAlerts(
  acts: AlertActs,
  messages: readonly AlertMessage[],
  report: (error: unknown) => void,
  remaining: () => number,
): Promise<ReadonlySet<string>> {
  const failed = new Set<string>()
  let work: readonly Work[] = messages.flatMap(({ id, alerts }) =>
    alerts.map((alert) => ({
      message: id,
      key: acts.digest(JSON.stringify([alert.integration_id, alert.fingerprint])),
      alert,
    })),
  )
  for (let rounds = 0; work.length > 0 && rounds < MOST_TRIES; rounds += 1) {
    const known = await acts.alerts.known([...new Set(work.map(({ key }) => key))])
    const groups = [...grouped(work, (each) => groupFor(acts, each, known))].filter(([, each]) =>
      tellsNews(each, known, contextOf(acts)),
    )
    const moved: Work[] = []
    const workGroup = async ([group, each]: readonly [string, readonly Work[]]): Promise<void> => {
      for (const portion of portions(each)) {
        try {
          if (remaining() < PORTION_MS) throw new Error('too little time is left')
          moved.push(...(await takePortion(acts, group, portion)))
        } catch (error) {
          report(error)
          for (const { message } of portion) failed.add(message)
        }
      }
    }
    for (let start = 0; start < groups.length; start += GROUPS_AT_ONCE)
      await Promise.all(groups.slice(start, start + GROUPS_AT_ONCE).map(workGroup))
    work = moved
  }
  for (const { message } of work) failed.add(message)
  return failed
}

/** Groups that one run of the sweeper works; the next run takes the rest. */
export const SETTLE_LIMIT = 200
/**
 * No group is begun after this much of a run (ms): a sweeper that was ended by its own time would count as one that fails. A
 * function has 50 s, and the steps of a group of thousands of alerts take some.
 */
export const SETTLE_MS = 30_000
/**
 * Steps of a group in one run: its alerts end for silence, some hundreds of them, then its incident is resolved. Each
 * step reads all of them again; the next run goes on with a group that needs more.
 */
const MOST_STEPS = 8

/**
 * Does what is due of groups: silence ends alerts, and an incident whose alerts are all over is resolved. What somebody
 * else is writing at the moment waits for the next run.
 * @param report told of what made a group fail
 * @returns how many steps were written
 */
export async function settleAlerts(
  acts: SettleActs,
  limit: number,
  report: (error: unknown) => void,
): Promise<number> {
  let settled = 0
  const until = acts.clock() + SETTLE_MS
  // Asked once in a run, and only where an incident would be resolved.
  let waiting: Promise<boolean> | undefined
  const waits = (): Promise<boolean> => {
    waiting ??= acts.waits().catch((error: unknown) => {
      report(error)
      return true
    })
    return waiting
  }
  for (const key of await acts.alerts.due(acts.clock(), limit)) {
    if (acts.clock() >= until) break
    // One group that cannot be worked keeps no other waiting.
    settled += await settle({ ...acts, waits }, key).catch((error: unknown) => {
      report(error)
      return 0
    })
  }
  return settled
}

/** When the tools of alerts that fire were asked, those that are. */
async function askedOf(
  { askedAt }: AlertActs,
  members: readonly KnownAlert[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Set(members.filter(isFiring).flatMap(({ integration_id }) => integration_id ?? []))
  const found = await Promise.all([...ids].map(async (id) => [id, await askedAt(id)] as const))
  return new Map(found.filter((entry): entry is [string, number] => entry[1] !== undefined))
}

/** Does what is due of one group. @returns how many steps were written */
async function settle(acts: SettleActs, key: string): Promise<number> {
  for (let steps = 0; ; steps += 1) {
    const state = await acts.alerts.state(key)
    const { group } = state
    if (group === undefined || steps >= MOST_STEPS) return steps
    const silent = group.stale_at !== null && group.stale_at <= acts.clock()
    const members = silent
      ? [...(await acts.alerts.known(await acts.alerts.members(group.incident_id))).values()]
      : []
    const asked = await askedOf(acts, members)
    const quiet = !silent && group.quiet_until !== null && group.quiet_until <= acts.clock()
    const waits = quiet && (await acts.waits())
    const fold = settleGroup({ ...state, group }, members, contextOf(acts), { asked, waits })
    if (fold === null || !(await acts.alerts.write(fold))) return steps
  }
}
