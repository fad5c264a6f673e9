import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import {
  event,
  find,
  found,
  graphOf,
  place,
  record,
  risen,
  type Seen,
  SINCE,
  said,
  warned,
} from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('a platform that records trouble of the node of the failing workload tells why', () => {
    const told = (service: string, minute: number): string =>
      find(['request took too long'], {
        events: [
          {
            ...{ source: 'events', timestamp: at(minute), resource: 'node-7', service, kind: 'node' },
            message: 'node-7: processor contended by a neighbour, steal 38 %',
          },
        ],
      }).cause.kind
    expect(told('stock-api', ONSET)).toBe('node')
    expect(told('stock-api', ONSET + 20)).toBe('unknown')
    expect(told('mailer', ONSET)).toBe('unknown')
  })

  it('a node needs its own telemetry or an event of its own', () => {
    const findings = find(['request took too long'], {
      series: [
        series('host-3', 'node_cpu_utilization_ratio', 0.3, 0.99),
        series('stock-api', 'container_cpu_cfs_throttled_seconds', 0.01, 8),
      ],
      logs: lines('kubelet', 'WARN', 'node under pressure from pod batch/export', ONSET),
    })
    expect(findings.cause.kind).toBe('node')
    expect(findings.remediation.action).toBe('reschedule')
    const logged = find([], {
      logs: lines('stock-api', 'WARN', 'cpu contended on this node', ONSET).map((line) => ({
        ...line,
        node: 'peg-1',
        attributes: { 'k8s.node': 'peg-1' },
      })),
    })
    expect(logged.cause.kind).not.toBe('certificate')
  })
})

const NORMAL = normalTime({ ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }] })

