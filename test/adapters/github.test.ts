import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, test } from 'vitest'
import { localRules, strictRules } from '#shared/adapters/http/address-rules.ts'
import {
  EgressFailed,
  EgressRefused,
  EgressTimedOut,
  type GuardedRequest,
  guardedRequest,
  type OutboundAnswer,
  type OutboundRequest,
} from '#shared/adapters/http/guarded-request.ts'
import { githubTool } from '#shared/adapters/tools/github.ts'
import {
  commitAnswer,
  deploymentAnswer,
  deploymentStatusAnswer,
  errorAnswer,
  MAX_DIFF_LENGTH,
  readItems,
  repositoryAnswer,
  unifiedDiff,
} from '#shared/adapters/tools/github-answers.ts'
import type { IntegrationConfig } from '#shared/domain/integration.ts'
import type { Change, Gap, Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { outsideFile } from '#test/outside-data.ts'
import { type LoopbackServer, serveHttp } from './loopback-server.ts'

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../data/github/${name}.json`, import.meta.url), 'utf8'))

const at = (text: string): number => Date.parse(text)
const NOW = at('2026-03-10T14:00:00Z')
const WINDOW = { from: at('2026-03-10T12:00:00Z'), to: at('2026-03-10T13:00:00Z') }
const SECRET = 'c4n4ry-cl13nt-s3cr3t'
const BASIC = Buffer.from(`Iv1.0123456789abcdef:${SECRET}`).toString('base64')
const REPO = '/repos/acme-shop/checkout'
const CONFIG = {
  app_id: '12345',
  client_id: 'Iv1.0123456789abcdef',
  client_secret: SECRET,
  repositories: { checkout: 'acme-shop/checkout' },
}
const SHA = {
  old: 'c00dbbc9dadfbe1e232e93a729dd4752fade0abf',
  pool: '51a4b13bc79072fe3da6e4a7ccc98d7556ecd171',
  css: '2f84417a9e73cead4d5c99e05daff2a534b30132',
  logo: '5807dd602664a565fe53cf2d203674b388d7b2d1',
  late: '5d6200f8cf98af475edcac2c97f966ad156ed51f',
}
const LIST = `${REPO}/commits?since=2026-03-09T12:00:00Z&until=2026-03-10T13:00:00Z&per_page=100`
const DEPLOYMENTS = `${REPO}/deployments?per_page=100`
const statusesOf = (id: number): string => `${REPO}/deployments/${id}/statuses?per_page=100`

interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}
type Route = Canned | ((request: OutboundRequest) => Canned | Promise<Canned>)

const NEXT = `<https://api.github.com/repositories/1/commits?page=2>; rel="next", <https://api.github.com/x>; rel="last"`

/** The outage of our own making: the pool was lowered, deployed shortly before the window. */
const story = (): Record<string, Route> => ({
  [`GET ${LIST}`]: { headers: { link: NEXT }, body: recorded('commits-page-1') },
  'GET /repositories/1/commits?page=2': { body: recorded('commits-page-2') },
  ...Object.fromEntries(
    Object.entries(SHA).map(([name, sha]) => [
      `GET ${REPO}/commits/${sha}`,
      { body: recorded(`commit-${name}`) },
    ]),
  ),
  [`GET ${DEPLOYMENTS}`]: { body: recorded('deployments') },
  ...Object.fromEntries(
    [905, 904, 901, 900].map((id) => [`GET ${statusesOf(id)}`, { body: recorded(`statuses-${id}`) }]),
  ),
  [`GET ${REPO}/compare/${SHA.old}...${SHA.logo}`]: { body: recorded('compare') },
  [`GET ${REPO}`]: { body: recorded('repository') },
  'POST /applications/Iv1.0123456789abcdef/token': { status: 404, body: { message: 'Not Found' } },
})

const encoded = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))

function serving(routes: Record<string, Route>, base = 'https://api.github.com') {
  const seen: OutboundRequest[] = []
  const request: GuardedRequest = async (asked) => {
    seen.push(asked)
    const route = routes[`${asked.method} ${asked.url.replace(base, '')}`]
    const canned = typeof route === 'function' ? await route(asked) : route
    const {
      status = 200,
      headers = {},
      body = [],
    } = canned ?? { status: 404, body: { message: 'Not Found' } }
    const bytes = encoded(body)
    return {
      status,
      headers,
      body: bytes.subarray(0, asked.maxBytes),
      cut: bytes.length > asked.maxBytes,
    } satisfies OutboundAnswer
  }
  return { request, seen, tool: githubTool({ request, now: () => NOW }) }
}

const pull = (
  tool: ReturnType<typeof githubTool>,
  config: IntegrationConfig = CONFIG,
  signal = new AbortController().signal,
  service: string | null = 'checkout',
): Promise<Pulled> =>
  tool.pull(config, { integration_id: 'github_1', window: WINDOW, baselines: [], service, signal })

