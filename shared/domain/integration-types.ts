import { HEADER_NAME, HEADER_VALUE } from './header-form.ts'

/**
 * What a setting holds:
 * - `string` one line, `text` several lines, `secret` one line that is never shown, `url` an http(s) address
 * - `choice` one of `choices`, `number` a whole number from `min` to `max`, `boolean`
 * - `list` of lines, `map` from a line to a line; at most `most` of them, each of at most `max` characters
 * - `repositories` a list of owner/name, or a map from service to owner/name
 */
export const FIELD_KINDS = [
  'string',
  'text',
  'secret',
  'url',
  'choice',
  'number',
  'boolean',
  'list',
  'map',
  'repositories',
] as const
export type FieldKind = (typeof FIELD_KINDS)[number]

/** One setting of an integration type, as plain data: the API, the documentation and forms come from it. */
export interface IntegrationField {
  readonly name: string
  readonly kind: FieldKind
  readonly required: boolean
  /** Sensitive settings are sealed at rest and never answered. */
  readonly sensitive: boolean
  /** Characters of a text or of each entry; the largest value of a number. */
  readonly max: number
  /** The smallest value of a number. */
  readonly min?: number
  /** Entries of a list or a map. */
  readonly most?: number
  readonly choices?: readonly string[]
  /** What the whole of a `string`, a `secret`, an entry of a `list` or a value of a `map` must match, and in words. */
  readonly form?: { readonly pattern: string; readonly words: string }
  /** The same for each name of a `map`. */
  readonly names?: { readonly pattern: string; readonly words: string }
  readonly hint: string
}

export interface IntegrationType {
  readonly type: string
  readonly title: string
  readonly hint: string
  readonly fields: readonly IntegrationField[]
}

/** Entries that a list or a map may have where its row does not say. */
export const MOST_ENTRIES = 50

const field = (
  name: string,
  kind: FieldKind,
  hint: string,
  options: Partial<Omit<IntegrationField, 'name' | 'kind' | 'hint'>> = {},
): IntegrationField => ({
  ...(kind === 'list' || kind === 'map' ? { most: MOST_ENTRIES } : {}),
  ...(kind === 'number' ? { min: 0 } : {}),
  ...options,
  name,
  kind,
  required: options.required ?? false,
  sensitive: options.sensitive ?? kind === 'secret',
  max: options.max ?? (kind === 'url' ? 2048 : 512),
  hint,
})

/** What stands in a header; a client would refuse anything else with an error that quotes it. */
const IN_A_HEADER = { pattern: '^[!-~]+$', words: 'printable ASCII without spaces' }

/** Basic authentication ends the user at the first colon. */
const HIDDEN = ':\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069'
const USER = {
  pattern: `^[^${HIDDEN}]*[^\\s${HIDDEN}][^${HIDDEN}]*$`,
  words: 'a name without colons',
}
const CLIENT = { pattern: '^[!-9;-~]+$', words: 'printable ASCII without colons and spaces' }

/** Further headers of every request to a tool. */
const headersField = (hint: string): IntegrationField =>
  field('headers', 'map', hint, {
    sensitive: true,
    most: 10,
    max: 4096,
    form: HEADER_VALUE,
    names: HEADER_NAME,
  })

/** How a tool behind HTTP is reached and what it is shown: the same for every one that knows no scheme of its own. */
const httpFields = (title: string, more: { readonly base_url?: boolean } = {}): IntegrationField[] => [
  field('base_url', 'url', `Address of ${title}, with its path prefix if it has one.`, {
    required: more.base_url ?? true,
  }),
  field('bearer_token', 'secret', 'Token that is sent as `Authorization: Bearer …`; write-only.', {
    max: 4096,
    form: IN_A_HEADER,
  }),
  field('username', 'string', 'User of basic authentication, instead of a token.', {
    max: 256,
    form: USER,
  }),
  field('password', 'secret', 'Password of basic authentication; write-only.'),
  headersField(
    'Further headers, such as `X-Scope-OrgID` for a tenant; write-only, because they may hold credentials.',
  ),
]

const serviceLabel = /* @__PURE__ */ field(
  'service_label',
  'string',
  'Label that names the service, where it is none of the usual ones.',
  { max: 100 },
)
const LOG_SELECTOR_HINT =
  'Selector of the streams to read in LogQL, such as `{namespace="shop"}`; default: all.'
/** What a person may say about the names in a metrics store; nothing of it is needed. */
const metricsFields: readonly IntegrationField[] = [
  serviceLabel,
  field('queries', 'map', 'Queries of your own in PromQL, by the name that their series get.', {
    most: 10,
    max: 2048,
  }),
]

