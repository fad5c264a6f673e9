import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One asset of the console as it lies there, and its smaller copies. */
export interface ConsoleAsset {
  readonly bytes: Buffer
  readonly brotli: Buffer | null
  readonly gzip: Buffer | null
}

/**
 * The assets of a built console, by their bare names; undefined for any other name, whatever it looks like. Only what
 * lies in the folder when the first is asked for is ever served: a name is looked up, never joined to a path.
 * @throws Error when first asked, where there is no console in the folder
 */
export function consoleAssets(folder: string): (name: string) => ConsoleAsset | undefined {
  const assets = join(folder, 'assets')
  let names: ReadonlySet<string> | undefined
  const kept = new Map<string, ConsoleAsset>()
  return (name) => {
    const known = kept.get(name)
    if (known !== undefined) return known
    const there = names ?? new Set(readdirSync(assets))
    names = there
    const read = (wanted: string): Buffer | null =>
      there.has(wanted) ? readFileSync(join(assets, wanted)) : null
    const bytes = read(name)
    if (bytes === null) return undefined
    const asset = { bytes, brotli: read(`${name}.br`), gzip: read(`${name}.gz`) }
    kept.set(name, asset)
    return asset
  }
}
