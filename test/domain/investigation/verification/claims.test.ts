import { describe, expect, it } from 'vitest'
import type { Evidence } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { claimOf, sentencesOf, verifyClaims } from '#shared/domain/investigation/verification/claims.ts'
import { EMPTY, MINUTE, SCENARIOS, series } from '../incident-scenarios.ts'
import { altered } from '../renamed-scenario.ts'

const [first] = SCENARIOS
if (first === undefined) throw new Error('there is no scenario')
const { snapshot } = first
const findings = investigate(snapshot)
/** What comes back now, under digests of its own. */
const again = (fresh: Snapshot, digest = 'new') => {
  const sources = fresh.sources.map((source) => ({ ...source, digest: `${digest}-${source.id}` }))
  const now = { ...fresh, sources }
  return verifyClaims(findings.evidence, {
    snapshot: now,
    sentences: sentencesOf(now, investigate(now), null),
  })
}
const statuses = (verified: readonly { readonly status: string }[]) => [
  ...new Set(verified.map(({ status }) => status)),
]

describe('a claim', () => {
  it('is a sentence without its numbers and times, whatever the example that it quotes', () => {
    expect(claimOf('errors of a went up from 1 to 2.5 from 2026-03-02 09:42:00 UTC on.')).toBe(
      claimOf(
        'errors of a went up from 3 to 9 from 2026-03-02 09:43:00 UTC on, back to normal at 2026-03-02 10:00:00 UTC.',
      ),
    )
    expect(claimOf('a logged 1 line (error) like “order x-17 failed” since 1.')).toBe(
      claimOf('a logged 9 lines (error) like “order y-18 failed” since 2.'),
    )
    expect(claimOf('a logged “order x-17b of ada failed”')).toBe(
      claimOf('a logged “order 18yz of ada failed”'),
    )
    expect(claimOf('a logged “order x-17b of ada failed”')).not.toBe(
      claimOf('a logged “order 18yz of eve failed”'),
    )
  })

  it.each([
    ['errors of a went up from 1 to 2', 'errors of a went down from 1 to 2'],
    ['p95 of a went up', 'p99 of a went up'],
    ['errors of a went up', 'errors of b went up'],
    ['a logged “no route”', 'a logged “no host”'],
  ])('“%s” is another than “%s”', (one, other) => {
    expect(claimOf(one)).not.toBe(claimOf(other))
  })
})

