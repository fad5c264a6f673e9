import type { Delivery } from '#shared/domain/delivery.ts'
import type { Fault } from './checks.ts'
import type { Command } from './dynamo-in-memory.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a fault reaches into whatever it breaks
type Acts = any

const named = (command: Command, name: string) => command.constructor.name === name
/** The command with another input. */
const rewritten = (command: Command, input: Partial<Command['input']>): Command => ({
  constructor: command.constructor,
  input: { ...command.input, ...input },
})
const pkOf = ({ input }: Command) => String((input.Key ?? input.Item)?.pk ?? '')
const onDelivery = (command: Command, name: string) =>
  named(command, name) && pkOf(command).startsWith('DELIVERY#')

/** Changes one act. */
const replacing =
  (change: (acts: Acts, world: World) => Acts): NonNullable<Fault['acts']> =>
  (acts, world) => ({ ...acts, ...change(acts, world) })
const inDeliveries = (change: (deliveries: Acts, world: World) => Acts) =>
  replacing(({ deliveries }, world) => ({ deliveries: { ...deliveries, ...change(deliveries, world) } }))
const inWebhooks = (change: (webhooks: Acts, world: World) => Acts) =>
  replacing(({ webhooks }, world) => ({ webhooks: { ...webhooks, ...change(webhooks, world) } }))
const inEvents = (change: (events: Acts, world: World) => Acts) =>
  replacing(({ events }, world) => ({ events: { ...events, ...change(events, world) } }))

