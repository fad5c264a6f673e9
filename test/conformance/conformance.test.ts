import { afterAll, beforeAll, describe } from 'vitest'
import { clientOf, closeClient } from './client.ts'
import { deliveries } from './deliveries.ts'
import { entityTags } from './entity-tags.ts'
import { everywhere } from './everywhere.ts'
import { idempotency } from './idempotency.ts'
import { keys } from './keys.ts'
import { allowance, limits, quotas, windowEnds } from './limits.ts'
import { lists } from './lists.ts'
import {
  evidence,
  incidents,
  integrations,
  queries,
  serviceDocument,
  signals,
  webhooks,
} from './operations.ts'
import { orderOfChecks } from './order-of-checks.ts'
import { people } from './people.ts'
import type { Suite } from './resources.ts'
import { type ServiceUnderTest, serviceUnderTest } from './service-under-test.ts'
import { specification } from './specification.ts'
import { statementList } from './statement-list.ts'

/** Starting the local runner, and keys for it. */
const START_MS = 120_000

let running: ServiceUnderTest | undefined
const service = () => {
  if (running === undefined) throw new Error('the service does not run yet')
  return running
}

beforeAll(async () => {
  running = await serviceUnderTest()
}, START_MS)
afterAll(async () => {
  await closeClient()
  await running?.close()
}, START_MS)

/** A group of tests with a client of its own, which may wait once for the end of a rate limit's window. */
function group(title: string, register: (suite: Suite) => void): void {
  describe(title, () => register({ client: clientOf(service), service }))
}

group('limits', limits)
group('specification', specification)
group('api: everywhere', everywhere)
group('api: entity tags', entityTags)
group('api: idempotency', idempotency)
group('api: order of checks', orderOfChecks)
group('api: keys', keys)
group('api: people', people)
group('api: lists', lists)
group('api: query', queries)
group('api: integrations', integrations)
group('api: incidents', incidents)
group('api: signals', signals)
group('api: webhooks', webhooks)
group('api: deliveries', deliveries)
group('api: evidence and root cause', evidence)
group('api: document', serviceDocument)
group('api: quotas', quotas)
group('api: window', windowEnds)
describe('statements', statementList)
group('api: allowance', allowance)
