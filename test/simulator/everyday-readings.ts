/**
 * What is measured and complained of in every system of the fourth generation, whatever happens to it: that something is
 * measured at all must not tell a family. Some of it moves, and harms nobody.
 */
import type { Gauge, ProductionFamily, ProductionFault, ToldLine } from './production-fault.ts'
import type { Chance } from './random.ts'

/** From before anything began. */
const ALWAYS_S = -10_000

/** A level that rises once for a while, at any time of the day. */
function risingOnce(chance: Chance, usual: number, most: number): (since_s: number) => number {
  const from_s = chance.whole(-4_500, 900)
  const length_s = chance.whole(90, 400)
  return (since_s) => (since_s >= from_s && since_s < from_s + length_s ? most : usual)
}

function everydayGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const of = (kind: 'service' | 'datastore'): string =>
    chance.pick(topology.parts.filter((part) => part.kind === kind)).name
  const isTold = (name: string, entity: string): boolean =>
    gauges.some((gauge) => gauge.name === name && gauge.entity === entity)
  const gauge = (entity: string, name: string, unit: string, level: (since_s: number) => number): Gauge[] =>
    isTold(name, entity) ? [] : [{ entity, name, unit, level }]
  const queue = `${of('service')}-outbox`
  const entries = chance.whole(30_000, 900_000)
  return [
    ...gauge(queue, 'queue_messages_ready', '1', risingOnce(chance, 6, chance.whole(40, 900))),
    ...gauge(queue, 'queue_oldest_message_age_seconds', 's', risingOnce(chance, 2, chance.whole(15, 90))),
    ...gauge(`${of('datastore')}-standby`, 'replication_lag_seconds', 's', risingOnce(chance, 0.3, 12)),
    ...gauge('sessions-cache', 'cache_items', '1', (since_s) => entries * (1 - since_s / 90_000)),
    ...gauge('coredns', 'dns_request_duration_p99_ms', 'ms', risingOnce(chance, 8, chance.whole(12, 60))),
    ...topology.parts
      .filter(({ kind }) => kind === 'datastore')
      .flatMap(({ name }) => gauge(name, 'db_connections_active', '1', () => 22)),
  ]
}

/** Complaints that come once in some minutes, of all that goes wrong in other incidents. */
function everydayLines({ topology }: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const messages = [
    'Error: getaddrinfo EAI_AGAIN telemetry.example',
    'SocketTimeoutException: Read timed out (parcel-tracking.example:443)',
    'error: canceling statement due to user request',
    'could not read cached page, asking again',
    'job 7 was acknowledged late',
    'error: password authentication failed for user "report"',
  ]
  return Array.from({ length: chance.whole(1, 3) }, () => ({
    ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
    per_minute: chance.between(0.1, 0.5),
  }))
}

/** A family in a system that is measured like every other. */
export const amongEverydayReadings =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = family(topology, chance)
    if (fault === null) return null
    const gauges = [...fault.gauges, ...everydayGauges(fault, chance)]
    return { ...fault, gauges, lines: [...fault.lines, ...everydayLines(fault, chance)] }
  }
