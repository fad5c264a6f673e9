import { renameSync, rmSync } from 'node:fs'
import type { BundleSize } from './bundle-size.ts'
import type { MadeOf } from './made-of.ts'

/** Tries to put a folder in place, each of which another process may forestall: two that began together end together. */
const MOST_PUTS = 5

/**
 * Puts what was made in place, whole.
 * @returns what another process put there meanwhile, made of the same; null where this one's stands
 */
export function putInPlace(
  making: string,
  folder: string,
  present: () => Pick<MadeOf, 'sizes'> | null,
  rename: (from: string, to: string) => void = renameSync,
): readonly BundleSize[] | null {
  for (let left = MOST_PUTS; ; left -= 1) {
    const meanwhile = present()
    if (meanwhile !== null) return meanwhile.sizes
    rmSync(folder, { recursive: true, force: true })
    try {
      rename(making, folder)
      return null
    } catch (error) {
      // Another process put its own there just now.
      const { code } = error as NodeJS.ErrnoException
      if (left <= 1 || (code !== 'ENOTEMPTY' && code !== 'EEXIST')) throw error
    }
  }
}
