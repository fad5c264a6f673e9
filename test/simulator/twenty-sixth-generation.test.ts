import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { TWENTY_SIXTH_CHANGED } from './twenty-sixth-changed-faults.ts'
import {
  CARRIED,
  CLOUD,
  CLOUD_HOSTS,
  COPY_HOST,
  DATABASE_HOSTER,
  EDGE_HITS,
  EDGE_MISSES,
  FALLBACKS,
  FILE_CDN,
  JOB_SCHEDULER,
  LAUNCHES_RESET,
  memberOf,
  NIGHT_DATABASE,
  NOT_CARRIED,
  ORDERS,
  POSTED,
  QUEUE_MEMORY,
  QUEUE_STORE,
  REPORTS_SHOWN,
  ROWS_INSERTED,
  ROWS_UPDATED,
  SCHEDULER_MEMORY,
  STYLE_BALANCER,
  STYLE_EDGE,
  WAITING_JOBS,
} from './twenty-sixth-surroundings.ts'
import { TWENTY_SIXTH_UNCHANGED } from './twenty-sixth-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const TWENTY_SIXTH = held.generationOf(TWENTY_SIXTH_CHANGED, TWENTY_SIXTH_UNCHANGED, 53_000_000)
const { incidentsOf, known } = TWENTY_SIXTH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

/** The place of an incident that is called, where it is told as another. */
const calledAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => callersOf(one, place).length > 0) as string

