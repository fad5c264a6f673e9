import type { Window } from '#shared/domain/investigation/records/snapshot.ts'
import {
  EgressFailed,
  EgressRefused,
  EgressTimedOut,
  type GuardedRequest,
  type OutboundAnswer,
} from '../http/guarded-request.ts'

/** Where a tool is and what it is shown. Lives in memory only. */
export interface ToolReach {
  /** Type of the integration, as sources name it. */
  readonly tool: string
  /** Name of the tool in sentences. */
  readonly title: string
  /** Address without a slash at its end. */
  readonly base_url: string
  /** Sent with every request, credentials among them. */
  readonly headers: Readonly<Record<string, string>>
  /** What must not come back in an answer, in the clear and as it is sent. */
  readonly secrets: readonly string[]
  /** Certificates in PEM that the tool's must descend from, where no well-known authority gave it. */
  readonly ca?: string
  /** The setting that a refusal of access names, such as `config.bearer_token`. */
  readonly credential: string
  /** Where a person sees a query over a window, for tools that are reached through another one. */
  readonly shownAt?: (query: string, window: Window) => string
}

/** What the requests to tools are made with. */
export interface ToolDeps {
  readonly request: GuardedRequest
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** One question to a tool. */
export interface Question {
  /** Below the tool's address, beginning with a slash, query included. */
  readonly path: string
  readonly method?: 'GET' | 'POST'
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as a form, for queries too long for an address. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes of the answer that are read; a longer one is an answer that was cut. */
  readonly maxBytes?: number
  /** How the answer is read. */
  readonly as?: 'json' | 'text'
  /**
   * Until when the tool wants to be left alone (ms since the epoch) by headers of its own; `Retry-After` is understood
   * without it.
   */
  readonly limitedUntil?: (answer: OutboundAnswer, now: number) => number | undefined
}

/**
 * Why there is no answer to work with:
 * - `forbidden` our own guard refuses the address
 * - `unreachable` no connection, or one that broke
 * - `timed_out` not in time
 * - `refused` the tool does not take the credentials (401, 403)
 * - `limited` the tool wants to be left alone, longer than there is time
 * - `absent` there is no such thing (404, 405, 410, 501)
 * - `rejected` the tool does not understand the question (other 4xx)
 * - `moved` a redirect, which is not followed
 * - `failing` the tool has trouble (5xx)
 * - `cut` longer than is read
 * - `malformed` not what was asked for
 */
export type FailureKind =
  | 'forbidden'
  | 'unreachable'
  | 'timed_out'
  | 'refused'
  | 'limited'
  | 'absent'
  | 'rejected'
  | 'moved'
  | 'failing'
  | 'cut'
  | 'malformed'

export interface ToolAnswer {
  readonly ok: true
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON, or the text; our own secrets are taken out. */
  readonly body: unknown
}

export interface ToolFailure {
  readonly ok: false
  readonly kind: FailureKind
  readonly status?: number
  /** A sentence that holds no secret. */
  readonly why: string
  /** Until when the tool wants to be left alone, in milliseconds since the epoch. */
  readonly until?: number
  /** What a tool said to its refusal, parsed, our own secrets taken out. */
  readonly body?: unknown
}

/** Bytes read of one answer where the question does not say. */
export const MAX_ANSWER_BYTES = 2 * 1024 * 1024
/** How long to stay away when a tool answers 429 without saying how long, in milliseconds. */
const UNNAMED_WAIT_MS = 1000
/** Longest time that a tool is left alone, in milliseconds; a later instant is a mistake. */
const MAX_AWAY_MS = 3_600_000
/** A tool in trouble gets this long before it is asked once more, in milliseconds. */
const PAUSE_MS = 250
/** Times that one question is asked at most. */
const MOST_TRIES = 3
/** Shorter texts are no secrets: taking them out would take words out of answers. */
const SHORTEST_SECRET = 8
/** Of what a tool says to its refusal so much is repeated. */
const MOST_SAID = 200

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })

/** Until when an answer asks to be left alone by `Retry-After` (seconds or a date), in milliseconds since the epoch. */
export function retryAfter({ status, headers }: OutboundAnswer, now: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const after = headers['retry-after']
  if (after === undefined) return status === 429 ? now + UNNAMED_WAIT_MS : undefined
  const named = /^\d+(?:\.\d+)?$/.test(after) ? now + Number(after) * 1000 : Date.parse(after)
  if (!Number.isFinite(named)) return now + UNNAMED_WAIT_MS
  return Math.min(Math.max(named, now), now + MAX_AWAY_MS)
}

/**
 * Takes our own secrets out of an answer: a tool may hold them in its records, and a strange server may send back what
 * it was sent. In JSON a secret may be escaped, so strings with escapes are looked at again once they are read.
 */
function withoutSecrets(secrets: readonly string[]): {
  text(of: string): string
  json(of: string): unknown
} {
  const hidden = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
  const text = (of: string): string =>
    hidden.reduce(
      (kept, secret) => (kept.includes(secret) ? kept.replaceAll(secret, '[redacted]') : kept),
      of,
    )
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(inside)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), inside(member)]))
  }
  return {
    text,
    json: (of) => {
      const read = JSON.parse(text(of)) as unknown
      return hidden.length > 0 && of.includes('\\') ? inside(read) : read
    },
  }
}

const failure = (kind: FailureKind, why: string, more: Partial<ToolFailure> = {}): ToolFailure => ({
  ...more,
  ok: false,
  kind,
  why,
})

