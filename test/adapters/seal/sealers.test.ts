import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyFileSealer } from '#shared/adapters/seal/key-file-sealer.ts'
import { kmsSealer } from '#shared/adapters/seal/kms-sealer.ts'
import type { Sealer } from '#shared/domain/ports.ts'
import { type KmsStub, startKms } from './kms-stub.ts'

const KEY = 'arn:aws:kms:us-east-1:111122223333:key/1'
let kms: KmsStub
let folder: string
beforeAll(async () => {
  kms = await startKms(KEY)
  folder = await mkdtemp(join(tmpdir(), 'seal-'))
})
afterAll(async () => {
  await kms.stop()
  await rm(folder, { recursive: true })
})

const bytes = (text: string) => Buffer.from(text)
const SEALERS: readonly (readonly [name: string, open: () => Sealer])[] = [
  [
    'KMS',
    () =>
      kmsSealer(
        () => kms.client,
        KEY,
        () => 0,
      ),
  ],
  ['a key file', () => keyFileSealer(join(folder, 'shared', 'key'))],
]

describe.each(SEALERS)('a sealer with %s', (_, open) => {
  test('opens what it sealed, any bytes for any context, also in another process', async () => {
    const sealer = open()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), fc.string(), async (plain, context) => {
        const sealed = await sealer.seal(context, plain)
        expect(sealed).toMatch(/^[\w.-]+$/)
        expect(Buffer.from(await sealer.open(context, sealed)).equals(Buffer.from(plain))).toBe(true)
        expect(Buffer.from(await open().open(context, sealed)).equals(Buffer.from(plain))).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  test('does not open a text that was moved to another context', async () => {
    const sealer = open()
    const sealed = await sealer.seal('github_1', bytes('a secret'))
    await expect(sealer.open('github_2', sealed)).rejects.toThrow()
    await expect(open().open('github_2', sealed)).rejects.toThrow()
  })

  test('does not open a text of which any character was changed', async () => {
    const sealer = open()
    const sealed = await sealer.seal('wh_1', bytes('a secret'))
    for (let at = 0; at < sealed.length; at += 7) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const altered = sealed.slice(0, at) + other + sealed.slice(at + 1)
      await expect(sealer.open('wh_1', altered)).rejects.toThrow()
    }
    for (const broken of ['', 'k1', 'k1.a', 'k1.a.b.c', 'f1.', 'f1.AAAA', 'x1.AAAA', sealed.slice(0, -30)])
      await expect(sealer.open('wh_1', broken)).rejects.toThrow()
  })

  test('seals the same secret differently each time, and never shows it, in errors neither', async () => {
    const sealer = open()
    const secret = 'whsec_do-not-show'
    const first = await sealer.seal('wh_1', bytes(secret))
    const second = await sealer.seal('wh_1', bytes(secret))
    expect(first).not.toBe(second)
    expect(first).not.toContain(Buffer.from(secret).toString('base64url'))
    const error = await sealer.open('wh_2', first).catch(String)
    expect(error).not.toContain(secret)
  })
})

describe('with KMS', () => {
  test('the id of what is sealed is the encryption context, and warm seals and opens cost no call', async () => {
    const sealer = kmsSealer(
      () => kms.client,
      KEY,
      () => 0,
    )
    kms.calls.length = 0
    const sealed = await sealer.seal('github_1', bytes('a'))
    expect(kms.calls).toEqual([{ command: 'GenerateDataKey', context: { id: 'github_1' } }])
    await sealer.seal('github_1', bytes('b'))
    await sealer.open('github_1', sealed)
    expect(kms.calls).toHaveLength(1)
    const other = kmsSealer(
      () => kms.client,
      KEY,
      () => 0,
    )
    await other.open('github_1', sealed)
    await other.open('github_1', sealed)
    expect(kms.calls.slice(1)).toEqual([{ command: 'Decrypt', context: { id: 'github_1' } }])
  })

  test('a data key is kept for 15 minutes', async () => {
    let now = 1_000_000
    const sealer = kmsSealer(
      () => kms.client,
      KEY,
      () => now,
    )
    const sealed = await sealer.seal('github_1', bytes('a'))
    kms.calls.length = 0
    now += 15 * 60_000 - 1
    await sealer.open('github_1', sealed)
    expect(kms.calls).toHaveLength(0)
    now += 1
    await sealer.open('github_1', sealed)
    await sealer.seal('github_1', bytes('b'))
    expect(kms.calls.map(({ command }) => command)).toEqual(['Decrypt', 'GenerateDataKey'])
  })

  test('at most 500 data keys are kept; the oldest go first', async () => {
    const sealer = kmsSealer(
      () => kms.client,
      KEY,
      () => 0,
    )
    const sealed: string[] = []
    // Each seal keeps its key for opening and for sealing again.
    for (let index = 0; index < 251; index += 1) sealed.push(await sealer.seal(`id_${index}`, bytes('a')))
    kms.calls.length = 0
    await sealer.open('id_250', sealed[250] ?? '')
    expect(kms.calls).toHaveLength(0)
    await sealer.open('id_0', sealed[0] ?? '')
    expect(kms.calls).toHaveLength(1)
  })

  test('a key that KMS does not give is an error', async () => {
    const sealer = kmsSealer(
      () => kms.client,
      'another key',
      () => 0,
    )
    await expect(sealer.seal('github_1', bytes('a'))).rejects.toThrow()
  })
})

describe('with a key file', () => {
  test('the file is made at the first use, for this user alone, and two processes make one key', async () => {
    const file = join(folder, 'made', 'key')
    const [first, second] = await Promise.all([
      keyFileSealer(file).seal('a', bytes('x')),
      keyFileSealer(file).seal('a', bytes('y')),
    ])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file)).toHaveLength(32)
    expect(await readdir(join(folder, 'made'))).toEqual(['key'])
    const third = keyFileSealer(file)
    expect(String(await third.open('a', first))).toBe('x')
    expect(String(await third.open('a', second))).toBe('y')
  })

  test('a file that others may read is refused until it is closed to them', async () => {
    const file = join(folder, 'open-key')
    await writeFile(file, Buffer.alloc(32), { mode: 0o600 })
    await chmod(file, 0o640)
    const sealer = keyFileSealer(file)
    await expect(sealer.seal('a', bytes('x'))).rejects.toThrow(`chmod 600 "${file}"`)
    await chmod(file, 0o600)
    expect(String(await sealer.open('a', await sealer.seal('a', bytes('x'))))).toBe('x')
  })

  test('a file that holds no key is refused saying how long it is', async () => {
    const file = join(folder, 'short-key')
    await writeFile(file, 'short', { mode: 0o600 })
    await expect(keyFileSealer(file).seal('a', bytes('x'))).rejects.toThrow('5 bytes instead of 32')
    await expect(keyFileSealer(join(file, 'below')).seal('a', bytes('x'))).rejects.toThrow('ENOTDIR')
  })
})
