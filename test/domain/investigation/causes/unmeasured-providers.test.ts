import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { at, calls, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'
import { counted, find, found, graphOf, PLACES, place, type Seen, said } from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('a provider needs a failing edge and a second sign: alone it stays possible', () => {
    const alone = find(['GET https://api.paylane.com/x exceeded deadline'])
    const called = find(['GET https://api.paylane.com/x returned 503'], {
      logs: lines('refunds', 'ERROR', 'api.paylane.com returned 502', ONSET),
    })
    expect(called.cause).toMatchObject({ kind: 'provider', entity: 'api.paylane.com' })
    expect(called.confidence).toBeGreaterThan(alone.confidence)
    expect(called.remediation.action).toBe('failover')
    expect(find(['GET http://stock.internal.io/x returned 503']).cause.kind).not.toBe('provider')
  })

  describe('of somebody outside, whom one service calls and no tool measures', () => {
    const answering = (message: string): Findings =>
      find([message], { edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'paylane', 0.4)] })

    it('its own word that it fails tells an outage of it', () => {
      const { cause } = answering('POST /charge at paylane answered 503 Service Unavailable')
      expect(cause).toMatchObject({ kind: 'provider', entity: 'paylane', change: null })
    })

    it('which one caller alone says is possible, not likely', () => {
      const found = answering('POST /charge at paylane answered 503 Service Unavailable')
      expect(found.confidence).toBeLessThan(0.5)
      const confirmed = find(['POST /charge at paylane answered 503 Service Unavailable'], {
        edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'paylane', 0.4)],
        status: [
          {
            ...{ source: 'status', provider: 'paylane' },
            events: [{ timestamp: at(ONSET + 1), status: 'degraded', detail: 'charges fail' }],
          },
        ],
      })
      expect(confirmed.confidence).toBeGreaterThan(0.6)
      const second = find(['POST /charge at paylane answered 503 Service Unavailable'], {
        edges: [
          ...calls('web', 'stock-api', 0.4),
          ...calls('stock-api', 'paylane', 0.4),
          ...calls('refunds', 'paylane', 0.4),
        ],
      })
      expect(second.confidence).toBeGreaterThan(0.6)
    })

    it('is up where it serves others as ever, or says that it does not accept a credential', () => {
      const edges = [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'paylane', 0.4)]
      const answered = 'POST /charge at paylane answered 503 Service Unavailable'
      const isBlamed = (found: Findings): boolean =>
        found.hypotheses.some(({ cause }) => cause.kind === 'provider')
      expect(isBlamed(find([answered], { edges }))).toBe(true)
      expect(isBlamed(find([answered], { edges: [...edges, ...calls('refunds', 'paylane')] }))).toBe(false)
      const ended = 'paylane answered 401: ExpiredTokenException'
      const found = find([answered, ended], { edges })
      expect(isBlamed(found)).toBe(false)
      expect(found.cause).toMatchObject({ kind: 'certificate', entity: 'stock-api', change: null })
      expect(found.confidence).toBeGreaterThan(0.6)
      // Its own status page outweighs either.
      const status = [
        {
          ...{ source: 'status', provider: 'paylane' },
          events: [{ timestamp: at(ONSET + 1), status: 'degraded', detail: 'charges fail' }],
        },
      ]
      const told = find([answered], { edges: [...edges, ...calls('refunds', 'paylane')], status })
      expect(told.cause).toMatchObject({ kind: 'provider', entity: 'paylane' })
    })

    it('is up where it finds fault with what it is asked, more often than it says that it fails', () => {
      const refused =
        'POST /charge at paylane answered 400: InvalidRequest, "joint" is not among single, split'
      const failed = 'paylane answered 503 Service Unavailable'
      const outage = (...messages: readonly [string, number][]): boolean =>
        find([], {
          edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'paylane', 0.4)],
          logs: messages.flatMap(([message, every]) =>
            lines('stock-api', 'ERROR', message, ONSET, LENGTH, every),
          ),
        }).hypotheses.some(({ statement }) => /outage of the outside provider paylane/i.test(statement))
      expect(outage([failed, 1])).toBe(true)
      expect(outage([failed, 2], [refused, 1])).toBe(false)
      expect(outage([failed, 1], [refused, 2])).toBe(true)
      expect(outage([failed, 1], [refused.replace('400: InvalidRequest', 'nothing'), 1])).toBe(true)
    })

    it('a caller that waits in vain tells nothing', () => {
      expect(answering('POST /charge at paylane timed out').cause.kind).toBe('unknown')
    })

    it('its host is known by the name that its callers count it under', () => {
      const { cause } = answering('POST https://api.paylane.com/charge returned 502 Bad Gateway')
      expect(cause).toMatchObject({ kind: 'provider', entity: 'paylane' })
    })
  })
})

