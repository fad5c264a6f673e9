import { createHmac } from 'node:crypto'
import { parseArgs } from 'node:util'
import { senderGate } from '#shared/adapters/intake/sender-gate.ts'
import { writeAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { type Intake, MESSAGES_A_MINUTE } from '#shared/domain/alerts/intake.ts'
import { takeMessage } from '#shared/domain/alerts/take-message.ts'
import type { Integration } from '#shared/domain/integration.ts'
import type { VerifiedMessage } from '#shared/domain/ports.ts'
import { endpoint } from '#shared/edge/endpoint.ts'
import { contextOf, eventOf } from '#test/edge/call-endpoint.ts'
import { type Figures, rounded, tableOf } from './deliver/figures.ts'
import { cpuOf } from './deliver/measured.ts'
import { spreadOf } from './spread.ts'

const HELP = `Usage: npm run --silent bench:intake -- [--rounds N] [--messages N]

What taking in one message of a tool costs this service's own code: the whole chain of POST /integrations/{id}/events
with the store and the queue stubbed. Processor time of the thread, in microseconds for one message.

  --rounds N    rounds over all kinds of messages, in turn (default 15)
  --messages N  messages of each kind in a round (default 300)
`
const TOKEN = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
/** A minute of its own for each round, so that no round meets the limit. */
const START = Date.UTC(2026, 0, 31, 12)
const MINUTE_MS = 60_000

const alert = (number: number) => ({
  status: 'firing',
  labels: {
    alertname: 'HighErrorRate',
    service: `service-${number}`,
    severity: 'critical',
    instance: `10.0.0.${number}:8080`,
  },
  annotations: { summary: 'More than 5 % of the requests fail', description: 'For five minutes by now.' },
  startsAt: '2026-01-31T12:00:00Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example/graph?g0.expr=rate',
  fingerprint: String(number).padStart(16, '0'),
})
const bodyOf = (alerts: number) =>
  JSON.stringify({
    version: '4',
    status: 'firing',
    alerts: Array.from({ length: alerts }, (_, at) => alert(at)),
  })

const idOf = (type: string) => `${type}_01KG9XH200000000000000000A`
const integrationOf = (type: string): Integration => ({
  id: idOf(type),
  type,
  status: 'connected',
  status_detail: null,
  config: {},
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  connected_at: null,
  version: 1,
})

interface Kind {
  readonly type: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}
const KINDS: Readonly<Record<string, Kind>> = {
  'token, 1 alert': { type: 'alertmanager', body: bodyOf(1), headers: { Authorization: `Bearer ${TOKEN}` } },
  'signature, 1 alert': {
    type: 'grafana',
    body: bodyOf(1),
    headers: { 'X-Grafana-Alerting-Signature': createHmac('sha256', TOKEN).update(bodyOf(1)).digest('hex') },
  },
  'token, 500 alerts': {
    type: 'alertmanager',
    body: bodyOf(500),
    headers: { Authorization: `Bearer ${TOKEN}` },
  },
  'no proof, 1 alert': { type: 'alertmanager', body: bodyOf(1), headers: {} },
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '15' },
      messages: { type: 'string', default: '300' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const [rounds, messages] = [Number(values.rounds), Number(values.messages)]
  if (!(rounds >= 1 && messages >= 1 && messages * Object.keys(KINDS).length <= MESSAGES_A_MINUTE))
    throw new Error('--rounds and --messages must be numbers from 1 on; a round must stay below the limit')
  return { rounds, messages, help: values.help }
}

async function main(): Promise<void> {
  const { rounds, messages, help } = readArguments()
  if (help) return void process.stdout.write(HELP)
  process.env.LOG_LEVEL = 'SILENT'
  let now = START
  let queued = 0
  const intake: Intake = { token: TOKEN, secret: TOKEN }
  const gate = senderGate(
    { openIntake: async (id) => ({ integration: integrationOf(id.slice(0, id.indexOf('_'))), intake }) },
    async () => false,
  )
  const acts = {
    clock: () => now,
    messages: {
      put: async (message: VerifiedMessage) => {
        queued += writeAlertMessage(message)?.length ?? 0
      },
    },
  }
  const noKeys = () => {
    throw new Error('no key is asked for')
  }
  const handler = endpoint(
    'push-events',
    { gate: noKeys, clock: acts.clock, senders: () => gate },
    () =>
      async ({ sender, body, header }) => ({ body: await takeMessage(acts, sender, { body, header }) }),
  )
  const took = new Map<string, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    now = START + round * MINUTE_MS
    for (const [name, { type, body, headers }] of Object.entries(KINDS)) {
      const event = eventOf({
        method: 'POST',
        resource: '/integrations/{id}/events',
        path: `/integrations/${idOf(type)}/events`,
        id: idOf(type),
        headers,
        body,
      })
      const cpu = await cpuOf(async () => {
        for (let sent = 0; sent < messages; sent += 1) {
          const { statusCode } = await handler(event, contextOf())
          const wanted = Object.keys(headers).length === 0 ? [401, 429] : [202]
          if (!wanted.includes(statusCode)) throw new Error(`${name}: ${statusCode}`)
        }
      })
      took.set(name, [...(took.get(name) ?? []), cpu / messages])
    }
  }
  if (queued === 0) throw new Error('nothing was queued')
  const figures: Figures = Object.fromEntries(
    [...took].map(([name, each]) => [
      `${name} (${KINDS[name]?.body.length} bytes), µs cpu`,
      rounded(spreadOf(each)),
    ]),
  )
  process.stdout.write(`${tableOf(figures)}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
})
