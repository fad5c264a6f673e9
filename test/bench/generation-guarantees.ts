/**
 * What holds of a generation of families, whichever it is: that its incidents harm users, are the same for the same seed,
 * give nothing away, keep what does not decide, count as real systems do, and are hard for who understands nothing.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Edge, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import type { ProductionFamily } from '#test/simulator/production-fault.ts'
import type { Simulated } from '#test/simulator/simulate-incident.ts'
import { simulateProductionIncident } from '#test/simulator/simulate-production-incident.ts'
import { isTheChange, isTheKind, isThePlace } from '#test/simulator/truth.ts'
import { farthestEntities, latestDeployOf, latestRecordedChange } from './blind-controls.ts'

export const MINUTE_MS = 60_000
const OF_EACH = 3

type Families = Readonly<Record<string, ProductionFamily>>

/** A few incidents of each family, the same for every test: making them takes longest. */
export interface Generation {
  readonly changed: Families
  readonly unchanged: Families
  incidentsOf(name: string): readonly Simulated[]
  /** The first of a family, made once more. */
  madeAgain(name: string): Simulated | null
  /** How often answers that understand nothing are right of all of them. */
  blindCounts(): BlindCounts
  /** Of these, those whose calls are known. */
  withEdges(name: string): readonly Simulated[]
  /** The same, and a test fails where there are none: what it states of each would be stated of nothing. */
  known(name: string): readonly Simulated[]
}

/** How often answers that understand nothing are right. */
export interface BlindCounts {
  readonly incidents: number
  readonly farthest: number
  readonly latest_deploy: number
  readonly latest_change: number
}

function countBlind(all: readonly Simulated[]): BlindCounts {
  const right = (is: (one: Simulated) => boolean): number => all.filter(is).length
  return {
    incidents: all.length,
    farthest: right(({ snapshot, truth }) => isThePlace(truth, farthestEntities(snapshot)[0] ?? null)),
    latest_deploy: right(({ snapshot, truth }) =>
      latestDeployOf(snapshot).some((id) => isTheChange(truth, id)),
    ),
    latest_change: right(({ snapshot, truth }) =>
      latestRecordedChange(snapshot).some((id) => isTheChange(truth, id)),
    ),
  }
}

/**
 * A generation by its families.
 * @param seed its incidents are those of this seed and the next ones
 */
export function generationOf(changed: Families, unchanged: Families, seed: number): Generation {
  const families = { ...changed, ...unchanged }
  const familyOf = (name: string): ProductionFamily => {
    const family = families[name]
    if (family === undefined) throw new Error(`there is no family ${name}`)
    return family
  }
  const kept = new Map<string, readonly Simulated[]>()
  const firstSeeds = new Map<string, number>()
  const incidentsOf = (name: string): readonly Simulated[] => {
    const known = kept.get(name)
    if (known !== undefined) return known
    const family = familyOf(name)
    const made: Simulated[] = []
    for (let next = seed; next < seed + 80 && made.length < OF_EACH; next += 1) {
      const one = simulateProductionIncident(name, family, next)
      if (one === null) continue
      if (made.length === 0) firstSeeds.set(name, next)
      made.push(one)
    }
    kept.set(name, made)
    return made
  }
  const withEdges = (name: string): readonly Simulated[] =>
    incidentsOf(name).filter(({ snapshot }) => snapshot.edges.length > 0)
  let counts: BlindCounts | null = null
  return {
    ...{ changed, unchanged, incidentsOf, withEdges },
    madeAgain: (name) => {
      if (incidentsOf(name).length === 0) return null
      return simulateProductionIncident(name, familyOf(name), firstSeeds.get(name) as number)
    },
    blindCounts: () => (counts ??= countBlind(Object.keys(families).flatMap(incidentsOf))),
    known: (name) => {
      const all = withEdges(name)
      expect(all.length).toBeGreaterThan(0)
      return all
    },
  }
}

/** A snapshot or incident as text, its samples as plain lists. */
const written = (one: Simulated | null): string => {
  const plain = (snapshot: Snapshot): object => ({
    ...snapshot,
    series: snapshot.series.map((each) => ({
      ...each,
      times: Array.from(each.times),
      values: Array.from(each.values),
    })),
  })
  return JSON.stringify(one && { ...one, snapshot: plain(one.snapshot), undecided: plain(one.undecided) })
}

/** All words of a snapshot; of a series there are hundreds of samples, which say none. */
const wordsOf = (snapshot: Snapshot): string =>
  JSON.stringify({
    ...snapshot,
    series: snapshot.series.map(({ times: _times, values: _values, ...words }) => words),
  })