const changed = (pulled: Pulled, id: string): Change => {
  const found = pulled.changes.filter((change) => change.id === id)
  expect(found).toHaveLength(1)
  return found[0] as Change
}
const gapsOf = (pulled: Pulled): string[] => pulled.gaps.map(({ what, why }: Gap) => `${what}: ${why}`)
const never = new AbortController().signal

describe('a pull', () => {
  it('brings the commits of all pages with their files and one diff each', async () => {
    const pulled = await pull(serving(story()).tool)
    const css = changed(pulled, SHA.css)
    expect(css).toMatchObject({
      kind: 'commit',
      entity: 'checkout',
      title: 'Polish the cart button',
      recorded_at: at('2026-03-09T16:30:00Z'),
      before: SHA.pool,
      after: SHA.css,
      actor: 'jonas-b',
      certainty: 'recorded',
      files: ['web/cart.css', 'web/old.css'],
    })
    expect(css.effective_at).toBeUndefined()
    expect(css.diff).toBe(
      'diff --git a/web/cart.css b/web/cart.css\n--- a/web/cart.css\n+++ b/web/cart.css\n@@ -1 +1 @@\n-.cart { color: red }\n+.cart { color: teal }\ndiff --git a/web/old.css b/web/old.css\n--- a/web/old.css\n+++ /dev/null\n@@ -1 +0,0 @@\n-.old {}\n',
    )
    // No account: the name stands in for it; an e-mail address never does.
    expect(changed(pulled, SHA.logo).actor).toBe('Maria Lopez')
    expect(JSON.stringify(pulled)).not.toContain('@acme-shop.test')
  })

  it('says of a deployment when it took effect, what ran before and which commits it carried', async () => {
    const pulled = await pull(serving(story()).tool)
    expect(changed(pulled, '904')).toMatchObject({
      kind: 'deploy',
      entity: 'checkout',
      title: 'Deploy of 5807dd6 to production',
      recorded_at: at('2026-03-10T11:50:00Z'),
      effective_at: { from: at('2026-03-10T11:52:00Z'), to: at('2026-03-10T11:58:00Z') },
      // Not the failed deployment in between.
      before: SHA.old,
      after: SHA.logo,
      actor: 'deploy-bot',
      carries: [SHA.pool, SHA.css, SHA.logo],
    })
    // Older than the window asked for, but carried into it, so it is there with its diff.
    expect(changed(pulled, SHA.pool).diff).toContain('+export const POOL_SIZE = 5')
  })

  it('gives a deployment that failed no effect time', async () => {
    const failed = changed(await pull(serving(story()).tool), '905')
    expect(failed).toMatchObject({
      title: 'Deploy of 5d6200f to production (failure)',
      before: SHA.logo,
      certainty: 'guessed',
    })
    expect(failed.effective_at).toBeUndefined()
    expect(failed.carries).toBeUndefined()
  })

  it('leaves deployments to other environments out and says so', async () => {
    const pulled = await pull(serving(story()).tool)
    expect(pulled.changes.filter(({ kind }) => kind === 'deploy').map(({ id }) => id)).toEqual(['904', '905'])
    expect(gapsOf(pulled)).toContain(
      'GitHub: 2 deployments of acme-shop/checkout to pr-41, staging: They did not go to production.',
    )
  })

  it('reads the environments there are where none is production, previews excepted', async () => {
    const routes = story()
    const deployments = (recorded('deployments') as { environment: string }[]).filter(
      ({ environment }) => environment !== 'production',
    )
    routes[`GET ${DEPLOYMENTS}`] = { body: deployments }
    routes[`GET ${statusesOf(903)}`] = { body: recorded('statuses-900') }
    const deploys = (await pull(serving(routes).tool)).changes.filter(({ kind }) => kind === 'deploy')
    expect(deploys.map(({ id, before }) => [id, before])).toEqual([['903', undefined]])
  })

  it('calls a deployment of an older commit a rollback', async () => {
    const routes = story()
    routes[`GET ${REPO}/compare/${SHA.old}...${SHA.logo}`] = {
      body: { status: 'behind', behind_by: 4, ahead_by: 0, total_commits: 0, commits: [], files: [] },
    }
    const pulled = await pull(serving(routes).tool)
    expect(changed(pulled, '904')).toMatchObject({
      title: 'Deploy of 5807dd6 to production (rollback by 4 commits)',
      carries: [],
    })
  })

  it('writes down every question word for word, with its outcome, count, digest and link', async () => {
    const { tool, seen } = serving(story())
    const pulled = await pull(tool)
    expect(pulled.sources.map(({ query }) => query).toSorted()).toEqual(
      seen.map(({ method, url }) => `${method} ${url.replace('https://api.github.com', '')}`).toSorted(),
    )
    const first = pulled.sources.find(({ query }) => query === `GET ${LIST}`)
    expect(first).toMatchObject({
      tool: 'github',
      integration_id: 'github_1',
      outcome: 'answered',
      records: 2,
      link: 'https://github.com/acme-shop/checkout/commits',
      window: { from: at('2026-03-09T12:00:00Z'), to: WINDOW.to },
    })
    for (const source of pulled.sources) expect(source.digest).toMatch(/^[0-9a-f]{64}$/)
    const ids = new Set(pulled.sources.map(({ id }) => id))
    expect(ids.size).toBe(pulled.sources.length)
    for (const change of pulled.changes) expect(ids).toContain(change.source)
  })

  it('gives the same answers the same records, sources and gaps', async () => {
    expect(await pull(serving(story()).tool)).toEqual(await pull(serving(story()).tool))
  })

  it('names no service where the settings are a list or map several to one repository', async () => {
    const listed = await pull(serving(story()).tool, { ...CONFIG, repositories: ['acme-shop/checkout'] })
    expect(listed.changes.every(({ entity }) => entity === undefined)).toBe(true)
    const shared = await pull(serving(story()).tool, {
      ...CONFIG,
      repositories: { cart: 'acme-shop/checkout', checkout: 'ACME-shop/checkout' },
    })
    expect(shared.changes.length).toBeGreaterThan(0)
    expect(shared.changes.every(({ entity }) => entity === undefined)).toBe(true)
    expect(gapsOf(shared)[0]).toContain('map 2 services to it')
  })

  it('asks for the repository of the asked service first', async () => {
    const { tool, seen } = serving({})
    await pull(tool, { ...CONFIG, repositories: { a: 'acme-shop/a', b: 'acme-shop/b' } }, never, 'b')
    expect(seen[0]?.url).toContain('/repos/acme-shop/b/')
  })

  it('says that files have no patch and keeps their names', async () => {
    const pulled = await pull(serving(story()).tool)
    expect(changed(pulled, SHA.logo).files).toEqual(['web/logo.png', 'web/logo.txt'])
    expect(gapsOf(pulled)).toContain(
      'GitHub: the diff of 1 files in acme-shop/checkout: GitHub gives no patch for binary files and for very large ones.',
    )
  })

  it('takes an empty repository for empty', async () => {
    const pulled = await pull(
      serving({
        [`GET ${LIST}`]: { status: 409, body: { message: 'Git Repository is empty.' } },
        [`GET ${DEPLOYMENTS}`]: { body: [] },
      }).tool,
    )
    expect(pulled.sources.map(({ outcome }) => outcome)).toEqual(['empty', 'empty'])
    expect(pulled.gaps).toEqual([])
  })
})

