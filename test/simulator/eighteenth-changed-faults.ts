/**
 * Families of the eighteenth generation whose cause is a change, each as a published report of one organisation has it:
 * servers of a cache that come empty and are needed later, a release that gives messages to nobody who holds a connection, a
 * release that no longer knows who has paid, a setting of what stands between services, and a release that leaves something
 * out of part of its answers. They were written without knowledge of the engine; docs/simulator/eighteenth.md names the
 * reports and the rule of choice.
 */
import {
  ASKED_FOR,
  amongEighteenthSurroundings,
  BAD_GATEWAYS,
  badGatewaysOf,
  bindCheck,
  CONTENT_CACHE,
  cacheServers,
  DELIVERED,
  deliveriesOf,
  FORBIDDEN,
  FOUND,
  HIT,
  INNER_PROXY,
  LATER_SERVERS,
  MISS,
  NO_REFERENCE,
  NO_SUBSCRIPTION,
  NOT_FOUND,
  PREMIUM,
  paidFor,
  proxyBuffers,
  recognized,
  TO_DELIVER,
  UNEXPECTED,
} from './eighteenth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type Gauge,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import { CPU_USED } from './seventeenth-surroundings.ts'

/**
 * A cache gets more servers, which are empty and which nobody fills. Hardly anything is asked of it then; when many come at
 * once, what they ask for is not there, and all of it goes to the store.
 */
const unwarmedCache: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const [usual_hits, later_hits] = [chance.between(0.78, 0.88), chance.between(0.2, 0.35)]
  const burst = chance.between(1.35, 1.7)
  const cached = withParts(topology, { [name]: { cache_hits: usual_hits } })
  // Whoever is as many as now comes to a store that could do all of it, were the cache full.
  const headroom = burst * 1.25
  const made = sized(cached, store, headroom)
  const arrivals = arrivalsOf(made)
  const asked = arrivals.get(name) ?? 0
  const of_store = arrivals.get(store) ?? 0
  const own_share =
    made.parts.find((part) => part.name === name)?.calls.find(({ to }) => to === store)?.per_request ?? 0
  const missing = asked * own_share * (usual_hits - later_hits)
  if ((of_store + missing) * burst < 1.5 * headroom * of_store) return null
  const delay_s = chance.whole(900, 2_400)
  const coming_s = chance.whole(40, 100)
  const per_server = asked / LATER_SERVERS.length
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'capacity', 'data'], entity: CONTENT_CACHE },
    ...{ places: [...LATER_SERVERS, name, store], topology: made, delay_s },
    culprits: [
      cacheServers(
        CONTENT_CACHE,
        [3, 5],
        chance.pick(['Two more servers', 'Room for Saturday', 'Five servers for content']),
        chance,
      ),
    ],
    undisturbed: [name, store],
    demand: (since_s) => 1 + (burst - 1) * progress(since_s, coming_s),
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 20 },
        message:
          'Doctrine\\DBAL\\Exception\\ConnectionException: An exception occurred in the driver: SQLSTATE[08006] [7] timeout expired',
      },
    ],
    gauges: [
      ...LATER_SERVERS.flatMap((server): readonly Gauge[] => {
        const there = (level: (since_s: number) => number) => (since_s: number) =>
          since_s < -delay_s ? Number.NaN : level(since_s)
        return [
          {
            ...{ entity: server, name: 'memcached_current_items', unit: '1', decides: true },
            level: there((since_s) => 300 + (since_s + delay_s) * 1.4 + (since_s < 0 ? 0 : since_s * 25)),
          },
          {
            ...{ entity: server, name: 'memcached_commands_total:rate1m', unit: '/s', labels: HIT },
            ...{ decides: true, level: there(() => FOUND * 0.02) },
          },
          {
            ...{ entity: server, name: 'memcached_commands_total:rate1m', unit: '/s', labels: MISS },
            ...{
              decides: true,
              level: there((since_s) => NOT_FOUND + per_server * burst * progress(since_s, coming_s)),
            },
          },
        ]
      }),
      {
        ...{ entity: store, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (99 - CPU_USED) * progress(since_s, coming_s),
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name) return part === store && since_s >= delay_s ? { cpu_factor: 4 } : {}
      const here = progress(since_s - delay_s, coming_s)
      return { cache_hits: usual_hits - 0.04 - (usual_hits - 0.04 - later_hits) * here }
    },
  }
}

