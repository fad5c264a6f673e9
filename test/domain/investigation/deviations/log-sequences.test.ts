import { describe, expect, it } from 'vitest'
import { findBrokenSequences, kindReader } from '#shared/domain/investigation/deviations/log-sequences.ts'
import { spanTree } from '#shared/domain/investigation/deviations/span-tree.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { LogLine, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, LENGTH, ONSET } from '../incident-scenarios.ts'

interface Written {
  readonly service: string
  readonly name: string
  /** Lines in the order in which they are written; `!` in front makes an error of one. */
  readonly lines: readonly string[]
  readonly parent?: string
}

/** One span of a request with the lines that it wrote. */
function work(minute: number, id: string, { service, name, lines, parent }: Written): [Span, LogLine[]] {
  const trace_id = `t${minute}`
  const span: Span = {
    source: 'traces',
    trace_id,
    span_id: id,
    parent_id: parent ?? null,
    service,
    name,
    start: at(minute),
    duration_us: 1_000,
    status: 'OK',
  }
  const written = lines.map(
    (text, index): LogLine => ({
      source: 'logs',
      timestamp: at(minute) + index + 1,
      service,
      severity: text.startsWith('!') ? 'ERROR' : 'INFO',
      message: text.replace(/^!/, ''),
      trace_id,
      span_id: id,
    }),
  )
  return [span, written]
}

/** A request a minute, each of spans that may write otherwise once the incident began. */
function snapshotOf(requests: (minute: number, isOff: boolean) => readonly Written[]): Snapshot {
  const spans: Span[] = []
  const logs: LogLine[] = []
  for (let minute = 0; minute < LENGTH; minute++)
    for (const [index, written] of requests(minute, minute >= ONSET).entries()) {
      const [span, lines] = work(minute, `s${index}`, written)
      spans.push(span)
      logs.push(...lines)
    }
  return { ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(ONSET - 10) }], spans, logs }
}

const broken = (snapshot: Snapshot) => findBrokenSequences(snapshot, spanTree(snapshot, normalTime(snapshot)))

const order = (lines: readonly string[]): Written => ({ service: 'orders', name: 'POST /order', lines })

describe('a line that always followed and now does not', () => {
  const found = broken(
    snapshotOf((_, isOff) => [
      order(isOff ? ['checking stock', '!no connection left'] : ['checking stock', 'stock reserved']),
    ]),
  )

  it('is named with the work, the line before it and what came instead', () => {
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      service: 'orders',
      operation: 'POST /order',
      first_seen: at(ONSET),
    })
    expect([found[0]?.expected, found[0]?.instead]).toContain('no connection left')
  })

  it('carries how often it was so and is now', () => {
    expect(found[0]?.broken).toBe(LENGTH - ONSET)
    expect(found[0]).toMatchObject({ normal_share: 1, normal_spans: ONSET - 10, source: 'logs' })
    expect(found[0]?.score).toBeGreaterThan(1)
  })

  it('counts also where nothing came instead, and where nothing is written at all', () => {
    const silent = broken(snapshotOf((_, isOff) => [order(isOff ? ['begun'] : ['begun', 'done'])]))
    expect(silent).toMatchObject([{ after: null, expected: 'done', instead: null }])
    const mute = broken(snapshotOf((_, isOff) => [order(isOff ? [] : ['begun', 'done'])]))
    expect(mute).toHaveLength(1)
    expect(mute[0]?.instead).toBeNull()
  })
})

describe('an error that was not written before', () => {
  it('is a break though nothing else is missing', () => {
    const [found] = broken(
      snapshotOf((_, isOff) => [order(isOff ? ['begun', '!card refused', 'done'] : ['begun', 'done'])]),
    )
    expect(found).toMatchObject({ expected: null, instead: 'card refused' })
  })

  it('is none where it was written as often before', () => {
    expect(broken(snapshotOf(() => [order(['begun', '!card refused', 'done'])]))).toEqual([])
  })

  it('is none where it stopped', () => {
    expect(broken(snapshotOf((_, isOff) => [order(isOff ? ['begun'] : ['begun', '!card refused'])]))).toEqual(
      [],
    )
  })
})

