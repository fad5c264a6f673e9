import { nothing, type Reading, type ReadSent, type Sent } from '../alert.ts'
import { instantOf, lineOf, listOf, objectOf, type Payload, textOf } from '../payload-fields.ts'

/** Commits of one push that are kept. */
const MOST_COMMITS = 100
const TITLE_LENGTH = 300
/** Workflows that put something into effect say so in their name or their file. */
const DEPLOYS = /deploy|release|rollout|publish/i

/** Settings may say which service a repository is. */
function entityOf({ config }: Sent, repository: string): string | undefined {
  const { repositories } = config
  if (Array.isArray(repositories)) return undefined
  return Object.entries(objectOf(repositories)).find(
    ([, name]) => typeof name === 'string' && name.toLowerCase() === repository.toLowerCase(),
  )?.[0]
}

interface PushedChange {
  readonly id: string
  readonly kind: string
  readonly recorded_at: string
  readonly effective_at?: { readonly from: string; readonly to: string }
  readonly title: string
  readonly after?: string
  readonly actor?: string
  readonly certainty?: 'recorded' | 'guessed'
}

const instant = (at: number): string => new Date(at).toISOString()
/** What is there of a change beside what it must have. */
const optional = (after: string | null, actor: string | null) => ({
  ...(after === null ? {} : { after }),
  ...(actor === null ? {} : { actor }),
})

/** Commits that came to the branch that is deployed from. */
function pushed(payload: Payload, received: number): readonly PushedChange[] {
  const branch = textOf(objectOf(payload.repository).default_branch)
  if (branch !== null && payload.ref !== `refs/heads/${branch}`) return []
  if (branch === null && !String(payload.ref).startsWith('refs/heads/')) return []
  return listOf(payload.commits)
    .slice(-MOST_COMMITS)
    .map((value) => {
      const commit = objectOf(value)
      const author = objectOf(commit.author)
      const sha = textOf(commit.id)
      return {
        id: sha ?? 'commit',
        kind: 'commit',
        recorded_at: instant(instantOf(commit.timestamp) ?? received),
        title: lineOf(textOf(commit.message)?.split('\n', 1)[0] ?? 'Commit', TITLE_LENGTH),
        ...optional(sha, textOf(author.username, author.name)),
      }
    })
}

/** Environments that serve nobody outside, as they are named: the same commits reach them first and break nobody. */
const ASIDE =
  /^(?:preview|review|staging|stage|stg|test(?:ing)?|qa|uat|dev(?:elop(?:ment)?)?|sandbox|ci|pr|pull[-_ ]?request)(?![a-z])/i

/** Ends of a deployment that put nothing into effect for sure: a part of it may be. */
const FAILED: ReadonlySet<unknown> = new Set(['failure', 'error'])

function deployed(payload: Payload, received: number): readonly PushedChange[] {
  const deployment = objectOf(payload.deployment)
  const isAside =
    deployment.transient_environment === true || ASIDE.test(textOf(deployment.environment) ?? '')
  if (isAside && deployment.production_environment !== true) return []
  const status = objectOf(payload.deployment_status)
  const { state } = status
  const hasStatus = payload.deployment_status !== undefined
  const done = hasStatus && state === 'success'
  // That it was begun is known without a status that says so.
  if (hasStatus && !done && !FAILED.has(state)) return []
  const id = textOf(deployment.id)
  if (id === null) return []
  const sha = textOf(deployment.sha)
  const recorded = instantOf(deployment.created_at) ?? received
  const effective = done ? instantOf(status.created_at, status.updated_at) : null
  return [
    {
      id,
      kind: 'deploy',
      recorded_at: instant(recorded),
      ...(effective === null
        ? {}
        : { effective_at: { from: instant(Math.min(recorded, effective)), to: instant(effective) } }),
      title: lineOf(
        `Deploy of ${sha?.slice(0, 7) ?? id} to ${textOf(deployment.environment) ?? '?'}${hasStatus && !done ? ` (${state})` : ''}`,
        TITLE_LENGTH,
      ),
      // That it began is on record; of one that failed, or of which nobody knows the end, nothing says that it took effect.
      certainty: done ? 'recorded' : 'guessed',
      ...optional(sha, textOf(objectOf(deployment.creator).login)),
    },
  ]
}

