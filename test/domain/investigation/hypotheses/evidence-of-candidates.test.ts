import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import type { Evidence } from '#shared/domain/investigation/findings.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { deploy, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import {
  able,
  firm,
  fused,
  INCIDENT,
  LINKS,
  mechanism,
  NO_BLAME,
  nodeFlow,
  OBSERVED,
  shifted,
  told,
} from '../verdict-by-hand.ts'

describe('what speaks for and against', () => {
  it('a change is supported by its record, its rollout, its mechanism and the symptoms', () => {
    const rollout = deploy('d1', ONSET - 2, 'stock', 'v2', ['c1'])
    const { said, hypotheses } = fused({ ranked: [able({ carried_by: rollout })] })
    const [change, carried, does, ...symptoms] = said(hypotheses[0]?.supported_by)
    expect(change).toMatch(/^Commit c1 “Name a size”/)
    expect(carried).toMatch(
      /^Deploy v2 of stock took effect at 2026-03-02 09:28:00 UTC and carried commit c1\.$/,
    )
    expect(does).toMatch(/^The diff of commit c1 takes a bound away/)
    expect(symptoms[0]).toMatch(/^http_5xx_ratio of stock went up/)
    expect(symptoms[1]).toMatch(/^stock logged 30 lines \(error\)/)
    expect(symptoms[2]).toMatch(/^http_5xx_ratio of web went up/)
    expect(symptoms).toHaveLength(3)
    expect(hypotheses[0]?.contradicted_by).toEqual([])
  })

  it('a change is supported by whatever links it to what is observed, cited as what it is', () => {
    const { items, hypotheses } = fused({ ranked: [able(LINKS)] })
    const cited = hypotheses[0]?.supported_by.map((id) => items.find((item) => item.id === id))
    const found = (text: RegExp) => {
      const item = cited?.find((one) => text.test(one?.content ?? ''))
      return [item?.source, item?.type]
    }
    expect(found(/^Commit c1/)).toEqual(['commits', 'change'])
    expect(found(/as size does in commit c1/)).toEqual(['metrics', 'correlation'])
    expect(found(/commit c1 removes the name “total_net”/)).toEqual(['logs', 'correlation'])
    expect(found(/fail in version v2/)).toEqual(['traces', 'correlation'])
    expect(found(/^The diff of commit c1 takes a bound away/)).toEqual(['commits', 'correlation'])
    const series = fused({ ranked: [able({ contrast: { ...LINKS.contrast, what: 'http_5xx_ratio' } })] })
    expect(series.items.find(({ content }) => /in version v2/.test(content))?.source).toBe('metrics')
  })

  it('a mechanism that hardly fits is not cited', () => {
    const cited = (score: number) => {
      const { said, hypotheses } = fused({ ranked: [able({ mechanism: mechanism(score) })] })
      return said(hypotheses[0]?.supported_by).some((text) => text.includes('takes a bound away'))
    }
    expect([cited(0.2), cited(0.19)]).toEqual([true, false])
  })

  it('that a change is harmless, or that no rollout carried it, speaks against it', () => {
    const against = (more: Partial<RankedChange>) => {
      const { said, hypotheses } = fused({ ranked: [able(more)] })
      return said(hypotheses[0]?.contradicted_by)
    }
    expect(against({ trivial: 'it only touches documentation' })).toEqual([
      'Of commit c1 one can say that it only touches documentation.',
    ])
    const unknown = { effective_at: { from: 0, to: 0, known: false } }
    expect(against(unknown)).toEqual(['No rollout in the records carried commit c1.'])
    expect(against({ ...unknown, carried_by: deploy('d1', ONSET - 2, 'stock', 'v2', ['c1']) })).toEqual([])
    const { items } = fused({ ranked: [able({ ...unknown, trivial: 'it only touches documentation' })] })
    const typeOf = (text: RegExp) => items.find(({ content }) => text.test(content))?.type
    expect([typeOf(/^Of commit c1/), typeOf(/^No rollout/)]).toEqual(['statement', 'absence'])
  })

  it('a change that reached the place in time speaks against another kind of cause', () => {
    const against = (more: Partial<RankedChange>) => {
      const { said, hypotheses } = fused({ ranked: [able({ score: 0.1, ...more })], operational: [firm()] })
      return said(hypotheses[0]?.contradicted_by)
    }
    expect(against({})[0]).toMatch(/^Commit c1/)
    expect(against({ place: 0.85 })).toHaveLength(1)
    expect(against({ place: 0.84 })).toEqual([])
    expect(against({ trivial: 'it only touches documentation' })).toEqual([])
    expect(against({ effective_at: { from: 0, to: 0, known: false } })).toEqual([])
  })

  it.each([
    ['log', 'logs', 'error'],
    ['pattern', 'logs', 'error'],
    ['kubernetes', 'topology', 'error'],
    ['event', 'integrations', 'error'],
    ['alert', 'alerts', 'error'],
    ['trace', 'traces', 'error'],
  ] as const)('what a %s says is cited as that', (origin, source, type) => {
    const { items, hypotheses } = fused({
      operational: [firm({ signs: [told('no such host', { origin })] })],
    })
    expect(items.find(({ id }) => id === hypotheses[0]?.supported_by[0])).toMatchObject({ source, type })
  })
})

