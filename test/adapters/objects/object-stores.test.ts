import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { s3Client, s3Objects } from '#shared/adapters/objects/s3-objects.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

let folder: string
let client: S3Client
const app = buildApp({ logger: false, host: '127.0.0.1' })
/** How often the next conditional puts are answered as if another one were under way. */
let conflicts = 0
/** Whether what is not there is denied, as S3 denies it to those who may not list the bucket. */
let hides = false

// The emulator ignores If-None-Match. S3: 412 where the object exists, 409 while another put of the key is under way.
app.addHook('onRequest', async (request, reply) => {
  if (request.method !== 'PUT' || request.headers['if-none-match'] !== '*') return
  if (conflicts > 0) {
    conflicts -= 1
    await reply
      .code(409)
      .type('application/xml')
      .send('<Error><Code>ConditionalRequestConflict</Code></Error>')
    return
  }
  const { statusCode } = await app.inject({ method: 'HEAD', url: request.url, headers: request.headers })
  if (statusCode === 200)
    await reply.code(412).type('application/xml').send('<Error><Code>PreconditionFailed</Code></Error>')
})

/** Bytes of the last body that the bucket gave. */
let given = 0
// The emulator ignores Range. S3: 206 and the part, 416 where the object has no such part.
app.addHook('onSend', async (request, reply, payload) => {
  const end = /^bytes=0-(\d+)$/.exec(request.headers.range ?? '')?.[1]
  if (request.method !== 'GET' || reply.statusCode !== 200 || !Buffer.isBuffer(payload)) return payload
  given = payload.length
  if (end === undefined) return payload
  if (payload.length === 0) {
    reply.code(416).type('application/xml')
    return '<Error><Code>InvalidRange</Code></Error>'
  }
  const part = payload.subarray(0, Number(end) + 1)
  given = part.length
  reply.code(206).header('content-length', part.length)
  return part
})

app.addHook('onRequest', async (request, reply) => {
  if (!hides || request.method !== 'GET') return
  const { statusCode } = await app.inject({ method: 'HEAD', url: request.url, headers: request.headers })
  if (statusCode === 404)
    await reply.code(403).type('application/xml').send('<Error><Code>AccessDenied</Code></Error>')
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'objects-'))
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 })
  client = s3Client({
    endpoint,
    region: 'us-east-1',
    credentials: EMULATOR_CREDENTIALS,
    forcePathStyle: true,
  })
  await client.send(new CreateBucketCommand({ Bucket: 'objects' }))
})
afterAll(async () => {
  client.destroy()
  await app.close()
  await rm(folder, { recursive: true })
})

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const textOf = (found: Uint8Array | undefined) =>
  found === undefined ? undefined : Buffer.from(found).toString()

const STORES: readonly (readonly [name: string, open: () => ObjectStore])[] = [
  ['a folder', () => folderObjects(folder)],
  ['a bucket', () => s3Objects(client, 'objects')],
]

