import type { EventKind } from './incident.ts'

/** `pending` waits or runs, `delivered` was accepted, `failed` was given up, `cancelled` lost its subscription. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** What made a delivery due: the event itself, a person who asked for this one, or a recovery of all that failed. */
export const DELIVERY_TRIGGERS = ['event', 'manual', 'recovery'] as const
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number]

/** Why a delivery ended without being accepted. */
export const DELIVERY_REASONS = ['exhausted', 'gone', 'disabled', 'event_expired'] as const
export type DeliveryReason = (typeof DELIVERY_REASONS)[number]

/** Why an attempt failed; null stands for one that was accepted. */
export const ATTEMPT_ERRORS = [
  'status',
  'redirect',
  'refused_address',
  'no_address',
  'connection',
  'tls',
  'protocol',
  'timeout',
  'timeout_body',
] as const
export type AttemptError = (typeof ATTEMPT_ERRORS)[number]

/** One event on its way to one subscription. Instants in milliseconds since the epoch. */
export interface Delivery {
  /** The same for the same event and subscription, however often it is worked out. */
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_kind: EventKind
  readonly incident_id: string
  readonly status: DeliveryStatus
  readonly reason: DeliveryReason | null
  readonly trigger: DeliveryTrigger
  /** Attempts of the present round: a redelivery begins a new one. */
  readonly attempts: number
  /** Not before this instant; meaningless once it is no longer pending. */
  readonly next_attempt_at: number
  /** Somebody attempts it until then; 0 from the start, since a missing number fails every comparison. */
  readonly lease_until: number
  /** Counts the claims, from 0: tells a late holder from the present one. */
  readonly fence: number
  readonly created_at: number
  readonly updated_at: number
}

/** One try, as the log keeps it. */
export interface Attempt {
  /** The claim that it was made under; unique within its delivery. */
  readonly number: number
  readonly at: number
  readonly duration_ms: number
  /** Status of the answer, null when none came. */
  readonly status: number | null
  readonly error: AttemptError | null
  /** First 4 KB of the answer as text. */
  readonly response: string | null
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * Waits (ms) after each failed attempt: with the first at once ten attempts over 75.6 h, as the specification of
 * Standard Webhooks suggests.
 */
export const WAITS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/** Attempts of one round. */
export const MOST_ATTEMPTS = WAITS.length + 1
/** Waits differ by up to this share, so that receivers that failed together are not asked together. */
const JITTER = 0.2
/** A Retry-After may lengthen any wait to an hour, and a longer one to twice itself: nobody parks a delivery for a year. */
const LONGEST_ASKED = HOUR
/** A receiver that is overloaded or does not answer in time is left alone for at least so long. */
const OVERLOADED_WAIT = MINUTE
/** An address that the rules refuse does not become right in seconds. */
const REFUSED_WAIT = 5 * MINUTE
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 504])

/** A deadline over connection, head and body of one attempt (Standard Webhooks: 15 to 30 s). */
export const ATTEMPT_DEADLINE_MS = 15 * SECOND
/** An attempt begins only with its deadline and 2 s for the commit left. */
export const LEAST_REMAINING_MS = ATTEMPT_DEADLINE_MS + 2 * SECOND
/** The lease outlives the worker by this much, so that nobody else attempts while it may still write. */
export const LEASE_MARGIN_MS = 5 * SECOND
/** A doorbell that is early by at most this much is answered: clocks differ, and the queue rounds to seconds. */
export const EARLY_MS = 2 * SECOND
/** Bytes of an answer that the log keeps. */
export const RESPONSE_BYTES = 4_096

/** How a receiver answered one attempt, or why it did not. */
export type PostResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** The `Retry-After` header as sent. */
      readonly retryAfter: string | null
      readonly response: string
    }
  | { readonly kind: 'failed'; readonly error: Exclude<AttemptError, 'status' | 'redirect'> }

/** What an attempt comes to. */
export const attemptError = (result: PostResult): AttemptError | null => {
  if (result.kind === 'failed') return result.error
  if (result.status >= 200 && result.status < 300) return null
  return result.status >= 300 && result.status < 400 ? 'redirect' : 'status'
}

/** True for the one answer that says: never again. */
export const isGone = (result: PostResult): boolean => result.kind === 'answered' && result.status === 410

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/

/**
 * Milliseconds that a `Retry-After` asks for (RFC 9110, 10.2.3: seconds or an HTTP date), or null when it says nothing
 * that can be understood. A date that has passed asks for 0.
 */
