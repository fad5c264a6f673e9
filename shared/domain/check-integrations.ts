import { conflict, notFound, Refusal } from './errors.ts'
import { readInstant, writeInstant } from './instant.ts'
import {
  CHECK_MS,
  type Checkable,
  type CheckResult,
  firstConnected,
  type Integration,
  type Unasked,
} from './integration.ts'
import type { Clock, IntegrationStore, Tools } from './ports.ts'
import { overtaken } from './precondition.ts'

export interface CheckActs {
  readonly integrations: Pick<IntegrationStore, 'openForCheck' | 'recordCheck'>
  readonly tools: Tools
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly abortAfter: (milliseconds: number) => AbortSignal
  /** Puts what a tool says that fires where its messages wait; it only confirms what is known. */
  readonly confirm: (integrationId: string, body: object, at: number) => Promise<unknown>
  /** Puts what a tool would have sent where its messages wait, to count like them. */
  readonly makeUp: (integrationId: string, body: object, at: number) => Promise<unknown>
}

const MINUTE_MS = 60_000
/** An integration is checked again after a quarter of an hour, give or take, so that a tool is not met by all at once. */
const LEAST_MS = 12.5 * MINUTE_MS
const JITTER_MS = 5 * MINUTE_MS
/** Checks under way at once. */
const AT_ONCE = 20
/** A tool that was not asked for longer than this, two checks, may have had alerts of which nobody heard. */
const MOST_UNASKED_MS = 40 * MINUTE_MS
/** So long that is told. */
const TOLD_MS = 24 * 60 * MINUTE_MS
/** A history is read from so long before the last time it was read: what was on its way then is met again. */
const OVERLAP_MS = 5 * MINUTE_MS
/** Further back no history is read: an alert that old is no news. */
const LONGEST_HISTORY_MS = 24 * 60 * MINUTE_MS
/** So many failures in a row make an error: one alone is a restart, or a hiccup of the network. */
export const FAILURES_TO_ERROR = 3

/** What a check said, as a result: a refusal of the credentials is an error of its own. */
async function look(
  { tools, abortAfter }: Pick<CheckActs, 'tools' | 'abortAfter'>,
  { integration, config }: Pick<Checkable, 'integration' | 'config'>,
): Promise<CheckResult> {
  const failed = (detail: string): CheckResult => ({ status: 'error', detail })
  const tool = tools(integration.type)
  if (tool === undefined) return failed('this kind of tool is not known to the service')
  if (config === null) return failed('its settings could not be opened')
  try {
    return await tool.check(config, abortAfter(CHECK_MS))
  } catch (error) {
    // Only a refusal is meant to be read; the text of anything else may quote settings.
    return failed(error instanceof Refusal ? error.message : 'the check failed')
  }
}

/**
 * Asks a tool which of its alerts fire, and has that taken in. Long silence may mean that they are over, or that they
 * cannot be told: only asking tells the one from the other.
 * @returns when it said so (ms); undefined where it does not say
 */
async function askFiring(
  acts: CheckActs,
  { integration, config }: Checkable,
  { status }: CheckResult,
): Promise<number | undefined> {
  const tool = acts.tools(integration.type)
  if (tool?.firing === undefined || config === null || status === 'error') return undefined
  const at = acts.clock()
  const body = await tool.firing(config, acts.abortAfter(CHECK_MS)).catch(() => null)
  if (body === null) return undefined
  await acts.confirm(integration.id, body, at)
  return at
}

/**
 * Asks a tool that keeps a history what it sent since it was last asked, and has that taken in like its messages: what
 * was taken in before changes nothing.
 * @returns when it said so (ms); undefined where it does not say
 */
async function askHistory(
  acts: CheckActs,
  { integration, config, asked_at }: Checkable,
  { status }: CheckResult,
): Promise<number | undefined> {
  const tool = acts.tools(integration.type)
  if (tool?.history === undefined || config === null || status === 'error') return undefined
  const at = acts.clock()
  const connected = integration.connected_at === null ? null : readInstant(integration.connected_at)
  const since = asked_at === null ? (connected ?? at) : asked_at - OVERLAP_MS
  const earliest = at - LONGEST_HISTORY_MS
  const signal = acts.abortAfter(CHECK_MS)
  const sent = await tool.history(config, Math.max(since, earliest), signal).catch(() => null)
  if (sent === null) return undefined
  for (const body of sent) await acts.makeUp(integration.id, body, at)
  return at
}

/** When a tool said what it knows (ms), and whether that was what fires; nothing where it did not, or nobody took it. */
interface Heard {
  readonly fired_at?: number | undefined
  readonly asked_at?: number | undefined
}

async function hear(acts: CheckActs, one: Checkable, result: CheckResult): Promise<Heard> {
  const fired_at = await askFiring(acts, one, result)
  return { fired_at, asked_at: fired_at ?? (await askHistory(acts, one, result)) }
}

