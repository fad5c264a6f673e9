import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import * as z from 'zod/mini'
import { BoundedMap } from '#shared/adapters/bounded-map.ts'
import type { GuardedRequest, OutboundAnswer } from '#shared/adapters/http/guarded-request.ts'
import { untilAborted } from '#shared/adapters/until-aborted.ts'
import {
  GithubDenied,
  type GithubSettings,
  limitedUntil,
  meaningOf,
  reasonOf,
  sendToGithub,
} from './github-session.ts'

// A GitHub App proves itself by a token that it signs, and with it gets tokens of its installations, which read.

/** What the tool reads; a token is narrowed to these, as far as the installation grants them. */
export const WANTED_PERMISSIONS = ['contents', 'deployments', 'pull_requests', 'checks', 'metadata'] as const

/** How far a token of the app is dated back, in seconds: GitHub refuses those from its own future. */
const CLOCK_SKEW_S = 30
/** Life of a token of the app, in seconds: GitHub takes at most ten minutes. */
const APP_TOKEN_S = 570
/** A token of an installation is not used in its last minutes, in milliseconds: a pull may still be under way. */
const SPARE_MS = 5 * 60_000
/**
 * How long an installation is kept, in milliseconds: as long as a pull. People suspend it, install it anew and grant it more,
 * and a process may live for hours.
 */
const INSTALLATION_MS = 60_000
/**
 * Time that GitHub has for a token or an installation, in milliseconds. Several may wait for one, so it is nobody's own time
 * that bounds it; who waits gives up when its own is over.
 */
const SHARED_MS = 4_000
/** Tokens and installations kept in one process. */
const MOST_KEPT = 200

const installationAnswer = z.object({
  id: z.int(),
  permissions: z.optional(z.record(z.string(), z.string())),
  suspended_at: z.nullish(z.string()),
})
export type GithubInstallation = z.infer<typeof installationAnswer>

const installationsAnswer = z.array(installationAnswer)

export const tokenAnswer = z.object({
  token: z.string().check(z.regex(/^[\x21-\x7e]{8,512}$/)),
  expires_at: z.string(),
})

/** The private key of an app as GitHub gives it (PKCS#1) or as PKCS#8; undefined when it is no RSA key in PEM. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey({ key: pem, format: 'pem' })
    return key.asymmetricKeyType === 'rsa' ? key : undefined
  } catch {
    return undefined
  }
}

/**
 * A token with which an app proves itself: a JWT signed with RS256.
 * @param now milliseconds since the epoch
 */
