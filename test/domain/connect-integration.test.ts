import { describe, expect, it } from 'vitest'
import {
  changeIntegration,
  connectIntegration,
  type IntegrationActs,
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
const well: Tool = {
  check: () => Promise.resolve({ status: 'connected', detail: null }),
  pull: () => Promise.reject(new Error('nobody pulls here')),
}

function acting(tool: Tool | undefined, stored: Integration = STORED) {
  const kept: unknown[] = []
  const waits: number[] = []
  const integrations: Pick<IntegrationStore, 'create' | 'open' | 'change'> = {
    create: async (...all) => void kept.push(all),
    open: async () => ({ integration: stored, config: { path: 'outage' } }),
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
    ['that no row of the table has', 'pagerduty', well],
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
    const made = await connectIntegration(acts, { type: 'bundle', config: { path: 'outage' } })
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
