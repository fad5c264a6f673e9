import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { InvokeOutcome } from '#infra/local/function-host.ts'
import { scheduledEvent, startSchedule } from '#infra/local/schedule.ts'

const done: InvokeOutcome = { ok: true, payload: null }

describe('a schedule', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('invokes its function at once, then at its rate, and no more once it is closed', async () => {
    const times: number[] = []
    const schedule = startSchedule({ functionId: 'sweep', everyMs: 60_000 }, (functionId, event) => {
      expect(functionId).toBe('sweep')
      times.push(Date.parse((event as { time: string }).time) - Date.UTC(2026, 0, 1))
      return Promise.resolve(done)
    })
    await vi.advanceTimersByTimeAsync(120_000)
    expect(times).toEqual([0, 60_000, 120_000])
    await schedule.close()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(times).toHaveLength(3)
  })

  it('tells of a run that failed and goes on with the next', async () => {
    const lines: string[] = []
    let runs = 0
    const schedule = startSchedule(
      { functionId: 'sweep', everyMs: 1_000 },
      () => {
        runs += 1
        return Promise.resolve({ ok: false, error: { type: 'Error', message: 'no table' } })
      },
      (line) => lines.push(line),
    )
    await vi.advanceTimersByTimeAsync(1_000)
    expect(lines).toEqual(['sweep: Error: no table', 'sweep: Error: no table'])
    expect(runs).toBe(2)
    await schedule.close()
  })

  it('waits for the run in hand when it closes, at most as long as it may', async () => {
    let finish: () => void = () => {}
    const schedule = startSchedule(
      { functionId: 'sweep', everyMs: 60_000 },
      () => new Promise((resolve) => (finish = () => resolve(done))),
    )
    let closed = false
    const closing = schedule.close().then(() => {
      closed = true
    })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(closed).toBe(false)
    finish()
    await closing

    const stuck = startSchedule({ functionId: 'sweep', everyMs: 60_000 }, () => new Promise(() => {}))
    const givingUp = stuck.close(500)
    await vi.advanceTimersByTimeAsync(500)
    await givingUp
  })
})

it('sends the event of an EventBridge rule, to the second', () => {
  expect(scheduledEvent('sweep', Date.UTC(2026, 0, 1, 12, 0, 0, 999))).toMatchObject({
    version: '0',
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    time: '2026-01-01T12:00:00Z',
    resources: ['arn:aws:events:us-east-1:000000000000:rule/sweep'],
    detail: {},
  })
})
