import { createHash, randomBytes } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import type { App } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { type BuildFailure, type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { CONSOLE } from '#shared/contract/console.ts'
import { CATCH_ALL, operationList, operations } from '#shared/contract/operations.ts'
import { ENV } from '#shared/names.ts'
import { buildConsole, CONSOLE_FILES } from './build-console.ts'
import { eagerSource, FIRST_RUN } from './eager-functions.ts'
import { functionPlans } from './functions.ts'
import { CONSOLE_FOLDER } from './grants.ts'
import type { CodeOf } from './lambda-function.ts'
import { bundleInParts } from './parts-of-entry.ts'

const require = createRequire(import.meta.url)

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where bundles go, one folder a function; git does not see it. */
export const BUNDLES = path.join(ROOT, 'dist', 'functions')
/** What the bundles were made of, beside them. */
const RECORD = 'made-of.json'
/** Where parts lie until each function has its copy. */
const PARTS = '.parts'

const BUILTIN = new Set(builtinModules)

/** Gives the text of a source file, as it goes into a bundle. */
export type SourceOf = (file: string) => string

/** Where esbuild keeps modules of Node of which names are imported. */
const NAMES = 'builtin-names'
/** Where it keeps those of their names that Node makes when they are first read. */
const AT_USE = 'builtin-getters:'
/** A module of Node that the SDK imports at its first use: esbuild would wrap every name of it there, too. */
const IMPORTED_LATE = /\bimport\((["'])node:([\w/]+)\1\)/g
/**
 * Modules whose functions are seldom called: they are read when one first is. The promises of `node:fs`, which the SDK
 * would look for profiles with, bring what reads lines from a terminal: 3 % of a cold start. `node:zlib` takes 2 ms.
 */
const SELDOM: ReadonlySet<string> = new Set(['fs', 'fs/promises', 'path', 'zlib'])
/** A function; a name with a capital is that of a class. */
const CALLED = /^[a-z]/
/** What a name of a module of Node may be called by in an import. */
const IDENTIFIER = /^(?!default$)[A-Za-z_$][\w$]*$/

/**
 * Takes Node's own modules through `process.getBuiltinModule`. An ESM import of `node:http` reads each of its exports,
 * and one of them loads all of undici: 20 ms of a cold start against 2.5 ms. Only the names that are imported are ever
 * read: esbuild's own way from CommonJS to ES modules wraps every name of a module, 100 of `node:fs` for one.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_0-9/]+$/ }, ({ path: wanted, kind, namespace: of }) => {
      const name = wanted.replace(/^node:/, '')
      if (!wanted.startsWith('node:') && !BUILTIN.has(name)) return undefined
      const namespace = kind === 'import-statement' && of !== NAMES ? NAMES : 'builtin'
      return { path: name, namespace, sideEffects: false }
    })
    const moduleOf = (name: string) => `process.getBuiltinModule(${JSON.stringify(`node:${name}`)})`
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `module.exports = ${moduleOf(name)}`,
      loader: 'js',
    }))
    onLoad({ filter: /.*/, namespace: NAMES }, ({ path: name }) => {
      const all = Object.entries(
        Object.getOwnPropertyDescriptors(process.getBuiltinModule(`node:${name}`) ?? {}),
      )
      const named = all.filter(([each]) => IDENTIFIER.test(each))
      const atCall = named.filter(
        ([each, { value }]) => SELDOM.has(name) && CALLED.test(each) && typeof value === 'function',
      )
      const atOnce = named
        .filter((each) => each[1].get === undefined && !atCall.includes(each))
        .map(([each]) => each)
      // Node makes these when they are first read, some from modules that cost as much as all others together.
      const atUse = named.filter(([, { get }]) => get !== undefined).map(([each]) => each)
      const contents = [
        `const all = /* @__PURE__ */ (() => ${moduleOf(name)})()`,
        'const of = (name) => all[name]',
        ...atOnce.map((each) => `const $${each} = /* @__PURE__ */ of('${each}')`),
        ...atCall.map(([each]) => `export const ${each} = (...given) => ${moduleOf(name)}.${each}(...given)`),
        `export { ${['all as default', ...atOnce.map((each) => `$${each} as ${each}`)].join(', ')} }`,
        ...(atUse.length === 0 ? [] : [`export { ${atUse.join(', ')} } from '${AT_USE}${name}'`]),
      ].join('\n')
      return { contents, loader: 'js' }
    })
    // Of a whole module esbuild's way from CommonJS would wrap every name.
    onResolve({ filter: /.*/, namespace: NAMES }, ({ path: wanted }) =>
      wanted.startsWith(AT_USE)
        ? { path: wanted.slice(AT_USE.length), namespace: AT_USE, sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /.*/, namespace: AT_USE }, ({ path: name }) => {
      const getters = Object.entries(
        Object.getOwnPropertyDescriptors(process.getBuiltinModule(`node:${name}`) ?? {}),
      ).filter(([each, { get }]) => IDENTIFIER.test(each) && get !== undefined)
      const given = getters.map(([each]) => `get ${each}() { return ${moduleOf(name)}.${each} }`)
      return { contents: `module.exports = { ${given.join(', ')} }`, loader: 'js' }
    })
  },
}

