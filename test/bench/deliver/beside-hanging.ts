import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { postWebhook } from '#shared/adapters/http/post-webhook.ts'
import { deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import { deliverySlots, SLOTS_PER_SUBSCRIPTION } from '#shared/domain/delivery-slots.ts'
import { spreadOf } from '../spread.ts'
import { type Figures, rounded } from './figures.ts'
import { inParallel } from './measured.ts'
import { startReceiverThread } from './receiver-thread.ts'
import { numbered, remaining, stubbedActs } from './stubbed-acts.ts'

const HANGING = 50
/** Deliveries that wait for each receiver that hangs. */
const BACKLOG = 10
const HEALTHY_DELIVERIES = 1_000

/** Receivers that never answer, each on a host of its own: one host would let only a few of its own hang. */
function silentServers(count: number): Promise<Server[]> {
  const listening = Array.from({ length: count }, () => {
    const server = createServer(() => undefined)
    return new Promise<Server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
  })
  return Promise.all(listening)
}

/** Median latency (ms) of a healthy subscription beside so many that hang, in one process with its own bounds. */
async function latencyBeside(url: string, hanging: number): Promise<number> {
  const silent = await silentServers(hanging)
  const guarded = guardedRequest(localRules())
  const post = postWebhook(guarded, 'bench')
  const slots = deliverySlots()
  const running = silent.flatMap((server, number) => {
    const acts = {
      ...stubbedActs(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, post),
      slots,
    }
    const webhook_id = numbered('wh', number + 1)
    return Array.from({ length: BACKLOG }, (_, waiting) =>
      deliverWebhook(acts, { webhook_id, delivery_id: numbered('dlv', waiting) }, remaining).catch(
        () => undefined,
      ),
    )
  })
  const well = { ...stubbedActs(url, post), slots }
  const latencies: number[] = []
  await inParallel(
    HEALTHY_DELIVERIES,
    async (number) => {
      const at = performance.now()
      const call = { webhook_id: numbered('wh', 0), delivery_id: numbered('dlv', number) }
      const outcome = await deliverWebhook(well, call, remaining)
      if (outcome !== 'delivered') throw new Error(`a healthy delivery was ${outcome}`)
      latencies.push(performance.now() - at)
    },
    SLOTS_PER_SUBSCRIPTION,
  )
  for (const server of silent) {
    server.closeAllConnections()
    server.close()
  }
  await guarded.close()
  await Promise.all(running)
  return spreadOf(latencies).median
}

/** A healthy subscription alone and beside 50 whose receivers hang, in alternating runs. */
export async function besideHanging(pairs: number): Promise<Figures> {
  const receiver = await startReceiverThread()
  const runs: { alone: number; beside: number }[] = []
  for (let pair = -1; pair < pairs; pair += 1) {
    const run = {
      alone: await latencyBeside(receiver.url, 0),
      beside: await latencyBeside(receiver.url, HANGING),
    }
    // The first pair only warms up.
    if (pair >= 0) runs.push(run)
  }
  await receiver.stop()
  const ratio = spreadOf(runs.map(({ alone, beside }) => beside / alone))
  return {
    healthy_alone_ms: rounded(spreadOf(runs.map(({ alone }) => alone))),
    healthy_beside_50_hanging_ms: rounded(spreadOf(runs.map(({ beside }) => beside))),
    beside_to_alone: { ...rounded(ratio), goal: '≤ 1.5' },
  }
}
