import { describe, expect, it } from 'vitest'
import { writeInstant } from '#shared/domain/instant.ts'
import { answers, World } from './world.ts'

describe('a receiver that says that it is gone', () => {
  it('disables its subscription once, and operators are told once', async () => {
    const world = new World()
    const { id } = await world.subscribe('one', ['incident.created'], () => answers(410))
    await world.open()
    await world.run()
    expect(world.webhookItem(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
    expect(world.disabled).toEqual([id])
  })

  it('does not disable the address that its owner has set meanwhile', async () => {
    const world = new World()
    const moved = 'https://example.com/moved'
    const { id } = await world.subscribe('one', ['incident.created'], () => {
      // The owner was quicker than the answer.
      Object.assign(world.webhookItem(id) ?? {}, { url: moved, updated_at: writeInstant(world.now) })
      return answers(410)
    })
    await world.open()
    await world.run()
    expect(world.webhookItem(id)).toMatchObject({ status: 'enabled', url: moved })
    await world.open('Another')
    await world.run()
    expect(world.accepted('moved')).toHaveLength(1)
    expect(world.disabled).toEqual([])
  })

  it('is told also where the answer to disabling it got lost, or whoever did it died before telling', async () => {
    const whole = new World()
    await whole.subscribe('one', ['incident.created'], () => answers(410))
    await whole.open()
    await whole.run()
    const failures: string[] = []
    for (const [index, command] of whole.commands.entries()) {
      if (command !== 'UpdateCommand') continue
      const call = index + 1
      for (const options of [
        { fault: { call, way: 'twice' } as const },
        { fault: { call, way: 'lost' } as const },
        { crash: { call, side: 'after' } as const },
      ]) {
        const world = new World(options)
        const { id } = await world.subscribe('one', ['incident.created'], () => answers(410))
        if ((await world.open()) === null) continue
        await world.run()
        if (!world.disabled.includes(id)) failures.push(JSON.stringify(options))
      }
    }
    expect(failures).toEqual([])
  })
})
