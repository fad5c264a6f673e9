import { expect, it } from 'vitest'
import { type OperationId, operations } from '#shared/contract/operations.ts'
import { expectError, expectInvalid } from './refusals.ts'
import { type Service, withKey } from './service.ts'

/** One resource, with ways to read and change it. */
export interface Guarded {
  /** Makes a resource; its id. */
  readonly make: () => Promise<string>
  /** The operation that reads it. */
  readonly read: OperationId
  /** What a change sends; nothing for a deletion. */
  readonly body?: unknown
  /** Another change of it, by somebody else. */
  readonly meanwhile: (id: string) => Promise<unknown>
}

/** What every change promises a caller that names the version it is meant for. */
export function refusesStale(
  operation: OperationId,
  service: () => Service,
  { make, read, body, meanwhile }: Guarded,
): void {
  const success = operations[operation].success.status
  const sent = body === undefined ? {} : { body }
  const change = (id: string, tags: string | readonly string[]) =>
    service().call(operation, {
      id,
      ...sent,
      headers: { ...withKey(service().adminKey), 'If-Match': tags },
    })
  const look = (id: string) => service().call(read, { id })

  it('refuses a change that is meant for a version that is no more, and changes nothing', async () => {
    const id = await make()
    const old = (await look(id)).headers.ETag ?? ''
    await meanwhile(id)
    const before = await look(id)
    for (const tags of [old, `W/${before.headers.ETag}`, '"0"', '"none-of-ours"', '""']) {
      const got = await change(id, tags)
      expectError(got, 412, 'INVALID_REQUEST')
      expect(got.body.error.details.field).toBe('If-Match')
    }
    const after = await look(id)
    expect([after.body, after.headers.ETag]).toEqual([before.body, before.headers.ETag])
  })

  it('lets a change on to the version that it is meant for, to any of several, and to any at all', async () => {
    for (const tags of [
      (present: string) => present,
      (present: string) => `"4711", ${present}`,
      (present: string) => ['"4711"', present],
      () => '*',
    ]) {
      const id = await make()
      await meanwhile(id)
      const got = await change(id, tags((await look(id)).headers.ETag ?? ''))
      expect(got.status, JSON.stringify(got.body)).toBe(success)
    }
  })

  it('lets one of several changes through that are meant for the same version at once', async () => {
    const id = await make()
    const present = (await look(id)).headers.ETag ?? ''
    const answers = await Promise.all([1, 2, 3, 4].map(() => change(id, present)))
    const refused = answers.filter(({ status }) => status !== success)
    expect(refused).toHaveLength(3)
    for (const got of refused) expect([412, 404]).toContain(got.status)
  })

  it('says that there is nothing before it says that it is stale', async () => {
    const id = await make()
    const gone = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    expectError(await change(gone, '"1"'), 404, 'NOT_FOUND')
    expectError(await change(gone, '*'), 404, 'NOT_FOUND')
  })

  it('refuses what is no list of entity tags by its name, so that no guard is lost to a typo', async () => {
    const id = await make()
    const present = (await look(id)).headers.ETag ?? ''
    for (const tags of [present.slice(1, -1), `${present} ${present}`, ''])
      expectInvalid(await change(id, tags), 'If-Match')
    expect((await look(id)).headers.ETag).toBe(present)
  })
}
