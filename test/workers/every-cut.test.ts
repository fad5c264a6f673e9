import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventKind } from '#shared/domain/incident.ts'
import type { Item } from '#test/deliveries/dynamo-in-memory.ts'
import { answers, type Receiver, WAYS, type World } from '#test/deliveries/world.ts'
import { TOOL_SECRET, WORKERS, type WorkerName, type WorkerOptions, WorkerWorld } from './worker-world.ts'

/** Longer than every lease, wait and doorbell that a fault can leave behind, and than the looks at an incident. */
const AFTERWARDS = 24

let written = ''
beforeEach(() => {
  written = ''
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written += String(text)
      return true
    })
})
afterEach(() => void vi.restoreAllMocks())

const KINDS = ['incident.created', 'incident.analyzed', 'incident.resolved'] as const
const accepts: Receiver = () => answers(200)
const failsFirst: Receiver = (number) => answers(number === 1 ? 500 : 200)
const isGone: Receiver = () => answers(410)

/** Who hears of what, and how each answers. Who hears of the end alone has no later event that could make up for it. */
const RECEIVERS: readonly (readonly [string, readonly EventKind[], Receiver])[] = [
  ['well', KINDS, accepts],
  ['late', KINDS, failsFirst],
  ['late-once', ['incident.resolved'], failsFirst],
  ['gone', ['incident.resolved'], isGone],
]

/** An incident that is opened and resolved, an alert that only the history of its tool tells of, and three receivers. */
async function replay(options: WorkerOptions = {}): Promise<WorkerWorld> {
  const workers = new WorkerWorld(options)
  const { world } = workers
  for (const [name, kinds, receiver] of RECEIVERS) await world.subscribe(name, kinds, receiver)
  await workers.connect()
  const incident = await world.open()
  await workers.pass(20)
  await world.resolve(incident?.id ?? '')
  await workers.pass(AFTERWARDS)
  return workers
}

const itemsOf = (world: World, table: string): Item[] => [...world.dynamo.table(table).values()]
const nameOf = ({ url }: Item): string => new URL(String(url)).pathname.slice(1)
const unique = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

