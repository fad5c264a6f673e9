import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterCheck,
  type CheckActs,
  checkIntegration,
  checkIntegrations,
  FAILURES_TO_ERROR,
} from '#shared/domain/check-integrations.ts'
import { invalidField } from '#shared/domain/errors.ts'
import type { Checkable, CheckResult, Integration, Tool } from '#shared/domain/integration.ts'
import type { OpenedIntegration } from '#shared/domain/ports.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const integration = (change: Partial<Integration> = {}): Integration => ({
  id: 'loki_1',
  type: 'loki',
  status: 'connected',
  status_detail: null,
  config: {},
  created_at: '2026-03-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
  connected_at: '2026-03-01T00:00:00.000Z',
  version: 4,
  ...change,
})
const checkable = (change: Partial<Checkable> = {}): Checkable => ({
  integration: integration(),
  config: {},
  checked_at: null,
  failures: 0,
  asked_at: null,
  unasked: null,
  ...change,
})
const GOOD: CheckResult = { status: 'connected', detail: null }
const BAD: CheckResult = { status: 'error', detail: 'Loki did not answer in time.' }

function acts(
  stored: readonly Checkable[],
  check: Tool['check'] | undefined,
  change: Partial<CheckActs> = {},
) {
  const written: {
    readonly before: Integration
    readonly after: Integration
    readonly checked_at: number
    readonly failures: number
    readonly asked_at?: number
    readonly unasked?: Checkable['unasked']
  }[] = []
  const made: CheckActs = {
    integrations: {
      openForCheck: async () => stored,
      recordCheck: async (before, after, health) => {
        written.push({ before, after, ...health })
        return true
      },
    },
    tools: () =>
      check === undefined ? undefined : { check, pull: () => Promise.reject(new Error('no pull')) },
    clock: () => NOW,
    random: () => 0.5,
    abortAfter: () => new AbortController().signal,
    confirm: () => Promise.reject(new Error('nothing was to be confirmed')),
    makeUp: () => Promise.reject(new Error('nothing was to be made up for')),
    ...change,
  }
  return { made, written }
}

describe('a time in which a tool could not be asked', () => {
  const told = async (stored: Partial<Checkable>, check: CheckResult = GOOD) => {
    const { made, written } = acts([checkable(stored)], async () => check)
    const tool: Tool = {
      check: async () => check,
      pull: () => Promise.reject(new Error('no pull')),
      firing: async () => ({ version: '4', alerts: [] }),
    }
    await checkIntegrations({ ...made, tools: () => tool, confirm: async () => undefined })
    return written[0]
  }
  const lost =
    'it could not be asked from 2026-03-10T11:00:00.000Z to 2026-03-10T12:00:00.000Z: alerts that fired and ended in between are not known'

  it('is told with its integration once it can be asked again, and for a day', async () => {
    const unasked = { from: NOW - HOUR, until: NOW }
    const first = await told({ asked_at: NOW - HOUR })
    expect(first).toMatchObject({ unasked, after: { status: 'connected', status_detail: lost } })
    const later = { from: NOW - 24 * HOUR, until: NOW - 23 * HOUR }
    expect((await told({ asked_at: NOW - MINUTE, unasked: later }))?.unasked).toEqual(later)
    const over = { from: NOW - 25 * HOUR, until: NOW - 24 * HOUR }
    const last = await told({ asked_at: NOW - MINUTE, unasked: over })
    expect(last).toMatchObject({ unasked: null, after: { status_detail: null } })
  })

  it('is told beside what is missing', async () => {
    const one = await told({ asked_at: NOW - HOUR }, { status: 'degraded', detail: 'no silences' })
    expect(one?.after.status_detail).toBe(`no silences; ${lost}`)
  })

  it('is none between two checks, before the first, and while it cannot be asked', async () => {
    expect((await told({ asked_at: NOW - 40 * MINUTE }))?.unasked).toBeNull()
    expect((await told({ asked_at: null }))?.unasked).toBeNull()
    expect((await told({ asked_at: NOW - HOUR }, BAD))?.unasked).toBeNull()
  })
})

