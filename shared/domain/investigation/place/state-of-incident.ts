/**
 * Where an incident is going.
 *
 * It is over when nobody is hurt any more: neither does what failed first fail still, nor the service whose failing was asked about.
 * What fails first may be well again while who lies behind it is not, as with connections that stay taken or a queue that has to be
 * worked off.
 */
import type { Findings } from '../findings.ts'
import { type FailingService, trendOf } from './failing-service.ts'
import type { Observed } from './failing-services.ts'

type State = Findings['state']
type Failed = Pick<Observed, 'first' | 'failing' | 'symptom_service'>

/** The worst first. That of what was not measured is not known, which is told where nothing else is. */
const WORST_FIRST: readonly State[] = ['worsening', 'ongoing', 'recovering', 'recovered', 'unknown']

/** What failed first, and the service that was asked about where that fails and is another. */
function concerned({ first, failing, symptom_service: asked }: Failed): readonly FailingService[] {
  const symptom = failing.find(({ entity }) => entity === asked)
  const both = [first, symptom === first ? undefined : symptom]
  return both.filter((one) => one !== null && one !== undefined)
}

/** The state of an incident: that of what failed first, or of the service asked about where that is worse off. */
export function stateOf(observed: Failed): State {
  const states = new Set(concerned(observed).map(trendOf))
  return WORST_FIRST.find((state) => states.has(state)) ?? 'unknown'
}

/** By whom it is told whether it is over: what failed first, unless that is and the service asked about is not. */
export function stillFailing(observed: Failed): FailingService | null {
  const both = concerned(observed)
  return both.find(({ ended_at }) => ended_at === null) ?? both[0] ?? null
}