describe('asked again', () => {
  it('evidence is the same where the same comes back', () => {
    expect(statuses(again(snapshot))).toEqual(['same'])
  })

  it('evidence whose source gives the same to the byte is the same without a look at the claim', () => {
    const verified = verifyClaims(findings.evidence, { snapshot, sentences: [] })
    expect(statuses(verified)).toEqual(['same'])
  })

  it('evidence has drifted where its claim holds with other values, and the new one is told', () => {
    const verified = again(altered(snapshot, { later: MINUTE }))
    const drifted = verified.filter(({ status }) => status === 'drifted')
    expect(drifted.length).toBeGreaterThan(3)
    for (const { was, now } of drifted) {
      expect(now).not.toBe(was)
      expect(claimOf(now ?? '')).toBe(claimOf(was))
    }
    expect(verified.filter(({ status }) => status === 'contradicted')).toEqual([])
  })

  it('evidence is contradicted where the data are there and do not say it', () => {
    const flat = snapshot.series.map((series) => ({ ...series, values: series.values.map(() => 1) }))
    const verified = again({ ...snapshot, series: flat })
    const metrics = verified.filter(({ was }) => / went (up|down) from /.test(was))
    expect(metrics.length).toBeGreaterThan(1)
    expect(statuses(metrics)).toEqual(['contradicted'])
    expect(metrics[0]?.now).toBeNull()
  })

  it('evidence has expired where the tool answers and no longer has the data', () => {
    const sources = snapshot.sources.map((source) => ({ ...source, outcome: 'empty' as const, records: 0 }))
    const verified = again({ ...snapshot, sources, series: [], logs: [], changes: [], alerts: [] })
    expect(statuses(verified)).toEqual(['expired'])
    const unmeasured = snapshot.series.map((series) => ({
      ...series,
      values: series.values.map(() => Number.NaN),
    }))
    const metrics = again({ ...snapshot, sources, series: unmeasured }).filter(({ was }) =>
      / went /.test(was),
    )
    expect(statuses(metrics)).toEqual(['expired'])
  })

  it.each(['failed', 'timed_out'] as const)('evidence of a request that %s cannot be reached', (outcome) => {
    const sources = snapshot.sources.map((source) => ({ ...source, outcome, detail: 'no luck' }))
    const verified = again({ ...snapshot, sources })
    expect(statuses(verified)).toEqual(['unreachable'])
    expect(verified[0]?.why).toBe('no luck')
  })

  it('evidence of a tool that gave nothing at all cannot be reached, with the reason where one is known', () => {
    const [item] = findings.evidence
    const gaps = [{ what: `integration ${item?.integration_id} (bundle)`, why: 'is disabled' }]
    const verified = again({ ...snapshot, sources: [], gaps })
    expect(statuses(verified)).toEqual(['unreachable'])
    expect(verified.map(({ why }) => why)).toContain('is disabled')
    expect(verified.map(({ why }) => why)).toContain('the integration is no longer connected')
  })

  it('evidence of the store is contradicted by the store, never out of reach', () => {
    const item = { ...findings.evidence[0], source: 'incidents', integration_id: null, digest: null } as never
    expect(statuses(verifyClaims([item], { snapshot: null, sentences: [] }))).toEqual(['contradicted'])
  })

  it('evidence that was pushed cannot be reached while what was pushed cannot be read', () => {
    const item = { ...findings.evidence[0], integration_id: null, digest: null } as never
    const gaps = [{ what: 'pushed signals', why: 'could not be read' }]
    const verified = verifyClaims([item], { snapshot: { ...snapshot, sources: [], gaps }, sentences: [] })
    expect(verified).toMatchObject([{ status: 'unreachable', why: 'could not be read' }])
  })

  it('evidence of a folder that no integration names has expired when nothing is asked', () => {
    const item = { ...findings.evidence[0], integration_id: null, digest: null } as never
    expect(statuses(verifyClaims([item], { snapshot: null, sentences: [] }))).toEqual(['expired'])
  })

  describe('one tool of several', () => {
    const source = (
      id: string,
      more: Partial<Snapshot['sources'][number]> = {},
    ): Snapshot['sources'][number] => ({
      ...{ id, integration_id: 'int_a', tool: 'loki', query: 'logs of a', outcome: 'answered', records: 3 },
      ...more,
    })
    const item: Evidence = {
      ...{ id: 'ev_1', source: 'logs', type: 'error', content: 'a logged 3 lines', integration_id: 'int_a' },
      ...{ query: 'logs of a', window: null, link: null, digest: 'old' },
    }
    const verdict = (
      sources: Snapshot['sources'],
      {
        sentences = [],
        more = {},
        of = {},
      }: { sentences?: readonly string[]; more?: Partial<Snapshot>; of?: Partial<Evidence> } = {},
    ) => verifyClaims([{ ...item, ...of }], { snapshot: { ...EMPTY, sources, ...more }, sentences })[0]

    it('that answers some of its requests is reached; only the very request counts where it was made again', () => {
      const failed = source('x', { outcome: 'failed', detail: 'no luck', query: 'another' })
      expect(verdict([failed, source('a')])?.status).toBe('contradicted')
      expect(
        verdict([source('a', { outcome: 'timed_out' }), source('b', { query: 'another' })]),
      ).toMatchObject({
        ...{ status: 'unreachable', why: 'the tool did not answer' },
      })
      expect(verdict([source('a', { outcome: 'failed' }), source('b')])?.status).toBe('contradicted')
      expect(verdict([failed])).toMatchObject({ status: 'unreachable', why: 'no luck' })
    })

    it('is not asked of another: neither its digest nor its records count', () => {
      const other = source('b', { integration_id: 'int_b', digest: 'old' })
      expect(verdict([source('a', { records: 0, outcome: 'empty' }), other])?.status).toBe('expired')
      expect(verdict([source('a', { digest: 'old', records: 0 })])).toMatchObject({
        ...{ status: 'same', now: item.content, why: 'what came back is the same to the byte' },
      })
      expect(verdict([other])).toMatchObject({
        ...{ status: 'unreachable', why: 'the integration is no longer connected' },
      })
    })

    it('whose gap is told by its whole id', () => {
      const gaps = [
        { what: 'integration int_ab (loki)', why: 'is another' },
        { what: 'integration int_a (loki)', why: 'is disabled' },
      ]
      expect(verdict([], { more: { gaps } })?.why).toBe('is disabled')
    })

    it('says it word for word, or with other values', () => {
      const fresh = [source('a', { digest: 'new' })]
      expect(verdict(fresh, { sentences: [item.content] })).toMatchObject({
        ...{ status: 'same', now: item.content, why: 'it is said word for word' },
      })
      expect(verdict(fresh, { sentences: ['a logged 9 lines'] })).toMatchObject({
        ...{ status: 'drifted', now: 'a logged 9 lines', was: item.content, id: 'ev_1' },
      })
      expect(verdict(fresh, { sentences: ['a logged 9 lines'], of: { digest: null } })?.status).toBe(
        'drifted',
      )
    })

    it('was pushed: what else cannot be read does not matter, and what was read counts', () => {
      const gaps = [{ what: 'pushed signals', why: 'could not be read' }]
      const pushed = { integration_id: null, digest: null }
      const { integration_id: _, ...own } = source('p')
      expect(verdict([own], { more: { gaps }, of: pushed })?.status).toBe('contradicted')
      expect(verdict([], { more: { gaps: [{ what: 'traces', why: 'were cut' }] }, of: pushed })?.status).toBe(
        'expired',
      )
      expect(verdict([source('a')], { more: { gaps } })?.status).toBe('contradicted')
    })
  })
})

