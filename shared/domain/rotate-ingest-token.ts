import { intakeOf, TOKEN_BYTES, writeToken } from './alerts/intake.ts'
import type { Connected, IntegrationActs } from './connect-integration.ts'
import { conflict, notFound } from './errors.ts'
import { writeInstant } from './instant.ts'
import { type Overlap, overlapEnds } from './overlap.ts'
import { overtaken, requireVersion, type Versions } from './precondition.ts'

/**
 * Replaces the ingest token of an integration; for the overlap the one before proves its tool too. Of three tokens in one
 * overlap only the last two count. The tool is not asked: what it is asked with stays as it is.
 * @param expected versions that the rotation is meant for
 * @throws Refusal `not_found`, `precondition_failed`, or `conflict` for a tool that sends nothing and when somebody else
 * changed the integration meanwhile
 */
export async function rotateIngestToken(
  acts: Pick<IntegrationActs, 'integrations' | 'clock' | 'random'>,
  id: string,
  given: Overlap,
  expected?: Versions,
): Promise<Connected> {
  const opened = await acts.integrations.open(id)
  if (opened === undefined) throw notFound(`Integration ${id}`)
  const { integration: before, config, intake, asked_at, unasked } = opened
  requireVersion(expected, before.version)
  const fresh = intakeOf(before.type, config, writeToken(acts.random(TOKEN_BYTES)))
  if (intake === null || fresh === null)
    throw conflict(
      'The service asks tools of this type, and they send nothing: this integration has no ingest token.',
    )
  const now = acts.clock()
  const { token, secret } = intake
  const previous = { token, secret, until: overlapEnds(now, given) }
  const after = { ...before, updated_at: writeInstant(now), version: before.version + 1 }
  const asked = { asked_at, unasked }
  if (!(await acts.integrations.change(before, after, config, { ...fresh, previous }, asked)))
    throw overtaken(expected, 'integration')
  return { integration: after, token: fresh.token }
}
