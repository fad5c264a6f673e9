import { describe, expect, it } from 'vitest'
import { collectSnapshot } from '#shared/domain/collect-snapshot.ts'
import type { Integration, IntegrationConfig, PullRequest, Tool } from '#shared/domain/integration.ts'
import { NOTHING_PULLED, type Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import type { FoundSignals, IntegrationStore, PushedRecords, SignalReader } from '#shared/domain/ports.ts'

const WINDOW = { from: 1_000_000, to: 2_000_000 }

const integration = (id: string, change: Partial<Integration> = {}): Integration => ({
  id,
  type: id.split('_')[0] ?? '',
  status: 'connected',
  status_detail: null,
  config: {},
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  connected_at: null,
  version: 1,
  ...change,
})

const store = (...connected: readonly Integration[]): IntegrationStore => ({
  ...({} as IntegrationStore),
  openAll: async () => connected.map((each) => ({ integration: each, config: { of: each.id } })),
})

const tool = (pull: Tool['pull']): Tool => ({
  check: () => Promise.resolve({ status: 'connected', detail: null }),
  pull,
})
const named = (name: string): Pulled => ({
  ...NOTHING_PULLED,
  entities: [{ name, kind: 'service', aliases: [] }],
})

/** Signals that abort when the test says that so many milliseconds have passed. */
function timers() {
  const set: { readonly at: number; readonly controller: AbortController }[] = []
  return {
    abortAfter: (milliseconds: number) => {
      const controller = new AbortController()
      set.push({ at: milliseconds, controller })
      return controller.signal
    },
    /** Lets time pass. */
    pass: (until: number) => {
      for (const { at, controller } of set) if (at <= until) controller.abort()
    },
    waits: () => set.map(({ at }) => at),
  }
}

const NO_RECORDS: PushedRecords = { changes: [], series: [], logs: [], spans: [], edges: [], events: [] }
const found = (...batches: readonly Partial<PushedRecords>[]): FoundSignals => ({
  batches: batches.map((batch) => ({ ...NO_RECORDS, ...batch })),
  digest: 'd'.repeat(64),
  cut: false,
  unread: 0,
})
const nothingPushed: SignalReader = { read: () => Promise.resolve(found()) }

const collect = (
  connected: IntegrationStore,
  tools: (type: string) => Tool | undefined,
  within = 20_000,
  abortAfter = timers().abortAfter,
  signals = nothingPushed,
) =>
  collectSnapshot(
    { integrations: connected, tools, signals, clock: () => WINDOW.to, abortAfter },
    { window: WINDOW, service: 'checkout', within },
  )

describe('collecting', () => {
  it('names a tool whose settings cannot be opened, and asks the others', async () => {
    const [shut, open] = [integration('one'), integration('two')]
    const connected = {
      ...store(),
      openAll: async () => [
        { integration: shut, config: null },
        { integration: open, config: {} },
      ],
    }
    const snapshot = await collect(connected, () => tool(() => Promise.resolve(named('seen'))))
    expect(snapshot.entities.map(({ name }) => name)).toEqual(['seen'])
    expect(snapshot.gaps).toEqual([
      expect.objectContaining({
        what: expect.stringContaining(shut.id),
        why: 'its settings could not be opened',
      }),
    ])
  })

  it('asks every tool with its own settings for the window, its baselines and the service', async () => {
    const asked: [IntegrationConfig, PullRequest][] = []
    const snapshot = await collect(store(integration('a_1'), integration('b_1')), () =>
      tool(async (config, request) => {
        asked.push([config, request])
        return named(request.integration_id)
      }),
    )
    expect(asked.map(([config]) => config)).toEqual([{ of: 'a_1' }, { of: 'b_1' }])
    for (const [, request] of asked) {
      expect(request).toMatchObject({ window: WINDOW, service: 'checkout' })
      expect(request.baselines.map(({ name }) => name)).toEqual(['b1', 'b2', 'b3'])
    }
    expect(snapshot.entities.map(({ name }) => name)).toEqual(['a_1', 'b_1'])
    expect(snapshot.gaps).toEqual([])
  })

  it('leaves out what no snapshot can keep, and says of which tool', async () => {
    const change = { source: 's', id: 'c', kind: 'deploy' as const, recorded_at: WINDOW.from }
    const changes = [change, { ...change, id: 'later', recorded_at: 1.7e18 }]
    const snapshot = await collect(store(integration('a_1')), () =>
      tool(async () => ({ ...NOTHING_PULLED, changes })),
    )
    expect(snapshot.changes).toEqual([change])
    expect(snapshot.gaps.map(({ what }) => what)).toEqual(['integration a_1 (a)'])
  })

  it('asks all tools at once, none after another', async () => {
    let begun = 0
    let release = () => {}
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    const snapshot = await collect(store(integration('a_1'), integration('b_1'), integration('c_1')), () =>
      tool(async (_config, request) => {
        begun += 1
        if (begun === 3) release()
        await both
        return named(request.integration_id)
      }),
    )
    expect(snapshot.entities).toHaveLength(3)
  })

  it('names a tool that is of no known kind, that is disabled, or that fails, and says no word of its error', async () => {
    const connected = store(
      integration('a_1'),
      integration('strange_1'),
      integration('c_1', { status: 'disabled' }),
      integration('d_1'),
    )
    const asked: string[] = []
    const tools = (type: string) =>
      type === 'strange'
        ? undefined
        : tool(async (_config, { integration_id }) => {
            asked.push(integration_id)
            if (integration_id === 'd_1') throw new Error('password=hush')
            return named(integration_id)
          })
    const snapshot = await collect(connected, tools)
    expect(asked).toEqual(['a_1', 'd_1'])
    expect(snapshot.gaps).toEqual([
      { what: 'integration strange_1 (strange)', why: 'this kind of tool is not known to the service' },
      { what: 'integration c_1 (c)', why: 'is disabled' },
      { what: 'integration d_1 (d)', why: 'failed to answer' },
    ])
    expect(snapshot.entities.map(({ name }) => name)).toEqual(['a_1'])
  })

  it('names a tool that throws before it promises anything', async () => {
    const snapshot = await collect(store(integration('a_1')), () =>
      tool(() => {
        throw new Error('at once')
      }),
    )
    expect(snapshot.gaps).toEqual([{ what: 'integration a_1 (a)', why: 'failed to answer' }])
  })

  it('tells a tool to stop after 8 s, takes what it hands over, and waits half a second for that', async () => {
    const clock = timers()
    const collected = collect(
      store(integration('slow_1'), integration('hanging_1')),
      (type) =>
        tool(
          (_config, { signal }) =>
            new Promise((resolve) => {
              if (type === 'slow') signal.addEventListener('abort', () => resolve(named('what there is')))
            }),
        ),
      60_000,
      clock.abortAfter,
    )
    // The tools are asked once the store has answered.
    await new Promise(setImmediate)
    expect(new Set(clock.waits())).toEqual(new Set([8_000, 8_500]))
    clock.pass(8_000)
    clock.pass(8_500)
    const snapshot = await collected
    expect(snapshot.entities.map(({ name }) => name)).toEqual(['what there is'])
    expect(snapshot.gaps).toEqual([
      { what: 'integration hanging_1 (hanging)', why: 'did not answer within 8000 ms' },
    ])
  })

  it.each([
    [3_000, 2_500],
    [500, 0],
    [0, 0],
  ])('keeps to the time that it has: of %i ms a tool gets %i', async (within, told) => {
    const clock = timers()
    const collected = collect(
      store(integration('a_1')),
      () => tool(() => new Promise(() => {})),
      within,
      clock.abortAfter,
    )
    await new Promise(setImmediate)
    expect(clock.waits()).toEqual([told, told, told + 500])
    clock.pass(told + 500)
    expect((await collected).gaps).toHaveLength(1)
  })

  it('takes no time at all when there is none left', async () => {
    const aborted = () => AbortSignal.abort()
    const snapshot = await collect(
      store(integration('a_1')),
      () => tool(() => new Promise(() => {})),
      0,
      aborted,
    )
    expect(snapshot.gaps).toEqual([{ what: 'integration a_1 (a)', why: 'did not answer within 0 ms' }])
  })

  it('without any tool says that nothing was asked', async () => {
    const snapshot = await collect(store(), () => undefined)
    expect(snapshot.gaps).toEqual([
      { what: 'integrations', why: 'no tool is connected, so nothing was asked' },
    ])
    expect(snapshot.window).toEqual(WINDOW)
  })
})

describe('what was pushed', () => {
  const DAY = 86_400_000
  const WIDE = { from: 10 * DAY, to: 10 * DAY + 3_600_000 }
  const line = (timestamp: number) => ({ timestamp, service: 'checkout', severity: 'error', message: 'no' })
  const collectWide = (
    signals: SignalReader,
    connected = store(),
    tools = () => undefined as Tool | undefined,
  ) =>
    collectSnapshot(
      { integrations: connected, tools, signals, clock: () => WIDE.to, abortAfter: timers().abortAfter },
      { window: WIDE, service: null, within: 20_000 },
    )

  it('is looked for in the window with a day before it and in its baselines, and named as a source', async () => {
    const asked: [readonly unknown[], number][] = []
    const snapshot = await collectWide({
      read: async (windows, now) => {
        asked.push([windows, now])
        return found({ logs: [line(WIDE.from)] })
      },
    })
    expect(asked).toEqual([
      [
        [
          { from: WIDE.from - 7 * DAY, to: WIDE.to - 7 * DAY },
          { from: WIDE.from - DAY, to: WIDE.to },
        ],
        WIDE.to,
      ],
    ])
    expect(snapshot.logs).toEqual([{ ...line(WIDE.from), source: 'signals' }])
    expect(snapshot.sources).toMatchObject([
      { id: 'signals', tool: 'signals', outcome: 'answered', records: 1, digest: 'd'.repeat(64) },
    ])
  })

  it('is asked for while the tools are, and is a gap and nothing worse when the store cannot be read', async () => {
    const failing: SignalReader = { read: () => Promise.reject(new Error('password=hush')) }
    const throwing: SignalReader = {
      read: () => {
        throw new Error('at once')
      },
    }
    for (const signals of [failing, throwing]) {
      const snapshot = await collectWide(signals, store(integration('a_1')), () =>
        tool(() => Promise.resolve(named('seen'))),
      )
      expect(snapshot.entities.map(({ name }) => name)).toEqual(['seen'])
      expect(snapshot.gaps).toEqual([{ what: 'pushed signals', why: 'could not be read' }])
    }
  })

  it('is a gap when it is not read in time, whether the store says so or stays silent', async () => {
    const silent: SignalReader = { read: () => new Promise(() => {}) }
    const telling: SignalReader = {
      read: (_windows, _now, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }
    for (const signals of [silent, telling]) {
      const clock = timers()
      const collected = collect(store(), () => undefined, 20_000, clock.abortAfter, signals)
      await new Promise(setImmediate)
      clock.pass(8_000)
      expect((await collected).gaps).toContainEqual({
        what: 'pushed signals',
        why: 'could not be read within 8000 ms',
      })
    }
  })

  it('holds of a deployment that was pushed with every status the last one', async () => {
    const begun = { id: '5', kind: 'deploy' as const, recorded_at: WIDE.from, certainty: 'guessed' as const }
    const done = { ...begun, certainty: 'recorded' as const }
    const signals = { read: async () => found({ changes: [begun] }, { changes: [done] }) }
    expect((await collectWide(signals)).changes).toMatchObject([{ id: '5', certainty: 'recorded' }])
  })

  it('compares with the baselines that hold a measurement; the others are named and left out', async () => {
    const at = (time: number) => ({ times: Float64Array.of(time), values: Float64Array.of(1) })
    const series = { entity: 'checkout', name: 'errors', labels: {}, type: 'gauge' as const }
    const only = async (records: Partial<PushedRecords>) => {
      const snapshot = await collectWide({ read: async () => found(records) })
      expect(snapshot.gaps.filter(({ what }) => what.startsWith('baseline')).map(({ what }) => what)).toEqual(
        ['b1', 'b2', 'b3']
          .filter((name) => !snapshot.baselines.some((baseline) => baseline.name === name))
          .map((name) => `baseline ${name}`),
      )
      return snapshot.baselines.map(({ name }) => name)
    }
    const [b1, b2, b3] = [WIDE.from - 3_600_000, WIDE.from - DAY, WIDE.from - 7 * DAY]
    expect(await only({ series: [{ ...series, ...at(b1) }] })).toEqual(['b1'])
    expect(await only({ logs: [line(b2)] })).toEqual(['b2'])
    expect(
      await only({ edges: [{ caller: 'a', callee: 'b', t0: b3, interval_s: 60 }], logs: [line(WIDE.from)] }),
    ).toEqual(['b3'])
    const span = { trace_id: 't', span_id: 's', parent_id: null, service: 'a', name: 'x', status: 'ok' }
    expect(await only({ spans: [{ ...span, start: b1, duration_us: 1 }], logs: [line(b2)] })).toEqual([
      'b1',
      'b2',
    ])
    // Nothing measured at all: there is nothing to compare, and nothing to say of what it would be compared with.
    expect(await only({ changes: [{ id: 'c', kind: 'deploy', recorded_at: WIDE.from }] })).toEqual([
      'b1',
      'b2',
      'b3',
    ])
  })
})
