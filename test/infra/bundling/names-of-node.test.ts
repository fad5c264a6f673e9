import http from 'node:http'
import { build } from 'esbuild'
import { afterEach, describe, expect, it } from 'vitest'
import { namesOfNode } from '#infra/bundling/names-of-node.ts'
import { builtins } from '#infra/bundling/node-builtins.ts'

const ADDED = 'toolsAddedThisToTheProcess'
afterEach(() => {
  Reflect.deleteProperty(process, ADDED)
})

/** All that esbuild reads of Node's modules for a function, what is not used included. */
async function readOfNode(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { env } from 'node:process'
        import { request, WebSocket } from 'node:http'
        import { readFile } from 'node:fs'
        export const all = [env, request, WebSocket, readFile]`,
    },
    bundle: true,
    write: false,
    treeShaking: false,
    format: 'esm',
    platform: 'node',
    plugins: [builtins],
  })
  return outputFiles[0]?.text ?? ''
}

describe('what a bundle is made of', () => {
  it('does not depend on what the process that bundles has read or added', async () => {
    const before = await readOfNode()
    Object.assign(process, { [ADDED]: () => 7 })
    // Node makes both when they are first read; then they are ordinary names.
    expect([http.WebSocket, process.allowedNodeEnvironmentFlags]).not.toContain(undefined)
    expect(await readOfNode()).toBe(before)
    expect(before).not.toContain(ADDED)
  })

  it('holds no name that only a process with tools in it has', () => {
    const of = namesOfNode('process').map(({ name }) => name)
    expect(of).toContain('env')
    // The channel to a parent, as a process that runs tests has one.
    expect(of).not.toContain('channel')
    expect(namesOfNode('process')).toContainEqual({
      name: 'allowedNodeEnvironmentFlags',
      atUse: true,
      isFunction: false,
    })
  })

  it('knows what is a function of Node, and that a module that is none has no names', () => {
    expect(namesOfNode('fs')).toContainEqual({ name: 'readFile', atUse: false, isFunction: true })
    expect(namesOfNode('no-such-module')).toEqual([])
  })
})