/**
 * A function's credentials are in its environment, put there by Lambda, and renewed with it. The SDK's default chain
 * (profiles, sign-in, containers, instances) is 135 KB that no function ever runs.
 */
const environmentCredentials: Plugin = {
  name: 'environment-credentials',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, () => ({
      path: 'credentials',
      namespace: 'environment',
    }))
    onLoad({ filter: /.*/, namespace: 'environment' }, () => ({
      contents: `export const defaultProvider = () => async () => {
        const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env
        if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) throw new Error('no credentials in the environment')
        return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, sessionToken: AWS_SESSION_TOKEN }
      }`,
      loader: 'js',
    }))
  },
}

/** What `shared/adapters/http` takes from undici; a test holds it to that. */
export const UNDICI_EXPORTS = ['Agent', 'buildConnector', 'request'] as const

/**
 * Gives outgoing requests the part of undici that they use. Its index brings fetch, WebSocket, caches, mocks and a
 * second, experimental parser along: 716 KB, of which a third is of use.
 */
const undiciInParts: Plugin = {
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

const SETTINGS = path.join(ROOT, 'shared/adapters/aws-settings.ts')

/** A module of a package that no function ever runs, with what stands in for it. */
interface NeverRun {
  /** As it is imported. */
  readonly module: RegExp
  /** Only where this file imports it; by default wherever it is imported. */
  readonly importer?: RegExp
  readonly contents: string
}
const NEVER_RUN: readonly NeverRun[] = [
  {
    // Endpoint discovery is off; its cache brings two packages of data structures along.
    module: /^@aws-sdk\/endpoint-cache$/,
    contents:
      'export class EndpointCache { has() { return false } get() {} set() {} delete() {} clear() {} }',
  },
  {
    // Answers that come as a stream of events: none of the calls in shared/adapters has one.
    module: /^@smithy\/core\/event-streams$/,
    contents: `export const eventStreamSerdeProvider = () => ({}), resolveEventStreamSerdeConfig = (input) => input
      export class EventStreamSerde { constructor() { throw new Error('event streams are not bundled') } }`,
  },
  {
    // The search for settings, which makes an error for every place that has not the one that is looked for. A function has
    // no profiles on a disk: what is not in its environment is as the SDK has it by default.
    module: /\/configLoader$/,
    contents: `export { loadSetting as loadConfig } from ${JSON.stringify(SETTINGS)}`,
  },
  {
    // The region of a virtual machine; Lambda gives its own in the environment.
    module: /\/getInstanceMetadataRegion$/,
    contents: 'export const getInstanceMetadataRegion = async () => undefined',
  },
  {
    // That the SDK will no longer be made for older versions of Node; a function runs on the one of its stack.
    module: /\/emitWarningIfUnsupportedVersion$/,
    contents: 'export const state = {}, emitWarningIfUnsupportedVersion = () => {}',
  },
  {
    // Whether the region may be part of a name: Lambda gives its own.
    module: /\/checkRegion$/,
    contents: 'export const checkRegion = () => {}',
  },
  {
    // Signatures of the events of a stream.
    module: /\/HeaderFormatter$/,
    contents: 'export class HeaderFormatter {}',
  },
  {
    // Digests for machines without OpenSSL.
    module: /\/(?:Sha256|Sha1|Md5)Js$/,
    contents: 'export class Sha256Js {} export class Sha1Js {} export class Md5Js {}',
  },
  {
    // What the rules of endpoints ask with, and the table of all regions; `ownEndpoints` has no rules.
    module: /\/util-endpoints\/aws$/,
    contents: 'export const awsEndpointFunctions = {}',
  },
  {
    // Signatures that hold in every region, for access points of several, and of sessions with one zone's buckets.
    module: /^@aws-sdk\/signature-v4-multi-region$/,
    contents: `export { SignatureV4 as SignatureV4MultiRegion, SignatureV4 as SignatureV4SignWithCredentials }
      from '@smithy/signature-v4'`,
  },
  {
    // Sessions with one zone's buckets: `bucketEndpoint` names none.
    module: /\/S3ExpressIdentityProviderImpl$/,
    contents: `export class S3ExpressIdentityProviderImpl {
        getS3ExpressIdentity() { throw new Error('buckets of one zone are not bundled') }
      }`,
  },
  {
    // What asks for such a session.
    module: /\/s3ExpressMiddleware$/,
    contents: `export const s3ExpressMiddleware = () => (next) => next
      export const s3ExpressMiddlewareOptions = { name: 's3ExpressMiddleware', step: 'build', override: true }
      export const getS3ExpressPlugin = () => ({ applyToStack: () => {} })`,
  },
  {
    // What signs with one.
    module: /\/signS3Express$/,
    contents: `export const signS3Express = () => { throw new Error('buckets of one zone are not bundled') }`,
  },
  {
    // What S3 answers in a browser.
    module: /\/sdk-stream-mixin\.browser$/,
    contents: `export const sdkStreamMixin = () => { throw new Error('streams of the Web are not bundled') }`,
  },
  {
    // What S3 is asked to do in XML (settings of buckets, many objects at once): here it gets bytes and gives them back.
    module: /\/XmlShapeSerializer$/,
    contents: `export class XmlShapeSerializer {
        setSerdeContext() {}
        write() { throw new Error('requests in XML are not bundled') }
        flush() { throw new Error('requests in XML are not bundled') }
      }`,
  },
  {
    // The length of files that are streamed: what is sent here is text or bytes.
    module: /\/calculateBodyLength$/,
    contents: `export const calculateBodyLength = (body) => {
        if (!body) return 0
        if (typeof body === 'string') return Buffer.byteLength(body)
        if (typeof body.byteLength === 'number') return body.byteLength
        throw new Error('the body must be text or bytes')
      }`,
  },
  {
    // Times that are moved into the future where a reader asks for that: questions are about what was.
    module: /\/ForwardDateRefiner\.js$/,
    contents: 'export default class ForwardDateRefiner { refine(_, results) { return results } }',
  },
  {
    // Random ids by the Web's cryptography, which Node would load for them.
    module: /\/uuid\/v4$/,
    contents: `import { randomUUID } from 'node:crypto'
      export const bindV4 = () => () => randomUUID()`,
  },
  {
    // What the same would be made of, read as soon as the SDK is.
    module: /^node:crypto$/,
    importer: /[\\/]submodules[\\/]serde[\\/]index\.js$/,
    contents: 'export const getRandomValues = undefined',
  },
  {
    // What each call asked and was answered, for a logger that no client here has: the SDK goes over both all the same.
    module: /\/loggerMiddleware$/,
    contents: `export const loggerMiddleware = () => (next) => next
      export const loggerMiddlewareOptions = { name: 'loggerMiddleware', step: 'initialize', override: true }
      export const getLoggerPlugin = () => ({ applyToStack: () => {} })`,
  },
  {
    // Bodies that are streamed, in pieces and with a checksum behind them: what is sent here is text or bytes.
    module: /\/createBufferedReadable$/,
    contents:
      "export const createBufferedReadable = () => { throw new Error('streamed bodies are not bundled') }",
  },
  {
    module: /\/getAwsChunkedEncodingStream$/,
    contents:
      "export const getAwsChunkedEncodingStream = () => { throw new Error('streamed bodies are not bundled') }",
  },
  {
    // What a runtime that serves several calls at once keeps of each; where it has none, the environment tells the trace.
    module: /^@aws\/lambda-invoke-store$/,
    contents:
      'export const InvokeStore = { getInstanceAsync: async () => globalThis.awslambda?.InvokeStore }',
  },
  {
    // The retry mode `adaptive`, which no client here asks for.
    module: /\/AdaptiveRetryStrategy$/,
    contents:
      "export class AdaptiveRetryStrategy { constructor() { throw new Error('the retry mode adaptive is not bundled') } }",
  },
  {
    // For the same.
    module: /\/DefaultRateLimiter$/,
    contents:
      "export class DefaultRateLimiter { constructor() { throw new Error('the retry mode adaptive is not bundled') } }",
  },
]

const neverRun: Plugin = {
  name: 'never-run',
  setup({ onResolve, onLoad }) {
    for (const [index, { module, importer = /.*/, contents }] of NEVER_RUN.entries()) {
      const namespace = `never-run-${index}`
      onResolve({ filter: module }, ({ path: wanted, importer: by }) =>
        importer.test(by) ? { path: wanted, namespace, sideEffects: false } : undefined,
      )
      onLoad({ filter: /.*/, namespace }, () => ({ contents, loader: 'js', resolveDir: ROOT }))
    }
  },
}

const ENDPOINTS = path.join(ROOT, 'shared/adapters/aws-endpoints.ts')

/**
 * Where a service is: the SDK works it out from rules that know accounts, access points and accelerated endpoints, and
 * from a table of all regions. A deployment meets a region, and an emulator an address.
 */
const ownEndpoints: Plugin = {
  name: 'own-endpoints',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/endpointResolver$/ }, ({ importer }) => {
      const service = /[\\/]@aws-sdk[\\/]client-(\w+)[\\/]/.exec(importer)?.[1]
      return service === undefined
        ? undefined
        : { path: service, namespace: 'own-endpoints', sideEffects: false }
    })
    onLoad({ filter: /.*/, namespace: 'own-endpoints' }, ({ path: service }) => ({
      contents:
        service === 's3'
          ? `export { bucketEndpoint as defaultEndpointResolver } from ${JSON.stringify(ENDPOINTS)}`
          : `import { endpointsOf } from ${JSON.stringify(ENDPOINTS)}
             export const defaultEndpointResolver = /* @__PURE__ */ endpointsOf('${service}')`,
      loader: 'js',
      resolveDir: ROOT,
    }))
  },
}

