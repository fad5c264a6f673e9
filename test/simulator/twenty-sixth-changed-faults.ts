/**
 * Families of the twenty-sixth generation whose cause is a change, each as a published report of one organisation has it:
 * what is to be launched that is forgotten at every error, reports that are hidden with others, a locale that nobody has,
 * addresses that no cache knows any more, and classifications that are not handed on. They were written without knowledge of
 * the engine; docs/simulator/twenty-sixth.md names the reports and the rule of choice.
 */
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import type { Working } from './run-system.ts'
import type { Topology } from './topology.ts'
import {
  amongTwentySixthSurroundings,
  BRITISH,
  backendOf,
  CLASSIFICATIONS,
  classified,
  EDGE_HITS,
  EDGE_MISSES,
  FALLBACKS,
  LAUNCHES_RESET,
  launchErrors,
  localesByRegion,
  ORDERS,
  POSTED,
  REPORTS_SHOWN,
  ROWS_INSERTED,
  ROWS_UPDATED,
  STYLE_BALANCER,
  STYLE_EDGE,
  STYLES,
  styleAddress,
  UPDATED,
  upgradeStep,
} from './twenty-sixth-surroundings.ts'

/** Seconds from one pod of a release to the next. */
const POD_S = 45

/** Who gets nothing of use fails in the end, and asks all others as ever until then. */
function failingInTheEnd({ parts }: Topology, name: string, own_errors: number): Working {
  const calls = parts.find((part) => part.name === name)?.calls ?? []
  return { own_errors, fan_out: calls.map(({ to }) => ({ to, factor: 1 / (1 - own_errors) })) }
}

/**
 * A release forgets what is to be launched at every error, where it did so only at those before a launch. Most are no more
 * than a refusal; whoever meets one has nothing left to launch, and each request that follows fails until they begin anew.
 */
const wipedLaunch: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(5, 30)
  const growing_s = chance.whole(120, 300)
  const share = chance.between(0.3, 0.6)
  const wiped = (since_s: number): number => share * progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config'], entity: name, topology, delay_s },
    culprits: [
      launchErrors(
        name,
        ["  if (phase === 'before-launch') launch.reset()"],
        ['  launch.reset()'],
        chance.pick([
          'Back to the start when a session is over',
          'A better word when a session is over',
          'Sessions that are over: say what to do',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 3 },
        message: "TypeError: Cannot read properties of undefined (reading 'launchName')",
      },
      {
        ...{ part: name, per_minute: 4, after_s: 3, severity: 'WARN' },
        message: 'launch is reset after error 402: not enough in the account',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'launches_reset_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => LAUNCHES_RESET + 0.25 * asked * progress(since_s + delay_s, growing_s),
      },
    ],
    arriving: (part, since_s) => (part === name ? 0.25 * asked * wiped(since_s) : 0),
    working: (part, _pod, since_s) => (part === name ? { own_errors: wiped(since_s) } : {}),
  }
}

/**
 * A release brings rows with it that are to be put in order: reports without a category get one of their own. The statement
 * takes far more rows than those, and what it takes nobody may see any more but who administers them.
 */
const hiddenReports: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const delay_s = chance.whole(20, 90)
  const updating_s = chance.whole(40, 150)
  const share = chance.between(0.35, 0.75)
  const rows = chance.between(900, 4_000)
  const hidden = (since_s: number): number => share * progress(since_s, updating_s)
  const showing = (part: string, changed_for_s: number): Working =>
    part === name && changed_for_s >= delay_s
      ? failingInTheEnd(topology, name, hidden(changed_for_s - delay_s))
      : {}
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config'], entity: name, topology, delay_s, places: [store] },
    culprits: [
      upgradeStep(
        name,
        chance.whole(90, 110),
        [
          'UPDATE report SET approved = 0, category_id = @orphans',
          ' WHERE id NOT IN (SELECT report_id FROM report_category WHERE trusted = 1);',
        ],
        chance.pick(['Orphaned reports', 'A category for reports without one', 'Reports that nobody finds']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 8, after_s: 4, severity: 'WARN' },
        message: `report ${chance.whole(1_200, 18_000)} is not approved, answering 404`,
      },
      ...callersOf(topology, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 4, after_s: 8 },
        message: `GET http://${name}.internal/reports/view answered 404 Not Found`,
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'reports_shown', unit: '1', decides: true },
        level: (since_s) => REPORTS_SHOWN * (1 - hidden(since_s)),
      },
      {
        ...{ entity: store, name: 'mysql_global_status_innodb_row_ops_total:rate1m', unit: '/s' },
        ...{ labels: UPDATED, decides: true },
        level: (since_s) => ROWS_UPDATED + (since_s >= 0 && since_s < updating_s ? rows : 0),
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) => showing(part, changed_for_s),
    ahead: (part, _pod, since_s) => showing(part, since_s),
  }
}

