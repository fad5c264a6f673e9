import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openIncident } from '#shared/domain/open-incident.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { sampleEntry, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { investigate, sweep } from './invocations.ts'

const MINUTE = 60_000

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
})
afterAll(() => service.stop())

const runtime = () => import('#shared/runtime.ts')
const opened = async (at = Date.now()): Promise<string> => {
  const acts = { ...(await runtime()).incidentActs(), clock: () => at }
  return (await openIncident(acts, { title: 'x', severity: 'low' }, { id: 'key_1', type: 'admin' })).id
}
const rung = async () =>
  (await service.messages()).map(({ body }) => (JSON.parse(body) as { incident_id: string }).incident_id)
const claim = async (id: string, until: number) => {
  const lease = await (await runtime()).incidents().claimInvestigation(id, Date.now(), until)
  if (lease === undefined) throw new Error(`${id} is not due`)
  return lease
}
/** Every investigation ends, so that the next test begins with none due. */
beforeEach(async () => {
  const incidents = (await runtime()).incidents()
  for (const id of await incidents.dueInvestigations(Number.MAX_SAFE_INTEGER, 500)) {
    const { fence } = (await incidents.claimInvestigation(id, Date.now() + 1e9, Date.now() + 2e9)) ?? {
      fence: 0,
    }
    const lease = { incident: { id }, fence, attempt: 1 } as never
    await incidents.completeInvestigation(lease, sampleRootCause(), sampleEntry(Date.now(), 'analysed'))
  }
  await service.messages()
})

describe('the sweeper', () => {
  it('rings for nothing when nothing is due', async () => {
    expect(await sweep()).toBe(0)
    expect(await rung()).toEqual([])
  })

  it('rings for what is overdue and for what lost its worker, and for nothing else', async () => {
    const incidents = (await runtime()).incidents()
    const overdue = await opened()
    const abandoned = await opened(Date.now() - MINUTE)
    await claim(abandoned, Date.now() - 1)
    const running = await opened()
    await claim(running, Date.now() + MINUTE)
    const later = await opened()
    await incidents.failInvestigation(
      await claim(later, Date.now() + MINUTE),
      Date.now() + MINUTE,
      sampleEntry(Date.now(), 'analysis_failed'),
    )
    const givenUp = await opened()
    await incidents.failInvestigation(
      await claim(givenUp, Date.now() + MINUTE),
      null,
      sampleEntry(Date.now(), 'analysis_failed'),
    )
    const done = await opened()
    await incidents.completeInvestigation(
      await claim(done, Date.now() + MINUTE),
      sampleRootCause(),
      sampleEntry(Date.now(), 'analysed'),
    )

    expect(await sweep()).toBe(2)
    expect((await rung()).sort()).toEqual([overdue, abandoned].sort())
  })

  it('rings for a failed one as soon as its wait is over', async () => {
    const incidents = (await runtime()).incidents()
    const id = await opened()
    await incidents.failInvestigation(
      await claim(id, Date.now() + MINUTE),
      Date.now() - 1,
      sampleEntry(Date.now(), 'analysis_failed'),
    )
    expect(await sweep()).toBe(1)
    expect(await rung()).toEqual([id])
  })

  it('brings an investigation to its end whose every message was lost', async () => {
    const { id } = await service.done('create-incident', { body: { title: 'x', severity: 'low' } })
    await sweep()
    expect(await investigate(await service.messages())).toEqual([])
    expect((await service.done('get-incident', { id })).analysis).toBe('done')
    expect(await sweep()).toBe(0)
  })

  it('does no harm when it rings twice for the same', async () => {
    const id = await opened()
    await sweep()
    await sweep()
    const messages = await service.messages()
    expect(messages).toHaveLength(2)
    expect(await investigate(messages)).toEqual([])
    const { analysis, timeline } = await service.done('get-incident', { id })
    expect(analysis).toBe('done')
    expect(timeline.filter(({ kind }: { kind: string }) => kind === 'analysed')).toHaveLength(1)
  })
})