/** The kinds of errors that adapters tell apart by their class; a test compares them with the adapters. */
export const CAUGHT_ERRORS: readonly string[] = [
  'ConditionalCheckFailedException',
  'NoSuchKey',
  'TransactionCanceledException',
  'TransactionConflictException',
]

/**
 * The SDK's shapes of requests and answers name members by constants (`{ [_h]: … }`), which esbuild cannot know to be
 * harmless, so it keeps the shapes of all operations. With the names written out, those of no call fall away: 60 KB of
 * S3's alone. Likewise each of a service's errors registers a class of its own (22 KB of DynamoDB's and KMS's): an error
 * of a class that is not there becomes the service's general one, with the same name, message and status, by which the
 * SDK decides whether to try again.
 */
const namedShapes = (sourceOf: SourceOf): Plugin => ({
  name: 'named-shapes',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@aws-sdk[\\/].*[\\/]schemas[\\/]schemas_\d+\.js$/ }, ({ path: file }) => {
      const text = sourceOf(file)
      const names = new Map(
        Array.from(text.matchAll(/^const (\w+) = ("[^"\\]*");$/gm), ([, constant = '', name = '']) => [
          constant,
          name,
        ]),
      )
      const contents = text
        .replace(/\[(\w+)\]:/g, (all, constant) => {
          const name = names.get(constant)
          return name === undefined ? all : `${name}:`
        })
        .replace(/^n\d+_registry\.registerError\(\w+\$, (\w+)\);$/gm, (all, error) =>
          CAUGHT_ERRORS.includes(error) ? all : '',
        )
      return { contents, loader: 'js' }
    })
  },
})

