import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('rotate-webhook-secret', () => service)

const created = () => service.done('create-webhook', { body: SAMPLE_WEBHOOK })
const NEXT = 'whsec_pNQ7Tw5q0R9UZ1hS2m3vKx4y5z6A7b8C'
const secretsOf = async (id: string, at: number) => {
  const { webhooks } = await import('#shared/runtime.ts')
  return (await webhooks().open(id, at))?.secrets
}

describe('200', () => {
  it('lets both secrets sign for the overlap, the new one first, then the new one alone', async () => {
    const made = await created()
    const got = await service.call('rotate-webhook-secret', {
      id: made.id,
      body: { secret: NEXT, overlap_seconds: 3600 },
    })
    expect(got.status).toBe(200)
    expect(got.body).toEqual({
      ...made,
      updated_at: expect.any(String),
      previous_secret_valid_until: expect.any(String),
    })
    const until = Date.parse(got.body.previous_secret_valid_until)
    expect(until - Date.parse(got.body.updated_at)).toBe(3_600_000)
    expect(await secretsOf(made.id, until - 1)).toEqual([NEXT, SAMPLE_WEBHOOK.secret])
    expect(await secretsOf(made.id, until)).toEqual([NEXT])
  })

  it('overlaps for a day unless told otherwise, and not at all for 0', async () => {
    const { id } = await created()
    const day = await service.done('rotate-webhook-secret', { id, body: { secret: NEXT } })
    expect(Date.parse(day.previous_secret_valid_until) - Date.parse(day.updated_at)).toBe(86_400_000)
    await service.done('rotate-webhook-secret', { id, body: { secret: 'y'.repeat(24), overlap_seconds: 0 } })
    expect(await secretsOf(id, Date.now())).toEqual(['y'.repeat(24)])
  })

  it('takes a short secret with a warning, and never shows any', async () => {
    const { id } = await created()
    const got = await service.call('rotate-webhook-secret', { id, body: { secret: 'short' } })
    expect(got.body.warnings).toEqual([expect.stringContaining('5 bytes')])
    expect(JSON.stringify(got.body)).not.toContain('short"')
  })
})

describe('400', () => {
  it.each([
    ['no secret', {}, 'secret'],
    ['a secret that is no ASCII', { secret: 'ä'.repeat(24) }, 'secret'],
    ['an overlap of more than a week', { secret: NEXT, overlap_seconds: 604_801 }, 'overlap_seconds'],
    ['a negative overlap', { secret: NEXT, overlap_seconds: -1 }, 'overlap_seconds'],
    ['half a second', { secret: NEXT, overlap_seconds: 0.5 }, 'overlap_seconds'],
  ])('names the field for %s', async (_name, body, field) => {
    const { id } = await created()
    expectInvalid(await service.call('rotate-webhook-secret', { id, body }), field)
  })
})

describe('409', () => {
  it('tells the later of two that rotate at once', async () => {
    const { id } = await created()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        service.call('rotate-webhook-secret', { id, body: { secret: `${number}`.repeat(24) } }),
      ),
    )
    for (const got of answers) if (got.status !== 200) expectError(got, 409, 'INVALID_REQUEST')
    const { webhooks } = await import('#shared/runtime.ts')
    const written = answers.filter(({ status }) => status === 200).length
    expect((await webhooks().get(id))?.version).toBe(1 + written)
  })
})
