import { describe, expect, it } from 'vitest'
import { newDelivery } from '#shared/domain/delivery.ts'
import { fanOut, newEvent } from '#shared/domain/fan-out.ts'
import type { StoredEvent } from '#shared/domain/ports.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const event: StoredEvent = {
  id: 'evt_1',
  kind: 'incident.created',
  incident_id: 'inc_1',
  body: '{}',
  fanned_out: false,
}

/** An event, its subscribers, and what was done in which order. */
function world(stored: StoredEvent | undefined, subscribers: readonly string[], fails = '') {
  const done: unknown[] = []
  const acts = {
    events: {
      get: async () => stored,
      markFannedOut: async (id: string) => {
        done.push(['mark', id])
      },
    },
    webhooks: {
      subscribed: async (kind: string) => {
        done.push(['subscribed', kind])
        return subscribers.map((id) => ({ id }) as never)
      },
    },
    deliveries: {
      idOf: (eventId: string, webhookId: string) => `dlv_of_${eventId}_${webhookId}`,
      add: async (delivery: { readonly webhook_id: string }) => {
        if (delivery.webhook_id === fails) throw new Error('the store is gone')
        done.push(['add', delivery])
      },
    },
    deliveryDoorbell: {
      ring: async (calls: unknown) => {
        done.push(['ring', calls])
      },
    },
    clock: () => NOW,
  }
  return { done, fanOut: () => fanOut(acts, 'evt_1') }
}

describe('an event', () => {
  it('gives each subscriber to its kind a delivery, then is marked, then rings', async () => {
    const { done, fanOut } = world(event, ['wh_1', 'wh_2'])
    expect(await fanOut()).toBe(2)
    const about = { event_id: 'evt_1', event_kind: 'incident.created', incident_id: 'inc_1' } as const
    expect(done).toEqual([
      ['subscribed', 'incident.created'],
      ['add', newDelivery('dlv_of_evt_1_wh_1', 'wh_1', about, NOW)],
      ['add', newDelivery('dlv_of_evt_1_wh_2', 'wh_2', about, NOW)],
      ['mark', 'evt_1'],
      [
        'ring',
        [
          { webhook_id: 'wh_1', delivery_id: 'dlv_of_evt_1_wh_1' },
          { webhook_id: 'wh_2', delivery_id: 'dlv_of_evt_1_wh_2' },
        ],
      ],
    ])
  })

  it('that nobody wants is marked, and rings for nothing', async () => {
    const { done, fanOut } = world(event, [])
    expect(await fanOut()).toBe(0)
    expect(done).toEqual([
      ['subscribed', 'incident.created'],
      ['mark', 'evt_1'],
    ])
  })

  it('that is gone or was fanned out before asks for nothing', async () => {
    for (const stored of [undefined, { ...event, fanned_out: true }]) {
      const { done, fanOut } = world(stored, ['wh_1'])
      expect(await fanOut()).toBe(0)
      expect(done).toEqual([])
    }
  })

  it('is not marked while a delivery is missing', async () => {
    const { done, fanOut } = world(event, ['wh_1', 'wh_2'], 'wh_2')
    await expect(fanOut()).rejects.toThrow('the store is gone')
    expect(done).not.toContainEqual(['mark', 'evt_1'])
  })
})

describe('a change of the incidents table', () => {
  const after = { sk: 'EVENT', id: 'evt_1' }

  it('brings an event when one is written', () => {
    expect(newEvent({ before: null, after })).toBe('evt_1')
  })

  it.each([
    ['one is changed', { before: after, after }],
    ['one is removed', { before: null, after: null }],
    ['something else is written', { before: null, after: { ...after, sk: 'INCIDENT' } }],
    ['it has no id', { before: null, after: { sk: 'EVENT', id: 7 } }],
  ])('brings none when %s', (_, change) => {
    expect(newEvent(change)).toBeNull()
  })
})
