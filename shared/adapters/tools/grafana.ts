import * as z from 'zod/mini'
import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type {
  Alert,
  Change,
  ControlPlaneEvent,
  Pulled,
} from '#shared/domain/investigation/records/snapshot.ts'
import { alertAnswer, alertOf, askFiring } from './alertmanager.ts'
import { httpAccess } from './http-access.ts'
import { LOG_CAPS, logSettings, pullLogs } from './loki.ts'
import { metricsSettings } from './prometheus.ts'
import { METRICS_CAPS, pullMetrics } from './prometheus-pull.ts'
import { readEach } from './read-each.ts'
import { serviceOf } from './service-labels.ts'
import { pullTraces, TRACE_CAPS } from './tempo.ts'
import { checkTool } from './tool-check.ts'
import type { ToolDeps, ToolReach } from './tool-request.ts'
import { type Answered, pullWith, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'Grafana'
const TOOL = { tool: 'grafana', title: TITLE }
/** Questions of one pull: those of Grafana itself and of one store of each kind behind it. */
const CAPS = {
  parallel: 10,
  requests: 10 + METRICS_CAPS.requests + LOG_CAPS.requests + TRACE_CAPS.requests,
}
/** Kinds of stores that are asked through Grafana. */
const KINDS = ['prometheus', 'loki', 'tempo', 'jaeger'] as const
type Kind = (typeof KINDS)[number]
/** Notes of one investigation. */
const MOST_ANNOTATIONS = 500
/** Notes of deployments are looked for this long before the window, in milliseconds. */
const LEAD_MS = 24 * 3_600_000
/** Tags by which deployment notes are known. */
const DEPLOYMENT = /^(?:deploy|deployment|deployed|release|released|rollout|rollback|version)(?:$|[:=_-])/i

const dataSource = z.object({
  uid: z.string(),
  name: z.string(),
  type: z.string(),
  isDefault: z.optional(z.boolean()),
})
type DataSource = z.infer<typeof dataSource>

/**
 * Plugins whose stores answer as Prometheus does.
 * @see https://grafana.com/docs/plugins/grafana-amazonprometheus-datasource/latest/
 * @see https://grafana.com/docs/plugins/grafana-azureprometheus-datasource/latest/
 * @see https://docs.victoriametrics.com/victoriametrics/integrations/grafana/
 */
const LIKE_PROMETHEUS = [
  'grafana-amazonprometheus-datasource',
  'grafana-azureprometheus-datasource',
  'victoriametrics-metrics-datasource',
]
/** What kind of store a data source is; undefined of those that are not asked. */
const kindOf = ({ type }: DataSource): Kind | undefined =>
  LIKE_PROMETHEUS.includes(type) ? 'prometheus' : KINDS.find((kind) => kind === type)
const annotation = z.object({
  id: z.number(),
  time: z.number(),
  timeEnd: z.optional(z.number()),
  text: z.optional(z.string()),
  tags: z.optional(z.nullable(z.array(z.string()))),
  login: z.optional(z.string()),
  alertName: z.optional(z.string()),
  newState: z.optional(z.string()),
})
type Annotation = z.infer<typeof annotation>

function reachOf(config: IntegrationConfig): ToolReach {
  const token = typeof config.token === 'string' ? config.token : undefined
  if (token === undefined) throw invalidField('config.token', 'is required')
  const reach = httpAccess({ base_url: config.base_url, headers: config.headers, bearer_token: token }, TOOL)
  const organisation = typeof config.org_id === 'number' ? { 'x-grafana-org-id': String(config.org_id) } : {}
  return { ...reach, headers: { ...reach.headers, ...organisation }, credential: 'config.token' }
}

const uidsOf = ({ datasource_uids }: IntegrationConfig): readonly string[] | undefined =>
  Array.isArray(datasource_uids) ? datasource_uids.filter((uid) => typeof uid === 'string') : undefined

/** The stores to ask: those that settings name, else one of each kind, the default first. */
function chosen(all: readonly DataSource[], uids: readonly string[] | undefined): readonly DataSource[] {
  const known = all.filter((store) => kindOf(store) !== undefined)
  if (uids !== undefined) return known.filter(({ uid }) => uids.includes(uid))
  return KINDS.flatMap((kind) => {
    const ofKind = known.filter((store) => kindOf(store) === kind)
    return ofKind.find(({ isDefault }) => isDefault === true) ?? ofKind[0] ?? []
  })
}

async function findStores(session: ToolSession, config: IntegrationConfig): Promise<readonly DataSource[]> {
  const what = `${TITLE}: data sources`
  const answer = await session.ask({ what, path: '/api/datasources' })
  if (answer === undefined) return []
  const all = readEach(session, answer, dataSource, answer.body)
  if (all === undefined) return []
  const uids = uidsOf(config)
  const stores = chosen(all, uids)
  session.answered(answer, { items: all.map(({ uid, name, type }) => ({ uid, name, type })) })
  for (const uid of uids ?? []) {
    if (!stores.some((store) => store.uid === uid)) {
      session.gap({
        what: `${what} ${uid}`,
        why: `It is not there, or of none of the kinds ${KINDS.join(', ')}.`,
      })
    }
  }
  const left = all.filter(
    (source) => kindOf(source) !== undefined && !stores.some(({ uid }) => uid === source.uid),
  )
  if (left.length > 0 && uids === undefined) {
    session.gap({
      what: `${what} ${left
        .map(({ name }) => name)
        .slice(0, 5)
        .join(', ')}`,
      why: 'One of each kind is asked; `datasource_uids` in the settings can name others.',
    })
  }
  return stores
}

/** The store behind Grafana's proxy, with the same credentials. */
function behind(session: ToolSession, { uid, name }: DataSource): ToolSession {
  const { base_url } = session.reach
  return session.by({
    ...session.reach,
    title: `${name} behind ${TITLE}`,
    base_url: `${base_url}/api/datasources/proxy/uid/${encodeURIComponent(uid)}`,
    // The proxy's address is none that a person opens: Grafana shows the same query in its explorer.
    shownAt: (query, { from, to }) => {
      const pane = {
        datasource: uid,
        queries: [{ refId: 'A', expr: query, query }],
        range: { from: String(from), to: String(to) },
      }
      return `${base_url}/explore?schemaVersion=1&panes=${encodeURIComponent(JSON.stringify({ a: pane }))}`
    },
  })
}

function pullStore(
  session: ToolSession,
  store: DataSource,
  kind: Kind,
  config: IntegrationConfig,
): Promise<Partial<Pulled>> {
  const by = behind(session, store)
  switch (kind) {
    case 'prometheus':
      return pullMetrics(by, metricsSettings(config))
    case 'loki':
      return pullLogs(by, logSettings(config))
    case 'tempo':
    case 'jaeger':
      return pullTraces(by, kind)
  }
}

/** A note with a deployment's tag is a change; an alert's change of state and other notes are events. */
function noteOf(
  note: Annotation,
  source: string,
): { readonly change?: Change; readonly event?: ControlPlaneEvent } {
  const tags = note.tags ?? []
  const pairs = Object.fromEntries(
    tags.flatMap((tag) => {
      const [, name, value] = /^([^:=]+)[:=](.+)$/.exec(tag) ?? []
      return name === undefined || value === undefined ? [] : [[name.trim(), value.trim()]]
    }),
  ) as Record<string, string>
  const service = serviceOf(pairs)
  const text = (note.text ?? '').replace(/<[^>]*>/g, '').trim()
  if (tags.some((tag) => DEPLOYMENT.test(tag))) {
    return {
      change: {
        source,
        id: `annotation ${note.id}`,
        recorded_at: note.time,
        // A note of one moment may have an end of 0.
        effective_at: { from: note.time, to: Math.max(note.time, note.timeEnd ?? note.time) },
        kind: 'deploy',
        title: text === '' ? tags.join(', ') : text,
        certainty: 'recorded',
        ...(service === undefined ? {} : { entity: service }),
        ...(note.login === undefined || note.login === '' ? {} : { actor: note.login }),
      },
    }
  }
  const isAlert = note.alertName !== undefined && note.alertName !== ''
  return {
    event: {
      source,
      timestamp: note.time,
      resource: isAlert ? (note.alertName ?? TITLE) : TITLE,
      kind: isAlert ? `alert ${note.newState ?? 'changed'}` : 'annotation',
      message: [text, tags.join(', ')].filter((part) => part !== '').join(' · '),
      ...(service === undefined ? {} : { service }),
    },
  }
}

async function pullNotes(session: ToolSession): Promise<Pick<Pulled, 'changes' | 'events'>> {
  const { window } = session.request
  const what = `${TITLE}: annotations`
  const answer = await session.ask({
    what,
    window: { from: window.from - LEAD_MS, to: window.to },
    path: `/api/annotations?from=${window.from - LEAD_MS}&to=${window.to}&limit=${MOST_ANNOTATIONS}`,
    empty: ['absent'],
  })
  if (answer === undefined) return { changes: [], events: [] }
  const notes = readEach(session, answer, annotation, answer.body)
  if (notes === undefined) return { changes: [], events: [] }
  const cut = notes.length >= MOST_ANNOTATIONS
  session.answered(answer, { items: notes, ...(cut ? { outcome: 'cut' as const } : {}) })
  if (cut) session.gap({ what, why: `The newest ${MOST_ANNOTATIONS} are read.`, source: answer.id })
  const read = notes.map((note) => noteOf(note, answer.id))
  return {
    changes: read.flatMap(({ change }) => change ?? []),
    events: read.flatMap(({ event }) => event ?? []),
  }
}

async function pullAlerts(session: ToolSession): Promise<readonly Alert[]> {
  const answer: Answered | undefined = await session.ask({
    what: `${TITLE}: alerts`,
    path: '/api/alertmanager/grafana/api/v2/alerts',
    link: `${session.reach.base_url}/alerting/list`,
    empty: ['absent'],
  })
  if (answer === undefined) return []
  const alerts = readEach(session, answer, alertAnswer, answer.body)
  if (alerts === undefined) return []
  const kept = alerts.filter(({ startsAt }) => startsAt < session.request.window.to)
  session.answered(answer, { items: kept })
  return kept.map((alert) => alertOf(alert, answer.id))
}

/** Everything that several parts of a pull brought, in one. */
function joined(parts: readonly Partial<Pulled>[]): Partial<Pulled> {
  const all: Record<string, unknown[]> = {}
  for (const part of parts) {
    for (const [name, list] of Object.entries(part)) {
      if (Array.isArray(list)) all[name] = [...(all[name] ?? []), ...(list as unknown[])]
    }
  }
  return all as Partial<Pulled>
}

/** Grafana: its alerts and annotations, and through its proxy one store each of metrics, logs and traces. */
export function grafanaTool(deps: ToolDeps): Tool {
  return {
    check: async (config, signal) =>
      checkTool(deps, reachOf(config), signal, async (ask) => {
        const { body } = await ask.must({ path: '/api/org' })
        const read = z.object({ id: z.number(), name: z.string() }).safeParse(body)
        if (!read.success) return ask.fail('What answers at this address does not answer like Grafana.')
        const there = `organisation ${read.data.name}`
        const listed = await ask.may({ path: '/api/datasources' })
        if (!listed.ok) {
          return {
            missing: [
              `data sources cannot be listed, so only alerts and annotations are read: ${listed.why}`,
            ],
            there,
          }
        }
        const all = z.array(dataSource).safeParse(listed.body)
        const stores = chosen(all.success ? all.data : [], uidsOf(config))
        if (stores.length === 0)
          return { missing: [`no data source is of the kinds ${KINDS.join(', ')}`], there }
        return {
          missing: [],
          there: `${there}, ${stores.map(({ name, type }) => `${name} (${type})`).join(', ')}`,
        }
      }),
    firing: async (config, signal) =>
      config.token === undefined || config.base_url === undefined
        ? null
        : askFiring(deps, reachOf(config), '/api/alertmanager/grafana/api/v2/alerts', signal),
    pull: (config, request) =>
      pullWith(
        TITLE,
        () => toolSession(deps, reachOf(config), request, CAPS),
        async (session) => {
          const [notes, alerts, stores] = await Promise.all([
            pullNotes(session),
            pullAlerts(session),
            findStores(session, config),
          ])
          const pulled = await Promise.all(
            stores.flatMap((store) => {
              const kind = kindOf(store)
              return kind === undefined ? [] : [pullStore(session, store, kind, config)]
            }),
          )
          return joined([notes, { alerts }, ...pulled])
        },
      ),
  }
}
