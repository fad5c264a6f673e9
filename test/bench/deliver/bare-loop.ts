import { Agent, request } from 'undici'
import { hmacSign } from '#shared/adapters/hmac-sign.ts'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { postWebhook } from '#shared/adapters/http/post-webhook.ts'
import { webhookHeaders } from '#shared/domain/signature.ts'
import { spreadOf } from '../spread.ts'
import { type Figures, rounded } from './figures.ts'
import { inParallel, type Measured, measured } from './measured.ts'
import { startReceiverThread } from './receiver-thread.ts'
import { BATCH, BODY, EVENT, numbered, secretOf, stubbedActs, withoutLog, worker } from './stubbed-acts.ts'

/**
 * The whole path of the worker with its stores stubbed (batch, reads, claim, sign, post, commit, log), beside a bare loop
 * of undici that only signs and posts to the same receiver, in alternating runs.
 */
export async function besideBareLoop(pairs: number, count: number): Promise<Figures> {
  const receiver = await startReceiverThread()
  const guarded = guardedRequest(localRules())
  const work = worker(stubbedActs(receiver.url, postWebhook(guarded, 'bench')))
  const sign = hmacSign()
  const secrets = [secretOf(numbered('wh', 0))]
  // Its own: without one undici takes the dispatcher of Node, which is an undici of another version.
  const dispatcher = new Agent()
  const bare = async () => {
    const headers = webhookHeaders(EVENT, Date.now(), BODY, secrets, sign)
    const { body } = await request(receiver.url, { method: 'POST', headers, body: BODY, dispatcher })
    await body.dump()
  }
  const runs = await withoutLog(async () => {
    await inParallel(count / BATCH, work)
    await inParallel(count, bare)
    const made: { worker: Measured; bare: Measured }[] = []
    for (let pair = 0; pair < pairs; pair += 1)
      made.push({ worker: await measured(count, work, BATCH), bare: await measured(count, bare) })
    return made
  })
  await guarded.close()
  await dispatcher.destroy()
  await receiver.stop()
  const spread = (read: (run: (typeof runs)[number]) => number) => spreadOf(runs.map(read))
  return {
    worker_per_second: rounded(spread((run) => run.worker.perSecond)),
    worker_cpu_us: { ...rounded(spread((run) => run.worker.cpuUs)), goal: '≤ 100' },
    bare_per_second: rounded(spread((run) => run.bare.perSecond)),
    bare_cpu_us: rounded(spread((run) => run.bare.cpuUs)),
    worker_to_bare_cpu: { ...rounded(spread((run) => run.worker.cpuUs / run.bare.cpuUs)), goal: '≤ 4' },
  }
}

/** Own code alone: nothing goes out, so that only what the service itself does is counted. */
export async function ownCode(pairs: number, count: number): Promise<Figures> {
  const answered = { kind: 'answered', status: 204, retryAfter: null, response: '' } as const
  const work = worker(stubbedActs('https://example.com/', () => Promise.resolve(answered)))
  const runs = await withoutLog(async () => {
    await inParallel(count / BATCH, work)
    const made: Measured[] = []
    for (let pair = 0; pair < pairs; pair += 1) made.push(await measured(count, work, BATCH))
    return made
  })
  return {
    own_code_per_core_second: {
      ...rounded(spreadOf(runs.map(({ cpuUs }) => 1_000_000 / cpuUs))),
      goal: '≥ 10,000',
    },
    own_code_cpu_us: { ...rounded(spreadOf(runs.map(({ cpuUs }) => cpuUs))), goal: '≤ 100' },
  }
}