describe('what goes wrong in a pull is a gap', () => {
  it('when no repositories are given, or the settings cannot be read', async () => {
    const { repositories: _, ...bare } = CONFIG
    const { tool, seen } = serving(story())
    expect(gapsOf(await pull(tool, bare))).toEqual(['GitHub: No repositories are given in the settings.'])
    expect(gapsOf(await pull(tool, { ...bare, client_id: 7 }))).toEqual([
      'GitHub: config.client_id: must be a text',
    ])
    expect(seen).toEqual([])
  })

  it('when a repository is private or gone, and the others are read all the same', async () => {
    const pulled = await pull(serving(story()).tool, {
      ...CONFIG,
      repositories: ['acme-shop/secret', 'acme-shop/checkout'],
    })
    expect(gapsOf(pulled)).toContain(
      'GitHub: commits of acme-shop/secret: It does not exist or is not public (status 404).',
    )
    expect(pulled.sources.filter(({ outcome }) => outcome === 'failed')).toHaveLength(2)
    expect(changed(pulled, '904').kind).toBe('deploy')
  })

  it('when credentials serve for the check alone: public data is read without them', async () => {
    const routes = Object.fromEntries(
      Object.entries(story()).map(([path, route]): [string, Route] => [
        path,
        ({ headers }) =>
          headers?.authorization ? { status: 401, body: { message: 'Bad credentials' } } : (route as Canned),
      ]),
    )
    const pulled = await pull(serving(routes).tool)
    expect(changed(pulled, '904').kind).toBe('deploy')
    expect(gapsOf(pulled).filter((gap) => gap.includes('60 requests an hour'))).toHaveLength(1)
    expect(pulled.sources.every(({ outcome }) => outcome === 'answered')).toBe(true)
  })

  it.each([
    [
      'names an instant',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 600) },
      '14:10:00',
    ],
    ['names a pause', 429, { 'retry-after': '90' }, '14:01:30'],
    ['names a pause with 403', 403, { 'retry-after': '90' }, '14:01:30'],
    ['names a date', 429, { 'retry-after': 'Tue, 10 Mar 2026 14:05:00 GMT' }, '14:05:00'],
    ['names nothing', 429, {}, '14:01:00'],
    ['names nonsense', 429, { 'retry-after': 'soon' }, '14:01:00'],
    ['names next year', 429, { 'retry-after': '99999999' }, '15:00:00'],
  ])(
    'when a rate limit %s, until when, and nothing more is asked before',
    async (_, status, headers, time) => {
      const { tool, seen } = serving({
        ...story(),
        [`GET ${LIST}`]: { status, headers, body: { message: 'limit' } },
      })
      const pulled = await pull(tool)
      const until = `2026-03-10T${time}.000Z`
      expect(gapsOf(pulled)).toContain(
        `GitHub: commits of acme-shop/checkout: The rate limit of GitHub is used up until ${until} (status ${status}).`,
      )
      const before = seen.length
      const again = await pull(tool)
      expect(seen).toHaveLength(before)
      expect(gapsOf(again)).toEqual([
        `GitHub: 2 requests were not made: its rate limit is used up until ${until}.`,
      ])
      expect(again.sources).toEqual([])
    },
  )

  it('asks again when the rate limit is over', async () => {
    let now = NOW
    let limited = true
    const { request, seen } = serving({
      [`GET ${LIST}`]: () => (limited ? { status: 429, headers: { 'retry-after': '60' } } : { body: [] }),
      [`GET ${DEPLOYMENTS}`]: { body: [] },
    })
    const tool = githubTool({ request, now: () => now })
    await pull(tool)
    const before = seen.length
    limited = false
    now += 60_001
    expect((await pull(tool)).gaps).toEqual([])
    expect(seen.length).toBeGreaterThan(before)
  })

  it('when access is refused without a limit', async () => {
    const pulled = await pull(serving({ ...story(), [`GET ${LIST}`]: { status: 403 } }).tool)
    expect(gapsOf(pulled)).toContain(
      'GitHub: commits of acme-shop/checkout: GitHub refuses access (status 403).',
    )
  })

  it('when items are malformed: they are counted, the others kept', async () => {
    const page = recorded('commits-page-1') as unknown[]
    const pulled = await pull(
      serving({
        ...story(),
        [`GET ${LIST}`]: {
          body: [{ sha: 'zz' }, ...page, null, { ...(page[0] as object), commit: { message: 5 } }],
        },
        [`GET ${DEPLOYMENTS}`]: {
          body: [{ id: 1, sha: SHA.css, environment: 'live', created_at: 'yesterday' }],
        },
      }).tool,
    )
    expect(gapsOf(pulled)).toContain(
      'GitHub: commits of acme-shop/checkout: 3 of 5 items could not be read, first [0].sha.',
    )
    expect(gapsOf(pulled)).toContain(
      'GitHub: deployments of acme-shop/checkout: 1 of 1 items could not be read, first [0].created_at.',
    )
    expect(changed(pulled, SHA.late).kind).toBe('commit')
  })

  it('when a commit has no date or a detail is another commit', async () => {
    const page = recorded('commits-page-1') as { commit: object }[]
    const routes = story()
    routes[`GET ${LIST}`] = {
      body: [
        { ...page[0], sha: '0'.repeat(40), commit: { message: 'x', author: null, committer: null } },
        page[1],
      ],
    }
    routes[`GET ${REPO}/commits/${SHA.logo}`] = { body: recorded('commit-css') }
    routes[`GET ${DEPLOYMENTS}`] = { body: [] }
    const gaps = gapsOf(await pull(serving(routes).tool))
    expect(gaps).toContain(`GitHub: commit ${'0'.repeat(40)} of acme-shop/checkout: It has no date.`)
    expect(gaps).toContain(
      `GitHub: files and diff of commit ${SHA.logo} in acme-shop/checkout: The answer is not that commit.`,
    )
  })

  it.each([
    ['no JSON', '<html>', 'The answer is no JSON.'],
    ['no list', { message: 'hello' }, 'The answer is no list.'],
    ['nested without end', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, '1 of 1 items could not be read'],
    ['too long', `[${' '.repeat(3 * 1024 * 1024)}]`, 'The answer was longer than 2097152 bytes.'],
  ])('when an answer is %s', async (_, body, why) => {
    const pulled = await pull(serving({ [`GET ${LIST}`]: { body }, [`GET ${DEPLOYMENTS}`]: { body } }).tool)
    expect(gapsOf(pulled)[0]).toContain(why)
    expect(pulled.changes).toEqual([])
  })

  it('when a comparison cannot be read, ends early or is gone', async () => {
    const compare = `GET ${REPO}/compare/${SHA.old}...${SHA.logo}`
    const strange = await pull(serving({ ...story(), [compare]: { body: { status: 'new' } } }).tool)
    expect(gapsOf(strange).join()).toContain('The answer is no comparison.')
    const long = { ...(recorded('compare') as object), total_commits: 400 }
    const cut = await pull(serving({ ...story(), [compare]: { body: long } }).tool)
    expect(gapsOf(cut).join()).toContain('3 of 400 commits were read.')
    const { [compare]: _, ...rest } = story()
    const gone = await pull(serving(rest).tool)
    expect(changed(gone, '904').carries).toBeUndefined()
    expect(gapsOf(gone).join()).toContain('commits that deployment 904 of acme-shop/checkout carried')
  })

  it('when nothing before a deployment is known to have succeeded', async () => {
    const routes = { ...story(), [`GET ${statusesOf(900)}`]: { body: [] } }
    const pulled = await pull(serving(routes).tool)
    expect(changed(pulled, '904').before).toBeUndefined()
    expect(gapsOf(pulled)).toContain(
      'GitHub: what ran in production before deployment 904 of acme-shop/checkout: None of the 2 deployments before it is known to have succeeded.',
    )
  })

  it('when lists have more pages than are read, more commits than details, and more deployments than statuses', async () => {
    const many = (page: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        ...(recorded('commits-page-2') as object[])[0],
        sha: (page * 1000 + index).toString(16).padStart(40, '0'),
      }))
    const deployments = Array.from({ length: 30 }, (_, index) => ({
      id: index + 1,
      sha: SHA.css,
      environment: 'production',
      creator: null,
      created_at: new Date(at('2026-03-10T12:00:00Z') + index * 1000).toISOString(),
    }))
    const next = (page: number) => `<https://api.github.com/repositories/1/commits?page=${page}>; rel="next"`
    const pages = [2, 3, 4, 5, 6].map((page): [string, Route] => [
      `GET /repositories/1/commits?page=${page}`,
      { headers: { link: next(page + 1) }, body: many(page) },
    ])
    const { tool, seen } = serving({
      ...Object.fromEntries(pages),
      [`GET ${LIST}`]: { headers: { link: next(2) }, body: many(1) },
      [`GET ${DEPLOYMENTS}`]: { body: deployments },
    })
    const pulled = await pull(tool)
    expect(pulled.changes.filter(({ kind }) => kind === 'commit')).toHaveLength(500)
    expect(pulled.sources.filter(({ outcome }) => outcome === 'cut')).toHaveLength(1)
    const gaps = gapsOf(pulled)
    expect(gaps).toContain('GitHub: commits of acme-shop/checkout: More than 500; only the newest are read.')
    expect(gaps.join()).toContain('They are asked for 20 of 500 commits.')
    expect(gaps).toContain('GitHub: 10 older deployments of acme-shop/checkout: 20 are read.')
    expect(seen.filter(({ url }) => /\/commits\/[0-9a-f]{40}$/.test(url))).toHaveLength(20)
  })

  it('when there are more repositories or requests than one investigation makes', async () => {
    const repositories = Array.from({ length: 25 }, (_, index) => `acme-shop/r${index}`)
    const { tool, seen } = serving({})
    expect(gapsOf(await pull(tool, { ...CONFIG, repositories }))).toContain(
      'GitHub: 5 repositories: One investigation reads at most 20.',
    )
    expect(seen).toHaveLength(40)

    const busy = serving({})
    const routes: GuardedRequest = async (asked) => {
      const answer = await busy.request(asked)
      if (!asked.url.includes('/commits?')) return answer
      const name = /repos\/(acme-shop\/r\d+)/.exec(asked.url)?.[1] ?? ''
      const body = (recorded('commits-page-1') as object[]).flatMap((commit) =>
        Array.from({ length: 10 }, (_, index) => ({
          ...commit,
          sha: Buffer.from(`${name}${index}${JSON.stringify(commit).length}`)
            .toString('hex')
            .padStart(40, '0')
            .slice(-40),
        })),
      )
      return { ...answer, status: 200, body: encoded(body) }
    }
    const capped = await pull(githubTool({ request: routes, now: () => NOW }), { ...CONFIG, repositories })
    expect(busy.seen).toHaveLength(200)
    expect(gapsOf(capped).at(-1)).toMatch(
      /^GitHub: \d+ requests were not made: one investigation makes at most 200 requests\.$/,
    )
  })

  it('when pages lead in a circle or to another host, which gets no credentials', async () => {
    const circle = serving({
      [`GET ${LIST}`]: {
        headers: { link: `<https://api.github.com${LIST}>; rel="next"` },
        body: recorded('commits-page-2'),
      },
      [`GET ${DEPLOYMENTS}`]: {
        headers: { link: '<https://attacker.test/steal>; rel="next"' },
        body: [],
      },
    })
    const gaps = gapsOf(await pull(circle.tool))
    expect(gaps).toContain('GitHub: commits of acme-shop/checkout: The pages of the list lead in a circle.')
    expect(gaps).toContain(
      'GitHub: deployments of acme-shop/checkout: The next page lies at another address than the API.',
    )
    expect(circle.seen.some(({ url }) => url.includes('attacker'))).toBe(false)
  })

  it('when trouble lasts; trouble that passes is asked past once', async () => {
    const failing = (first: Canned | Error, then: Canned): Route => {
      let calls = 0
      return () => {
        calls += 1
        if (calls > 1) return then
        if (first instanceof Error) throw first
        return first
      }
    }
    const passed = await pull(
      serving({
        [`GET ${LIST}`]: failing({ status: 502 }, { body: [] }),
        [`GET ${DEPLOYMENTS}`]: failing(new EgressFailed('api.github.com', 'ECONNRESET'), { body: [] }),
      }).tool,
    )
    expect(passed.gaps).toEqual([])
    const lasting = await pull(
      serving({
        [`GET ${LIST}`]: { status: 503 },
        [`GET ${DEPLOYMENTS}`]: () => {
          throw new EgressFailed('api.github.com', 'ENOTFOUND')
        },
      }).tool,
    )
    expect(gapsOf(lasting).toSorted()).toEqual([
      'GitHub: commits of acme-shop/checkout: GitHub has trouble (status 503).',
      'GitHub: deployments of acme-shop/checkout: GitHub could not be reached (ENOTFOUND).',
    ])
  })

  it('when it times out, is refused by the guard, moves, or something unforeseen is thrown', async () => {
    const throwing = (error: Error) => () => {
      throw error
    }
    const first = await pull(
      serving({
        [`GET ${LIST}`]: throwing(new EgressTimedOut('api.github.com', 'answer', 8000)),
        [`GET ${DEPLOYMENTS}`]: throwing(new EgressRefused('api.github.com', 'leads to a private address')),
      }).tool,
    )
    expect(first.sources.map(({ outcome }) => outcome).toSorted()).toEqual(['failed', 'timed_out'])
    expect(gapsOf(first).join()).toContain('The address of GitHub is refused')
    const second = await pull(
      serving({
        [`GET ${LIST}`]: { status: 301, headers: { location: 'https://api.github.com/repositories/1' } },
        [`GET ${DEPLOYMENTS}`]: throwing(new Error(`unforeseen ${SECRET}`)),
      }).tool,
    )
    expect(gapsOf(second).join()).toContain('It has moved (status 301)')
    expect(gapsOf(second).join()).toContain('The request to GitHub failed.')
  })

  it('when the time is up: what came is kept, the rest named', async () => {
    const deadline = new AbortController()
    const routes = story()
    routes[`GET ${REPO}/compare/${SHA.old}...${SHA.logo}`] = () => {
      deadline.abort()
      throw new EgressFailed('api.github.com', 'ABORTED')
    }
    const pulled = await pull(serving(routes).tool, CONFIG, deadline.signal)
    expect(changed(pulled, SHA.late).diff).toBeUndefined()
    expect(changed(pulled, '904').effective_at).toBeDefined()
    expect(gapsOf(pulled).at(-1)).toBe('GitHub: 3 requests were not made: the time was up.')
    expect(pulled.sources.filter(({ outcome }) => outcome === 'timed_out')).toHaveLength(1)

    const { tool, seen } = serving(story())
    expect((await pull(tool, CONFIG, AbortSignal.abort())).changes).toEqual([])
    expect(seen).toEqual([])
  })
})

