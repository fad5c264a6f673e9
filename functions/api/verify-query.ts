import { verifyQuery } from '#shared/domain/verify-evidence.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { keeping, queryVerificationActs } from '#shared/runtime.ts'

export const handler = endpoint('verify-query', keeping, () => async ({ id, deadline }) => ({
  body: await verifyQuery(queryVerificationActs(), id, deadline),
}))
