import type { ObjectStore } from '../../domain/ports.ts'
import { OBJECTS } from '../../names.ts'

/** Bodies that are too large for a message of a queue: each is an object until its message was taken in. */
export interface SentBodies {
  /** @returns its key */
  keep(integrationId: string, body: Uint8Array): Promise<string>
  /** @returns null for one that was let go: its message was taken in before */
  read(key: string): Promise<Uint8Array | null>
  letGo(key: string): Promise<void>
}

/**
 * Bodies in a store of objects. One that is let go is emptied in place of deleted: a bucket tells "it is not there" only
 * to those who may list it, and emptying takes no right to delete. The lifecycle of the bucket ends what is left.
 * @param newName of an object, never the same: what is sent again is another body until it was taken in
 */
export function sentBodies(objects: Pick<ObjectStore, 'get' | 'put'>, newName: () => string): SentBodies {
  return {
    async keep(integrationId, body) {
      const key = `${OBJECTS.sentBodies}${integrationId}/${newName()}`
      await objects.put(key, body)
      return key
    },
    async read(key) {
      const body = key.startsWith(OBJECTS.sentBodies) ? await objects.get(key) : undefined
      if (body === undefined) throw new Error('there is no body where the message says')
      return body.length === 0 ? null : body
    },
    letGo: (key) => objects.put(key, new Uint8Array()),
  }
}
