import { describe, expect, it } from 'vitest'
import { distinctCallers } from '#shared/domain/investigation/causes/outside-providers.ts'
import { CONFIDENCE_CAP_UNMAPPED } from '#shared/domain/investigation/confidence.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, lines, ONSET } from '../incident-scenarios.ts'
import {
  causes,
  facts,
  find,
  found,
  PLACES,
  place,
  risen,
  said,
  score,
  status,
  UNEXPLAINED,
} from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('a provider that says its trouble was over before anybody failed is none, nor one that failed all day', () => {
    const quoted = ['GET https://api.paylane.com/x returned 503']
    const entry = (resolved: number): Snapshot['status'] => [
      {
        ...{ source: 'status', provider: 'paylane' },
        events: [
          { timestamp: at(ONSET - 25), status: 'degraded', detail: 'paylane api is slow' },
          { timestamp: at(resolved), status: 'resolved', detail: 'paylane api is well' },
        ],
      },
    ]
    const over = find(quoted, { status: entry(ONSET - 12) })
    const still = find(quoted, { status: entry(ONSET + 12) })
    expect(still.cause.kind).toBe('provider')
    expect(over.confidence).toBeLessThan(still.confidence)
    const old = lines(
      'stock-api',
      'ERROR',
      'GET https://api.paylane.com/x returned 503',
      ONSET - 50,
      ONSET - 40,
    )
    expect(find([], { logs: old, status: entry(ONSET + 12) }).cause.kind).not.toBe('provider')
  })

  it('a status page counts where the failing texts name it, without a host too', () => {
    const findings = find(['nimbus compute: instance unavailable'], {
      status: status('instances unavailable'),
    })
    expect(findings.cause).toMatchObject({ kind: 'provider', entity: 'nimbus' })
  })

  it('is not named by a word that only ends like it, nor by one that begins like a short name', () => {
    const named = (text: string, provider = 'nimbus') => {
      const [page] = status('instances unavailable')
      const own = { ...page, provider, component: provider } as Snapshot['status'][number]
      return find([text], { status: [own] }).hypotheses.some(
        ({ cause }) => cause.kind === 'provider' && cause.entity === provider,
      )
    }
    expect(named('nimbus: instance unavailable')).toBe(true)
    expect(named('nimbusapi: instance unavailable')).toBe(true)
    expect(named('cumulonimbus: instance unavailable')).toBe(false)
    expect(named('ses: instance unavailable', 'ses')).toBe(true)
    expect(named('sessions: instance unavailable', 'ses')).toBe(false)
    expect(named('processes: instance unavailable', 'ses')).toBe(false)
  })
})

