import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { incidentWrites } from '#shared/adapters/dynamo/incident-writes.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { INCIDENT_STATUSES, SEVERITIES } from '#shared/domain/incident.ts'
import type { IncidentFilter, IncidentStore, ObjectStore } from '#shared/domain/ports.ts'
import { startTestStore } from '#test/storage/emulator.ts'
import { sampleEntry, sampleEvent, sampleIncident } from '#test/storage/sample-incidents.ts'

const HELP = `Usage: npm run bench:lists -- [--incidents N,N] [--json FILE]

What a page of GET /incidents costs as the incidents grow: calls of the store and items read for each item answered, over
all 80 combinations of filters, their first pages and the pages after those. Counts, not times: they are exact.
Exit code 1 when a page takes more than one call or reads an item that it does not answer.

  --incidents N,N  so many incidents, rising (1000,10000,100000)
  --json FILE      write the results to FILE as well
  --help           print this
`
/** Most items that one call of BatchWriteItem takes. */
const BATCH = 25
/** Calls under way at once: an emulator takes more no faster. */
const LANES = 8
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

/** Writes incidents as they are created, from one number on, their order of time that of the numbers. */
async function fill(client: DynamoDBDocumentClient, table: string, from: number, to: number): Promise<void> {
  const { created } = incidentWrites(table, 400)
  const itemOf = (number: number) => {
    const at = START + number * APART_MS
    const status = INCIDENT_STATUSES[number % INCIDENT_STATUSES.length] ?? 'open'
    const severity = SEVERITIES[Math.floor(number / INCIDENT_STATUSES.length) % SEVERITIES.length] ?? 'high'
    const incident = sampleIncident(at, { status, severity, analysis: 'done' })
    const [put] = created(incident, sampleEntry(at), sampleEvent(incident, at))
    if (put?.Put?.Item === undefined) throw new Error('an incident is no longer written by a put of its own')
    return put.Put.Item
  }
  let next = from
  const lane = async (): Promise<void> => {
    while (next < to) {
      const first = next
      next = Math.min(to, first + BATCH)
      let asked = Array.from({ length: next - first }, (_, index) => ({
        PutRequest: { Item: itemOf(first + index) },
      }))
      while (asked.length > 0) {
        const { UnprocessedItems } = await client.send(
          new BatchWriteCommand({ RequestItems: { [table]: asked } }),
        )
        asked = (UnprocessedItems?.[table] ?? []) as typeof asked
      }
      if (first % 5_000 === 0 && first > 0) process.stderr.write(`${first} incidents written\n`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** All combinations of filters, the times such that they hold about the later half, the earlier half, the middle. */
function filters(count: number): IncidentFilter[] {
  const at = (share: number) => START + Math.floor(count * share) * APART_MS
  const times = [{}, { after: at(0.5) }, { before: at(0.5) }, { after: at(0.25), before: at(0.75) }]
  return [undefined, ...INCIDENT_STATUSES].flatMap((status) =>
    [undefined, ...SEVERITIES].flatMap((severity) => times.map((time) => ({ status, severity, ...time }))),
  )
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
  const { client, names, stop } = await startTestStore()
  // A list reads no stream, and the emulator takes longer for each write the more records its stream has.
  const StreamSpecification = { StreamEnabled: false }
  await client.send(new UpdateTableCommand({ TableName: names.incidents, StreamSpecification }))
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
  const store: IncidentStore = incidentStore({ client, table: names.incidents, objects, retentionDays: 400 })
  const costs: PageCost[] = []
  try {
    for (const [index, incidents] of sizes.entries()) {
      await fill(client, names.incidents, sizes[index - 1] ?? 0, incidents)
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
      costs.push(cost)
    }
  } finally {
    await stop()
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
