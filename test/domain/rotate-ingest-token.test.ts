import { describe, expect, it } from 'vitest'
import { rotateIngestToken } from '#shared/domain/rotate-ingest-token.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const DAY_S = 86_400
/** Asked last an hour ago, after a time in which it could not be. */
const ASKED = { asked_at: NOW - 3_600_000, unasked: { from: NOW - 9_000_000, until: NOW - 3_600_000 } }
interface Opened {
  readonly type?: string
  readonly config?: object
  readonly intake?: { readonly token: string; readonly secret: string | null } | null
}
const rotating = (
  opened: Opened | null,
  given: { overlap_seconds?: number } = {},
  expected?: readonly number[],
  accepted = true,
) => {
  const written: unknown[][] = []
  const integrations = {
    open: async () =>
      opened === null
        ? undefined
        : {
            integration: { id: 'int_1', type: opened.type ?? 'github', version: 3 },
            config: opened.config ?? {},
            ...ASKED,
            intake: opened.intake === undefined ? { token: 'old', secret: 'own' } : opened.intake,
          },
    change: async (...change: unknown[]) => {
      written.push(change)
      return accepted
    },
  }
  const acts = { integrations, clock: () => NOW, random: (bytes: number) => new Uint8Array(bytes).fill(7) }
  return { written, done: rotateIngestToken(acts as never, 'int_1', given, expected as never) }
}

describe('an ingest token that is replaced', () => {
  it('is told, and the one before counts beside it for a day', async () => {
    const { written, done } = rotating({})
    const { integration, token } = await done
    expect(token).toMatch(/^whsec_/)
    expect(integration).toMatchObject({ id: 'int_1', version: 4, updated_at: new Date(NOW).toISOString() })
    expect(written).toEqual([
      [
        expect.objectContaining({ version: 3 }),
        integration,
        {},
        { token, secret: token, previous: { token: 'old', secret: 'own', until: NOW + DAY_S * 1_000 } },
        ASKED,
      ],
    ])
  })

  it('counts for as long as is asked, and leaves the settings as they are', async () => {
    const { written, done } = rotating({ config: { webhook_secret: 'mine' } }, { overlap_seconds: 60 })
    await done
    expect(written[0]?.slice(2)).toMatchObject([
      { webhook_secret: 'mine' },
      { secret: 'mine', previous: { until: NOW + 60_000 } },
      ASKED,
    ])
  })

  it('is one of an integration that is there and whose tool sends', async () => {
    await expect(rotating(null).done).rejects.toThrow('Integration int_1')
    const silent =
      'The service asks tools of this type, and they send nothing: this integration has no ingest token.'
    await expect(rotating({ type: 'prometheus' }).done).rejects.toThrow(silent)
    await expect(rotating({ intake: null }).done).rejects.toThrow(silent)
  })

  it('is not replaced where somebody else was faster', async () => {
    const { written, done } = rotating({}, {}, undefined, false)
    await expect(done).rejects.toMatchObject({ kind: 'conflict' })
    expect(written).toHaveLength(1)
  })

  it('is meant for a version, where one is named', async () => {
    await expect(rotating({}, {}, [2]).done).rejects.toMatchObject({ kind: 'precondition_failed' })
    expect((await rotating({}, {}, [2, 3]).done).integration.version).toBe(4)
    await expect(rotating({}, {}, [3], false).done).rejects.toMatchObject({ kind: 'precondition_failed' })
  })
})