describe('secrets', () => {
  it('appear in no query, source, gap, record or error, even where the answers hold them', async () => {
    const routes = story()
    const commit = recorded('commit-css') as { commit: object; html_url: string }
    routes[`GET ${REPO}/commits/${SHA.css}`] = {
      body: {
        ...commit,
        commit: { ...commit.commit, message: `remove ${SECRET} and ${BASIC}` },
        html_url: 'javascript:alert(1)',
      },
    }
    routes[`GET ${REPO}/commits/${SHA.logo}`] = { status: 500, body: { message: `${SECRET} ${BASIC}` } }
    const { tool, seen } = serving(routes)
    const pulled = await pull(tool)
    expect(changed(pulled, SHA.css).title).toBe('remove [redacted] and [redacted]')
    const text = JSON.stringify(pulled)
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain(BASIC)
    expect(text).not.toContain('javascript:')
    expect(seen.every(({ url }) => !url.includes(SECRET))).toBe(true)
    expect(seen.every(({ headers }) => headers?.authorization === `Basic ${BASIC}`)).toBe(true)
  })

  it('appear in no refusal and no detail of a check', async () => {
    for (const status of [200, 301, 401, 403, 404, 422, 429, 500]) {
      const { tool } = serving({
        'POST /applications/Iv1.0123456789abcdef/token': { status, body: { message: `${SECRET} ${BASIC}` } },
        [`GET ${REPO}`]: { status, body: { message: SECRET } },
      })
      const outcome = await tool.check(CONFIG, never).catch((error: unknown) => error)
      const said = `${JSON.stringify(outcome)} ${outcome instanceof Error ? outcome.stack : ''}`
      expect(said).not.toContain(SECRET)
      expect(said).not.toContain(BASIC)
    }
  })
})