describe('an outside provider', () => {
  const host = 'api.paylane.com'
  const failing = (name = host) => `GET https://${name}/x returned 503`

  it('is told by its own failing answers, half as much by those that never came', () => {
    const cause = found('provider', { templates: [said(failing())] })
    expect(cause).toMatchObject({
      ...{ entity: host, score: round6(0.25 * UNEXPLAINED), action: 'failover', yields_to_changes: false },
      what: 'an outage of the outside provider api.paylane.com',
    })
    expect(score('provider', { templates: [said(failing())], symptoms: [failing()] })).toBe(0.25)
    for (const text of ['exceeded deadline', 'time out after 503ms', 'timed out after 1503 ms'])
      expect(score('provider', { templates: [said(`GET https://${host}/x ${text}`)] })).toBe(
        round6(0.1 * UNEXPLAINED),
      )
    expect(score('provider', { templates: [said(`GET https://${host}/x returned 404`)] })).toBeUndefined()
  })

  it('is told the more by a second caller, and by what is measured of those outside', () => {
    const templates = [said(failing()), said(failing(), 'web')]
    expect(facts(found('provider', { templates }))?.map(([strength]) => strength)).toEqual([
      0.45, 0.45, 0.25, 0.25,
    ])
    const shifts = ['vendor_errors', 'partner_latency_ms', 'third_party_errors'].map((name) =>
      risen('stock', name),
    )
    const outside = found('provider', {
      templates: [said(failing())],
      shifts: [risen('stock', 'errors'), ...shifts],
    })
    expect(facts(outside)?.slice(0, 2)).toEqual([
      [0.3, 'vendor_errors'],
      [0.3, 'partner_latency_ms'],
    ])
    expect(outside?.signs).toHaveLength(3)
    const well = found('provider', {
      templates: [said(failing())],
      shifts: [risen('stock', 'vendor_errors', { is_bad: false })],
    })
    expect(well?.signs).toHaveLength(1)
    const many = ['a', 'b', 'c', 'd'].map((part) => said(`${part} ${failing()}`))
    expect(found('provider', { templates: many })?.signs).toHaveLength(3)
    const callers = ['stock', 'web', 'vault', 'till'].map((name) => said(failing(), name))
    expect(
      found('provider', { templates: callers })?.signs.filter(({ strength }) => strength === 0.45),
    ).toHaveLength(3)
  })

  it.each([
    ...['timeout', 'time out', 'time-out', 'timedout', 'timed out', 'rate limit', 'rate-limit', 'ratelimit'],
    ...[
      'connection refused',
      'connection reset',
      'quota used',
      'timed out after 5030 ms',
      'timed out after 503 ms',
      'does not answer',
      'did not respond',
      'got no response',
    ],
  ])('is told by “%s” too, though less than by an answer', (text) => {
    expect(score('provider', { templates: [said(`GET https://${host}/x ${text}`)] })).toBe(
      round6(0.1 * UNEXPLAINED),
    )
  })

  it.each([
    ['http://api.paylane.com/x', 'api.paylane.com'],
    ['api.paylane.com', 'api.paylane.com'],
    ['https://9pay.com/x', '9pay.com'],
    ['https://api.pay9.com/x', 'api.pay9.com'],
    ['rates.bourse:443', 'rates.bourse'],
    ['https://rates.bourse/x', 'rates.bourse'],
    ['https://rates.bourse:443/x', 'rates.bourse'],
  ])('is the host of %s', (url, entity) => {
    expect(found('provider', { templates: [said(`GET ${url} returned 503`)] })?.entity).toBe(entity)
  })

  it('is no host of the system’s own, nor a line of a file', () => {
    for (const text of [
      ...['ledger.internal:443', 'ledger.prod.svc:443', 'start.ts:443', 'rates.bourse:5432'],
      ...['https://ledger.internal/x', 'http://ledger.prod/x', 'https://ledger.prod:8443/x'],
      ...['https://ledger/x', 'https://stock.prod/x', 'rates.bourse'],
    ])
      expect(found('provider', { templates: [said(`GET ${text} returned 503`)] }), text).toBeUndefined()
  })

  it('is measured by what is named after those outside, however that is written', () => {
    for (const name of [
      'thirdparty_errors',
      'third-party_errors',
      'gatewayupstream_ms',
      'gateway_upstream_ms',
    ])
      expect(
        facts(found('provider', { templates: [said(failing())], shifts: [risen('stock', name)] }))?.[0],
      ).toEqual([0.3, name])
  })

  it('is told by its host before a status page speaks of another one', () => {
    const providers = causes({
      templates: [said(failing())],
      symptoms: [failing(), 'nimbus compute is slow'],
      snapshot: { status: status('Slow') },
    }).filter(({ kind }) => kind === 'provider')
    expect(providers.map(({ entity }) => entity)).toEqual([host])
  })

  it.each([
    'java.net.SocketException: Connection reset',
    'caused by java.net.ConnectException: Connection refused (Connection refused)',
    'System.Net.Http.HttpRequestException: Connection refused',
    'java.io.IOException: Connection reset by peer',
    'ASP.NET request timed out',
    'socket.io: ping timeout',
    'org.example.dev.Client: 503',
  ])('is no class, package or library of a program: “%s”', (text) => {
    expect(found('provider', { templates: [said(text), said(text, 'web')] })).toBeUndefined()
  })

  it('is named by the first of its hosts, however loud another is', () => {
    const templates = [said(failing('files.paylane.com'), 'stock', { during: 90 }), said(failing())]
    expect(found('provider', { templates })?.entity).toBe(host)
  })

  it('is one for each domain, by the first of its hosts', () => {
    const hosts = (...names: readonly string[]) =>
      causes({ templates: names.map((name) => said(failing(name))) })
        .filter(({ kind }) => kind === 'provider')
        .map(({ entity }) => entity)
    expect(hosts('files.paylane.com', 'api.paylane.com', 'web2.paylane.com')).toEqual(['api.paylane.com'])
    expect(hosts('a.one.co.uk', 'a.two.co.uk').toSorted()).toEqual(['a.one.co.uk', 'a.two.co.uk'])
    expect(hosts('a.one.co.uk', 'b.one.co.uk')).toEqual(['a.one.co.uk'])
    expect(hosts('a.disco.uk', 'b.disco.uk')).toEqual(['a.disco.uk'])
    expect(hosts('a.cob.uk', 'b.cob.uk')).toEqual(['a.cob.uk'])
    expect(hosts('a.co.tech', 'b.co.tech')).toEqual(['a.co.tech'])
    const twice = said(`${failing()} and ${failing('files.paylane.com')}`)
    expect(found('provider', { templates: [twice] })?.signs).toHaveLength(1)
    expect(found('provider', { templates: [said(failing('db.internal.io'))] })).toBeUndefined()
    expect(found('provider', { templates: [said(failing('stock.example.com'))] })).toBeUndefined()
    // Who is asked there may be known by a name of its own.
    const entities = [...PLACES, { name: 'paylane', kind: 'external' as const, aliases: [] }]
    expect(found('provider', { templates: [said(failing())], snapshot: { entities } })?.entity).toBe(
      'paylane',
    )
  })

  it('may be known by a name that is made of the words of its host, in whichever order, the one of its domain among them', () => {
    const known = (...names: readonly string[]) =>
      found('provider', {
        templates: [said(failing('api.eu.paylane.com'))],
        snapshot: { entities: names.map((name) => ({ name, kind: 'external', aliases: [] })) },
      })?.entity
    expect(known('paylane-api')).toBe('paylane-api')
    expect(known('Paylane_EU')).toBe('Paylane_EU')
    expect(known('paylane-eu', 'paylane-api')).toBe('paylane-api')
    for (const other of ['api-eu', 'paylane-cards', 'paylane-com'])
      expect(known(other)).toBe('api.eu.paylane.com')
  })

  it('is told the more by what is measured of it, once its name is known', () => {
    const entities = [...PLACES, { name: 'paylane-api', kind: 'external' as const, aliases: [] }]
    const strengths = (...shifts: readonly ReturnType<typeof risen>[]) =>
      facts(found('provider', { templates: [said(failing())], shifts, snapshot: { entities } }))
    expect(strengths(risen('paylane-api', 'errors'))?.[0]).toEqual([0.3, 'errors'])
    const early = { at: at(ONSET - 40), earliest: at(ONSET - 41), latest: at(ONSET - 39) }
    for (const shift of [
      risen('stock', 'errors'),
      risen('paylane-api', 'errors', { is_bad: false }),
      risen('paylane-api', 'errors', { onset: early }),
    ])
      expect(strengths(shift)).toHaveLength(1)
  })

  it('is none where nobody fails, an alert alone says so, it is long ago, or its name or certificate is what fails', () => {
    const none = (template: Template) => found('provider', { templates: [template] })
    expect(none(said(failing(), 'stock', { severity: 'information' }))).toBeUndefined()
    expect(none(said(failing(), 'stock', { risen_at: at(ONSET - 16) }))).toBeUndefined()
    expect(none(said(`${failing()}: getaddrinfo ENOTFOUND`))).toBeUndefined()
    expect(none(said(`${failing()}: certificate has expired`))).toBeUndefined()
    const alerts = [
      { source: 'alerts', name: 'a', service: 'stock', fired_at: at(ONSET), summary: failing() },
    ]
    expect(found('provider', { snapshot: { alerts } })).toBeUndefined()
  })

  it('is told by a status page that names it, not one that names what everybody is called', () => {
    const page = (provider: string): Snapshot['status'] => [
      { source: 'status', provider, events: [{ timestamp: at(ONSET), status: 'degraded', detail: 'Slow' }] },
    ]
    const signs = (provider: string, name = host) =>
      found('provider', { templates: [said(failing(name))], snapshot: { status: page(provider) } })?.signs
        .length
    expect(signs('PayLane')).toBe(2)
    expect(signs('cloud', 'x.cloud.com')).toBe(1)
    expect(signs('abc', 'x.abc.com')).toBe(1)
    expect(signs('abcd', 'x.abcd.com')).toBe(2)
    expect(signs('webapi', 'x.webapi.com')).toBe(2)
    expect(signs('apis', 'x.apis.com')).toBe(2)
    expect(signs('other')).toBe(1)
  })

  it('is told by a status page alone that the failing texts name', () => {
    const page = (provider: string, component?: string): Snapshot['status'] => [
      {
        ...{ source: 'status', provider, events: [{ timestamp: at(ONSET), status: 'outage' }] },
        ...(component === undefined ? {} : { component }),
      },
    ]
    const lost = 'Nimbus computing: instance unavailable'
    const of = (pages: Snapshot['status'], symptoms = [lost], templates: readonly Template[] = []) =>
      found('provider', { snapshot: { status: pages }, symptoms, templates })
    expect(of(page('Nimbus'))).toMatchObject({
      ...{ entity: 'Nimbus', score: 0.6, action: 'failover', yields_to_changes: false },
      what: 'an outage of the outside provider Nimbus',
    })
    expect(of(page('Nimbus'), [lost, 'nil pointer', 'nil pointer', 'nil pointer'])?.score).toBe(
      round6(0.6 * (0.34 + 0.66 * (0.25 / 0.3))),
    )
    expect(of(page('x', 'Nimbus'))?.entity).toBe('x')
    expect(of(page('x.Nimbus-y'))?.entity).toBe('x.Nimbus-y')
    for (const pages of [page('Cirrus'), page('in'), page('x')]) expect(of(pages)).toBeUndefined()
    const words = [said(lost), said(`b ${lost}`), said(`c ${lost}`), said('disk unavailable')]
    expect(facts(of(page('Nimbus'), [lost], words))?.map(([strength]) => strength)).toEqual([0.6, 0.2, 0.2])
    expect(facts(of(page('Nimbus'), [lost], [said('disk unavailable')]))).toHaveLength(1)
    expect(of(page('Nimbus'), [lost], words)?.score).toBe(round6(1 - 0.4 * 0.8 * 0.8))
    // The cluster's own name resolution is no provider.
    const resolved = [said('getaddrinfo ENOTFOUND a.core.svc')]
    expect(of(page('dns'), ['dns is unavailable'], resolved)).toBeUndefined()
    expect(of(page('nimbus', 'resolver'), [lost], resolved)).toBeUndefined()
    expect(of(page('dns'), ['dns is unavailable'])).toBeDefined()
    expect(of(page('Nimbus'), [lost], resolved)).toBeDefined()
  })
})

