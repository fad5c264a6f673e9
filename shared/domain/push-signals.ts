import { invalid } from './errors.ts'
import type { Clock, SignalKeeper } from './ports.ts'
import { aheadIn, countsOf, type SignalBatch, type SignalCounts, spanOf } from './signals.ts'

export interface SignalActs {
  readonly signals: SignalKeeper
  readonly clock: Clock
}

/**
 * Keeps a batch of records, all of them or none. The same batch kept again is the same item: nothing changes.
 * @returns how many records of each kind the batch holds
 */
export async function keepSignals(
  { signals, clock }: SignalActs,
  records: SignalBatch,
): Promise<SignalCounts> {
  const span = spanOf(records)
  // Nothing but empty series: there is no time at which anybody would look for them.
  if (span !== null) await signals.keep({ records, span }, clock())
  return countsOf(records)
}

/**
 * Keeps a batch that a client pushed. However old its records are, they are evidence of their time.
 * @throws Refusal `invalid` on records of a time that is still to come
 */
export async function pushSignals(acts: SignalActs, records: SignalBatch): Promise<SignalCounts> {
  const [first, ...others] = aheadIn(records, acts.clock())
  if (first !== undefined) throw invalid([first, ...others])
  return await keepSignals(acts, records)
}
