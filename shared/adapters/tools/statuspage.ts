import * as z from 'zod/mini'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type { ProviderStatus, Pulled, Window } from '#shared/domain/investigation/records/snapshot.ts'
import { addressOf } from './http-access.ts'
import { readEach } from './read-each.ts'
import { checkTool } from './tool-check.ts'
import type { ToolDeps, ToolReach } from './tool-request.ts'
import { pullWith, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'Statuspage'
/** Questions of one pull: the newest incidents, and those that are not over. */
const CAPS = { parallel: 2, requests: 2 }
/** A provider often admits an outage late: entries up to so long after the window still speak of it, in milliseconds. */
const LATE_MS = 3_600_000

const instant = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  z.transform((text: string) => Date.parse(text)),
)
const component = z.object({ name: z.string() })

/** One incident of `/api/v2/incidents.json`. */
export const statuspageIncident = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  impact: z.nullish(z.string()),
  created_at: instant,
  started_at: z.nullish(instant),
  resolved_at: z.nullish(instant),
  shortlink: z.nullish(z.string()),
  components: z.nullish(z.array(component)),
  incident_updates: z.nullish(
    z.array(
      z.object({
        status: z.string(),
        body: z.nullish(z.string()),
        created_at: instant,
        display_at: z.nullish(instant),
      }),
    ),
  ),
})
export type StatuspageIncident = z.infer<typeof statuspageIncident>

const page = z.object({
  page: z.object({ name: z.string() }),
  status: z.optional(z.object({ description: z.string() })),
})
const incidents = z.object({ page: z.object({ name: z.string() }), incidents: z.array(z.unknown()) })

/** An incident as entries of a status page: its beginning with its impact, and every update. */
export function statusOf(incident: StatuspageIncident, provider: string, source: string): ProviderStatus[] {
  const started = incident.started_at ?? incident.created_at
  const impact = incident.impact && incident.impact !== 'none' ? ` (${incident.impact})` : ''
  const events = [
    { timestamp: started, status: 'investigating', detail: `${incident.name}${impact}` },
    ...(incident.incident_updates ?? []).map(({ status, body, created_at, display_at }) => ({
      timestamp: display_at ?? created_at,
      // What went wrong is told when it is over: the day on which it is published is none of trouble.
      status: status === 'postmortem' ? 'resolved' : status,
      detail: `${incident.name}${impact}${body ? `: ${body}` : ''}`,
    })),
    ...(incident.resolved_at
      ? [{ timestamp: incident.resolved_at, status: 'resolved', detail: incident.name }]
      : []),
  ].toSorted((a, b) => a.timestamp - b.timestamp)
  const touched = (incident.components ?? []).map(({ name }) => name)
  return touched.length === 0
    ? [{ source, provider, events }]
    : touched.map((name) => ({ source, provider, component: name, events }))
}

/** An incident speaks of the window when it had begun before its end and was not over before its begin. */
const touches = ({ started_at, created_at, resolved_at }: StatuspageIncident, window: Window): boolean =>
  (started_at ?? created_at) < window.to + LATE_MS && (resolved_at ?? Number.POSITIVE_INFINITY) >= window.from

function reachOf(config: IntegrationConfig): ToolReach {
  return {
    tool: 'statuspage',
    title: TITLE,
    base_url: addressOf(config),
    headers: {},
    secrets: [],
    credential: 'config.base_url',
  }
}

async function pullIncidents(
  session: ToolSession,
  path: string,
  what: string,
  window: Window,
): Promise<{ id: string; status: ProviderStatus[] }[]> {
  const answer = await session.ask({ what, path, link: `${session.reach.base_url}/history` })
  if (answer === undefined) return []
  const read = incidents.safeParse(answer.body)
  const items = readEach(session, answer, statuspageIncident, read.success ? read.data.incidents : undefined)
  if (!read.success || items === undefined) return []
  const kept = items.filter((incident) => touches(incident, window))
  session.answered(answer, { items: kept })
  return kept.map((incident) => ({
    id: incident.id,
    status: statusOf(incident, read.data.page.name, answer.id),
  }))
}

/** Statuspage: what a provider says of itself on its public page, as far as it speaks of the window. */
export function statuspageTool(deps: ToolDeps): Tool {
  return {
    check: (config, signal) =>
      checkTool(deps, reachOf(config), signal, async (ask) => {
        const { body } = await ask.must({ path: '/api/v2/status.json' })
        const read = page.safeParse(body)
        if (!read.success) return ask.fail('What answers at this address does not answer like a Statuspage.')
        const list = await ask.may({ path: '/api/v2/incidents.json' })
        return {
          missing: list.ok ? [] : [`incidents cannot be read: ${list.why}`],
          there: `page of ${read.data.page.name}`,
        }
      }),
    pull: (config, request): Promise<Pulled> =>
      pullWith(
        TITLE,
        () => toolSession(deps, reachOf(config), request, CAPS),
        async (session) => {
          // The list holds the newest 50; what goes on since long may stand in the second alone.
          const [newest, open] = await Promise.all([
            pullIncidents(session, '/api/v2/incidents.json', `${TITLE}: incidents`, request.window),
            pullIncidents(
              session,
              '/api/v2/incidents/unresolved.json',
              `${TITLE}: open incidents`,
              request.window,
            ),
          ])
          const known = new Set(newest.map(({ id }) => id))
          return {
            status: [...newest, ...open.filter(({ id }) => !known.has(id))].flatMap(({ status }) => status),
          }
        },
      ),
  }
}
