import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type { IntegrationTypeName } from '#shared/domain/integration-types.ts'
import type { BundleFiles } from '../bundle/bundle-files.ts'
import { alertmanagerTool } from './alertmanager.ts'
import type { AwsDeps } from './aws-access.ts'
import { bundleTool } from './bundle.ts'
import { cloudwatchTool } from './cloudwatch.ts'
import { datadogTool } from './datadog.ts'
import { githubTool } from './github.ts'
import { grafanaTool } from './grafana.ts'
import { kubernetesTool } from './kubernetes.ts'
import { lokiTool } from './loki.ts'
import { openSearchTool } from './opensearch.ts'
import { pagerDutyTool } from './pagerduty.ts'
import { prometheusTool } from './prometheus.ts'
import { sentryTool } from './sentry.ts'
import { statuspageTool } from './statuspage.ts'
import { tempoTool } from './tempo.ts'
import type { ToolDeps } from './tool-request.ts'
import { webhookTool } from './webhook.ts'

/** What the tools are made with. */
export interface AllToolDeps extends ToolDeps {
  /** The files of the bundle that settings name. */
  readonly openBundle: (config: IntegrationConfig) => Promise<BundleFiles>
  /** What requests to AWS are signed with. */
  readonly aws: AwsDeps
}

/** How each type is made, in the order of the alphabet. A row of the table of types without an entry does not compile. */
const MAKERS: Readonly<Record<IntegrationTypeName, (deps: AllToolDeps) => Tool>> = {
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

/** Gives the tool of a type, made at its first use; undefined for a type that there is not. */
export function toolOfType(deps: AllToolDeps): (type: string) => Tool | undefined {
  const made = new Map<string, Tool>()
  return (type) => {
    if (!Object.hasOwn(MAKERS, type)) return undefined
    const tool = made.get(type) ?? MAKERS[type as IntegrationTypeName](deps)
    made.set(type, tool)
    return tool
  }
}
