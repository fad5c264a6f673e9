import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { userAdmin } from '#shared/adapters/dynamo/user-admin.ts'
import { userAdmission } from '#shared/adapters/dynamo/users.ts'
import { WINDOW_MS } from '#shared/domain/rate-limit.ts'
import type { SignedInUser } from '#shared/domain/user.ts'
import { countCalls } from '#test/storage/count-calls.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { failCalls } from '#test/storage/fail-calls.ts'

let store: TestStore
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store.stop())

/** The beginning of a window. */
const NOON = Date.UTC(2026, 0, 2, 12, 0, 0)
let made = 0
const newUser = (change: Partial<SignedInUser> = {}): SignedInUser => {
  made += 1
  return { id: `user_${made}`, name: `person ${made}`, group: 'admin', issued_at: NOON - 1_000, ...change }
}
/** What a process of its own would have. */
const newProcess = () => userAdmission(store.client, store.names.keys)
const admin = () => userAdmin(store.client, store.names.keys)
const itemOf = async (id: string) =>
  (await store.client.send(new GetCommand({ TableName: store.names.keys, Key: { pk: `USER#${id}` } }))).Item

describe('a signed-in user', () => {
  test('is let in at the first request, in one call, which makes the record of them', async () => {
    const counted = countCalls(store.client)
    const user = newUser()
    counted.reset()
    expect(await newProcess().admit(user, NOON)).toEqual({
      outcome: 'admitted',
      caller: { id: user.id, name: user.name, type: 'user_admin' },
      rate: { limit: 100, remaining: 99, reset: (NOON + WINDOW_MS) / 1_000 },
    })
    expect(counted.names()).toEqual(['UpdateItem'])
    expect(await itemOf(user.id)).toMatchObject({ id: user.id, name: user.name, last_used_at: NOON })
  })

  test('of no group is counted and may nothing', async () => {
    const entrance = await newProcess().admit(newUser({ group: null }), NOON)
    expect(entrance).toMatchObject({ outcome: 'admitted', caller: { type: null } })
  })

  test('has exactly 100 requests a minute over all processes, then is refused in process until the next', async () => {
    const user = newUser()
    const processes = [newProcess(), newProcess(), newProcess()]
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        (processes[index % 3] ?? newProcess()).admit(user, NOON + index),
      ),
    )
    expect(answers.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(100)
    expect(answers.filter(({ outcome }) => outcome === 'limited')).toHaveLength(50)
    const counted = countCalls(store.client)
    counted.reset()
    const blocked = await Promise.all(processes.map((each) => each.admit(user, NOON + 59_999)))
    expect(blocked.map(({ outcome }) => outcome)).toEqual(Array(3).fill('limited'))
    expect(blocked[0]).toMatchObject({ rate: { limit: 100, remaining: 0 } })
    expect(counted.names()).toEqual([])
    expect((await newProcess().admit(user, NOON + WINDOW_MS)).outcome).toBe('admitted')
  })

  test('keeps an item of a few windows, however long they work', async () => {
    const user = newUser()
    const process = newProcess()
    for (let minute = 0; minute < 40; minute += 1) await process.admit(user, NOON + minute * WINDOW_MS)
    const windows = Object.keys((await itemOf(user.id)) ?? {}).filter((name) => /^w\d+$/.test(name))
    expect(windows.length).toBeLessThan(10)
  })

  test('who is disabled is refused by every process from the next request on, until enabled again', async () => {
    const user = newUser()
    const processes = [newProcess(), newProcess()]
    for (const each of processes) await each.admit(user, NOON)
    expect(await admin().setDisabled(user.id, true, NOON + 1)).toBe(true)
    for (const each of [...processes, newProcess()])
      expect(await each.admit(user, NOON + 2)).toEqual({ outcome: 'unknown' })
    expect(await admin().setDisabled(user.id, false, NOON + 3)).toBe(true)
    for (const each of processes) expect((await each.admit(user, NOON + 4)).outcome).toBe('admitted')
  })

  test('who was signed out everywhere needs a token that was issued afterwards', async () => {
    const user = newUser()
    const process = newProcess()
    await process.admit(user, NOON)
    expect(await admin().signOut(user.id, NOON)).toBe(true)
    expect(await process.admit(user, NOON + 1)).toEqual({ outcome: 'unknown' })
    const again = await process.admit({ ...user, issued_at: NOON }, NOON + 2)
    expect(again.outcome).toBe('admitted')
  })

  test('is not refused for an error of the store', async () => {
    const faults = failCalls(store.client)
    faults.loseAnswer(1, Object.assign(new Error('down'), { name: 'InternalServerError' }))
    await expect(newProcess().admit(newUser(), NOON)).rejects.toThrow('down')
  })
})

describe('operators', () => {
  test('see who has called, and since when somebody is refused', async () => {
    const user = newUser()
    await newProcess().admit(user, NOON)
    await admin().setDisabled(user.id, true, NOON + 1)
    // Disabling again does not move the instant.
    await admin().setDisabled(user.id, true, NOON + 2)
    expect(await admin().list()).toContainEqual({
      id: user.id,
      name: user.name,
      last_used_at: '2026-01-02T12:00:00.000Z',
      disabled_at: '2026-01-02T12:00:00.001Z',
    })
  })

  test('are told when nobody with that id has called', async () => {
    expect(await admin().setDisabled('user_nobody', true, NOON)).toBe(false)
    expect(await admin().setDisabled('user_nobody', false, NOON)).toBe(false)
    expect(await admin().signOut('user_nobody', NOON)).toBe(false)
  })
})