/** What chrono says of its own work to whoever debugs it, and which of its parts read what: here nobody asks. */
const CHRONO_ASIDE = [
  /\bcontext\.debug\(\(\) => \{\s*console\.log\(`[^`]*`\);\s*\}\);/g,
  /\bcontext\.debug\(\(\) => console\.log\(`[^`]*`\)\);/g,
  /^ {4}debug\(block\) \{\n(?: {8}.*\n| *\n)*? {4}\}\n/gm,
  // Of the tags only those of results and casual references are read.
  /\s*\.addTag\("(?:parser|refiner)\/\w+"\)/g,
  /^ {4}toString\(\) \{\n(?: {8}.*\n| *\n)*? {4}\}\n/gm,
]

/**
 * One character beyond Latin 1 doubles what V8 has to read: it keeps the whole file in two bytes a character then. esbuild
 * escapes them wherever it may; these are the only ones in regular expressions.
 */
const plainText = (sourceOf: SourceOf): Plugin => ({
  name: 'plain-text',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]chrono-node[\\/].*\.js$/ }, ({ path: file }) => {
      const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      const asked = CHRONO_ASIDE.reduce((text, aside) => text.replace(aside, ''), sourceOf(file))
      return { contents: asked.replace(/[^\0-\x7f]/g, escaped), loader: 'js' }
    })
  },
})

/** A constant of a module that the formatter has been over: to the next line that begins at the margin. */
const CONSTANT = /^((?:export )?const \w+(?:: [^=\n]+)? =\s)([\s\S]*?)(?=\n(?![ )\]}]))/gm
/** What makes a shape, not a function that does. */
const MAKES = /^(?:z\b|[a-z]\w*\(|\{[\s\S]*\bz\s*\.)/

/**
 * A shape is made of calls, which esbuild cannot know to be harmless: without this, each function makes those of all that
 * its modules of the contract tell, answers and bodies of other operations among them.
 */
const unusedShapes: Plugin = {
  name: 'unused-shapes',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/]contract[\\/][\w-]+\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replace(CONSTANT, (all, head, made) =>
        MAKES.test(made) ? `${head}/* @__PURE__ */ (() => (${made}))()` : all,
      ),
      loader: 'ts',
    }))
  },
}

/** Of a package.json only name and version are ever read; imported whole, it would be bundled whole. */
const shortManifests: Plugin = {
  name: 'short-manifests',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, ({ path: file }) => {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
      return { contents: JSON.stringify({ name, version }), loader: 'json' }
    })
  },
}

/**
 * By the name of a row of what systems say only its page and its tests look it up; a function reads the words. 180 of them
 * weighed 3 KB.
 */
