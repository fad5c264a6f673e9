import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleFunctions } from '#infra/bundling/bundle-functions.ts'
import { UNDICI_EXPORTS } from '#infra/bundling/undici-in-parts.ts'

const run = promisify(execFile)
const folder = mkdtempSync(path.join(tmpdir(), 'incident-investigator-bundles-'))
const plans = [
  { id: 'reads-a-table', file: 'test/infra/functions/reads-a-table.ts' },
  { id: 'goes-out', file: 'test/infra/functions/goes-out.ts' },
]
const KB = 1024
const sizes = await bundleFunctions(plans, folder)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a line in a fresh process, with `handler` from a bundle, and gives what it prints. */
async function withBundle(id: string, line: string, environment: Record<string, string> = {}) {
  const script = `const { handler } = await import(${JSON.stringify(path.join(folder, id, 'index.mjs'))}); ${line}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env.PATH, ...environment },
  })
  return stdout.trim()
}

const LOADED = 'console.log(process.moduleLoadList.filter((name) => /undici|http2/.test(name)).length)'

describe('a bundle', () => {
  it('is one small ES module in a folder of its own', () => {
    expect(readdirSync(folder).sort()).toEqual(['goes-out', 'made-of.json', 'reads-a-table'])
    expect(readdirSync(path.join(folder, 'reads-a-table'))).toEqual(['index.mjs'])
    const size = statSync(path.join(folder, 'reads-a-table', 'index.mjs')).size
    expect(sizes.find(({ id }) => id === 'reads-a-table')?.bytes).toBe(size)
    // Measured: 207 KB; CDK's default build of the same weighs 547 KB.
    expect(size).toBeLessThan(230 * KB)
  })

  it('holds no way to credentials but the environment, and one copy of the core', () => {
    const parts = sizes.find(({ id }) => id === 'reads-a-table')?.parts.map(([name]) => name) ?? []
    expect(parts).toContain('@aws-sdk/client-dynamodb')
    expect(
      parts.filter((name) =>
        /credential-provider-(sso|ini|process|http|web-identity)|^@aws-sdk\/(client-sso|token-providers)/.test(
          name,
        ),
      ),
    ).toEqual([])
    const text = readFileSync(path.join(folder, 'reads-a-table', 'index.mjs'), 'utf8')
    expect(text).not.toMatch(/169\.254\.170\.2|ssoStartUrl/)
  })

  it('loads neither undici nor http2 when it starts', async () => {
    expect(await withBundle('reads-a-table', `console.log(typeof handler); ${LOADED}`)).toBe('function\n0')
    expect(await withBundle('goes-out', LOADED)).toBe('0')
  })
})

describe('a bundled function', () => {
  let address = ''
  const seen: string[] = []
  let lastRequest: unknown
  const server = createServer((request, response) => {
    seen.push(String(request.headers.authorization ?? ''))
    response.setHeader('content-type', 'application/x-amz-json-1.0')
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      if (request.url?.startsWith('/refuse')) {
        const error = { __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException' }
        response.writeHead(400).end(JSON.stringify({ ...error, message: 'there is no such table' }))
        return
      }
      lastRequest = { method: request.method, url: request.url, body }
      response.end('{"Item":{"name":{"S":"thing"}}}')
    })
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.close()
  })
  const call = `console.log(JSON.stringify(await handler({ name: 'a' }, {}))); ${LOADED}`

  it('works, signs with the credentials of its environment, and still loads no undici', async () => {
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: address,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'nothing',
      AWS_SESSION_TOKEN: 'token',
    }
    expect(await withBundle('reads-a-table', call, environment)).toBe('{"name":"thing"}\n0')
    expect(seen.at(-1)).toContain('Credential=AKEXAMPLE/')
  })

  it('tells an error of the store by name, message and status, though its class is not bundled', async () => {
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: `${address}/refuse`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'nothing',
    }
    const line = `const { name, message, $fault, $metadata } = await handler({ name: 'a' }, {}).catch((error) => error)
      console.log(name, message, $fault, $metadata.httpStatusCode)`
    expect(await withBundle('reads-a-table', line, environment)).toBe(
      'ResourceNotFoundException there is no such table client 400',
    )
  })

  it('says so when its environment has no credentials', async () => {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: address, AWS_REGION: 'eu-central-1' }
    await expect(withBundle('reads-a-table', call, environment)).rejects.toThrow(
      /no credentials in the environment/,
    )
  })

  it('goes out when it is asked to', async () => {
    const line = `console.log(await handler({ address: ${JSON.stringify(address)} })); process.exit()`
    expect(await withBundle('goes-out', line)).toBe('200 {"Item":{"name":{"S":"thing"}}}')
    expect(lastRequest).toEqual({ method: 'POST', url: '/things?name=a', body: 'what is asked' })
  })
})

describe('the part of undici that is bundled', () => {
  it('has the tables of the parser that it asks for', () => {
    const reader = readFileSync('node_modules/undici/lib/dispatcher/client-h1.js', 'utf8')
    const asked = Array.from(reader.matchAll(/\bconstants\.([A-Z_]+)/g), ([, name]) => name)
    expect([...new Set(asked)].sort()).toEqual(['ERROR', 'TYPE'])
  })

  it('refuses a form, whose parts it could not write', async () => {
    const undici = path.join(folder, 'goes-out', 'undici.mjs')
    const line = `const { Agent, request } = await import(${JSON.stringify(undici)})
      const form = { dispatcher: new Agent(), method: 'POST', body: new FormData() }
      const { code } = await request(new URL('http://127.0.0.1:9'), form).catch((error) => error)
      console.log(code)`
    expect(await withBundle('goes-out', line)).toBe('UND_ERR_INVALID_ARG')
  })

  it('is small, and all that the service uses', () => {
    const goesOut = sizes.find(({ id }) => id === 'goes-out')
    expect(goesOut?.bytes).toBeLessThan(300 * KB)
    expect(goesOut?.later).toBeLessThan(125 * KB)
    const folders = ['shared/adapters', 'shared/edge', 'functions']
    const files = folders.flatMap((each) =>
      readdirSync(each, { recursive: true, encoding: 'utf8' }).map((file) => path.join(each, file)),
    )
    const using = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .filter((text) => /^(?!import type).*['"]undici['"]/m.test(text))
    expect(using.length).toBeGreaterThan(0)
    for (const text of using) {
      // Loaded when it is needed, so that a function that does not go out does not pay for it.
      expect(text).not.toMatch(/^import (?!type).*['"]undici['"]/m)
      const names = Array.from(text.matchAll(/\bundici\.(\w+)/g), ([, name]) => name)
      for (const name of names) expect(UNDICI_EXPORTS).toContain(name)
    }
  })
})

describe('bundling', () => {
  const madeAt = () => statSync(path.join(folder, 'goes-out', 'index.mjs')).mtimeMs

  it('does nothing when nothing changed, and gives the same bytes when done again', async () => {
    const file = path.join(folder, 'reads-a-table', 'index.mjs')
    const [before, at] = [readFileSync(file, 'utf8'), madeAt()]
    expect(await bundleFunctions(plans, folder)).toEqual(sizes)
    expect(madeAt()).toBe(at)
    const again = mkdtempSync(path.join(tmpdir(), 'incident-investigator-bundles-'))
    await bundleFunctions(plans, again)
    expect(readFileSync(path.join(again, 'reads-a-table', 'index.mjs'), 'utf8')).toBe(before)
    rmSync(again, { recursive: true, force: true })
  })

  it('leaves the whole of it, and nothing beside, when two do it at once', async () => {
    const at = path.join(mkdtempSync(path.join(tmpdir(), 'incident-investigator-bundles-')), 'functions')
    const both = await Promise.all([bundleFunctions(plans, at), bundleFunctions(plans, at)])
    expect(both).toEqual([sizes, sizes])
    expect(readdirSync(at).sort()).toEqual(['made-of.json', ...plans.map(({ id }) => id)].sort())
    expect(readdirSync(path.dirname(at))).toEqual(['functions'])
    rmSync(path.dirname(at), { recursive: true, force: true })
  })

  it('is done again when a source changed', async () => {
    const record = path.join(folder, 'made-of.json')
    const madeOf = JSON.parse(readFileSync(record, 'utf8')) as { inputs: Record<string, string> }
    expect(Object.keys(madeOf.inputs)).toContain('test/infra/functions/goes-out.ts')
    madeOf.inputs['test/infra/functions/goes-out.ts'] = 'the digest of what it was'
    writeFileSync(record, JSON.stringify(madeOf))
    const at = madeAt()
    await bundleFunctions(plans, folder)
    expect(madeAt()).toBeGreaterThan(at)
  })

  it('names every function whose file is missing', async () => {
    const missing = [
      { id: 'a', file: 'functions/api/a.ts' },
      { id: 'b', file: 'functions/workers/b.ts' },
    ]
    await expect(bundleFunctions([...plans, ...missing], folder)).rejects.toThrow(
      'no such function file: functions/api/a.ts, functions/workers/b.ts',
    )
  })
})