describe('a break below', () => {
  const call = (isOff: boolean): readonly Written[] => [
    order(isOff ? ['asking', '!answer was 500'] : ['asking', 'answered']),
    {
      service: 'stock',
      name: 'GET /stock',
      parent: 's0',
      lines: isOff ? ['looking up', '!table is locked'] : ['looking up', 'found'],
    },
  ]

  it('explains that of its caller, which only reacts', () => {
    expect(broken(snapshotOf((_, isOff) => call(isOff))).map(({ service }) => service)).toEqual(['stock'])
  })

  it('of the same service explains nothing away', () => {
    const own = snapshotOf((_, isOff) => call(isOff).map((one) => ({ ...one, service: 'orders' })))
    expect(broken(own)).toMatchObject([{ operation: 'POST /order', instead: 'answer was *' }])
  })

  it('ends in a circle of spans as well', () => {
    const snapshot = snapshotOf((_, isOff) => call(isOff))
    const spans = snapshot.spans.map((span) => (span.span_id === 's0' ? { ...span, parent_id: 's1' } : span))
    expect(Array.isArray(broken({ ...snapshot, spans }))).toBe(true)
  })
})

describe('nothing is said', () => {
  it('of what happened in fewer than a fifth of the spans', () => {
    expect(
      broken(
        snapshotOf((minute, isOff) => [order(isOff && minute % 8 === 0 ? ['begun'] : ['begun', 'done'])]),
      ),
    ).toEqual([])
  })

  it('of work that normal time does not show at least three times', () => {
    expect(
      broken(snapshotOf((minute, isOff) => [order(isOff ? ['begun'] : minute < 2 ? ['begun', 'done'] : [])])),
    ).toEqual([])
  })

  it('without spans, without lines, and of lines that belong to no span', () => {
    const snapshot = snapshotOf((_, isOff) => [order(isOff ? ['begun'] : ['begun', 'done'])])
    expect(broken({ ...snapshot, spans: [] })).toEqual([])
    expect(broken({ ...snapshot, logs: [] })).toEqual([])
    expect(broken({ ...snapshot, logs: snapshot.logs.map(({ span_id: _, ...line }) => line) })).toEqual([])
    expect(
      broken({ ...snapshot, logs: snapshot.logs.map((line) => ({ ...line, trace_id: 'other' })) }),
    ).toEqual([])
    expect(broken({ ...snapshot, logs: snapshot.logs.map((line) => ({ ...line, message: '' })) })).toEqual([])
  })
})

describe('the same', () => {
  it('comes of the records in any order, and of loops that write a line again', () => {
    const snapshot = snapshotOf((_, isOff) => [
      order(isOff ? ['begun', 'step', 'step'] : ['begun', 'step', 'step', 'done']),
    ])
    const turned = {
      ...snapshot,
      spans: [...snapshot.spans].reverse(),
      logs: [...snapshot.logs].reverse(),
    }
    expect(broken(turned)).toEqual(broken(snapshot))
  })

  it('comes of work that writes more kinds of lines than are looked at', () => {
    const letters = Array.from(
      { length: 40 },
      (_, index) => `step ${String.fromCodePoint(97 + (index % 26)).repeat(1 + Math.floor(index / 26))}`,
    )
    const found = broken(snapshotOf((_, isOff) => [order(isOff ? letters.slice(0, 4) : letters)]))
    expect(found).toHaveLength(1)
  })
})

describe('the kind of a line', () => {
  it.each([
    ['order 4711 placed', 'order * placed'],
    ['2026-01-31T12:00:00Z order placed', 'order placed'],
    ['order placed: {"id": 1}', 'order placed'],
    ['trace_id=abc order placed', 'order placed'],
    [
      'one two three four five six seven eight nine ten eleven twelve thirteen',
      'one two three four five six seven eight nine ten eleven twelve',
    ],
    ['{"level":"info"}', '{"level":"info"}'],
    ['trace_id: abc order placed', 'order placed'],
    ['span-id = abc order placed', 'order placed'],
    ['traceid abc order placed', 'order placed'],
    ['2026-01-31 12:00:00.123Z order placed', 'order placed'],
    ['12:00:00 order placed', 'order placed'],
    ['12:00:00.123 order placed', 'order placed'],
    ['12:00:00,123 order placed', 'order placed'],
    ['order placed:', 'order placed'],
    ['order placed:  ', 'order placed'],
    ['orders:place it now', 'orders:place it now'],
    ['order   placed\tnow', 'order placed now'],
    [`${'a'.repeat(390)} ${'b'.repeat(90)}`, `${'a'.repeat(390)} ${'b'.repeat(9)}`],
    ['', ''],
  ])('of %j is %j', (message, kind) => {
    const kindOf = kindReader()
    expect(kindOf(message)).toBe(kind)
    expect(kindOf(message)).toBe(kind)
  })
})

