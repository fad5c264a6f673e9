/** One setting of an integration type, as plain data: the API, the documentation and forms come from it. */
export interface IntegrationField {
  readonly name: string
  readonly kind: 'string' | 'url' | 'secret' | 'repositories'
  readonly required: boolean
  /** Sensitive settings are sealed at rest and never answered. */
  readonly sensitive: boolean
  readonly max: number
  readonly hint: string
}

export interface IntegrationType {
  readonly type: string
  readonly title: string
  readonly hint: string
  readonly fields: readonly IntegrationField[]
}

const field = (
  name: string,
  kind: IntegrationField['kind'],
  hint: string,
  options: { required?: boolean; max?: number } = {},
): IntegrationField => ({
  name,
  kind,
  required: options.required ?? false,
  sensitive: kind === 'secret',
  max: options.max ?? 512,
  hint,
})

/** Every tool that can be connected. Adding one is a row here and a file in `adapters/tools/`. */
export const INTEGRATION_TYPES = [
  {
    type: 'bundle',
    title: 'Incident bundle',
    hint: 'A folder of records in the format incident-bundle/1. It gives all its records whatever the window.',
    fields: [
      field('prefix', 'string', 'Deployed: the folder below `bundles/` in the bucket of the stack.'),
      field('path', 'string', 'Local runner: the folder inside the bundles directory.'),
    ],
  },
  {
    type: 'github',
    title: 'GitHub',
    hint: 'Commits and deployments. With an app id, client id and client secret alone only public data can be read.',
    fields: [
      field('app_id', 'string', 'Identifier of the app.', { required: true, max: 64 }),
      field('client_id', 'string', 'Client identifier of the app.', { required: true, max: 128 }),
      field('client_secret', 'secret', 'Client secret of the app; write-only.', { required: true, max: 256 }),
      field(
        'repositories',
        'repositories',
        'Repositories to read, as `owner/name`, or {service: "owner/name"}.',
      ),
      field('base_url', 'url', 'API address of a GitHub Enterprise Server, ending in /api/v3.', {
        max: 2048,
      }),
    ],
  },
] as const satisfies readonly IntegrationType[]

export type IntegrationTypeName = (typeof INTEGRATION_TYPES)[number]['type']

/** The row of a type, or undefined when there is no such type. */
export const integrationType = (type: string): IntegrationType | undefined =>
  INTEGRATION_TYPES.find((row) => row.type === type)