describe('somebody outside whom no tool measures', () => {
  const callees = { stock: ['paylane'], web: ['paylane'] }
  const entities = [...PLACES, { name: 'paylane', kind: 'external' as const, aliases: [] }]
  const of = (more: Seen & { failed?: number; pairs?: Readonly<Record<string, readonly string[]>> } = {}) =>
    found('provider', {
      ...more,
      snapshot: { entities, ...more.snapshot },
      observed: {
        failing: [place('web'), place('paylane', { flow: counted('paylane', more.failed ?? 1) })],
        graph: graphOf(more.pairs ?? callees),
      },
    })

  it('is told by two callers whose calls fail there, and yields to changes', () => {
    expect(of()).toMatchObject({
      ...{ entity: 'paylane', score: 0.45, action: 'failover', yields_to_changes: true },
      ...{ what: 'an outage of the outside provider paylane', signs: [{ strength: 0.45 }] },
    })
    expect(of()?.signs[0]?.fact.of).toBe('calls')
    expect(of({ failed: 0.9 })).toBeUndefined()
    expect(of({ pairs: { stock: ['paylane'] } })).toBeUndefined()
    expect(of({ pairs: { ...callees, paylane: ['bank'] } })).toBeUndefined()
  })

  it('is none of those that tell of themselves', () => {
    expect(of({ snapshot: { entities, series: [series('paylane', 'cpu_usage', 1, 1)] } })).toBeUndefined()
    expect(of({ snapshot: { entities, logs: lines('paylane', 'INFO', 'fine', 0) } })).toBeUndefined()
    const span = { source: 'traces', trace_id: 't', span_id: 's', parent_id: null, service: 'paylane' }
    const spans = [{ ...span, name: 'GET /', start: at(1), duration_us: 1, status: 'OK' }]
    expect(of({ snapshot: { entities, spans } })).toBeUndefined()
  })

  it('is possible and no more where its callers are told that no way leads there, unless its own page tells of it', () => {
    const pairs = { stock: ['paylane'], refunds: ['paylane'] }
    const unreached = (message: string, by = 'stock', more: Parameters<typeof said>[2] = {}) =>
      of({ pairs, snapshot: { entities }, templates: [said(message, by, more)] })?.at_most
    expect(unreached('connect ENETUNREACH 10.4.5.6:443')).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(unreached('dial tcp 10.4.5.6:443: connect: no route to host')).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(unreached('connect ETIMEDOUT 10.4.5.6:443')).toBeUndefined()
    expect(unreached('connect ENETUNREACH 10.4.5.6:443', 'vault')).toBeUndefined()
    expect(
      unreached('connect ENETUNREACH 10.4.5.6:443', 'stock', { risen_at: at(ONSET + 6) }),
    ).toBeUndefined()
    const events = [{ timestamp: at(ONSET), status: 'outage' }]
    const status = [{ source: 'status', provider: 'paylane', events }]
    const templates = [said('connect ENETUNREACH 10.4.5.6:443')]
    expect(of({ pairs, snapshot: { entities, status }, templates })?.at_most).toBeUndefined()
  })

  it('is told by a status page of it, or by what callers quote of its own failing', () => {
    const events = [{ timestamp: at(ONSET), status: 'outage' }]
    const page = (provider: string) => ({ entities, status: [{ source: 'status', provider, events }] })
    const one = { stock: ['paylane'] }
    expect(of({ snapshot: page('paylane'), pairs: one })).toMatchObject({
      ...{ score: 0.78, yields_to_changes: false },
    })
    expect(of({ snapshot: page('nimbus'), pairs: one })).toBeUndefined()
    const answer = 'POST at paylane answered 502'
    expect(of({ templates: [said(answer)] })?.signs).toHaveLength(2)
    expect(of({ templates: [said(answer), said(`again ${answer}`)] })?.signs).toHaveLength(2)
    for (const template of [
      said(answer, 'vault'),
      said('POST at bank answered 502'),
      said('POST at paylane answered 404'),
      said(answer, 'stock', { during: 4 }),
      said(answer, 'stock', { risen_at: at(ONSET + 6) }),
    ])
      expect(of({ templates: [template] })?.signs).toHaveLength(1)
  })
})
