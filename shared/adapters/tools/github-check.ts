import {
  EgressRefused,
  type GuardedRequest,
  type OutboundAnswer,
} from '#shared/adapters/http/guarded-request.ts'
import { invalidField } from '#shared/domain/errors.ts'
import type { CheckResult, IntegrationConfig } from '#shared/domain/integration.ts'
import { appAnswer, errorAnswer, rateAnswer, repositoryAnswer } from './github-answers.ts'
import { type GithubApp, type GithubInstallation, jsonOf, WANTED_PERMISSIONS } from './github-app.ts'
import {
  basicOf,
  GithubDenied,
  type GithubSettings,
  limitedUntil,
  MAX_REPOSITORIES,
  meaningOf,
  reasonOf,
  sendToGithub,
} from './github-session.ts'
import { settingsOf } from './github-settings.ts'

/** Deadline of one request of a check, in milliseconds; the check's own signal may end it earlier. */
const CHECK_MS = 5000

/** An access token that cannot exist: GitHub looks at the client's credentials before it looks for the token. */
const NO_TOKEN = 'incident-investigator-connection-check'

interface Deps {
  readonly request: GuardedRequest
  readonly now: () => number
  readonly app: GithubApp
}

const failed = (detail: string): CheckResult => ({ status: 'error', detail })

/**
 * Whether GitHub takes these credentials, and what they reach.
 * @throws Refusal `invalid` naming the credential that GitHub refuses
 */
export async function checkGithub(
  deps: Deps,
  config: IntegrationConfig,
  signal: AbortSignal,
): Promise<CheckResult> {
  const settings = settingsOf(config)
  const send: Send = async (asked) => {
    try {
      const answer = await sendToGithub(deps.request, settings, { ...asked, deadlineMs: CHECK_MS, signal })
      const until = limitedUntil(answer, deps.now())
      if (until === undefined) return answer
      return failed(`The rate limit of GitHub is used up until ${new Date(until).toISOString()}.`)
    } catch (error) {
      if (error instanceof EgressRefused && config.base_url !== undefined) {
        throw invalidField('config.base_url', error.message)
      }
      return failed(reasonOf(error))
    }
  }
  const credentials = await checkCredentials(settings, send)
  if (credentials !== undefined) return credentials
  return settings.private_key === undefined
    ? checkPublicData(settings, send)
    : checkApp(deps, settings, send, { deadlineMs: CHECK_MS, signal })
}

type Send = (
  asked: Pick<Parameters<typeof sendToGithub>[2], 'method' | 'path' | 'authorization' | 'body'>,
) => Promise<OutboundAnswer | CheckResult>

/** What keeps the client id and secret from being known as right; undefined when nothing does. */
async function checkCredentials(settings: GithubSettings, send: Send): Promise<CheckResult | undefined> {
  const credentials = await send({
    method: 'POST',
    path: `/applications/${encodeURIComponent(settings.client_id)}/token`,
    authorization: basicOf(settings),
    body: JSON.stringify({ access_token: NO_TOKEN }),
  })
  if ('detail' in credentials) return credentials
  if (credentials.status === 401 || credentials.status === 403) {
    throw invalidField(
      'config.client_secret',
      `GitHub refuses this client id and client secret (status ${credentials.status})`,
    )
  }
  // An unknown token and a token that is none: the credentials were not the reason.
  if (credentials.status !== 404 && credentials.status !== 422) return failed(meaningOf(credentials.status))
  if (!errorAnswer.safeParse(jsonOf(credentials)).success) {
    return failed('What answers at this address does not answer like GitHub.')
  }
  return undefined
}

async function checkPublicData(settings: GithubSettings, send: Send): Promise<CheckResult> {
  const missing = ['private repositories cannot be read with a client id and client secret alone']
  if (settings.repositories.length === 0) missing.push('no repositories are given')
  let authorization: string | undefined = basicOf(settings)
  for (const { name } of settings.repositories.slice(0, MAX_REPOSITORIES)) {
    const path = `/repos/${name}`
    let answer = await send({ method: 'GET', path, authorization })
    if (!('detail' in answer) && answer.status === 401 && authorization !== undefined) {
      authorization = undefined
      missing.push(
        'public data is read without the credentials, with 60 requests an hour for each network address',
      )
      answer = await send({ method: 'GET', path })
    }
    if ('detail' in answer) return failed(`${name}: ${answer.detail}`)
    if (answer.status >= 500) return failed(`${name}: ${meaningOf(answer.status)}`)
    const repository = repositoryAnswer.safeParse(jsonOf(answer))
    if (answer.status === 404) missing.push(`${name} does not exist or is not public`)
    else if (answer.status !== 200) missing.push(`${name}: ${meaningOf(answer.status)}`)
    else if (!repository.success) missing.push(`${name}: the answer cannot be read`)
  }
  if (settings.repositories.length > MAX_REPOSITORIES) {
    missing.push(
      `only the first ${MAX_REPOSITORIES} of ${settings.repositories.length} repositories are read`,
    )
  }
  // Asking for it costs none of them.
  const limit = await send({ method: 'GET', path: '/rate_limit', authorization })
  const left = 'detail' in limit || limit.status !== 200 ? undefined : rateAnswer.safeParse(jsonOf(limit))
  if (left?.success === true) {
    const { remaining, limit: all } = left.data.resources.core
    missing.push(`${remaining} of ${all} requests are left in this hour`)
  }
  return { status: 'degraded', detail: `public data only: ${missing.join('; ')}` }
}

