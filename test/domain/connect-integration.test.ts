import { describe, expect, it } from 'vitest'
import type { Intake } from '#shared/domain/alerts/intake.ts'
import {
  changeIntegration,
  connectIntegration,
  type IntegrationActs,
  shownConfig,
} from '#shared/domain/connect-integration.ts'
import type { Integration, Tool } from '#shared/domain/integration.ts'
import type { IntegrationStore } from '#shared/domain/ports.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const STORED: Integration = {
  id: 'bundle_1',
  type: 'bundle',
  status: 'connected',
  status_detail: null,
  config: { path: 'outage' },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  connected_at: '2026-01-01T00:00:00.000Z',
  version: 1,
}
/** Asked last an hour ago, after a time in which it could not be. */
const ASKED = { asked_at: NOW - 3_600_000, unasked: { from: NOW - 9_000_000, until: NOW - 3_600_000 } }
const well: Tool = {
  check: () => Promise.resolve({ status: 'connected', detail: null }),
  pull: () => Promise.reject(new Error('nobody pulls here')),
}

function acting(
  tool: Tool | undefined,
  stored: Integration = STORED,
  opened: object = { path: 'outage' },
  intake: Intake | null = null,
) {
  const kept: unknown[] = []
  const waits: number[] = []
  const integrations: Pick<IntegrationStore, 'create' | 'open' | 'change'> = {
    create: async (...all) => void kept.push(all),
    open: async () => ({ integration: stored, config: { ...opened }, intake, ...ASKED }),
    change: async (...all) => {
      kept.push(all)
      return true
    },
  }
  const acts: IntegrationActs = {
    integrations: integrations as IntegrationStore,
    tools: () => tool,
    clock: () => NOW,
    newId: (prefix) => `${prefix}_1`,
    abortAfter: (milliseconds) => {
      waits.push(milliseconds)
      return new AbortController().signal
    },
    random: (bytes) => new Uint8Array(bytes),
  }
  return { acts, kept, waits }
}
const readConfig = (_type: unknown, config: unknown) => config as Record<string, unknown>

describe('connecting', () => {
  it('gives the live check five seconds', async () => {
    const { acts, waits } = acting(well)
    await connectIntegration(acts, { type: 'bundle', config: { path: 'outage' } })
    expect(waits).toEqual([5_000])
  })

  it.each([
    ['that no row of the table has', 'pigeon-post', well],
    ['that has no adapter', 'bundle', undefined],
  ] as const)('refuses a type %s, and keeps nothing', async (_name, type, tool) => {
    const { acts, kept } = acting(tool)
    await expect(connectIntegration(acts, { type, config: {} })).rejects.toMatchObject({
      kind: 'invalid',
      details: { field: 'type' },
    })
    expect(kept).toEqual([])
  })

  it('keeps no time of connection for what never worked', async () => {
    const { acts } = acting({
      ...well,
      check: () => Promise.resolve({ status: 'error', detail: 'no answer' }),
    })
    const { integration: made } = await connectIntegration(acts, {
      type: 'bundle',
      config: { path: 'outage' },
    })
    expect(made).toMatchObject({ status: 'error', status_detail: 'no answer', connected_at: null })
  })
})

