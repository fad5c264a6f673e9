import type * as z from 'zod/mini'
import { BoundedMap } from '#shared/adapters/bounded-map.ts'
import type { GuardedRequest } from '#shared/adapters/http/guarded-request.ts'
import type { PullRequest, Tool } from '#shared/domain/integration.ts'
import {
  type Change,
  NOTHING_PULLED,
  type Pulled,
  type Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import {
  checkRunAnswer,
  checkRunsAnswer,
  commitAnswer,
  comparisonAnswer,
  deploymentAnswer,
  deploymentStatusAnswer,
  type GithubCommit,
  type GithubDeployment,
  type GithubFile,
  type GithubPullRequest,
  installedRepositoriesAnswer,
  installedRepositoryAnswer,
  pullRequestAnswer,
  readItems,
  releaseAnswer,
  unifiedDiff,
} from './github-answers.ts'
import { type GithubApp, githubApp } from './github-app.ts'
import { checkGithub } from './github-check.ts'
import {
  type GithubRepository,
  type GithubSession,
  type GithubSettings,
  githubSession,
  type KeptAnswer,
  MAX_REPOSITORIES,
  type TokenSource,
} from './github-session.ts'
import { settingsOf } from './github-settings.ts'

/** Deadline of one request of a pull, in milliseconds: what a tool gets for a whole investigation. */
const PULL_MS = 8000
/**
 * How long before the incident changes are asked for, in milliseconds. A deploy often carries commits of the day
 * before, and a change may need hours of traffic, a nightly job or a cache's end until it hurts.
 */
const LEAD_MS = 24 * 3_600_000
/** Pages of 100 that are read of one list. */
const MAX_PAGES = 5
/** Commits of one repository whose files and patches are asked for, each by a request of its own. */
const MAX_DETAILS = 20
/** Deployments of one repository whose statuses are asked for. */
const MAX_DEPLOYMENTS = 20
/** Earlier deployments of one environment that are looked at to find the one that was running. */
const MAX_EARLIER = 3
/** Deployed commits of one repository whose check runs are asked for. */
const MAX_CHECKED = 10
/** Installations of an app that are asked for their repositories where the settings name none. */
const MAX_INSTALLATIONS = 5
/** Failed check runs that are named with a deployment. */
const NAMED_CHECKS = 3
/** Answers kept in one process to be asked for conditionally; each is at most 256 KB. */
const MOST_ANSWERS = 64
/** Files named for one change; GitHub itself ends a page there. */
const MAX_FILES = 300

/**
 * GitHub: commits with their files and patches, deployments with the instant at which they took effect and the commits
 * that they carried. The client id and secret of an app alone reach public data; with its private key also what its
 * installations grant, and besides merged pull requests, releases and the check runs of what was deployed.
 * @param deps `now` in milliseconds since the epoch
 */
export function githubTool(deps: { readonly request: GuardedRequest; readonly now: () => number }): Tool {
  const limited = new Map<string, number>()
  const answers = new BoundedMap<KeptAnswer>(MOST_ANSWERS)
  const app = githubApp(deps)
  const limits = {
    get: (key: string) => limited.get(key),
    set: (key: string, until: number) => {
      // What is over need not be kept.
      for (const [other, end] of limited) if (end <= deps.now()) limited.delete(other)
      limited.set(key, until)
    },
  }
  return {
    check: (config, signal) => checkGithub({ ...deps, app }, config, signal),
    async pull(config, request) {
      let settings: GithubSettings
      try {
        settings = settingsOf(config)
      } catch (error) {
        const why = error instanceof Error ? error.message : 'The settings cannot be read.'
        return { ...NOTHING_PULLED, gaps: [{ what: 'GitHub', why }] }
      }
      const within = { deadlineMs: PULL_MS, signal: request.signal }
      const session = githubSession({
        ...deps,
        settings,
        limits,
        answers,
        tokens: settings.private_key === undefined ? undefined : tokensOf(app, settings, within),
        integrationId: request.integration_id,
        signal: request.signal,
        deadlineMs: PULL_MS,
      })
      const repositories = await repositoriesOf(session, app, settings, within)
      return pullGithub(session, repositories, request, settings.private_key !== undefined)
    },
  }
}

/** The tokens of an app for a pull. */
function tokensOf(app: GithubApp, settings: GithubSettings, within: Within): TokenSource {
  const installation = (reach: Parameters<TokenSource['token']>[0]) =>
    typeof reach === 'string' ? app.installationOf(settings, reach, within) : reach
  return {
    token: async (reach) => app.token(settings, await installation(reach), within),
    forget: async (reach, token) => app.forget(settings, await installation(reach), token),
  }
}

type Within = Parameters<GithubApp['installations']>[1]

/** The repositories that the settings name, or those that the app is installed for, the most recently pushed first. */
async function repositoriesOf(
  session: GithubSession,
  app: GithubApp,
  settings: GithubSettings,
  within: Within,
): Promise<readonly GithubRepository[]> {
  if (settings.repositories.length > 0 || settings.private_key === undefined) return settings.repositories
  const what = 'GitHub: the repositories that the app is installed for'
  const missing = (why: string): readonly GithubRepository[] => {
    session.gap({ what, why })
    return []
  }
  try {
    const installations = await app.installations(settings, within)
    if (installations.length > MAX_INSTALLATIONS) {
      missing(`Of ${installations.length} installations the first ${MAX_INSTALLATIONS} are asked.`)
    }
    const found = await Promise.all(
      installations.slice(0, MAX_INSTALLATIONS).map(async (installation) => {
        const path = '/installation/repositories?per_page=100'
        const reply = await session.ask(path, what, [], installation)
        if (!reply.ok) return []
        const read = installedRepositoriesAnswer.safeParse(reply.body)
        const items = read.success ? readItems(installedRepositoryAnswer, read.data.repositories)?.items : []
        session.answered(reply, { items: items ?? [] })
        if (reply.next !== undefined) missing('More than 100; only the first page is read.')
        return items ?? []
      }),
    )
    const newest = found.flat().toSorted((a, b) => (b.pushed_at ?? 0) - (a.pushed_at ?? 0))
    return newest.map(({ full_name }) => ({ name: full_name, services: [] }))
  } catch (error) {
    return missing(error instanceof Error ? error.message : 'They could not be asked for.')
  }
}

async function pullGithub(
  session: GithubSession,
  repositories: readonly GithubRepository[],
  request: PullRequest,
  whole: boolean,
): Promise<Pulled> {
  // The asked service's repository first: where time or the rate limit ends, it ends with the others.
  const wanted = repositories.toSorted(
    (a, b) =>
      Number(b.services.includes(request.service ?? '')) - Number(a.services.includes(request.service ?? '')),
  )
  if (wanted.length === 0) session.gap({ what: 'GitHub', why: 'No repositories are given in the settings.' })
  if (wanted.length > MAX_REPOSITORIES) {
    session.gap({
      what: `GitHub: ${wanted.length - MAX_REPOSITORIES} repositories`,
      why: `One investigation reads at most ${MAX_REPOSITORIES}.`,
    })
  }
  const window = { from: request.window.from - LEAD_MS, to: request.window.to }
  const changes = await Promise.all(
    wanted.slice(0, MAX_REPOSITORIES).map(async (repository) => {
      try {
        return await pullRepository(session, repository, window, whole)
      } catch {
        // What an answer may hold is checked, but a pull must not fail for what a tool sends, whatever it is.
        session.gap({ what: `GitHub: ${repository.name}`, why: 'An answer could not be read.' })
        return []
      }
    }),
  )
  session.end()
  return {
    ...NOTHING_PULLED,
    sources: session.sources.toSorted((a, b) => order(a.query, b.query)),
    changes: changes.flat().toSorted((a, b) => a.recorded_at - b.recorded_at || order(a.id, b.id)),
    gaps: session.gaps,
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** GitHub takes whole seconds: the window is widened to them. */
const seconds = (milliseconds: number, round: (value: number) => number): string =>
  new Date(round(milliseconds / 1000) * 1000).toISOString().replace('.000Z', 'Z')

/** Reads the pages of a list until `enough` or the cap. */
async function readPages<T>(
  session: GithubSession,
  first: string,
  what: string,
  schema: z.ZodMiniType<T>,
  options: {
    readonly window?: Window
    readonly link?: (items: readonly T[]) => string | undefined
    readonly enough?: (items: readonly T[]) => boolean
    readonly empty?: readonly number[]
  } = {},
): Promise<{ readonly item: T; readonly source: string }[]> {
  const found: { item: T; source: string }[] = []
  const visited = new Set<string>()
  let path: string | undefined = first
  for (let page = 1; path !== undefined; page += 1) {
    visited.add(path)
    const reply: Awaited<ReturnType<GithubSession['ask']>> = await session.ask(path, what, options.empty)
    if (!reply.ok) break
    const read = readItems(schema, reply.body)
    if (read === undefined) {
      session.answered(reply, { items: [], outcome: 'failed', detail: 'The answer is no list.' })
      session.gap({ what, why: 'The answer is no list.', source: reply.id })
      break
    }
    if (read.malformed > 0) {
      session.gap({
        what,
        why: `${read.malformed} of ${read.items.length + read.malformed} items could not be read, first ${read.first}.`,
        source: reply.id,
      })
    }
    found.push(...read.items.map((item) => ({ item, source: reply.id })))
    if (reply.next !== undefined && visited.has(reply.next)) {
      session.gap({ what, why: 'The pages of the list lead in a circle.', source: reply.id })
    }
    const more = reply.next !== undefined && !visited.has(reply.next) && !options.enough?.(read.items)
    const cut = more && page >= MAX_PAGES
    session.answered(reply, {
      items: read.items,
      link: options.link?.(read.items),
      ...(options.window ? { window: options.window } : {}),
      ...(cut ? { outcome: 'cut' as const, detail: `More pages follow; ${MAX_PAGES} are read.` } : {}),
    })
    if (cut) {
      session.gap({ what, why: `More than ${found.length}; only the newest are read.`, source: reply.id })
    }
    path = more && !cut ? reply.next : undefined
  }
  return found
}

/** What is missing of the diffs of one repository: names of files, and how many diffs were cut. */
interface Diffs {
  readonly withoutPatch: Set<string>
  cut: number
}

/** Says of what diffs GitHub gave nothing, or only a part. */
function tellMissing(session: GithubSession, repository: string, { withoutPatch, cut }: Diffs): void {
  if (withoutPatch.size > 0) {
    session.gap({
      what: `GitHub: the diff of ${withoutPatch.size} files in ${repository}`,
      why: 'GitHub gives no patch for binary files and for very large ones.',
    })
  }
  if (cut > 0) {
    session.gap({
      what: `GitHub: the rest of ${cut} long diffs in ${repository}`,
      why: 'Long diffs are cut.',
    })
  }
}

/** Ids of the commits of which files and diffs are asked for: what a deploy carried first, since it took effect; then the newest. */
function worthDetails(
  session: GithubSession,
  repository: string,
  changes: Iterable<Change>,
  carried: ReadonlySet<string>,
): readonly string[] {
  const wanted = [...changes]
    .toSorted(
      (a, b) =>
        Number(carried.has(b.id)) - Number(carried.has(a.id)) ||
        b.recorded_at - a.recorded_at ||
        order(a.id, b.id),
    )
    .map(({ id }) => id)
  if (wanted.length > MAX_DETAILS) {
    session.gap({
      what: `GitHub: files and diffs of ${wanted.length - MAX_DETAILS} commits of ${repository}`,
      why: `They are asked for ${MAX_DETAILS} of ${wanted.length} commits.`,
    })
  }
  return wanted.slice(0, MAX_DETAILS)
}

/** The one service that changes of a repository are of; undefined, and a gap, where the settings map several to it. */
function serviceOf(session: GithubSession, { name, services }: GithubRepository): string | undefined {
  if (services.length <= 1) return services[0]
  session.gap({
    what: `GitHub: services of the changes in ${name}`,
    why: `The settings map ${services.length} services to it, so a change says none.`,
  })
  return undefined
}

async function pullRepository(
  session: GithubSession,
  repository: GithubRepository,
  window: Window,
  whole: boolean,
): Promise<Change[]> {
  const { name } = repository
  const entity = serviceOf(session, repository)
  const diffs: Diffs = { withoutPatch: new Set(), cut: 0 }
  const since = seconds(window.from, Math.floor)
  const until = seconds(window.to, Math.ceil)
  const [listed, deployments, merged, releases] = await Promise.all([
    readPages(
      session,
      `/repos/${name}/commits?since=${since}&until=${until}&per_page=100`,
      `GitHub: commits of ${name}`,
      commitAnswer,
      // 409: the repository is empty.
      { window, link: commitsPage, empty: [409] },
    ),
    readDeployments(session, name, window),
    whole ? readMerged(session, name, window) : [],
    whole ? readReleases(session, name, window, entity) : [],
  ])

  const commits = new Map<string, GithubCommit>()
  const changes = new Map<string, Change>()
  const keep = ({ item, source }: { item: GithubCommit; source: string }): void => {
    const change = commitChange(session, name, item, source, entity, diffs)
    if (change) changes.set(change.id, change)
    commits.set(item.sha, item)
  }
  for (const row of listed) keep(row)

  const deploys = await Promise.all(
    deployments.map(async (deployment): Promise<Change> => {
      const carried = await readCarried(session, name, deployment)
      const checks = whole ? await readChecks(session, name, deployment) : undefined
      for (const item of carried?.commits ?? []) {
        if (!changes.has(item.sha)) keep({ item, source: carried?.source ?? deployment.source })
      }
      return deployChange(deployment, entity, carried, diffs, checks)
    }),
  )
  // A merge stands for what it brought along: its parts are the same lines once more.
  const folded = mergedAlong(commits)
  for (const sha of folded) changes.delete(sha)

  const carried = new Set(deploys.flatMap(({ carries }) => carries ?? []))
  await Promise.all(
    worthDetails(session, name, changes.values(), carried).map(async (sha) => {
      const detail = await readCommit(session, name, sha)
      if (detail) keep(detail)
    }),
  )
  tellMissing(session, name, diffs)
  for (const { item, source } of merged) {
    const unit = item.merge_commit_sha ?? `#${item.number}`
    changes.set(unit, asPullRequest(item, changes.get(unit), { source, id: unit, entity }))
  }
  const kept = deploys.map((deploy) =>
    deploy.carries === undefined
      ? deploy
      : { ...deploy, carries: deploy.carries.filter((sha) => !folded.has(sha)) },
  )
  return [...changes.values(), ...kept, ...releases]
}

/**
 * The commits that came by a merge: those that its further parents reach and its first does not, as far as they are
 * known. Only the merge itself is a change of the branch.
 */
function mergedAlong(commits: ReadonlyMap<string, GithubCommit>): ReadonlySet<string> {
  const reached = (from: readonly string[]): Set<string> => {
    const seen = new Set<string>()
    const open = [...from]
    for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
      if (seen.has(sha) || !commits.has(sha)) continue
      seen.add(sha)
      open.push(...(commits.get(sha)?.parents ?? []).map((parent) => parent.sha))
    }
    return seen
  }
  const along = new Set<string>()
  for (const { parents = [] } of commits.values()) {
    const [first, ...others] = parents.map(({ sha }) => sha)
    if (first === undefined || others.length === 0) continue
    const before = reached([first])
    for (const sha of reached(others)) if (!before.has(sha)) along.add(sha)
  }
  return along
}

/** The pull requests that were merged into the default branch within the window. */
async function readMerged(session: GithubSession, name: string, window: Window) {
  const rows = await readPages(
    session,
    `/repos/${name}/pulls?state=closed&sort=updated&direction=desc&per_page=100`,
    `GitHub: merged pull requests of ${name}`,
    pullRequestAnswer,
    // Whatever was merged within the window was updated since it began.
    { enough: (items) => items.some(({ updated_at }) => updated_at < window.from) },
  )
  return rows.filter(({ item: { merged_at, base } }) => {
    const main = base.repo?.default_branch
    return (
      merged_at !== null &&
      merged_at >= window.from &&
      merged_at < window.to &&
      (main ?? base.ref) === base.ref
    )
  })
}

/** A merged pull request: the commit that it made, under its own name and author. */
function asPullRequest(
  item: GithubPullRequest,
  commit: Change | undefined,
  own: { readonly source: string; readonly id: string; readonly entity: string | undefined },
): Change {
  const actor = item.user?.login ?? commit?.actor
  return {
    source: own.source,
    id: own.id,
    certainty: 'recorded',
    ...(own.entity === undefined ? {} : { entity: own.entity }),
    ...(item.merge_commit_sha ? { after: item.merge_commit_sha } : {}),
    ...commit,
    kind: 'pull_request',
    recorded_at: item.merged_at ?? item.updated_at,
    title: `${item.title} (#${item.number})`,
    ...(actor === undefined ? {} : { actor }),
  }
}

/** The releases of the window. That something was published does not say when it runs. */
async function readReleases(
  session: GithubSession,
  name: string,
  window: Window,
  entity: string | undefined,
): Promise<Change[]> {
  const rows = await readPages(
    session,
    `/repos/${name}/releases?per_page=100`,
    `GitHub: releases of ${name}`,
    releaseAnswer,
    { enough: (items) => items.some(({ created_at }) => created_at < window.from) },
  )
  return rows.flatMap(({ item, source }): Change[] => {
    const at = item.published_at
    if (item.draft || at === null || at < window.from || at >= window.to) return []
    const actor = item.author?.login
    return [
      {
        source,
        id: `release ${item.tag_name}`,
        recorded_at: at,
        effective_at: { from: at, to: at },
        certainty: 'guessed',
        kind: 'release',
        title: `Release ${item.name || item.tag_name}`,
        after: item.tag_name,
        ...(entity === undefined ? {} : { entity }),
        ...(actor === undefined ? {} : { actor }),
      },
    ]
  })
}

/** What the check runs of a deployed commit came to. */
interface Checks {
  readonly total: number
  /** Names of those that failed. */
  readonly failed: readonly string[]
}

/** Conclusions of a check run that speak against the commit. */
const FAILED_CHECK = new Set(['failure', 'timed_out', 'startup_failure', 'action_required'])

/** The check runs of the commits that the newest deployments put in place. */
async function readChecks(
  session: GithubSession,
  name: string,
  { item, rank }: Deployed,
): Promise<Checks | undefined> {
  if (rank >= MAX_CHECKED) return undefined
  const what = `GitHub: check runs of ${item.sha} in ${name}`
  const reply = await session.ask(
    `/repos/${name}/commits/${item.sha}/check-runs?filter=latest&per_page=100`,
    what,
  )
  if (!reply.ok) return undefined
  const read = checkRunsAnswer.safeParse(reply.body)
  const runs = read.success ? readItems(checkRunAnswer, read.data.check_runs) : undefined
  if (!read.success || runs === undefined) {
    session.answered(reply, { items: [], outcome: 'failed', detail: 'The answer is no list of check runs.' })
    session.gap({ what, why: 'The answer is no list of check runs.', source: reply.id })
    return undefined
  }
  const cut = read.data.total_count > runs.items.length
  session.answered(reply, { items: runs.items, ...(cut ? { outcome: 'cut' as const } : {}) })
  if (cut) {
    session.gap({
      what,
      why: `${runs.items.length} of ${read.data.total_count} were read.`,
      source: reply.id,
    })
  }
  const failed = runs.items.filter(({ conclusion }) => FAILED_CHECK.has(conclusion ?? ''))
  return { total: runs.items.length, failed: failed.map((run) => run.name).toSorted(order) }
}

/** How the check runs stand in the title of a deployment; nothing where none failed. */
function checksNote({ total, failed }: Checks): string {
  if (failed.length === 0) return ''
  const more = failed.length > NAMED_CHECKS ? ', …' : ''
  return ` although ${failed.length} of ${total} check runs failed: ${failed.slice(0, NAMED_CHECKS).join(', ')}${more}`
}

/** A link of an answer, only if it is one that a browser may open. */
const webLink = (link: string | undefined): string | undefined =>
  link !== undefined && URL.canParse(link) && /^https?:$/.test(new URL(link).protocol) ? link : undefined

const commitsPage = (items: readonly GithubCommit[]): string | undefined =>
  webLink(items[0]?.html_url?.replace(/\/commit\/[0-9a-f]+$/, '/commits'))

async function readCommit(
  session: GithubSession,
  name: string,
  sha: string,
): Promise<{ item: GithubCommit; source: string } | undefined> {
  const what = `GitHub: files and diff of commit ${sha} in ${name}`
  const reply = await session.ask(`/repos/${name}/commits/${sha}`, what)
  if (!reply.ok) return undefined
  const read = commitAnswer.safeParse(reply.body)
  if (!read.success || read.data.sha !== sha) {
    const detail = 'The answer is not that commit.'
    session.answered(reply, { items: [], outcome: 'failed', detail })
    session.gap({ what, why: detail, source: reply.id })
    return undefined
  }
  const cut = reply.next !== undefined
  session.answered(reply, {
    items: [read.data],
    link: webLink(read.data.html_url),
    ...(cut ? { outcome: 'cut' as const, detail: `More than ${MAX_FILES} files.` } : {}),
  })
  if (cut) session.gap({ what, why: `Only the first ${MAX_FILES} files are read.`, source: reply.id })
  return { item: read.data, source: reply.id }
}

function commitChange(
  session: GithubSession,
  name: string,
  commit: GithubCommit,
  source: string,
  entity: string | undefined,
  diffs: Diffs,
): Change | undefined {
  const recorded = commit.commit.committer?.date ?? commit.commit.author?.date
  if (recorded === undefined) {
    session.gap({ what: `GitHub: commit ${commit.sha} of ${name}`, why: 'It has no date.', source })
    return undefined
  }
  const before = commit.parents?.[0]?.sha
  const actor = commit.author?.login ?? commit.commit.author?.name
  return {
    source,
    id: commit.sha,
    recorded_at: recorded,
    kind: 'commit',
    title: commit.commit.message.split('\n', 1)[0] ?? '',
    after: commit.sha,
    certainty: 'recorded',
    ...(entity === undefined ? {} : { entity }),
    ...(before === undefined ? {} : { before }),
    ...(actor === undefined ? {} : { actor }),
    ...filesOf(commit.files, diffs),
  }
}

function filesOf(files: readonly GithubFile[] | undefined, diffs: Diffs): Pick<Change, 'files' | 'diff'> {
  if (files === undefined) return {}
  const kept = files.slice(0, MAX_FILES)
  const { diff, without_patch, cut } = unifiedDiff(kept)
  for (const filename of without_patch) diffs.withoutPatch.add(filename)
  diffs.cut += Number(cut)
  return { files: kept.map(({ filename }) => filename), diff }
}

/** A deployment with what became of it. */
interface Deployed {
  readonly item: GithubDeployment
  readonly source: string
  /** Its newest state; undefined where its statuses could not be read. */
  readonly state: string | undefined
  /** When it was put in place: from the first sign of work to the first success; undefined without success. */
  readonly effective: { readonly from: number; readonly to: number } | undefined
  /** The sha that ran in the environment before; undefined when unknown. */
  readonly before: string | undefined
  /** How many deployments of the window are newer. */
  readonly rank: number
}

/** Named so by convention: GitHub sets its flag only for an environment that is called exactly `production`. */
const isProduction = ({ production_environment, environment }: GithubDeployment): boolean =>
  production_environment === true || /^(?:prod|production|live)(?:$|[^a-z])/i.test(environment)

/**
 * The deployments of the window with their effect time and what ran before. Where a repository deploys to production,
 * its other environments are left out and named in a gap: the same commits reach them first and break nobody.
 */
async function readDeployments(session: GithubSession, name: string, window: Window): Promise<Deployed[]> {
  const what = `GitHub: deployments of ${name}`
  // No bounds can be given: newest first, so the page that reaches behind the window is the last one needed.
  const rows = await readPages(session, `/repos/${name}/deployments?per_page=100`, what, deploymentAnswer, {
    enough: (items) => items.some(({ created_at }) => created_at < window.from),
  })
  // A deployment that arrives between two pages moves another one onto both.
  const all = [...new Map(rows.map((row) => [row.item.id, row])).values()]
  const production = all.filter(({ item }) => isProduction(item))
  const kept =
    production.length > 0 ? production : all.filter(({ item }) => item.transient_environment !== true)
  const inWindow = ({ item }: { item: GithubDeployment }) =>
    item.created_at >= window.from && item.created_at < window.to
  const left = all.filter((row) => !kept.includes(row) && inWindow(row))
  if (left.length > 0) {
    const environments = [...new Set(left.map(({ item }) => item.environment))].toSorted(order)
    session.gap({
      what: `GitHub: ${left.length} deployments of ${name} to ${environments.slice(0, 5).join(', ')}`,
      why: 'They did not go to production.',
    })
  }

  const newestFirst = kept.toSorted((a, b) => b.item.created_at - a.item.created_at || b.item.id - a.item.id)
  const environments = Map.groupBy(newestFirst, ({ item }) => item.environment)
  const asked = new Set(newestFirst.filter(inWindow).slice(0, MAX_DEPLOYMENTS))
  const overCap = newestFirst.filter(inWindow).length - asked.size
  if (overCap > 0) {
    session.gap({
      what: `GitHub: ${overCap} older deployments of ${name}`,
      why: `${MAX_DEPLOYMENTS} are read.`,
    })
  }
  const found = await Promise.all(
    [...environments.values()].map(async (rows): Promise<Deployed[]> => {
      const current = await Promise.all(
        rows.filter((row) => asked.has(row)).map((row) => readStatuses(session, name, row)),
      )
      if (current.length === 0) return []
      const earlier: Deployed[] = []
      const older = rows.filter((row) => !asked.has(row) && row.item.created_at < window.to)
      for (const row of older.slice(0, MAX_EARLIER)) {
        const read = await readStatuses(session, name, row)
        earlier.push(read)
        if (read.effective) break
      }
      const succeeded = [...current, ...earlier].filter(({ effective }) => effective !== undefined)
      return current.map((deployment) => {
        const at = deployment.effective?.to ?? deployment.item.created_at
        const previous = succeeded
          .filter((other) => other !== deployment && (other.effective?.to ?? 0) < at)
          .toSorted((a, b) => (b.effective?.to ?? 0) - (a.effective?.to ?? 0))[0]
        if (previous === undefined && older.length > 0) {
          session.gap({
            what: `GitHub: what ran in ${deployment.item.environment} before deployment ${deployment.item.id} of ${name}`,
            why: `None of the ${earlier.length} deployments before it is known to have succeeded.`,
          })
        }
        return { ...deployment, before: previous?.item.sha }
      })
    }),
  )
  const ranked = found
    .flat()
    .toSorted((a, b) => b.item.created_at - a.item.created_at || b.item.id - a.item.id)
  return found.flat().map((deployment) => ({ ...deployment, rank: ranked.indexOf(deployment) }))
}

async function readStatuses(
  session: GithubSession,
  name: string,
  { item, source }: { readonly item: GithubDeployment; readonly source: string },
): Promise<Deployed> {
  const statuses = await readPages(
    session,
    `/repos/${name}/deployments/${item.id}/statuses?per_page=100`,
    `GitHub: outcome of deployment ${item.id} of ${name}`,
    deploymentStatusAnswer,
  )
  const inOrder = statuses.toSorted((a, b) => a.item.created_at - b.item.created_at)
  const success = inOrder.find((status) => status.item.state === 'success')
  const started = inOrder.find((status) => status.item.state === 'in_progress')?.item.created_at
  // `inactive` only says that a later deployment took its place.
  const state = inOrder.findLast((status) => status.item.state !== 'inactive')?.item.state
  return {
    item,
    source: success?.source ?? source,
    state: success ? 'success' : state,
    effective: success && {
      from: Math.min(started ?? item.created_at, success.item.created_at),
      to: success.item.created_at,
    },
    before: undefined,
    rank: 0,
  }
}

/** What a deployment brought along, compared with what ran before. */
interface Carried {
  readonly source: string
  readonly commits: readonly GithubCommit[]
  readonly files: readonly GithubFile[] | undefined
  /** How many commits it took back; above 0 with none carried it is a rollback. */
  readonly behindBy: number
}

async function readCarried(
  session: GithubSession,
  name: string,
  { item, before, effective }: Deployed,
): Promise<Carried | undefined> {
  if (before === undefined || effective === undefined || before === item.sha) return undefined
  const what = `GitHub: commits that deployment ${item.id} of ${name} carried`
  const reply = await session.ask(`/repos/${name}/compare/${before}...${item.sha}`, what)
  if (!reply.ok) return undefined
  const read = comparisonAnswer.safeParse(reply.body)
  const commits = read.success ? readItems(commitAnswer, read.data.commits) : undefined
  if (!read.success || commits === undefined) {
    session.answered(reply, { items: [], outcome: 'failed', detail: 'The answer is no comparison.' })
    session.gap({ what, why: 'The answer is no comparison.', source: reply.id })
    return undefined
  }
  const cut = read.data.total_commits > commits.items.length
  session.answered(reply, {
    items: commits.items,
    link: webLink(read.data.html_url),
    ...(cut ? { outcome: 'cut' as const } : {}),
  })
  if (cut) {
    session.gap({
      what,
      why: `${commits.items.length} of ${read.data.total_commits} commits were read.`,
      source: reply.id,
    })
  }
  return {
    source: reply.id,
    commits: commits.items,
    files: read.data.files,
    behindBy: read.data.behind_by,
  }
}

function deployChange(
  { item, source, state, effective, before }: Deployed,
  entity: string | undefined,
  carried: Carried | undefined,
  diffs: Diffs,
  checks: Checks | undefined,
): Change {
  const short = item.sha.slice(0, 7)
  const rollback = carried && carried.behindBy > 0 && carried.commits.length === 0
  const note =
    state !== 'success'
      ? ` (${state ?? 'outcome unknown'})`
      : rollback
        ? ` (rollback by ${carried.behindBy} commits)`
        : ''
  const actor = item.creator?.login
  return {
    source,
    id: String(item.id),
    recorded_at: item.created_at,
    kind: 'deploy',
    title: `Deploy of ${short} to ${item.environment}${note}${checks ? checksNote(checks) : ''}`,
    after: item.sha,
    // That it began is on record; of one that failed, or of which nobody knows the end, nothing says that it took effect.
    certainty: state === 'success' ? 'recorded' : 'guessed',
    ...(effective ? { effective_at: effective } : {}),
    ...(entity === undefined ? {} : { entity }),
    ...(before === undefined ? {} : { before }),
    ...(actor === undefined ? {} : { actor }),
    ...(carried ? { carries: carried.commits.map(({ sha }) => sha), ...filesOf(carried.files, diffs) } : {}),
  }
}
