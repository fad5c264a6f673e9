import path from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from '../root.ts'

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

/** Puts what stands in for them in the place of the modules that no function runs. */
export const neverRun: Plugin = {
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