describe('what a claim keeps of its sentence', () => {
  it.each([
    ['a took 12.55 of 100 at 2026-03-02 09:42:00 UTC', 'a took # of # at #'],
    ['a logged 1 line and 9 requests', 'a logged # lines and # requests'],
    ['it was one record and matches a tool', 'it are one records and are a tools'],
    ['a logged “order x-17 of 12b failed”', 'a logged “order # of # failed”'],
    ['v1.2-3 of p95 is well, back to normal at 12', 'v1.2-3 of p95 are well'],
    ['a was rolled out; it took effect at 12', 'a are rolled out'],
  ])('of “%s” is “%s”', (sentence, claim) => {
    expect(claimOf(sentence)).toBe(claim)
  })
})

describe('one piece of evidence, asked again', () => {
  const item: Evidence = {
    ...{
      id: 'ev_1',
      source: 'metrics',
      type: 'anomaly',
      content: 'errors of a rose to 2',
      integration_id: 'int_1',
    },
    ...{ query: 'errors{}', window: null, link: null, digest: 'old' },
  }
  const source = (more: Partial<Snapshot['sources'][number]> = {}): Snapshot['sources'][number] => ({
    ...{
      id: 's',
      integration_id: 'int_1',
      tool: 't',
      query: 'errors{}',
      outcome: 'answered',
      records: 1,
      digest: 'new',
    },
    ...more,
  })
  const verdict = (
    more: Partial<Snapshot>,
    sentences: readonly string[] = [],
    of: Partial<Evidence> = {},
  ) => {
    const [found] = verifyClaims([{ ...item, ...of }], {
      snapshot: { ...EMPTY, sources: [source()], ...more },
      sentences,
    })
    return [found?.status, found?.now, found?.why]
  }

  it('is told what became of it, and why', () => {
    expect(verdict({ sources: [source({ digest: 'x' }), source({ digest: 'old' })] })).toEqual([
      ...['same', item.content, 'what came back is the same to the byte'],
    ])
    expect(verdict({}, [item.content])).toEqual(['same', item.content, 'it is said word for word'])
    const other = 'errors of a rose to 9'
    expect(verdict({}, [other])).toEqual(['drifted', other, 'the claim holds with other values'])
    expect(verdict({})).toEqual(['contradicted', null, 'the data are there and no longer say it'])
    expect(verdict({ sources: [source({ records: 0 })] })).toEqual([
      ...['expired', null, 'the tool no longer has the data'],
    ])
  })

  it('is unreachable where its tool said nothing, or is gone', () => {
    expect(verdict({ sources: [source({ outcome: 'failed' })] })).toEqual([
      ...['unreachable', null, 'the tool did not answer'],
    ])
    expect(verdict({ sources: [source({ outcome: 'timed_out', detail: 'after 5 s' })] })[2]).toBe('after 5 s')
    expect(verdict({ sources: [source({ outcome: 'failed' }), source()] })[0]).toBe('contradicted')
    const others = { sources: [source({ integration_id: 'int_2' })] }
    expect(verdict(others)).toEqual(['unreachable', null, 'the integration is no longer connected'])
    const gaps = [{ what: 'integration int_1 of metrics', why: 'its key was revoked' }]
    expect(verdict({ ...others, gaps })[2]).toBe('its key was revoked')
  })

  it('is there where its own series holds a value, or its own request brought a record', () => {
    const one = (query: string, ...values: readonly number[]) => ({
      ...{ ...series('a', 'errors', 0, 0), query, values: Float64Array.from(values) },
    })
    const none = { sources: [source({ records: 0 })] }
    expect(verdict({ ...none, series: [one('errors{}', Number.NaN, 1)] })[0]).toBe('contradicted')
    expect(verdict({ ...none, series: [one('errors{}', Number.NaN)] })[0]).toBe('expired')
    expect(verdict({ ...none, series: [one('errors{}', Number.NaN), one('errors{}', 1)] })[0]).toBe(
      'contradicted',
    )
    expect(verdict({ ...none, series: [one('other{}', 1)] })[0]).toBe('expired')
    expect(verdict({ sources: [source({ records: 0 }), source({ query: 'other{}' })] })[0]).toBe('expired')
  })

  it('is never missed where it is the store’s own', () => {
    const own = { integration_id: null, digest: null }
    const sources = [
      { ...source({ records: 0 }), integration_id: undefined },
    ] as unknown as Snapshot['sources']
    expect(verdict({ sources }, [], { ...own, source: 'incidents' })[0]).toBe('contradicted')
    expect(verdict({ sources }, [], own)[0]).toBe('expired')
    const gaps = [{ what: 'pushed signals', why: 'could not be read' }]
    expect(verdict({ sources: [], gaps }, [], own)).toEqual(['unreachable', null, 'could not be read'])
  })
})
