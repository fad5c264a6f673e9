import { generateKeyPairSync, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { localRules } from '#shared/adapters/http/address-rules.ts'
import { guardedRequest } from '#shared/adapters/http/guarded-request.ts'
import { githubTool } from '#shared/adapters/tools/github.ts'
import { githubApp } from '#shared/adapters/tools/github-app.ts'
import { settingsOf as githubSettings } from '#shared/adapters/tools/github-settings.ts'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { type LoopbackServer, serveHttp } from '#test/adapters/loopback-server.ts'
import { closeAfterTest } from './tool-server.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
const OTHER_PEM = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string

const at = (text: string): number => Date.parse(text)
const NOW = at('2026-03-10T14:00:00Z')
const WINDOW = { from: at('2026-03-10T12:00:00Z'), to: at('2026-03-10T13:00:00Z') }
const SECRET = 'c4n4ry-cl13nt-s3cr3t'
const READ = {
  contents: 'read',
  deployments: 'read',
  pull_requests: 'write',
  checks: 'read',
  metadata: 'read',
}
const sha = (name: string): string => Buffer.from(name).toString('hex').padStart(40, '0')

interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}
type Route = Canned | ((request: IncomingMessage, body: string) => Canned)

/** Whether a request comes from the app itself, by a signature of this moment that its public key confirms. */
function comesFromApp(request: IncomingMessage, now: number): boolean {
  const token = /^Bearer ([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(request.headers.authorization ?? '')
  if (token === null) return false
  const claims = JSON.parse(Buffer.from(token[1]?.split('.')[1] ?? '', 'base64url').toString())
  return (
    verify('sha256', Buffer.from(token[1] ?? ''), publicKey, Buffer.from(token[2] ?? '', 'base64url')) &&
    claims.iss === 'Iv1.abc' &&
    claims.iat <= now / 1000 &&
    claims.exp - now / 1000 <= 600
  )
}

/** A GitHub that knows one app with one installation, whose tokens it takes while they are the newest. */
async function githubServer(routes: Record<string, Route>) {
  const minted: { body: unknown; token: string }[] = []
  const seen: { line: string; authorization: string | undefined; etag: string | undefined }[] = []
  const app: Record<string, Route> = {
    'GET /app': { body: { id: 12345, slug: 'investigator' } },
    'GET /app/installations?per_page=100': { body: [{ id: 7, permissions: READ, suspended_at: null }] },
    'GET /app/installations/7': { body: { id: 7, permissions: READ } },
    'GET /repos/acme/shop/installation': { body: { id: 7, permissions: READ } },
    'POST /app/installations/7/access_tokens': (_, body) => {
      const token = `ghs_t0k3n_number_${minted.length + 1}`
      minted.push({ body: JSON.parse(body), token })
      return { status: 201, body: { token, expires_at: new Date(now() + 3_600_000).toISOString() } }
    },
  }
  let now = () => NOW
  let server: LoopbackServer | undefined
  server = await serveHttp((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      const line = `${request.method} ${request.url}`
      const { authorization, 'if-none-match': etag } = request.headers
      seen.push({ line, authorization, etag })
      const answer = (): Canned => {
        const route = routes[line] ?? app[line]
        const given = typeof route === 'function' ? route(request, body) : route
        if (/^\w+ \/app(?:\/|$)|\/installation$/.test(line)) {
          return comesFromApp(request, now()) ? (given ?? { status: 404 }) : { status: 401 }
        }
        if (line === 'POST /applications/Iv1.abc/token')
          return given ?? { status: 404, body: { message: 'no' } }
        if (authorization !== `Bearer ${minted.at(-1)?.token}`)
          return { status: 401, body: { message: 'no' } }
        return given ?? { status: 404, body: { message: 'Not Found' } }
      }
      const { status = 200, headers = {}, body: answered = [] } = answer()
      const link = headers.link?.replaceAll('HERE', server?.url ?? '')
      response.writeHead(status, {
        'content-type': 'application/json',
        ...headers,
        ...(link ? { link } : {}),
      })
      response.end(status === 304 ? undefined : JSON.stringify(answered))
    })
  })
  const request = guardedRequest(localRules())
  closeAfterTest(request, server)
  return {
    seen,
    minted,
    config: {
      app_id: '12345',
      client_id: 'Iv1.abc',
      client_secret: SECRET,
      private_key: PEM,
      repositories: ['acme/shop'],
      base_url: server.url,
    } as Record<string, unknown>,
    tool: githubTool({ request, now: () => now() }),
    setNow: (instant: number) => {
      now = () => instant
    },
    lines: (pattern: RegExp) => seen.filter(({ line }) => pattern.test(line)),
  }
}

