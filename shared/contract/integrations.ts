import * as z from 'zod/mini'
import { INTEGRATION_STATUSES } from '../domain/integration.ts'
import {
  INTEGRATION_TYPES,
  type IntegrationField,
  type IntegrationType,
  MOST_ENTRIES,
} from '../domain/integration-types.ts'
import { instantOut, line, overlapSeconds, text } from './fields.ts'
import { nextCursor, pagingParameters } from './paging.ts'
import { validate } from './validate.ts'

/** Repositories one integration may name. */
const MOST_REPOSITORIES = 50
const repository = () =>
  z.string().check(
    z.regex(
      /^[A-Za-z0-9_-]{1,100}\/([A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}|\.[A-Za-z0-9_-][A-Za-z0-9_.-]{0,98}|\.\.[A-Za-z0-9_.-]{1,98})$/,
      {
        error: 'must have the form owner/name',
      },
    ),
  )

/** An address of a tool: http(s), without user, query and fragment. Where it may lead, the guard of requests decides. */
const address = (most: number) =>
  line(most)
    .check(
      z.refine(
        (value) => {
          if (!URL.canParse(value)) return false
          const { protocol, username, password, search, hash } = new URL(value)
          return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
        },
        { error: 'must be an http or https address without user, query and fragment' },
      ),
    )
    .register(z.globalRegistry, { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?:', maxLength: most })

/** One line of a form of its own. */
const formed = (most: number, { pattern, words }: NonNullable<IntegrationField['form']>) => {
  const form = new RegExp(pattern)
  return line(most)
    .check(z.refine((value) => form.test(value), { error: `must be ${words}` }))
    .register(z.globalRegistry, { minLength: 1, maxLength: most, pattern })
}

/** Characters of a name in a map. */
const LONGEST_NAME = 200

/** A line, of a form of its own where its row has one. */
const lineOf = (most: number, form: IntegrationField['form']) =>
  form === undefined ? line(most) : formed(most, form)

/** A map with a bounded number of names. */
const mapOf = <Value extends z.ZodMiniType>(
  value: Value,
  most: number,
  what: string,
  names?: IntegrationField['names'],
) =>
  z
    .record(lineOf(LONGEST_NAME, names), value)
    .check(z.refine((map) => Object.keys(map).length <= most, { error: `must name at most ${most} ${what}` }))

function shapeOf(field: IntegrationField): z.ZodMiniType {
  switch (field.kind) {
    case 'repositories':
      return z.union([
        z.array(repository()).check(z.minLength(1), z.maxLength(MOST_REPOSITORIES)),
        mapOf(repository(), MOST_REPOSITORIES, 'repositories'),
      ])
    case 'url':
      return address(field.max)
    case 'text':
      return text(field.max)
    case 'choice':
      return z.enum(field.choices ?? [])
    case 'number':
      return z.int().check(z.minimum(field.min ?? 0), z.maximum(field.max))
    case 'boolean':
      return z.boolean()
    case 'list':
      return z
        .array(lineOf(field.max, field.form))
        .check(z.minLength(1), z.maxLength(field.most ?? MOST_ENTRIES))
    case 'map':
      return mapOf(lineOf(field.max, field.form), field.most ?? MOST_ENTRIES, 'entries', field.names)
    case 'string':
    case 'secret':
      return lineOf(field.max, field.form)
  }
}

/** The shape of a type's settings, built from the table of types. */
export const configShape = (type: IntegrationType) =>
  z.strictObject(
    Object.fromEntries(
      type.fields.map((field) => [field.name, field.required ? shapeOf(field) : z.optional(shapeOf(field))]),
    ),
  )

/** The shape of a change of a type's settings: any of them, null taking an optional one away. */
export const configChangeShape = (type: IntegrationType) =>
  z.strictObject(
    Object.fromEntries(
      type.fields.map((field) => [
        field.name,
        z.optional(field.required ? shapeOf(field) : z.nullable(shapeOf(field))),
      ]),
    ),
  )

/** The shape of each type's settings is made when the first of that type are read: a request is about one. */
const creations = INTEGRATION_TYPES.map((row) =>
  z.strictObject({ type: z.literal(row.type), config: z.lazy(() => configShape(row)) }),
)

export const newIntegration = z
  .discriminatedUnion('type', creations as [(typeof creations)[number], ...typeof creations])
  .register(z.globalRegistry, { id: 'NewIntegration' })

export const integrationChange = z
  .strictObject({
    config: z.optional(z.record(z.string(), z.unknown())),
    enabled: z.optional(z.boolean()),
    rotate_ingest_token: z
      .optional(
        z.strictObject({
          overlap_seconds: z.optional(overlapSeconds()),
        }),
      )
      .register(z.globalRegistry, {
        description:
          'Replaces the ingest token; the answer shows the new one, only this once. The old one stays valid for overlap_seconds (default: a day). No other field may be given with it.',
      }),
  })
  .check(
    z.refine((change) => Object.keys(change).length > 0, { error: 'must name at least one field to change' }),
    z.refine((change) => change.rotate_ingest_token === undefined || Object.keys(change).length === 1, {
      error: 'must name no other field',
      path: ['rotate_ingest_token'],
    }),
  )
  .register(z.globalRegistry, {
    id: 'IntegrationChange',
    minProperties: 1,
    allOf: [
      {
        anyOf: [
          { maxProperties: 1 },
          { not: { properties: { rotate_ingest_token: {} }, required: ['rotate_ingest_token'] } },
        ],
      },
    ],
  })

/** Where a tool sends its alerts to. */
const ingest = z
  .strictObject({
    url: z.string(),
    token: z.nullable(z.string()).register(z.globalRegistry, {
      description:
        'What the tool identifies itself with; shown once, when it is made or rotated, and null afterwards.',
    }),
  })
  .register(z.globalRegistry, { id: 'Ingest', description: 'Where a tool sends its alerts to.' })

/** What a setting holds where it is shown. Rules of what may be set may become narrower than what was set before. */
function shownShapeOf({ kind, choices = [] }: IntegrationField): z.ZodMiniType {
  switch (kind) {
    case 'repositories':
      return z.union([z.array(z.string()), z.record(z.string(), z.string())])
    case 'choice':
      return z.enum(choices)
    case 'number':
      return z.int()
    case 'boolean':
      return z.boolean()
    case 'list':
      return z.array(z.string())
    case 'map':
      return z.record(z.string(), z.string())
    case 'url':
    case 'text':
    case 'string':
    case 'secret':
      return z.string()
  }
}

/**
 * The shape of a type's settings as they are shown: in the place of each sensitive one, whether it is there. That is
 * absent where the settings are older than the setting.
 */
export const shownConfigShape = (type: IntegrationType) =>
  z.strictObject(
    Object.fromEntries(
      type.fields.map((field) => {
        if (field.sensitive) return [`has_${field.name}`, z.optional(z.boolean())]
        const shown = shownShapeOf(field)
        return [field.name, field.required ? shown : z.optional(shown)]
      }),
    ),
  )

/** Each type with its settings as they are shown, under a name of their own in the document: `GithubSettings`. */
const shownTypes = () =>
  INTEGRATION_TYPES.map((row) => ({
    type: row.type,
    config: shownConfigShape(row).register(z.globalRegistry, {
      id: `${row.type.replace(/^./, (first) => first.toUpperCase())}Settings`,
      description: `Settings of ${row.title} without the sensitive ones, of which \`has_…\` tells whether they are there.`,
    }),
  }))
const shown = shownTypes()

/** An integration of any type, with the settings of its type. @param more what else is shown of it */
function ofEachType<More extends Readonly<Record<string, z.ZodMiniType>>>(more: More) {
  const made = shown.map(({ type, config }) =>
    z.strictObject({
      id: z.string(),
      type: z.literal(type),
      status: z.enum(INTEGRATION_STATUSES),
      status_detail: z.nullable(z.string()),
      config,
      ingest: z
        .nullable(ingest)
        .register(z.globalRegistry, { description: 'Null for a tool that is only asked.' }),
      created_at: instantOut(),
      updated_at: instantOut(),
      connected_at: z.nullable(instantOut()),
      ...more,
    }),
  )
  return z.discriminatedUnion('type', made as [(typeof made)[number], ...typeof made])
}

export const integration = ofEachType({}).register(z.globalRegistry, { id: 'Integration' })

export const integrationCreated = ofEachType({ warnings: z.optional(z.array(z.string())) }).register(
  z.globalRegistry,
  { id: 'IntegrationCreated' },
)

export const messageTaken = z
  .strictObject({ integration_id: z.string(), received_at: instantOut() })
  .register(z.globalRegistry, { id: 'MessageTaken' })

export const integrationList = z
  .strictObject({ integrations: z.array(integration), next_cursor: nextCursor })
  .register(z.globalRegistry, { id: 'IntegrationList' })

export const integrationPaging = z.strictObject(pagingParameters)

/** Reads a change of settings against the shape of their type. @throws Refusal `invalid` naming `config.<field>` */
export function readConfigChange(type: IntegrationType, config: unknown): Readonly<Record<string, unknown>> {
  return validate(z.strictObject({ config: configChangeShape(type) }), { config }, 'body').config
}
