import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The browser to test in: the one that CHROMIUM names, or the first of the usual names in the path; null for none. */
export function chromiumPath(): string | null {
  const { CHROMIUM, PATH = '' } = process.env
  const candidates =
    CHROMIUM === undefined
      ? PATH.split(delimiter).flatMap((folder) => [join(folder, 'chromium'), join(folder, 'google-chrome')])
      : [CHROMIUM]
  const isThere = (file: string): boolean => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  }
  return candidates.find(isThere) ?? null
}
