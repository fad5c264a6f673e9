import { describe, expect, it } from 'vitest'
import { selfSigned } from '#infra/local/self-signed.ts'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { serveHttps } from '../loopback-server.ts'
import { CANARY } from './sample-configs.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  type Seen,
  serveTool,
} from './tool-server.ts'

const at = (text: string): number => Date.parse(text)
const TO = at('2026-03-10T13:00:00Z')
const never = new AbortController().signal

const template = (image: string, env: Readonly<Record<string, string>>, more: object = {}) => ({
  metadata: {
    labels: { app: image.startsWith('pg') ? 'db' : 'checkout', 'pod-template-hash': image },
    annotations: more,
  },
  spec: {
    containers: [
      {
        name: 'api',
        image,
        args: ['--port=80'],
        env: [
          ...Object.entries(env).map(([name, value]) => ({ name, value })),
          { name: 'TOKEN_FILE', valueFrom: { secretKeyRef: { name: 'shop', key: 'token' } } },
          { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } },
        ],
        envFrom: [{ configMapRef: { name: 'settings' } }],
      },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
  },
})
const meta = (name: string, more: object = {}) => ({ name, namespace: 'shop', ...more })
const revision = (name: string, number: number, created: string, spec: object, more: object = {}) => ({
  metadata: meta(name, {
    creationTimestamp: created,
    annotations: { 'deployment.kubernetes.io/revision': String(number), ...more },
    ownerReferences: [{ kind: 'Deployment', name: 'checkout-api' }],
    managedFields: [{ manager: 'kube-controller-manager', time: created }],
  }),
  spec: { template: spec },
})
const OLD = template('shop/checkout:1', { POOL_SIZE: '20', DB_PASSWORD: CANARY, URL: 'http://a:b@c/' })
const NEW = template('shop/checkout:2', { POOL_SIZE: '5', DB_PASSWORD: `${CANARY}2`, URL: 'http://a:c@c/' })

const pod = (name: string, owner: string, change: object = {}) => ({
  metadata: meta(name, {
    creationTimestamp: '2026-03-10T11:50:05Z',
    ownerReferences: [{ kind: 'ReplicaSet', name: owner }],
  }),
  spec: {
    nodeName: 'node-1',
    containers: [{ name: 'api', resources: { limits: { memory: '256Mi' } } }],
  },
  status: {
    phase: 'Running',
    startTime: '2026-03-10T11:50:10Z',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-03-10T11:51:00Z' }],
    containerStatuses: [
      {
        name: 'api',
        image: 'shop/checkout:2',
        restartCount: 3,
        state: { running: {} },
        lastState: {
          terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-03-10T12:20:00Z' },
        },
      },
    ],
    ...change,
  },
})

