import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildConsole } from '#infra/build-console.ts'
import { functionPlans } from '#infra/functions.ts'
import { type Backing, startBacking } from '#infra/local/backing.ts'
import { folderPaths } from '#infra/local/data-folder.ts'
import { deploymentInOwnProcess } from '#infra/local/deployment-process.ts'
import { type FunctionHost, startFunctionHost } from '#infra/local/function-host.ts'
import { proxyEvent } from '#infra/local/gateway-event.ts'
import { SAMPLE_BUNDLE } from '#infra/local/load-sample-outage.ts'
import { type AnswerEvent, EVENTS, readEvent } from '#infra/local/sample-events.ts'
import { ROOT } from '#infra/root.ts'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { CONSOLE, CONSOLE_PATHS } from '#shared/contract/console.ts'
import { CATCH_ALL, operationList } from '#shared/contract/operations.ts'

const keys = { admin: { id: 'key_1', key: 'admin key' }, assistant: { id: 'key_2', key: 'assistant key' } }
const never: AnswerEvent = () => Promise.reject(new Error('nothing is to be made'))
const sampleOf = (functionId: string): unknown =>
  JSON.parse(readFileSync(join(EVENTS, `${functionId}.json`), 'utf8'))

describe('the sample events', () => {
  it('are one for every function, and none besides', () => {
    const files = readdirSync(EVENTS).filter((name) => name.endsWith('.json'))
    expect(files.sort()).toEqual(functionPlans.map(({ id }) => `${id}.json`).sort())
  })

  it.each([
    ...operationList,
    { id: CATCH_ALL, method: 'GET', path: '/{proxy+}' },
    { id: CONSOLE, method: 'GET', path: CONSOLE_PATHS[0] },
  ])('have the form in which the gateway sends $method $path', ({ id, method, path }) => {
    const sample = sampleOf(id) as APIGatewayProxyEvent
    expect(sample).toMatchObject({ httpMethod: method, resource: path })
    const sent = proxyEvent(
      {
        method,
        target: '/v1/x',
        rawHeaders: ['Host', 'localhost', 'User-Agent', 'tests'],
        body: Buffer.alloc(0),
        sourceIp: '127.0.0.1',
        port: 443,
        at: 0,
        requestId: '11111111-2222-3333-4444-555555555555',
      },
      { resource: path, pathParameters: null, route: undefined },
      'v1',
      '/x',
    )
    expect(Object.keys(sample).sort()).toEqual(Object.keys(sent).sort())
    expect(Object.keys(sample.requestContext).sort()).toEqual(Object.keys(sent.requestContext).sort())
  })
})

describe('reading an event', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'events-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (text: string): string => {
    const file = join(folder, 'event.json')
    writeFileSync(file, text)
    return file
  }

  it('puts in the keys', async () => {
    const file = write('{"a":"Bearer {{ADMIN_KEY}}","b":"{{ASSISTANT_KEY}}"}')
    expect(await readEvent(file, keys, never)).toEqual({ a: 'Bearer admin key', b: 'assistant key' })
  })

  it('makes what it refers to once, by the sample event of the function that makes it', async () => {
    const made: string[] = []
    const answer: AnswerEvent = (functionId) => {
      made.push(functionId)
      return Promise.resolve({ statusCode: 201, body: '{"id":"inc_1"}' })
    }
    const file = write('{"a":"{{INCIDENT_ID}}","b":"/{{INCIDENT_ID}}"}')
    expect(await readEvent(file, keys, answer)).toEqual({ a: 'inc_1', b: '/inc_1' })
    expect(made).toEqual(['create-incident'])
  })

  it.each([
    ['{"a":"{{NOTHING}}"}', 'there is no placeholder {{NOTHING}}'],
    ['{', 'is no JSON'],
  ])('refuses %s and says where', async (text, message) => {
    await expect(readEvent(write(text), keys, never)).rejects.toThrow(message)
  })

  it('says when there is no such file, and when what it refers to cannot be made', async () => {
    await expect(readEvent(join(folder, 'none.json'), keys, never)).rejects.toThrow('There is no event file')
    const refused: AnswerEvent = () => Promise.resolve({ statusCode: 409, body: 'too many' })
    await expect(readEvent(write('{"a":"{{WEBHOOK_ID}}"}'), keys, refused)).rejects.toThrow(
      'create-webhook made nothing to refer to: it answered 409: too many',
    )
  })
})

describe('every function', () => {
  let folder: string
  let backing: Backing
  let host: FunctionHost
  const credentials = () => ({ ...backing.keys, adminToken: backing.signIn.token('admin') })
  const answer: AnswerEvent = async (functionId, event) => {
    const outcome = await host.invoke(functionId, event)
    if (!outcome.ok) throw new Error(`${functionId}: ${outcome.error.type}: ${outcome.error.message}`)
    return outcome.payload
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'events-'))
    const deployment = deploymentInOwnProcess()
    await buildConsole()
    backing = await startBacking(
      {
        folder: folderPaths(folder),
        strictEgress: false,
        inMemory: true,
        environment: { PATH: process.env.PATH },
      },
      deployment,
    )
    await writeSampleOutage(join(backing.bundlesFolder, SAMPLE_BUNDLE), { endsAt: Date.now() })
    const { functions } = await deployment
    host = startFunctionHost({
      functions,
      root: ROOT,
      environment: backing.environment,
      output: new PassThrough().resume(),
    })
  })
  afterAll(async () => {
    await host?.close()
    await backing?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(operationList)('answers the sample event of $id as its row says', async ({ id, success }) => {
    const event = await readEvent(join(EVENTS, `${id}.json`), credentials(), answer)
    expect(await answer(id, event)).toMatchObject({ statusCode: success.status })
  })

  it('answers 404 where no operation is', async () => {
    const event = await readEvent(join(EVENTS, `${CATCH_ALL}.json`), credentials(), answer)
    expect(await answer(CATCH_ALL, event)).toMatchObject({ statusCode: 404 })
  })

  it('serves the page of the console', async () => {
    const event = await readEvent(join(EVENTS, `${CONSOLE}.json`), credentials(), answer)
    expect(await answer(CONSOLE, event)).toMatchObject({ statusCode: 200 })
  })

  it.each(['relay-events', 'investigate-incident'])('%s takes its sample event whole', async (worker) => {
    const event = await readEvent(join(EVENTS, `${worker}.json`), credentials(), answer)
    const answered = (await answer(worker, event)) as { batchItemFailures?: unknown } | null
    expect(answered?.batchItemFailures ?? []).toEqual([])
  })

  it('the sweeper takes its sample event', async () => {
    const event = await readEvent(join(EVENTS, 'sweep-investigations.json'), credentials(), answer)
    await expect(answer('sweep-investigations', event)).resolves.toBeDefined()
  })
})
