import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { NestedStack } from 'aws-cdk-lib'
import type { ServiceStack } from '../service-stack.ts'

/** A resource of a synthesised template. */
export interface TemplateResource {
  readonly Type: string
  readonly Properties: Readonly<Record<string, unknown>>
}

/** A synthesised template, as far as it is read here. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>
}

export type Part = 'state' | 'api' | 'workers' | 'alarms'

/** A resource by the part of the stack that holds it and its logical id there. */
export interface ResourceAddress {
  readonly part: Part
  readonly logicalId: string
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The logical id that `{Ref}` or `{Fn::GetAtt}` names, and the attribute, or null for anything else. */
export function reference(value: unknown): { readonly id: string; readonly attribute: string } | null {
  if (!isObject(value)) return null
  if (typeof value.Ref === 'string') return { id: value.Ref, attribute: 'Ref' }
  const attribute = value['Fn::GetAtt']
  if (!Array.isArray(attribute)) return null
  return { id: String(attribute[0]), attribute: String(attribute[1]) }
}

/** The templates of a synthesised service, and how their references lead from one to another. */
export class Templates {
  readonly #parts: Readonly<Record<Part, Template>>
  /** Parameters of nested stacks: where their values come from. Names are unique over all parts. */
  readonly #parameters = new Map<string, unknown>()
  readonly #partOfStack: ReadonlyMap<string, Part>

  constructor(outdir: string, stack: ServiceStack) {
    const read = (file: string) => JSON.parse(readFileSync(path.join(outdir, file), 'utf8')) as Template
    const root = read(stack.templateFile)
    const nested: readonly (readonly [Part, NestedStack])[] = [
      ['state', stack.state],
      ['api', stack.api],
      ['workers', stack.workers],
      ['alarms', stack.alarms],
    ]
    this.#parts = Object.fromEntries(
      nested.map(([part, { templateFile }]) => [part, read(templateFile)]),
    ) as Record<Part, Template>
    this.#partOfStack = new Map(
      nested.map(([part, { nestedStackResource }]) => [
        stack.getLogicalId(nestedStackResource as Parameters<typeof stack.getLogicalId>[0]),
        part,
      ]),
    )
    for (const { Properties } of Object.values(root.Resources)) {
      if (!isObject(Properties.Parameters)) continue
      for (const [name, value] of Object.entries(Properties.Parameters)) this.#parameters.set(name, value)
    }
  }

  /** Every resource of a type in a part, with its logical id. */
  ofType(part: Part, type: string): readonly (readonly [logicalId: string, TemplateResource])[] {
    return Object.entries(this.#parts[part].Resources).filter(([, resource]) => resource.Type === type)
  }

  resource({ part, logicalId }: ResourceAddress): TemplateResource {
    const resource = this.#parts[part].Resources[logicalId]
    if (resource === undefined) throw new Error(`the template of ${part} has no ${logicalId}`)
    return resource
  }

  /**
   * Follows a reference to the resource it means, through the parameters and outputs of nested stacks.
   * @throws Error when it leads nowhere
   */
  follow(part: Part, value: unknown): ResourceAddress {
    const direct = reference(value)
    if (direct === null) throw new Error(`not a reference: ${JSON.stringify(value)}`)
    if (this.#parts[part].Resources[direct.id] !== undefined) return { part, logicalId: direct.id }
    const given = reference(this.#parameters.get(direct.id))
    const origin = given === null ? undefined : this.#partOfStack.get(given.id)
    if (given === null || origin === undefined) throw new Error(`the reference ${direct.id} leads nowhere`)
    const output = this.#parts[origin].Outputs?.[given.attribute.replace(/^Outputs\./, '')]
    return this.follow(origin, output?.Value)
  }
}
