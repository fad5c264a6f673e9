import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Change, KubernetesRecord, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

const id = (letter: string): string => letter.repeat(40)
/** A change whose diff fits nothing that is observed. */
const PLAIN = '@@ page.ts @@\n-  return page(items, count)\n+  return page(items, items.length)'
const shipped = (
  letter: string,
  minute: number,
  service: string,
  diff = PLAIN,
  file = `${service}/page.ts`,
): Change[] => [
  { ...commit(id(letter), minute - 5, 'Name a size', [file], diff), entity: service },
  deploy(`rollout-${letter}`, minute, service, letter, [id(letter)]),
]
const job = (minute: number, kind: string, name: string): KubernetesRecord => ({
  source: 'k8s',
  timestamp: at(minute),
  kind,
  name,
  reason: 'SuccessfulCreate',
})

/** `till` and `audit` both use `ledger`, which fails; what is said depends on the case. */
const scene = (says: string, changes: readonly Change[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  entities: [{ name: 'ledger', kind: 'datastore', aliases: [] }],
  alerts: [alert('till', 'http_5xx_ratio')],
  series: [
    series('till', 'http_5xx_ratio', 0.003, 0.4),
    series('ledger', 'http_5xx_ratio', 0.003, 0.5),
    series('ledger', 'db_connections_active', 20, 98),
    series('audit', 'http_5xx_ratio', 0.003, 0.3),
  ],
  edges: [
    ...calls('web', 'till', 0.4),
    ...calls('till', 'ledger', 0.5),
    ...calls('audit', 'ledger', 0.5),
    ...calls('till', 'mail'),
  ],
  logs: [...lines('till', 'ERROR', says, ONSET), ...lines('audit', 'ERROR', says, ONSET)],
  changes,
  ...more,
})
const LOCKED = 'Lock wait timeout exceeded; try restarting transaction'
const named = (snapshot: Snapshot) => investigate(snapshot)

describe('who uses what fails otherwise than before', () => {
  const rewrites = '+++ b/audit/migrations/7.sql\n+ALTER TABLE entry ALTER COLUMN amount TYPE numeric(20,4);'
  const migration = (minute: number): Change[] =>
    shipped('m', minute, 'audit', rewrites, 'audit/migrations/7.sql')

  it('is whose delivery changed what is stored there, before those who were delivered next to it', () => {
    const found = named(scene(LOCKED, [...migration(ONSET - 2), ...shipped('a', ONSET - 3, 'till')]))
    expect(found.cause).toMatchObject({ level: 'change', change: id('m'), entity: 'ledger' })
    expect(found.remediation.action).toBe('roll_forward')
  })

  it('is asked when its work was done, where the platform wrote that down', () => {
    const k8s = [job(ONSET - 1, 'Job', 'audit-migrate-7')]
    const found = named(scene(LOCKED, migration(ONSET - 40), { k8s }))
    expect(found.cause.change).toBe(id('m'))
    expect(found.cause.since).toBe(new Date(at(ONSET - 1)).toISOString())
    expect(found.evidence.map(({ content }) => content).join('\n')).toContain('Job audit-migrate-7')
  })

  it('is nobody who did so after it failed, or whose store is another', () => {
    expect(named(scene(LOCKED, migration(ONSET + 5))).cause.change).toBeNull()
    const other = shipped('m', ONSET - 2, 'web', rewrites, 'web/migrations/7.sql')
    expect(named(scene(LOCKED, other)).cause.change).not.toBe(id('m'))
  })

  const nightly = (schedule: string): Change => ({
    ...commit(
      id('j'),
      ONSET - 50,
      'Reports for everybody',
      ['live/audit/jobs/all-reports.yaml'],
      `+kind: CronJob\n+name: all-reports\n+schedule: "${schedule}"`,
    ),
    kind: 'config',
    effective_at: { from: at(ONSET - 49), to: at(ONSET - 49) },
  })

  it('is who added a job whose first run came just before, however long ago it was added', () => {
    for (const k8s of [[job(ONSET, 'CronJob', 'all-reports')], []]) {
      const found = named(
        scene(LOCKED, [nightly('30 9 * * *'), ...shipped('a', ONSET - 12, 'till')], { k8s }),
      )
      expect(found.cause).toMatchObject({ level: 'change', change: id('j'), entity: 'ledger' })
    }
  })

  it('is at most possible where nothing says that the job was taken over, though it was due', () => {
    const { effective_at: _, ...merged } = nightly('30 9 * * *')
    const found = named(scene(LOCKED, [merged]))
    const hypothesis = found.hypotheses.find(({ cause }) => cause.change === id('j'))
    expect(hypothesis?.statement).toContain('at work at 2026-03-02 09:30:00 UTC')
    expect(hypothesis?.confidence).toBeLessThanOrEqual(0.6)
  })

  it('is less sure the more often that job ran without harm', () => {
    const confidence = (minutes: readonly number[]): number => {
      const k8s = minutes.map((minute) => job(minute, 'CronJob', 'all-reports'))
      const found = named(scene(LOCKED, [nightly('0 1 1 1 *'), ...shipped('a', ONSET - 4, 'till')], { k8s }))
      return found.hypotheses.find(({ cause }) => cause.change === id('j'))?.confidence ?? 0
    }
    const seldom = confidence([ONSET])
    expect(seldom).toBeGreaterThan(0)
    expect(confidence([50, 58, 66, 74, 82, ONSET])).toBeLessThanOrEqual(seldom)
  })
})

