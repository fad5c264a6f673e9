import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportAccount } from '#infra/commands/export-account.ts'
import { deployedTables } from '#infra/commands/opened-store.ts'
import { createTables, tableNames } from '#infra/local/create-tables.ts'
import { folderPaths } from '#infra/local/data-folder.ts'
import { openLocalTables } from '#infra/local/opened-tables.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { RESTORE_ORDER, restoreItems } from '#shared/adapters/dynamo/restore-items.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { TABLES } from '#shared/names.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { CANARY, type OneOfEach, writeOneOfEach } from '#test/storage/one-of-each.ts'

/** Young enough for nothing to have expired by the clock of the machine. */
const AN_HOUR_AGO = Date.now() - 3_600_000
const noPace = () => Promise.resolve()

function command(name: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`infra/commands/${name}.ts`, ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr, last: () => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown }
}

describe('an export', () => {
  let store: TestStore
  let folder: string
  let objects: ObjectStore
  beforeEach(async () => {
    store = await startTestStore()
    folder = mkdtempSync(join(tmpdir(), 'export-'))
    objects = folderObjects(join(folder, 'objects'))
    await writeOneOfEach(store, objects, AN_HOUR_AGO)
    for (let index = 0; index < 250; index += 1)
      await store.client.send(
        new UpdateCommand({ TableName: store.names.queries, Key: itemKeys.query(`query_${index}`) }),
      )
  })
  afterEach(async () => {
    await store.stop()
    rmSync(folder, { recursive: true })
  })
  const exportTo = (to: string, client = store.client, of = 'the service') =>
    exportAccount({ client, names: store.names, objects, pace: noPace, of, folder: to })
  const textOf = (to: string, name: string) => readFileSync(join(to, name), 'utf8')

  it('has a file for each table and the objects, for its owner alone, and counts what they hold', async () => {
    const to = join(folder, 'whole')
    const counts = await exportTo(to)
    const files = [...Object.keys(TABLES), 'objects'].map((name) => `${name}.jsonl`)
    expect(readdirSync(to).sort()).toEqual([...files, 'export.json'].sort())
    for (const file of readdirSync(to)) expect(statSync(join(to, file)).mode & 0o077).toBe(0)
    expect(JSON.parse(textOf(to, 'export.json'))).toEqual(counts)
    const linesOf = (name: string) => textOf(to, name).split('\n').slice(0, -1)
    for (const [table, kinds] of Object.entries(counts.items))
      expect(linesOf(`${table}.jsonl`)).toHaveLength(
        Object.values(kinds).reduce((sum, each) => sum + each, 0),
      )
    expect(counts.items.queries).toEqual({ answer: 252 })
    expect(linesOf('objects.jsonl')).toHaveLength(counts.objects)
    for (const line of linesOf('objects.jsonl')) {
      const { key, base64 } = JSON.parse(line) as { key: string; base64: string }
      expect(Buffer.from(base64, 'base64').equals((await objects.get(key)) as Buffer)).toBe(true)
    }
    for (const file of files) expect(textOf(to, file)).not.toContain(CANARY)
    await expect(exportTo(to)).rejects.toThrow('holds a whole export already')
  })

  it('never goes on with what was begun of another service', async () => {
    const to = join(folder, 'broken')
    const client = store.connect()
    failCalls(client).failNext(3, new Error('the terminal was closed'))
    await expect(exportTo(to, client)).rejects.toThrow('the terminal was closed')
    const before = readdirSync(to).map((name) => textOf(to, name))
    await expect(exportTo(to, store.client, 'another')).rejects.toThrow(
      `${to} holds the beginning of an export of the service: give a folder of its own`,
    )
    expect(readdirSync(to).map((name) => textOf(to, name))).toEqual(before)
    expect((await exportTo(to)).items.queries).toEqual({ answer: 252 })
  })

  it('goes on where it was broken off, wherever that was, and is the same in the end', async () => {
    const [whole, broken] = [join(folder, 'whole'), join(folder, 'broken')]
    const counts = await exportTo(whole)
    const client = store.connect()
    const faults = failCalls(client)
    let tries = 0
    for (;;) {
      // Each try reads two pages, then fails.
      faults.clear()
      faults.failNext(3, new Error('the terminal was closed'))
      tries += 1
      if (
        await exportTo(broken, client).then(
          () => true,
          () => false,
        )
      )
        break
    }
    expect(tries).toBeGreaterThan(3)
    expect(JSON.parse(textOf(broken, 'export.json'))).toEqual(counts)
    // Names within an item come in any order.
    const records = (to: string, file: string): unknown[] =>
      textOf(to, file)
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown)
    for (const file of readdirSync(whole)) expect(records(broken, file)).toEqual(records(whole, file))
  })
})

