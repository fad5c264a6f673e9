/**
 * Families of the twenty-third generation whose cause is a change, each as a published report of one organisation has it: an
 * upgrade of a cluster that the control plane of its mesh does not live through, a release that makes no rendition of some
 * recordings, a release that calls reports complete too early, a new feature that asks more than a gateway lets through, and a
 * release of sign-in that keeps connections. They were written without knowledge of the engine;
 * docs/simulator/twenty-third.md names the reports and the rule of choice.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type Gauge,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Working } from './run-system.ts'
import type { Topology } from './topology.ts'
import {
  amongTwentyThirdSurroundings,
  answeredBy,
  CLUSTER,
  channelList,
  clusterUpgrade,
  EMPTY,
  EMPTY_REPORTS,
  GATEWAY,
  IN_MODERATION,
  IN_USE,
  LIMITED,
  MESH,
  MESH_PODS,
  meshOf,
  OF_POOL,
  PASSED,
  POLLS,
  POOL,
  PROXIES,
  RENDITIONS,
  REPORT_LENGTH,
  REPORT_S,
  reportCompletion,
  signIn,
  transcoding,
  UNSHOWN,
  USED,
  WAITING,
} from './twenty-third-surroundings.ts'

/** Who gets nothing of use fails in the end, and asks all others as ever until then. */
function failingInTheEnd({ parts }: Topology, name: string, own_errors: number): Working {
  const calls = parts.find((part) => part.name === name)?.calls ?? []
  return { own_errors, fan_out: calls.map(({ to }) => ({ to, factor: 1 / (1 - own_errors) })) }
}

/**
 * A cluster is brought to another version, machine after machine. The control plane of its mesh does not start on the new
 * ones; pods that are made anew there get no settings for their proxies, are never ready, and one service after the other has
 * nobody left who answers.
 */
const upgradedPlatform: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology)
  const first = chance.pick(candidates)
  const hit = candidates.filter(({ name }) => name === first.name || chance.is(0.5))
  const begun_s = chance.whole(60, 180)
  // Machines are drained one after the other, and each holds one pod of a service.
  const machine_s = chance.whole(40, 90)
  const drained_s = (name: string, pod: number): number =>
    begun_s + (pod + (name.length % 2) * 0.5) * machine_s
  const delay_s = Math.round(Math.min(...hit.map(({ name, pods }) => drained_s(name, pods - 1))))
  const drained = (name: string, pods: number, since_s: number): number =>
    Array.from({ length: pods }, (_, pod) => drained_s(name, pod) - delay_s).filter((at) => since_s >= at)
      .length
  const isUp = (since_s: number): boolean => since_s < begun_s - delay_s
  const versions = chance.pick([
    ['1.22', '1.25'],
    ['1.24', '1.27'],
    ['1.23', '1.26'],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['dependency', 'config', 'code'], entity: CLUSTER, topology, delay_s },
    places: [MESH],
    culprits: [clusterUpgrade(CLUSTER, versions, chance.is(0.6) ? CLUSTER : undefined)],
    undisturbed: hit.map(({ name }) => name),
    lines: [
      {
        ...{ part: MESH, per_minute: 6, after_s: begun_s - delay_s },
        message:
          'error\tfailed to create discovery service: no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"',
      },
      ...hit.flatMap(({ name }) =>
        callersOf(topology, name).map((caller) => ({
          ...{ part: caller.name, per_minute: 5, after_s: 10 },
          message: `${name} answered 503: no healthy upstream`,
        })),
      ),
    ],
    gauges: [
      {
        ...{ entity: MESH, name: 'kube_deployment_status_replicas_available', unit: '1' },
        ...{ labels: meshOf(MESH), decides: true },
        level: (since_s) => (isUp(since_s) ? MESH_PODS : 0),
      },
      {
        ...{ entity: MESH, name: 'pilot_xds', unit: '1', decides: true },
        level: (since_s) => (isUp(since_s) ? PROXIES : 0),
      },
      ...hit.map(({ name, pods }) => ({
        ...{ entity: name, name: 'kube_deployment_status_replicas_available', unit: '1' },
        ...{ labels: { deployment: name }, decides: true },
        level: (since_s: number) => pods - drained(name, pods, since_s),
      })),
    ],
    k8s: hit.flatMap(({ name, pods }) =>
      Array.from({ length: pods }, (_, pod) => ({
        pod: { kind: 'Pod', name: `${name}-${pod}`, decides: true },
        at_s: drained_s(name, pod) - delay_s,
      })).flatMap(({ pod, at_s }) => [
        { ...pod, after_s: at_s, reason: 'Killing', message: `Stopping container ${name}` },
        {
          ...{ ...pod, after_s: at_s + 25, reason: 'Unhealthy' },
          message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
        },
      ]),
    ),
    working: (part, pod, since_s) =>
      hit.some(({ name }) => name === part) && since_s >= drained_s(part, pod) ? { is_away: true } : {},
  }
}