describe('a node', () => {
  const pressed = 'node is under pressure'

  it('is told by its own telemetry, by words, and best by both', () => {
    const shifts = [risen('node-7', 'cpu_usage')]
    expect(found('node', { shifts })).toMatchObject({
      ...{ entity: 'node-7', score: round6(0.45 * 0.6), action: 'reschedule', yields_to_changes: false },
      what: 'a node that cannot give its workloads what they need',
    })
    expect(found('node', { shifts })?.at_most).toBeUndefined()
    expect(found('node', { templates: [said(pressed)] })).toMatchObject({
      ...{ entity: null, score: round6(0.3 * 0.6), at_most: CONFIDENCE_CAP_UNLINKED },
    })
    expect(found('node', { shifts, templates: [said(pressed)] })?.score).toBe(round6(1 - 0.55 * 0.7))
    const k8s = [record('node-9', 'MemoryPressure', 'of it')]
    expect(found('node', { snapshot: { k8s } })?.score).toBe(round6(0.4 * 0.8 * 0.6))
    expect(found('node', { snapshot: { k8s }, templates: [said(pressed)] })?.score).toBe(
      round6((1 - 0.6 * 0.7) * 0.8),
    )
    expect(found('node', { snapshot: { alerts: warned(pressed) } })).toBeUndefined()
    expect(found('node', {})).toBeUndefined()
  })

  it('is where a platform records its trouble of the workload that fails, in time', () => {
    const of = (minute: number, name = 'stock', onset: Observed['onset'] = SINCE) =>
      found('node', {
        snapshot: { k8s: [record(name, 'MemoryPressure', 'of its node', minute)] },
        observed: { first: place('stock'), onset },
      })
    expect(of(ONSET)).toMatchObject({ entity: 'stock', score: 0.6 })
    expect(of(ONSET + 5)?.score).toBe(0.6)
    expect(of(ONSET + 6)).toBeUndefined()
    expect(of(ONSET + 6, 'stock', null)?.score).toBe(0.6)
    expect(of(ONSET, 'web')?.score).toBe(round6(0.4 * 0.8 * 0.6))
    const told = found('node', {
      snapshot: { events: [event('the node is under pressure')] },
      observed: { first: place('stock') },
    })
    expect(told).toMatchObject({ entity: 'stock', score: 0.6 })
    const logged = found('node', { templates: [said(pressed)], observed: { first: place('stock') } })
    expect(logged).toMatchObject({ entity: null, score: round6(0.3 * 0.6) })
  })

  it('is known by its kind, by the lines that were logged on it, or by the name of what is measured', () => {
    const line = { ...lines('stock', 'INFO', 'fine', 0, 1)[0] } as Snapshot['logs'][number]
    const named = (more: Partial<Snapshot['logs'][number]>) =>
      found('node', {
        snapshot: { logs: [line, { ...line, ...more }] },
        templates: [said(pressed), said('node peg-1 is under pressure')],
      })?.entity
    expect(named({ node: 'peg-1' })).toBe('peg-1')
    for (const key of ['k8s.node', 'k8s.node.name', 'host.name'])
      expect(named({ attributes: { [key]: 'peg-1' } })).toBe('peg-1')
    expect(named({ attributes: { 'k8s.node': 7 } })).toBeNull()
    expect(named({ node: 'peg-2' })).toBeNull()
    const entity = (name: string, of: string) => found('node', { shifts: [risen(of, name)] })?.entity
    for (const name of ['node_cpu_usage', 'vm_memory_usage', 'cpu_steal_percent'])
      expect(entity(name, 'x')).toBe('x')
    expect(entity('my_node_cpu_usage', 'x')).toBeUndefined()
    expect(entity('cpu_usage', 'stock')).toBeUndefined()
    const entities = [{ name: 'box', kind: 'host' as const, aliases: [] }]
    expect(found('node', { snapshot: { entities }, shifts: [risen('box', 'cpu_usage')] })?.entity).toBe('box')
  })

  it('is worth little where what fails first was seen to run on others, and all where that is not known', () => {
    const line = { ...lines('stock', 'INFO', 'fine', 0, 1)[0] } as Snapshot['logs'][number]
    const on = (node: string, first = 'stock', labels: Series['labels'] = {}, troubled = 'node-7') =>
      found('node', {
        shifts: [risen(troubled, 'node_cpu_usage')],
        snapshot: { logs: [{ ...line, node }], series: [{ ...series('stock', 'up', 1, 1), labels }] },
        observed: { first: place(first) },
      })?.score
    const whole = round6(0.45 * 0.6)
    expect(on('node-7')).toBe(whole)
    expect(on('node-8')).toBe(round6(whole * 0.3))
    expect(on('node-8', 'stock', { node: 'node-7' })).toBe(whole)
    expect(on('node-8', 'web')).toBe(whole)
    // It runs on node-7, which is neither node-70 nor old-node-7.
    for (const other of ['node-70', 'old-node-7', 'node-7-spare'])
      expect(on('node-7', 'stock', {}, other), other).toBe(round6(whole * 0.3))
    // Who names the machine in words places it there as well.
    const named = (text: string, service: string) =>
      found('node', {
        snapshot: { logs: [{ ...line, node: 'node-7' }] },
        ...{ templates: [said(text, service)], observed: { first: place('stock') } },
      })?.score
    expect(named('node node-7 is under pressure', 'web')).toBe(round6(0.3 * 0.6))
    expect(named('node is under pressure', 'node-7')).toBe(round6(0.3 * 0.6))
    expect(named('node is under pressure', 'web')).toBe(round6(0.3 * 0.6 * 0.3))
    // A host's name may be a container's: it does not tell where the place runs, another attribute of a node does.
    const by = (attribute: string) =>
      found('node', {
        shifts: [risen('node-7', 'cpu_usage')],
        snapshot: { logs: [{ ...line, attributes: { [attribute]: 'node-8' } }] },
        observed: { first: place('stock') },
      })?.score
    expect(by('host.name')).toBe(whole)
    for (const name of ['k8s.node.name', 'k8s.node']) expect(by(name)).toBe(round6(whole * 0.3))
  })

  it('is worth little where what fails first fails as much on its other machines', () => {
    const on = (node: string, during: number): Series => ({
      ...{ ...series('stock', 'http_errors_ratio', 0.002, during), labels: { node } },
    })
    const of = (elsewhere: number, more: Seen = {}) =>
      found('node', {
        shifts: [risen('node-7', 'node_cpu_usage')],
        observed: { first: place('stock'), normal: { ...NORMAL } },
        snapshot: { series: [on('node-7', 0.5), on('node-8', elsewhere)] },
        ...more,
      })?.score
    const whole = round6(0.45 * 0.6)
    expect(of(0.002)).toBe(whole)
    expect(of(0.5)).toBe(round6(whole * 0.3))
    expect(of(0.5, { observed: { first: place('stock'), normal: { ...NORMAL }, onset: null } })).toBe(whole)
  })

  it('is told by a resource that left normal in time, and not by a volume that others filled', () => {
    const of = (name: string, more: Partial<SeriesShift> = {}, seen: Seen = {}) =>
      found('node', { ...seen, shifts: [risen('node-7', name, more)] })
    expect(of('node_foo')).toBeUndefined()
    expect(of('cpu_usage', { is_bad: false })).toBeUndefined()
    const from = (minute: number) => ({ onset: { ...SINCE, earliest: at(minute) } })
    expect(of('cpu_usage', from(ONSET + 5))).toBeDefined()
    expect(of('cpu_usage', from(ONSET + 6))).toBeUndefined()
    expect(of('cpu_usage', from(ONSET + 6), { observed: { onset: null } })).toBeDefined()
    const full = { templates: [said('write: no space left on device')] }
    expect(of('disk_usage')).toBeDefined()
    expect(of('disk_usage', {}, full)).toBeUndefined()
    expect(of('cpu_usage', {}, full)).toBeDefined()
    expect(of('disk_usage', {}, { snapshot: { alerts: warned('disk full') } })).toBeDefined()
  })

  it('is not told by a resource that has room again while the place fails still', () => {
    const of = (ended_at: number | null, first: number | null) =>
      found('node', {
        shifts: [risen('node-7', 'cpu_usage', { ended_at })],
        observed: { first: place('stock', { ended_at: first }) },
      })
    expect(of(null, null)).toBeDefined()
    expect(of(at(ONSET + 4), null)).toBeUndefined()
    expect(of(at(ONSET + 4), at(ONSET + 9))).toBeDefined()
    // What was alerted may fail on when what failed first is over.
    const alerted = (ended_at: number | null, of: number | null = at(ONSET + 4)) =>
      found('node', {
        shifts: [risen('node-7', 'cpu_usage', { ended_at: of })],
        observed: {
          ...{ first: place('stock', { ended_at: at(ONSET + 9) }), symptom_service: 'web' },
          failing: [place('mail'), place('web', { ended_at })],
        },
      })
    expect(alerted(null)).toBeUndefined()
    expect(alerted(at(ONSET + 9))).toBeDefined()
    expect(alerted(null, null)).toBeDefined()
  })

  it('is judged by what it shows itself and by what names none, not by what another shows', () => {
    const k8s = (...names: string[]) => names.map((name) => record(name, 'MemoryPressure', 'of it'))
    const signs = (seen: Seen) => {
      const cause = found('node', seen)
      return [cause?.entity, cause?.signs.length]
    }
    const shifts = [risen('node-7', 'cpu_usage'), risen('node-8', 'cpu_usage')]
    expect(signs({ shifts })).toEqual(['node-7', 1])
    expect(signs({ shifts, snapshot: { k8s: k8s('node-8') } })).toEqual(['node-8', 2])
    expect(signs({ shifts, snapshot: { k8s: k8s('node-9') } })).toEqual(['node-7', 1])
    expect(signs({ shifts, templates: [said(pressed)] })).toEqual(['node-7', 2])
    expect(signs({ snapshot: { k8s: k8s('node-2', 'node-1') } })).toEqual(['node-1', 1])
    const entities = ['node-1', 'node-12'].map((name) => ({ name, kind: 'node' as const, aliases: [] }))
    for (const [text, name] of [
      ['node-12 is under pressure', 'node-12'],
      ['node-12, and node-1: node is under pressure', 'node-1'],
      ['node node-1 is under pressure', 'node-1'],
    ])
      expect(found('node', { snapshot: { entities }, templates: [said(text as string)] })?.entity).toBe(name)
  })

  describe('that nobody reaches', () => {
    const gone = (machine: string, more: Partial<SeriesShift> = {}, name = 'host_up') =>
      risen(machine, name, { direction: 'down', before: 1, during: 0, extreme: 0, ...more })
    const on = (service: string, ...machines: string[]) =>
      machines.map((node) => ({ ...series(service, 'up', 1, 1), labels: { node } }))

    it('is told by the gauge that says so, from its yes to its no, for as long as users are hurt', () => {
      expect(found('node', { shifts: [gone('node-7')] })).toMatchObject({
        ...{ entity: 'node-7', score: round6(0.6 * 0.6) },
      })
      for (const name of ['node_ready', 'agent.alive', 'machine_reachable'])
        expect(found('node', { shifts: [gone('node-7', {}, name)] })?.score, name).toBe(round6(0.6 * 0.6))
      for (const more of [{ before: 0.89 }, { during: 0.11 }, { ended_at: at(ONSET + 4) }])
        expect(found('node', { shifts: [gone('node-7', more)], observed: { first: place('stock') } })).toBe(
          undefined,
        )
      expect(found('node', { shifts: [gone('node-7', {}, 'nodes_ready_total')] })).toBeUndefined()
    })

    it('falls on who runs there, and on who calls or names them, wherever these run', () => {
      const of = (
        seen: Partial<Observed>,
        templates: Seen['templates'] = [],
        events: Snapshot['events'] = [],
      ) =>
        found('node', {
          shifts: [gone('node-7'), gone('node-8')],
          snapshot: {
            events,
            series: [...on('vault', 'node-7', 'node-9'), ...on('mail', 'node-8'), ...on('web', 'node-9')],
          },
          ...{ templates, observed: { first: place('web'), ...seen } },
        })
      const whole = round6(0.6 * 0.6)
      expect(of({})?.score).toBe(round6(whole * 0.3))
      expect(of({ first: place('vault') })).toMatchObject({ entity: 'node-7', score: whole })
      expect(of({ graph: graphOf({ web: ['vault'] }) })).toMatchObject({ entity: 'node-7', score: whole })
      expect(of({}, [said('no answer of vault', 'web')])).toMatchObject({ entity: 'node-7', score: whole })
      expect(of({}, [said('no answer of vault', 'stock')])?.score).toBe(round6(whole * 0.3))
      // Whom it names while it is well it does not miss, nor whom its platform names.
      const fine = said('asked vault', 'web', { severity: 'information' })
      expect(of({}, [fine])?.score).toBe(round6(whole * 0.3))
      expect(of({}, [], [event('failed to scale beside vault', 'web')])?.score).toBe(round6(whole * 0.3))
      expect(of({})?.falls_on).toEqual(['vault', 'mail'])
    })

    it('is why others that call who ran there fail on all their machines', () => {
      const share = (node: string): Series => ({
        ...{ ...series('web', 'http_errors_ratio', 0.002, 0.5), labels: { node } },
      })
      const of = (graph: Observed['graph']) =>
        found('node', {
          shifts: [gone('node-7')],
          snapshot: { series: [share('node-7'), share('node-9'), ...on('vault', 'node-7')] },
          observed: { first: place('web'), normal: { ...NORMAL }, graph },
        })?.score
      expect(of(graphOf({}))).toBe(round6(0.6 * 0.6 * 0.3))
      expect(of(graphOf({ web: ['vault'] }))).toBe(round6(0.6 * 0.6))
    })
  })

  it('is told half as well by a platform’s event of long before', () => {
    const of = (minute: number, onset: Observed['onset'] = SINCE) =>
      found('node', {
        shifts: [risen('node-7', 'cpu_usage')],
        snapshot: { k8s: [record('node-7', 'MemoryPressure', 'of it', minute)] },
        observed: { onset },
      })?.score
    expect(of(ONSET - 5)).toBe(round6(1 - 0.55 * 0.6))
    expect(of(ONSET - 6)).toBe(round6(1 - 0.55 * 0.8))
    expect(of(ONSET - 6, null)).toBe(round6(1 - 0.55 * 0.6))
    const told = { message: 'node-7: node is under pressure', kind: 'notice', resource: 'node-7' }
    const events = [{ ...told, source: 'events', timestamp: at(ONSET - 6) }]
    const nodes = [{ name: 'node-7', kind: 'node' as const, aliases: [] }]
    expect(found('node', { snapshot: { events, entities: nodes } })?.score).toBe(round6(0.15 * 0.6 * 0.6))
  })

  it('is none where it is emptied on purpose, unless it is unwell as well', () => {
    expect(found('node', { templates: [said('node x cordoned')] })).toBeUndefined()
    expect(found('node', { templates: [said('node x drained, not ready')] })).toBeDefined()
  })

  it('is told by three series and four lines at most', () => {
    const shifts = ['cpu_usage', 'memory_usage', 'disk_usage', 'network_usage'].map((name) =>
      risen('node-7', name),
    )
    expect(found('node', { shifts })?.signs).toHaveLength(3)
    const templates = ['a', 'b', 'c', 'd', 'e'].map((part) => said(`${part} ${pressed}`))
    expect(found('node', { templates })?.signs).toHaveLength(4)
    expect(found('node', { shifts, templates })?.signs).toHaveLength(6)
  })

  it('is told the more by a throttled processor where no more is asked of it', () => {
    const throttled = (more: Partial<SeriesShift> = {}, name = 'container_cpu_throttled_seconds') =>
      risen('stock', name, more)
    const count = (...shifts: readonly SeriesShift[]) =>
      found('node', { shifts: [risen('node-7', 'memory_usage'), ...shifts] })?.signs.length
    expect(count(throttled())).toBe(2)
    expect(count(throttled({ is_bad: false }))).toBe(1)
    expect(count(throttled({}, 'disk_throttled'))).toBe(1)
    expect(count(risen('stock', 'cpu_usage'))).toBe(1)
    expect(count(throttled(), risen('stock', 'http_requests_per_second'))).toBe(1)
    expect(count(throttled(), risen('stock', 'http_requests_per_second', { direction: 'down' }))).toBe(2)
    expect(found('node', { shifts: [throttled()] })).toBeUndefined()
    expect(found('node', { shifts: [throttled()], templates: [said(pressed)] })?.signs).toHaveLength(2)
  })
})
