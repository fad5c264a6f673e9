import * as z from 'zod/mini'
import { invalidField } from '#shared/domain/errors.ts'
import type { IntegrationConfig, Tool } from '#shared/domain/integration.ts'
import type {
  Entity,
  KubernetesRecord,
  Pulled,
  Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import { httpAccess } from './http-access.ts'
import {
  autoscalerAnswer,
  controllerRevisionAnswer,
  eventAnswer,
  type KubernetesAutoscaler,
  type KubernetesEvent,
  type KubernetesMetadata,
  type KubernetesNode,
  type KubernetesPod,
  type KubernetesWorkload,
  metadataAnswer,
  nodeAnswer,
  pageAnswer,
  podAnswer,
  replicaSetAnswer,
  workloadAnswer,
} from './kubernetes-answers.ts'
import {
  editChanges,
  keyOf,
  type Revision,
  replicaSetRevision,
  rolloutChanges,
} from './kubernetes-rollouts.ts'
import { checkTool } from './tool-check.ts'
import type { ToolDeps, ToolReach } from './tool-request.ts'
import { pullWith, readPages, type ToolSession, toolSession } from './tool-session.ts'

const TITLE = 'Kubernetes'
/** Questions of one pull, and how many of them at once: an API server sorts whoever asks more behind others. */
const CAPS = { parallel: 6, requests: 120 }
/** Objects of one page: a pod with all its fields is 5 to 15 KB. */
const PAGE = 250
/** Pages that are read of one list. */
const MAX_PAGES = 8
/** Bytes of one page. */
const MAX_BYTES = 8 * 1024 * 1024
/** A rollout may hurt only under the load of the next day; in milliseconds. */
const LEAD_MS = 24 * 3_600_000
/** Pods whose names are kept as names of their workload. */
const MOST_POD_NAMES = 1000
/** Events of normal operation that nevertheless tell of trouble or of a change. */
const TELLING =
  /^(Killing|ScalingReplicaSet|SuccessfulRescale|NodeNotReady|NodeNotSchedulable|NodeSchedulable|Rebooted|Evicted|Preempted|Preempting|Starting|DeletingNode|RemovingNode|TaintManagerEviction|LeaderElection)$/
/** ConfigMaps that the cluster itself keeps writing. */
const OWN_CONFIG = /^(kube-root-ca\.crt|istio-ca-root-cert|openshift-service-ca\.crt)$/
/** Reason of a termination that is none to speak of. */
const COMPLETED = 'Completed'

/** The lists that are read: where they are, and what is missing without them. */
const LISTS = {
  events: { path: '/api/v1', name: 'events', what: 'events' },
  pods: { path: '/api/v1', name: 'pods', what: 'pods' },
  nodes: { path: '/api/v1', name: 'nodes', what: 'nodes', clusterWide: true },
  configmaps: { path: '/api/v1', name: 'configmaps', what: 'metadata of ConfigMaps', metadataOnly: true },
  deployments: { path: '/apis/apps/v1', name: 'deployments', what: 'Deployments' },
  replicasets: { path: '/apis/apps/v1', name: 'replicasets', what: 'ReplicaSets' },
  statefulsets: { path: '/apis/apps/v1', name: 'statefulsets', what: 'StatefulSets' },
  daemonsets: { path: '/apis/apps/v1', name: 'daemonsets', what: 'DaemonSets' },
  controllerrevisions: {
    path: '/apis/apps/v1',
    name: 'controllerrevisions',
    what: 'revisions of StatefulSets and DaemonSets',
  },
  autoscalers: { path: '/apis/autoscaling/v2', name: 'horizontalpodautoscalers', what: 'autoscalers' },
  ingresses: {
    path: '/apis/networking.k8s.io/v1',
    name: 'ingresses',
    what: 'metadata of Ingresses',
    metadataOnly: true,
  },
} as const satisfies Record<string, List>

interface List {
  readonly path: string
  readonly name: string
  readonly what: string
  readonly clusterWide?: boolean
  /** Asked for without their content: what they hold is never read. */
  readonly metadataOnly?: boolean
}

/** Makes the API server answer with metadata alone. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

interface Settings {
  readonly reach: ToolReach
  /** Namespaces that are read; undefined means all of them. */
  readonly namespaces: readonly string[] | undefined
}

const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