/** Who calls whom. */
export type Called = { readonly caller: string; readonly callee: string }

export const sum = (edges: readonly Edge[], of: 'calls' | 'failed' | 'latency_sum_ms'): number =>
  edges.reduce((all, edge) => all + (edge[of] ?? 0), 0)

/** Calls of the edges in some minutes around the beginning of the effect. */
export const around = ({ snapshot, truth }: Simulated, from_min: number, to_min: number): readonly Edge[] =>
  snapshot.edges.filter(
    ({ t0 }) =>
      t0 >= truth.began_ms + from_min * MINUTE_MS && t0 + 30_000 <= truth.began_ms + to_min * MINUTE_MS,
  )

/** Milliseconds that a call took on average, in some minutes around the beginning. */
export const took = (one: Simulated, callee: string, from_min: number, to_min: number): number => {
  const edges = around(one, from_min, to_min).filter((edge) => edge.callee === callee)
  return sum(edges, 'latency_sum_ms') / sum(edges, 'calls')
}

/** Share of some calls that failed, in some minutes around the beginning. */
export const failing = (
  one: Simulated,
  is: (edge: Called) => boolean,
  from_min: number,
  to_min: number,
): number => {
  const edges = around(one, from_min, to_min).filter(is)
  return sum(edges, 'failed') / Math.max(1, sum(edges, 'calls'))
}

/** Some calls a minute, in some minutes around the beginning. */
export const perMinute = (
  one: Simulated,
  is: (edge: Called) => boolean,
  from_min: number,
  to_min: number,
): number => sum(around(one, from_min, to_min).filter(is), 'calls') / (to_min - from_min)

/** How many times as many of some calls there are in some minutes around the beginning as before it. */
export const grew = (
  one: Simulated,
  is: (edge: Called) => boolean,
  from_min: number,
  to_min: number,
): number => perMinute(one, is, from_min, to_min) / perMinute(one, is, -20, -5)

/** Who is called by somebody, or calls somebody, in the half hour before. */
export const partners = (
  one: Simulated,
  is: (edge: Called) => boolean,
  of: 'caller' | 'callee',
): readonly string[] => [
  ...new Set(
    around(one, -30, -1)
      .filter(is)
      .map((edge) => edge[of]),
  ),
]

/** All series of a name. */
export const named = ({ snapshot }: Simulated, name: string): readonly Series[] =>
  snapshot.series.filter((series) => series.name === name)

export const gauge = ({ snapshot }: Simulated, name: string, entity: string): Series =>
  snapshot.series.find((each) => each.name === name && each.entity === entity) as Series

/** The first value from some minutes after the beginning on. */
export const valueAt = ({ times, values }: Series, { truth }: Simulated, minutes: number): number =>
  values[times.findIndex((time) => time >= truth.began_ms + minutes * MINUTE_MS)] ?? Number.NaN

/** States that incidents whose figures are written down are what they were, whatever later generations add. */
export function describeScored(
  title: string,
  { changed, unchanged }: Generation,
  scored: readonly (readonly [name: string, seed: number, digest: string])[],
): void {
  describe(title, () => {
    it.each(scored)('%s of seed %i is the incident that it was', (name, seed, digest) => {
      const family = { ...changed, ...unchanged }[name] as ProductionFamily
      const text = written(simulateProductionIncident(name, family, seed))
      expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(digest)
    })
  })
}

/** What nobody says or writes while an incident lasts, whoever knows the cause would. */
const JUDGING =
  /poison|herd|stampede|metastable|root.cause|culprit|regression|outage|misconfig|too (low|tight|small)|broken|\bbug\b|wrong|mistake|forgot/i

/**
 * States what holds of the words of a generation, and of what is measured in it.
 * @param measured series that every incident has, so that having one tells no family
 */
export function describeWords(
  title: string,
  { changed, unchanged, incidentsOf }: Generation,
  measured: readonly string[],
): void {
  const names = Object.keys({ ...changed, ...unchanged })
  describe(title, () => {
    it('are those of programs and of people who do not know yet: none judges', () => {
      for (const name of names)
        for (const { snapshot } of incidentsOf(name)) expect(wordsOf(snapshot)).not.toMatch(JUDGING)
    }, 240_000)

    it('do not tell a family by what is measured at all', () => {
      for (const name of names)
        for (const { snapshot } of incidentsOf(name)) {
          const series = new Set(snapshot.series.map((each) => each.name))
          expect(
            measured.filter((each) => !series.has(each)),
            name,
          ).toEqual([])
        }
    }, 240_000)

    it('are of their family alone where they decide: no two families share a line of their own', () => {
      const of = new Map<string, string>()
      for (const name of names)
        for (const { snapshot, undecided } of incidentsOf(name)) {
          const kept = new Set(undecided.logs.map(({ message }) => message))
          for (const { message } of snapshot.logs.filter((line) => !kept.has(line.message))) {
            expect(of.get(message) ?? name).toBe(name)
            of.set(message, name)
          }
        }
      expect(of.size).toBeGreaterThan(10)
    }, 240_000)
  })
}

