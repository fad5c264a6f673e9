/**
 * Families of the twenty-first generation that no change of one's own caused, each as a published report of one organisation
 * has it: what takes lines in stands still and says that it is well, the drive of a store fails in part, the licence of what
 * fills in forms ends, the volume of a store has no room left, and an outside party that fails first and then answers with
 * what nobody can read. They were written without knowledge of the engine; docs/simulator/twenty-first.md names the reports
 * and the rule of choice.
 */
import { storeOf } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type Gauge,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  ACCEPTED,
  ACCEPTED_RECEIPTS,
  amongTwentyFirstSurroundings,
  DRIVE,
  DRIVE_BUSY,
  FAILED,
  FAILED_DOCUMENTS,
  FORM_LICENCE,
  harmlessClearing,
  harmlessForm,
  hostOf,
  INGEST_QUEUES,
  INGESTOR,
  KEYS_BYTES,
  KEYS_FILES,
  KEYS_ROOM,
  KEYS_VOLUME,
  LINES_WAITING,
  PENDING,
  PENDING_SECTORS,
  queueOf,
  RECEIPTS,
  SEARCH_INDEX,
  STALE,
  STALE_SEARCHES,
  TAKEN_IN,
  UNANSWERED_RECEIPTS,
  UNREADABLE,
  UNREADABLE_RECEIPTS,
} from './twenty-first-surroundings.ts'

/**
 * What takes lines in stands still, in a way that nobody who looks after it sees: it is there, answers whether it is well,
 * and takes nothing. Lines wait in the queue before it, and whoever searches for what is new finds nothing.
 */
const stuckIngestor: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const stale_s = chance.whole(20, 80)
  const growing_s = chance.whole(60, 220)
  const share = chance.between(0.4, 0.8)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const stale = (since_s: number): number => share * progress(since_s - stale_s, growing_s)
  const taken = (since_s: number): number => (since_s < 0 ? TAKEN_IN : 0)
  const space = chance.whole(0x10_00, 0xff_ff).toString(16)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['infra', 'dependency', 'capacity'], entity: INGESTOR, topology },
    places: [INGEST_QUEUES, name],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 8, after_s: stale_s, decides: true },
        message: `no line of space ${space} is newer than ${stale_s} s, answered with 503`,
      },
      {
        ...{ part: INGEST_QUEUES, per_minute: 2, after_s: 60, severity: 'WARN', decides: true },
        message: 'list logs is longer than 40000, nobody has taken from it for a minute',
      },
    ],
    gauges: [
      {
        ...{ entity: INGESTOR, name: 'logstash_stats_pipeline_events_out:rate1m', unit: '/s' },
        ...{ decides: true, level: taken },
      },
      {
        ...{ entity: SEARCH_INDEX, name: 'elasticsearch_indices_indexing_index_total:rate1m', unit: '/s' },
        ...{ decides: true, level: taken },
      },
      {
        ...{ entity: INGEST_QUEUES, name: 'redis_key_size', unit: '1', labels: queueOf(INGESTOR) },
        ...{ decides: true, level: (since_s) => LINES_WAITING + TAKEN_IN * Math.max(0, since_s) },
      },
      {
        ...{ entity: name, name: 'log_searches_total:rate1m', unit: '/s', labels: STALE, decides: true },
        level: (since_s) => STALE_SEARCHES + asked * stale(since_s),
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= 0 ? { own_errors: stale(since_s) } : {}),
  }
}

/**
 * The drive of a store fails in part: it tries what it cannot read again and again, so everything that is asked of it takes
 * long, and more and more is answered with an error. It is there and its array still counts it in.
 */
