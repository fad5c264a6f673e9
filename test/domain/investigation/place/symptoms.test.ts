import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Observed, observe } from '#shared/domain/investigation/place/failing-services.ts'
import {
  collectSymptoms,
  eachText,
  firstMatching,
  hasGrown,
  isOwn,
  isOwnLine,
  quotedNames,
  type Symptom,
  shareMatching,
} from '#shared/domain/investigation/place/symptoms.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Alert, LogPattern, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, pattern, series } from '../incident-scenarios.ts'
import { BARE, counted, graphOf, place, risen, said } from '../scene-by-hand.ts'

const collected = (more: Partial<Snapshot>): readonly Symptom[] => {
  const snapshot = { ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }], ...more }
  const names = entityNames(snapshot)
  return collectSymptoms(snapshot, observe(snapshot, names, null), names)
}
const of = (list: readonly Symptom[], origin: Symptom['origin'], entity?: string): readonly Symptom[] =>
  list.filter((one) => one.origin === origin && (entity === undefined || one.entity === entity))
const errors = (entity: string) => series(entity, 'http_5xx_ratio', 0.003, 0.4)
/** `web` fails because `stock` does. */
const CHAIN: Partial<Snapshot> = {
  alerts: [alert('web', 'http_5xx_ratio')],
  series: [errors('web'), errors('stock')],
  edges: [{ source: 'edges', caller: 'web', callee: 'stock', t0: at(0), interval_s: 60 }],
}
const symptom = (text: string, weight = 1): Symptom => ({
  ...{ text, plain: text, entity: 'stock', weight, at: null, count: 1, origin: 'log', source: 'logs' },
})

