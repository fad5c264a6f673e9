import { describe, expect, it } from 'vitest'
import { everySchedule, FAILS, QUEUES, runSchedule } from './scenarios.ts'

describe('without a crash', () => {
  it.each(QUEUES.flatMap((queue) => FAILS.map((fails) => ({ queue, fails }))))(
    'every event is accepted once: $queue queue, $fails failures first',
    async (schedule) => {
      const { world, problems } = await runSchedule(schedule)
      expect(problems).toEqual([])
      expect(world.accepted().map(({ body }) => JSON.parse(body).type)).toEqual([
        'incident.created',
        'incident.resolved',
      ])
      expect(world.posts).toHaveLength(2 + schedule.fails)
    },
  )

  it('the sweeper does what the relay lost', async () => {
    const { world, problems } = await runSchedule({ fails: 1, queue: 'orderly', losesStream: true })
    expect(problems).toEqual([])
    expect(world.accepted()).toHaveLength(2)
  })
})

describe('a crash before or after any call', () => {
  it('loses nothing, and doubles only what was accepted and could not be written down', async () => {
    const schedules = await everySchedule()
    expect(schedules.length).toBeGreaterThanOrEqual(500)
    const failures: string[] = []
    let crashed = 0
    let doubled = 0
    let refused = 0
    let deleted = 0
    for (const schedule of schedules) {
      const { world, problems } = await runSchedule(schedule)
      if (world.crashedAt !== null) crashed += 1
      if (world.accepted().length > world.events().length) doubled += 1
      if (world.asked.some(({ outcome }) => outcome === 'refused')) refused += 1
      if (world.deleted.size > 0) deleted += 1
      if (problems.length > 0)
        failures.push(`${JSON.stringify(schedule)} (${world.crashedAt}): ${problems.join('; ')}`)
    }
    expect(failures).toEqual([])
    expect(crashed).toBeGreaterThanOrEqual(500)
    // What the promises are about is among them: a proof that never sees it proves nothing.
    expect(doubled).toBeGreaterThan(0)
    expect(refused).toBeGreaterThanOrEqual(500)
    expect(deleted).toBeGreaterThanOrEqual(50)
  }, 300_000)
})
