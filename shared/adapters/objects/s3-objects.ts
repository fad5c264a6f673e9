import { setTimeout as wait } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { ObjectEntry, ObjectStore } from '../../domain/ports.ts'
import { clientWaits } from '../aws-client-waits.ts'
import { objectKey, objectPrefix } from './object-key.ts'

const CONNECTION_MS = 1_000
/** Snapshots have some MB; S3 gives them at 50 MB/s and more. */
const REQUEST_MS = 10_000

/** Waits so many milliseconds. */
type Pause = (milliseconds: number) => Promise<unknown>

/** Where the store is, when not where the environment says. */
export interface ObjectsAddress {
  readonly endpoint: string
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly forcePathStyle?: boolean
  /** Times the usual time limits. */
  readonly patience?: number
}

/** The one S3 client of a process. */
export const s3Client = ({ patience, ...address }: Partial<ObjectsAddress> = {}): S3Client =>
  new S3Client({
    ...address,
    maxAttempts: 3,
    requestHandler: clientWaits(CONNECTION_MS, REQUEST_MS, patience),
  })

/** S3 answers a conditional put so: the object exists; another put of the same key is under way. */
const EXISTS = 412
const UNDER_WAY = 409
/** S3 answers so where a part of an object is asked for that holds nothing. */
const EMPTY = 416
/** Tries of a put that meets another one; S3 asks for the repetition, the SDK does not make it. */
const MOST_TRIES = 4
/** First pause before such a repetition, in milliseconds, doubled each time; all together are 0.35 s. */
const FIRST_PAUSE_MS = 50

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined

/**
 * What S3 answers for an object that is not there to those who may not list the bucket, lest they learn by it what is.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html (Permissions)
 */
const DENIED = 403

/**
 * Objects in a bucket.
 * @param mayList whether whoever asks may list the whole bucket. Who may not, but may read what is asked for, is told of
 * what is absent that it is denied; for everybody else what is denied is an error.
 * @param pause how to wait so many milliseconds before a put that met another one is made again
 */
export function s3Objects(
  client: S3Client,
  bucket: string,
  { mayList = true, pause = wait }: { readonly mayList?: boolean; readonly pause?: Pause } = {},
): ObjectStore {
  return {
    async put(key, bytes, options = {}) {
      const input = { Bucket: bucket, Key: objectKey(key), Body: bytes }
      if (options.ifAbsent !== true) {
        await client.send(new PutObjectCommand(input))
        return
      }
      for (let tries = 1; ; tries += 1) {
        try {
          await client.send(new PutObjectCommand({ ...input, IfNoneMatch: '*' }))
          return
        } catch (error) {
          if (statusOf(error) === EXISTS) return
          if (statusOf(error) !== UNDER_WAY || tries >= MOST_TRIES) throw error
          await pause(FIRST_PAUSE_MS * 2 ** (tries - 1))
        }
      }
    },

    async get(key, atMost) {
      const range = atMost === undefined ? {} : { Range: `bytes=0-${atMost - 1}` }
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: objectKey(key), ...range }),
        )
        return (await Body?.transformToByteArray())?.subarray(0, atMost)
      } catch (error) {
        // What holds nothing has no first byte.
        if (atMost !== undefined && statusOf(error) === EMPTY) return new Uint8Array()
        if (error instanceof NoSuchKey || (!mayList && statusOf(error) === DENIED)) return undefined
        throw error
      }
    },

    async list(prefix) {
      const found: ObjectEntry[] = []
      const Prefix = objectPrefix(prefix)
      let ContinuationToken: string | undefined
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken }),
        )
        // A key in a bucket that no other store takes was not written by us.
        for (const { Key, Size } of page.Contents ?? [])
          if (Key !== undefined && !Key.endsWith('/')) found.push({ key: Key, bytes: Size ?? 0 })
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
      return found
    },

    async delete(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: objectKey(key) }))
    },
  }
}
