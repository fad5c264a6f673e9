import path from 'node:path'
import type { Metafile } from 'esbuild'

/** What one function weighs. */
export interface BundleSize {
  readonly id: string
  /** Bytes of the entry, which a cold start reads. */
  readonly bytes: number
  /** Bytes of the parts beside it, each read at its first use, if ever. */
  readonly later: number
  /** Bytes of the entry by package (or `own`), the largest first. */
  readonly parts: readonly (readonly [name: string, bytes: number])[]
}

/** A file that was bundled, whichever function's copy of it. */
export const fileOf = (input: string): string => input.split('?')[0] ?? input

/** The package that a bundled file is from. */
const packageOf = (input: string): string =>
  /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? (input.includes(':') ? 'builtins' : 'own')

/** @throws Error when a package would be bundled from two folders: two cores of the SDK are two sets of classes */
export function requireOneCopy(inputs: readonly string[]): void {
  const folders = new Map<string, Set<string>>()
  for (const input of inputs) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]
    const name = packageOf(input)
    if (folder !== undefined) folders.set(name, (folders.get(name) ?? new Set()).add(folder))
  }
  const twice = [...folders].filter(([, { size }]) => size > 1)
  if (twice.length > 0)
    throw new Error(`bundled twice: ${twice.flatMap(([, found]) => [...found]).join(', ')}`)
}

/** What something is made of by package (or `own`), the largest first. @param bytes by what was bundled */
export function byPackage(bytes: readonly (readonly [input: string, bytes: number])[]): BundleSize['parts'] {
  const by = new Map<string, number>()
  for (const [input, each] of bytes) {
    const name = packageOf(input)
    by.set(name, (by.get(name) ?? 0) + each)
  }
  return [...by].sort(([, one], [, other]) => other - one)
}

/** What came of one esbuild pass for an output: its name, its bytes, what it is made of, the parts it loads. */
export const outputsOf = ({ outputs }: Metafile) =>
  Object.entries(outputs).map(([file, { bytes, inputs, imports }]) => {
    const needs = imports.filter(({ kind, external }) => kind === 'dynamic-import' && external === true)
    return {
      file,
      bytes,
      parts: byPackage(Object.entries(inputs).map(([input, { bytesInOutput }]) => [input, bytesInOutput])),
      needs: [...new Set(needs.map((each) => path.basename(each.path)))],
    }
  })
