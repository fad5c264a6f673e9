import { describe, expect, it } from 'vitest'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import type { Question, ToolReach } from '#shared/adapters/tools/tool-request.ts'
import { pullWith, readPages, toolSession } from '#shared/adapters/tools/tool-session.ts'
import { invalidField } from '#shared/domain/errors.ts'
import {
  type Canned,
  closeAfterTest,
  pullRequest,
  type Seen,
  serveTool,
  withoutWaiting,
} from './tool-server.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')

const reachOf = (base_url: string): ToolReach => ({
  tool: 'loki',
  title: 'Loki',
  base_url,
  headers: {},
  secrets: [],
  credential: 'config.bearer_token',
})

async function session(
  answer: (seen: Seen) => Canned | undefined,
  caps = { parallel: 4, requests: 10 },
  clock: () => number = () => NOW,
) {
  const server = await serveTool(answer)
  const request = guardedRequest(localRules())
  closeAfterTest(server, request)
  const { wait } = withoutWaiting()
  const reach = reachOf(server.url)
  return { server, reach, session: toolSession({ request, now: clock, wait }, reach, pullRequest(NOW), caps) }
}

describe('a session with a tool', () => {
  it('writes down each question with its window, link and the digest of what came back', async () => {
    const { session: one } = await session(() => ({ body: [1, 2] }))
    const window = { from: NOW - 1000, to: NOW }
    const answer = await one.ask({
      what: 'lines',
      path: '/q',
      query: '{app="x"}',
      window,
      link: 'https://l/1',
    })
    if (answer === undefined) throw new Error('no answer')
    one.answered(answer, { items: [1, 2] })
    const { sources, gaps } = one.end({})
    expect(gaps).toEqual([])
    expect(sources).toEqual([
      {
        id: expect.stringMatching(/^tool_1:[0-9a-f]{16}$/),
        integration_id: 'tool_1',
        tool: 'loki',
        query: '{app="x"}',
        window,
        link: 'https://l/1',
        outcome: 'answered',
        records: 2,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
  })

  it('tells two windows and two bodies of one question apart, and the same question again not', async () => {
    const { session: one } = await session(() => ({ body: [] }))
    const questions: (Question & { window?: { from: number; to: number } })[] = [
      { path: '/q', window: { from: 1, to: 2 } },
      { path: '/q', window: { from: 2, to: 3 } },
      { path: '/q', method: 'POST', json: { a: 1 } },
      { path: '/q', method: 'POST', json: { a: 2 } },
      { path: '/q', method: 'POST', json: { a: 2 } },
    ]
    for (const question of questions) {
      const answer = await one.ask({ what: 'x', ...question })
      if (answer) one.answered(answer, { items: [] })
    }
    expect(one.end({}).sources.map(({ query, outcome }) => [query, outcome])).toEqual([
      ['GET /q', 'empty'],
      ['GET /q', 'empty'],
      ['POST /q', 'empty'],
      ['POST /q', 'empty'],
    ])
  })

  it('makes a failure a source and a gap, and what may be absent no gap', async () => {
    const { session: one } = await session(({ path }) =>
      path === '/q' ? { status: 400, body: { error: 'bad' } } : undefined,
    )
    expect(await one.ask({ what: 'lines', path: '/q' })).toBeUndefined()
    expect(await one.ask({ what: 'more', path: '/none', empty: ['absent'] })).toBeUndefined()
    const { sources, gaps } = one.end({})
    const why = 'Loki answers with status 400: bad'
    expect(sources).toMatchObject([
      { query: 'GET /none', outcome: 'empty' },
      { query: 'GET /q', outcome: 'failed', detail: why },
    ])
    expect(gaps).toEqual([{ what: 'lines', why, source: sources[1]?.id }])
  })

  it('makes no more requests than it may, and names once what it did not ask for, or how much more that is', async () => {
    const { session: one, server } = await session(() => ({ body: 1 }), { parallel: 1, requests: 3 })
    const asked = [1, 1, 1, 9, 2, 3, 3, 4, 5, 6, 7]
    await Promise.all(asked.map((what, at) => one.ask({ what: `part ${what}`, path: `/${at}` })))
    expect(server.seen).toHaveLength(3)
    expect(one.end({}).gaps).toEqual([
      {
        what: 'Loki',
        why: '8 requests were not made (part 2; part 3; part 4; part 5; part 6; 2 more): one investigation makes at most 3 requests.',
      },
    ])
  })

  it('stops asking a tool that wants to be left alone', async () => {
    const { session: one, server } = await session(() => ({ status: 429, headers: { 'retry-after': '60' } }))
    await one.ask({ what: 'a', path: '/a' })
    await one.ask({ what: 'b', path: '/b' })
    expect(server.seen).toHaveLength(1)
    expect(one.end({}).gaps.map(({ why }) => why)).toEqual([
      '1 request was not made (b): Loki asks to be left alone until 2026-03-10T12:01:00.000Z.',
      'Loki asks to be left alone until 2026-03-10T12:01:00.000Z (status 429).',
    ])
  })

  it('asks nothing more when its time is up', async () => {
    let now = NOW
    const { session: one, server } = await session(
      () => ({ body: 1 }),
      undefined,
      () => now,
    )
    now += 8000
    expect(await one.ask({ what: 'a', path: '/a' })).toBeUndefined()
    expect(server.seen).toHaveLength(0)
    expect(one.end({}).gaps).toMatchObject([{ why: '1 request was not made (a): the time was up.' }])
  })

  it('reaches a tool by another way under the same caps', async () => {
    const { session: one, server, reach } = await session(() => ({ body: 1 }), { parallel: 1, requests: 1 })
    const proxied = one.by({ ...reach, base_url: `${server.url}/proxy` })
    await proxied.ask({ what: 'a', path: '/a' })
    await one.ask({ what: 'b', path: '/b' })
    expect(server.seen.map(({ path }) => path)).toEqual(['/proxy/a'])
  })
})

describe('a list in pages', () => {
  const pages = async (last: number, cap = 10, enough?: (items: readonly number[]) => boolean) => {
    const made = await session(({ search }) => {
      const page = Number(search.get('page') ?? 1)
      return { body: { items: [page], next: page < last ? page + 1 : last === -1 ? 1 : undefined } }
    })
    const found = await readPages(
      made.session,
      { what: 'list', path: '/list?page=1' },
      ({ body }) => {
        const { items, next } = body as { items: number[]; next?: number }
        return { items, ...(next === undefined ? {} : { next: { path: `/list?page=${next}` } }) }
      },
      { pages: cap, ...(enough ? { enough } : {}) },
    )
    return { found: found.map(({ item }) => item), ...made.session.end({}) }
  }

  it('is read to its end', async () => {
    expect(await pages(3)).toMatchObject({ found: [1, 2, 3], gaps: [] })
  })

  it('is read until it is enough', async () => {
    expect(await pages(9, 10, ([item]) => item === 2)).toMatchObject({ found: [1, 2], gaps: [] })
  })

  it('is cut at the cap, with a gap', async () => {
    const { found, gaps, sources } = await pages(9, 2)
    expect(found).toEqual([1, 2])
    expect(gaps).toMatchObject([{ what: 'list', why: 'There are more than the 2 that were read.' }])
    expect(sources[1]).toMatchObject({ outcome: 'cut', detail: 'More pages follow; 2 are read.' })
  })

  it('that leads in a circle ends, with a gap', async () => {
    expect(await pages(-1)).toMatchObject({
      found: [1],
      gaps: [{ why: 'The pages of the list lead in a circle.' }],
    })
  })

  it('that is none is a failure of its own', async () => {
    const { session: one } = await session(() => ({ body: {} }))
    expect(await readPages(one, { what: 'list', path: '/' }, () => undefined, { pages: 1 })).toEqual([])
    expect(one.end({})).toMatchObject({
      sources: [{ outcome: 'failed' }],
      gaps: [{ what: 'list', why: 'What Loki answers is not what was asked for.' }],
    })
  })
})

describe('a pull that goes wrong by itself', () => {
  it('names the setting that cannot be read', async () => {
    const open = () => {
      throw invalidField('config.headers', 'must hold names of headers')
    }
    expect(await pullWith('Loki', open, async () => ({}))).toMatchObject({
      gaps: [{ what: 'Loki', why: 'config.headers: must hold names of headers' }],
    })
    const strange = () => {
      throw new Error('secret')
    }
    expect(await pullWith('Loki', strange, async () => ({}))).toMatchObject({
      gaps: [{ what: 'Loki', why: 'The settings cannot be read.' }],
    })
  })

  it('keeps what was asked so far', async () => {
    const { session: one } = await session(() => ({ body: 1 }))
    const pulled = await pullWith(
      'Loki',
      () => one,
      async (open) => {
        const answer = await open.ask({ what: 'a', path: '/a' })
        if (answer) open.answered(answer, { items: [1] })
        throw new TypeError('not a function')
      },
    )
    expect(pulled).toMatchObject({
      sources: [{ query: 'GET /a' }],
      gaps: [{ what: 'Loki', why: 'An answer could not be read.' }],
    })
  })
})
