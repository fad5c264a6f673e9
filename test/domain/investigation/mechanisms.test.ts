import { describe, expect, it } from 'vitest'
import { isManifestOnly, MECHANISMS } from '#shared/domain/investigation/mechanisms.ts'
import { readDiff } from '#shared/domain/investigation/read-diff.ts'

/** What each mechanism looks like in a diff, what is then logged, and a diff like it that is harmless. */
const EXAMPLES: Readonly<
  Record<string, { diff: string; symptom: string; harmless: string; files?: string[] }>
> = {
  ceiling: {
    diff: '-threads.max=200\n+threads.max=20',
    symptom: 'no available thread, task rejected, worker pool empty',
    harmless: '-threads.max=200\n+threads.max=220',
  },
  timeout: {
    diff: '-  read_timeout: 5s\n+  read_timeout: 200ms',
    symptom: 'context deadline exceeded',
    harmless: '-  read_timeout: 5s\n+  read_timeout: 6s',
  },
  retries: {
    diff: '-  MaxAttempts: 8,\n+  MaxAttempts: 2,',
    symptom: 'gave up after 2 attempts',
    harmless: '-  MaxAttempts: 8,\n+  MaxAttempts: 9,',
  },
  locking: {
    diff: '-  mu.Lock()\n-  defer mu.Unlock()',
    symptom: 'fatal error: concurrent map iteration',
    harmless: '-  run(a)\n+  run(b)',
  },
  'lock-added': {
    diff: '-SELECT * FROM stock\n+SELECT * FROM stock FOR UPDATE',
    symptom: 'could not obtain lock on row',
    harmless: '-SELECT 1\n+SELECT 2',
  },
  guard: {
    diff: '-  if (user == null) return guest\n   user.name',
    symptom: 'java.lang.NullPointerException',
    harmless: '-  if (user == null) return guest\n+  if (user === null) return guest',
  },
  'call-removed': {
    diff: '-  registerHandlers(bus)\n   bus.start()',
    symptom: 'no handler for event',
    harmless: '-  log.info("starting")',
  },
  contract: {
    diff: '-  string full_name = 2;\n+  string display_name = 2;',
    symptom: 'unknown field full_name',
    harmless: '-  run()\n+  walk()',
    files: ['proto/user.proto'],
  },
  'field-value': {
    diff: '-    weight: parcel.weight,\n+    weight: String(parcel.weight),',
    symptom: 'InvalidFormatException: Cannot deserialize value of type double',
    harmless: '-    weight: 5,\n+    weight: 6,',
  },
  query: {
    diff: '-  users.includes(:posts)\n+  users.each { |user| Post.find_all(user) }\n+  for user in users: db.select(user)',
    symptom: 'slow query: 900 queries in one request',
    harmless: '-  a = 1\n+  a = 2',
  },
  index: {
    diff: "+    op.drop_index('ix_invoice_customer', table_name='invoice')",
    symptom: 'Query execution was interrupted, maximum statement execution time exceeded',
    harmless: '+    CREATE INDEX CONCURRENTLY invoice_customer ON invoice (customer);',
  },
  'own-work': {
    diff: '+  ScheduleExpression: "rate(10 minutes)"',
    symptom: 'process 71 still waiting for ShareLock on transaction 99: waiting for lock',
    harmless: '+  schedule: see the calendar of the team',
  },
  batching: {
    diff: '-  client.bulk(items)\n+  client.put(item)',
    symptom: 'too many requests, throttled',
    harmless: '-  client.bulk(items)\n+  client.bulk(list)',
  },
  caching: {
    diff: '-  return cache.fetch(key) { load(key) }\n+  return load(key)',
    symptom: 'cache miss rate at 100 percent',
    harmless: '-  cache.fetch(a)\n+  cache.fetch(b)',
  },
  leak: {
    diff: '-  defer rows.Close()\n   rows.Next()',
    symptom: 'too many open files',
    harmless: '-  rows.Close()\n+  rs.Close()',
  },
  volume: {
    diff: '-  level: info\n+  level: debug',
    symptom: 'write failed: no space left on device',
    harmless: '-  level: info\n+  level: warn',
  },
  address: {
    diff: '-  host: db.prod\n+  host: db.test',
    symptom: 'connect: connection refused',
    harmless: '-  MaxIdleConnsPerHost: 8\n+  MaxIdleConnsPerHost: 9',
  },
  'network-rule': {
    diff: ' kind: NetworkPolicy\n   ingress:\n-    - from: [shop]\n+    - from: [office]',
    symptom: 'dial tcp 10.0.0.9:5432: i/o timeout',
    harmless: ' kind: Deployment\n-  image: a\n+  image: b',
  },
  credentials: {
    diff: '-  audience: "a"\n+  audience: "b"',
    symptom: '401 unauthorized: invalid audience',
    harmless: '-  colour: "a"\n+  colour: "b"',
  },
  tls: {
    diff: '-  min_version: tls1.0\n+  min_version: tls1.3',
    symptom: 'tls: protocol version not supported, handshake failed',
    harmless: '-  colour: a\n+  colour: b',
  },
  resources: {
    diff: '-  memory: 1Gi\n+  memory: 128Mi',
    symptom: 'OOMKilled',
    harmless: '-  memory: 1Gi\n+  memory: 2Gi',
  },
  loop: {
    diff: '+  return /^(a+)+$/.test(text)',
    symptom: 'cpu at 100 percent in regex',
    harmless: '+  return text.length',
  },
  frequency: {
    diff: '-POLL_INTERVAL_MS = 30000\n+POLL_INTERVAL_MS = 300',
    symptom: 'request queue is full, shedding',
    harmless: '-POLL_INTERVAL_MS = 30000\n+POLL_INTERVAL_MS = 60000',
  },
  migration: {
    diff: '+ALTER TABLE users DROP COLUMN email;',
    symptom: 'ERROR: column email does not exist',
    harmless: '+SELECT 1;',
  },
  ordering: {
    diff: '-  msg.ack()\n   process(msg)',
    symptom: 'messages redelivered, backlog grows',
    harmless: '-  run(a)\n+  run(b)',
  },
  arithmetic: {
    diff: '-  return total / count\n+  return total / (count - 1)',
    symptom: 'division by zero',
    harmless: '+  return name',
  },
  'connection-reuse': {
    diff: '-  client = http.Client{Transport: &http.Transport{}}\n+  client = http.Client{Transport: &http.Transport{DisableKeepAlives: true}}',
    symptom: 'dial tcp 10.0.0.7:443: connect: cannot assign requested address',
    harmless:
      '-  agent = new https.Agent({ keepAlive: true })\n+  agent = new https.Agent({ keepAlive: true, maxSockets: 64 })',
  },
  unbounded: {
    diff: '-  Parcel.where(open: true).limit(50).to_a\n+  Parcel.where(open: true).to_a.first(50)',
    symptom: 'java.lang.OutOfMemoryError: Java heap space',
    harmless: '-  Parcel.where(open: true).limit(50).to_a\n+  Parcel.where(open: true).limit(80).to_a',
  },
  dependency: {
    diff: '-    "left": "^1.2.0",\n+    "left": "^2.0.0",',
    symptom: 'TypeError: left is not a function',
    harmless: '-  a\n+  b',
    files: ['package.json'],
  },
}

