import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { BUNDLE_FILE_NAMES, readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { bundleJsonSchema, RECORD_FILES } from '#shared/adapters/bundle/record-shapes.ts'
import { bundleOf } from './bundle-in-memory.ts'

const docs = new URL('../../../docs/', import.meta.url)

test('the committed JSON Schema is the one that the shapes give', async () => {
  const committed = JSON.parse(await readFile(new URL('incident-bundle.schema.json', docs), 'utf8'))
  expect(committed, 'run: node infra/commands/write-bundle-schema.ts').toEqual(bundleJsonSchema())
  expect(Object.keys(committed.$defs)).toEqual(BUNDLE_FILE_NAMES.filter((name) => name !== 'metrics.csv'))
})

test('the examples of the documentation, one for every file, are read without a gap of their own', async () => {
  const text = await readFile(new URL('incident-bundle.md', docs), 'utf8')
  const files = Object.fromEntries(
    [...text.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, name, content]) => [name, content]),
  ) as Record<string, string>
  expect(Object.keys(files).sort()).toEqual([...BUNDLE_FILE_NAMES].sort())
  const pulled = await readBundle(bundleOf(files), { query: 'bundle:example' })
  expect(pulled.gaps).toEqual([{ what: 'orders-db slow query log', why: 'nobody collects it' }])
  for (const { list } of Object.values(RECORD_FILES)) expect(pulled[list].length, list).toBeGreaterThan(0)
  expect(pulled.entities).toHaveLength(1)
  expect(pulled.series.filter((series) => series.type_guessed)).toHaveLength(1)
})
