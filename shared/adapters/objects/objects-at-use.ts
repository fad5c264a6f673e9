import type { ObjectStore } from '../../domain/ports.ts'

/**
 * A store of objects whose client is loaded when the first object is asked for or written, for functions that hardly
 * ever meet one. Every method throws what `load` throws; the next call tries again.
 */
export function objectsAtUse(load: () => Promise<ObjectStore>): ObjectStore {
  let loading: Promise<ObjectStore> | undefined
  const objects = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    put: async (key, bytes, options) => (await objects()).put(key, bytes, options),
    get: async (key, atMost) => (await objects()).get(key, atMost),
    list: async (prefix) => (await objects()).list(prefix),
    delete: async (key) => (await objects()).delete(key),
  }
}
