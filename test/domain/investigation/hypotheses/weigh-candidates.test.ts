import { describe, expect, it } from 'vitest'
import type { OperationalCause, Sign } from '#shared/domain/investigation/causes/operational-cause.ts'
import { CALLS } from '#shared/domain/investigation/changes/asks-otherwise.ts'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { weighCandidates } from '#shared/domain/investigation/hypotheses/weigh-candidates.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { at, calls, ONSET } from '../incident-scenarios.ts'
import {
  able,
  another,
  counted,
  firm,
  fused,
  type Given,
  INCIDENT,
  LINKS,
  mechanism,
  NO_BLAME,
  named,
  OBSERVED,
  observedIn,
  PLAIN,
  STOCK,
  shown,
  told,
} from '../verdict-by-hand.ts'

describe('what is named', () => {
  it('is a change from a fifth and more of certainty, of one that only words link from three tenths', () => {
    const isNamed = (entry: RankedChange): boolean => named(fused({ ranked: [entry] })).includes('c1')
    expect(isNamed(able({ score: 0.22 }))).toBe(true)
    expect(isNamed(able({ score: 0.219 }))).toBe(false)
    expect(isNamed({ ...PLAIN, score: 0.3, words_score: 0.5 })).toBe(true)
    expect(isNamed({ ...PLAIN, score: 0.299, words_score: 0.5 })).toBe(false)
    // That what fails cannot read what comes from there is more than words.
    const misread = { ...PLAIN, words_score: 0.1, misread_by: 'web' }
    expect(isNamed({ ...misread, score: 0.22 })).toBe(true)
    expect(isNamed({ ...misread, score: 0.219 })).toBe(false)
    expect(isNamed({ ...misread, score: 0.22, words_score: 0.09 })).toBe(false)
    // What has no text to read is not held against it.
    const unread = { ...PLAIN, diff: { ...PLAIN.diff, size: 0 } }
    expect(isNamed({ ...unread, score: 0.22 })).toBe(true)
    expect(isNamed({ ...unread, score: 0.219 })).toBe(false)
  })

  it('is a change that trouble of a machine is put down to from a fifth on, as any that shows more than words', () => {
    const trouble = firm({ kind: 'node', entity: 'peg-1', score: 0.2, signs: [shown('peg-1')] })
    const done = { ...PLAIN, reaches: 'peg-1', words_score: 0.5 }
    const isNamed = (score: number, ...causes: readonly OperationalCause[]): boolean =>
      named(fused({ ranked: [{ ...done, score }], operational: causes })).includes('c1')
    expect(isNamed(0.22, trouble)).toBe(true)
    expect(isNamed(0.219, trouble)).toBe(false)
    expect(isNamed(0.299)).toBe(false)
  })

  it('is a weak change where time and place single it out, or where it got there in time and can do the harm', () => {
    const isNamed = (entry: RankedChange, ...others: readonly RankedChange[]): boolean =>
      named(fused({ ranked: [...others, entry] })).includes(entry.change.id)
    const weak: RankedChange = { ...PLAIN, score: 0.08 }
    expect(isNamed({ ...weak, closeness: 0.2 })).toBe(true)
    expect(isNamed({ ...weak, closeness: 0.19 })).toBe(false)
    expect(isNamed({ ...weak, closeness: 0.2, score: 0.079 })).toBe(false)
    expect(isNamed(able({ score: 0.08, closeness: 0.01 }))).toBe(true)
    expect(isNamed(able({ score: 0.08, closeness: 0 }))).toBe(false)
    // Commits of one rollout share the credit of its moment, which is hardly chance for any of them.
    expect(isNamed({ ...weak, hardly_chance: true })).toBe(true)
    expect(isNamed({ ...weak, hardly_chance: true, score: 0.079 })).toBe(false)
    // Not beside a change that is worth naming by itself.
    expect(isNamed({ ...weak, closeness: 0.2 }, another('c2'))).toBe(false)
  })

  it('is what explains most of what fails before a change elsewhere, whose score was higher', () => {
    const flows = new Map([
      ['stock', counted(90)],
      ['web', { ...counted(0), entity: 'web' }],
    ])
    const suspect: FailingService = { ...STOCK, blame: { ...NO_BLAME, strength: 0.9 } }
    const observed = { ...OBSERVED, shifts: [], flows, suspects: [suspect] }
    const elsewhere = {
      ...PLAIN,
      score: 0.5,
      place: 0.95,
      reaches: 'edge',
      hardly_chance: true,
      closeness: 0.6,
    }
    const there = another('c2', { score: 0.3, mechanism: mechanism(0.35) })
    const weighed = (ranked: readonly RankedChange[], operational: readonly OperationalCause[] = []) =>
      fused({ ranked, operational, observed })
    expect(named(weighed([elsewhere, there])).slice(0, 2)).toEqual(['c2', 'c1'])
    // It is told as behind it, and not as its equal, so that the first is no toss-up.
    expect(weighed([elsewhere, there]).confidence).toBeGreaterThan(0)
    // Beside something that explains as little the place is named.
    const aside = firm({
      kind: 'node',
      score: 0.3,
      entity: 'batch-1',
      signs: [told('x', { entity: 'batch-1' })],
    })
    expect(named(weighed([elsewhere], [aside]))[0]).toBe('stock')
    // Beside a change that explains most and shows how, a machine that explains little is told second, however sure it is.
    const seen = another('c2', { score: 0.4, mechanism: mechanism(0.6) })
    const machine = (kind: 'node' | 'traffic') => firm({ kind, score: 0.6, entity: 'batch-1', signs: [] })
    expect(named(weighed([seen], [machine('node')]))[0]).toBe('c2')
    expect(named(weighed([seen], [machine('traffic')]))[0]).toBe('traffic')
    expect(named(weighed([{ ...seen, mechanism: null, words_score: 0.5 }], [machine('node')]))[0]).toBe(
      'node',
    )
    // So it is beside an outside party that most of what fails asks.
    const party = (entity: string) =>
      firm({ kind: 'provider', score: 0.5, entity, signs: [told('x', { entity })] })
    expect(named(weighed([], [machine('node'), party('stock')]))[0]).toBe('provider')
    expect(named(weighed([], [machine('node'), party('batch-2')]))[0]).toBe('node')
    // What a cause that was seen is put down to is not elsewhere.
    const shows = firm({ kind: 'node', score: 0.4, entity: 'edge', signs: [shown('edge')] })
    expect(named(weighed([elsewhere], [shows]))[0]).toBe('c1')
  })

  it('is a change elsewhere after which something moved before all else that leaves most open', () => {
    const flows = new Map([['stock', counted(90)]])
    const observed = { ...OBSERVED, shifts: [], flows, suspects: [], unexplained: [] }
    const elsewhere = { ...PLAIN, score: 0.5, reaches: 'edge', place: 0.5, coincides: true }
    const other = firm({ kind: 'traffic', score: 0.3, entity: 'batch-1', signs: [] })
    const first = (spent: RankedChange['spent']) =>
      named(fused({ ranked: [{ ...elsewhere, spent }], operational: [other], observed }))[0]
    expect(first(null)).toBe('traffic')
    expect(first(LINKS.spent)).toBe('c1')
  })

  it('is a change long before on a machine in trouble that leaves most open, where what it sets was measured to be so since', () => {
    const flows = new Map([['stock', counted(90)]])
    const observed = { ...OBSERVED, shifts: [], flows, suspects: [], unexplained: [] }
    const early = { effective_at: { from: at(ONSET - 12), to: at(ONSET - 12), known: true } }
    const done = { ...PLAIN, ...early, score: 0.4, reaches: 'peg-1', place: 0.85, spent: LINKS.spent }
    const trouble = firm({ kind: 'node', entity: 'peg-1', signs: [shown('peg-1')] })
    const first = (echo: RankedChange['echo']) =>
      named(fused({ ranked: [{ ...done, echo }], operational: [trouble], observed }))[0]
    expect(first(LINKS.echo)).toBe('c1')
    expect(first(null)).toBe('node')
  })

  it('is what happened before where it happened, and no place twice', () => {
    const found = fused({ ranked: [able({ score: 0.3 })] })
    expect(named(found)).toEqual(['c1', 'web'])
    const elsewhere = fused({ ranked: [able({ score: 0.3, reaches: 'web' })] })
    expect(named(elsewhere)).toEqual(['c1', 'stock'])
  })
})

