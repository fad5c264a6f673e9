import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App } from 'aws-cdk-lib'
import { unbundled } from '../bundling/stack-code.ts'
import { cdkContext } from '../local/read-deployment.ts'
import { Templates } from '../local/templates.ts'
import { ServiceStack } from '../service-stack.ts'
import type { Settings } from '../settings.ts'
import { type DeployedParts, deployedParts } from './deployed-parts.ts'

/** Synthesises the service with these settings, without bundling it, and reads what of it costs money. */
export function readParts(settings: Settings): DeployedParts {
  const outdir = mkdtempSync(path.join(tmpdir(), 'incident-investigator-cost-'))
  try {
    const app = new App({
      outdir,
      context: cdkContext(),
      treeMetadata: false,
      analyticsReporting: false,
      // It takes a second to load and changes no template.
      builtinCloudFormationValidation: false,
    })
    const stack = new ServiceStack(app, settings, unbundled)
    app.synth()
    return deployedParts(new Templates(outdir, stack))
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}
