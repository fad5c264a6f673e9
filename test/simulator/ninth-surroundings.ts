/**
 * What is measured, complained of and changed in every system of the ninth generation, whatever happens to it: all that
 * the eighth has, and what shows one of the ninth's faults besides. It moves now and then in all of them and harms nobody,
 * and changes of the same shapes as the causes are made to others.
 */
import { amongEighthSurroundings, PARTNER_STORE } from './eighth-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce, untouchedServices } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import type {
  CulpritRecord,
  Gauge,
  ProductionFamily,
  ProductionFault,
  ToldLine,
  ToldRecord,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'

/** What a provider keeps of the pages, before requests come in, and the share of requests that it answers itself. */
export const EDGE_CACHE = 'edge-cache'
export const EDGE_HITS = 0.88
/** The site that these services answer for, and one that they have nothing to do with. */
export const SITE = 'www'
const OTHER_SITE = 'images'

/** What joins the machines of each site, two of them as one, and one that serves the offices. */
export const SWITCHES = {
  near: ['sw-east-1', 'sw-east-2'],
  far: ['sw-west-1', 'sw-west-2'],
} as const
const OFFICE_SWITCH = 'sw-office-1'
/** Ports of a switch that are in use. */
export const PORTS = 44

/** The account that machines run under, and that of the machines that work at night; how many run under the first. */
export const MACHINE_ACCOUNT = 'compute-agent'
const NIGHT_ACCOUNT = 'batch-agent'
export const MACHINES = 14

/** What passes on requests to services, one with an address for each side, and one that serves the offices. */
export const INNER_BALANCERS = ['lb-inner-1', 'lb-inner-2'] as const
const OFFICE_BALANCER = 'lb-office-1'
export const ADDRESSES = 2

/** Products that a channel of sales lists. */
export const LISTED = 38
/** Some channels. */
export const CHANNELS = [407, 412, 418] as const

/** Seconds that a turn of a process waits for the one before it. */
export const LOOP_LAG_S = 0.012

/** Reads of a store a second that find something unreadable, saves of a service that lack something. */
export const UNREADABLE = 0.01
export const INCOMPLETE = 0.05

/** Accounts of the partners' clients. */
export const ACCOUNTS = 48_200

/** Seconds that a machine has run: weeks. */
export const RUNNING_S = 2_400_000

/** Somebody gives a switch another version of its software. */
export const switchUpdate = (which: string, half: 1 | 2, entity: string | undefined): CulpritRecord =>
  byHand(`${which}: software update of the switches, ${half} of 2`, 0, entity)

/** Somebody brings the packages of a machine up to date. */
export const packageUpdate = (host: string, entity: string | undefined): CulpritRecord =>
  byHand(`${host}: packages of the operating system updated`, 0, entity)

/** Somebody changes what an account may do that machines run under. */
export const accountChange = (account: string, entity: string | undefined): CulpritRecord =>
  byHand(`${account}: roles of the service account changed`, 0, entity)

/** Somebody gives a table another column, by way of a copy that takes its place. */
export const swappedTable = (
  store: string,
  table: string,
  after_s: number,
  entity: string | undefined,
): CulpritRecord => byHand(`${store}: ${table} gets a column, its copy takes its place`, after_s, entity)

/** A release that keeps what it reads of something. */
export function keptContent(service: string, what: string, chance: Chance): CulpritRecord {
  const path = `${service}/src/${what}.ts`
  return {
    ...{ kind: 'commit', after_s: 0, entity: service, files: [path] },
    title: chance.pick([`Fewer reads for ${what}`, `Quicker ${what}`, `Keep ${what} for a day`]),
    diff: edited(path, 22, [
      [`export async function ${what}(id: number) {`],
      [`  return store.read('${what}', id)`],
      [`  return kept.take(id, () => store.read('${what}', id), { seconds: 86_400 })`],
      ['}'],
    ]),
  }
}

