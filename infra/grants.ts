import { Aws, Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { operationList, operations } from '#shared/contract/operations.ts'
import { ENV, OBJECTS, TABLES, type TableName } from '#shared/names.ts'
import type { FunctionId } from './functions.ts'
import type { QueueName } from './queues.ts'
import { alertWindows, type Settings } from './settings.ts'
import type { StateStack } from './state-stack.ts'

type TableAction = 'BatchGetItem' | 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem'
type ObjectAction = 'GetObject' | 'PutObject' | 'ListBucket'
type SealAction = 'GenerateDataKey' | 'Decrypt'

/**
 * Partitions of the tables, as their keys are written: a role that may write one partition cannot touch the next,
 * such as the keys that sign cursors, or the counts that quotas go by.
 */
export const PARTITIONS = {
  incident: 'INCIDENT#*',
  event: 'EVENT#*',
  alert: 'ALERT#*',
  alertGroup: 'ALERT_GROUP#*',
  integrations: 'INTEGRATION',
  integrationCount: 'INTEGRATION_COUNT',
  webhooks: 'WEBHOOK',
  webhookCount: 'WEBHOOK_COUNT',
  delivery: 'DELIVERY#*',
  recovery: 'RECOVERY#*',
  lateness: 'LATENESS',
  cursorKeys: 'CURSOR_KEYS',
  key: 'KEY#*',
  keyCount: 'KEY_COUNT',
  keyAct: 'AUDIT#*',
  user: 'USER#*',
  query: 'QUERY#*',
  signals: 'SIGNALS#*',
  repeat: 'REPEAT#*',
} as const

/** One thing that a function may do. */
export type Access =
  | {
      readonly on: 'items'
      readonly table: TableName
      readonly partitions: readonly string[]
      readonly actions: readonly (TableAction | 'Query')[]
    }
  | { readonly on: 'index'; readonly table: TableName; readonly indexes: readonly string[] }
  | { readonly on: 'stream'; readonly table: TableName }
  | { readonly on: 'send'; readonly queue: QueueName; readonly rings: boolean }
  | { readonly on: 'consume'; readonly queue: QueueName }
  /** Asks how many messages wait. */
  | { readonly on: 'measure'; readonly queue: QueueName }
  | {
      readonly on: 'objects'
      readonly prefix: keyof typeof OBJECTS
      readonly actions: readonly ObjectAction[]
    }
  | { readonly on: 'seal'; readonly contexts: readonly string[]; readonly actions: readonly SealAction[] }
  /** Reads the telemetry of its own account, and assumes roles that are named for readers. */
  | { readonly on: 'telemetry' }
  | { readonly on: 'name'; readonly of: 'bucket' | 'sealKey' }
  /** Knows whose access tokens count. */
  | { readonly on: 'sign-in' }
  /** Serves the console, and tells it where users sign in. */
  | { readonly on: 'console' }
  /** Knows for how long what it writes is kept. */
  | { readonly on: 'retention' }
  /** Knows which private networks may be asked. */
  | { readonly on: 'network' }
  /** Knows how long things are waited for when alerts make incidents. */
  | { readonly on: 'alertWindows' }

const idsOf = (operation: 'get-integration' | 'get-webhook'): string[] =>
  operations[operation].idPrefixes.map((prefix) => `${prefix}_*`)
/**
 * What is sealed is bound to the id of its item, the keys of cursors to a word of their own: who may open cursor keys
 * cannot open a secret of a tool.
 */
export const SEALED_FOR = {
  integrations: idsOf('get-integration'),
  /** What messages of tools are verified by: who takes them in cannot open the settings of a tool. */
  intake: operations['push-events'].idPrefixes.map((prefix) => `intake-${prefix}_*`),
  webhooks: idsOf('get-webhook'),
  cursorKeys: ['cursor-keys'],
} as const

type ItemActions = readonly (TableAction | 'Query')[]
const items = (table: TableName, partitions: readonly string[], ...actions: ItemActions): Access => ({
  on: 'items',
  table,
  partitions,
  actions,
})
/** Items that one transaction writes together share a statement: however it is judged, it is judged alike. */
const incidents = (...actions: ItemActions): Access =>
  items('incidents', [PARTITIONS.incident, PARTITIONS.event], ...actions)
const incidentsAndRepeats = (...actions: ItemActions): Access =>
  items('incidents', [PARTITIONS.incident, PARTITIONS.event, PARTITIONS.repeat], ...actions)
const integrations = (...actions: ItemActions): Access =>
  items('integrations', [PARTITIONS.integrations], ...actions)
const integrationsAndCount = (...actions: ItemActions): Access =>
  items('integrations', [PARTITIONS.integrations, PARTITIONS.integrationCount], ...actions)
const webhooks = (...actions: ItemActions): Access => items('webhooks', [PARTITIONS.webhooks], ...actions)
const webhooksAndCount = (...actions: ItemActions): Access =>
  items('webhooks', [PARTITIONS.webhooks, PARTITIONS.webhookCount], ...actions)
const deliveries = (...actions: ItemActions): Access => items('webhooks', [PARTITIONS.delivery], ...actions)
const recoveries = (...actions: ItemActions): Access => items('webhooks', [PARTITIONS.recovery], ...actions)
const lateness = (...actions: ItemActions): Access => items('webhooks', [PARTITIONS.lateness], ...actions)
const events = (...actions: ItemActions): Access => items('incidents', [PARTITIONS.event], ...actions)
const ringDeliveries: Access = { on: 'send', queue: 'deliveries', rings: true }
/** Gives an event its deliveries. */
const fanOut: Access[] = [
  events('GetItem', 'UpdateItem'),
  webhooks('Query'),
  deliveries('PutItem'),
  ringDeliveries,
]
const queries = (...actions: ItemActions): Access => items('queries', [PARTITIONS.query], ...actions)
const signals = (...actions: ItemActions): Access => items('signals', [PARTITIONS.signals], ...actions)
const index = <Table extends TableName>(
  table: Table,
  ...keys: (keyof (typeof TABLES)[Table]['indexes'])[]
): Access => {
  const indexes: Readonly<Record<PropertyKey, { readonly name: string }>> = TABLES[table].indexes
  return { on: 'index', table, indexes: keys.flatMap((key) => indexes[key]?.name ?? []) }
}
const objects = (prefix: keyof typeof OBJECTS, ...actions: ObjectAction[]): Access => ({
  on: 'objects',
  prefix,
  actions,
})
const seal = (contexts: readonly string[], ...actions: SealAction[]): Access => ({
  on: 'seal',
  contexts,
  actions,
})
/** Tells the function for how long to keep what it writes. */
const retention: Access = { on: 'retention' }
/** Makes incidents of alerts: an incident, its event, the alerts and their group are one transaction. */
const alertItems = (...actions: ItemActions): Access =>
  items(
    'incidents',
    [PARTITIONS.incident, PARTITIONS.event, PARTITIONS.alert, PARTITIONS.alertGroup],
    ...actions,
  )
/** Names a resource that the function's store is made with, though this function never uses it. */
const named = (of: 'bucket' | 'sealKey'): Access => ({ on: 'name', of })
/** What a store of incidents, or of answers, is made with. */
const objectsAndRetention: Access[] = [named('bucket'), retention]

/** A list signs its cursors with a key that it makes on first use and keeps, sealed, beside what it lists. */
const cursorKeys = (table: TableName): Access[] => [
  items(table, [PARTITIONS.cursorKeys], 'GetItem', 'PutItem'),
  seal(SEALED_FOR.cursorKeys, 'GenerateDataKey', 'Decrypt'),
]
const bundles = objects('bundles', 'GetObject', 'ListBucket')
const telemetry: Access = { on: 'telemetry' }
/** The tools are asked with their settings opened; what was pushed is read beside them. */
const askTools: Access[] = [
  integrations('Query'),
  seal(SEALED_FOR.integrations, 'Decrypt'),
  bundles,
  signals('Query'),
]
const incidentLists = index('incidents', 'byTime', 'byStatus', 'bySeverity', 'byStatusAndSeverity')

/** What each function may do besides counting the request against its caller. */
const OWN: Readonly<Record<FunctionId, readonly Access[]>> = {
  'answer-query': [
    ...askTools,
    incidentLists,
    // A follow-up names the incident or the answer that it is about.
    items('incidents', [PARTITIONS.incident], 'GetItem'),
    items('queries', [PARTITIONS.query, PARTITIONS.repeat], 'GetItem', 'PutItem'),
    // A request that failed may be repeated: its mark goes, what was answered stays.
    items('queries', [PARTITIONS.repeat], 'DeleteItem'),
    objects('snapshots', 'GetObject', 'PutObject'),
    objects('answers', 'GetObject', 'PutObject'),
    retention,
  ],
  'verify-query': [
    ...askTools,
    incidentLists,
    queries('GetItem'),
    objects('answers', 'GetObject'),
    retention,
  ],
  'get-query': [queries('GetItem'), objects('answers', 'GetObject'), retention],
  'list-integrations': [integrations('Query'), ...cursorKeys('integrations')],
  'create-integration': [
    items(
      'integrations',
      [PARTITIONS.integrations, PARTITIONS.integrationCount, PARTITIONS.repeat],
      'GetItem',
      'PutItem',
      'UpdateItem',
    ),
    seal([...SEALED_FOR.integrations, ...SEALED_FOR.intake], 'GenerateDataKey'),
    bundles,
  ],
  'push-events': [
    integrations('GetItem'),
    seal(SEALED_FOR.intake, 'Decrypt'),
    { on: 'send', queue: 'alerts', rings: true },
    objects('sentBodies', 'PutObject'),
  ],
  'get-integration': [integrations('GetItem'), named('sealKey')],
  'update-integration': [
    integrations('GetItem', 'PutItem'),
    seal([...SEALED_FOR.integrations, ...SEALED_FOR.intake], 'GenerateDataKey', 'Decrypt'),
    bundles,
  ],
  'check-integration': [
    integrations('GetItem', 'UpdateItem'),
    seal([...SEALED_FOR.integrations, ...SEALED_FOR.intake], 'Decrypt'),
    bundles,
  ],
  'delete-integration': [integrationsAndCount('DeleteItem', 'UpdateItem'), named('sealKey')],
  'list-incidents': [incidentLists, ...cursorKeys('incidents'), ...objectsAndRetention],
  'create-incident': [incidentsAndRepeats('GetItem', 'PutItem'), ...objectsAndRetention],
  'get-incident': [incidents('Query'), objects('rootCauses', 'GetObject'), retention],
  'get-incident-charts': [
    incidents('Query'),
    objects('rootCauses', 'GetObject'),
    objects('snapshots', 'GetObject'),
    retention,
  ],
  'update-incident': [incidents('GetItem', 'PutItem', 'UpdateItem'), ...objectsAndRetention],
  'verify-incident': [
    ...askTools,
    incidents('Query'),
    objects('rootCauses', 'GetObject'),
    objects('snapshots', 'GetObject'),
    retention,
  ],
  'push-signals': [
    items('signals', [PARTITIONS.signals, PARTITIONS.repeat], 'PutItem'),
    items('signals', [PARTITIONS.repeat], 'DeleteItem'),
  ],
  'request-investigation': [incidentsAndRepeats('GetItem', 'PutItem', 'UpdateItem'), ...objectsAndRetention],
  'list-webhooks': [webhooks('Query'), ...cursorKeys('webhooks')],
  'create-webhook': [
    items(
      'webhooks',
      [PARTITIONS.webhooks, PARTITIONS.webhookCount, PARTITIONS.repeat],
      'GetItem',
      'PutItem',
      'UpdateItem',
    ),
    seal(SEALED_FOR.webhooks, 'GenerateDataKey'),
  ],
  'get-webhook': [webhooks('GetItem'), named('sealKey')],
  // Enabling pings first.
  'update-webhook': [webhooks('GetItem', 'UpdateItem'), seal(SEALED_FOR.webhooks, 'Decrypt')],
  'delete-webhook': [webhooksAndCount('DeleteItem', 'UpdateItem'), named('sealKey')],
  'ping-webhook': [
    webhooks('GetItem'),
    items('webhooks', [PARTITIONS.repeat], 'PutItem', 'DeleteItem'),
    seal(SEALED_FOR.webhooks, 'Decrypt'),
  ],
  'rotate-webhook-secret': [
    items('webhooks', [PARTITIONS.webhooks, PARTITIONS.repeat], 'GetItem', 'PutItem', 'UpdateItem'),
    seal(SEALED_FOR.webhooks, 'GenerateDataKey'),
  ],
  'recover-webhook': [
    webhooks('GetItem'),
    items('webhooks', [PARTITIONS.recovery, PARTITIONS.repeat], 'GetItem', 'PutItem'),
    ringDeliveries,
  ],
  'list-deliveries': [webhooks('GetItem'), deliveries('Query'), ...cursorKeys('webhooks')],
  redeliver: [
    webhooks('GetItem'),
    items('webhooks', [PARTITIONS.delivery, PARTITIONS.repeat], 'GetItem', 'PutItem', 'UpdateItem'),
    ringDeliveries,
  ],
  'list-keys': [
    index('keys', 'byId'),
    items('keys', [PARTITIONS.key], 'BatchGetItem'),
    ...cursorKeys('keys'),
  ],
  'create-key': [
    index('keys', 'byId'),
    items(
      'keys',
      [PARTITIONS.key, PARTITIONS.keyCount, PARTITIONS.keyAct, PARTITIONS.repeat],
      'GetItem',
      'PutItem',
      'UpdateItem',
    ),
  ],
  'rotate-key': [
    index('keys', 'byId'),
    items('keys', [PARTITIONS.key, PARTITIONS.keyAct, PARTITIONS.repeat], 'GetItem', 'PutItem'),
  ],
  'revoke-key': [
    index('keys', 'byId'),
    items('keys', [PARTITIONS.key, PARTITIONS.keyAct], 'GetItem', 'PutItem', 'UpdateItem'),
  ],
  'get-openapi': [],
  'get-health': [],
  'refuse-unknown': [],
  'serve-console': [{ on: 'console' }],
  'relay-events': [
    { on: 'stream', table: 'incidents' },
    { on: 'send', queue: 'investigations', rings: true },
    { on: 'send', queue: 'relay-dead', rings: false },
    ...fanOut,
  ],
  'investigate-incident': [
    { on: 'consume', queue: 'investigations' },
    ...askTools,
    // A later look reads the whole root cause of the one before.
    incidents('GetItem', 'PutItem', 'Query', 'UpdateItem'),
    objects('snapshots', 'PutObject'),
    objects('rootCauses', 'GetObject', 'PutObject'),
    retention,
  ],
  'sweep-investigations': [
    index('incidents', 'byDue'),
    { on: 'send', queue: 'investigations', rings: true },
    ...objectsAndRetention,
    // Resolves incidents whose alerts are over; which alerts are an incident's its partition tells.
    alertItems('GetItem', 'PutItem', 'Query', 'UpdateItem'),
    { on: 'alertWindows' },
    // Nothing is resolved while what may say otherwise waits.
    { on: 'measure', queue: 'alerts' },
    // Whether a silent tool was asked.
    integrations('GetItem'),
  ],
  'take-alerts': [
    { on: 'consume', queue: 'alerts' },
    // What was taken in is emptied.
    objects('sentBodies', 'GetObject', 'PutObject'),
    alertItems('ConditionCheckItem', 'GetItem', 'PutItem', 'UpdateItem'),
    { on: 'alertWindows' },
    signals('PutItem'),
    // An event of AWS names no integration: which ones it concerns is looked up.
    integrations('Query'),
    retention,
  ],
  'deliver-webhook': [
    { on: 'consume', queue: 'deliveries' },
    webhooks('GetItem', 'UpdateItem'),
    seal(SEALED_FOR.webhooks, 'Decrypt'),
    // A commit and its attempt are one transaction, so they share a statement.
    deliveries('GetItem', 'PutItem', 'Query', 'UpdateItem'),
    recoveries('GetItem', 'UpdateItem'),
    lateness('PutItem'),
    events('GetItem'),
    ringDeliveries,
  ],
  'sweep-deliveries': [
    ...fanOut,
    index('incidents', 'byDue'),
    index('webhooks', 'byDue'),
    // Notes what it rang for.
    items('webhooks', [PARTITIONS.delivery, PARTITIONS.recovery], 'UpdateItem'),
    lateness('GetItem'),
    { on: 'measure', queue: 'deliveries' },
  ],
  'check-integrations': [
    integrations('Query', 'UpdateItem'),
    // What tools say that fires.
    { on: 'send', queue: 'alerts', rings: true },
    seal(SEALED_FOR.integrations, 'Decrypt'),
    bundles,
  ],
}

/** The request is counted against its key, or against the signed-in user whose token it carries. */
const countCallers: Access[] = [
  items('keys', [PARTITIONS.key, PARTITIONS.user], 'UpdateItem'),
  { on: 'sign-in' },
]

/** Functions that take a key or a token, and so count the request against it. */
const KEYED: ReadonlySet<FunctionId> = new Set<FunctionId>([
  ...operationList.filter(({ access }) => access !== 'anyone').map(({ id }) => id),
  'refuse-unknown',
])

/** Whoever reads bundles asks tools: then also AWS, whose telemetry no integration holds a key for. */
const readsBundles = (own: readonly Access[]): boolean =>
  own.some((access) => access.on === 'objects' && access.prefix === 'bundles')

/** Whether a function asks tools, which may be in a private network. */
export const asksTools = (id: FunctionId): boolean => readsBundles(OWN[id])

/** THE table of who may do what: roles, environment variables and the tests are made from it. */
export const GRANTS: ReadonlyMap<FunctionId, readonly Access[]> = new Map(
  Object.entries(OWN).map(([id, own]) => [
    id as FunctionId,
    [
      ...(KEYED.has(id as FunctionId) ? countCallers : []),
      ...own,
      ...(readsBundles(own) ? [telemetry, { on: 'network' } as const] : []),
    ],
  ]),
)

/** Whose access tokens the API takes. */
export interface SignInNames {
  readonly issuer: string
  readonly clientId: string
  /** Origin of the pages where users sign in. */
  readonly address: string
}

/** What grants are made of; `signIn` for functions of the API. */
export interface GrantSurroundings {
  readonly state: StateStack
  readonly settings: Pick<Settings, 'retentionDays' | 'alerts' | 'network'>
  readonly signIn?: SignInNames
}

/** What one access comes to: the environment variables that name the resource, and the role's statements. */
interface Granted {
  readonly environment: Readonly<Record<string, string>>
  readonly statements: readonly PolicyStatement[]
}

const allow = (
  service: string,
  actions: readonly string[],
  resource: string,
  conditions?: Record<string, Record<string, unknown>>,
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: actions.map((action) => `${service}:${action}`),
    resources: [resource],
    ...(conditions === undefined ? {} : { conditions }),
  })

