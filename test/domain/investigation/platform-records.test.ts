import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { PLATFORM_REASONS } from '#shared/domain/investigation/platform-records.ts'
import { PLATFORM_PAGES } from '#shared/domain/investigation/row-pages.ts'
import type { KubernetesRecord, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, calls, EMPTY, ONSET, series } from './incident-scenarios.ts'

/** What Kubernetes writes of each, word for word, and what sounds alike and says something else. */
const SAID: Readonly<Record<string, readonly [says: string, other: string]>> = {
  memory: ['OOMKilled Container quotes was OOM killed', 'Completed Container quotes ended'],
  'no-room': [
    'FailedScheduling 0/4 nodes are available: 4 Insufficient memory.',
    'Scheduled Successfully assigned',
  ],
  volume: [
    'FailedAttachVolume Multi-Attach error for volume "pvc-1"',
    'SuccessfulAttachVolume volume "pvc-1"',
  ],
  image: ['Failed Failed to pull image "registry.test/quotes:7"', 'Pulled Container image already present'],
  sandbox: [
    'FailedCreatePodSandBox failed to assign an IP address to container',
    'SandboxChanged Pod sandbox changed',
  ],
  settings: ['Failed Error: secret "quotes-key" not found', 'Pulled image found'],
  machine: ['NodeNotReady Node is not ready', 'Pod the node is ready'],
  webhook: [
    'FailedCreate Internal error occurred: failed calling webhook "checks.example"',
    'SuccessfulCreate Created pod',
  ],
}
const records = (name: string, message: string, minutes: readonly number[]): readonly KubernetesRecord[] =>
  minutes.map((minute) => ({ source: 'k8s', timestamp: at(minute), kind: 'Pod', name, message }))
const find = (k8s: readonly KubernetesRecord[], more: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('site', 'http_5xx_ratio')],
    edges: calls('site', 'quotes', 0.4),
    k8s,
    ...more,
    series: [
      series('site', 'http_5xx_ratio', 0.003, 0.4),
      series('quotes', 'http_5xx_ratio', 0.003, 0.4),
      ...(more.series ?? []),
    ],
  })

describe('what a platform records of the workload that fails', () => {
  it.each(PLATFORM_REASONS.map((row) => [row.id, row] as const))(
    '%s tells place and reason at once',
    (id, row) => {
      const [says, other] = SAID[id] as readonly [string, string]
      expect(other).not.toMatch(row.pattern)
      expect(PLATFORM_PAGES[id]).toMatch(/^https:\/\/kubernetes\.io\//)
      expect(find(records('quotes', says, [ONSET, ONSET + 2])).cause).toMatchObject({
        kind: row.kind,
        entity: 'quotes',
      })
    },
  )

  it.each([
    ['no-room', 'Preempted by pod 71 on node pool-1-a'],
    ['no-room', 'OutOfcpu Pod was rejected: Node did not have enough resource'],
    ['volume', 'ProvisioningFailed storageclass "fast" not found'],
    ['image', 'ErrImageNeverPull Container image is not present'],
    ['machine', 'Evicted The node was low on resource: ephemeral-storage.'],
    ['machine', 'NodeLost the machine was lost'],
    ['machine', 'NodeShutdown Pod was terminated in response to imminent node shutdown.'],
  ])('tells %s in further words of Kubernetes: %s', (id, says) => {
    expect(says).toMatch(PLATFORM_REASONS.find((row) => row.id === id)?.pattern as RegExp)
  })

  it('counts for a pod by its workload, and explains that it is started again and again', () => {
    const found = find(records('quotes-7d9-x2', 'OOMKilled', [ONSET, ONSET + 3]), {
      series: [series('quotes', 'container_restarts', 0, 9)],
    })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'quotes' })
    expect(found.hypotheses.map(({ cause }) => cause.kind)).not.toContain('infra')
  })

  it('is surer where others that fail meet the same', () => {
    const own = records('quotes', 'FailedMount', [ONSET, ONSET + 1])
    const one = find(own)
    const several = find([...own, ...records('site', 'FailedMount', [ONSET])])
    expect(several.confidence).toBeGreaterThanOrEqual(one.confidence)
  })

  it('is nothing where it was said once, elsewhere, or long before', () => {
    for (const k8s of [
      records('quotes', 'OOMKilled', [ONSET]),
      records('reports', 'OOMKilled', [ONSET, ONSET + 1]),
      records('quotes', 'OOMKilled', [ONSET - 60, ONSET - 50]),
    ])
      expect(find(k8s).cause.kind).toBe('unknown')
    expect(investigate({ ...EMPTY, k8s: records('quotes', 'OOMKilled', [1, 2]) }).cause.kind).toBe('unknown')
  })
})
