import * as z from 'zod/mini'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import { httpAccess } from './http-access.ts'
import { ruleAlert } from './prometheus-api.ts'
import { METRICS_CAPS, type MetricsSettings, pullMetrics } from './prometheus-pull.ts'
import { checkTool } from './tool-check.ts'
import type { ToolDeps } from './tool-request.ts'
import { pullWith, toolSession } from './tool-session.ts'

const TITLE = 'Prometheus'
const TOOL = { tool: 'prometheus', title: TITLE }

const buildAnswer = z.object({ status: z.literal('success'), data: z.object({ version: z.string() }) })
const vectorAnswer = z.object({
  status: z.literal('success'),
  data: z.object({ resultType: z.string(), result: z.array(z.unknown()) }),
})

const alertsAnswer = z.object({
  status: z.literal('success'),
  data: z.object({ alerts: z.array(ruleAlert) }),
})

/** How many alerts fire, in words. */
const firing = (alerts: readonly z.infer<typeof ruleAlert>[]): string => {
  const count = alerts.filter(({ state }) => state === 'firing').length
  return count === 0 ? 'no alert fires' : count === 1 ? '1 alert fires' : `${count} alerts fire`
}

/** What settings say about the names in a metrics store. */
export function metricsSettings({ service_label, queries }: IntegrationConfig): MetricsSettings {
  const own = typeof queries === 'object' && queries !== null ? Object.entries(queries) : []
  return {
    ...(typeof service_label === 'string' ? { service_label } : {}),
    queries: Object.fromEntries(
      own.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  }
}

/** Prometheus, and every store that speaks its API: Thanos, Mimir, VictoriaMetrics. */
export function prometheusTool(deps: ToolDeps): Tool {
  return {
    check: async (config, signal) =>
      checkTool(deps, httpAccess(config, TOOL), signal, async (ask) => {
        const strange = 'What answers at this address does not answer like Prometheus.'
        const missing: string[] = []
        // Stores that only speak its query API know no build information.
        const build = await ask.may({ path: '/api/v1/status/buildinfo' })
        const version = build.ok ? buildAnswer.safeParse(build.body) : undefined
        const up = await ask.must({ path: '/api/v1/query?query=count(up)' })
        const read = vectorAnswer.safeParse(up.body)
        if (!read.success) return ask.fail(strange)
        if (read.data.data.result.length === 0) missing.push('it scrapes nothing: there is no series `up`')
        const rules = await ask.may({ path: '/api/v1/rules?type=alert' })
        if (!rules.ok) missing.push(`rules of alerts cannot be read: ${rules.why}`)
        // Only what evaluates rules itself knows its alerts; a store behind it does not.
        const now = await ask.may({ path: '/api/v1/alerts' })
        const alerts = now.ok ? alertsAnswer.safeParse(now.body) : undefined
        const there = [
          ...(version?.success === true ? [`version ${version.data.data.version}`] : []),
          ...(alerts?.success === true ? [firing(alerts.data.data.alerts)] : []),
        ]
        return { missing, ...(there.length === 0 ? {} : { there: there.join(', ') }) }
      }),
    pull: (config, request) =>
      pullWith(
        TITLE,
        () => toolSession(deps, httpAccess(config, TOOL), request, METRICS_CAPS),
        (session) => pullMetrics(session, metricsSettings(config)),
      ),
  }
}
