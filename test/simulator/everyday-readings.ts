/**
 * What is measured and complained of in every system of the fourth generation, whatever happens to it: that something is
 * measured at all must not tell a family. Some of it moves, and harms nobody.
 */
import type { Gauge, ProductionFamily, ProductionFault, ToldLine } from './production-fault.ts'
import type { Chance } from './random.ts'

/** From before anything began. */
export const ALWAYS_S = -10_000

/** A level that rises once for a while, at any time of the day. */
export function risingOnce(chance: Chance, usual: number, most: number): (since_s: number) => number {
  const from_s = chance.whole(-4_500, 900)
  const length_s = chance.whole(90, 400)
  return (since_s) => (since_s >= from_s && since_s < from_s + length_s ? most : usual)
}

/** The services that a fault neither is in nor may be told at, in the order of the system. */
export function untouchedServices({ entity, places, topology }: ProductionFault): readonly string[] {
  const touched = new Set([entity, ...places])
  return topology.parts
    .filter(({ kind, name }) => kind === 'service' && !touched.has(name))
    .map(({ name }) => name)
}

/** Makes a gauge, or none where the fault tells it itself. */
export type GaugeBuilder = (
  entity: string,
  name: string,
  unit: string,
  level: (since_s: number) => number,
  labels?: Readonly<Record<string, string>>,
) => Gauge[]

/**
 * Makes gauges beside those that a fault tells itself.
 * @param same what one of the fault's must have in common with another to stand in its place, beside name and entity
 */
export function gaugesBeside(told: readonly Gauge[], same: 'any labels' | 'the same labels'): GaugeBuilder {
  const textOf = (labels: Gauge['labels']): string => JSON.stringify(labels ?? {})
  return (entity, name, unit, level, labels) =>
    told.some(
      (one) =>
        one.name === name &&
        one.entity === entity &&
        (same === 'any labels' || textOf(one.labels) === textOf(labels)),
    )
      ? []
      : [{ entity, name, unit, level, ...(labels === undefined ? {} : { labels }) }]
}

function everydayGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const of = (kind: 'service' | 'datastore'): string =>
    chance.pick(topology.parts.filter((part) => part.kind === kind)).name
  const gauge = gaugesBeside(gauges, 'any labels')
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

/** Readings that systems of the fifth generation have besides: what shows one of its faults is measured in all. */
function furtherGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const gauge = gaugesBeside(gauges, 'any labels')
  const fills = chance.pick(services).name
  const days = chance.whole(9, 200)
  return [
    ...stores.flatMap(({ name }) => {
      // A balance that is used during the day and earned again at night.
      const balance = chance.whole(900, 2_300)
      const read = chance.whole(1_200, 2_600)
      return [
        ...gauge(name, 'instance_cpu_credit_balance', '1', (since_s) => balance - since_s / 120),
        ...gauge(name, 'db_rows_read_per_second', '/s', risingOnce(chance, read, read * 6)),
      ]
    }),
    ...['interconnect-1', 'interconnect-2'].flatMap((link) =>
      gauge(link, 'link_packet_loss_ratio', '1', risingOnce(chance, 0.0003, chance.between(0.001, 0.006))),
    ),
    ...services.flatMap(({ name }) => {
      const used = chance.between(0.35, 0.7)
      // One fills slowly, and has room for days.
      const filling = name === fills ? 0.15 : 0
      return gauge(name, 'heap_used_after_gc_ratio', '1', (since_s) => used + filling * (since_s / 9_000))
    }),
    ...services.flatMap(({ name }) =>
      gauge(name, 'http_client_retries_per_second', '/s', risingOnce(chance, 0.05, chance.between(0.2, 1.5))),
    ),
    ...services.flatMap(({ name }) =>
      gauge(name, 'network_policy_dropped_packets_per_second', '/s', risingOnce(chance, 0.2, 3)),
    ),
    {
      ...{ entity: chance.pick(services).name, name: 'credential_remaining_seconds', unit: 's' },
      ...{ labels: { credential: 'mail-relay' }, level: (since_s) => days * 86_400 - since_s },
    },
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the fifth generation. */
function furtherLines({ topology }: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const messages = [
    'connect ETIMEDOUT 10.40.9.9:9102',
    'mail-relay answered 401, asking for another token',
    'error: cannot execute CREATE TEMPORARY TABLE in a read-only transaction',
    'retrying request to telemetry.example, attempt 2 of 3',
    'Mark-Compact (reduce) took 214 ms',
    'response of 2113904 bytes took 912 ms',
  ]
  return [
    {
      ...{ part: 'ingress-nginx', severity: 'WARN', after_s: ALWAYS_S, per_minute: 0.5 },
      message: 'an upstream response is buffered to a temporary file while reading upstream',
    },
    ...Array.from({ length: chance.whole(1, 3) }, () => ({
      ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
      ...{ per_minute: chance.between(0.1, 0.5), severity: 'WARN' },
    })),
  ]
}

/** A family in a system that is measured like every other of the fifth generation. */
export const amongFurtherReadings =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = amongEverydayReadings(family)(topology, chance)
    if (fault === null) return null
    const gauges = [...fault.gauges, ...furtherGauges(fault, chance)]
    return { ...fault, gauges, lines: [...fault.lines, ...furtherLines(fault, chance)] }
  }