/**
 * States that effects show only so many minutes after the change was recorded.
 * @param least for each family
 */
export function describeDelays(
  title: string,
  { incidentsOf }: Generation,
  least: Readonly<Record<string, number>>,
): void {
  describe(title, () => {
    it.each(Object.entries(least))(
      'of %s: more than %d minutes after its change was recorded',
      (name, minutes) => {
        for (const { snapshot, truth } of incidentsOf(name)) {
          const first = snapshot.changes.find(({ id }) => isTheChange(truth, id))
          expect(truth.began_ms - (first?.recorded_at ?? truth.began_ms)).toBeGreaterThan(minutes * MINUTE_MS)
        }
      },
      120_000,
    )
  })
}

/**
 * States what surrounds a generation: that it is as hard as the document says for who understands nothing, that what shows
 * a fault moves where there is none, and that changes of the shapes of the causes are made to others.
 * @param measured series that move now and then, of parts that have nothing to do with the cause
 * @param shapes of changes, by what they are called
 */
export function describeSurroundings(
  title: string,
  { changed, unchanged, incidentsOf, blindCounts }: Generation,
  {
    blind,
    measured,
    shapes,
  }: {
    readonly blind: BlindCounts
    readonly measured: readonly string[]
    readonly shapes: Readonly<Record<string, (change: Snapshot['changes'][number]) => boolean>>
  },
): void {
  const everything = (): readonly Simulated[] =>
    Object.keys({ ...changed, ...unchanged }).flatMap(incidentsOf)
  describe(title, () => {
    it('leaves answers that understand nothing right as often as its page in docs/simulator says, of three of each family', () => {
      expect(blindCounts()).toEqual(blind)
    }, 240_000)

    it('moves now and then, of parts that have nothing to do with the cause', () => {
      const moving = new Set<string>()
      for (const one of everything())
        for (const name of measured)
          for (const { entity, values } of named(one, name)) {
            const [least, most] = [Math.min(...values), Math.max(...values)]
            if (!isThePlace(one.truth, entity) && most > 1.2 * least + 0.001) moving.add(name)
          }
      expect(measured.filter((name) => !moving.has(name))).toEqual([])
    }, 240_000)

    it('holds changes of the shape of each cause that harm nobody', () => {
      for (const [shape, is] of Object.entries(shapes)) {
        const innocent = everything().flatMap(({ snapshot, truth }) =>
          snapshot.changes.filter((change) => !isTheChange(truth, change.id) && is(change)),
        )
        expect(innocent.length, shape).toBeGreaterThan(2)
      }
    }, 240_000)
  })
}

/**
 * States that the parts which stand beside a system are asked by their own clients alone, and well.
 * @param asked the part beside that others beside ask
 * @param but the family in which something happens to it as well, where there is one
 */
export function describeBeside(
  title: string,
  { changed, unchanged, withEdges }: Generation,
  { asked, but }: { readonly asked: string; readonly but?: string },
): void {
  const isBeside = (part: string): boolean => part.startsWith('partner-')
  describe(title, () => {
    it('are in every incident, asked by their own clients alone, and well but where two things happen', () => {
      for (const name of Object.keys({ ...changed, ...unchanged }))
        for (const one of withEdges(name)) {
          const all = around(one, -60, 20)
          expect(all.some(({ callee }) => callee === asked)).toBe(true)
          expect(all.filter(({ caller, callee }) => isBeside(caller) !== isBeside(callee))).toEqual([])
          expect(isBeside(one.snapshot.alerts[0]?.service ?? ''), name).toBe(false)
          const share = failing(one, ({ callee }) => callee === asked, 8, 16)
          if (name === but) expect(share).toBeGreaterThan(0.5)
          else expect(share, name).toBeLessThan(0.05)
        }
    }, 240_000)
  })
}

/**
 * States what holds of every generation.
 * @param same_seed the family whose incidents are made twice
 * @param most_falls a counter begins anew less often than this: pods are killed now and then, not at every scrape
 */