describe('what a cause takes from another', () => {
  it('an operational cause that is seen explains the symptoms that a change would explain', () => {
    expect(named(fused({ ranked: [able({ score: 0.7 })], operational: [firm()] }))[0]).toBe('dns')
    expect(named(fused({ ranked: [able({ score: 0.7 })], operational: [firm({ score: 0.2 })] }))[0]).toBe(
      'c1',
    )
  })

  it('less of a change that what fails names, echoes or contrasts, or that a platform records of its part', () => {
    const first = (more: Partial<RankedChange>): string | null | undefined =>
      named(fused({ ranked: [able({ score: 0.8, ...more })], operational: [firm()] }))[0]
    expect(first({})).toBe('dns')
    expect(first({ quoted: { ...LINKS.quoted, how: 'adds' } })).toBe('dns')
    for (const part of ['echo', 'quoted', 'contrast'] as const)
      expect(first({ [part]: LINKS[part] })).toBe('c1')
    const event = { source: 'events', timestamp: at(ONSET - 1), resource: 'stock', kind: 'notification' }
    expect(first({ failed_over: { ...event, message: 'DB instance restarted' } })).toBe('c1')
  })

  it('a machine in trouble says how and not why, where somebody was at work on it just before', () => {
    const sign = shown('box-7', 'node_memory_used_bytes')
    const machine = (more: Partial<OperationalCause> = {}) =>
      firm({ kind: 'node', entity: 'box-7', what: 'a node in trouble', signs: [sign], ...more })
    const work = {
      ...{ ...PLAIN, score: 0.3, words_score: 0.5, place: 0.85, reaches: 'box-7', hardly_chance: true },
      effective_at: { from: at(ONSET - 1), to: at(ONSET - 1), known: true },
    }
    const first = (more: Partial<RankedChange> = {}, cause: OperationalCause = machine()) =>
      named(fused({ ranked: [{ ...work, ...more }], operational: [cause] }))[0]
    expect(first()).toBe('c1')
    const late = { effective_at: { from: at(ONSET + 9), to: at(ONSET + 9), known: true } }
    const unknown = { effective_at: { ...work.effective_at, known: false } }
    for (const more of [
      { reaches: 'box-8' },
      { hardly_chance: false },
      { trivial: 'it is a comment' },
      late,
      unknown,
    ])
      expect(first(more)).toBe('node')
    // What others show, or a platform says, is no sign of when this machine left normal.
    for (const signs of [
      [shown('box-8', 'node_memory_used_bytes')],
      [told('NodeNotReady', { entity: 'box-7' })],
    ])
      expect(first({}, machine({ signs }))).toBe('node')
    expect(first({}, machine({ kind: 'dns' }))).toBe('dns')
    // A network is told by the devices that lose what goes through them, and may be at none of them in particular.
    const network = (entity: string | null) => machine({ kind: 'network', entity })
    for (const entity of [null, 'box-7']) expect(first({}, network(entity))).toBe('c1')
    expect(first({}, network('box-8'))).toBe('network')
    expect(first({ reaches: 'box-8' }, network(null))).toBe('network')
    expect(first({ reaches: null }, network(null))).toBe('network')
    // It stands below that work, and takes nothing away from it.
    const both = fused({ ranked: [{ ...work, score: 0.5 }], operational: [machine()] })
    expect(named(both).slice(0, 2)).toEqual(['c1', 'node'])
  })

  it('an operational cause that happened explains more than a change that only arrived in time', () => {
    const arrived = { ...PLAIN, score: 0.6, words_score: 0.5 }
    const event = firm({ kind: 'node', score: 0.6, yields_to_changes: true, what: 'a node that failed' })
    expect(named(fused({ ranked: [arrived], operational: [event] }))[0]).toBe('node')
    const unlike = fused({ ranked: [{ ...arrived, score: 0.5 }], operational: [{ ...event, score: 0.3 }] })
    expect(named(unlike)[0]).toBe('c1')
  })

  it('one that leaves most of what fails open takes nothing from a change that is hardly chance, and as much as ever from another', () => {
    const flows = new Map([['stock', counted(90)]])
    const observed = { ...OBSERVED, shifts: [], flows }
    const struck = { ...PLAIN, score: 0.6, place: 1, closeness: 0.3, reaches: 'stock' }
    const down = (entity: string) =>
      firm({ kind: 'infra', entity, score: 0.5, signs: [told('link down', { entity, origin: 'event' })] })
    const scoreBeside = (hardly_chance: boolean, entity: string) =>
      weighCandidates(observed, { ranked: [{ ...struck, hardly_chance }], too_late: [] }, [
        down(entity),
      ]).find(({ of }) => of === 'change')?.score
    expect(scoreBeside(true, 'switch-9')).toBe(0.6)
    expect(scoreBeside(true, 'stock')).toBe(0.375)
    expect(scoreBeside(false, 'switch-9')).toBe(scoreBeside(false, 'stock'))
  })

  it('one that a change may have triggered yields to a change that can do it', () => {
    const load = firm({ kind: 'traffic', yields_to_changes: true, score: 0.7, what: 'more traffic' })
    expect(named(fused({ ranked: [able({ score: 0.6 })], operational: [load] }))[0]).toBe('c1')
    const unfit = able({ score: 0.6, mechanism: mechanism(0.39) })
    expect(named(fused({ ranked: [unfit], operational: [load] }))[0]).toBe('traffic')
    for (const part of ['echo', 'quoted', 'contrast'] as const)
      expect(named(fused({ ranked: [{ ...unfit, [part]: LINKS[part] }], operational: [load] }))[0]).toBe('c1')
  })

  it('a used-up resource yields to the demand that used it up', () => {
    const full = firm({ kind: 'capacity', score: 0.7, what: 'a pool that is used up' })
    const load = (score: number) => firm({ kind: 'traffic', score, what: 'more traffic', entity: 'web' })
    expect(named(fused({ operational: [full, load(0.5)] }))[0]).toBe('traffic')
    expect(named(fused({ operational: [full, load(0.21)] }))[0]).toBe('capacity')
    expect(named(fused({ operational: [full, firm({ score: 0.6 })] }))[0]).toBe('capacity')
  })

  it('what changes bring yields to the change that alone reached that very place just before', () => {
    const before = able({ score: 0.5, coincides: true })
    const first = (
      kind: OperationalCause['kind'],
      entry: RankedChange,
      score = 0.6,
    ): string | null | undefined =>
      named(fused({ ranked: [entry], operational: [firm({ kind, score, yields_to_changes: true })] }))[0]
    const weak = { ...before, mechanism: mechanism(0.3) }
    for (const kind of ['infra', 'data', 'config'] as const) expect(first(kind, weak)).toBe('c1')
    // Those fail without one; and a change elsewhere, not alone or harmless brought nothing.
    expect(first('certificate', weak)).toBe('certificate')
    expect(first('infra', { ...weak, reaches: 'web' })).toBe('infra')
    expect(first('infra', { ...weak, coincides: false })).toBe('infra')
    expect(first('infra', { ...weak, trivial: 'it only touches documentation' })).toBe('infra')
  })

  it('what says how a place fails stands below what arrived at that place so soon before that it is hardly chance', () => {
    const why = { ...PLAIN, score: 0.3, closeness: 0.3, hardly_chance: true }
    const shows = firm({
      ...{ kind: 'data', score: 0.6, what: 'a store that does more', yields_to_changes: true, at_most: 0.49 },
    })
    const first = (entry: RankedChange, found = shows) =>
      named(fused({ ranked: [entry], operational: [found] }))[0]
    expect(first(why)).toBe('c1')
    expect(first({ ...why, hardly_chance: false })).toBe('data')
    expect(first({ ...why, place: 0.94 })).toBe('data')
    // Others may have come as soon: that it is hardly chance leaves none of them.
    expect(first({ ...why, closeness: 0.19 })).toBe('c1')
    // What several signs say of the data or the settings is no such, and neither is a cause that says why.
    const { at_most: _, ...said } = shows
    expect(first(why, said)).toBe('data')
    expect(first(why, { ...said, kind: 'config' })).toBe('config')
    expect(first(why, { ...shows, at_most: 0.6, is_whole: true })).toBe('data')
    // An outside party fails without a change of ours, however soon before one came.
    expect(first(why, { ...shows, kind: 'provider' })).toBe('provider')
  })

  it('what was measured and told at one place does not stand below what struck another and shows nothing of how', () => {
    const why = { ...PLAIN, score: 0.3, closeness: 0.3, hardly_chance: true }
    const down = firm({
      ...{ kind: 'infra', entity: 'agent', score: 0.8, what: 'a part that is down', yields_to_changes: true },
      ...{ at_most: 0.49, is_placed: true, signs: [shown('agent'), told('no agent')] },
    })
    const first = (entry: RankedChange, found = down) =>
      named(fused({ ranked: [entry], operational: [found] }))[0]
    expect(first(why)).toBe('infra')
    const { is_placed: _, ...anywhere } = down
    expect(first(why, anywhere)).toBe('c1')
  })

  it('by how much it is seen', () => {
    /** What remains of the second in percent of the first. */
    const behind = (given: Given): number =>
      Number(/scores (\d+) % of the first/.exec(fused(given).basis)?.[1] ?? Number.NaN)
    const load = firm({ kind: 'traffic', yields_to_changes: true, score: 0.7, what: 'more traffic' })
    // 0.7 × (1 − 0.6 × 0.9) of 0.9
    expect(behind({ ranked: [able({ score: 0.9 })], operational: [load] })).toBe(36)
    // 0.4 of 0.7 × (1 − 0.75 × 0.4)
    expect(behind({ operational: [firm({ score: 0.4 }), load] })).toBe(82)
    // 0.6 × (1 − 0.6 × 0.9) × (1 − 0.75 × 0.3) of 0.9 × (1 − 0.75 × 0.3)
    const both = [firm({ score: 0.3 }), { ...load, score: 0.6 }]
    expect(behind({ ranked: [able({ score: 0.9 })], operational: both })).toBe(43)
    const full = firm({ kind: 'capacity', score: 0.7, what: 'a pool that is used up' })
    // 0.22 of 0.7 × (1 − 0.75 × 0.22)
    expect(behind({ operational: [full, { ...load, yields_to_changes: false, score: 0.22 }] })).toBe(38)
    // Demand that is not worth naming used nothing up: 0.3 of 0.7
    const little = { ...load, yields_to_changes: false, score: 0.21 }
    expect(behind({ operational: [full, little, firm({ score: 0.3 })] })).toBe(43)
    expect(behind({ operational: [firm({ score: 0.7 }), { ...full, score: 0.6 }] })).toBe(86)
  })

  it('a mechanism that just fits takes from what a change may have triggered', () => {
    const load = firm({ kind: 'traffic', yields_to_changes: true, score: 0.7, what: 'more traffic' })
    const fits = able({ score: 0.6, mechanism: mechanism(0.4) })
    expect(named(fused({ ranked: [fits], operational: [load] }))[0]).toBe('c1')
  })

  it('a used-up resource yields to what arrived alone just before and can do it, wherever it arrived', () => {
    const full = firm({ kind: 'capacity', score: 0.7, yields_to_changes: true, what: 'a pool' })
    const elsewhere = able({ score: 0.5, reaches: 'web', mechanism: mechanism(0.3) })
    const first = (more: Partial<RankedChange>, cause = full) =>
      named(fused({ ranked: [{ ...elsewhere, ...more }], operational: [cause] }))[0]
    expect(first({ coincides: true })).toBe('c1')
    expect(first({})).toBe('capacity')
    expect(first({ coincides: true, mechanism: null })).toBe('capacity')
    // What is told of what happened there, or is known to be whole, is no mere consequence.
    const event = told('the primary ran out of connections', { origin: 'event' })
    const record = { source: 'logs', start: at(0), end: at(9), statement: 'select 1', load: 5 }
    const stuck = (is_stuck: boolean): Sign => ({
      strength: 0.5,
      fact: { of: 'statement', statement: { record, share: 0.9, wait: null, is_stuck } },
    })
    expect(first({ coincides: true }, { ...full, signs: [event] })).toBe('capacity')
    expect(first({ coincides: true }, { ...full, signs: [stuck(true)] })).toBe('capacity')
    expect(first({ coincides: true }, { ...full, signs: [stuck(false)] })).toBe('c1')
    expect(first({ coincides: true }, { ...full, is_whole: true })).toBe('capacity')
    expect(first({ coincides: true }, { ...full, is_whole: false })).toBe('c1')
    expect(first({ coincides: true }, { ...full, kind: 'network' })).toBe('network')
  })

  it('a used-up resource yields to what time and place single out, as far as they do', () => {
    const full = firm({ kind: 'capacity', score: 0.7, yields_to_changes: true, what: 'a pool' })
    // Nothing in it is seen to be able to do the harm: else the resource yields to it however many came so close.
    const elsewhere = able({ score: 0.6, reaches: 'web', mechanism: mechanism(0.19) })
    const first = (closeness: number, cause = full) =>
      named(fused({ ranked: [{ ...elsewhere, closeness }], operational: [cause] }))[0]
    expect(first(0.5)).toBe('c1')
    expect(first(0.19)).toBe('capacity')
    expect(first(0.5, { ...full, kind: 'network' })).toBe('network')
  })

  it('a change that only arrived in time is not lowered by what it brought or used up itself', () => {
    const arrived: RankedChange = { ...PLAIN, score: 0.5, coincides: true }
    const event = firm({ kind: 'infra', yields_to_changes: true, what: 'a restart' })
    expect(named(fused({ ranked: [arrived], operational: [event] }))[0]).toBe('c1')
    expect(named(fused({ ranked: [{ ...arrived, reaches: 'web' }], operational: [event] }))[0]).toBe('infra')
    const full = firm({ kind: 'capacity', score: 0.45, yields_to_changes: true, what: 'a pool' })
    expect(named(fused({ ranked: [{ ...arrived, reaches: 'web' }], operational: [full] }))[0]).toBe('c1')
  })

  it('what changes bring yields to the change that was singled out at that very place and can do it', () => {
    const first = (more: Partial<RankedChange>, kind: OperationalCause['kind'] = 'infra') =>
      named(
        fused({
          ranked: [able({ score: 0.5, closeness: 0.2, mechanism: mechanism(0.2), ...more })],
          operational: [
            firm({
              ...{ kind, yields_to_changes: true, what: 'a restart' },
              signs: [told('it restarted', { origin: 'event' })],
            }),
          ],
        }),
      )[0]
    expect(first({})).toBe('c1')
    expect(first({}, 'capacity')).toBe('c1')
    expect(first({ mechanism: mechanism(0.19) })).toBe('infra')
    expect(first({ mechanism: null })).toBe('infra')
    expect(first({ closeness: 0.19 })).toBe('infra')
  })

  it('how it fails yields to a change that arrived and can do the harm, and to no other', () => {
    const half = (more: Partial<OperationalCause> = {}) =>
      firm({ kind: 'infra', entity: 'web', score: 0.6, yields_to_changes: true, at_most: 0.49, ...more })
    const whole = (more: Partial<OperationalCause> = {}) =>
      firm({ kind: 'infra', entity: 'web', score: 0.6, yields_to_changes: true, ...more })
    const first = (entry: RankedChange, found = half()) =>
      named(fused({ ranked: [entry], operational: [found] }))[0]
    const slight = able({ score: 0.3, mechanism: mechanism(0.2), closeness: 0.1 })
    expect(first(slight)).toBe('c1')
    expect(first(slight, whole({ kind: 'data' }))).toBe('c1')
    for (const part of ['spent', 'contrast', 'quoted'] as const)
      expect(first({ ...slight, mechanism: null, [part]: LINKS[part] })).toBe('c1')
    expect(first({ ...slight, mechanism: mechanism(0.19) })).toBe('infra')
    expect(first({ ...slight, closeness: 0 })).toBe('infra')
    expect(first({ ...slight, score: 0.15 })).toBe('c1')
    expect(first({ ...slight, score: 0.149 })).toBe('infra')
    // What is told by several signs yields by a share: 0.4 of 0.6 is more than 0.2.
    expect(first({ ...slight, score: 0.2 }, whole({ kind: 'data' }))).toBe('data')
    expect(first({ ...slight, score: 0.25 }, whole({ kind: 'data' }))).toBe('c1')
    expect(first({ ...slight, trivial: 'it only moves code' })).toBe('infra')
    // What happened is no description of how it fails.
    expect(first(slight, whole())).toBe('infra')
    expect(first(slight, half({ at_most: 0.6 }))).toBe('infra')
  })

  it('what several signs of one place tell yields to what reached that place or shows how, and to nothing else', () => {
    const full = firm({
      kind: 'capacity',
      entity: 'stock',
      score: 0.8,
      yields_to_changes: true,
      is_placed: true,
    })
    const scoreBeside = (entry: RankedChange, found = full): number =>
      weighCandidates(OBSERVED, { ranked: [entry], too_late: [] }, [found]).find(
        (one) => one.of === 'operational',
      )?.score ?? 0
    const weak = { score: 0.3, closeness: 0.3, mechanism: mechanism(0.25) }
    expect(scoreBeside(able({ ...weak, reaches: 'web' }))).toBe(0.8)
    expect(scoreBeside(able({ ...weak, reaches: null }))).toBe(0.8)
    expect(scoreBeside(able({ ...weak, reaches: 'stock' }))).toBeLessThan(0.3)
    expect(scoreBeside(able({ ...weak, reaches: 'web', mechanism: mechanism(0.3) }))).toBeLessThan(0.3)
    const { is_placed: _, ...anywhere } = full
    expect(scoreBeside(able({ ...weak, reaches: 'web' }), anywhere)).toBeLessThan(0.3)
  })

  it('what is sure of its place does not yield to a name that only others quote, or to what moved elsewhere', () => {
    const full = firm({
      ...{ kind: 'capacity', entity: 'stock', score: 0.8, yields_to_changes: true, is_placed: true },
      signs: [told('no room', { entity: 'proxy' })],
    })
    const scoreBeside = (more: Partial<RankedChange>): number =>
      weighCandidates(OBSERVED, { ranked: [{ ...PLAIN, reaches: 'web', ...more }], too_late: [] }, [
        full,
      ]).find((one) => one.of === 'operational')?.score ?? 0
    const quoted = (entity: string | null) => ({
      quoted: { ...LINKS.quoted, symptom: { ...LINKS.quoted.symptom, entity } },
    })
    expect(scoreBeside(quoted('mail'))).toBe(0.8)
    for (const teller of ['stock', 'proxy', null]) expect(scoreBeside(quoted(teller))).toBeLessThan(0.8)
    const spent = (unit: string) => ({
      spent: { ...LINKS.echo.shift, series: { ...LINKS.echo.shift.series, unit } },
    })
    expect(scoreBeside(spent('1'))).toBe(0.8)
    // More that is asked of it uses it up, whoever asks.
    expect(scoreBeside(spent(CALLS))).toBeLessThan(0.8)
  })

  it('what is only seen to come and go counts less the more time and place single out a change', () => {
    const pulses = firm({
      ...{ kind: 'infra', entity: 'web', score: 0.5, yields_to_changes: true },
      signs: [{ strength: 0.5, fact: { of: 'shift', shift: LINKS.echo.shift } }],
    })
    const flag = { ...PLAIN, score: 0.3, diff: { ...PLAIN.diff, size: 0 } }
    const first = (closeness: number) =>
      named(fused({ ranked: [{ ...flag, closeness }], operational: [pulses] }))[0]
    expect(first(0.43)).toBe('c1')
    expect(first(0.1)).toBe('infra')
  })
})

