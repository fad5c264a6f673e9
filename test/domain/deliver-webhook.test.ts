import { describe, expect, it } from 'vitest'
import { type DeliveryActs, deliverWebhook, LONGEST_DELAY_MS } from '#shared/domain/deliver-webhook.ts'
import {
  ATTEMPT_DEADLINE_MS,
  BREAKER_FAILURES,
  type Delivery,
  DISABLE_AFTER_MS,
  EARLY_MS,
  HEALTHY,
  type Health,
  LEASE_MARGIN_MS,
  LEAST_REMAINING_MS,
  newDelivery,
  type PostResult,
  WAITS,
} from '#shared/domain/delivery.ts'
import { deliverySlots } from '#shared/domain/delivery-slots.ts'
import { createdEventId } from '#shared/domain/incident.ts'
import type { StoredEvent } from '#shared/domain/ports.ts'
import type { Webhook } from '#shared/domain/webhook.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const INCIDENT = 'inc_01JSQZ0000000000000000AAAA'
const CREATED = createdEventId(INCIDENT)
const URL_OF = 'https://example.com/hook'
const webhook = { id: 'wh_1', url: URL_OF, status: 'enabled' } as Webhook
const deliveryOf = (event_id: string, change: Partial<Delivery> = {}): Delivery => ({
  ...newDelivery(
    `dlv_${event_id}`,
    'wh_1',
    { event_id, event_kind: 'incident.created', incident_id: INCIDENT },
    NOW,
  ),
  ...change,
})
const eventOf = (id: string, fanned_out = true): StoredEvent => ({
  id,
  kind: 'incident.created',
  incident_id: INCIDENT,
  body: `{"id":"${id}"}`,
  fanned_out,
})
const ACCEPTED: PostResult = { kind: 'answered', status: 200, retryAfter: null, response: 'ok' }
const FAILED: PostResult = { kind: 'answered', status: 500, retryAfter: null, response: 'no' }

interface Given {
  delivery: Delivery | undefined
  created: Delivery | undefined
  events: readonly StoredEvent[]
  webhook: Webhook | undefined
  health: Health
  answer: PostResult
  /** The state of the subscription with a failure counted. */
  counted: Health | undefined
  remaining: number
  /** Which writes somebody else was quicker with. */
  lost: readonly string[]
  slots: DeliveryActs['slots']
  /** How far the clock goes on during a POST. */
  takes: number
  /** And during a claim. */
  claimTakes: number
  /** The failure cannot be counted. */
  isThrottled: boolean
}

/** One delivery on its way, and what was done in which order. */
async function deliver(change: Partial<Given> = {}) {
  const given: Given = {
    delivery: deliveryOf(CREATED),
    created: undefined,
    events: [eventOf(CREATED), eventOf('evt_2')],
    webhook,
    health: HEALTHY,
    answer: ACCEPTED,
    counted: { ...HEALTHY, failures: 1, failing_since: NOW },
    remaining: 60_000,
    lost: [],
    slots: deliverySlots(),
    takes: 250,
    claimTakes: 0,
    isThrottled: false,
    ...change,
  }
  const done: unknown[] = []
  let now = NOW
  const wins = (name: string, ...what: unknown[]) => {
    done.push([name, ...what])
    return !given.lost.includes(name)
  }
  const acts: DeliveryActs = {
    deliveries: {
      idOf: (eventId) => `dlv_${eventId}`,
      get: async (_, id) => (id === given.delivery?.id ? given.delivery : given.created),
      claim: async (delivery, at, until) => {
        now += given.claimTakes
        return wins('claim', delivery.id, at, until)
          ? { ...delivery, lease_until: until, fence: delivery.fence + 1 }
          : undefined
      },
      commit: async (_, after, attempt) => wins('commit', after, attempt),
      postpone: async (_, until) => {
        done.push(['postpone', until])
      },
      end: async (_, status, reason, at) => {
        done.push(['end', status, reason, at])
      },
    },
    webhooks: {
      open: async () =>
        given.webhook === undefined
          ? undefined
          : { webhook: given.webhook, health: given.health, secrets: ['present', 'previous'] },
      countFailure: async (_, at) => {
        done.push(['count failure', at])
        if (given.isThrottled) throw new Error('throttled')
        return given.counted
      },
      openBreaker: async (_, at, until) => {
        done.push(['open breaker', at, until])
      },
      takeProbe: async (_, at, until) => wins('take probe', at, until),
      recover: async (id) => {
        done.push(['recover', id])
      },
      disable: async ({ id, url }, reason, at) => wins('disable', id, url, reason, at),
    },
    events: { get: async (id) => given.events.find((event) => event.id === id) },
    deliveryDoorbell: {
      ring: async (calls, delay) => {
        done.push(['ring', calls[0]?.delivery_id, delay])
      },
    },
    post: async (request) => {
      done.push(['post', request.url, request.body, request.deadlineMs, request.headers['webhook-id']])
      now += given.takes
      return given.answer
    },
    sign: (secret) => `with ${secret}`,
    slots: given.slots,
    clock: () => now,
    random: () => 0.5,
    disabled: (...what) => {
      done.push(['disabled', ...what])
    },
  }
  const call = { webhook_id: 'wh_1', delivery_id: given.delivery?.id ?? 'dlv_unknown' }
  const outcome = await deliverWebhook(acts, call, () => given.remaining - Math.max(0, now - NOW)).catch(
    (error: Error) => error.message,
  )
  return { outcome, done, names: done.map((each) => (each as unknown[])[0]) }
}