function grantTable(access: Extract<Access, { on: 'items' | 'index' }>, { tables }: StateStack): Granted {
  const table = tables[access.table]
  const environment = { [TABLES[access.table].env]: table.tableName }
  if (access.on === 'index') {
    const indexes = access.indexes.map((name) =>
      allow('dynamodb', ['Query'], `${table.tableArn}/index/${name}`),
    )
    return { environment, statements: indexes }
  }
  const onlyThese = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': access.partitions } }
  return { environment, statements: [allow('dynamodb', access.actions, table.tableArn, onlyThese)] }
}

function grantObjects(
  { prefix, actions }: Extract<Access, { on: 'objects' }>,
  { bucket }: StateStack,
): Granted {
  const onObjects = actions.filter((action) => action !== 'ListBucket')
  const folder = OBJECTS[prefix]
  return {
    environment: { [ENV.bucket]: bucket.bucketName },
    statements: [
      ...(onObjects.length > 0 ? [allow('s3', onObjects, bucket.arnForObjects(`${folder}*`))] : []),
      ...(actions.includes('ListBucket')
        ? [allow('s3', ['ListBucket'], bucket.bucketArn, { StringLike: { 's3:prefix': `${folder}*` } })]
        : []),
    ],
  }
}

/** The console's files lie beside the code of the function that serves them. */
export const CONSOLE_FOLDER = 'console'

