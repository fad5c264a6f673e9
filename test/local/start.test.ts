import { spawn } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '#infra/root.ts'
import {
  endLaunched,
  killAtEnd,
  launch,
  newFolder,
  type Ready,
  readiness,
  type Started,
  start,
} from './launch.ts'
import { processesNaming } from './processes.ts'

afterAll(endLaunched)

type Json = Record<string, unknown>

async function call(ready: Ready, method: 'GET' | 'POST', path: string, body?: unknown) {
  const answer = await request(`${ready.base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ready.admin_key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, body: (await answer.body.json()) as Json }
}

describe('the service that npm start runs', () => {
  const data = newFolder()
  let started: Started
  let ready: Ready

  beforeAll(async () => {
    started = start(data)
    ready = await readiness(started)
  }, 300_000)

  it('prints one line of JSON on stdout once it is ready, and everything else on stderr', () => {
    expect(started.stdout().split('\n')).toHaveLength(2)
    expect(Object.keys(ready)).toEqual(['base_url', 'admin_key', 'assistant_key', 'console_url'])
    expect(ready.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(started.stderr()).toContain('Ready after')
  })

  it('explains the sample outage to an assistant key', async () => {
    const { status, body } = await call({ ...ready, admin_key: ready.assistant_key }, 'POST', '/query', {
      query: 'Why does checkout fail?',
    })
    expect(status).toBe(200)
    expect(body.outcome).not.toBe('inconclusive')
    expect((body.evidence as unknown[]).length).toBeGreaterThan(0)
  })

  it('has the sample incident with its root cause', async () => {
    const { body } = await call(ready, 'GET', '/incidents')
    expect(body.incidents).toMatchObject([
      { analysis: 'done', service: 'checkout', root_cause: { summary: expect.any(String) } },
    ])
  })

  it('answers requests that no operation takes in the shape of the specification', async () => {
    const unknown = await call(ready, 'GET', '/nowhere')
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    for (const [path, allowed] of [
      ['/incidents', 'GET, POST'],
      ['/console', 'GET'],
      ['/console/settings/keys', 'GET'],
    ] as const) {
      const wrongMethod = await request(`${ready.base_url}${path}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${ready.admin_key}` },
      })
      expect(wrongMethod.statusCode, path).toBe(405)
      expect(wrongMethod.headers.allow, path).toBe(allowed)
      await wrongMethod.body.dump()
    }
    const stranger = await request(`${ready.base_url}/incidents`)
    expect(stranger.statusCode).toBe(401)
    expect(stranger.headers['x-amzn-remapped-www-authenticate']).toBe('Bearer')
    await stranger.body.dump()
  })

  it('keeps its keys in a file for its owner alone', () => {
    expect(statSync(join(data, 'keys.json')).mode & 0o777).toBe(0o600)
  })

  it('lets no second start use the same data, and says so in one line', async () => {
    const second = start(data)
    expect(await second.ended).toBe(1)
    expect(second.stdout()).toBe('')
    expect(second.stderr()).toBe(
      `The data folder ${data} is in use by another start (process ${started.child.pid}).\n`,
    )
  })

  it('says in one line that its port is taken', async () => {
    const port = new URL(ready.base_url).port
    const second = launch(['--data', newFolder(), '--port', port, '--json'])
    expect(await second.ended).toBe(1)
    expect(second.stderr()).toBe(`Port ${port} is taken: choose another with --port.\n`)
  })

  it('is used by invoke when it runs on the folder', async () => {
    const invoked = launch(['list-incidents', '--data', data], ['infra/commands/invoke.ts'])
    expect(await invoked.ended, invoked.stderr()).toBe(0)
    const answer = JSON.parse(invoked.stdout()) as { statusCode: number; body: string }
    expect(answer.statusCode).toBe(200)
    expect(JSON.parse(answer.body)).toHaveProperty('incidents')
    expect(invoked.stderr()).toMatch(/list-incidents: [\d.]+ ms, \d+ MB/)
  })

  it.each([
    ['get-incident', 'requestContext'],
    ['relay-events', 'Records'],
  ])('is asked by invoke for nothing with an event that is none of %s: it has no %s', async (id, missing) => {
    const file = join(data, 'no-event.json')
    writeFileSync(file, '{"a":1}')
    const invoked = launch([id, file, '--data', data], ['infra/commands/invoke.ts'])
    expect(await invoked.ended).toBe(2)
    expect(invoked.stdout()).toBe('')
    expect(invoked.stderr()).toContain(`The event has no ${missing}; events/${id}.json shows its form`)
  })

  it('goes on with an investigation after it was killed, with the same data and keys', async () => {
    const { incidents } = (await call(ready, 'GET', '/incidents')).body as { incidents: Json[] }
    const path = `/incidents/${String(incidents[0]?.id)}`
    const before = (await call(ready, 'GET', path)).body.root_cause as Json
    const requested = await call(ready, 'POST', `${path}/investigate`)
    expect(requested.status).toBe(202)
    started.child.kill('SIGKILL')
    await started.ended
    await expect.poll(() => processesNaming(data), { timeout: 5_000 }).toEqual([])

    started = start(data)
    const again = await readiness(started)
    expect([again.admin_key, again.assistant_key]).toEqual([ready.admin_key, ready.assistant_key])
    ready = again
    await expect
      .poll(async () => (await call(ready, 'GET', path)).body.analysis, { timeout: 20_000, interval: 500 })
      .toBe('done')
    const after = (await call(ready, 'GET', path)).body.root_cause as Json
    expect(after.analysed_at).not.toBe(before.analysed_at)
  }, 300_000)

  it('ends everything within 2 s of Ctrl-C', async () => {
    const before = performance.now()
    started.child.kill('SIGINT')
    expect(await started.ended).toBe(0)
    expect(performance.now() - before).toBeLessThan(2_000)
    expect(processesNaming(data)).toEqual([])
  })
})

describe('a start that is cut short', () => {
  it('takes the sample up where it stopped, and makes nothing twice', async () => {
    const data = newFolder()
    const first = start(data)
    await expect.poll(() => first.stderr(), { timeout: 50_000 }).toContain('Investigating the sample outage')
    first.child.kill('SIGKILL')
    await first.ended
    const second = start(data)
    const ready = await readiness(second)
    expect((await call(ready, 'GET', '/incidents')).body.incidents).toMatchObject([{ analysis: 'done' }])
    expect((await call(ready, 'GET', '/integrations')).body.integrations).toHaveLength(1)
    second.child.kill('SIGTERM')
    expect(await second.ended).toBe(0)
  }, 300_000)

  it('by Ctrl-C leaves nothing running', async () => {
    const data = newFolder()
    const started = start(data)
    await expect.poll(() => existsSync(join(data, 'tables.sqlite')), { timeout: 30_000 }).toBe(true)
    started.child.kill('SIGINT')
    expect(await started.ended).toBe(0)
    await expect.poll(() => processesNaming(data)).toEqual([])
  }, 300_000)

  it('has no sample when it was begun with --empty, nor afterwards', async () => {
    const data = newFolder()
    for (const flags of [['--empty'], []]) {
      const started = start(data, ...flags)
      const ready = await readiness(started)
      expect((await call(ready, 'GET', '/incidents')).body.incidents).toEqual([])
      started.child.kill('SIGTERM')
      expect(await started.ended).toBe(0)
    }
  }, 300_000)
})

describe('a start that cannot be', () => {
  it.each([
    [['--prot', '1'], "Unknown option '--prot'"],
    [['--port', 'x'], '--port must be a number from 0 to 65535, not x'],
    [['--port', '65536'], '--port must be a number from 0 to 65535, not 65536'],
    [['--data', ''], '--data must name a folder'],
    [['surplus'], "Unexpected argument 'surplus'"],
  ])('because of %j is bad usage', async (args, message) => {
    const started = launch(args)
    expect(await started.ended).toBe(2)
    expect(started.stderr()).toContain(message)
    expect(started.stderr()).not.toContain('    at ')
  })

  it('because the data folder is none says so in one line', async () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    const started = start(file)
    expect(await started.ended).toBe(1)
    expect(started.stderr()).toBe(`The data folder ${file} cannot be used: it is no folder.\n`)
  })

  it('because no emulator can be started says so in one line', async () => {
    const data = newFolder()
    writeFileSync(join(data, 'tables.sqlite'), 'no database'.repeat(1_000))
    const started = start(data)
    expect(await started.ended).toBe(1)
    expect(started.stderr()).toMatch(/^The DynamoDB emulator did not start: .*\n$/)
  })

  it('because a port is taken frees the data folder again', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const data = newFolder()
    const started = launch(['--data', data, '--port', String(port)])
    expect(await started.ended).toBe(1)
    expect(processesNaming(data)).toEqual([])
    await new Promise((resolve) => server.close(resolve))
  })
})

it('ends with npm, which started it, when that is killed', async () => {
  const data = newFolder()
  const npm = spawn('npm', ['start', '--silent', '--', '--data', data, '--port', '0', '--json', '--empty'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  killAtEnd(npm)
  await new Promise((resolve) => npm.stdout.once('data', resolve))
  expect(processesNaming(data).length).toBeGreaterThan(1)
  npm.kill('SIGKILL')
  await expect.poll(() => processesNaming(data), { timeout: 5_000 }).toEqual([])
}, 300_000)

it('says under another Node how to get the right one', async () => {
  const old = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`
  const refused = launch([], ['--import', old, 'infra/commands/check-node.mjs', 'infra/commands/start.ts'])
  expect(await refused.ended).toBe(1)
  expect(refused.stdout()).toBe('')
  expect(refused.stderr()).toMatch(/^Node 24 is needed, this is v20\.20\.2: .*npm approve-scripts node.*\n$/)
})

it.each(['start', 'invoke', 'check-start'])('%s prints its options with --help', async (command) => {
  const helped = launch(['--help'], ['infra/commands/check-node.mjs', `infra/commands/${command}.ts`])
  expect(await helped.ended).toBe(0)
  expect(helped.stdout()).toMatch(/^Usage: npm /)
})
