import type { KeyObject } from 'node:crypto'
import type { BoundedMap } from '#shared/adapters/bounded-map.ts'
import { digestOf, sha256 } from '#shared/adapters/digest.ts'
import {
  EgressFailed,
  EgressRefused,
  EgressTimedOut,
  type GuardedRequest,
  type OutboundAnswer,
} from '#shared/adapters/http/guarded-request.ts'
import type { AskOutcome, Gap, SourceAsked, Window } from '#shared/domain/investigation/records/snapshot.ts'

/** The settings of a GitHub integration, checked. */
export interface GithubSettings {
  readonly app_id: string
  readonly client_id: string
  readonly client_secret: string
  /** The key of the app, which reaches what its installations grant; without it only public data. */
  readonly private_key: KeyObject | undefined
  /** SHA-256 of the key as it was given: what one key has learnt is not told to who has another. */
  readonly key_digest: string
  /** Lines of the key, which stay out of records should an answer hold them. */
  readonly key_lines: readonly string[]
  readonly installation_id: string | undefined
  /** API address without a slash at the end. */
  readonly base_url: string
  readonly repositories: readonly GithubRepository[]
}

export interface GithubRepository {
  /** `owner/name` */
  readonly name: string
  /** Services that the settings map to it; none when they are a plain list. */
  readonly services: readonly string[]
}

/** Repositories read in one pull: their requests share one rate limit. */
export const MAX_REPOSITORIES = 20
/** Bytes read of one answer: a page of 100 commits is below 1 MB. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
/** Requests of one pull that are under way at once; GitHub's secondary limit is 100 for all of an app's. */
const PARALLEL_REQUESTS = 8
/** Requests of one pull at most: with 5,000 an hour that leaves 25 investigations an hour. */
const MAX_REQUESTS = 200
/** How long to stay away when GitHub asks for it without saying how long, in milliseconds: its documentation says a minute. */
const UNNAMED_WAIT_MS = 60_000
/** Longest body that is kept to be asked for conditionally, in characters. */
const MAX_KEPT_BODY = 256 * 1024
/** Longest time to stay away, in milliseconds: GitHub's windows are an hour, so a later instant is a mistake. */
const MAX_WAIT_MS = 3_600_000

/** Until when GitHub wants to be left alone (milliseconds since the epoch), undefined when the answer does not say so. */
export function limitedUntil(answer: OutboundAnswer, now: number): number | undefined {
  if (answer.status !== 403 && answer.status !== 429) return undefined
  const {
    'retry-after': after,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  } = answer.headers
  const named =
    after !== undefined
      ? /^\d+$/.test(after)
        ? now + Number(after) * 1000
        : Date.parse(after)
      : remaining === '0'
        ? Number(reset) * 1000
        : undefined
  if (named === undefined && answer.status === 403 && !saysRateLimit(answer.body)) return undefined
  if (named === undefined || !Number.isFinite(named)) return now + UNNAMED_WAIT_MS
  return Math.min(Math.max(named, now), now + MAX_WAIT_MS)
}

/** The secondary limit may come with 403 and no header: then only the text tells it from a refusal. */
const saysRateLimit = (body: Uint8Array): boolean =>
  /secondary rate limit|abuse detection/i.test(Buffer.from(body.subarray(0, 2048)).toString())

/** The credentials of the app as a user of basic authentication. */
export const basicOf = ({ client_id, client_secret }: GithubSettings): string =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