function settingsOf(config: IntegrationConfig): Settings {
  const { namespaces, ca_certificate } = config
  if (config.bearer_token === undefined) throw invalidField('config.bearer_token', 'is required')
  const list = namespaces as readonly string[] | undefined
  for (const name of list ?? []) {
    if (!namespaceName.test(name)) throw invalidField('config.namespaces', 'must hold names of namespaces')
  }
  if (ca_certificate !== undefined && !String(ca_certificate).includes('-----BEGIN CERTIFICATE-----')) {
    throw invalidField('config.ca_certificate', 'must be a certificate in PEM, its line breaks included')
  }
  const reach = httpAccess(config, { tool: 'kubernetes', title: TITLE })
  return {
    reach: typeof ca_certificate === 'string' ? { ...reach, ca: ca_certificate } : reach,
    namespaces: list,
  }
}

/** The addresses of a list: one for the whole cluster, or one for each namespace. */
function pathsOf(list: List, namespaces: readonly string[] | undefined): readonly string[] {
  if (namespaces === undefined || list.clusterWide === true) return [`${list.path}/${list.name}`]
  return namespaces.map((namespace) => `${list.path}/namespaces/${namespace}/${list.name}`)
}

const headersOf = ({ metadataOnly }: List): Readonly<Record<string, string>> =>
  metadataOnly === true ? { accept: METADATA_ONLY } : {}

/** Everything of one list that can be read. */
async function readList<Item>(
  session: ToolSession,
  list: List,
  namespaces: readonly string[] | undefined,
  schema: z.ZodMiniType<Item>,
): Promise<{ readonly item: Item; readonly source: string }[]> {
  const found = await Promise.all(
    pathsOf(list, namespaces).map(async (path) => {
      const what = `${TITLE}: ${list.what}`
      let malformed = 0
      const rows = await readPages(
        session,
        { what, path: `${path}?limit=${PAGE}`, headers: headersOf(list), maxBytes: MAX_BYTES },
        ({ body }) => {
          const page = pageAnswer.safeParse(body)
          if (!page.success) return undefined
          const items: Item[] = []
          for (const item of page.data.items) {
            const read = schema.safeParse(item)
            if (read.success) items.push(read.data)
            else malformed += 1
          }
          const next = page.data.metadata?.continue
          return {
            items,
            ...(next ? { next: { path: `${path}?limit=${PAGE}&continue=${encodeURIComponent(next)}` } } : {}),
          }
        },
        { pages: MAX_PAGES },
      )
      if (malformed > 0) session.gap({ what, why: `${malformed} items could not be read.` })
      return rows
    }),
  )
  return found.flat()
}

const itemsOf = <Item>(rows: readonly { readonly item: Item }[]): Item[] => rows.map(({ item }) => item)

/**
 * Kubernetes: what its controllers and the kubelet reported, what rolled out when, and which pods, nodes and autoscalers
 * are in trouble. Secrets are never asked for; of ConfigMaps and Ingresses only metadata.
 */
export function kubernetesTool(deps: ToolDeps): Tool {
  return {
    async check(config, signal) {
      const { reach, namespaces } = settingsOf(config)
      return checkTool(deps, reach, signal, async (ask) => {
        const version = await ask.may({ path: '/version' })
        if (!version.ok && version.status === 401) throw invalidField(reach.credential, version.why)
        if (!version.ok && version.kind !== 'refused') {
          if (version.kind === 'forbidden') throw invalidField('config.base_url', version.why)
          return ask.fail(version.why)
        }
        const known = z.object({ gitVersion: z.string() }).safeParse(version.ok ? version.body : undefined)
        if (version.ok && !known.success) {
          return ask.fail('What answers at this address does not answer like Kubernetes.')
        }
        const lists: readonly List[] = Object.values(LISTS)
        const missing = await Promise.all(
          lists.map(async (list) => {
            // One namespace speaks for all: roles are given for all of them or looked at one by one.
            const [path] = pathsOf(list, namespaces)
            const answer = await ask.may({ path: `${path}?limit=1`, headers: headersOf(list) })
            if (answer.ok) return []
            // Who may not list is known; who is not known is refused.
            if (answer.status === 401) throw invalidField(reach.credential, answer.why)
            return [
              answer.kind === 'refused'
                ? `the token may not list ${list.name}`
                : `${list.name}: ${answer.why}`,
            ]
          }),
        )
        if (missing.every(([why]) => why?.startsWith('the token'))) {
          throw invalidField(reach.credential, 'may list nothing that is read (status 403)')
        }
        const there = known.success ? { there: `version ${known.data.gitVersion}` } : {}
        return { missing: missing.flat(), ...there }
      })
    },
    pull: (config, request): Promise<Pulled> => {
      let namespaces: readonly string[] | undefined
      return pullWith(
        TITLE,
        () => {
          const settings = settingsOf(config)
          namespaces = settings.namespaces
          return toolSession(deps, settings.reach, request, CAPS)
        },
        (session) => pullCluster(session, namespaces, request.window),
      )
    },
  }
}

