import * as z from 'zod/mini'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type { Alert, Change, Pulled, Window } from '#shared/domain/investigation/records/snapshot.ts'
import type { OutboundAnswer } from '../http/guarded-request.ts'
import { addressOf } from './http-access.ts'
import { type Asking, checkTool } from './tool-check.ts'
import { askTool, type ToolDeps, type ToolReach } from './tool-request.ts'
import { pullWith, readPages, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'PagerDuty'
const PUBLIC_API = 'https://api.pagerduty.com'
/** Questions of one pull: lists of incidents and change events, and the alerts or the logs of the incidents. */
const CAPS = { parallel: 6, requests: 60 }
/** Items of one page: the most that PagerDuty gives. */
const PAGE = 100
/** Pages that are read of one list. */
const MAX_PAGES = 4
/** Incidents whose alerts are asked for, each by a request of its own. */
const MAX_INCIDENTS = 20
/** How an address ends at which an integration of this type is sent its events. */
const OUR_ADDRESS = /\/integrations\/pagerduty_[0-9A-Z]{26}\/events$/
/** Incidents that began this long before may have changed since, in milliseconds. */
const CHANGED_MS = 24 * 3_600_000
/** Time for each request of a history, in milliseconds: there are two. */
const HISTORY_MS = 2_300
/** Longest time that PagerDuty is left alone, in seconds: its limits are of a minute. */
const MOST_AWAY_S = 3600
/** Changes are asked for from so long before the window on, in milliseconds. */
const LEAD_MS = 24 * 3_600_000

const instant = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  z.transform((text: string) => Date.parse(text)),
)
const reference = z.nullish(z.object({ id: z.optional(z.string()), summary: z.nullish(z.string()) }))

export const pagerDutyIncident = z.object({
  id: z.string(),
  title: z.optional(z.string()),
  summary: z.nullish(z.string()),
  html_url: z.nullish(z.string()),
  created_at: instant,
  status: z.string(),
  resolved_at: z.nullish(instant),
  last_status_change_at: z.nullish(instant),
  urgency: z.nullish(z.string()),
  priority: reference,
  service: reference,
})
export type PagerDutyIncident = z.infer<typeof pagerDutyIncident>

export const pagerDutyAlert = z.object({
  id: z.string(),
  summary: z.nullish(z.string()),
  created_at: instant,
  status: z.string(),
  resolved_at: z.nullish(instant),
  severity: z.nullish(z.string()),
  service: reference,
  body: z.nullish(z.object({ details: z.optional(z.unknown()) })),
})
export type PagerDutyAlert = z.infer<typeof pagerDutyAlert>

export const pagerDutyChange = z.object({
  id: z.string(),
  summary: z.nullish(z.string()),
  timestamp: instant,
  source: z.nullish(z.string()),
  services: z.nullish(z.array(z.object({ summary: z.nullish(z.string()) }))),
  custom_details: z.nullish(z.record(z.string(), z.unknown())),
})
export type PagerDutyChange = z.infer<typeof pagerDutyChange>

/** A webhook of PagerDuty, as far as it tells whether it sends. */
export const pagerDutySubscription = z.object({
  id: z.string(),
  active: z.boolean(),
  delivery_method: z.object({ url: z.nullish(z.string()), temporarily_disabled: z.nullish(z.boolean()) }),
  filter: z.nullish(z.object({ type: z.string(), id: z.nullish(z.string()) })),
})

/** Something that happened to an incident: who or what triggered it, in the words of whoever did. */
export const pagerDutyLogEntry = z.object({
  id: z.string(),
  type: z.string(),
  summary: z.nullish(z.string()),
  created_at: instant,
  event_details: z.nullish(z.object({ description: z.nullish(z.string()) })),
  channel: z.nullish(z.object({ summary: z.nullish(z.string()), details: z.optional(z.unknown()) })),
})
export type PagerDutyLogEntry = z.infer<typeof pagerDutyLogEntry>

/**
 * PagerDuty says in how many seconds its limit is over, and not by `Retry-After`.
 * @see https://developer.pagerduty.com/docs/rest-api-rate-limits/
 */
export function pagerDutyLimitedUntil({ status, headers }: OutboundAnswer, now: number): number | undefined {
  const reset = headers['ratelimit-reset']
  if (status !== 429 || headers['retry-after'] !== undefined || !/^\d{1,6}$/.test(reset ?? ''))
    return undefined
  return now + Math.min(Number(reset), MOST_AWAY_S) * 1000
}