/** A cluster in which a rollout lowered a pool, whose pods then ran out of memory. */
const CLUSTER: Readonly<Record<string, readonly object[]>> = {
  '/api/v1/events': [
    {
      metadata: meta('e1'),
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off restarting failed container',
      involvedObject: { kind: 'Pod', name: 'checkout-2-a', namespace: 'shop' },
      firstTimestamp: '2026-03-10T12:21:00Z',
      lastTimestamp: '2026-03-10T12:40:00Z',
      count: 9,
    },
    {
      metadata: meta('e2'),
      type: 'Normal',
      reason: 'Pulled',
      message: 'pulled',
      involvedObject: { kind: 'Pod', name: 'checkout-2-a' },
      lastTimestamp: '2026-03-10T12:41:00Z',
    },
    {
      metadata: meta('e3'),
      type: 'Normal',
      reason: 'ScalingReplicaSet',
      involvedObject: { kind: 'Deployment', name: 'checkout-api' },
      eventTime: '2026-03-10T12:42:00.123456Z',
      series: { count: 2, lastObservedTime: '2026-03-10T12:43:00Z' },
    },
    { metadata: meta('e4'), type: 'Warning', involvedObject: {}, eventTime: '2026-03-09T00:00:00Z' },
  ],
  '/api/v1/pods': [
    pod('checkout-2-a', 'checkout-2'),
    pod('checkout-2-b', 'checkout-2', {
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-03-10T12:30:00Z' }],
      containerStatuses: [
        {
          name: 'api',
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { reason: 'Completed', finishedAt: '2026-03-10T12:20:00Z' } },
        },
      ],
    }),
    pod('evicted', 'gone', {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'The node was low on resource: memory.',
      startTime: '2026-03-10T12:10:00Z',
      containerStatuses: null,
      conditions: null,
    }),
  ],
  '/api/v1/nodes': [
    {
      metadata: { name: 'node-1' },
      spec: { unschedulable: true },
      status: {
        conditions: [
          {
            type: 'MemoryPressure',
            status: 'True',
            reason: 'KubeletHasInsufficientMemory',
            message: 'kubelet has insufficient memory available',
            lastTransitionTime: '2026-03-10T12:15:00Z',
          },
          { type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-03-10T12:16:00Z' },
          { type: 'DiskPressure', status: 'False', lastTransitionTime: '2026-03-10T12:16:00Z' },
        ],
        addresses: [
          { type: 'InternalIP', address: '10.1.2.3' },
          { type: 'ExternalIP', address: '198.51.100.1' },
        ],
      },
    },
  ],
  '/api/v1/configmaps': [
    {
      metadata: meta('settings', {
        managedFields: [
          { manager: 'kubectl-edit', time: '2026-03-10T12:01:00Z' },
          { manager: 'helm', time: '2026-01-01T00:00:00Z' },
        ],
      }),
    },
    {
      metadata: meta('election', {
        managedFields: [{ manager: 'shop-leader', time: '2026-03-10T12:01:00Z' }],
      }),
    },
    {
      metadata: meta('kube-root-ca.crt', {
        managedFields: [{ manager: 'x', time: '2026-03-10T12:01:00Z' }],
      }),
    },
  ],
  '/apis/apps/v1/deployments': [
    { metadata: meta('checkout-api', { labels: { app: 'checkout' } }), spec: { template: NEW } },
  ],
  '/apis/apps/v1/replicasets': [
    revision('checkout-2', 2, '2026-03-10T11:50:00Z', NEW),
    revision('checkout-1', 1, '2026-03-01T00:00:00Z', OLD),
    { metadata: meta('lonely', { creationTimestamp: null }), spec: { template: OLD } },
  ],
  '/apis/apps/v1/statefulsets': [
    {
      metadata: meta('db'),
      spec: { template: { metadata: { labels: { app: 'db' } }, spec: { containers: [] } } },
    },
  ],
  '/apis/apps/v1/daemonsets': [],
  '/apis/apps/v1/controllerrevisions': [
    {
      metadata: meta('db-2', {
        creationTimestamp: '2026-03-10T12:05:00Z',
        ownerReferences: [{ kind: 'StatefulSet', name: 'db' }],
      }),
      revision: 2,
      data: { spec: { template: template('pg:1', {}, { 'kubectl.kubernetes.io/restartedAt': 'now' }) } },
    },
    {
      metadata: meta('db-1', {
        creationTimestamp: '2026-03-01T12:05:00Z',
        ownerReferences: [{ kind: 'StatefulSet', name: 'db' }],
      }),
      revision: 1,
      data: { spec: { template: template('pg:1', {}) } },
    },
  ],
  '/apis/autoscaling/v2/horizontalpodautoscalers': [
    {
      metadata: meta('hpa'),
      spec: { maxReplicas: 4, scaleTargetRef: { kind: 'Deployment', name: 'checkout-api' } },
      status: {
        currentReplicas: 4,
        conditions: [
          {
            type: 'ScalingLimited',
            status: 'True',
            reason: 'TooManyReplicas',
            lastTransitionTime: '2026-03-10T12:25:00Z',
          },
        ],
      },
    },
  ],
  '/apis/networking.k8s.io/v1/ingresses': [
    { metadata: meta('shop', { managedFields: [{ manager: 'argocd', time: '2026-03-10T12:02:00Z' }] }) },
  ],
}

async function cluster(change: Readonly<Record<string, Canned | readonly object[]>> = {}) {
  const routes: Readonly<Record<string, Canned | readonly object[]>> = {
    '/version': { body: { gitVersion: 'v1.31.2' } },
    ...CLUSTER,
    ...change,
  }
  const server = await serveTool(({ path, headers }: Seen) => {
    if (headers.authorization !== `Bearer ${CANARY}`)
      return { status: 401, body: { message: 'Unauthorized' } }
    const route = routes[path]
    return Array.isArray(route) ? { body: { items: route } } : (route as Canned | undefined)
  })
  const tool = loopbackTool('kubernetes', { now: () => TO })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, bearer_token: CANARY } }
}

