import { RemovalPolicy } from 'aws-cdk-lib'
import {
  type Attribute,
  AttributeType,
  Billing,
  CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { KEY, TABLES, type TableName } from '#shared/names.ts'
import { keepsData, protectsTables, type Settings } from './settings.ts'

/** An index as `names.ts` describes it. */
interface IndexPlan {
  readonly name: string
  readonly partition: string
  readonly sort: string
  readonly sortNumber?: boolean
  readonly projection: 'ALL' | 'KEYS_ONLY'
}

interface TablePlan {
  readonly sort: boolean
  readonly stream: boolean
  readonly ttl: string | null
  readonly indexes: Readonly<Record<string, IndexPlan>>
}

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING })

function indexOf({ name, partition, sort, sortNumber = false, projection }: IndexPlan) {
  return {
    indexName: name,
    partitionKey: text(partition),
    sortKey: { name: sort, type: sortNumber ? AttributeType.NUMBER : AttributeType.STRING },
    projectionType: ProjectionType[projection],
  }
}

function createTable(
  scope: Construct,
  id: string,
  plan: TablePlan,
  settings: Settings,
  key: IKey | null,
): TableV2 {
  const table = new TableV2(scope, id, {
    partitionKey: text(KEY.partition),
    ...(plan.sort ? { sortKey: text(KEY.sort) } : {}),
    ...(plan.ttl === null ? {} : { timeToLiveAttribute: plan.ttl }),
    // The relay tells what a change began from what was before it.
    ...(plan.stream ? { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES } : {}),
    globalSecondaryIndexes: Object.values(plan.indexes).map(indexOf),
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: protectsTables(settings),
    // A first deployment that fails leaves nothing; afterwards the data outlives the stack and any replacement.
    removalPolicy: keepsData(settings) ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  })
  // The construct takes a key only where the region is written down, and this stack goes to any.
  if (key !== null && table.node.defaultChild instanceof CfnGlobalTable)
    table.node.defaultChild.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn)
  return table
}

const inPascalCase = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/**
 * Creates every table of `names.ts`, on demand, recoverable to any second of the last 35 days.
 * @param key what encrypts them; null for the key that AWS has for the account's tables
 */
export function createTables(
  scope: Construct,
  settings: Settings,
  key: IKey | null,
): Readonly<Record<TableName, TableV2>> {
  const entries = Object.entries(TABLES).map(
    ([name, plan]) =>
      [name, createTable(scope, `${inPascalCase(name)}Table`, plan as TablePlan, settings, key)] as const,
  )
  return Object.fromEntries(entries) as Record<TableName, TableV2>
}