const CLAIM = ['claim', `dlv_${CREATED}`, NOW, NOW + 60_000 + LEASE_MARGIN_MS]
const POST = ['post', URL_OF, `{"id":"${CREATED}"}`, ATTEMPT_DEADLINE_MS, CREATED]
const AFTER = NOW + 250

describe('a delivery that is due', () => {
  it('is claimed for as long as the worker may run, posted, and committed with its attempt', async () => {
    const { outcome, done } = await deliver()
    expect(outcome).toBe('delivered')
    expect(done).toEqual([
      CLAIM,
      POST,
      [
        'commit',
        {
          ...deliveryOf(CREATED),
          status: 'delivered',
          attempts: 1,
          fence: 1,
          lease_until: 0,
          updated_at: AFTER,
        },
        { number: 1, at: NOW, duration_ms: 250, status: 200, error: null, response: 'ok' },
      ],
    ])
  })

  it('that is refused is rung for again after its wait, and the failure is counted', async () => {
    const { outcome, done } = await deliver({ answer: FAILED })
    expect(outcome).toBe('failed')
    const wait = WAITS[0] ?? 0
    expect(done.slice(2)).toEqual([
      [
        'commit',
        expect.objectContaining({ status: 'pending', attempts: 1, next_attempt_at: AFTER + wait }),
        { number: 1, at: NOW, duration_ms: 250, status: 500, error: 'status', response: 'no' },
      ],
      ['ring', `dlv_${CREATED}`, wait],
      ['count failure', AFTER],
    ])
  })

  it('that gets no answer says so without a status', async () => {
    const { done } = await deliver({ answer: { kind: 'failed', error: 'tls' } })
    expect(done[2]).toEqual([
      'commit',
      expect.objectContaining({ status: 'pending' }),
      { number: 1, at: NOW, duration_ms: 250, status: null, error: 'tls', response: null },
    ])
  })

  it('is attempted for no less than nothing where the clock is set back meanwhile', async () => {
    const { done } = await deliver({ takes: -600_000 })
    expect(done[2]).toEqual([
      'commit',
      expect.anything(),
      expect.objectContaining({ at: NOW, duration_ms: 0 }),
    ])
  })

  it('whose next wait is longer than a queue knows is left to the sweeper', async () => {
    const { names } = await deliver({ answer: FAILED, delivery: deliveryOf(CREATED, { attempts: 3 }) })
    expect(names).toEqual(['claim', 'post', 'commit', 'count failure'])
    const longest = await deliver({
      delivery: deliveryOf(CREATED, { next_attempt_at: NOW + LONGEST_DELAY_MS }),
    })
    expect(longest.done).toEqual([['ring', `dlv_${CREATED}`, LONGEST_DELAY_MS]])
    const longer = await deliver({
      delivery: deliveryOf(CREATED, { next_attempt_at: NOW + LONGEST_DELAY_MS + 1 }),
    })
    expect(longer).toMatchObject({ outcome: 'later', done: [] })
  })

  it('that was given up is not rung for again', async () => {
    const { done, outcome } = await deliver({
      answer: FAILED,
      delivery: deliveryOf(CREATED, { attempts: WAITS.length }),
    })
    expect(outcome).toBe('failed')
    expect(done.at(-1)).toEqual(['count failure', AFTER])
  })

  it('that somebody else claimed is not posted', async () => {
    const { outcome, done } = await deliver({ lost: ['claim'] })
    expect({ outcome, done }).toEqual({ outcome: 'not_due', done: [CLAIM] })
  })

  it('whose claim went to somebody else meanwhile says nothing of the subscription', async () => {
    const { outcome, names } = await deliver({ lost: ['commit'], answer: FAILED })
    expect({ outcome, names }).toEqual({ outcome: 'lost', names: ['claim', 'post', 'commit'] })
  })

  it('is left to the next worker when this one may not run long enough', async () => {
    const late = await deliver({ remaining: LEAST_REMAINING_MS - 1 })
    expect(late).toMatchObject({ outcome: 'later', done: [['ring', `dlv_${CREATED}`, 0]] })
    const intime = await deliver({ remaining: LEAST_REMAINING_MS })
    expect(intime.outcome).toBe('delivered')
  })

  it('is not posted where claiming it took the time that an attempt needs', async () => {
    const { outcome, done } = await deliver({ remaining: 30_000, claimTakes: 13_001 })
    const leased = NOW + 30_000 + LEASE_MARGIN_MS
    expect({ outcome, done }).toEqual({
      outcome: 'later',
      done: [
        ['claim', `dlv_${CREATED}`, NOW, leased],
        ['ring', `dlv_${CREATED}`, 35_000 - 13_001],
      ],
    })
    expect((await deliver({ remaining: 30_000, claimTakes: 13_000 })).outcome).toBe('delivered')
  })

  it('is rung for again in time also where its failure cannot be counted', async () => {
    const { outcome, names } = await deliver({ answer: FAILED, isThrottled: true })
    expect({ outcome, names }).toEqual({
      outcome: 'throttled',
      names: ['claim', 'post', 'commit', 'ring', 'count failure'],
    })
  })

  it('to what is no address is attempted, and fails visibly', async () => {
    const { outcome } = await deliver({
      webhook: { ...webhook, url: 'no address' },
      answer: { kind: 'failed', error: 'refused_address' },
    })
    expect(outcome).toBe('failed')
  })
})