describe('symptoms', () => {
  it('are none where nothing was alerted and nothing left normal', () => {
    expect(collected({})).toEqual([])
    expect(
      collected({ logs: lines('a', 'INFO', 'served', 0), patterns: [pattern('a', 'served', 9, 0)] }),
    ).toEqual([])
  })

  it('of an alert are all that it says, and weigh more where somebody wrote what it means', () => {
    const fired = (more: Partial<Alert>) =>
      of(collected({ alerts: [{ ...alert('web', 'errors'), ...more }] }), 'alert')[0]
    const plain = fired({})
    const written = fired({ summary: 'customers cannot pay', detail: 'since noon' })
    expect(plain).toMatchObject({ entity: 'web', at: at(ONSET + 6), count: 1, source: 'alerts' })
    expect(plain?.text).toBe('errors too high. errors')
    expect(written?.text).toBe('errors too high. errors. customers cannot pay. since noon')
    for (const told of [written, fired({ summary: 'x' }), fired({ detail: 'x' })])
      expect(told?.weight).toBeGreaterThan(plain?.weight ?? 9)
    const { service: _, ...nameless } = alert('web', 'errors')
    expect(of(collected({ alerts: [nameless] }), 'alert')[0]?.entity).toBeNull()
  })

  it('are the lines that are new or grew, but none that only inform and none that were always written', () => {
    const list = collected({
      logs: [
        ...lines('a', 'ERROR', 'the ledger refused an entry', ONSET),
        ...lines('a', 'INFO', 'reading the whole table', ONSET),
        ...lines('a', 'ERROR', 'one retry was needed', 0),
      ],
    })
    expect(of(list, 'log').map(({ text, count, at: since, source }) => [text, count, since, source])).toEqual(
      [['the ledger refused an entry', 30, at(ONSET) + 7_000, 'logs']],
    )
  })

  it('are what an orchestrator failed at since shortly before the onset, each text once', () => {
    const record = (
      message: string | undefined,
      minute: number,
      count?: number,
    ): Snapshot['k8s'][number] => ({
      ...{ source: 'k8s', timestamp: at(minute), kind: 'ReplicaSet', name: 'a', reason: 'FailedCreate' },
      ...(message === undefined ? {} : { message }),
      ...(count === undefined ? {} : { count }),
    })
    const told = (...k8s: Snapshot['k8s']) => of(collected({ series: [errors('a')], k8s }), 'platform')
    const FORBIDDEN = 'pods is forbidden: User "release-5" cannot create resource "pods"'
    expect(told(record(FORBIDDEN, ONSET), record(FORBIDDEN, ONSET + 1, 3))).toMatchObject([
      { text: `a: ${FORBIDDEN}`, entity: 'a', at: at(ONSET), count: 4, source: 'k8s' },
    ])
    expect(told(record('Started container a', ONSET), record(undefined, ONSET))).toEqual([])
    expect(told(record(FORBIDDEN, ONSET - 30))).toEqual([])
    const [once, often] = [told(record(FORBIDDEN, ONSET))[0], told(record(FORBIDDEN, ONSET, 64))[0]]
    expect(often?.weight).toBeGreaterThan(once?.weight ?? 9)
    expect(once?.weight).toBeLessThan(1)
  })

  it('weigh more the more often a line came, up to three times as much', () => {
    const weight = (count: number): number =>
      of(
        collected({
          series: [errors('a')],
          logs: Array.from({ length: count }, (_, index) => ({
            ...{ source: 'logs', timestamp: at(ONSET) + index * 100, service: 'a', severity: 'ERROR' },
            message: 'the ledger refused an entry',
          })),
        }),
        'log',
      )[0]?.weight ?? 0
    const [one, two, many, most, more] = [1, 4, 32, 256, 4_096].map(weight) as [
      number,
      number,
      number,
      number,
      number,
    ]
    expect(one).toBeGreaterThan(0)
    expect(two).toBeGreaterThan(one)
    expect(many).toBeGreaterThan(two)
    expect(most).toBeCloseTo(3 * one)
    expect(more).toBe(most)
  })

  it('weigh more of an error than of a warning', () => {
    const weight = (severity: string) =>
      of(
        collected({ series: [errors('a')], logs: lines('a', severity, 'the ledger refused it', ONSET) }),
        'log',
      )[0]?.weight ?? 0
    expect(weight('ERROR')).toBeGreaterThan(weight('WARN'))
    expect(weight('WARN')).toBeGreaterThan(0)
  })

  it('weigh most where the trouble begins, and little where another service explains them', () => {
    const list = collected({
      ...CHAIN,
      series: [...(CHAIN.series ?? []), errors('other')],
      logs: ['stock', 'web', 'other'].flatMap((service) =>
        lines(service, 'ERROR', 'an entry was refused', ONSET),
      ),
    })
    const weight = (entity: string) => of(list, 'log', entity)[0]?.weight ?? 0
    expect(weight('stock')).toBeGreaterThan(weight('other'))
    expect(weight('other')).toBeGreaterThan(weight('web'))
    expect(weight('web')).toBeGreaterThan(0)
  })

  it('are the patterns that grew and tell of a failure', () => {
    const list = collected({
      patterns: [
        pattern('a', 'request failed', 41, 20),
        pattern('a', 'login failed', 40, 20),
        pattern('a', 'request served', 41, 20),
      ],
    })
    expect(
      of(list, 'pattern').map(({ text, count, at: since, source }) => [text, count, since, source]),
    ).toEqual([['request failed', 41, null, 'patterns']])
  })

  it('are the spans where traces began to fail, three of each service, with the words they carry', () => {
    const span = (id: string, attributes?: Span['attributes']): Span => ({
      ...{ source: 'traces', trace_id: id, span_id: id, parent_id: null, service: 'a', name: 'GET /a' },
      ...{ start: at(ONSET + Number(id)), duration_us: 1_000, status: 'ERROR' },
      ...(attributes === undefined ? {} : { attributes }),
    })
    const list = collected({
      spans: [
        span('1', { exception: 'NullPointer', retries: 3, cached: true }),
        span('2'),
        span('3'),
        span('4'),
      ],
    })
    expect(of(list, 'trace').map(({ text, entity, at: since }) => [text, entity, since])).toEqual([
      ['GET /a NullPointer', 'a', at(ONSET + 1)],
      ['GET /a', 'a', at(ONSET + 2)],
      ['GET /a', 'a', at(ONSET + 3)],
    ])
  })

  it('are series that hurt, by name; one that only says that something fails hardly weighs', () => {
    const list = collected({
      alerts: [alert('a', 'x')],
      series: [
        errors('a'),
        series('a', 'certificate_handshake_errors', 1, 90),
        series('a', 'heap_used_bytes', 1e8, 9e8),
      ],
    })
    const weight = (name: string) => of(list, 'metric').find(({ text }) => text === name)?.weight ?? 0
    expect(weight('certificate_handshake_errors')).toBeGreaterThan(weight('http_5xx_ratio'))
    expect(weight('heap_used_bytes')).toBe(weight('certificate_handshake_errors'))
    expect(weight('http_5xx_ratio')).toBeGreaterThan(0)
  })

  it.each([
    'http_5xx_ratio',
    'errors_total',
    'request_latency_p99_ms',
    'server_errors',
    'availability',
    'grpc_requests_errors_rate',
    'response_duration_seconds_avg',
  ])('tell hardly anything of how by %s', (name) => {
    const worse = name === 'availability' ? series('a', name, 0.99, 0.5) : series('a', name, 1, 90)
    const list = of(collected({ series: [worse, series('a', 'handshake_errors', 1, 90)] }), 'metric')
    const [how, plain] = list
    expect([how?.text, plain?.text]).toEqual(['handshake_errors', name])
    expect(how?.weight).toBeGreaterThan(2 * (plain?.weight ?? 9))
  })

  it('are what else moved where the trouble begins, and nothing harmless of anybody else', () => {
    const more = (entity: string) => series(entity, 'db_queries_per_request', 2, 40)
    const expiry = series('stock', 'certificate_expiry_days', 60, 1)
    const list = of(
      collected({ ...CHAIN, series: [...(CHAIN.series ?? []), more('stock'), more('web'), expiry] }),
      'metric',
    )
    expect(list.filter(({ text }) => text === 'db_queries_per_request').map(({ entity }) => entity)).toEqual([
      'stock',
    ])
    expect(list.map(({ text }) => text)).not.toContain('certificate_expiry_days')
  })

  it('are calls that only their caller counts as failed, at the caller', () => {
    const given = (more: Partial<Snapshot>) =>
      collected({
        alerts: [alert('a', 'x')],
        series: [errors('a'), series('b', 'http_5xx_ratio', 0.003, 0.003)],
        edges: [...calls('web', 'a', 0.4), ...calls('a', 'b', 0.4)],
        ...more,
      }).filter(({ text }) => /only their caller/.test(text))
    expect(given({})).toMatchObject([{ entity: 'a', count: 240 * 30, at: at(ONSET), source: 'edges' }])
    expect(given({ series: [errors('a'), errors('b')] })).toEqual([])
    expect(given({ edges: calls('web', 'a', 0.4) })).toEqual([])
  })

  it('are told without the names of services where a name might be taken for a word', () => {
    const [first] = of(
      collected({ logs: lines('cache-api', 'ERROR', 'the cache-api refused 17', ONSET) }),
      'log',
    )
    expect(first?.text).toBe('the cache-api refused 17')
    expect(first?.plain).not.toContain('cache')
    expect(first?.plain).toContain('17')
  })

  it('come heaviest first, in the same order however the records came', () => {
    const snapshot: Partial<Snapshot> = {
      ...CHAIN,
      logs: ['stock', 'web'].flatMap((service) => lines(service, 'ERROR', 'an entry was refused', ONSET)),
      patterns: [pattern('stock', 'b failed', 5, 0), pattern('stock', 'a failed', 5, 0)],
    }
    const list = collected(snapshot)
    for (const [index, { weight }] of list.entries())
      expect(weight).toBeLessThanOrEqual(list[index - 1]?.weight ?? Number.POSITIVE_INFINITY)
    expect(of(list, 'pattern').map(({ text }) => text)).toEqual(['a failed', 'b failed'])
    const { alerts = [], series: all = [], logs = [], patterns = [] } = snapshot
    const turned = {
      ...snapshot,
      alerts: alerts.toReversed(),
      series: all.toReversed(),
      logs: logs.toReversed(),
    }
    expect(collected({ ...turned, patterns: patterns.toReversed() })).toEqual(list)
  })
})

