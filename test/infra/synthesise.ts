import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App, Validations } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { AwsSolutionsChecks } from 'cdk-nag'
import { afterAll } from 'vitest'
import { unbundled } from '#infra/bundle-functions.ts'
import { cdkContext } from '#infra/local/read-deployment.ts'
import { type Part, Templates } from '#infra/local/templates.ts'
import { ServiceStack } from '#infra/service-stack.ts'
import { readSettingsFile, SETTINGS_FILE, type Settings } from '#infra/settings.ts'

export type CfnResource = ReturnType<Template['findResources']>[string]

/** The service, synthesised as `cdk deploy` would, with the checks of the app but without bundling. */
export interface Synthesised {
  readonly stack: ServiceStack
  readonly outdir: string
  readonly templates: Readonly<Record<Part | 'root', Template>>
  /** Follows references between the nested stacks. */
  readonly references: Templates
}

const made = new Map<string, Synthesised>()
afterAll(() => {
  for (const { outdir } of made.values()) rmSync(outdir, { recursive: true, force: true })
})

/**
 * Synthesises with the committed settings and the changes given; once for each combination in a file of tests.
 * @throws Error when cdk-nag finds something that is not answered for
 */
export function synthesise(changes: Partial<Settings> = {}): Synthesised {
  const settings: Settings = { ...readSettingsFile(SETTINGS_FILE), ...changes }
  const name = JSON.stringify(settings)
  const known = made.get(name)
  if (known !== undefined) return known
  const outdir = mkdtempSync(path.join(tmpdir(), 'incident-investigator-test-'))
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
  const synthesised = { stack, outdir, templates, references: new Templates(outdir, stack) }
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