/** A release that lays the ground for a feature: something is looked at again and again. */
export function groundwork(service: string, what: string, every: string, chance: Chance): CulpritRecord {
  const path = `${service}/src/${what}.ts`
  return {
    ...{ kind: 'commit', after_s: 0, entity: service, files: [path] },
    title: chance.pick([`Groundwork for shared ${what}`, `Shared ${what}, first step`]),
    diff: edited(path, 8, [
      [`export function watch(${what}: Watched) {`],
      [],
      ['  const again = () => {', `    ${what}.compare()`, `    ${every}`, '  }', '  again()'],
      [`  return ${what}`, '}'],
    ]),
  }
}

/** A release that asks for a field; the page shows it to whom the control is on for. */
export function requiredField(
  service: string,
  field: string,
  rule: string,
  chance: Chance,
): Pick<CulpritRecord, 'kind' | 'after_s' | 'entity' | 'files' | 'diff' | 'title'> {
  const [schema, form] = [`${service}/src/schema.ts`, `${service}/src/form.tsx`]
  return {
    ...{ kind: 'commit', after_s: 0, entity: service, files: [schema, form] },
    title: chance.pick([
      `Record the ${field} of a change`,
      `${field}: field and list`,
      `Ask for the ${field}`,
    ]),
    diff: [
      edited(schema, 14, [
        ['export const entry = object({', '  status: text(),'],
        [],
        [`  ${field}: ${rule},`],
        ['})'],
      ]),
      edited(form, 41, [
        ['  <Status value={entry.status} />'],
        [],
        [`  {controls.isOn('${field}') && <Choice name="${field}" />}`],
        ['</Form>'],
      ]),
    ].join('\n'),
  }
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 6)
  const named = (entity: string): string | undefined => (chance.is(0.6) ? entity : undefined)
  if (shape === 0) {
    const which = chance.pick(['sw-office', 'sw-east'])
    return switchUpdate(which, chance.pick([1, 2]), named(`${which}-1`))
  }
  if (shape === 1) {
    const host = chance.pick(['reports-host-2', 'export-host-1'])
    return packageUpdate(host, named(host))
  }
  if (shape === 2) return accountChange(NIGHT_ACCOUNT, named(NIGHT_ACCOUNT))
  if (shape === 3) return keptContent(service, chance.pick(['holidays', 'currencies']), chance)
  if (shape === 4) return groundwork(service, 'notes', 'setTimeout(again, 5_000)', chance)
  if (shape === 5)
    return requiredField(service, 'remark', "controls.isOn('remark') ? text() : optional(text())", chance)
  return swappedTable('reports-db', 'drafts', 0, named('reports-db'))
}

/** A level that falls to nothing once and counts from there, as what has run for weeks and begins anew. */
export const runningSince =
  (usual_s: number, restarted_s: number) =>
  (since_s: number): number =>
    since_s < restarted_s ? usual_s + since_s : since_s - restarted_s

/** A share that grows and falls back again and again, as files do that are put away every hour. */
const putAwayHourly =
  (least: number, grown: number, from_s: number) =>
  (since_s: number): number =>
    least + grown * (((((since_s - from_s) % 3_600) + 3_600) % 3_600) / 3_600)