/** Sends one request to the API. Neither the Authorization header nor the body appears in any error. */
export async function sendToGithub(
  request: GuardedRequest,
  settings: GithubSettings,
  asked: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly authorization?: string | undefined
    readonly etag?: string | undefined
    readonly body?: string
    readonly deadlineMs: number
    readonly signal: AbortSignal
  },
): Promise<OutboundAnswer> {
  return request({
    method: asked.method,
    url: `${settings.base_url}${asked.path}`,
    headers: {
      accept: 'application/vnd.github+json',
      'user-agent': 'incident-investigator',
      'x-github-api-version': '2022-11-28',
      ...(asked.authorization === undefined ? {} : { authorization: asked.authorization }),
      ...(asked.etag === undefined ? {} : { 'if-none-match': asked.etag }),
      ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(asked.body === undefined ? {} : { body: asked.body }),
    deadlineMs: asked.deadlineMs,
    maxBytes: MAX_ANSWER_BYTES,
    signal: asked.signal,
  })
}

/** One answer of GitHub, or why there is none. */
export type Reply =
  | {
      readonly ok: true
      readonly id: string
      readonly query: string
      readonly body: unknown
      /** Path of the next page. */
      readonly next: string | undefined
    }
  | { readonly ok: false }

/** The requests of one pull: what was asked, what is missing. */
export interface GithubSession {
  readonly sources: readonly SourceAsked[]
  readonly gaps: readonly Gap[]
  /**
   * Asks for one path below the API address. Never rejects: a failure is written down as a source and a gap.
   * @param what what would be missing, for the gap
   * @param empty statuses that mean that there is nothing, which is no failure
   * @param reach the repository (`owner/name`) or installation whose token is needed, where the path does not tell
   */
  ask(path: string, what: string, empty?: readonly number[], reach?: Reach): Promise<Reply>
  /** Writes down that a request was answered and with what. */
  answered(
    reply: Reply & { readonly ok: true },
    read: {
      readonly items: readonly unknown[]
      readonly window?: Window
      readonly link?: string | undefined
      readonly outcome?: AskOutcome
      readonly detail?: string
    },
  ): void
  gap(gap: Gap): void
  /** Ends the session: says in one gap how many requests were not made and why. */
  end(): void
}

/** Whose token a request needs: that of the installation that reaches a repository, or of a known one. */
export type Reach = string | { readonly id: number }

/** Gives the tokens of an app; absent where the settings hold no key. */
export interface TokenSource {
  /** @throws Error that says why there is none, holding no secret */
  token(reach: Reach): Promise<string>
  /** Forgets a token that was not taken. */
  forget(reach: Reach, token: string): Promise<void>
}

/** An answer that is asked for again only if it has changed. */
export interface KeptAnswer {
  readonly etag: string
  readonly body: string
  readonly link: string | undefined
}

/** Where a session reads and leaves until when GitHub wants to be left alone. */
export interface RateLimitMemory {
  get(key: string): number | undefined
  set(key: string, until: number): void
}

export function githubSession(from: {
  readonly request: GuardedRequest
  readonly settings: GithubSettings
  readonly integrationId: string
  readonly signal: AbortSignal
  readonly deadlineMs: number
  readonly now: () => number
  readonly limits: RateLimitMemory
  readonly tokens?: TokenSource | undefined
  readonly answers: BoundedMap<KeptAnswer>
}): GithubSession {
  const { settings, signal, now, limits } = from
  const sources: SourceAsked[] = []
  const gaps: Gap[] = []
  const unasked = new Map<string, number>()
  const limitKey = `${settings.base_url} ${settings.client_id}`
  const base = new URL(settings.base_url)
  const waiting: (() => void)[] = []
  let underWay = 0
  let asked = 0
  let authenticated = true
  /** Credentials that were used, as they are hidden in answers. */
  const used = new Set<string>([
    basicOf(settings).slice('Basic '.length),
    // In JSON a secret stands as JSON writes it.
    JSON.stringify(settings.client_secret).slice(1, -1),
    ...settings.key_lines,
  ])
  /** Pages that follow a list belong to the repository of its first page. */
  const reaches = new Map<string, Reach>()
  const keptUnder = sha256(`${settings.base_url} ${basicOf(settings)} ${settings.key_digest}`)

  const turn = async (): Promise<void> => {
    // Whoever ends hands its turn over, so that nobody slips in between.
    if (underWay >= PARALLEL_REQUESTS) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay += 1
  }
  const done = (): void => {
    const next = waiting.shift()
    if (next) next()
    else underWay -= 1
  }

  /** Why nothing more may be asked now. */
  const stopped = (): string | undefined => {
    if (signal.aborted) return 'the time was up'
    const until = limits.get(limitKey)
    if (until !== undefined && until > now()) {
      return `its rate limit is used up until ${new Date(until).toISOString()}`
    }
    return asked >= MAX_REQUESTS ? `one investigation makes at most ${MAX_REQUESTS} requests` : undefined
  }

  const nextPath = (header: string | undefined): `/${string}` | 'elsewhere' | undefined => {
    const target = /<([^<>]*)>\s*;[^,]*\brel="?next\b/.exec(header ?? '')?.[1]
    if (target === undefined) return undefined
    if (!URL.canParse(target)) return 'elsewhere'
    const url = new URL(target)
    const prefix = base.pathname.replace(/\/$/, '')
    // Our credentials go nowhere else, whatever an answer says.
    if (url.origin !== base.origin || !url.pathname.startsWith(`${prefix}/`)) return 'elsewhere'
    return `/${url.pathname.slice(prefix.length + 1)}${url.search}`
  }

  /** Secrets of ours that stand in an answer, because a repository or a strange server holds them, stay out of records. */
  const withoutSecrets = (text: string): string =>
    [...used]
      .filter((hidden) => hidden.length >= 8)
      .reduce((kept, hidden) => kept.replaceAll(hidden, '[redacted]'), text)

  /** The token of an app, tried once more where it was withdrawn meanwhile. */
  const sendWithToken = async (
    tokens: TokenSource,
    reach: Reach,
    once: (authorization: string) => Promise<OutboundAnswer>,
  ): Promise<OutboundAnswer> => {
    const newest = async (): Promise<string> => {
      const token = await tokens.token(reach)
      used.add(token)
      return token
    }
    const token = await newest()
    const answer = await once(`Bearer ${token}`)
    if (answer.status !== 401 || signal.aborted) return answer
    await tokens.forget(reach, token)
    return once(`Bearer ${await newest()}`)
  }

  const send = async (path: string, etag: string | undefined, reach: Reach | undefined) => {
    const once = async (authorization: string | undefined): Promise<OutboundAnswer> => {
      const send = () =>
        sendToGithub(from.request, settings, {
          method: 'GET',
          path,
          authorization,
          etag,
          deadlineMs: from.deadlineMs,
          signal,
        })
      const answer = await send().catch((error: unknown) => {
        // A connection that broke is tried once more; a deadline or a refusal is final.
        if (error instanceof EgressFailed && !signal.aborted) return send()
        throw error
      })
      return answer.status >= 500 && !signal.aborted ? send() : answer
    }
    if (from.tokens !== undefined && reach !== undefined) return sendWithToken(from.tokens, reach, once)
    const withCredentials = authenticated
    const answer = await once(withCredentials ? basicOf(settings) : undefined)
    if (answer.status !== 401 || !withCredentials) return answer
    if (authenticated) {
      authenticated = false
      gaps.push({
        what: 'GitHub: requests with the credentials of the app',
        why: 'GitHub takes this client id and secret for no other request than their check, so public data was read without them, with 60 requests an hour for each network address.',
      })
    }
    return once(undefined)
  }

  const sourceOf = (query: string): { id: string; query: string; tool: string; integration_id: string } => ({
    id: `${from.integrationId}:${sha256(query).slice(0, 16)}`,
    integration_id: from.integrationId,
    tool: 'github',
    query,
  })

  /** Two deployments may need the same comparison; one source stands for one question. */
  const replies = new Map<string, Promise<Reply>>()
  const ask: GithubSession['ask'] = (path, what, empty = [], reach) => {
    const whose = reach ?? reaches.get(path) ?? /^\/repos\/([^/]+\/[^/?]+)/.exec(path)?.[1]
    const reply = replies.get(path) ?? askOnce(path, what, empty, whose)
    replies.set(path, reply)
    return reply
  }

  const askOnce = async (
    path: string,
    what: string,
    empty: readonly number[],
    reach: Reach | undefined,
  ): Promise<Reply> => {
    await turn()
    try {
      const reason = stopped()
      if (reason !== undefined) {
        unasked.set(reason, (unasked.get(reason) ?? 0) + 1)
        return { ok: false }
      }
      asked += 1
      const query = `GET ${path}`
      const source = sourceOf(query)
      const failed = (outcome: AskOutcome, why: string): Reply => {
        sources.push({ ...source, outcome, records: 0, detail: why })
        gaps.push({ what, why, source: source.id })
        return { ok: false }
      }
      const keptAs = `${keptUnder} ${path}`
      const kept = from.answers.get(keptAs)
      let answer: OutboundAnswer
      try {
        answer = await send(path, kept?.etag, reach)
      } catch (error) {
        if (signal.aborted || error instanceof EgressTimedOut) {
          return failed('timed_out', 'GitHub did not answer in time.')
        }
        return failed('failed', reasonOf(error))
      }
      const { status } = answer
      const until = limitedUntil(answer, now())
      if (until !== undefined) {
        limits.set(limitKey, until)
        return failed(
          'failed',
          `The rate limit of GitHub is used up until ${new Date(until).toISOString()} (status ${status}).`,
        )
      }
      if (empty.includes(status)) {
        sources.push({
          ...source,
          outcome: 'empty',
          records: 0,
          detail: `GitHub answers with status ${status}.`,
        })
        return { ok: false }
      }
      // Unchanged since it was last asked for; such an answer costs nothing of the rate limit.
      const known = status === 304 ? kept : undefined
      if (status !== 200 && known === undefined) {
        const hidden = status === 404 && from.tokens !== undefined
        return failed(
          'failed',
          hidden ? 'It does not exist or the app may not read it (status 404).' : meaningOf(status),
        )
      }
      if (answer.cut) return failed('cut', `The answer was longer than ${MAX_ANSWER_BYTES} bytes.`)
      try {
        const text = known?.body ?? withoutSecrets(Buffer.from(answer.body).toString())
        const link = known === undefined ? answer.headers.link : known.link
        const body: unknown = JSON.parse(text)
        const { etag } = answer.headers
        if (known === undefined && etag !== undefined && text.length <= MAX_KEPT_BODY) {
          from.answers.set(keptAs, { etag, body: text, link })
        }
        const next = nextPath(link)
        if (next !== undefined && next !== 'elsewhere' && reach !== undefined) reaches.set(next, reach)
        if (next === 'elsewhere') {
          gaps.push({ what, why: 'The next page lies at another address than the API.', source: source.id })
        }
        return { ok: true, id: source.id, query, body, next: next === 'elsewhere' ? undefined : next }
      } catch {
        return failed('failed', 'The answer is no JSON.')
      }
    } finally {
      done()
    }
  }

  return {
    sources,
    gaps,
    ask,
    answered(reply, { items, window, link, outcome, detail }) {
      if (sources.some(({ id }) => id === reply.id)) return
      sources.push({
        ...sourceOf(reply.query),
        outcome: outcome ?? (items.length === 0 ? 'empty' : 'answered'),
        records: items.length,
        digest: digestOf(items),
        ...(window ? { window } : {}),
        ...(link === undefined ? {} : { link }),
        ...(detail === undefined ? {} : { detail }),
      })
    },
    gap(gap) {
      gaps.push(gap)
    },
    end() {
      for (const [reason, count] of unasked) {
        gaps.push({
          what: 'GitHub',
          why: `${count} request${count === 1 ? ' was' : 's were'} not made: ${reason}.`,
        })
      }
    },
  }
}

/** GitHub gave no token; the message says why and holds no secret. */
export class GithubDenied extends Error {
  /** What GitHub answered, undefined where nothing came. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'GithubDenied'
    this.status = status
  }
}

/** What kept a request from being answered, in words that hold no secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof GithubDenied) return error.message
  if (error instanceof EgressRefused) return `The address of GitHub is refused: ${error.message}`
  if (error instanceof EgressFailed) return `GitHub could not be reached (${error.code}).`
  if (error instanceof EgressTimedOut) return 'GitHub did not answer in time.'
  return 'The request to GitHub failed.'
}

/** What a status means for somebody who reads public data. */
export function meaningOf(status: number): string {
  if (status === 401) return 'GitHub asks for credentials that it accepts (status 401).'
  if (status === 403 || status === 451) return `GitHub refuses access (status ${status}).`
  if (status === 404) return 'It does not exist or is not public (status 404).'
  if (status >= 300 && status < 400) {
    return `It has moved (status ${status}); redirects are not followed, so its present name is needed.`
  }
  return status >= 500 ? `GitHub has trouble (status ${status}).` : `GitHub answers with status ${status}.`
}
