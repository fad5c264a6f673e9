/**
 * Families of the twentieth generation whose cause is a change, each as a published report of one organisation has it: a
 * migration that gives a column a value where it had none, a secret that is written over as everything is given out anew,
 * pages that ask for what they show in another way, a setting by which a queue is no longer read, and a migration that makes
 * a version one of many. They were written without knowledge of the engine; docs/simulator/twentieth.md names the reports
 * and the rule of choice.
 */
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  ASIDE,
  ASIDE_SHARE,
  amongTwentiethSurroundings,
  BROWSER_EXCEPTIONS,
  BROWSERS,
  consumerOf,
  EVENTS_DONE,
  EVENTS_WAITING,
  eventsOf,
  FLOWS_BEGUN,
  FOUND_ASIDE,
  flowMigration,
  MISSING,
  NEW_EVENTS,
  OLDEST_S,
  PIECES_MISSING,
  pageQueries,
  REFUSED_TOKENS,
  secretOf,
  sqlMigration,
  TOKENS,
  valuesOfAll,
  WRITTEN_NOW,
} from './twentieth-surroundings.ts'

/**
 * A migration is to give times a finer default, and gives one to a column that had none: whatever is new counts as archived
 * from its first moment. The store is as quick as ever; whoever is to work on what is new finds that it is past its time.
 */
const defaultedColumns: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const callers = callersOf(topology, store).map((caller) => caller.name)
  const delay_s = chance.whole(15, 80)
  const growing_s = chance.whole(40, 180)
  const share = chance.between(0.6, 0.93)
  const arrivals = arrivalsOf(topology)
  const aside = (since_s: number): number => share * progress(since_s, growing_s)
  const finding = (part: string, since_s: number) =>
    callers.includes(part) && since_s >= delay_s ? { own_errors: aside(since_s - delay_s) } : {}
  const column = chance.pick(['archived_at', 'expired_at', 'discarded_at'])
  const event = chance.whole(0x10_00, 0xff_ff).toString(16)
  const setting = (table: string, which: string): string =>
    `ALTER TABLE ${table} ALTER COLUMN ${which} SET DEFAULT CURRENT_TIMESTAMP(6);`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'config'], entity: name, places: [store], topology, delay_s },
    culprits: [
      sqlMigration(
        name,
        'times_with_microseconds',
        [
          setting('events', 'created_at'),
          setting('events', 'updated_at'),
          setting('events', column),
          setting('attempts', 'created_at'),
        ],
        chance.pick([
          'Times with microseconds',
          'Defaults of times as they are followed',
          'Finer times in all tables',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 5, severity: 'WARN' },
      message: `event evt_${event} is not delivered: archived, past its retention`,
    })),
    gauges: [
      {
        ...{ entity: store, name: 'sql_recent_events_archived_ratio', unit: '1', labels: NEW_EVENTS },
        ...{ decides: true, level: (since_s) => ASIDE_SHARE + 0.99 * progress(since_s + delay_s, 60) },
      },
      ...callers.map((part) => ({
        ...{ entity: part, name: 'webhook_events_total:rate1m', unit: '/s', labels: ASIDE, decides: true },
        level: (since_s: number) => FOUND_ASIDE + (arrivals.get(part) ?? 0) * aside(since_s),
      })),
    ],
    working: (part, _pod, _since_s, changed_for_s) => finding(part, changed_for_s),
    ahead: (part, _pod, since_s) => finding(part, since_s),
    beyond: (part, _pod, since_s) => finding(part, since_s),
  }
}

/**
 * Something is set for all services, and all are given out anew from what is kept of them. Of one the secret with which it
 * logs in had been put in by hand; the old one takes its place, and whoever it logs in with refuses it from then on.
 */
const overwrittenSecret: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const asking = callersOf(topology, provider.name)
  if (asking.length === 0) return null
  const { name } = chance.pick(asking)
  const services = topology.parts.filter(({ kind }) => kind === 'service').map((part) => part.name)
  const delay_s = chance.whole(15, 70)
  const share = chance.between(0.93, 0.99)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const written = WRITTEN_NOW * chance.between(0.7, 0.8)
  const between_s = chance.whole(20, 60)
  const begins = services.indexOf(name)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'config',
      kinds: ['infra', 'code'],
      entity: name,
      places: ['fleet-config'],
      topology,
      delay_s,
    },
    culprits: [
      valuesOfAll(
        services,
        ['  memory: 512Mi', `  memory: ${chance.pick(['640Mi', '768Mi'])}`],
        chance.pick(['Room for the term that begins', 'More memory for all', 'One size of memory for all']),
        chance,
      ),
    ],
    // The one whose secret it is comes first, the others one after another.
    renewed: services.map((part, index) => ({
      part,
      after_s: between_s * ((index - begins + services.length) % services.length),
    })),
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9 },
        message: `Error fetching 401 POST https://${provider.name}.example/oauth2/token: {"error":"invalid_client","error_description":"Invalid client secret provided."}`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'kube_secret_metadata_resource_version', unit: '1' },
        ...{ labels: secretOf(name), decides: true },
        level: (since_s) => (since_s < -delay_s ? written : WRITTEN_NOW),
      },
      {
        ...{ entity: name, name: 'http_client_requests_seconds_count:rate1m', unit: '/s', labels: TOKENS },
        ...{ decides: true },
        level: (since_s) => REFUSED_TOKENS + asked * share * progress(since_s + delay_s, 200),
      },
    ],
    working: (part) => (part === name ? { refused: { to: provider.name, share } } : {}),
  }
}