describe('a call of the doorbell that has nothing to do', () => {
  it.each([
    ['for an unknown delivery', undefined],
    ['for one that was delivered', deliveryOf(CREATED, { status: 'delivered' })],
    ['for one that somebody attempts', deliveryOf(CREATED, { lease_until: NOW + 1 })],
  ])('%s', async (_, delivery) => {
    const { outcome, done } = await deliver({ delivery })
    expect({ outcome, done }).toEqual({ outcome: 'not_due', done: [] })
  })

  it('is none where the lease has just run out', async () => {
    const { outcome } = await deliver({ delivery: deliveryOf(CREATED, { lease_until: NOW }) })
    expect(outcome).toBe('delivered')
  })

  it('comes too early: it rings again in time', async () => {
    const early = deliveryOf(CREATED, { next_attempt_at: NOW + EARLY_MS + 1 })
    const { outcome, done } = await deliver({ delivery: early })
    expect({ outcome, done }).toEqual({ outcome: 'later', done: [['ring', early.id, EARLY_MS + 1]] })
    const close = await deliver({ delivery: deliveryOf(CREATED, { next_attempt_at: NOW + EARLY_MS }) })
    expect(close.outcome).toBe('delivered')
  })
})

describe('a subscription', () => {
  it.each([
    ['that is gone', undefined],
    ['that is disabled', { ...webhook, status: 'disabled' } as Webhook],
  ])('%s gets nothing more', async (_, changed) => {
    const { outcome, done } = await deliver({ webhook: changed })
    expect({ outcome, done }).toEqual({ outcome: 'ended', done: [['end', 'cancelled', 'disabled', NOW]] })
  })

  it('whose event has expired hears that it failed', async () => {
    const { outcome, done } = await deliver({ events: [] })
    expect({ outcome, done }).toEqual({ outcome: 'ended', done: [['end', 'failed', 'event_expired', NOW]] })
  })

  it.each([[{ ...HEALTHY, failures: 1 }], [{ ...HEALTHY, open_until: NOW - 1, probe_until: 0 }]])(
    'that recovers is forgiven what failed: %j',
    async (health) => {
      const { done, outcome } = await deliver({ health })
      expect(outcome).toBe('delivered')
      expect(done.at(-1)).toEqual(['recover', 'wh_1'])
    },
  )

  it('that answers 410 is disabled, once, and its owner told', async () => {
    const gone: PostResult = { kind: 'answered', status: 410, retryAfter: null, response: '' }
    const { done } = await deliver({ answer: gone })
    expect(done.slice(3)).toEqual([
      ['disable', 'wh_1', URL_OF, 'gone', new Date(AFTER).toISOString()],
      ['disabled', 'wh_1', 'gone'],
    ])
    const again = await deliver({ answer: gone, lost: ['disable'] })
    expect(again.names).not.toContain('disabled')
  })

  it('that failed for five days is disabled, not kept back', async () => {
    const counted = { ...HEALTHY, failures: 99, failing_since: AFTER - DISABLE_AFTER_MS }
    const { done } = await deliver({ answer: FAILED, counted })
    expect(done.slice(3)).toEqual([
      ['ring', `dlv_${CREATED}`, WAITS[0]],
      ['count failure', AFTER],
      ['disable', 'wh_1', URL_OF, 'failing', new Date(AFTER).toISOString()],
      ['disabled', 'wh_1', 'failing'],
    ])
  })

  it('that fails five times in a row is kept back for half a minute', async () => {
    const counted = { ...HEALTHY, failures: BREAKER_FAILURES, failing_since: NOW }
    const { done } = await deliver({ answer: FAILED, counted })
    expect(done[5]).toEqual(['open breaker', AFTER, AFTER + 30_000])
    const fewer = await deliver({ answer: FAILED, counted: { ...counted, failures: BREAKER_FAILURES - 1 } })
    expect(fewer.names).not.toContain('open breaker')
  })

  it('that was deleted during the attempt is not kept back', async () => {
    const { names, outcome } = await deliver({ answer: FAILED, counted: undefined })
    expect(outcome).toBe('failed')
    expect(names).toEqual(['claim', 'post', 'commit', 'ring', 'count failure'])
  })
})

