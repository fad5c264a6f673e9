import { describe, expect, it } from 'vitest'
import type { Alert } from '#shared/domain/alerts/alert.ts'
import type { AlertGroup, Fold, KnownAlert } from '#shared/domain/alerts/alert-group.ts'
import { groupOf } from '#shared/domain/alerts/group-key.ts'
import {
  type AlertMessage,
  PORTION_MS,
  SETTLE_MS,
  type SettleActs,
  settleAlerts,
  takeAlerts,
} from '#shared/domain/alerts/take-alerts.ts'
import type { Incident } from '#shared/domain/incident.ts'
import { AMPLE, alertOf, INTEGRATION, MINUTE, START, WINDOWS } from './alert-world.ts'

/** A store in memory of which each write may be refused or fail, and what it was asked. */
class Store {
  now = START
  readonly known = new Map<string, KnownAlert>()
  readonly groups = new Map<string, AlertGroup>()
  readonly incidents = new Map<string, Incident>()
  readonly written: Fold[] = []
  readonly pauses: number[] = []
  readonly reported: unknown[] = []
  /** What happens instead of the next writes. */
  readonly instead: (() => boolean)[] = []
  askedAt: SettleActs['askedAt'] = async () => undefined
  waits: SettleActs['waits'] = async () => false
  readingAtOnce = 0
  mostAtOnce = 0
  #ids = 0

  readonly report = (error: unknown): void => {
    this.reported.push(error)
  }

