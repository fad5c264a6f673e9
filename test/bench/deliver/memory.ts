import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { postWebhook } from '#shared/adapters/http/post-webhook.ts'
import { type Figures, single } from './figures.ts'
import { inParallel } from './measured.ts'
import { startReceiverThread } from './receiver-thread.ts'
import { BATCH, stubbedActs, withoutLog, worker } from './stubbed-acts.ts'

/** More than any cache of the worker keeps, so that whatever it keeps has been thrown out and made again. */
const SUBSCRIPTIONS = 2_000
/** Stretches after each of which is looked; none of them may grow. */
const STRETCHES = 10
const MB = 1_048_576

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is held after everything that nobody holds is gone. */
function heldBytes(): number {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Memory over many deliveries to many subscriptions, each with an id of its own, after a tenth of them to warm up. */
export async function memory(count: number): Promise<Figures> {
  const receiver = await startReceiverThread()
  const guarded = guardedRequest(localRules())
  const work = worker(stubbedActs(receiver.url, postWebhook(guarded, 'bench')), SUBSCRIPTIONS)
  const batches = Math.ceil(count / STRETCHES / BATCH)
  let done = 0
  const stretch = async () => {
    const first = done
    done += batches
    await inParallel(batches, (number) => work(first + number), 4)
    return heldBytes()
  }
  const held = await withoutLog(async () => {
    const seen = [await stretch()]
    for (let made = 0; made < STRETCHES; made += 1) seen.push(await stretch())
    return seen
  })
  await guarded.close()
  await receiver.stop()
  const [before = 0] = held
  const grown = (held.at(-1) ?? 0) - before
  return {
    memory_deliveries: single(batches * BATCH * STRETCHES),
    memory_held_mb: single((held.at(-1) ?? 0) / MB),
    memory_grown_mb_per_100k: single(((grown / MB) * 100_000) / (batches * BATCH * STRETCHES), '≤ 1'),
    memory_most_above_start_mb: single((Math.max(...held) - before) / MB),
  }
}
