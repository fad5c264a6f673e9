import { describe, expect, it } from 'vitest'
import type { SettleActs } from '#shared/domain/alerts/take-alerts.ts'
import { SWEEP_LIMIT, sweepInvestigations } from '#shared/domain/sweep-investigations.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

/** What the sweeper finds, and what it does. */
function world(change: {
  due?: readonly string[]
  ring?: () => Promise<void>
  look?: () => Promise<string[]>
}) {
  const done: unknown[] = []
  const { due = [], ring = async () => {}, look = async () => [] } = change
  const acts = {
    settling: {
      clock: () => NOW,
      alerts: {
        due: (now: number) => {
          done.push(['alerts', now])
          return look()
        },
      },
    } as unknown as SettleActs,
    incidents: {
      dueInvestigations: async (now: number, limit: number) => {
        done.push(['due', now, limit])
        return [...due]
      },
    },
    doorbell: {
      ring: (ids: readonly string[]) => {
        done.push(['ring', ids])
        return ring()
      },
    },
  }
  return { done, sweep: () => sweepInvestigations(acts, () => {}) }
}
const fails = (why: string) => () => Promise.reject(new Error(why))

describe('the sweep of investigations', () => {
  it('rings for what is overdue, and looks at alerts', async () => {
    const { done, sweep } = world({ due: ['inc_1', 'inc_2'] })
    expect(await sweep()).toBe(2)
    expect(done).toEqual([
      ['due', NOW, SWEEP_LIMIT],
      ['ring', ['inc_1', 'inc_2']],
      ['alerts', NOW],
    ])
  })

  it('rings for nothing where nothing is overdue', async () => {
    const { done, sweep } = world({})
    expect(await sweep()).toBe(0)
    expect(done).not.toContainEqual(['ring', []])
  })

  it('looks at alerts also where the queue takes no doorbell, and fails then', async () => {
    const { done, sweep } = world({ due: ['inc_1'], ring: fails('the queue is away') })
    await expect(sweep()).rejects.toThrow('the queue is away')
    expect(done).toContainEqual(['alerts', NOW])
  })

  it('tells of both where both fail', async () => {
    const { sweep } = world({
      due: ['inc_1'],
      ring: fails('the queue is away'),
      look: fails('the index is away'),
    })
    await expect(sweep()).rejects.toMatchObject({
      errors: [{ message: 'the queue is away' }, { message: 'the index is away' }],
    })
  })
})