describe('a pattern', () => {
  const grown = (count: number, baseline?: number): boolean => {
    const { baseline_count: _, ...one } = pattern('a', 'x', count, 0)
    return hasGrown((baseline === undefined ? one : { ...one, baseline_count: baseline }) as LogPattern)
  }
  it('has grown from twice as many and one more, or from one where nobody counted before', () => {
    expect([grown(41, 20), grown(40, 20), grown(1, 0), grown(0, 0), grown(1), grown(0)]).toEqual([
      ...[true, false, true, false, true, false],
    ])
  })
})

describe('the share of symptoms that words match', () => {
  it('is that of their weight', () => {
    const list = [symptom('pool exhausted', 3), symptom('timeout', 1)]
    expect(shareMatching(list, /pool/)).toBe(0.75)
    expect(shareMatching(list, /timeout/)).toBe(0.25)
    expect(shareMatching(list, /pool|timeout/)).toBe(1)
    expect(shareMatching(list, /disk/)).toBe(0)
    expect(shareMatching([], /disk/)).toBe(0)
    expect(firstMatching(list, /timeout|pool/)).toBe(list.find(({ plain }) => /timeout|pool/.test(plain)))
    expect(firstMatching(list, /disk/)).toBeNull()
  })

  it('is read without names unless names are sought', () => {
    const list = [{ ...symptom('cache refused'), plain: ' refused' }]
    expect([shareMatching(list, /cache/), shareMatching(list, /cache/, 'text')]).toEqual([0, 1])
    expect(shareMatching(list, /cache/, 'plain')).toBe(0)
  })

  it('of a matter and of all else adds up to one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 9 })), { minLength: 1 }),
        (drawn) => {
          const list = drawn.map(([text, weight]) => symptom(text, weight))
          expect(shareMatching(list, /a/) + shareMatching(list, /b/)).toBeCloseTo(1)
        },
      ),
    )
  })
})

