import type { Snapshot, Window } from '../../domain/investigation/records/snapshot.ts'
import type { ObjectStore, SnapshotStore } from '../../domain/ports.ts'
import { OBJECTS } from '../../names.ts'

/** How snapshots become bytes and back. */
export interface SnapshotForm {
  /** @returns the bytes, and SHA-256 (hex) of the content, however it is packed */
  readonly pack: (snapshot: Snapshot) => { readonly bytes: Uint8Array; readonly digest: string }
  /** @throws Error when the bytes hold anything else than the content with that digest */
  readonly unpack: (bytes: Uint8Array, digest: string) => Snapshot
  /** The window alone. @throws Error as `unpack` does */
  readonly unpackWindow: (bytes: Uint8Array, digest: string) => Window
}

const DIGEST = /^[0-9a-f]{64}$/

/** Snapshots as objects `snapshots/<owner>/<digest>`, written once. */
export function snapshotStore(
  objects: ObjectStore,
  { pack, unpack, unpackWindow }: SnapshotForm,
): SnapshotStore {
  const keyOf = (owner: string, digest: string): string => `${OBJECTS.snapshots}${owner}/${digest}`
  const bytesOf = async (owner: string, digest: string) =>
    DIGEST.test(digest) ? objects.get(keyOf(owner, digest)) : undefined
  return {
    async keep(owner, snapshot) {
      const { bytes, digest } = pack(snapshot)
      await objects.put(keyOf(owner, digest), bytes, { ifAbsent: true })
      return digest
    },
    async read(owner, digest) {
      const bytes = await bytesOf(owner, digest)
      return bytes === undefined ? undefined : unpack(bytes, digest)
    },
    async windowOf(owner, digest) {
      const bytes = await bytesOf(owner, digest)
      return bytes === undefined ? undefined : unpackWindow(bytes, digest)
    },
  }
}
