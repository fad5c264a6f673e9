import { accessSync, constants, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Where the things of a local data folder lie. */
export interface FolderPaths {
  readonly path: string
  /** Tables. */
  readonly database: string
  /** Stands in for the bucket. */
  readonly objects: string
  /** Incident bundles that integrations may read, unless another folder is given. */
  readonly bundles: string
  readonly sealKey: string
  /** The plain text of this folder's keys. */
  readonly keys: string
  /** The key that signs access tokens here, and the password of the local users. */
  readonly signIn: string
  /** How far each stream has been read. */
  readonly checkpoints: string
  /** What the first start wrote as sample. */
  readonly sample: string
}

/** A folder of local data that this process alone uses. */
export interface DataFolder extends FolderPaths {
  /** Lets others use the folder. */
  release(): void
}

/** Where everything lies below a folder; touches nothing. */
export function folderPaths(given: string): FolderPaths {
  const path = resolve(given)
  return {
    path,
    database: join(path, 'tables.sqlite'),
    objects: join(path, 'objects'),
    bundles: join(path, 'bundles'),
    sealKey: join(path, 'seal.key'),
    keys: join(path, 'keys.json'),
    signIn: join(path, 'sign-in.json'),
    checkpoints: join(path, 'stream-checkpoints.json'),
    sample: join(path, 'sample-outage.json'),
  }
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'it is no folder',
  EEXIST: 'it is no folder',
  ENOSPC: 'the disk is full',
}

/** What went wrong with a file, in words. */
export function fileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return SYSTEM_ERRORS[code ?? ''] ?? message
}

/** Who runs on a data folder, for those who find it taken. */
export interface RunningService {
  readonly pid: number
  /** Absent until it is ready. */
  readonly base_url?: string
  readonly dynamodb_endpoint?: string
  readonly sqs_endpoint?: string
}

const RUNNING = 'runner.json'

/** Writes a file whole or not at all, readable by its owner alone. */
export function writeWhole(file: string, text: string): void {
  // Two processes may write the same file at once: each beside it under a name of its own.
  const beside = `${file}.${process.pid}.new`
  writeFileSync(beside, text, { mode: 0o600 })
  renameSync(beside, file)
}

/** Says who runs on the folder. */
export const writeRunning = (folder: Pick<FolderPaths, 'path'>, running: RunningService): void =>
  writeWhole(join(folder.path, RUNNING), `${JSON.stringify(running)}\n`)

/**
 * Who last said to run on the folder; whether it still does, only its lock knows.
 * @returns null when nobody ever did
 */
export function readRunning(path: string): RunningService | null {
  try {
    return JSON.parse(readFileSync(join(path, RUNNING), 'utf8')) as RunningService
  } catch {
    return null
  }
}

/** The folder is used by another process. */
export class FolderInUse extends Error {
  constructor(path: string) {
    const pid = readRunning(path)?.pid
    super(
      `The data folder ${path} is in use by another start${pid === undefined ? '' : ` (process ${pid})`}.`,
    )
    this.name = 'FolderInUse'
  }
}

/**
 * Creates the folder where it is missing and takes it for this process. The lock is one of the operating system's (a
 * transaction of SQLite), so it ends with the process, however that ends; nothing has to be cleaned up.
 * @throws FolderInUse, or Error with one line that names the folder and why it cannot be used
 */
export function openDataFolder(given: string): DataFolder {
  const path = resolve(given)
  let lock: DatabaseSync
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    lock = new DatabaseSync(join(path, 'lock'), { timeout: 0 })
  } catch (error) {
    throw new Error(`The data folder ${path} cannot be used: ${fileProblem(error)}.`, { cause: error })
  }
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    // 5 is SQLITE_BUSY.
    if ((error as { errcode?: number }).errcode === 5) throw new FolderInUse(path)
    throw new Error(`The data folder ${path} cannot be used: ${fileProblem(error)}.`, { cause: error })
  }
  const folder = { ...folderPaths(path), release: () => lock.close() }
  writeRunning(folder, { pid: process.pid })
  return folder
}
