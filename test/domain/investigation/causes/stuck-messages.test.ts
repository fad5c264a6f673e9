import { describe, expect, it } from 'vitest'
import { stuckMessage } from '#shared/domain/investigation/causes/stuck-messages.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { type Line, NEAR_MS, type Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { BARE, facts, place, risen, SINCE } from '../scene-by-hand.ts'

/** A service that sends invoices and takes its orders from a queue. */
const find = (more: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('invoices', 'http_5xx_ratio')],
    edges: calls('shop', 'invoices', 0.4),
    ...more,
    series: [series('invoices', 'http_5xx_ratio', 0.003, 0.4), ...(more.series ?? [])],
  })
const again = lines('invoices', 'WARN', 'ApproximateReceiveCount 14 of message 7 in invoice-requests', ONSET)
const dies = lines('invoices', 'ERROR', 'panic: runtime error: slice bounds out of range', ONSET)
const waits = series('invoice-requests', 'ApproximateAgeOfOldestMessage', 3, 900)

const whats = ({ hypotheses }: { readonly hypotheses: readonly { readonly statement: string }[] }): string =>
  hypotheses.map(({ statement }) => statement).join(' ')

describe('a message that nobody can handle', () => {
  it('is told by its coming back and by what it does to who takes it', () => {
    for (const more of [
      { logs: [...again, ...dies] },
      { logs: again, series: [waits] },
      { logs: again, series: [series('invoices', 'container_restarts', 0, 9)] },
      {
        logs: lines('invoices', 'ERROR', 'ValueError: time data 31/02 does not match', ONSET),
        series: [series('invoice-requests', 'dlq_messages_visible', 1, 400)],
      },
    ])
      expect(find(more).cause).toMatchObject({ kind: 'data', entity: 'invoices', change: null })
  })

  it('is told by the broker, too', () => {
    const events = Array.from({ length: 6 }, (_, minute) => ({
      ...{ source: 'events', timestamp: at(ONSET + minute), resource: 'invoice-requests', kind: 'queue' },
      message: `delivery-limit reached, message ${minute} dead-lettered`,
    }))
    expect(find({ events, logs: dies }).cause).toMatchObject({ kind: 'data', entity: 'invoices' })
  })

  it('is none where only a queue grows and its consumer dies: any outage looks so', () => {
    const found = find({ logs: dies, series: [waits, series('invoices', 'container_restarts', 0, 9)] })
    expect(found.cause.kind).not.toBe('data')
  })

  it('is none of a store: it consumes nothing', () => {
    const entities = [{ name: 'invoices', kind: 'datastore' as const, aliases: [] }]
    expect(whats(find({ logs: [...again, ...dies], series: [waits], entities }))).not.toContain(
      'delivered again',
    )
    expect(whats(find({ logs: [...again, ...dies], series: [waits] }))).toContain('delivered again')
  })

  it('is none where messages are delivered twice and nothing else happens, or did so all day', () => {
    expect(
      find({ logs: again })
        .hypotheses.map(({ statement }) => statement)
        .join(),
    ).not.toContain('delivered again')
    const always = lines('invoices', 'WARN', 'ApproximateReceiveCount 14 of message 7 in invoice-requests', 0)
    expect(find({ logs: [...always, ...dies] }).cause.kind).not.toBe('data')
  })

  it('is none that explains a queue which grew long after, or by little', () => {
    for (const other of [
      series('invoice-requests', 'ApproximateAgeOfOldestMessage', 3, 900, ONSET + 15),
      series('invoice-requests', 'ApproximateAgeOfOldestMessage', 3, 5),
      series('invoice-requests', 'ApproximateAgeOfOldestMessage', 900, 3),
    ])
      expect(find({ logs: again, series: [other] }).cause.kind).not.toBe('data')
  })

  it('leaves an instance that dies of its own exception to whoever wrote it, not to the platform', () => {
    const restarts = [series('invoices', 'container_restarts', 0, 9)]
    expect(find({ series: restarts }).cause.kind).toBe('infra')
    expect(find({ series: restarts, logs: dies }).cause.kind).not.toBe('infra')
  })

  it('is told by the age of the oldest one, where it grows by a second each second though who takes it starts anew', () => {
    const restarts = series('invoices', 'container_restarts', 0, 9)
    const times = Float64Array.from({ length: 120 }, (_, minute) => at(minute))
    const aged = (slope: number): Series => ({
      ...series('invoice-requests', 'queue_oldest_message_age_seconds', 2, 2),
      ...{
        unit: 's',
        times,
        values: times.map((_, minute) => (minute < ONSET ? 2 : 2 + (minute - ONSET) * 60 * slope)),
      },
    })
    expect(find({ series: [restarts, aged(1)] }).cause).toMatchObject({ kind: 'data', entity: 'invoices' })
    // What is worked off slowly, or not at all, need not be the same message.
    expect(find({ series: [restarts, aged(0.4)] }).cause.kind).not.toBe('data')
    expect(find({ series: [aged(1)] }).cause.kind).not.toBe('data')
  })
})

