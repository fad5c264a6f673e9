import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SAMPLE_CULPRIT } from '#infra/sample-outage/sample-changes.ts'
import { sampleOutageFiles } from '#infra/sample-outage/write-sample-outage.ts'
import type { OperationId } from '#shared/contract/operations.ts'
import { readSent } from '#shared/domain/alerts/read-sent.ts'
import type { Sent } from '#test/edge/call-endpoint.ts'
import { type Service, startService } from '#test/endpoints/service.ts'
import { allItems } from '#test/endpoints/stored.ts'
import { doorbellFor, investigate } from '#test/workers/invocations.ts'

/** Stands in every credential below and nowhere else. */
const CANARY = /c4nary/i
const HEX = 'c4nary0123456789abcdef0123456789'

/** Credentials in the forms in which people leave them in what tools collect. */
const LEAKS = [
  `password=${HEX}`,
  `PGPASSWORD=c4nary`,
  `db_password: "c4nary with blanks"`,
  `{"user":"till","api_key":"${HEX}"}`,
  `{\\"client_secret\\":\\"${HEX}\\"}`,
  `postgres://till:${HEX}@db:5432/till`,
  `redis://:c4nary/with@signs@cache:6379/0`,
  `https://${HEX}@errors.example/1`,
  `https://store.example/a?X-Amz-Signature=${HEX}&b=1`,
  `Server=db;User Id=sa;Password=c4nary(1);Timeout=30`,
  `AccountKey=${HEX}==;EndpointSuffix=core.example`,
  `Authorization: Bearer ${HEX}`,
  `authorization: Basic ${HEX}==`,
  `mysqldump --password ${HEX} shop`,
  `ALTER USER till IDENTIFIED BY '${HEX}'`,
  `ghp_${HEX}abcd`,
  `glpat-${HEX}`,
  `xoxb-1234-${HEX}`,
  `sk_live_${HEX}`,
  'AKIAC4NARYC4NARYC4NA',
  `eyJhbGciOiJIUzI1NiJ9.${HEX}.${HEX}`,
  `https://hooks.slack.com/services/T0/B0/${HEX}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${HEX}\n-----END RSA PRIVATE KEY-----`,
  `<password>${HEX}</password>`,
  `api key: ${HEX}`,
] as const

type Fields = Readonly<Record<string, unknown>>

/** The sample outage whose records hold every credential in every field that anything is told of. */
function leakingOutage(endsAt: number): ReadonlyMap<string, string> {
  const files = new Map(sampleOutageFiles(endsAt))
  const records = (name: string): Fields[] => {
    const content = files.get(name) ?? '[]'
    return name.endsWith('.json')
      ? (JSON.parse(content) as Fields[])
      : content
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Fields)
  }
  const put = (name: string, list: readonly Fields[]): void => {
    const lines = list.map((record) => JSON.stringify(record))
    files.set(name, name.endsWith('.json') ? `[${lines.join(',')}]` : lines.join('\n'))
  }
  const leak = (index: number): string => LEAKS[index % LEAKS.length] as string

  const changes = records('changes.ndjson')
  const culprit = changes.find(({ id }) => id === SAMPLE_CULPRIT) as Fields
  const at = culprit.recorded_at
  put('changes.ndjson', [
    ...changes.map((change, index) => ({
      ...change,
      title: `${String(change.title)} ${leak(index)}`,
      actor: `jonas ${leak(index + 1)}`,
      // At the head of the file, where the diff's mechanism is.
      ...(typeof change.diff === 'string'
        ? { diff: change.diff.replaceAll(/^\+(?!\+)/gm, `+  ${leak(index + 2).split('\n')[0]} `) }
        : {}),
    })),
    ...LEAKS.map((value, index) => ({
      id: `setting-${index}`,
      recorded_at: at,
      kind: 'config',
      entity: 'pricing',
      title: 'Set it anew',
      before: value,
      after: `${value}2`,
    })),
    {
      id: 'pricing/DB_PASSWORD',
      recorded_at: at,
      kind: 'config',
      entity: 'pricing',
      before: 'c4nary',
      after: 'c4nary2',
    },
    {
      id: 'flag-1',
      recorded_at: at,
      kind: 'flag',
      entity: 'pricing',
      title: 'Rotate the signing secret',
      before: 'c4nary',
      after: 'c4nary2',
    },
  ])
  const logs = records('logs.ndjson')
  put(
    'logs.ndjson',
    logs.map((line, index) =>
      line.severity === 'ERROR' || line.severity === 'error'
        ? { ...line, message: `${leak(index)} ${String(line.message)}` }
        : line,
    ),
  )
  put(
    'alerts.json',
    records('alerts.json').map((alert) => ({
      ...alert,
      name: `Checkout ${LEAKS[0]}`,
      summary: LEAKS.join(' '),
      detail: LEAKS.join('\n'),
      labels: { token: HEX, url: LEAKS[5] },
    })),
  )
  put(
    'k8s.ndjson',
    records('k8s.ndjson').map((record, index) => ({
      ...record,
      message: `${leak(index)} ${String(record.message)}`,
    })),
  )
  put(
    'patterns.json',
    records('patterns.json').map((pattern, index) => ({
      ...pattern,
      signature: `${leak(index)} ${String(pattern.signature)}`,
    })),
  )
  put('status.json', [
    {
      provider: 'card-network',
      component: 'Charges',
      events: [{ timestamp: at, status: 'major_outage', detail: LEAKS.join(' ') }],
    },
  ])
  put(
    'gaps.json',
    LEAKS.map((why) => ({ what: 'slow query log of orders-db', why })),
  )
  put(
    'series.ndjson',
    records('series.ndjson').map((series) => ({
      ...series,
      query: `${String(series.query)} # ${LEAKS[5]}`,
    })),
  )
  return files
}

