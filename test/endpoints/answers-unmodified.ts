import { expect, it } from 'vitest'
import type { OperationId } from '#shared/contract/operations.ts'
import { type Service, withKey } from './service.ts'

/**
 * What every read of one resource promises a client that holds a version of it already.
 * @param make makes a resource; its id
 * @param change makes a new version of it, where there is a way to
 */
export function answersUnmodified(
  operation: OperationId,
  service: () => Service,
  make: () => Promise<string>,
  change?: (id: string) => Promise<unknown>,
): void {
  const read = (id: string, held?: string) =>
    service().call(operation, {
      id,
      headers: { ...withKey(service().adminKey), ...(held === undefined ? {} : { 'If-None-Match': held }) },
    })

  it('answers a client that holds the present version without a body', async () => {
    const id = await make()
    const first = await read(id)
    expect(first.status).toBe(200)
    expect(first.headers.ETag).toMatch(/^"[1-9]\d*"$/)
    const again = await read(id, first.headers.ETag)
    expect([again.status, again.body, again.headers.ETag]).toEqual([304, null, first.headers.ETag])
    for (const held of ['*', `W/${first.headers.ETag}`, `"0", ${first.headers.ETag}`])
      expect((await read(id, held)).status, held).toBe(304)
    const other = await read(id, '"4711"')
    expect([other.status, other.body]).toEqual([200, first.body])
  })

  if (change !== undefined)
    it('has another ETag after every change that shows', async () => {
      const id = await make()
      const seen = new Map<string, unknown>()
      for (let changes = 0; changes < 3; changes += 1) {
        const got = await read(id)
        const tag = got.headers.ETag ?? ''
        expect(seen.has(tag), `${tag} was seen before`).toBe(false)
        for (const old of seen.keys()) expect((await read(id, old)).status).toBe(200)
        seen.set(tag, got.body)
        await change(id)
      }
    })

  it('refuses what is no list of entity tags by its name', async () => {
    const got = await read(await make(), 'no-quotes')
    expect(got.status).toBe(400)
    expect(got.body.error.details.field).toBe('If-None-Match')
  })
}
