import { dueIncident } from '#shared/domain/due-incident.ts'
import { fanOut, newEvent } from '#shared/domain/fan-out.ts'
import { streamWorker } from '#shared/edge/worker.ts'
import { doorbell, sweepActs } from '#shared/runtime.ts'

export const handler = streamWorker('relay-events', async (images) => {
  const due = images.flatMap((image) => dueIncident(image) ?? [])
  if (due.length > 0) await doorbell().ring(due)
  for (const image of images) {
    const event = newEvent(image)
    if (event !== null) await fanOut(sweepActs(), event)
  }
})
