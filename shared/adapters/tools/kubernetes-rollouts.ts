import type { Change, Window } from '#shared/domain/investigation/records/snapshot.ts'
import type {
  KubernetesMetadata,
  KubernetesObject,
  KubernetesPod,
  PodTemplate,
} from './kubernetes-answers.ts'
import { imagesOf, templateDifference } from './pod-template-diff.ts'

/** One revision of a workload: a ReplicaSet of a Deployment, a ControllerRevision of a StatefulSet or DaemonSet. */
export interface Revision {
  readonly metadata: KubernetesMetadata
  /** Kind and name of the workload that it belongs to. */
  readonly owner: { readonly kind: string; readonly name: string }
  readonly number: number
  readonly template: PodTemplate
  readonly source: string
}

/** Longest time from a rollout's begin in which its pods count as brought by it, in milliseconds. */
const ROLLOUT_MS = 2 * 3_600_000
/** Until when running pods see a changed ConfigMap that is mounted: the kubelet looks once a minute and caches one. */
const CONFIG_REACHES_MS = 120_000
/** Who writes without a person or a pipeline behind it. */
const CONTROLLER =
  /controller-manager|^kube-|kubelet|leader|operator-lease|autoscaler|cert-manager-cainjector|metrics-server|cluster-proportional/i