export function describeGeneration(
  title: string,
  { changed, unchanged, incidentsOf, madeAgain, blindCounts }: Generation,
  { same_seed, most_falls }: { readonly same_seed: string; readonly most_falls: number },
): void {
  const FAMILIES: Families = { ...changed, ...unchanged }
  const everything = (): readonly Simulated[] => Object.keys(FAMILIES).flatMap(incidentsOf)

  describe(title, () => {
    it.each(Object.keys(FAMILIES))(
      'of %s harm users, and their records hold what is true of them',
      (name) => {
        const all = incidentsOf(name)
        expect(all).toHaveLength(OF_EACH)
        for (const { snapshot, truth, undecided } of all) {
          expect(snapshot.alerts[0]?.fired_at).toBeGreaterThan(truth.began_ms)
          expect(snapshot.window.to).toBeGreaterThan(snapshot.alerts[0]?.fired_at as number)
          expect(snapshot.series.every(({ times, values }) => times.length === values.length)).toBe(true)
          expect(truth.change === null).toBe(name in unchanged)
          expect(snapshot.changes.some(({ id }) => id === truth.change)).toBe(truth.change !== null)
          expect(undecided.changes.some(({ id }) => isTheChange(truth, id))).toBe(false)
          expect(undecided.changes.some(({ carries }) => carries?.some((id) => isTheChange(truth, id)))).toBe(
            false,
          )
          expect(isThePlace(truth, truth.entity) && isTheKind(truth, truth.kind)).toBe(true)
        }
      },
      120_000,
    )

    it('are the same for the same seed and others for another', () => {
      const [one, other] = incidentsOf(same_seed)
      const again = madeAgain(same_seed)
      expect(again).not.toBeNull()
      expect(again).not.toBe(one)
      // Told as a fact: two texts of megabytes are of no use in a report.
      expect(isDeepStrictEqual(again, one)).toBe(true)
      expect(isDeepStrictEqual(again, other)).toBe(false)
      expect(other).toBeDefined()
    }, 120_000)

    it('say nowhere what is true of them: no family, no mark, no place in the order, no field that others lack', () => {
      const shapeOf = (change: object): string => Object.keys(change).sort().join()
      const innocent = new Set<string>()
      const guilty = new Set<string>()
      const places: number[] = []
      for (const { snapshot, truth } of everything()) {
        const text = wordsOf(snapshot)
        for (const word of [...Object.keys(FAMILIES), 'decides', 'culprit', '@renewed', 'tipping'])
          expect(text.includes(word), word).toBe(false)
        snapshot.changes.forEach((change, index) => {
          const is = isTheChange(truth, change.id)
          ;(is ? guilty : innocent).add(`${change.kind} ${shapeOf(change)}`)
          if (change.id === truth.change) places.push(index / (snapshot.changes.length - 1))
          expect(change.id).toMatch(/^[0-9a-f]{40}$/)
        })
        const recorded = snapshot.changes.map(({ recorded_at }) => recorded_at)
        expect(recorded).toEqual(recorded.toSorted((a, b) => a - b))
      }
      expect([...guilty].filter((shape) => !innocent.has(shape))).toEqual([])
      for (const end of [0, 1])
        expect(places.filter((place) => place === end).length / places.length).toBeLessThan(0.2)
      expect(new Set(places).size).toBeGreaterThan(places.length / 2)
    }, 240_000)

    it('keep what does not decide when what decides is taken away', () => {
      for (const { snapshot, undecided, truth } of everything()) {
        const messages = new Set(undecided.logs.map(({ message }) => message))
        const gone = snapshot.logs.filter(({ message }) => !messages.has(message))
        if (truth.change !== null) expect(gone).toEqual([])
        if (snapshot.logs.length > 0) expect(undecided.logs.length).toBeGreaterThan(0)
        // One expectation for thousands of lines: each costs more than what it looks at.
        expect(gone.filter(({ timestamp }) => timestamp <= truth.began_ms - 10_000)).toEqual([])
        expect(undecided.alerts).toEqual(snapshot.alerts)
        expect(undecided.series.length).toBeGreaterThan(0)
        if (truth.kind === 'node') expect(wordsOf(undecided)).not.toContain(truth.entity)
      }
    }, 240_000)

    it('have counters and buckets that only grow but for pods that begin anew, and buckets that hold each other', () => {
      const raw = everything().filter(({ snapshot }) =>
        snapshot.series.some(({ type }) => type === 'histogram'),
      )
      expect(raw.length).toBeGreaterThan(0)
      for (const { snapshot } of raw.slice(0, 3))
        for (const { type, values } of snapshot.series) {
          if (type !== 'counter' && type !== 'histogram') continue
          const falls = Array.from(values).filter(
            (value, index) => index > 0 && value < (values[index - 1] as number),
          )
          // A pod that was killed counts from zero; it is killed now and then, not at every scrape.
          expect(falls.length).toBeLessThan(most_falls)
          expect(values.every((value) => value >= 0)).toBe(true)
        }
      const [{ snapshot } = { snapshot: undefined as unknown as Snapshot }] = raw
      const buckets = snapshot.series.filter(({ type }) => type === 'histogram')
      const one = buckets.filter(({ labels }) => labels.pod === buckets[0]?.labels.pod)
      const last = one.map(({ labels, values }) => [
        Number(labels.le?.replace('+Inf', 'Infinity')),
        values.at(-1) as number,
      ])
      last.sort((a, b) => (a[0] as number) - (b[0] as number))
      const counts = last.map(([, count]) => count as number)
      // Each bucket loses scrapes of its own; but for that, the wider one holds at least as many.
      counts.reduce((narrower, wider) => {
        expect(wider).toBeGreaterThan(0.97 * narrower)
        return Math.max(narrower, wider)
      })
    }, 240_000)

    it('are hard enough for answers that understand nothing', () => {
      const { incidents, farthest, latest_deploy, latest_change } = blindCounts()
      expect(farthest / incidents).toBeLessThanOrEqual(0.5)
      expect(latest_deploy / incidents).toBeLessThanOrEqual(0.3)
      expect(latest_change / incidents).toBeLessThanOrEqual(0.4)
    }, 240_000)
  })
}

