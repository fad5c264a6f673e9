import path from 'node:path'
import { CONSOLE } from '#shared/contract/console.ts'
import { ROOT } from '../root.ts'

/** Where bundles go, one folder a function; git does not see it. */
export const BUNDLES = path.join(ROOT, 'dist', 'functions')

/**
 * The function of the console is so small that a third of its cold start was Node's way of loading an ES module, which
 * takes several turns of the event loop; a file of CommonJS is read, compiled and run in one.
 */
export const isCommonJs = (id: string): boolean => id === CONSOLE

/** The file of a bundled function that Lambda loads. */
export const entryOf = (id: string, folder: string = BUNDLES): string =>
  path.join(folder, id, isCommonJs(id) ? 'index.cjs' : 'index.mjs')
