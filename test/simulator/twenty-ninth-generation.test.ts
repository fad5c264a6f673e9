import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { STORE_UNITS } from './eighteenth-surroundings.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { dataHostOf } from './twenty-eighth-surroundings.ts'
import { TWENTY_NINTH_CHANGED } from './twenty-ninth-changed-faults.ts'
import {
  APP_HOST,
  DIALERS,
  DROPPED,
  FIRST_MAILBOXES,
  FORUM_MAILS,
  GIVEN_UP,
  HOSTING_ACCOUNT,
  ISP,
  LINK,
  LINK_ROUTER,
  MAIL_LOAD,
  MAIL_NODES,
  MAIL_RELAY,
  MAIL_WORKER,
  MAILBOXES,
  MEMORY_BYTES,
  NEW_MAIL_NODES,
  PACKETS_IN,
  PAGES_CREATED,
  READ_BYTES,
  REGISTRY_HOSTS,
  RENTED_HOST,
  SECTORS,
  STORAGE_UNITS,
  UPDATES_WAITING,
  UPKEEP_COMMANDS,
  UPLOADED,
  WAITING_MAIL,
} from './twenty-ninth-surroundings.ts'
import { TWENTY_NINTH_UNCHANGED } from './twenty-ninth-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, took, valueAt } = held
const TWENTY_NINTH = held.generationOf(TWENTY_NINTH_CHANGED, TWENTY_NINTH_UNCHANGED, 61_000_000)
const { incidentsOf, known } = TWENTY_NINTH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

/** The place of an incident that is called, where it is told as another. */
const calledAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => callersOf(one, place).length > 0) as string

/** Whether somebody is called whose calls fail more often than that, where all calls of its callers do. */
const failsMoreThan =
  (one: Incident, share: number): ((edge: held.Called) => boolean) =>
  ({ callee }) =>
    failing(one, (edge) => edge.callee === callee, 6, 14) > share

/** How many values of a series there are in some minutes around the beginning. */
const samples = ({ times }: Series, { truth }: Incident, from_min: number, to_min: number): number =>
  Array.from(times).filter((time) => {
    const minutes = (time - truth.began_ms) / held.MINUTE_MS
    return minutes >= from_min && minutes < to_min
  }).length

held.describeBlindGeneration(TWENTY_NINTH, {
  called: 'twenty-ninth',
  same_seed: 'consolidated-clusters',
  scored: [
    ['crashed-upkeep', 60_000_000, '9081c4b260a4c277'],
    ['interrupted-updates', 60_000_000, 'cc58705a02156aec'],
    ['consolidated-clusters', 60_000_000, '8660ff3537318556'],
    ['moved-mailboxes', 60_000_000, 'dce55a01955ab3d6'],
    ['moved-registry', 60_000_000, 'd8e948d31162e410'],
    ['lost-storage-unit', 60_000_000, 'bf473a625ad4e8da'],
    ['isolated-dialers', 60_000_000, '1d6bb8b91f9c55e9'],
    ['unpaid-host', 60_000_000, '98013012943f108e'],
    ['absent-mailer', 60_000_000, '49ca0cb9f1fc8c7d'],
    ['flooded-link', 60_000_000, '8564001606683954'],
  ],
  measured: [
    'db_up',
    'pg_up',
    'mysql_global_status_uptime',
    'aws_rds_engine_uptime_average',
    'mysql_global_status_commands_total:rate1m',
    'node_disk_read_bytes_total:rate1m',
    'up',
    'probe_success',
    'load_balancer_healthy_hosts',
    'kube_deployment_status_replicas_available',
    'aws_applicationelb_healthy_host_count_average',
    'balancer_servers_up',
    'haproxy_backend_active_servers',
    'aws_autoscaling_group_in_service_instances_average',
    'node_uptime_seconds',
    'apt_upgrades_pending',
    'node_memory_MemTotal_bytes',
    'node_vmstat_pgmajfault:rate1m',
    'aws_rds_serverless_database_capacity_average',
    'aws_rds_acuutilization_average',
    'aws_rds_cpuutilization_average',
    'db_longest_statement_seconds',
    'db_statement_errors_per_second',
    'report_queries_timed_out_total:rate1m',
    'mailboxes_kept',
    'node_load5',
    'postfix_showq_message_size_bytes_count',
    'smartmon_reallocated_sector_ct_raw_value',
    'node_filesystem_device_error',
    'registry_links_up',
    'registry_links_refused_total:rate1m',
    'storage_volumes_online',
    'node_mountstats_nfs_operations_major_timeouts_total:rate1m',
    'outbound_connections_open',
    'outbound_disconnects_total:rate1m',
    'account_invoices_overdue',
    'account_servers_running',
    'worker_processes_running',
    'notification_mails_sent_total:rate1m',
    'upload_bytes_total:rate1m',
    'pages_created_total:rate1m',
    'balancer_target_requests_per_second',
    'haproxy_backend_http_requests_total:rate1m',
    'link_packet_loss_ratio',
    'ifHCInUcastPkts:rate1m',
    'ifInDiscards:rate1m',
    'rtp_packets_lost_ratio',
    'tcp_retransmits_per_second',
  ],
  delays: {
    'crashed-upkeep': 0.9,
    'interrupted-updates': 2.4,
    'consolidated-clusters': 1.9,
    'moved-mailboxes': 1.4,
    'moved-registry': 1.4,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'upkeep of tables': ({ title }) => /monthly upkeep of tables$/u.test(title ?? ''),
    'updates of packages': ({ title }) => /\d+ packages are being updated$/u.test(title ?? ''),
    'another size of a machine': ({ title }) => /resized to \d+ GB$/u.test(title ?? ''),
    'how large clusters may become': ({ files }) =>
      files?.some((file) => file.endsWith('/cluster.tf')) === true,
    'mailboxes that are moved': ({ title }) => /are being moved to mail-node-/u.test(title ?? ''),
    'stores that are moved': ({ title }) => /: moved from \S+ to \S+$/u.test(title ?? ''),
  },
  beside: { asked: PARTNER_RULES },
  said: /mail-store-\d not responding|failed: Input\/output error|cannot be stored now|no connection to conn-out|no place is left|rented-bot-1\.internal|performing ForumMailer|refused at its end|are listed anew|no buffers are available|packets on et-0\/0\/3|packets are lost on calls/,
})

