import { request } from 'undici'
import { inject } from 'vitest'

/** What a program sends beside the browser. */
export interface Sent {
  readonly body?: unknown
  /** A key, or the access token of a user; by default the admin key of the service. */
  readonly key?: string
}

/** Asks the API as a program does, for what a test needs to have happened without anybody clicking. */
export async function askApi(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { body, key }: Sent = {},
): Promise<{ readonly status: number; readonly body: Record<string, string> }> {
  const { base_url, admin_key } = inject('service')
  const answer = await request(`${base_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key ?? admin_key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.body.text()
  return { status: answer.statusCode, body: text === '' ? {} : (JSON.parse(text) as Record<string, string>) }
}

/** Opens an incident. @returns its id */
export async function openIncident(incident: { readonly title: string; readonly severity: string }) {
  const { status, body } = await askApi('POST', '/incidents', { body: incident })
  if (status !== 201 || body.id === undefined) throw new Error(`no incident was opened: ${status}`)
  return body.id
}
