import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { MAIL_BROKER } from './eleventh-surroundings.ts'
import { TWENTY_SECOND_CHANGED } from './twenty-second-changed-faults.ts'
import {
  AGENT_RESTARTS,
  AUTH_AGENT,
  AUTH_HOST,
  BALANCER,
  CERTIFIED_S,
  CONNECTIONS,
  ENSEMBLE,
  ENSEMBLE_MEMBERS,
  FOLLOWED_LIMIT,
  FREE_BLOCKS,
  HOST_CONFIG,
  MAIL_SENDER,
  MAILS,
  METAL_HOSTS,
  NOT_GIVEN,
  QUORUM,
  REFUSED_CHANGES,
  SESSIONS,
  SIGN_UPS,
  STALLED,
  UNROUTABLE,
} from './twenty-second-surroundings.ts'
import { TWENTY_SECOND_UNCHANGED } from './twenty-second-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const TWENTY_SECOND = held.generationOf(TWENTY_SECOND_CHANGED, TWENTY_SECOND_UNCHANGED, 41_000_000)
const { incidentsOf, known } = TWENTY_SECOND

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

const calleesOf = (one: Incident, caller: string): readonly string[] =>
  partners(one, (edge) => edge.caller === caller, 'callee')

/** Share of the calls between two parts that failed, in some minutes around the beginning. */
const between = (one: Incident, caller: string, callee: string, from_min: number, to_min: number): number =>
  failing(one, (edge) => edge.caller === caller && edge.callee === callee, from_min, to_min)

/** Services whose series by some name is above a level, some minutes after the beginning. */
const above = (one: Incident, name: string, level: number, minutes: number): readonly string[] =>
  named(one, name)
    .filter((series) => valueAt(series, one, minutes) > level)
    .map((series) => series.entity)