/** The incidents as anybody sees them, without what says when. */
function incidentsOf(world: World) {
  const items = itemsOf(world, 'incidents')
  return items
    .filter(({ sk }) => sk === 'INCIDENT')
    .map(({ id, title, status, severity, service, analysis, root_cause }) => {
      const events = items.filter(({ sk, incident_id }) => sk === 'EVENT' && incident_id === id)
      const timeline = items.filter(
        ({ pk, sk }) => pk === `INCIDENT#${String(id)}` && String(sk).startsWith('TIMELINE#'),
      )
      return {
        shown: { title, status, severity, service, analysis },
        outcome: (JSON.parse(String(root_cause ?? 'null')) as { outcome: string } | null)?.outcome,
        // That a look failed and was made again is told as well.
        timeline: unique(
          timeline.map(({ kind }) => String(kind)).filter((kind) => kind !== 'analysis_failed'),
        ),
        events: events.map(({ kind, due_list }) => `${String(kind)} ${due_list === undefined}`).sort(),
      }
    })
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** What became of subscriptions: what is owed to each, and how it is thought to fare. */
function subscriptionsOf(world: World) {
  return itemsOf(world, 'webhooks')
    .filter(({ pk }) => pk === 'WEBHOOK')
    .map((webhook) => ({
      name: nameOf(webhook),
      status: webhook.status,
      reason: webhook.disabled_reason ?? null,
      isTold: world.disabled.includes(String(webhook.id)),
      failing: webhook.status === 'enabled' && Number(webhook.failing_since ?? 0) > 0,
      deliveries: world
        .deliveries()
        .filter(({ webhook_id }) => webhook_id === webhook.id)
        .map(({ event_kind, status, reason }) => [event_kind, status, reason].join(' '))
        .sort(),
      accepted: unique(world.accepted(nameOf(webhook)).map(({ body }) => JSON.parse(body).type)),
    }))
}

const integrationsOf = (world: World) =>
  itemsOf(world, 'integrations')
    .filter(({ type }) => type !== undefined)
    .map(({ status, status_detail, failures, version, checked_at, asked_at }) => ({
      status,
      status_detail,
      failures,
      version,
      isChecked: checked_at !== undefined,
      isAsked: asked_at !== undefined,
    }))

/** All that is to be the same however a history was disturbed. */
const stateOf = ({ world, gaveUp, waiting }: WorkerWorld) => ({
  incidents: incidentsOf(world),
  subscriptions: subscriptionsOf(world),
  integrations: integrationsOf(world),
  gaveUp,
  waiting,
})

/** What no history may show, whatever its end. */
function problemsOf({ world }: WorkerWorld): string[] {
  const found: string[] = []
  const attempts = itemsOf(world, 'webhooks').filter(({ duration_ms }) => duration_ms !== undefined)
  if (attempts.some(({ duration_ms }) => Number(duration_ms) < 0)) found.push('an attempt of negative length')
  // What was accepted and could not be written down, or was heard too late, is sent again.
  const unwritten = world.met === 'undone TransactWriteCommand' ? 1 : 0
  const allowed = world.diedBeforeCommit + world.heardTooLate + unwritten
  const accepted = world.accepted()
  const doubled = accepted.length - new Set(accepted.map(({ webhook, id }) => `${webhook} ${id}`)).size
  if (doubled > allowed) found.push(`${doubled} events accepted twice, and ${allowed} may be`)
  const webhooks = itemsOf(world, 'webhooks').filter(({ pk }) => pk === 'WEBHOOK')
  for (const { id, webhook } of accepted) {
    const to = webhooks.find((each) => nameOf(each) === webhook)?.id
    const delivery = world.deliveries().find((each) => each.event_id === id && each.webhook_id === to)
    if (!world.attemptsOf(String(delivery?.id)).some(({ error }) => error === null))
      found.push(`${webhook} accepted ${id} without a record`)
  }
  const tables = [...world.dynamo.tables.keys()].map((table) => itemsOf(world, table))
  const open = written + JSON.stringify([world.sent, tables])
  for (const form of [...world.secretForms(), TOOL_SECRET])
    if (open.includes(form)) found.push('a secret lies open')
  return found
}

/** Runs of one worker that are disturbed: of those of the same length only the first. */
const DISTINCT = 2

interface Call {
  readonly call: number
  readonly command: string
}

/** The calls of some workers in a history that nothing else disturbs, with what each is. */
async function callsOf(history: WorkerOptions, workers: readonly WorkerName[]): Promise<Call[]> {
  const { runs, world } = await replay(history)
  const seen = new Map<string, number>()
  return runs
    .filter(({ worker, calls }) => {
      const kind = `${worker} ${calls.length}`
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
      // A schedule finds nothing to do most of the time; whatever waits for a queue's worker is worked each time.
      return workers.includes(worker) && (!SCHEDULED.has(worker) || (seen.get(kind) ?? 0) <= DISTINCT)
    })
    .flatMap(({ calls }) => calls.map((call) => ({ call, command: world.commands[call - 1] ?? '' })))
}

/** Everything that may become of one call. Of one that only reads it is all the same whether it was made. */
function disturbances({ call, command }: Call): {
  readonly crashes: WorkerOptions[]
  faults: WorkerOptions[]
} {
  const ways = READS.has(command)
    ? (['undone', 'clock_back'] as const)
    : WAYS.filter((way) => way !== 'partly' || command === 'SendMessageBatchCommand')
  const sides = READS.has(command) ? (['before'] as const) : (['before', 'after'] as const)
  return {
    crashes: sides.map((side) => ({ crash: { call, side } })),
    faults: ways.map((way) => ({ fault: { call, way } })),
  }
}

/**
 * Every call cut off, and gone wrong in one way or another: the first of its kind in the first way, the next one in the
 * next. With WORKER_FAULTS=all each of them in every way.
 */
function disturbing(calls: readonly Call[]): WorkerOptions[] {
  const met = new Map<string, number>()
  return calls.flatMap((each) => {
    const { crashes, faults } = disturbances(each)
    const turn = met.get(each.command) ?? 0
    met.set(each.command, turn + 1)
    const first = turn % faults.length
    return [...crashes, ...(process.env.WORKER_FAULTS === 'all' ? faults : faults.slice(first, first + 1))]
  })
}
const READS = new Set(['GetCommand', 'QueryCommand', 'GetQueueAttributesCommand', 'GetObject'])
const SCHEDULED: ReadonlySet<WorkerName> = new Set([
  'sweep-deliveries',
  'sweep-investigations',
  'check-integrations',
])

/** A state as lines that can be compared one by one. */
const linesOf = (state: object): string[] =>
  Object.entries(state).flatMap(([part, value]) =>
    Array.isArray(value)
      ? value.map((each, at) => `${part} ${at} ${JSON.stringify(each)}`)
      : [`${part} ${JSON.stringify(value)}`],
  )

/** What is not as it is without a disturbance, for each that is given. */
async function differences(history: WorkerOptions, all: readonly WorkerOptions[]): Promise<string[]> {
  const expected = stateOf(await replay())
  const failures: string[] = []
  for (const options of all) {
    written = ''
    const workers = await replay({ ...history, ...options })
    const problems = problemsOf(workers)
    const state = stateOf(workers)
    const [is, was] = [linesOf(state), linesOf(expected)]
    problems.push(...is.filter((line) => !was.includes(line)).map((line) => `not so undisturbed: ${line}`))
    problems.push(...was.filter((line) => !is.includes(line)).map((line) => `only undisturbed: ${line}`))
    const met = workers.world.crashedAt ?? workers.world.met
    if (met === null && Object.keys(options).length > 0) problems.push('the disturbance was never met')
    if (problems.length > 0) failures.push(`${JSON.stringify(options)} (${met}): ${problems.join('; ')}`)
  }
  return failures
}

describe('a history in which the workers do what they are there for', () => {
  it('has work for every worker, leaves none, and ends as the others that nothing disturbs', async () => {
    const workers = await replay()
    expect(unique(workers.runs.map(({ worker }) => worker))).toEqual([...WORKERS].sort())
    expect(stateOf(workers)).toMatchObject({ waiting: 0, gaveUp: [] })
    expect(incidentsOf(workers.world).map(({ shown }) => shown.status)).toEqual(['resolved', 'open'])
    for (const history of [{}, { isLossy: true }, { atOnce: true }])
      expect(await differences(history, [{}])).toEqual([])
  })

  it.each(WORKERS)(
    'ends the same wherever %s is cut off, and whatever becomes of one of its calls',
    async (worker) => {
      const all = disturbing(await callsOf({}, [worker]))
      expect(all.length).toBeGreaterThanOrEqual(10)
      expect(await differences({}, all)).toEqual([])
    },
    600_000,
  )

  it('is seen to end otherwise where messages are gone before they are worked', async () => {
    const commits = (await callsOf({}, ['deliver-webhook'])).filter(
      ({ command }) => command === 'TransactWriteCommand',
    )
    const all = commits.map(({ call }) => ({ crash: { call, side: 'after' } as const }))
    expect(await differences({ acksFirst: true }, all)).not.toEqual([])
  })
})

describe('a history in which the stream and the queues lose what they have', () => {
  it.each(['sweep-deliveries', 'sweep-investigations'] as const)(
    'ends the same wherever %s is cut off, and whatever becomes of one of its calls',
    async (worker) => {
      const history = { isLossy: true }
      const all = disturbing(await callsOf(history, [worker]))
      expect(all.length).toBeGreaterThanOrEqual(20)
      expect(await differences(history, all)).toEqual([])
    },
    600_000,
  )
})

describe('a history in which everything is given to two processes at once', () => {
  it('ends the same wherever one of them is cut off, and whatever becomes of one of its calls', async () => {
    const history = { atOnce: true }
    const calls = await callsOf(history, WORKERS)
    // One disturbance of every third call, another one each time.
    const all = calls.flatMap((each, index) => {
      const { crashes, faults } = disturbances(each)
      const ways = [...crashes, ...faults]
      const turn = Math.floor(index / 3) % ways.length
      return index % 3 === 0 ? ways.slice(turn, turn + 1) : []
    })
    expect(await differences(history, all)).toEqual([])
  }, 600_000)
})
