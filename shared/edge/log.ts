/** Every sentence the service logs, by its code: an operator can search for either. */
export const MESSAGES = {
  request_answered: 'A request was answered.',
  request_failed: 'A request failed for a reason nobody foresaw.',
  batch_item_failed: 'One item of a batch failed and will be tried again.',
  lateness_not_noted: 'How late the queue is could not be noted; what was rung for is worked all the same.',
  worker_finished: 'A worker finished its batch.',
  analysis_given_up:
    'The analysis of an incident was given up: it has no root cause until somebody asks for one.',
  webhook_disabled: 'The service disabled a webhook: its receiver is gone or has failed for days.',
} as const

export type LogCode = keyof typeof MESSAGES
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Writes one line of JSON. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  code: LogCode,
  fields: LogFields,
  error?: unknown,
) => void

/**
 * Characters that terminals or viewers act on and JSON does not escape: C1, line separators, bidirectional controls. What
 * is told to people goes without them (legible-text.ts of the engine); whoever reads a log wants to see that they came.
 */
const ACTIVE = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Shows a hostile text as what it is: each active character as its code point. */
export const harmless = (text: string): string =>
  // Nearly every line has none, and to look is cheaper than to replace.
  text.search(ACTIVE) < 0
    ? text
    : text.replace(
        ACTIVE,
        (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
      )

/** Frames of a stack that a line keeps. */
const MOST_FRAMES = 5

/** Where an error arose: the frames of its stack alone, since its message may have several lines. */
const frames = (error: Error): string =>
  (error.stack ?? '')
    .split('\n')
    .filter((text) => /^\s+at /.test(text))
    .slice(0, MOST_FRAMES)
    .map((text) => text.trim())
    .join(' < ')

/** Names of errors within one that a line keeps. */
const MOST_NAMES = 10

/** The kinds of errors that one stands for, each once, those within others among them; undefined where it stands for none. */
function namesWithin(error: Error): string | undefined {
  if (!(error instanceof AggregateError)) return undefined
  const names = new Set<string>()
  // A set is gone through with what is added on the way, and takes an error that holds itself once.
  const all = new Set<unknown>(error.errors)
  for (const each of all) {
    if (names.size === MOST_NAMES) break
    if (each instanceof AggregateError) for (const inner of each.errors) all.add(inner)
    else names.add(each instanceof Error ? each.name : 'no error')
  }
  return names.size === 0 ? undefined : [...names].join(', ')
}

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const

/** The least level that is written: what `LOG_LEVEL` says, else `info`. */
const leastLevel = (): number =>
  LEVELS[(process.env.LOG_LEVEL ?? 'info').toLowerCase() as keyof typeof LEVELS] ?? LEVELS.info

/**
 * The log of this process: one line of JSON to standard output, which Lambda hands on as it is. Written here rather than
 * by a library: it is the most expensive part of a warm request (docs/decisions/0030-the-log-line.md).
 */
export const log: Log = (level, code, fields, error) => {
  if (LEVELS[level] < leastLevel()) return
  // Only the kind of an unforeseen error and where it arose: its message may quote what somebody sent.
  const about = error instanceof Error ? { error_name: error.name, error_at: frames(error) } : undefined
  const within = error instanceof Error ? namesWithin(error) : undefined
  const line = JSON.stringify({
    level: level.toUpperCase(),
    message: MESSAGES[code],
    timestamp: new Date().toISOString(),
    service: 'incident-investigator',
    code,
    ...fields,
    // By which a new version is taken back that fails: its own errors, not those of the version before it.
    ...(level === 'error' ? { version: process.env.AWS_LAMBDA_FUNCTION_VERSION } : {}),
    ...about,
    error_within: within,
  })
  // What replaces a character needs no escape in JSON, so the line is looked through once, whole.
  process.stdout.write(`${harmless(line)}\n`)
}
