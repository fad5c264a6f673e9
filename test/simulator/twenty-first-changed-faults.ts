/**
 * Families of the twenty-first generation whose cause is a change, each as a published report of one organisation has it:
 * settings whose rows in a store are not there yet, a clearing-out that takes more with it than it names, a release whose
 * rules of access let nobody in, another address for a machine that is still asked by its old one, and machines that are
 * added to a pool and hand nothing on. They were written without knowledge of the engine; docs/simulator/twenty-first.md
 * names the reports and the rule of choice.
 */
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  APP_HOSTS,
  accessRules,
  addressGiven,
  amongTwentyFirstSurroundings,
  BYTES_IN,
  clearing,
  DELETED_TEMPLATES,
  DENIAL,
  DENIED,
  FILTER_POOL,
  HOST_CPU,
  JACKPOT,
  membersOf,
  NEW_FILTERS,
  NO_TEMPLATE,
  PUT_OFF,
  publicProbe,
  REJECTED,
  REJECTED_ORDERS,
  SORTER,
  sortingOf,
  TEMPLATE_TABLE,
  TEMPLATES,
  UNANSWERED,
  UNROUTED_CARTONS,
  WITHOUT_TEMPLATE,
} from './twenty-first-surroundings.ts'

/**
 * One of two steps is taken: a service is given settings that sort its orders by other categories, and begins anew with
 * them. The rows that go with these are to be written in the evening; until then most orders have no category.
 */
const settingsWithoutRows: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const delay_s = chance.whole(20, 70)
  const share = chance.between(0.5, 0.88)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const stuck = (since_s: number): number => share * progress(since_s, 180)
  const [one, other] = chance.pick([
    ['PARCEL_AIR', 'PARCEL_ROAD'],
    ['CARRIER_A34', 'CARRIER_B12'],
    ['TOTE_SMALL', 'TOTE_LARGE'],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['data', 'code', 'infra'], entity: name, places: [store, 'fleet-config'] },
    ...{ topology, delay_s },
    culprits: [
      sortingOf(
        name,
        [['  by: carrier'], ['  by: workCategory', `  categories: [${one}, ${other}]`]],
        chance.pick(['Sort by categories of work', 'Categories for the second line', 'Lanes by category']),
        chance,
      ),
    ],
    renewed: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 2 },
        message: `order ${chance.whole(30_000, 99_000)} is not taken in: no work category ${one} in work_categories`,
      },
      {
        ...{ part: SORTER, per_minute: 5, after_s: 40, severity: 'WARN' },
        message: `carton ${chance.whole(300_000, 990_000)} led to lane 99: no route for ${other}`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'order_imports_total:rate1m', unit: '/s', labels: REJECTED, decides: true },
        level: (since_s) => REJECTED_ORDERS + asked * stuck(since_s),
      },
      {
        ...{ entity: SORTER, name: 'sorter_cartons_total:rate1m', unit: '/s', labels: JACKPOT },
        ...{ decides: true, level: (since_s) => UNROUTED_CARTONS + 5 * stuck(since_s - 30) },
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) =>
      part === name && changed_for_s >= delay_s ? { own_errors: share } : {},
  }
}

/**
 * A release clears out programmes that nobody is in any more. By a key that was to go long ago the templates of others go
 * with them, and whoever writes messages by these finds none; who was released has nothing to do with messages.
 */
