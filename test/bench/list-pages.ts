import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs, promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { type AttributeValue, DescribeTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { dynoxideBinary, startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { incidentWrites } from '#shared/adapters/dynamo/incident-writes.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { INCIDENT_STATUSES, SEVERITIES } from '#shared/domain/incident.ts'
import type { IncidentFilter, IncidentStore, ObjectStore } from '#shared/domain/ports.ts'
import { EMULATOR_CREDENTIALS, startTestStore } from '#test/storage/emulator.ts'
import { sampleEntry, sampleEvent, sampleIncident } from '#test/storage/sample-incidents.ts'

const HELP = `Usage: npm run bench:lists -- [--incidents N,N] [--json FILE]

What a page of GET /incidents costs as the incidents grow: calls of the store and items read for each item answered, over
all 80 combinations of filters, their first pages and the pages after those. Counts, not times: they are exact.
Exit code 1 when a page takes more than one call or reads an item that it does not answer.

  --incidents N,N  so many incidents, rising (1000,10000,100000); a million takes 5 GB of disk for the time of the run
  --json FILE      write the results to FILE as well
  --help           print this
`
const PAGE = 50
/** Pages of each combination of filters that are looked at. */
const PAGES = 3
/** Between two incidents. */
const APART_MS = 30_000
const START = Date.parse('2026-01-05T00:00:00Z')

/** What a page costs at one size of the table. */
interface PageCost {
  readonly incidents: number
  readonly pages: number
  readonly most_calls: number
  readonly items_answered: number
  readonly items_read: number
}

/** A value as an export has it: with its kind. */
function attribute(value: unknown): AttributeValue {
  if (value === null) return { NULL: true }
  if (Array.isArray(value)) return { L: value.map(attribute) }
  switch (typeof value) {
    case 'string':
      return { S: value }
    case 'number':
      return { N: String(value) }
    case 'boolean':
      return { BOOL: value }
    case 'object':
      return { M: attributes(value as Readonly<Record<string, unknown>>) }
    default:
      throw new Error(`an incident holds a ${typeof value}`)
  }
}
const attributes = (item: Readonly<Record<string, unknown>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => (value === undefined ? [] : [[name, attribute(value)]])),
  )

/** Incidents as they are created, as lines of an export of their table, their order of time that of the numbers. */
function* exportOf(table: string, count: number): Generator<string> {
  const { created } = incidentWrites(table, 400)
  for (let number = 0; number < count; number += 1) {
    const at = START + number * APART_MS
    const status = INCIDENT_STATUSES[number % INCIDENT_STATUSES.length] ?? 'open'
    const severity = SEVERITIES[Math.floor(number / INCIDENT_STATUSES.length) % SEVERITIES.length] ?? 'high'
    const incident = sampleIncident(at, { status, severity, analysis: 'done' })
    const [put] = created(incident, sampleEntry(at), sampleEvent(incident, at))
    if (put?.Put?.Item === undefined) throw new Error('an incident is no longer written by a put of its own')
    yield `${JSON.stringify({ Item: attributes(put.Put.Item) })}\n`
    if (number % 100_000 === 0 && number > 0) process.stderr.write(`${number} incidents written\n`)
  }
}

/**
 * A store of so many incidents. The emulator reads them from an export, as DynamoDB imports one: a million by
 * BatchWriteItem would take the better part of an hour.
 */
async function storeOf(count: number, table: TableDescription, folder: string) {
  const binary = dynoxideBinary()
  if (binary === null)
    throw new Error('pages of lists are measured on dynoxide, which this machine has none of')
  const name = table.TableName ?? ''
  const [source, schema, dataFile] = ['export', 'schema.json', 'tables.db'].map((each) =>
    path.join(folder, `${count}-${each}`),
  ) as [string, string, string]
  const data = path.join(source, name, 'data')
  await mkdir(data, { recursive: true })
  await writeFile(schema, JSON.stringify([{ Table: table }]))
  const file = createWriteStream(path.join(data, 'items.json.gz'))
  await pipeline(exportOf(name, count), createGzip({ level: 1 }), file)
  await promisify(execFile)(binary, ['import', '--source', source, '--schema', schema, '--output', dataFile])
  await rm(source, { recursive: true, force: true })
  const emulator = await startDynamoDb({ dataFile, kind: 'dynoxide' })
  const client = documentClient({
    endpoint: emulator.endpoint,
    region: 'us-east-1',
    credentials: EMULATOR_CREDENTIALS,
    patience: 20,
  })
  return {
    client,
    stop: async () => {
      client.destroy()
      await emulator.stop()
      await rm(dataFile, { force: true })
    },
  }
}

/** What the table is made of. */
async function describeIncidents(): Promise<TableDescription> {
  const { client, names, stop } = await startTestStore()
  const { Table } = await client.send(new DescribeTableCommand({ TableName: names.incidents }))
  await stop()
  if (Table === undefined) throw new Error('the emulator describes no table of incidents')
  return Table
}

/** All combinations of filters, the times such that they hold about the later half, the earlier half, the middle. */
function filters(count: number): IncidentFilter[] {
  const at = (share: number) => START + Math.floor(count * share) * APART_MS
  const times = [{}, { after: at(0.5) }, { before: at(0.5) }, { after: at(0.25), before: at(0.75) }]
  return [undefined, ...INCIDENT_STATUSES].flatMap((status) =>
    [undefined, ...SEVERITIES].flatMap((severity) => times.map((time) => ({ status, severity, ...time }))),
  )
}

/** Looks at the pages of all combinations of filters. */
async function costOf(client: DynamoDBDocumentClient, table: string, incidents: number): Promise<PageCost> {
  let calls = 0
  let read = 0
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      calls += 1
      read += (result.output as { ScannedCount?: number }).ScannedCount ?? 0
      return result
    },
    { step: 'initialize', name: 'countItems' },
  )
  // A list asks for no object: whatever it asked here would throw.
  const objects = {} as ObjectStore
  const store: IncidentStore = incidentStore({ client, table, objects, retentionDays: 400 })
  const cost = { incidents, pages: 0, most_calls: 0, items_answered: 0, items_read: 0 }
  for (const filter of filters(incidents)) {
    let after: Awaited<ReturnType<IncidentStore['list']>>['next'] = null
    for (let page = 0; page < PAGES && (page === 0 || after !== null); page += 1) {
      calls = 0
      read = 0
      const { items, next } = await store.list(filter, { limit: PAGE, after })
      after = next
      cost.pages += 1
      cost.most_calls = Math.max(cost.most_calls, calls)
      cost.items_answered += items.length
      cost.items_read += read
    }
  }
  return cost
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      incidents: { type: 'string', default: '1000,10000,100000' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const sizes = values.incidents.split(',').map(Number)
  if (!sizes.every((size, index) => Number.isInteger(size) && size > (sizes[index - 1] ?? 0)))
    throw new Error(`--incidents must be rising whole numbers, not ${values.incidents}`)
  const table = await describeIncidents()
  const folder = await mkdtemp(path.join(tmpdir(), 'lists-'))
  const costs: PageCost[] = []
  try {
    for (const incidents of sizes) {
      const { client, stop } = await storeOf(incidents, table, folder)
      try {
        costs.push(await costOf(client, table.TableName ?? '', incidents))
      } finally {
        await stop()
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  console.log(
    '| incidents | pages looked at | most calls of the store a page | items answered | items read for one |',
  )
  console.log('|---|---|---|---|---|')
  for (const { incidents, pages, most_calls, items_answered, items_read } of costs)
    console.log(
      `| ${incidents} | ${pages} | ${most_calls} | ${items_answered} | ${(items_read / items_answered).toFixed(2)} |`,
    )
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ costs }, null, 2)}\n`)
  if (costs.some((cost) => cost.most_calls > 1 || cost.items_read > cost.items_answered + cost.pages))
    process.exitCode = 1
}

await main()