describe('a delivery that has ended, and whose message comes again', () => {
  const delivered = deliveryOf(CREATED, { status: 'delivered', updated_at: NOW - 5 })
  const failing = { ...HEALTHY, failures: 1, failing_since: NOW - 5 }

  it('has its subscription forgiven what failed before, which whoever delivered it may not have come to', async () => {
    const { outcome, done } = await deliver({ delivery: delivered, health: failing })
    expect({ outcome, done }).toEqual({ outcome: 'not_due', done: [['recover', 'wh_1']] })
    const probed = { ...HEALTHY, failures: 5, failing_since: NOW - 99, open_until: NOW - 5 }
    expect((await deliver({ delivery: delivered, health: probed })).names).toEqual(['recover'])
  })

  it.each([
    ['nothing failed', delivered, HEALTHY],
    ['it failed first afterwards', delivered, { ...failing, failing_since: NOW - 4 }],
    ['it is kept back since', delivered, { ...failing, open_until: NOW - 4 }],
    ['it was given up', { ...delivered, status: 'failed', reason: 'exhausted' } as Delivery, failing],
  ])('has nothing forgiven where %s', async (_, delivery, health) => {
    expect((await deliver({ delivery, health })).done).toEqual([])
  })

  const gone = deliveryOf(CREATED, { status: 'failed', reason: 'gone', updated_at: NOW - 5 })
  const changedAt = (at: number) => ({ ...webhook, updated_at: new Date(at).toISOString() })

  it('has a subscription disabled that said that it is gone, and that nobody has changed since', async () => {
    const { outcome, done } = await deliver({ delivery: gone, webhook: changedAt(NOW - 5) })
    expect(outcome).toBe('not_due')
    expect(done).toEqual([
      ['disable', 'wh_1', URL_OF, 'gone', new Date(NOW).toISOString()],
      ['disabled', 'wh_1', 'gone'],
    ])
  })

  it('has it told again that a subscription is disabled for it: nobody may have been told', async () => {
    const disabled = { ...changedAt(NOW - 4), status: 'disabled', disabled_reason: 'gone' } as Webhook
    const { outcome, done } = await deliver({ delivery: gone, webhook: disabled })
    expect({ outcome, done }).toEqual({ outcome: 'not_due', done: [['disabled', 'wh_1', 'gone']] })
  })

  it.each([
    ['was enabled again since', changedAt(NOW - 4)],
    ['its owner disabled', { ...changedAt(NOW - 5), status: 'disabled' } as Webhook],
    ['is no more', undefined],
  ])('leaves a subscription alone that %s', async (_, changed) => {
    expect((await deliver({ delivery: gone, webhook: changed })).done).toEqual([])
  })
})

