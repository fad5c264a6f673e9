/**
 * Families of the twenty-seventh generation whose cause is a change, each as a published report of one organisation has it:
 * meetings that who keeps calendars refuses, calendars that a sparing sync empties, limits that are asked for where none are
 * there yet, a volume that a command takes from a machine, and a program that lies on its machines for a while before it is
 * begun. They were written without knowledge of the engine; docs/simulator/twenty-seventh.md names the reports and the rule
 * of choice.
 */
import { DATA_MOUNT } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Working } from './run-system.ts'
import type { Topology } from './topology.ts'
import {
  ARRAY,
  amongTwentySeventhSurroundings,
  CALENDAR_REQUESTS,
  calendarSync,
  DELETED,
  FAILED_UNIT,
  FEED_ACCOUNT,
  FEED_HOSTS,
  feedReader,
  LIMITS_AGE_S,
  LIMITS_DB,
  LIMITS_SYNC,
  lostDatabase,
  MEETINGS_KEPT,
  MEETINGS_REFUSED,
  MISMATCH,
  MISMATCHES,
  machineOf,
  presenceOf,
  REFUSED,
  ROWS_DELETED,
  remoteMeeting,
  revisionOnHosts,
  storageCommand,
  TAKEN,
  TRIED_AGAIN,
  trackedOn,
  VOLUMES_MAPPED,
  verification,
} from './twenty-seventh-surroundings.ts'

/** Seconds from one pod of a release to the next. */
const POD_S = 45

/** Who gets nothing of use fails in the end, and asks all others as ever until then. */
function failingInTheEnd({ parts }: Topology, name: string, own_errors: number): Working {
  const calls = parts.find((part) => part.name === name)?.calls ?? []
  return { own_errors, fan_out: calls.map(({ to }) => ({ to, factor: 1 / (1 - own_errors) })) }
}

/**
 * A release gives who keeps calendars something that it does not know, wherever a meeting is to be joined by the calendar's own
 * means. Those meetings are refused, all others are taken as ever; what is refused is to be tried again later.
 */
const refusedMeetings: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asking = inner(topology).flatMap(({ name, pods, calls }) =>
    calls
      .filter(({ to }) => kindOf(topology, to) === 'external')
      .map(({ to, per_request }) => ({ name, pods, to, per_request })),
  )
  if (asking.length === 0) return null
  const { name, pods, to, per_request } = chance.pick(asking)
  const asked = (arrivalsOf(topology).get(name) ?? 0) * per_request
  const delay_s = chance.whole(5, 30)
  const shipping_s = pods * POD_S
  const share = chance.between(0.3, 0.6)
  const refused = (since_s: number): number => share * progress(since_s + delay_s, shipping_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency', 'config'], entity: name, topology, delay_s },
    culprits: [
      remoteMeeting(
        name,
        ['  const joining = { isOnlineMeeting: true, onlineMeetingProvider: providerOf(profile) }'],
        ['  const joining = { isOnlineMeeting: true, onlineMeetingProvider: meeting.joining }'],
        chance.pick([
          'One way to join meetings, for all calendars',
          'Meetings say how they are joined',
          'No profile is asked for when a meeting is made',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 3 },
        message: `POST https://${to}.example/v1.0/me/events answered 400: ErrorInvalidRequest, 'integrated' is not among unknown, teamsForBusiness, skypeForBusiness, skypeForConsumer`,
      },
      {
        ...{ part: name, per_minute: 5, after_s: 6, severity: 'INFO' },
        message: `meeting ${chance.whole(100_000, 900_000)} is to be tried again in 62 s (attempt 3)`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'calendar_meetings_written_total:rate1m', unit: '/s', labels: REFUSED },
        ...{ decides: true, level: (since_s) => MEETINGS_REFUSED + asked * refused(since_s) },
      },
      {
        ...{ entity: name, name: 'calendar_meetings_written_total:rate1m', unit: '/s', labels: TAKEN },
        ...{ decides: true, level: (since_s) => asked * (1 - refused(since_s)) },
      },
      {
        ...{ entity: name, name: 'sidekiq_retry_jobs', unit: '1', decides: true },
        level: (since_s) => TRIED_AGAIN + Math.max(0, since_s) * asked * share * 0.6,
      },
    ],
    working: (part) => (part === name ? { refused: { to, share }, retries: 0 } : {}),
  }
}

/**
 * A release asks for less of each calendar: only for what is new. What keeps meetings takes that for all there is, and puts
 * away the others. Nothing fails where it happens; who shows a calendar has less and less to show, as one after the other
 * is asked for.
 */