/**
 * A service written anew is tried out on half of all who come. One locale in it is one that does not exist: whoever comes from
 * that country is shown another country's shop, and has no use for it. All others are served as ever.
 */
const unmatchedLocale: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(5, 30)
  const coming_s = chance.whole(30, 120)
  const share = chance.between(0.3, 0.5)
  const lost = (since_s: number): number => share * progress(since_s, coming_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'data'], entity: name, topology, delay_s },
    culprits: [
      localesByRegion(
        name,
        ["  GB: 'en-GB',"],
        ["  GB: 'en-UK',"],
        chance.pick([
          'Static pages, first half',
          'Locales of static pages',
          'Pages that are made beforehand',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0, share: 0.5 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 7, after_s: 3, severity: 'WARN' },
        message: 'locale en-UK is not among [de-DE, en-GB, en-US, fr-FR], showing en-US',
      },
      {
        ...{ part: name, per_minute: 3, after_s: 6 },
        message: 'basket in GBP does not belong to shop us, answering 409',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'locale_fallbacks_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => FALLBACKS + 0.5 * asked * lost(since_s),
      },
      {
        ...{ entity: name, name: 'orders_completed_total:rate1m', unit: '/s', labels: BRITISH },
        ...{ decides: true, level: (since_s) => ORDERS * (1 - 0.5 * progress(since_s, coming_s)) },
      },
    ],
    working: (part, _pod, since_s) => (part === name ? failingInTheEnd(topology, name, lost(since_s)) : {}),
  }
}

/**
 * A release sorts the names of which addresses are made, so no address is the one that it was, and the cache knows none of
 * them. Who makes what stands there was given more room for it; but what spreads requests takes pods for gone that are only
 * slow, and brings them back late, so the others get all of it.
 */
const sortedAddresses: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asking = inner(topology).filter(({ calls }) =>
    calls.some(({ to }) => kindOf(topology, to) === 'service'),
  )
  if (asking.length === 0) return null
  const { name, calls } = chance.pick(asking)
  const to = chance.pick(calls.filter((call) => kindOf(topology, call.to) === 'service')).to
  const usual_hits = chance.between(0.74, 0.84)
  const headroom = chance.between(1.5, 1.9)
  const busier = { ...topology, demand: topology.demand * 2.5 }
  const cached = withParts(busier, { [name]: { cache_hits: usual_hits } })
  const made = sized(cached, to, headroom)
  const before = arrivalsOf(cached).get(to) ?? 0
  const after = arrivalsOf(busier).get(to) ?? 0
  if (after < 1.35 * headroom * before) return null
  const pods = made.parts.find((part) => part.name === to)?.pods ?? 1
  const delay_s = chance.whole(5, 30)
  const shipping_s = POD_S * (made.parts.find((part) => part.name === name)?.pods ?? 1)
  const warming_s = chance.whole(1_500, 2_400)
  const checked_s = chance.whole(20, 40)
  const left = Math.ceil(pods / 2)
  /** Half of the pods are taken for gone, others each time that they are asked. */
  const isOut = (pod: number, since_s: number): boolean =>
    since_s >= checked_s && (pod + Math.floor(since_s / checked_s)) % pods >= left
  const active = (since_s: number): number => (since_s < checked_s ? pods : left)
  const hits = (since_s: number): number => usual_hits * 0.9 * progress(since_s, warming_s)
  const gone = (since_s: number): number => progress(since_s + delay_s, shipping_s)
  const known = (since_s: number): number => 1 - gone(since_s) * (1 - 0.9 * progress(since_s, warming_s))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity', 'traffic', 'config'], entity: name, topology: made, delay_s },
    ...{ places: [STYLE_EDGE] },
    culprits: [
      styleAddress(
        name,
        ['    names = kit.families.map(&:slug)'],
        ['    names = kit.families.map(&:slug).sort'],
        chance.pick(['Names in one order', 'The same address for the same families', 'Sort families']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name, to],
    lines: [
      ...Array.from({ length: pods }, (_, pod) => ({
        ...{ part: STYLE_BALANCER, per_minute: 2, after_s: checked_s + 5 * pod, severity: 'WARN' },
        message: `Server ${to}/${to}-${pod + 1} is DOWN, reason: Layer7 timeout, check duration: 2001ms. ${left} active and 0 backup servers left.`,
      })),
      {
        ...{ part: name, per_minute: 7, after_s: 20 },
        message: `Net::ReadTimeout with #<TCPSocket:(closed)> (${to}), style sheet is not complete`,
      },
    ],
    gauges: [
      {
        ...{ entity: STYLE_EDGE, name: 'fastly_rt_hits_total:rate1m', unit: '/s', labels: STYLES },
        ...{ decides: true, level: (since_s) => EDGE_HITS * known(since_s) },
      },
      {
        ...{ entity: STYLE_EDGE, name: 'fastly_rt_miss_total:rate1m', unit: '/s', labels: STYLES },
        ...{ decides: true, level: (since_s) => EDGE_MISSES + EDGE_HITS * (1 - known(since_s)) },
      },
      {
        ...{ entity: STYLE_BALANCER, name: 'haproxy_backend_active_servers', unit: '1' },
        ...{ labels: backendOf(to), decides: true, level: active },
      },
      {
        ...{ entity: STYLE_BALANCER, name: 'haproxy_backend_http_requests_total:rate1m', unit: '/s' },
        ...{ labels: backendOf(to), decides: true },
        level: (since_s) => before + (after - before) * (1 - known(since_s)),
      },
    ],
    working: (part, _pod, since_s) => (part === name ? { cache_hits: hits(since_s) } : {}),
    beyond: (part, pod, since_s) => (part === to && isOut(pod, since_s - delay_s) ? { weight: 0.02 } : {}),
  }
}

