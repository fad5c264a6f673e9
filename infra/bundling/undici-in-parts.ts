import { createRequire } from 'node:module'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Plugin } from 'esbuild'
import { ROOT } from '../root.ts'

const require = createRequire(import.meta.url)

/** What `shared/adapters/http` takes from undici; a test holds it to that. */
export const UNDICI_EXPORTS = ['Agent', 'buildConnector', 'request'] as const

/**
 * Gives outgoing requests the part of undici that they use. Its index brings fetch, WebSocket, caches, mocks and a
 * second, experimental parser along: 716 KB, of which a third is of use.
 */
export const undiciInParts: Plugin = {
  name: 'undici-in-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'request', namespace: 'undici-part' }))
    // Only bodies that are forms or streams of the Web need it; ours are text.
    onResolve({ filter: /\/web\/fetch\/body\.js$/ }, () => ({ path: 'web-body', namespace: 'undici-part' }))
    // Only a body that is a form is asked whose form it is; none is undici's own, so each is refused.
    onResolve({ filter: /\/web\/fetch\/formdata$|\/web\/webidl$/, namespace: 'file' }, () => ({
      path: 'no-forms',
      namespace: 'undici-part',
    }))
    // Tables of methods, statuses and characters, for whoever compiles a parser: what reads answers asks for two.
    onResolve({ filter: /\/llhttp\/constants\.js$/ }, () => ({
      path: 'parser-words',
      namespace: 'undici-part',
    }))
    // The parser without SIMD, for processors that are none of Lambda's.
    onResolve({ filter: /\/llhttp\/llhttp-wasm\.js$/ }, () => ({ path: 'no-simd', namespace: 'undici-part' }))
    // The parser itself: 72 KB of text as it comes, a quarter of that compressed, which is read back in a quarter of a ms.
    onResolve({ filter: /\/llhttp\/llhttp_simd-wasm\.js$/ }, () => ({
      path: 'parser',
      namespace: 'undici-part',
    }))
    // Channels that tell whoever listens of each request: nobody does here, nor reads what NODE_DEBUG would log of them.
    onResolve({ filter: /\/diagnostics(?:\.js)?$/ }, ({ importer }) =>
      /[\\/]undici[\\/]lib[\\/]/.test(importer)
        ? { path: 'no-listeners', namespace: 'undici-part' }
        : undefined,
    )
    onLoad({ filter: /^no-listeners$/, namespace: 'undici-part' }, () => {
      const { channels } = require('undici/lib/core/diagnostics.js') as { channels: object }
      const unheard = Object.keys(channels).map((name) => `${name}: unheard`)
      return {
        contents: `const unheard = { hasSubscribers: false }
          module.exports = { channels: { ${unheard.join(', ')} } }`,
      }
    })
    // Every request here says `allowH2: false`.
    onResolve({ filter: /\/client-h2\.js$/ }, () => ({ path: 'no-http2', namespace: 'undici-part' }))
    onLoad({ filter: /^no-http2$/, namespace: 'undici-part' }, () => ({
      contents: `module.exports = () => { throw new TypeError('HTTP/2 is not bundled') }`,
    }))
    onLoad({ filter: /^parser-words$/, namespace: 'undici-part' }, () => {
      const { ERROR, TYPE } = require('undici/lib/llhttp/constants.js') as Record<string, object>
      return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })}` }
    })
    onLoad({ filter: /^parser$/, namespace: 'undici-part' }, () => {
      const parser = require('undici/lib/llhttp/llhttp_simd-wasm.js') as Buffer
      const compressed = brotliCompressSync(parser).toString('base64')
      return {
        contents: `const { brotliDecompressSync } = require('node:zlib')
          module.exports = brotliDecompressSync(Buffer.from('${compressed}', 'base64'))`,
      }
    })
    onLoad({ filter: /^no-forms$/, namespace: 'undici-part' }, () => ({
      contents: 'module.exports = { webidl: { is: { FormData: () => false } } }',
    }))
    onLoad({ filter: /^no-simd$/, namespace: 'undici-part' }, () => ({
      contents: 'module.exports = undefined',
    }))
    onLoad({ filter: /^web-body$/, namespace: 'undici-part' }, () => ({
      contents: `export const extractBody = () => { throw new TypeError('the body must be text or bytes') }`,
    }))
    onLoad({ filter: /^request$/, namespace: 'undici-part' }, () => ({
      resolveDir: path.join(ROOT, 'node_modules', 'undici'),
      contents: `import Agent from './lib/dispatcher/agent.js'
        import buildConnector from './lib/core/connect.js'
        import send from './lib/api/api-request.js'
        const request = (url, { dispatcher, ...options }) =>
          send.call(dispatcher, { ...options, origin: url.origin, path: url.pathname + url.search })
        export { ${UNDICI_EXPORTS.join(', ')} }`,
    }))
  },
}
