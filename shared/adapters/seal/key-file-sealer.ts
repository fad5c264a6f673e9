import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Sealer } from '../../domain/ports.ts'
import { closeBox, openBox, SEAL_KEY_BYTES } from './sealed-box.ts'

/** Form of what this sealer wrote; another form was sealed elsewhere. */
const MARK = 'f1.'
/** Bits by which group and others may do anything with a file. */
const OTHERS = 0o077

const codeOf = (error: unknown): unknown =>
  error instanceof Error ? (error as Error & { code?: unknown }).code : undefined

/** Makes the key if there is none: written whole beside its place, then linked there, which only one of two can do. */
async function makeKey(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(randomBytes(SEAL_KEY_BYTES))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(draft, file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function readKey(file: string): Promise<Buffer> {
  const { mode } = await stat(file).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
    await makeKey(file)
    return stat(file)
  })
  if ((mode & OTHERS) !== 0)
    throw new Error(`The sealing key ${file} is open to other users; run: chmod 600 ${JSON.stringify(file)}`)
  const key = await readFile(file)
  if (key.byteLength !== SEAL_KEY_BYTES)
    throw new Error(`The sealing key ${file} has ${key.byteLength} bytes instead of ${SEAL_KEY_BYTES}`)
  return key
}

/**
 * Seals under a key that lies in a file of this user alone, for the local runner. The file is made at the first use,
 * mode 0600, also when two processes begin at once.
 * Both methods throw one clear line when the file can be read by others or holds no key.
 */
export function keyFileSealer(file: string): Sealer {
  let reading: Promise<Buffer> | undefined
  const keyOnce = (): Promise<Buffer> => {
    reading ??= readKey(file).catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
  return {
    async seal(context, plain) {
      return MARK + closeBox(await keyOnce(), context, plain).toString('base64url')
    },
    async open(context, sealed) {
      if (!sealed.startsWith(MARK)) throw new Error(`what is sealed for ${context} was sealed elsewhere`)
      return openBox(await keyOnce(), context, Buffer.from(sealed.slice(MARK.length), 'base64url'))
    },
  }
}