describe('what was nearly always so', () => {
  /** Work in which the second line was missing in some minutes of normal time, and in some of the incident. */
  const done = (isMissing: (minute: number) => boolean) =>
    broken(snapshotOf((minute) => [order(isMissing(minute) ? ['begun'] : ['begun', 'done'])]))
  /** Normal time are the minutes up to here, all later ones count as the incident. */
  const NORMAL = ONSET - 10

  it('was so in four of five at least', () => {
    expect(done((minute) => minute >= NORMAL || minute % 5 === 0)).toMatchObject([
      { expected: 'done', normal_share: 0.8, normal_spans: 80, broken: 40, spans: 40 },
    ])
    expect(done((minute) => minute >= NORMAL || minute % 4 === 0)).toEqual([])
  })

  it('breaks where it is so in a fifth fewer, of what was so', () => {
    expect(done((minute) => minute >= NORMAL && minute % 5 === 0)).toMatchObject([{ broken: 8, spans: 40 }])
    expect(done((minute) => minute >= NORMAL && minute % 5 === 0 && minute > NORMAL)).toEqual([])
    expect(done((minute) => minute % 5 === 0 || (minute >= NORMAL && minute % 10 === 1))).toEqual([])
  })

  it('breaks the more, the more often it does and the surer it was', () => {
    const scores = [
      done((minute) => minute >= NORMAL),
      done((minute) => minute >= NORMAL && minute % 2 === 0),
      done((minute) => minute >= NORMAL || minute % 5 === 0),
      done((minute) => minute >= NORMAL && minute % 5 === 0),
    ].map(([found]) => found?.score)
    // The distance of 40 of 40 from 0 of 80 in standard errors, with half a break added to the 80; and so on.
    expect(scores).toEqual([65.930511, 16.482628, 8.205925, 2.63722])
  })

  it('was seen three times at least', () => {
    const normally = (spans: number) =>
      broken(
        snapshotOf((minute) =>
          minute < spans || minute >= NORMAL ? [order(minute < NORMAL ? ['begun', 'done'] : ['begun'])] : [],
        ),
      )
    expect(normally(3)).toMatchObject([{ expected: 'done', normal_spans: 3 }])
    expect(normally(2)).toEqual([])
    const failing = (spans: number) =>
      broken(
        snapshotOf((minute) =>
          minute < spans || minute >= NORMAL ? [order(minute < NORMAL ? ['begun'] : ['begun', '!lost'])] : [],
        ),
      )
    expect(failing(3)).toMatchObject([{ expected: null, instead: 'lost', normal_share: 1 }])
    expect(failing(2)).toEqual([])
  })

  it('is no error that was seldom written: in more than a fifth of the spans', () => {
    const refused = (every: number) =>
      broken(
        snapshotOf((minute) => [
          order(minute >= NORMAL || minute % every === 0 ? ['begun', '!refused'] : ['begun']),
        ]),
      )
    expect(refused(8)).toMatchObject([{ instead: 'refused', normal_share: 1 - 1 / 8, spans: 40 }])
    expect(refused(4)).toEqual([])
  })

  it('is told by what came before where the beginning does not tell it', () => {
    const found = broken(
      snapshotOf((minute, isOff) => [
        order(minute % 2 === 0 ? ['skipped'] : isOff ? ['begun'] : ['begun', 'done']),
      ]),
    )
    expect(found).toMatchObject([{ after: 'begun', expected: 'done', normal_share: 1, normal_spans: 40 }])
  })

  it('does not expect of a line what used to stand before it', () => {
    const only = (...lines: readonly string[]) =>
      snapshotOf((minute, isOff) => [order(minute % 2 === 0 ? ['skipped'] : isOff ? ['second'] : lines)])
    const again = only('first', 'second', 'first')
    const reversed = { ...again, logs: again.logs.toReversed() }
    expect(broken(only('first', 'second'))).toEqual([])
    for (const snapshot of [again, reversed, only('second', 'first', 'second')])
      expect(broken(snapshot)).toMatchObject([{ after: 'second', expected: 'first' }])
    expect(
      broken({
        ...only('second', 'first', 'second'),
        logs: only('second', 'first', 'second').logs.toReversed(),
      }),
    ).toMatchObject([{ after: 'second', expected: 'first' }])
  })

  it('does not rely on the order within one millisecond', () => {
    const snapshot = snapshotOf((minute, isOff) => [
      order(minute % 2 === 0 ? ['skipped'] : isOff ? ['second'] : ['first', 'second']),
    ])
    const atOnce = { ...snapshot, logs: snapshot.logs.map((line) => ({ ...line, timestamp: at(0) })) }
    expect(broken(atOnce)).toMatchObject([{ after: 'second', expected: 'first' }])
  })

  it('is told by the first four and twenty lines of a span', () => {
    const letters = Array.from({ length: 26 }, (_, index) => `step ${String.fromCodePoint(97 + index)}`)
    const without = (index: number) =>
      snapshotOf((_, isOff) => [order(isOff ? letters.filter((_, step) => step !== index) : letters)])
    expect(broken(without(23))).toMatchObject([{ expected: 'step x' }])
    expect(broken(without(24))).toEqual([])
    expect(broken(without(25))).toEqual([])
    for (const index of [0, 23, 24, 25]) {
      const snapshot = without(index)
      expect(broken({ ...snapshot, logs: snapshot.logs.toReversed() })).toEqual(broken(snapshot))
    }
    const atOnce = { ...without(23), logs: without(23).logs.map((line) => ({ ...line, timestamp: at(1) })) }
    expect(broken(atOnce)).toMatchObject([{ expected: 'step x' }])
    expect(broken({ ...atOnce, logs: atOnce.logs.toReversed() })).toEqual(broken(atOnce))
  })

  it('is not broken by lines of which nothing is left but data', () => {
    const blank = snapshotOf((_, isOff) => [order(isOff ? ['begun'] : ['begun', '12:00:00'])])
    expect(broken(blank)).toEqual([])
  })
})