const said = (text: string, more: Partial<Line> = {}): Line => ({
  ...{ text, entity: 'invoices', count: 9, at: at(ONSET), source: 'logs', origin: 'log', failing: true },
  ...more,
})
const AGAIN = said('message 7 was redelivered')
const UNREADABLE = said('ValueError: time data does not match')
const DIES = said('panic: runtime error')
const RESTARTS = risen('invoices', 'container_restarts')
const grown = (name: string, more: Partial<SeriesShift> = {}) =>
  risen('requests', name, { before: 10, during: 30, ...more })
const ASIDE = grown('dlq_messages')
const WAITS = grown('queue_depth')
const stuck = (spoken: readonly Line[], shifts: readonly SeriesShift[] = [], more: Partial<Scene> = {}) =>
  stuckMessage({
    ...{ snapshot: EMPTY, names: entityNames(EMPTY), symptoms: [], lines: spoken, onset: at(ONSET) },
    observed: { ...BARE, shifts, first: place('invoices') },
    ...more,
  })
const worth = (...given: Parameters<typeof stuck>) => facts(stuck(...given) ?? undefined)

describe('what tells of a message that nobody can handle', () => {
  it('is worth what each sign is worth, and all together no more than most', () => {
    expect(stuck([AGAIN, DIES])).toMatchObject({
      ...{ kind: 'data', entity: 'invoices', action: 'clean_data', yields_to_changes: true },
      what: 'a message that is delivered again and again and that nobody can handle',
      score: 0.5875,
    })
    expect(worth([AGAIN, UNREADABLE, DIES], [ASIDE, WAITS])).toEqual([
      [0.45, AGAIN.text],
      [0.4, 'dlq_messages'],
      [0.3, 'queue_depth'],
      [0.3, UNREADABLE.text],
      [0.25, DIES.text],
    ])
    expect(stuck([AGAIN, UNREADABLE, DIES], [ASIDE, WAITS])?.score).toBe(0.85)
  })

  it('is each said once, however many lines say so', () => {
    const twice = [AGAIN, DIES, UNREADABLE].flatMap((line) => [line, { ...line, text: `${line.text} again` }])
    expect(worth(twice)?.map(([strength]) => strength)).toEqual([0.45, 0.3, 0.25])
  })

  it('is two signs at least, one of which a consumer that only dies does not give', () => {
    for (const [lines, shifts] of [
      [[AGAIN], []],
      [[], [ASIDE]],
      [[DIES], [WAITS, RESTARTS]],
      [[UNREADABLE], [WAITS]],
      // Messages are set aside and wait in an outage of any kind.
      [[], [ASIDE, WAITS]],
    ] as const)
      expect(stuck(lines, shifts)).toBeNull()
    for (const line of [DIES, UNREADABLE]) expect(stuck([line], [ASIDE, WAITS])).not.toBeNull()
  })

  it('is not told twice by one line that says both that it cannot be read and that it dies', () => {
    const both = said('Traceback (most recent call last): ValueError: time data')
    expect(worth([AGAIN, both])?.map(([strength]) => strength)).toEqual([0.45, 0.3])
    expect(worth([AGAIN, both], [RESTARTS])?.at(-1)).toEqual([0.25, 'container_restarts'])
    expect(worth([AGAIN], [RESTARTS])).toEqual([
      [0.45, AGAIN.text],
      [0.25, 'container_restarts'],
    ])
  })

  it('is said by logs and by platforms, from the onset on, and not by an alert', () => {
    const event = said('dead-lettered', { origin: 'event', entity: 'requests' })
    expect(stuck([event, DIES])?.entity).toBe('invoices')
    for (const origin of ['alert', 'trace', 'kubernetes', 'pattern'] as const)
      expect(stuck([{ ...AGAIN, origin }, DIES])).toBeNull()
    expect(stuck([{ ...AGAIN, count: 4 }, DIES])).toBeNull()
    expect(stuck([{ ...AGAIN, failing: false }, DIES])).toBeNull()
    expect(stuck([AGAIN, DIES], [], { onset: null })).toBeNull()
  })

  it('is of who logs that it comes again, else of what fails first, and of nobody else', () => {
    const other = (line: Line) => ({ ...line, entity: 'mailer' })
    expect(stuck([other(AGAIN), other(DIES)])?.entity).toBe('mailer')
    expect(stuck([AGAIN, other(DIES)])).toBeNull()
    expect(stuck([AGAIN, other(UNREADABLE)])).toBeNull()
    expect(stuck([AGAIN], [risen('mailer', 'container_restarts')])).toBeNull()
    const nobody = { observed: { ...BARE, shifts: [ASIDE, WAITS] } }
    expect(stuck([], [], nobody)).toBeNull()
  })

  it('is told by a count of restarts, whole as a word, that got worse', () => {
    const by = (name: string, more: Partial<SeriesShift> = {}) =>
      stuck([AGAIN], [risen('invoices', name, more)]) !== null
    for (const name of ['restarts', 'restart_count', 'container_restarts_total', 'pod_restart'])
      expect([name, by(name)]).toEqual([name, true])
    for (const name of ['prerestarts', 'restartable', 'errors'])
      expect([name, by(name)]).toEqual([name, false])
    expect(by('restarts', { is_bad: false })).toBe(false)
  })
})