/**
 * A release lets the pages of the first service ask in another way for what they show. Until an answer is there some of them
 * have nothing, and do not stand that; whoever opens one anew has an error in place of it, and what it would ask for is not.
 */
const refactoredPages: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const { name } = root
  const delay_s = chance.whole(40, 150)
  const growing_s = chance.whole(200, 500)
  const share = chance.between(0.22, 0.5)
  const shown = (changed_for_s: number): number => share * progress(changed_for_s - delay_s, growing_s)
  const [one, other, field] = chance.pick([
    ['project', 'team', 'tasks'],
    ['board', 'member', 'columns'],
    ['drawing', 'library', 'layers'],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency'], entity: name, topology, delay_s },
    culprits: [
      pageQueries(
        name,
        [one, other],
        [
          [
            '  const [error, isLoading, shown] = useFetch(pathOf(PLACE, id))',
            '  if (isLoading || error) return <Waiting error={error} />',
          ],
          ['  const { data: shown } = useQuery([PLACE, id], () => get(pathOf(PLACE, id)))'],
        ],
        chance.pick(['Queries in place of fetches', 'One way to ask for all pages', 'Pages ask by queries']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 10 },
        message: `TypeError: Cannot read properties of undefined (reading '${field}')`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'faro_receiver_exceptions_total:rate1m', unit: '/s', labels: BROWSERS },
        ...{ decides: true },
        level: (since_s) => BROWSER_EXCEPTIONS + topology.demand * shown(since_s + delay_s),
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) =>
      part === name ? { own_errors: shown(changed_for_s) } : {},
  }
}

/**
 * By a setting a service reads another queue than the one in which its events lie. It answers as ever and says that it is
 * well; the events wait, and whoever has asked it for something waits for what never comes.
 */
const unreadEvents: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(25, 90)
  const share = chance.between(0.45, 0.85)
  const growing_s = chance.whole(40, 120)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const read_s = (since_s: number): number => Math.max(0, since_s + delay_s)
  const gone = `  queue: ${eventsOf(name)}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'code'], entity: name, places: [eventsOf(name), 'fleet-config'] },
    ...{ topology, delay_s },
    culprits: [
      consumerOf(
        name,
        gone,
        chance.pick([`${gone}-v2`, `${gone}.fifo`, `  queue: events-${name}`]),
        chance.pick(['Queues are called alike', 'Names of queues', 'Consumers by their new names']),
        chance,
      ),
    ],
    undisturbed: [name, ...callers],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 5, severity: 'WARN' },
      message: `upload ${chance.whole(0x10_00, 0xff_ff).toString(16)}: no event within ${delay_s} s, answered with 504`,
    })),
    gauges: [
      {
        ...{ entity: eventsOf(name), name: 'aws_sqs_approximate_number_of_messages_visible_average' },
        ...{ unit: '1', decides: true, level: (since_s) => EVENTS_WAITING + asked * read_s(since_s) },
      },
      {
        ...{ entity: eventsOf(name), name: 'aws_sqs_approximate_age_of_oldest_message_maximum', unit: 's' },
        ...{ decides: true, level: (since_s) => OLDEST_S + read_s(since_s) },
      },
      {
        ...{ entity: eventsOf(name), name: 'aws_sqs_number_of_messages_deleted_sum', unit: '1' },
        ...{ decides: true, level: (since_s) => (since_s < -delay_s ? EVENTS_DONE : 0) },
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s
        ? { own_errors: share * progress(since_s - delay_s, growing_s) }
        : {},
  }
}

/**
 * A migration writes down a version of what begins flows as one of many. A flow that is being drawn up finds the newest of
 * them; one that is published asks for exactly what is written there, which there is not, and none of these begins.
 */
const relativeVersion: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const delay_s = chance.whole(20, 90)
  const growing_s = chance.whole(30, 160)
  const share = chance.between(0.55, 0.92)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const missed = (since_s: number): number => share * progress(since_s, growing_s)
  const missing = (part: string, since_s: number) =>
    part === name ? { own_errors: missed(since_s - delay_s) } : {}
  const [piece, version] = chance.pick([
    ['webhook', '0.0.1'],
    ['form', '0.2.0'],
    ['schedule', '0.1.3'],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'config'], entity: name, places: [store], topology, delay_s },
    culprits: [
      flowMigration(
        name,
        [
          '    await runner.query(',
          `      \`UPDATE flow_version SET trigger = jsonb_set(trigger, '{settings,pieceVersion}', '"~${version}"')`,
          `       WHERE trigger #>> '{settings,pieceName}' = '${piece}'\`,`,
          '    )',
        ],
        chance.pick(['Triggers have versions', 'What begins flows is a piece', 'Versions for triggers']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 5 },
        message: `EntityNotFoundError: Could not find any entity of type "PieceMetadata" matching: {"name":"${piece}","version":"~${version}"}`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'piece_lookups_total:rate1m', unit: '/s', labels: MISSING, decides: true },
        level: (since_s) => PIECES_MISSING + asked * missed(since_s),
      },
      {
        ...{ entity: name, name: 'flow_runs_started_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => FLOWS_BEGUN * (1 - missed(since_s)),
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) => missing(part, changed_for_s),
    ahead: (part, _pod, since_s) => missing(part, since_s),
  }
}

/** The families of the twentieth generation whose cause is a change. */
export const TWENTIETH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'defaulted-columns': amongTwentiethSurroundings(defaultedColumns),
  'overwritten-secret': amongTwentiethSurroundings(overwrittenSecret),
  'refactored-pages': amongTwentiethSurroundings(refactoredPages),
  'unread-events': amongTwentiethSurroundings(unreadEvents),
  'relative-version': amongTwentiethSurroundings(relativeVersion),
}