let service: Service
let incident = ''
let written = ''
const answers: string[] = []

const call = async (operation: OperationId, sent: Sent = {}) => {
  const got = await service.done(operation, sent)
  answers.push(`${operation} ${JSON.stringify(got)}`)
  return got
}
/** What stands around each canary that a text holds. */
const found = (told: string): string[] =>
  Array.from(told.matchAll(new RegExp(`.{0,60}${CANARY.source}.{0,30}`, 'gis')), ([around]) => around)

beforeAll(async () => {
  service = await startService({ egress: 'local', queue: true })
  const folder = join(service.bundles, 'outage')
  await mkdir(folder, { recursive: true })
  for (const [name, content] of leakingOutage(Date.now())) await writeFile(join(folder, name), content)
  await service.done('create-integration', { body: { type: 'bundle', config: { path: 'outage' } } })
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk)
      return true
    })
  process.env.LOG_LEVEL = 'DEBUG'
  incident = (
    await service.done('create-incident', {
      body: {
        title: `Checkout fails ${LEAKS[0]}`,
        description: LEAKS.join('\n'),
        severity: 'high',
        service: 'checkout',
      },
    })
  ).id
  await investigate([doorbellFor(incident)])
}, 60_000)
afterAll(async () => {
  vi.restoreAllMocks()
  process.env.LOG_LEVEL = 'SILENT'
  await service.stop()
})

describe('a credential in what tools give', () => {
  it('stands in no finding, evidence or chart of an incident, and the cause is found all the same', async () => {
    const { root_cause } = await call('get-incident', { id: incident })
    expect(root_cause.cause.change).toBe(SAMPLE_CULPRIT)
    expect(found(JSON.stringify(root_cause))).toEqual([])
    expect(JSON.stringify(root_cause)).toContain('•••')
    const { charts } = await call('get-incident-charts', { id: incident })
    expect(charts.changes.length).toBeGreaterThan(LEAKS.length)
    expect(charts.changes.filter(({ part }: { part: string }) => part === 'cause')).toHaveLength(1)
    expect(found(JSON.stringify(charts))).toEqual([])
  })

  it.each([
    'Why is checkout failing?',
    'What changed?',
    'What changed in pricing?',
    'What is affected?',
    'What happened in the last two hours?',
    'How is pricing?',
    'When did it start?',
    'Is it over?',
    'What contradicts it?',
    'What did you ask?',
    'Should we roll back?',
    'Which alerts fire?',
    'Was it the database?',
    'Is it flag-1?',
    'Which incidents are open?',
    'Has this happened before?',
  ])('stands in no answer to “%s”, nor where its evidence is asked again', async (query) => {
    const answer = await call('answer-query', { body: { query } })
    const { query: _asked, ...told } = answer
    expect(found(JSON.stringify(told))).toEqual([])
    const again = await call('verify-query', { id: answer.id })
    expect(found(JSON.stringify(again))).toEqual([])
    if (answer.evidence.length > 0) expect(again.counts.same + again.counts.drifted).toBeGreaterThan(0)
  })

  it('does not keep evidence from being asked again', async () => {
    const { counts, evidence } = await call('verify-incident', { id: incident })
    expect(counts.same).toBe(evidence.length)
    expect(found(JSON.stringify(evidence))).toEqual([])
  })

  it('stands in no body of a webhook, whoever wrote it', async () => {
    const bodies = (await allItems(service, 'incidents')).flatMap(({ body }) =>
      typeof body === 'string' ? [body] : [],
    )
    expect(bodies.length).toBeGreaterThan(1)
    for (const body of bodies) {
      expect(JSON.parse(body).data.id).toBe(incident)
      expect(found(body)).toEqual([])
    }
  })

  it('stands in no line that the service logs', () => {
    expect(written).toContain('request_answered')
    expect(found(written)).toEqual([])
  })

  it('stands in nothing that the command prints or writes', async () => {
    const command = fileURLToPath(new URL('../infra/commands/investigate.ts', import.meta.url))
    for (const options of [['--html', 'report.html'], ['--json']]) {
      const child = spawn(process.execPath, [command, 'outage', ...options], {
        cwd: service.bundles,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ])
      expect([code, found(out), found(err)]).toEqual([0, [], []])
      expect(out).toContain(SAMPLE_CULPRIT.slice(0, 8))
    }
    const page = await readFile(join(service.bundles, 'report.html'), 'utf8')
    expect(page).toContain(SAMPLE_CULPRIT.slice(0, 8))
    expect(found(page)).toEqual([])
  }, 30_000)

  it('stands in no alert that is taken in', () => {
    const { alerts } = readSent('webhook', {
      integration_id: 'int_1',
      headers: {},
      config: {},
      received_at: Date.UTC(2026, 0, 31),
      body: {
        incidentId: 'a1',
        title: LEAKS.join(' '),
        description: LEAKS.join('\n'),
        service: 'checkout',
        labels: { token: HEX, note: LEAKS.join(' ') },
        url: `https://alerts.example/a1?token=${HEX}`,
      },
    })
    expect(alerts).toHaveLength(1)
    expect(found(JSON.stringify(alerts))).toEqual([])
  })
})