const namelessRows = (sourceOf: SourceOf): Plugin => ({
  name: 'nameless-rows',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]causes[\\/](?:system-answers|spoken-signs)\.ts$/ }, ({ path: file }) => {
      let rows = 0
      const contents = sourceOf(file)
        .replace(/\brow\(\s*'[\w-]+',/g, 'row(')
        .replace('(id: string, ', '(')
        .replace('{ id, pattern, ', '{ pattern, ')
        .replace(/^ {4}(?:'[\w-]+'|\w+):(?=\s*\/)/gm, () => {
          rows += 1
          return `${rows}:`
        })
      return { contents, loader: 'ts' }
    })
  },
})

/** Tools' clients: a request needs a few of them, and most of what they need themselves is in the entry. */
const SHARING = /(?:^|[\\/])shared[\\/]adapters[\\/]tools[\\/][\w-]+\.ts$/
/** What stands for each of them while it is looked for which functions ask tools. */
const TOOL = 'tool.mjs'

/**
 * What is imported at its first use becomes a file of its own beside the entry, a part, which no cold start reads. Each
 * part is whole but a tool's client (`bundleInParts`): a part that shares files with the entry leaves in the entry what it
 * alone needs of them (50 KB of an S3 client, measured).
 * @param parts is told the module of each whole part by the name of its file
 * @param sharing whether tools' clients are left out, to be found among what the entry needs, or esbuild splits them off
 */
const partsAtUse = (parts: Map<string, string>, sharing: 'beside' | 'split'): Plugin => ({
  name: 'parts-at-use',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$|\.ts$/ }, ({ kind, path: wanted, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined
      const module = wanted.startsWith('.') ? path.resolve(resolveDir, wanted) : wanted
      const name = `${path.basename(module, '.ts')}.mjs`
      if (SHARING.test(module)) return sharing === 'split' ? undefined : { path: `./${TOOL}`, external: true }
      const taken = parts.get(name)
      if (taken !== undefined && taken !== module)
        return { errors: [{ text: `two modules that are imported at their first use are called ${name}` }] }
      parts.set(name, module)
      return { path: `./${name}`, external: true }
    })
  },
})

const TABLE = path.join(ROOT, 'shared/contract/operations.ts')
/** A row of the table: the formatter keeps it between its name and a brace, two spaces in. */
const ROW = /^ {2}'?([\w-]+)'?: \{\n[\s\S]*?^ {2}\},\n/gm
/** The shape of an answer is for the document and the tests: no function reads it. */
const ANSWER_SHAPE = /^( {4}success: \{[^}]*?),?\s+body: \w+/m

/**
 * Gives a function its own row of the table of operations, and the one behind unknown routes every row without its
 * shapes. Each shape of the whole table would be built at every cold start: a third of the time that the chain takes.
 * @throws Error when the table is no longer written as this reads it
 */
export function rowsFor(id: string, table: string): string {
  const kept = new Set<string>()
  const text = table.replace(ROW, (row, name) => {
    if (name !== id && id !== CATCH_ALL) return ''
    const withoutAnswer = row.replace(ANSWER_SHAPE, '$1')
    kept.add(name)
    return id === CATCH_ALL ? withoutAnswer.replace(/^ {4}(?:query|body): \w+,\n/gm, '') : withoutAnswer
  })
  const wanted = id === CATCH_ALL ? operationList.map((operation) => operation.id) : [id]
  const lost = wanted.filter((name) => !kept.has(name))
  if (lost.length > 0) throw new Error(`not found in the table of operations: ${lost.join(', ')}`)
  return text
}

/** What each function has a copy of its own of: the table, and the modules that read it. */
const OF_ITS_OWN = [
  'shared/edge/endpoint.ts',
  'shared/edge/repeatable.ts',
  'shared/contract/operations.ts',
].map((file) => path.join(ROOT, file))

/** Says with every import of a function which function it is, as far as the table. */
const ownRows = (plans: readonly Source[], sourceOf: SourceOf): Plugin => ({
  name: 'own-rows',
  setup({ onResolve, onLoad }) {
    const known = new Map(
      plans
        .filter(({ id }) => id === CATCH_ALL || id in operations)
        .map(({ id, file }) => [path.join(ROOT, file), id]),
    )
    onResolve({ filter: /\.ts$/ }, ({ kind, path: wanted, resolveDir, pluginData: id }) => {
      const file = wanted.startsWith('#')
        ? path.join(ROOT, wanted.slice(1))
        : path.resolve(kind === 'entry-point' ? ROOT : resolveDir, wanted)
      if (kind === 'entry-point')
        return known.has(file) ? { path: file, pluginData: known.get(file) } : undefined
      return id !== undefined && OF_ITS_OWN.includes(file)
        ? { path: file, suffix: `?${id}`, pluginData: id }
        : undefined
    })
    onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path: file, pluginData: id }) => {
      if (id === undefined) return undefined
      const contents = file === TABLE ? rowsFor(id, readFileSync(file, 'utf8')) : sourceOf(file)
      return { contents, loader: 'ts', pluginData: id }
    })
  },
})