describe('a check', () => {
  const TOKEN = 'POST /applications/Iv1.0123456789abcdef/token'

  it('asks for a token that cannot exist with the credentials of the app', async () => {
    const { tool, seen } = serving(story())
    await tool.check(CONFIG, never)
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: 'https://api.github.com/applications/Iv1.0123456789abcdef/token',
      headers: { authorization: `Basic ${BASIC}`, 'user-agent': 'incident-investigator' },
      body: '{"access_token":"incident-investigator-connection-check"}',
      deadlineMs: 5000,
    })
  })

  it.each([401, 403])('refuses the credentials when GitHub answers with %i', async (status) => {
    const { tool } = serving({ [TOKEN]: { status, body: { message: 'Bad credentials' } } })
    await expect(tool.check(CONFIG, never)).rejects.toMatchObject({
      name: 'Refusal',
      kind: 'invalid',
      details: { field: 'config.client_secret' },
    })
  })

  it.each([404, 422])('is degraded when the credentials are not refuted (%i)', async (status) => {
    const { tool } = serving({ ...story(), [TOKEN]: { status, body: { message: 'no' } } })
    expect(await tool.check(CONFIG, never)).toEqual({
      status: 'degraded',
      detail:
        'public data only: private repositories cannot be read with a client id and client secret alone',
    })
  })

  it.each([
    [{ resources: { core: { limit: 60, remaining: 0 } } }, '; 0 of 60 requests are left in this hour'],
    [{ strange: true }, ''],
  ])('says how many requests are left: %j', async (body, words) => {
    const { tool } = serving({ ...story(), 'GET /rate_limit': { body } })
    expect((await tool.check(CONFIG, never)).detail).toBe(
      `public data only: private repositories cannot be read with a client id and client secret alone${words}`,
    )
  })

  it('names what is missing: no repositories, or one that is not public', async () => {
    const { repositories: _, ...bare } = CONFIG
    const { tool } = serving(story())
    expect((await tool.check(bare, never)).detail).toMatch(/^public data only: .*no repositories are given$/)
    const hidden = await tool.check({ ...CONFIG, repositories: ['acme-shop/hidden'] }, never)
    expect(hidden.status).toBe('degraded')
    expect(hidden.detail).toMatch(/; acme-shop\/hidden does not exist or is not public$/)
    const many = Array.from({ length: 21 }, (__, index) => `acme-shop/r${index}`)
    expect((await tool.check({ ...CONFIG, repositories: many }, never)).detail).toContain(
      'only the first 20 of 21 repositories are read',
    )
  })

  it('says when the credentials do not serve for public data, a repository moved or cannot be read', async () => {
    const anonymous = serving({
      ...story(),
      [`GET ${REPO}`]: ({ headers }) =>
        headers?.authorization ? { status: 401 } : { body: recorded('repository') },
    })
    expect((await anonymous.tool.check(CONFIG, never)).detail).toContain('60 requests an hour')
    const moved = serving({ ...story(), [`GET ${REPO}`]: { status: 301 } })
    expect((await moved.tool.check(CONFIG, never)).detail).toContain('acme-shop/checkout: It has moved')
    const strange = serving({ ...story(), [`GET ${REPO}`]: { body: 'hello' } })
    expect((await strange.tool.check(CONFIG, never)).detail).toContain('the answer cannot be read')
  })

  it.each([
    ['is unreachable', new EgressFailed('api.github.com', 'ENOTFOUND'), 'could not be reached (ENOTFOUND)'],
    ['times out', new EgressTimedOut('api.github.com', 'answer', 5000), 'did not answer in time'],
    ['resolves inwards', new EgressRefused('api.github.com', 'leads to a private address'), 'is refused'],
    ['has trouble', { status: 502 }, 'has trouble (status 502)'],
    ['redirects', { status: 302 }, 'has moved'],
    ['limits the rate', { status: 429, headers: { 'retry-after': '60' } }, 'until 2026-03-10T14:01:00.000Z'],
    ['is something else', { status: 404, body: '<html>not found</html>' }, 'does not answer like GitHub'],
    ['takes a token that cannot exist', { status: 200, body: {} }, 'status 200'],
  ])('is an error with its reason when GitHub %s', async (_, outcome, detail) => {
    const { tool } = serving({
      [TOKEN]: () => {
        if (outcome instanceof Error) throw outcome
        return outcome
      },
    })
    expect(await tool.check(CONFIG, never)).toEqual({
      status: 'error',
      detail: expect.stringContaining(detail),
    })
  })

  it('is an error when a repository cannot be asked for', async () => {
    for (const status of [500, 429]) {
      const { tool } = serving({ ...story(), [`GET ${REPO}`]: { status } })
      expect(await tool.check(CONFIG, never)).toMatchObject({
        status: 'error',
        detail: expect.stringMatching(/^acme-shop\/checkout: /),
      })
    }
  })

  it.each([
    ['app_id', { app_id: '' }],
    ['client_id', { client_id: undefined }],
    ['client_id', { client_id: 'a:b' }],
    ['client_secret', { client_secret: 'a\nb' }],
    ['repositories', { repositories: 'acme-shop/checkout' }],
    ['repositories.0', { repositories: ['checkout'] }],
    ['repositories.0', { repositories: ['acme-shop/..'] }],
    ['repositories.1', { repositories: ['acme-shop/a', 'acme-shop/checkout?x'] }],
    ['repositories.checkout', { repositories: { checkout: 'a/b/c' } }],
    ['base_url', { base_url: 'ftp://github.corp.test' }],
    ['base_url', { base_url: 'https://github.corp.test/api/v3?x=1' }],
    ['base_url', { base_url: 'nonsense' }],
  ])('refuses a wrong %s by its name: %j', async (field, wrong) => {
    const { tool, seen } = serving(story())
    await expect(tool.check({ ...CONFIG, ...wrong }, never)).rejects.toMatchObject({
      kind: 'invalid',
      details: { field: `config.${field}`, reason: expect.stringContaining('must') },
    })
    expect(seen).toEqual([])
  })

  it('refuses an address of a GitHub of one’s own that the guard refuses', async () => {
    const tool = githubTool({ request: guardedRequest(strictRules()), now: () => NOW })
    await expect(tool.check({ ...CONFIG, base_url: 'https://10.0.0.1/api/v3' }, never)).rejects.toMatchObject(
      { kind: 'invalid', details: { field: 'config.base_url' } },
    )
  })
})

