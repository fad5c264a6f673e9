import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { folderPaths } from '#infra/local/data-folder.ts'
import { openLocalTables } from '#infra/local/opened-tables.ts'
import { packSnapshot, unpackSnapshot, unpackWindow } from '#shared/adapters/bundle/write-bundle.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { incidentStore } from '#shared/adapters/dynamo/incidents.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { s3Client, s3Objects } from '#shared/adapters/objects/s3-objects.ts'
import { snapshotStore } from '#shared/adapters/objects/snapshots.ts'
import { notFound } from '#shared/domain/errors.ts'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { type Replay, replayFindings } from '#shared/domain/investigation/verification/replay-findings.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { requireLocalData } from './local-data.ts'
import type { Place } from './place.ts'
import { stackOutput } from './stack-outputs.ts'

export interface ReplayedIncident extends Replay {
  readonly stored: RootCause
  readonly snapshot: Snapshot
}

interface Opened {
  readonly documents: DynamoDBDocumentClient
  readonly table: string
  readonly objects: ObjectStore
  close(): Promise<void>
}

async function openDeployed(stack: string): Promise<Opened> {
  const table = await stackOutput(stack, 'IncidentsTable')
  const bucket = await stackOutput(stack, 'BundlesBucket')
  return {
    documents: documentClient(),
    table,
    objects: s3Objects(s3Client(), bucket),
    close: async () => undefined,
  }
}

async function openLocal(data: string): Promise<Opened> {
  requireLocalData(data)
  const { objects } = folderPaths(data)
  const { documents, names, close } = await openLocalTables(data)
  return { documents, table: names.incidents, objects: folderObjects(objects), close }
}

/**
 * Investigates the stored snapshot of an incident again and compares with its stored root cause; writes nothing.
 * @throws Refusal `not_found` when the incident, its root cause or its snapshot is not there
 */
export async function replayIncident(id: string, { stack, data }: Place): Promise<ReplayedIncident> {
  const { documents, table, objects, close } = await (stack === undefined
    ? openLocal(data)
    : openDeployed(stack))
  try {
    // Nothing is written, so no retention is given to anything.
    const incident = await incidentStore({ client: documents, table, objects, retentionDays: 0 }).read(id)
    if (incident === undefined) throw notFound(`Incident ${id}`)
    const stored = incident.root_cause
    if (stored === null) throw notFound(`A root cause of ${id}`)
    const form = { pack: packSnapshot, unpack: unpackSnapshot, unpackWindow }
    const snapshot = await snapshotStore(objects, form).read(id, stored.snapshot_digest)
    if (snapshot === undefined) throw notFound(`The snapshot of ${id}`)
    return { ...replayFindings(stored, snapshot, incident.service), stored, snapshot }
  } finally {
    await close()
  }
}
