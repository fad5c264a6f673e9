import * as z from 'zod/mini'
import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type {
  Change,
  LogLine,
  LogPattern,
  Pulled,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import type { OutboundAnswer } from '../http/guarded-request.ts'
import { addressOf } from './http-access.ts'
import { checkTool } from './tool-check.ts'
import type { ToolDeps, ToolReach } from './tool-request.ts'
import {
  type Answered,
  type Page,
  pullWith,
  readPages,
  type ToolSession,
  toolSession,
} from './tool-session.ts'

const TITLE = 'Sentry'
const PUBLIC_API = 'https://sentry.io'
/** Questions of one pull: Sentry lets a token ask 40 times a second and 25 at once. */
const CAPS = { parallel: 5, requests: 60 }
/** Items of one page: the most that Sentry gives. */
const PAGE = 100
/** Pages that are read of one list. */
const MAX_PAGES = 3
/** Releases whose deploys and commits are asked for. */
const MAX_RELEASES = 10
/** Issues whose newest event is read. */
const MAX_EVENTS = 5
/** Frames of a stack trace that are kept, the innermost first. */
const MAX_FRAMES = 3
/** Changes are asked for from so long before the window on, in milliseconds. */
const LEAD_MS = 24 * 3_600_000

const instant = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  z.transform((text: string) => Date.parse(text)),
)

export const sentryIssue = z.object({
  id: z.string(),
  title: z.string(),
  culprit: z.nullish(z.string()),
  level: z.nullish(z.string()),
  /** Events within the time that was asked for. */
  count: z.union([z.string(), z.number()]),
  firstSeen: instant,
  lastSeen: instant,
  permalink: z.nullish(z.string()),
  project: z.object({ slug: z.string() }),
})
export type SentryIssue = z.infer<typeof sentryIssue>

export const sentryRelease = z.object({
  version: z.string(),
  shortVersion: z.nullish(z.string()),
  ref: z.nullish(z.string()),
  dateCreated: instant,
  dateReleased: z.nullish(instant),
  deployCount: z.nullish(z.number()),
  commitCount: z.nullish(z.number()),
  projects: z.array(z.object({ slug: z.string() })),
})

export const sentryDeploy = z.object({
  id: z.union([z.string(), z.number()]),
  environment: z.string(),
  dateStarted: z.nullish(instant),
  dateFinished: instant,
})

const sentryCommit = z.object({ id: z.string() })

/** The newest event of an issue, as far as it says where it happened. */
export const sentryEvent = z.object({
  dateCreated: instant,
  title: z.nullish(z.string()),
  tags: z.nullish(z.array(z.object({ key: z.string(), value: z.nullish(z.string()) }))),
  contexts: z.nullish(
    z.object({
      trace: z.nullish(z.object({ trace_id: z.nullish(z.string()), span_id: z.nullish(z.string()) })),
    }),
  ),
  entries: z.nullish(z.array(z.object({ type: z.string(), data: z.unknown() }))),
})
export type SentryEvent = z.infer<typeof sentryEvent>

const exceptions = z.object({
  values: z.array(
    z.object({
      type: z.nullish(z.string()),
      value: z.nullish(z.string()),
      stacktrace: z.nullish(
        z.object({
          frames: z.nullish(
            z.array(
              z.object({
                filename: z.nullish(z.string()),
                function: z.nullish(z.string()),
                lineNo: z.nullish(z.number()),
                inApp: z.nullish(z.boolean()),
              }),
            ),
          ),
        }),
      ),
    }),
  ),
})

/** Sentry says in seconds since the epoch when it may be asked again. */
export function sentryLimitedUntil({ status, headers }: OutboundAnswer, now: number): number | undefined {
  const reset = Number(headers['x-sentry-rate-limit-reset'])
  if (status !== 429 || headers['retry-after'] !== undefined || !(reset > 0)) return undefined
  return Math.min(Math.max(reset * 1000, now), now + 3_600_000)
}

