import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, lines, ONSET, series } from '../incident-scenarios.ts'
import { facts, find, found, place, risen, said, score, status, UNEXPLAINED } from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('a name that somebody else could not resolve long before is another story', () => {
    const logs = lines('reports', 'ERROR', 'getaddrinfo EAI_AGAIN metrics.internal', ONSET - 50, ONSET - 40)
    const late = series('resolver', 'dns_request_duration_ms', 5, 400, ONSET + 12, ONSET + 20)
    const found = find(['getaddrinfo EAI_AGAIN db.internal'], { series: [late] })
    expect(find([], { logs, series: [late] }).cause.kind).not.toBe('dns')
    expect(found.cause.entity).not.toBe('resolver')
  })

  it('name resolution is likely by several names or services, or the resolver’s own telemetry; by one name possible', () => {
    const several = find(['lookup a.core.svc: no such host', 'lookup b.core.svc: no such host'])
    expect(several.cause.kind).toBe('dns')
    const resolver = find(['lookup a.core.svc: no such host'], {
      series: [series('resolver', 'dns_servfail_ratio', 0.001, 0.7)],
      status: status('dns resolution degraded'),
    })
    expect(resolver.cause).toMatchObject({ kind: 'dns', entity: 'resolver' })
    const alone = find(['lookup a.core.svc: no such host'])
    expect(alone.confidence).toBeLessThanOrEqual(0.6)
    const inPassing = lines('stock-api', 'ERROR', 'lookup a.core.svc: no such host', ONSET, ONSET + 2)
    expect(find([], { logs: inPassing }).cause.kind).not.toBe('dns')
  })
})

describe('failing name resolution', () => {
  const unknown = (host: string) => `getaddrinfo ENOTFOUND ${host}`

  it('is weak by one name at one service, which a change may have written wrong', () => {
    expect(
      found('dns', { templates: [said(unknown('a.core.svc'))], observed: { first: place('stock') } }),
    ).toEqual({
      ...{ kind: 'dns', entity: 'stock', score: round6(0.15 * UNEXPLAINED), action: 'escalate' },
      ...{ what: 'failing name resolution', yields_to_changes: true },
      signs: [expect.objectContaining({ strength: 0.15 })],
    })
    expect(score('dns', { templates: [said(unknown('a.core.svc'))], symptoms: [unknown('x')] })).toBe(0.15)
  })

  it('is told by several services or several names, whoever is blamed', () => {
    const observed = { first: place('stock') }
    const services = [said(unknown('a.core.svc')), said(unknown('a.core.svc'), 'web')]
    expect(found('dns', { templates: services, observed })).toMatchObject({
      ...{ entity: null, score: round6(0.64 * UNEXPLAINED), yields_to_changes: false },
    })
    const both = said(unknown('a.core.svc'), 'stock', { variants: [unknown('b.core.svc')] })
    expect(found('dns', { templates: [both], observed })).toMatchObject({
      ...{ entity: null, score: round6(0.4 * UNEXPLAINED), yields_to_changes: false },
    })
    const same = said(unknown('a.core.svc'), 'stock', { variants: [unknown('A.CORE.svc')] })
    expect(found('dns', { templates: [same] })?.yields_to_changes).toBe(true)
    const short = said(unknown('a'), 'stock', { variants: [unknown('b')] })
    expect(found('dns', { templates: [short] })?.yields_to_changes).toBe(true)
    const deep = said(unknown('a.b.example'), 'stock', { variants: [unknown('c.b.example')] })
    expect(found('dns', { templates: [deep] })?.yields_to_changes).toBe(false)
  })

  it('is told in time, by four lines at most', () => {
    const early = { risen_at: at(ONSET - 16) }
    expect(found('dns', { templates: [said(unknown('a.core.svc'), 'stock', early)] })).toBeUndefined()
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => said(unknown(`${name}.core.svc`)))
    expect(found('dns', { templates: many })?.signs).toHaveLength(4)
  })

  it('is told by what the resolver measures, which is the place', () => {
    const templates = [said(unknown('a.core.svc'))]
    const resolver = (more: Partial<SeriesShift>, name = 'dns_servfail_ratio') =>
      found('dns', { templates, shifts: [risen('web', 'http_5xx_ratio'), risen('resolver', name, more)] })
    expect(resolver({})).toMatchObject({ entity: 'resolver' })
    expect(facts(resolver({}))).toEqual([
      [0.5, 'dns_servfail_ratio'],
      [0.15, unknown('a.core.svc')],
    ])
    expect(resolver({ is_bad: false })?.signs).toHaveLength(1)
    expect(resolver({ ended_at: at(ONSET - 1) })).toMatchObject({ entity: null })
    // A resolver that is well again while users are hurt still is not why.
    const over = found('dns', {
      ...{ templates, observed: { first: place('web') } },
      shifts: [
        risen('web', 'http_5xx_ratio'),
        risen('resolver', 'dns_servfail_ratio', { ended_at: at(ONSET + 4) }),
      ],
    })
    expect(over).toMatchObject({ entity: null })
    expect(over?.signs).toHaveLength(1)
    expect(resolver({}, 'nxdomain_total')?.signs).toHaveLength(2)
    const forwarded = [said(unknown('a.core.svc')), said('SERVFAIL: no such host', 'web', { during: 3 })]
    expect(found('dns', { templates: forwarded })?.entity).toBe('web')
  })

  it('is told by a status page of it, and surer than ninety-seven of a hundred by nothing', () => {
    const page = (detail: string) => status(detail, { timestamp: at(ONSET) })
    const templates = [said(unknown('a.core.svc'))]
    expect(facts(found('dns', { templates, snapshot: { status: page('DNS is slow') } }))?.[0]).toEqual([
      0.6,
      'status',
    ])
    expect(found('dns', { templates, snapshot: { status: page('disks are slow') } })?.signs).toHaveLength(1)
    const shifts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((one) => risen(one, 'dns_errors_total'))
    expect(found('dns', { templates, shifts, symptoms: [unknown('x')] })).toMatchObject({ score: 0.97 })
    expect(found('dns', { templates, shifts })?.signs).toHaveLength(6)
  })
})
