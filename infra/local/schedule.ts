import { randomUUID } from 'node:crypto'
import type { ScheduledEvent } from 'aws-lambda'
import type { Schedule } from './deployment.ts'
import type { Invoke } from './function-host.ts'
import type { Poller } from './queue-poller.ts'

/** The event that an EventBridge rule with a rate sends at an instant (ms). */
export const scheduledEvent = (functionId: string, at: number): ScheduledEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  // EventBridge gives whole seconds.
  time: new Date(Math.floor(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z'),
  region: 'us-east-1',
  resources: [`arn:aws:events:us-east-1:000000000000:rule/${functionId}`],
  detail: {},
})

/**
 * Invokes a function at once and then at its rate. At once, because a rate only begins a full interval after it is
 * made: what was left over by a runner that was killed goes on without that wait. A run that fails is not repeated:
 * the next one comes soon enough.
 */
export function startSchedule(
  schedule: Schedule,
  invoke: Invoke,
  log: (line: string) => void = () => {},
): Poller {
  const running = new Set<Promise<void>>()
  const run = () => {
    const work = invoke(schedule.functionId, scheduledEvent(schedule.functionId, Date.now()))
      .then((outcome) => {
        if (!outcome.ok) log(`${schedule.functionId}: ${outcome.error.type}: ${outcome.error.message}`)
      })
      .finally(() => running.delete(work))
    running.add(work)
  }
  run()
  const timer = setInterval(run, schedule.everyMs)
  return {
    close: async (mostMs) => {
      clearInterval(timer)
      await Promise.race([
        Promise.all(running),
        new Promise((resolve) => {
          if (mostMs !== undefined) setTimeout(resolve, mostMs).unref()
        }),
      ])
    },
  }
}
