import { expect } from 'vitest'
import { operationList } from '#shared/contract/operations.ts'
import type { Sent } from './client.ts'
import { resourcesOf, type Suite, unusedId } from './resources.ts'
import { also, states } from './states.ts'

/** Bytes of a body that is too large. */
const TOO_LARGE = ' '.repeat(256 * 1_024 + 1)
const PLAIN = ['content-type', 'text/plain']

interface DoubleFault {
  readonly what: string
  readonly sent: Sent
  readonly status: number
}

/** What is told first of a request that is wrong in two ways. */
export function orderOfChecks(suite: Suite): void {
  const { client, service } = suite
  const make = resourcesOf(suite)

  states('api-order', async () => {
    const { assistant } = service().keys
    const missing = `/incidents/${unusedId('inc')}`
    const resolved = (await make.incident()).id
    await make.moved(resolved, 'resolved')
    const table: readonly DoubleFault[] = [
      {
        what: 'size before authentication',
        sent: { method: 'POST', path: '/query', raw: TOO_LARGE, key: null },
        status: 413,
      },
      {
        what: 'size before authentication on an unknown route',
        sent: { method: 'POST', path: '/no-such-path', raw: TOO_LARGE, key: null },
        status: 413,
      },
      {
        what: 'size before permission',
        sent: { method: 'POST', path: '/webhooks', raw: TOO_LARGE, key: assistant },
        status: 413,
      },
      {
        what: 'size before media type',
        sent: { method: 'POST', path: '/webhooks', raw: TOO_LARGE, headers: PLAIN },
        status: 413,
      },
      {
        what: 'size before existence',
        sent: { method: 'PATCH', path: missing, raw: TOO_LARGE },
        status: 413,
      },
      {
        what: 'authentication before route',
        sent: { method: 'GET', path: '/no-such-path', key: null },
        status: 401,
      },
      {
        what: 'authentication before method',
        sent: { method: 'PUT', path: '/incidents', key: null },
        status: 401,
      },
      {
        what: 'authentication before media type',
        sent: { method: 'POST', path: '/query', raw: '{}', headers: PLAIN, key: null },
        status: 401,
      },
      {
        what: 'authentication before validation of a body',
        sent: { method: 'POST', path: '/query', body: {}, key: 'iis_no_key' },
        status: 401,
      },
      {
        what: 'authentication before validation of parameters',
        sent: { method: 'GET', path: '/incidents?stauts=open', key: null },
        status: 401,
      },
      {
        what: 'authentication before existence',
        sent: { method: 'GET', path: missing, key: null },
        status: 401,
      },
      {
        what: 'route before permission',
        sent: { method: 'GET', path: '/no-such-path', key: assistant },
        status: 404,
      },
      {
        what: 'method before permission',
        sent: { method: 'PUT', path: '/incidents', body: {}, key: assistant },
        status: 405,
      },
      {
        what: 'route before media type',
        sent: { method: 'POST', path: '/no-such-path', raw: '{', headers: PLAIN },
        status: 404,
      },
      {
        what: 'method before media type',
        sent: { method: 'PUT', path: '/query', raw: '{', headers: PLAIN },
        status: 405,
      },
      {
        what: 'route before validation',
        sent: { method: 'POST', path: '/no-such-path', raw: '{' },
        status: 404,
      },
      {
        what: 'permission before media type',
        sent: { method: 'POST', path: '/incidents', raw: '{}', headers: PLAIN, key: assistant },
        status: 403,
      },
      {
        what: 'permission before validation of a body',
        sent: { method: 'POST', path: '/incidents', raw: '{', key: assistant },
        status: 403,
      },
      {
        what: 'permission before validation of parameters',
        sent: { method: 'GET', path: '/incidents?stauts=open', key: assistant },
        status: 403,
      },
      {
        what: 'permission before existence',
        sent: { method: 'GET', path: missing, key: assistant },
        status: 403,
      },
      {
        what: 'permission before the form of an id',
        sent: { method: 'GET', path: '/incidents/x', key: assistant },
        status: 403,
      },
      {
        what: 'permission before conflict',
        sent: { method: 'PATCH', path: `/incidents/${resolved}`, body: { status: 'open' }, key: assistant },
        status: 403,
      },
      {
        what: 'media type before validation',
        sent: { method: 'POST', path: '/query', raw: '{', headers: PLAIN },
        status: 415,
      },
      {
        what: 'media type before existence',
        sent: { method: 'PATCH', path: missing, raw: '{}', headers: PLAIN },
        status: 415,
      },
      {
        what: 'validation of a body before existence',
        sent: { method: 'PATCH', path: missing, body: { status: 'closed' } },
        status: 400,
      },
      {
        what: 'validation of a body before the form of an id',
        sent: { method: 'PATCH', path: '/incidents/x', body: { status: 'closed' } },
        status: 400,
      },
      {
        what: 'validation of parameters before existence',
        sent: { method: 'GET', path: `${missing}?x=1` },
        status: 400,
      },
      {
        what: 'validation before conflict',
        sent: { method: 'PATCH', path: `/incidents/${resolved}`, body: { status: 'open', titel: 'x' } },
        status: 400,
      },
      {
        what: 'existence before conflict',
        sent: { method: 'PATCH', path: missing, body: { status: 'open' } },
        status: 404,
      },
    ]
    for (const { what, sent, status } of table)
      expect((await client.send(sent)).status, `${what}: ${sent.method} ${sent.path}`).toBe(status)
  })
  states('api-order-permission', async () => {
    const { id } = await make.incident()
    const key = service().keys.assistant
    const [there, gone] = [`/incidents/${id}`, `/incidents/${unusedId('inc')}`]
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? { body: { title: 'x' } } : {}
      const answers = [
        await client.refusal({ method, path: there, key, ...body }, 403),
        await client.refusal({ method, path: gone, key, ...body }, 403),
      ].map(({ code, message, details }) => ({ code, message, details }))
      expect(answers[0]).toEqual(answers[1])
    }
  })
  also(
    'an assistant key with an invalid body is 403 on every operation that takes one and is not its own',
    async () => {
      const key = service().keys.assistant
      for (const { id, access, method, path, body, idPrefixes } of operationList) {
        if (access === 'anyone' || body === undefined || access.includes('assistant')) continue
        const shown = path
          .replace('{id}', unusedId(idPrefixes?.[0] ?? 'x'))
          .replace('{delivery_id}', unusedId('dlv'))
        expect((await client.refusal({ method, path: shown, raw: '{', key }, 403)).code, id).toBe('FORBIDDEN')
      }
    },
  )
}