describe('what a tool with a history sent', () => {
  const asked = async (stored: Partial<Checkable>, history: Tool['history'], check = GOOD) => {
    const madeUp: unknown[] = []
    const { made, written } = acts([checkable(stored)], async () => check)
    const tool: Tool = {
      check: async () => check,
      pull: () => Promise.reject(new Error('no pull')),
      ...(history === undefined ? {} : { history }),
    }
    const makeUp: CheckActs['makeUp'] = async (...given) => void madeUp.push(given)
    await checkIntegrations({ ...made, tools: () => tool, makeUp })
    return { madeUp, written }
  }

  it.each([
    ['since it was last asked, and a little before', { asked_at: NOW - 20 * MINUTE }, NOW - 25 * MINUTE],
    ['of a day at most', { asked_at: NOW - 72 * 60 * MINUTE }, NOW - 24 * 60 * MINUTE],
    [
      'since it was connected, the first time',
      { integration: integration({ connected_at: new Date(NOW - 7 * MINUTE).toISOString() }) },
      NOW - 7 * MINUTE,
    ],
    ['of no time while it was never connected', { integration: integration({ connected_at: null }) }, NOW],
  ] satisfies [string, Partial<Checkable>, number][])(
    'is taken in like its messages: %s',
    async (_name, stored, from) => {
      const seen: number[] = []
      const { madeUp, written } = await asked(stored, async (_config, since) => {
        seen.push(since)
        return [{ one: 1 }, { two: 2 }]
      })
      expect(seen).toEqual([from])
      expect(madeUp).toEqual([
        ['loki_1', { one: 1 }, NOW],
        ['loki_1', { two: 2 }, NOW],
      ])
      expect(written[0]).toMatchObject({ asked_at: NOW, unasked: null })
    },
  )

  it.each([
    ['it does not answer', async () => null, GOOD],
    ['asking fails', () => Promise.reject(new Error('s3cr3t')), GOOD],
    ['the tool is not there', async () => [{}], BAD],
  ] satisfies [string, Tool['history'], CheckResult][])(
    'is not known where %s',
    async (_name, history, check) => {
      const { madeUp, written } = await asked({ asked_at: NOW - MINUTE }, history, check)
      expect(madeUp).toEqual([])
      expect(written[0]).not.toHaveProperty('asked_at')
    },
  )
})

describe('a scheduled check', () => {
  it('meets an integration a quarter of an hour after the last time, give or take', async () => {
    const at = (minutes: number) => checkable({ checked_at: NOW - minutes * MINUTE })
    const checked = async (minutes: number, random: number) =>
      checkIntegrations(acts([at(minutes)], async () => GOOD, { random: () => random }).made)
    expect([
      await checked(12.4, 0),
      await checked(12.6, 0),
      await checked(17.4, 1),
      await checked(17.5, 1),
    ]).toEqual([0, 1, 0, 1])
    const fresh = checkable({ integration: integration({ updated_at: '2026-03-10T11:50:00.000Z' }) })
    expect(await checkIntegrations(acts([fresh], async () => GOOD).made)).toBe(0)
  })

  it('writes down when it was, and changes nothing that people see while all is as before', async () => {
    const { made, written } = acts([checkable({ failures: 2 })], async () => GOOD)
    expect(await checkIntegrations(made)).toBe(1)
    expect(written).toEqual([
      { before: integration(), after: integration(), checked_at: NOW, failures: 0, unasked: null },
    ])
  })

  it.each([
    [
      'a refusal of the credentials',
      () => Promise.reject(invalidField('config.bearer_token', 'no')),
      'config.bearer_token: no',
    ],
    [
      'an error of any other kind, without its text',
      () => Promise.reject(new Error('s3cr3t')),
      'the check failed',
    ],
    ['no such tool', undefined, 'this kind of tool is not known to the service'],
  ] as const)('counts %s as a failure', async (_, check, detail) => {
    const { made, written } = acts([checkable({ failures: 2 })], check)
    await checkIntegrations(made)
    expect(written).toMatchObject([
      { after: { status: 'error', status_detail: detail, version: 5 }, failures: 3 },
    ])
  })

  it('counts settings that cannot be opened as a failure', async () => {
    const { made, written } = acts([checkable({ config: null, failures: 2 })], async () => GOOD)
    await checkIntegrations(made)
    expect(written).toMatchObject([
      { after: { status: 'error', status_detail: 'its settings could not be opened' } },
    ])
  })

  it('checks all, also when one cannot be written down, and says so afterwards', async () => {
    const many = Array.from({ length: 45 }, (_, at) =>
      checkable({ integration: integration({ id: `loki_${at}` }) }),
    )
    let checks = 0
    const { made } = acts(many, async () => {
      checks += 1
      return GOOD
    })
    const failing = {
      ...made,
      integrations: { ...made.integrations, recordCheck: () => Promise.reject(new Error('throttled')) },
    }
    await expect(checkIntegrations(failing)).rejects.toThrow('45 checks could not be written down')
    expect(checks).toBe(45)
  })
})