const CONSOLE_PAGE = path.join(CONSOLE_FILES, 'index.html')

/** The page of the console is known before its function is bundled: it is a text of the bundle, and no file is looked for. */
const pageOfConsole: Plugin = {
  name: 'page-of-console',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/]adapters[\\/]console-page\.ts$/ }, () => ({
      contents: `import page from ${JSON.stringify(CONSOLE_PAGE)}
        export const consolePage = () => page`,
      loader: 'js',
      resolveDir: ROOT,
    }))
  },
}

/** A name of the environment where it is read. */
const NAMED = /\bENV\.(\w+)\b/g

/**
 * Writes names of environment variables out where they are read: else each function would hold the list of all, and the
 * tables, which cite it.
 */
const writtenNames = (sourceOf: SourceOf): Plugin => ({
  name: 'written-names',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/](?:names|runtime)\.ts$/ }, ({ path: file }) => ({
      contents: sourceOf(file).replace(NAMED, (all, name: string) =>
        name in ENV ? `'${ENV[name as keyof typeof ENV]}'` : all,
      ),
      loader: 'ts',
    }))
  },
})

const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // The packages' ES modules: what is not used falls away. CDK's default takes CommonJS, 547 KB against 207.
  mainFields: ['module', 'main'],
  minify: true,
  // With it undici leaves its experimental parser out, as where Node itself bundles it.
  define: { esbuildDetection: '1' },
  legalComments: 'none',
  charset: 'ascii',
  outExtension: { '.js': '.mjs' },
  loader: { '.html': 'text' },
  // What CommonJS packages ask for while running; in an ES module it does not exist.
  banner: { js: 'const require=(m)=>process.getBuiltinModule(m);' },
  logLevel: 'silent',
} as const satisfies BuildOptions

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

/** A function by its id and its file below the root. */
export interface Source {
  readonly id: string
  readonly file: string
}

interface MadeOf {
  /** Digest of the options, the lockfile and the names of the functions. */
  readonly recipe: string
  /** Digest of each source file, by path below the root. */
  readonly inputs: Readonly<Record<string, string>>
  readonly sizes: readonly BundleSize[]
}

const digest = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

function recipeOf(plans: readonly Source[]): string {
  const own = readFileSync(fileURLToPath(import.meta.url))
  const inParts = readFileSync(fileURLToPath(new URL('parts-of-entry.ts', import.meta.url)))
  const run = readFileSync(FIRST_RUN)
  const lock = readFileSync(path.join(ROOT, 'package-lock.json'))
  const entries = JSON.stringify(plans.map(({ id, file }) => [id, file]))
  return digest([own, inParts, run, lock, entries].map((part) => digest(part)).join())
}

const isFresh = ({ inputs }: MadeOf): boolean =>
  Object.entries(inputs).every(([file, then]) => {
    const now = path.join(ROOT, file)
    return existsSync(now) && digest(readFileSync(now)) === then
  })

function readRecord(folder: string): MadeOf | null {
  try {
    return JSON.parse(readFileSync(path.join(folder, RECORD), 'utf8')) as MadeOf
  } catch {
    return null
  }
}

/** A file that was bundled, whichever function's copy of it. */
const fileOf = (input: string): string => input.split('?')[0] ?? input

/** The package that a bundled file is from. */
const packageOf = (input: string): string =>
  /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? (input.includes(':') ? 'builtins' : 'own')

