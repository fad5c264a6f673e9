import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type { IntegrationTypeName } from '#shared/domain/integration-types.ts'
import type { BundleFiles } from '../bundle/bundle-files.ts'
import type { AwsDeps } from './aws-access.ts'
import type { ToolDeps } from './tool-request.ts'

/** What the tools are made with. */
export interface AllToolDeps extends ToolDeps {
  /** The files of the bundle that settings name. */
  readonly openBundle: (config: IntegrationConfig) => Promise<BundleFiles>
  /** What requests to AWS are signed with. */
  readonly aws: AwsDeps
}

/** What only some tools can be asked. */
type Further = 'firing' | 'history'

/** How a tool is made, which is read when it is first asked: an account has a few of all tools. */
interface Maker {
  readonly load: () => Promise<(deps: AllToolDeps) => Tool>
  /** What it can be asked besides what every tool can: known before it is read, and what it has then. */
  readonly further?: readonly Further[]
}

/** How each type is made, in the order of the alphabet. A row of the table of types without an entry does not compile. */
const MAKERS: Readonly<Record<IntegrationTypeName, Maker>> = {
  alertmanager: {
    load: async () => (await import('./alertmanager.ts')).alertmanagerTool,
    further: ['firing'],
  },
  bundle: {
    load: async () => {
      const { bundleTool } = await import('./bundle.ts')
      return ({ openBundle }) => bundleTool(openBundle)
    },
  },
  cloudwatch: { load: async () => (await import('./cloudwatch.ts')).cloudwatchTool },
  datadog: { load: async () => (await import('./datadog.ts')).datadogTool },
  github: { load: async () => (await import('./github.ts')).githubTool },
  grafana: { load: async () => (await import('./grafana.ts')).grafanaTool, further: ['firing'] },
  kubernetes: { load: async () => (await import('./kubernetes.ts')).kubernetesTool },
  loki: { load: async () => (await import('./loki.ts')).lokiTool },
  opensearch: { load: async () => (await import('./opensearch.ts')).openSearchTool },
  pagerduty: { load: async () => (await import('./pagerduty.ts')).pagerDutyTool, further: ['history'] },
  prometheus: { load: async () => (await import('./prometheus.ts')).prometheusTool },
  sentry: { load: async () => (await import('./sentry.ts')).sentryTool },
  statuspage: { load: async () => (await import('./statuspage.ts')).statuspageTool },
  tempo: { load: async () => (await import('./tempo.ts')).tempoTool },
  webhook: { load: async () => (await import('./webhook.ts')).webhookTool },
}

/** A tool that is read and made when it is first asked something. */
function toolAtUse({ load, further = [] }: Maker, deps: AllToolDeps): Tool {
  let made: Promise<Tool> | undefined
  const tool = () => {
    made ??= load().then((make) => make(deps))
    return made
  }
  const asked = async (method: Further): Promise<never> => {
    throw new Error(`the tool has no ${method}, though its row says so`)
  }
  const can = (method: Further) => further.includes(method)
  return {
    check: async (config, signal) => (await tool()).check(config, signal),
    pull: async (config, request) => (await tool()).pull(config, request),
    ...(can('firing') && {
      firing: async (config, signal) => (await tool()).firing?.(config, signal) ?? asked('firing'),
    }),
    ...(can('history') && {
      history: async (config, since, signal) =>
        (await tool()).history?.(config, since, signal) ?? asked('history'),
    }),
  }
}

/** Gives the tool of a type, made at its first use; undefined for a type that there is not. */
export function toolOfType(deps: AllToolDeps): (type: string) => Tool | undefined {
  const made = new Map<string, Tool>()
  return (type) => {
    if (!Object.hasOwn(MAKERS, type)) return undefined
    const tool = made.get(type) ?? toolAtUse(MAKERS[type as IntegrationTypeName], deps)
    made.set(type, tool)
    return tool
  }
}
