import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { integrationView } from '#shared/contract/views.ts'
import type { Integration } from '#shared/domain/integration.ts'

const integrationWith = (config: Integration['config']): Integration => ({
  id: 'github_01KGA0000000000000000000AA',
  type: 'github',
  status: 'connected',
  status_detail: null,
  config,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  connected_at: null,
  version: 1,
})
const BASE = 'https://api.example.test/v1'

/** The same value with the names of its objects the other way round. */
const turned = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, each]) => [name, turned(each)]),
      )
    : value

describe('what is shown of an integration', () => {
  const name = fc.string().filter((text) => text !== '__proto__')
  const text = fc.string()
  const config = fc.dictionary(name, fc.oneof(text, fc.array(text), fc.boolean(), fc.dictionary(name, text)))

  it('is the same byte for byte, in whatever order the store gives its settings', () => {
    fc.assert(
      fc.property(config, (given) => {
        const shown = integrationView(integrationWith(given), BASE)
        expect(shown.config).toEqual(given)
        const other = integrationView(integrationWith(turned(given) as Integration['config']), BASE)
        expect(JSON.stringify(other)).toBe(JSON.stringify(shown))
      }),
    )
  })
})
