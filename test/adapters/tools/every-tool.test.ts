import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Refusal } from '#shared/domain/errors.ts'
import { INTEGRATION_TYPES, type IntegrationTypeName } from '#shared/domain/integration-types.ts'
import { serveSocket } from '../loopback-server.ts'
import { CANARY, SAMPLE_CONFIGS } from './sample-configs.ts'
import {
  type Canned,
  closeAfterTest,
  loopbackTool,
  pullRequest,
  serveTool,
  withoutWaiting,
} from './tool-server.ts'

/** Types that ask no server of an address that settings name. */
const WITHOUT_ADDRESS: readonly IntegrationTypeName[] = ['bundle', 'cloudwatch', 'webhook']
const types = INTEGRATION_TYPES.map(({ type }) => type).filter((type) => !WITHOUT_ADDRESS.includes(type))
const configOf = (type: IntegrationTypeName, url: string) => {
  const config = SAMPLE_CONFIGS[type]?.(url)
  if (config === undefined) throw new Error(`sample-configs.ts has no settings of ${type}`)
  return config
}

/** Checks and pulls at a server; gives the outcome of both, and everything that was said. */
async function useTool(type: IntegrationTypeName, url: string, milliseconds = 20_000) {
  const tool = loopbackTool(type, withoutWaiting())
  closeAfterTest(tool)
  const config = configOf(type, url)
  const checked = await tool.check(config, AbortSignal.timeout(milliseconds)).catch((error: unknown) => {
    if (error instanceof Refusal) return error
    throw error
  })
  const pulled = await tool.pull(
    config,
    pullRequest(Date.now(), { service: 'checkout', signal: AbortSignal.timeout(milliseconds) }),
  )
  const said =
    checked instanceof Refusal
      ? `${checked.message} ${JSON.stringify(checked.details)} ${checked.stack}`
      : JSON.stringify(checked)
  return { checked, pulled, said: `${said} ${JSON.stringify(pulled)}` }
}

async function against(type: IntegrationTypeName, answer: (path: string) => Canned) {
  const server = await serveTool(({ path }) => answer(path))
  closeAfterTest(server)
  return { ...(await useTool(type, server.url)), server }
}

const FORMS = [CANARY, encodeURIComponent(CANARY), Buffer.from(CANARY).toString('base64').slice(0, -4)]

describe.each(types)('%s', (type) => {
  // A type without a credential is told nothing that it would have to keep.
  const isTold = JSON.stringify(configOf(type, 'https://tool.test')).includes(CANARY)
  const expectNoSecret = (said: string) => {
    for (const form of isTold ? FORMS : []) expect(said).not.toContain(form)
  }

  it.each([401, 403])(
    'that answers %i refuses the credential by name, and a pull says so',
    async (status) => {
      const { checked, pulled, said } = await against(type, () => ({
        status,
        body: { message: `no ${CANARY}` },
      }))
      expect(checked).toBeInstanceOf(Refusal)
      expect((checked as Refusal).details.field).toMatch(/^config\.[a-z_]+$/)
      expect(pulled.gaps).not.toEqual([])
      expectNoSecret(said)
    },
  )

  it.each([
    ['a 500', () => ({ status: 500, body: CANARY })],
    ['a 503', () => ({ status: 503, body: { message: CANARY } })],
    ['a 429 for an hour', () => ({ status: 429, headers: { 'retry-after': '3600' }, body: {} })],
    [
      'a redirect to a private address',
      () => ({ status: 302, headers: { location: `http://10.0.0.1/${CANARY}` } }),
    ],
    ['a page of HTML', () => ({ body: `<html>${CANARY}</html>`, headers: { 'content-type': 'text/html' } })],
    ['JSON of another kind', () => ({ body: { canary: CANARY } })],
    ['a bare null', () => ({ body: 'null' })],
    ['JSON that ends early', () => ({ body: '{"status":"success","data":{"result":[{' })],
    ['more than is read', () => ({ body: JSON.stringify([CANARY, 'x'.repeat(9 * 1024 * 1024)]) })],
  ] satisfies [string, () => Canned][])(
    'that answers %s is an error, and a gap in a pull',
    async (_, answer) => {
      const { checked, pulled, said } = await against(type, answer)
      expect(checked).toMatchObject({ status: 'error', detail: expect.stringMatching(/.{10}/) })
      expect(pulled.gaps).not.toEqual([])
      expectNoSecret(said)
    },
  )

  it.each([
    ['hangs', () => {}],
    [
      'ends in the middle of its answer',
      (socket: { end(text: string): void }) =>
        void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n['),
    ],
    ['speaks no HTTP', (socket: Socket) => void socket.end(`${CANARY}\r\n\r\n`)],
  ] satisfies [string, (socket: Socket) => void][])(
    'that %s is an error, and a gap in a pull',
    async (_, onSocket) => {
      const server = await serveSocket(onSocket)
      closeAfterTest(server)
      const { checked, pulled, said } = await useTool(type, server.url, 400)
      expect(checked).toMatchObject({ status: 'error', detail: expect.stringMatching(/.{10}/) })
      expect(pulled.gaps).not.toEqual([])
      expectNoSecret(said)
    },
  )

  it('at an address of a private network is refused on its address', async () => {
    const { checked, said } = await useTool(type, 'http://10.0.0.1:9/')
    expect(checked).toBeInstanceOf(Refusal)
    expect((checked as Refusal).details.field).toBe('config.base_url')
    expectNoSecret(said)
  })

  it('names what it asked so that it can be asked again, and never with a secret', async () => {
    const { pulled } = await against(type, () => ({ status: 404, body: { message: CANARY } }))
    for (const source of pulled.sources) {
      expect(source).toMatchObject({ integration_id: 'tool_1', tool: type })
      expect(source.query.length).toBeGreaterThan(3)
      expectNoSecret(JSON.stringify(source))
    }
  })
})