async function pullCluster(
  session: ToolSession,
  namespaces: readonly string[] | undefined,
  window: Window,
): Promise<Partial<Pulled>> {
  const read = <Item>(list: List, schema: z.ZodMiniType<Item>) => readList(session, list, namespaces, schema)
  const [events, pods, nodes, deployments, replicaSets, statefulSets, daemonSets, revisions] =
    await Promise.all([
      read(LISTS.events, eventAnswer),
      read(LISTS.pods, podAnswer),
      read(LISTS.nodes, nodeAnswer),
      read(LISTS.deployments, workloadAnswer),
      read(LISTS.replicasets, replicaSetAnswer),
      read(LISTS.statefulsets, workloadAnswer),
      read(LISTS.daemonsets, workloadAnswer),
      read(LISTS.controllerrevisions, controllerRevisionAnswer),
    ])
  const [autoscalers, configMaps, ingresses] = await Promise.all([
    read(LISTS.autoscalers, autoscalerAnswer),
    read(LISTS.configmaps, metadataAnswer),
    read(LISTS.ingresses, metadataAnswer),
  ])
  const workloads = new Map<string, Workload>(
    [
      ...itemsOf(deployments).map((item) => workloadOf('Deployment', item)),
      ...itemsOf(statefulSets).map((item) => workloadOf('StatefulSet', item)),
      ...itemsOf(daemonSets).map((item) => workloadOf('DaemonSet', item)),
    ].map((workload) => [
      keyOf(workload.kind, workload.metadata.namespace, workload.metadata.name),
      workload,
    ]),
  )
  const names = namesOf([...workloads.values()])
  const nameOf = (kind: string, namespace: string | undefined, name: string): string =>
    names.get(keyOf(kind, namespace, name)) ?? name
  const lead = { from: window.from - LEAD_MS, to: window.to }
  const rolledOut: Revision[] = [
    ...replicaSets.flatMap(({ item, source }) => replicaSetRevision(item, source) ?? []),
    ...revisions.flatMap(({ item, source }) => {
      const owner = item.metadata.ownerReferences?.[0]
      if (owner === undefined) return []
      return [
        { metadata: item.metadata, owner, number: item.revision, template: item.data.spec.template, source },
      ]
    }),
  ]
  const usersOf = (namespace: string | undefined, name: string): string[] =>
    [...workloads.values()]
      .filter((workload) => workload.metadata.namespace === namespace && workload.configMaps.has(name))
      .map(({ kind, metadata }) => nameOf(kind, metadata.namespace, metadata.name))
  const written = configMaps.filter(({ item }) => !OWN_CONFIG.test(item.metadata.name))
  const ownerOf = podOwners(replicaSets.map(({ item }) => item.metadata))
  return {
    entities: [
      ...workloadEntities(session, [...workloads.values()], itemsOf(pods), ownerOf, nameOf),
      ...itemsOf(nodes).map(nodeEntity),
    ],
    changes: [
      ...rolloutChanges(rolledOut, itemsOf(pods), lead, nameOf),
      ...editChanges('ConfigMap', written, lead, usersOf),
      ...editChanges('Ingress', ingresses, lead, () => []),
    ].toSorted((a, b) => a.recorded_at - b.recorded_at || (a.id < b.id ? -1 : 1)),
    k8s: [
      ...events.flatMap(({ item, source }) => eventRecord(item, source, window)),
      ...pods.flatMap(({ item, source }) => podRecords(item, source, window)),
      ...nodes.flatMap(({ item, source }) => nodeRecords(item, source, window)),
      ...autoscalers.flatMap(({ item, source }) => autoscalerRecord(item, source, window)),
    ].toSorted((a, b) => a.timestamp - b.timestamp || (a.name < b.name ? -1 : 1)),
  }
}

interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet'
  readonly metadata: KubernetesMetadata
  readonly labels: Readonly<Record<string, string>>
  /** Names of the ConfigMaps that its pods read. */
  readonly configMaps: ReadonlySet<string>
}

function workloadOf(kind: Workload['kind'], { metadata, spec }: KubernetesWorkload): Workload {
  const configMaps = new Set<string>()
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const named = (member as { name?: unknown } | null)?.name
        if (/^configMap(Ref|KeyRef)?$/.test(name) && typeof named === 'string') configMaps.add(named)
        walk(member)
      }
    }
  }
  walk(spec.template.spec)
  return { kind, metadata, labels: { ...metadata.labels, ...spec.template.metadata?.labels }, configMaps }
}

const NAME_LABELS = ['app.kubernetes.io/name', 'app', 'k8s-app'] as const

/** Labels that say under which name a workload's telemetry goes, where no other workload has the same. */
function namesOf(workloads: readonly Workload[]): ReadonlyMap<string, string> {
  const labelOf = ({ labels }: Workload) => NAME_LABELS.map((name) => labels[name]).find((value) => value)
  const shared = Map.groupBy(workloads, (workload) => labelOf(workload) ?? '')
  return new Map(
    workloads.map((workload) => {
      const { kind, metadata } = workload
      const label = labelOf(workload)
      const isOwn = label !== undefined && shared.get(label)?.length === 1
      return [keyOf(kind, metadata.namespace, metadata.name), isOwn ? label : metadata.name]
    }),
  )
}

/** The workload that a pod belongs to, through its ReplicaSet where it has one. */
function podOwners(replicaSets: readonly KubernetesMetadata[]) {
  const above = new Map(
    replicaSets.map(({ name, namespace, ownerReferences }) => [
      keyOf('ReplicaSet', namespace, name),
      ownerReferences?.[0],
    ]),
  )
  return ({ metadata: { namespace, ownerReferences } }: KubernetesPod) => {
    const owner = ownerReferences?.[0]
    if (owner?.kind !== 'ReplicaSet') return owner
    return above.get(keyOf('ReplicaSet', namespace, owner.name)) ?? owner
  }
}

function workloadEntities(
  session: ToolSession,
  workloads: readonly Workload[],
  pods: readonly KubernetesPod[],
  ownerOf: ReturnType<typeof podOwners>,
  nameOf: (kind: string, namespace: string | undefined, name: string) => string,
): Entity[] {
  const named = pods.slice(0, MOST_POD_NAMES)
  if (named.length < pods.length) {
    session.gap({
      what: `${TITLE}: names of ${pods.length - named.length} pods`,
      why: `The workload of ${MOST_POD_NAMES} pods is kept.`,
    })
  }
  const podsOf = Map.groupBy(named, (pod) => {
    const owner = ownerOf(pod)
    return owner === undefined ? '' : keyOf(owner.kind, pod.metadata.namespace, owner.name)
  })
  return workloads.map(({ kind, metadata: { name, namespace } }): Entity => {
    const entity = nameOf(kind, namespace, name)
    const own = podsOf.get(keyOf(kind, namespace, name)) ?? []
    return {
      name: entity,
      kind: 'workload',
      ...(namespace === undefined ? {} : { namespace }),
      aliases: [
        ...(entity === name ? [] : [{ alias: name, learnt_from: `${kind} ${namespace}/${name}` }]),
        ...own.map((pod) => ({ alias: pod.metadata.name, learnt_from: 'owner reference' })),
      ],
    }
  })
}

const nodeEntity = ({ metadata, status }: KubernetesNode): Entity => ({
  name: metadata.name,
  kind: 'node',
  aliases: (status.addresses ?? [])
    .filter(({ type, address }) => type !== 'ExternalIP' && address !== metadata.name)
    .map(({ type, address }) => ({ alias: address, learnt_from: `node ${type}` })),
})

const isIn = (window: Window, at: number | null | undefined): at is number =>
  typeof at === 'number' && at >= window.from && at < window.to

