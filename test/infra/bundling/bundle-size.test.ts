import { describe, expect, it } from 'vitest'
import { byPackage, requireOneCopy } from '#infra/bundling/bundle-size.ts'

describe('what a bundle weighs by package', () => {
  it('is told of scoped packages, nested ones, modules of Node and own files, the heaviest first', () => {
    expect(
      byPackage([
        ['shared/runtime.ts', 10],
        ['node_modules/@smithy/core/dist-es/index.js', 20],
        ['node_modules/a/node_modules/@smithy/core/index.js', 5],
        ['node_modules/undici/lib/core/util.js', 7],
        ['builtin-names:fs', 1],
        ['functions/api/get-key.ts?get-key', 2],
      ]),
    ).toEqual([
      ['@smithy/core', 25],
      ['own', 12],
      ['undici', 7],
      ['builtins', 1],
    ])
  })
})

describe('a package that would be bundled from two folders', () => {
  it('is refused with both of them', () => {
    const files = [
      'node_modules/@smithy/core/a.js',
      'node_modules/@aws-sdk/x/node_modules/@smithy/core/a.js',
      'node_modules/undici/index.js',
    ]
    expect(() => requireOneCopy(files)).toThrow(
      'bundled twice: node_modules/@smithy/core, node_modules/@aws-sdk/x/node_modules/@smithy/core',
    )
  })

  it('is told from many files of one folder, and from own files', () => {
    requireOneCopy(['node_modules/undici/a.js', 'node_modules/undici/b.js', 'shared/a.ts', 'infra/a.ts'])
  })
})
