import * as z from 'zod/mini'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type {
  Alert,
  ControlPlaneEvent,
  Pulled,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import { httpAccess } from './http-access.ts'
import { readEach } from './read-each.ts'
import { serviceOf } from './service-labels.ts'
import { checkTool } from './tool-check.ts'
import { askTool, type ToolDeps, type ToolReach } from './tool-request.ts'
import { pullWith, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'Alertmanager'
const TOOL = { tool: 'alertmanager', title: TITLE }
/** Questions of one pull: alerts and silences. */
const CAPS = { parallel: 2, requests: 2 }
/** Alerts that one investigation takes over; a storm of more says no more. */
const MOST_ALERTS = 500
/** A silence may be set long before what it hides begins to hurt; in milliseconds. */
const LEAD_MS = 24 * 3_600_000

const instant = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  z.transform((text: string) => Date.parse(text)),
)
const texts = z.record(z.string(), z.string())

/** One alert of `/api/v2/alerts`. `endsAt` is left out: of an alert that fires it is an expiry in the future. */
export const alertAnswer = z.object({
  fingerprint: z.string(),
  startsAt: instant,
  labels: texts,
  annotations: z.optional(texts),
  generatorURL: z.optional(z.string()),
  status: z.optional(z.object({ state: z.optional(z.string()) })),
})
export type AlertmanagerAlert = z.infer<typeof alertAnswer>

/** One silence of `/api/v2/silences`. */
export const silenceAnswer = z.object({
  id: z.string(),
  createdBy: z.optional(z.string()),
  comment: z.optional(z.string()),
  startsAt: instant,
  endsAt: instant,
  matchers: z.optional(
    z.array(
      z.object({
        name: z.string(),
        value: z.string(),
        isEqual: z.optional(z.boolean()),
        isRegex: z.optional(z.boolean()),
      }),
    ),
  ),
})
type Silence = z.infer<typeof silenceAnswer>

/** Time to ask what fires, in milliseconds. */
const FIRING_MS = 4_500
/** Alerts that fire at once and are still confirmed: of more than these only a part would come through the queue. */
const MOST_FIRING = 1_000
/** Labels without which an alert is not read as the one that was sent. */
const TELLING_LABELS = ['alertname', 'severity', 'priority']

/**
 * Asks a list of alerts that fire, and gives it as the webhook of Alertmanager would send it.
 * @returns null when it did not come whole: an alert that is missing in it would count as over
 */
export async function askFiring(
  deps: ToolDeps,
  reach: ToolReach,
  path: string,
  signal: AbortSignal,
): Promise<object | null> {
  const answer = await askTool(deps, reach, { path }, FIRING_MS, signal)
  const read = answer.ok ? z.array(alertAnswer).safeParse(answer.body) : undefined
  if (read?.success !== true || read.data.length > MOST_FIRING) return null
  const alerts = read.data.map(({ fingerprint, startsAt, labels }) => ({
    status: 'firing',
    fingerprint,
    startsAt: new Date(startsAt).toISOString(),
    labels: Object.fromEntries(Object.entries(labels).filter(([name]) => TELLING_LABELS.includes(name))),
  }))
  return { version: '4', status: 'firing', alerts }
}

/** An alert as evidence. */
export function alertOf(
  { labels, annotations = {}, startsAt, status }: AlertmanagerAlert,
  source: string,
): Alert {
  const service = serviceOf(labels)
  const severity = labels.severity ?? labels.priority
  const detail = [annotations.description, status?.state === 'suppressed' ? 'suppressed' : undefined]
    .filter((part) => part !== undefined)
    .join('; ')
  return {
    source,
    name: labels.alertname ?? 'alert without a name',
    fired_at: startsAt,
    labels,
    ...(service === undefined ? {} : { service }),
    ...(severity === undefined ? {} : { severity }),
    ...(annotations.summary === undefined ? {} : { summary: annotations.summary }),
    ...(detail === '' ? {} : { detail }),
  }
}

/** Somebody muted alerts: what they hide is not missing by chance. */
function silenceEvent(
  { createdBy, comment, startsAt, matchers = [] }: Silence,
  source: string,
): ControlPlaneEvent {
  const equal = matchers.filter(({ isEqual = true, isRegex = false }) => isEqual && !isRegex)
  const service = serviceOf(Object.fromEntries(equal.map(({ name, value }) => [name, value])))
  const matched = matchers
    .map(
      ({ name, value, isEqual = true, isRegex = false }) =>
        `${name}${isEqual ? '=' : '!'}${isRegex ? '~' : isEqual ? '' : '='}${JSON.stringify(value)}`,
    )
    .join(', ')
  const by = createdBy === undefined || createdBy === '' ? '' : ` by ${createdBy}`
  const why = comment === undefined || comment === '' ? '' : `: ${comment}`
  return {
    source,
    timestamp: startsAt,
    resource: TITLE,
    kind: 'silence',
    message: `Alerts {${matched}} silenced${by}${why}`,
    ...(service === undefined ? {} : { service }),
  }
}

async function pullAlerts(session: ToolSession, window: Window, asked: number): Promise<readonly Alert[]> {
  const what = `${TITLE}: alerts`
  const answer = await session.ask({
    what,
    path: '/api/v2/alerts?active=true&silenced=true&inhibited=true&unprocessed=true',
    link: `${session.reach.base_url}/#/alerts`,
  })
  if (answer === undefined) return []
  const read = readEach(session, answer, alertAnswer, answer.body)
  if (read === undefined) return []
  const before = read.filter(({ startsAt }) => startsAt < window.to)
  const kept = before.toSorted((a, b) => b.startsAt - a.startsAt).slice(0, MOST_ALERTS)
  const cut = before.length > kept.length
  session.answered(answer, { items: kept, ...(cut ? { outcome: 'cut' as const } : {}) })
  if (cut)
    session.gap({ what, why: `The newest ${MOST_ALERTS} of ${before.length} are kept.`, source: answer.id })
  // An alert that was over before it was asked is not in this list, so its absence says nothing.
  if (window.to < asked - LEAD_MS) {
    session.gap({ what, why: 'Only alerts that fire at the time of asking are known.', source: answer.id })
  }
  return kept.map((alert) => alertOf(alert, answer.id))
}

async function pullSilences(session: ToolSession, window: Window): Promise<readonly ControlPlaneEvent[]> {
  const what = `${TITLE}: silences`
  const answer = await session.ask({
    what,
    path: '/api/v2/silences',
    link: `${session.reach.base_url}/#/silences`,
  })
  if (answer === undefined) return []
  const read = readEach(session, answer, silenceAnswer, answer.body)
  if (read === undefined) return []
  const kept = read.filter(({ startsAt }) => startsAt >= window.from - LEAD_MS && startsAt < window.to)
  session.answered(answer, { items: kept })
  return kept.map((silence) => silenceEvent(silence, answer.id))
}

/** Alertmanager: the alerts that fire now, and who muted which since when. */
export function alertmanagerTool(deps: ToolDeps): Tool {
  const open = (config: IntegrationConfig) => httpAccess(config, TOOL)
  return {
    check: async (config, signal) =>
      checkTool(deps, open(config), signal, async (ask) => {
        const { body } = await ask.must({ path: '/api/v2/status' })
        const read = z.object({ versionInfo: z.object({ version: z.string() }) }).safeParse(body)
        if (!read.success) return ask.fail('What answers at this address does not answer like Alertmanager.')
        const alerts = await ask.may({ path: '/api/v2/alerts?active=true&silenced=true&inhibited=true' })
        return {
          missing: alerts.ok ? [] : [`alerts cannot be read: ${alerts.why}`],
          there: `version ${read.data.versionInfo.version}`,
        }
      }),
    // What is silenced or inhibited fires all the same.
    firing: async (config, signal) =>
      config.base_url === undefined
        ? null
        : askFiring(deps, open(config), '/api/v2/alerts?active=true&silenced=true&inhibited=true', signal),
    pull: (config, request): Promise<Pulled> =>
      pullWith(
        TITLE,
        () => toolSession(deps, open(config), request, CAPS),
        async (session) => {
          const [alerts, events] = await Promise.all([
            pullAlerts(session, request.window, deps.now()),
            pullSilences(session, request.window),
          ])
          return { alerts, events }
        },
      ),
  }
}
