import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Who may import whom, longest prefix first. Packages are listed where a room may use only some. */
const ROOMS: readonly (readonly [room: string, mayImport: readonly string[], packages: RegExp])[] = [
  ['shared/names.ts', [], /^$/],
  ['shared/domain/', ['shared/domain/'], /^chrono-node\/en$/],
  ['shared/contract/openapi.ts', ['shared/contract/', 'shared/domain/'], /^zod(\/mini|-openapi)$/],
  ['shared/contract/', ['shared/contract/', 'shared/domain/', 'shared/names.ts'], /^zod\/mini$/],
  ['shared/adapters/', ['shared/adapters/', 'shared/domain/', 'shared/names.ts'], /./],
  [
    'shared/edge/',
    ['shared/edge/', 'shared/contract/', 'shared/domain/'],
    /^(node:|@middy\/|@aws-lambda-powertools\/|aws-lambda$|zod\/mini$)/,
  ],
  ['shared/runtime.ts', ['shared/'], /./],
  [
    'functions/console/',
    [
      'functions/console/',
      'shared/contract/',
      'shared/domain/incident.ts',
      'shared/domain/integration-types.ts',
      'shared/domain/investigation/findings.ts',
      'shared/domain/investigation/screen/diff-excerpt.ts',
    ],
    /^(preact(\/hooks)?|preact-iso|@preact\/signals|oauth4webapi|uplot(\/dist\/uPlot\.min\.css)?|zod\/mini|vite\/client)$/,
  ],
  ['functions/', ['shared/edge/', 'shared/contract/', 'shared/domain/', 'shared/runtime.ts'], /^$/],
  ['infra/local/', ['infra/', 'shared/', 'functions/'], /./],
  ['infra/commands/', ['infra/', 'shared/', 'functions/'], /./],
  ['infra/tools-demo/', ['infra/', 'shared/'], /./],
  ['infra/sample-outage/', ['infra/sample-outage/', 'shared/'], /./],
  [
    'infra/',
    [
      'infra/',
      'shared/contract/operations.ts',
      'shared/contract/console.ts',
      'shared/contract/errors.ts',
      'shared/contract/validate.ts',
      'shared/domain/errors.ts',
      'shared/names.ts',
    ],
    /./,
  ],
]
const IMPORT = /(?:^import\b|^export\b|\bimport\()(?:[^'"`;]*?\bfrom\s*)?\s*['"]([^'"]+)['"]/gm

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'shared', 'functions', 'infra'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file))

/** What a file imports: paths from the root for our own, names for packages. */
function importsOf(file: string, text: string): string[] {
  return Array.from(text.matchAll(IMPORT), ([, target = '']) => {
    if (target.startsWith('#')) return target.slice(1)
    return target.startsWith('.') ? posix.join(posix.dirname(file), target) : target
  })
}

const isOwn = (target: string) => /^(shared|functions|infra|test)\//.test(target)

function breachesOf(file: string, text: string): string[] {
  const room = ROOMS.find(([prefix]) => file.startsWith(prefix))
  if (room === undefined) return [`${file} stands in no room`]
  const [, mayImport, packages] = room
  return importsOf(file, text)
    .filter((target) =>
      isOwn(target) ? !mayImport.some((allowed) => target.startsWith(allowed)) : !packages.test(target),
    )
    .map((target) => `${file} imports ${target}`)
}

describe('the rooms', () => {
  it('import only what their arrows allow', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(files.flatMap((file) => breachesOf(file, readFileSync(file, 'utf8')))).toEqual([])
  })

  it.each([
    ['shared/domain/x.ts', "import { readFile } from 'node:fs/promises'"],
    ['shared/domain/x.ts', "import { a } from '../adapters/digest.ts'"],
    ['shared/adapters/x.ts', "import type { B } from '#shared/contract/operations.ts'"],
    ['shared/edge/x.ts', "const a = await import('#shared/adapters/digest.ts')"],
    ['functions/api/x.ts', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'"],
    ['infra/x.ts', "export { x } from '#shared/domain/incident.ts'"],
    ['shared/domain/x.ts', "import {\n  a,\n  b,\n} from 'undici'"],
  ])('a breach in %s is seen: %s', (file, text) => {
    expect(breachesOf(file, text)).toHaveLength(1)
  })
})

/** The files that a file imports, directly and through others, of those given. */
function reachedFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>()
  const next = [...(imports.get(file) ?? [])]
  for (const target of next)
    if (imports.has(target) && !reached.has(target)) {
      reached.add(target)
      next.push(...(imports.get(target) ?? []))
    }
  return reached
}

const onItself = (imports: ReadonlyMap<string, readonly string[]>): string[] =>
  [...imports.keys()].filter((file) => reachedFrom(file, imports).has(file))

describe('files', () => {
  it('rest on one another in one direction: none reaches itself', () => {
    const engine = files.filter((file) => file.startsWith('shared/domain/investigation/'))
    expect(engine.length).toBeGreaterThan(100)
    expect(
      onItself(new Map(files.map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]))),
    ).toEqual([])
  })

  it('that go round in a circle are seen, types too', () => {
    const imports = {
      a: "import type { B } from './b.ts'",
      b: "import { c } from './c.ts'",
      c: "export { a } from './a.ts'",
      d: "import { a } from './a.ts'",
    }
    const all = Object.entries(imports).map(
      ([name, text]) => [`shared/${name}.ts`, importsOf(`shared/${name}.ts`, text)] as const,
    )
    expect(onItself(new Map(all))).toEqual(['shared/a.ts', 'shared/b.ts', 'shared/c.ts'])
  })
})

describe('the functions', () => {
  it('have at most 20 lines each', () => {
    const long = files.filter(
      (file) => /^functions\/(?!console\/)/.test(file) && readFileSync(file, 'utf8').split('\n').length > 21,
    )
    expect(long).toEqual([])
  })
})
