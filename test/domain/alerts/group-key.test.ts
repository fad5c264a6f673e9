import { describe, expect, it } from 'vitest'
import type { SentAlert } from '#shared/domain/alerts/alert.ts'
import { groupOf, serviceOf } from '#shared/domain/alerts/group-key.ts'

const sent = (labels: Readonly<Record<string, string>>, more: Partial<SentAlert> = {}): SentAlert => ({
  ...{ fingerprint: 'f1', status: 'firing', at: 1, severity: 'high', title: 't', description: null, labels },
  ...{ service: null, sender_group: null, starts_at: 1, ends_at: null, url: null, ending: 'tells', ...more },
})
const service = (labels: Readonly<Record<string, string>>, named: string | null = null) =>
  serviceOf(sent(labels, { service: named }))

describe('the service of an alert', () => {
  it('is what its sender says before any label', () => {
    expect(service({ service: 'b' }, 'a')).toBe('a')
  })

  it('is told by the first of its labels that is believed', () => {
    const believed = [
      ...[
        'exported_service',
        'service',
        'service_name',
        'service.name',
        'app_kubernetes_io_name',
        'app.kubernetes.io/name',
        'app',
      ],
      ...[
        'application',
        'component',
        'deployment',
        'statefulset',
        'daemonset',
        'exported_container',
        'container',
      ],
    ]
    for (const [index, name] of believed.entries()) {
      const rest = Object.fromEntries(believed.slice(index).map((label) => [label, `of ${label}`]))
      expect(service({ job: 'j', ...rest })).toBe(`of ${name}`)
    }
    expect(service({ service: '  ', app: ' a ' })).toBe('a')
  })

  it('is not what measures many others, but whom it tells of', () => {
    const scraped = { job: 'kube-state-metrics', service: 'monitoring-kube-state-metrics' }
    expect(service({ ...scraped, container: 'checkout', pod: 'checkout-7d9f8b6c5d-x2x7q' })).toBe('checkout')
    expect(service({ ...scraped, container: 'kube-state-metrics', exported_container: 'cart' })).toBe('cart')
    expect(service({ ...scraped, namespace: 'shop' })).toBeNull()
    expect(service({ service: 'monitoring-prometheus-node-exporter', instance: '10.0.0.3:9100' })).toBeNull()
    expect(service({ container: 'kube-state-metrics' })).toBeNull()
    expect(service({ service: 'node-exporter-proxy' })).toBe('node-exporter-proxy')
    // What measures one other alone stands for it.
    expect(service({ service: 'orders-db-exporter' })).toBe('orders-db-exporter')
  })

  it.each([
    ['checkout-7d9f8b6c5d-x2x7q', 'checkout'],
    ['orders-api-5c6bf9d7cb-2kkzv', 'orders-api'],
    ['orders-db-0', 'orders-db'],
    ['orders-db-12', 'orders-db'],
    ['orders-1-eu', null],
    ['orders-1234', null],
    ['log-router-8xq4z', 'log-router'],
    ['checkout', null],
    ['report-hourly', null],
  ])('is else the workload in the name of the pod %s', (pod, name) => {
    expect(service({ job: 'kube-state-metrics', pod })).toBe(name)
  })

  it('is one printable line of at most 200 characters', () => {
    expect(service({}, 'a\u0000b\n\u202ec')).toBe('a b c')
    expect(service({ service: 's'.repeat(100_000) })).toBe(`${'s'.repeat(199)}…`)
    expect(service({ app: 'kept' }, '\u0000')).toBe(null)
  })

  it('is else the job, less its namespace', () => {
    expect(service({ job: 'stock' })).toBe('stock')
    expect(service({ job: 'shop/stock ' })).toBe('stock')
  })

  it('is no job that measures others, and none where nothing says so', () => {
    for (const job of [
      'node-exporter',
      'Blackbox',
      'kube-state-metrics',
      'kubelet',
      'cadvisor',
      'pushgateway',
      'http-probe',
      '',
      'shop/',
    ])
      expect(service({ job })).toBeNull()
    expect(service({ instance: 'x' })).toBeNull()
  })
})

describe('the group of an alert', () => {
  it('is the one that somebody chose, whichever tool tells', () => {
    const chosen = sent({ incident_group: ' checkout ', service: 'stock' })
    expect(groupOf('int_a', chosen)).toBe(groupOf('int_b', sent({ incident_group: 'checkout' })))
    expect(groupOf('int_a', chosen)).not.toBe(
      groupOf('int_a', sent({ incident_group: 'basket', service: 'stock' })),
    )
    expect(groupOf('int_a', sent({ incident_group: ' ', service: 'stock' }))).toBe(
      groupOf('int_a', sent({ service: 'stock' })),
    )
  })

  it('is else its service, however it is written and whichever tool tells', () => {
    expect(groupOf('int_a', sent({ service: 'Stock' }))).toBe(
      groupOf('int_b', sent({ app: 'stock' }, { fingerprint: 'f2' })),
    )
    expect(groupOf('int_a', sent({ service: 'stock' }))).not.toBe(groupOf('int_a', sent({ service: 'web' })))
  })

  it('is apart for each environment and each cluster', () => {
    const own = groupOf('int_a', sent({ service: 'stock' }))
    const of = (labels: Readonly<Record<string, string>>) =>
      groupOf('int_a', sent({ service: 'stock', ...labels }))
    for (const name of [
      'environment',
      'env',
      'deployment_environment_name',
      'deployment_environment',
      'deployment.environment',
      'stage',
    ]) {
      expect(of({ [name]: 'prod' })).toBe(of({ environment: 'prod' }))
      expect(of({ [name]: 'prod' })).not.toBe(own)
    }
    for (const name of ['cluster', 'cluster_name', 'k8s_cluster_name']) {
      expect(of({ [name]: 'prod' })).toBe(of({ cluster: 'prod' }))
      expect(of({ [name]: 'prod' })).not.toBe(of({ environment: 'prod' }))
    }
    expect(of({ region: 'eu' })).toBe(own)
  })

  it('is else what its sender groups it by, and at last the alert itself, each apart for every tool', () => {
    const grouped = (id: string, group: string, fingerprint = 'f1') =>
      groupOf(id, sent({}, { sender_group: group, fingerprint }))
    expect(grouped('int_a', 'g')).toBe(grouped('int_a', 'g', 'f2'))
    expect(grouped('int_a', 'g')).not.toBe(grouped('int_b', 'g'))
    expect(grouped('int_a', 'g')).not.toBe(grouped('int_a', 'h'))
    const alone = (id: string, fingerprint: string) => groupOf(id, sent({}, { fingerprint }))
    expect(alone('int_a', 'f1')).toBe(alone('int_a', 'f1'))
    expect(alone('int_a', 'f1')).not.toBe(alone('int_a', 'f2'))
    expect(alone('int_a', 'f1')).not.toBe(alone('int_b', 'f1'))
    expect(alone('int_a', 'g')).not.toBe(grouped('int_a', 'g'))
  })
})