// A function, so that bundles whose functions know no types leave the table out.
const types = () =>
  [
    {
      type: 'alertmanager',
      title: 'Alertmanager',
      hint: 'Alerts that fire, and silences, as Alertmanager has them now.',
      fields: httpFields('Alertmanager'),
    },
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
      type: 'cloudwatch',
      title: 'Amazon CloudWatch',
      hint: 'Alarms, metrics of AWS services, log groups and the service graph of X-Ray, in one region.',
      fields: [
        field('region', 'string', 'Region, such as eu-central-1.', {
          required: true,
          max: 32,
          form: { pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]$', words: 'a region, such as eu-central-1' },
        }),
        field(
          'role_arn',
          'string',
          'Role that reads another account: arn:aws:iam::ACCOUNT:role/iis-reader-NAME; default: the account of the service. A first try without trust tells the external id that its trust policy must name.',
          {
            max: 128,
            form: {
              pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/iis-reader-[A-Za-z0-9_+=,.@-]{1,53}$',
              words: 'arn:aws:iam::ACCOUNT:role/iis-reader-NAME',
            },
          },
        ),
        field('log_groups', 'list', 'Log groups whose failing lines are read.', { most: 20 }),
        field('service_map', 'map', 'Services by a value of a dimension, a log group or a name in X-Ray.'),
        field('topic_arns', 'list', 'SNS topics whose messages are taken at the ingest address.', {
          most: 20,
          max: 300,
        }),
      ],
    },
    {
      type: 'datadog',
      title: 'Datadog',
      hint: 'Monitors, the metrics that they watch, traffic by service, log lines with counts, and events.',
      fields: [
        field('api_key', 'secret', 'API key; write-only.', { required: true, max: 128, form: IN_A_HEADER }),
        field('app_key', 'secret', 'Application key that may read; write-only.', {
          required: true,
          max: 128,
          form: IN_A_HEADER,
        }),
        field('site', 'choice', 'Site of the organization; default datadoghq.com.', {
          choices: [
            'datadoghq.com',
            'us3.datadoghq.com',
            'us5.datadoghq.com',
            'datadoghq.eu',
            'ap1.datadoghq.com',
            'ap2.datadoghq.com',
            'ddog-gov.com',
          ],
        }),
        field('base_url', 'url', 'Address of the API, where it is reached by another than that of the site.'),
      ],
    },
    {
      type: 'github',
      title: 'GitHub',
      hint: 'Commits and deployments. With an app id, client id and client secret alone only public data can be read.',
      fields: [
        field('app_id', 'string', 'Identifier of the app.', { required: true, max: 64 }),
        field('client_id', 'string', 'Client identifier of the app.', {
          required: true,
          max: 128,
          form: CLIENT,
        }),
        field('client_secret', 'secret', 'Client secret of the app; write-only.', {
          required: true,
          max: 256,
          form: IN_A_HEADER,
        }),
        field(
          'private_key',
          'text',
          'Private key of the app in PEM, line breaks included: reaches what the installations of the app grant; write-only.',
          { sensitive: true, max: 8192 },
        ),
        field('installation_id', 'string', 'Installation to read, where the app has several.', {
          max: 19,
          form: { pattern: '^[0-9]+$', words: 'a number' },
        }),
        field(
          'repositories',
          'repositories',
          'Repositories to read, as `owner/name`, or {service: "owner/name"}; with a private key default: all that the app is installed for.',
        ),
        field('base_url', 'url', 'API address of a GitHub Enterprise Server, ending in /api/v3.'),
        field(
          'webhook_secret',
          'secret',
          'Secret of the webhook in GitHub; default: the ingest token; write-only.',
          { max: 256 },
        ),
      ],
    },
    {
      type: 'grafana',
      title: 'Grafana',
      hint: 'Alerts and annotations of Grafana, and through it one data source each of Prometheus, Loki, Tempo and Jaeger.',
      fields: [
        field('base_url', 'url', 'Address of Grafana, with its path prefix if it has one.', {
          required: true,
        }),
        field('token', 'secret', 'Token of a service account with the role Viewer; write-only.', {
          required: true,
          max: 4096,
          form: IN_A_HEADER,
        }),
        field('org_id', 'number', 'Organisation, where the token may see several.', {
          min: 1,
          max: 1_000_000,
        }),
        field('datasource_uids', 'list', 'Data sources to ask, by uid; default: one of each kind.', {
          most: 8,
          max: 64,
        }),
        headersField('Further headers; write-only, because they may hold credentials.'),
        ...metricsFields,
        field('selector', 'string', LOG_SELECTOR_HINT),
        field(
          'hmac_secret',
          'secret',
          'Secret that the contact point signs with; default: the ingest token; write-only.',
          { max: 256 },
        ),
      ],
    },
    {
      type: 'kubernetes',
      title: 'Kubernetes',
      hint: 'Events, rollouts, pods, nodes and autoscalers of one cluster. Secrets are never asked for.',
      fields: [
        field('base_url', 'url', 'Address of the API server.', { required: true }),
        field('bearer_token', 'secret', 'Token of a service account that may list; write-only.', {
          form: IN_A_HEADER,
          required: true,
          max: 8192,
        }),
        field(
          'ca_certificate',
          'text',
          'Certificate of the cluster’s authority in PEM, line breaks included.',
          { max: 16384 },
        ),
        field('namespaces', 'list', 'Namespaces to read; default: all of them.', {
          max: 63,
          form: { pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$', words: 'the name of a namespace' },
        }),
      ],
    },
    {
      type: 'loki',
      title: 'Loki',
      hint: 'Log lines: how many, those of trouble, and those of the service that is asked about.',
      fields: [...httpFields('Loki'), field('selector', 'string', LOG_SELECTOR_HINT), serviceLabel],
    },
    {
      type: 'opensearch',
      title: 'OpenSearch',
      hint: 'Log lines of trouble and how many there are, from OpenSearch or Elasticsearch.',
      fields: [
        ...httpFields('OpenSearch'),
        field('api_key', 'secret', 'API key of Elasticsearch, instead of a token or a user; write-only.', {
          max: 4096,
          form: IN_A_HEADER,
        }),
        field('index_pattern', 'string', 'Indices to read, such as `logs-*`.', {
          required: true,
          max: 256,
          // It stands in a path: nothing in it may lead to another one.
          form: { pattern: '^[a-z0-9][a-z0-9._*,-]*$', words: 'names of indices, with * and commas' },
        }),
        field('time_field', 'string', 'Field of the time; default `@timestamp`.', { max: 200 }),
        field(
          'service_field',
          'string',
          'Field that names the service, where it is none of the usual ones.',
          {
            max: 200,
          },
        ),
        field('message_field', 'string', 'Field of the message, where it is none of the usual ones.', {
          max: 200,
        }),
      ],
    },
    {
      type: 'pagerduty',
      title: 'PagerDuty',
      hint: 'Incidents with their alerts, and change events.',
      fields: [
        field('api_token', 'secret', 'Key of the REST API, read-only is enough; write-only.', {
          form: IN_A_HEADER,
          required: true,
          max: 256,
        }),
        field('service_ids', 'list', 'Services whose incidents are read; default: all of them.', { max: 64 }),
        field('base_url', 'url', 'Address of the API; in the EU https://api.eu.pagerduty.com.'),
        field(
          'webhook_secret',
          'secret',
          'Secret that PagerDuty shows when the webhook subscription is made; write-only.',
          { max: 256 },
        ),
      ],
    },
    {
      type: 'prometheus',
      title: 'Prometheus',
      hint: 'Metrics, rules and the history of alerts, from Prometheus or a store that speaks its API (Thanos, Mimir, VictoriaMetrics).',
      fields: [...httpFields('Prometheus'), ...metricsFields],
    },
    {
      type: 'sentry',
      title: 'Sentry',
      hint: 'Issues with how often they were seen before, and releases with their deploys.',
      fields: [
        field('organization', 'string', 'Slug of the organization.', { required: true, max: 128 }),
        field('auth_token', 'secret', 'Token with event:read, project:read and org:read; write-only.', {
          form: IN_A_HEADER,
          required: true,
        }),
        field('projects', 'list', 'Slugs of the projects to read; default: all of them.', { max: 128 }),
        field('base_url', 'url', 'Address of a Sentry of your own, or of another region.'),
        field(
          'client_secret',
          'secret',
          'Client secret of the internal integration whose webhooks are sent here; write-only.',
          { max: 256 },
        ),
      ],
    },
    {
      type: 'statuspage',
      title: 'Statuspage',
      hint: 'What a provider says of itself on its public status page.',
      fields: [field('base_url', 'url', 'Address of the page.', { required: true })],
    },
    {
      type: 'tempo',
      title: 'Tempo or Jaeger',
      hint: 'Traces: failed, slow and usual ones, from Tempo or from the query API of Jaeger.',
      fields: [
        ...httpFields('Tempo or of the query service of Jaeger'),
        field('api', 'choice', 'Which API answers at the address; default `tempo`.', {
          choices: ['tempo', 'jaeger'],
        }),
      ],
    },
    {
      type: 'webhook',
      title: 'Webhook',
      hint: 'Alerts of anything that can sign or send a token; nothing is pulled.',
      fields: [
        field(
          'signing_secret',
          'secret',
          'Secret that the sender signs with, `whsec_` and base64 or any text; default: the ingest token; write-only.',
          { max: 256 },
        ),
      ],
    },
  ] as const satisfies readonly IntegrationType[]

/** Every tool that can be connected, in the order of the alphabet. Adding one is a row here and a file in `adapters/tools/`. */
export const INTEGRATION_TYPES = /* @__PURE__ */ types()

export type IntegrationTypeName = (typeof INTEGRATION_TYPES)[number]['type']

/** The row of a type, or undefined when there is no such type. */
export const integrationType = (type: string): IntegrationType | undefined =>
  INTEGRATION_TYPES.find((row) => row.type === type)
