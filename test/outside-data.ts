import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * A file of the outside data folder, or undefined where the folder is not given: INCIDENT_DATA names the folder that
 * holds `rca/`, `payloads/` and `ssrf/`; there is no default.
 */
export function outsideFile(...parts: string[]): string | undefined {
  const root = process.env.INCIDENT_DATA
  if (!root) return undefined
  const file = path.join(root, ...parts)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
