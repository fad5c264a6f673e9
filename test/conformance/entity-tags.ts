import { expect } from 'vitest'
import { githubSettings, resourcesOf, type Suite } from './resources.ts'
import { states } from './states.ts'

const STRONG = /^"[!#-~]+"$/

/** What the API contract says about ETag, If-None-Match and If-Match. */
export function entityTags(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)

  /** One resource of each kind, by its path below the base address. */
  async function resources(): Promise<string[]> {
    const query = (await client.call('answer-query', { body: { query: 'How many incidents are open?' } }))
      .body
    return [
      `/incidents/${(await make.incident()).id}`,
      `/integrations/${(await make.github()).integration.id}`,
      `/webhooks/${(await make.webhook()).webhook.id}`,
      `/query/${query.id}`,
    ]
  }
  const read = (path: string, held?: string) =>
    client.send({ method: 'GET', path, ...(held === undefined ? {} : { headers: ['if-none-match', held] }) })

  states('api-etag', async () => {
    const paths = await resources()
    for (const path of paths) {
      const [first, again] = [await read(path), await read(path)]
      expect(first.headers.etag, path).toMatch(STRONG)
      // An investigation that goes on meanwhile makes a new version: then the body tells.
      if (again.text === first.text) expect(again.headers.etag, path).toBe(first.headers.etag)
      else expect(again.headers.etag, path).not.toBe(first.headers.etag)
    }
    const [incident = '', integration = '', webhook = ''] = paths
    const changes = [
      [incident, { title: 'another title' }],
      [integration, { config: githubSettings('another-secret') }],
      [webhook, { events: ['incident.resolved'] }],
    ] as const
    for (const [path, body] of changes) {
      const before = (await read(path)).headers.etag
      const changed = await client.send({ method: 'PATCH', path, body })
      expect(changed.status, changed.text).toBe(200)
      expect(changed.headers.etag, path).toMatch(STRONG)
      expect(changed.headers.etag, path).not.toBe(before)
    }
  })
  states('api-if-none-match', async () => {
    for (const path of await resources()) {
      // An incident's analysis makes new versions for a while.
      if (path.startsWith('/incidents/')) await make.analysed(path.slice('/incidents/'.length))
      const { headers, text } = await read(path)
      const tag = headers.etag ?? ''
      for (const held of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const got = await read(path, held)
        expect([got.status, got.text, got.headers.etag], `${path} ${held}`).toEqual([304, '', tag])
      }
      const other = await read(path, '"other"')
      expect([other.status, other.text], path).toEqual([200, text])
    }
    const [path = ''] = await resources()
    await client.invalid(
      { method: 'GET', path, headers: ['if-none-match', 'without-quotes'] },
      'If-None-Match',
    )
  })
  states('api-if-match', async () => {
    const { id } = await make.incident()
    await make.analysed(id)
    const changes = [
      [`/incidents/${id}`, { title: 'one' }, { title: 'two' }],
      [`/integrations/${(await make.github()).integration.id}`, { enabled: false }, { enabled: false }],
      [
        `/webhooks/${(await make.webhook()).webhook.id}`,
        { events: ['incident.created'] },
        { events: ['incident.resolved'] },
      ],
    ] as const
    for (const [path, one, two] of changes) {
      const tag = (await read(path)).headers.etag ?? ''
      const patch = (body: unknown, match: string) =>
        ({ method: 'PATCH', path, body, headers: ['if-match', match] }) as const
      const first = await client.send(patch(one, tag))
      expect(first.status, first.text).toBe(200)
      const late = await client.refusal(patch(two, tag), 412)
      expect([late.code, late.details.field], path).toEqual(['INVALID_REQUEST', 'If-Match'])
      const present = await read(path)
      expect(present.headers.etag, path).toBe(first.headers.etag)
      await client.invalid(patch(two, 'without-quotes'), 'If-Match')
      expect((await client.send(patch(two, present.headers.etag ?? ''))).status, path).toBe(200)
    }
  })
  states('api-status-412', async () => {
    const { id } = await make.incident()
    const headers = ['if-match', '"of-another-version"']
    const patch = { method: 'PATCH', path: `/incidents/${id}`, headers, body: { severity: 'high' } }
    expect((await client.refusal(patch, 412)).code).toBe('INVALID_REQUEST')
  })
}