describe('over the guarded client', () => {
  const closing: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const thing of closing.splice(0)) await thing.close()
  })

  it('reads a GitHub Enterprise Server below its path, page by page', async () => {
    const routes = story()
    let server: LoopbackServer | undefined
    server = await serveHttp((request, response) => {
      const base = `http://127.0.0.1:${server?.port}/api/v3`
      const route = routes[`${request.method} ${request.url?.replace('/api/v3', '')}`] as Canned | undefined
      const {
        status = 200,
        headers = {},
        body = [],
      } = route ?? { status: 404, body: { message: 'Not Found' } }
      response.writeHead(request.url?.startsWith('/api/v3/') ? status : 418, {
        'content-type': 'application/json',
        ...(headers.link ? { link: headers.link.replaceAll('https://api.github.com', base) } : {}),
      })
      response.end(encoded(body))
    })
    const request = guardedRequest(localRules())
    closing.push(request, server)
    const tool = githubTool({ request, now: () => NOW })
    const config = { ...CONFIG, base_url: `${server.url}/api/v3/` }
    expect((await tool.check(config, never)).status).toBe('degraded')
    const pulled = await pull(tool, config)
    const over = await pull(serving(story()).tool)
    expect(pulled.changes).toEqual(over.changes)
    expect(pulled.gaps).toEqual(over.gaps)
  })
})

