import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Answered, type LocalService, startLocalService } from './local-service.ts'

const HELP = `Usage: npm run soak -- [--minutes N] [--rate N] [--json FILE]

Mixed load on the local service, with a webhook receiver that flaps: it accepts for ten seconds, then refuses or hangs
for five. At the end it is healthy, what is still missing is recovered, and everything is counted: answers by status,
events lost and doubled, memory of the service's Node processes. Exit code 1 for any 5xx, any event lost, any answer of
a status that the request does not earn, or memory that grows by more than a tenth from the middle third to the last.

  --minutes N  how long (15)
  --rate N     requests a second, at most 12: a key may send 1,000 a minute (6)
  --json FILE  write the results to FILE as well
  --help       print this
`
const MOST_RATE = 12
/** One incident in so many requests: each is investigated at least once, which is what costs. */
const INCIDENT_EVERY = 30
const UP_MS = 10_000
const DOWN_MS = 5_000
const SAMPLE_MS = 10_000
/** How long what was recovered may take to arrive. */
const ARRIVE_MS = 180_000
/** Longer than an attempt may hang. */
const ROUND_MS = 16_000
/** What memory may grow by from the middle third to the last. */
const GROWTH = 1.1

/** A receiver that accepts, then refuses and hangs by turns, until it is told to be healthy. */
async function startFlapping() {
  const began = Date.now()
  let healthy = false
  const arrived = new Map<string, number>()
  let turned = 0
  const server = createServer((incoming, response) => {
    void text(incoming).then(
      (body) => {
        const isUp = healthy || (Date.now() - began) % (UP_MS + DOWN_MS) < UP_MS
        if (!isUp) {
          turned += 1
          // Every other one hangs until its sender gives up.
          if (turned % 2 === 0) response.writeHead(503).end()
          return
        }
        const { type, data } = JSON.parse(body) as { type: string; data: { id: string } }
        const name = `${type} ${data.id}`
        arrived.set(name, (arrived.get(name) ?? 0) + 1)
        response.writeHead(204).end()
      },
      () => undefined,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrived,
    turnedAway: () => turned,
    recover: () => {
      healthy = true
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Resident memory, in MB, of a process and what it started, as far as that is Node; null where /proc does not tell. */
async function residentMb(root: number): Promise<number | null> {
  const found = await readdir('/proc').catch(() => [])
  const processes = new Map<number, { parent: number; name: string; kb: number }>()
  for (const entry of found.filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '')
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? ''
    processes.set(Number(entry), {
      parent: Number(field('PPid')),
      name: field('Name'),
      kb: Number(field('VmRSS')),
    })
  }
  const isBelow = (pid: number): boolean =>
    pid === root || (pid > 1 && processes.has(pid) && isBelow(processes.get(pid)?.parent ?? 0))
  const ours = [...processes].filter(([pid, { name }]) => /^(node|MainThread)/.test(name) && isBelow(pid))
  return ours.length === 0 ? null : ours.reduce((sum, [, { kb }]) => sum + kb, 0) / 1_024
}

/** The deliveries of a webhook that wait for their next attempt. */
async function pending(service: LocalService, webhook: string): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await service.send('GET', `/webhooks/${webhook}/deliveries?limit=100${cursor}`)
    const page = body as { deliveries: { id: string; status: string }[]; next_cursor: string | null }
    found.push(...page.deliveries.flatMap(({ id, status }) => (status === 'pending' ? [id] : [])))
    cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`
  }
  return found
}

/** A kind of request, with what it must be answered. */
interface Kind {
  readonly share: number
  readonly statuses: readonly number[]
  send(service: LocalService, incidents: string[], number: number): Promise<Answered>
}

const one = (incidents: readonly string[], number: number): string =>
  incidents[(number * 7) % incidents.length] ?? 'inc_none'

const KINDS: readonly Kind[] = [
  { share: 6, statuses: [200], send: (to) => to.send('GET', '/incidents?limit=20') },
  { share: 3, statuses: [200], send: (to) => to.send('GET', '/incidents?status=open&severity=low') },
  {
    share: 6,
    statuses: [200],
    send: (to, known, number) => to.send('GET', `/incidents/${one(known, number)}`),
  },
  { share: 2, statuses: [200], send: (to) => to.send('GET', '/integrations') },
  { share: 2, statuses: [200], send: (to) => to.send('GET', '/health') },
  { share: 1, statuses: [200], send: (to) => to.send('GET', '/openapi.json') },
  {
    share: 1,
    statuses: [200, 409],
    send: (to, known, number) => to.send('PATCH', `/incidents/${one(known, number)}`, { severity: 'medium' }),
  },
  { share: 2, statuses: [400], send: (to) => to.send('GET', '/incidents?stautes=open') },
  { share: 2, statuses: [400], send: (to) => to.send('POST', '/incidents', { title: '' }) },
  { share: 2, statuses: [404], send: (to) => to.send('GET', '/incidents/inc_01ARZ3NDEKTSV4RRFFQ69G5FAV') },
]
const TURNS = KINDS.flatMap((kind) => Array.from({ length: kind.share }, () => kind))

function readArguments() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '15' },
      rate: { type: 'string', default: '6' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
  if (!(minutes > 0 && minutes <= 240)) throw new Error('--minutes must be above 0 and at most 240')
  if (!(rate > 0 && rate <= MOST_RATE)) throw new Error(`--rate must be above 0 and at most ${MOST_RATE}`)
  return { ...values, minutes, rate }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
/** Null where there is nothing to tell: a run of less than three samples has no thirds. */
const told = (value: number, digits = 0): number | null =>
  Number.isFinite(value) ? Number(value.toFixed(digits)) : null

async function main(): Promise<void> {
  const given = readArguments()
  if (given.help) {
    process.stdout.write(HELP)
    return
  }
  const data = await mkdtemp(path.join(tmpdir(), 'soak-'))
  const receiver = await startFlapping()
  const service = await startLocalService(data)
  const statuses = new Map<number, number>()
  const unearned: string[] = []
  const tell = ({ status }: Answered, earned: readonly number[], what: string) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (!earned.includes(status)) unearned.push(`${what}: ${status}`)
  }
  const expected = new Set<string>()
  const incidents: string[] = []
  const memory: number[] = []
  const began = Date.now()
  const end = began + given.minutes * 60_000
  try {
    const { id: webhook } = await service.post('/webhooks', {
      url: receiver.url,
      events: ['incident.created', 'incident.resolved'],
      secret: 'a secret of a soak',
    })
    /** Every incident is opened, and resolved when twenty more were opened. */
    const open = async (number: number) => {
      const body = { title: `Incident ${number}`, severity: 'low', service: 'checkout' }
      const answer = await service.send('POST', '/incidents', body)
      tell(answer, [201], 'opening an incident')
      if (answer.status !== 201) return
      const { id } = answer.body as { id: string }
      expected.add(`incident.created ${id}`)
      incidents.push(id)
      const old = incidents.at(-20)
      if (old === undefined) return
      const resolved = await service.send('PATCH', `/incidents/${old}`, { status: 'resolved' })
      tell(resolved, [200], 'resolving an incident')
      if (resolved.status === 200) expected.add(`incident.resolved ${old}`)
    }
    await open(0)
    const sampling = (async () => {
      while (Date.now() < end) {
        const mb = await residentMb(service.pid)
        if (mb !== null) memory.push(mb)
        process.stderr.write(
          `${Math.round((Date.now() - began) / 1_000)} s, ${[...statuses.values()].reduce((a, b) => a + b, 0)} answers, ${receiver.arrived.size} of ${expected.size} events, ${mb?.toFixed(0) ?? '?'} MB\n`,
        )
        await pause(Math.min(SAMPLE_MS, Math.max(0, end - Date.now())))
      }
    })()
    const under = new Set<Promise<void>>()
    for (let number = 1; Date.now() < end; number += 1) {
      const kind = TURNS[number % TURNS.length]
      const request = (
        number % INCIDENT_EVERY === 0 || kind === undefined
          ? open(number)
          : kind
              .send(service, incidents, number)
              .then((answer) => tell(answer, kind.statuses, String(kind.send)))
      ).catch((error: unknown) => void unearned.push(String(error)))
      under.add(request)
      void request.finally(() => under.delete(request))
      await pause(Math.max(0, began + (number * 1_000) / given.rate - Date.now()))
    }
    await Promise.all([sampling, ...under])
    receiver.recover()
    const since = new Date(began - 60_000).toISOString()
    const before = [...expected].filter((name) => !receiver.arrived.has(name)).length
    // What a person does whose receiver is healthy again: recovers what failed, and does not wait for what is pending.
    tell(await service.send('POST', `/webhooks/${webhook}/recover`, { since }), [202], 'recovering')
    const last = Date.now() + ARRIVE_MS
    const lost = () => [...expected].filter((name) => !receiver.arrived.has(name))
    while (lost().length > 0 && Date.now() < last) {
      // One that is being attempted right now is refused with 409, and asked for again in the next round.
      for (const id of await pending(service, webhook))
        tell(
          await service.send('POST', `/webhooks/${webhook}/deliveries/${id}/redeliver`),
          [202, 409],
          'redelivering',
        )
      await pause(ROUND_MS)
    }
    const third = Math.floor(memory.length / 3)
    const [middle, late] = [mean(memory.slice(third, 2 * third)), mean(memory.slice(2 * third))]
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    const failed = [...statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0)
    const result = {
      minutes: given.minutes,
      requests: total,
      statuses: Object.fromEntries([...statuses].sort(([one_], [other]) => one_ - other)),
      answers_5xx: failed,
      answers_unearned: unearned.length,
      incidents: incidents.length,
      events: expected.size,
      posts_turned_away: receiver.turnedAway(),
      events_missing_before_recovery: before,
      events_lost: lost().length,
      events_doubled: [...receiver.arrived.values()].filter((times) => times > 1).length,
      memory_middle_mb: told(middle),
      memory_last_mb: told(late),
      memory_growth: told(late / middle, 3),
    }
    console.log('| figure | value |\n|---|---|')
    for (const [name, value] of Object.entries(result))
      console.log(
        `| ${name.replaceAll('_', ' ')} | ${typeof value === 'object' ? JSON.stringify(value) : value} |`,
      )
    console.log(`\n${cpus().length} cores`)
    for (const line of unearned.slice(0, 10)) process.stderr.write(`${line}\n`)
    if (given.json !== undefined) await writeFile(given.json, `${JSON.stringify(result, null, 2)}\n`)
    const grew = memory.length >= 9 && (result.memory_growth ?? 0) > GROWTH
    if (failed > 0 || result.events_lost > 0 || unearned.length > 0 || grew) process.exitCode = 1
  } finally {
    await service.stop()
    receiver.close()
    await rm(data, { recursive: true, force: true })
  }
}

await main()
