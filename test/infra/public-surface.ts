import type { Part } from '#infra/local/templates.ts'
import { reference } from '#infra/local/templates.ts'
import type { Synthesised } from './synthesise.ts'
import { resourcesOf } from './synthesise.ts'

/** A statement of a role, with names for resources: what a reader of a review must see. */
export interface NamedStatement {
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly conditions: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

type Json = Readonly<Record<string, unknown>>

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** The name of a resource: its logical id without the digest that CDK puts behind it. */
const shortName = (logicalId: string): string => logicalId.replace(/[0-9A-F]{8}$/, '')

function nameResource(given: Synthesised, part: Part, value: unknown): string {
  if (typeof value === 'string') return value
  const to = reference(value)
  // What every stack has leads nowhere: the partition that it is in.
  if (to?.id.startsWith('AWS::') === true) return `<${to.id}>`
  if (to !== null) {
    const name = shortName(given.references.follow(part, value).logicalId)
    return `${to.id}.${to.attribute}`.includes('StreamArn') ? `${name}/stream` : name
  }
  const joined = (value as Json)['Fn::Join']
  if (!Array.isArray(joined)) throw new Error(`a resource that has no name: ${JSON.stringify(value)}`)
  return (joined[1] as readonly unknown[]).map((piece) => nameResource(given, part, piece)).join('')
}

/** What the role of each function says, by the function's id. */
export function namedRoles(given: Synthesised): ReadonlyMap<string, readonly NamedStatement[]> {
  const ids = new Map(
    [...given.stack.api.functions, ...given.stack.workers.functions].map(([id]) => [
      id.replaceAll('-', ''),
      id as string,
    ]),
  )
  return new Map(
    resourcesOf(given, 'AWS::Lambda::Function').map(({ part, id, resource }) => {
      const functionId = ids.get(shortName(id).replace(/Function$/, ''))
      if (functionId === undefined) throw new Error(`the function ${id} has no name`)
      const role = given.references.resource(given.references.follow(part, resource.Properties.Role))
      const policies = role.Properties.Policies as readonly {
        readonly PolicyDocument: { readonly Statement: readonly Json[] }
      }[]
      const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      return [
        functionId,
        statements.map(({ Action, Resource, Condition }) => ({
          actions: listOf(Action).map(String),
          resources: listOf(Resource).map((each) => nameResource(given, part, each)),
          conditions: (Condition ?? {}) as NamedStatement['conditions'],
        })),
      ] as const
    }),
  )
}

/** The values of a statement's conditions, in words. */
const inWords = ({ conditions }: NamedStatement): string => {
  const values = Object.values(conditions).flatMap((tests) => Object.values(tests).flatMap(listOf))
  return values.length === 0 ? '' : `  only ${values.join(', ')}`
}

/** What stands in every role: its own log, and traces. */
const isOwnLogOrTrace = ({ actions }: NamedStatement): boolean =>
  actions.every((action) => action.startsWith('logs:') || action.startsWith('xray:'))

/** What the service shows and what its functions may do, to be read line by line. */
export function describeSurface(
  given: Synthesised,
  routes: readonly { readonly method: string; readonly resource: string; readonly functionId: string }[],
): string {
  const routeLines = routes
    .map(({ method, resource, functionId }) => `  ${resource} ${method} -> ${functionId}`)
    .sort()
  const roleLines = [...namedRoles(given)].flatMap(([id, statements]) => [
    `  ${id}`,
    ...statements
      .filter((statement) => !isOwnLogOrTrace(statement))
      .map(
        (statement) =>
          `    ${statement.actions.join(' ')} on ${statement.resources.join(', ')}${inWords(statement)}`,
      ),
  ])
  const alarms = Object.keys(given.templates.alarms.findResources('AWS::CloudWatch::Alarm'))
  return [
    'Routes',
    ...routeLines,
    'What functions may do, besides writing their own log and traces',
    ...roleLines,
    'Alarms',
    ...alarms.map((id) => `  ${shortName(id)}`).sort(),
    '',
  ].join('\n')
}
