import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'

const send = guardedRequest(localRules([]))

/** Goes out as tools are asked: with a query, a body, and an answer that is read in full. */
export const handler = async ({ address }: { readonly address: string }): Promise<string> => {
  const { status, body } = await send({
    url: `${address}/things?name=a`,
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'what is asked',
    deadlineMs: 5_000,
    maxBytes: 1_000,
  })
  return `${status} ${Buffer.from(body).toString()}`
}
