import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AlertWindows } from '#shared/domain/alerts/fold-alerts.ts'
import { type IntakeOptions, IntakeWorld, type Outcome } from './intake-world.ts'
import { STREAMS } from './recorded-streams.ts'

const MINUTE = 60_000
/** As deployed. */
const WINDOWS: AlertWindows = {
  quiet_ms: MINUTE,
  reopen_ms: 10 * MINUTE,
  repeats_stale_ms: 720 * MINUTE,
  silent_stale_ms: 240 * MINUTE,
}
/** Longer than an incident is held back for what waits. */
const LATE_MS = 5 * MINUTE

type Given = Partial<Omit<IntakeOptions, 'type' | 'windows'>>

async function replay(type: string, bodies: readonly unknown[], given: Given = {}) {
  const intake = new IntakeWorld({ type, windows: WINDOWS, ...given })
  await intake.prepare()
  for (const [index, body] of bodies.entries()) {
    await intake.post(body)
    // The worker takes some messages alone and some together.
    if (index % 3 !== 1) await intake.takeIn()
  }
  await intake.pass(30)
  return intake
}

/** The incidents of a replay that nothing disturbed. */
const undisturbed = async (type: string, bodies: readonly unknown[]) =>
  (await replay(type, bodies)).outcomes()

/**
 * Every call of a replay, on both of its sides, or on the one or the other in turn. A crash makes further calls, so
 * that a few at the end are not reached.
 */
async function crashes(type: string, bodies: readonly unknown[], sides: 'both' | 'in turn') {
  const { world } = await replay(type, bodies)
  const calls = Array.from({ length: world.calls + 6 }, (_, index) => index + 1)
  return calls.flatMap((call): NonNullable<IntakeOptions['crash']>[] => {
    const [before, after] = [{ call, side: 'before' } as const, { call, side: 'after' } as const]
    return sides === 'both' ? [before, after] : [call % 2 === 0 ? before : after]
  })
}

const thrice = (bodies: readonly unknown[]) => bodies.flatMap((body) => [body, body, body])
const backwards = (bodies: readonly unknown[]) => [...bodies].reverse()

beforeAll(() => {
  // Every crash is an error that the service logs.
  process.env.LOG_LEVEL = 'SILENT'
})

describe.each(STREAMS)('what a real %s posted to the endpoint', (type, bodies) => {
  it('is incidents of which a receiver hears once that they began, and once that they are over', async () => {
    const intake = await replay(type, bodies)
    expect(intake.problems()).toEqual([])
    const outcomes = intake.outcomes()
    expect(outcomes.length).toBeGreaterThan(1)
    for (const { status, events } of outcomes)
      expect(events).toEqual(
        status === 'resolved' ? ['incident.created', 'incident.resolved'] : ['incident.created'],
      )
  })

  it('ends in the same incidents and events in any order, and with every message sent three times', async () => {
    const inOrder = await undisturbed(type, bodies)
    const all = thrice(bodies)
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(all, { minLength: all.length }), async (shuffled) => {
        const intake = await replay(type, shuffled)
        expect(intake.problems()).toEqual([])
        expect(intake.outcomes()).toEqual(inOrder)
      }),
      { numRuns: 20 },
    )
  })

  it.each([
    ['in order', 'both' as const, (all: readonly unknown[]) => all],
    ['three times each, backwards', 'in turn' as const, (all: readonly unknown[]) => backwards(thrice(all))],
  ])(
    'ends in the same incidents and events wherever a process dies: %s',
    async (_name, sides, arranged) => {
      const inOrder = await undisturbed(type, bodies)
      const sent = arranged(bodies)
      const all = await crashes(type, sent, sides)
      let [died, resent] = [0, 0]
      const failures: string[] = []
      for (const crash of all) {
        const intake = await replay(type, sent, { crash })
        if (intake.world.crashedAt !== null) died += 1
        resent += intake.resent
        const problems = [...intake.problems()]
        try {
          expect(intake.outcomes()).toEqual(inOrder)
        } catch (error) {
          problems.push((error as Error).message)
        }
        if (problems.length > 0)
          failures.push(`${JSON.stringify(crash)} (${intake.world.crashedAt}): ${problems.join('; ')}`)
      }
      expect(failures).toEqual([])
      // A proof that never sees a crash, or no sender that repeats itself, proves nothing.
      expect(died).toBeGreaterThanOrEqual(all.length - 20)
      expect(resent).toBeGreaterThanOrEqual(bodies.length)
    },
    300_000,
  )

  it('opens an incident again, and makes no other one, when what a worker died with comes very late', async () => {
    const shown = (outcomes: readonly Outcome[]) =>
      outcomes.map(({ service, severity, status, alerts }) => ({
        service,
        severity,
        over: status === 'resolved',
        alerts,
      }))
    const inOrder = shown(await undisturbed(type, bodies))
    for (const crash of await crashes(type, bodies, 'in turn')) {
      const intake = await replay(type, bodies, { redeliveredMs: LATE_MS, crash })
      const where = `${JSON.stringify(crash)} (${intake.world.crashedAt})`
      expect(intake.problems(), where).toEqual([])
      expect(shown(intake.outcomes()), where).toEqual(inOrder)
    }
  }, 300_000)

  it('is seen to be lost with a worker that acknowledges before it has written', async () => {
    const inOrder = await undisturbed(type, bodies)
    for (const crash of await crashes(type, bodies, 'both')) {
      const intake = await replay(type, bodies, { crash, acksFirst: true })
      if (JSON.stringify(intake.outcomes()) !== JSON.stringify(inOrder)) return
    }
    expect.unreachable('no crash lost anything')
  }, 300_000)
})

