import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App, Validations } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { AwsSolutionsChecks } from 'cdk-nag'
import { unbundled } from '#infra/bundling/stack-code.ts'
import { cdkContext } from '#infra/local/read-deployment.ts'
import { type Part, Templates } from '#infra/local/templates.ts'
import { ServiceStack } from '#infra/service-stack.ts'
import { readSettingsFile, SETTINGS_FILE, type Settings } from '#infra/settings.ts'

export type CfnResource = ReturnType<Template['findResources']>[string]

/** The service, synthesised as `cdk deploy` would, with the checks of the app but without bundling. */
export interface Synthesised {
  readonly stack: ServiceStack
  /** What `cdk deploy` would read, by the file's name; the folder itself is gone. */
  readonly assembly: ReadonlyMap<string, string>
  readonly templates: Readonly<Record<Part | 'root', Template>>
  /** Follows references between the nested stacks. */
  readonly references: Templates
}

const made = new Map<string, Synthesised>()

function synthesiseInFolder(settings: Settings): Synthesised {
  const outdir = mkdtempSync(path.join(tmpdir(), 'incident-investigator-test-'))
  try {
    const app = new App({ outdir, context: { ...cdkContext(), 'aws:cdk:bundling-stacks': [] } })
    const stack = new ServiceStack(app, settings, unbundled)
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
    const templates = {
      root: Template.fromStack(stack),
      state: Template.fromStack(stack.state),
      api: Template.fromStack(stack.api),
      workers: Template.fromStack(stack.workers),
      alarms: Template.fromStack(stack.alarms),
    }
    const assembly = new Map(
      readdirSync(outdir, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name: file }) => [file, readFileSync(path.join(outdir, file), 'utf8')]),
    )
    return { stack, assembly, templates, references: new Templates(outdir, stack) }
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

/**
 * Synthesises with the committed settings and the changes given; once for each combination in a process. Files of tests
 * that share the process share what it gives, so nobody changes it.
 * @throws Error when cdk-nag finds something that is not answered for
 */
export function synthesise(changes: Partial<Settings> = {}): Synthesised {
  const settings: Settings = { ...readSettingsFile(SETTINGS_FILE), ...changes }
  const name = JSON.stringify(settings)
  const known = made.get(name)
  if (known !== undefined) return known
  const synthesised = synthesiseInFolder(settings)
  made.set(name, synthesised)
  return synthesised
}

/** Every resource of a type, over all nested stacks, with the part it is in. */
export function resourcesOf(
  { templates }: Synthesised,
  type: string,
): readonly { readonly part: Part; readonly id: string; readonly resource: CfnResource }[] {
  return (['state', 'api', 'workers', 'alarms'] as const).flatMap((part) =>
    Object.entries(templates[part].findResources(type)).map(([id, resource]) => ({ part, id, resource })),
  )
}
