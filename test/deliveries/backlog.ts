import type { DeliveryCall, Due } from '#shared/domain/ports.ts'
import { type SweepActs, sweepDeliveries } from '#shared/domain/sweep-deliveries.ts'

const MINUTE = 60_000
const ROWS = 100_000
/** Deliveries that the workers take of the queue in a minute: fewer than the sweeper may ring for. */
const WORKED_A_MINUTE = 1_000

/**
 * The sweeper against a backlog that its workers need a hundred minutes for: rows by their due instants, a queue in order.
 * @returns how often it rang in all
 */
export async function backlog(plant: {
  readonly movesNothing?: boolean
  readonly ignoresLateness?: boolean
}): Promise<{ readonly rings: number; readonly rows: number; readonly left: number }> {
  let now = 100 * MINUTE
  const due = new Map<string, number>()
  for (let row = 0; row < ROWS; row += 1) due.set(`dlv_${row}`, row / 1_000)
  const queue: { readonly id: string; readonly sentAt: number }[] = []
  let head = 0
  let rings = 0
  let noted: { at: number; lateness_ms: number } | undefined
  const acts = {
    clock: () => now,
    events: { waiting: () => Promise.resolve([]) },
    deliveries: {
      due: (before: number, limit: number) => {
        const found: Due[] = []
        for (const [delivery_id, due_at] of due) {
          if (due_at < before) found.push({ webhook_id: 'wh_1', delivery_id, due_at })
        }
        found.sort((a, b) => a.due_at - b.due_at)
        return Promise.resolve(found.slice(0, limit))
      },
      rung: ({ delivery_id }: Due, again: number) => {
        if (plant.movesNothing !== true && due.has(delivery_id ?? '')) due.set(delivery_id ?? '', again)
        return Promise.resolve()
      },
      lateness: () => Promise.resolve(plant.ignoresLateness === true ? undefined : noted),
    },
    deliveryDoorbell: {
      ring: (calls: readonly DeliveryCall[]) => {
        rings += calls.length
        for (const { delivery_id } of calls) queue.push({ id: delivery_id ?? '', sentAt: now })
        return Promise.resolve()
      },
      waiting: () => Promise.resolve(queue.length - head),
    },
  } as unknown as SweepActs
  for (let minute = 0; minute < 400 && due.size > 0; minute += 1) {
    await sweepDeliveries(acts)
    now += MINUTE
    let lateness = 0
    for (let worked = 0; worked < WORKED_A_MINUTE && head < queue.length; head += 1) {
      const { id, sentAt } = queue[head] ?? { id: '', sentAt: 0 }
      lateness = Math.max(lateness, now - sentAt)
      // A message for what is done costs next to nothing.
      if (due.delete(id)) worked += 1
    }
    noted = { at: now, lateness_ms: lateness }
  }
  return { rings, rows: ROWS, left: due.size }
}