const pulled = async (
  change?: Readonly<Record<string, Canned | readonly object[]>>,
  settings: object = {},
): Promise<Pulled & { seen: readonly Seen[] }> => {
  const { server, tool, config } = await cluster(change)
  return { ...(await tool.pull({ ...config, ...settings }, pullRequest(TO))), seen: server.seen }
}

describe('what rolled out', () => {
  it('is a change with its effect time, from the template to the pods that became ready', async () => {
    const { changes, gaps } = await pulled()
    expect(gaps).toEqual([])
    expect(changes.find(({ id }) => id === 'Deployment shop/checkout-api revision 2')).toMatchObject({
      kind: 'deploy',
      entity: 'checkout',
      title: 'Deployment checkout-api: shop/checkout:1 → shop/checkout:2',
      before: 'shop/checkout:1',
      after: 'shop/checkout:2',
      recorded_at: at('2026-03-10T11:50:00Z'),
      effective_at: { from: at('2026-03-10T11:50:00Z'), to: at('2026-03-10T11:51:00Z') },
      certainty: 'recorded',
    })
  })

  it('shows which settings differ, and of a secret only that it does', async () => {
    const { changes } = await pulled()
    const { diff } = changes.find(({ id }) => id === 'Deployment shop/checkout-api revision 2') ?? {}
    expect(diff).toContain('-  POOL_SIZE: 20\n+  POOL_SIZE: 5\n')
    expect(diff).toContain('-  image: shop/checkout:1\n+  image: shop/checkout:2\n')
    expect(diff).toContain('-  DB_PASSWORD: [withheld]\n+  DB_PASSWORD: [withheld]\n')
    expect(diff).toContain('-  URL: [withheld]\n+  URL: [withheld]\n')
    expect(diff).not.toContain(CANARY)
    expect(diff).not.toContain('pod-template-hash')
  })

  it('is a restart where nothing else was asked for', async () => {
    const { changes } = await pulled()
    expect(changes.find(({ id }) => id === 'StatefulSet shop/db revision 2')).toMatchObject({
      kind: 'deploy',
      title: 'StatefulSet db: restart',
      entity: 'db',
    })
  })

  it('is a change of settings where the image stays, and the same again where nothing differs', async () => {
    const settings = template('shop/checkout:1', {
      POOL_SIZE: '5',
      DB_PASSWORD: CANARY,
      URL: 'http://a:b@c/',
    })
    const titled = async (spec: object) =>
      (
        await pulled({
          '/apis/apps/v1/replicasets': [
            revision('checkout-2', 2, '2026-03-10T11:50:00Z', spec),
            revision('checkout-1', 1, '2026-03-01T00:00:00Z', OLD),
          ],
        })
      ).changes.find(({ id }) => id.startsWith('Deployment'))
    expect(await titled(settings)).toMatchObject({
      kind: 'config',
      title: 'Deployment checkout-api: changed settings of its pods',
    })
    const same = await titled(OLD)
    expect(same).toMatchObject({ title: 'Deployment checkout-api: same template again' })
    expect(same?.diff).toBeUndefined()
  })

  it('is known by its pods where an earlier revision was taken up again', async () => {
    const { changes } = await pulled({
      '/apis/apps/v1/replicasets': [
        revision('checkout-1', 2, '2026-03-01T00:00:00Z', NEW),
        revision('checkout-2', 3, '2026-02-01T00:00:00Z', OLD, {
          'deployment.kubernetes.io/revision-history': '1',
        }),
      ],
    })
    expect(changes.find(({ kind, id }) => kind === 'deploy' && id.startsWith('Deployment'))).toMatchObject({
      title: 'Deployment checkout-api: shop/checkout:2 → shop/checkout:1 (back to an earlier revision)',
      recorded_at: at('2026-03-10T11:50:05Z'),
    })
  })

  it('is a first rollout where nothing was before', async () => {
    const { changes } = await pulled({
      '/apis/apps/v1/replicasets': [revision('checkout-1', 1, '2026-03-10T11:50:00Z', OLD)],
    })
    const first = changes.find(({ id }) => id.startsWith('Deployment'))
    expect(first).toMatchObject({ title: 'Deployment checkout-api: first rollout of shop/checkout:1' })
    expect(first?.before).toBeUndefined()
  })

  it('tells edits of ConfigMaps and Ingresses by who and when, the cluster’s own left out', async () => {
    const { changes } = await pulled()
    expect(changes.filter(({ id }) => /^(ConfigMap|Ingress)/.test(id))).toMatchObject([
      {
        id: 'ConfigMap shop/settings 2026-03-10T12:01:00.000Z',
        kind: 'config',
        actor: 'kubectl-edit',
        entity: 'checkout',
        effective_at: { from: at('2026-03-10T12:01:00Z'), to: at('2026-03-10T12:03:00Z') },
      },
      { id: 'Ingress shop/shop 2026-03-10T12:02:00.000Z', actor: 'argocd' },
    ])
  })
})

