/**
 * Evidence of what fails, strongest first.
 */

import type { Observed } from '../place/failing-services.ts'
import {
  callsSentence,
  madeSentence,
  patternSentence,
  quoteText,
  shiftSentence,
  templateSentence,
  timeText,
  vanishedSentence,
} from './compose-answer.ts'
import type { EvidenceList } from './evidence-list.ts'

/** Ids of the evidence of what fails: three of a sort at the place that failed first, one of each at three more. */
export function symptomEvidence(observed: Observed, evidence: EvidenceList): readonly string[] {
  const ids: string[] = []
  const { first, made } = observed
  if (made !== null) ids.push(evidence.add('topology', 'dependency', madeSentence(made), made.source))
  const services = [first, ...observed.failing.filter((service) => service !== first)].filter(
    (service) => service !== null,
  )
  for (const service of services.slice(0, 4)) {
    const most = service === first ? 3 : 1
    for (const shift of service.shifts.slice(0, most))
      ids.push(
        evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query),
      )
    for (const template of service.templates.slice(0, most))
      ids.push(
        evidence.add(
          'logs',
          template.severity === 'error' ? 'error' : 'pattern',
          templateSentence(template),
          template.source,
        ),
      )
    if (service.templates.length === 0)
      for (const pattern of service.patterns.slice(0, most))
        ids.push(evidence.add('logs', 'pattern', patternSentence(pattern), pattern.source))
    const [span] = service.error_spans
    if (span !== undefined && service === first)
      ids.push(
        evidence.add(
          'traces',
          'error',
          `Span ${quoteText(span.name)} of ${span.service} failed at ${timeText(span.start)} with no failed child.`,
          span.source,
        ),
      )
    if (service.flow !== null && service.flow.excess_failed >= 1)
      ids.push(evidence.add('topology', 'dependency', callsSentence(service.flow), service.flow.source))
  }
  for (const template of observed.templates
    .filter((one) => one.change === 'vanished' && one.service === first?.entity)
    .slice(0, 1))
    ids.push(evidence.add('logs', 'absence', vanishedSentence(template), template.source))
  return [...new Set(ids)]
}
