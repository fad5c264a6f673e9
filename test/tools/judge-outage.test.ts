import { describe, expect, it } from 'vitest'
import { RULES } from '#infra/tools-demo/monitoring.ts'
import { OUTAGES, type Outage } from '#infra/tools-demo/outages.ts'
import { measuredBy } from '#shared/adapters/tools/promql.ts'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { rootCauseOf } from '../data/root-cause.ts'
import { judge, missingSeries } from './judge-outage.ts'

const outageNamed = (name: Outage['name']): Outage => {
  const found = OUTAGES.find((outage) => outage.name === name)
  if (found === undefined) throw new Error(name)
  return found
}
function judged(
  name: Outage['name'],
  cause: Partial<RootCause['cause']>,
  more: Partial<RootCause> = {},
): ReturnType<typeof judge> {
  const whole = rootCauseOf({ evidence: 1, contentLength: 1, services: 0 })
  const empty = { change: null, trigger: null }
  return judge({
    outage: outageNamed(name),
    root_cause: { ...whole, ...more, cause: { ...whole.cause, ...empty, ...cause } },
  })
}

describe('a judged outage', () => {
  it('has the right change only where the change of the right service is named', () => {
    expect(judged('bad-version', { entity: 'payments', change: 'v2' })).toMatchObject({
      rightService: true,
      rightCause: true,
    })
    expect(judged('bad-version', { entity: 'payments' }).rightCause).toBe(false)
    expect(judged('bad-version', { entity: 'checkout', change: 'v2' })).toMatchObject({
      rightService: false,
      rightCause: false,
    })
  })

  it('has the right kind only where no change is blamed for it', () => {
    const kind = 'certificate' as const
    expect(judged('expired-certificate', { kind, entity: 'payments' }).rightCause).toBe(true)
    expect(judged('expired-certificate', { kind, entity: 'payments', change: 'v2' }).rightCause).toBe(false)
    expect(judged('expired-certificate', { kind: 'node', entity: 'payments' }).rightCause).toBe(false)
  })

  it('goes by the service that failed first where the cause is no service', () => {
    const failing = { first_failing_service: 'checkout' }
    expect(judged('full-disk', { kind: 'node', entity: 'node-1' }, failing)).toMatchObject({
      service: 'checkout',
      rightService: true,
      rightCause: false,
    })
  })

  it('is a lie where it is wrong from .8 on; a place that is right without a kind is none', () => {
    const wrong = { kind: 'traffic' as const, entity: 'storefront' }
    expect(judged('slow-dependency', wrong, { confidence: 0.8 }).wrongAndSure).toBe(true)
    expect(judged('slow-dependency', wrong, { confidence: 0.79 }).wrongAndSure).toBe(false)
    const place = { kind: 'unknown' as const, entity: 'payments' }
    expect(judged('slow-dependency', place, { confidence: 0.95 }).wrongAndSure).toBe(false)
    const wrongKind = { kind: 'node' as const, entity: 'payments' }
    expect(judged('slow-dependency', wrongKind, { confidence: 0.95 }).wrongAndSure).toBe(true)
  })
})

describe('what needs no configuration', () => {
  const [rule] = RULES
  const query = measuredBy(rule?.expr ?? '')
  const series = (name: string, more: Partial<Series> = {}) =>
    ({ entity: 'checkout', name, ...more }) as Series
  const all = [
    'http_requests_per_second',
    'http_errors_per_second',
    'http_error_ratio',
    'http_latency_p95_seconds',
  ].map((name) => series(name))
  const missing = (list: readonly Series[], fired = rule?.alert) =>
    missingSeries(
      {
        snapshot: {
          series: list,
          alerts: fired === undefined ? [] : [{ name: fired }],
        } as unknown as Snapshot,
      },
      'checkout',
    )

  it('is all there with rate, errors, p95 and the expression of the alert that fired', () => {
    expect(missing([...all, series('StorefrontErrors', { entity: 'storefront', query })])).toEqual([])
  })

  it('is named where it is not there', () => {
    expect(missing(all)).toEqual(['the expression of StorefrontErrors'])
    expect(missing(all.slice(1), 'another')).toEqual(['http_requests_per_second', 'an alert that fired'])
  })
})
