import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { TWENTY_FIFTH_CHANGED } from './twenty-fifth-changed-faults.ts'
import {
  CRAWL_HOST,
  CRAWLERS,
  DENIED,
  DISK_QUEUE,
  FAILED_LOOKUPS,
  JOB_STORE,
  LOAD,
  MEMBERS,
  OCTETS_IN,
  PANEL_CACHE,
  PUT_OUT,
  RECORDS,
  RECYCLES,
  SCANNING,
  SCHEDULED,
  SENDINGS_KEPT,
  SENT_ELSEWHERE,
  SILENT_S,
  SITE_FIREWALL,
  SITE_HOST,
  SITE_ROUTER,
  UPDATE_MAILER,
  UPDATES_SENT,
  UPLINK_SWITCH,
} from './twenty-fifth-surroundings.ts'
import { TWENTY_FIFTH_UNCHANGED } from './twenty-fifth-unchanged-faults.ts'
import { CORE, PORT_DOWN, PORT_UP } from './twenty-fourth-surroundings.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const TWENTY_FIFTH = held.generationOf(TWENTY_FIFTH_CHANGED, TWENTY_FIFTH_UNCHANGED, 49_000_000)
const { incidentsOf, known } = TWENTY_FIFTH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

/** The place of an incident that is called, where it is told as another. */
const calledAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => callersOf(one, place).length > 0) as string