function reachOf(config: IntegrationConfig): ToolReach {
  const token = String(config.api_token)
  return {
    tool: 'pagerduty',
    title: TITLE,
    base_url: config.base_url === undefined ? PUBLIC_API : addressOf(config),
    headers: {
      authorization: `Token token=${token}`,
      accept: 'application/vnd.pagerduty+json;version=2',
    },
    secrets: [token],
    credential: 'config.api_token',
  }
}

/** The words that details hold, as a line. */
const detailsOf = (details: unknown): string | undefined => {
  if (typeof details === 'string') return details
  if (typeof details !== 'object' || details === null) return undefined
  const parts = Object.entries(details).filter(([, value]) => /^(string|number|boolean)$/.test(typeof value))
  return parts.length === 0 ? undefined : parts.map(([name, value]) => `${name}: ${String(value)}`).join('; ')
}

/** An incident as evidence. Its services are PagerDuty's own, named as people named them. */
export function incidentAlert(incident: PagerDutyIncident, source: string): Alert {
  const { title, summary, status, priority, urgency } = incident
  const name = title ?? summary ?? incident.id
  const service = incident.service?.summary
  const severity = priority?.summary ?? urgency
  const ended = incident.resolved_at ?? (status === 'resolved' ? incident.last_status_change_at : undefined)
  return {
    source,
    name,
    fired_at: incident.created_at,
    ...(ended ? { resolved_at: ended } : {}),
    ...(service ? { service } : {}),
    ...(severity ? { severity } : {}),
    labels: { status },
  }
}

