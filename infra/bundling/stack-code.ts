import { cpSync } from 'node:fs'
import path from 'node:path'
import type { App } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { CONSOLE } from '#shared/contract/console.ts'
import { CONSOLE_FILES } from '../build-console.ts'
import { CONSOLE_FOLDER } from '../grants.ts'
import type { CodeOf } from '../lambda-function.ts'
import { bundleFunctions } from './bundle-functions.ts'
import { BUNDLES } from './bundle-places.ts'

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
