import { AllThenFail } from './all-then-fail.ts'
import { type FanOutActs, fanOut } from './fan-out.ts'
import type { DeliveryDoorbell, DeliveryStore, Due, EventStore } from './ports.ts'

export interface SweepActs extends FanOutActs {
  readonly events: EventStore
  readonly deliveries: Pick<DeliveryStore, 'idOf' | 'add' | 'due' | 'rung' | 'lateness'>
  readonly deliveryDoorbell: DeliveryDoorbell
}

/** What is overdue by less is on its way in the queue. */
export const OVERDUE_MS = 120_000
/** What was rung for is not rung for again before this long has passed (and it is overdue once more). */
export const RING_AGAIN_MS = 180_000
/** Rings of one run: what a run of 50 s can write; the next run takes the rest. */
export const SWEEP_MOST = 5_000
/** Events fanned out in one run. */
const EVENTS_MOST = 200
/** A queue this late has no use for more messages. */
const LATE_MS = 120_000
/** Calls in one ring, and rows noted at once. */
const TOGETHER = 50

/**
 * How late the queue is, about (ms). Its workers note how late what they take is; where messages wait and nobody has
 * noted anything for as long as that, nobody takes any.
 */
async function queueLateness({ deliveries, deliveryDoorbell, clock }: SweepActs): Promise<number> {
  const [waiting, noted] = await Promise.all([deliveryDoorbell.waiting(), deliveries.lateness()])
  if (waiting === 0 || noted === undefined) return 0
  const silence = clock() - noted.at
  return silence > LATE_MS ? silence : noted.lateness_ms
}

async function ringFor(acts: SweepActs, due: readonly Due[]): Promise<void> {
  for (let start = 0; start < due.length; start += TOGETHER) {
    const part = due.slice(start, start + TOGETHER)
    await acts.deliveryDoorbell.ring(part)
    const again = acts.clock() + RING_AGAIN_MS
    await Promise.all(part.map((each) => acts.deliveries.rung(each, again)))
  }
}

/**
 * Finds what everybody else lost: events that no relay fanned out, deliveries whose doorbell or worker is gone, retries
 * whose wait is longer than a queue's, recoveries that stopped.
 * An event that cannot be fanned out keeps no other waiting, nor any delivery; nor does anything that cannot be asked.
 * @returns how many it rang for
 * @throws what failed, after all else was done
 */
export async function sweepDeliveries(acts: SweepActs): Promise<number> {
  const before = acts.clock() - OVERDUE_MS
  const run = new AllThenFail()
  // Asked first: what this run itself rings for waits, too. Where nobody can say it, no delivery is kept back for it.
  const lateness = (await run.try(() => queueLateness(acts))) ?? 0
  const waiting = (await run.try(() => acts.events.waiting(before, EVENTS_MOST))) ?? []
  let rung = 0
  for (const id of waiting) rung += (await run.try(() => fanOut(acts, id))) ?? 0
  // More messages would only make a late queue later, and each delivery be rung for again and again.
  if (lateness <= LATE_MS) {
    const ringing = run.try(async () => {
      const due = await acts.deliveries.due(before, SWEEP_MOST)
      await ringFor(acts, due)
      return due.length
    })
    rung += (await ringing) ?? 0
  }
  run.end()
  return rung
}