describe('unifiedDiff', () => {
  it('quotes names that would break a header and names both sides of a renamed file', () => {
    const { diff } = unifiedDiff([
      { filename: 'a\n+++ b/x', status: 'added', patch: '@@ -0,0 +1 @@\n+1\n' },
      { filename: 'new.ts', previous_filename: 'old.ts', status: 'renamed', patch: '@@ -1 +1 @@\n-1\n+2' },
    ])
    expect(diff).toBe(
      'diff --git "a/a\\n+++ b/x" "b/a\\n+++ b/x"\n--- /dev/null\n+++ "b/a\\n+++ b/x"\n@@ -0,0 +1 @@\n+1\n' +
        'diff --git a/old.ts b/new.ts\n--- a/old.ts\n+++ b/new.ts\n@@ -1 +1 @@\n-1\n+2\n',
    )
  })

  it('cuts a long diff at a line and says so', () => {
    const cut = unifiedDiff([{ filename: 'a', patch: '+0123456789\n'.repeat(10_000) }])
    expect(cut.cut).toBe(true)
    expect(cut.diff?.length).toBeLessThanOrEqual(MAX_DIFF_LENGTH)
    expect(cut.diff?.endsWith('\n')).toBe(true)
  })

  it('is null where no file has a patch', () => {
    expect(unifiedDiff([{ filename: 'a.png' }])).toEqual({ diff: null, without_patch: ['a.png'], cut: false })
  })
})

