import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { TableNames } from '#infra/local/create-tables.ts'
import { folderPaths } from '#infra/local/data-folder.ts'
import { openLocalTables } from '#infra/local/opened-tables.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { s3Client, s3Objects } from '#shared/adapters/objects/s3-objects.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { TABLES, type TableName } from '#shared/names.ts'
import { requireLocalData } from './local-data.ts'
import type { Place } from './place.ts'
import { stackOutput } from './stack-outputs.ts'
import { type DeployedResource, stackResources } from './stack-resources.ts'

/** Everything that a service remembers, and how to let go of it. */
export interface OpenedStore {
  readonly documents: DynamoDBDocumentClient
  readonly names: TableNames
  readonly objects: ObjectStore
  close(): Promise<void>
}

/** What the templates call a table begins so. */
const beginningOf = (table: TableName): string => `${table.charAt(0).toUpperCase()}${table.slice(1)}Table`

/** The names of the tables of a deployed stack. @throws Error naming the one that is not there */
export function deployedTables(resources: readonly DeployedResource[]): TableNames {
  const entries = (Object.keys(TABLES) as TableName[]).map((table) => {
    const found = resources.find(
      ({ type, logicalId }) => type.startsWith('AWS::DynamoDB::') && logicalId.startsWith(beginningOf(table)),
    )
    if (found === undefined) throw new Error(`the stack has no table of ${table}`)
    return [table, found.physicalId] as const
  })
  return Object.fromEntries(entries) as Record<TableName, string>
}

async function openDeployed(stack: string): Promise<OpenedStore> {
  const names = deployedTables(await stackResources(stack))
  const bucket = await stackOutput(stack, 'BundlesBucket')
  const documents = documentClient()
  const s3 = s3Client()
  return {
    documents,
    names,
    objects: s3Objects(s3, bucket),
    close: async () => {
      documents.destroy()
      s3.destroy()
    },
  }
}

async function openLocal(data: string): Promise<OpenedStore> {
  requireLocalData(data)
  return { ...(await openLocalTables(data)), objects: folderObjects(folderPaths(data).objects) }
}

/**
 * Opens all tables and objects of a deployed stack, with the operator's own AWS identity, or of a local service,
 * running or not.
 */
export const openStore = (where: Place): Promise<OpenedStore> =>
  where.stack === undefined ? openLocal(where.data) : openDeployed(where.stack)