describe('an alert that fires again within the quiet time, in hands that die', () => {
  const said = (status: 'firing' | 'resolved', startsAt: string) => ({
    version: '4',
    status,
    alerts: [
      {
        status,
        fingerprint: '187a5843d203a50f',
        labels: { alertname: 'HighErrorRate', service: 'checkout' },
        startsAt,
        endsAt: status === 'resolved' ? '2026-01-31T12:01:00Z' : '0001-01-01T00:00:00Z',
      },
    ],
  })
  const bodies = [
    said('firing', '2026-01-31T12:00:00Z'),
    said('resolved', '2026-01-31T12:00:00Z'),
    // Sent again, so that a worker has what comes last alone.
    said('resolved', '2026-01-31T12:00:00Z'),
    said('firing', '2026-01-31T12:01:30Z'),
  ]
  const outcomesOf = async (given: Given) =>
    JSON.stringify((await replay('alertmanager', bodies, given)).outcomes())
  /** Later than the quiet time is over, and earlier than nothing is held back any more. */
  const redeliveredMs = 1.5 * MINUTE

  it('is never told as over, wherever that is', async () => {
    const inOrder = await undisturbed('alertmanager', bodies)
    expect(inOrder).toMatchObject([{ status: 'open', events: ['incident.created'] }])
    for (const crash of await crashes('alertmanager', bodies, 'both'))
      expect(await outcomesOf({ crash, redeliveredMs }), JSON.stringify(crash)).toBe(JSON.stringify(inOrder))
  }, 60_000)

  it('is seen to be told as over where nobody looks at what waits', async () => {
    const inOrder = await outcomesOf({})
    for (const crash of await crashes('alertmanager', bodies, 'both'))
      if ((await outcomesOf({ crash, redeliveredMs, looksAway: true })) !== inOrder) return
    expect.unreachable('no incident was resolved too early')
  }, 60_000)
})

describe('a message that no queue holds', () => {
  const body = {
    version: '4',
    // As little as still is too much when it is packed: this is packed very often here.
    noise: randomBytes(200_000).toString('base64'),
    alerts: [
      {
        status: 'firing',
        fingerprint: '187a5843d203a50f',
        labels: { alertname: 'HighErrorRate', service: 'checkout' },
        startsAt: '2026-01-31T12:00:00Z',
      },
    ],
  }

  it('makes one incident wherever a process dies that has it, and leaves no body but one of which nobody was told', async () => {
    const calm = new IntakeWorld({ type: 'alertmanager', windows: WINDOWS })
    await calm.prepare()
    await calm.post(body)
    expect([calm.world.objects.size, calm.keptBodies]).toEqual([1, 1])
    await calm.takeIn()
    expect(calm.keptBodies).toBe(0)
    const died = new Set<string | null>()
    for (let call = 1; call <= calm.world.calls; call += 1)
      for (const side of ['before', 'after'] as const) {
        const intake = new IntakeWorld({ type: 'alertmanager', windows: WINDOWS, crash: { call, side } })
        await intake.prepare()
        await intake.post(body)
        await intake.pass(3)
        const where = `${side} ${call} (${intake.world.crashedAt})`
        died.add(intake.world.crashedAt)
        expect(intake.problems(), where).toEqual([])
        expect(intake.outcomes(), where).toMatchObject([{ status: 'open', events: ['incident.created'] }])
        expect(intake.keptBodies, where).toBeLessThanOrEqual(1)
      }
    for (const where of ['before PutObject', 'after PutObject', 'before GetObject', 'after GetObject'])
      expect(died).toContain(where)
  }, 60_000)
})