/** Faults that real services had or that are easily made here. A fresh one for each world: some remember things. */
export const FAULTS: Readonly<Record<string, () => Fault>> = {
  'dual write: the event is written after the incident': () => ({
    command: (command) => {
      if (!named(command, 'TransactWriteCommand')) return command
      const items = command.input.TransactItems ?? []
      const isEvent = (item: (typeof items)[number]) => String(item.Put?.Item?.pk).startsWith('EVENT#')
      const [events, others] = [items.filter(isEvent), items.filter((item) => !isEvent(item))]
      if (events.length === 0) return command
      return [rewritten(command, { TransactItems: others }), rewritten(command, { TransactItems: events })]
    },
  }),
  'the sweeper rings a backlog every minute': () => ({
    backlog: { movesNothing: true, ignoresLateness: true },
  }),
  'the sweeper does not mind how late the queue is': () => ({ backlog: { ignoresLateness: true } }),
  'a claim that fails on a missing attribute': () => ({
    command: (command) => {
      if (!onDelivery(command, 'PutCommand')) return command
      const { lease_until: _missing, ...Item } = command.input.Item ?? {}
      return 'status' in Item && 'fence' in Item ? rewritten(command, { Item }) : command
    },
  }),
  'ack before work': () => ({ ackFirst: true }),
  'a subscription that is remembered instead of read': () => {
    const known = new Map<string, unknown>()
    return {
      acts: inWebhooks((webhooks) => ({
        open: async (id: string, now: number) => {
          if (!known.has(id)) known.set(id, await webhooks.open(id, now))
          return known.get(id)
        },
      })),
    }
  },
  'a claim without its condition': () => ({
    command: (command) =>
      onDelivery(command, 'UpdateCommand') && command.input.UpdateExpression?.includes('claim = :claim')
        ? rewritten(command, { ConditionExpression: undefined })
        : command,
  }),
  'a claim whose failure is not minded': () => ({
    acts: inDeliveries((deliveries) => ({
      claim: async (delivery: Delivery, now: number, until: number) =>
        (await deliveries.claim(delivery, now, until)) ?? delivery,
    })),
  }),
  'an unclamped Retry-After': () => ({
    acts: inDeliveries((deliveries) => ({
      commit: (claimed: Delivery, after: Delivery, attempt: Acts) =>
        deliveries.commit(
          claimed,
          attempt.status === 503 ? { ...after, next_attempt_at: attempt.at + 99_999_999_000 } : after,
          attempt,
        ),
    })),
  }),
  'a commit that does not look at the fence': () => ({
    command: (command) => {
      if (!named(command, 'TransactWriteCommand')) return command
      const TransactItems = (command.input.TransactItems ?? []).map((item) =>
        item.Update?.ConditionExpression?.includes('fence = :fence') &&
        String(item.Update.Key?.pk).startsWith('DELIVERY')
          ? { Update: { ...item.Update, ConditionExpression: 'attribute_exists(pk)' } }
          : item,
      )
      return rewritten(command, { TransactItems })
    },
  }),
  'an event that is called fanned out before it is': () => ({
    acts: replacing(({ events, webhooks }) => ({
      webhooks: {
        ...webhooks,
        subscribed: async (kind: string) => {
          const found = await webhooks.subscribed(kind)
          return found
        },
      },
      events: {
        ...events,
        get: async (id: string) => {
          const event = await events.get(id)
          if (event !== undefined && !event.fanned_out) await events.markFannedOut(id)
          return event
        },
      },
    })),
  }),
  'a delivery that overwrites the one that is there': () => ({
    command: (command) =>
      onDelivery(command, 'PutCommand') ? rewritten(command, { ConditionExpression: undefined }) : command,
  }),
  'a delivery whose id is another each time': () => {
    let made = 0
    return {
      acts: inDeliveries((deliveries) => ({
        idOf: (event: string, webhook: string) => {
          made += 1
          return `${deliveries.idOf(event, webhook).slice(0, -4)}${String(made % 10_000).padStart(4, '0')}`
        },
      })),
    }
  },
  'another webhook-id on each attempt': () => ({
    acts: inDeliveries((deliveries) => ({
      claim: async (delivery: Delivery, now: number, until: number) => {
        const claimed = await deliveries.claim(delivery, now, until)
        return claimed && { ...claimed, event_id: `${claimed.event_id.slice(0, -1)}${claimed.fence % 10}` }
      },
    })),
  }),
  'a body that is made anew on each attempt': () => ({
    acts: inEvents((events, world) => ({
      get: async (id: string) => {
        const event = await events.get(id)
        return event && { ...event, body: JSON.stringify({ ...JSON.parse(event.body), sent_at: world.now }) }
      },
    })),
  }),
  'resolved does not wait for created': () => ({
    acts: inDeliveries((deliveries) => ({
      get: async (webhook: string, id: string) => {
        const delivery = await deliveries.get(webhook, id)
        return delivery !== undefined && asked.delete(id) ? { ...delivery, status: 'delivered' } : delivery
      },
      idOf: (event: string, webhook: string) => {
        const id = deliveries.idOf(event, webhook)
        asked.add(id)
        return id
      },
    })),
  }),
  '410 disables nothing': () => ({
    acts: inWebhooks(() => ({ disable: () => Promise.resolve(false) })),
  }),
  'attempts that are not counted': () => ({
    acts: inDeliveries((deliveries) => ({
      commit: (claimed: Delivery, after: Delivery, attempt: Acts) =>
        deliveries.commit(claimed, { ...after, attempts: 0 }, attempt),
    })),
  }),
  'a breaker that never opens': () => ({
    acts: inWebhooks(() => ({ openBreaker: () => Promise.resolve() })),
  }),
  'a breaker that uses up attempts': () => ({
    command: (command) =>
      onDelivery(command, 'UpdateCommand') &&
      command.input.UpdateExpression?.startsWith('SET next_attempt_at')
        ? rewritten(command, {
            UpdateExpression: 'SET attempts = attempts + :until, next_attempt_at = :until, due_at = :until',
          })
        : command,
  }),
  'delivered before it is posted': () => ({
    acts: inDeliveries((deliveries) => ({
      claim: async (delivery: Delivery, now: number, until: number) => {
        const claimed = await deliveries.claim(delivery, now, until)
        if (claimed !== undefined) {
          const attempt = {
            number: claimed.fence,
            at: now,
            duration_ms: 0,
            status: 200,
            error: null,
            response: '',
          }
          await deliveries.commit(claimed, { ...claimed, status: 'delivered', attempts: 1 }, attempt)
        }
        return claimed
      },
      commit: () => Promise.resolve(true),
    })),
  }),
  'a lease that nobody looks for when it runs out': () => ({
    command: (command) =>
      onDelivery(command, 'UpdateCommand') && command.input.UpdateExpression?.includes('claim = :claim')
        ? rewritten(command, {
            UpdateExpression:
              'SET lease_until = :until, fence = fence + :one, claim = :claim REMOVE due_list, due_at',
          })
        : command,
  }),
  'a lease that is shorter than an attempt': () => ({
    acts: inDeliveries((deliveries) => ({
      claim: (delivery: Delivery, now: number) => deliveries.claim(delivery, now, now + 1_000),
    })),
  }),
  'a sweeper that does not look for events': () => ({
    acts: inEvents(() => ({ waiting: () => Promise.resolve([]) })),
  }),
  'a sweeper that does not look for deliveries': () => ({
    acts: inDeliveries(() => ({ due: () => Promise.resolve([]) })),
  }),
  'the old secret does not sign during the overlap': () => ({
    acts: inWebhooks((webhooks) => ({
      open: async (id: string, now: number) => {
        const opened = await webhooks.open(id, now)
        return opened && { ...opened, secrets: opened.secrets.slice(0, 1) }
      },
    })),
  }),
  'a timestamp that is the first attempt’s': () => {
    const first = new Map<string, string>()
    return {
      acts: replacing(({ post }) => ({
        post: (request: Acts) => {
          const id = request.headers['webhook-id'] as string
          if (!first.has(id)) first.set(id, request.headers['webhook-timestamp'] as string)
          return post({ ...request, headers: { ...request.headers, 'webhook-timestamp': first.get(id) } })
        },
      })),
    }
  },
  'a subscription that fails for days and stays': () => ({
    acts: inWebhooks((webhooks) => ({
      countFailure: async (id: string, now: number) => {
        const health = await webhooks.countFailure(id, now)
        return health && { ...health, failing_since: now }
      },
    })),
  }),
  'a request that is counted and not held to its limit': () => ({
    command: (command) =>
      named(command, 'UpdateCommand') && command.input.ConditionExpression?.includes('#w < lim')
        ? rewritten(command, { ConditionExpression: 'attribute_exists(pk)' })
        : command,
  }),
  'a limit that is refused for good once it is reached': () => ({
    command: (command) => {
      const { ExpressionAttributeNames: names } = command.input
      return names !== undefined && '#w' in names
        ? rewritten(command, { ExpressionAttributeNames: { ...names, '#w': 'w0' } })
        : command
    },
  }),
  'a secret in the log of attempts': () => {
    let secret = ''
    return {
      acts: replacing(({ webhooks, deliveries }) => ({
        webhooks: {
          ...webhooks,
          open: async (id: string, now: number) => {
            const opened = await webhooks.open(id, now)
            secret = opened?.secrets[0] ?? ''
            return opened
          },
        },
        deliveries: {
          ...deliveries,
          commit: (claimed: Delivery, after: Delivery, attempt: Acts) =>
            deliveries.commit(claimed, after, { ...attempt, response: `signed with ${secret}` }),
        },
      })),
    }
  },
  'a receiver that is forgiven without a success': () => ({
    acts: inWebhooks((webhooks) => ({
      countFailure: async (id: string, now: number) => {
        await webhooks.recover(id)
        return webhooks.countFailure(id, now)
      },
    })),
  }),
}

const asked = new Set<string>()
