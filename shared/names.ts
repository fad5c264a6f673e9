/** Names that the infrastructure and the code share: environment variables, tables' indexes, object keys. */

/** Environment variables a function may read. Which function gets which is decided where it is granted access. */
export const ENV = {
  incidentsTable: 'INCIDENTS_TABLE',
  integrationsTable: 'INTEGRATIONS_TABLE',
  webhooksTable: 'WEBHOOKS_TABLE',
  keysTable: 'KEYS_TABLE',
  queriesTable: 'QUERIES_TABLE',
  signalsTable: 'SIGNALS_TABLE',
  investigationsQueueUrl: 'INVESTIGATIONS_QUEUE_URL',
  deliveriesQueueUrl: 'DELIVERIES_QUEUE_URL',
  alertsQueueUrl: 'ALERTS_QUEUE_URL',
  /** Windows of alerts in seconds: quiet, reopening, silence of who repeats, silence of who never tells the end. */
  alertWindows: 'ALERT_WINDOWS',
  /** Bucket of snapshots and bundles; in the local runner absent. */
  bucket: 'BUCKET',
  /** Id of the KMS key that seals secrets; in the local runner absent. */
  sealKeyId: 'SEAL_KEY_ID',
  /** Who issues the access tokens of signed-in users. */
  signInIssuer: 'SIGN_IN_ISSUER',
  /** The client that they are issued for. */
  signInClient: 'SIGN_IN_CLIENT',
  /** Origin of the pages where users sign in. */
  signInAddress: 'SIGN_IN_ADDRESS',
  /** Folder of the console's files; a relative one is below the function's own. */
  consoleFolder: 'CONSOLE_FOLDER',
  /** Days that incidents, their snapshots and answers are kept. */
  retentionDays: 'RETENTION_DAYS',
  /** Private networks whose tools may be asked, as CIDRs parted by commas; absent where the settings name none. */
  allowedNetworks: 'ALLOWED_NETWORKS',
  /** Local runner only: folder that stands in for the bucket. */
  objectsFolder: 'LOCAL_OBJECTS_FOLDER',
  /** Local runner only: folder that bundle integrations may read. */
  bundlesFolder: 'LOCAL_BUNDLES_FOLDER',
  /** Local runner only: file with the sealing key, mode 0600. */
  sealKeyFile: 'LOCAL_SEAL_KEY_FILE',
  /** Local runner only: `local` lets outgoing requests reach http and loopback; anything else is strict. */
  egress: 'LOCAL_EGRESS',
  /**
   * Local runner only: how far investigations look back, as seconds `lead,guard,baseline`, where history is only
   * minutes old.
   */
  windows: 'LOCAL_WINDOWS',
} as const

/** Key attributes that every table has. */
export const KEY = { partition: 'pk', sort: 'sk' } as const

/** The tables, one an aggregate, with their indexes. `Keys` has no sort key. */
export const TABLES = {
  incidents: {
    env: ENV.incidentsTable,
    sort: true,
    stream: true,
    ttl: 'expires_at_s',
    indexes: {
      /** All incidents, by id (ids are in order of time). */
      byTime: { name: 'by-time', partition: 'list_all', sort: 'id', projection: 'ALL' },
      byStatus: { name: 'by-status', partition: 'list_status', sort: 'id', projection: 'ALL' },
      bySeverity: { name: 'by-severity', partition: 'list_severity', sort: 'id', projection: 'ALL' },
      byStatusAndSeverity: {
        name: 'by-status-and-severity',
        partition: 'list_status_severity',
        sort: 'id',
        projection: 'ALL',
      },
      /** Investigations that wait or run, by the instant at which they are due (ms, number). Sparse. */
      byDue: {
        name: 'by-due',
        partition: 'due_list',
        sort: 'due_at',
        sortNumber: true,
        projection: 'KEYS_ONLY',
      },
    },
  },
  integrations: { env: ENV.integrationsTable, sort: true, stream: false, ttl: 'expires_at_s', indexes: {} },
  webhooks: {
    env: ENV.webhooksTable,
    sort: true,
    stream: false,
    ttl: 'expires_at_s',
    indexes: {
      /** Deliveries that wait or are attempted, and recoveries, by the instant at which they are due (ms). Sparse. */
      byDue: {
        name: 'by-due',
        partition: 'due_list',
        sort: 'due_at',
        sortNumber: true,
        projection: 'KEYS_ONLY',
      },
    },
  },
  keys: {
    env: ENV.keysTable,
    sort: false,
    stream: false,
    ttl: 'expires_at_s',
    indexes: {
      /** All keys by id; keys only, so that counting a request does not write the index. */
      byId: { name: 'by-id', partition: 'list_all', sort: 'id', projection: 'KEYS_ONLY' },
    },
  },
  queries: { env: ENV.queriesTable, sort: false, stream: false, ttl: 'expires_at_s', indexes: {} },
  /** Pushed evidence, one item a batch. */
  signals: { env: ENV.signalsTable, sort: true, stream: false, ttl: 'expires_at_s', indexes: {} },
} as const

export type TableName = keyof typeof TABLES

/** Where objects live in the bucket (or the folder that stands in for it). */
export const OBJECTS = {
  /** Snapshots of incidents and questions, immutable. */
  snapshots: 'snapshots/',
  /** Root causes too large for an item. */
  rootCauses: 'root-causes/',
  /** Answers too large for an item. */
  answers: 'answers/',
  /** What tools sent that is too large for a message of a queue, until it was taken in. */
  sentBodies: 'sent-bodies/',
  /** Incident bundles that people upload. */
  bundles: 'bundles/',
} as const

/** The API's stage: the version segment of the base address. */
export const STAGE = 'v1'
