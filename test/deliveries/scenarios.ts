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
  /** A second receiver refuses everything and is deleted between its attempts. */
  readonly deletes?: boolean
}

/** Requests a minute that the key of a schedule may make: fewer than it makes. */
const LIMIT = 6
/** Long enough for the first attempts of a receiver that refuses, and for the sweeper to do what a crash left. */
const BEFORE_DELETION_MS = 240_000
/** More than the limit leaves after the requests that open and resolve. */
const KNOCKS = 7

export interface Run {
  readonly world: World
  readonly problems: readonly string[]
}

/**
 * An incident is opened and resolved; one receiver fails so many times and then accepts. The process dies at one call,
 * on one side of it.
 */
export async function runSchedule(schedule: Schedule, plant?: Plant): Promise<Run> {
  const { call, side, fails, queue, losesStream, deletes = false } = schedule
  const crash = call === undefined || side === undefined ? undefined : { call, side }
  const options: WorldOptions = { crash, queue, losesStream, plant, limit: LIMIT }
  const world = new World(options)
  await world.subscribe('one', undefined, (number) => (number <= fails ? answers(500) : answers(200)))
  const other = deletes ? await world.subscribe('two', undefined, () => answers(500)) : undefined
  const incident = await world.open()
  const id = incident?.id ?? String(world.events()[0]?.incident_id ?? '')
  // A request that died before its commit is the client's to repeat.
  if (id !== '') await world.resolve(id)
  await world.knock(KNOCKS)
  if (other !== undefined) {
    await world.run(world.now + BEFORE_DELETION_MS)
    world.unsubscribe(other.id)
  }
  const ended = await world.run()
  const problems = broken(world, { duplicates: world.diedBeforeCommit })
  if (!ended) problems.push('never came to rest')
  return { world, problems }
}

/** All schedules: every call × both sides × receivers × what the queue does. */
export async function everySchedule(plant?: Plant, only = QUEUES as readonly Schedule['queue'][]) {
  const schedules: Schedule[] = []
  const kinds: Schedule[] = FAILS.flatMap((fails) => only.map((queue) => ({ fails, queue })))
  if (plant === undefined) kinds.push({ fails: 1, queue: 'orderly', deletes: true })
  for (const kind of kinds) {
    const { world } = await runSchedule(kind, plant)
    // A crash makes further calls; a world without one tells where the schedule ends at least.
    for (let call = 1; call <= world.calls + 12; call += 1)
      for (const side of ['before', 'after'] as const) schedules.push({ ...kind, call, side })
  }
  return schedules
}
