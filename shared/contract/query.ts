import * as z from 'zod/mini'
import { readInstant } from '../domain/instant.ts'
import { MOST_RANGE_DAYS } from '../domain/understand-question.ts'
import { fraction, idIn, idOut, instantIn, instantOut, line, text } from './fields.ts'
import { evidence, gap, hypothesis, outcome, ruledOut } from './findings.ts'

const DAY_MS = 86_400_000

const timeRange = z
  .strictObject({ start: z.optional(instantIn()), end: z.optional(instantIn()) })
  .check((checked) => {
    const start = readInstant(checked.value.start ?? '')
    const end = readInstant(checked.value.end ?? '')
    if (start === null || end === null) return
    if (start >= end) {
      checked.issues.push({
        code: 'custom',
        input: checked.value,
        path: ['start'],
        message: 'must be before end',
      })
    } else if (end - start > MOST_RANGE_DAYS * DAY_MS) {
      const message = `must be at most ${MOST_RANGE_DAYS} days before end`
      checked.issues.push({ code: 'custom', input: checked.value, path: ['start'], message })
    }
  })

/** True for a time zone that this runtime knows. */
function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

export const question = z
  .strictObject({
    query: text(4_000),
    context: z.optional(
      z.strictObject({
        service: z.optional(line(200)),
        time_range: z.optional(timeRange),
        timezone: z.optional(
          z
            .string()
            .check(z.refine(isTimezone, { error: 'must be an IANA time zone, such as Europe/Paris' }))
            .register(z.globalRegistry, { examples: ['Europe/Paris'] }),
        ),
        incident_id: z.optional(idIn('inc', 'an incident')),
        previous_query_id: z.optional(idIn('query', 'a stored answer')),
      }),
    ),
  })
  .register(z.globalRegistry, { id: 'Question' })

export const answer = z
  .strictObject({
    id: idOut('query'),
    answer: z.string(),
    evidence: z.array(evidence),
    confidence: fraction(),
    timestamp: instantOut(),
    outcome,
    hypotheses: z.array(hypothesis),
    ruled_out: z.array(ruledOut),
    gaps: z.array(gap),
    understood: z.strictObject({
      intent: z.string(),
      service: z.nullable(z.string()),
      window: z.nullable(z.strictObject({ start: instantOut(), end: instantOut() })),
      carried_over: z.array(z.string()),
    }),
  })
  .register(z.globalRegistry, { id: 'Answer' })