describe('the record of a resource that fails', () => {
  const record = (title: string, minute = ONSET - 3): Change => ({
    source: 'cloud',
    id: id('r'),
    recorded_at: at(minute),
    kind: 'infra',
    title,
  })

  it.each([
    ['RevokeSecurityGroupIngress ledger', 'connect ETIMEDOUT 10.3.0.9:5432'],
    ['Parameter group of ledger: max_connections', 'FATAL: sorry, too many clients already'],
    ['kv/live/ledger/teller', "ERROR 1045 (28000): Access denied for user 'teller'@'10.0.0.4'"],
  ])('%s explains %s', (title, says) => {
    const found = named(scene(says, [record(title), ...shipped('a', ONSET - 20, 'till')]))
    expect(found.cause).toMatchObject({ level: 'change', change: id('r') })
  })

  it('may be a file in a repository of settings that names the resource, or declares it', () => {
    const written = (files: readonly string[], diff: string): Change => ({
      ...commit(id('r'), ONSET - 4, 'Tidy', files, diff),
      entity: 'all-settings',
      effective_at: { from: at(ONSET - 1), to: at(ONSET - 1) },
    })
    const rule = ' kind: NetworkPolicy\n-    - from: {app: till}\n+    - from: {app: audit}'
    const group = '@@ resource "aws_security_group_rule" "ledger" {\n-  to_port = 5432\n+  to_port = 5433'
    for (const change of [written(['net/ledger.yaml'], rule), written(['net/main.tf'], group)]) {
      const found = named(
        scene('connect ETIMEDOUT 10.3.0.9:5432', [change, ...shipped('a', ONSET - 20, 'till')]),
      )
      expect(found.cause).toMatchObject({ level: 'change', change: id('r'), entity: 'ledger' })
    }
  })

  it('leaves it open whether none is the cause, where nothing says how it could be', () => {
    const says = 'connect ECONNREFUSED 10.3.0.9:5432'
    const alone = named(scene(says, shipped('a', 20, 'till')))
    expect(alone.cause).toMatchObject({ kind: 'infra', change: null })
    const near = [record('Labels of ledger', ONSET - 12), ...shipped('a', ONSET - 4, 'till')]
    const contested = named(scene(says, near))
    expect(contested.confidence).toBeLessThan(0.5)
    expect(contested.confidence).toBeLessThan(alone.confidence)
  })

  it('explains nothing of another resource, or of what began before it', () => {
    const says = 'connect ETIMEDOUT 10.3.0.9:5432'
    for (const change of [record('Security group of mail'), record('Security group of ledger', ONSET + 4)])
      expect(named(scene(says, [change])).cause.change).toBeNull()
  })

  it('is missed where credentials are refused: what led there is then not known, and the kind at most possible', () => {
    const says = 'FATAL: password authentication failed for user "teller"'
    const found = named(scene(says, shipped('a', 20, 'till')))
    expect(found.cause).toMatchObject({ kind: 'config', change: null })
    expect(found.confidence).toBeLessThan(0.5)
  })
})

describe('what cannot be read', () => {
  const unreadable = (says: string, changes: readonly Change[]): Snapshot => ({
    ...EMPTY,
    alerts: [alert('till', 'http_5xx_ratio')],
    series: [series('till', 'http_5xx_ratio', 0.003, 0.4), series('rates', 'http_5xx_ratio', 0.003, 0.003)],
    edges: [...calls('web', 'till', 0.4), ...calls('till', 'rates'), ...calls('till', 'mail')],
    logs: lines('till', 'ERROR', says, ONSET),
    changes,
  })
  const GO = 'json: cannot unmarshal string into Go struct field Rate.factor of type float64'
  const retyped = '-    factor: rate.factor,\n+    factor: rate.factor.toString(),'

  it('was written by whom the reader asks, so a change of what is answered there comes first', () => {
    const changes = [...shipped('w', ONSET - 6, 'rates', retyped), ...shipped('a', ONSET - 2, 'till')]
    const found = named(unreadable(GO, changes))
    expect(found.cause).toMatchObject({ level: 'change', change: id('w'), entity: 'rates' })
    expect(found.hypotheses[0]?.statement).toContain('puts something else into a field that others read')
  })

  it('says nothing of whom the reader asks where it fails otherwise', () => {
    const changes = [...shipped('w', ONSET - 6, 'rates', retyped), ...shipped('a', ONSET - 2, 'till')]
    const found = named(unreadable('cannot assign requested address', changes))
    expect(found.cause.change).not.toBe(id('w'))
  })
})
