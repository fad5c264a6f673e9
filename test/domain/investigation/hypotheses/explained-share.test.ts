import { describe, expect, it } from 'vitest'
import type { OperationalCause, Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import {
  CONFIDENCE_CAP_ASIDE,
  CONFIDENCE_CAP_UNEXPLAINED,
  CONFIDENCE_CAP_UNLINKED,
  CONFIDENCE_CAP_UNMAPPED,
  CONFIDENCE_CAP_WORDS,
} from '#shared/domain/investigation/confidence.ts'
import type { Candidate } from '#shared/domain/investigation/hypotheses/candidate.ts'
import {
  explainsMost,
  explainsMostOnce,
  shareExplainedBy,
} from '#shared/domain/investigation/hypotheses/explained-share.ts'
import { callGraph, type Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import {
  able,
  capsOf,
  counted,
  firm,
  fused,
  mechanism,
  OBSERVED,
  PLAIN,
  record,
  STOCK,
  shifted,
  shown,
  stated,
  told,
  uncounted,
} from '../verdict-by-hand.ts'

const graph = callGraph(
  [...uncounted('edge', 'web'), ...uncounted('web', 'stock'), ...uncounted('stock', 'ledger')],
  { nodes: [] } as never,
  [],
)
const flowsOf = (failed: Readonly<Record<string, Partial<Flow>>>): Observed['flows'] =>
  new Map(Object.entries(failed).map(([entity, more]) => [entity, { ...counted(0), entity, ...more }]))
/** Nothing is measured but what is given; `first` fails first. */
const seen = (
  hurt: readonly string[],
  failed: Readonly<Record<string, Partial<Flow>>> = {},
  first: string | null = null,
): Observed => ({
  ...OBSERVED,
  ...{ graph, flows: flowsOf(failed), shifts: hurt.map((entity) => shifted(entity, 'http_5xx_ratio')) },
  first: first === null ? null : { ...STOCK, entity: first },
})
const share = (places: readonly string[], observed: Observed) => shareExplainedBy(new Set(places), observed)

describe('the share of what fails that places explain', () => {
  it('is that of the calls that were counted to fail inside of them', () => {
    const observed = seen([], { stock: { own_failed: 30 }, web: { own_failed: 10 }, edge: {} })
    expect(share(['stock'], observed)).toBe(0.75)
    expect(share(['stock', 'web'], observed)).toBe(1)
    expect(share(['edge'], observed)).toBe(0)
  })

  it('counts what one caller alone meets as failing there', () => {
    expect(share(['web'], seen([], { stock: { own_failed: 30 }, web: { met_alone: 90 } }))).toBe(0.75)
  })

  it('is that of those who are hurt and are such a place, or call one, through others too', () => {
    const observed = seen(['edge', 'web', 'stock', 'ledger', 'printer'])
    expect(share(['stock'], observed)).toBe(0.6)
    expect(share(['ledger'], observed)).toBe(0.8)
    expect(share(['printer', 'ledger'], observed)).toBe(1)
    expect(share(['mail'], observed)).toBe(0)
  })

  it('counts nobody twice, however many measurements show that one is hurt', () => {
    expect(share(['stock'], seen(['stock', 'stock', 'printer']))).toBe(0.5)
  })

  it('is the greater of the two, as either may be all that was measured', () => {
    expect(share(['stock'], seen(['stock', 'printer'], { stock: { own_failed: 9 } }))).toBe(1)
    expect(share(['stock'], seen(['stock'], { printer: { own_failed: 9 } }))).toBe(1)
  })

  it('is no more than what was counted there where calls are lost everywhere', () => {
    const observed = seen(['stock', 'web'], { stock: { own_failed: 10 }, printer: { own_failed: 30 } })
    expect(share(['stock'], observed)).toBe(1)
    expect(share(['stock'], { ...observed, lost_everywhere: true })).toBe(0.25)
    // Of what no calls were counted nothing else is known.
    expect(share(['ledger'], { ...observed, lost_everywhere: true })).toBe(1)
  })

  it('is all of it for what all go through, where that fails with it', () => {
    const observed = seen(['stock'], { stock: { own_failed: 10 } })
    expect(share(['ns-1'], observed)).toBe(0)
    expect(share(['ns-1'], { ...observed, gone_through: new Set(['ns-1']) })).toBe(1)
    expect(share(['ns-2'], { ...observed, gone_through: new Set(['ns-1']) })).toBe(0)
  })

  it('knows only hurt that users feel and that is for the worse', () => {
    const busy = [shifted('stock', 'http_5xx_ratio'), shifted('printer', 'memory_used_bytes')]
    expect(share(['stock'], { ...seen([]), shifts: busy })).toBe(1)
    const better = { ...shifted('printer', 'http_5xx_ratio'), is_bad: false }
    expect(share(['printer'], { ...seen(['stock']), shifts: [...seen(['stock']).shifts, better] })).toBe(0)
  })

  it('is all of it for what fails first where no failing calls were counted', () => {
    expect(share(['stock'], seen(['web', 'printer'], {}, 'stock'))).toBe(1)
    expect(share(['ledger'], seen(['web', 'printer'], {}, 'stock'))).toBe(0.5)
    expect(share(['stock'], seen([], { stock: { own_failed: 0.9 } }, 'stock'))).toBe(1)
    expect(share(['stock'], seen([], { printer: { own_failed: 1 } }, 'stock'))).toBe(0)
  })

  it('is not known where nothing was counted or felt and something else fails first', () => {
    expect(share(['stock'], seen([]))).toBeNull()
    expect(share(['stock'], seen([], {}, 'web'))).toBeNull()
  })
})

const change = (more: Partial<RankedChange>): Candidate => ({
  ...{ of: 'change', entry: { ...PLAIN, ...more }, score: 0.6, kinds: 2 },
})
const cause = (more: Partial<OperationalCause>): Candidate => ({
  ...{ of: 'operational', found: firm({ entity: null, signs: [], ...more }), score: 0.6, kinds: 2 },
})

describe('whether a hypothesis explains most of what fails', () => {
  it('does with half of it, and not with less', () => {
    const half = seen([], { stock: { own_failed: 10 }, printer: { own_failed: 10 } })
    expect(explainsMost(change({ reaches: 'stock' }), half)).toBe(true)
    const less = seen([], { stock: { own_failed: 10 }, printer: { own_failed: 10.1 } })
    expect(explainsMost(change({ reaches: 'stock' }), less)).toBe(false)
    expect(explainsMost(change({ reaches: 'stock' }), seen([]))).toBeNull()
  })

  it('explains nothing where it names no place and nobody tells it', () => {
    expect(explainsMost(change({ reaches: null }), seen(['stock']))).toBe(false)
    expect(explainsMost(change({ reaches: null, mechanism: mechanism(0.6) }), seen(['stock']))).toBe(false)
    expect(explainsMost(cause({ signs: [stated('select 1')] }), seen(['stock']))).toBe(false)
  })

  it('speaks of the place of a service, of a change and of another cause', () => {
    const observed = seen(['stock'])
    expect(explainsMost({ of: 'service', service: STOCK, score: 1 }, observed)).toBe(true)
    expect(explainsMost({ of: 'service', service: { ...STOCK, entity: 'mail' }, score: 1 }, observed)).toBe(
      false,
    )
    expect(explainsMost(change({ reaches: 'stock' }), observed)).toBe(true)
    expect(explainsMost(cause({ entity: 'stock' }), observed)).toBe(true)
    expect(explainsMost(cause({ entity: 'mail' }), observed)).toBe(false)
  })

  it('speaks of who cannot read files of a folder that a change writes in, and of nobody else whom it quotes', () => {
    const symptom = {
      ...told('x').fact,
      plain: 'x',
      weight: 1,
      count: 1,
      entity: 'stock',
    } as unknown as Symptom
    const quoting = (how: 'stores' | 'removes') =>
      change({ reaches: 'mail', quoted: { name: '/srv/a', symptom, how } })
    expect(explainsMost(quoting('stores'), seen(['stock']))).toBe(true)
    expect(explainsMost(quoting('removes'), seen(['stock']))).toBe(false)
  })

  it('speaks of whoever tells a sign of another cause', () => {
    const expiry: Sign = {
      strength: 0.5,
      fact: { of: 'expiry', entity: 'stock', at: at(ONSET), text: 'ended', source: 'x', origin: 'log' },
    }
    const calls: Sign = { strength: 0.5, fact: { of: 'calls', flow: { ...counted(5), entity: 'stock' } } }
    for (const sign of [told('no such host'), shown('stock'), expiry, calls])
      expect(explainsMost(cause({ entity: 'resolver', signs: [sign] }), seen(['stock']))).toBe(true)
    for (const sign of [told('no such host', { entity: 'mail' }), shown('mail'), told('x', { entity: null })])
      expect(explainsMost(cause({ entity: 'resolver', signs: [sign] }), seen(['stock']))).toBe(false)
  })

  it('speaks of whom a cause fails by itself, as a machine does those who run there', () => {
    const of = (falls_on: readonly string[]) =>
      explainsMost(cause({ entity: 'peg-1', signs: [shown('peg-1')], falls_on }), seen(['stock', 'web']))
    expect(of(['mail', 'stock'])).toBe(true)
    expect(of(['mail'])).toBe(false)
  })

  it('speaks of what runs on the machine that a change reached, and of who cannot read its answers', () => {
    const reader = (misread_by: string) =>
      explainsMost(change({ reaches: 'peg-1', misread_by }), seen(['stock', 'web']))
    expect(reader('stock')).toBe(true)
    expect(reader('mail')).toBe(false)
    const hosting = (falls_on?: string) =>
      explainsMost(
        change({ reaches: 'peg-1', ...(falls_on === undefined ? {} : { falls_on }) }),
        seen(['stock', 'web']),
      )
    expect(hosting('stock')).toBe(true)
    expect(hosting('mail')).toBe(false)
    expect(hosting()).toBe(false)
  })

  it('speaks of what runs on the machines that it names and on no other', () => {
    const observed = (on: readonly string[]) => ({
      ...seen(['stock', 'web']),
      runs_on: new Map([['stock', new Set(on)]]),
    })
    const of = (on: readonly string[]) => [
      explainsMost(change({ reaches: 'peg-1' }), observed(on)),
      explainsMost(cause({ entity: 'peg-1', signs: [shown('peg-1')] }), observed(on)),
    ]
    expect(of(['peg-1'])).toEqual([true, true])
    // Another instance would go on.
    expect(of(['peg-1', 'peg-2'])).toEqual([false, false])
    expect(of([])).toEqual([false, false])
  })

  it('is not held against a place of which several signs tell that it fails, and speaks for it where it is most', () => {
    const placed = (is_placed: boolean, hurt = 'stock') =>
      explainsMost(cause({ entity: 'mail', is_placed }), seen([hurt]))
    expect(placed(true)).toBeNull()
    expect(placed(false)).toBe(false)
    expect(placed(true, 'mail')).toBe(true)
  })

  it('speaks of whom the place of a change calls only where the change can do such harm', () => {
    const elsewhere = seen([], { ledger: { own_failed: 50 } })
    const may = (score: number) => explainsMost(change({ mechanism: mechanism(score) }), elsewhere)
    expect(may(0.2)).toBe(true)
    expect(may(0.19)).toBe(false)
    expect(explainsMost(change({}), elsewhere)).toBe(false)
    expect(explainsMost(change({ reaches: 'web', mechanism: mechanism(0.6) }), elsewhere)).toBe(false)
    expect(explainsMost(change({ reaches: 'ledger', mechanism: mechanism(0.6) }), elsewhere)).toBe(true)
  })

  it('is looked up once for each thing, whatever score it is given and whatever was found', () => {
    for (const known of [seen([], { stock: { own_failed: 10 } }), seen([])]) {
      let looked = 0
      const ask = explainsMostOnce({
        ...known,
        get flows() {
          looked += 1
          return known.flows
        },
      })
      const there = change({ reaches: 'stock' })
      const before = ask(there)
      const once = looked
      expect(ask({ ...there, score: 0.1 })).toBe(before)
      expect(looked).toBe(once)
      expect(ask(change({ reaches: 'mail' }))).toBe(explainsMost(change({ reaches: 'mail' }), known))
      expect(looked).toBeGreaterThan(once)
    }
  })
})

describe('how sure one may be of what explains little, or most, of what fails', () => {
  const here = { ...OBSERVED, flows: flowsOf({ stock: { own_failed: 90 } }) }
  const printer = { ...OBSERVED, flows: flowsOf({ printer: { own_failed: 90 } }) }
  const elsewhere = { ...printer, shifts: [shifted('printer', 'http_5xx_ratio')] }
  const unread = { ...PLAIN, change: record({ id: 'r1', kind: 'infra' }), score: 0.9 }
  const bare = { ...unread, diff: new Map() as never, closeness: 0.2 }

  it('is possible at most where most of what fails is elsewhere', () => {
    expect(capsOf(fused({ ranked: [able()], observed: here }))).toEqual([])
    const found = fused({ ranked: [able()], observed: elsewhere })
    expect(capsOf(found)).toEqual([CONFIDENCE_CAP_ASIDE])
    expect(found.confidence).toBeLessThanOrEqual(CONFIDENCE_CAP_ASIDE)
    expect(
      capsOf(
        fused({
          operational: [
            firm({
              entity: 'mail',
              signs: [told('x', { entity: 'mail' }), told('y', { entity: 'mail', origin: 'event' })],
            }),
          ],
          observed: elsewhere,
        }),
      ),
    ).toContain(CONFIDENCE_CAP_UNEXPLAINED)
  })

  it('needs no word in common where a change that can do the harm explains most of what fails', () => {
    const unnamed = able({ is_linked: false })
    expect(capsOf(fused({ ranked: [unnamed], observed: here }))).toEqual([])
    expect(capsOf(fused({ ranked: [unnamed], observed: elsewhere }))).toContain(CONFIDENCE_CAP_UNLINKED)
    const unable = { ...unnamed, mechanism: null, words_score: 0.5, score: 0.9 }
    expect(capsOf(fused({ ranked: [unable], observed: here }))).toContain(CONFIDENCE_CAP_UNLINKED)
  })

  it('is more than words for a record without text that time, place and words single out there', () => {
    const caps = (more: Partial<RankedChange>, observed: Observed = here) =>
      capsOf(fused({ ranked: [{ ...bare, ...more }], observed }))
    expect(caps({})).toContain(CONFIDENCE_CAP_UNMAPPED)
    expect(caps({})).not.toContain(CONFIDENCE_CAP_WORDS)
    expect(caps({ diff: PLAIN.diff })).toContain(CONFIDENCE_CAP_WORDS)
    expect(caps({ is_linked: false })).toContain(CONFIDENCE_CAP_WORDS)
    expect(caps({ closeness: 0.19 })).toContain(CONFIDENCE_CAP_WORDS)
    expect(caps({}, elsewhere)).toContain(CONFIDENCE_CAP_WORDS)
  })
})