describe('names that symptoms quote', () => {
  const quoted = (...texts: readonly string[]) => [...quotedNames(texts.map((text) => symptom(text))).keys()]
  it.each([
    ["column 'total_net' is gone", ['total_net']],
    ['no key "Audience"', ['audience']],
    ['call of `verify` failed', ['verify']],
    ['[ledger.posted] failed', ['ledger.posted']],
    ['\'a1\' and "b2" and `c3` and [d4]', ['a1', 'b2', 'c3', 'd4']],
    ["'x' is too short, and so is [y]", []],
    [`'${'x'.repeat(61)}' is too long`, []],
    ['[two words] are none, "two words" are', ['two words']],
    ["'<N>' and '1234' are none", []],
    ["'v1234' is one", ['v1234']],
    ["'<script' is one", ['<script']],
    ['nothing is quoted', []],
    // What a value in JSON is called, everybody's answers hold; its value may be the name that is missed.
    ['400 {"detail":"total must be null", "source":"cart"}', ['total must be null', 'cart']],
    ['no "ledger": gone', ['ledger']],
  ])('in “%s”', (text, names) => {
    expect(quoted(text)).toEqual(names)
  })

  it('are told with the first symptom that quotes them', () => {
    const [one, other] = [symptom("'total' is gone", 2), symptom('no "TOTAL"', 1)]
    expect([...quotedNames([one, other])]).toEqual([['total', one]])
  })
})

describe('each text of symptoms', () => {
  it('is told by the first that says it', () => {
    const [one, same, other] = [symptom('no total'), symptom('no total', 0.2), symptom('no field')]
    expect(eachText([one, same, other])).toEqual([one, other])
    expect(eachText([])).toEqual([])
  })
})

