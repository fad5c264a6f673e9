/**
 * What every named number of the engine decides: `npm run bench:constants -- --data DIR --write docs/engine-constants.md`
 * scores the engine with each of them at half and at double. A constant that moves a score by more than five points is
 * fragile: its value carries the figure, so it must have a reason of its own.
 */
import { createHash } from 'node:crypto'
import { on, once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { ENGINE_VERSION } from '#shared/domain/investigation/investigate.ts'
import { adjustableEngine, engineWithout } from './altered-engine.ts'
import { FRAGILE, moved, rowOf, withNamesOf } from './constants-page.ts'
import { engineConstants, KNOWLEDGE } from './engine-constants.ts'
import { FAST, LATER, laterScenes, type Scores, scored, scoredScenes, scoring } from './scored-scenes.ts'

const HELP = `Usage: npm run bench:constants -- --data DIR [options]
       npm run bench:constants -- --names [--write FILE]

Scores the engine with each of its named numbers at half and at double, and without each table of knowledge. What is done
is kept in reports/: a run that was stopped goes on where it was, as long as the engine and what is scored are the same.

  --data DIR    the folder that holds rca/ (default: INCIDENT_DATA)
  --write FILE  writes the page there (default: prints it)
  --names       scores nothing: takes what the engine no longer has out of FILE (default: docs/engine-constants.md) and
                lists what it has and was not tried yet; takes a second
  --help        print this
`
const PAGE = 'docs/engine-constants.md'
/** Threads at once: two cores are what a hosted runner has at least. */
const WORKERS = 2
/** What is done, a line each, below what it is done with. */
const KEPT = join(import.meta.dirname, '../../reports/engine-constants.jsonl')
/** Constants after which the progress is told. */
const TOLD_EACH = 10

/** What a thread says once it can begin. */
interface Ready {
  readonly base: Scores
  /** Incidents by group. */
  readonly counts: ReadonlyMap<string, number>
}

/** What is to be tried: a constant by its place, or, after them, a table of knowledge. */
type Task = number

interface Done {
  readonly task: Task
  /** Its row of the page. */
  readonly line: string
  /** Points by which a score moves at most. */
  readonly most: number
}

/** Tries what it is told to, one after the other. */
async function work(data: string, port: MessagePort): Promise<void> {
  const all = [...(await scoredScenes(data, FAST)), ...laterScenes()]
  const engine = await adjustableEngine()
  const scores = scoring(all, engine)
  const counts = new Map(
    [...scores.base.keys()].map((of) => [of, all.filter(({ group }) => group === of).length]),
  )
  const tried = async (task: Task): Promise<Done> => {
    const constant = engine.constants[task]
    if (constant !== undefined) {
      const at = (value: number): Scores => scores.with([{ ...constant, value }])
      const [half, double] = [at(constant.value / 2), at(constant.value * 2)]
      return { task, ...rowOf(scores.base, { constant, readIn: scores.readIn(constant), half, double }) }
    }
    const table = KNOWLEDGE[task - engine.constants.length] as (typeof KNOWLEDGE)[number]
    const { text, most } = moved(scores.base, scored(all, await engineWithout(table)))
    return { task, line: `| \`${table.name}\` | ${table.file} | ${text} |`, most }
  }
  const tasks = on(port, 'message')
  port.postMessage({ base: scores.base, counts } satisfies Ready)
  for await (const [task] of tasks) port.postMessage(await tried(task as Task))
}

/** What a stopped run did with the same engine on the same incidents; the file then begins with what it is of. */
async function keptOf(of: string): Promise<Map<Task, Done>> {
  const [first, ...lines] = existsSync(KEPT) ? (await readFile(KEPT, 'utf8')).split('\n') : []
  await mkdir(dirname(KEPT), { recursive: true })
  if (first !== of) {
    await writeFile(KEPT, `${of}\n`)
    return new Map()
  }
  // The last line of a run that was stopped may be half a line; it is tried again.
  const whole = lines.slice(0, -1).map((line) => JSON.parse(line) as Done)
  await writeFile(KEPT, [of, ...whole.map((one) => JSON.stringify(one)), ''].join('\n'))
  return new Map(whole.map((done) => [done.task, done]))
}

/** Has all tasks done by threads, each the next that nobody has begun. */
async function allDone(
  data: string,
  tasks: number,
  engine: string,
): Promise<[Ready, ReadonlyMap<Task, Done>]> {
  const threads = Array.from(
    { length: WORKERS },
    () => new Worker(new URL(import.meta.url), { workerData: data }),
  )
  const answer = async <T>(thread: Worker): Promise<T> => (await once(thread, 'message'))[0] as T
  try {
    const [ready] = (await Promise.all(threads.map((thread) => answer<Ready>(thread)))) as [Ready]
    const done = await keptOf(JSON.stringify({ engine, base: [...ready.base], counts: [...ready.counts] }))
    const waiting = Array.from({ length: tasks }, (_, task) => task).filter((task) => !done.has(task))
    const started = performance.now()
    let tried = 0
    const total = waiting.length
    await Promise.all(
      threads.map(async (thread) => {
        for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
          thread.postMessage(task)
          const one = await answer<Done>(thread)
          done.set(task, one)
          await appendFile(KEPT, `${JSON.stringify(one)}\n`)
          tried += 1
          if (tried % TOLD_EACH > 0 && tried < total) continue
          const minutes = (performance.now() - started) / 60_000
          process.stderr.write(
            `${done.size} of ${tasks}, ${minutes.toFixed(1)} min, about ${((minutes / tried) * (total - tried)).toFixed(1)} more\n`,
          )
        }
      }),
    )
    return [ready, done]
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

async function ledger(data: string): Promise<string> {
  const { constants, text } = await adjustableEngine()
  const digest = createHash('sha256').update(text).digest('hex')
  const [{ base, counts }, done] = await allDone(data, constants.length + KNOWLEDGE.length, digest)
  const inOrder = Array.from(
    { length: constants.length + KNOWLEDGE.length },
    (_, task) => done.get(task) as Done,
  )
  const [rows, emptied] = [inOrder.slice(0, constants.length), inOrder.slice(constants.length)]
  const fragile = rows.filter(({ most }) => most > FRAGILE).length
  const scoredOn = Array.from(
    base,
    ([group, share]) => `${group} ${share.toFixed(1)} % of ${counts.get(group)}`,
  )
  return `# The engine's constants

Written by \`npm run bench:constants -- --data DIR --write ${PAGE}\` with engine ${ENGINE_VERSION}; nobody edits it by hand.

Every named number of the engine, what the code says of it, in how many incidents it is asked for, and by how many points
the share of right answers moves where it is halved or doubled. Scored on the sets that are fast and on simulated incidents,
all of which were in sight: ${scoredOn.join('; ')}.
${LATER}. A number that moves nothing here may matter on other data, above all one that is asked for
in no incident. ${fragile} of ${rows.length} are fragile: they move a score by more than ${FRAGILE} points.

| constant | value | file | unit and reason | asked for in | at half: points | at double: points | |
|---|---|---|---|---|---|---|---|
${rows.map(({ line }) => line).join('\n')}

## Tables of knowledge emptied

What each table of knowledge decides: the same scores with none of its rows. A table that moves nothing here knows things
that these incidents do not ask for.

| table | file | emptied: points |
|---|---|---|
${emptied.map(({ line }) => line).join('\n')}
`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      write: { type: 'string' },
      names: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return void process.stdout.write(HELP)
  if (values.names === true) {
    const page = values.write ?? PAGE
    await writeFile(page, withNamesOf(await readFile(page, 'utf8'), await engineConstants()))
    return
  }
  const data = values.data ?? (process.env.INCIDENT_DATA || undefined)
  if (data === undefined) throw new Error('--data DIR or INCIDENT_DATA is needed')
  const page = await ledger(data)
  if (values.write === undefined) process.stdout.write(page)
  else await writeFile(values.write, page)
  await rm(KEPT)
}

await (parentPort === null ? main() : work(workerData as string, parentPort))
