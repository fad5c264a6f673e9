import { describe, expect, it } from 'vitest'
import { recoverDeliveries, requestRecovery } from '#shared/domain/recover-deliveries.ts'
import { WAYS, World, type WorldOptions } from './world.ts'

/** Events that a subscription did not get. */
const MISSED = 3
const MINUTE = 60_000

/** A subscription that missed some events and for which a recovery was begun, before anything is done for it. */
async function recovering(options: WorldOptions = {}) {
  const world = new World(options)
  const { id } = await world.subscribe('one', ['incident.created'])
  for (let missed = 0; missed < MISSED; missed += 1) await world.open(`Missed ${missed}`)
  while (world.stream.length > 0) await world.relay()
  for (const delivery of world.deliveries()) {
    Object.assign(delivery, { status: 'cancelled', reason: 'disabled', due_list: undefined })
    delete delivery.due_list
  }
  world.queue.length = 0
  const since = world.now - MINUTE
  world.now += MINUTE
  await requestRecovery(world.process(), id, since)
  return { world, id, begun: world.calls }
}

const acceptedIn = (world: World) => world.accepted().map(({ id }) => id)
const recoveryIn = (world: World) =>
  [...world.dynamo.table('webhooks').values()].filter(({ since }) => since !== undefined)

describe('a recovery', () => {
  it('sends everything once that was missed, and ends', async () => {
    const { world } = await recovering()
    expect(await world.run()).toBe(true)
    expect(acceptedIn(world)).toHaveLength(MISSED)
    expect(recoveryIn(world).map(({ due_list }) => due_list)).toEqual([undefined])
  })

  it('sends nothing again that another process has delivered since it was read', async () => {
    const { world, id } = await recovering()
    const slow = world.process()
    const overtaken: typeof slow.deliveries.failed = async (...asked) => {
      const page = await slow.deliveries.failed(...asked)
      // Its message was given to two: the other is done, and all was delivered, before this one goes on.
      await recoverDeliveries(world.process(), id)
      await world.work()
      expect(acceptedIn(world)).toHaveLength(MISSED)
      return page
    }
    await recoverDeliveries({ ...slow, deliveries: { ...slow.deliveries, failed: overtaken } }, id)
    expect(await world.run()).toBe(true)
    expect(acceptedIn(world)).toHaveLength(MISSED)
  })

  it('makes due again what ended while a clock was ahead', async () => {
    const { world } = await recovering()
    for (const delivery of world.deliveries())
      Object.assign(delivery, { status: 'pending', reason: null, lease_until: world.now + 1_000 })
    const { deliveries } = world.process()
    for (const { webhook_id, id } of world.deliveries()) {
      const pending = await deliveries.get(String(webhook_id), String(id))
      if (pending !== undefined) await deliveries.end(pending, 'cancelled', 'disabled', world.now + 2_000)
    }
    await world.run()
    expect(acceptedIn(world)).toHaveLength(MISSED)
  })

  it('ends the same wherever it is cut off, and whatever becomes of one of its calls', async () => {
    const whole = await recovering()
    await whole.world.run()
    const failures: string[] = []
    for (let call = whole.begun + 1; call <= whole.world.calls; call += 1) {
      const crashes = (['before', 'after'] as const).map((side) => ({ crash: { call, side } }))
      for (const options of [...crashes, ...WAYS.map((way) => ({ fault: { call, way } }))]) {
        const { world } = await recovering(options)
        const ended = await world.run()
        const unwritten = world.met === 'undone TransactWriteCommand' ? 1 : 0
        const allowed = world.diedBeforeCommit + world.heardTooLate + unwritten
        const accepted = acceptedIn(world)
        const isWhole = new Set(accepted).size === MISSED && accepted.length <= MISSED + allowed
        const waits = recoveryIn(world).some(({ due_list }) => due_list !== undefined)
        if (!ended || !isWhole || waits)
          failures.push(`${JSON.stringify(options)} (${world.crashedAt ?? world.met}): ${accepted.length}`)
      }
    }
    expect(failures).toEqual([])
  })
})
