import { DescribeTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { type TableNames, tableNames } from '#infra/local/create-tables.ts'
import { RESTORE_ORDER, restoreItems } from '#shared/adapters/dynamo/restore-items.ts'
import type { TableName } from '#shared/names.ts'
import { Misuse } from './misuse.ts'
import { runStoreCommand, WHERE_HELP } from './store-command.ts'

const HELP = `Brings back what the tables of a service lack, from tables that a backup was restored to. What is there stays as it is,
whatever the backup says of it: a key that was revoked since stays revoked. What was deleted since comes back, webhooks
and tools too, unless --tables leaves them out.

  npm run --silent restore -- --from PREFIX          says what is missing
  npm run --silent restore -- --from PREFIX --yes    brings it back

  --from PREFIX  the restored tables are named PREFIX-incidents, PREFIX-webhooks and so on
  --tables LIST  some of ${RESTORE_ORDER.join(',')} (default: all)

${WHERE_HELP}

Prints the counts; repair mends afterwards what does not fit together. It may be done beside the running service, and
again where it was broken off. Exit status: 0 done, 1 failed, 2 wrong use.`

const isTable = (name: string): name is TableName => (RESTORE_ORDER as readonly string[]).includes(name)

function tablesIn(list: string): TableName[] {
  const tables = list.split(',').filter(isTable)
  if (tables.length !== list.split(',').length)
    throw new Misuse(`--tables takes some of ${RESTORE_ORDER.join(',')}`)
  return tables
}

/** The first of the restored tables that is not there, or null. */
async function lacking(
  client: DynamoDBDocumentClient,
  from: TableNames,
  tables: readonly TableName[],
): Promise<string | null> {
  for (const table of tables) {
    const there = await client.send(new DescribeTableCommand({ TableName: from[table] })).catch((error) => {
      if (error instanceof ResourceNotFoundException) return null
      throw error
    })
    if (there === null) return from[table]
  }
  return null
}

await runStoreCommand({
  name: 'restore',
  help: HELP,
  options: {
    from: { type: 'string' },
    tables: { type: 'string', default: RESTORE_ORDER.join(',') },
    yes: { type: 'boolean', default: false },
  },
  read: ({ from, tables, yes }) => {
    if (typeof from !== 'string' || from === '') throw new Misuse('--from is required')
    return { from: tableNames(from), tables: tablesIn(String(tables)), really: yes === true }
  },
  async run({ from, tables, really }, { documents: client, names, pace }) {
    const missingTable = await lacking(client, from, tables)
    if (missingTable !== null) throw new Error(`there is no table ${missingTable}`)
    const { missing, ...counts } = await restoreItems({
      ...{ client, names, from, tables, really, pace },
      clock: Date.now,
    })
    process.stdout.write(
      `${JSON.stringify(really ? { restored: missing, ...counts } : { would_restore: missing, ...counts })}\n`,
    )
    return 0
  },
})