function released(payload: Payload, received: number): readonly PushedChange[] {
  const release = objectOf(payload.release)
  const tag = textOf(release.tag_name)
  if (payload.action !== 'published' || tag === null) return []
  return [
    {
      id: `release ${tag}`,
      kind: 'release',
      recorded_at: instant(instantOf(release.published_at, release.created_at) ?? received),
      title: lineOf(textOf(release.name) ?? tag, TITLE_LENGTH),
      ...optional(tag, textOf(objectOf(release.author).login)),
    },
  ]
}

function merged(payload: Payload, received: number): readonly PushedChange[] {
  const request = objectOf(payload.pull_request)
  const at = instantOf(request.merged_at)
  if (payload.action !== 'closed' || at === null) return []
  return [
    {
      id: `#${textOf(request.number) ?? '?'}`,
      kind: 'pull_request',
      recorded_at: instant(Math.min(at, received)),
      title: lineOf(textOf(request.title) ?? 'Pull request', TITLE_LENGTH),
      ...optional(textOf(request.merge_commit_sha), textOf(objectOf(request.user).login)),
    },
  ]
}

/** Runs for a pull request deploy what nobody has agreed to yet, to where nobody is. */
const FOR_PULL_REQUESTS: ReadonlySet<unknown> = new Set([
  'pull_request',
  'pull_request_target',
  'merge_group',
])
/** Workflows that deploy to where nobody outside is say so as well. */
const DEPLOYS_ASIDE = /(?<![a-z])(?:preview|review[- ]?apps?|staging|stage|sandbox)(?![a-z])/i
const DEPLOYS_TO_PRODUCTION = /(?<![a-z])(?:prod|production|live)(?![a-z])/i

/** A run that says by its name that it deploys, and that succeeded. */
function ran(payload: Payload, received: number): readonly PushedChange[] {
  const run = objectOf(payload.workflow_run)
  const name = textOf(run.name, objectOf(payload.workflow).name) ?? ''
  const path = textOf(run.path, objectOf(payload.workflow).path) ?? ''
  const id = textOf(run.id)
  const deploys = DEPLOYS.test(name) || DEPLOYS.test(path)
  const where = `${name} ${path}`
  const isAside = DEPLOYS_ASIDE.test(where) && !DEPLOYS_TO_PRODUCTION.test(where)
  if (isAside || FOR_PULL_REQUESTS.has(run.event)) return []
  if (payload.action !== 'completed' || run.conclusion !== 'success' || id === null || !deploys) return []
  const ended = instantOf(run.updated_at, run.run_started_at, run.created_at) ?? received
  return [
    {
      id: `run ${id}`,
      kind: 'deploy',
      recorded_at: instant(instantOf(run.created_at) ?? ended),
      title: lineOf(name || path, TITLE_LENGTH),
      ...optional(textOf(run.head_sha), textOf(objectOf(run.actor).login)),
    },
  ]
}

const READERS: Readonly<Record<string, (payload: Payload, received: number) => readonly PushedChange[]>> = {
  push: pushed,
  deployment: deployed,
  deployment_status: deployed,
  release: released,
  pull_request: merged,
  workflow_run: ran,
}

/** Reads the webhooks of GitHub as changes: they are evidence, and open nothing. */
export const readGithub: ReadSent = (sent): Reading => {
  const payload = objectOf(sent.body)
  const event = sent.headers['x-github-event'] ?? ''
  const repository = textOf(objectOf(payload.repository).full_name)
  const read = Object.hasOwn(READERS, event) ? READERS[event] : undefined
  if (read === undefined || repository === null)
    return nothing(`${lineOf(event, 60) || 'the event'} is no change`)
  const entity = entityOf(sent, repository)
  const changes = read(payload, sent.received_at).map((change) => ({
    certainty: 'recorded',
    ...change,
    title: `${change.title} (${repository})`,
    ...(entity === undefined ? {} : { entity }),
  }))
  if (changes.length === 0) return nothing(`${event} put nothing into effect`)
  return { alerts: [], signals: { changes }, left_out: [] }
}