const emptiedCalendars: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores).name
  const asking = callersOf(topology, store)
  const callers = asking.map((caller) => caller.name)
  // Whoever is changed is well: none of those who show calendars stands behind it.
  const syncing = asking.filter(({ calls }) => calls.every(({ to }) => !callers.includes(to)))
  if (syncing.length === 0) return null
  const { name, pods } = chance.pick(syncing)
  const hit = callers.filter((part) => part !== name)
  const delay_s = chance.whole(60, 240)
  const shipping_s = pods * POD_S
  const emptying_s = chance.whole(240, 500)
  const spared = chance.between(0.5, 0.8)
  const share = chance.between(0.4, 0.75)
  const emptied = (since_s: number): number => share * progress(since_s, emptying_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data'], entity: name, topology, delay_s, places: [store] },
    culprits: [
      calendarSync(
        name,
        ['  const meetings = await list(calendar, { from: today() })'],
        ['  const meetings = await list(calendar, { from: today(), syncToken: token })'],
        chance.pick([
          'Ask for less of a calendar',
          'Fewer requests for calendars that hardly change',
          'Sync tokens for calendars',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name, ...hit],
    lines: hit.map((part) => ({
      ...{ part, per_minute: 7, after_s: 4, severity: 'WARN' },
      message: `device ${chance.whole(1_000, 7_000)}: calendar room-${chance.whole(10, 90)} has no events, showing nothing`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'calendar_api_requests_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => CALENDAR_REQUESTS * (1 - spared * progress(since_s + delay_s, shipping_s)),
      },
      {
        ...{ entity: store, name: 'calendar_meetings_kept', unit: '1', decides: true },
        level: (since_s) => MEETINGS_KEPT * (1 - emptied(since_s)),
      },
      {
        ...{ entity: store, name: 'mysql_global_status_innodb_row_ops_total:rate1m', unit: '/s' },
        ...{ labels: DELETED, decides: true },
        level: (since_s) =>
          ROWS_DELETED + (since_s >= 0 && since_s < emptying_s ? (MEETINGS_KEPT * share) / emptying_s : 0),
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= delay_s
        ? failingInTheEnd(topology, part, emptied(since_s - delay_s))
        : {},
  }
}

/**
 * A release looks at the limits of a site before it says anything of who visits it. Limits are brought from a database which
 * nobody gets to just then, so pods that begin anew have none, and refuse those who ask for a site with limits.
 */
const unsyncedLimits: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(5, 40)
  const shipping_s = pods * POD_S
  const unreached_s = -delay_s - chance.whole(40, 200)
  const reached_s = chance.whole(840, 1_300)
  const share = chance.between(0.35, 0.7)
  const isUnreached = (since_s: number): boolean => since_s >= unreached_s && since_s < reached_s
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'dependency', 'network', 'config'], entity: name, topology, delay_s },
    places: [LIMITS_SYNC, LIMITS_DB],
    culprits: [
      verification(
        name,
        ['\tc.seen.Inc()'],
        [
          '\tc.seen.Inc()',
          '\tif !c.limits.Of(r.Secret).Allow(r.SiteKey) {',
          '\t\treturn Refuse("sitekey-secret-mismatch")',
          '\t}',
        ],
        chance.pick([
          'Limits of a secret hold for every check',
          'Check more strictly which sites a secret is for',
          'Sites of a secret, in one more place',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: name, per_minute: 8, after_s: 2, severity: 'WARN' },
        message: `siteverify: secret 0x${chance.whole(0x10_00_00, 0xff_ff_ff).toString(16)} allows no site (0 limits are loaded), answering sitekey-secret-mismatch`,
      },
      {
        ...{ part: LIMITS_SYNC, per_minute: 4, after_s: unreached_s, until_s: reached_s },
        message:
          'psycopg2.OperationalError: connection to server at "limits-db", port 5432 failed: timeout expired',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'siteverify_responses_total:rate1m', unit: '/s', labels: MISMATCH },
        decides: true,
        level: (since_s) =>
          MISMATCHES + (since_s < reached_s ? asked * share * progress(since_s + delay_s, shipping_s) : 0),
      },
      {
        ...{ entity: LIMITS_SYNC, name: 'sync_age_seconds', unit: 's', decides: true },
        level: (since_s) => LIMITS_AGE_S + (isUnreached(since_s) ? since_s - unreached_s : 0),
      },
      {
        ...{ entity: LIMITS_DB, name: 'db_up', unit: '1', decides: true },
        level: (since_s) => (isUnreached(since_s) ? 0 : 1),
      },
    ],
    working: (part, _pod, _since_s, changed_for_s) =>
      part === name && changed_for_s - delay_s < reached_s ? { own_errors: share } : {},
  }
}

/** A command at what gives disks to machines takes a volume from a machine that needs it: its database is gone at once. */
const unmappedVolume: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(
    ({ kind, name }) => kind === 'datastore' && callersOf(topology, name).length > 0,
  )
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const host = machineOf(name)
  const delay_s = chance.whole(5, 40)
  const volume = `vol-${chance.whole(10, 59)}`
  const isGone = (since_s: number): boolean => since_s >= 0
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'data'], entity: ARRAY, topology, delay_s },
    places: [name, host],
    culprits: [storageCommand(ARRAY, `volume unmap ${volume}`)],
    lines: [
      {
        ...{ part: host, per_minute: 6, after_s: 0, severity: 'WARN' },
        message: `multipathd: ${volume}: remaining active paths: 0`,
      },
      {
        ...{ part: host, per_minute: 8, after_s: 2 },
        message: `kernel: blk_update_request: I/O error, dev dm-${chance.whole(2, 9)}, sector ${chance.whole(100_000, 90_000_000)}`,
      },
      ...callersOf(topology, name).map((caller) => ({
        ...{ part: caller.name, per_minute: 8, after_s: 3 },
        message: `FATAL: could not open file "global/pg_filenode.map": Input/output error (${name})`,
      })),
    ],
    gauges: [
      {
        ...{ entity: ARRAY, name: 'array_volumes_mapped', unit: '1', decides: true },
        level: (since_s) => VOLUMES_MAPPED - (isGone(since_s + delay_s) ? 1 : 0),
      },
      {
        ...{ entity: host, name: 'node_filesystem_device_error', unit: '1', labels: DATA_MOUNT },
        ...{ decides: true, level: (since_s) => (isGone(since_s) ? 1 : 0) },
      },
      {
        ...{ entity: host, name: 'node_filesystem_readonly', unit: '1', labels: DATA_MOUNT },
        ...{ decides: true, level: (since_s) => (isGone(since_s) ? Number.NaN : 0) },
      },
      ...lostDatabase(name),
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= delay_s ? { is_away: true } : {}),
  }
}