describe('outside payloads', () => {
  const list = (file: string) => JSON.parse(outsideFile('payloads', 'github', file) ?? 'null') as unknown
  const given = outsideFile('payloads', 'github', 'rest_commit_items.json') !== undefined

  test.skipIf(!given)('parse, or are refused with a reason (not run without INCIDENT_DATA: 10 files)', () => {
    for (const file of ['rest_commit_items.json']) {
      expect(readItems(commitAnswer, list(file))).toMatchObject({ malformed: 0, first: undefined })
    }
    expect(readItems(deploymentAnswer, list('rest_deployment_items.json'))).toMatchObject({
      items: [{ id: 1, environment: 'production', created_at: at('2012-07-20T01:19:13Z') }],
      malformed: 0,
    })
    const recordedAnswers = ['recorded_get_repository.json', 'recorded_errors.json'].map(
      (file) => (list(file) as { response: unknown }[])[0]?.response,
    )
    const [repository, error] = recordedAnswers.map((response) =>
      typeof response === 'string' ? (JSON.parse(response) as unknown) : response,
    )
    expect(repositoryAnswer.safeParse(repository)).toMatchObject({ success: true, data: { private: false } })
    expect(errorAnswer.safeParse(error).success).toBe(true)
    // Answers to other questions are refused, each with the place where they differ.
    for (const file of [
      'rest_release_items.json',
      'recorded_paginate_issues.json',
      'rest_check_run_paginated.json',
      'rest_installation_token.json',
      'rest_integration.json',
      'rest_rate_limit_overview.json',
    ]) {
      for (const schema of [commitAnswer, deploymentAnswer, deploymentStatusAnswer]) {
        const value = list(file)
        const read = readItems(schema as typeof commitAnswer, Array.isArray(value) ? value : [value])
        expect([file, read?.items, read?.first]).toEqual([file, [], expect.stringMatching(/^\[0\]\./)])
      }
    }
  })
})