/**
 * Roles of other accounts that may be assumed: theirs is the decision, by a trust policy that names an external id. In the partition
 * of the stack (`aws`, `aws-us-gov`, `aws-cn`): no role can be assumed from another.
 */
export const READER_ROLES = `arn:${Aws.PARTITION}:iam::*:role/iis-reader-*`

/** What CloudWatch, its logs, X-Ray and AWS Health are asked; all but queries of logs know no resources. */
const TELEMETRY: readonly PolicyStatement[] = [
  allow('cloudwatch', ['DescribeAlarmHistory', 'DescribeAlarms', 'GetMetricData', 'ListMetrics'], '*'),
  allow('logs', ['GetQueryResults', 'StartQuery', 'StopQuery'], '*'),
  allow('xray', ['BatchGetTraces', 'GetServiceGraph', 'GetTraceSummaries'], '*'),
  allow('health', ['DescribeEvents'], '*'),
  allow('sts', ['AssumeRole'], READER_ROLES),
]

/** The four calls by which Lambda itself reads a stream in the function's name. */
const STREAM_ACTIONS = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams']
/** The three by which it takes from a queue. */
const CONSUME_ACTIONS = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage']

/** By which Lambda itself gives a function its place in a network; AWS lets them be allowed on everything alone. */
export const NETWORK_ACTIONS = [
  'AssignPrivateIpAddresses',
  'CreateNetworkInterface',
  'DeleteNetworkInterface',
  'DescribeNetworkInterfaces',
  'DescribeSubnets',
  'UnassignPrivateIpAddresses',
]

