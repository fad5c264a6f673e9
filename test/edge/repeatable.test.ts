import { describe, expect, it } from 'vitest'
import { Refusal } from '#shared/domain/errors.ts'
import { type Claim, ClaimTaken, type Earlier, type RepeatStore } from '#shared/domain/repeat.ts'
import type { Call } from '#shared/edge/endpoint.ts'
import { repeatable } from '#shared/edge/repeatable.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const claim: Claim = { at: NOW, recording: () => undefined }

/** Records that know of a request what `known` says, one word for each time that they are asked. */
function records(...known: (Earlier | undefined)[]): RepeatStore & { released: number } {
  return {
    released: 0,
    find: async () => known.shift(),
    claim: () => claim,
    begin: async () => ({ claim }),
    finish: async () => undefined,
    async release() {
      this.released += 1
    },
  }
}

const call = {
  caller: { id: 'key_1', type: 'admin' },
  id: '',
  innerId: '',
  body: { title: 'Checkout fails', severity: 'high' },
  header: (name: string) => (name === 'idempotency-key' ? ['k-1'] : []),
} as unknown as Call<'create-incident'>

const sent = (store: RepeatStore, first: () => Promise<string>, long?: true) =>
  repeatable<'create-incident', string>(
    'create-incident',
    { records: () => store, clock: () => NOW },
    {
      first,
      again: async (_, done) => done.resource,
      answer: (made) => ({ body: { id: made }, version: 1 }) as never,
      ...(long === undefined ? {} : { long }),
    },
  )(call)

const taken = async (): Promise<string> => {
  throw new ClaimTaken()
}

describe('a request whose claim another try of it took', () => {
  it('is answered from what that one made, once it is known', async () => {
    const done: Earlier = { state: 'done', status: 201, resource: 'inc_1', at: NOW, result: null }
    const got = await sent(records(undefined, done), taken)
    expect(got).toMatchObject({
      status: 201,
      body: { id: 'inc_1' },
      headers: { 'Idempotency-Replayed': 'true' },
    })
  })

  it.each([undefined, true] as const)(
    'is a conflict while that one is written, long work: %s',
    async (long) => {
      const store = records(undefined, undefined)
      const refused = await sent(store, taken, long).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(Refusal)
      expect(refused).toMatchObject({ kind: 'conflict', details: { field: 'Idempotency-Key' } })
      // The right belongs to the other one.
      expect(store.released).toBe(0)
    },
  )
})

it('fails with its own error where it fails by itself, and long work gives its right back', async () => {
  const broken = new Error('no store')
  for (const [long, released] of [
    [undefined, 0],
    [true, 1],
  ] as const) {
    const store = records()
    await expect(sent(store, () => Promise.reject(broken), long)).rejects.toBe(broken)
    expect(store.released).toBe(released)
  }
})