export function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null
  const trimmed = text.trim()
  if (/^\d{1,12}$/.test(trimmed)) return Number(trimmed) * SECOND
  const date = HTTP_DATE.exec(trimmed)
  if (date === null) return null
  const [, day, month = '', year, hour, minute, second] = date
  const at = Date.UTC(
    Number(year),
    MONTHS.indexOf(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  return Number.isNaN(at) || !MONTHS.includes(month) ? null : Math.max(0, at - now)
}

/**
 * The wait (ms) after a failed attempt, or null when it was the last.
 * @param attempts made so far in this round, this one included
 * @param random from 0 (included) to 1 (excluded)
 */
export function waitAfter(attempts: number, result: PostResult, now: number, random: number): number | null {
  const base = WAITS[attempts - 1]
  if (base === undefined) return null
  const jittered = base * (1 - JITTER + 2 * JITTER * random)
  let floor = 0
  if (result.kind === 'answered') {
    const asked = readRetryAfter(result.retryAfter, now)
    if (OVERLOADED.has(result.status)) floor = OVERLOADED_WAIT
    if (asked !== null) floor = Math.max(floor, Math.min(asked, Math.max(2 * base, LONGEST_ASKED)))
  } else if (result.error === 'timeout' || result.error === 'timeout_body') floor = OVERLOADED_WAIT
  else if (result.error === 'refused_address') floor = REFUSED_WAIT
  return Math.round(Math.max(jittered, floor))
}

/** A delivery after an attempt: delivered, given up, or due again. The lease ends with it. */
export function afterAttempt(delivery: Delivery, result: PostResult, now: number, random: number): Delivery {
  const attempts = delivery.attempts + 1
  const ended = { ...delivery, attempts, lease_until: 0, updated_at: now }
  if (attemptError(result) === null) return { ...ended, status: 'delivered', reason: null }
  if (isGone(result)) return { ...ended, status: 'failed', reason: 'gone' }
  const wait = waitAfter(attempts, result, now, random)
  if (wait === null) return { ...ended, status: 'failed', reason: 'exhausted' }
  return { ...ended, next_attempt_at: now + wait }
}

/** What a delivery is at first: due at once. */
export const newDelivery = (
  id: string,
  webhookId: string,
  event: Pick<Delivery, 'event_id' | 'event_kind' | 'incident_id'>,
  now: number,
): Delivery => ({
  id,
  webhook_id: webhookId,
  ...event,
  status: 'pending',
  reason: null,
  trigger: 'event',
  attempts: 0,
  next_attempt_at: now,
  lease_until: 0,
  fence: 0,
  created_at: now,
  updated_at: now,
})

/** How a subscription has fared lately. A healthy one has nothing but zeros, and costs no write. */
export interface Health {
  /** Attempts that failed since the last one that was accepted. */
  readonly failures: number
  /** When the first of them failed (ms); 0 when there is none. */
  readonly failing_since: number
  /** The breaker keeps deliveries back until then; 0 while it is closed. */
  readonly open_until: number
  /** How often it opened since the last success. */
  readonly openings: number
  /** One attempt is being made to find out; nobody else attempts until then. */
  readonly probe_until: number
}

export const HEALTHY: Health = {
  failures: 0,
  failing_since: 0,
  open_until: 0,
  openings: 0,
  probe_until: 0,
}

/** Failures in a row that open the breaker. */
export const BREAKER_FAILURES = 5
/** How long it stays open at first, doubled each time. */
const FIRST_OPEN_MS = 30 * SECOND
const LONGEST_OPEN_MS = 30 * MINUTE
/** A subscription that failed for so long without a single success is disabled. */
export const DISABLE_AFTER_MS = 5 * DAY

/** Whether attempts may be made: all of them, one to find out, or none. */
export type BreakerState = 'closed' | 'half_open' | 'open'

/** The state of a breaker at an instant. */
export function breakerState(health: Health, now: number): BreakerState {
  if (health.open_until === 0) return 'closed'
  if (now < health.open_until) return 'open'
  return now < health.probe_until ? 'open' : 'half_open'
}

/** When somebody may try again while the breaker is open (ms). */
export const breakerEnds = (health: Health): number => Math.max(health.open_until, health.probe_until)

/**
 * Until when a failure opens the breaker, or null when it stays as it is: five failures in a row open it for 30 s, a
 * failed probe for twice as long as before, up to 30 min, with jitter.
 * @param health with this failure counted
 */
export function opensUntil(health: Health, now: number, random: number): number | null {
  if (health.failures < BREAKER_FAILURES || now < health.open_until) return null
  const open = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.min(health.openings, 16))
  return Math.round(now + open * (1 - JITTER + 2 * JITTER * random))
}

/** True when nothing but failures came for five days. */
export const failedTooLong = (health: Health, now: number): boolean =>
  health.failing_since > 0 && now - health.failing_since >= DISABLE_AFTER_MS

/** Days that deliveries and their attempts are kept. */
export const DELIVERY_DAYS = 30
/** How far back a recovery may reach, and how many deliveries it resends at most. */
export const RECOVERY_DAYS = 14
export const RECOVERY_MOST = 10_000
export const DAY_MS = DAY