describe('a place', () => {
  const [stock, web] = OBSERVED.suspects
  if (stock === undefined || web === undefined) throw new Error('nobody is suspected')
  const till = { ...web, entity: 'till', blame: null, flow: null, score: 0.9 }

  it('is named where the measurements suspect it, and else where no callee explains its failing', () => {
    const places = (more: Partial<Observed>) => named(fused({ observed: { ...OBSERVED, ...more } }))
    expect(places({ suspects: [web, stock] })).toEqual(['stock', 'web'])
    expect(places({ suspects: [web, stock], first: null })).toEqual(['web', 'stock'])
    expect(places({ suspects: [], unexplained: [till], first: null })).toEqual(['till'])
  })

  it('is named first where it failed first and its calls were counted, or where it makes the demand', () => {
    const places = (first: typeof web, more: Partial<Observed> = {}) =>
      named(fused({ observed: { ...OBSERVED, first, ...more } }))
    expect(places(till)).toEqual(['stock', 'web'])
    const flow = observedIn({ ...INCIDENT, edges: calls('web', 'stock', 0.4) }).flows.get('stock')
    if (flow === undefined) throw new Error('no call was counted')
    expect(places({ ...till, flow })).toEqual(['till', 'stock', 'web'])
    const made = { caller: 'till', callee: 'stock', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    expect(places(till, { made })).toEqual(['till', 'stock', 'web'])
  })
})
