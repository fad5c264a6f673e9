import { type PingResult, ping } from '#shared/domain/ping-webhook.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, pingActs, webhookRepeats } from '#shared/runtime.ts'

export const handler = endpoint('ping-webhook', keeping, () =>
  repeatable('ping-webhook', webhookRepeats, {
    long: true,
    first: async ({ id }, claim) => {
      const result = await ping(pingActs(), id)
      if (claim !== undefined)
        await webhookRepeats.records().finish(claim, result.event_id, JSON.stringify(result))
      return result
    },
    again: async (_call, { result }) => JSON.parse(result ?? 'null') as PingResult,
    answer: (result) => ({ body: result }),
  }),
)
