import * as z from 'zod/mini'

// What the API of Kubernetes answers, as far as it is read. Secrets are never asked for; of ConfigMaps only metadata.

const instant = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  z.transform((text: string) => Date.parse(text)),
)
const texts = z.record(z.string(), z.string())

const metadata = z.object({
  name: z.string(),
  namespace: z.optional(z.string()),
  creationTimestamp: z.nullish(instant),
  labels: z.optional(texts),
  annotations: z.optional(texts),
  ownerReferences: z.optional(z.array(z.object({ kind: z.string(), name: z.string() }))),
  managedFields: z.optional(
    z.array(
      z.object({
        manager: z.optional(z.string()),
        time: z.optional(instant),
        subresource: z.optional(z.string()),
      }),
    ),
  ),
})
export type KubernetesMetadata = z.infer<typeof metadata>

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.optional(z.string()),
  message: z.optional(z.string()),
  lastTransitionTime: z.nullish(instant),
})
const conditions = z.nullish(z.array(condition))

/** The part of a page that says where the next one begins. */
export const pageAnswer = z.object({
  kind: z.optional(z.string()),
  metadata: z.optional(z.object({ continue: z.optional(z.string()) })),
  items: z.array(z.unknown()),
})

/** Anything of which only the metadata is read: ConfigMaps, Ingresses. */
export const metadataAnswer = z.object({ metadata })
export type KubernetesObject = z.infer<typeof metadataAnswer>

export const eventAnswer = z.object({
  metadata,
  type: z.nullish(z.string()),
  reason: z.nullish(z.string()),
  message: z.nullish(z.string()),
  involvedObject: z.object({
    kind: z.optional(z.string()),
    name: z.optional(z.string()),
    namespace: z.optional(z.string()),
  }),
  firstTimestamp: z.nullish(instant),
  lastTimestamp: z.nullish(instant),
  eventTime: z.nullish(instant),
  count: z.nullish(z.number()),
  series: z.nullish(z.object({ count: z.optional(z.number()), lastObservedTime: z.nullish(instant) })),
})
export type KubernetesEvent = z.infer<typeof eventAnswer>

/** A template of pods; read member by member where two are compared. */
const template = z.object({
  metadata: z.nullish(z.object({ labels: z.optional(texts), annotations: z.optional(texts) })),
  spec: z.record(z.string(), z.unknown()),
})
export type PodTemplate = z.infer<typeof template>

export const workloadAnswer = z.object({
  metadata,
  spec: z.object({ template }),
})
export type KubernetesWorkload = z.infer<typeof workloadAnswer>

export const replicaSetAnswer = workloadAnswer

/** A revision of a StatefulSet or a DaemonSet: a patch that holds the template. */
export const controllerRevisionAnswer = z.object({
  metadata,
  revision: z.number(),
  data: z.object({ spec: z.object({ template }) }),
})

const terminated = z.nullish(
  z.object({
    reason: z.optional(z.string()),
    exitCode: z.optional(z.number()),
    message: z.optional(z.string()),
    finishedAt: z.nullish(instant),
  }),
)
const containerState = z.nullish(
  z.object({
    waiting: z.nullish(z.object({ reason: z.optional(z.string()), message: z.optional(z.string()) })),
    terminated,
  }),
)

export const podAnswer = z.object({
  metadata,
  spec: z.object({
    nodeName: z.optional(z.string()),
    containers: z.optional(
      z.array(
        z.object({
          name: z.string(),
          image: z.optional(z.string()),
          resources: z.nullish(z.object({ limits: z.nullish(z.record(z.string(), z.unknown())) })),
        }),
      ),
    ),
  }),
  status: z.optional(
    z.object({
      phase: z.optional(z.string()),
      reason: z.optional(z.string()),
      message: z.optional(z.string()),
      startTime: z.nullish(instant),
      conditions,
      containerStatuses: z.nullish(
        z.array(
          z.object({
            name: z.string(),
            image: z.optional(z.string()),
            restartCount: z.optional(z.number()),
            state: containerState,
            lastState: containerState,
          }),
        ),
      ),
    }),
  ),
})
export type KubernetesPod = z.infer<typeof podAnswer>

export const nodeAnswer = z.object({
  metadata,
  spec: z.optional(z.object({ unschedulable: z.optional(z.boolean()) })),
  status: z.object({
    conditions,
    addresses: z.nullish(z.array(z.object({ type: z.string(), address: z.string() }))),
  }),
})
export type KubernetesNode = z.infer<typeof nodeAnswer>

export const autoscalerAnswer = z.object({
  metadata,
  spec: z.object({
    maxReplicas: z.number(),
    scaleTargetRef: z.object({ kind: z.string(), name: z.string() }),
  }),
  status: z.optional(z.object({ currentReplicas: z.optional(z.number()), conditions })),
})
export type KubernetesAutoscaler = z.infer<typeof autoscalerAnswer>