/** What the app reaches with its key: connected when its installations grant all that is read of every repository. */
async function checkApp(
  { app }: Deps,
  settings: GithubSettings,
  send: Send,
  within: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<CheckResult> {
  const self = await app.send(settings, '/app', within).catch((error: unknown) => failed(reasonOf(error)))
  if ('detail' in self) return self
  if (self.status === 401 || self.status === 403 || self.status === 404) {
    throw invalidField(
      'config.private_key',
      `GitHub refuses this private key for the client id (status ${self.status})`,
    )
  }
  if (self.status !== 200) return failed(meaningOf(self.status))
  const known = appAnswer.safeParse(jsonOf(self))
  if (!known.success) return failed('What answers at this address does not answer like GitHub.')
  if (String(known.data.id) !== settings.app_id) {
    throw invalidField('config.app_id', 'is not the app that the private key belongs to')
  }
  const missing = new Set<string>()
  const reached = await reach(app, settings, within, missing)
  if ('detail' in reached) return reached
  for (const installation of reached) {
    if (installation.suspended_at) missing.add(`installation ${installation.id} is suspended`)
    const lacking = WANTED_PERMISSIONS.filter((name) => installation.permissions?.[name] === undefined)
    if (lacking.length > 0) missing.add(`no permission to read ${lacking.join(', ')}`)
  }
  const outcomes = await Promise.all(
    settings.repositories
      .slice(0, MAX_REPOSITORIES)
      .map(({ name }) => checkRepository(app, settings, name, send, within)),
  )
  for (const outcome of outcomes) if (outcome?.fatal) return failed(outcome.why)
  for (const outcome of outcomes) if (outcome !== undefined) missing.add(outcome.why)
  if (settings.repositories.length > MAX_REPOSITORIES) {
    missing.add(`only the first ${MAX_REPOSITORIES} of ${settings.repositories.length} repositories are read`)
  }
  return missing.size === 0
    ? { status: 'connected', detail: null }
    : { status: 'degraded', detail: [...missing].join('; ') }
}

/** The installations that the settings reach; where they name repositories, those of their owners. */
async function reach(
  app: GithubApp,
  settings: GithubSettings,
  within: { readonly deadlineMs: number; readonly signal: AbortSignal },
  missing: Set<string>,
): Promise<readonly GithubInstallation[] | CheckResult> {
  try {
    if (settings.installation_id !== undefined || settings.repositories.length === 0) {
      const all = await app.installations(settings, within)
      if (all.length === 0) missing.add('the app is installed nowhere')
      return all
    }
    const asked = await Promise.allSettled(
      settings.repositories
        .slice(0, MAX_REPOSITORIES)
        .map(({ name }) => app.installationOf(settings, name, within)),
    )
    const found = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    // What keeps a repository from being reached is told where it is read.
    return [...new Map(found.map((each) => [each.id, each])).values()]
  } catch (error) {
    if (error instanceof GithubDenied && error.status === 404 && settings.installation_id !== undefined) {
      throw invalidField('config.installation_id', 'is no installation of this app (status 404)')
    }
    return failed(reasonOf(error))
  }
}

/** Why a repository cannot be read; `fatal` where GitHub itself is the reason. */
async function checkRepository(
  app: GithubApp,
  settings: GithubSettings,
  name: string,
  send: Send,
  within: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<{ readonly why: string; readonly fatal: boolean } | undefined> {
  try {
    const installation = await app.installationOf(settings, name, within)
    const authorization = `Bearer ${await app.token(settings, installation, within)}`
    const answer = await send({ method: 'GET', path: `/repos/${name}`, authorization })
    if ('detail' in answer) return { why: `${name}: ${answer.detail}`, fatal: true }
    if (answer.status === 404)
      return { why: `${name} does not exist or the app may not read it`, fatal: false }
    if (answer.status !== 200)
      return { why: `${name}: ${meaningOf(answer.status)}`, fatal: answer.status >= 500 }
    return repositoryAnswer.safeParse(jsonOf(answer)).success
      ? undefined
      : { why: `${name}: the answer cannot be read`, fatal: false }
  } catch (error) {
    const { status } = error as { status?: number }
    return { why: `${name}: ${reasonOf(error)}`, fatal: status === undefined || status >= 429 }
  }
}