/**
 * States that what decides is there, and is not where it was taken away: of a change its record and whoever carried it.
 * @param said what only who knows the cause says, of the families that no change caused
 * @param told by what a record is known again: where another's has the same title, by its diff as well
 */
export function describeDeciding(
  title: string,
  { changed, unchanged, incidentsOf }: Generation,
  said: RegExp,
  told: readonly ('title' | 'diff')[] = ['title'],
): void {
  describe(title, () => {
    it.each(Object.keys({ ...changed, ...unchanged }))(
      'of %s is measured or recorded, and missing where it is taken away',
      (name) => {
        for (const { snapshot, undecided, truth } of incidentsOf(name)) {
          const lost = (['series', 'logs', 'k8s', 'events', 'changes'] as const).map(
            (kind) => snapshot[kind].length - undecided[kind].length,
          )
          expect(Math.max(...lost)).toBeGreaterThan(0)
          expect(undecided.logs.filter(({ message }) => said.test(message))).toEqual([])
          const cause = snapshot.changes.filter(({ id }) => isTheChange(truth, id))
          for (const left of undecided.changes)
            expect(cause.some((each) => told.every((part) => each[part] === left[part]))).toBe(false)
        }
      },
      120_000,
    )
  })
}

/** What holds of a generation that was written without knowledge of the engine, from published reports. */
export interface BlindGuarantees {
  /** The generation as it is called, "eleventh". */
  readonly called: string
  readonly same_seed: string
  readonly scored: Parameters<typeof describeScored>[2]
  readonly measured: readonly string[]
  readonly delays: Readonly<Record<string, number>>
  readonly blind: BlindCounts
  readonly shapes: Parameters<typeof describeSurroundings>[2]['shapes']
  /** The parts that stand beside the system; the first generations have none. */
  readonly beside?: Parameters<typeof describeBeside>[2]
  /** What only who knows the cause says; without it, what decides is stated by the generation's own tests. */
  readonly said?: RegExp
  /** By what a record is known again, its title where nothing else is said. */
  readonly told?: Parameters<typeof describeDeciding>[3]
}

/** A counter of a generation's incidents begins anew less often than this. */
const MOST_FALLS = 12

/** States everything that holds of a blind generation, whatever its families are. */
export function describeBlindGeneration(
  generation: Generation,
  { called, same_seed, scored, measured, delays, blind, shapes, beside, said, told }: BlindGuarantees,
): void {
  const of = `the ${called} generation`
  describeGeneration(`incidents of ${of}`, generation, { same_seed, most_falls: MOST_FALLS })
  describeScored(`what is to be scored of ${of}`, generation, scored)
  describeWords(`the words of ${of}`, generation, measured)
  describeDelays(`the effects of ${of}`, generation, delays)
  describeSurroundings(`what surrounds ${of}`, generation, { blind, measured, shapes })
  if (beside !== undefined) describeBeside(`the parts beside ${of}`, generation, beside)
  if (said !== undefined) describeDeciding(`what decides in ${of}`, generation, said, told)
}

/** The change that is the cause. */
export const causeOf = ({ snapshot, truth }: Simulated): Snapshot['changes'][number] | undefined =>
  snapshot.changes.find(({ id }) => id === truth.change)