  get acts(): SettleActs {
    return {
      clock: () => this.now,
      windows: WINDOWS,
      digest: (text) => text,
      random: () => 1,
      newId: (prefix) => {
        this.#ids += 1
        return `${prefix}_${String(this.#ids).padStart(26, '0')}`
      },
      pause: async (milliseconds) => this.pauses.push(milliseconds),
      askedAt: (id) => this.askedAt(id),
      waits: () => this.waits(),
      alerts: {
        known: async (keys) => new Map(keys.flatMap((key) => this.#read(key))),
        state: async (key) => {
          this.readingAtOnce += 1
          this.mostAtOnce = Math.max(this.mostAtOnce, this.readingAtOnce)
          await Promise.resolve()
          this.readingAtOnce -= 1
          const group = this.groups.get(key)
          return {
            key,
            group,
            incident: group === undefined ? undefined : this.incidents.get(group.incident_id),
          }
        },
        members: async (id) =>
          [...this.known.values()].filter((one) => one.incident_id === id).map(({ key }) => key),
        write: async (fold) => (this.instead.shift() ?? (() => this.#write(fold)))(),
        due: async (_, limit) => [...this.groups.keys()].slice(0, limit),
      },
    }
  }

  #read(key: string): readonly (readonly [string, KnownAlert])[] {
    const known = this.known.get(key)
    return known === undefined ? [] : [[key, known]]
  }

  #write(fold: Fold): boolean {
    this.written.push(fold)
    if (fold.after !== undefined) this.groups.set(fold.after.key, fold.after)
    for (const { after } of fold.alerts) this.known.set(after.key, after)
    if (fold.incident.how === 'opened') this.incidents.set(fold.incident.incident.id, fold.incident.incident)
    if (fold.incident.how === 'changed') this.incidents.set(fold.incident.after.id, fold.incident.after)
    return true
  }

  take(messages: readonly AlertMessage[], remaining: () => number = AMPLE): Promise<ReadonlySet<string>> {
    return takeAlerts(this.acts, messages, this.report, remaining)
  }
}
const message = (id: string, ...alerts: readonly Alert[]): AlertMessage => ({ id, alerts })
const many = (count: number, service = 'checkout'): readonly Alert[] =>
  Array.from({ length: count }, (_, index) => alertOf({ fingerprint: `${service}-${index}`, service }))
const busy = (): boolean => false

describe('taking alerts in', () => {
  it('writes all of one group at once, and opens one incident for it', async () => {
    const store = new Store()
    expect(await store.take([message('m1', ...many(3)), message('m2', ...many(2))])).toEqual(new Set())
    expect(store.written).toHaveLength(1)
    expect(store.written[0]?.alerts).toHaveLength(3)
    expect(store.incidents.size).toBe(1)
    expect(store.groups.get(groupOf(INTEGRATION, alertOf()))?.firing).toBe(3)
  })

  it('writes each group apart, four at a time', async () => {
    const store = new Store()
    const services = ['a', 'b', 'c', 'd', 'e', 'f']
    expect(await store.take([message('m1', ...services.flatMap((service) => many(1, service)))])).toEqual(
      new Set(),
    )
    expect(store.incidents.size).toBe(6)
    expect(store.mostAtOnce).toBe(4)
  })

  it('writes forty alerts of a group at once and no more, those of one alert together', async () => {
    const store = new Store()
    await store.take([message('m1', ...many(81)), message('m2', ...many(81))])
    expect(store.written.map(({ alerts }) => alerts.length)).toEqual([40, 40, 1])
    expect(store.incidents.size).toBe(1)
    expect([...store.groups.values()][0]?.firing).toBe(81)
  })

  it('changes nothing where the same comes again', async () => {
    const store = new Store()
    const messages = [message('m1', ...many(2))]
    await store.take(messages)
    expect(await store.take(messages)).toEqual(new Set())
    expect(store.written).toHaveLength(1)
  })

  it('is done with nothing', async () => {
    const store = new Store()
    expect(await store.take([])).toEqual(new Set())
    expect(await store.take([message('m1')])).toEqual(new Set())
    expect(store.written).toEqual([])
  })

  it('keeps one that fires in its group, whatever its labels say meanwhile, and counts it anew when it is over', async () => {
    const store = new Store()
    const moved = (more: Partial<Alert>) => alertOf({ fingerprint: 'f1', ...more })
    await store.take([message('m1', moved({}))])
    await store.take([message('m2', moved({ service: 'cart', severity: 'critical', at: START + 1 }))])
    expect(store.groups.size).toBe(1)
    await store.take([message('m3', moved({ status: 'resolved', at: START + 2, ends_at: START + 2 }))])
    await store.take([message('m4', moved({ service: 'cart', at: START + 3 }))])
    expect(store.groups.size).toBe(2)
  })

  it('tells two tools’ alerts of one fingerprint apart', async () => {
    const store = new Store()
    const other = { ...alertOf({ fingerprint: 'f1' }), integration_id: 'datadog_1' }
    await store.take([message('m1', alertOf({ fingerprint: 'f1' }), other)])
    expect(store.known.size).toBe(2)
  })

  it('reads again and writes again where somebody else was faster, each time after a longer pause up to a longest', async () => {
    const store = new Store()
    store.instead.push(...Array.from({ length: 7 }, () => busy))
    expect(await store.take([message('m1', ...many(1))])).toEqual(new Set())
    expect(store.written).toHaveLength(1)
    expect(store.pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 3_200])
    expect(store.reported).toEqual([])
  })

  it('waits for any part of a pause, as chance has it', async () => {
    const store = new Store()
    store.instead.push(busy, busy)
    const acts = { ...store.acts, random: () => 0.25 }
    await takeAlerts(acts, [message('m1', ...many(1))], store.report, AMPLE)
    expect(store.pauses).toEqual([25, 50])
  })

  it('gives the messages of a group back after eight tries, and no others', async () => {
    const store = new Store()
    store.instead.push(...Array.from({ length: 8 }, () => busy))
    const failed = await store.take([message('m1', ...many(1, 'a')), message('m2', ...many(1, 'a'))])
    expect(failed).toEqual(new Set(['m1', 'm2']))
    expect(store.reported).toMatchObject([{ message: 'others keep writing the same group of alerts' }])
    expect(store.pauses).toHaveLength(8)
    expect(store.written).toEqual([])
  })

  it('gives back what a write fails with, and takes the other groups in', async () => {
    const store = new Store()
    const broken = new Error('the store is down')
    store.instead.push(() => {
      throw broken
    })
    const failed = await store.take([message('m1', ...many(1, 'a')), message('m2', ...many(1, 'b'))])
    expect(failed).toEqual(new Set(['m1']))
    expect(store.reported).toEqual([broken])
    expect(store.incidents.size).toBe(1)
  })

  it('begins no portion for which too little time is left', async () => {
    const store = new Store()
    expect(await store.take([message('m1', ...many(1))], () => PORTION_MS - 1)).toEqual(new Set(['m1']))
    expect(store.reported).toMatchObject([{ message: 'too little time is left' }])
    expect(await store.take([message('m1', ...many(1))], () => PORTION_MS)).toEqual(new Set())
  })

  it('takes what began to fire in another group meanwhile into that one', async () => {
    const store = new Store()
    const moved = alertOf({ fingerprint: 'f1', service: 'cart' })
    // Between its reading and its writing somebody else writes that it fires in the group of checkout.
    const { acts } = store
    let reads = 0
    const known: typeof acts.alerts.known = async (keys) => {
      reads += 1
      if (reads === 2) await store.take([message('other', alertOf({ fingerprint: 'f1', at: START - 1 }))])
      return acts.alerts.known(keys)
    }
    const meeting = { ...acts, alerts: { ...acts.alerts, known } }
    const severe = { ...moved, severity: 'critical' as const, at: START + 1 }
    expect(await takeAlerts(meeting, [message('m1', severe)], store.report, AMPLE)).toEqual(new Set())
    expect(store.groups.size).toBe(1)
    expect([...store.known.values()]).toMatchObject([{ severity: 'critical' }])
  })
})

describe('doing what is due', () => {
  const settle = (store: Store, limit = 9): Promise<number> => settleAlerts(store.acts, limit, store.report)
  /** A group whose alert is over and whose quiet time is. */
  const quiet = async (): Promise<Store> => {
    const store = new Store()
    await store.take([message('m1', alertOf({ fingerprint: 'f1' }))])
    await store.take([
      message('m2', alertOf({ fingerprint: 'f1', status: 'resolved', at: START + 1, ends_at: START + 1 })),
    ])
    store.now += 2 * MINUTE
    return store
  }
  const statuses = (store: Store) => [...store.incidents.values()].map(({ status }) => status)

  it('resolves an incident whose alerts are over when its quiet time is, once', async () => {
    const store = await quiet()
    expect(await settle(store)).toBe(1)
    expect(statuses(store)).toEqual(['resolved'])
    expect(await settle(store)).toBe(0)
  })

  it('does nothing before', async () => {
    const store = await quiet()
    store.now = START + MINUTE - 1
    expect(await settle(store)).toBe(0)
    expect(statuses(store)).toEqual(['open'])
  })

  it('holds back while anything that tools sent waits, or where nobody knows whether it does, and asks once', async () => {
    const store = await quiet()
    store.groups.set('more', { ...([...store.groups.values()][0] as AlertGroup), key: 'more' })
    store.now = START + 1 + MINUTE
    let asked = 0
    store.waits = async () => {
      asked += 1
      return true
    }
    expect(await settle(store)).toBe(0)
    expect(asked).toBe(1)
    const broken = new Error('the queue is down')
    store.waits = () => Promise.reject(broken)
    expect(await settle(store)).toBe(0)
    expect(store.reported).toEqual([broken])
    expect(statuses(store)).toEqual(['open'])
  })

  it('leaves to the next run what it has no time for', async () => {
    const store = await quiet()
    const [group] = [...store.groups.values()] as [AlertGroup]
    store.groups.set('more', { ...group, key: 'more' })
    store.waits = async () => {
      store.now += SETTLE_MS
      return false
    }
    expect(await settle(store)).toBe(1)
    expect([...store.groups.values()].filter(({ quiet_until }) => quiet_until !== null)).toHaveLength(1)
  })

  it('asks nobody whether anything waits where nothing would be resolved', async () => {
    const store = new Store()
    await store.take([message('m1', ...many(1))])
    store.waits = () => Promise.reject(new Error('nobody should ask'))
    expect(await settle(store)).toBe(0)
    expect(store.reported).toEqual([])
  })

  it('ends alerts for silence, unless their tool was asked and may still name them', async () => {
    const silent = async (): Promise<Store> => {
      const store = new Store()
      await store.take([message('m1', alertOf({ fingerprint: 'f1', ending: 'repeats' }))])
      store.now += WINDOWS.repeats_stale_ms + MINUTE
      return store
    }
    const store = await silent()
    expect(await settle(store)).toBeGreaterThan(0)
    expect([...store.known.values()]).toMatchObject([{ stale: true }])
    const asking = await silent()
    const ids: string[] = []
    asking.askedAt = async (id) => {
      ids.push(id)
      return START
    }
    await settle(asking)
    expect(ids[0]).toBe(INTEGRATION)
    expect([...asking.known.values()]).toMatchObject([{ stale: false }])
  })

  it('leaves to the next run what somebody else is writing', async () => {
    const store = await quiet()
    store.instead.push(busy)
    expect(await settle(store)).toBe(0)
    expect(await settle(store)).toBe(1)
  })

  it('goes on with the others where one group cannot be worked', async () => {
    const store = await quiet()
    const [group] = [...store.groups.values()]
    if (group === undefined) throw new Error('there is no group')
    store.groups.clear()
    store.groups.set('broken', { ...group, key: 'broken' })
    store.groups.set(group.key, group)
    const broken = new Error('the store is down')
    store.instead.push(() => {
      throw broken
    })
    expect(await settle(store)).toBe(1)
    expect(store.reported).toEqual([broken])
  })

  it('passes over a group that is gone', async () => {
    const store = await quiet()
    const { acts } = store
    const due = async () => ['gone', ...store.groups.keys()]
    expect(await settleAlerts({ ...acts, alerts: { ...acts.alerts, due } }, 9, store.report)).toBe(1)
    expect(store.reported).toEqual([])
  })

  it('asks when the tools of what still fires were asked, and no others', async () => {
    const store = new Store()
    const one = alertOf({ fingerprint: 'f1', ending: 'repeats' })
    const two = { ...alertOf({ fingerprint: 'f2' }), integration_id: 'other_1' }
    await store.take([message('m1', one, two)])
    await store.take([message('m2', { ...two, status: 'resolved', at: START + 1, ends_at: START + 1 })])
    store.now += WINDOWS.repeats_stale_ms
    const ids: string[] = []
    store.askedAt = async (id) => {
      ids.push(id)
      return undefined
    }
    // Due at the very instant; that nobody asks its tool leaves the clock alone to tell.
    expect(await settle(store)).toBe(1)
    expect(ids).toEqual([INTEGRATION])
    expect([...store.known.values()].map(({ stale }) => stale)).toEqual([true, false])
  })

  it('resolves at the very instant at which the quiet time is over', async () => {
    const store = await quiet()
    store.waits = async () => false
    const [group] = [...store.groups.values()]
    store.now = group?.quiet_until ?? 0
    expect(await settle(store)).toBe(1)
    expect(statuses(store)).toEqual(['resolved'])
  })

  it('is no more than a few steps of one group in a run', async () => {
    const store = await quiet()
    const { acts } = store
    const [group] = [...store.groups.values()]
    let writes = 0
    // Whoever writes it finds it due again.
    const again = {
      ...acts.alerts,
      write: async () => {
        writes += 1
        return true
      },
    }
    await settleAlerts({ ...acts, alerts: again }, 9, store.report)
    expect(group).toBeDefined()
    expect(writes).toBeLessThan(10)
  })

  it('works as many groups as it is told to', async () => {
    const store = await quiet()
    expect(await settle(store, 0)).toBe(0)
    expect(await settle(store, 1)).toBe(1)
  })
})
