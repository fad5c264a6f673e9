import type { Clock, DeliveryStore } from './ports.ts'

/** Between two notes of one process: a handful of writes a minute however much goes through. */
const NOTE_EVERY_MS = 20_000

/**
 * Makes what workers tell how late their messages are: it is noted at most every 20 s, the greatest since the last note
 * that could be written.
 */
export function latenessNotes(
  deliveries: Pick<DeliveryStore, 'noteLateness'>,
  clock: Clock,
): (latenessMs: number) => Promise<void> {
  let notedAt = Number.NEGATIVE_INFINITY
  let greatest = 0
  return async (latenessMs) => {
    greatest = Math.max(greatest, latenessMs, 0)
    const now = clock()
    // A clock that was set back says nothing of how long it is ago.
    if (now >= notedAt && now - notedAt < NOTE_EVERY_MS) return
    const note = greatest
    notedAt = now
    greatest = 0
    try {
      await deliveries.noteLateness(now, note)
    } catch (error) {
      greatest = Math.max(greatest, note)
      throw error
    }
  }
}