held.describeBlindGeneration(TWENTY_FIFTH, {
  called: 'twenty-fifth',
  same_seed: 'forced-https',
  scored: [
    ['repeated-updates', 48_000_000, 'b40cd4392f50e0ce'],
    ['collapsed-clusters', 48_000_002, 'f371340c53c8226b'],
    ['forced-https', 48_000_004, '4bcb643ab9358612'],
    ['recycled-pools', 48_000_006, '35c9787b5a8fa67a'],
    ['silent-source', 48_000_008, 'ec0ade79c6a95639'],
  ],
  measured: [
    'mails_sent_total:rate1m',
    'sendings_kept_total:rate1m',
    'apache_responses_total:rate1m',
    'windows_iis_application_pool_recycles_total:increase10m',
    'name_lookups_failed_per_second',
    'source_silence_seconds',
    'sysUpTime',
    'ifHCInOctets:rate1m',
    'ifOperStatus',
    'firewall_connections_denied_per_second',
    'mongodb_dbstats_objects',
    'mongodb_mongod_replset_number_of_members',
    'aws_rds_disk_queue_depth_average',
    'aws_rds_cpuutilization_average',
    'aws_rds_database_connections_average',
    'namedprocess_namegroup_num_procs',
    'node_load5',
    'node_uptime_seconds',
    'node_systemd_unit_state',
    'cache_items_evicted_per_second',
    'redis_key_size',
    'redis_commands_duration_seconds_total:rate1m',
    'redis_memory_used_bytes',
  ],
  delays: {
    'repeated-updates': 6,
    'router-version': 1.6,
    'collapsed-clusters': 1.4,
    'crowded-machine': 4.9,
    'forced-https': 1,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'how a store is given': ({ files }) => files?.some((file) => file.endsWith('/Sessions.java')) === true,
    'firmware of routers': ({ title }) => title?.includes(': firmware ') === true,
    'what a cluster is': ({ files }) => files?.some((file) => file.endsWith('/cluster.yaml')) === true,
    'processes of a machine': ({ files }) =>
      files?.some((file) => file.endsWith('/supervisor.yaml')) === true,
    'addresses of a web server': ({ files }) => files?.some((file) => file.endsWith('/site.conf')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /Multi-User System|127\.0\.0\.1:6543|nginx\/1\.10\.3|WAS 5186|WAS 5002|AppOffline|redis-jobs\), job|selector\.campus|accounts\.campus|source 0 is on air|LINEPROTO-5-UPDOWN|waited 5\.003 seconds/,
})

describe('the changes of the twenty-fifth generation', () => {
  it('sendings that are not written down: more is sent in each run, and who is asked for it all has no time left', () => {
    for (const one of incidentsOf('repeated-updates')) {
      const { entity } = one.truth
      const kept = gauge(one, 'sendings_kept_total:rate1m', entity)
      expect(valueAt(kept, one, -25)).toBeGreaterThan(0.5 * SENDINGS_KEPT)
      expect(valueAt(kept, one, 2)).toBe(0)
      const sent = labelled(one, 'mails_sent_total:rate1m', UPDATE_MAILER, 'kind', 'update')
      expect(valueAt(sent, one, 8)).toBeGreaterThan(8 * UPDATES_SENT)
      expect(causeOf(one)?.diff).toContain('+    session.setHibernateFlushMode(FlushMode.MANUAL);')
    }
    for (const one of known('repeated-updates')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 5, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('another firmware: a firewall denies what comes from outside, and services behind it are well and are not reached', () => {
    for (const one of incidentsOf('router-version')) {
      expect(one.truth.entity).toBe(SITE_ROUTER)
      expect(valueAt(gauge(one, 'sysUpTime', SITE_ROUTER), one, 1)).toBeLessThan(600)
      expect(valueAt(gauge(one, 'ifHCInOctets:rate1m', SITE_ROUTER), one, 5)).toBeLessThan(0.3 * OCTETS_IN)
      const denied = gauge(one, 'firewall_connections_denied_per_second', SITE_FIREWALL)
      expect(valueAt(denied, one, -25)).toBeLessThan(5 * DENIED)
      expect(valueAt(denied, one, 5)).toBeGreaterThan(30 * DENIED)
      expect(causeOf(one)?.title).toContain(`${SITE_ROUTER}: firmware `)
    }
    for (const one of known('router-version')) {
      const lost = one.snapshot.edges
        .map(({ caller, callee }) => ({ caller, callee }))
        .filter(
          ({ caller, callee }) =>
            failing(one, (edge) => edge.caller === caller && edge.callee === callee, 4, 14) > 0.8,
        )
      expect(lost.length).toBeGreaterThan(0)
      expect(failing(one, ({ callee }) => callee === lost[0]?.callee, -20, -1)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('clusters that are set up otherwise: members are gone at once, records one after the other, and whoever asks fails', () => {
    for (const one of incidentsOf('collapsed-clusters')) {
      const { entity } = one.truth
      const members = gauge(one, 'mongodb_mongod_replset_number_of_members', entity)
      expect(valueAt(members, one, -10)).toBeGreaterThan(0.9 * MEMBERS)
      expect(valueAt(members, one, 1)).toBeLessThan(1.1)
      const records = gauge(one, 'mongodb_dbstats_objects', entity)
      expect(valueAt(records, one, -10)).toBeGreaterThan(0.9 * RECORDS)
      expect(valueAt(records, one, 8)).toBeLessThan(0.25 * RECORDS)
      expect(causeOf(one)?.diff).toContain(`+  members: ["${entity}-[1-5]"]`)
    }
    for (const one of known('collapsed-clusters')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(0.75)
    }
  }, 120_000)

  it('a machine with more processes: its load grows before anybody is hurt, a store there is slow, then it is gone', () => {
    for (const one of incidentsOf('crowded-machine')) {
      expect(one.truth.entity).toBe(CRAWL_HOST)
      const crawling = labelled(one, 'namedprocess_namegroup_num_procs', CRAWL_HOST, 'groupname', 'crawler')
      expect(valueAt(crawling, one, -20)).toBeLessThan(1.1 * CRAWLERS)
      expect(valueAt(crawling, one, 0)).toBeGreaterThan(2 * CRAWLERS)
      expect(valueAt(gauge(one, 'node_load5', CRAWL_HOST), one, 2)).toBeGreaterThan(2.5 * LOAD)
      expect(valueAt(gauge(one, 'node_load5', CRAWL_HOST), one, 7)).toBeNaN()
      expect(causeOf(one)?.diff).toContain(`-  processes: ${CRAWLERS}`)
    }
    for (const one of known('crowded-machine')) {
      const store = calledAmong(one)
      expect(failing(one, ({ callee }) => callee === store, -20, -1)).toBeLessThan(0.05)
      expect(took(one, store, 1, 3)).toBeGreaterThan(2 * took(one, store, -30, -5))
      expect(failing(one, ({ callee }) => callee === store, 7, 12)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('another scheme for all: who is changed answers at once and asks nobody, and who asks has nothing of it', () => {
    for (const one of incidentsOf('forced-https')) {
      const { entity } = one.truth
      const moved = labelled(one, 'apache_responses_total:rate1m', entity, 'code', '301')
      expect(valueAt(moved, one, 5)).toBeGreaterThan(4 * valueAt(moved, one, -25))
      expect(valueAt(moved, one, 5)).toBeGreaterThan(10 * SENT_ELSEWHERE)
      expect(causeOf(one)?.diff).toContain('+RewriteRule ^ https://%{SERVER_NAME}')
    }
    for (const one of known('forced-https')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, 1, 14)).toBeLessThan(0.05)
      expect(took(one, entity, 2, 14)).toBeLessThan(took(one, entity, -30, -5))
      for (const asking of callersOf(one, entity)) {
        const asked = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, asked, -20, -2) === 0) continue
        expect(failing(one, asked, 2, 14)).toBeGreaterThan(0.75)
      }
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-fifth generation', () => {
  it('a machine that begins anew: it and who looks after it are well soon, and what ran there is not', () => {
    for (const one of incidentsOf('disabled-unit')) {
      expect(one.truth.entity).toBe(SITE_HOST)
      expect(valueAt(gauge(one, 'node_uptime_seconds', SITE_HOST), one, 5)).toBeLessThan(400)
      const unit = gauge(one, 'node_systemd_unit_state', SITE_HOST)
      expect(valueAt(unit, one, -5)).toBeGreaterThan(0.9)
      expect(valueAt(unit, one, 5)).toBe(0)
    }
    for (const one of known('disabled-unit')) {
      const name = calledAmong(one)
      const to = ({ callee }: held.Called): boolean => callee === name
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 3, 14)).toBeGreaterThan(0.95)
      expect(valueAt(gauge(one, 'up', name), one, 5)).toBeGreaterThan(0.9)
    }
  }, 120_000)

  it('pools of applications: more is put out of a cache, they are begun anew, and one after the other stays away', () => {
    for (const one of incidentsOf('recycled-pools')) {
      expect(one.truth.entity).toBe(PANEL_CACHE)
      const out = gauge(one, 'cache_items_evicted_per_second', PANEL_CACHE)
      expect(valueAt(out, one, -15)).toBeLessThan(30 * PUT_OUT)
      expect(valueAt(out, one, 2)).toBeGreaterThan(80 * PUT_OUT)
      const recycled = named(one, 'windows_iis_application_pool_recycles_total:increase10m').filter(
        (series) => valueAt(series, one, 0) > 50 * RECYCLES,
      )
      expect(recycled.length).toBeGreaterThan(0)
    }
    for (const one of known('recycled-pools')) {
      const away = one.truth.also?.entities.filter((place) => callersOf(one, place).length > 0) ?? []
      expect(away.length).toBeGreaterThan(0)
      for (const name of away) {
        const to = ({ callee }: held.Called): boolean => callee === name
        expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
        if (perMinute(one, to, 8, 14) > 0) expect(failing(one, to, 8, 14)).toBeGreaterThan(0.9)
      }
    }
  }, 120_000)

  it('a store of jobs: far more is asked from outside, and it is looked through until it answers nobody, with room left', () => {
    for (const one of incidentsOf('scanned-schedule')) {
      expect(one.truth.entity).toBe(JOB_STORE)
      const jobs = labelled(one, 'redis_key_size', JOB_STORE, 'key', 'schedule')
      expect(valueAt(jobs, one, 8)).toBeGreaterThan(10 * SCHEDULED)
      const scanning = labelled(
        one,
        'redis_commands_duration_seconds_total:rate1m',
        JOB_STORE,
        'cmd',
        'zscan',
      )
      expect(valueAt(scanning, one, 8)).toBeGreaterThan(50 * SCANNING)
      const memory = gauge(one, 'redis_memory_used_bytes', JOB_STORE)
      expect(valueAt(memory, one, 8)).toBeLessThan(1.7 * valueAt(memory, one, -5))
    }
    for (const one of known('scanned-schedule')) {
      // Who is called by nobody but the outside is where most more is asked.
      const callees = new Set(one.snapshot.edges.map(({ callee }) => callee))
      const root = ({ caller }: held.Called): boolean =>
        !callees.has(caller) && !caller.startsWith('partner-')
      expect(grew(one, root, 5, 14)).toBeGreaterThan(1.7)
      expect(failing(one, root, -20, -1)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a source that nobody could switch away from: names are there again after some minutes, and it stays silent', () => {
    for (const one of incidentsOf('silent-source')) {
      expect(one.truth.entity).toBe(UPLINK_SWITCH)
      const port = labelled(one, 'ifOperStatus', CORE, 'ifAlias', UPLINK_SWITCH)
      expect(valueAt(port, one, 1)).toBeGreaterThan(0.95 * PORT_DOWN)
      expect(valueAt(port, one, 8)).toBeLessThan(1.05 * PORT_UP)
      const silent = named(one, 'source_silence_seconds').filter(
        (series) => valueAt(series, one, 10) > 500 * SILENT_S,
      )
      expect(silent).toHaveLength(1)
      const lookups = gauge(one, 'name_lookups_failed_per_second', silent[0]?.entity as string)
      expect(valueAt(lookups, one, 2)).toBeGreaterThan(30 * FAILED_LOOKUPS)
      expect(valueAt(lookups, one, 8)).toBeLessThan(2 * FAILED_LOOKUPS)
    }
    for (const one of known('silent-source')) {
      const to = ({ callee }: held.Called): boolean => callee === calledAmong(one)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(0.8)
    }
  }, 120_000)

  it('a database that is too small: it is as busy as it can be, and slow for all who ask it, while few fail', () => {
    for (const one of incidentsOf('outgrown-primary')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'aws_rds_cpuutilization_average', entity), one, 8)).toBeGreaterThan(90)
      const waiting = gauge(one, 'aws_rds_disk_queue_depth_average', entity)
      expect(valueAt(waiting, one, 8)).toBeGreaterThan(50 * DISK_QUEUE)
    }
    for (const one of known('outgrown-primary')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -20, -1)).toBeLessThan(0.05)
      expect(took(one, entity, 6, 14)).toBeGreaterThan(50 * took(one, entity, -30, -10))
    }
  }, 120_000)
})
