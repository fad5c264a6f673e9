/** How a generation's surroundings are put around its families: what each adds to those of the generation before. */
import { ALWAYS_S, untouchedServices } from './everyday-readings.ts'
import type {
  CulpritRecord,
  Gauge,
  ProductionFamily,
  ProductionFault,
  ToldLine,
  ToldRecord,
} from './production-fault.ts'
import type { Chance } from './random.ts'

/** What a generation adds to every system, whatever happens to it. */
export interface Surroundings {
  gauges(fault: ProductionFault, chance: Chance): readonly Gauge[]
  lines(fault: ProductionFault, chance: Chance): readonly ToldLine[]
  k8s(chance: Chance): readonly ToldRecord[]
  events(chance: Chance): ProductionFault['events']
  /** A change of the shape of one of the causes, made to one of some services that the fault does not touch. */
  harmless(services: readonly string[], chance: Chance): CulpritRecord
}

/**
 * Puts surroundings around a family, outside those of the generation before.
 * @param before puts those of the generation before around it
 */
export const surroundedBy =
  (before: (family: ProductionFamily) => ProductionFamily, added: Surroundings) =>
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = before(family)(topology, chance)
    if (fault === null) return null
    const names = untouchedServices(fault)
    const harmless = Array.from({ length: chance.whole(2, 4) }, () => added.harmless(names, chance))
    return {
      ...fault,
      gauges: [...fault.gauges, ...added.gauges(fault, chance)],
      lines: [...fault.lines, ...added.lines(fault, chance)],
      k8s: [...fault.k8s, ...added.k8s(chance)],
      events: [...fault.events, ...added.events(chance)],
      harmless: [...(fault.harmless ?? []), ...harmless],
    }
  }

/** Notes of control planes on the state of some resources, each at any time of the day. */
export const statesNoted = (
  chance: Chance,
  states: readonly (readonly [name: string, message: string])[],
): ProductionFault['events'] =>
  states.map(([name, message]) => ({
    ...{ after_s: chance.whole(-4_500, 600), kind: 'notification', reason: 'state', name, message },
  }))

/** Some complaints out of many, each once in some minutes, by services of the system. */
export const complaints = (
  { topology }: ProductionFault,
  messages: readonly string[],
  chance: Chance,
): readonly ToldLine[] => {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  return Array.from({ length: chance.whole(1, 3) }, () => ({
    ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
    ...{ per_minute: chance.between(0.1, 0.5), severity: 'WARN' },
  }))
}

/** A release, in the repository of its service. */
export const release = (
  service: string,
  title: string,
  files: Readonly<Record<string, string>>,
): CulpritRecord => ({
  ...{ kind: 'commit', after_s: 0, entity: service, title, files: Object.keys(files) },
  diff: Object.values(files).join('\n'),
})
