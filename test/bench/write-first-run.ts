import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundleSources } from '#infra/bundling/bundle-functions.ts'
import { entryOf } from '#infra/bundling/bundle-places.ts'
import { digestOf, FIRST_RUN, writePlaces } from '#infra/bundling/eager-functions.ts'
import { functionPlans } from '#infra/functions.ts'
import { ROOT } from '#infra/root.ts'
import { prepareFirstGround } from './first-ground.ts'
import { functionPlaces, type PlacedFunction } from './function-places.ts'

const HELP = `npm run bundle:first-run
Gives every function its first call, with a probe in each function of its modules, and writes to
${path.relative(ROOT, FIRST_RUN)} which of them ran: those are compiled with their module in what is deployed.
To run again when packages change, and before a release; of a file that has changed since, nothing is marked.`

/** A function is marked when it ran in at least this share of the first calls whose bundles hold it. */
const LEAST_SHARE = 0.5

interface Probed {
  readonly digest: string
  readonly places: readonly PlacedFunction[]
}

/** The module with a probe at the beginning of each function, which tells its file and place. */
function probed(text: string, file: string, places: readonly PlacedFunction[]): string {
  const inserts = places.flatMap(({ start, body }): (readonly [at: number, text: string])[] => {
    const probe = `globalThis.firstRun?.add(${JSON.stringify(`${file}:${start}`)})`
    return body.block
      ? [[body.start + 1, `${probe};`]]
      : [
          [body.start, `(${probe},`],
          [body.end, ')'],
        ]
  })
  let made = ''
  let at = 0
  for (const [where, what] of inserts.sort(([one], [other]) => one - other)) {
    made += text.slice(at, where) + what
    at = where
  }
  return made + text.slice(at)
}

const KEPT = (file: string) => `globalThis.firstRun = new Set()
process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify([...globalThis.firstRun])))
`

/** Characters of a line that the formatter leaves whole. */
const LINE_CHARACTERS = 110

/** A file with what ran of it, as the formatter has it. */
function lineOf([file, of]: readonly [file: string, of: readonly string[]]): string {
  const texts = of.map((each) => JSON.stringify(each))
  const line = `  ${JSON.stringify(file)}: [${texts.join(', ')}]`
  if (line.length + 1 <= LINE_CHARACTERS) return line
  return `  ${JSON.stringify(file)}: [\n${texts.map((text) => `    ${text}`).join(',\n')}\n  ]`
}

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'first-run-'))
  const files = new Map<string, Probed>()
  await bundleSources(functionPlans, path.join(folder, 'functions'), (file) => {
    const text = readFileSync(file, 'utf8')
    const name = path.relative(ROOT, file)
    const places = functionPlaces(text, file.endsWith('.ts') ? 'ts' : 'js')
    files.set(name, { digest: digestOf(text), places })
    return probed(text, name, places)
  })
  const held = new Map<string, number>()
  const ran = new Map<string, number>()
  const count = (counts: Map<string, number>, names: Iterable<string>): void => {
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const ground = await prepareFirstGround()
  try {
    for (const { id } of functionPlans) {
      const entry = entryOf(id, path.join(folder, 'functions'))
      const told = path.join(folder, `${id}.json`)
      const own = readdirSync(path.dirname(entry)).map((file) => path.join(path.dirname(entry), file))
      const texts = own.map((file) => readFileSync(file, 'utf8'))
      writeFileSync(entry, KEPT(told) + readFileSync(entry, 'utf8'))
      const { status } = await ground.call(id, entry)
      if (!existsSync(told)) throw new Error(`${id} told nothing; it answered ${status}`)
      count(ran, JSON.parse(readFileSync(told, 'utf8')) as string[])
      const probes = texts.flatMap((text) => Array.from(text.matchAll(/firstRun\?\.add\("([^"]+)"\)/g)))
      count(held, new Set(probes.map(([, name = '']) => name)))
    }
  } finally {
    await ground.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const found = [...files].flatMap(([file, { digest, places }]) => {
    const marked = places.filter(({ start }) => {
      const name = `${file}:${start}`
      return (ran.get(name) ?? 0) >= Math.max(1, (held.get(name) ?? 0) * LEAST_SHARE)
    })
    return marked.length === 0 ? [] : [[file, [digest, writePlaces(marked)]] as const]
  })
  const lines = found.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(lineOf)
  writeFileSync(FIRST_RUN, `{\n${lines.join(',\n')}\n}\n`)
  console.log(`${ran.size} functions ran in first calls; ${found.length} files are marked`)
}

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
if (values.help) console.log(HELP)
else await main()
