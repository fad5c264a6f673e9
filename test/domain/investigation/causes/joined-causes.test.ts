import { describe, expect, it } from 'vitest'
import {
  lostBy,
  reachedOver,
  runningOn,
  wentWith,
} from '#shared/domain/investigation/causes/joined-causes.ts'
import {
  type OperationalCause,
  type Sign,
  shown,
  sign,
} from '#shared/domain/investigation/causes/operational-cause.ts'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Line } from '#shared/domain/investigation/place/told-lines.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { causes, event, risen, type Seen, said, score, UNEXPLAINED } from '../scene-by-hand.ts'

describe('what some say of one another where everybody loses everybody', () => {
  const told = (entity: string | null, score = 0.8) => ({
    ...{ kind: 'provider' as const, entity, score, what: 'x', signs: [], action: 'failover' as const },
    yields_to_changes: false,
  })
  const flow = (entity: string, own_failed: number) =>
    [entity, { entity, own_failed, calls: 100 } as never] as const
  const SEEN = {
    ...{ gone_through: new Set<string>(), lost_everywhere: true },
    flows: new Map([flow('mail', 30), flow('shop', 90)]),
  } as never as Observed
  const scoreOf = (entity: string | null, more: Partial<Observed> = {}) =>
    lostBy({ ...SEEN, ...more })(told(entity)).score

  it('is worth as much as it explains', () => {
    expect(scoreOf('mail')).toBe(0.2)
    expect(scoreOf('mail', { lost_everywhere: false })).toBe(0.8)
    expect(scoreOf('printer')).toBe(0.8)
    expect(scoreOf(null)).toBe(0.8)
  })

  it('is worth a quarter where what all go through fails, but of that itself', () => {
    const through = { gone_through: new Set(['ns-1']) }
    expect(scoreOf('mail', through)).toBe(0.2)
    expect(scoreOf('printer', through)).toBe(0.2)
    expect(scoreOf(null, through)).toBe(0.2)
    expect(scoreOf('ns-1', through)).toBe(0.8)
  })
})

describe('who runs on a machine that was measured to be off', () => {
  const cause = (kind: 'node' | 'infra' | 'data', entity: string | null, of: string | null = null) => ({
    ...{ kind, entity, score: 0.8, what: 'x', action: 'failover' as const, yields_to_changes: false },
    signs: of === null ? [] : ([{ fact: { of: 'shift', shift: { series: { entity: of } } } }] as never),
  })
  const runsOn = new Map([['shop', new Set(['peg-1', 'peg-2'])]])
  const scoreOf = (one: ReturnType<typeof cause>, machine: ReturnType<typeof cause> | null) =>
    runningOn(machine, runsOn)(one).score

  it('restarts or cannot be begun there in consequence', () => {
    expect(scoreOf(cause('infra', 'shop'), cause('node', 'peg-1', 'peg-1'))).toBe(0.32)
  })

  it('fails by itself where the machine is another, only spoken of or unknown, or the cause of another kind', () => {
    expect(scoreOf(cause('infra', 'shop'), cause('node', 'peg-3', 'peg-3'))).toBe(0.8)
    expect(scoreOf(cause('infra', 'shop'), cause('node', 'peg-1', 'shop'))).toBe(0.8)
    expect(scoreOf(cause('infra', 'shop'), cause('node', null))).toBe(0.8)
    expect(scoreOf(cause('infra', 'shop'), null)).toBe(0.8)
    for (const one of [cause('data', 'shop'), cause('infra', 'mail'), cause('infra', null)])
      expect(scoreOf(one, cause('node', 'peg-1', 'peg-1'))).toBe(0.8)
  })
})

describe('a part that is down', () => {
  const away = [sign({ text: 'Node peg-1 status is now: NodeNotReady' } as Line, 0.4)]
  const told = (entity: string | null, score = 0.3, signs: readonly Sign[] = away) => ({
    ...{ kind: 'node' as const, entity, score, what: 'x', signs, action: 'failover' as const },
    yields_to_changes: true,
  })
  const runsOn = new Map([['shop', new Set(['peg-1', 'peg-2'])]])
  const went = (part: string | null, ...machines: readonly (OperationalCause | null)[]) =>
    wentWith({ ...told(part), at_most: CONFIDENCE_CAP_UNLINKED }, machines, runsOn)

  it('went with the machine that it ran on, or with all that ran on machines which are gone', () => {
    expect(went('shop', told('peg-2'))).toBe(true)
    expect(went('shop', null, told('peg-1'))).toBe(true)
    expect(went('mail', { ...told('peg-9', 0.5, []), falls_on: ['till', 'mail'] })).toBe(true)
  })

  it('failed by itself where it ran elsewhere, or little says that the machine is in trouble', () => {
    expect(went('shop', told('peg-3'))).toBe(false)
    expect(went('shop', told('peg-1', 0.19))).toBe(false)
    expect(went('shop', told('peg-1', 0.2))).toBe(true)
    expect(went('mail', told('peg-1'), { ...told('peg-9', 0.5, []), falls_on: ['till'] })).toBe(false)
    for (const machines of [[], [null], [told(null)]]) expect(went('shop', ...machines)).toBe(false)
    expect(went(null, told('peg-1'))).toBe(false)
  })

  it('failed by itself where its own platform says so', () => {
    for (const known of [{}, { at_most: CONFIDENCE_CAP_UNLINKED + 0.01 }])
      expect(wentWith({ ...told('shop'), ...known }, [told('peg-1')], runsOn)).toBe(false)
  })

  it('failed by itself where its machine is not away, but short of something', () => {
    const said = (text: string) => went('shop', told('peg-1', 0.3, [sign({ text } as Line, 0.4)]))
    for (const text of ['NodeNotReady', 'node is not ready', 'peg-1 is unreachable', 'NodeStatusUnknown'])
      expect(said(text), text).toBe(true)
    expect(said('System OOM encountered')).toBe(false)
    const level = (name: string, before: number, during: number) =>
      went(
        'shop',
        told('peg-1', 0.3, shown(risen('peg-1', name, { direction: 'down', before, during }), 0.6)),
      )
    expect(level('node_ready', 1, 0)).toBe(true)
    expect(level('node_ready', 1, 0.5)).toBe(false)
    expect(level('node_memory_available_ratio', 1, 0)).toBe(false)
  })
})

