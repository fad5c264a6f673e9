import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REFUSED } from './emulator-limits.ts'

interface Template {
  readonly Resources: Record<
    string,
    { readonly Type: string; readonly Properties?: Record<string, unknown>; DependsOn?: string | string[] }
  >
}

const filesOf = (folder: string, ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))

/**
 * Takes out of synthesised templates what the emulator refuses.
 * @returns how many resources of each kind went, in the order of the list
 */
export function takeOutRefused(folder: string): readonly number[] {
  const counts = REFUSED.map(() => 0)
  for (const file of filesOf(folder, 'template.json')) {
    const template = JSON.parse(readFileSync(file, 'utf8')) as Template
    const gone = new Set<string>()
    for (const [id, resource] of Object.entries(template.Resources)) {
      const kind = REFUSED.findIndex(({ is }) => is(resource))
      if (kind < 0) continue
      counts[kind] = (counts[kind] ?? 0) + 1
      gone.add(id)
      delete template.Resources[id]
    }
    for (const resource of Object.values(template.Resources)) {
      const on = [resource.DependsOn ?? []].flat().filter((id) => !gone.has(id))
      if (on.length > 0) resource.DependsOn = on
      else delete resource.DependsOn
    }
    writeFileSync(file, JSON.stringify(template))
  }
  return counts
}

interface Manifest {
  readonly files: Readonly<
    Record<string, { readonly displayName: string; readonly source: { readonly path: string } }>
  >
}

/** Gives an asset another name in everything that names it, as other content has another hash. */
function renameAsset(folder: string, before: string): void {
  const after = createHash('sha256').update(`${before} changed`).digest('hex')
  for (const file of filesOf(folder, '.json')) {
    const text = readFileSync(file, 'utf8')
    if (text.includes(before)) writeFileSync(file, text.replaceAll(before, after))
  }
  if (existsSync(join(folder, `asset.${before}`)))
    renameSync(join(folder, `asset.${before}`), join(folder, `asset.${after}`))
}

/**
 * Changes the code of a function of the API in a synthesised assembly, as a new build would.
 * @throws Error when the function does not hold what is to be replaced
 */
export function changeCode(
  folder: string,
  stack: string,
  functionId: string,
  from: string,
  to: string,
): void {
  const { files } = JSON.parse(readFileSync(join(folder, `${stack}.assets.json`), 'utf8')) as Manifest
  const named = (name: string) => {
    const found = Object.entries(files).find(([, { displayName }]) => displayName === name)
    if (found === undefined) throw new Error(`the assembly has no asset ${name}`)
    return { hash: found[0], path: join(folder, found[1].source.path) }
  }
  const code = named(`Api/${functionId}/Function/Code`)
  const file = join(code.path, 'index.mjs')
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${functionId} does not hold ${from}`)
  writeFileSync(file, text.replaceAll(from, to))
  // The template that names the code is an asset itself, and so is the one that names that.
  for (const { hash } of [code, named('Api Nested Stack Template'), named(`${stack} Template`)])
    renameAsset(folder, hash)
}
