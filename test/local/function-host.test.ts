import { fork } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { type FunctionHost, startFunctionHost } from '#infra/local/function-host.ts'

const root = fileURLToPath(new URL('functions', import.meta.url))
const definition = (file: string, timeoutMs = 10_000) => ({ file, timeoutMs, memoryMb: 512 })
const FUNCTIONS = {
  probe: definition('probe.ts'),
  short: definition('probe.ts', 100),
  'no-handler': definition('no-handler.ts'),
  missing: definition('missing.ts'),
}

const hosts: FunctionHost[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

function start(): { host: FunctionHost; printed: () => string } {
  const output = new PassThrough()
  let text = ''
  output.on('data', (chunk) => {
    text += String(chunk)
  })
  const host = startFunctionHost({
    functions: FUNCTIONS,
    root,
    environment: { PATH: process.env.PATH ?? '', ONLY: 'this' },
    output,
  })
  hosts.push(host)
  return { host, printed: () => text }
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('the process of the functions', () => {
  it('passes events and answers as JSON, so what JSON cannot carry is lost here as on Lambda', async () => {
    const { host } = start()
    const event = {
      act: 'echo',
      value: { at: new Date(0), gone: undefined, bytes: Buffer.from('a').toString('base64') },
    }
    expect(await host.invoke('probe', event)).toEqual({
      ok: true,
      payload: { act: 'echo', value: { at: '1970-01-01T00:00:00.000Z', bytes: 'YQ==' } },
    })
    expect(await host.invoke('probe', { act: 'nothing' })).toEqual({ ok: true, payload: null })
  })

  it('gives the context that Lambda gives, with the time that is really left', async () => {
    const { host } = start()
    const outcome = await host.invoke('probe', { act: 'context' })
    const context = (outcome as { payload: Record<string, unknown> }).payload
    expect(context).toMatchObject({ name: 'probe', memory: '512', pid: host.pid() })
    expect(context.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(context.remaining).toBeGreaterThan(9_000)
    expect(context.remaining).toBeLessThanOrEqual(10_000)
  })

  it('sees its own environment and nothing of the runner', async () => {
    const { host } = start()
    const outcome = await host.invoke('probe', { act: 'environment' })
    const names = Object.keys((outcome as { payload: object }).payload).filter(
      (name) => !name.startsWith('NODE_'),
    )
    expect(names.sort()).toEqual(['ONLY', 'PATH'])
  })

  it('reports what a function throws and goes on', async () => {
    const { host, printed } = start()
    expect(await host.invoke('probe', { act: 'fail' })).toEqual({
      ok: false,
      error: { type: 'RangeError', message: 'out of range' },
    })
    await expect.poll(printed).toContain('RangeError: out of range')
    expect(await host.invoke('probe', { act: 'nothing' })).toMatchObject({ ok: true })
  })

  it('sends what functions print, on either stream, to one place', async () => {
    const { host, printed } = start()
    await host.invoke('probe', { act: 'print' })
    await expect.poll(printed).toContain('printed on stdout\n')
    await expect.poll(printed).toContain('printed on stderr\n')
  })

  it('fails what was in flight when it crashes, and the next invocation starts a new one', async () => {
    const { host } = start()
    await host.invoke('probe', { act: 'nothing' })
    const pid = host.pid()
    const waiting = host.invoke('probe', { act: 'hang' })
    expect(await host.invoke('probe', { act: 'exit' })).toEqual({
      ok: false,
      error: { type: 'Runtime.ExitError', message: 'the process ended with exit code 7' },
    })
    expect(await waiting).toMatchObject({ ok: false, error: { type: 'Runtime.ExitError' } })
    expect(await host.invoke('probe', { act: 'nothing' })).toMatchObject({ ok: true })
    expect(host.pid()).not.toBe(pid)
  })

  it('ends an invocation when the function has used its time', async () => {
    const { host } = start()
    expect(await host.invoke('short', { act: 'hang' })).toEqual({
      ok: false,
      error: { type: 'Sandbox.Timedout', message: 'Task timed out after 0.10 seconds' },
    })
  })

  it('is replaced when a function loops for ever', async () => {
    const { host } = start()
    await host.invoke('short', { act: 'nothing' })
    const pid = host.pid() ?? 0
    expect(await host.invoke('short', { act: 'loop' })).toMatchObject({ error: { type: 'Sandbox.Timedout' } })
    await expect.poll(() => alive(pid), { timeout: 5_000 }).toBe(false)
    expect(await host.invoke('short', { act: 'nothing' })).toMatchObject({ ok: true })
  })

  it('refuses an answer that is larger than Lambda gives', async () => {
    const { host } = start()
    expect(await host.invoke('probe', { act: 'large' })).toMatchObject({
      error: { type: 'Function.ResponseSizeTooLarge' },
    })
  })

  it.each([
    ['unknown', 'ResourceNotFoundException', 'no function unknown'],
    ['no-handler', 'TypeError', 'does not export a function `handler`'],
    ['missing', 'Error', 'Cannot find module'],
  ])('says what is wrong with the function %s', async (functionId, type, message) => {
    const { host } = start()
    const outcome = await host.invoke(functionId, {})
    expect(outcome).toMatchObject({ ok: false, error: { type } })
    expect((outcome as { error: { message: string } }).error.message).toContain(message)
  })

  it('is gone once the host is closed, and nothing is invoked any more', async () => {
    const { host } = start()
    await host.invoke('probe', { act: 'nothing' })
    const pid = host.pid() ?? 0
    await host.close()
    expect(alive(pid)).toBe(false)
    expect(await host.invoke('probe', { act: 'nothing' })).toMatchObject({
      error: { message: 'the runner is ending' },
    })
  })

  it('ends when the runner is killed', async () => {
    const runner = fork(fileURLToPath(new URL('functions/host-runner.ts', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const [pid] = (await once(runner, 'message')) as [number]
    expect(alive(pid)).toBe(true)
    runner.kill('SIGKILL')
    await expect.poll(() => alive(pid), { timeout: 5_000 }).toBe(false)
  })
})