/** @throws Error when a package would be bundled from two folders: two cores of the SDK are two sets of classes */
function requireOneCopy(inputs: readonly string[]): void {
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
function byPackage(bytes: readonly (readonly [input: string, bytes: number])[]): BundleSize['parts'] {
  const by = new Map<string, number>()
  for (const [input, each] of bytes) {
    const name = packageOf(input)
    by.set(name, (by.get(name) ?? 0) + each)
  }
  return [...by].sort(([, one], [, other]) => other - one)
}

/** What came of one esbuild pass for an output: its name, its bytes, what it is made of, the parts it loads. */
const outputsOf = ({ outputs }: Metafile) =>
  Object.entries(outputs).map(([file, { bytes, inputs, imports }]) => {
    const needs = imports.filter(({ kind, external }) => kind === 'dynamic-import' && external === true)
    return {
      file,
      bytes,
      parts: byPackage(Object.entries(inputs).map(([input, { bytesInOutput }]) => [input, bytesInOutput])),
      needs: [...new Set(needs.map((each) => path.basename(each.path)))],
    }
  })

/** @throws Error that names every function whose file is missing */
function requireFiles(plans: readonly Source[]): void {
  const missing = plans.filter(({ file }) => !existsSync(path.join(ROOT, file))).map(({ file }) => file)
  if (missing.length > 0) throw new Error(`no such function file: ${missing.join(', ')}`)
}

/**
 * How any handler is bundled here that has nothing of this service: what other handlers are measured with. Their packages
 * ask for their own place, too.
 */
export const PLAIN_ESM = {
  ...OPTIONS,
  banner: {
    js: `${OPTIONS.banner.js}const __filename=import.meta.filename,__dirname=import.meta.dirname;`,
  },
  plugins: [builtins],
} as const satisfies BuildOptions

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && 'errors' in error

/** One esbuild pass. @throws Error with file and line of what does not compile */
async function compile(options: BuildOptions): Promise<Metafile> {
  try {
    const { metafile } = await build({ ...OPTIONS, ...options, absWorkingDir: ROOT, metafile: true })
    return metafile
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    const lines = error.errors.map(({ text, location }) =>
      location === null ? text : `${location.file}:${location.line}: ${text}`,
    )
    throw new Error(`the functions cannot be bundled:\n${lines.join('\n')}`)
  }
}

/**
 * The Web's streams and blobs, by which the SDK tells what a body is: nothing here makes one, and to ask for their class
 * is to load it.
 */
const NO_WEB_BODIES = { ReadableStream: 'undefined', Blob: 'undefined' }

/** Every other module: what first calls run of it is compiled at once. */
const eagerFunctions = (sourceOf: SourceOf): Plugin => ({
  name: 'eager-functions',
  setup({ onLoad }) {
    onLoad({ filter: /\.(?:ts|js|mjs)$/, namespace: 'file' }, ({ path: file }) => ({
      contents: sourceOf(file).replace(
        IMPORTED_LATE,
        (_all, _quote, name) => `Promise.resolve(process.getBuiltinModule('node:${name}'))`,
      ),
      loader: file.endsWith('.ts') ? 'ts' : 'js',
    }))
  },
})

const pluginsOf = (sourceOf: SourceOf): Plugin[] => [
  neverRun,
  builtins,
  environmentCredentials,
  ownEndpoints,
  undiciInParts,
  shortManifests,
  namedShapes(sourceOf),
  plainText(sourceOf),
  unusedShapes,
  pageOfConsole,
  writtenNames(sourceOf),
  namelessRows(sourceOf),
  eagerFunctions(sourceOf),
]

/**
 * The function of the console is so small that a third of its cold start was Node's way of loading an ES module, which
 * takes several turns of the event loop; a file of CommonJS is read, compiled and run in one.
 */
const isCommonJs = (id: string): boolean => id === CONSOLE

/** The file of a bundled function that Lambda loads. */
export const entryOf = (id: string, folder: string = BUNDLES): string =>
  path.join(folder, id, isCommonJs(id) ? 'index.cjs' : 'index.mjs')

/** What an entry exports, given out as CommonJS has it: esbuild's own way is a function that copies getters. */
const commonExports = (sourceOf: SourceOf): Plugin => ({
  name: 'common-exports',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]functions[\\/]api[\\/][\w-]+\.ts$/ }, ({ path: file }) => ({
      contents: sourceOf(file).replace(/^export const (\w+) =/gm, 'exports.$1 ='),
      loader: 'ts',
    }))
  },
})

const COMMON_JS = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: {},
} as const satisfies BuildOptions

/**
 * Three passes: the entries, each with its own row of the table, as ES modules and as CommonJS, then the parts that they
 * load at their first use, copied to each that does.
 */
