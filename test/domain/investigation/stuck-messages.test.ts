import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

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