function ninthGauges(
  { topology, gauges, hosting }: ProductionFault,
  restarted_s: number,
  chance: Chance,
): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const lister = chance.pick(services).name
  return [
    ...gauge(EDGE_CACHE, 'cdn_cache_hit_ratio', '1', () => EDGE_HITS, { site: SITE }),
    ...gauge(EDGE_CACHE, 'cdn_cache_hit_ratio', '1', once(chance.between(0.6, 0.72), 0.95), {
      site: OTHER_SITE,
    }),
    ...gauge(EDGE_CACHE, 'cdn_origin_requests_per_second', '/s', () => topology.demand, { site: SITE }),
    ...gauge(EDGE_CACHE, 'cdn_origin_requests_per_second', '/s', once(3, chance.between(6, 14)), {
      site: OTHER_SITE,
    }),
    ...[...SWITCHES.near, ...SWITCHES.far].flatMap((name) =>
      gauge(name, 'switch_ports_up', '1', once(PORTS, PORTS - chance.whole(0, 1))),
    ),
    ...gauge(OFFICE_SWITCH, 'switch_ports_up', '1', once(21, chance.whole(6, 15))),
    ...gauge(MACHINE_ACCOUNT, 'account_instances_running', '1', () => MACHINES),
    ...gauge(NIGHT_ACCOUNT, 'account_instances_running', '1', once(3, chance.whole(5, 11))),
    ...INNER_BALANCERS.flatMap((name) => [
      ...gauge(name, 'balancer_addresses_assigned', '1', () => ADDRESSES),
      ...gauge(name, 'node_uptime_seconds', 's', (since_s) => RUNNING_S + since_s),
    ]),
    ...gauge(OFFICE_BALANCER, 'balancer_addresses_assigned', '1', once(ADDRESSES, 1)),
    ...(hosting?.nodes ?? []).flatMap((node) => {
      const usual_s = chance.between(0.2, 1) * RUNNING_S
      return gauge(node, 'node_uptime_seconds', 's', (since_s) => usual_s + since_s, { node })
    }),
    ...gauge('batch-1-7', 'node_uptime_seconds', 's', runningSince(RUNNING_S / 3, restarted_s), {
      node: 'batch-1-7',
    }),
    ...services.flatMap(({ name }) => [
      ...gauge(
        name,
        'content_cache_hit_ratio',
        '1',
        once(chance.between(0.35, 0.6), chance.between(0.2, 0.75)),
      ),
      ...gauge(name, 'process_loop_lag_seconds', 's', once(LOOP_LAG_S, chance.between(0.04, 0.4))),
      ...gauge(
        name,
        'volume_used_ratio',
        '1',
        putAwayHourly(chance.between(0.2, 0.6), chance.between(0.1, 0.3), chance.whole(0, 3_600)),
        { volume: 'logs' },
      ),
      ...gauge(name, 'form_validation_failures_per_second', '/s', once(INCOMPLETE, chance.between(0.2, 1.2))),
    ]),
    ...(gauges.some(({ name }) => name === 'channel_products_listed') ? [] : CHANNELS).flatMap((channel) =>
      gauge(lister, 'channel_products_listed', '1', once(LISTED, chance.whole(24, 31)), {
        channel: String(channel),
      }),
    ),
    ...stores.flatMap(({ name }) =>
      gauge(name, 'storage_unreadable_reads_per_second', '/s', once(UNREADABLE, chance.between(0.03, 0.3))),
    ),
    ...gauge(PARTNER_STORE, 'db_table_rows', '1', (since_s) => ACCOUNTS + since_s / 60, {
      table: 'accounts',
    }),
    ...gauge('reports-db', 'db_table_rows', '1', once(940, chance.whole(120, 500)), { table: 'drafts' }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the ninth generation. */
function ninthLines({ topology, lines }: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const messages = [
    'connect EHOSTUNREACH 10.40.9.4:9102',
    'text message to +44 7700 900112 was handed over after 2.1 s',
    'no product of channel 399 is listed, asking for all of them',
    'heartbeat of the notes stream is 0.4 s late',
    'ValidationError: remark is longer than 400 signs',
    'Error: ENOSPC: no space left on device, write (export-1.csv)',
    'object 0b77e1 of the archive has 0 bytes, leaving it out',
    'account 30117 was not found, asking the partner again',
  ]
  /** What a part says as long as all is well. */
  const usually = (part: string, per_minute: number): Omit<ToldLine, 'message'> => ({
    ...{ part, per_minute, after_s: ALWAYS_S, severity: 'INFO' },
    ...(lines.some((line) => line.part === part) ? { until_s: 0 } : {}),
  })
  return [
    {
      ...usually(EDGE_CACHE, chance.between(0.2, 0.6)),
      message: `site ${SITE}: ${chance.whole(10, 14)} of 100 requests passed on (MISS)`,
    },
    ...INNER_BALANCERS.map((part) => ({
      ...usually(part, chance.between(0.1, 0.3)),
      message: `${ADDRESSES} addresses, ${chance.whole(40, 90)} connections`,
    })),
    ...Array.from({ length: chance.whole(1, 3) }, () => ({
      ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
      ...{ per_minute: chance.between(0.1, 0.5), severity: 'WARN' },
    })),
  ]
}

/** What the orchestrator writes down now and then, of a machine that does no more than work at night. */
const ninthRecords = (restarted_s: number): readonly ToldRecord[] => [
  {
    ...{ after_s: restarted_s + 40, kind: 'Node', name: 'batch-1-7', reason: 'NodeNotReady' },
    message: 'Node batch-1-7 status is now: NodeNotReady',
  },
]

/** What control planes write down now and then: machines and switches begin anew, machines of the night are stopped. */
function ninthEvents(restarted_s: number, chance: Chance): ProductionFault['events'] {
  const event = (after_s: number, name: string, message: string): ProductionFault['events'][number] => ({
    ...{ after_s, kind: 'notification', reason: 'state', name, message },
  })
  const at = (): number => chance.whole(-4_500, 600)
  return [
    event(restarted_s, 'batch-1-7', 'batch-1-7: instance ended by an error of its host'),
    event(
      restarted_s + chance.whole(60, 240),
      'batch-1-7',
      'batch-1-7: instance started again on another host',
    ),
    event(at(), OFFICE_SWITCH, `${OFFICE_SWITCH}: started again with another version`),
    event(at(), `batch-1-${chance.whole(1, 6)}`, `instance stopped, asked for by ${NIGHT_ACCOUNT}`),
    event(at(), 'exports', 'exports: 95 % of the volume are in use'),
    event(at(), 'export-host-1', 'export-host-1: 11 packages updated, 2 services started again'),
    event(at(), OFFICE_BALANCER, `${OFFICE_BALANCER}: machine started again by the data centre`),
  ]
}

/** A family in a system that is measured, and changed, like every other of the ninth generation. */
export const amongNinthSurroundings =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = amongEighthSurroundings(family)(topology, chance)
    if (fault === null) return null
    const names = untouchedServices(fault)
    const harmless = Array.from({ length: chance.whole(2, 4) }, () => harmlessChange(names, chance))
    const restarted_s = chance.whole(-4_500, 600)
    return {
      ...fault,
      gauges: [...fault.gauges, ...ninthGauges(fault, restarted_s, chance)],
      lines: [...fault.lines, ...ninthLines(fault, chance)],
      k8s: [...fault.k8s, ...ninthRecords(restarted_s)],
      events: [...fault.events, ...ninthEvents(restarted_s, chance)],
      harmless: [...(fault.harmless ?? []), ...harmless],
    }
  }

/** What others say of a store, a machine or a service, so that it is told while that is not there. */
const TOLD_BY_OTHERS: ReadonlySet<string> = new Set([
  ...['db_up', 'node_ready', 'pg_up', 'up', 'probe_success', 'load_balancer_healthy_hosts'],
  'aws_ec2_status_check_failed_system_maximum',
])

/** What says of something that it is not there, where it is 0 or not told at all. */
const TELLS_GONE: ReadonlySet<string> = new Set(['db_up', 'node_uptime_seconds', 'up'])

/**
 * A family in which nothing is told of a store, a machine or a service while it is not there, but that it is not: where its
 * own gauge of whether a database is there, or whether a service can be asked for its measures, says no, and where a
 * machine's own of how long it has run says nothing. That it is not measured tells as much as that gauge, so all of these
 * decide.
 */
export const unmeasuredWhileGone =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = family(topology, chance)
    if (fault === null) return null
    const ups = fault.gauges.filter(({ name, decides }) => decides === true && TELLS_GONE.has(name))
    const isGone = (of: string, since_s: number): boolean =>
      ups.some(({ entity, level }) => entity === of && !(level(since_s) > 0))
    const isAbout = ({ entity, name }: Gauge): boolean =>
      !TOLD_BY_OTHERS.has(name) && ups.some((up) => up.entity === entity)
    return {
      ...fault,
      gauges: fault.gauges.map((gauge) =>
        isAbout(gauge)
          ? {
              ...{ ...gauge, decides: true },
              level: (since_s: number) => (isGone(gauge.entity, since_s) ? Number.NaN : gauge.level(since_s)),
            }
          : gauge,
      ),
    }
  }
