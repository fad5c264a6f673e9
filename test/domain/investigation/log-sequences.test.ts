import { describe, expect, it } from 'vitest'
import { findBrokenSequences, lineKind } from '#shared/domain/investigation/log-sequences.ts'
import { normalTime } from '#shared/domain/investigation/normal-time.ts'
import type { LogLine, Snapshot, Span } from '#shared/domain/investigation/snapshot.ts'
import { spanTree } from '#shared/domain/investigation/span-tree.ts'
import { at, EMPTY, LENGTH, ONSET } from './incident-scenarios.ts'

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
    expect(broken(own)).toHaveLength(1)
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
  ])('of %j is %j', (message, kind) => {
    expect(lineKind(message)).toBe(kind)
    expect(lineKind(message)).toBe(kind)
  })
})