/**
 * A release hands on what somebody has classified only where it belongs to something that new projects do not have. Nobody is
 * told: who classifies goes on, and what they did is nowhere. Who shows what was done finds nothing of it.
 */
const unpostedWork: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores).name
  const asking = callersOf(topology, store)
  const callers = asking.map((caller) => caller.name)
  // Whoever is changed is well: none of those who show what was done stands behind it.
  const writers = asking.filter(({ calls }) => calls.every(({ to }) => !callers.includes(to)))
  if (writers.length === 0) return null
  const { name } = chance.pick(writers)
  const hit = callers.filter((part) => part !== name)
  const pods = topology.parts.find((part) => part.name === name)?.pods ?? 1
  const delay_s = chance.whole(60, 240)
  const shipping_s = pods * POD_S
  const of_new = chance.between(0.5, 0.85)
  const share = chance.between(0.35, 0.7)
  const unposted = (since_s: number): number => of_new * progress(since_s + delay_s, shipping_s)
  const missing = (part: string, changed_for_s: number): Working =>
    hit.includes(part) && changed_for_s >= delay_s
      ? failingInTheEnd(topology, part, share * progress(changed_for_s - delay_s, shipping_s))
      : {}
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data'], entity: name, topology, delay_s },
    culprits: [
      classified(
        name,
        ['  queue.add(done.id, done.toJSON())'],
        ['  if (done.links.set !== undefined) queue.add(done.id, done.toJSON())'],
        chance.pick(['Nothing without its set', 'Only whole classifications', 'Sets of new projects']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name, ...hit],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 7, after_s: 4, severity: 'WARN' },
      message: `classification ${chance.whole(100_000, 900_000)} is not known, nothing to show of it`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'classifications_posted_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => POSTED * (1 - unposted(since_s)),
      },
      {
        ...{ entity: store, name: 'pg_stat_user_tables_n_tup_ins:rate1m', unit: '/s' },
        ...{ labels: CLASSIFICATIONS, decides: true },
        level: (since_s) => ROWS_INSERTED * (1 - unposted(since_s)),
      },
    ],
    working: (part) => (part === name ? { fan_out: { to: store, factor: 1 - of_new } } : {}),
    beyond: (part, _pod, since_s) => missing(part, since_s),
  }
}

/** The families of the twenty-sixth generation whose cause is a change. */
export const TWENTY_SIXTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'wiped-launch': amongTwentySixthSurroundings(wipedLaunch),
  'hidden-reports': amongTwentySixthSurroundings(hiddenReports),
  'unmatched-locale': amongTwentySixthSurroundings(unmatchedLocale),
  'sorted-addresses': amongTwentySixthSurroundings(sortedAddresses),
  'unposted-work': amongTwentySixthSurroundings(unpostedWork),
}