/**
 * A release makes transcoding better. Of recordings whose length does not stand in them no rendition is made, and all are
 * called ready; who shows such a one shows that it is under moderation.
 */
const unplayableRecordings: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const hit = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(60, 180)
  const shipping_s = pods * 45
  const share = chance.between(0.2, 0.4)
  const arrivals = arrivalsOf(topology)
  const unmade = (since_s: number): number => share * progress(since_s + delay_s, shipping_s)
  const unshown = (since_s: number): number => share * progress(since_s, shipping_s)
  const waiting = (part: string, since_s: number): Working =>
    hit.includes(part) && since_s >= delay_s
      ? failingInTheEnd(topology, part, unshown(since_s - delay_s))
      : {}
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'data'], entity: name, topology, delay_s },
    culprits: [
      transcoding(
        name,
        ['  const made = await encode(source, presets)'],
        [
          '  const parts = split(presets, Number(probe.format.duration))',
          '  const made = (await Promise.all(parts.map((part) => encode(source, part)))).flat()',
        ],
        chance.pick(['Encode in parts', 'Faster and steadier renditions', 'Encode parts side by side']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [...hit, name],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 7, after_s: 3, severity: 'WARN' },
      message: `recording ${chance.whole(0x10_00, 0xff_ff).toString(16)} is READY and has no rendition, shown as under moderation`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'renditions_made_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => RENDITIONS * (1 - unmade(since_s)),
      },
      ...hit.map((part) => ({
        ...{ entity: part, name: 'recordings_shown_total:rate1m', unit: '/s', labels: IN_MODERATION },
        ...{
          decides: true,
          level: (since_s: number) => UNSHOWN + (arrivals.get(part) ?? 0) * unshown(since_s),
        },
      })),
    ],
    working: (part, _pod, _since_s, changed_for_s) => waiting(part, changed_for_s),
    beyond: (part, _pod, since_s) => waiting(part, since_s),
  }
}

/**
 * A release says that a report is complete when somebody is who he is, and no longer when the outside party has handed over
 * what it has. Reports come sooner than ever, and many of them are empty.
 */
const earlyReports: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const candidates = callersOf(topology, provider.name).filter(
    ({ name }) => callersOf(topology, name).length > 0,
  )
  if (candidates.length === 0) return null
  const { name, pods } = chance.pick(candidates)
  const hit = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(10, 50)
  const shipping_s = pods * 45
  // Whose bank is quick gets a whole report all the same.
  const share = chance.between(0.3, 0.6)
  const early_s = chance.between(2, 5)
  const arrivals = arrivalsOf(topology)
  const shipped = (since_s: number): number => progress(since_s + delay_s, shipping_s)
  const empty = (since_s: number): number => share * progress(since_s, shipping_s)
  const waiting = (part: string, since_s: number): Working =>
    hit.includes(part) && since_s >= delay_s ? failingInTheEnd(topology, part, empty(since_s - delay_s)) : {}
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'data'], entity: name, topology, delay_s },
    culprits: [
      reportCompletion(
        name,
        ['    if (credentials.transactions().isFetched()) complete(report(credentials));'],
        ['    if (credentials.session().isAuthenticated()) complete(report(credentials));'],
        chance.pick([
          'Reports without needless waiting',
          'One state for reports',
          'Complete reports by session',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [...hit, name],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 8, after_s: 2 },
      message: `report ${chance.whole(100_000, 900_000)} is COMPLETED with 0 transactions, nothing to decide by`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'report_completion_seconds', unit: 's', decides: true },
        level: (since_s) => REPORT_S + (early_s - REPORT_S) * shipped(since_s),
      },
      {
        ...{ entity: name, name: 'report_transactions', unit: '1', decides: true },
        level: (since_s) => REPORT_LENGTH * (1 - 1.2 * share * shipped(since_s)),
      },
      ...hit.map((part) => ({
        ...{ entity: part, name: 'reports_received_total:rate1m', unit: '/s', labels: EMPTY, decides: true },
        level: (since_s: number) => EMPTY_REPORTS + (arrivals.get(part) ?? 0) * empty(since_s),
      })),
    ],
    working: (part, _pod, _since_s, changed_for_s) => waiting(part, changed_for_s),
    beyond: (part, _pod, since_s) => waiting(part, since_s),
  }
}

/**
 * A new feature asks for what is new in every channel, again and again. The more people open it, the more it asks, until the
 * gateway before the services lets through no more than it is set to; they are slower besides, as they look up more.
 */