describe('the changes of the twenty-ninth generation', () => {
  it('upkeep that a store does not live through: it is gone, its machine reads all that it has, and one who asks makes do', () => {
    for (const one of incidentsOf('crashed-upkeep')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'db_up', entity), one, 5)).toBe(0)
      expect(samples(gauge(one, 'mysql_global_status_uptime', entity), one, 1, 14)).toBe(0)
      const commands = gauge(one, 'mysql_global_status_commands_total:rate1m', entity)
      expect(valueAt(commands, one, -0.6)).toBeGreaterThan(10 * UPKEEP_COMMANDS)
      const read = gauge(one, 'node_disk_read_bytes_total:rate1m', dataHostOf(entity))
      expect(valueAt(read, one, -15)).toBeLessThan(9 * READ_BYTES)
      expect(valueAt(read, one, 5)).toBeGreaterThan(15 * READ_BYTES)
      expect(causeOf(one)?.title).toContain('upkeep of tables')
    }
    for (const one of known('crashed-upkeep')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('updates that a resize breaks off: the machine is away and comes back with more memory, and what runs there takes long', () => {
    for (const one of incidentsOf('interrupted-updates')) {
      expect(one.truth.entity).toBe(APP_HOST)
      const uptime = gauge(one, 'node_uptime_seconds', APP_HOST)
      expect(samples(uptime, one, 0.5, 4)).toBe(0)
      expect(valueAt(uptime, one, 9)).toBeLessThan(600)
      const waiting = gauge(one, 'apt_upgrades_pending', APP_HOST)
      expect(valueAt(waiting, one, -8)).toBeGreaterThan(0.95 * UPDATES_WAITING)
      expect(valueAt(waiting, one, 9)).toBeLessThan(0.65 * UPDATES_WAITING)
      expect(valueAt(waiting, one, 9)).toBeGreaterThan(5)
      expect(valueAt(gauge(one, 'node_memory_MemTotal_bytes', APP_HOST), one, 9)).toBeGreaterThan(
        1.9 * MEMORY_BYTES,
      )
      expect(causeOf(one)?.title).toContain('resized to')
    }
    for (const one of known('interrupted-updates')) {
      const name = calledAmong(one)
      const to = ({ callee }: held.Called): boolean => callee === name
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 0.5, 3.5)).toBeGreaterThan(0.95)
      expect(took(one, name, 10, 15)).toBeGreaterThan(5 * took(one, name, -20, -5))
    }
  }, 120_000)

  it('clusters that are made one size: one has no more to give, and questions over a long span are given up', () => {
    for (const one of incidentsOf('consolidated-clusters')) {
      const { entity } = one.truth
      const units = gauge(one, 'aws_rds_serverless_database_capacity_average', entity)
      expect(valueAt(units, one, -12)).toBeGreaterThan(0.9 * STORE_UNITS)
      expect(valueAt(units, one, 5)).toBeLessThan(0.3 * STORE_UNITS)
      expect(valueAt(gauge(one, 'aws_rds_acuutilization_average', entity), one, 5)).toBeGreaterThan(95)
      const given_up = named(one, 'report_queries_timed_out_total:rate1m').filter(
        (series) => series.labels.span === 'year' && valueAt(series, one, 5) > 50 * GIVEN_UP,
      )
      expect(given_up).toHaveLength(1)
      expect(causeOf(one)?.diff).toContain('-    max_capacity = 32')
    }
    for (const one of known('consolidated-clusters')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 5, 14)).toBeGreaterThan(0.1)
      expect(took(one, one.truth.entity, 5, 14)).toBeGreaterThan(5 * took(one, one.truth.entity, -20, -8))
    }
  }, 120_000)

  it('mailboxes that are moved: new machines have more and more of them and much to do, and mail waits', () => {
    for (const one of incidentsOf('moved-mailboxes')) {
      for (const node of MAIL_NODES)
        expect(valueAt(gauge(one, 'mailboxes_kept', node), one, 14)).toBeLessThan(0.75 * MAILBOXES)
      for (const node of NEW_MAIL_NODES) {
        const kept = gauge(one, 'mailboxes_kept', node)
        expect(valueAt(kept, one, -8)).toBeLessThan(1.1 * FIRST_MAILBOXES)
        expect(valueAt(kept, one, 14)).toBeGreaterThan(0.25 * MAILBOXES)
        expect(valueAt(gauge(one, 'node_load5', node), one, 14)).toBeGreaterThan(7 * MAIL_LOAD)
      }
      const waiting = labelled(one, 'postfix_showq_message_size_bytes_count', MAIL_RELAY, 'queue', 'deferred')
      expect(valueAt(waiting, one, 14)).toBeGreaterThan(10 * WAITING_MAIL)
      expect(causeOf(one)?.title).toContain('are being moved to')
    }
    for (const one of known('moved-mailboxes')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 12, 20)).toBeGreaterThan(0.2)
    }
  }, 120_000)

  it('a registry that is moved to a disk that fails: it is gone, and neither of its links is there', () => {
    for (const one of incidentsOf('moved-registry')) {
      const { entity } = one.truth
      const [, to] = REGISTRY_HOSTS
      expect(valueAt(gauge(one, 'db_up', entity), one, 5)).toBe(0)
      expect(valueAt(gauge(one, 'smartmon_reallocated_sector_ct_raw_value', to), one, 12)).toBeGreaterThan(
        50 * SECTORS,
      )
      expect(valueAt(gauge(one, 'node_filesystem_device_error', to), one, 2)).toBeCloseTo(1, 1)
      const links = named(one, 'registry_links_up')
      const without = new Set(
        links
          .filter((series) => series.labels.link === 'primary' && valueAt(series, one, 12) === 0)
          .map((series) => series.entity)
          .filter(
            (name) => valueAt(labelled(one, 'registry_links_up', name, 'link', 'fallback'), one, 12) === 0,
          ),
      )
      expect(without.size).toBeGreaterThan(0)
      expect(causeOf(one)?.title).toContain(`moved from ${REGISTRY_HOSTS[0]} to ${to}`)
    }
    for (const one of known('moved-registry')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-ninth generation', () => {
  it('a unit of storage that is lost: it does not answer, its volumes are not told, and mail for a part of all waits', () => {
    for (const one of incidentsOf('lost-storage-unit')) {
      const { entity } = one.truth
      expect(STORAGE_UNITS).toContain(entity)
      const asked = (unit: string): Series =>
        labelled(one, 'probe_success', unit, 'target', `tcp://${unit}:2049`)
      expect(valueAt(asked(entity), one, 5)).toBe(0)
      for (const unit of STORAGE_UNITS.filter((each) => each !== entity))
        expect(valueAt(asked(unit), one, 5)).toBeCloseTo(1, 1)
      expect(samples(gauge(one, 'storage_volumes_online', entity), one, 1, 14)).toBe(0)
      const waiting = labelled(one, 'postfix_showq_message_size_bytes_count', MAIL_RELAY, 'queue', 'deferred')
      expect(valueAt(waiting, one, 12)).toBeGreaterThan(10 * WAITING_MAIL)
    }
    for (const one of known('lost-storage-unit')) {
      const to = failsMoreThan(one, 0.12)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 2, 14)).toBeGreaterThan(0.15)
      expect(failing(one, to, 2, 14)).toBeLessThan(0.75)
    }
  }, 120_000)

  it('machines that are out of reach: all but one, together, and whoever was connected through them is not any more', () => {
    for (const one of incidentsOf('isolated-dialers')) {
      expect(one.truth.entity).toBe(ISP)
      const reached = DIALERS.filter(
        (machine) => valueAt(labelled(one, 'probe_success', machine, 'target', machine), one, 5) > 0.5,
      )
      expect(reached).toHaveLength(1)
      for (const machine of DIALERS.filter((each) => each !== reached[0])) {
        expect(samples(gauge(one, 'outbound_connections_open', machine), one, 1, 14)).toBe(0)
        expect(samples(gauge(one, 'node_uptime_seconds', machine), one, 1, 14)).toBe(0)
      }
      const dropped = named(one, 'outbound_disconnects_total:rate1m').filter(
        (series) => valueAt(series, one, 1) > 100 * DROPPED,
      )
      expect(dropped.length).toBeGreaterThan(0)
    }
    for (const one of known('isolated-dialers')) {
      const to = failsMoreThan(one, 0.5)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 3, 14)).toBeGreaterThan(0.5)
    }
  }, 120_000)

  it('a machine that is taken away: an invoice is overdue before, one server fewer runs after, and all that ran there is gone', () => {
    for (const one of incidentsOf('unpaid-host')) {
      expect(one.truth.entity).toBe(RENTED_HOST)
      expect(valueAt(gauge(one, 'account_invoices_overdue', HOSTING_ACCOUNT), one, -5)).toBeCloseTo(1, 1)
      expect(valueAt(gauge(one, 'account_servers_running', HOSTING_ACCOUNT), one, 5)).toBeCloseTo(2, 1)
      expect(samples(gauge(one, 'node_uptime_seconds', RENTED_HOST), one, 1, 14)).toBe(0)
    }
    for (const one of known('unpaid-host')) {
      const name = calledAmong(one)
      const to = ({ callee }: held.Called): boolean => callee === name
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
      expect(valueAt(gauge(one, 'up', name), one, 5)).toBe(0)
    }
  }, 120_000)

  it('mails that nobody else sends any more: who shows pages sends them, and large files and made pages come on top', () => {
    for (const one of incidentsOf('absent-mailer')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'worker_processes_running', MAIL_WORKER), one, 2)).toBe(0)
      expect(samples(gauge(one, 'notification_mails_sent_total:rate1m', MAIL_WORKER), one, 1, 14)).toBe(0)
      const mails = gauge(one, 'notification_mails_sent_total:rate1m', entity)
      expect(valueAt(mails, one, -5)).toBeLessThan(1)
      expect(valueAt(mails, one, 3)).toBeGreaterThan(0.7 * FORUM_MAILS)
      expect(valueAt(gauge(one, 'upload_bytes_total:rate1m', entity), one, 8)).toBeGreaterThan(30 * UPLOADED)
      expect(valueAt(gauge(one, 'pages_created_total:rate1m', entity), one, 9)).toBeGreaterThan(
        10 * PAGES_CREATED,
      )
    }
    for (const one of known('absent-mailer')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 10, 18)).toBeGreaterThan(0.1)
      expect(grew(one, ({ caller }) => caller === one.truth.entity, -4, -1)).toBeLessThan(1.3)
    }
  }, 120_000)

  it('a link that is flooded: many times as many packets come in, a part of all is lost, and calls over it fail and take long', () => {
    for (const one of incidentsOf('flooded-link')) {
      expect(one.truth.entity).toBe(LINK)
      expect(valueAt(gauge(one, 'link_packet_loss_ratio', LINK), one, -20)).toBeLessThan(0.01)
      expect(valueAt(gauge(one, 'link_packet_loss_ratio', LINK), one, 5)).toBeGreaterThan(0.2)
      expect(valueAt(gauge(one, 'ifHCInUcastPkts:rate1m', LINK_ROUTER), one, 5)).toBeGreaterThan(
        10 * PACKETS_IN,
      )
      const lost = named(one, 'rtp_packets_lost_ratio').filter((series) => valueAt(series, one, 5) > 0.2)
      expect(lost.length).toBeGreaterThan(0)
    }
    for (const one of known('flooded-link')) {
      const hit = new Set(
        named(one, 'rtp_packets_lost_ratio')
          .filter((series) => valueAt(series, one, 5) > 0.2)
          .map((series) => series.entity),
      )
      const all = (edge: held.Called): boolean => hit.has(edge.caller)
      const over = (edge: held.Called): boolean =>
        hit.has(edge.caller) && failing(one, (each) => each.callee === edge.callee, 4, 14) > 0.1
      expect(failing(one, all, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, over, 4, 14)).toBeGreaterThan(0.15)
    }
  }, 120_000)
})
