/**
 * What holds of a generation of families, whichever it is: that its incidents harm users, are the same for the same seed,
 * give nothing away, keep what does not decide, count as real systems do, and are hard for who understands nothing.
 */
import { describe, expect, it } from 'vitest'
import type { Edge, Snapshot } from '#shared/domain/investigation/snapshot.ts'
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
  /** Of these, those whose calls are known. */
  withEdges(name: string): readonly Simulated[]
}

/**
 * A generation by its families.
 * @param seed its incidents are those of this seed and the next ones
 */
export function generationOf(changed: Families, unchanged: Families, seed: number): Generation {
  const families = { ...changed, ...unchanged }
  const kept = new Map<string, readonly Simulated[]>()
  const incidentsOf = (name: string): readonly Simulated[] => {
    const known = kept.get(name)
    if (known !== undefined) return known
    const family = families[name]
    if (family === undefined) throw new Error(`there is no family ${name}`)
    const made: Simulated[] = []
    for (let next = seed; next < seed + 80 && made.length < OF_EACH; next += 1) {
      const one = simulateProductionIncident(name, family, next)
      if (one !== null) made.push(one)
    }
    kept.set(name, made)
    return made
  }
  return {
    ...{ changed, unchanged, incidentsOf },
    withEdges: (name) => incidentsOf(name).filter(({ snapshot }) => snapshot.edges.length > 0),
  }
}

export const sum = (edges: readonly Edge[], of: 'calls' | 'failed' | 'latency_sum_ms'): number =>
  edges.reduce((all, edge) => all + (edge[of] ?? 0), 0)

/** Calls of the edges in some minutes around the beginning of the effect. */
export const around = ({ snapshot, truth }: Simulated, from_min: number, to_min: number): readonly Edge[] =>
  snapshot.edges.filter(
    ({ t0 }) =>
      t0 >= truth.began_ms + from_min * MINUTE_MS && t0 + 30_000 <= truth.began_ms + to_min * MINUTE_MS,
  )

/**
 * States what holds of every generation.
 * @param same_seed the family whose incidents are made twice
 * @param most_falls a counter begins anew less often than this: pods are killed now and then, not at every scrape
 */
export function describeGeneration(
  title: string,
  { changed, unchanged, incidentsOf }: Generation,
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
      const family = FAMILIES[same_seed] as ProductionFamily
      const made = (seed: number) => JSON.stringify(simulateProductionIncident('x', family, seed))
      expect(made(5)).toBe(made(5))
      expect(made(5)).not.toBe(made(6))
    }, 120_000)

    it('say nowhere what is true of them: no family, no mark, no place in the order, no field that others lack', () => {
      const shapeOf = (change: object): string => Object.keys(change).sort().join()
      const innocent = new Set<string>()
      const guilty = new Set<string>()
      const places: number[] = []
      for (const { snapshot, truth } of everything()) {
        const text = JSON.stringify(snapshot)
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
        for (const { timestamp } of gone) expect(timestamp).toBeGreaterThan(truth.began_ms - 10_000)
        expect(undecided.alerts).toEqual(snapshot.alerts)
        expect(undecided.series.length).toBeGreaterThan(0)
        if (truth.kind === 'node') expect(JSON.stringify(undecided)).not.toContain(truth.entity)
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
          for (const value of values) expect(value).toBeGreaterThanOrEqual(0)
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
      const all = everything()
      const share = (is: (one: Simulated) => boolean): number => all.filter(is).length / all.length
      const farthest = share(({ snapshot, truth }) =>
        isThePlace(truth, farthestEntities(snapshot)[0] ?? null),
      )
      const deploy = share(({ snapshot, truth }) =>
        latestDeployOf(snapshot).some((id) => isTheChange(truth, id)),
      )
      const change = share(({ snapshot, truth }) =>
        latestRecordedChange(snapshot).some((id) => isTheChange(truth, id)),
      )
      expect(farthest).toBeLessThanOrEqual(0.5)
      expect(deploy).toBeLessThanOrEqual(0.3)
      expect(change).toBeLessThanOrEqual(0.4)
    }, 240_000)
  })
}
