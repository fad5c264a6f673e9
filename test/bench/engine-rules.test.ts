import { describe, expect, it } from 'vitest'
import { EARLY_FAMILIES } from '#test/simulator/faults.ts'
import { simulateIncident } from '#test/simulator/simulate-incident.ts'
import { switchedEngine } from './altered-engine.ts'
import { keyOfRule, RuleSwitch, rulesIn, withRulesAsked } from './engine-rules.ts'

const FILE = `
export function downPart(scene: Scene): Cause | null {
  return scene.cause
}
export const filled = (scene: Scene): readonly Cause[] => scene.causes
export function withCleared(arrivals: readonly Arrival[], { onset }: Observed): readonly Arrival[] {
  return arrivals.filter(({ at }) => at < onset)
}
export const madeBy =
  (repeated: Cause | null) =>
  (cause: Cause): Cause => ({ ...cause, repeated })
export const isFull = (shift: Shift): boolean => shift.full
export const scoreOf = (cause: Cause): number => cause.score
function inner(): Cause | null {
  return null
}
`

/** The functions of the file above as they are called where a switch stands before each. */
function loaded(ask: RuleSwitch) {
  const script = withRulesAsked('causes/some.ts', FILE)
    .replace(
      /: (?:readonly )?(?:Scene|Cause|Arrival|Observed|Shift|boolean|number)(?:\[\])?(?: \| null)?/g,
      '',
    )
    .replaceAll('export ', '')
  const make = new Function('$rule', `${script}\nreturn { downPart, filled, withCleared, madeBy }`)
  return make(ask.place) as Readonly<
    Record<'downPart' | 'filled' | 'withCleared' | 'madeBy', (...given: readonly unknown[]) => unknown>
  >
}

describe('rules of the engine', () => {
  it('are exported functions that may find nothing, or hand on what they were given', () => {
    expect(rulesIn('causes/some.ts', FILE)).toEqual(
      ['downPart', 'filled', 'withCleared', 'madeBy'].map((name) => ({ file: 'causes/some.ts', name })),
    )
  })

  it('find what they find until one is to find nothing, and then all others still do', () => {
    const ask = new RuleSwitch()
    const { downPart, filled, withCleared, madeBy } = loaded(ask)
    const arrivals = [{ at: 1 }, { at: 3 }]
    const told = (): readonly unknown[] => [
      downPart({ cause: 'a' }),
      filled({ causes: ['b'] }),
      withCleared(arrivals, { onset: 2 }),
      (madeBy('c') as (cause: object) => unknown)({ kind: 'd' }),
    ]
    const all: readonly unknown[] = ['a', ['b'], [{ at: 1 }], { kind: 'd', repeated: 'c' }]
    const nothing = [null, [], arrivals, { kind: 'd' }]
    expect(told()).toEqual(all)
    for (const [index, { name }] of rulesIn('causes/some.ts', FILE).entries()) {
      ask.silent = `causes/some.ts ${name}`
      expect(told()).toEqual(all.with(index, nothing[index]))
    }
  })

  it('are noted where they find something, and not where they find nothing', () => {
    const ask = new RuleSwitch()
    const { downPart, filled, withCleared, madeBy } = loaded(ask)
    downPart({ cause: null })
    filled({ causes: [] })
    withCleared([{ at: 1 }], { onset: 2 })
    madeBy('c')
    expect([...ask.takeFound()]).toEqual([])
    downPart({ cause: 'a' })
    withCleared([{ at: 3 }], { onset: 2 })
    expect([...ask.takeFound()]).toEqual(['causes/some.ts downPart', 'causes/some.ts withCleared'])
    expect([...ask.takeFound()]).toEqual([])
  })
})

describe('the engine with a switch before each rule', () => {
  it('answers as it does without, and one that was silent for a while finds the same again', async () => {
    const { rules, investigate, ask } = await switchedEngine()
    const engine = await import('#shared/domain/investigation/investigate.ts')
    const [family] = Object.entries(EARLY_FAMILIES) as [[string, (typeof EARLY_FAMILIES)[string]]]
    const snapshot = simulateIncident(...family, 3)?.snapshot
    if (snapshot === undefined) throw new Error('the seed has no place for an incident')
    const asIs = JSON.stringify(engine.investigate(snapshot))
    expect(JSON.stringify(investigate(snapshot))).toBe(asIs)
    const found = [...ask.takeFound()]
    expect(found.length).toBeGreaterThan(3)
    expect(rules.map(keyOfRule)).toEqual(expect.arrayContaining(found))
    const silenced = found.map((key) => {
      ask.silent = key
      return JSON.stringify(investigate(snapshot))
    })
    expect(silenced.some((findings) => findings !== asIs)).toBe(true)
    ask.silent = null
    expect(JSON.stringify(investigate(snapshot))).toBe(asIs)
  })
})
