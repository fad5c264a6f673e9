import { describe, expect, it } from 'vitest'
import type { IncidentActs } from '#shared/domain/open-incident.ts'
import { requestInvestigation } from '#shared/domain/request-investigation.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const CALLER = { id: 'key_1', type: 'admin' } as const

/** Incidents of which one is there, and what was asked of them. */
function incidents() {
  const asked: unknown[] = []
  const acts = {
    incidents: {
      requestInvestigation: async (...given: unknown[]) => {
        asked.push(given)
        return given[0] === 'inc_1'
      },
    },
    clock: () => NOW,
    newId: (prefix: string, at: number) => `${prefix}_${at}`,
  } as unknown as IncidentActs
  return { acts, asked }
}

describe('a request for a new investigation', () => {
  it('makes it due now, with an entry that says who wanted it', async () => {
    const { acts, asked } = incidents()
    await requestInvestigation(acts, 'inc_1', CALLER)
    const entry = {
      id: `tl_${NOW}`,
      at: '2026-01-31T12:00:00.000Z',
      kind: 'analysis_requested',
      text: 'A new investigation was requested.',
      by: 'key_1',
    }
    expect(asked).toEqual([['inc_1', NOW, entry]])
  })

  it('is refused for an incident that is not there', async () => {
    await expect(requestInvestigation(incidents().acts, 'inc_2', CALLER)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Incident inc_2'),
    })
  })
})
