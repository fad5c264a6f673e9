import { describe, expect, it } from 'vitest'
import { sentryLimitedUntil } from '#shared/adapters/tools/sentry.ts'
import { CANARY } from './sample-configs.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  type Seen,
  serveTool,
  type ToolServer,
} from './tool-server.ts'

const at = (text: string): number => Date.parse(text)
const TO = at('2026-03-10T13:00:00Z')
const never = new AbortController().signal

const ORG = '/api/0/organizations/acme'
const issue = (id: string, change: object = {}) => ({
  id,
  title: `TypeError ${id}`,
  culprit: 'pay in checkout',
  level: 'error',
  count: '40',
  firstSeen: '2026-03-10T12:10:00Z',
  lastSeen: '2026-03-10T12:50:00Z',
  permalink: `https://acme.sentry.io/issues/${id}/`,
  project: { slug: 'checkout' },
  ...change,
})
const event = {
  dateCreated: '2026-03-10T12:40:00Z',
  title: 'TypeError',
  contexts: { trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) } },
  entries: [
    { type: 'message', data: {} },
    { type: 'exception', data: 7 },
    {
      type: 'exception',
      data: {
        values: [
          {
            type: 'TypeError',
            value: 'x is undefined',
            stacktrace: {
              frames: [
                { filename: 'node:internal', function: 'run', lineNo: 1, inApp: false },
                { filename: 'pay.ts', function: 'pay', lineNo: 12, inApp: true },
                { filename: 'card.ts', function: null, lineNo: null, inApp: true },
              ],
            },
          },
          { type: 'Error', value: null },
        ],
      },
    },
  ],
}
const release = (version: string, change: object = {}) => ({
  version,
  shortVersion: version.slice(0, 7),
  ref: null,
  dateCreated: '2026-03-10T11:40:00Z',
  dateReleased: null,
  deployCount: 1,
  commitCount: 1,
  projects: [{ slug: 'checkout' }],
  ...change,
})

type Route = Canned | ((seen: Seen) => Canned)
async function sentry(routes: Readonly<Record<string, Route>> = {}) {
  const all: Readonly<Record<string, Route>> = {
    [`${ORG}/`]: { body: { slug: 'acme' } },
    [`${ORG}/issues/`]: ({ search }) => ({
      body: search.get('start')?.startsWith('2026-03-10T12')
        ? [issue('1'), issue('2', { firstSeen: '2025-01-01T00:00:00Z', culprit: '' }), { id: 3 }]
        : [issue('2', { count: 4 })],
    }),
    [`${ORG}/issues/1/events/latest/`]: { body: event },
    [`${ORG}/issues/2/events/latest/`]: { body: { hello: 1 } },
    [`${ORG}/releases/`]: {
      body: [
        release('abcdef0123'),
        release('other', { projects: [{ slug: 'a' }, { slug: 'b' }], deployCount: 0, commitCount: 0 }),
        release('past', { dateCreated: '2026-01-01T00:00:00Z' }),
      ],
    },
    [`${ORG}/releases/abcdef0123/deploys/`]: {
      body: [
        {
          id: '9',
          environment: 'production',
          dateStarted: '2026-03-10T11:50:00Z',
          dateFinished: '2026-03-10T11:52:00Z',
        },
        { id: 8, environment: 'production', dateStarted: null, dateFinished: '2025-03-10T11:52:00Z' },
      ],
    },
    [`${ORG}/releases/abcdef0123/commits/`]: { body: [{ id: 'c'.repeat(40) }] },
    ...routes,
  }
  let server: ToolServer | undefined
  server = await serveTool((seen) => {
    if (seen.headers.authorization !== `Bearer ${CANARY}`) return { status: 401, body: { detail: 'no' } }
    const route = all[seen.path]
    const canned = typeof route === 'function' ? route(seen) : route
    const link = canned?.headers?.link?.replaceAll('HERE', server?.url ?? '')
    return canned && link ? { ...canned, headers: { link } } : canned
  })
  const tool = loopbackTool('sentry')
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, organization: 'acme', auth_token: CANARY } }
}
const pulled = async (routes?: Readonly<Record<string, Route>>, settings: object = {}) => {
  const { server, tool, config } = await sentry(routes)
  return { ...(await tool.pull({ ...config, ...settings }, pullRequest(TO))), seen: server.seen }
}

