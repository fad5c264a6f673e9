/**
 * Hypotheses as they are stated: what each names, in one sentence, and what the verdict rests on.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import { kindOfChange } from '../changes/kind-of-change.ts'
import type { Cause } from '../findings.ts'
import type { Observed } from '../place/failing-services.ts'
import { effectOf } from '../records/change-record.ts'
import { holdsName } from '../records/whole-name.ts'
import type { Candidate } from './candidate.ts'
import { hasBaseline } from './caps-of-candidates.ts'
import { capital, changeName, timeText, titleText } from './compose-answer.ts'
import type { TakenBack } from './taken-back.ts'

/**
 * What a hypothesis names.
 * @param isBest - only of the first one is told what contributed to it
 */
export function causeOf(
  candidate: Candidate,
  observed: Observed,
  operational: readonly OperationalCause[],
  isBest: boolean,
): Cause {
  const since = observed.onset === null ? null : new Date(observed.onset.at).toISOString()
  if (candidate.of === 'change') {
    const { entry } = candidate
    const contributing = isBest
      ? operational
          .filter((found) => found.yields_to_changes && found.score >= 0.4 && found.kind === 'traffic')
          .map((found) => found.what)
      : []
    return {
      kind: kindOfChange(entry),
      level: 'change',
      entity: entry.reaches ?? observed.first?.entity ?? null,
      change: entry.change.id,
      trigger: entry.carried_by?.id ?? null,
      contributing,
      since: new Date(entry.effective_at.from).toISOString(),
    }
  }
  if (candidate.of === 'operational')
    return {
      kind: candidate.found.kind,
      level: 'kind',
      entity: candidate.found.entity,
      change: null,
      trigger: null,
      contributing: [],
      since,
    }
  return {
    kind: candidate.service.shifts[0]?.meaning.meaning === 'saturation' ? 'capacity' : 'unknown',
    level: 'service',
    entity: candidate.service.entity,
    change: null,
    trigger: null,
    contributing: [],
    since: new Date(candidate.service.onset.at).toISOString(),
  }
}

/** A hypothesis in one sentence. */
export function statementOf(candidate: Candidate, observed: Observed): string {
  if (candidate.of === 'change') {
    const { entry } = candidate
    const title = titleText(entry.change)
    const service = entry.change.entity ?? entry.carried_by?.entity
    const of = service === undefined ? '' : ` of ${service}`
    const when =
      entry.run !== null
        ? `, at work at ${timeText(entry.run.at)}`
        : entry.carried_by === null
          ? entry.effective_at.known
            ? `, in effect since ${timeText(entry.effective_at.from)}`
            : `, recorded at ${timeText(entry.change.recorded_at)}`
          : entry.sight !== undefined
            ? `, in effect since ${timeText(entry.sight.at)}`
            : entry.effective_at.known
              ? `, rolled out at ${timeText(effectOf(entry.carried_by))}`
              : `, whose rollout was recorded at ${timeText(effectOf(entry.carried_by))}`
    const why =
      entry.mechanism !== null && entry.mechanism.score >= 0.2 ? `: it ${entry.mechanism.mechanism.does}` : ''
    return `${capital(changeName(entry.change))}${title}${of}${when}${why}.`
  }
  if (candidate.of === 'operational') {
    const { found } = candidate
    const at = found.entity === null || holdsName(found.what, found.entity) ? '' : ` (${found.entity})`
    return `${capital(found.what)}${at}.`
  }
  if (candidate.service.entity === observed.made?.caller)
    return `${candidate.service.entity} calls ${observed.made.callee} more often than its own load explains; what changed there is not known.`
  const isUnexplained = observed.unexplained.some(({ entity }) => entity === candidate.service.entity)
  const others =
    isUnexplained && observed.failing.length > 1 ? ' and no service that it calls explains it' : ''
  return `${candidate.service.entity} itself fails${others}; what changed there is not known.`
}

/**
 * What the confidence rests on, in one sentence.
 * @param twin - a change that the same rollout brought and that fits as well
 * @param well - who was asked about, where it is well and this explains others
 * @param back - what took the named change back; null where nothing did
 */
export function basisOf(
  best: Candidate,
  next: Candidate | undefined,
  covered: string,
  observed: Observed,
  isTie: boolean,
  {
    twin,
    well,
    back,
  }: {
    readonly twin?: Candidate | undefined
    readonly well: string | null
    readonly back: TakenBack | null
  },
): string {
  if (isTie) return 'Two hypotheses fit equally well, so none is named.'
  const kinds = best.of === 'service' ? 0 : Math.ceil(best.kinds)
  const parts = [
    best.of === 'service'
      ? 'Only the failing service could be told, not what changed'
      : kinds === 1
        ? '1 kind of evidence speaks for it'
        : `${kinds} independent kinds of evidence agree`,
    next === undefined
      ? 'no other hypothesis comes near it'
      : `the next hypothesis scores ${Math.round((100 * next.score) / Math.max(best.score, 1e-9))} % of the first`,
    `looked at: ${covered}`,
  ]
  if (twin?.of === 'change')
    parts.push(`the same rollout carried ${changeName(twin.entry.change)}, for which as much speaks`)
  if (back?.harm.is === 'lasted')
    parts.push('it has been taken back and the harm goes on, so the confidence is capped')
  if (back?.harm.is === 'ended') parts.push('the harm ended once it had been taken back')
  if (well !== null)
    parts.push(`${well} itself answers as ever, so this is the cause of what fails elsewhere`)
  if (observed.unknown_service !== null)
    parts.push(`no tool names ${observed.unknown_service}, so this is the cause of what else fails`)
  if (!hasBaseline(observed)) parts.push('without a baseline the confidence is capped')
  if (best.of === 'change' && !best.entry.effective_at.known)
    parts.push('no rollout of the change was seen, so the confidence is capped')
  return `${parts.join('; ')}.`
}
