import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, lines, ONSET, series } from '../incident-scenarios.ts'
import { facts, find, found, graphOf, risen, said, score, status, UNEXPLAINED } from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('a network needs several services, or its own telemetry', () => {
    const several = find(['read: connection reset by peer'], {
      logs: [
        ...lines('refunds', 'ERROR', 'no route to host', ONSET),
        ...lines('web', 'ERROR', 'i/o timeout', ONSET),
      ],
    })
    expect(several.cause.kind).toBe('network')
    const measured = find(['read: connection reset by peer'], {
      series: [
        series('stock-api', 'network_packets_dropped', 1, 900),
        series('web', 'tcp_retransmits', 2, 700),
      ],
      status: status('packet loss in one zone'),
    })
    expect(measured.cause.kind).toBe('network')
    expect(find(['read: connection reset by peer']).cause.kind).not.toBe('network')
  })
})

describe('a broken network', () => {
  const reset = 'read: connection reset by peer'

  it('is told by several services, each once, and by three whatever changed', () => {
    const by = (...services: readonly string[]) =>
      found('network', { templates: services.map((service, index) => said(`${index} ${reset}`, service)) })
    expect(by('stock')).toBeUndefined()
    expect(by('stock', 'web', 'web')).toMatchObject({
      ...{ entity: null, action: 'failover', what: 'a broken network between services' },
      ...{ score: round6((1 - 0.75 ** 2) * UNEXPLAINED), yields_to_changes: true },
    })
    expect(by('a', 'b', 'c')?.yields_to_changes).toBe(false)
    // What a cloud announces of a zone is no service that lost a connection.
    const message = 'increased launch errors in one availability zone'
    const events = [{ source: 'cloud', timestamp: at(ONSET), resource: 'ec2', kind: 'notification', message }]
    expect(found('network', { templates: [said(reset)], snapshot: { events } })).toBeUndefined()
    expect(by('a', 'b', 'c', 'd')?.signs).toHaveLength(3)
    const templates = [said(reset), said(reset, 'web')]
    expect(score('network', { templates, symptoms: [reset] })).toBe(round6(1 - 0.75 ** 2))
  })

  it('is none where names do not resolve, or it was long ago', () => {
    const with2 = (text: string, more: Partial<Template> = {}) =>
      found('network', { templates: [said(reset), said(text, 'web', more)] })
    expect(with2('lookup a.core.svc: i/o timeout')).toBeUndefined()
    expect(with2(reset, { risen_at: at(ONSET - 16) })).toBeUndefined()
    expect(with2(reset, { risen_at: at(ONSET - 15) })).toBeDefined()
  })

  it('is told by its own telemetry and by a status page of it', () => {
    const names = ['network_packets_dropped', 'tcp_retransmits', 'network_errors']
    const shifts = names.map((name) => risen('stock', name))
    expect(facts(found('network', { shifts }))).toEqual([
      [0.3, 'network_packets_dropped'],
      [0.3, 'tcp_retransmits'],
    ])
    for (const more of [{ is_bad: false }, { ended_at: at(ONSET - 1) }])
      expect(found('network', { shifts: [risen('stock', 'tcp_retransmits', more)] })).toBeUndefined()
    expect(found('network', { shifts: [risen('stock', 'cpu_usage')] })).toBeUndefined()
    // What is well again while users of who was asked about are hurt is not why.
    const over = risen('stock', 'tcp_retransmits', { ended_at: at(ONSET + 5) })
    const hurt = risen('web', 'http_5xx_ratio')
    const asked = { observed: { symptom_service: 'web' } }
    expect(found('network', { shifts: [over, hurt], ...asked })).toBeUndefined()
    expect(found('network', { shifts: [{ ...over, ended_at: null }, hurt], ...asked })).toBeDefined()
    const seen = (detail: string) =>
      found('network', { shifts, snapshot: { status: status(detail) } })?.signs.length
    expect(seen('packets are lost')).toBe(3)
    expect(seen('disks are slow')).toBe(2)
    const most = found('network', {
      ...{ shifts, symptoms: [reset], templates: ['a', 'b', 'c'].map((one) => said(reset, one)) },
      snapshot: { status: status('packets are lost') },
    })
    expect(most?.score).toBe(0.9)
  })

  it('that leads to one part alone cannot be told from its being away, and is half of an answer', () => {
    const to = (end: string, service: string) => said(`connect to ${end}: i/o timeout`, service)
    const cannot = { entity: 'vault', at_most: CONFIDENCE_CAP_UNLINKED }
    expect(found('network', { templates: [to('vault', 'stock'), to('vault', 'web')] })).toMatchObject(cannot)
    // Who complains may name itself beside whom it does not reach.
    const both = [said('stock: connect to vault: i/o timeout'), to('vault', 'web')]
    expect(found('network', { templates: both })).toMatchObject(cannot)
    const several = found('network', { templates: [to('vault', 'stock'), to('stock', 'web')] })
    expect(several).toMatchObject({ entity: null })
    expect(several).not.toHaveProperty('at_most')
    const own = found('network', { templates: [to('stock', 'stock'), to('web', 'web')] })
    expect(own).toMatchObject({ entity: null })
  })

  it('leads to what all who show it call, where nobody says where to', () => {
    const shifts = ['stock', 'web'].map((entity) => risen(entity, 'tcp_retransmits'))
    const by = (callees: Readonly<Record<string, readonly string[]>>, all = shifts) =>
      found('network', { shifts: all, observed: { graph: graphOf(callees) } })?.entity
    expect(by({ stock: ['vault', 'a'], web: ['vault', 'b'] })).toBe('vault')
    expect(by({ stock: ['vault', 'a'], web: ['vault', 'a'] })).toBeNull()
    expect(by({ stock: ['a'], web: ['b'] })).toBeNull()
    expect(by({ stock: ['vault'] })).toBeNull()
    expect(by({ stock: ['vault'] }, shifts.slice(0, 1))).toBeNull()
  })
})
