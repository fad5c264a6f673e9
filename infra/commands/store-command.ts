import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ParseArgsOptionsConfig } from 'node:util'
import { type Pace, paceOf } from '#shared/adapters/dynamo/every-item.ts'
import { Misuse, readOptions, tellFailure } from './misuse.ts'
import { type OpenedStore, openStore } from './opened-store.ts'
import { PLACE_OPTIONS, placeOf } from './place.ts'

/** What each command says about where it works. */
export const WHERE_HELP = `Where:
  --stack S   a deployed stack, with your own AWS identity
  --data DIR  the data of a local service, running or not (default: .local)
  --rate N    items read or written in a second (default 500), so that the service keeps its share of the tables`

const WHERE = {
  ...PLACE_OPTIONS,
  rate: { type: 'string', default: '500' },
  help: { type: 'boolean', default: false },
} as const

/** The store that a command works on, and how fast. */
export interface Workplace extends OpenedStore {
  readonly pace: Pace
  readonly pause: (milliseconds: number) => Promise<unknown>
  /** Which service it is, in words that are the same each time. */
  readonly of: string
}

type Given = Readonly<Record<string, string | boolean | undefined>>

/** A command that works on everything a service remembers. */
export interface StoreCommand<Wish> {
  readonly name: string
  readonly help: string
  readonly options: ParseArgsOptionsConfig
  /** What is asked for. @throws Misuse when that cannot be understood */
  read(given: Given): Wish
  /** Does it and prints what came of it. @returns the exit status */
  run(wish: Wish, at: Workplace): Promise<number>
}

async function perform<Wish>(command: StoreCommand<Wish>, args: readonly string[]): Promise<number> {
  const values = readOptions({ args, options: { ...command.options, ...WHERE } }).values as Given & {
    stack?: string
    data?: string
    rate: string
  }
  if (values.help === true) {
    process.stdout.write(`${command.help}\n`)
    return 0
  }
  const rate = Number(values.rate)
  if (!(rate >= 1 && rate <= 100_000)) throw new Misuse('--rate must be a number from 1 to 100000')
  const place = placeOf(values)
  const wish = command.read(values)
  const store = await openStore(place)
  try {
    // The tables of a stack have names of their own; those of all folders are called alike.
    const of = place.stack === undefined ? resolve(place.data) : `${place.stack} (${store.names.incidents})`
    return await command.run(wish, { ...store, pace: paceOf(rate, Date.now, pause), pause, of })
  } finally {
    await store.close()
  }
}

/** Runs a command with what was written behind its name; sets the exit status: 1 failed, 2 wrong use, or its own. */
export async function runStoreCommand<Wish>(command: StoreCommand<Wish>): Promise<void> {
  try {
    process.exitCode = await perform(command, process.argv.slice(2))
  } catch (error) {
    tellFailure(command.name, error)
  }
}