/** What kept a request from being answered, in words that hold no secret. */
function failureOf(error: unknown, title: string, signal: AbortSignal): ToolFailure {
  if (error instanceof EgressRefused) return failure('forbidden', error.message)
  if (error instanceof EgressTimedOut || signal.aborted) {
    return failure('timed_out', `${title} did not answer in time.`)
  }
  // Its own text may quote what was sent, so of other errors nothing is repeated.
  const code = error instanceof EgressFailed ? ` (${error.code})` : ''
  return failure('unreachable', `${title} could not be reached${code}.`)
}

/** What tools put their reason into: `error` (Prometheus), `message` (Grafana, GitHub), `detail`, a bare text. */
function saidIn(body: unknown): string | undefined {
  if (typeof body === 'string') return body.trim() === '' ? undefined : body.trim()
  if (typeof body !== 'object' || body === null) return undefined
  const { error, message, detail } = body as Readonly<Record<string, unknown>>
  return [error, message, detail].find((part) => typeof part === 'string' && part.trim() !== '') as
    | string
    | undefined
}

/** What a status means, in a sentence. */
function meaningOf(title: string, status: number, said: string | undefined): ToolFailure {
  const short = said === undefined ? '' : `: ${said.slice(0, MOST_SAID)}`
  const fail = (kind: FailureKind, why: string) => failure(kind, why, { status })
  if (status === 401) return fail('refused', `${title} does not accept the credentials (status 401)${short}`)
  if (status === 403) return fail('refused', `${title} refuses access (status 403)${short}`)
  if (status >= 300 && status < 400) {
    return fail(
      'moved',
      `${title} sends to another address (status ${status}); redirects are not followed, so the address it leads to is needed.`,
    )
  }
  if ([404, 405, 410, 501].includes(status)) {
    return fail('absent', `${title} does not know this request (status ${status})${short}`)
  }
  if (status >= 500) return fail('failing', `${title} has trouble (status ${status})${short}`)
  return fail('rejected', `${title} answers with status ${status}${short}`)
}

/** How an answer is read: JSON, or the text where that is asked for. */
function readAnswer(
  reach: ToolReach,
  { as, maxBytes = MAX_ANSWER_BYTES }: Question,
  answer: OutboundAnswer,
): ToolAnswer | ToolFailure {
  const { status, headers } = answer
  const redact = withoutSecrets(reach.secrets)
  const text = Buffer.from(answer.body).toString()
  if (status < 200 || status > 299) {
    let body: unknown = redact.text(text)
    try {
      body = redact.json(text)
    } catch {
      // What is no JSON is told as it is.
    }
    // A page of HTML says nothing that the status does not.
    const said = /^\s*</.test(text) ? undefined : saidIn(body)
    return { ...meaningOf(reach.title, status, said), body }
  }
  if (answer.cut) return failure('cut', `The answer of ${reach.title} was longer than ${maxBytes} bytes.`)
  if (as === 'text') return { ok: true, status, headers, body: redact.text(text) }
  try {
    return { ok: true, status, headers, body: redact.json(text) }
  } catch {
    return failure('malformed', `What ${reach.title} answers is no JSON.`, { status })
  }
}

/**
 * Asks a tool one question. Never rejects. A connection that broke and a tool in trouble are tried once more; one that
 * asks to be left alone is asked again when that is over, if there is time until then.
 * @param within time for all tries together, in milliseconds
 */
export async function askTool(
  deps: ToolDeps,
  reach: ToolReach,
  question: Question,
  within: number,
  signal: AbortSignal,
): Promise<ToolAnswer | ToolFailure> {
  const { request, now, wait = waitFor } = deps
  const end = now() + within
  const maxBytes = question.maxBytes ?? MAX_ANSWER_BYTES
  const body =
    question.json !== undefined
      ? { type: 'application/json', text: JSON.stringify(question.json) }
      : question.form !== undefined
        ? { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(question.form).toString() }
        : undefined
  let answered: ToolAnswer | ToolFailure = failure(
    'timed_out',
    `There was no time left to ask ${reach.title}.`,
  )
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const left = end - now()
    if (left <= 0 || signal.aborted) return answered
    let pause = PAUSE_MS
    try {
      const answer = await request({
        method: question.method ?? 'GET',
        url: `${reach.base_url}${question.path}`,
        headers: {
          accept: question.as === 'text' ? '*/*' : 'application/json',
          'user-agent': 'incident-investigator',
          ...(body === undefined ? {} : { 'content-type': body.type }),
          ...reach.headers,
          ...question.headers,
        },
        ...(body === undefined ? {} : { body: body.text }),
        deadlineMs: left,
        maxBytes,
        signal,
        ca: reach.ca,
      })
      const until = question.limitedUntil?.(answer, now()) ?? retryAfter(answer, now())
      answered = readAnswer(reach, question, answer)
      if (until !== undefined) {
        const away = `asks to be left alone until ${new Date(until).toISOString()} (status ${answer.status})`
        answered = failure('limited', `${reach.title} ${away}.`, { until, status: answer.status })
        pause = until - now()
      } else if (answered.ok || answered.kind !== 'failing' || tries > 1) return answered
    } catch (error) {
      answered = failureOf(error, reach.title, signal)
      // A deadline and a refusal are final; what broke may have been an old connection.
      if (answered.kind !== 'unreachable' || tries > 1) return answered
      pause = 0
    }
    if (tries === MOST_TRIES || now() + pause >= end) return answered
    if (pause > 0) await wait(pause, signal)
  }
  return answered
}
