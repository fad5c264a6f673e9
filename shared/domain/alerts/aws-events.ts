import type { Integration } from '../integration.ts'
import type { IntegrationRecords } from '../ports.ts'
import type { Sent } from './alert.ts'
import { instantOf, type Payload, textOf } from './payload-fields.ts'

/** Integrations that are read at once: as many as there may be. */
const PAGE = 200
/** The account in the name of a role. */
const ACCOUNT = /^arn:[a-z-]+:iam::(\d{12}):role\//

/** Every integration there is. */
export async function allIntegrations(
  records: Pick<IntegrationRecords, 'list'>,
): Promise<readonly Integration[]> {
  const found: Integration[] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof records.list>> = await records.list({ limit: PAGE, after })
    found.push(...page.items)
    after = page.next
  } while (after !== null)
  return found
}

/**
 * What an event of AWS means to whom: each enabled `cloudwatch` integration that names its region and its account. One
 * without a role reads the account of the service itself, which is where these events come from.
 */
export function sharesOf(event: Payload, integrations: readonly Integration[]): readonly Sent[] {
  const received_at = instantOf(event.time) ?? 0
  return integrations
    .filter(({ type, status, config }) => {
      if (type !== 'cloudwatch' || status === 'disabled' || config.region !== event.region) return false
      const account = ACCOUNT.exec(textOf(config.role_arn) ?? '')?.[1]
      return account === undefined || account === event.account
    })
    .map(({ id }) => ({ integration_id: id, config: {}, headers: {}, received_at, body: event }))
}