describe('a queue that grows', () => {
  const grows = (more: Partial<SeriesShift>, name = 'queue_depth') =>
    stuck([AGAIN], [grown(name, more)]) !== null
  const since = (when: number) => ({ onset: { ...SINCE, at: when } })
  const onset = at(ONSET)

  it('grows threefold, upwards, within five minutes of the onset', () => {
    expect(grows({})).toBe(true)
    expect(grows({ during: 29 })).toBe(false)
    expect(grows({ direction: 'down' })).toBe(false)
    expect(grows({}, 'cpu_utilization')).toBe(false)
    expect(grows(since(onset + NEAR_MS))).toBe(true)
    expect(grows(since(onset - NEAR_MS))).toBe(true)
    expect(grows(since(onset + NEAR_MS + 1))).toBe(false)
    expect(grows(since(onset - NEAR_MS - 1))).toBe(false)
  })

  it('is not over before anybody felt it', () => {
    expect(grows({ ended_at: onset + 1 })).toBe(true)
    expect(grows({ ended_at: onset })).toBe(false)
  })
})

describe('the age of the oldest message', () => {
  /** It grows by so many seconds in each of so many minutes from the onset on. */
  const aged = (slope: number, more: Partial<Series> = {}, minutes = 8, per = 1): SeriesShift => {
    const times = Float64Array.from({ length: ONSET + minutes }, (_, minute) => at(minute))
    const values = times.map((_, minute) => 2 + Math.max(0, minute - ONSET) * 60 * slope * per)
    const of = { times, values, unit: 's', ...more }
    return risen('requests', 'queue_oldest_message_age', { before: 2, during: 300 }, of)
  }
  const isSame = (shift: SeriesShift, ...others: readonly SeriesShift[]) => {
    const found = stuck([DIES], [RESTARTS, shift, ...others])
    return found?.signs.some(({ strength }) => strength === 0.4) ?? false
  }

  it('grows as time goes by, a tenth more or less, where it is the same one', () => {
    expect(isSame(aged(1))).toBe(true)
    for (const slope of [0.91, 1.09]) expect(isSame(aged(slope))).toBe(true)
    for (const slope of [0.89, 1.11, 0, -1]) expect(isSame(aged(slope))).toBe(false)
  })

  it('is read in its unit', () => {
    expect(isSame(aged(1, { unit: 'ms' }, 8, 1_000))).toBe(true)
    expect(isSame(aged(1, { unit: 'ms' }))).toBe(false)
  })

  it('is told by six rises since the onset at least', () => {
    // SINCE ends at the onset itself: what is sampled there is not yet after it.
    expect(isSame(aged(1, {}, 8))).toBe(true)
    expect(isSame(aged(1, {}, 7))).toBe(false)
    expect(isSame(aged(1, {}, 0))).toBe(false)
  })

  it('is an age, of a queue that is still growing, whose consumer starts anew', () => {
    expect(isSame({ ...aged(1), ended_at: at(ONSET + 5) })).toBe(false)
    expect(isSame(aged(1, { name: 'queue_depth' }))).toBe(false)
    expect(stuck([DIES], [aged(1)])).toBeNull()
    // Beside it the queue's length says nothing more.
    expect(worth([DIES], [RESTARTS, aged(1), WAITS])?.map(([, what]) => what)).toEqual([
      'queue_oldest_message_age',
      DIES.text,
    ])
  })
})
