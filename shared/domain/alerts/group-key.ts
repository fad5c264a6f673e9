import type { SentAlert } from './alert.ts'
import { lineOf } from './payload-fields.ts'

/** Labels that name the service, in the order in which they are believed. */
const SERVICE = [
  'service',
  'service_name',
  'service.name',
  'app_kubernetes_io_name',
  'app.kubernetes.io/name',
  'app',
  'application',
  'component',
  'deployment',
  'statefulset',
  'daemonset',
  'container',
] as const
const ENVIRONMENT = [
  'environment',
  'env',
  'deployment_environment_name',
  'deployment_environment',
  'deployment.environment',
  'stage',
] as const
const CLUSTER = ['cluster', 'cluster_name', 'k8s_cluster_name'] as const
/** Jobs of these measure others; what is wrong is not their own. */
const MEASURES_OTHERS = /exporter|blackbox|kube-state-metrics|kubelet|cadvisor|pushgateway|probe/i

const first = (labels: Readonly<Record<string, string>>, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = labels[name]?.trim()
    if (value) return value
  }
  return null
}

/** Longest name of a service, in characters: as long as one that callers give. */
const SERVICE_LENGTH = 200

/**
 * The service that an alert is about, in one printable line, or null: what its sender says, else its labels, else the
 * job that is scraped.
 */
export function serviceOf({ service, labels }: Pick<SentAlert, 'service' | 'labels'>): string | null {
  const named = lineOf(service ?? first(labels, SERVICE) ?? '', SERVICE_LENGTH)
  if (named !== '') return named
  const { job } = labels
  if (job === undefined || MEASURES_OTHERS.test(job)) return null
  // Prometheus operators write namespace/name.
  return job.split('/').at(-1)?.trim() || null
}

/**
 * What an alert belongs to: what somebody chose by the label `incident_group`; else its service in its environment and
 * cluster, whichever tool tells; else what its sender groups it by; else itself.
 */
export function groupOf(integrationId: string, alert: SentAlert): string {
  const { labels, fingerprint, sender_group } = alert
  const chosen = labels.incident_group?.trim()
  if (chosen) return JSON.stringify(['chosen', chosen])
  const service = serviceOf(alert)
  if (service !== null)
    return JSON.stringify([
      'service',
      service.toLowerCase(),
      first(labels, ENVIRONMENT),
      first(labels, CLUSTER),
    ])
  if (sender_group !== null) return JSON.stringify(['sender', integrationId, sender_group])
  return JSON.stringify(['alert', integrationId, fingerprint])
}
