import { describe, expect, it } from 'vitest'
import { failingNode, failingZone } from '#shared/domain/investigation/failing-nodes.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { normalTime } from '#shared/domain/investigation/normal-time.ts'
import type { KubernetesRecord, Series, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, EMPTY, LENGTH, lines, ONSET, series } from './incident-scenarios.ts'

const NODES = ['metal-1', 'metal-2', 'metal-3']
const DECLARED = [{ name: 'b1', from: at(0), to: at(60) }]
const about = (more: Partial<Snapshot>): Snapshot => ({ ...EMPTY, baselines: DECLARED, ...more })
const found = (more: Partial<Snapshot>) => {
  const snapshot = about(more)
  return failingNode(snapshot, normalTime(snapshot), at(ONSET))
}

/** One instance of a service on each node; on each a share of its requests fails from the onset on. */
const shares = (service: string, ...failing: readonly number[]): Series[] =>
  failing.map((share, index) => ({
    ...series(service, 'http_errors_ratio', 0.002, share),
    labels: { node: NODES[index] as string, pod: `${service}-${index}` },
  }))
/** The same as counters by how requests ended. */
const counted = (service: string, ...failing: readonly number[]): Series[] =>
  failing.flatMap((share, index) =>
    ['200', '503'].map((code): Series => {
      const one = series(service, 'http_requests_total', 0, 0)
      const rate = (minute: number): number => {
        const now = minute < ONSET ? 0 : share
        return code === '503' ? 60 * now : 60 * (1 - now)
      }
      let total = 0
      return {
        ...{ ...one, type: 'counter', labels: { node: NODES[index] as string, pod: `p${index}`, code } },
        values: one.times.map((_, minute) => {
          total += rate(minute)
          return total
        }),
      }
    }),
  )
const logged = (service: string, node: string, from = ONSET): Snapshot['logs'] =>
  lines(service, 'ERROR', 'no answer in time', from).map((line) => ({ ...line, node }))

describe('a machine that fails what runs on it', () => {
  it.each([
    ['shares of failed requests', (service: string) => ({ series: shares(service, 0.01, 0.5, 0.1) })],
    ['counters by how requests ended', (service: string) => ({ series: counted(service, 0, 0.5, 0.1) })],
    [
      'error lines',
      (service: string) => ({
        logs: [
          ...logged(service, 'metal-2'),
          ...logged(service, 'metal-1', LENGTH - 2),
          ...lines(service, 'INFO', 'fine', 0).map((line) => ({
            ...line,
            attributes: { 'k8s.node.name': 'metal-3' },
          })),
        ],
      }),
    ],
  ])('is told by %s of several services that fail there and not elsewhere', (_, of) => {
    const [cart, stock] = [of('cart'), of('stock')] as readonly Partial<Snapshot>[]
    const both = {
      series: [...(cart?.series ?? []), ...(stock?.series ?? [])],
      logs: [...(cart?.logs ?? []), ...(stock?.logs ?? [])],
    }
    expect(found(both)).toEqual({ node: 'metal-2', services: ['cart', 'stock'], compared: 2 })
    expect(found(cart as Partial<Snapshot>)).toBeNull()
  })

  it('is none where services fail everywhere, each on another machine, or on one machine alone to compare', () => {
    for (const list of [
      [...shares('cart', 0.4, 0.5, 0.4), ...shares('stock', 0.5, 0.6, 0.5)],
      [...shares('cart', 0.5, 0, 0), ...shares('stock', 0, 0.5, 0)],
      [...shares('cart', 0.5, 0), ...shares('stock', 0.5, 0), ...shares('a', 0, 0.5), ...shares('b', 0, 0.5)],
      [...shares('cart', 0.5), ...shares('stock', 0.5)],
      [...shares('cart', 0.01, 0.04, 0), ...shares('stock', 0.01, 0.04, 0)],
    ])
      expect(found({ series: list })).toBeNull()
  })

  it('is named, with its own telemetry as a further sign, and needs most that run there to agree', () => {
    const fault = ['cart', 'stock', 'mail'].flatMap((service) => shares(service, 0.001, 0.5, 0.002))
    const web = series('web', 'http_errors_ratio', 0.002, 0.3)
    const own = series('metal-2', 'node_network_dropped_packets', 1, 90)
    const scene = about({ alerts: [alert('web', 'http_errors_ratio')], series: [web, own, ...fault] })
    const named = investigate(scene)
    expect(named.cause).toMatchObject({ kind: 'node', entity: 'metal-2' })
    expect(named.confidence).toBeGreaterThan(0.6)
    const well = ['a', 'b', 'c', 'd', 'e'].flatMap((service) => shares(service, 0.002, 0.002, 0.002))
    const doubted = investigate({ ...scene, series: [...scene.series, ...well] })
    expect(doubted.confidence).toBeLessThan(named.confidence)
  })
})

describe('a node that is emptied on purpose', () => {
  const told = (...messages: readonly string[]): Snapshot =>
    about({
      alerts: [alert('stock', 'http_errors_ratio')],
      series: [series('stock', 'http_errors_ratio', 0.002, 0.4)],
      k8s: messages.map(
        (message): KubernetesRecord => ({
          ...{ source: 'k8s', timestamp: at(ONSET - 1), kind: 'Node', name: 'metal-2', message },
        }),
      ),
    })

  it('is no failing node: it was cordoned, and its pods were marked for deletion', () => {
    const emptied = investigate(
      told(
        'Node metal-2 status is now: NodeNotSchedulable',
        'TaintManagerEviction: Marking for deletion Pod prod/stock-0 on metal-2',
      ),
    )
    expect(emptied.hypotheses.map(({ cause }) => cause.kind)).not.toContain('node')
  })

  it('is one where it is said not to be well, and only possible where nobody names it', () => {
    const unwell = investigate(
      told('Node metal-2 status is now: NodeNotReady', 'Evicted for memory pressure'),
    )
    expect(unwell.hypotheses[0]?.cause.kind).toBe('node')
    const unnamed = investigate(told('a node is under memory pressure'))
    expect(unnamed.confidence).toBeLessThan(0.5)
  })

  it('may be a zone that lines name, as its own attribute', () => {
    const from = (service: string, zone: string, minute = ONSET) =>
      lines(service, 'ERROR', 'no answer in time', minute).map((line) => ({
        ...line,
        attributes: { 'cloud.availability_zone': zone },
      }))
    const logs = ['cart', 'stock'].flatMap((service) => [
      ...from(service, 'b'),
      ...from(service, 'a', LENGTH - 2),
    ])
    const snapshot = about({ logs })
    expect(failingZone(snapshot, normalTime(snapshot), at(ONSET))).toMatchObject({
      ...{ node: 'b', services: ['cart', 'stock'], compared: 2 },
    })
    expect(failingNode(snapshot, normalTime(snapshot), at(ONSET))).toBeNull()
  })
})
