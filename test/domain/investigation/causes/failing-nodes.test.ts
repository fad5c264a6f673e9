import { describe, expect, it } from 'vitest'
import {
  failingNode,
  failingZone,
  failsAlikeElsewhere,
  hostsOf,
} from '#shared/domain/investigation/causes/failing-nodes.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { nodeOf, nodeOfLine } from '#shared/domain/investigation/records/hosting.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type {
  KubernetesRecord,
  LogLine,
  Series,
  Snapshot,
} from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'

const NODES = ['metal-1', 'metal-2', 'metal-3', 'metal-4', 'metal-5']
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

  it('is one where it is said not to be well, more than once where nothing says what runs there', () => {
    const unwell = investigate(
      told('Node metal-2 status is now: NodeNotReady', 'Evicted for memory pressure'),
    )
    expect(unwell.hypotheses[0]?.cause.kind).toBe('node')
    const once = investigate(told('a node is under memory pressure'))
    expect(once.hypotheses.map(({ cause }) => cause.kind)).not.toContain('node')
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

/** One level before the onset, another from there on, without noise. */
const level = (
  service: string,
  name: string,
  labels: Record<string, string>,
  before: number,
  during: number,
): Series => {
  const one = series(service, name, 0, 0)
  return { ...one, labels, values: one.times.map((_, minute) => (minute < ONSET ? before : during)) }
}
/** A share of failed requests on each node, by node from the first on. */
const ratio = (
  service: string,
  during: readonly number[],
  before = 0,
  name = 'http_errors_ratio',
): Series[] =>
  during.map((share, index) => level(service, name, { node: NODES[index] as string }, before, share))
const both = (of: (service: string) => readonly Series[]) =>
  found({ series: [...of('cart'), ...of('stock')] })?.node

describe('how much more a service fails on one machine', () => {
  it('is a twentieth of its calls at least, beyond the usual', () => {
    expect(both((service) => ratio(service, [0, 0.05]))).toBe('metal-2')
    expect(both((service) => ratio(service, [0, 0.049]))).toBeUndefined()
    expect(both((service) => ratio(service, [0.3, 0.35], 0.3))).toBe('metal-2')
    expect(both((service) => ratio(service, [0.3, 0.34], 0.3))).toBeUndefined()
    expect(both((service) => ratio(service, [0.1, 0.3], 0.3))).toBeUndefined()
  })

  it('is twice as much as on all others together', () => {
    expect(both((service) => ratio(service, [0.25, 0.5, 0.25]))).toBe('metal-2')
    expect(both((service) => ratio(service, [0.25, 0.5, 0.27]))).toBeUndefined()
    expect(both((service) => ratio(service, [0.25, 0.5, 0]))).toBe('metal-2')
    expect(both((service) => ratio(service, [0.4, 0.5, 0]))).toBeUndefined()
  })

  it('is none where another machine fails half as much or more: what these share is why', () => {
    const both = (other: number) =>
      found({ series: [...shares('cart', 0.8, other, 0, 0, 0), ...shares('stock', 0.8, other, 0, 0, 0)] })
    expect(both(0.6)).toBeNull()
    expect(both(0.3)?.node).toBe('metal-1')
  })

  it('is that of one machine: of two that fail alike none is it, in whichever order they come', () => {
    for (const shares of [
      [0.5, 0.5, 0],
      [0.5, 0, 0.5],
    ]) {
      expect(both((service) => ratio(service, shares))).toBeUndefined()
      expect(both((service) => ratio(service, shares).toReversed())).toBeUndefined()
    }
  })

  it.each([
    ['http_errors_ratio', '%', 100],
    ['http_errors_percent', '', 100],
    ['http_errors_pct', '', 100],
    ['http_errors_ratio', '1', 1],
    ['http_error_rate', '', 1],
  ])('is the same as a share and in percent: %s in %j', (name, unit, per) => {
    const given = (share: number) => (service: string) =>
      ratio(service, [0, share * per], 0, name).map((one) => ({ ...one, unit }))
    expect(both(given(0.06))).toBe('metal-2')
    expect(both(given(0.04))).toBeUndefined()
  })

  it('is told by shares of errors, not by other shares nor by how many there were', () => {
    expect(both((service) => ratio(service, [0, 0.5], 0, 'cpu_utilization_ratio'))).toBeUndefined()
    expect(both((service) => ratio(service, [0, 50], 0, 'http_errors_total'))).toBeUndefined()
  })

  it('is told by instances on machines, not by what names none', () => {
    const nowhere = (service: string) =>
      ratio(service, [0.5]).map((one) => ({ ...one, labels: { pod: 'p' } }))
    const list = ['cart', 'stock'].flatMap((service) => [...ratio(service, [0]), ...nowhere(service)])
    expect(found({ series: list })).toBeNull()
  })

  it('leaves out samples that were not measured', () => {
    const holes = (service: string) =>
      ratio(service, [0, 0.5]).map((one) => ({
        ...one,
        values: one.values.map((value, minute) => (minute % 10 === 5 ? Number.NaN : value)),
      }))
    expect(both(holes)).toBe('metal-2')
  })

  it('compares with the time that counts as normal alone', () => {
    const earlier = (service: string) =>
      ratio(service, [0, 0.5]).map((one) => ({
        ...one,
        values: one.values.map((value, minute) => (minute >= 60 && minute < ONSET ? 0.5 : value)),
      }))
    expect(both(earlier)).toBe('metal-2')
    const always = (service: string) =>
      ratio(service, [0, 0.5]).map((one) => ({
        ...one,
        values: one.values.map((_, minute) => (minute < 60 ? 0.5 : 0.51)),
      }))
    expect(both(always)).toBeUndefined()
  })

  it('is the machine that most services speak for, in whichever order they come', () => {
    const three = ['cart', 'stock', 'mail'].flatMap((service) => ratio(service, [0, 0.5]))
    const two = ['user', 'auth'].flatMap((service) => ratio(service, [0.5, 0]))
    const alone = ratio('log', [0.5])
    for (const list of [
      [...three, ...two, ...alone],
      [...alone, ...two, ...three],
    ])
      expect(found({ series: list })).toMatchObject({ node: 'metal-2', compared: 5 })
  })
})

describe('requests counted by how they ended', () => {
  /** Requests a minute of one instance by outcome, from the onset on; all well before. */
  const ended = (
    service: string,
    node: string,
    outcomes: Readonly<Record<string, number>>,
    {
      label = 'code',
      before = {},
      pod = node,
    }: { label?: string; before?: Readonly<Record<string, number>>; pod?: string } = {},
  ): Series[] =>
    Object.entries(outcomes).map(([outcome, count]) =>
      level(service, 'http_requests', { node, pod, [label]: outcome }, before[outcome] ?? 0, count),
    )
  const outcomes = (failing: Readonly<Record<string, number>>, more = {}) =>
    both((service) => [
      ...ended(service, 'metal-1', { 200: 100 }, more),
      ...ended(service, 'metal-2', failing, more),
    ])

  it.each(['code', 'status', 'status_code', 'http_status_code', 'http_response_status_code'])(
    'are told apart by the label %s',
    (label) => {
      expect(outcomes({ 200: 50, 500: 50 }, { label })).toBe('metal-2')
    },
  )

  it('failed by the server’s doing, from a twentieth of all', () => {
    for (const failed of ['500', '503', '599', 'error', 'ERROR'])
      expect(outcomes({ 200: 95, [failed]: 5 })).toBe('metal-2')
    expect(outcomes({ 200: 96, 500: 4 })).toBeUndefined()
    for (const well of ['200', '404', '1500', '5000', 'no error', 'errors', 'ok'])
      expect(outcomes({ 201: 50, [well]: 50 })).toBeUndefined()
  })

  it('failed beyond what used to, and where there were any', () => {
    expect(outcomes({ 200: 50, 500: 50 }, { before: { 200: 50, 500: 50 } })).toBeUndefined()
    expect(outcomes({ 200: 50, 500: 50 }, { before: { 200: 80, 500: 20 } })).toBe('metal-2')
    expect(outcomes({ 200: 0, 500: 0 })).toBeUndefined()
  })

  it.each(['pod', 'instance'])(
    'are shared by %s, so that a busy one does not hide another on its machine',
    (label) => {
      const busy = both((service) =>
        [
          ...ended(service, 'metal-1', { 200: 100 }),
          ...ended(service, 'metal-2', { 200: 990, 500: 0 }, { pod: 'busy' }),
          ...ended(service, 'metal-2', { 200: 0, 500: 10 }, { pod: 'idle' }),
        ].map(({ labels: { pod, ...labels }, ...one }) => ({
          ...one,
          labels: { ...labels, [label]: pod as string },
        })),
      )
      expect(busy).toBe('metal-2')
    },
  )

  it('are counts of requests: neither of buckets nor of anything else', () => {
    const other = (more: Partial<Series>) =>
      both((service) =>
        [...ended(service, 'metal-1', { 200: 100 }), ...ended(service, 'metal-2', { 200: 50, 500: 50 })].map(
          (one) => ({
            ...one,
            ...more,
          }),
        ),
      )
    expect(other({})).toBe('metal-2')
    expect(other({ type: 'histogram' })).toBeUndefined()
    expect(other({ name: 'cpu_seconds' })).toBeUndefined()
    expect(other({ name: 'http_errors_ratio' })).toBeUndefined()
  })
})

describe('error lines of a machine', () => {
  const line = (service: string, node: string | undefined, minute: number, severity = 'ERROR'): LogLine => ({
    ...{ source: 'logs', timestamp: at(minute), service, severity, message: 'no answer in time' },
    ...(node === undefined ? {} : { node }),
  })
  const counts = (during: number, before = 0, more: (service: string) => readonly LogLine[] = () => []) =>
    found({
      logs: ['cart', 'stock'].flatMap((service) => [
        line(service, 'metal-1', 0, 'INFO'),
        ...Array.from({ length: before }, () => line(service, 'metal-2', 10)),
        ...Array.from({ length: during }, () => line(service, 'metal-2', ONSET)),
        ...more(service),
      ]),
    })?.node

  it('count from five beyond what the same time used to bring', () => {
    expect([counts(5), counts(4)]).toEqual(['metal-2', undefined])
    // Twenty in an hour are ten in the half hour of the incident.
    expect([counts(15, 20), counts(14, 20)]).toEqual(['metal-2', undefined])
  })

  it('count within the incident alone, of errors alone, and where they say which machine it is', () => {
    const others = (make: (service: string) => LogLine) => counts(4, 0, (service) => [make(service)])
    expect(others((service) => line(service, 'metal-2', LENGTH - 1))).toBe('metal-2')
    expect(others((service) => line(service, 'metal-2', LENGTH))).toBeUndefined()
    expect(others((service) => line(service, 'metal-2', ONSET - 1))).toBeUndefined()
    expect(others((service) => line(service, 'metal-2', ONSET, 'INFO'))).toBeUndefined()
    const nowhere = ['cart', 'stock'].flatMap((service) => [
      line(service, 'metal-1', 0, 'INFO'),
      ...Array.from({ length: 9 }, () => line(service, undefined, ONSET)),
    ])
    expect(found({ logs: nowhere })).toBeNull()
  })

  it('count in full where nothing is known of normal time', () => {
    const logs = ['cart', 'stock'].flatMap((service) => [
      line(service, 'metal-1', 0, 'INFO'),
      ...Array.from({ length: 5 }, () => line(service, 'metal-2', ONSET)),
    ])
    const snapshot = { ...EMPTY, logs }
    const none = { baselines: [], origin: 'none' as const, incident: snapshot.window }
    expect(failingNode(snapshot, none, at(ONSET))?.node).toBe('metal-2')
  })

  it('speak where nothing of a service was measured', () => {
    const well = ['cart', 'stock'].flatMap((service) => ratio(service, [0, 0]))
    const logs = ['cart', 'stock'].flatMap((service) => [
      line(service, 'metal-1', 0, 'INFO'),
      ...Array.from({ length: 9 }, () => line(service, 'metal-2', ONSET)),
    ])
    expect(found({ logs })?.node).toBe('metal-2')
    expect(found({ logs, series: well })).toBeNull()
  })
})

describe('one machine among those of a service', () => {
  const alike = (more: Partial<Snapshot>, machine = 'metal-1', service = 'cart', also: string[] = []) => {
    const snapshot = about(more)
    const machines = new Set([machine, ...also])
    return failsAlikeElsewhere(snapshot, normalTime(snapshot), at(ONSET), service, machines)
  }

  it('is judged together with others that are gone as well', () => {
    const two = { series: shares('cart', 0.4, 0.4, 0.01) }
    expect(alike(two, 'metal-1', 'cart', ['metal-2'])).toBe(false)
    expect(alike(two, 'metal-1', 'cart', ['metal-2', 'metal-3'])).toBe(false)
    expect(alike({ series: shares('cart', 0.4, 0.4, 0.4) }, 'metal-1', 'cart', ['metal-2'])).toBe(true)
  })

  it('is not why, where the service fails on the others more than half as much', () => {
    expect(alike({ series: shares('cart', 0.4, 0.4, 0.4) })).toBe(true)
    expect(alike({ series: shares('cart', 0.4, 0.25, 0.25) })).toBe(true)
    expect(alike({ series: shares('cart', 0.4, 0.15, 0.15) })).toBe(false)
    expect(alike({ series: shares('cart', 0.04, 0.04, 0.04) })).toBe(false)
    expect(alike({ series: counted('cart', 0.4, 0.4, 0.4) })).toBe(true)
  })

  it('may be why where the service is measured on no other, not on it, or not at all', () => {
    expect(alike({ series: shares('cart', 0.4) })).toBe(false)
    expect(alike({ series: shares('cart', 0.4, 0.4) }, 'metal-3')).toBe(false)
    expect(alike({ series: shares('stock', 0.4, 0.4) })).toBe(false)
    expect(alike({})).toBe(false)
  })

  it('is judged by lines where nothing of the service was measured by machine', () => {
    const logs = [...logged('cart', 'metal-1'), ...logged('cart', 'metal-2')]
    expect(alike({ logs })).toBe(true)
    expect(alike({ logs: [...logged('cart', 'metal-1'), ...logged('cart', 'metal-2', LENGTH - 4)] })).toBe(
      false,
    )
    expect(alike({ logs, series: shares('cart', 0.4, 0.002) })).toBe(false)
  })
})

describe('the machine that labels and lines name', () => {
  it.each(['node', 'k8s_node_name', 'k8s.node.name', 'kubernetes_node', 'nodename'])(
    'is given in %s',
    (label) => {
      expect(nodeOf({ pod: 'p', [label]: 'metal-1' })).toBe('metal-1')
    },
  )

  it('is the surest of several, and none where no label gives it', () => {
    expect(nodeOf({ nodename: 'b', node: 'a' })).toBe('a')
    expect(nodeOf({ pod: 'p', host: 'h' })).toBeUndefined()
  })

  it('is a line’s own before its attributes’; a host is told where no node is', () => {
    const line: LogLine = { source: 'logs', timestamp: 0, service: 's', severity: 'INFO', message: 'm' }
    const of = (attributes: LogLine['attributes'], node?: string) => {
      const given = { ...line, ...(attributes && { attributes }), ...(node !== undefined && { node }) }
      return [nodeOfLine(given), [...hostsOf([given])][0]]
    }
    expect(of({ 'k8s.node.name': 'b', 'host.name': 'c' }, 'a')).toEqual(['a', 'a'])
    expect(of({ 'k8s.node.name': 'b', 'k8s.node': 'c', 'host.name': 'd' })).toEqual(['b', 'b'])
    expect(of({ 'k8s.node': 'c', 'host.name': 'd' })).toEqual(['c', 'c'])
    expect(of({ 'host.name': 'd' })).toEqual([undefined, 'd'])
    expect(of({ 'k8s.node.name': 7, 'host.name': 8 })).toEqual([undefined, undefined])
    expect(of(undefined)).toEqual([undefined, undefined])
  })
})
