import { describe, expect, it } from 'vitest'
import { DAY_MS, type Delivery, newDelivery, RECOVERY_DAYS, RECOVERY_MOST } from '#shared/domain/delivery.ts'
import type { Recovery } from '#shared/domain/ports.ts'
import { recoverDeliveries, requestRecovery } from '#shared/domain/recover-deliveries.ts'
import type { Webhook } from '#shared/domain/webhook.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const webhook = { id: 'wh_1', status: 'enabled' } as Webhook
const about = { event_id: 'evt_1', event_kind: 'incident.created', incident_id: 'inc_1' } as const
const failed: readonly Delivery[] = ['dlv_1', 'dlv_2', 'dlv_3'].map((id) => ({
  ...newDelivery(id, 'wh_1', about, NOW - 5_000),
  status: 'failed',
}))
const running: Recovery = { id: 'rec_1', webhook_id: 'wh_1', since: NOW - DAY_MS, after: 'dlv_0', resent: 7 }

/** A subscription with what failed to reach it, and what was done in which order. */
function world(
  change: {
    webhook?: Webhook | undefined
    recovery?: Recovery | undefined
    next?: string | null
    /** Deliveries that somebody attempts just now. */
    held?: readonly string[]
    replaced?: boolean
  } = {},
) {
  const given = { webhook, recovery: running, next: null, held: [] as string[], replaced: false, ...change }
  const done: unknown[] = []
  const acts = {
    webhooks: { get: async (id: string) => (id === 'wh_1' ? given.webhook : undefined) },
    deliveries: {
      recovery: async (id: string) => (id === 'wh_1' ? given.recovery : undefined),
      failed: async (...asked: unknown[]) => {
        done.push(['failed', ...asked])
        return { items: failed, next: given.next }
      },
      resend: async (delivery: Delivery, ...how: unknown[]) => {
        done.push(['resend', delivery.id, ...how])
        return !given.held.includes(delivery.id)
      },
      stepRecovery: async (...what: unknown[]) => {
        done.push(['step', ...what])
        return !given.replaced
      },
      endRecovery: async (...what: unknown[]) => {
        done.push(['end', ...what])
      },
      beginRecovery: async (...what: unknown[]) => {
        done.push(['begin', ...what])
      },
    },
    deliveryDoorbell: {
      ring: async (calls: unknown) => {
        done.push(['ring', calls])
      },
    },
    newId: (prefix: string, at: number) => `${prefix}_${at}`,
    clock: () => NOW,
  }
  return { done, acts }
}

const resends = failed.map(({ id }) => ['resend', id, 'recovery', NOW])
const calls = (...ids: (string | null)[]) => ids.map((id) => ({ webhook_id: 'wh_1', delivery_id: id }))

describe('a step of a recovery', () => {
  it('makes a page of what failed due again, rings for it, notes how far it came and rings for the next', async () => {
    const { done, acts } = world({ next: 'dlv_3' })
    expect(await recoverDeliveries(acts, 'wh_1')).toBe(true)
    expect(done).toEqual([
      ['failed', 'wh_1', running, 100],
      ...resends,
      ['ring', calls('dlv_1', 'dlv_2', 'dlv_3')],
      ['step', running, { ...running, after: 'dlv_3', resent: 10 }, NOW],
      ['ring', calls(null)],
    ])
  })

  it('is the last one where there is no next page', async () => {
    const { done, acts } = world()
    expect(await recoverDeliveries(acts, 'wh_1')).toBe(true)
    expect(done).toEqual([
      ['failed', 'wh_1', running, 100],
      ...resends,
      ['ring', calls('dlv_1', 'dlv_2', 'dlv_3')],
      ['end', running],
    ])
  })

  it('neither counts nor rings for what somebody attempts just now', async () => {
    const { done, acts } = world({ next: 'dlv_3', held: ['dlv_1', 'dlv_2'] })
    await recoverDeliveries(acts, 'wh_1')
    expect(done.slice(4)).toEqual([
      ['ring', calls('dlv_3')],
      ['step', running, { ...running, after: 'dlv_3', resent: 8 }, NOW],
      ['ring', calls(null)],
    ])
  })

  it('rings for no delivery where none was made due', async () => {
    const { done, acts } = world({ held: ['dlv_1', 'dlv_2', 'dlv_3'] })
    await recoverDeliveries(acts, 'wh_1')
    expect(done.slice(1)).toEqual([...resends, ['end', running]])
  })

  it('does not ring for the next step of a recovery that another one has replaced', async () => {
    const { done, acts } = world({ next: 'dlv_3', replaced: true })
    expect(await recoverDeliveries(acts, 'wh_1')).toBe(true)
    expect(done.at(-1)).toEqual(['step', running, { ...running, after: 'dlv_3', resent: 10 }, NOW])
  })

  it.each([
    ['disabled', { ...webhook, status: 'disabled' }],
    ['gone', undefined],
  ] as const)('ends the recovery of a subscription that is %s', async (_, changed) => {
    const { done, acts } = world({ webhook: changed })
    expect(await recoverDeliveries(acts, 'wh_1')).toBe(true)
    expect(done).toEqual([['end', running]])
  })

  it('resends no more than the most, over all steps', async () => {
    const almost = world({ recovery: { ...running, resent: RECOVERY_MOST - 2 } })
    await recoverDeliveries(almost.acts, 'wh_1')
    expect(almost.done[0]).toEqual(['failed', 'wh_1', { ...running, resent: RECOVERY_MOST - 2 }, 2])
    const all = world({ recovery: { ...running, resent: RECOVERY_MOST } })
    expect(await recoverDeliveries(all.acts, 'wh_1')).toBe(true)
    expect(all.done).toEqual([['end', { ...running, resent: RECOVERY_MOST }]])
  })

  it('does nothing where none runs', async () => {
    const { done, acts } = world({ recovery: undefined })
    expect(await recoverDeliveries(acts, 'wh_1')).toBe(false)
    expect(done).toEqual([])
  })
})

describe('a recovery that is asked for', () => {
  it.each([0, RECOVERY_DAYS * DAY_MS])(
    'begins at the beginning, %i ms back, and is rung for',
    async (back) => {
      const { done, acts } = world()
      const begun = { id: `rec_${NOW}`, webhook_id: 'wh_1', since: NOW - back, after: null, resent: 0 }
      expect(await requestRecovery(acts, 'wh_1', NOW - back)).toEqual(begun)
      expect(done).toEqual([
        ['begin', begun, NOW],
        ['ring', calls(null)],
      ])
    },
  )

  it.each([
    [NOW + 1, 'must not lie in the future'],
    [NOW - RECOVERY_DAYS * DAY_MS - 1, `must not lie more than ${RECOVERY_DAYS} days back`],
  ])('is refused since %i: it %s', async (since, reason) => {
    const { done, acts } = world()
    await expect(requestRecovery(acts, 'wh_1', since)).rejects.toMatchObject({
      kind: 'invalid',
      details: { field: 'since', reason },
    })
    expect(done).toEqual([])
  })

  it('is refused for a subscription that is unknown, or disabled', async () => {
    const unknown = world({ webhook: undefined })
    await expect(requestRecovery(unknown.acts, 'wh_1', NOW)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Webhook wh_1'),
    })
    const disabled = world({ webhook: { ...webhook, status: 'disabled' } })
    await expect(requestRecovery(disabled.acts, 'wh_1', NOW)).rejects.toMatchObject({
      kind: 'conflict',
      message: 'This webhook is disabled; enable it first.',
    })
    expect([...unknown.done, ...disabled.done]).toEqual([])
  })
})