const failingDisk: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const host = hostOf(name)
  const decoy = chance.pick(callers)
  const growing_s = chance.whole(80, 300)
  const slower = chance.between(50, 160)
  const most = chance.between(0.25, 0.55)
  const sectors = chance.whole(300, 4_000)
  const [sector, block] = [chance.whole(1_000_000, 90_000_000), chance.whole(1_000, 90_000)]
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'data', 'capacity'], entity: name, places: [host], topology },
    elsewhere: [{ ...harmlessClearing(decoy, chance), after_s: -chance.whole(80, 500) }],
    undisturbed: callers,
    lines: [
      {
        ...{ part: host, per_minute: 6, after_s: 2, decides: true },
        message: `blk_update_request: critical medium error, dev sdb, sector ${sector} op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0`,
      },
      {
        ...{ part: host, per_minute: 4, after_s: 8, severity: 'WARN', decides: true },
        message: 'ata2.00: exception Emask 0x0 SAct 0x3fc0 SErr 0x0 action 0x0, UNC at LBA',
      },
      {
        ...{ part: name, per_minute: 7, after_s: 15, decides: true },
        message: `ERROR:  could not read block ${block} in file "base/16402/24577": Input/output error`,
      },
    ],
    gauges: [
      {
        ...{ entity: host, name: 'node_disk_io_time_seconds_total:rate1m', unit: '1', labels: DRIVE },
        ...{ decides: true, level: (since_s) => DRIVE_BUSY + 0.88 * progress(since_s + 20, 60) },
      },
      {
        ...{ entity: host, name: 'smartctl_device_attribute', unit: '1', labels: PENDING, decides: true },
        level: (since_s) => PENDING_SECTORS + sectors * progress(since_s + 60, growing_s + 300),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0
        ? {
            own_factor: 1 + (slower - 1) * progress(since_s, 50),
            own_errors: most * progress(since_s - 20, growing_s),
          }
        : {},
  }
}

/**
 * The licence of what fills in forms ends with the day. Another has been bought, and nobody has put it in; from the first
 * second on no form is filled in, while whatever else the service does goes on.
 */
const lapsedLicence: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const store = storeOf(topology, name)
  const share = chance.between(0.45, 0.9)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const key = chance.whole(0x10_00, 0xff_ff).toString(16).toUpperCase()
  const ended = (since_s: number): number => (since_s < 0 ? 0 : share)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'certificate', kinds: ['config', 'data', 'dependency'], entity: name, topology },
    places: store === undefined ? [] : [store],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 1, decides: true },
        message: `com.example.forms.LicenseException: license key FRM-${key} has expired, form-renderer renders no pages`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'license_remaining_seconds', unit: 's', labels: FORM_LICENCE },
        ...{ decides: true, level: (since_s) => Math.max(0, -since_s) },
      },
      {
        ...{
          entity: name,
          name: 'documents_rendered_total:rate1m',
          unit: '/s',
          labels: FAILED,
          decides: true,
        },
        level: (since_s) => FAILED_DOCUMENTS + asked * share * progress(since_s, 60),
      },
    ],
    working: (part, _pod, since_s) => (part === name ? { own_errors: ended(since_s) } : {}),
  }
}

/**
 * A store writes down a key for every request that changes something, on a volume of its own, and there are more of them
 * than anybody thought. The volume is full: whatever is to be written waits and is given up, what is only read goes on.
 */
const filledVolume: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const decoy = chance.pick(callers)
  const written = chance.between(0.35, 0.65)
  const slower = chance.between(15, 50)
  const filled_per_s = chance.between(0.00004, 0.0002)
  const room = (since_s: number): number => Math.min(1, filled_per_s * Math.max(0, -since_s))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['data', 'infra', 'config'], entity: name, topology },
    elsewhere: [{ ...harmlessForm(decoy, chance), after_s: -chance.whole(60, 420) }],
    undisturbed: callers,
    lines: [
      {
        ...{ part: name, per_minute: 5, after_s: 2, decides: true },
        message:
          "Error: 1105, Severity: 17. Could not allocate space for object 'dbo.IdempotencyKeys' in database 'requests' because the 'PRIMARY' filegroup is full.",
      },
      {
        ...{ part: name, per_minute: 3, after_s: 20, severity: 'WARN', decides: true },
        message:
          "Autogrow of file 'requests_data' in database 'requests' was cancelled by user or timed out after 30000 milliseconds.",
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: 20, decides: true },
        message:
          'Microsoft.Data.SqlClient.SqlException (0x80131904): Execution Timeout Expired. The timeout period elapsed prior to completion of the operation or the server is not responding. (INSERT IdempotencyKeys)',
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'windows_logical_disk_free_bytes', unit: 'By', labels: KEYS_VOLUME },
        ...{ decides: true, level: (since_s) => KEYS_ROOM * room(since_s) },
      },
      {
        ...{ entity: name, name: 'windows_mssql_databases_data_files_size_bytes', unit: 'By' },
        ...{
          labels: KEYS_FILES,
          decides: true,
          level: (since_s) => KEYS_BYTES + KEYS_ROOM * (1 - room(since_s)),
        },
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0
        ? {
            own_factor: 1 + (slower - 1) * progress(since_s, 30),
            own_errors: written * progress(since_s, 30),
          }
        : {},
  }
}