const chattyFeature: ProductionFamily = (topology, chance): ProductionFault | null => {
  const isService = (to: string): boolean => kindOf(topology, to) === 'service'
  const candidates = inner(topology).filter(({ calls }) => calls.some(({ to }) => isService(to)))
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const asked = calls.filter(({ to }) => isService(to))
  const most = chance.between(2, 2.8)
  const limit = chance.between(1.3, 1.5)
  const opening_s = chance.whole(900, 1_500)
  const delay_s = Math.round((opening_s * (limit - 1)) / (most - 1))
  const slower = chance.between(1.6, 2.6)
  const opened = (changed_for_s: number): number => progress(changed_for_s, opening_s)
  const factor = (changed_for_s: number): number => 1 + (most - 1) * opened(changed_for_s)
  const denied = (changed_for_s: number): number => Math.max(0, 1 - limit / factor(changed_for_s))
  const slow = (part: string, since_s: number): Working =>
    asked.some(({ to }) => to === part) ? { own_factor: 1 + (slower - 1) * opened(since_s) } : {}
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity', 'config', 'traffic'], entity: name, topology, delay_s },
    places: [GATEWAY],
    culprits: [
      channelList(
        name,
        ['  useQuery(["channels"], () => api.get("/channels"))'],
        [
          '  for (const { id } of channels)',
          '    useQuery(["unread", id], () => api.get(unreadOf(id)), { refetchInterval: 5_000 })',
        ],
        chance.pick(['Messages in tasks', 'Unread messages of every channel', 'New messaging']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name, ...asked.map(({ to }) => to)],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 2 },
        message: `GET /channels/${chance.whole(100, 900)}/unread answered 429: {"message":"API rate limit exceeded"}`,
      },
    ],
    gauges: [
      ...asked.flatMap(({ to }): readonly Gauge[] => [
        {
          ...{ entity: GATEWAY, name: 'kong_http_requests_total:rate1m', unit: '/s' },
          ...{ labels: answeredBy(to, '200'), decides: true },
          level: (since_s) => PASSED * Math.min(limit, factor(since_s + delay_s)),
        },
        {
          ...{ entity: GATEWAY, name: 'kong_http_requests_total:rate1m', unit: '/s' },
          ...{ labels: answeredBy(to, '429'), decides: true },
          level: (since_s) => LIMITED + PASSED * Math.max(0, factor(since_s + delay_s) - limit),
        },
      ]),
      {
        ...{ entity: name, name: 'channel_polls_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => POLLS * (1 + 14 * opened(since_s + delay_s)),
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) =>
      part === name
        ? {
            fan_out: asked.map(({ to }) => ({ to, factor: factor(changed_for_s) })),
            cut_off: { to: asked.map(({ to }) => to), share: denied(changed_for_s) },
          }
        : {},
    beyond: (part, _pod, since_s) => slow(part, since_s),
  }
}

/**
 * A release of sign-in takes a connection for a transaction, and does not give it back where somebody is refused. It is well
 * in all trials; with so many who sign in, the pool is used up within half an hour, and then nobody signs in.
 */
const keptTransactions: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const delay_s = chance.whole(900, 1_500)
  const growing_s = chance.whole(500, 1_000)
  const slower = chance.between(15, 40)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const left = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity', 'data'], entity: name, topology, delay_s },
    culprits: [
      signIn(
        name,
        ['  const user = await knex("users").where({ email }).first()', '  await verify(user, password)'],
        [
          '  const trx = await knex.transaction()',
          '  const user = await trx("users").where({ email }).forUpdate().first()',
          '  if (!(await verify(user, password))) return refused(email)',
          '  await trx("users").where({ email }).update({ signed_in_at: trx.fn.now() })',
          '  await trx.commit()',
        ],
        chance.pick([
          'When somebody signed in last',
          'Sign-in in one transaction',
          'Keep the time of sign-in',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 10, after_s: 5 },
        message:
          'KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'db_client_connections_usage', unit: '1', labels: USED, decides: true },
        level: (since_s) => IN_USE + (POOL - IN_USE) * progress(since_s + delay_s, delay_s),
      },
      {
        ...{ entity: name, name: 'db_client_connections_pending_requests', unit: '1' },
        ...{ labels: OF_POOL, decides: true, level: (since_s) => WAITING + 3 * asked * left(since_s) },
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= delay_s
        ? {
            own_errors: 0.97 * left(since_s - delay_s),
            own_factor: 1 + (slower - 1) * Math.sqrt(left(since_s - delay_s)),
          }
        : {},
  }
}

/** The families of the twenty-third generation whose cause is a change. */
export const TWENTY_THIRD_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'upgraded-platform': amongTwentyThirdSurroundings(upgradedPlatform),
  'unplayable-recordings': amongTwentyThirdSurroundings(unplayableRecordings),
  'early-reports': amongTwentyThirdSurroundings(earlyReports),
  'chatty-feature': amongTwentyThirdSurroundings(chattyFeature),
  'kept-transactions': amongTwentyThirdSurroundings(keptTransactions),
}
