import type { Snapshot } from '../../domain/investigation/records/snapshot.ts'
import type { ObjectStore, SnapshotStore } from '../../domain/ports.ts'
import { OBJECTS } from '../../names.ts'

/** How snapshots become bytes and back, and what their content is called. */
export interface SnapshotForm {
  readonly pack: (snapshot: Snapshot) => Uint8Array | Promise<Uint8Array>
  readonly unpack: (bytes: Uint8Array) => Snapshot | Promise<Snapshot>
  /** SHA-256 (hex) of the content, however it is packed. */
  readonly digest: (snapshot: Snapshot) => string
}

const DIGEST = /^[0-9a-f]{64}$/

/** Snapshots as objects `snapshots/<owner>/<digest>`, written once. */
export function snapshotStore(objects: ObjectStore, { pack, unpack, digest }: SnapshotForm): SnapshotStore {
  const keyOf = (owner: string, hash: string): string => `${OBJECTS.snapshots}${owner}/${hash}`
  return {
    async keep(owner, snapshot) {
      const hash = digest(snapshot)
      await objects.put(keyOf(owner, hash), await pack(snapshot), { ifAbsent: true })
      return hash
    },
    async read(owner, hash) {
      if (!DIGEST.test(hash)) return undefined
      const bytes = await objects.get(keyOf(owner, hash))
      if (bytes === undefined) return undefined
      const snapshot = await unpack(bytes)
      if (digest(snapshot) !== hash) throw new Error(`the snapshot ${keyOf(owner, hash)} was altered`)
      return snapshot
    },
  }
}
