import { describe, expect, it } from 'vitest'
import type { Due, StoredEvent } from '#shared/domain/ports.ts'
import { OVERDUE_MS, RING_AGAIN_MS, SWEEP_MOST, sweepDeliveries } from '#shared/domain/sweep-deliveries.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const LATE_MS = 120_000
const dueOf = (count: number): Due[] =>
  Array.from({ length: count }, (_, index) => ({
    webhook_id: 'wh_1',
    delivery_id: `dlv_${index}`,
    due_at: NOW - OVERDUE_MS - index,
  }))

/** What the sweeper finds, and what it does in which order. */
function world(
  change: {
    due?: readonly Due[]
    /** Events that nobody has fanned out. */
    events?: readonly string[]
    waiting?: number
    lateness?: { at: number; lateness_ms: number } | undefined
    /** The event that cannot be read. */
    broken?: string
    /** What cannot be asked. */
    away?: 'queue' | 'events' | 'lateness'
  } = {},
) {
  const given = {
    due: [],
    events: [],
    waiting: 0,
    lateness: undefined,
    broken: undefined,
    away: undefined,
    ...change,
  }
  const done: unknown[] = []
  const note =
    <Result>(name: string, result: Result) =>
    async (...what: unknown[]) => {
      done.push([name, ...what])
      return result
    }
  let now = NOW
  const isAway = (): Promise<never> => Promise.reject(new Error('it is away'))
  const acts = {
    events: {
      get: async (id: string): Promise<StoredEvent> => {
        if (id === given.broken) throw new Error(`${id} is broken`)
        return { id, kind: 'incident.created', incident_id: 'inc_1', body: '{}', fanned_out: false }
      },
      markFannedOut: note('mark', undefined),
      waiting: given.away === 'events' ? isAway : note<readonly string[]>('events waiting', given.events),
    },
    webhooks: { subscribed: async () => [{ id: 'wh_1' }, { id: 'wh_2' }] as never },
    deliveries: {
      idOf: (eventId: string, webhookId: string) => `${eventId}_${webhookId}`,
      add: async () => {},
      due: note('due', given.due),
      rung: note('rung', undefined),
      lateness: given.away === 'lateness' ? isAway : async () => given.lateness,
    },
    deliveryDoorbell: {
      waiting: given.away === 'queue' ? isAway : async () => given.waiting,
      ring: async (calls: readonly unknown[]) => {
        done.push(['ring', calls])
        now += 1
      },
    },
    clock: () => now,
  }
  return { done, sweep: () => sweepDeliveries(acts) }
}

const asked = [
  ['events waiting', NOW - OVERDUE_MS, 200],
  ['due', NOW - OVERDUE_MS, SWEEP_MOST],
]

describe('the sweep', () => {
  it('rings for nothing where nothing is overdue', async () => {
    const { done, sweep } = world()
    expect(await sweep()).toBe(0)
    expect(done).toEqual(asked)
  })

  it('rings for what is overdue, and notes that it did so that no run soon rings again', async () => {
    const due = dueOf(2)
    const { done, sweep } = world({ due })
    expect(await sweep()).toBe(2)
    expect(done).toEqual([
      ...asked,
      ['ring', due],
      ['rung', due[0], NOW + 1 + RING_AGAIN_MS],
      ['rung', due[1], NOW + 1 + RING_AGAIN_MS],
    ])
  })

  it.each([
    [50, [50]],
    [51, [50, 1]],
    [120, [50, 50, 20]],
  ])('rings for %i in parts of fifty', async (count, parts) => {
    const { done, sweep } = world({ due: dueOf(count) })
    expect(await sweep()).toBe(count)
    const rings = done.filter((each) => (each as unknown[])[0] === 'ring') as [string, unknown[]][]
    expect(rings.map(([, calls]) => calls.length)).toEqual(parts)
    expect(rings.flatMap(([, calls]) => calls)).toEqual(dueOf(count))
  })

  it('fans out what no relay did, and counts the deliveries', async () => {
    const { done, sweep } = world({ events: ['evt_1', 'evt_2'], due: dueOf(1) })
    expect(await sweep()).toBe(5)
    expect(done.filter((each) => (each as unknown[])[0] === 'mark')).toEqual([
      ['mark', 'evt_1'],
      ['mark', 'evt_2'],
    ])
  })

  it('fans out and rings for all else where one event cannot be fanned out, and fails then', async () => {
    const due = dueOf(1)
    const { done, sweep } = world({ events: ['evt_1', 'evt_2'], broken: 'evt_1', due })
    await expect(sweep()).rejects.toThrow('evt_1 is broken')
    expect(done).toContainEqual(['mark', 'evt_2'])
    expect(done).toContainEqual(['ring', due])
  })
})

describe('a sweep that cannot ask everything', () => {
  it.each(['queue', 'lateness', 'events'] as const)('does all else, and fails then: %s', async (away) => {
    const due = dueOf(1)
    const { done, sweep } = world({ events: ['evt_1'], waiting: 1, due, away })
    await expect(sweep()).rejects.toThrow('it is away')
    expect(done).toContainEqual(['ring', due])
    if (away !== 'events') expect(done).toContainEqual(['mark', 'evt_1'])
  })
})

describe('a queue that is late', () => {
  const rings = (done: readonly unknown[]) => done.some((each) => (each as unknown[])[0] === 'due')

  it.each([
    ['in which nothing waits', 0, { at: NOW, lateness_ms: LATE_MS + 1 }, true],
    ['of which nobody has noted anything', 5, undefined, true],
    ['that is late by as much as it may be', 5, { at: NOW, lateness_ms: LATE_MS }, true],
    ['that is later', 5, { at: NOW, lateness_ms: LATE_MS + 1 }, false],
    ['whose workers have long been silent', 5, { at: NOW - LATE_MS - 1, lateness_ms: 0 }, false],
    ['whose workers were heard in time', 5, { at: NOW - LATE_MS, lateness_ms: 0 }, true],
    ['one message of which waits', 1, { at: NOW, lateness_ms: LATE_MS + 1 }, false],
  ])('%s', async (_, waiting, lateness, isRungFor) => {
    const { done, sweep } = world({ waiting, lateness, due: dueOf(3) })
    expect(await sweep()).toBe(isRungFor ? 3 : 0)
    expect(rings(done)).toBe(isRungFor)
  })

  it('still gets the events that nobody has fanned out', async () => {
    const { sweep } = world({
      waiting: 5,
      lateness: { at: NOW, lateness_ms: LATE_MS + 1 },
      events: ['evt_1'],
      due: dueOf(3),
    })
    expect(await sweep()).toBe(2)
  })
})