describe.each(STORES)('%s', (_, open) => {
  test('gives no more of an object than is asked for', async () => {
    const objects = open()
    await objects.put('long/object', bytes('0123456789'))
    await objects.put('long/empty', bytes(''))
    given = 0
    expect(textOf(await objects.get('long/object', 4))).toBe('0123')
    expect(given).toBeLessThanOrEqual(4)
    for (const atMost of [10, 11]) expect(textOf(await objects.get('long/object', atMost))).toBe('0123456789')
    expect(textOf(await objects.get('long/empty', 1))).toBe('')
    expect(await objects.get('long/nothing', 1)).toBeUndefined()
    expect(await objects.get('long', 1)).toBeUndefined()
  })

  test('gives back the bytes that were put, any bytes', async () => {
    const objects = open()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (content) => {
        await objects.put('any/bytes', content)
        expect(Buffer.from((await objects.get('any/bytes')) ?? []).equals(Buffer.from(content))).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('knows no object that was not put, and takes its deletion as done', async () => {
    const objects = open()
    expect(await objects.get('none/here')).toBeUndefined()
    await objects.delete('none/here')
    await objects.put('soon/gone', bytes('x'))
    await objects.delete('soon/gone')
    expect(await objects.get('soon/gone')).toBeUndefined()
    expect(await objects.get('soon')).toBeUndefined()
    expect(await objects.list('soon/')).toEqual([])
  })

  test('keeps the first of two objects that are put only where none is', async () => {
    const objects = open()
    await objects.put('once/a', bytes('first'), { ifAbsent: true })
    await objects.put('once/a', bytes('second'), { ifAbsent: true })
    expect(textOf(await objects.get('once/a'))).toBe('first')
    await objects.put('once/a', bytes('third'))
    expect(textOf(await objects.get('once/a'))).toBe('third')
  })

  test('lists what begins with a prefix, in order of bytes, with sizes', async () => {
    const objects = open()
    for (const key of ['list/b', 'list/a/z', 'list/a.txt', 'list/é', 'listing/x', 'list/a/y/w'])
      await objects.put(key, bytes(key))
    expect(await objects.list('list/')).toEqual(
      ['list/a.txt', 'list/a/y/w', 'list/a/z', 'list/b', 'list/é'].map((key) => ({
        key,
        bytes: Buffer.byteLength(key),
      })),
    )
    expect((await objects.list('list/a')).map(({ key }) => key)).toEqual([
      'list/a.txt',
      'list/a/y/w',
      'list/a/z',
    ])
    expect((await objects.list('list')).map(({ key }) => key)).toContain('listing/x')
    expect((await objects.list('')).length).toBeGreaterThan(6)
    expect(await objects.list('list/a/y/w/')).toEqual([])
  })

  test('lists more objects than one page of a bucket holds', async () => {
    const objects = open()
    for (let start = 0; start < 1_001; start += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => objects.put(`many/${start + index}`, bytes('x'))),
      )
    expect(await objects.list('many/')).toHaveLength(1_050)
  })

  test.each([
    '',
    '/etc/passwd',
    '../up',
    'a/../../up',
    'a//b',
    'a/./b',
    'a/',
    'a\u0000b',
    'a\\b',
    'a\nb',
    `${'k'.repeat(200)}/`.repeat(6),
    'k'.repeat(256),
  ])('refuses the key %j', async (key) => {
    const objects = open()
    await expect(objects.put(key, bytes('x'))).rejects.toThrow(RangeError)
    await expect(objects.get(key)).rejects.toThrow(RangeError)
    await expect(objects.delete(key)).rejects.toThrow(RangeError)
  })

  test.each(['/', '../', 'a/../', 'a//', 'a\\'])('refuses the prefix %j', async (prefix) => {
    await expect(open().list(prefix)).rejects.toThrow(RangeError)
  })
})

test('a folder leaves nothing behind of what it wrote on the way, and hides it while it writes', async () => {
  const root = await mkdtemp(join(tmpdir(), 'objects-'))
  const objects = folderObjects(root)
  await objects.put('a', bytes('1'))
  await objects.put('a', bytes('2'), { ifAbsent: true })
  await expect(objects.put('a/b', bytes('3'))).rejects.toThrow()
  expect(await readdir(join(root, '.writing'))).toEqual([])
  await writeFile(join(root, '.writing', 'half'), 'x')
  expect((await objects.list('')).map(({ key }) => key)).toEqual(['a'])
  await expect(objects.get('.writing/half')).rejects.toThrow(RangeError)
  expect(await objects.get('a/b')).toBeUndefined()
  await rm(root, { recursive: true })
})

test('a folder follows no link that leads out of it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'objects-'))
  const outside = await mkdtemp(join(tmpdir(), 'outside-'))
  await writeFile(join(outside, 'secret'), 'x')
  await symlink(outside, join(root, 'out'))
  const objects = folderObjects(root)
  await expect(objects.get('out/secret')).rejects.toThrow('leads out of the folder')
  await expect(objects.put('out/new', bytes('x'))).rejects.toThrow('leads out of the folder')
  await expect(objects.delete('out/secret')).rejects.toThrow('leads out of the folder')
  expect(await objects.list('')).toEqual([])
  await rm(root, { recursive: true })
  await rm(outside, { recursive: true })
})

test('a folder that does not exist yet is empty until something is put', async () => {
  const root = join(await mkdtemp(join(tmpdir(), 'objects-')), 'later')
  const objects = folderObjects(root)
  expect(await objects.list('')).toEqual([])
  expect(await objects.get('a')).toBeUndefined()
  await objects.put('a', bytes('x'))
  expect(textOf(await objects.get('a'))).toBe('x')
  await rm(root, { recursive: true })
})

test('what a folder cannot do for other reasons is an error, and nothing of it stays', async () => {
  const root = await mkdtemp(join(tmpdir(), 'objects-'))
  const file = join(root, 'file')
  await writeFile(file, 'x')
  await expect(folderObjects(file).put('a', bytes('x'))).rejects.toThrow()
  await writeFile(join(root, 'taken'), 'x')
  await expect(folderObjects(root).put('taken/a', bytes('x'), { ifAbsent: true })).rejects.toThrow()
  await folderObjects(root).put('folder/a', bytes('x'))
  await expect(folderObjects(root).put('folder', bytes('x'))).rejects.toThrow()
  await expect(folderObjects(root).delete('folder')).rejects.toThrow()
  expect((await folderObjects(root).list('')).map(({ key }) => key)).toEqual(['file', 'folder/a', 'taken'])
  expect(await readdir(join(root, '.writing'))).toEqual([])
  await rm(root, { recursive: true })
})

test('a conditional put that meets another one is made again after growing pauses, a few times', async () => {
  const pauses: number[] = []
  const objects = s3Objects(client, 'objects', {
    pause: async (milliseconds) => void pauses.push(milliseconds),
  })
  conflicts = 2
  await objects.put('busy/a', bytes('x'), { ifAbsent: true })
  expect(textOf(await objects.get('busy/a'))).toBe('x')
  expect(pauses.splice(0)).toEqual([50, 100])
  conflicts = 100
  await expect(objects.put('busy/b', bytes('x'), { ifAbsent: true })).rejects.toThrow()
  expect(conflicts).toBe(96)
  expect(pauses).toEqual([50, 100, 200])
  conflicts = 0
})

test('what a bucket refuses for other reasons is an error, not an absent object', async () => {
  const objects = s3Objects(client, 'no-such-bucket')
  await expect(objects.get('a')).rejects.toThrow()
  await expect(objects.put('a', bytes('x'), { ifAbsent: true })).rejects.toThrow()
})

test('what a bucket denies to who may not list it is not there, and an error to who may', async () => {
  hides = true
  try {
    const asFunction = s3Objects(client, 'objects', { mayList: false })
    await asFunction.put('hidden/a', bytes('x'))
    expect(textOf(await asFunction.get('hidden/a'))).toBe('x')
    expect(await asFunction.get('hidden/b')).toBeUndefined()
    await expect(s3Objects(client, 'objects').get('hidden/b')).rejects.toMatchObject({
      $metadata: { httpStatusCode: 403 },
    })
  } finally {
    hides = false
  }
})
