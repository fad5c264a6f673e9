import { MEASURES_MANY } from '#shared/domain/alerts/group-key.ts'

/**
 * Labels that name the service that a series, an alert or a line is about, the surest first: what a metric says of itself
 * stands under `exported_…` where whoever scrapes it says another thing.
 */
export const SERVICE_LABELS = [
  'service_name',
  'exported_service',
  'service',
  'app_kubernetes_io_name',
  'app',
  'application',
  'deployment',
  'statefulset',
  'daemonset',
  'workload',
  'container',
  'job',
] as const

/** Names of scrape jobs that stand for many services at once, not for one. */
const COLLECTIVE =
  /^(kubernetes-.*|kubelet|kube-state-metrics|cadvisor|node|node-exporter|blackbox(-exporter)?|pods?|services?|endpoints|integrations\/.*)$/i

/**
 * The service that labels name, by the label that a setting says or the usual ones; undefined where none does.
 * A job `namespace/name`, as OpenTelemetry writes it, gives the name.
 */
export function serviceOf(labels: Readonly<Record<string, string>>, preferred?: string): string | undefined {
  for (const name of preferred === undefined ? SERVICE_LABELS : [preferred, ...SERVICE_LABELS]) {
    const value = labels[name]
    if (value === undefined || value === '' || MEASURES_MANY.test(value)) continue
    if (name === 'job') {
      if (COLLECTIVE.test(value)) continue
      return value.slice(value.lastIndexOf('/') + 1)
    }
    // A container that only carries another one's traffic names no service.
    if (name === 'container' && /^(POD|istio-proxy|linkerd-proxy|envoy)$/.test(value)) continue
    return value
  }
  return undefined
}