describe('a breaker', () => {
  it('that is open moves the delivery to a little after its end', async () => {
    const health = { ...HEALTHY, failures: 5, open_until: NOW + 10_000 }
    const { outcome, done } = await deliver({ health })
    expect({ outcome, done }).toEqual({
      outcome: 'later',
      done: [
        ['postpone', NOW + 12_000],
        ['ring', `dlv_${CREATED}`, 12_000],
      ],
    })
  })

  const health = { ...HEALTHY, failures: 5, open_until: NOW - 1 }
  const PROBE_UNTIL = NOW + LEAST_REMAINING_MS + LEASE_MARGIN_MS

  it('that is half open lets one attempt through', async () => {
    const { outcome, done } = await deliver({ health })
    expect(outcome).toBe('delivered')
    expect(done[0]).toEqual(['take probe', NOW, PROBE_UNTIL])
  })

  it('that is half open keeps all others back until that one is known, and gives their slot back', async () => {
    const slots = deliverySlots(1)
    const { outcome, done } = await deliver({ health, lost: ['take probe'], slots })
    expect(outcome).toBe('later')
    expect(done.slice(1)).toEqual([
      ['postpone', PROBE_UNTIL + 2_000],
      ['ring', `dlv_${CREATED}`, PROBE_UNTIL + 2_000 - NOW],
    ])
    expect(slots.take('wh_1', 'example.com')).toBeDefined()
  })
})

describe('the slots', () => {
  it('that are all taken make a delivery wait a little', async () => {
    const slots = deliverySlots(1)
    slots.take('wh_1', 'another.example')
    const { outcome, done } = await deliver({ slots })
    expect({ outcome, done }).toEqual({ outcome: 'later', done: [['ring', `dlv_${CREATED}`, 2_000]] })
  })

  it('are counted for the host of the address', async () => {
    const slots = deliverySlots(4, 1)
    slots.take('wh_2', 'example.com')
    expect((await deliver({ slots })).outcome).toBe('later')
    expect((await deliver({ slots, webhook: { ...webhook, url: 'https://other.example' } })).outcome).toBe(
      'delivered',
    )
  })

  it('are given back after an attempt', async () => {
    const slots = deliverySlots(1)
    await deliver({ slots })
    expect((await deliver({ slots })).outcome).toBe('delivered')
  })
})

describe('a later event of an incident', () => {
  const later = deliveryOf('evt_2')

  it.each([
    ['is due', { next_attempt_at: NOW - 9 }, NOW],
    ['waits', { next_attempt_at: NOW + 5_000 }, NOW + 5_000],
    ['is attempted', { lease_until: NOW + 7_000 }, NOW + 7_000],
    // No attempt lasts as long as the lease of one that has just begun.
    ['has just begun to be attempted', { lease_until: NOW + 65_000 }, NOW + 17_000],
  ])('waits while the first one to this subscriber %s', async (_, change, until) => {
    const { outcome, done } = await deliver({ delivery: later, created: deliveryOf(CREATED, change) })
    expect({ outcome, done }).toEqual({
      outcome: 'later',
      done: [
        ['postpone', until + 2_000],
        ['ring', later.id, until + 2_000 - NOW],
      ],
    })
  })

  it('goes once the first one has ended, however it did', async () => {
    for (const status of ['delivered', 'failed', 'cancelled'] as const)
      expect((await deliver({ delivery: later, created: deliveryOf(CREATED, { status }) })).outcome).toBe(
        'delivered',
      )
  })

  it('waits while the first event has not been given to its subscribers', async () => {
    const { done } = await deliver({ delivery: later, events: [eventOf(CREATED, false), eventOf('evt_2')] })
    expect(done[0]).toEqual(['postpone', NOW + 2_000])
  })

  it('goes where the first event was never meant for this subscriber, or is long gone', async () => {
    expect((await deliver({ delivery: later })).outcome).toBe('delivered')
    expect((await deliver({ delivery: later, events: [eventOf('evt_2')] })).outcome).toBe('delivered')
  })
})