describe('what is in trouble', () => {
  it('are warnings, telling events, ended containers, waiting pods, nodes and autoscalers at their limit', async () => {
    const { k8s } = await pulled()
    expect(k8s.map(({ kind, name, reason }) => `${kind} ${name} ${reason}`)).toEqual([
      'Pod evicted Evicted',
      'Node node-1 MemoryPressure',
      'Node node-1 NodeNotReady',
      'Pod checkout-2-a OOMKilled',
      'HorizontalPodAutoscaler checkout-api TooManyReplicas',
      'Pod checkout-2-b CrashLoopBackOff',
      'Pod checkout-2-a BackOff',
      'Deployment checkout-api ScalingReplicaSet',
    ])
    expect(k8s.find(({ reason }) => reason === 'OOMKilled')).toMatchObject({
      namespace: 'shop',
      message: 'container api ended: OOMKilled, exit code 137, 3 restarts, memory limit 256Mi',
      attributes: { node: 'node-1', container: 'api', restarts: 3 },
    })
    expect(k8s.find(({ reason }) => reason === 'BackOff')).toMatchObject({ count: 9 })
    expect(k8s.find(({ reason }) => reason === 'ScalingReplicaSet')?.timestamp).toBe(
      at('2026-03-10T12:43:00Z'),
    )
  })

  it('is joined to workloads by owners and labels, each with where it was learnt', async () => {
    const { entities } = await pulled()
    expect(entities).toEqual([
      {
        name: 'checkout',
        kind: 'workload',
        namespace: 'shop',
        aliases: [
          { alias: 'checkout-api', learnt_from: 'Deployment shop/checkout-api' },
          { alias: 'checkout-2-a', learnt_from: 'owner reference' },
          { alias: 'checkout-2-b', learnt_from: 'owner reference' },
        ],
      },
      { name: 'db', kind: 'workload', namespace: 'shop', aliases: [] },
      { name: 'node-1', kind: 'node', aliases: [{ alias: '10.1.2.3', learnt_from: 'node InternalIP' }] },
    ])
  })

  it('goes by the name of the workload where a label stands for several', async () => {
    const other = { metadata: meta('checkout-jobs'), spec: { template: NEW } }
    const { entities } = await pulled({
      '/apis/apps/v1/deployments': [...(CLUSTER['/apis/apps/v1/deployments'] ?? []), other],
    })
    expect(entities.map(({ name }) => name)).toEqual(['checkout-api', 'checkout-jobs', 'db', 'node-1'])
  })
})

