import { describe, expect, it } from 'vitest'
import { alertmanagerTool } from '#shared/adapters/tools/alertmanager.ts'
import { bundleTool } from '#shared/adapters/tools/bundle.ts'
import { cloudwatchTool } from '#shared/adapters/tools/cloudwatch.ts'
import { datadogTool } from '#shared/adapters/tools/datadog.ts'
import { githubTool } from '#shared/adapters/tools/github.ts'
import { grafanaTool } from '#shared/adapters/tools/grafana.ts'
import { kubernetesTool } from '#shared/adapters/tools/kubernetes.ts'
import { lokiTool } from '#shared/adapters/tools/loki.ts'
import { openSearchTool } from '#shared/adapters/tools/opensearch.ts'
import { pagerDutyTool } from '#shared/adapters/tools/pagerduty.ts'
import { prometheusTool } from '#shared/adapters/tools/prometheus.ts'
import { sentryTool } from '#shared/adapters/tools/sentry.ts'
import { statuspageTool } from '#shared/adapters/tools/statuspage.ts'
import { tempoTool } from '#shared/adapters/tools/tempo.ts'
import { type AllToolDeps, toolOfType } from '#shared/adapters/tools/tool-of-type.ts'
import { webhookTool } from '#shared/adapters/tools/webhook.ts'
import type { Tool } from '#shared/domain/integration.ts'
import { INTEGRATION_TYPES, type IntegrationTypeName } from '#shared/domain/integration-types.ts'

const unused = (): never => {
  throw new Error('nothing is asked')
}
const deps: AllToolDeps = {
  request: Object.assign(unused, { close: unused }),
  now: () => 0,
  openBundle: unused,
  aws: { issuer: 'tests', credentials: unused, endpoint: unused },
}
const CLIENTS: Readonly<Record<IntegrationTypeName, (deps: AllToolDeps) => Tool>> = {
  alertmanager: alertmanagerTool,
  bundle: ({ openBundle }) => bundleTool(openBundle),
  cloudwatch: cloudwatchTool,
  datadog: datadogTool,
  github: githubTool,
  grafana: grafanaTool,
  kubernetes: kubernetesTool,
  loki: lokiTool,
  opensearch: openSearchTool,
  pagerduty: pagerDutyTool,
  prometheus: prometheusTool,
  sentry: sentryTool,
  statuspage: statuspageTool,
  tempo: tempoTool,
  webhook: webhookTool,
}

describe('the tool of a type', () => {
  it.each(INTEGRATION_TYPES.map(({ type }) => type as IntegrationTypeName))(
    'can be asked, before its client is read, what its client can: %s',
    (type) => {
      const tool = toolOfType(deps)(type)
      expect(Object.keys(tool ?? {}).sort()).toEqual(Object.keys(CLIENTS[type](deps)).sort())
    },
  )

  it('is made once, and none for a type that there is not', () => {
    const tools = toolOfType(deps)
    expect(tools('webhook')).toBe(tools('webhook'))
    expect(tools('toString')).toBeUndefined()
  })

  it('answers as its client does', async () => {
    const tool = toolOfType(deps)('webhook')
    const signal = new AbortController().signal
    expect(await tool?.check({}, signal)).toEqual(await webhookTool().check({}, signal))
  })
})
