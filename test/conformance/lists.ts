import { expect } from 'vitest'
import { pathOf } from './client.ts'
import { everyPage, lazily, resourcesOf, type Suite } from './resources.ts'
import { also, states } from './states.ts'

/** More than a page holds by default. */
const MANY = 27
/** Characters of a cursor that are altered, at most; spread over its length. */
const MOST_ALTERATIONS = 60

/** What the API contract says of lists. */
export function lists(suite: Suite): void {
  const { client } = suite
  const make = resourcesOf(suite)

  /** Incidents made one after the other, oldest first, and a filter that begins right before them. */
  const many = lazily(async () => {
    const made = []
    for (let at = 0; at < MANY; at += 1)
      made.push(await make.incident({ title: `Listed ${at}`, severity: at % 2 === 0 ? 'low' : 'medium' }))
    const start_time = new Date(Date.parse(made[0]?.created_at ?? '') - 1).toISOString()
    return { ids: made.map(({ id }) => id), start_time }
  })
  const incidents = async (query: Readonly<Record<string, string>>) =>
    (await client.call('list-incidents', { query })).body
  const aCursor = lazily(async () => {
    const { start_time } = await many()
    const { next_cursor } = await incidents({ start_time, limit: '1' })
    if (next_cursor === null) throw new Error('a list of many has one page')
    return { start_time, cursor: next_cursor }
  })

  states('api-list-shape', async () => {
    const shapes = [
      ['incidents', (await client.call('list-incidents')).body],
      ['integrations', (await client.call('list-integrations')).body],
      ['webhooks', (await client.call('list-webhooks')).body],
    ] as const
    for (const [name, body] of shapes) {
      expect(Object.keys(body).sort()).toEqual([name, 'next_cursor'].sort())
      expect((body as Record<string, unknown>)[name]).toBeInstanceOf(Array)
    }
    const { start_time } = await many()
    expect((await incidents({ start_time, limit: '1' })).next_cursor).toMatch(/\S/)
    expect((await incidents({ start_time, limit: '100' })).next_cursor).toBeNull()
  })
  states('api-list-limit', async () => {
    const { start_time } = await many()
    expect((await incidents({ start_time })).incidents).toHaveLength(25)
    expect((await incidents({ start_time, limit: '1' })).incidents).toHaveLength(1)
    expect((await incidents({ start_time, limit: '100' })).incidents.length).toBeGreaterThanOrEqual(MANY)
    for (const path of ['/incidents', '/integrations', '/webhooks'])
      for (const limit of ['0', '101', '-1', '1.5', '1e1', '+1', '01', '', 'x', '%201', '0x10', '１'])
        await client.invalid({ method: 'GET', path: `${path}?limit=${limit}` }, 'limit')
  })
  states('api-list-cursor-tamper', async () => {
    const { start_time, cursor } = await aCursor()
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(cursor).not.toContain('inc_')
    const step = Math.ceil(cursor.length / MOST_ALTERATIONS)
    const altered = Array.from({ length: Math.ceil(cursor.length / step) }, (_, at) => {
      const place = at * step
      const letter = cursor[place] === 'A' ? 'B' : 'A'
      return cursor.slice(0, place) + letter + cursor.slice(place + 1)
    })
    const last = cursor.at(-1) ?? ''
    const neighbour = String.fromCharCode(last.charCodeAt(0) + 1)
    const forms = [
      '',
      'x',
      `${cursor}A`,
      `${cursor}=`,
      `A${cursor}`,
      cursor.slice(1),
      cursor.slice(0, -1),
      cursor.slice(0, -1) + (/[A-Za-z0-9]/.test(neighbour) ? neighbour : 'a'),
      cursor + cursor,
      cursor.toLowerCase() === cursor ? cursor.toUpperCase() : cursor.toLowerCase(),
      [...cursor].reverse().join(''),
      'A'.repeat(cursor.length),
      'A'.repeat(2_000),
      Buffer.from('{"id":"inc_0"}').toString('base64url'),
    ]
    for (const form of [...altered, ...forms]) {
      const query = { start_time, limit: '1', cursor: form }
      await client.invalid({ method: 'GET', path: pathOf('list-incidents', { query }) }, 'cursor')
    }
    expect((await incidents({ start_time, limit: '1', cursor })).incidents).toHaveLength(1)
  })
  states('api-list-cursor-filters', async () => {
    const { start_time, cursor } = await aCursor()
    const others: readonly Readonly<Record<string, string>>[] = [
      {},
      { start_time, status: 'open' },
      { start_time, severity: 'low' },
      { start_time: '2026-01-01T00:00:00Z' },
      { start_time, end_time: '2100-01-01T00:00:00Z' },
    ]
    for (const query of others) {
      const path = pathOf('list-incidents', { query: { ...query, cursor } })
      await client.invalid({ method: 'GET', path }, 'cursor')
    }
    for (const list of ['list-webhooks', 'list-integrations'] as const)
      await client.invalid({ method: 'GET', path: pathOf(list, { query: { cursor } }) }, 'cursor')
    const further = await incidents({ start_time, cursor, limit: '3' })
    expect(further.incidents).toHaveLength(3)
  })
  states('api-list-newest-first', async () => {
    const { ids, start_time } = await many()
    const listed = (await incidents({ start_time, limit: '100' })).incidents
    const mine = listed.map(({ id }) => id).filter((id) => ids.includes(id))
    expect(mine).toEqual([...ids].reverse())
    const times = listed.map(({ created_at }) => created_at)
    expect(times).toEqual([...times].sort().reverse())
    const webhooks = [await make.webhook(), await make.webhook()].map(({ webhook }) => webhook.id)
    const shown = (await client.call('list-webhooks')).body.webhooks.map(({ id }) => id)
    expect(shown.filter((id) => webhooks.includes(id))).toEqual(webhooks.reverse())
    const integrations = [await make.github(), await make.github()].map(({ integration }) => integration.id)
    const connected = (await client.call('list-integrations')).body.integrations.map(({ id }) => id)
    expect(connected.filter((id) => integrations.includes(id))).toEqual(integrations.reverse())
  })
  states('api-list-stable', async () => {
    const { ids, start_time } = await many()
    const late: string[] = []
    const pages = await everyPage(async (cursor) => {
      const page = await incidents({ start_time, limit: '4', ...cursor })
      late.push((await make.incident({ title: 'Opened while others read' })).id)
      return page
    })
    const seen = pages.flatMap((page) => page.incidents.map(({ id }) => id))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => ids.includes(id))).toEqual([...ids].reverse())
    expect(seen.filter((id) => late.includes(id))).toEqual([])
  })
  also('pages of every list hold each item once, whatever the limit', async () => {
    await make.github()
    await make.github()
    await make.webhook()
    await make.webhook()
    for (const limit of ['1', '2']) {
      const hooks = await everyPage(
        async (cursor) => (await client.call('list-webhooks', { query: { limit, ...cursor } })).body,
      )
      const whole = (await client.call('list-webhooks', { query: { limit: '100' } })).body
      expect(hooks.flatMap(({ webhooks }) => webhooks)).toEqual(whole.webhooks)
      const tools = await everyPage(
        async (cursor) => (await client.call('list-integrations', { query: { limit, ...cursor } })).body,
      )
      const all = (await client.call('list-integrations', { query: { limit: '100' } })).body
      expect(tools.flatMap(({ integrations }) => integrations)).toEqual(all.integrations)
    }
  })
  also('every combination of filters pages through exactly what fits it', async () => {
    const { ids, start_time } = await many()
    const end_time = new Date(Date.now() + 1_000).toISOString()
    const choices: readonly Readonly<Record<string, string>>[] = [
      {},
      { status: 'open' },
      { severity: 'medium' },
      { status: 'open', severity: 'low' },
      { status: 'resolved', severity: 'low' },
    ]
    for (const choice of choices) {
      const query = { start_time, end_time, limit: '9', ...choice }
      const pages = await everyPage((cursor) => incidents({ ...query, ...cursor }))
      const seen = pages.flatMap((page) => page.incidents)
      const mine = seen.filter(({ id }) => ids.includes(id))
      const severity = choice.severity
      const fitting = ids.filter((_, at) => severity === undefined || (severity === 'low') === (at % 2 === 0))
      expect(mine.map(({ id }) => id)).toEqual(choice.status === 'resolved' ? [] : fitting.reverse())
      for (const incident of seen) expect(incident).toMatchObject(choice)
    }
  })
}