describe('a pull', () => {
  it('tells a deploy whose begin is told as after its end as one of the moment when it ended', async () => {
    const deploy = {
      ...{ id: '9', environment: 'production' },
      ...{ dateStarted: '2026-03-10T11:55:00Z', dateFinished: '2026-03-10T11:52:00Z' },
    }
    const { changes } = await pulled({ [`${ORG}/releases/abcdef0123/deploys/`]: { body: [deploy] } })
    const at = Date.parse(deploy.dateFinished)
    expect(changes.find(({ id }) => id.startsWith('deploy 9'))?.effective_at).toEqual({ from: at, to: at })
  })

  it('brings issues with how often they were seen before, a new one with never', async () => {
    const { patterns, gaps } = await pulled()
    expect(patterns.map(({ source: _, ...pattern }) => pattern)).toEqual([
      { signature: 'TypeError 1 (pay in checkout)', service: 'checkout', count: 40, baseline_count: 0 },
      { signature: 'TypeError 2', service: 'checkout', count: 40, baseline_count: 4 },
    ])
    expect(gaps.map(({ what, why }) => `${what}: ${why}`)).toEqual([
      'Sentry: issues of the window: 1 of 3 items could not be read.',
      'Sentry: newest event of issue 2: What Sentry answers is not what was asked for.',
    ])
  })

  it('says nothing of before where the baseline was not read', async () => {
    const { patterns } = await pulled({
      [`${ORG}/issues/`]: ({ search }) =>
        search.get('start')?.startsWith('2026-03-10T12')
          ? { body: [issue('2', { firstSeen: '2025-01-01T00:00:00Z' })] }
          : { status: 403, body: {} },
    })
    expect(patterns[0]?.baseline_count).toBeUndefined()
  })

  it('tells where an exception was thrown: its own innermost frames, and its trace', async () => {
    const { logs } = await pulled()
    expect(logs.map(({ message }) => message)).toEqual([
      'TypeError: x is undefined at ? (card.ts:?) at pay (pay.ts:12)',
      'Error',
    ])
    expect(logs[0]).toMatchObject({
      service: 'checkout',
      severity: 'error',
      timestamp: at('2026-03-10T12:40:00Z'),
      trace_id: 'a'.repeat(32),
      span_id: 'b'.repeat(16),
    })
  })

  it('brings deploys with the commits that they carry, and a release without one as a guess', async () => {
    const { changes } = await pulled()
    expect(changes).toHaveLength(2)
    expect(changes.find(({ kind }) => kind === 'deploy')).toMatchObject({
      id: 'deploy 9 of abcdef0123',
      entity: 'checkout',
      title: 'Deploy of abcdef0 to production',
      effective_at: { from: at('2026-03-10T11:50:00Z'), to: at('2026-03-10T11:52:00Z') },
      carries: ['c'.repeat(40)],
      certainty: 'recorded',
    })
    const guess = changes.find(({ kind }) => kind === 'release')
    expect(guess).toMatchObject({ id: 'release other', certainty: 'guessed' })
    expect([guess?.entity, guess?.carries]).toEqual([undefined, undefined])
  })

  it('asks for the projects that the settings name', async () => {
    const { seen, changes } = await pulled({}, { projects: ['checkout'] })
    expect(seen.find(({ path }) => path.endsWith('/issues/'))?.search.get('query')).toBe('project:[checkout]')
    expect(changes.map(({ id }) => id)).toEqual(['deploy 9 of abcdef0123'])
  })

  it('follows a page only where the header says that it holds something, and to no other host', async () => {
    const page = (link: string, body: unknown = []): Route => ({ headers: { link }, body })
    const next = `<HERE${ORG}/issues/?cursor=2>; rel="previous"; results="false", <HERE${ORG}/issues/?cursor=2>; rel="next"; results="true"; cursor="2"`
    const followed = await pulled({
      [`${ORG}/issues/`]: ({ search }) =>
        search.get('cursor') === '2' ? { body: [issue('9')] } : { headers: { link: next }, body: [] },
    })
    expect(followed.patterns.map(({ signature }) => signature)).toContain('TypeError 9 (pay in checkout)')
    for (const link of [
      `<HERE${ORG}/issues/?cursor=2>; rel="next"; results="false"`,
      '<https://elsewhere.test/steal>; rel="next"; results="true"',
    ]) {
      const { seen } = await pulled({ [`${ORG}/issues/`]: page(link) })
      expect(seen.filter(({ path }) => path === `${ORG}/issues/`)).toHaveLength(2)
    }
  })

  it('asks for the deploys of ten releases and names the others', async () => {
    const many = Array.from({ length: 11 }, (_, index) =>
      release(`v${index}`, { deployCount: 0, commitCount: 0 }),
    )
    const { changes, gaps } = await pulled({ [`${ORG}/releases/`]: { body: many } })
    expect(changes).toHaveLength(10)
    expect(gaps.map(({ what }) => what)).toContain('Sentry: deploys of 1 releases')
  })
})

describe('a limit', () => {
  const answer = (status: number, headers: Record<string, string>) => ({
    status,
    headers,
    body: new Uint8Array(),
    cut: false,
  })
  it('is over when Sentry says so, at most an hour away', () => {
    const reset = (value: string) =>
      sentryLimitedUntil(answer(429, { 'x-sentry-rate-limit-reset': value }), 1_000_000)
    expect([reset('1030'), reset('9'), reset('99999'), reset('soon')]).toEqual([
      1_030_000,
      1_000_000,
      4_600_000,
      undefined,
    ])
    expect(sentryLimitedUntil(answer(200, { 'x-sentry-rate-limit-reset': '1030' }), 0)).toBeUndefined()
    expect(
      sentryLimitedUntil(answer(429, { 'x-sentry-rate-limit-reset': '1', 'retry-after': '2' }), 0),
    ).toBeUndefined()
  })
})

describe('a check', () => {
  it('is connected with a token that may read issues and releases, even without the organization’s own scope', async () => {
    const { tool, config } = await sentry()
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: null })
    const narrow = await sentry({ [`${ORG}/`]: { status: 403, body: {} } })
    expect(await narrow.tool.check(narrow.config, never)).toEqual({ status: 'connected', detail: null })
  })

  it('refuses a wrong token and a wrong organization by their names', async () => {
    const { tool, config } = await sentry()
    await expect(tool.check({ ...config, auth_token: 'wrong' }, never)).rejects.toMatchObject({
      details: { field: 'config.auth_token' },
    })
    const routes = { '/api/0/organizations/other/': { status: 404, body: { detail: 'not found' } } }
    const other = await sentry(routes)
    await expect(other.tool.check({ ...other.config, organization: 'other' }, never)).rejects.toMatchObject({
      details: { field: 'config.organization' },
    })
    // What does not speak like Sentry is none.
    expect(await tool.check({ ...config, organization: 'elsewhere' }, never)).toMatchObject({
      status: 'error',
    })
  })

  it('is degraded where releases cannot be read', async () => {
    const { tool, config } = await sentry({ [`${ORG}/releases/`]: { status: 403, body: {} } })
    expect(await tool.check(config, never)).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('releases cannot be read'),
    })
  })
})
