import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { engineChanged } from '#test/bench/altered-engine.ts'
import { alert, calls, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

const FILE = '// shared/domain/investigation/causes/sealed-silo.ts'
let taught: typeof investigate

/** Blocks of code in the list that shows what the engine is taught. */
async function blocks(): Promise<readonly string[]> {
  const page = await readFile(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8')
  const [, list = ''] = /## Teach the engine\n([\s\S]*?)(?=\n## |$)/.exec(page) ?? []
  return Array.from(list.matchAll(/^ {3}```ts\n([\s\S]*?)^ {3}```$/gm), ([, code = '']) =>
    code.replace(/^ {3}/gm, ''),
  )
}

beforeAll(async () => {
  const [row = '', file = '', line = ''] = await blocks()
  expect(row).toMatch(/^row\(/)
  expect(file.startsWith(FILE)).toBe(true)
  expect(line.trim()).toBe('sealedSilo(scene),')
  /** Puts something before what stands there once. */
  const before = (text: string, place: string, what: string): string => {
    expect(text.split(place)).toHaveLength(2)
    return text.replace(place, `${what}${place}`)
  }
  taught = await engineChanged([
    { file: 'causes/system-answers.ts', change: (text) => before(text, "  row('go-resolver'", `  ${row}`) },
    { file: 'causes/sealed-silo.ts', change: () => file },
    {
      file: 'causes/operational-causes.ts',
      change: (text) =>
        `import { sealedSilo } from './sealed-silo.ts'\n${before(text, '    givenWay(scene),', `    ${line}`)}`,
    },
  ])
})

describe('what CONTRIBUTING.md teaches the engine', () => {
  const failing: Snapshot = {
    ...EMPTY,
    alerts: [alert('stock', 'http_5xx_ratio')],
    series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
    edges: [...calls('web', 'stock', 0.4), ...calls('stock', 'silo', 0.4)],
  }

  it('is what the silo answers, quoted by whom it fails', () => {
    const told: Snapshot = { ...failing, logs: lines('stock', 'ERROR', 'PUT /boxes: silo is sealed', ONSET) }
    const said = 'silo that is sealed'
    expect(taught(told).cause).toMatchObject({ kind: 'infra', change: null })
    expect(taught(told).summary).toContain(said)
    expect(investigate(told).summary).not.toContain(said)
  })

  it('is what its gauge says, from the onset on and not long before', () => {
    const sealed = (from: number): Snapshot => ({
      ...failing,
      series: [...failing.series, series('silo', 'silo_sealed', 0, 1, from)],
    })
    expect(taught(sealed(ONSET)).cause).toMatchObject({ kind: 'infra', entity: 'silo' })
    expect(investigate(sealed(ONSET)).cause.kind).not.toBe('infra')
    expect(taught(sealed(ONSET - 40)).cause.kind).not.toBe('infra')
  })
})
