import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { summaryCard } from '#shared/domain/investigation/screen/summary-card.ts'
import { sampleEntry, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { answersUnmodified } from './answers-unmodified.ts'
import { refusesAlike } from './refusals.ts'
import { type Service, startService, withKey } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('get-incident', () => service)

/** Opens an incident and gives it a root cause, as the worker does. */
async function analysed(pieces: number, characters: number) {
  const { incidents } = await import('#shared/runtime.ts')
  const { id } = await service.done('create-incident', {
    body: { title: 'Checkout fails', severity: 'high' },
  })
  const lease = await incidents().claimInvestigation(id, Date.now(), Date.now() + 60_000)
  if (lease === undefined) throw new Error('the investigation is not due')
  const rootCause = sampleRootCause(pieces, characters)
  expect(await incidents().completeInvestigation(lease, rootCause, sampleEntry(Date.now(), 'analysed'))).toBe(
    true,
  )
  return { id, rootCause }
}

describe('200', () => {
  it('has no summary card before anything was analysed', async () => {
    const { id } = await service.done('create-incident', { body: { title: 'x', severity: 'low' } })
    expect((await service.done('get-incident', { id })).summary_card).toBeNull()
  })

  it('shows the root cause whole, where lists show three pieces of its evidence', async () => {
    const { id, rootCause } = await analysed(40, 900)
    const got = await service.done('get-incident', { id })
    expect(got.analysis).toBe('done')
    expect(got.root_cause).toEqual(rootCause)
    expect(got.summary_card).toEqual(summaryCard(rootCause))
    const { incidents } = await service.done('list-incidents', { query: { limit: '1' } })
    expect(incidents[0].id).toBe(id)
    expect(incidents[0].root_cause.evidence.length).toBeLessThanOrEqual(3)
    expect(incidents[0].root_cause.summary).toBe(rootCause.summary)
  })

  it('shows a root cause whole that is larger than an item of the store', async () => {
    const { id, rootCause } = await analysed(200, 2_000)
    expect((await service.done('get-incident', { id })).root_cause).toEqual(rootCause)
  })

  it('shows the timeline in the order in which things happened, with who did them', async () => {
    const { id } = await service.done('create-incident', { body: { title: 'x', severity: 'low' } })
    await service.done('update-incident', { id, body: { status: 'investigating' } })
    await service.done('update-incident', { id, body: { severity: 'high', title: 'y' } })
    await service.done('request-investigation', { id })
    await service.done('update-incident', { id, body: { status: 'resolved' } })
    const { timeline, ...incident } = await service.done('get-incident', { id })
    expect(timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
      'created',
      'status_changed',
      'severity_changed',
      'title_changed',
      'analysis_requested',
      'status_changed',
    ])
    const instants = timeline.map(({ at }: { at: string }) => at)
    expect(instants).toEqual([...instants].sort())
    for (const entry of timeline) expect(entry.by).toMatch(/^key_/)
    expect(incident.resolved_at).toBe(timeline.at(-1).at)
  })

  it('is what has just been written', async () => {
    const { id } = await service.done('create-incident', { body: { title: 'x', severity: 'low' } })
    for (const title of ['a', 'b', 'c']) {
      await service.done('update-incident', { id, body: { title } })
      expect((await service.done('get-incident', { id })).title).toBe(title)
    }
  })
})

describe('304', () => {
  const opened = async () =>
    (await service.done('create-incident', { body: { title: 'x', severity: 'low' } })).id as string
  let changes = 0
  answersUnmodified(
    'get-incident',
    () => service,
    opened,
    (id) => {
      changes += 1
      return service.done('update-incident', { id, body: { title: `x ${changes}` } })
    },
  )

  it('is not for one that holds the version before an analysis was requested, began, or ended', async () => {
    const { incidents } = await import('#shared/runtime.ts')
    const id = await opened()
    const tags: (string | undefined)[] = []
    const look = async () => tags.push((await service.call('get-incident', { id })).headers.ETag)
    await look()
    await service.done('request-investigation', { id })
    await look()
    const lease = await incidents().claimInvestigation(id, Date.now(), Date.now() + 60_000)
    if (lease === undefined) throw new Error('the investigation is not due')
    await look()
    await incidents().completeInvestigation(
      lease,
      sampleRootCause(3, 100),
      sampleEntry(Date.now(), 'analysed'),
    )
    await look()
    expect(new Set(tags).size).toBe(tags.length)
  })

  it('is for one that holds the ETag which the last write answered', async () => {
    const made = await service.call('create-incident', { body: { title: 'x', severity: 'low' } })
    const read = (held = '') => {
      const headers = { ...withKey(service.adminKey), 'If-None-Match': held }
      return service.call('get-incident', { id: made.body.id, headers })
    }
    expect((await read(made.headers.ETag)).status).toBe(304)
    const changed = await service.call('update-incident', { id: made.body.id, body: { title: 'y' } })
    expect((await read(made.headers.ETag)).status).toBe(200)
    expect((await read(changed.headers.ETag)).status).toBe(304)
  })
})
