import { type Intake, senderOf } from '../../domain/alerts/intake.ts'
import type { IntegrationConfig } from '../../domain/integration.ts'
import type { IntegrationStore, SenderGate } from '../../domain/ports.ts'
import { BoundedMap } from '../bounded-map.ts'
import { verifySender } from './verify-sender.ts'
import type { VerifySns } from './verify-sns.ts'

/** Integrations that a process remembers to have let in: as many as a deployment may have. */
const MOST_SEEN = 200

/** Topics whose messages are taken: those that the settings name, and no others. */
const topicsOf = ({ topic_arns: topics }: IntegrationConfig): readonly string[] =>
  Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : []

/** The gate of what tools send: each message is verified by what its integration keeps for that, read anew each time. */
export function senderGate(
  integrations: Pick<IntegrationStore, 'openIntake'>,
  verifySns: VerifySns,
): SenderGate {
  const seen = new BoundedMap<true>(MOST_SEEN)
  return {
    seen: (id) => seen.get(id) === true,
    async admit(id, message, now) {
      const found = await integrations.openIntake(id)
      if (found === undefined || found.intake === null) return undefined
      const { integration, intake } = found
      const sender = senderOf(integration.type)
      if (sender === undefined) return undefined
      const { proof } = sender
      const provenBy = (by: Intake): boolean =>
        verifySender(proof === 'sns' ? 'token' : proof, message, by, now)
      const { previous } = intake
      const proven =
        provenBy(intake) ||
        (previous !== undefined && now < previous.until && provenBy(previous)) ||
        (proof === 'sns' && (await verifySns(message.body, topicsOf(integration.config), now)))
      if (!proven) return undefined
      seen.set(id, true)
      return integration
    },
  }
}