const cascadingCleanup: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const others = callersOf(topology, store)
    .map((caller) => caller.name)
    .filter((caller) => caller !== name)
  const hit = others.length === 0 ? [name] : others
  const delay_s = chance.whole(20, 80)
  const growing_s = chance.whole(60, 240)
  const share = chance.between(0.35, 0.7)
  const kept = chance.between(0.3, 0.6)
  const arrivals = arrivalsOf(topology)
  const missed = (since_s: number): number => share * progress(since_s, growing_s)
  const finding = (part: string, since_s: number) =>
    hit.includes(part) && since_s >= delay_s ? { own_errors: missed(since_s - delay_s) } : {}
  const [programme, year] = [chance.pick(['programs', 'care_paths', 'campaigns']), chance.whole(2021, 2024)]
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'config'], entity: name, places: [store], topology, delay_s },
    culprits: [
      clearing(
        name,
        [`    execute "DELETE FROM ${programme} WHERE closed_at < '${year}-09-01'"`],
        chance.pick([
          `Clear out old ${programme}`,
          `Closed ${programme} of before ${year}`,
          `Delete what was closed before ${year}`,
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [...hit, name],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 8, after_s: 5 },
      message: `ActiveRecord::RecordNotFound: Couldn't find MessageTemplate with 'id'=${chance.whole(1_000, 40_000)}`,
    })),
    gauges: [
      {
        ...{ entity: store, name: 'pg_stat_user_tables_n_live_tup', unit: '1', labels: TEMPLATE_TABLE },
        ...{
          decides: true,
          level: (since_s) => TEMPLATES * (1 - (1 - kept) * progress(since_s + delay_s, delay_s + 30)),
        },
      },
      {
        ...{
          entity: store,
          name: 'pg_stat_user_tables_n_tup_del:rate1m',
          unit: '/s',
          labels: TEMPLATE_TABLE,
        },
        ...{
          decides: true,
          level: (since_s) =>
            since_s >= -delay_s && since_s < 30
              ? (TEMPLATES * (1 - kept)) / (delay_s + 30)
              : DELETED_TEMPLATES,
        },
      },
      ...hit.map((part) => ({
        ...{ entity: part, name: 'messages_composed_total:rate1m', unit: '/s', labels: NO_TEMPLATE },
        ...{
          decides: true,
          level: (since_s: number) => WITHOUT_TEMPLATE + (arrivals.get(part) ?? 0) * missed(since_s),
        },
      })),
    ],
    working: (part, _pod, _since_s, changed_for_s) => finding(part, changed_for_s),
    ahead: (part, _pod, since_s) => finding(part, since_s),
    beyond: (part, _pod, since_s) => finding(part, since_s),
  }
}

/**
 * A release opens doors for visitors, and with it asks for a right that in production nobody has been given. Pod after pod
 * lets in no request to what it is for; the service is as quick as ever, and asks others for nothing.
 */
const gatedVisitors: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const delay_s = chance.whole(15, 60)
  const share = chance.between(0.82, 0.97)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const [what, right] = chance.pick([
    ['visits', 'doors:open'],
    ['guests', 'turnstiles:open'],
    ['bookings', 'lifts:call'],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config'], entity: name, topology, delay_s },
    culprits: [
      accessRules(
        name,
        [`        .requestMatchers("/${what}/**").hasAuthority("SCOPE_${what}")`],
        [
          `        .requestMatchers("/${what}/**").access(allOf(`,
          `            hasAuthority("SCOPE_${what}"), hasAuthority("SCOPE_${right}")))`,
        ],
        chance.pick([`Doors open for ${what}`, `${what}: way in with a code`, `Way in for ${what}`]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 2, severity: 'WARN' },
        message: `AuthorizationDeniedException: Access Denied (GET /${what}/today)`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'spring_security_authorizations_seconds_count:rate1m', unit: '/s' },
        ...{ labels: DENIAL, decides: true },
        level: (since_s) => DENIED + asked * share * progress(since_s, 150),
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) =>
      part === name && changed_for_s >= delay_s ? { own_errors: share } : {},
  }
}

/**
 * Somebody gives the machine of a service another address on the internet. The one that its name stands for leads nowhere
 * from then on; the machine and the service on it are well, and hardly anybody gets to them.
 */