describe('the commands on the data of a local service', () => {
  let folder: string
  let data: string
  let one: OneOfEach
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'store-commands-'))
    data = join(folder, 'data')
    const { documents, names, close } = await openLocalTables(data)
    one = await writeOneOfEach(
      { client: documents, names },
      folderObjects(folderPaths(data).objects),
      AN_HOUR_AGO,
    )
    const backup = tableNames('backup')
    await createTables(documents, backup)
    const copied = { client: documents, names: backup, from: names, pace: noPace, clock: Date.now }
    await restoreItems({ ...copied, tables: RESTORE_ORDER, really: true })
    await documents.send(
      new UpdateCommand({
        TableName: names.webhooks,
        Key: itemKeys.memberCount(itemKeys.webhooks),
        UpdateExpression: 'SET members = :n',
        ExpressionAttributeValues: { ':n': 7 },
      }),
    )
    await close()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('find what does not fit, mend it when told to, then find nothing', () => {
    const found = command('repair', '--data', data)
    expect(found.status).toBe(3)
    expect(found.stdout.split('\n')[0]).toBe(
      '{"kind":"wrong_count","at":"webhooks WEBHOOK_COUNT COUNT","says":"counts 1 instead of 7"}',
    )
    expect(found.last()).toMatchObject({ found: { wrong_count: 1 }, mended: 0, left: 1 })
    expect(command('repair', '--data', data, '--yes')).toMatchObject({ status: 0 })
    const again = command('repair', '--data', data)
    expect([again.status, again.last()]).toEqual([0, expect.objectContaining({ found: {}, left: 0 })])
  })

  it('export it whole, and say how much that is', () => {
    const to = join(folder, 'export')
    const { status, last } = command('export', '--data', data, '--to', to)
    expect(status).toBe(0)
    expect(last()).toMatchObject({ items: { incidents: { incident: 1 }, keys: { api_key: 1, user: 1 } } })
    expect(existsSync(join(to, 'export.json'))).toBe(true)
  })

  it.each([
    [['--name', ' '], '--name must have 1 to 100 characters'],
    [['--name', 'n', '--expires', 'tomorrow'], '--expires must be an ISO 8601 UTC timestamp'],
    [['--name', 'n', '--expires', '2020-01-01T00:00:00Z'], '--expires must be in the future'],
  ])('make no key with %j, and name the option that is wrong', (args, reason) => {
    const got = command('keys', 'create', '--type', 'admin', '--data', data, ...args)
    expect(got).toMatchObject({ status: 2, stdout: '' })
    expect(got.stderr).toContain(reason)
  })

  it('count what would go, erase it when told to, then find nothing of it', () => {
    const args = ['--data', data, '--incident', one.incident]
    const counted = command('erase', ...args)
    expect(counted).toMatchObject({ status: 0 })
    expect(counted.last()).toMatchObject({
      would_erase: { items: { incidents: { incident: 1 } }, objects: 3 },
    })
    const erased = command('erase', ...args, '--yes')
    expect(Object.values(erased.last() as object)).toEqual(Object.values(counted.last() as object))
    const again = command('erase', ...args)
    expect(again.last()).toEqual({ would_erase: { items: {}, objects: 0, open_incidents: 0 } })
    expect([counted.stderr, again.stderr]).toEqual(['', `erase: nothing of ${one.incident} is there\n`])
  })

  it('count what a backup has and they lack, bring it back when told to, then find nothing missing', () => {
    const args = ['--data', data, '--from', 'backup', '--tables', 'incidents,queries']
    const counted = command('restore', ...args)
    expect(counted.last()).toMatchObject({ would_restore: { incidents: { incident: 1 } }, expired: 0 })
    const restored = command('restore', ...args, '--yes')
    expect([restored.status, Object.values(restored.last() as object)]).toEqual([
      0,
      Object.values(counted.last() as object),
    ])
    expect(command('restore', ...args).last()).toMatchObject({ would_restore: {} })
    const nowhere = command('restore', '--data', data, '--from', 'nowhere')
    expect([nowhere.status, nowhere.stdout]).toEqual([1, ''])
    expect(nowhere.stderr).toContain('there is no table nowhere-keys')
  })
})

