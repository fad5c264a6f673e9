import { pushSignals } from '#shared/domain/push-signals.ts'
import type { SignalCounts } from '#shared/domain/signals.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'
import { keeping, signalActs, signalRepeats } from '#shared/runtime.ts'

export const handler = endpoint('push-signals', keeping, () =>
  repeatable('push-signals', signalRepeats, {
    // The same batch is the same item, so it may be kept before the request is recorded.
    long: true,
    first: async ({ body }, claim) => {
      const counts = await pushSignals(signalActs(), body)
      if (claim !== undefined) await signalRepeats.records().finish(claim, 'signals', JSON.stringify(counts))
      return counts
    },
    again: async (_call, { result }) => JSON.parse(result ?? 'null') as SignalCounts,
    answer: (counts) => ({ body: counts }),
  }),
)
