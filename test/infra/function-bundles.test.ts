import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONSOLE_FILES } from '#infra/build-console.ts'
import { bundleFunctions } from '#infra/bundling/bundle-functions.ts'
import { BUNDLES, entryOf } from '#infra/bundling/bundle-places.ts'
import { functionPlans } from '#infra/functions.ts'
import { CONSOLE } from '#shared/contract/console.ts'
import { CATCH_ALL, operationList } from '#shared/contract/operations.ts'
import { SPOKEN_SIGNS } from '#shared/domain/investigation/causes/spoken-signs.ts'
import { SYSTEM_ANSWERS } from '#shared/domain/investigation/causes/system-answers.ts'
import { type FirstGround, prepareFirstGround } from '#test/bench/first-ground.ts'
import { eventOf } from '#test/edge/call-endpoint.ts'

const run = promisify(execFile)

const KB = 1024
/** How much a function may grow before somebody has to look at it and pin its size anew. */
const HEAD_ROOM = 1.2
/**
 * Packages that tell what a function does besides its tables, and what it may weigh then. The one that serves the
 * document holds it, and no client: it grows with the operations. The one that draws reads a kept snapshot as the engine
 * does. Functions that go out hold the engine and what it knows: each answer of a public system that it learns weighs a
 * tenth of a KB in them, and the ways in which people put questions grow the one that answers.
 */