function eventRecord(event: KubernetesEvent, source: string, window: Window): KubernetesRecord[] {
  const { involvedObject, reason, message, series, count } = event
  const at =
    event.lastTimestamp ?? series?.lastObservedTime ?? event.eventTime ?? event.metadata.creationTimestamp
  if (!isIn(window, at) || (event.type !== 'Warning' && !TELLING.test(reason ?? ''))) return []
  const namespace = involvedObject.namespace ?? event.metadata.namespace
  const many = count ?? series?.count
  const first = event.firstTimestamp
  return [
    {
      source,
      timestamp: at,
      kind: involvedObject.kind ?? 'Event',
      name: involvedObject.name ?? event.metadata.name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
      ...(many === undefined || many === null ? {} : { count: many }),
      ...(first && first < at ? { attributes: { first_at: first } } : {}),
    },
  ]
}

/** What ended or keeps a pod's containers from running, and an eviction of the pod itself. */
function podRecords(pod: KubernetesPod, source: string, window: Window): KubernetesRecord[] {
  const { metadata, spec, status } = pod
  const { nodeName } = spec
  const record = (
    timestamp: number,
    reason: string,
    message: string,
    attributes: object,
  ): KubernetesRecord => ({
    source,
    timestamp,
    kind: 'Pod',
    name: metadata.name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    reason,
    message,
    attributes: { ...(nodeName === undefined ? {} : { node: nodeName }), ...attributes },
  })
  const records: KubernetesRecord[] = []
  const notReady = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
  for (const { name, image, restartCount = 0, state, lastState } of status?.containerStatuses ?? []) {
    const limits = spec.containers?.find((container) => container.name === name)?.resources?.limits
    const attributes = {
      container: name,
      restarts: restartCount,
      ...(image ? { image } : {}),
      ...(limits ? { limits } : {}),
    }
    const memory = typeof limits?.memory === 'string' ? `, memory limit ${limits.memory}` : ''
    for (const ended of [lastState?.terminated, state?.terminated]) {
      if (!ended || !isIn(window, ended.finishedAt) || ended.reason === COMPLETED) continue
      const reason = ended.reason ?? 'Terminated'
      const code = ended.exitCode === undefined ? '' : `, exit code ${ended.exitCode}`
      records.push(
        record(
          ended.finishedAt,
          reason,
          `container ${name} ended: ${reason}${code}, ${restartCount} restarts${memory}`,
          attributes,
        ),
      )
    }
    const waiting = state?.waiting
    const since = notReady ?? status?.startTime
    if (
      waiting?.reason &&
      !/^(ContainerCreating|PodInitializing)$/.test(waiting.reason) &&
      isIn(window, since)
    ) {
      records.push(record(since, waiting.reason, waiting.message ?? `container ${name} waits`, attributes))
    }
  }
  const began = status?.startTime ?? metadata.creationTimestamp
  if (status?.phase === 'Failed' && status.reason && isIn(window, began)) {
    records.push(record(began, status.reason, status.message ?? 'the pod failed', {}))
  }
  return records
}

/** Conditions of a node that speak of trouble, and that nothing may be scheduled on it. */
function nodeRecords(
  { metadata, spec, status }: KubernetesNode,
  source: string,
  window: Window,
): KubernetesRecord[] {
  return (status.conditions ?? []).flatMap(({ type, status: state, reason, message, lastTransitionTime }) => {
    const isTrouble = type === 'Ready' ? state !== 'True' : state === 'True'
    if (!isTrouble || !isIn(window, lastTransitionTime)) return []
    return [
      {
        source,
        timestamp: lastTransitionTime,
        kind: 'Node',
        name: metadata.name,
        reason: type === 'Ready' ? 'NodeNotReady' : type,
        message: [reason, message].filter((part) => part).join(': '),
        ...(spec?.unschedulable === true ? { attributes: { unschedulable: true } } : {}),
      },
    ]
  })
}

/** An autoscaler that would add replicas and may not. */
function autoscalerRecord(
  { metadata, spec, status }: KubernetesAutoscaler,
  source: string,
  window: Window,
): KubernetesRecord[] {
  const limited = status?.conditions?.find(
    ({ type, status: state, reason }) =>
      type === 'ScalingLimited' && state === 'True' && reason === 'TooManyReplicas',
  )
  if (!isIn(window, limited?.lastTransitionTime)) return []
  return [
    {
      source,
      timestamp: limited.lastTransitionTime as number,
      kind: 'HorizontalPodAutoscaler',
      name: spec.scaleTargetRef.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      reason: 'TooManyReplicas',
      message: `maximum of ${spec.maxReplicas} replicas reached by autoscaler ${metadata.name}`,
      attributes: { current: status?.currentReplicas ?? null, max: spec.maxReplicas },
    },
  ]
}
