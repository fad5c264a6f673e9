import type { OperationId } from '#shared/contract/operations.ts'
import type { Sent } from '#test/edge/call-endpoint.ts'
import { newDelivery } from './receiver.ts'
import type { Service } from './service.ts'

/** A secret that every request with a secret carries, or begins with. */
export const REPEATED_SECRET = 'canary-of-a-repeated-request-0123456789'

/** A request, and another body that the same operation would take, if it takes one. */
export interface RepeatableRequest {
  readonly sent: Sent
  readonly other: unknown
}

/** Requests of every operation that takes an `Idempotency-Key`, each on a resource of its own. */
export interface RepeatableRequests {
  of(id: OperationId): Promise<RepeatableRequest>
  /** A new subscription, in place of the last one: there may be 100. */
  webhook(): Promise<string>
  /** What a subscription is made of. */
  hook(): { readonly url: string; readonly events: readonly string[]; readonly secret: string }
}

/** The instant so many milliseconds ago. */
export const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

/** Bundles called `one` and `two` must be there. */
export function repeatableRequests(service: () => Service, url: string): RepeatableRequests {
  let last: string | undefined
  const forget = async () => {
    if (last !== undefined) await service().call('delete-webhook', { id: last })
  }
  const hook = () => ({ url, events: ['incident.created'], secret: REPEATED_SECRET })
  const webhook = async (): Promise<string> => {
    await forget()
    const { id } = await service().done('create-webhook', { body: hook() })
    last = id
    return id
  }
  const incident = { title: 'Checkout fails', severity: 'high' }
  const bundle = (path: string) => ({ type: 'bundle', config: { path } })
  const rotation = (overlap_seconds: number) => ({ secret: `${REPEATED_SECRET}-new`, overlap_seconds })
  const logs = (timestamp: string) => ({
    logs: [{ timestamp, service: 'checkout', severity: 'error', message: 'card refused' }],
  })

  const made: Readonly<Partial<Record<OperationId, () => Promise<RepeatableRequest>>>> = {
    'answer-query': async () => ({
      sent: { body: { query: 'Why is checkout failing?' } },
      other: { query: 'How many incidents are open?' },
    }),
    'create-integration': async () => ({ sent: { body: bundle('one') }, other: bundle('two') }),
    'create-incident': async () => ({ sent: { body: incident }, other: { ...incident, severity: 'low' } }),
    'create-webhook': async () => ({
      sent: { body: hook() },
      other: { ...hook(), secret: `${REPEATED_SECRET}!` },
    }),
    'request-investigation': async () => ({
      sent: { id: (await service().done('create-incident', { body: incident })).id },
      other: undefined,
    }),
    'ping-webhook': async () => ({ sent: { id: await webhook() }, other: undefined }),
    'rotate-webhook-secret': async () => ({
      sent: { id: await webhook(), body: rotation(60) },
      other: rotation(61),
    }),
    'recover-webhook': async () => ({
      sent: { id: await webhook(), body: { since: ago(60_000) } },
      other: { since: ago(120_000) },
    }),
    'push-signals': async () => ({ sent: { body: logs(ago(60_000)) }, other: logs(ago(61_000)) }),
    'create-key': async () => ({
      sent: { body: { name: 'repeated', type: 'assistant' } },
      other: { name: 'another', type: 'assistant' },
    }),
    'rotate-key': async () => ({
      sent: {
        id: (await service().done('create-key', { body: { name: 'repeated', type: 'admin' } })).id,
        body: { overlap_seconds: 60 },
      },
      other: { overlap_seconds: 61 },
    }),
    redeliver: async () => {
      await forget()
      const { id, webhook_id } = await newDelivery(service())
      last = webhook_id
      return { sent: { id: webhook_id, parameters: { delivery_id: id } }, other: undefined }
    },
  }

  return {
    of: async (id) => {
      const make = made[id]
      if (make === undefined) throw new Error(`there is no request of ${id}`)
      return make()
    },
    webhook,
    hook,
  }
}