async function compileAll(plans: readonly Source[], folder: string, sourceOf: SourceOf = eagerSource) {
  const plugins = pluginsOf(sourceOf)
  const parts = new Map<string, string>()
  const ofEntries = (some: readonly Source[], sharing: 'beside' | 'split', more: readonly Plugin[] = []) => ({
    entryPoints: some.map(({ id, file }) => ({
      in: file,
      out: sharing === 'split' ? 'index' : `${id}/index`,
    })),
    define: { ...OPTIONS.define, ...NO_WEB_BODIES },
    plugins: [ownRows(some, sourceOf), partsAtUse(parts, sharing), ...more, ...plugins],
  })
  const [common, modules] = [true, false].map((wanted) =>
    plans.filter(({ id }) => isCommonJs(id) === wanted),
  ) as [Source[], Source[]]
  const passes = [
    await compile({ ...ofEntries(modules, 'beside'), outdir: folder }),
    await compile({
      ...ofEntries(common, 'beside', [commonExports(sourceOf)]),
      outdir: folder,
      ...COMMON_JS,
    }),
  ]
  const inputs = passes.flatMap((pass) => Object.keys(pass.inputs))
  /** An entry as it is, or with the tools that it asks in parts. */
  const inParts = async (output: ReturnType<typeof outputsOf>[number]) => {
    const entry = { ...output, id: path.basename(path.dirname(output.file)), sharing: 0 }
    const plan = plans.find(({ id }) => id === entry.id)
    if (plan === undefined || !entry.needs.includes(TOOL)) return entry
    const made = await bundleInParts({
      compile,
      split: ofEntries([plan], 'split'),
      folder: path.join(folder, plan.id),
      isPart: (file) => SHARING.test(file),
    })
    inputs.push(...made.sources)
    return {
      ...entry,
      bytes: made.bytes,
      parts: byPackage(made.inputs),
      sharing: made.later,
      needs: made.beside,
    }
  }
  const entries = await Promise.all(passes.flatMap(outputsOf).map(inParts))
  const drafts = path.join(folder, PARTS)
  const isUndici = ([, module]: readonly [string, string]) => module === 'undici'
  const wholeParts = (some: readonly (readonly [string, string])[], define = {}) =>
    compile({
      entryPoints: some.map(([name, module]) => ({ in: module, out: path.basename(name, '.mjs') })),
      outdir: drafts,
      define: { ...OPTIONS.define, ...define },
      plugins,
    })
  const made = [
    // undici refuses streams of the Web by their class; what AWS is asked with knows none.
    await wholeParts([...parts].filter(isUndici)),
    await wholeParts(
      [...parts].filter((part) => !isUndici(part)),
      NO_WEB_BODIES,
    ),
  ]
  inputs.push(...made.flatMap((pass) => Object.keys(pass.inputs)))
  const partBytes = new Map(made.flatMap(outputsOf).map(({ file, bytes }) => [path.basename(file), bytes]))
  const weighed = entries.map(({ id, bytes, sharing, parts: by, needs }): BundleSize => {
    for (const name of needs) copyFileSync(path.join(drafts, name), path.join(folder, id, name))
    const later = needs.reduce((sum, name) => sum + (partBytes.get(name) ?? 0), sharing)
    return { id, bytes, later, parts: by }
  })
  // In the order of the plans, whichever pass made them.
  const sizes = plans.flatMap((plan) => weighed.filter(({ id }) => id === plan.id))
  rmSync(drafts, { recursive: true, force: true })
  return { sizes, inputs: [...new Set(inputs.map(fileOf))] }
}

/** Tries to put a folder in place, each of which another process may forestall: two that began together end together. */
const MOST_PUTS = 5

/**
 * Puts what was made in place, whole.
 * @returns what another process put there meanwhile, made of the same; null where this one's stands
 */
export function putInPlace(
  making: string,
  folder: string,
  present: () => Pick<MadeOf, 'sizes'> | null,
  rename: (from: string, to: string) => void = renameSync,
): readonly BundleSize[] | null {
  for (let left = MOST_PUTS; ; left -= 1) {
    const meanwhile = present()
    if (meanwhile !== null) return meanwhile.sizes
    rmSync(folder, { recursive: true, force: true })
    try {
      rename(making, folder)
      return null
    } catch (error) {
      // Another process put its own there just now.
      const { code } = error as NodeJS.ErrnoException
      if (left <= 1 || (code !== 'ENOTEMPTY' && code !== 'EEXIST')) throw error
    }
  }
}

/**
 * Bundles functions, each into `<folder>/<id>/` as the file that `entryOf` tells, and its parts. Nothing is done when nothing changed since the
 * last time: options, lockfile and the content of every file that went in.
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
  const present = (): MadeOf | null => {
    const record = readRecord(folder)
    return record !== null && record.recipe === recipe && isFresh(record) ? record : null
  }
  const before = present()
  if (before !== null) return before.sizes
  // Made beside and put in place whole: another process may make or read the same ones at the same time.
  const making = `${folder}-${randomBytes(6).toString('hex')}`
  try {
    const made = await compileAll(plans, making)
    requireOneCopy(made.inputs)
    const files = [...new Set(made.inputs)].filter((input) => existsSync(path.join(ROOT, input)))
    const inputs = Object.fromEntries(
      files.map((input) => [input, digest(readFileSync(path.join(ROOT, input)))]),
    )
    const record: MadeOf = { recipe, inputs, sizes: made.sizes }
    mkdirSync(making, { recursive: true })
    writeFileSync(path.join(making, RECORD), JSON.stringify(record))
    return putInPlace(making, folder, present) ?? record.sizes
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
  await compileAll(plans, folder, sourceOf)
}

/** A stand-in for a function's code where only the template matters. */
export const unbundled: CodeOf = ({ id }) => Code.fromInline(`// ${id}: bundling was skipped`)

/**
 * How the stack gets its functions' code. Where the command needs none (`cdk list`, `cdk destroy`, tests), the CDK says
 * so by an empty `aws:cdk:bundling-stacks`, and nothing is bundled.
 */
export async function buildCodeOf(app: App): Promise<CodeOf> {
  const wanted: unknown = app.node.tryGetContext('aws:cdk:bundling-stacks')
  if (Array.isArray(wanted) && wanted.length === 0) return unbundled
  await bundleFunctions()
  cpSync(CONSOLE_FILES, path.join(BUNDLES, CONSOLE, CONSOLE_FOLDER), { recursive: true })
  return ({ id }) => Code.fromAsset(path.join(BUNDLES, id))
}