const never = new AbortController().signal
const pull = (
  server: { tool: ReturnType<typeof githubTool>; config: Record<string, unknown> },
  change: object = {},
): Promise<Pulled> =>
  server.tool.pull(
    { ...server.config, ...change },
    { integration_id: 'github_1', window: WINDOW, baselines: [], service: null, signal: never },
  )
const gapsOf = (pulled: Pulled): string[] => pulled.gaps.map(({ what, why }) => `${what}: ${why}`)

const commit = (name: string, time: string, parents: readonly string[], files?: readonly object[]) => ({
  sha: sha(name),
  commit: { message: `${name}\n\nbody`, author: { name: 'Ada', date: time }, committer: { date: time } },
  author: { login: 'ada' },
  parents: parents.map((parent) => ({ sha: sha(parent) })),
  ...(files ? { files } : {}),
})
const LIST = 'GET /repos/acme/shop/commits?since=2026-03-09T12:00:00Z&until=2026-03-10T13:00:00Z&per_page=100'
const PULLS = 'GET /repos/acme/shop/pulls?state=closed&sort=updated&direction=desc&per_page=100'
const RELEASES = 'GET /repos/acme/shop/releases?per_page=100'
const DEPLOYS = 'GET /repos/acme/shop/deployments?per_page=100'
const pullRequest = (number: number, change: object = {}) => ({
  number,
  title: `Change ${number}`,
  user: { login: 'grace' },
  updated_at: '2026-03-10T11:31:00Z',
  merged_at: '2026-03-10T11:30:00Z',
  merge_commit_sha: sha('merge'),
  base: { ref: 'main', repo: { default_branch: 'main' } },
  ...change,
})

/** A merge of two commits, deployed, with a failed check run and a release. */
const story = (): Record<string, Route> => ({
  [LIST]: {
    body: [
      commit('merge', '2026-03-10T11:30:00Z', ['before', 'second']),
      commit('second', '2026-03-10T10:00:00Z', ['first']),
      commit('first', '2026-03-10T09:00:00Z', ['before']),
      commit('before', '2026-03-10T08:00:00Z', ['root']),
    ],
  },
  ...Object.fromEntries(
    ['merge', 'before'].map((name) => [
      `GET /repos/acme/shop/commits/${sha(name)}`,
      {
        body: commit(
          name,
          name === 'merge' ? '2026-03-10T11:30:00Z' : '2026-03-10T08:00:00Z',
          name === 'merge' ? ['before', 'second'] : ['root'],
          [{ filename: 'pool.ts', patch: '@@ -1 +1 @@\n-20\n+5' }],
        ),
      },
    ]),
  ),
  [PULLS]: {
    body: [
      pullRequest(41),
      pullRequest(42, { merged_at: null, merge_commit_sha: null }),
      pullRequest(43, { base: { ref: 'release-1', repo: { default_branch: 'main' } } }),
      pullRequest(44, { merge_commit_sha: null }),
    ],
  },
  [RELEASES]: {
    body: [
      {
        id: 2,
        tag_name: 'v2',
        name: '',
        draft: false,
        created_at: '2026-03-10T11:40:00Z',
        published_at: '2026-03-10T11:45:00Z',
        author: { login: 'ada' },
      },
      {
        id: 3,
        tag_name: 'v3',
        name: 'Three',
        draft: true,
        created_at: '2026-03-10T11:40:00Z',
        published_at: null,
        author: null,
      },
    ],
  },
  [DEPLOYS]: {
    body: [
      {
        id: 2,
        sha: sha('merge'),
        environment: 'production',
        creator: null,
        created_at: '2026-03-10T11:50:00Z',
      },
      {
        id: 1,
        sha: sha('before'),
        environment: 'production',
        creator: null,
        created_at: '2026-03-09T11:00:00Z',
      },
    ],
  },
  ...Object.fromEntries(
    [
      [1, '2026-03-09T11:02:00Z'],
      [2, '2026-03-10T11:52:00Z'],
    ].map(([id, created_at]) => [
      `GET /repos/acme/shop/deployments/${id}/statuses?per_page=100`,
      { body: [{ state: 'success', created_at }] },
    ]),
  ),
  [`GET /repos/acme/shop/compare/${sha('before')}...${sha('merge')}`]: {
    body: {
      status: 'ahead',
      behind_by: 0,
      total_commits: 3,
      commits: [
        commit('first', '2026-03-10T09:00:00Z', ['before']),
        commit('second', '2026-03-10T10:00:00Z', ['first']),
        commit('merge', '2026-03-10T11:30:00Z', ['before', 'second']),
      ],
      files: [{ filename: 'pool.ts', patch: '@@ -1 +1 @@\n-20\n+5' }],
    },
  },
  [`GET /repos/acme/shop/commits/${sha('merge')}/check-runs?filter=latest&per_page=100`]: {
    body: {
      total_count: 3,
      check_runs: [
        { name: 'lint', status: 'completed', conclusion: 'success' },
        { name: 'load test', status: 'completed', conclusion: 'failure' },
        { name: 'docs', status: 'in_progress', conclusion: null },
      ],
    },
  },
  'GET /repos/acme/shop': { body: { full_name: 'acme/shop', private: true } },
})