describe('what a tool says that fires', () => {
  const FIRING = { version: '4', alerts: [] }
  const asked = async (
    firing: Tool['firing'],
    { check = async () => GOOD, stored = checkable() }: { check?: Tool['check']; stored?: Checkable } = {},
  ) => {
    const confirmed: unknown[] = []
    const { made, written } = acts([stored], check)
    const tool: Tool = {
      check,
      pull: () => Promise.reject(new Error('no pull')),
      ...(firing ? { firing } : {}),
    }
    const confirm: CheckActs['confirm'] = async (...given) => void confirmed.push(given)
    const failed = await checkIntegrations({ ...made, tools: () => tool, confirm }).catch((error) => error)
    return { confirmed, written, failed }
  }

  it('is taken in, and when it was asked is written down', async () => {
    const { confirmed, written } = await asked(async () => FIRING)
    expect(confirmed).toEqual([['loki_1', FIRING, NOW]])
    expect(written).toMatchObject([{ checked_at: NOW, failures: 0, asked_at: NOW }])
  })

  it.each([
    ['the tool has no such list', undefined, {}],
    ['it does not answer whole', async () => null, {}],
    ['asking fails', () => Promise.reject(new Error('s3cr3t')), {}],
    ['the tool is not there', async () => FIRING, { check: async () => BAD }],
    ['the settings cannot be opened', async () => FIRING, { stored: checkable({ config: null }) }],
  ] satisfies [string, Tool['firing'], object][])('is not known where %s', async (_name, firing, given) => {
    const { confirmed, written } = await asked(firing, given)
    expect(confirmed).toEqual([])
    expect(written).toHaveLength(1)
    expect(written[0]).not.toHaveProperty('asked_at')
  })

  it('does not count as asked where it could not be handed on', async () => {
    const { made, written } = acts([checkable()], async () => GOOD)
    const tool: Tool = {
      check: async () => GOOD,
      pull: () => Promise.reject(new Error('no pull')),
      firing: async () => FIRING,
    }
    const failing = { ...made, tools: () => tool, confirm: () => Promise.reject(new Error('throttled')) }
    await expect(checkIntegrations(failing)).rejects.toThrow('1 checks could not be written down')
    // How the tool fares is told all the same: a list that no queue takes would keep it from being told for ever.
    expect(written).toMatchObject([{ checked_at: NOW, failures: 0 }])
    expect(written[0]).not.toHaveProperty('asked_at')
  })
})

describe('what becomes of an integration', () => {
  const results = fc.constantFrom<CheckResult>(GOOD, BAD, {
    status: 'degraded',
    detail: 'rules cannot be read',
  })
  const run = (checks: readonly CheckResult[]) => {
    let state = { after: integration(), failures: 0 }
    for (const check of checks) state = afterCheck(state.after, state.failures, check, NOW)
    return state
  }

  it('is an error after three failures in a row, and not before', () => {
    fc.assert(
      fc.property(fc.array(results, { maxLength: 20 }), (checks) => {
        const tail = checks.length - checks.findLastIndex((check) => check !== BAD) - 1
        const { after, failures } = run(checks)
        expect(failures).toBe(tail)
        const isError = after.status === 'error'
        expect(isError).toBe(tail >= FAILURES_TO_ERROR)
      }),
    )
  })

  it('is back on the first success, with the time at which it was first connected', () => {
    fc.assert(
      fc.property(fc.array(results, { maxLength: 10 }), (checks) => {
        expect(run([...checks, GOOD]).after).toMatchObject({
          status: 'connected',
          status_detail: null,
          connected_at: '2026-03-01T00:00:00.000Z',
        })
      }),
    )
    const never = integration({ status: 'error', status_detail: 'x', connected_at: null })
    expect(afterCheck(never, 9, GOOD, NOW).after.connected_at).toBe('2026-03-10T12:00:00.000Z')
    expect(afterCheck(never, 9, BAD, NOW).after).toBe(never)
    const pending = integration({ status: 'pending', connected_at: null })
    expect(afterCheck(pending, 2, BAD, NOW).after.connected_at).toBeNull()
  })

  it('has a new version exactly when people see something else', () => {
    fc.assert(
      fc.property(fc.array(results, { maxLength: 20 }), (checks) => {
        let state = { after: integration(), failures: 0 }
        for (const check of checks) {
          const next = afterCheck(state.after, state.failures, check, NOW)
          const isSame =
            next.after.status === state.after.status && next.after.status_detail === state.after.status_detail
          expect(next.after.version).toBe(state.after.version + (isSame ? 0 : 1))
          state = next
        }
      }),
    )
  })
})

