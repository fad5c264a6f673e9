import type { Played } from './play-outage.ts'

/** What was found of an outage, its evidence with the queries, which names were joined, and what was not looked at. */
export function cardOf({ outage, root_cause, snapshot }: Played): string {
  const { cause } = root_cause
  const kept = snapshot.entities.filter(({ aliases }) => aliases.length > 0)
  return [
    '',
    `== ${outage.title}`,
    root_cause.summary,
    `   ${root_cause.outcome}, confidence ${root_cause.confidence}; ${cause.kind} of ${cause.entity ?? 'nobody'}; first failing: ${root_cause.first_failing_service ?? 'unknown'}`,
    ...root_cause.evidence
      .slice(0, 6)
      .map(({ content, query }) => `   - ${content}${query === null ? '' : `\n     ${query}`}`),
    ...kept.map(
      ({ name, aliases }) =>
        `   join: ${name} = ${aliases.map(({ alias, learnt_from }) => `${alias} (${learnt_from})`).join(', ')}`,
    ),
    ...root_cause.gaps.map(({ what, why }) => `   gap: ${what}: ${why}`),
    '',
  ].join('\n')
}
