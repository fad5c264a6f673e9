import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { CONSOLE } from '#shared/contract/console.ts'
import { buildConsole } from '../build-console.ts'
import { functionPlans } from '../functions.ts'
import { ROOT } from '../root.ts'
import { BUNDLES } from './bundle-places.ts'
import { type BundleSize, requireOneCopy } from './bundle-size.ts'
import { compileFunctions } from './compile-functions.ts'
import { eagerSource } from './eager-functions.ts'
import type { Source, SourceOf } from './function-source.ts'
import { freshRecord, recipeOf, writeRecord } from './made-of.ts'
import { putInPlace } from './put-in-place.ts'

/** @throws Error that names every function whose file is missing */
function requireFiles(plans: readonly Source[]): void {
  const missing = plans.filter(({ file }) => !existsSync(path.join(ROOT, file))).map(({ file }) => file)
  if (missing.length > 0) throw new Error(`no such function file: ${missing.join(', ')}`)
}

/**
 * Bundles functions, each into `<folder>/<id>/` as the file that `entryOf` tells, and its parts. Nothing is done when
 * nothing changed since the last time: how they are bundled, lockfile and the content of every file that went in.
 * @returns what each weighs
 * @throws Error that names the functions whose file is missing, or what does not compile
 */
export async function bundleFunctions(
  plans: readonly Source[] = functionPlans,
  folder: string = BUNDLES,
): Promise<readonly BundleSize[]> {
  requireFiles(plans)
  if (plans.some(({ id }) => id === CONSOLE)) await buildConsole()
  const recipe = recipeOf(plans)
  const present = () => freshRecord(folder, recipe)
  const before = present()
  if (before !== null) return before.sizes
  // Made beside and put in place whole: another process may make or read the same ones at the same time.
  const making = `${folder}-${randomBytes(6).toString('hex')}`
  try {
    const { sizes, inputs } = await compileFunctions(plans, making, eagerSource)
    requireOneCopy(inputs)
    writeRecord(making, { recipe, sources: inputs, sizes })
    return putInPlace(making, folder, present) ?? sizes
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/**
 * Bundles functions as `bundleFunctions` does, of sources as they are given: what is looked for in how functions run is
 * looked for in what is deployed. Nothing is kept of what was made before.
 */
export async function bundleSources(
  plans: readonly Source[],
  folder: string,
  sourceOf: SourceOf,
): Promise<void> {
  requireFiles(plans)
  await buildConsole()
  await compileFunctions(plans, folder, sourceOf)
}