held.describeBlindGeneration(TWENTY_SIXTH, {
  called: 'twenty-sixth',
  same_seed: 'unmatched-locale',
  scored: [
    ['wiped-launch', 52_000_000, 'f5423fafd8f4e156'],
    ['unmatched-locale', 52_000_002, '73c2d6c96aa1e4f0'],
    ['unposted-work', 52_000_004, '74234e98afe7498f'],
    ['laden-jobs', 52_000_006, '5d3e94e219cef341'],
    ['stray-setting', 52_000_008, '6f309fde27550751'],
  ],
  measured: [
    'launches_reset_total:rate1m',
    'reports_shown',
    'locale_fallbacks_total:rate1m',
    'orders_completed_total:rate1m',
    'classifications_posted_total:rate1m',
    'haproxy_backend_active_servers',
    'haproxy_backend_http_requests_total:rate1m',
    'fastly_rt_hits_total:rate1m',
    'fastly_rt_miss_total:rate1m',
    'mysql_global_status_innodb_row_ops_total:rate1m',
    'pg_stat_user_tables_n_tup_ins:rate1m',
    'mongodb_instance_uptime_seconds',
    'db_up',
    'container_memory_working_set_bytes',
    'kube_pod_container_status_restarts_total:increase10m',
    'rq_jobs',
    'redis_memory_used_bytes',
    'node_uptime_seconds',
    'probe_success',
    'up',
    'load_balancer_healthy_hosts',
    'kube_deployment_status_replicas_available',
    'fastly_rt_status_group_total:rate1m',
  ],
  delays: {
    'wiped-launch': 1,
    'hidden-reports': 1.6,
    'unmatched-locale': 1,
    'sorted-addresses': 1,
    'unposted-work': 4.5,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'errors of launches': ({ files }) => files?.some((file) => file.endsWith('/launch/on-error.ts')) === true,
    'rows for another version': ({ files }) =>
      files?.some((file) => /\/sql\/upgrade\d+-\d+\.sql$/u.test(file)) === true,
    'locales of regions': ({ files }) => files?.some((file) => file.endsWith('/locale/regions.ts')) === true,
    'addresses of style sheets': ({ files }) =>
      files?.some((file) => file.endsWith('/style_address.rb')) === true,
    'what is classified': ({ files }) => files?.some((file) => file.endsWith('/classify/save.ts')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /Segmentation fault|nested object depth|PrimaryUnavailableException|Registering birth|is still scheduled after 60 s|ETIMEDOUT [^ ]+\.cloud-west|unknown domain: files\.cdn|198\.51\.100\.40:16601/,
})

describe('the changes of the twenty-sixth generation', () => {
  it('what is to be launched is forgotten at every error: more is begun from nothing, and more and more fails', () => {
    for (const one of incidentsOf('wiped-launch')) {
      const { entity } = one.truth
      const reset = gauge(one, 'launches_reset_total:rate1m', entity)
      expect(valueAt(reset, one, -25)).toBeLessThan(2)
      expect(valueAt(reset, one, 8)).toBeGreaterThan(20 * LAUNCHES_RESET)
      expect(causeOf(one)?.diff).toContain("-  if (phase === 'before-launch') launch.reset()")
    }
    for (const one of known('wiped-launch')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(0.25)
    }
  }, 120_000)

  it('reports that are hidden with others: many rows are written once, and what they were is not there for who asks', () => {
    for (const one of incidentsOf('hidden-reports')) {
      const { entity } = one.truth
      const shown = gauge(one, 'reports_shown', entity)
      expect(valueAt(shown, one, -5)).toBeGreaterThan(0.85 * REPORTS_SHOWN)
      expect(valueAt(shown, one, 6)).toBeLessThan(0.7 * REPORTS_SHOWN)
      const written = named(one, 'mysql_global_status_innodb_row_ops_total:rate1m').filter(
        (series) => valueAt(series, one, 0.5) > 10 * ROWS_UPDATED,
      )
      expect(written.length).toBeGreaterThan(0)
      expect(causeOf(one)?.diff).toContain('+UPDATE report SET approved = 0')
    }
    for (const one of known('hidden-reports')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 5, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('a locale that nobody has: orders of one country are half as many, and few of all requests fail', () => {
    for (const one of incidentsOf('unmatched-locale')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'locale_fallbacks_total:rate1m', entity), one, 5)).toBeGreaterThan(
        20 * FALLBACKS,
      )
      const orders = labelled(one, 'orders_completed_total:rate1m', entity, 'locale', 'en-GB')
      expect(valueAt(orders, one, 5)).toBeLessThan(0.55 * ORDERS)
      expect(causeOf(one)?.diff).toContain("+  GB: 'en-UK',")
    }
    for (const one of known('unmatched-locale')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 4, 14)).toBeGreaterThan(0.1)
      expect(failing(one, to, 4, 14)).toBeLessThan(0.4)
    }
  }, 120_000)

  it('addresses that no cache knows: all of it goes to who makes it, and half of that is taken for gone', () => {
    for (const one of incidentsOf('sorted-addresses')) {
      const { entity } = one.truth
      const hits = gauge(one, 'fastly_rt_hits_total:rate1m', STYLE_EDGE)
      expect(valueAt(hits, one, -5)).toBeGreaterThan(0.8 * EDGE_HITS)
      expect(valueAt(hits, one, 4)).toBeLessThan(0.3 * EDGE_HITS)
      expect(valueAt(gauge(one, 'fastly_rt_miss_total:rate1m', STYLE_EDGE), one, 4)).toBeGreaterThan(
        5 * EDGE_MISSES,
      )
      const out = named(one, 'haproxy_backend_active_servers').filter(
        (series) =>
          series.entity === STYLE_BALANCER &&
          valueAt(series, one, 5) < 0.7 * valueAt(series, one, -0.5) &&
          valueAt(series, one, 12) < 0.7 * valueAt(series, one, -0.5),
      )
      expect(out).toHaveLength(1)
      expect(causeOf(one)?.diff).toContain('+    names = kit.families.map(&:slug).sort')
      expect(entity).not.toBe(out[0]?.labels.proxy)
    }
    for (const one of known('sorted-addresses')) {
      const to = ({ caller }: held.Called): boolean => caller === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(grew(one, to, 2, 8)).toBeGreaterThan(1.3)
      const slower = partners(one, to, 'callee').filter(
        (callee) => took(one, callee, 3, 12) > 2 * took(one, callee, -30, -5),
      )
      expect(slower.length).toBeGreaterThan(0)
    }
  }, 120_000)

  it('what is not handed on: who is changed is well and writes less, and who shows it has nothing', () => {
    for (const one of incidentsOf('unposted-work')) {
      const { entity } = one.truth
      const posted = gauge(one, 'classifications_posted_total:rate1m', entity)
      expect(valueAt(posted, one, -25)).toBeGreaterThan(0.5 * POSTED)
      expect(valueAt(posted, one, 5)).toBeLessThan(0.6 * POSTED)
      const fewer = named(one, 'pg_stat_user_tables_n_tup_ins:rate1m').filter(
        (series) =>
          valueAt(series, one, 5) < 0.55 * ROWS_INSERTED && valueAt(series, one, 12) < 0.55 * ROWS_INSERTED,
      )
      expect(fewer.length).toBeGreaterThan(0)
      expect(causeOf(one)?.diff).toContain('+  if (done.links.set !== undefined) queue.add')
    }
    for (const one of known('unposted-work')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 4, 14)).toBeLessThan(0.05)
      const showing = one.snapshot.edges
        .map(({ callee }) => callee)
        .filter((callee) => perMinute(one, (edge) => edge.callee === callee, -20, -2) > 0)
        .filter((callee) => failing(one, (edge) => edge.callee === callee, 5, 14) > 0.3)
      expect(showing.length).toBeGreaterThan(0)
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-sixth generation', () => {
  it('members that fall one after the other: all of them begin anew, again and again', () => {
    for (const one of incidentsOf('falling-primaries')) {
      const { entity } = one.truth
      for (const place of [1, 2, 3]) {
        const uptime = gauge(one, 'mongodb_instance_uptime_seconds', memberOf(entity, place))
        expect(valueAt(uptime, one, -5)).toBeGreaterThan(3_600)
        const later = uptime.values.slice(-8)
        expect(Math.max(...later)).toBeLessThan(120)
      }
    }
    for (const one of known('falling-primaries')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.5)
      expect(failing(one, to, 1, 14)).toBeLessThan(0.97)
    }
  }, 120_000)

  it('jobs that are too large: what gives them out is killed again and again, and nothing is done in time', () => {
    for (const one of incidentsOf('laden-jobs')) {
      expect(one.truth.entity).toBe(JOB_SCHEDULER)
      expect(valueAt(labelled(one, 'rq_jobs', QUEUE_STORE, 'queue', 'mails'), one, 3)).toBeGreaterThan(
        4 * WAITING_JOBS,
      )
      expect(valueAt(gauge(one, 'redis_memory_used_bytes', QUEUE_STORE), one, 3)).toBeGreaterThan(
        3 * QUEUE_MEMORY,
      )
      const memory = gauge(one, 'container_memory_working_set_bytes', JOB_SCHEDULER)
      expect(Math.max(...memory.values)).toBeGreaterThan(3.5 * SCHEDULER_MEMORY)
      const restarts = gauge(one, 'kube_pod_container_status_restarts_total:increase10m', JOB_SCHEDULER)
      expect(valueAt(restarts, one, -5)).toBeLessThan(0.5)
      expect(valueAt(restarts, one, 10)).toBeGreaterThan(4)
    }
    for (const one of known('laden-jobs')) {
      // Edges of the root are left out where nobody calls it.
      const to = ({ callee }: held.Called): boolean =>
        failing(one, (edge) => edge.callee === callee, 6, 14) > 0.4
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(perMinute(one, to, 6, 14)).toBeGreaterThan(0)
    }
  }, 120_000)

  it('a provider that is gone: its panel, its machines and all that ran there say nothing any more', () => {
    for (const one of incidentsOf('vanished-cloud')) {
      expect(one.truth.entity).toBe(CLOUD)
      const panel = named(one, 'probe_success').find((series) => series.entity === CLOUD) as Series
      expect(valueAt(panel, one, -5)).toBeGreaterThan(0.9)
      expect(valueAt(panel, one, 5)).toBe(0)
      for (const host of [...CLOUD_HOSTS, COPY_HOST])
        expect(valueAt(gauge(one, 'node_uptime_seconds', host), one, 2)).toBeNaN()
      const gone = named(one, 'up').filter((series) => valueAt(series, one, 5) === 0)
      expect(gone.length).toBeGreaterThan(0)
    }
    for (const one of known('vanished-cloud')) {
      const gone = named(one, 'up')
        .filter((series) => valueAt(series, one, 5) === 0 && valueAt(series, one, 12) === 0)
        .map(({ entity }) => entity)
      const to = ({ callee }: held.Called): boolean => gone.includes(callee)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('files that are not carried: more and more answers are errors, and who needs the files fails with them', () => {
    for (const one of incidentsOf('stray-setting')) {
      expect(one.truth.entity).toBe(FILE_CDN)
      const broken = labelled(one, 'fastly_rt_status_group_total:rate1m', FILE_CDN, 'status_group', '5xx')
      expect(valueAt(broken, one, -25)).toBeLessThan(20 * NOT_CARRIED)
      expect(valueAt(broken, one, 2)).toBeLessThan(valueAt(broken, one, 10))
      expect(valueAt(broken, one, 12)).toBeGreaterThan(0.5 * CARRIED)
    }
    for (const one of known('stray-setting')) {
      const to = ({ callee }: held.Called): boolean =>
        failing(one, (edge) => edge.callee === callee, 11, 14) > 0.45
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(perMinute(one, to, 6, 14)).toBeGreaterThan(0)
    }
  }, 120_000)

  it('a database whose hoster is away: it and another there do not answer, and the panel is back before them', () => {
    for (const one of incidentsOf('lost-hoster')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'db_up', NIGHT_DATABASE), one, 5)).toBe(0)
      const panel = named(one, 'probe_success').find((series) => series.entity === DATABASE_HOSTER) as Series
      expect(valueAt(panel, one, -5)).toBeGreaterThan(0.9)
      expect(valueAt(panel, one, 5)).toBe(0)
      expect(valueAt(gauge(one, 'db_up', entity), one, 12)).toBe(0)
    }
    for (const one of known('lost-hoster')) {
      const name = calledAmong(one)
      const to = ({ callee }: held.Called): boolean => callee === name
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)
})
