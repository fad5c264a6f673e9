import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { PLAIN_ESM } from '#infra/bundling/esbuild-pass.ts'
import { eventOf } from '#test/edge/call-endpoint.ts'

const FOLDER = fileURLToPath(new URL('rivals/', import.meta.url))

/** A hello world on a framework, bundled, with the event that it answers. */
export interface Rival {
  readonly name: 'express' | 'fastify' | 'hono' | 'nest' | 'trpc'
  readonly title: string
  readonly file: string
  readonly event: unknown
}

const TITLES: Readonly<Record<Rival['name'], string>> = {
  express: 'Express, serverless-express',
  fastify: 'Fastify, @fastify/aws-lambda',
  hono: 'Hono, hono/aws-lambda',
  nest: 'NestJS, serverless-express',
  trpc: 'tRPC, aws-lambda adapter',
}
const NAMES = Object.keys(TITLES) as Rival['name'][]

/** What NestJS and others ask for only where it is installed. */
const IF_INSTALLED = [
  '@nestjs/websockets/*',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
]

/**
 * Installs the rivals where they are not yet, and bundles each as this service's own functions are: minified, the ES
 * modules of packages first, Node's modules taken without their ESM wrapping. That is to their favour: their users'
 * default builds are slower.
 * @param outdir folder that the bundles go to
 * @throws Error when they cannot be installed, which needs the npm registry
 */
export async function bundleRivals(outdir: string): Promise<readonly Rival[]> {
  if (!existsSync(path.join(FOLDER, 'node_modules', '.package-lock.json'))) {
    process.stderr.write('installing the rivals…\n')
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER })
  }
  await build({
    ...PLAIN_ESM,
    absWorkingDir: FOLDER,
    entryPoints: NAMES.map((name) => ({ in: `${name}.mjs`, out: name })),
    outdir,
    external: IF_INSTALLED,
  })
  return NAMES.map((name) => ({
    name,
    title: TITLES[name],
    file: path.join(outdir, `${name}.mjs`),
    event: eventOf({ path: '/hello' }),
  }))
}

/** The exact versions of what the rivals are made of, by package. */
export async function rivalVersions(): Promise<Readonly<Record<string, string>>> {
  const { dependencies } = JSON.parse(await readFile(path.join(FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return dependencies
}
