import { describe, expect, it } from 'vitest'
import type { Incident, TimelineEntry } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { PullRequest } from '#shared/domain/integration.ts'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import { NOTHING_PULLED, type Pulled, type Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import type { Lease } from '#shared/domain/ports.ts'
import {
  type InvestigationActs,
  nextLook,
  retryAt,
  runInvestigation,
} from '#shared/domain/run-investigation.ts'
import { sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const MINUTE = 60_000
const REMAINING = 50_000
const DIGEST = 'd'.repeat(64)

interface Given {
  incident: Incident
  attempt: number
  isDue: boolean
  /** Whether the lease is still held when the outcome is written. */
  isHeld: boolean
  fails: Error | undefined
  gives: Pulled
  /** Tools that are connected when the look is over. */
  connected: readonly { readonly id: string; readonly status: string }[]
}

/** One incident whose investigation is due, and what was done in which order. */
async function run(change: Partial<Given> = {}) {
  const given: Given = {
    incident: sampleIncident(NOW - 10 * MINUTE),
    attempt: 1,
    isDue: true,
    isHeld: true,
    fails: undefined,
    gives: NOTHING_PULLED,
    connected: [],
    ...change,
  }
  const done: unknown[] = []
  const snapshots: Snapshot[] = []
  const asked: PullRequest[] = []
  const waits: number[] = []
  const lease: Lease = { incident: given.incident, fence: 3, attempt: given.attempt }
  const connected = { id: 'int_1', type: 'bundle', status: 'connected' }
  const acts = {
    incidents: {
      // Lists and leases carry the root cause without what it rested on.
      read: async () => given.incident,
      claimInvestigation: async (...what: unknown[]) => {
        done.push(['claim', ...what])
        return given.isDue ? lease : undefined
      },
      completeInvestigation: async (
        held: Lease,
        cause: RootCause,
        entry: TimelineEntry,
        ...rest: unknown[]
      ) => {
        expect(held).toBe(lease)
        done.push(['complete', cause, entry, ...rest])
        return given.isHeld
      },
      failInvestigation: async (held: Lease, ...what: unknown[]) => {
        expect(held).toBe(lease)
        done.push(['fail', ...what])
        return given.isHeld
      },
    },
    snapshots: {
      keep: async (owner: string, snapshot: Snapshot) => {
        expect(owner).toBe(given.incident.id)
        if (given.fails !== undefined) throw given.fails
        snapshots.push(snapshot)
        return DIGEST
      },
    },
    integrations: {
      openAll: async () => [{ integration: connected, config: {} }],
      list: async () => ({ items: given.connected, next: null }),
    },
    tools: () => ({
      pull: async (_: unknown, request: PullRequest) => {
        asked.push(request)
        return given.gives
      },
    }),
    signals: { read: async () => ({ batches: [], digest: '', cut: false, unread: 0 }) },
    abortAfter: (milliseconds: number) => {
      waits.push(milliseconds)
      return new AbortController().signal
    },
    clock: () => NOW,
    newId: (prefix: string, at: number) => `${prefix}_${at}`,
    report: (error: unknown) => {
      done.push(['report', error])
    },
    gaveUp: (id: string) => {
      done.push(['gave up', id])
    },
  } as unknown as InvestigationActs
  const outcome = await runInvestigation(acts, given.incident.id, REMAINING)
  return { outcome, done, snapshots, asked, waits }
}

const found = ({ done }: { done: unknown[] }) =>
  done.find((each) => (each as unknown[])[0] === 'complete') as [
    string,
    RootCause,
    TimelineEntry,
    string | null,
    number | null,
  ]

describe('an investigation', () => {
  it('is not begun where it is not due', async () => {
    const { outcome, done } = await run({ isDue: false })
    expect(outcome).toBe('not_due')
    expect(done).toHaveLength(1)
  })

  it('takes a lease that outlives its worker by five seconds', async () => {
    const { done } = await run()
    expect(done[0]).toEqual(['claim', expect.any(String), NOW, NOW + REMAINING + 5_000])
  })

  it('asks for the time around the incident and its service, and keeps five seconds for the engine', async () => {
    const { asked, waits } = await run()
    expect(asked[0]).toMatchObject({
      service: 'checkout',
      window: { from: NOW - 70 * MINUTE, to: NOW },
    })
    // A tool has at most 8 s, whatever is left.
    expect(Math.max(...waits)).toBe(8_500)
  })

  it('begins where somebody knows that the disturbance began, and ends with what is resolved', async () => {
    const known = await run({
      incident: sampleIncident(NOW - 10 * MINUTE, { started_at: writeInstant(NOW - 40 * MINUTE) }),
    })
    expect(known.asked[0]?.window).toEqual({ from: NOW - 100 * MINUTE, to: NOW })
    const resolved = await run({
      incident: sampleIncident(NOW - 100 * MINUTE, {
        status: 'resolved',
        resolved_at: writeInstant(NOW - 80 * MINUTE),
      }),
    })
    expect(resolved.asked[0]?.window).toEqual({ from: NOW - 160 * MINUTE, to: NOW - 65 * MINUTE })
  })

  it('keeps what it saw, and says with which snapshot and when it found what it found', async () => {
    const ran = await run()
    expect(ran.outcome).toBe('done')
    expect(ran.snapshots).toHaveLength(1)
    const [, cause, entry] = found(ran)
    expect(cause).toMatchObject({ snapshot_digest: DIGEST, analysed_at: writeInstant(NOW) })
    expect(entry).toEqual({
      id: `tl_${NOW}`,
      at: writeInstant(NOW),
      kind: 'analysed',
      text: `Analysed: ${cause.outcome}, confidence ${cause.confidence}.`,
      by: 'service',
    })
  })

  it('has no revision at first, and one that names the look before from then on', async () => {
    const [, first] = found(await run())
    expect(first.revision).toBeUndefined()
    const before = sampleRootCause()
    const [, second] = found(await run({ incident: sampleIncident(NOW, { root_cause: before }) }))
    expect(second.revision?.since).toBe(before.analysed_at)
  })

  it('whose service no tool knows says that what is found is of others', async () => {
    const entities = [
      { name: 'orders', kind: 'service', aliases: [{ alias: 'checkout-be', learnt_from: 'labels' }] },
    ] as Pulled['entities']
    const unknown = sampleIncident(NOW - 10 * MINUTE, { service: 'payments' })
    const gapsFor = async (service: string | null, gives: Pulled = { ...NOTHING_PULLED, entities }) =>
      found(await run({ gives, incident: sampleIncident(NOW - 10 * MINUTE, { service }) }))[1].gaps
    expect(await gapsFor('payments')).toContainEqual({
      what: 'the service “payments”',
      why: 'no connected tool names it: what is found is of others',
    })
    const others = [await gapsFor('orders'), await gapsFor('Checkout-BE'), await gapsFor(null)]
    const [kept] = (await run({ gives: { ...NOTHING_PULLED, entities }, incident: unknown })).snapshots
    expect(kept?.gaps.map(({ what }) => what)).toContain('the service “payments”')
    // Where nothing at all is known by any name there is nobody else.
    for (const gaps of [...others, await gapsFor('payments', NOTHING_PULLED)])
      expect(JSON.stringify(gaps)).not.toContain('what is found is of others')
    const known = sampleIncident(NOW - 10 * MINUTE, { service: 'orders' })
    const [seen] = (await run({ gives: { ...NOTHING_PULLED, entities }, incident: known })).snapshots
    expect(seen?.gaps).toEqual([])
  })

  it('whose time no tool tells of says so, and which time the evidence is of', async () => {
    const gapsFor = async (from: number, to: number) =>
      found(
        await run({
          gives: { ...NOTHING_PULLED, window: { from, to } },
          incident: sampleIncident(NOW - 10 * MINUTE),
        }),
      )[1].gaps
    expect(await gapsFor(NOW - 600 * MINUTE, NOW - 300 * MINUTE)).toContainEqual({
      what: 'evidence about 2026-01-31 10:50:00 UTC to 2026-01-31 12:00:00 UTC',
      why: 'what the connected tools gave covers 2026-01-31 02:00:00 UTC to 2026-01-31 07:00:00 UTC',
    })
    expect(JSON.stringify(await gapsFor(NOW - 90 * MINUTE, NOW - 60 * MINUTE))).not.toContain('covers')
  })

  describe('that sees nothing of a tool by which the cause was found', () => {
    const before = { ...sampleRootCause(), analysed_at: writeInstant(NOW - 7 * MINUTE) }
    const look = (change: Partial<Given> = {}, cause: RootCause = before) =>
      run({
        incident: sampleIncident(NOW - 10 * MINUTE, { root_cause: cause }),
        connected: [{ id: 'bundle_1', status: 'error' }],
        ...change,
      })

    it('withdraws nothing, says so, tells nobody, and looks again', async () => {
      const ran = await look()
      const [, cause, entry, event, next] = found(ran)
      expect(cause).toEqual(before)
      expect(entry).toMatchObject({
        kind: 'analysed',
        text: `Looked again: no connected tool gave any measurement, so what was found at ${before.analysed_at} stands.`,
      })
      expect(event).toBeNull()
      expect(next).toBe(NOW + 20 * MINUTE)
      // What nobody points to would lie there for ever.
      expect(ran.snapshots).toEqual([])
    })

    it('though others tell of alerts and changes', async () => {
      const alerts = [{ source: 's', name: 'a', fired_at: NOW - 5 * MINUTE }] as Pulled['alerts']
      expect(found(await look({ gives: { ...NOTHING_PULLED, alerts } }))[1]).toEqual(before)
    })

    it.each([
      ['that tool is disabled', { connected: [{ id: 'bundle_1', status: 'disabled' }] }, before],
      ['that tool is gone', { connected: [{ id: 'bundle_2', status: 'connected' }] }, before],
      ['no cause was known', {}, { ...before, outcome: 'inconclusive' as const }],
      [
        'the cause rests on no measurement',
        {},
        { ...before, evidence: before.evidence.map((each) => ({ ...each, source: 'alerts' as const })) },
      ],
      [
        'something else was measured',
        {
          gives: {
            ...NOTHING_PULLED,
            logs: [
              { source: 's', timestamp: NOW - MINUTE, service: 'x', severity: 'info', message: 'm' },
            ] as Pulled['logs'],
          },
        },
        before,
      ],
    ])('unless %s', async (_, change, cause) => {
      expect(found(await look(change, cause))[1].analysed_at).toBe(writeInstant(NOW))
    })
  })

  describe('that does not see the change which the cause was found to be', () => {
    const sample = sampleRootCause()
    const before: RootCause = {
      ...sample,
      evidence: sample.evidence.map((each) => ({
        ...each,
        source: 'commits' as const,
        integration_id: 'github_1',
      })),
      analysed_at: writeInstant(NOW - 7 * MINUTE),
    }
    const logs = [
      { source: 'logs', timestamp: NOW - MINUTE, service: 'x', severity: 'info', message: 'm' },
    ] as Pulled['logs']
    const asked = (id: string, outcome: Pulled['sources'][number]['outcome']): Pulled['sources'][number] => ({
      id,
      integration_id: 'github_1',
      tool: 'github',
      query: 'commits',
      outcome,
      records: 1,
    })
    const other = {
      source: 'github:commits',
      id: 'def456',
      kind: 'commit',
      entity: 'orders',
      recorded_at: NOW - 20 * MINUTE,
    } as const
    const gives = (more: Partial<Pulled>): Pulled => ({ ...NOTHING_PULLED, logs, ...more })
    const look = (change: Partial<Given> = {}, cause: RootCause = before) =>
      run({
        incident: sampleIncident(NOW - 10 * MINUTE, { root_cause: cause }),
        connected: [{ id: 'github_1', status: 'error' }],
        gives: gives({ sources: [asked('github:commits', 'timed_out')] }),
        ...change,
      })

    it.each([
      ['gives nothing', {}],
      ['gives none', { gives: gives({ sources: [asked('github:commits', 'empty')] }) }],
      [
        'gives others and is cut',
        {
          gives: gives({
            sources: [asked('github:commits', 'answered'), asked('github:more', 'cut')],
            changes: [other],
          }),
        },
      ],
    ])('withdraws nothing where its tool %s, says so and tells nobody', async (_, change) => {
      const ran = await look(change)
      const [, cause, entry, event] = found(ran)
      expect(cause).toEqual(before)
      expect(entry).toMatchObject({
        text: `Looked again: a tool that told of changes then gave none now, or not all, so what was found at ${before.analysed_at} stands.`,
      })
      expect(event).toBeNull()
      expect(ran.snapshots).toEqual([])
    })

    it.each([
      ['its tool is gone', { connected: [] }, before],
      [
        'its tool answers whole and no longer tells of it',
        { gives: gives({ sources: [asked('github:commits', 'answered')], changes: [other] }) },
        before,
      ],
      [
        'another tool tells of it',
        { gives: gives({ changes: [{ ...other, source: 'b', id: 'abc123', entity: 'checkout' }] }) },
        before,
      ],
      ['the cause was no change', {}, { ...before, cause: { ...before.cause, change: null } }],
      ['what is found now is surer', {}, { ...before, confidence: -1 }],
    ])('is revised where %s', async (_, change, cause) => {
      expect(found(await look(change, cause))[1].analysed_at).toBe(writeInstant(NOW))
    })
  })

  it('is told of where its outcome is news, and not where it is the same again', async () => {
    const [, cause, , event] = found(await run())
    expect(event).toBe(`evt_${NOW}`)
    const same = { ...sampleRootCause(), outcome: cause.outcome, confidence: 0 }
    const [, , , silent] = found(await run({ incident: sampleIncident(NOW, { root_cause: same }) }))
    expect(silent).toBeNull()
    const other = { ...sampleRootCause(), outcome: 'identified' as const }
    const [, again, , told] = found(await run({ incident: sampleIncident(NOW, { root_cause: other }) }))
    expect(again.outcome).not.toBe('identified')
    expect(told).toBe(`evt_${NOW}`)
  })

  it('looks again after the next of its waits', async () => {
    const [, , , , next] = found(await run({ incident: sampleIncident(NOW - 10 * MINUTE) }))
    expect(next).toBe(NOW + 20 * MINUTE)
  })

  it('whose lease went to somebody else leaves nothing', async () => {
    expect((await run({ isHeld: false })).outcome).toBe('lost')
    const failed = await run({ isHeld: false, fails: new Error('the store is gone') })
    expect(failed.outcome).toBe('lost')
    expect(failed.done.map((each) => (each as unknown[])[0])).toEqual(['claim', 'fail'])
  })

  it('that fails is given back with the time of the next try, and reported', async () => {
    const error = new Error('the store is gone')
    const { outcome, done } = await run({ fails: error, attempt: 2 })
    expect(outcome).toBe('failed')
    const again = NOW + 30_000
    expect(done.slice(1)).toEqual([
      [
        'fail',
        again,
        {
          id: `tl_${NOW}`,
          at: writeInstant(NOW),
          kind: 'analysis_failed',
          text: `The analysis failed; it is tried again at ${writeInstant(again)}.`,
          by: 'service',
        },
      ],
      ['report', error],
    ])
  })

  it('that fails for the fifth time is given up, says so, and tells who watches', async () => {
    const error = new Error('the store is gone')
    const incident = sampleIncident(NOW - 10 * MINUTE)
    const { done } = await run({ fails: error, attempt: 5, incident })
    expect(done.slice(1)).toEqual([
      ['fail', null, expect.objectContaining({ text: 'The analysis failed 5 times and was given up.' })],
      ['report', error],
      ['gave up', incident.id],
    ])
  })

  it('whose worker died five times is given up as well, without asking any tool again', async () => {
    const incident = sampleIncident(NOW - 10 * MINUTE)
    const { outcome, done, asked } = await run({ attempt: 6, incident })
    expect(outcome).toBe('failed')
    expect(asked).toEqual([])
    expect(done.slice(1)).toEqual([
      [
        'fail',
        null,
        expect.objectContaining({
          kind: 'analysis_failed',
          text: 'The analysis did not come to an end 5 times and was given up.',
        }),
      ],
      ['gave up', incident.id],
    ])
  })

  it('that is given up by a worker whose lease went to somebody else tells nobody', async () => {
    const { outcome, done } = await run({ attempt: 6, isHeld: false })
    expect(outcome).toBe('lost')
    expect(done.map((each) => (each as unknown[])[0])).toEqual(['claim', 'fail'])
  })
})

describe('the next try', () => {
  it.each([
    [1, 15_000],
    [2, 30_000],
    [3, 60_000],
    [4, 120_000],
  ])('after try %i comes %i ms later', (attempt, wait) => {
    expect(retryAt(attempt, NOW)).toBe(NOW + wait)
  })

  it('is none after the fifth', () => {
    expect([retryAt(5, NOW), retryAt(6, NOW)]).toEqual([null, null])
  })
})

describe('the next look', () => {
  const opened = sampleIncident(NOW)

  it.each([
    [0, 3],
    [3, 10],
    [9.99, 10],
    [10, 30],
    [29, 30],
  ])('of an incident opened %d minutes ago is at minute %d', (ago, at) => {
    expect(nextLook(opened, NOW + ago * MINUTE)).toBe(NOW + at * MINUTE)
  })

  it('is none after half an hour, and of what is resolved', () => {
    expect(nextLook(opened, NOW + 30 * MINUTE)).toBeNull()
    expect(nextLook({ ...opened, status: 'resolved' }, NOW)).toBeNull()
    expect(nextLook({ ...opened, created_at: 'never' }, NOW)).toBeNull()
  })
})
