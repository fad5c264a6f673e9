/**
 * Tags of Datadog that name what something is about, the surest first: the unified service tag, workloads of Kubernetes, things
 * of AWS.
 * @see https://docs.datadoghq.com/getting_started/tagging/unified_service_tagging/
 * @see https://docs.datadoghq.com/containers/kubernetes/tag/
 * @see https://docs.datadoghq.com/integrations/amazon_web_services/ (dimensions as tags)
 */
const NAMING = [
  'service',
  'kube_deployment',
  'kube_stateful_set',
  'kube_daemon_set',
  'kube_container_name',
  'container_name',
  'functionname',
  'targetgroup',
  'loadbalancer',
  'apiname',
  'dbinstanceidentifier',
  'dbclusteridentifier',
  'cacheclusterid',
  'tablename',
  'queuename',
] as const

/** The service that tags name; undefined where none of them does. */
export const serviceOfTags = (tags: Readonly<Record<string, string>>): string | undefined =>
  NAMING.map((name) => tags[name]).find((value) => value !== undefined && value !== '')