describe('whom nobody reaches', () => {
  const cause = (
    kind: 'provider' | 'network' | 'infra',
    entity: string | null,
    signs: readonly unknown[],
  ) => ({
    ...{ kind, entity, score: 0.8, what: 'x', signs: signs as never, action: 'failover' as const },
    yields_to_changes: false,
  })
  const [stepped, told] = [{ fact: { of: 'shift' } }, { fact: { of: 'text' } }]
  const line = cause('network', 'line-1', [stepped, told])
  const asked: string[] = []
  const isUnreached = (entity: string): boolean => {
    asked.push(entity)
    return entity === 'paylane'
  }
  const scoreOf = (of: ReturnType<typeof cause>, part: ReturnType<typeof cause> | null = line) =>
    reachedOver(part, isUnreached)(of).score

  it('has not failed where the way there was measured to fail, and says so', () => {
    expect(scoreOf(cause('provider', 'paylane', []))).toBe(0.32)
    expect(scoreOf(cause('network', 'paylane', []))).toBe(0.32)
  })

  it('may have failed where the way is only measured or only says so, or is none', () => {
    for (const part of [
      null,
      cause('network', 'line-1', [stepped]),
      cause('network', 'line-1', [told]),
      cause('infra', 'line-1', [stepped, told]),
    ])
      expect(scoreOf(cause('provider', 'paylane', []), part)).toBe(0.8)
  })

  it('is none of the others, nor the way itself, nor a cause of another kind or of no place', () => {
    expect(scoreOf(cause('provider', 'bank', []))).toBe(0.8)
    expect(scoreOf(cause('infra', 'paylane', []))).toBe(0.8)
    expect(scoreOf(cause('provider', null, []))).toBe(0.8)
    expect(scoreOf(cause('network', 'line-1', []))).toBe(0.8)
    expect(asked).not.toContain('line-1')
  })
})

describe('what several detectors tell of one cause', () => {
  const gone = (name: string, entity = 'stock') =>
    risen(entity, name, {
      ...{ direction: 'down', is_bad: false, before: 100, during: 4, extreme: 5, ended_at: at(ONSET + 9) },
    })
  const away = [gone('reads'), gone('writes')]
  const infra = (seen: Seen) => causes(seen).filter(({ kind }) => kind === 'infra')

  it('adds up at one place, or where one does not know the place, and not at two', () => {
    const of = (service: string) =>
      infra({ shifts: away, snapshot: { events: [event('failover started', service)] } })
    expect(of('stock')).toHaveLength(1)
    expect(of('stock')[0]).toMatchObject({
      ...{ entity: 'stock', yields_to_changes: false, score: round6(1 - 0.49 * (1 - 0.4 * UNEXPLAINED)) },
      what: 'an instance that was away for a while, as in a restart or a failover',
    })
    expect(of('stock')[0]?.signs.map(({ strength }) => strength)).toEqual([0.4, 0.3, 0.3])
    expect(of('vault').map(({ entity }) => entity)).toEqual(['stock', 'vault'])
    const clear = ['a', 'b', 'c', 'd'].map((part) => event(`${part} failover started`))
    expect(infra({ shifts: away, snapshot: { events: clear }, symptoms: ['primary lost'] })[0]?.score).toBe(
      0.85,
    )
  })

  it('counts words that both found once', () => {
    const kept = risen('cache', 'cache_items', { direction: 'down', before: 100, during: 10, extreme: 10 })
    const found2 = infra({ shifts: [kept], snapshot: { events: [event('restarted', 'cache')] } })
    expect(found2).toHaveLength(1)
    expect(found2[0]).toMatchObject({ entity: 'cache', score: round6(1 - 0.55 ** 2) })
    expect(found2[0]?.signs).toHaveLength(2)
  })

  it('is less of a load that a cache in trouble leaves to others, where two signs tell of the trouble', () => {
    const kept = risen('cache', 'cache_items', { direction: 'down', before: 100, during: 10, extreme: 10 })
    const events = [event('restarted', 'cache')]
    const pool = (service: string) => ({ shifts: [kept], templates: [said('pool exhausted', service)] })
    const left = 1 - 0.75 * (1 - 0.55 ** 2)
    const alone = 0.2 * UNEXPLAINED
    expect(score('capacity', { ...pool('stock'), snapshot: { events } })).toBe(round6(round6(alone) * left))
    expect(score('capacity', pool('stock'))).toBe(round6(alone))
    expect(score('capacity', { ...pool('cache'), snapshot: { events } })).toBe(round6(alone))
    const poison = { shifts: [kept], templates: [said('malformed payload')], snapshot: { events } }
    expect(score('data', poison)).toBe(round6(alone))
    const asked = risen('stock', 'http_requests_per_second', { before: 100, during: 200 })
    const more = { shifts: [kept, asked], symptoms: ['queue saturated'], snapshot: { events } }
    expect(score('traffic', more)).toBe(round6(0.5 * left))
  })
})
