import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readRootCauseText, rootCauseText } from '#shared/adapters/dynamo/root-cause-text.ts'
import { rootCauseOf } from '#test/data/root-cause.ts'

const given = rootCauseOf({ evidence: 3, contentLength: 40, services: 2 })

it('is read back as it was written, byte for byte, whatever of the evidence is null', () => {
  const text = fc.option(fc.string(), { nil: null })
  const evidence = fc.record({
    integration_id: text,
    query: fc.string(),
    window: fc.option(fc.record({ start: fc.string(), end: fc.string() }), { nil: null }),
    link: text,
    digest: text,
  })
  fc.assert(
    fc.property(fc.array(evidence, { maxLength: 3 }), (list) => {
      const rootCause = {
        ...given,
        evidence: given.evidence.slice(0, list.length).map((item, index) => ({ ...item, ...list[index] })),
      }
      expect(JSON.stringify(readRootCauseText(rootCauseText(rootCause)))).toBe(JSON.stringify(rootCause))
    }),
  )
})

it('reads what older versions wrote, with every null', () => {
  expect(readRootCauseText(JSON.stringify(given))).toEqual(given)
})

it('writes no null of a piece of evidence', () => {
  const bare = given.evidence.map((item) => ({ ...item, window: null, link: null, digest: null }))
  const { evidence } = JSON.parse(rootCauseText({ ...given, evidence: bare })) as { evidence: object[] }
  for (const item of evidence) expect(Object.values(item)).not.toContain(null)
})