/** What the log of an incident says about its beginning; undefined where it says nothing. */
export function triggerOf(entries: readonly PagerDutyLogEntry[]): string | undefined {
  const first = entries
    .filter(({ type }) => type.startsWith('trigger_log_entry'))
    .toSorted((a, b) => a.created_at - b.created_at)[0]
  if (first === undefined) return undefined
  const { summary, event_details, channel } = first
  const said = [summary, event_details?.description, channel?.summary, detailsOf(channel?.details)]
  const parts = [...new Set(said.filter((part) => typeof part === 'string' && part !== ''))]
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** An alert of an incident as evidence, with what its sender told. */
export function alertEvidence(alert: PagerDutyAlert, source: string): Alert {
  const service = alert.service?.summary
  const detail = detailsOf(alert.body?.details)
  return {
    source,
    name: alert.summary ?? alert.id,
    fired_at: alert.created_at,
    ...(alert.resolved_at ? { resolved_at: alert.resolved_at } : {}),
    ...(service ? { service } : {}),
    ...(alert.severity ? { severity: alert.severity } : {}),
    ...(detail === undefined ? {} : { detail }),
    labels: { status: alert.status },
  }
}

/** A change event: what a pipeline reported when it had changed something. */
export function changeOf(event: PagerDutyChange, source: string): Change {
  const services = (event.services ?? []).flatMap(({ summary }) => (summary ? [summary] : []))
  const [entity] = services
  const details = event.custom_details ?? {}
  const text = (name: string) => (typeof details[name] === 'string' ? (details[name] as string) : undefined)
  const after = text('version') ?? text('revision') ?? text('commit') ?? text('sha')
  const actor = text('author') ?? text('actor') ?? event.source
  return {
    source,
    id: event.id,
    recorded_at: event.timestamp,
    effective_at: { from: event.timestamp, to: event.timestamp },
    kind: /deploy|release|rollout|roll(ed)? ?back/i.test(event.summary ?? '') ? 'deploy' : 'other',
    certainty: 'inferred',
    title: event.summary ?? 'change event',
    ...(entity === undefined || services.length > 1 ? {} : { entity }),
    ...(after === undefined ? {} : { after }),
    ...(actor ? { actor } : {}),
  }
}

/** Reads a list by offset until there is no more. */
function readList<Item>(
  session: ToolSession,
  asked: { readonly path: string; readonly member: string; readonly what: string; readonly window: Window },
  schema: z.ZodMiniType<Item>,
) {
  const shape = z.object({ [asked.member]: z.array(z.unknown()), more: z.nullish(z.boolean()) })
  const separator = asked.path.includes('?') ? '&' : '?'
  const pathAt = (offset: number) => `${asked.path}${separator}limit=${PAGE}&offset=${offset}`
  let offset = 0
  return readPages(
    session,
    { what: asked.what, path: pathAt(0), window: asked.window, limitedUntil: pagerDutyLimitedUntil },
    ({ body }) => {
      const read = shape.safeParse(body)
      if (!read.success) return undefined
      const list = read.data[asked.member] as readonly unknown[]
      const items = list.flatMap((item): Item[] => {
        const one = schema.safeParse(item)
        return one.success ? [one.data] : []
      })
      const malformed = list.length - items.length
      if (malformed > 0) {
        session.gap({ what: asked.what, why: `${malformed} of ${list.length} items could not be read.` })
      }
      offset += list.length
      const more = (read.data as { more?: boolean | null }).more === true && list.length > 0
      return { items, ...(more ? { next: { path: pathAt(offset) } } : {}) }
    },
    { pages: MAX_PAGES },
  )
}

const span = ({ from, to }: Window): string =>
  `since=${encodeURIComponent(new Date(from).toISOString())}&until=${encodeURIComponent(new Date(to).toISOString())}`

async function pullPagerDuty(
  session: ToolSession,
  services: readonly string[],
  window: Window,
): Promise<Partial<Pulled>> {
  const only = services.map((id) => `&service_ids%5B%5D=${encodeURIComponent(id)}`).join('')
  const lead = { from: window.from - LEAD_MS, to: window.to }
  const [incidents, changes] = await Promise.all([
    readList(
      session,
      { path: `/incidents?${span(window)}${only}`, member: 'incidents', what: `${TITLE}: incidents`, window },
      pagerDutyIncident,
    ),
    readList(
      session,
      {
        path: `/change_events?${span(lead)}`,
        member: 'change_events',
        what: `${TITLE}: change events`,
        window: lead,
      },
      pagerDutyChange,
    ),
  ])
  const asked = incidents.slice(0, MAX_INCIDENTS)
  if (asked.length < incidents.length) {
    session.gap({
      what: `${TITLE}: alerts of ${incidents.length - asked.length} incidents`,
      why: `They are asked for ${MAX_INCIDENTS} of ${incidents.length} incidents.`,
    })
  }
  const alerts = await Promise.all(
    asked.map(async ({ item, source }) => {
      const path = `/incidents/${encodeURIComponent(item.id)}/alerts`
      const rows = await readList(
        session,
        { path, member: 'alerts', what: `${TITLE}: alerts of incident ${item.id}`, window },
        pagerDutyAlert,
      )
      const own = rows.map((row) => alertEvidence(row.item, row.source))
      if (own.length > 0) return own
      // An incident that somebody declared has no alert: then it speaks for itself, and its log for who declared it.
      const log = await readList(
        session,
        {
          path: `/incidents/${encodeURIComponent(item.id)}/log_entries`,
          member: 'log_entries',
          what: `${TITLE}: log of incident ${item.id}`,
          window,
        },
        pagerDutyLogEntry,
      )
      const detail = triggerOf(log.map((entry) => entry.item))
      return [{ ...incidentAlert(item, source), ...(detail === undefined ? {} : { detail }) }]
    }),
  )
  return {
    alerts: [
      ...alerts.flat(),
      ...incidents.slice(asked.length).map(({ item, source }) => incidentAlert(item, source)),
    ].toSorted((a, b) => a.fired_at - b.fired_at || (a.name < b.name ? -1 : 1)),
    changes: changes
      .map(({ item, source }) => changeOf(item, source))
      .toSorted((a, b) => a.recorded_at - b.recorded_at || (a.id < b.id ? -1 : 1)),
  }
}

/** PagerDuty: incidents with their alerts, and the changes that pipelines reported to it. */
export function pagerDutyTool(deps: ToolDeps): Tool {
  return {
    check: (config, signal) =>
      checkTool(deps, reachOf(config), signal, async (ask) => {
        const { body } = await ask.must({ path: '/abilities' })
        const read = z.object({ abilities: z.array(z.string()) }).safeParse(body)
        if (!read.success) return ask.fail('What answers at this address does not answer like PagerDuty.')
        const lists = await Promise.all(
          ['incidents', 'change_events'].map(async (name) => {
            const answer = await ask.may({ path: `/${name}?limit=1` })
            return answer.ok ? [] : [`${name} cannot be read: ${answer.why}`]
          }),
        )
        const services = await Promise.all(
          servicesOf(config).map(async (id) => {
            const answer = await ask.may({ path: `/services/${encodeURIComponent(id)}` })
            return answer.ok ? [] : [`service ${id}: ${answer.why}`]
          }),
        )
        return { missing: [...lists, ...services, await switchedOff(ask)].flat() }
      }),
    history: (config, since, signal) => askHistory(deps, reachOf(config), since, signal),
    pull: (config, request): Promise<Pulled> =>
      pullWith(
        TITLE,
        () => toolSession(deps, reachOf(config), request, CAPS),
        (session) => pullPagerDuty(session, servicesOf(config), request.window),
      ),
  }
}

const subscriptionsAnswer = z.object({ webhook_subscriptions: z.array(pagerDutySubscription) })

/** Webhooks that lead here and that PagerDuty does not send; a key that may not read them says nothing of them. */
async function switchedOff(ask: Asking): Promise<readonly string[]> {
  const answer = await ask.may({ path: `/webhook_subscriptions?limit=${PAGE}` })
  const read = answer.ok ? subscriptionsAnswer.safeParse(answer.body) : undefined
  if (read?.success !== true) return []
  return read.data.webhook_subscriptions
    .filter(({ active, delivery_method: { url, temporarily_disabled } }) => {
      const leadsHere = OUR_ADDRESS.test(url ?? '')
      return leadsHere && (!active || temporarily_disabled === true)
    })
    .map(({ id }) => `${TITLE} does not send the webhook ${id} at the moment: it is switched off there`)
}

/** Parameters of the list of incidents by what a webhook is of. */
const SENT_OF = new Map([
  ['service_reference', 'service_ids'],
  ['team_reference', 'team_ids'],
])

/** What webhooks that lead here are sent of: parameters of the list of incidents; null where none leads here. */
function sentHere(subscriptions: readonly z.infer<typeof pagerDutySubscription>[]): string | null {
  const leading = subscriptions.filter(
    ({ active, delivery_method: { url } }) => active && OUR_ADDRESS.test(url ?? ''),
  )
  if (leading.some(({ filter }) => filter?.type === 'account_reference')) return ''
  const named = leading.flatMap(({ filter }) => {
    const list = SENT_OF.get(filter?.type ?? '')
    return list === undefined || !filter?.id ? [] : [`&${list}%5B%5D=${encodeURIComponent(filter.id)}`]
  })
  return named.length === 0 ? null : named.join('')
}

const historyAnswer = z.object({ incidents: z.array(z.record(z.string(), z.unknown())) })

/**
 * The incidents that began or changed since, as the webhooks that lead here would have told them. PagerDuty sends nothing
 * again for long, and stops sending to an address that refused a few times.
 */
async function askHistory(
  deps: ToolDeps,
  reach: ToolReach,
  since: number,
  signal: AbortSignal,
): Promise<readonly object[] | null> {
  const ask = async (path: string) => {
    const question = { path, limitedUntil: pagerDutyLimitedUntil }
    const answer = await askTool(deps, reach, question, HISTORY_MS, signal)
    return answer.ok ? answer.body : undefined
  }
  const listed = subscriptionsAnswer.safeParse(await ask(`/webhook_subscriptions?limit=${PAGE}`))
  const scope = listed.success ? sentHere(listed.data.webhook_subscriptions) : null
  if (scope === null) return null
  const window = span({ from: since - CHANGED_MS, to: deps.now() })
  const read = historyAnswer.safeParse(
    await ask(`/incidents?${window}${scope}&sort_by=created_at%3Adesc&limit=${PAGE}`),
  )
  if (!read.success) return null
  return read.data.incidents
    .flatMap((raw): { readonly at: number; readonly body: object }[] => {
      const one = pagerDutyIncident.safeParse(raw)
      if (!one.success) return []
      const { created_at, status, resolved_at, last_status_change_at } = one.data
      const ended = status === 'resolved' ? (resolved_at ?? last_status_change_at ?? null) : null
      const told = (event_type: string, at: number, data: object) => ({
        at,
        body: { event: { event_type, occurred_at: new Date(at).toISOString(), data } },
      })
      if (Math.max(created_at, ended ?? 0) < since) return []
      const begun = told('incident.triggered', created_at, { ...raw, status: 'triggered', resolved_at: null })
      return ended === null ? [begun] : [begun, told('incident.resolved', ended, raw)]
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ body }) => body)
}

const servicesOf = ({ service_ids }: IntegrationConfig): readonly string[] =>
  Array.isArray(service_ids) ? (service_ids as readonly string[]) : []
