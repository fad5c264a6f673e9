import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryStore } from '#shared/adapters/dynamo/queries.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { ObjectStore, QueryStore, StoredAnswer } from '#shared/domain/ports.ts'
import { countCalls } from '#test/storage/count-calls.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { itemBytes } from '#test/storage/item-bytes.ts'
import { sampleId, sampleRootCause } from '#test/storage/sample-incidents.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
let store: TestStore
let folder: string
let objects: ObjectStore
let queries: QueryStore
beforeAll(async () => {
  store = await startTestStore()
  folder = await mkdtemp(join(tmpdir(), 'answers-'))
  objects = folderObjects(folder)
  queries = queryStore({ client: store.client, table: store.names.queries, objects, retentionDays: 400 })
})
afterAll(async () => {
  await store.stop()
  await rm(folder, { recursive: true })
})

function answerWith(pieces: number, characters: number): StoredAnswer {
  const { evidence, hypotheses, ruled_out, gaps, confidence, outcome } = sampleRootCause(
    pieces,
    characters,
    'ü',
  )
  return {
    id: sampleId('query', NOON),
    query: 'What broke?',
    answer: 'A deployment did.',
    evidence,
    confidence,
    timestamp: writeInstant(NOON),
    outcome,
    hypotheses,
    ruled_out,
    gaps,
    understood: { intent: 'why', service: null, window: null, carried_over: [] },
    snapshot_digest: null,
  }
}
const itemOf = async (id: string) =>
  (await store.client.send(new GetCommand({ TableName: store.names.queries, Key: { pk: `QUERY#${id}` } })))
    .Item

test('an answer is read as it was given, with one call each way', async () => {
  const answer = answerWith(5, 100)
  const calls = countCalls(store.client)
  await queries.put(answer)
  expect(await queries.get(answer.id)).toEqual(answer)
  expect(calls.names()).toEqual(['PutItem', 'GetItem'])
  expect((await itemOf(answer.id))?.expires_at_s).toBe(NOON / 1_000 + 400 * 86_400)
})

test('an answer that nobody gave is undefined', async () => {
  expect(await queries.get(sampleId('query', NOON))).toBeUndefined()
})

test('an answer too large for an item lies with the objects, whole; without its object it is an error', async () => {
  const answer = answerWith(200, 1_000)
  await queries.put(answer)
  expect(await queries.get(answer.id)).toEqual(answer)
  expect(itemBytes((await itemOf(answer.id)) ?? {})).toBeLessThan(300)
  await objects.delete(`answers/${answer.id}.json`)
  await expect(queries.get(answer.id)).rejects.toThrow('lost its object')
})