describe('a place', () => {
  const [stock, web] = OBSERVED.suspects
  if (stock === undefined || web === undefined) throw new Error('nobody is suspected')
  const till = { ...web, entity: 'till', blame: null, flow: null, score: 0.9 }

  it('is supported by its flow, by three series, two lines and two patterns, cited as what they are', () => {
    const [line] = OBSERVED.templates
    if (line === undefined) throw new Error('no line was logged')
    const numbers = [1, 2, 3, 4] as const
    const full: FailingService = {
      ...{ ...stock, error_spans: [], flow: null },
      blame: { ...NO_BLAME, flow: nodeFlow() },
      shifts: numbers.map((number) => shifted('stock', `failed_${number}_ratio`)),
      templates: numbers.map((number) => ({ ...line, example: `it broke ${number}` })),
      patterns: numbers.map((number) => ({
        ...{ source: 'patterns', service: 'stock', signature: `it failed ${number}`, count: 9 },
      })),
    }
    const { items, hypotheses } = fused({
      observed: { ...OBSERVED, first: null, failing: [], suspects: [full], unexplained: [full] },
    })
    const cited = hypotheses[0]?.supported_by.map((id) => items.find((item) => item.id === id) as Evidence)
    expect(cited?.map(({ source, type }) => `${source} ${type}`)).toEqual([
      ...['topology dependency', 'metrics anomaly', 'metrics anomaly', 'metrics anomaly'],
      ...['logs error', 'logs error', 'logs pattern', 'logs pattern'],
    ])
    expect(cited?.[1]?.query).toBe('the failed_1_ratio')
    expect(
      fused({ observed: { ...OBSERVED, first: till, suspects: [], unexplained: [till] } }).hypotheses,
    ).toHaveLength(1)
  })

  it('is spoken against by what it calls and nothing was measured of', () => {
    const against = (unmeasured: readonly string[]) => {
      const place = { ...stock, shifts: [], blame: { ...NO_BLAME, flow: nodeFlow({ unmeasured }) } }
      const { items, hypotheses } = fused({
        observed: { ...OBSERVED, first: place, failing: [place], suspects: [place], unexplained: [place] },
      })
      return items.filter(({ id }) => hypotheses[0]?.contradicted_by.includes(id))
    }
    expect(against([])).toEqual([])
    expect(against(['till'])).toMatchObject([
      { source: 'topology', type: 'absence', content: expect.stringContaining('was measured of till,') },
    ])
  })

  it('is not spoken against by itself, nor by what may have failed at the same time', () => {
    const against = (latest: number) => {
      const other = {
        ...{ ...web, shifts: [shifted('web', 'failed_ratio')] },
        onset: { ...web.onset, latest: stock.onset.earliest + latest },
      }
      const { items, hypotheses } = fused({
        observed: { ...OBSERVED, first: stock, suspects: [stock], failing: [stock, other] },
      })
      const found = items.find(({ id }) => id === hypotheses[0]?.contradicted_by[0])
      return found === undefined ? null : [found.source, found.type, found.query]
    }
    expect(against(-1)).toEqual(['metrics', 'anomaly', 'the failed_ratio'])
    expect(against(0)).toBeNull()
  })

  it('is spoken against by what failed before it', () => {
    const snapshot = {
      ...INCIDENT,
      series: [...INCIDENT.series, series('other', 'http_5xx_ratio', 0.003, 0.4, ONSET - 10, LENGTH)],
    }
    const { said, hypotheses } = fused({ snapshot })
    const own = hypotheses.find(({ cause }) => cause.entity === 'stock')
    expect(said(own?.contradicted_by)[0]).toMatch(/^http_5xx_ratio of other went up/)
    expect(said(own?.supported_by)[0]).toMatch(/^http_5xx_ratio of stock went up/)
  })
})