describe('a token that several wait for', () => {
  it('is given to the others when the first gives up, and whoever gives up waits no longer', async () => {
    const served = await githubServer({})
    const real = guardedRequest(localRules())
    closeAfterTest(real)
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const app = githubApp({
      now: () => NOW,
      request: async (one) => {
        asked.resolve()
        await Promise.race([
          released.promise,
          new Promise((_, reject) => one.signal?.addEventListener('abort', () => reject(one.signal?.reason))),
        ])
        return real(one)
      },
    })
    const settings = githubSettings(served.config)
    const installation = { id: 7, permissions: READ }
    const within = (signal: AbortSignal) => ({ deadlineMs: 5_000, signal })
    const first = new AbortController()
    const third = new AbortController()
    const ways = [
      (signal: AbortSignal) => app.token(settings, installation, within(signal)),
      (signal: AbortSignal) =>
        app.installationOf(settings, 'acme/shop', within(signal)).then(({ id }) => String(id)),
    ]
    const waits = ways.map((way) => [way(first.signal), way(never), way(third.signal)] as const)
    await asked.promise
    first.abort()
    third.abort()
    for (const [one, , last] of waits)
      for (const gaveUp of [one, last]) await expect(gaveUp).rejects.toThrow('GitHub did not answer in time.')
    released.resolve()
    expect(await Promise.all(waits.map(([, other]) => other))).toEqual(['ghs_t0k3n_number_1', '7'])
    expect(served.minted).toHaveLength(1)
  })
})