describe('the place of work', () => {
  it('is the operation beneath another of its service', () => {
    const query = (parent: string, lines: readonly string[]): Written => ({
      ...{ service: 'orders', name: 'query', parent, lines },
    })
    const found = broken(
      snapshotOf((_, isOff) => [
        order(['ordering']),
        { service: 'orders', name: 'GET /order', lines: ['reading'] },
        query('s0', isOff ? ['asking'] : ['asking', 'locking']),
        query('s1', ['asking']),
      ]),
    )
    expect(found).toMatchObject([
      { operation: 'query', expected: 'locking', normal_share: 1, normal_spans: 80 },
    ])
  })

  it('is the same whichever other service asks for it', () => {
    const found = broken(
      snapshotOf((minute, isOff) => [
        { service: minute < ONSET ? 'web' : 'app', name: minute < ONSET ? 'page' : 'screen', lines: [] },
        { service: 'stock', name: 'GET /stock', parent: 's0', lines: isOff ? ['begun'] : ['begun', 'done'] },
      ]),
    )
    expect(found).toMatchObject([{ service: 'stock', expected: 'done', normal_spans: 80 }])
  })

  it('is known from normal time, or nothing is said of it', () => {
    const found = broken(
      snapshotOf((_, isOff) => [
        order(['begun']),
        ...(isOff ? [{ service: 'orders', name: 'PUT /order', lines: ['!never seen before'] }] : []),
      ]),
    )
    expect(found).toEqual([])
  })
})