const leak = MECHANISMS.find(({ id }) => id === 'leak')
const added = MECHANISMS.find(({ id }) => id === 'lock-added')
const refilled = MECHANISMS.find(({ id }) => id === 'field-value')
const reuse = MECHANISMS.find(({ id }) => id === 'connection-reuse')

describe('mechanisms', () => {
  it('each have an example', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(MECHANISMS.map((mechanism) => mechanism.id).sort())
  })

  it.each(MECHANISMS.map((mechanism) => [mechanism.id, mechanism] as const))(
    '%s is seen in its diff and its symptom, and hardly in a harmless diff',
    (id, mechanism) => {
      const example = EXAMPLES[id] as (typeof EXAMPLES)[string]
      expect(mechanism.in_diff(readDiff(example.diff, example.files))).toBeGreaterThanOrEqual(0.4)
      expect(mechanism.symptom.test(example.symptom)).toBe(true)
      expect(mechanism.in_diff(readDiff(example.harmless))).toBeLessThan(0.35)
    },
  )

  it.each([
    ['-  keep-alive: true\n+  keep-alive: false', 1],
    ['-  headers.connection = "keep-alive"\n+  headers["connection"] = "close"', 1],
    ['-  http.max_idle_connections = 64\n+  http.max_idle_connections = 2', 0.9],
    ['-  keepalive: true\n+  # as before\n+  keepalive: true', 0],
  ])('tell whether connections are still kept after %j', (diff, least) => {
    const seen = reuse?.in_diff(readDiff(diff)) ?? -1
    expect(seen).toBeGreaterThanOrEqual(least)
    if (least === 0) expect(seen).toBe(0)
  })

  const FIRST = '-    conn.close()\n-    audit(row)\n'
  it.each([
    [`${FIRST}+    if not row: return None\n+    conn.close()`, true],
    [`${FIRST}+    raise Gone(row)\n+    conn.close()`, true],
    [`${FIRST}+    audit(row)\n+    conn.close()`, false],
    ['-    if not row: return None\n-    conn.close()\n+    if not row: return\n+    conn.close()', false],
    [`${FIRST}+    try:\n+      if not row: return None\n+    finally:\n+    conn.close()`, false],
    ['+    if not row: return None\n+    conn.close()', false],
  ])('see what is kept on a new way out in %j: %s', (diff, kept) => {
    const seen = leak?.in_diff(readDiff(diff)) ?? -1
    expect(seen === 1).toBe(kept)
  })

  it.each([
    ['-  "sent": p.sent,\n+  "sent": p.sent.isoformat(),', 0.9],
    ['-  zone = p.zone or "none"\n+  zone = p.zone(), None', 0.9],
    ["-  state: done(p) ? 'SENT' : 'OPEN',\n+  state: done(p) ? 'SENT' : lost(p) ? 'LOST' : 'OPEN',", 0.9],
    ['-  weight: parcel.weight,\n+  weight: parcel.mass,', 0.4],
    ['-  weight: parcel.weight,\n+  height: parcel.height,', 0],
    ['-  weight: parcel.weight,\n+  weight:  parcel.weight,', 0],
  ])('tell what else is put into a field in %j', (diff, sure) => {
    expect(refilled?.in_diff(readDiff(diff))).toBe(sure)
  })

  it('see no rule of the network where none of its lines changes', () => {
    const rule = MECHANISMS.find(({ id }) => id === 'network-rule')
    expect(rule?.in_diff(readDiff(' kind: NetworkPolicy\n'))).toBe(0)
    expect(rule?.in_diff(readDiff('@@ resource "aws_security_group_rule" "db" {\n-  to_port = 5432'))).toBe(
      0.9,
    )
  })

  it('take what a file of settings holds for no field', () => {
    const diff = '-  weight: lookup(a)\n+  weight: String(a.b)'
    expect(refilled?.in_diff(readDiff(diff, ['live/app.yaml']))).toBe(0)
  })

  it.each([
    ['+ALTER TABLE parcel ALTER COLUMN weight TYPE numeric;', 0.9],
    ['+CREATE INDEX parcel_weight ON parcel (weight);', 0.9],
    ['+VACUUM FULL parcel;', 0.9],
    ['+ALTER TABLE parcel ADD COLUMN note text;', 0.45],
    ['+CREATE INDEX CONCURRENTLY parcel_weight ON parcel (weight);', 0],
    ['+ALTER TABLE parcel ADD CONSTRAINT c CHECK (weight > 0) NOT VALID;', 0],
    ['+ALTER TABLE parcel MODIFY weight INT, ALGORITHM=INSTANT;', 0],
  ])('tell what holds up a table: %s', (diff, sure) => {
    expect(added?.in_diff(readDiff(diff))).toBeCloseTo(sure)
  })

  it.each([
    ['-  select id from parcel order by id limit $1\n+  select id from parcel order by id', true],
    ['-  select id from parcel fetch first 10 rows only\n+  select id from parcel', true],
    ['-  list(bucket, max_keys=100)\n+  list(bucket)', true],
    ['-  select id from parcel limit 10\n+  select id from parcel fetch first 10 rows only', false],
    ['-  speed limit of the road\n+  speed of the road', false],
  ])('tell whether a bound on what is read is gone in %j: %s', (diff, isGone) => {
    expect(MECHANISMS.find(({ id }) => id === 'unbounded')?.in_diff(readDiff(diff))).toBe(isGone ? 0.9 : 0)
  })

  it.each(['podSelector', 'ipBlock', 'fromEndpoints', 'cidr_blocks'])(
    'know a rule of the network by its %s, where no line near it says what it is',
    (peer) => {
      const rule = MECHANISMS.find(({ id }) => id === 'network-rule')
      expect(rule?.in_diff(readDiff(`   - from:\n-    - all: {}\n+    - ${peer}: {}`))).toBe(0.9)
    },
  )

  it('see a leak in how many connections are in use', () => {
    for (const name of ['jdbc_connections_active', 'pool_in_use', 'redis sessions borrowed'])
      expect(leak?.symptom.test(name), name).toBe(true)
  })

  it('know a diff of nothing but versions', () => {
    expect(isManifestOnly(readDiff('+x', ['go.mod', 'go.sum']))).toBe(true)
    expect(isManifestOnly(readDiff('+x', ['go.mod', 'main.go']))).toBe(false)
    expect(isManifestOnly(readDiff('+x'))).toBe(false)
  })
})