/** Name of an object within the cluster. */
export const keyOf = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind} ${namespace ?? ''}/${name}`

const revisionOf = ({ annotations }: KubernetesMetadata): number =>
  Number(annotations?.['deployment.kubernetes.io/revision'] ?? Number.NaN)

/** ReplicaSets as revisions; one that no Deployment owns is none. */
export function replicaSetRevision(
  {
    metadata,
    spec,
  }: { readonly metadata: KubernetesMetadata; readonly spec: { readonly template: PodTemplate } },
  source: string,
): Revision | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment' || kind === 'Rollout')
  const number = revisionOf(metadata)
  if (owner === undefined || Number.isNaN(number)) return undefined
  return { metadata, owner, number, template: spec.template, source }
}

/**
 * The rollouts of the window: each revision against the one before it. A rollback takes an old revision up again, whose
 * object is as old as it was: then its pods tell when.
 * @param nameOf the entity that a workload stands for
 */
export function rolloutChanges(
  revisions: readonly Revision[],
  pods: readonly KubernetesPod[],
  window: Window,
  nameOf: (kind: string, namespace: string | undefined, name: string) => string,
): Change[] {
  const byOwner = Map.groupBy(revisions, ({ owner, metadata }) =>
    keyOf(owner.kind, metadata.namespace, owner.name),
  )
  const podsOf = Map.groupBy(
    pods.flatMap((pod) => (pod.metadata.ownerReferences ?? []).map((owner) => ({ owner, pod }))),
    ({ owner, pod }) => keyOf(owner.kind, pod.metadata.namespace, owner.name),
  )
  const changes: Change[] = []
  for (const list of byOwner.values()) {
    const ordered = list.toSorted((a, b) => a.number - b.number)
    for (const [index, revision] of ordered.entries()) {
      const own = (
        podsOf.get(keyOf('ReplicaSet', revision.metadata.namespace, revision.metadata.name)) ?? []
      ).map(({ pod }) => pod)
      const change = rolloutOf(
        revision,
        ordered[index - 1],
        index === ordered.length - 1,
        own,
        window,
        nameOf,
      )
      if (change !== undefined) changes.push(change)
    }
  }
  return changes
}

function rolloutOf(
  revision: Revision,
  before: Revision | undefined,
  isNewest: boolean,
  pods: readonly KubernetesPod[],
  window: Window,
  nameOf: (kind: string, namespace: string | undefined, name: string) => string,
): Change | undefined {
  const { metadata, owner, template, number } = revision
  const created = metadata.creationTimestamp ?? undefined
  const starts = pods
    .map((pod) => pod.metadata.creationTimestamp ?? Number.NaN)
    .filter((at) => at >= window.from && at < window.to)
  const isInside = created !== undefined && created >= window.from && created < window.to
  const takenUpAgain =
    isNewest && metadata.annotations?.['deployment.kubernetes.io/revision-history'] !== undefined
  const from = isInside ? created : takenUpAgain && starts.length > 0 ? Math.min(...starts) : undefined
  if (from === undefined || from >= window.to) return undefined
  const { namespace = 'default' } = metadata
  const file = `kubernetes/${namespace}/${owner.kind}/${owner.name}.yaml`
  const { kind, diff } =
    before === undefined
      ? { kind: 'image' as const, diff: '' }
      : templateDifference(before.template, template, file)
  const [was, is] = [before === undefined ? undefined : imagesOf(before.template), imagesOf(template)]
  const what = {
    image: was === undefined || was === is ? `first rollout of ${is}` : `${was} → ${is}`,
    settings: 'changed settings of its pods',
    restart: 'restart',
    none: 'same template again',
  }[kind]
  const back = takenUpAgain && !isInside ? ' (back to an earlier revision)' : ''
  const ready = pods.flatMap((pod) => {
    const at = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')
    const time = at?.lastTransitionTime ?? undefined
    return time !== undefined && time >= from && time < from + ROLLOUT_MS && time < window.to ? [time] : []
  })
  const actor = writerOf(metadata)
  return {
    source: revision.source,
    id: `${owner.kind} ${namespace}/${owner.name} revision ${number}`,
    recorded_at: from,
    effective_at: { from, to: ready.length === 0 ? from : Math.max(...ready) },
    kind: kind === 'settings' ? 'config' : 'deploy',
    entity: nameOf(owner.kind, namespace, owner.name),
    title: `${owner.kind} ${owner.name}: ${what}${back}`,
    after: is,
    certainty: 'recorded',
    ...(was === undefined ? {} : { before: was }),
    ...(actor === undefined ? {} : { actor }),
    ...(diff === '' ? {} : { diff, files: [file] }),
  }
}

/** Who wrote an object last by hand or from a pipeline, as far as the fields' managers tell. */
function writerOf({ managedFields = [] }: KubernetesMetadata): string | undefined {
  return managedFields.find(
    ({ manager, subresource }) =>
      manager !== undefined && subresource !== 'status' && !CONTROLLER.test(manager),
  )?.manager
}

/**
 * Edits of ConfigMaps and Ingresses in the window, by the times that their fields' managers left. What they hold is not
 * read, so only that they changed is known.
 */
export function editChanges(
  kind: 'ConfigMap' | 'Ingress',
  objects: readonly { readonly item: KubernetesObject; readonly source: string }[],
  window: Window,
  usersOf: (namespace: string | undefined, name: string) => readonly string[],
): Change[] {
  return objects.flatMap(({ item: { metadata }, source }) => {
    const { name, namespace = 'default', managedFields = [] } = metadata
    const edits = managedFields.filter(
      ({ manager = '', time, subresource }) =>
        time !== undefined &&
        time >= window.from &&
        time < window.to &&
        subresource !== 'status' &&
        !CONTROLLER.test(manager),
    )
    const newest = edits.toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0))[0]
    if (newest?.time === undefined) return []
    const { time, manager } = newest
    const users = usersOf(metadata.namespace, name)
    const [entity] = users
    return [
      {
        source,
        id: `${kind} ${namespace}/${name} ${new Date(time).toISOString()}`,
        recorded_at: time,
        effective_at: { from: time, to: time + (kind === 'ConfigMap' ? CONFIG_REACHES_MS : 0) },
        kind: 'config',
        title: `${kind} ${namespace}/${name} edited`,
        certainty: 'inferred',
        files: [`kubernetes/${namespace}/${kind}/${name}.yaml`],
        ...(manager === undefined ? {} : { actor: manager }),
        ...(entity === undefined || users.length > 1 ? {} : { entity }),
      } satisfies Change,
    ]
  })
}