/**
 * A release looks for a connection of another kind than clients have. Messages for those who hold one are given to nobody
 * and wait; whoever asks for them by the other way gets them as ever.
 */
const stoppedDeliveries: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ name }) => callersOf(topology, name).length >= 2)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const hit = chance.pick(callersOf(topology, name)).name
  const delay_s = chance.whole(10, 45)
  const shipping_s = chance.whole(60, 130)
  const most = chance.between(0.9, 0.98)
  const gone = (since_s: number): number => progress(since_s + delay_s, shipping_s)
  const account = chance.whole(20_000, 29_999)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'dependency'], entity: name, topology, delay_s },
    culprits: [
      bindCheck(
        name,
        [
          '\tfor _, s := range d.sessions[account.SystemID] {',
          '\t\tif s.Bound.CanReceive() {',
          '\t\t\treturn s',
          '\t\t}',
          '\t}',
        ],
        [
          '\tfor _, s := range d.sessions[account.SystemID] {',
          '\t\tif s.Bound == smpp.BoundTransceiver && s.Window.Open() {',
          '\t\t\treturn s',
          '\t\t}',
          '\t}',
        ],
        chance.pick([
          'Windows of sessions',
          'Sessions are chosen by their window',
          'Deliver by window, with new test data',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name, hit],
    lines: [
      {
        ...{ part: name, per_minute: 8, after_s: 5, severity: 'WARN' },
        message: `deliver_sm for system_id ${account} put back: no session to give it to (2 bound as receiver)`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'smpps_deliver_sm_count:rate1m', unit: '/s', decides: true },
        level: (since_s) => DELIVERED * (1 - gone(since_s)),
      },
      {
        ...{ entity: name, name: 'httpapi_success_count:rate1m', unit: '/s', decides: true },
        level: () => ASKED_FOR,
      },
      {
        ...{ entity: 'mo-queues', name: 'rabbitmq_queue_messages_ready', unit: '1' },
        ...{ labels: deliveriesOf(name), decides: true },
        level: (since_s) => TO_DELIVER + DELIVERED * Math.max(0, since_s + delay_s - shipping_s / 2),
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      part === hit ? { refused: { to: name, share: most * progress(since_s, shipping_s) } } : {},
  }
}

/**
 * A release reads receipts in another way, and those of most who pay have not what it looks for. They are refused what they
 * have paid for; everybody else gets what is free.
 */
const unknownReceipts: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const delay_s = chance.whole(0, 30)
  const shipping_s = chance.whole(60, 150)
  const share = chance.between(0.35, 0.65)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const refused = (since_s: number): number => asked * share * progress(since_s + delay_s, shipping_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config'], entity: name, topology, delay_s },
    culprits: [
      paidFor(
        name,
        [
          '  if (receipt.trialEndsAt !== null && receipt.trialEndsAt > now) return true',
          '  return receipt.paidUntil > now',
        ],
        [
          '  const offer = receipt.introductoryOffer',
          '  if (offer === undefined) return false',
          '  return offer.endsAt > now || receipt.paidUntil > now',
        ],
        chance.pick([
          'Trials as the shop has them',
          "The shop's own free trials",
          'Introductory offers in place of trials',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, severity: 'WARN' },
        message: `premium refused for customer ${chance.whole(10_000, 99_000)}: receipt is valid, nothing entitles`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'http_server_requests_seconds_count:rate1m', unit: '/s', labels: PREMIUM },
        ...{ decides: true, level: (since_s) => FORBIDDEN + refused(since_s) },
      },
      {
        ...{ entity: name, name: 'entitlement_lookups_total:rate1m', unit: '/s', labels: NO_SUBSCRIPTION },
        ...{ decides: true, level: (since_s) => FORBIDDEN + refused(since_s) },
      },
    ],
    working: (part) => (part === name ? { own_errors: share } : {}),
  }
}

/**
 * What stands between services gets smaller buffers. Answers with many headers do not fit any more: the service has worked
 * for them and is well, and who asked is told that what lies behind cannot be had.
 */
const smallBuffers: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(5, 40)
  const share = chance.between(0.55, 0.9)
  const reloading_s = chance.whole(5, 30)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const connection = chance.whole(1_000_000, 9_000_000)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'config',
      kinds: ['network', 'infra'],
      entity: INNER_PROXY,
      places: [name],
      topology,
      delay_s,
    },
    culprits: [
      proxyBuffers(
        INNER_PROXY,
        ['16k', '2k'],
        chance.pick(['Less memory for connections', 'Buffers as nginx has them', 'Tidy up nginx.conf']),
        chance,
      ),
    ],
    undisturbed: [name, ...callers],
    lines: [
      {
        ...{ part: INNER_PROXY, per_minute: 9, after_s: 3 },
        message: `[error] 41#41: *${connection} upstream sent too big header while reading response header from upstream, server: ${name}, request: "GET /v1/session HTTP/1.1", upstream: "http://${name}:8080/v1/session"`,
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 6, after_s: 5 },
        message: `GET http://${name}/v1/session: 502 Bad Gateway (text/html, 150 bytes)`,
      })),
    ],
    gauges: [
      {
        ...{ entity: INNER_PROXY, name: 'nginx_ingress_controller_requests:rate1m', unit: '/s' },
        ...{ labels: badGatewaysOf(name), decides: true },
        level: (since_s) => BAD_GATEWAYS + asked * share * progress(since_s, reloading_s),
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s
        ? { refused: { to: name, share: share * progress(since_s - delay_s, reloading_s) } }
        : {},
  }
}

