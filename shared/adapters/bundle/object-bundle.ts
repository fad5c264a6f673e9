import { invalidField } from '#shared/domain/errors.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import type { BundleFiles } from './bundle-files.ts'

const PREFIX = 'config.prefix'
/** A part of a prefix: what needs no escaping anywhere and cannot climb. */
const PART = /^(?!\.{1,2}$)[A-Za-z0-9._=-]{1,200}$/

/**
 * The bundle whose files lie in the stack's own bucket under `folder` + `prefix` + `/`.
 * @param folder where all bundles lie, such as `bundles/`
 * @throws Refusal `invalid` on field `config.prefix`, here for its form, in `list` where nothing lies there
 */
export function objectBundle(objects: ObjectStore, folder: string, prefix: string): BundleFiles {
  const parts = prefix.replace(/\/$/, '').split('/')
  if (!parts.every((part) => PART.test(part))) {
    throw invalidField(PREFIX, `must be the path of a folder below ${folder}, of letters, digits and . _ = -`)
  }
  const base = `${folder}${parts.join('/')}/`
  return {
    async list() {
      const found = await objects.list(base)
      const files = found
        .map(({ key, bytes }) => ({ name: key.slice(base.length), bytes }))
        .filter(({ name }) => name !== '')
      if (files.length === 0) throw invalidField(PREFIX, `nothing lies below ${base}`)
      const folders = new Set(
        files.flatMap(({ name }) => (name.includes('/') ? [`${name.split('/')[0]}/`] : [])),
      )
      return [
        ...files.filter(({ name }) => !name.includes('/')),
        ...Array.from(folders, (name) => ({ name, bytes: 0 })),
      ]
    },
    async read(name, atMost) {
      const bytes = await objects.get(base + name, atMost)
      if (bytes === undefined) throw invalidField(PREFIX, `${name} is gone`)
      return bytes
    },
  }
}
