/**
 * The engine as it would be if some of it were written otherwise: bundled to one text, so that nothing is copied and every
 * engine of the same text is loaded in a millisecond and shares its compiled code.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import type { investigate as Investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import {
  type EngineConstant,
  engineConstants,
  type KnowledgeTable,
  withoutRows,
  withValue,
} from './engine-constants.ts'
import { type EngineRule, RuleSwitch, rulesIn, withRulesAsked } from './engine-rules.ts'

const FOLDER = join(import.meta.dirname, '../../shared/domain/investigation')

/** What a file of the engine says instead; one that is new said nothing. */
type Alteration = (file: string, text: string) => string

/** The text of the engine as one script that sets `engine`. */
async function bundled(alter: Alteration): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, 'investigate.ts')],
    ...{
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'engine',
      platform: 'node',
      target: 'node20',
    },
    plugins: [
      {
        name: 'altered',
        setup(on) {
          // A file that is new is none that esbuild would find.
          on.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer }) => ({
            path: join(dirname(importer), path),
          }))
          on.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
            contents: alter(relative(FOLDER, path), await readFile(path, 'utf8').catch(() => '')),
            loader: 'ts',
          }))
        },
      },
    ],
  })
  return (outputFiles[0] as { readonly text: string }).text
}

/** Gives the value of a constant by its place among all. */
type ConstantAt = (index: number) => number

/** Loads an engine of a text, again with every call. */
const loaderOf = (text: string): ((constantAt: ConstantAt) => typeof Investigate) =>
  compileFunction(`${text}\nreturn engine.investigate`, ['$constant']) as (
    constantAt: ConstantAt,
  ) => typeof Investigate

/** An engine whose rules can be told to find nothing, one at a time. */
export interface SwitchedEngine {
  readonly rules: readonly EngineRule[]
  readonly investigate: typeof Investigate
  readonly ask: RuleSwitch
}

/** The engine with a switch before each rule of its causes and changes. */
export async function switchedEngine(): Promise<SwitchedEngine> {
  const rules: EngineRule[] = []
  const text = await bundled((file, given) => {
    if (!/^(?:causes|changes)\//.test(file)) return given
    rules.push(...rulesIn(file, given))
    return withRulesAsked(file, given)
  })
  const ask = new RuleSwitch()
  const load = compileFunction(`${text}\nreturn engine.investigate`, ['$rule']) as (
    place: RuleSwitch['place'],
  ) => typeof Investigate
  return { rules, investigate: load(ask.place), ask }
}

/** The engine with some of its files changed. */
export async function engineChanged(
  alterations: readonly { readonly file: string; change(text: string): string }[],
): Promise<typeof Investigate> {
  const text = await bundled((file, given) =>
    alterations.filter((one) => one.file === file).reduce((so, { change }) => change(so), given),
  )
  return loaderOf(text)(() => Number.NaN)
}

/** The engine with a table emptied. */
export const engineWithout = ({ file, name }: KnowledgeTable): Promise<typeof Investigate> =>
  engineChanged([{ file, change: (text) => withoutRows(text, name) }])

/** A constant and its value, the engine's or another. */
export type ConstantValue = Pick<EngineConstant, 'file' | 'name' | 'value'>

/** Tells a constant from all others. */
export const keyOf = ({ file, name }: Pick<EngineConstant, 'file' | 'name'>): string => `${file} ${name}`

/** An engine whose named numbers can be others. */
export interface AdjustableEngine {
  readonly constants: readonly EngineConstant[]
  /** What this engine is the text of; the same for the same engine. */
  readonly text: string
  /** A newly loaded engine, which remembers nothing, with other values of some constants. */
  with(values: readonly ConstantValue[]): typeof Investigate
  /**
   * The constants, by key, that can make a difference to an investigation: those that it reads, and those that are read when
   * the engine is loaded, as what is computed of them then can be anywhere. With another value of any other constant the
   * investigation takes the same way, byte for byte.
   */
  readIn(snapshot: Snapshot): ReadonlySet<string>
}

/** A constant where the bundle sets it, by the name that it has there. */
const SET = /^ *var ([\w$]+) = \$constant\((\d+)\);$/gm
/** A member of a table where the bundle sets it. */
const MEMBER_SET = /^( *)(\w+): (\$constant\(\d+\))(,?)$/gm

/**
 * Makes the engine adjustable.
 * @throws Error where a constant cannot be set to another value
 */
export async function adjustableEngine(): Promise<AdjustableEngine> {
  const constants = await engineConstants()
  const text = await bundled((file, given) =>
    constants.reduce(
      (so, one, index) => (one.file === file ? withValue(so, one.name, `$constant(${index})`) : so),
      given,
    ),
  )
  const names = new Map([...text.matchAll(SET)].map(([, name = '', index]) => [name, Number(index)]))
  const settable = new Set([...text.matchAll(/\$constant\((\d+)\)/g)].map(([, index]) => Number(index)))
  const lost = constants.find((_, index) => !settable.has(index))
  if (lost !== undefined) throw new Error(`${keyOf(lost)} cannot be set to another value`)
  const taken = [...names.keys()].find((name) => name in globalThis)
  if (taken !== undefined) throw new Error(`${taken} is a name of the platform`)
  const load = loaderOf(text)
  // What is declared nowhere is asked of the global object, whose getter sees it; a member has a getter of its own.
  const loadReading = loaderOf(text.replace(SET, '').replace(MEMBER_SET, '$1get $2() { return $3 }$4'))
  const read = new Set<number>()
  const constantAt: ConstantAt = (index) => {
    read.add(index)
    return (constants[index] as EngineConstant).value
  }
  return {
    ...{ constants, text },
    with(values) {
      const others = new Map(values.map((one) => [keyOf(one), one.value]))
      return load((index) => {
        const one = constants[index] as EngineConstant
        return others.get(keyOf(one)) ?? one.value
      })
    },
    readIn(snapshot) {
      read.clear()
      for (const [name, index] of names)
        Object.defineProperty(globalThis, name, { configurable: true, get: () => constantAt(index) })
      try {
        loadReading(constantAt)(snapshot)
      } finally {
        for (const name of names.keys()) Reflect.deleteProperty(globalThis, name)
      }
      return new Set(Array.from(read, (index) => keyOf(constants[index] as EngineConstant)))
    },
  }
}