function reachOf(config: IntegrationConfig): ToolReach {
  const token = String(config.auth_token)
  return {
    tool: 'sentry',
    title: TITLE,
    base_url: config.base_url === undefined ? PUBLIC_API : addressOf(config),
    headers: { authorization: `Bearer ${token}` },
    secrets: [token],
    credential: 'config.auth_token',
  }
}

const organizationOf = ({ organization }: IntegrationConfig): string =>
  `/api/0/organizations/${encodeURIComponent(String(organization))}`
const projectsOf = ({ projects }: IntegrationConfig): readonly string[] =>
  Array.isArray(projects) ? (projects as readonly string[]) : []

/** The next page of a list, by a header that names it also where it is empty. */
function nextPage({ headers }: Answered, base: string): string | undefined {
  for (const [, target, rest] of (headers.link ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (target === undefined || !/rel="next"/.test(rest ?? '') || !/results="true"/.test(rest ?? '')) continue
    if (!URL.canParse(target, base)) continue
    const url = new URL(target, base)
    // Our token goes nowhere else, whatever an answer says.
    if (url.origin === new URL(base).origin) return `${url.pathname}${url.search}`
  }
  return undefined
}

/** Reads a list page by page, item by item. */
function readList<Item>(
  session: ToolSession,
  asked: { readonly path: string; readonly what: string; readonly window?: Window; readonly link?: string },
  schema: z.ZodMiniType<Item>,
  options: { readonly pages?: number; readonly enough?: (items: readonly Item[]) => boolean } = {},
) {
  return readPages(
    session,
    { ...asked, limitedUntil: sentryLimitedUntil },
    (answer): Page<Item> | undefined => {
      if (!Array.isArray(answer.body)) return undefined
      const list = answer.body as readonly unknown[]
      const items = list.flatMap((item): Item[] => {
        const one = schema.safeParse(item)
        return one.success ? [one.data] : []
      })
      if (items.length < list.length) {
        const why = `${list.length - items.length} of ${list.length} items could not be read.`
        session.gap({ what: asked.what, why, source: answer.id })
      }
      const next = nextPage(answer, session.reach.base_url)
      return { items, ...(next === undefined ? {} : { next: { path: next } }) }
    },
    { pages: options.pages ?? MAX_PAGES, ...(options.enough ? { enough: options.enough } : {}) },
  )
}

const issuesPath = (organization: string, projects: readonly string[], { from, to }: Window): string => {
  const query = new URLSearchParams({
    query: projects.length === 0 ? '' : `project:[${projects.join(',')}]`,
    start: new Date(from).toISOString().slice(0, 19),
    end: new Date(to).toISOString().slice(0, 19),
    utc: 'true',
    sort: 'freq',
    limit: String(PAGE),
  })
  return `${organization}/issues/?${query.toString()}`
}

/** An issue as a pattern of what is logged, beside how often it was seen before. */
export function patternOf(
  { title, culprit, project, count }: SentryIssue,
  before: number | undefined,
  source: string,
): LogPattern {
  return {
    source,
    signature: culprit ? `${title} (${culprit})` : title,
    service: project.slug,
    count: Number(count),
    ...(before === undefined ? {} : { baseline_count: before }),
  }
}

/** The exceptions of an event with their innermost own frames, as one line each. */
export function linesOf(event: SentryEvent, issue: SentryIssue, source: string): LogLine[] {
  const trace = event.contexts?.trace
  return (event.entries ?? []).flatMap(({ type, data }): LogLine[] => {
    const read = type === 'exception' ? exceptions.safeParse(data) : undefined
    if (!read?.success) return []
    return read.data.values.map(({ type: name, value, stacktrace }) => {
      // Sentry writes the innermost frame last.
      const own = (stacktrace?.frames ?? []).filter(({ inApp }) => inApp !== false).toReversed()
      const at = own
        .slice(0, MAX_FRAMES)
        .map(
          ({ filename, function: called, lineNo }) =>
            `${called ?? '?'} (${filename ?? '?'}:${lineNo ?? '?'})`,
        )
      return {
        source,
        timestamp: event.dateCreated,
        service: issue.project.slug,
        severity: issue.level ?? 'error',
        message: [[name, value].filter((part) => part).join(': '), ...at].join(' at '),
        ...(trace?.trace_id ? { trace_id: trace.trace_id } : {}),
        ...(trace?.span_id ? { span_id: trace.span_id } : {}),
      }
    })
  })
}

async function pullIssues(
  session: ToolSession,
  config: IntegrationConfig,
  window: Window,
  baseline: (Window & { readonly name: string }) | undefined,
): Promise<{ patterns: LogPattern[]; logs: LogLine[] }> {
  const organization = organizationOf(config)
  const ask = (span: Window, what: string) =>
    readList(
      session,
      { path: issuesPath(organization, projectsOf(config), span), what: `${TITLE}: ${what}`, window: span },
      sentryIssue,
    )
  const [during, before] = await Promise.all([
    ask(window, 'issues of the window'),
    baseline === undefined ? undefined : ask(baseline, `issues of baseline ${baseline.name}`),
  ])
  const counts = new Map((before ?? []).map(({ item }) => [item.id, Number(item.count)]))
  const wasRead = before !== undefined && before.length > 0
  const patterns = during.map(({ item, source }) => {
    // First seen within the window: it was not there before, whatever a baseline says.
    const none =
      item.firstSeen >= window.from ? 0 : wasRead && before.length < PAGE * MAX_PAGES ? 0 : undefined
    return patternOf(item, counts.get(item.id) ?? none, source)
  })
  // What is new says more than what is frequent.
  const wanted = during
    .toSorted((a, b) => Number(b.item.firstSeen >= window.from) - Number(a.item.firstSeen >= window.from))
    .slice(0, MAX_EVENTS)
  const logs = await Promise.all(
    wanted.map(async ({ item }) => {
      const answer = await session.ask({
        what: `${TITLE}: newest event of issue ${item.id}`,
        path: `${organization}/issues/${encodeURIComponent(item.id)}/events/latest/`,
        limitedUntil: sentryLimitedUntil,
        ...(item.permalink ? { link: item.permalink } : {}),
      })
      if (answer === undefined) return []
      const read = sentryEvent.safeParse(answer.body)
      if (!read.success) {
        const why = `What ${TITLE} answers is not what was asked for.`
        session.answered(answer, { items: [], outcome: 'failed', detail: why })
        session.gap({ what: answer.asked.what, why, source: answer.id })
        return []
      }
      const lines = linesOf(read.data, item, answer.id).filter(
        ({ timestamp }) => timestamp >= window.from && timestamp < window.to,
      )
      session.answered(answer, { items: lines })
      return lines
    }),
  )
  return { patterns, logs: logs.flat().toSorted((a, b) => a.timestamp - b.timestamp) }
}

/** Releases of the time before the window, each with its deploys and the commits that it carries. */
async function pullReleases(
  session: ToolSession,
  config: IntegrationConfig,
  window: Window,
): Promise<Change[]> {
  const organization = organizationOf(config)
  const only = projectsOf(config)
  const lead = { from: window.from - LEAD_MS, to: window.to }
  const rows = await readList(
    session,
    { path: `${organization}/releases/?per_page=${PAGE}`, what: `${TITLE}: releases` },
    sentryRelease,
    // Newest first.
    { enough: (items) => items.some(({ dateCreated }) => dateCreated < lead.from - LEAD_MS) },
  )
  const wanted = rows.filter(
    ({ item }) =>
      item.dateCreated < lead.to &&
      (item.dateReleased ?? item.dateCreated) >= lead.from - LEAD_MS &&
      (only.length === 0 || item.projects.some(({ slug }) => only.includes(slug))),
  )
  if (wanted.length > MAX_RELEASES) {
    session.gap({
      what: `${TITLE}: deploys of ${wanted.length - MAX_RELEASES} releases`,
      why: `They are asked for the newest ${MAX_RELEASES} of ${wanted.length} releases.`,
    })
  }
  const changes = await Promise.all(
    wanted.slice(0, MAX_RELEASES).map(async ({ item, source }): Promise<Change[]> => {
      const path = `${organization}/releases/${encodeURIComponent(item.version)}`
      const [deploys, commits] = await Promise.all([
        item.deployCount === 0
          ? []
          : readList(
              session,
              { path: `${path}/deploys/`, what: `${TITLE}: deploys of ${item.version}` },
              sentryDeploy,
            ),
        item.commitCount === 0
          ? []
          : readList(
              session,
              { path: `${path}/commits/`, what: `${TITLE}: commits of ${item.version}` },
              sentryCommit,
            ),
      ])
      const slugs = item.projects.map(({ slug }) => slug)
      const common = {
        after: item.ref ?? item.version,
        ...(slugs.length === 1 && slugs[0] !== undefined ? { entity: slugs[0] } : {}),
        ...(commits.length === 0 ? {} : { carries: commits.map((commit) => commit.item.id) }),
      }
      const inTime = (at: number) => at >= lead.from && at < lead.to
      const deployed = deploys.filter((deploy) => inTime(deploy.item.dateFinished))
      const shown = item.shortVersion ?? item.version
      if (deployed.length > 0) {
        return deployed.map((deploy) => ({
          ...common,
          source: deploy.source,
          id: `deploy ${deploy.item.id} of ${item.version}`,
          recorded_at: deploy.item.dateFinished,
          effective_at: {
            // Both are told by whoever deploys, each by a clock of its own.
            from: Math.min(deploy.item.dateStarted ?? deploy.item.dateFinished, deploy.item.dateFinished),
            to: deploy.item.dateFinished,
          },
          kind: 'deploy',
          title: `Deploy of ${shown} to ${deploy.item.environment}`,
          certainty: 'recorded',
        }))
      }
      const at = item.dateReleased ?? item.dateCreated
      if (!inTime(at)) return []
      // Without a deploy nobody says when it ran; what it carries is not said to have taken effect.
      const { carries: _, ...rest } = common
      return [
        {
          ...rest,
          source,
          id: `release ${item.version}`,
          recorded_at: at,
          effective_at: { from: at, to: at },
          kind: 'release',
          title: `Release ${shown}`,
          certainty: 'guessed',
        },
      ]
    }),
  )
  return changes.flat().toSorted((a, b) => a.recorded_at - b.recorded_at || (a.id < b.id ? -1 : 1))
}

/** Sentry: issues beside how often they were seen before, their newest events, and releases with their deploys. */
export function sentryTool(deps: ToolDeps): Tool {
  return {
    check: (config, signal) =>
      checkTool(deps, reachOf(config), signal, async (ask) => {
        const organization = organizationOf(config)
        const answer = await ask.may({ path: `${organization}/` })
        if (!answer.ok && answer.kind === 'absent') {
          // Sentry says so in its own words; anything else is no Sentry.
          if (!z.object({ detail: z.string() }).safeParse(answer.body).success) return ask.fail(answer.why)
          throw invalidField(
            'config.organization',
            'is not known there, or hidden from this token (status 404)',
          )
        }
        if (answer.ok && !z.object({ slug: z.string() }).safeParse(answer.body).success) {
          return ask.fail('What answers at this address does not answer like Sentry.')
        }
        const lists = await Promise.all(
          [
            { what: 'issues', path: `${organization}/issues/?limit=1` },
            { what: 'releases', path: `${organization}/releases/?per_page=1` },
          ].map(async ({ what, path }) => {
            const list = await ask.may({ path })
            return list.ok ? [] : [`${what} cannot be read: ${list.why}`]
          }),
        )
        const missing = lists.flat()
        // A token may lack the scope for the organization itself and still read what is needed.
        if (!answer.ok && (answer.status === 401 || missing.length === 2))
          await ask.must({ path: `${organization}/` })
        return { missing }
      }),
    pull: (config, request): Promise<Pulled> =>
      pullWith(
        TITLE,
        () => toolSession(deps, reachOf(config), request, CAPS),
        async (session) => {
          const [issues, changes] = await Promise.all([
            pullIssues(session, config, request.window, request.baselines[0]),
            pullReleases(session, config, request.window),
          ])
          return { ...issues, changes }
        },
      ),
  }
}