describe('a pull with the private key of the app', () => {
  it('takes a merged pull request for one change: the merge under its title, without its parts', async () => {
    const pulled = await pull(await githubServer(story()))
    expect(gapsOf(pulled)).toEqual([])
    expect(pulled.changes.map(({ kind, title }) => `${kind}: ${title}`)).toEqual(
      [
        'commit: before',
        'pull_request: Change 44 (#44)',
        'pull_request: Change 41 (#41)',
        'release: Release v2',
        'deploy: Deploy of 6d65726 to production although 1 of 3 check runs failed: load test',
      ].map((text) => text.replace('6d65726', sha('merge').slice(0, 7))),
    )
    const merged = pulled.changes.find(({ id }) => id === sha('merge'))
    expect(merged).toMatchObject({
      actor: 'grace',
      recorded_at: at('2026-03-10T11:30:00Z'),
      before: sha('before'),
      files: ['pool.ts'],
      diff: expect.stringContaining('+5'),
    })
    const deploy = pulled.changes.find(({ kind }) => kind === 'deploy')
    expect(deploy?.carries).toEqual([sha('merge')])
    expect(deploy?.effective_at?.to).toBe(at('2026-03-10T11:52:00Z'))
  })

  it('says of a release when it was published, and that this is not known to be its effect', async () => {
    const release = (await pull(await githubServer(story()))).changes.find(({ kind }) => kind === 'release')
    expect(release).toMatchObject({ after: 'v2', certainty: 'guessed', actor: 'ada' })
  })

  it('reads with one token for all its requests, narrowed to what it reads and is granted', async () => {
    const server = await githubServer(story())
    await Promise.all([pull(server), pull(server)])
    await pull(server)
    expect(server.minted.map(({ body }) => body)).toEqual([
      {
        permissions: {
          contents: 'read',
          deployments: 'read',
          pull_requests: 'read',
          checks: 'read',
          metadata: 'read',
        },
      },
    ])
    expect(server.lines(/\/installation$/)).toHaveLength(1)
  })

  it('gets a new token before the old one ends', async () => {
    const server = await githubServer(story())
    await pull(server)
    server.setNow(NOW + 54 * 60_000)
    await pull(server)
    expect(server.minted).toHaveLength(1)
    server.setNow(NOW + 56 * 60_000)
    await pull(server)
    expect(server.minted).toHaveLength(2)
  })

  it('gets a new token once where GitHub does not take the old one any more', async () => {
    const server = await githubServer(story())
    await pull(server)
    server.minted.push({ body: null, token: 'withdrawn' })
    expect(gapsOf(await pull(server))).toEqual([])
    expect(server.minted).toHaveLength(3)
  })

  it.each([
    ['is suspended no longer', { id: 7, permissions: READ, suspended_at: '2026-01-01T00:00:00Z' }, { id: 7 }],
    ['was made anew under another number', { id: 6, permissions: READ }, { id: 7 }],
  ])('reads again as soon as the installation %s', async (_, before, after) => {
    let installation: object = before
    const server = await githubServer({
      ...story(),
      'GET /repos/acme/shop/installation': () => ({ body: { permissions: READ, ...installation } }),
    })
    expect((await pull(server)).changes).toEqual([])
    installation = after
    server.setNow(NOW + 2 * 60_000)
    expect(gapsOf(await pull(server))).toEqual([])
  })

  it('does not use what another key has got', async () => {
    const server = await githubServer(story())
    await pull(server)
    const pulled = await pull(server, { private_key: OTHER_PEM })
    expect(pulled.changes).toEqual([])
    expect(gapsOf(pulled)[0]).toContain('GitHub refuses the private key of the app (status 401).')
  })

  it('asks again only for what has changed, and takes an unchanged answer for the one before', async () => {
    const routes = story()
    let unchanged = 0
    const page = routes[LIST] as Canned
    routes[LIST] = (request) => {
      if (request.headers['if-none-match'] !== 'W/"1"') {
        return {
          ...page,
          headers: { etag: 'W/"1"', link: '<HERE/repositories/1/commits?page=2>; rel="next"' },
        }
      }
      unchanged += 1
      return { status: 304 }
    }
    routes['GET /repositories/1/commits?page=2'] = { body: [] }
    const server = await githubServer(routes)
    const first = await pull(server)
    const second = await pull(server)
    expect(unchanged).toBe(1)
    expect(second).toEqual(first)
    expect(server.lines(/page=2/)).toHaveLength(2)
  })

  it('is whole for every repository that the app is installed for, where the settings name none', async () => {
    const routes = story()
    routes['GET /installation/repositories?per_page=100'] = {
      headers: { link: '<HERE/installation/repositories?per_page=100&page=2>; rel="next"' },
      body: {
        total_count: 2,
        repositories: [{ full_name: 'acme/shop', pushed_at: '2026-03-10T11:30:00Z' }, { full_name: 7 }],
      },
    }
    for (const change of [{ installation_id: '7' }, {}]) {
      const server = await githubServer(routes)
      const pulled = await pull(server, { repositories: undefined, ...change })
      expect(pulled.changes.some(({ id }) => id === sha('merge'))).toBe(true)
      expect(gapsOf(pulled)).toEqual([
        'GitHub: the repositories that the app is installed for: More than 100; only the first page is read.',
      ])
    }
  })

  it('stays away from GitHub after its secondary limit, which comes without a header', async () => {
    const limited = { status: 403, body: { message: 'You have exceeded a secondary rate limit.' } }
    const server = await githubServer({ ...story(), [LIST]: limited })
    expect(gapsOf(await pull(server)).join()).toContain('used up until 2026-03-10T14:01:00.000Z (status 403)')
    const before = server.seen.length
    await pull(server)
    expect(server.seen).toHaveLength(before)
  })

  it.each([
    [
      'the app is not installed',
      { 'GET /repos/acme/shop/installation': { status: 404 } },
      'The app is not installed there (status 404).',
    ],
    [
      'the installation is suspended',
      { 'GET /repos/acme/shop/installation': { body: { id: 7, suspended_at: '2026-01-01T00:00:00Z' } } },
      'The installation of the app is suspended.',
    ],
    [
      'the token is limited',
      { 'POST /app/installations/7/access_tokens': { status: 429, headers: { 'retry-after': '60' } } },
      'The rate limit of GitHub is used up until 2026-03-10T14:01:00.000Z.',
    ],
    [
      'the token is none',
      { 'POST /app/installations/7/access_tokens': { status: 201, body: { token: 'a b' } } },
      'does not answer like GitHub',
    ],
    [
      'GitHub has trouble',
      { 'POST /app/installations/7/access_tokens': { status: 502 } },
      'GitHub has trouble (status 502).',
    ],
    [
      'a list is hidden',
      { [LIST]: { status: 404 } },
      'It does not exist or the app may not read it (status 404).',
    ],
    [
      'check runs are none',
      {
        [`GET /repos/acme/shop/commits/${sha('merge')}/check-runs?filter=latest&per_page=100`]: { body: [] },
      },
      'The answer is no list of check runs.',
    ],
    [
      'check runs are many',
      {
        [`GET /repos/acme/shop/commits/${sha('merge')}/check-runs?filter=latest&per_page=100`]: {
          body: { total_count: 300, check_runs: [] },
        },
      },
      '0 of 300 were read.',
    ],
  ] as [string, Record<string, Route>, string][])('says in a gap that %s', async (_, routes, why) => {
    const pulled = await pull(await githubServer({ ...story(), ...routes }))
    expect(gapsOf(pulled).join()).toContain(why)
  })

  it('says in a gap that installations cannot be asked for, or are many', async () => {
    const refused = await githubServer({ 'GET /app/installations?per_page=100': { status: 500 } })
    expect(gapsOf(await pull(refused, { repositories: undefined }))).toEqual([
      'GitHub: the repositories that the app is installed for: GitHub has trouble (status 500).',
      'GitHub: No repositories are given in the settings.',
    ])
    const many = await githubServer({
      'GET /app/installations?per_page=100': {
        body: Array.from({ length: 6 }, (__, index) => ({ id: index + 7 })),
      },
      'GET /installation/repositories?per_page=100': { body: { hello: 1 } },
    })
    expect(gapsOf(await pull(many, { repositories: undefined })).join()).toContain(
      'Of 6 installations the first 5 are asked.',
    )
  })

  it('keeps secrets out of everything, even where an answer holds them', async () => {
    const routes = story()
    const line = PEM.split('\n')[1] ?? ''
    routes[`GET /repos/acme/shop/commits/${sha('before')}`] = (request) => ({
      body: {
        ...commit('before', '2026-03-10T08:00:00Z', []),
        commit: {
          message: `${SECRET} ${line} ${request.headers.authorization}`,
          committer: { date: '2026-03-10T08:00:00Z' },
        },
      },
    })
    const server = await githubServer(routes)
    const text = JSON.stringify(await pull(server))
    expect(text).toContain('[redacted]')
    for (const secret of [SECRET, line, 'ghs_t0k3n']) expect(text).not.toContain(secret)
  })
})

