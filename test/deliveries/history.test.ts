import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestRecovery } from '#shared/domain/recover-deliveries.ts'
import { redeliver } from '#shared/domain/redeliver.ts'
import { broken } from './invariants.ts'
import { answers, Crash, type Receiver, World, type WorldOptions } from './world.ts'

/** Steps of one history, and histories: 12,000 steps by default, more with DELIVERY_HISTORIES. */
const STEPS = 80
const HISTORIES = Number(process.env.DELIVERY_HISTORIES ?? 150)
/** Replays what a failure printed: DELIVERY_SEED=…, and DELIVERY_PATH for its smallest form. */
const REPLAY = {
  ...(process.env.DELIVERY_SEED === undefined ? {} : { seed: Number(process.env.DELIVERY_SEED) }),
  ...(process.env.DELIVERY_PATH === undefined ? {} : { path: process.env.DELIVERY_PATH }),
}

const RECEIVERS: Readonly<Record<string, Receiver>> = {
  well: () => answers(200),
  down: () => answers(503),
  busy: (number) => answers(number % 2 === 0 ? 200 : 429, '60'),
  hangs: () => ({ kind: 'failed', error: 'timeout' }),
}
const NAMES = ['one', 'two', 'three'] as const
/** Requests a minute that the key of a history may make: a few knocks use it up. */
const LIMIT = 12

type Step =
  | { readonly do: 'open' | 'relay' | 'work' | 'sweep' | 'lose' | 'double' | 'reverse' }
  | { readonly do: 'resolve' | 'delete'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'knock'; readonly count: number }
  | { readonly do: 'receiver'; readonly which: number; readonly how: keyof typeof RECEIVERS }
  | { readonly do: 'crash'; readonly after: number; readonly side: 'before' | 'after' }
  | { readonly do: 'redeliver'; readonly which: number }
  | { readonly do: 'recover'; readonly which: number }

const which = fc.nat({ max: 20 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('open' as const).map((name) => ({ do: name })) },
  { weight: 16, arbitrary: fc.constantFrom('relay' as const, 'work' as const).map((name) => ({ do: name })) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('sweep' as const, 'lose' as const, 'double' as const, 'reverse' as const)
      .map((name) => ({ do: name })),
  },
  { weight: 3, arbitrary: which.map((index) => ({ do: 'resolve' as const, which: index })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 14 }).map((count) => ({ do: 'knock' as const, count })) },
  { weight: 1, arbitrary: which.map((index) => ({ do: 'delete' as const, which: index })) },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(500, 5_000, 61_000, 360_000, 1_900_000, 20_000_000)
      .map((ms) => ({ do: 'wait' as const, ms })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(which, fc.constantFrom('well', 'down', 'busy', 'hangs'))
      .map(([index, how]) => ({ do: 'receiver' as const, which: index, how })),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 14 }), fc.constantFrom('before' as const, 'after' as const))
      .map(([after, side]) => ({ do: 'crash' as const, after, side })),
  },
  { weight: 2, arbitrary: which.map((index) => ({ do: 'redeliver' as const, which: index })) },
  { weight: 1, arbitrary: which.map((index) => ({ do: 'recover' as const, which: index })) },
)

/** What the service's own requests are allowed to end with in a history: a refusal, or the death of their process. */
async function allow(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Crash) && (error as Error).name !== 'Refusal') throw error
  }
}

/** Plays a history and lets everything recover. @returns what does not hold then */
async function play(steps: readonly Step[], chances: readonly number[]): Promise<string[]> {
  const crash: { call: number; side: 'before' | 'after' } = { call: 0, side: 'before' }
  let drawn = 0
  const random = () => chances[drawn++ % chances.length] ?? 0
  const options: WorldOptions = { crash, random, limit: LIMIT }
  const world = new World(options)
  const webhooks = []
  for (const name of NAMES) webhooks.push(await world.subscribe(name))
  let manual = 0
  for (const each of steps) {
    const incidents = world.events().filter(({ kind }) => kind === 'incident.created')
    switch (each.do) {
      case 'open':
        await world.open()
        break
      case 'resolve': {
        const id = incidents[each.which % Math.max(1, incidents.length)]?.incident_id
        if (id !== undefined) await world.resolve(String(id))
        break
      }
      case 'relay':
        await world.relay()
        break
      case 'work':
        await world.work()
        break
      case 'knock':
        await world.knock(each.count)
        break
      case 'sweep':
        await world.sweep()
        break
      case 'lose':
        world.queue.shift()
        break
      case 'double': {
        const [message] = world.queue
        if (message !== undefined) world.queue.push({ ...message })
        break
      }
      case 'reverse':
        world.queue.reverse()
        break
      case 'wait':
        world.now += each.ms
        break
      case 'receiver': {
        const receiver = RECEIVERS[each.how]
        if (receiver !== undefined) world.receivers.set(NAMES[each.which % 3] ?? 'one', receiver)
        break
      }
      case 'crash':
        crash.call = world.calls + each.after
        crash.side = each.side
        break
      case 'delete': {
        const name = NAMES[each.which % 3] ?? 'one'
        if (world.deleted.size < 2 && !world.deleted.has(name)) {
          world.unsubscribe(webhooks[each.which % 3]?.id ?? '')
        }
        break
      }
      case 'redeliver': {
        const deliveries = world.deliveries()
        const delivery = deliveries[each.which % Math.max(1, deliveries.length)]
        if (delivery !== undefined) {
          manual += 1
          await allow(() => redeliver(world.process(), String(delivery.webhook_id), String(delivery.id)))
        }
        break
      }
      case 'recover': {
        const id = webhooks[each.which % 3]?.id ?? ''
        await allow(() => requestRecovery(world.process(), id, world.now - 3_600_000))
        break
      }
    }
  }
  crash.call = 0
  for (const name of NAMES) world.receivers.set(name, () => answers(200))
  const ended = await world.run()
  const problems = broken(world, { duplicates: world.diedBeforeCommit + manual * 10 })
  if (!ended) problems.push('never came to rest')
  return problems
}

describe('random histories', () => {
  it(`of ${HISTORIES * STEPS} steps in all end with every promise kept`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: STEPS, maxLength: STEPS }),
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 8, maxLength: 8 }),
        async (steps, chances) => {
          expect(await play(steps, chances)).toEqual([])
        },
      ),
      { numRuns: HISTORIES, endOnFailure: false, ...REPLAY },
    )
  }, 600_000)
})