describe('wrong use', () => {
  const NOWHERE = join(tmpdir(), 'no-such-folder-of-a-service')
  const NO_DATA = `there is no local service's data in ${NOWHERE}: npm start makes it, --stack names a deployed one`
  it.each([
    ['repair', ['--all'], 2, "Unknown option '--all'"],
    ['repair', ['--rate', '0'], 2, '--rate must be a number from 1 to 100000'],
    ['repair', ['--data', NOWHERE], 1, NO_DATA],
    ['keys', ['list', '--data', NOWHERE], 1, NO_DATA],
    ['keys', ['create', '--name', 'n', '--type', 'admin', '--data', NOWHERE], 1, NO_DATA],
    ['users', ['list', '--data', NOWHERE], 1, NO_DATA],
    ['export', ['--to', 'package.json'], 2, '--to must be a folder: package.json is a file'],
    ['export', [], 2, '--to is required'],
    ['restore', [], 2, '--from is required'],
    ['restore', ['--from', 'x', '--tables', 'incidents,users'], 2, '--tables takes some of keys,'],
    ['erase', [], 2, 'give one of --incident, --query and --before'],
    [
      'erase',
      ['--incident', 'inc_1', '--query', 'query_1'],
      2,
      'give one of --incident, --query and --before',
    ],
    ['erase', ['--incident', 'inc_1'], 2, '--incident must be a whole id such as inc_01KFMZ7R'],
    [
      'erase',
      ['--query', 'inc_01KFMZ7R4Z0000000000000000'],
      2,
      '--query must be a whole id such as query_01KFMZ7R',
    ],
    ['erase', ['--before', 'yesterday'], 2, '--before must be an instant'],
    ['erase', ['--before', '9999-01-01T00:00:00Z'], 2, '--before must not lie in the future'],
  ])('of %s with %j is refused, and nothing is touched', (name, args, status, reason) => {
    const got = command(name, ...args)
    expect({ status: got.status, stdout: got.stdout }).toEqual({ status, stdout: '' })
    expect(got.stderr).toContain(reason)
    expect(existsSync(NOWHERE)).toBe(false)
  })

  it.each([
    ['repair', []],
    ['export', ['--to', NOWHERE]],
    ['erase', ['--before', '2026-01-31T12:00:00Z']],
    ['restore', ['--from', 'backup']],
    ['keys', ['list']],
    ['users', ['list']],
    ['investigate', ['--replay', 'inc_1']],
  ])('of %s with two places is refused, as nobody would know which was meant', (name, args) => {
    const got = command(name, ...args, '--stack', 'a-stack', '--data', NOWHERE)
    expect(got).toMatchObject({ status: 2, stdout: '' })
    expect(got.stderr).toContain('give --stack or --data, not both')
  })

  it.each([
    ['keys', ['list', 'a-stack']],
    ['keys', ['create', 'status page', 'assistant']],
    ['users', ['list', 'a-stack']],
    ['users', ['disable', 'user_1', 'a-stack']],
  ])('of %s whose options npm took for its own (%j) is told where options stand', (name, args) => {
    const got = command(name, ...args)
    expect(got).toMatchObject({ status: 2, stdout: '' })
    expect(got.stderr).toContain('too many words: with npm, options stand behind --, as in npm start -- ')
  })

  it.each(['repair', 'export', 'erase', 'restore'])('of %s is learned from --help', (name) => {
    const { status, stdout } = command(name, '--help')
    expect([status, stdout]).toEqual([0, expect.stringContaining(`npm run --silent ${name} --`)])
  })
})

describe('the tables of a deployed stack', () => {
  const resource = (logicalId: string) => ({
    logicalId: `${logicalId}1A2B3C4D`,
    type: 'AWS::DynamoDB::GlobalTable',
    physicalId: `stack-${logicalId}`,
  })
  const all = ['Incidents', 'Integrations', 'Webhooks', 'Keys', 'Queries', 'Signals'].map((name) =>
    resource(`${name}Table`),
  )

  it('are found by what the templates call them', () => {
    expect(deployedTables(all)).toMatchObject({ incidents: 'stack-IncidentsTable', keys: 'stack-KeysTable' })
  })

  it('are all there, or the one that is not is named', () => {
    expect(() => deployedTables(all.slice(1))).toThrow('the stack has no table of incidents')
  })
})