export function appToken(key: KeyObject, issuer: string, now: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const issued = Math.floor(now / 1000)
  const body = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({
    iat: issued - CLOCK_SKEW_S,
    exp: issued + APP_TOKEN_S,
    iss: issuer,
  })}`
  return `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`
}

interface Minted {
  readonly token: string
  /** Until when it is used (milliseconds since the epoch). */
  readonly until: number
}

interface Found {
  readonly asked: Promise<GithubInstallation>
  /** Until when it is taken for what it was (milliseconds since the epoch). */
  readonly until: number
}

/** What an app may do at GitHub, with what it has learnt kept for the life of the process. */
export interface GithubApp {
  /** Sends a request as the app itself. */
  send(settings: GithubSettings, path: string, from: Within): Promise<OutboundAnswer>
  /** Every installation of the app, the first page of them. @throws GithubDenied */
  installations(settings: GithubSettings, from: Within): Promise<readonly GithubInstallation[]>
  /** The installation that reaches a repository (`owner/name`). @throws GithubDenied */
  installationOf(settings: GithubSettings, repository: string, from: Within): Promise<GithubInstallation>
  /** A token of an installation that reads. @throws GithubDenied */
  token(settings: GithubSettings, installation: GithubInstallation, from: Within): Promise<string>
  /** Forgets a token that GitHub did not take. */
  forget(settings: GithubSettings, installation: GithubInstallation, token: string): Promise<void>
}

/** How long a request may take. */
interface Within {
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

export function githubApp(deps: { readonly request: GuardedRequest; readonly now: () => number }): GithubApp {
  const tokens = new BoundedMap<Promise<Minted>>(MOST_KEPT)
  const found = new BoundedMap<Found>(MOST_KEPT)
  // Whoever has another key is another app, whatever it calls itself.
  const owner = ({ base_url, client_id, key_digest }: GithubSettings): string =>
    `${base_url} ${client_id} ${key_digest}`

  const send = (
    settings: GithubSettings,
    path: string,
    { deadlineMs, signal }: Within,
    body?: string,
  ): Promise<OutboundAnswer> => {
    if (settings.private_key === undefined) throw new GithubDenied('No private key is given.')
    return sendToGithub(deps.request, settings, {
      method: body === undefined ? 'GET' : 'POST',
      path,
      authorization: `Bearer ${appToken(settings.private_key, settings.client_id, deps.now())}`,
      ...(body === undefined ? {} : { body }),
      deadlineMs,
      signal,
    })
  }

  /** Asks as the app and reads the answer. */
  async function ask<Of>(
    settings: GithubSettings,
    path: string,
    schema: z.ZodMiniType<Of>,
    from: Within,
    body?: string,
  ): Promise<Of> {
    let answer: OutboundAnswer
    try {
      answer = await send(settings, path, from, body)
    } catch (error) {
      throw error instanceof GithubDenied ? error : new GithubDenied(reasonOf(error))
    }
    const until = limitedUntil(answer, deps.now())
    if (until !== undefined) {
      throw new GithubDenied(
        `The rate limit of GitHub is used up until ${new Date(until).toISOString()}.`,
        429,
      )
    }
    if (answer.status !== 200 && answer.status !== 201) {
      throw new GithubDenied(meaningForApp(answer.status), answer.status)
    }
    const read = schema.safeParse(jsonOf(answer))
    if (!read.success) throw new GithubDenied('What answers at this address does not answer like GitHub.')
    return read.data
  }

  async function mint(
    settings: GithubSettings,
    installation: GithubInstallation,
    from: Within,
  ): Promise<Minted> {
    const granted = WANTED_PERMISSIONS.filter((name) => installation.permissions?.[name] !== undefined)
    const minted = await ask(
      settings,
      `/app/installations/${installation.id}/access_tokens`,
      tokenAnswer,
      from,
      // Asking for what is not granted would be refused.
      JSON.stringify(
        granted.length === 0
          ? {}
          : { permissions: Object.fromEntries(granted.map((name) => [name, 'read'])) },
      ),
    )
    const until = Date.parse(minted.expires_at)
    return { token: minted.token, until: Number.isNaN(until) ? 0 : until - SPARE_MS }
  }

  /** What several wait for, asked in nobody's name: whoever gives up takes it from no other. */
  const forAll = (): Within => ({ deadlineMs: SHARED_MS, signal: AbortSignal.timeout(SHARED_MS) })

  /** Waits for what others wait for too, as long as one's own time lasts. @throws GithubDenied */
  async function waitedFor<Of>(work: Promise<Of>, { deadlineMs, signal }: Within): Promise<Of> {
    const over = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(deadlineMs)))])
    try {
      return await untilAborted(work, over)
    } catch (error) {
      throw over.aborted && !(error instanceof GithubDenied)
        ? new GithubDenied('GitHub did not answer in time.')
        : error
    }
  }

  /** A token that others may wait for too; one that was not given is tried anew by the next. */
  function shared(name: string, minting: Promise<Minted>): Promise<Minted> {
    tokens.set(name, minting)
    minting.catch(() => tokens.delete(name))
    return minting
  }

  const nameOf = (settings: GithubSettings, installation: GithubInstallation): string =>
    `${owner(settings)} ${installation.id}`

  return {
    send,
    async installations(settings, from) {
      if (settings.installation_id !== undefined) {
        return [
          await ask(settings, `/app/installations/${settings.installation_id}`, installationAnswer, from),
        ]
      }
      return ask(settings, '/app/installations?per_page=100', installationsAnswer, from)
    },
    async installationOf(settings, repository, from) {
      const { installation_id } = settings
      const name = `${owner(settings)} ${installation_id ?? repository.split('/', 1)[0]?.toLowerCase()}`
      const path =
        installation_id === undefined
          ? `/repos/${repository}/installation`
          : `/app/installations/${installation_id}`
      const known = found.get(name)
      if (known !== undefined && known.until > deps.now()) return waitedFor(known.asked, from)
      const asked = ask(settings, path, installationAnswer, forAll())
      found.set(name, { asked, until: deps.now() + INSTALLATION_MS })
      asked.catch(() => found.delete(name))
      return waitedFor(asked, from)
    },
    async token(settings, installation, from) {
      if (installation.suspended_at) throw new GithubDenied('The installation of the app is suspended.', 403)
      const name = nameOf(settings, installation)
      const mintAnew = (): Promise<Minted> => shared(name, mint(settings, installation, forAll()))
      const before = tokens.get(name)
      const kept = await waitedFor(before ?? mintAnew(), from)
      if (before === undefined || kept.until > deps.now()) return kept.token
      // Of all that wait for the one that has run out, the first gets the next.
      const next = tokens.get(name)
      const anew = next === undefined || next === before ? mintAnew() : next
      return (await waitedFor(anew, from)).token
    },
    async forget(settings, installation, token) {
      const name = nameOf(settings, installation)
      const kept = tokens.get(name)
      // Somebody else may have got the next one meanwhile.
      if ((await kept)?.token === token && tokens.get(name) === kept) tokens.delete(name)
    },
  }
}

/** What a status means for somebody who comes as an app. */
function meaningForApp(status: number): string {
  if (status === 401) return 'GitHub refuses the private key of the app (status 401).'
  if (status === 404) return 'The app is not installed there (status 404).'
  return meaningOf(status)
}

/** The body of an answer as JSON; undefined when it is none. */
export function jsonOf(answer: OutboundAnswer): unknown {
  try {
    return JSON.parse(Buffer.from(answer.body).toString()) as unknown
  } catch {
    return undefined
  }
}
