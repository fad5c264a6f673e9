import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildConsole, CONSOLE_FILES } from '#infra/build-console.ts'
import { consoleAssets } from '#shared/adapters/console-assets.ts'
import { consolePage } from '#shared/adapters/console-page.ts'
import { type ConsoleHousing, serveConsole } from '#shared/edge/serve-console.ts'
import { eventOf } from '#test/edge/call-endpoint.ts'

const signIn = {
  address: 'https://sign-in.example.com',
  issuer: 'https://issuer.example.com',
  clientId: 'one',
}
let folder: string
/** The files of a console as its function has them. */
type Files = Pick<ConsoleHousing, 'page' | 'asset'>
const consoleFiles = (of: string): Files => ({ page: () => consolePage(of), asset: consoleAssets(of) })
let files: Files
beforeAll(async () => {
  await buildConsole()
  files = consoleFiles(CONSOLE_FILES)
  folder = mkdtempSync(join(tmpdir(), 'console-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Asked {
  readonly file?: string
  /** Path with the stage; by default what `file` reads as. */
  readonly path?: string
  readonly accept?: string
}

async function get({ file, path, accept }: Asked, housed: Files = files) {
  const event = eventOf({
    path: '/console',
    ...(accept === undefined ? {} : { headers: { 'Accept-Encoding': accept } }),
  })
  const answer = await serveConsole({ ...housed, signIn: () => signIn, clock: () => 0 })({
    ...event,
    pathParameters: file === undefined ? null : { file },
    requestContext: {
      ...event.requestContext,
      path: path ?? (file === undefined ? '/v1/console/' : `/v1/console/${file}`),
    },
  })
  const bytes = Buffer.from(answer.body, answer.isBase64Encoded === true ? 'base64' : 'utf8')
  return { status: answer.statusCode, headers: answer.headers ?? {}, bytes, text: bytes.toString() }
}

const settingsIn = (html: string): unknown => {
  const content = /name="console-settings" content="([^"]*)"/.exec(html)?.[1] ?? ''
  return JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
}
const scriptIn = (html: string): string => /src="([^"]+\.js)"/.exec(html)?.[1] ?? ''

describe('200: the page', () => {
  it('is never kept, runs nothing but its own files, and may be framed by nobody', async () => {
    const { status, headers } = await get({})
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy':
        "default-src 'self'; connect-src 'self' https://sign-in.example.com; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'none'",
    })
  })

  it('has no script and no style of its own, which its policy would refuse', async () => {
    const { text } = await get({})
    expect(text).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=|\{\{/)
  })

  it.each([
    ['at the stage', '/v1/console/', undefined, '/v1/console/', '/v1'],
    ['without its last slash', '/v1/console', undefined, '/v1/console/', '/v1'],
    ['at a place within', '/v1/console/settings/keys', 'settings/keys', '/v1/console/', '/v1'],
    ['at a place with a slash behind', '/v1/console/settings/keys/', 'settings/keys/', '/v1/console/', '/v1'],
    ['below a domain of its own', '/console/incidents/inc_1', 'incidents/inc_1', '/console/', ''],
  ])('links to its files from wherever it is: %s', async (_where, path, file, base, api) => {
    const { status, text } = await get({ path, ...(file === undefined ? {} : { file }) })
    expect(status).toBe(200)
    expect(settingsIn(text)).toEqual({ base, api, signIn })
    expect(scriptIn(text)).toMatch(new RegExp(`^${base}assets/[\\w.-]+\\.js$`))
  })

  it('holds what it is told as text, whatever that is', async () => {
    const hostile = { ...signIn, clientId: `"><script>alert(1)</script>&quot;` }
    const event = eventOf({ path: '/console' })
    const answer = await serveConsole({ ...files, signIn: () => hostile, clock: () => 0 })(event)
    const text = Buffer.from(answer.body, 'base64').toString()
    expect(text).not.toContain('<script>alert')
    expect(settingsIn(text)).toMatchObject({ signIn: hostile })
  })

  it('says where the caller stands, and counts nothing against them', async () => {
    const first = await get({})
    const second = await get({})
    expect(first.headers['X-RateLimit-Remaining']).toBe('100')
    expect(second.headers['X-RateLimit-Remaining']).toBe('100')
    expect(second.headers['X-Request-Id']).toMatch(/^request-/)
  })
})

describe('200: an asset', () => {
  const script = async () => scriptIn((await get({})).text).replace('/v1/console/', '')

  it.each([
    ['br', 'gzip, deflate, br', (bytes: Buffer) => brotliDecompressSync(bytes)],
    ['gzip', 'gzip, br;q=0', (bytes: Buffer) => gunzipSync(bytes)],
    [undefined, 'identity', (bytes: Buffer) => bytes],
  ])('is kept for ever, and comes compressed as %s to whom takes %s', async (coding, accept, open) => {
    const file = await script()
    const { status, headers, bytes } = await get({ file, accept })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    })
    expect(headers['Content-Encoding']).toBe(coding)
    expect(open(bytes)).toEqual(files.asset(file.replace('assets/', ''))?.bytes)
  })

  it('comes as it is to whom says nothing', async () => {
    expect((await get({ file: await script() })).headers['Content-Encoding']).toBeUndefined()
  })
})

describe('404', () => {
  const outside = () => {
    mkdirSync(join(folder, 'assets'), { recursive: true })
    writeFileSync(join(folder, 'index.html'), 'page')
    writeFileSync(join(folder, 'secret.js'), 'secret')
    writeFileSync(join(folder, 'assets', 'notes.txt'), 'notes')
    return consoleFiles(folder)
  }

  it.each([
    '../secret.js',
    'assets/../secret.js',
    'assets/..%2fsecret.js',
    'assets/%2e%2e/secret.js',
    'assets//secret.js',
    'assets\\..\\secret.js',
    '/etc/passwd',
    'assets/../../../../etc/passwd',
    'assets/notes.txt',
    'assets/none.js',
    'assets/',
    'secret.js',
    'index.html',
    'assets/constructor.js',
    'assets/__proto__.js',
  ])('for what is no file of the console: %s', async (file) => {
    const { status, headers, text } = await get({ file }, outside())
    expect(status).toBe(404)
    expect(headers['Content-Type']).toBe('application/json; charset=utf-8')
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'NOT_FOUND' } })
  })

  it('for a place that is written otherwise than it reads', async () => {
    expect((await get({ file: 'settings/keys', path: '/v1/console/settings%2Fkeys' })).status).toBe(404)
  })

  it('or the page for any path whatever, and never a file from outside', async () => {
    const served = outside()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 60 }), async (file) => {
        const { status, text } = await get({ file }, served)
        expect([200, 404]).toContain(status)
        expect(text).not.toContain('secret')
        if (status === 200) expect(text).toBe('page')
      }),
    )
  })
})

describe('500', () => {
  it('tells nothing but the request where no console was built', async () => {
    const { status, text } = await get({}, consoleFiles(join(folder, 'nothing')))
    expect(status).toBe(500)
    expect(text).not.toContain(folder)
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'INTERNAL_ERROR' } })
  })
})