describe('a check with the private key of the app', () => {
  it('is connected when the installation grants all that is read', async () => {
    const server = await githubServer(story())
    expect(await server.tool.check(server.config, never)).toEqual({ status: 'connected', detail: null })
    expect(
      await server.tool.check({ ...server.config, installation_id: '7', repositories: undefined }, never),
    ).toEqual({ status: 'connected', detail: null })
  })

  it.each([
    ['private_key', { private_key: OTHER_PEM }, {}, 'refuses this private key'],
    ['private_key', { private_key: 'no key' }, {}, 'must be the RSA private key'],
    [
      'private_key',
      { private_key: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) },
      {},
      'must be the RSA private key',
    ],
    ['app_id', { app_id: '999' }, {}, 'is not the app'],
    ['installation_id', { installation_id: '8' }, {}, 'is no installation of this app'],
    ['installation_id', { installation_id: '7a' }, {}, 'must be a number'],
    ['client_secret', {}, { 'POST /applications/Iv1.abc/token': { status: 401 } }, 'refuses this client id'],
  ] as [string, object, Record<string, Route>, string][])(
    'refuses a wrong %s by its name',
    async (field, change, routes, reason) => {
      const server = await githubServer({ ...story(), ...routes })
      await expect(server.tool.check({ ...server.config, ...change }, never)).rejects.toMatchObject({
        kind: 'invalid',
        details: { field: `config.${field}`, reason: expect.stringContaining(reason) },
      })
    },
  )

  it.each([
    [
      'a permission is missing',
      {
        'GET /repos/acme/shop/installation': {
          body: { id: 7, permissions: { contents: 'read', metadata: 'read' } },
        },
      },
      'no permission to read deployments, pull_requests, checks',
    ],
    [
      'the app is not installed',
      { 'GET /repos/acme/shop/installation': { status: 404 } },
      'acme/shop: The app is not installed there (status 404).',
    ],
    [
      'the repository is hidden',
      { 'GET /repos/acme/shop': { status: 404 } },
      'acme/shop does not exist or the app may not read it',
    ],
    ['the repository moved', { 'GET /repos/acme/shop': { status: 301 } }, 'acme/shop: It has moved'],
    [
      'the repository cannot be read',
      { 'GET /repos/acme/shop': { body: 'x' } },
      'acme/shop: the answer cannot be read',
    ],
    [
      'the installation is suspended',
      {
        'GET /repos/acme/shop/installation': {
          body: { id: 7, permissions: READ, suspended_at: '2026-01-01T00:00:00Z' },
        },
      },
      'installation 7 is suspended',
    ],
  ] as [string, Record<string, Route>, string][])('is degraded when %s', async (_, routes, detail) => {
    const server = await githubServer({ ...story(), ...routes })
    expect(await server.tool.check(server.config, never)).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining(detail),
    })
  })

  it('is degraded when the app is installed nowhere, or more repositories are named than are read', async () => {
    const nowhere = await githubServer({ 'GET /app/installations?per_page=100': { body: [] } })
    expect(await nowhere.tool.check({ ...nowhere.config, repositories: undefined }, never)).toEqual({
      status: 'degraded',
      detail: 'the app is installed nowhere',
    })
    const many = await githubServer(story())
    const repositories = Array.from({ length: 21 }, () => 'acme/shop').map((name, index) => `${name}${index}`)
    expect((await many.tool.check({ ...many.config, repositories }, never)).detail).toContain(
      'only the first 20 of 21 repositories are read',
    )
  })

  it.each([
    ['GET /app', { status: 500 }, 'GitHub has trouble (status 500).'],
    ['GET /app', { body: 'hello' }, 'does not answer like GitHub'],
    ['GET /repos/acme/shop/installation', { status: 503 }, 'acme/shop: GitHub has trouble (status 503).'],
    ['GET /repos/acme/shop', { status: 503 }, 'acme/shop: GitHub has trouble (status 503).'],
    ['GET /repos/acme/shop', { status: 429 }, 'acme/shop: The rate limit of GitHub is used up'],
    ['GET /app/installations/7', { status: 500 }, 'GitHub has trouble (status 500).'],
  ] as [string, Canned, string][])('is an error when %s answers %j', async (line, answer, detail) => {
    const server = await githubServer({ ...story(), [line]: answer })
    const change = line.endsWith('/7') ? { installation_id: '7' } : {}
    expect(await server.tool.check({ ...server.config, ...change }, never)).toMatchObject({
      status: 'error',
      detail: expect.stringContaining(detail),
    })
  })

  it('is an error when nobody answers at the address', async () => {
    const server = await githubServer(story())
    const config = { ...server.config, base_url: 'http://127.0.0.1:9' }
    expect(await server.tool.check(config, never)).toMatchObject({ status: 'error' })
  })
})
