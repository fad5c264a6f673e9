import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { releaseLeases } from '#infra/local/release-leases.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import type { IncidentStore, Lease } from '#shared/domain/ports.ts'
import { EMULATOR_CREDENTIALS, startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { sampleEntry, sampleEvent, sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'

const NOW = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

let store: TestStore
let folder: string
let incidents: IncidentStore
let client: DynamoDBClient
beforeAll(async () => {
  store = await startTestStore()
  folder = mkdtempSync(join(tmpdir(), 'objects-'))
  const table = store.names.incidents
  incidents = incidentStore({
    client: store.client,
    table,
    objects: folderObjects(folder),
    retentionDays: 400,
  })
  client = new DynamoDBClient({
    endpoint: store.endpoint,
    region: 'us-east-1',
    credentials: EMULATOR_CREDENTIALS,
  })
})
afterAll(async () => {
  client.destroy()
  await store.stop()
  rmSync(folder, { recursive: true })
})

async function opened(): Promise<string> {
  const incident = sampleIncident(NOW)
  await incidents.create(incident, sampleEntry(NOW), sampleEvent(incident, NOW))
  return incident.id
}

it('makes due at once what a dead runner held, leaves retries their time, and shuts the dead holder out', async () => {
  const [held, retried, waiting] = [await opened(), await opened(), await opened()]
  const lost = (await incidents.claimInvestigation(held, NOW, NOW + 2 * MINUTE)) as Lease
  const failed = (await incidents.claimInvestigation(retried, NOW, NOW + 2 * MINUTE)) as Lease
  await incidents.failInvestigation(failed, NOW + 5 * MINUTE, sampleEntry(NOW, 'analysis_failed'))
  const later = NOW + 1_000
  expect(await incidents.dueInvestigations(later, 10)).toEqual([waiting])

  expect(await releaseLeases(client, store.names.incidents, later)).toBe(1)
  expect((await incidents.dueInvestigations(later, 10)).toSorted()).toEqual([held, waiting].toSorted())
  const again = await incidents.claimInvestigation(held, later, later + 2 * MINUTE)
  expect(again?.fence).toBeGreaterThan(lost.fence)
  expect(await incidents.completeInvestigation(lost, sampleRootCause(), sampleEntry(later, 'analysed'))).toBe(
    false,
  )
  expect(await incidents.claimInvestigation(retried, later, later + MINUTE)).toBeUndefined()
})