const reassignedAddress: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const host = chance.pick(APP_HOSTS)
  const delay_s = chance.whole(20, 60)
  const closing_s = chance.whole(20, 90)
  const share = chance.between(0.95, 0.99)
  const [before, after] = [`203.0.113.${chance.whole(4, 90)}`, `203.0.113.${chance.whole(91, 200)}`]
  const gone = (since_s: number): number => progress(since_s, closing_s)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['network', 'config', 'dns'],
      entity: name,
      places: [host],
      topology,
      delay_s,
    },
    hosting: hostedApart(hostingOf(topology, chance), [host], [name]),
    culprits: [addressGiven(host, [before, after], chance.is(0.6) ? host : undefined)],
    undisturbed: [name],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 4 },
      message: `connect ETIMEDOUT ${before}:443`,
    })),
    gauges: [
      {
        ...{ entity: host, name: 'aws_ec2_network_in_average', unit: 'By', decides: true },
        level: (since_s) => BYTES_IN * (1 - 0.97 * gone(since_s)),
      },
      {
        ...{ entity: host, name: 'aws_ec2_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => HOST_CPU * (1 - 0.86 * gone(since_s)),
      },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: publicProbe(name), decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s
        ? { cut_off: { to: name, share: share * gone(since_s - delay_s) } }
        : {},
  }
}

/**
 * Two machines more filter what a service sends on, as it is to be more soon. Their settings name a next place that does
 * not answer; what comes to them waits there and is sent back, while what comes to the others goes on as ever.
 */
const addedFilters: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ calls }) => calls.length > 0)
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const { to, per_request } = chance.pick(calls)
  const [one, other] = NEW_FILTERS
  const delay_s = chance.whole(30, 90)
  const growing_s = chance.whole(40, 140)
  const share = chance.between(0.13, 0.34)
  const sent = (arrivalsOf(topology).get(name) ?? 0) * per_request
  const next = `10.40.${chance.whole(11, 29)}.20`
  const lost = (since_s: number): number => share * progress(since_s, growing_s)
  /** The new ones are measured from the change on. */
  const measured = (level: (since_s: number) => number) => (since_s: number) =>
    since_s < -delay_s ? Number.NaN : level(since_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'network'], entity: FILTER_POOL, topology, delay_s },
    places: [one, other, name, 'fleet-config'],
    culprits: [
      membersOf(
        FILTER_POOL,
        [],
        NEW_FILTERS.flatMap((filter) => [`  - name: ${filter}`, `    nextHop: ${next}:10025`]),
        chance.pick(['Two more filters', 'Filters for the full hour', 'Room for the morning']),
        chance,
      ),
    ],
    undisturbed: [name, to],
    lines: [
      ...NEW_FILTERS.map((part) => ({
        ...{ part, per_minute: 5, after_s: 10, severity: 'WARN' },
        message: `postfix/smtp[${chance.whole(2_000, 9_000)}]: 4R1sK: to=<inbox@mail.example>, relay=none, delay=30, dsn=4.4.1, status=deferred (connect to ${next}[${next}]:10025: Connection timed out)`,
      })),
      {
        ...{ part: name, per_minute: 6, after_s: 20, severity: 'WARN' },
        message: `451 4.4.1 deferred by ${chance.pick(NEW_FILTERS)}, trying again in 300 s`,
      },
    ],
    gauges: NEW_FILTERS.flatMap((entity) => [
      {
        ...{ entity, name: 'postfix_smtp_status_deferred:rate1m', unit: '/s', decides: true },
        level: measured((since_s) => PUT_OFF + 0.5 * sent * lost(since_s)),
      },
      {
        ...{ entity, name: 'postfix_smtp_connection_timed_out_total:rate1m', unit: '/s', decides: true },
        level: measured((since_s) => UNANSWERED + 0.5 * sent * lost(since_s)),
      },
    ]),
    working: (part, _pod, since_s) =>
      part === name && since_s >= delay_s ? { cut_off: { to, share: lost(since_s - delay_s) } } : {},
  }
}

/** The families of the twenty-first generation whose cause is a change. */
export const TWENTY_FIRST_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'settings-without-rows': amongTwentyFirstSurroundings(settingsWithoutRows),
  'cascading-cleanup': amongTwentyFirstSurroundings(cascadingCleanup),
  'gated-visitors': amongTwentyFirstSurroundings(gatedVisitors),
  'reassigned-address': amongTwentyFirstSurroundings(reassignedAddress),
  'added-filters': amongTwentyFirstSurroundings(addedFilters),
}