/**
 * An outside party that says whether a receipt is good fails for nearly half of all who ask. Some minutes later it answers
 * everybody, and at once, and what it answers is a page that nobody can read a receipt from.
 */
const unusableReceipts: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name)
  if (callers.length === 0) return null
  const names = callers.map((caller) => caller.name)
  const failing = chance.between(0.4, 0.5)
  const switched_s = chance.whole(200, 420)
  const unread = chance.between(0.85, 0.97)
  const askedBy = new Map(
    callers.map(({ name, calls }) => [name, calls.find(({ to }) => to === provider.name)?.per_request ?? 0]),
  )
  const isFailing = (since_s: number): boolean => since_s >= 0 && since_s < switched_s
  const isUnread = (since_s: number): boolean => since_s >= switched_s
  const accepted = (since_s: number): number =>
    isFailing(since_s) ? 1 - failing : isUnread(since_s) ? 1 - unread : 1
  const of = (part: string, unit: string): Pick<Gauge, 'entity' | 'unit' | 'decides'> => ({
    ...{ entity: part, unit, decides: true },
  })
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency'], entity: provider.name, topology },
    undisturbed: names,
    lines: names.flatMap((part) => [
      {
        ...{ part, per_minute: 8, after_s: 2, until_s: switched_s, decides: true },
        message: `POST https://${provider.name}.example/verifyReceipt answered 503 Service Unavailable`,
      },
      {
        ...{ part, per_minute: 8, after_s: switched_s, decides: true },
        message: `JSON::ParserError: unexpected token at '<html><head><meta http-equiv="refresh"' (verifyReceipt of ${provider.name}, 200 OK)`,
      },
    ]),
    gauges: names.flatMap((part): readonly Gauge[] => [
      {
        ...{ ...of(part, '/s'), name: 'http_client_requests_seconds_count:rate1m', labels: RECEIPTS },
        level: (since_s) => UNANSWERED_RECEIPTS + (isFailing(since_s) ? ACCEPTED_RECEIPTS * failing : 0),
      },
      {
        ...{ ...of(part, '/s'), name: 'receipts_posted_total:rate1m', labels: ACCEPTED },
        level: (since_s) => ACCEPTED_RECEIPTS * accepted(since_s),
      },
      {
        ...{ ...of(part, '/s'), name: 'receipts_posted_total:rate1m', labels: UNREADABLE },
        level: (since_s) => UNREADABLE_RECEIPTS + (isUnread(since_s) ? ACCEPTED_RECEIPTS * unread : 0),
      },
    ]),
    working: (part, _pod, since_s) => {
      if (part === provider.name) return isFailing(since_s) ? { own_errors: failing } : {}
      return names.includes(part) && isUnread(since_s)
        ? { own_errors: unread * Math.min(1, askedBy.get(part) ?? 0) }
        : {}
    },
  }
}

/** The families of the twenty-first generation that no change of one's own caused. */
export const TWENTY_FIRST_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'stuck-ingestor': amongTwentyFirstSurroundings(stuckIngestor),
  'failing-disk': amongTwentyFirstSurroundings(failingDisk),
  'lapsed-licence': amongTwentyFirstSurroundings(lapsedLicence),
  'filled-volume': amongTwentyFirstSurroundings(filledVolume),
  'unusable-receipts': amongTwentyFirstSurroundings(unusableReceipts),
}