const LIMITS_KB = { outside: 1300, sealsOrRings: 300, tables: 270, document: 330, draws: 310 }
const pinned = JSON.parse(readFileSync(new URL('bundle-sizes.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, number>
>

const sizes = await bundleFunctions()
const fileOf = (id: string) => entryOf(id)
const goesOut = (id: string) => existsSync(path.join(BUNDLES, id, 'undici.mjs'))

describe('the bundle of each function', () => {
  it.each(sizes.map((size) => [size.id, size] as const))(
    'keeps to the limit of its class: %s',
    (id, size) => {
      const has = (name: string) => size.parts.some(([part]) => part === name)
      if (goesOut(id)) expect(size.bytes + size.later).toBeLessThanOrEqual(LIMITS_KB.outside * KB)
      else if (has('@aws-sdk/client-kms') || has('@aws-sdk/client-sqs'))
        expect(size.bytes).toBeLessThanOrEqual(LIMITS_KB.sealsOrRings * KB)
      else if (id === 'get-incident-charts') expect(size.bytes).toBeLessThanOrEqual(LIMITS_KB.draws * KB)
      else if (id === 'get-openapi') expect(size.bytes).toBeLessThanOrEqual(LIMITS_KB.document * KB)
      else expect(size.bytes).toBeLessThanOrEqual(LIMITS_KB.tables * KB)
    },
  )

  it('weighs what is pinned, with a fifth of head room', () => {
    expect(Object.keys(pinned).sort()).toEqual(functionPlans.map(({ id }) => id).sort())
    const grown = sizes.filter(({ id, bytes, later }) => bytes + later > (pinned[id] ?? 0) * KB * HEAD_ROOM)
    expect(grown.map(({ id, bytes }) => `${id}: ${Math.ceil(bytes / KB)} KB, pinned ${pinned[id]}`)).toEqual(
      [],
    )
  })

  it('is text that V8 reads at one byte a character', () => {
    expect(
      sizes.map(({ id }) => id).filter((id) => /[^\0-\x7f]/.test(readFileSync(fileOf(id), 'utf8'))),
    ).toEqual([])
  })

  it('holds the words of public systems, and no name by which only their pages look them up', () => {
    const text = readFileSync(fileOf('answer-query'), 'utf8')
    for (const { id, pattern } of [...SYSTEM_ANSWERS, ...SPOKEN_SIGNS]) {
      expect([id, text.includes(`/${pattern.source}/`)]).toEqual([id, true])
      expect(text).not.toMatch(new RegExp(`["'](?:${id})["'][,:]/`))
    }
  })

  it('of the console holds its page, which no cold start looks for in a folder', async () => {
    const page = readFileSync(path.join(CONSOLE_FILES, 'index.html'), 'utf8')
    expect(readFileSync(fileOf(CONSOLE), 'utf8')).toContain(page)
    const folder = { CONSOLE_FOLDER: '/nowhere' }
    const at = 'https://sign-in.example.com'
    const signIn = { SIGN_IN_ADDRESS: at, SIGN_IN_ISSUER: at, SIGN_IN_CLIENT: 'one' }
    const script = `const { handler } = await import(${JSON.stringify(fileOf(CONSOLE))})
      console.log((await handler(${JSON.stringify(eventOf({ path: '/console' }))})).statusCode)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...folder, ...signIn },
    })
    expect(stdout.trim()).toBe('200')
  })

  it('holds clients only where they are used at once', () => {
    const holding = (name: string) =>
      sizes.filter(({ parts }) => parts.some(([part]) => part === name)).map(({ id }) => id)
    const outside = sizes.map(({ id }) => id).filter(goesOut)
    expect(outside).toEqual([
      'answer-query',
      'verify-query',
      'create-integration',
      'update-integration',
      'check-integration',
      'push-events',
      'verify-incident',
      'update-webhook',
      'ping-webhook',
      'investigate-incident',
      'deliver-webhook',
      'check-integrations',
    ])
    expect(holding('undici')).toEqual([])
    // Receivers are posted to, SNS is asked for its certificate, and tools are tried without a look at any object; what
    // is found is kept in one.
    expect(holding('@aws-sdk/client-s3')).toEqual([
      'answer-query',
      'verify-query',
      'verify-incident',
      'investigate-incident',
    ])
    expect(
      sizes.filter(({ id }) => existsSync(path.join(BUNDLES, id, 'grafana.mjs'))).map(({ id }) => id),
    ).toEqual([
      'answer-query',
      'verify-query',
      'create-integration',
      'update-integration',
      'check-integration',
      'verify-incident',
      'investigate-incident',
      'check-integrations',
    ])
    expect(holding('@aws-sdk/client-sqs')).toEqual([
      'push-events',
      'recover-webhook',
      'redeliver',
      'relay-events',
      'sweep-investigations',
      'deliver-webhook',
      'sweep-deliveries',
      'check-integrations',
    ])
    expect(holding('@aws-sdk/client-dynamodb')).not.toContain('get-health')
    const texts = sizes.map(({ id }) => [id, readFileSync(fileOf(id), 'utf8')] as const)
    expect(texts.filter(([, text]) => /openapi:"3\.1/.test(text)).map(([id]) => id)).toEqual(['get-openapi'])
    // What answers requests that are sent again.
    const repeating = operationList.filter(({ repeats }) => repeats !== undefined).map(({ id }) => id)
    const holdingText = (known: RegExp) => texts.filter(([, text]) => known.test(text)).map(([id]) => id)
    expect(holdingText(/its first request is still running/)).toEqual(repeating)
    expect(holdingText(/OR #until <= :now/)).toEqual(repeating)
    // The chain of credentials of the SDK: profiles, sign-in, containers, machines.
    expect(
      texts
        .filter(([, text]) => /ssoStartUrl|sso_start_url|AWS_CONTAINER_CREDENTIALS/.test(text))
        .map(([id]) => id),
    ).toEqual([])
  })
})

describe('what a function knows of the table of operations', () => {
  const textOf = (id: string) => readFileSync(fileOf(id), 'utf8')
  const summariesIn = (text: string) =>
    operationList.filter(({ summary }) => text.includes(JSON.stringify(summary))).map(({ id }) => id)

  it.each(operationList.filter(({ id }) => id !== 'get-openapi').map(({ id }) => id))(
    'is its own row: %s',
    (id) => {
      expect(summariesIn(textOf(id))).toEqual([id])
    },
  )

  it('is no library of shapes where the operation takes neither parameters nor a body', () => {
    const bare = operationList.filter(({ query, body }) => query === undefined && body === undefined)
    const holding = bare.filter(({ id }) =>
      sizes.find((size) => size.id === id)?.parts.some(([part]) => part === 'zod'),
    )
    expect(holding.map(({ id }) => id)).toEqual([
      // What a snapshot keeps is read against shapes.
      'verify-query',
      'get-incident-charts',
      'verify-incident',
    ])
  })

  it('is no shape of what other operations answer', () => {
    const answered = /\{id:"(?:Incident|Webhook|Integration)"\}/
    expect(sizes.map(({ id }) => id).filter((id) => answered.test(textOf(id)))).toEqual([])
  })

  it('is every route, without any shape, where unknown routes are refused', () => {
    const text = textOf(CATCH_ALL)
    expect(summariesIn(text)).toEqual(operationList.map(({ id }) => id))
    const shapeless = sizes.find(({ id }) => id === CATCH_ALL)?.bytes ?? Number.POSITIVE_INFINITY
    expect(shapeless).toBeLessThan(sizes.find(({ id }) => id === 'get-incident')?.bytes ?? 0)
  })
})

describe('a cold start', () => {
  let ground: FirstGround
  beforeAll(async () => {
    ground = await prepareFirstGround()
  })
  afterAll(() => ground.stop())

  it.each(functionPlans.map(({ id }) => id))(
    'has all it needs in its environment, loads no client nor stream of the Web and looks nowhere else for credentials: %s',
    async (id) => {
      const first = await ground.call(id, fileOf(id))
      expect(first.loaded_at_import).toEqual([])
      expect(first.loaded_after_first).toEqual([])
      // A delete, a change or a read of what is not there ends with its store call; everything else succeeds.
      const isAbsent =
        id === CATCH_ALL || operationList.some((each) => each.id === id && /\{/.test(each.path))
      if (id === 'push-events') expect(first.status, first.body).toBe(401)
      else if (first.status !== null)
        expect(isAbsent ? [404] : [200, 201, 202], first.body).toContain(first.status)
      else expect(first.body).not.toMatch(/itemIdentifier/)
    },
  )
})