/** A place in the private network of the settings, and which of its addresses may be asked. */
function grantNetwork({ network }: GrantSurroundings['settings']): Granted {
  if (network === undefined) return { environment: {}, statements: [] }
  const { allowedNetworks } = network
  return {
    environment: allowedNetworks.length === 0 ? {} : { [ENV.allowedNetworks]: allowedNetworks.join() },
    statements: [allow('ec2', NETWORK_ACTIONS, '*')],
  }
}

/** The environment variable that holds the address of a queue that is rung. */
const addressOf = (queue: QueueName): string =>
  queue === 'deliveries'
    ? ENV.deliveriesQueueUrl
    : queue === 'alerts'
      ? ENV.alertsQueueUrl
      : ENV.investigationsQueueUrl

function grantOne(access: Access, { state, settings, signIn }: GrantSurroundings): Granted {
  switch (access.on) {
    case 'items':
    case 'index':
      return grantTable(access, state)
    case 'stream': {
      const { tableStreamArn } = state.tables[access.table]
      if (tableStreamArn === undefined) throw new Error(`the table ${access.table} has no stream`)
      return { environment: {}, statements: [allow('dynamodb', STREAM_ACTIONS, tableStreamArn)] }
    }
    case 'send': {
      const queue = state.queues[access.queue]
      return {
        environment: access.rings ? { [addressOf(access.queue)]: queue.queueUrl } : {},
        statements: [allow('sqs', ['SendMessage'], queue.queueArn)],
      }
    }
    case 'consume':
      return {
        environment: {},
        statements: [allow('sqs', CONSUME_ACTIONS, state.queues[access.queue].queueArn)],
      }
    case 'measure':
      return {
        environment: { [addressOf(access.queue)]: state.queues[access.queue].queueUrl },
        statements: [allow('sqs', ['GetQueueAttributes'], state.queues[access.queue].queueArn)],
      }
    case 'objects':
      return grantObjects(access, state)
    case 'seal':
      return {
        environment: { [ENV.sealKeyId]: state.sealKey.keyId },
        statements: [
          allow('kms', access.actions, state.sealKey.keyArn, {
            StringLike: { 'kms:EncryptionContext:id': access.contexts },
          }),
        ],
      }
    case 'telemetry':
      return { environment: {}, statements: TELEMETRY }
    case 'name':
      return {
        environment:
          access.of === 'bucket'
            ? { [ENV.bucket]: state.bucket.bucketName }
            : { [ENV.sealKeyId]: state.sealKey.keyId },
        statements: [],
      }
    case 'sign-in':
      if (signIn === undefined) throw new Error('a function outside of the API takes no tokens')
      return {
        environment: { [ENV.signInIssuer]: signIn.issuer, [ENV.signInClient]: signIn.clientId },
        statements: [],
      }
    case 'network':
      return grantNetwork(settings)
    case 'alertWindows':
      return { environment: { [ENV.alertWindows]: alertWindows(settings) }, statements: [] }
    case 'console':
      if (signIn === undefined) throw new Error('a function outside of the API serves no console')
      return {
        environment: {
          [ENV.consoleFolder]: CONSOLE_FOLDER,
          [ENV.signInAddress]: signIn.address,
          [ENV.signInIssuer]: signIn.issuer,
          [ENV.signInClient]: signIn.clientId,
        },
        statements: [],
      }
    case 'retention':
      return { environment: { [ENV.retentionDays]: String(settings.retentionDays) }, statements: [] }
  }
}