describe('what is told of a broken sequence', () => {
  it('is an error that came in its stead, the first by its text, and where an error is gone for another', () => {
    const some = (usual: string) =>
      broken(
        snapshotOf((minute, isOff) => [
          order(
            isOff
              ? ['begun', ...(minute % 3 === 0 ? ['!zeta'] : minute % 3 === 1 ? ['!alpha', 'note'] : [])]
              : ['begun', usual],
          ),
        ]),
      )
    expect(some('done')).toMatchObject([{ expected: 'done', instead: 'alpha' }])
    expect(some('!usual refusal')).toMatchObject([{ expected: 'usual refusal', instead: 'alpha' }])
  })

  it('is the first of several by their text', () => {
    const both = snapshotOf((_, isOff) => [order(isOff ? [] : ['beta', 'alpha'])])
    expect(broken(both)).toMatchObject([{ after: null, expected: 'alpha', instead: null }])
    const errors = snapshotOf((_, isOff) => [order(isOff ? ['begun', '!beta', '!alpha'] : ['begun'])])
    expect(broken(errors)).toMatchObject([{ expected: null, instead: 'alpha' }])
    const reversed = { ...errors, logs: errors.logs.toReversed() }
    expect(broken(reversed)).toMatchObject([{ expected: null, instead: 'alpha' }])
  })

  it('is by the source of its lines, of work that wrote none by the first source of its place', () => {
    const snapshot = snapshotOf((_, isOff) => [order(isOff ? [] : ['begun', 'done'])])
    const from = (sources: readonly string[]) => ({
      ...snapshot,
      logs: snapshot.logs.map((line, index) => ({
        ...line,
        source: sources[Math.floor(index / 2) % 2] as string,
      })),
    })
    for (const sources of [
      ['logs-a', 'logs-b'],
      ['logs-b', 'logs-a'],
    ])
      expect(broken(from(sources))).toMatchObject([{ source: 'logs-a' }])
  })

  it('is the strongest of each service, and of several services the strongest first', () => {
    const work = (service: string, name: string, lines: readonly string[]): Written => ({
      service,
      name,
      lines,
    })
    const snapshot = (turn: boolean) =>
      snapshotOf((minute, isOff) => {
        const half = isOff && minute % 2 === 0
        const list = [
          work('a', 'weak', half ? ['begun'] : ['begun', 'done']),
          work('a', 'strong', isOff ? ['begun'] : ['begun', 'done']),
          work('b', 'weak', half ? ['begun'] : ['begun', 'done']),
          work('c', 'strong', isOff ? ['begun'] : ['begun', 'done']),
        ]
        return turn ? list.toReversed() : list
      })
    for (const turn of [false, true])
      expect(broken(snapshot(turn)).map(({ service, operation }) => [service, operation])).toEqual([
        ['a', 'strong'],
        ['c', 'strong'],
        ['b', 'weak'],
      ])
  })

  it('puts of two that are as strong first the one that broke first, then the first by name', () => {
    const work = (service: string, isOff: boolean): Written => ({
      ...{ service, name: 'work', lines: isOff ? ['begun'] : ['begun', 'done'] },
    })
    const since = (first: number, second: number, isTurned = false) =>
      broken(
        snapshotOf((minute) => {
          const list = [
            work('a', minute >= first && minute < first + 20),
            work('z', minute >= second && minute < second + 20),
          ]
          return isTurned ? list.toReversed() : list
        }),
      ).map(({ service }) => service)
    expect(since(92, 91)).toEqual(['z', 'a'])
    expect(since(91, 92)).toEqual(['a', 'z'])
    expect([since(92, 92), since(92, 92, true)]).toEqual([
      ['a', 'z'],
      ['a', 'z'],
    ])
  })

  it('stands beside a weaker break below it, which explains what it is half as strong as', () => {
    const both = (isLess: (minute: number) => boolean) =>
      broken(
        snapshotOf((minute, isOff) => [
          order(isOff ? ['asking'] : ['asking', 'answered']),
          {
            service: 'stock',
            name: 'GET',
            parent: 's0',
            lines: isOff && isLess(minute) ? ['looking'] : ['looking', 'found'],
          },
        ]),
      ).map(({ service, broken: spans }) => [service, spans])
    expect(both((minute) => minute % 3 === 0)).toEqual([
      ['orders', 30],
      ['stock', 10],
    ])
    expect(both((minute) => minute % 10 !== 0)).toEqual([['stock', 27]])
  })
})
