import { SETTLE_LIMIT, type SettleActs, settleAlerts } from './alerts/take-alerts.ts'
import { AllThenFail } from './all-then-fail.ts'
import type { Doorbell, IncidentStore } from './ports.ts'

export interface InvestigationSweepActs {
  readonly settling: SettleActs
  readonly incidents: Pick<IncidentStore, 'dueInvestigations'>
  readonly doorbell: Doorbell
}

/** Investigations that one run rings for; the next run takes the rest. */
export const SWEEP_LIMIT = 500

/**
 * Rings again for investigations that are overdue, and does what is due of alerts: one is done where the other fails.
 * @param report told of a group of alerts that could not be worked
 * @returns how many it rang for, and how many steps of alerts it did
 * @throws what kept the investigations from being rung for, or the alerts from being looked at
 */
export async function sweepInvestigations(
  { incidents, doorbell, settling }: InvestigationSweepActs,
  report: (error: unknown) => void,
): Promise<number> {
  const run = new AllThenFail()
  const rung = await run.try(async () => {
    const due = await incidents.dueInvestigations(settling.clock(), SWEEP_LIMIT)
    if (due.length > 0) await doorbell.ring(due)
    return due.length
  })
  const settled = await run.try(() => settleAlerts(settling, SETTLE_LIMIT, report))
  run.end()
  return (rung ?? 0) + (settled ?? 0)
}
