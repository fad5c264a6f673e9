import path from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from '../root.ts'
import type { SourceOf } from './function-source.ts'

/**
 * A function's credentials are in its environment, put there by Lambda, and renewed with it. The SDK's default chain
 * (profiles, sign-in, containers, instances) is 135 KB that no function ever runs.
 */
export const environmentCredentials: Plugin = {
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

const ENDPOINTS = path.join(ROOT, 'shared/adapters/aws-endpoints.ts')

/**
 * Where a service is: the SDK works it out from rules that know accounts, access points and accelerated endpoints, and
 * from a table of all regions. A deployment meets a region, and an emulator an address.
 */
export const ownEndpoints: Plugin = {
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
export const namedShapes = (sourceOf: SourceOf): Plugin => ({
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