describe('how it is asked', () => {
  it('asks for no Secret, and of ConfigMaps and Ingresses for metadata alone', async () => {
    const { seen } = await pulled()
    expect(seen.filter(({ path }) => /secrets/.test(path))).toEqual([])
    for (const { path, headers } of seen) {
      const isMetadata = /configmaps|ingresses/.test(path)
      expect(headers.accept?.includes('PartialObjectMetadataList'), path).toBe(isMetadata)
    }
  })

  it('follows the pages of a list', async () => {
    let asked = 0
    const server = await serveTool(({ path, search }) => {
      if (path !== '/api/v1/events') return { body: { items: [] } }
      asked += 1
      const last = search.get('continue') === 'a b+c'
      return {
        body: {
          metadata: last ? {} : { continue: 'a b+c' },
          items: [last ? CLUSTER['/api/v1/events']?.[0] : { metadata: 7 }],
        },
      }
    })
    const tool = loopbackTool('kubernetes')
    closeAfterTest(server, tool)
    const { k8s, gaps } = await tool.pull({ base_url: server.url, bearer_token: CANARY }, pullRequest(TO))
    expect([asked, k8s.length]).toEqual([2, 1])
    expect(gaps).toMatchObject([{ what: 'Kubernetes: events', why: '1 items could not be read.' }])
  })

  it('asks namespace by namespace where the settings name some', async () => {
    const { seen } = await pulled({}, { namespaces: ['shop', 'pay'] })
    const paths = seen.map(({ path }) => path)
    expect(paths).toContain('/api/v1/namespaces/pay/pods')
    expect(paths).toContain('/api/v1/nodes')
    expect(paths).not.toContain('/api/v1/pods')
  })

  it('names what it may not read in gaps, and gives the rest', async () => {
    const { gaps, changes } = await pulled({ '/api/v1/pods': { status: 403, body: { message: 'no' } } })
    expect(gaps).toMatchObject([{ what: 'Kubernetes: pods', why: expect.stringContaining('refuses access') }])
    expect(changes.some(({ kind }) => kind === 'deploy')).toBe(true)
  })

  it('keeps the names of a thousand pods and says how many more there are', async () => {
    const pods = Array.from({ length: 1001 }, (_, index) => pod(`p${index}`, 'checkout-2'))
    const { gaps } = await pulled({ '/api/v1/pods': pods })
    expect(gaps).toMatchObject([{ what: 'Kubernetes: names of 1 pods' }])
  })

  it('takes a certificate of the cluster’s own authority, and no other', async () => {
    const identity = selfSigned('localhost')
    const server = await serveHttps((_, response) => response.end('{"gitVersion":"v1","items":[]}'), identity)
    const tool = loopbackTool('kubernetes')
    closeAfterTest(server, tool)
    const config = { base_url: `https://localhost:${server.port}`, bearer_token: CANARY }
    expect(await tool.check(config, never)).toMatchObject({
      status: 'error',
      detail: expect.stringContaining('SELF_SIGNED'),
    })
    expect(await tool.check({ ...config, ca_certificate: identity.cert }, never)).toMatchObject({
      status: 'connected',
    })
    // What one authority opened is not open to whoever names another.
    expect(await tool.check(config, never)).toMatchObject({ status: 'error' })
  })
})

describe('a check', () => {
  it('is connected where everything may be listed, and says the version', async () => {
    const { tool, config } = await cluster()
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: 'version v1.31.2' })
  })

  it('is degraded by what may not be listed', async () => {
    const { tool, config } = await cluster({ '/api/v1/nodes': { status: 403 }, '/version': { status: 403 } })
    expect(await tool.check(config, never)).toEqual({
      status: 'degraded',
      detail: 'the token may not list nodes',
    })
  })

  it('is degraded by a list that the cluster does not know', async () => {
    const { tool, config } = await cluster({
      '/apis/autoscaling/v2/horizontalpodautoscalers': { status: 404 },
    })
    expect((await tool.check(config, never)).detail).toContain(
      'horizontalpodautoscalers: Kubernetes does not',
    )
  })

  it('refuses a wrong token by its name also where the version is open to everybody', async () => {
    const server = await serveTool(({ path }) =>
      path === '/version' ? { body: { gitVersion: 'v1' } } : { status: 401 },
    )
    const tool = loopbackTool('kubernetes')
    closeAfterTest(server, tool)
    await expect(tool.check({ base_url: server.url, bearer_token: CANARY }, never)).rejects.toMatchObject({
      details: { field: 'config.bearer_token' },
    })
  })

  it.each([
    ['bearer_token', { bearer_token: undefined }],
    ['namespaces', { namespaces: ['../secrets'] }],
    ['ca_certificate', { ca_certificate: 'hello' }],
  ])('refuses settings with a wrong %s', async (field, change) => {
    const { tool, config } = await cluster()
    await expect(tool.check({ ...config, ...change }, never)).rejects.toMatchObject({
      details: { field: `config.${field}` },
    })
  })
})