describe('who says so', () => {
  it('is one line of each of the first three, and none of nobody', () => {
    const line = (entity: string | null, text: string) =>
      ({ entity, text }) as Parameters<typeof distinctCallers>[0][number]
    const lines = [
      ...[line(null, 'x'), line('a', '1'), line('a', '2'), line(null, 'y'), line('b', '3')],
      ...[line('c', '4'), line('d', '5'), line('b', '6')],
    ]
    expect(distinctCallers(lines).map(({ text }) => text)).toEqual(['1', '3', '4'])
    expect(distinctCallers([])).toEqual([])
  })
})

describe('a host that one caller alone names', () => {
  const answered = 'GET https://api.paylane.com/x returned 503'
  const seen = (
    more: Parameters<typeof said>[2] = {},
    first = place('stock'),
    snapshot: Partial<Snapshot> = {},
  ) =>
    causes({
      templates: [said(answered, 'stock', more)],
      symptoms: [answered],
      observed: { first },
      snapshot: { entities: PLACES, ...snapshot },
    }).find(({ kind }) => kind === 'provider')

  it('is possible where that caller fails first and is answered so again and again since then', () => {
    const cause = seen()
    expect(cause).toMatchObject({ entity: 'api.paylane.com', score: 0.55, at_most: CONFIDENCE_CAP_UNMAPPED })
    expect(facts(cause)).toEqual([
      [0.4, answered],
      [0.25, answered],
    ])
  })

  it('is what it was where another fails first, or it is answered so now and then', () => {
    for (const cause of [seen({}, place('web')), seen({ during: 4 })]) {
      expect(cause).toMatchObject({ score: 0.25 })
      expect(cause).not.toHaveProperty('at_most')
    }
  })

  it('is likely where its own status page says so, too', () => {
    const [page] = status('paylane api is slow')
    const own = { ...page, provider: 'paylane' } as Snapshot['status'][number]
    expect(seen({}, place('stock'), { status: [own] })).not.toHaveProperty('at_most')
  })
})