held.describeBlindGeneration(TWENTY_SECOND, {
  called: 'twenty-second',
  same_seed: 'refused-changes',
  scored: [
    ['discarded-mails', 40_000_001, '4655fb6d22302ce4'],
    ['coordination-upgrade', 40_000_004, 'cd98ba8c97e64624'],
    ['unrenewed-certificate', 40_000_005, '2aa2d0b5b9186e9b'],
    ['full-balancer', 40_000_007, '6ee62a1dc8748a39'],
    ['many-sign-ups', 40_000_008, '494f0a36260e4494'],
  ],
  measured: [
    'pms_changes_total:rate1m',
    'pms_events_received_total:rate1m',
    'mails_awaited_total:rate1m',
    'kube_pod_container_status_restarts_total:increase10m',
    'sends_stalled',
    'probe_ssl_earliest_cert_expiry:remaining',
    'receipts_waiting',
    'ltmVirtualServStatClientTotConns:rate1m',
    'users_signed_up_total:rate1m',
    'http_client_requests_seconds_count:rate1m',
    'mysql_global_status_threads_running',
    'mysql_global_status_questions:rate1m',
    'rabbitmq_channel_messages_published_total:rate1m',
    'rabbitmq_channel_messages_unroutable_dropped_total:rate1m',
    'mails_sent_total:rate1m',
    'node_nf_conntrack_entries_limit',
    'node_nf_conntrack_entries',
    'quorum_size',
    'num_alive_connections',
    'outstanding_requests',
    'node_systemd_unit_state',
    'node_systemd_service_restart_total',
    'sysHostDiskFreeBlocks',
  ],
  delays: {
    'refused-changes': 1,
    'discarded-mails': 4,
    'stalled-senders': 7,
    'misconfigured-hosts': 1,
    'coordination-upgrade': 0.5,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'how an interface speaks': ({ files }) =>
      files?.some((file) => file.endsWith('/pms-interface.yaml')) === true,
    'how mails are handed on': ({ files }) =>
      files?.some((file) => file.endsWith('/MailQueue.java')) === true,
    'how links are counted': ({ files }) => files?.some((file) => file.endsWith('/LinkTracking.cs')) === true,
    'settings of machines': ({ files }) =>
      files?.some((file) => file.endsWith('/90-network.conf.j2')) === true,
    'an upgrade of an ensemble': ({ title }) => title?.endsWith(': planned upgrade of its members') === true,
    'how objects are read': ({ files }) => files?.some((file) => file.endsWith('/object-reader.ts')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /certificate verify failed|auth-agent\.service|ECONNREFUSED 10\.40\.3\.9|011d0004|No space left on device|ECONNRESET \(virtual .* of ltm-1\)|sign-up of a provider|ER_CON_COUNT_ERROR|-api\.example\/v1\/objects/,
})

describe('the changes of the twenty-second generation', () => {
  it('settings by which no change is taken: an outside party refuses one service, and is well for others', () => {
    for (const one of incidentsOf('refused-changes')) {
      const { entity } = one.truth
      const refused = labelled(one, 'pms_changes_total:rate1m', entity, 'result', 'refused')
      expect(valueAt(refused, one, 6)).toBeGreaterThan(20 * REFUSED_CHANGES)
      expect(valueAt(gauge(one, 'pms_events_received_total:rate1m', entity), one, 6)).toBeGreaterThan(3)
      expect(causeOf(one)?.diff).toContain('+  mode: inboundOnly')
    }
    for (const one of known('refused-changes')) {
      const { entity } = one.truth
      const provider = calleesOf(one, entity).find((callee) => callee.endsWith('-api')) as string
      expect(between(one, entity, provider, -20, -2)).toBeLessThan(0.05)
      expect(between(one, entity, provider, 4, 14)).toBeGreaterThan(0.4)
      for (const other of callersOf(one, provider).filter((caller) => caller !== entity))
        expect(between(one, other, provider, 4, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('mails that are thrown away: who is changed answers as ever, and who asks it fails in the end', () => {
    for (const one of incidentsOf('discarded-mails')) {
      const name = 'rabbitmq_channel_messages_unroutable_dropped_total:rate1m'
      const dropped = labelled(one, name, MAIL_BROKER, 'exchange', 'mails')
      expect(valueAt(dropped, one, -20)).toBeLessThan(100 * UNROUTABLE)
      expect(valueAt(dropped, one, 6)).toBeGreaterThan(0.9 * MAILS)
      const sent = labelled(one, 'mails_sent_total:rate1m', MAIL_SENDER, 'kind', 'triggered')
      expect(valueAt(sent, one, 6)).toBeLessThan(0.1)
      const published = labelled(
        one,
        'rabbitmq_channel_messages_published_total:rate1m',
        MAIL_BROKER,
        'exchange',
        'mails',
      )
      expect(valueAt(published, one, 6)).toBeGreaterThan(0.7 * MAILS)
      expect(causeOf(one)?.diff).toContain('+    bridge.send("mails-out-0", mail);')
    }
    for (const one of known('discarded-mails')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, 0, 14)).toBeLessThan(0.05)
      expect(grew(one, to, 5, 14)).toBeGreaterThan(0.85)
      for (const asking of callersOf(one, entity)) {
        const asked = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, asked, -20, -2) > 0) expect(failing(one, asked, 5, 14)).toBeGreaterThan(0.3)
      }
    }
  }, 120_000)

  it('senders that stop again and again: pods of one service are made anew, and what they sent is stuck', () => {
    for (const one of incidentsOf('stalled-senders')) {
      const { entity } = one.truth
      const restarts = gauge(one, 'kube_pod_container_status_restarts_total:increase10m', entity)
      expect(valueAt(restarts, one, 9)).toBeGreaterThan(5)
      expect(valueAt(gauge(one, 'sends_stalled', entity), one, 9)).toBeGreaterThan(100 * STALLED)
      expect(causeOf(one)?.diff).toContain('depth + 1')
    }
    for (const one of known('stalled-senders')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      // Well for the minutes between the release and the first stop.
      expect(failing(one, to, -20, -0.5)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.25)
      expect(failing(one, to, 1, 14)).toBeLessThan(0.95)
    }
  }, 120_000)

  it('wrong settings on some machines: pods there fail, and those of the same services elsewhere are well', () => {
    for (const one of incidentsOf('misconfigured-hosts')) {
      expect(one.truth.entity).toBe(HOST_CONFIG)
      const hit = METAL_HOSTS.filter((host) => one.truth.also?.entities.includes(host))
      expect(hit).toHaveLength(2)
      for (const host of METAL_HOSTS) {
        const limit = gauge(one, 'node_nf_conntrack_entries_limit', host)
        expect(valueAt(limit, one, -20)).toBeGreaterThan(0.9 * FOLLOWED_LIMIT)
        if (hit.includes(host)) expect(valueAt(limit, one, 3)).toBeLessThan(0.02 * FOLLOWED_LIMIT)
        else expect(valueAt(limit, one, 3)).toBeGreaterThan(0.9 * FOLLOWED_LIMIT)
      }
      expect(causeOf(one)?.diff).toContain('default(4096)')
    }
    for (const one of known('misconfigured-hosts')) {
      const shares = partners(one, () => true, 'callee')
        .filter((part) => calleesOf(one, part).length > 0 && !part.startsWith('partner-'))
        .map((part) => failing(one, ({ callee }) => callee === part, 3, 14))
      expect(shares.filter((share) => share > 0.15 && share < 0.97).length).toBeGreaterThan(0)
    }
  }, 120_000)

  it('an ensemble that has fallen apart: its members are alone, and services that look there wait and fail', () => {
    for (const one of incidentsOf('coordination-upgrade')) {
      expect(one.truth.entity).toBe(ENSEMBLE)
      for (const member of ENSEMBLE_MEMBERS) {
        const quorum = gauge(one, 'quorum_size', member)
        expect(valueAt(quorum, one, -5)).toBeGreaterThan(0.9 * QUORUM)
        expect(valueAt(quorum, one, 3)).toBeLessThan(0.5 * QUORUM)
        expect(valueAt(gauge(one, 'num_alive_connections', member), one, 6)).toBeLessThan(0.2 * SESSIONS)
      }
      expect(causeOf(one)?.title).toBe(`${ENSEMBLE}: planned upgrade of its members`)
    }
    for (const one of known('coordination-upgrade')) {
      const hit = above(one, 'sends_stalled', 100 * STALLED, 6)
      expect(hit.length).toBeGreaterThan(0)
      for (const name of hit) {
        const to = ({ callee }: held.Called): boolean => callee === name
        if (perMinute(one, to, -20, -2) === 0) continue
        expect(failing(one, to, -20, -2)).toBeLessThan(0.05)
        expect(failing(one, to, 5, 14)).toBeGreaterThan(0.25)
        expect(took(one, name, 5, 14)).toBeGreaterThan(1.3 * took(one, name, -30, -5))
      }
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-second generation', () => {
  it('a certificate that ended: nobody who looks at it speaks with that service, which is hardly asked', () => {
    for (const one of incidentsOf('unrenewed-certificate')) {
      const { entity } = one.truth
      const name = 'probe_ssl_earliest_cert_expiry:remaining'
      expect(valueAt(gauge(one, name, entity), one, -10)).toBeLessThan(700)
      expect(valueAt(gauge(one, name, entity), one, 3)).toBeLessThan(0)
      expect(above(one, name, 0.9 * CERTIFIED_S, 3).length).toBeGreaterThan(2)
    }
    for (const one of known('unrenewed-certificate')) {
      const { entity } = one.truth
      for (const asking of callersOf(one, entity)) {
        expect(between(one, asking, entity, -20, -1)).toBeLessThan(0.05)
        expect(between(one, asking, entity, 3, 14)).toBeGreaterThan(0.9)
      }
      const by = ({ caller }: held.Called): boolean => caller === entity
      if (perMinute(one, by, -20, -2) > 0) {
        expect(grew(one, by, 3, 14)).toBeLessThan(0.3)
        expect(failing(one, by, 3, 14)).toBeLessThan(0.05)
      }
    }
  }, 120_000)

  it('what says who is who is gone: it is begun anew and given up, and who needs it keeps what it has', () => {
    for (const one of incidentsOf('crashed-agent')) {
      expect(one.truth.entity).toBe(AUTH_AGENT)
      expect(valueAt(gauge(one, 'up', AUTH_AGENT), one, 2)).toBe(0)
      expect(valueAt(gauge(one, 'node_systemd_unit_state', AUTH_HOST), one, 2)).toBeGreaterThan(0.9)
      const restarts = gauge(one, 'node_systemd_service_restart_total', AUTH_HOST)
      expect(valueAt(restarts, one, 2)).toBeGreaterThan(3 * AGENT_RESTARTS)
    }
    for (const one of known('crashed-agent')) {
      const hit = above(one, 'receipts_waiting', 300, 8)
      expect(hit.length).toBeGreaterThan(0)
      for (const name of hit) {
        const to = ({ callee }: held.Called): boolean => callee === name
        if (perMinute(one, to, -20, -1) === 0) continue
        expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
        expect(failing(one, to, 2, 14)).toBeGreaterThan(0.35)
      }
    }
  }, 120_000)

  it('a full balancer: calls to one service break off time and again, and both ends of them are well', () => {
    for (const one of incidentsOf('full-balancer')) {
      expect(one.truth.entity).toBe(BALANCER)
      const free = gauge(one, 'sysHostDiskFreeBlocks', BALANCER)
      expect(valueAt(free, one, -35)).toBeGreaterThan(0.7 * FREE_BLOCKS)
      expect(valueAt(free, one, 1)).toBeLessThan(0.01 * FREE_BLOCKS)
      const fallen = named(one, 'ltmVirtualServStatClientTotConns:rate1m').filter(
        (series) => valueAt(series, one, 8) < 0.75 * CONNECTIONS,
      )
      expect(fallen).toHaveLength(1)
    }
    for (const one of known('full-balancer')) {
      const [fallen] = named(one, 'ltmVirtualServStatClientTotConns:rate1m').filter(
        (series) => valueAt(series, one, 8) < 0.75 * CONNECTIONS,
      )
      const behind = fallen?.labels.ltmVirtualServStatName?.replace('/Common/', '') as string
      for (const asking of callersOf(one, behind)) {
        expect(between(one, asking, behind, -20, -1)).toBeLessThan(0.05)
        expect(between(one, asking, behind, 4, 14)).toBeGreaterThan(0.2)
        expect(between(one, asking, behind, 4, 14)).toBeLessThan(0.8)
      }
      expect(failing(one, ({ caller }) => caller === behind, 4, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('more people than ever: there are more calls, and a store takes far longer for all who ask it', () => {
    for (const one of incidentsOf('many-sign-ups')) {
      const signing = gauge(one, 'users_signed_up_total:rate1m', one.truth.entity)
      expect(valueAt(signing, one, 8)).toBeGreaterThan(4 * SIGN_UPS)
    }
    for (const one of known('many-sign-ups')) {
      const { entity } = one.truth
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      expect(grew(one, ({ caller }) => caller === entity, 8, 14)).toBeGreaterThan(1.5)
      expect(took(one, store, 8, 14)).toBeGreaterThan(3 * took(one, store, -30, -5))
      expect(failing(one, ({ callee }) => callee === store, 8, 14)).toBeGreaterThan(0.2)
    }
  }, 120_000)

  it('a host of data that gives nothing: an outside party refuses all who ask it, by two sorts of errors', () => {
    for (const one of incidentsOf('withheld-objects')) {
      expect(one.truth.entity.endsWith('-api')).toBe(true)
      for (const status of ['401', '500']) {
        const series = named(one, 'http_client_requests_seconds_count:rate1m').filter(
          ({ labels }) => labels.status === status && labels.uri === '/v1/objects',
        )
        const hit = series.filter((each) => valueAt(each, one, 4) > 50 * NOT_GIVEN)
        expect(hit.length, status).toBeGreaterThan(0)
      }
    }
    for (const one of known('withheld-objects')) {
      const { entity } = one.truth
      for (const asking of callersOf(one, entity)) {
        expect(between(one, asking, entity, -20, -1)).toBeLessThan(0.05)
        expect(between(one, asking, entity, 2, 14)).toBeGreaterThan(0.85)
      }
    }
  }, 120_000)
})