describe('changing', () => {
  it('refuses an integration whose type is no longer known, as one that does not exist', async () => {
    const { acts } = acting(well, { ...STORED, type: 'retired' })
    await expect(changeIntegration(acts, 'retired_1', { enabled: true }, readConfig)).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  it('keeps when the tool was asked, and forgets it where nobody wants it asked any more', async () => {
    const askedAfter = async (change: { readonly enabled?: boolean }): Promise<unknown> => {
      const { acts, kept } = acting(well)
      await changeIntegration(acts, 'bundle_1', { config: { path: 'other' }, ...change }, readConfig)
      return (kept[0] as unknown[])[4]
    }
    expect(await askedAfter({})).toMatchObject(ASKED)
    expect(await askedAfter({ enabled: false })).toEqual({ asked_at: null, unasked: null })
  })

  it('refuses settings that are too large only together', async () => {
    const { acts, kept } = acting(well)
    const config = { prefix: 'x'.repeat(32 * 1_024 - 20) }
    await expect(changeIntegration(acts, 'bundle_1', { config }, readConfig)).rejects.toMatchObject({
      details: { field: 'config' },
    })
    expect(kept).toEqual([])
  })

  it('disables a tool whose settings do not work any more: nobody asks it', async () => {
    const { acts } = acting({ ...well, check: () => Promise.reject(new Error('gone')) })
    const after = await changeIntegration(acts, 'bundle_1', { enabled: false }, readConfig)
    expect(after).toMatchObject({ status: 'disabled', version: 2, connected_at: STORED.connected_at })
  })
})

describe('settings', () => {
  const type = {
    type: 'tool',
    name: 'Tool',
    fields: [
      { name: 'org', kind: 'string', required: true, sensitive: false, hint: '' },
      { name: 'team', kind: 'string', required: false, sensitive: false, hint: '' },
      { name: 'token', kind: 'string', required: false, sensitive: true, hint: '' },
    ],
  } as unknown as Parameters<typeof shownConfig>[0]

  it('are shown but for the sensitive ones, of which only is said whether they are there', () => {
    expect(shownConfig(type, { org: 'o', token: 'secret', other: 1 })).toEqual({ org: 'o', has_token: true })
    expect(shownConfig(type, { org: 'o', team: 't' })).toEqual({ org: 'o', team: 't', has_token: false })
  })

  it('are refused above 32 KB of JSON in UTF-8, and taken up to it', async () => {
    // {"path":""} takes 11 bytes, and ü takes two.
    const path = `${'ü'.repeat(10)}${'x'.repeat(32 * 1_024 - 11 - 20)}`
    const { acts, kept } = acting(well)
    await expect(
      connectIntegration(acts, { type: 'bundle', config: { path: `${path}x` } }),
    ).rejects.toMatchObject({
      details: { field: 'config', reason: 'must have at most 32768 bytes' },
    })
    expect(kept).toEqual([])
    await connectIntegration(acts, { type: 'bundle', config: { path } })
    expect(kept).toHaveLength(1)
  })

  it('that are changed are kept with the others, and what is changed to null is gone', async () => {
    const { acts, kept } = acting(well, STORED, { path: 'outage', prefix: 'p' })
    const after = await changeIntegration(acts, 'bundle_1', { config: { prefix: null } }, readConfig)
    expect(kept).toEqual([[STORED, after, { path: 'outage' }, null, ASKED]])
    await changeIntegration(acts, 'bundle_1', { config: { prefix: 'q', path: undefined } }, readConfig)
    expect(kept.at(-1)).toMatchObject([STORED, {}, { prefix: 'q' }, null, ASKED])
    expect(Object.keys((kept.at(-1) as object[])[2] ?? {})).toEqual(['prefix'])
  })

  it('that are not changed are not read', async () => {
    const { acts, kept } = acting(well)
    await changeIntegration(acts, 'bundle_1', {}, () => {
      throw new Error('nothing was given')
    })
    expect(kept).toMatchObject([[STORED, { version: 2 }, { path: 'outage' }, null, ASKED]])
  })
})

describe('what a tool proves itself by', () => {
  const STANDING = { ...STORED, id: 'grafana_1', type: 'grafana' }

  it('is a token nobody can guess, told once, and the secret that the tool signs with', async () => {
    const { acts, kept } = acting(well)
    const random = (bytes: number) => Uint8Array.from({ length: bytes }, (_, at) => at * 8)
    const config = { hmac_secret: 'of the tool' }
    const made = await connectIntegration({ ...acts, random }, { type: 'grafana', config })
    expect(made.token).toBe(`whsec_${Buffer.from(random(32)).toString('base64')}`)
    expect(kept).toMatchObject([[{}, config, 200, { token: made.token, secret: 'of the tool' }]])
  })

  it('is the same token after a change of the settings, and the secret as it is then', async () => {
    const { acts, kept } = acting(well, STANDING, {}, { token: 'a token', secret: 'before' })
    await changeIntegration(acts, 'grafana_1', { config: { hmac_secret: 'after' } }, readConfig)
    expect(kept).toMatchObject([[STANDING, {}, {}, { token: 'a token', secret: 'after' }, ASKED]])
  })
})

describe('a connection', () => {
  const saying = (status: 'connected' | 'degraded' | 'error'): Tool => ({
    ...well,
    check: () => Promise.resolve({ status, detail: null }),
  })

  it.each([
    ['connected', '2026-01-31T12:00:00.000Z'],
    ['degraded', '2026-01-31T12:00:00.000Z'],
    ['error', null],
  ] as const)('that is %s was first connected at %s', async (status, connected_at) => {
    const { acts, kept } = acting(saying(status))
    const { integration: made } = await connectIntegration(acts, {
      type: 'bundle',
      config: { path: 'outage' },
    })
    expect(made).toEqual({
      id: 'bundle_1',
      type: 'bundle',
      status,
      status_detail: null,
      config: expect.objectContaining({ path: 'outage' }),
      created_at: '2026-01-31T12:00:00.000Z',
      updated_at: '2026-01-31T12:00:00.000Z',
      connected_at,
      version: 1,
    })
    expect(kept).toEqual([[made, { path: 'outage' }, 200, null]])
  })

  it('keeps the time at which it was first connected', async () => {
    const { acts } = acting(saying('connected'))
    const after = await changeIntegration(acts, 'bundle_1', {}, readConfig)
    expect(after).toMatchObject({
      connected_at: STORED.connected_at,
      updated_at: '2026-01-31T12:00:00.000Z',
    })
  })

  it('that is disabled stays so unless it is enabled, and says why', async () => {
    const disabled: Integration = { ...STORED, status: 'disabled' }
    const { acts } = acting(saying('connected'), disabled)
    expect(await changeIntegration(acts, 'bundle_1', {}, readConfig)).toMatchObject({
      status: 'disabled',
      status_detail: 'disabled by request',
    })
    expect(await changeIntegration(acts, 'bundle_1', { enabled: true }, readConfig)).toMatchObject({
      status: 'connected',
      status_detail: null,
    })
  })

  it('is asked for in words when it is not there, is no known kind, or was changed by somebody else', async () => {
    const { acts } = acting(well)
    const over = (change: object) =>
      ({ ...acts, integrations: { ...acts.integrations, ...change } }) as IntegrationActs
    const absent = over({ open: async () => undefined })
    await expect(changeIntegration(absent, 'bundle_2', {}, readConfig)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Integration bundle_2'),
    })
    const changed = over({ change: async () => false })
    await expect(changeIntegration(changed, 'bundle_1', {}, readConfig)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('Somebody else changed this integration'),
    })
    const retired = acting(well, { ...STORED, type: 'retired' }).acts
    await expect(changeIntegration(retired, 'retired_1', {}, readConfig)).rejects.toThrow(
      'Integration retired_1',
    )
    for (const [type, tool] of [
      ['pigeon-post', well],
      ['bundle', undefined],
    ] as const)
      await expect(connectIntegration(acting(tool).acts, { type, config: {} })).rejects.toMatchObject({
        details: { field: 'type', reason: 'is not a known type of tool' },
      })
  })
})
