import type { Clock, SignalKeeper } from './ports.ts'
import { countsOf, type SignalBatch, type SignalCounts, spanOf } from './signals.ts'

export interface SignalActs {
  readonly signals: SignalKeeper
  readonly clock: Clock
}

/**
 * Keeps a batch of pushed records, all of them or none. The same batch sent again is the same item: nothing changes.
 * @returns how many records of each kind the batch holds
 */
export async function pushSignals(
  { signals, clock }: SignalActs,
  records: SignalBatch,
): Promise<SignalCounts> {
  const span = spanOf(records)
  // Nothing but empty series: there is no time at which anybody would look for them.
  if (span !== null) await signals.keep({ records, span }, clock())
  return countsOf(records)
}