/**
 * A program is laid on its machines in another revision, and runs on in the one that it was. Later who rents out the machines
 * stops them for an invoice, and begins them anew once it is paid: now the program does not begin, as it is another one.
 */
const unstartedCode: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const delay_s = chance.whole(1_200, 2_700)
  const stopped_s = chance.whole(110, 240)
  const hosting = hostedApart(hostingOf(topology, chance), FEED_HOSTS, [name])
  const runs = (since_s: number): boolean => since_s < 0 || since_s >= stopped_s
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'infra', 'provider'], entity: name, topology, delay_s, hosting },
    culprits: [
      feedReader(
        name,
        ['from feeds.client import fetch'],
        ['from feeds.http import fetch'],
        chance.pick(['One client for feeds', 'Feeds by the new client', 'Alerts come by HTTP']),
      ),
      revisionOnHosts(name, chance),
    ],
    undisturbed: [name],
    lines: FEED_HOSTS.flatMap((part) => [
      {
        ...{ part, per_minute: 5, after_s: stopped_s + 8 },
        message:
          "python3[1204]: ImportError: cannot import name 'fetch' from 'feeds.http' (/srv/backend/feeds/http.py)",
      },
      {
        ...{ part, per_minute: 4, after_s: stopped_s + 9 },
        message: 'systemd[1]: backend.service: Main process exited, code=exited, status=1/FAILURE',
      },
    ]),
    gauges: [
      ...FEED_HOSTS.flatMap((node) => [
        {
          ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
          level: (since_s: number) => {
            if (since_s < 0) return RUNNING_S + since_s
            return since_s < stopped_s ? Number.NaN : since_s - stopped_s
          },
        },
        {
          ...{ entity: node, name: 'node_systemd_unit_state', unit: '1', labels: FAILED_UNIT },
          ...{ decides: true, level: (since_s: number) => (since_s < stopped_s ? 0 : 1) },
        },
      ]),
      ...trackedOn(hosting, FEED_HOSTS, runs),
      ...presenceOf(name, pods, (since_s) => (since_s < 0 ? pods : 0)),
      {
        ...{ entity: FEED_ACCOUNT, name: 'account_invoices_overdue', unit: '1' },
        level: (since_s) => (since_s < stopped_s - 20 ? 1 : 0),
      },
    ],
    events: [
      {
        ...{ after_s: 2, kind: 'notification', reason: 'state', name: FEED_ACCOUNT },
        message: `${FEED_ACCOUNT}: an invoice is overdue, machines are stopped`,
      },
      {
        ...{ after_s: stopped_s - 15, kind: 'notification', reason: 'state', name: FEED_ACCOUNT },
        message: `${FEED_ACCOUNT}: an invoice is paid, machines are begun anew`,
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= delay_s ? { is_away: true } : {}),
  }
}

/** The families of the twenty-seventh generation whose cause is a change. */
export const TWENTY_SEVENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'refused-meetings': amongTwentySeventhSurroundings(refusedMeetings),
  'emptied-calendars': amongTwentySeventhSurroundings(emptiedCalendars),
  'unsynced-limits': amongTwentySeventhSurroundings(unsyncedLimits),
  'unmapped-volume': unmeasuredWhileGone(amongTwentySeventhSurroundings(unmappedVolume)),
  'unstarted-code': unmeasuredWhileGone(amongTwentySeventhSurroundings(unstartedCode)),
}