describe('a check that somebody asks for', () => {
  const asked = (
    given: Partial<Integration>,
    check: Tool['check'],
    {
      isThere = true,
      isWritten = true,
      present = integration(given),
      unasked = null,
    }: {
      readonly isThere?: boolean
      readonly isWritten?: boolean
      readonly present?: Integration
      readonly unasked?: Checkable['unasked']
    } = {},
  ) => {
    const { made, written } = acts([], check)
    const recordCheck: CheckActs['integrations']['recordCheck'] = async (...what) =>
      (await made.integrations.recordCheck(...what)) && isWritten
    const opened: OpenedIntegration = {
      ...{ integration: integration(given), config: {}, intake: null, asked_at: null, unasked },
    }
    const open = async () => (isThere ? opened : undefined)
    return {
      written,
      checked: checkIntegration(
        { ...made, integrations: { open, get: async () => present, recordCheck } },
        'loki_1',
      ),
    }
  }

  it('tells one failure at once, and counts it as many, so that the schedule does not wait for more', async () => {
    const { checked, written } = asked({}, async () => BAD)
    expect(await checked).toMatchObject({ status: 'error', status_detail: BAD.detail, version: 5 })
    expect(written).toMatchObject([{ checked_at: NOW, failures: FAILURES_TO_ERROR }])
  })

  it('tells another reason of a failure that is known', async () => {
    const { checked } = asked({ status: 'error', status_detail: 'Loki is gone.' }, async () => BAD)
    expect((await checked).status_detail).toBe(BAD.detail)
  })

  it('makes no new version where it finds what is known, but writes down that it looked', async () => {
    const { checked, written } = asked({}, async () => GOOD)
    expect(await checked).toEqual(integration())
    expect(written).toMatchObject([{ checked_at: NOW, failures: 0 }])
  })

  it('still tells of what nobody knows, for as long as the schedule does', async () => {
    const good = async () => GOOD
    const unasked = { from: NOW - 3 * HOUR, until: NOW - HOUR }
    expect((await asked({}, good, { unasked }).checked).status_detail).toBe(
      'it could not be asked from 2026-03-10T09:00:00.000Z to 2026-03-10T11:00:00.000Z: alerts that fired and ended in between are not known',
    )
    const over = { from: NOW - 26 * HOUR, until: NOW - 24 * HOUR }
    expect((await asked({}, good, { unasked: over }).checked).status_detail).toBeNull()
    expect((await asked({}, async () => BAD, { unasked }).checked).status_detail).toBe(BAD.detail)
  })

  it('tells a refusal of the credentials as the state of the integration', async () => {
    const { checked } = asked({}, () => Promise.reject(invalidField('config.token', 'was refused')))
    expect(await checked).toMatchObject({ status: 'error', status_detail: 'config.token: was refused' })
  })

  it('is answered where its write was done though its answer got lost', async () => {
    const present = integration({ status: 'error', status_detail: BAD.detail, version: 5 })
    expect(await asked({}, async () => BAD, { isWritten: false, present }).checked).toBe(present)
  })

  it('is refused for what does not exist, is disabled, or was changed meanwhile', async () => {
    const good = async () => GOOD
    const bad = async () => BAD
    await expect(asked({}, good, { isThere: false }).checked).rejects.toMatchObject({ kind: 'not_found' })
    await expect(asked({ status: 'disabled' }, good).checked).rejects.toMatchObject({ kind: 'conflict' })
    await expect(asked({}, bad, { isWritten: false }).checked).rejects.toMatchObject({ kind: 'conflict' })
  })
})