/**
 * A release answers without a list where it has matched nothing, in place of with an empty or a partial one. It is well and
 * quick; services that read the list fail by themselves, for all that was not matched.
 */
const leftOutList: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const readers = chance.is(0.5) ? callers.slice(0, 1) : callers.slice(0, 2)
  if (readers.length === 0) return null
  const delay_s = chance.whole(15, 60)
  const shipping_s = chance.whole(80, 180)
  const share = chance.between(0.25, 0.5)
  const arrivals = arrivalsOf(topology)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'dependency', 'config'], entity: name, topology, delay_s },
    culprits: [
      recognized(
        name,
        [
          '        return new RecognitionResult(utterance.Text)',
          '        {',
          '            Intent = match?.Intent,',
          '            Entities = EntitiesIn(utterance, match),',
          '        };',
        ],
        [
          '        if (match is null)',
          '            return new RecognitionResult(utterance.Text);',
          '        return new RecognitionResult(utterance.Text)',
          '        {',
          '            Intent = match.Intent,',
          '            Entities = EntitiesIn(utterance, match),',
          '        };',
        ],
        chance.pick([
          'One writer for all results',
          'Results without an intent',
          'Less work where nothing matches',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name, ...readers],
    lines: readers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 10 },
      message:
        'System.NullReferenceException: Object reference not set to an instance of an object. at Assistant.Slots.FilledBy(RecognitionResult result)',
    })),
    gauges: readers.map((part) => ({
      ...{ entity: part, name: 'dotnet_exceptions_total:rate1m', unit: '/s', labels: NO_REFERENCE },
      ...{ decides: true },
      level: (since_s: number) =>
        UNEXPECTED + (arrivals.get(part) ?? 0) * share * progress(since_s, shipping_s),
    })),
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      readers.includes(part) ? { own_errors: share * progress(since_s - delay_s, shipping_s) } : {},
  }
}

/** The families of the eighteenth generation whose cause is a change. */
export const EIGHTEENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'unwarmed-cache': amongEighteenthSurroundings(unwarmedCache),
  'stopped-deliveries': amongEighteenthSurroundings(stoppedDeliveries),
  'unknown-receipts': amongEighteenthSurroundings(unknownReceipts),
  'small-buffers': amongEighteenthSurroundings(smallBuffers),
  'left-out-list': amongEighteenthSurroundings(leftOutList),
}
