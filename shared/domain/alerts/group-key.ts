import type { SentAlert } from './alert.ts'
import { lineOf } from './payload-fields.ts'

/**
 * Labels that name the service, in the order in which they are believed: what a metric says of itself stands under
 * `exported_…` where whoever scrapes it says another thing.
 * @see https://prometheus.io/docs/prometheus/latest/configuration/configuration/ (honor_labels)
 */
const SERVICE = [
  'exported_service',
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
  'exported_container',
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
/**
 * Services, containers and jobs that measure many others: whoever scrapes them writes their name beside what they tell of those.
 * @see https://github.com/prometheus-operator/kube-prometheus (alerts on what kube-state-metrics tells of containers)
 */
export const MEASURES_MANY = /(^|-)(kube-state-metrics|kubelet|cadvisor|node-exporter|blackbox-exporter)$/i

const first = (labels: Readonly<Record<string, string>>, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = labels[name]?.trim()
    if (value) return value
  }
  return null
}

/** The label that names the surest, of those that name no one who measures others. */
const named = (labels: Readonly<Record<string, string>>): string | null => {
  const own = Object.entries(labels).filter(([, value]) => !MEASURES_MANY.test(value))
  return first(Object.fromEntries(own), SERVICE)
}

/** Letters and digits that Kubernetes draws the ends of names from, without those that make words. */
const DRAWN = '[bcdfghjklmnpqrstvwxz2456789]'
/**
 * The name of a pod of a Deployment, with the hash of its template, or of a DaemonSet.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label
 */
const OF_WORKLOAD = new RegExp(`^(.+?)(?:-${DRAWN}{6,10})?-${DRAWN}{5}$`)
/** The name of a pod of a StatefulSet, which numbers them. */
const OF_STATEFUL_SET = /^(.+)-\d{1,3}$/

/** The workload in the name of a pod; undefined of other names. */
const workloadOf = (pod: string): string | undefined =>
  (OF_WORKLOAD.exec(pod) ?? OF_STATEFUL_SET.exec(pod))?.[1]

/** Longest name of a service, in characters: as long as one that callers give. */
const SERVICE_LENGTH = 200

/**
 * The service that an alert is about, in one printable line, or null: what its sender says, else its labels, else the
 * pod, else the job that is scraped.
 */
export function serviceOf({ service, labels }: Pick<SentAlert, 'service' | 'labels'>): string | null {
  const told = lineOf(service ?? named(labels) ?? '', SERVICE_LENGTH)
  if (told !== '') return told
  const { job, pod } = labels
  const workload = workloadOf(pod ?? '')
  if (workload !== undefined) return lineOf(workload, SERVICE_LENGTH)
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
