import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operationList } from '#shared/contract/operations.ts'

const folder = new URL('./', import.meta.url)
const files = readdirSync(folder)

describe('every operation', () => {
  it.each(operationList.map((row) => [row.id, row] as const))(
    '%s has a file of tests that also tests what all refuse alike',
    (id, { method, precondition, tagged }) => {
      expect(files).toContain(`${id}.test.ts`)
      const text = readFileSync(new URL(`${id}.test.ts`, folder), 'utf8')
      expect(text).toContain(`refusesAlike('${id}', () => service)`)
      expect(text).toContain("describe('20")
      if (tagged === true && method === 'GET') expect(text).toContain(`answersUnmodified(\n    '${id}'`)
      if (precondition === true) expect(text).toContain(`refusesStale('${id}'`)
    },
  )

  it.each(operationList.flatMap(({ id, refusals = [] }) => refusals.map((status) => [id, status] as const)))(
    '%s is tested for its own refusal %i',
    (id, status) => {
      const text = readFileSync(new URL(`${id}.test.ts`, folder), 'utf8')
      // 404 for an id that nothing has is among what all refuse alike.
      if (status !== 404) expect(text).toContain(`describe('${status}`)
    },
  )
})