describe('how much a symptom weighs', () => {
  /** What is collected of just this, where `stock` fails first. */
  const weighed = (more: Partial<Observed>, snapshot: Partial<Snapshot> = {}): readonly Symptom[] => {
    const all = { ...EMPTY, ...snapshot }
    return collectSymptoms(all, { ...BARE, first: place('stock'), ...more }, entityNames(all))
  }
  const weights = (...given: Parameters<typeof weighed>) => weighed(...given).map(({ weight }) => weight)

  it('is as told by the place: the first, what nothing explains, and all else', () => {
    const unexplained = [place('stock'), place('web')]
    const templates = ['stock', 'web', 'mail'].map((service) => said('it broke', service, { during: 1 }))
    expect(weights({ templates, unexplained })).toEqual([1, 0.6, 0.2])
    expect(weights({ templates: [said('it broke', 'stock', { during: 1, severity: 'warning' })] })).toEqual([
      0.8,
    ])
  })

  it('is that of lines that are new or grew', () => {
    const of = (change: 'new' | 'grown' | 'steady' | 'vanished') =>
      weights({ templates: [said('it broke', 'stock', { change })] })
    expect([of('new'), of('grown'), of('steady'), of('vanished')].map(({ length }) => length)).toEqual([
      1, 1, 0, 0,
    ])
  })

  it('is less of patterns and of spans, at their place', () => {
    const one = pattern('mail', 'it failed', 1, 0)
    const patterns = [one, { ...one, service: 'stock' }]
    const near = weights({}, { patterns })
    expect(near[0]).toBeCloseTo(0.7, 9)
    expect(near[1]).toBeCloseTo(0.14, 9)
    const span = (service: string): Span => ({
      ...{ source: 'traces', trace_id: 't', span_id: service, parent_id: null, service, name: 'GET /' },
      ...{ start: at(ONSET), duration_us: 1, status: 'ERROR' },
    })
    const failing = ['mail', 'stock'].map((entity) => place(entity, { error_spans: [span(entity)] }))
    expect(weights({ failing })).toEqual([0.5, 0.1])
  })

  it('is that of series that hurt, and at the first place of what moved beside them', () => {
    const shift = (entity: string, name: string, is_bad = true) =>
      weights({ shifts: [risen(entity, name, { is_bad })] })
    expect(shift('stock', 'checkout_errors_by_card')).toEqual([0.5])
    expect(shift('stock', 'checkout_errors_by_card', false)).toEqual([0.4])
    expect(shift('stock', 'checkout_calls')).toEqual([0.4])
    expect(shift('stock', 'certificate_expiry_days', false)).toEqual([])
    expect(shift('mail', 'checkout_errors_by_card')).toEqual([0.1])
    expect(shift('mail', 'checkout_errors_by_card', false)).toEqual([])
    expect(shift('mail', 'checkout_calls')).toEqual([])
  })

  it.each([
    'http_errors',
    'http_error',
    'grpc_server_latency_p99_ms',
    'requests_errors_total',
    'request_5xx_ratio',
    'errors5xx',
    'availability',
  ])('is little of a series that only says that something fails: %s', (name) => {
    expect(weights({ shifts: [risen('stock', name)] })).toEqual([0.15])
  })

  it.each(['errors_by_card', 'card_errors', 'http_errors_total_x'])(
    'is more of one that says what: %s',
    (name) => {
      expect(weights({ shifts: [risen('stock', name)] })).toEqual([0.5])
    },
  )

  it('is that of calls which the first place alone counts as failed, from one call on', () => {
    const graph = graphOf({ stock: ['vault'] })
    const given = (given_up: number, more: Partial<Observed> = {}) =>
      weighed({ graph, flows: new Map([['vault', { ...counted('vault', 9), given_up }]]), ...more })
    expect(given(1)).toMatchObject([
      { entity: 'stock', weight: 0.8, count: 1, origin: 'metric', at: null, source: 'edges' },
    ])
    expect(given(0.9)).toEqual([])
    expect(given(9, { first: null })).toEqual([])
    expect(given(9, { first: place('web') })).toEqual([])
    expect(given(9, { graph: graphOf({ web: ['vault'] }) })).toEqual([])
    expect(given(9, { graph: graphOf({ stock: ['mail'] }) })).toEqual([])
    const since = { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) }
    expect(given(9, { onset: since })[0]?.at).toBe(at(ONSET))
  })

  it('orders them: by weight, by time, by count and by text', () => {
    const line = (text: string, more: Parameters<typeof said>[2] = {}) =>
      said(text, 'stock', { during: 99_999, ...more })
    const order = (...templates: readonly ReturnType<typeof said>[]) => {
      const texts = weighed({ templates }).map(({ text }) => text)
      expect(weighed({ templates: templates.toReversed() }).map(({ text }) => text)).toEqual(texts)
      return texts
    }
    expect(order(line('b', { risen_at: at(1) }), line('a', { risen_at: at(2) }))).toEqual(['b', 'a'])
    expect(order(line('b', { during: 99_999 }), line('a', { during: 88_888 }))).toEqual(['b', 'a'])
    expect(order(line('c'), line('a'), line('b'))).toEqual(['a', 'b', 'c'])
    expect(order(line('b', { during: 1 }), line('a', { during: 1, severity: 'warning' }))).toEqual(['b', 'a'])
  })
})

describe('a symptom of the failing place itself', () => {
  it('weighs half at least, and is its own line where it stood in a log', () => {
    expect([0.5, 0.49].map((weight) => isOwn(symptom('x', weight)))).toEqual([true, false])
    const origins = ['log', 'pattern', 'alert', 'trace', 'metric'] as const
    const lines = (weight: number) =>
      origins.filter((origin) => isOwnLine({ ...symptom('x', weight), origin }))
    expect(lines(0.5)).toEqual(['log', 'pattern'])
    expect(lines(0.49)).toEqual([])
  })

  it('is one line of an error or a warning there, and no single line of who only feels it', () => {
    const own = (entity: string, severity: string) =>
      of(
        collected({ ...CHAIN, logs: lines(entity, severity, 'cannot read shelf', ONSET).slice(0, 1) }),
        'log',
      )
    expect(own('stock', 'ERROR').map(isOwn)).toEqual([true])
    expect(own('stock', 'WARN').map(isOwn)).toEqual([true])
    expect(own('web', 'ERROR').map(isOwn)).toEqual([false])
  })
})

describe('names that are quoted', () => {
  it.each([
    ["'<a' and 'b>' are some", ['<a', 'b>']],
    ["'<>' and '<ab>' are none", []],
    ["'x<n>' and '<n>x' are some", ['x<n>', '<n>x']],
    ["'12ab' and '12' are one", ['12ab']],
  ])('in “%s”', (text, names) => {
    expect([...quotedNames([symptom(text)]).keys()]).toEqual(names)
  })
})