/** Checks one integration, and writes down how it fares also where what it says could not be handed on. */
async function checkOne(acts: CheckActs, one: Checkable, report: (error: unknown) => void): Promise<void> {
  const result = await look(acts, one)
  const { fired_at, asked_at } = await hear(acts, one, result).catch((error: unknown): Heard => {
    report(error)
    return {}
  })
  const at = acts.clock()
  const unasked = unaskedOf(one, fired_at, at)
  const { after, failures } = afterCheck(one.integration, one.failures, telling(result, unasked), at)
  const health = { checked_at: at, failures, unasked, ...(asked_at === undefined ? {} : { asked_at }) }
  // Somebody changed it meanwhile: then it was checked by that.
  await acts.integrations.recordCheck(one.integration, after, health)
}

/** The time in which a tool could not be asked, while that is told: of one that keeps no history, it is lost. */
function unaskedOf(
  { asked_at: before, unasked }: Checkable,
  asked: number | undefined,
  now: number,
): Unasked | null {
  if (before !== null && asked !== undefined && asked - before > MOST_UNASKED_MS)
    return { from: before, until: asked }
  return stillTold(unasked, now)
}

const stillTold = (unasked: Unasked | null, now: number): Unasked | null =>
  unasked !== null && now - unasked.until < TOLD_MS ? unasked : null

/** The result of a check that also tells what nobody knows. */
function telling(result: CheckResult, unasked: Unasked | null): CheckResult {
  if (unasked === null || result.status === 'error') return result
  const [from, until] = [writeInstant(unasked.from), writeInstant(unasked.until)]
  const lost = `it could not be asked from ${from} to ${until}: alerts that fired and ended in between are not known`
  return { ...result, detail: result.detail === null ? lost : `${result.detail}; ${lost}` }
}

/**
 * What becomes of an integration by a check: back on the first success, an error after three failures in a row. What
 * people see changes only with its status, or with what is missing.
 */
export function afterCheck(
  integration: Integration,
  failuresBefore: number,
  { status, detail }: CheckResult,
  now: number,
): { readonly after: Integration; readonly failures: number } {
  const failures = status === 'error' ? failuresBefore + 1 : 0
  const waits = status === 'error' && (failures < FAILURES_TO_ERROR || integration.status === 'error')
  return { failures, after: waits ? integration : seenAs(integration, { status, detail }, now) }
}

/** The integration as a check found it; the same where nothing is new. */
function seenAs(integration: Integration, { status, detail }: CheckResult, now: number): Integration {
  if (integration.status === status && integration.status_detail === detail) return integration
  const at = writeInstant(now)
  return {
    ...integration,
    status,
    status_detail: detail,
    updated_at: at,
    connected_at: firstConnected(integration.connected_at, status, at),
    version: integration.version + 1,
  }
}

export interface CheckNowActs extends Pick<CheckActs, 'tools' | 'clock' | 'abortAfter'> {
  readonly integrations: Pick<IntegrationStore, 'open' | 'get' | 'recordCheck'>
}

/**
 * Checks one integration because somebody asks. One failure is told at once: who asks sees more than a restart, and the
 * schedule finds it well again by its next check.
 * @throws Refusal `not_found`, or `conflict` while it is disabled or when somebody else changed it meanwhile
 */
export async function checkIntegration(acts: CheckNowActs, id: string): Promise<Integration> {
  const opened = await acts.integrations.open(id)
  if (opened === undefined) throw notFound(`Integration ${id}`)
  const { integration } = opened
  if (integration.status === 'disabled') throw conflict('This integration is disabled; enable it first.')
  const result = await look(acts, opened)
  const at = acts.clock()
  const after = seenAs(integration, telling(result, stillTold(opened.unasked, at)), at)
  const failures = result.status === 'error' ? FAILURES_TO_ERROR : 0
  if (await acts.integrations.recordCheck(integration, after, { checked_at: at, failures })) return after
  // Our own write, repeated because its answer got lost, finds what it wrote; or another check found the same.
  const present = await acts.integrations.get(id)
  if (present?.status === after.status && present.status_detail === after.status_detail) return present
  throw overtaken(undefined, 'integration')
}

/**
 * Checks every enabled integration whose time has come, each on its own: one that hangs or cannot be written down does
 * not keep the others.
 * @returns how many were checked
 * @throws AggregateError when some could not be written down or handed on, after all were checked
 */
export async function checkIntegrations(acts: CheckActs): Promise<number> {
  const now = acts.clock()
  const due = (await acts.integrations.openForCheck()).filter(({ integration, checked_at }) => {
    const last = checked_at ?? readInstant(integration.updated_at) ?? 0
    return now - last >= LEAST_MS + acts.random() * JITTER_MS
  })
  const waiting = [...due]
  const errors: unknown[] = []
  const checkNext = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      try {
        await checkOne(acts, one, (error) => errors.push(error))
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, checkNext))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} checks could not be written down`)
  return due.length
}