/**
 * What a function's place in the table comes to, in one go, so that no function knows a resource it may not use or may
 * use one that it does not know.
 */
export function grantAll(id: FunctionId, surroundings: GrantSurroundings): Granted {
  const accesses = GRANTS.get(id) ?? []
  const granted = accesses.map((access) => grantOne(access, surroundings))
  return {
    environment: Object.assign({}, ...granted.map(({ environment }) => environment)),
    statements: [
      ...granted.flatMap(({ statements }) => statements),
      ...dataKeyStatements(accesses, surroundings.state),
    ],
  }
}

/** Services that encrypt data at rest for a function, by what it may reach. */
const ENCRYPTING = { items: 'dynamodb', index: 'dynamodb', stream: 'dynamodb', objects: 's3' } as const
/** What these services ask of a caller whose data they encrypt with a key of the account. */
const DATA_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
]

/** The key of tables and bucket, for functions that reach one, and only by way of the service that encrypts. */
function dataKeyStatements(accesses: readonly Access[], { dataKey }: StateStack): PolicyStatement[] {
  const services = new Set(
    accesses.flatMap(({ on }) => (on in ENCRYPTING ? [ENCRYPTING[on as keyof typeof ENCRYPTING]] : [])),
  )
  if (dataKey === null || services.size === 0) return []
  const { region, urlSuffix } = Stack.of(dataKey)
  return [
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: DATA_KEY_ACTIONS,
      resources: [dataKey.keyArn],
      conditions: {
        StringEquals: {
          'kms:ViaService': [...services].sort().map((service) => `${service}.${region}.${urlSuffix}`),
        },
      },
    }),
  ]
}
