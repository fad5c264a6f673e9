import { broken } from './invariants.ts'
import { answers, type Plant, World, type WorldOptions } from './world.ts'

export const QUEUES = ['orderly', 'duplicates', 'loses', 'reorders'] as const
export const FAILS = [0, 1, 3] as const

export interface Schedule {
  readonly call?: number
  readonly side?: 'before' | 'after'
  readonly fails: number
  readonly queue: (typeof QUEUES)[number]
  readonly losesStream?: boolean
}

export interface Run {
  readonly world: World
  readonly problems: readonly string[]
}

/**
 * An incident is opened and resolved; one receiver fails so many times and then accepts. The process dies at one call,
 * on one side of it.
 */
export async function runSchedule(schedule: Schedule, plant?: Plant): Promise<Run> {
  const { call, side, fails, queue, losesStream } = schedule
  const crash = call === undefined || side === undefined ? undefined : { call, side }
  const options: WorldOptions = { crash, queue, losesStream, plant }
  const world = new World(options)
  await world.subscribe('one', undefined, (number) => (number <= fails ? answers(500) : answers(200)))
  const incident = await world.open()
  const id = incident?.id ?? String(world.events()[0]?.incident_id ?? '')
  // A request that died before its commit is the client's to repeat.
  if (id !== '') await world.resolve(id)
  const ended = await world.run()
  const problems = broken(world, { duplicates: world.diedBeforeCommit })
  if (!ended) problems.push('never came to rest')
  return { world, problems }
}

/** All schedules: every call × both sides × receivers × what the queue does. */
export async function everySchedule(plant?: Plant, only = QUEUES as readonly Schedule['queue'][]) {
  const schedules: Schedule[] = []
  for (const fails of FAILS)
    for (const queue of only) {
      const { world } = await runSchedule({ fails, queue }, plant)
      // A crash makes further calls; a world without one tells where the schedule ends at least.
      for (let call = 1; call <= world.calls + 12; call += 1)
        for (const side of ['before', 'after'] as const) schedules.push({ call, side, fails, queue })
    }
  return schedules
}
