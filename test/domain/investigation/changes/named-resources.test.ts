import { describe, expect, it } from 'vitest'
import {
  isActRecord,
  placesNamedBy,
  quotedResource,
} from '#shared/domain/investigation/changes/named-resources.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { EMPTY } from '../incident-scenarios.ts'

const names = entityNames({
  ...EMPTY,
  entities: [
    { name: 'parcel-store', kind: 'datastore', aliases: [] },
    { name: 'till', kind: 'service', aliases: [] },
  ],
})
const change = (title: string, more: Partial<Change> = {}): Change => ({
  source: 'cloud',
  id: 'a1',
  recorded_at: 0,
  kind: 'infra',
  title,
  ...more,
})
const symptom = { text: 'topic not found' } as Symptom

describe('what the record of a change names', () => {
  it('is the place of which its title, or the name of a file of settings, speaks', () => {
    expect(placesNamedBy(change('kv/live/parcel-store/reader'), names)).toEqual(['parcel-store'])
    const file = change('Smaller', { kind: 'config', files: ['stores/parcel-store.tf', 'docs/till.md'] })
    expect(placesNamedBy(file, names)).toEqual(['parcel-store'])
    expect(placesNamedBy(change('Certificates renewed'), names)).toEqual([])
    expect(placesNamedBy(change('parcel-store', { kind: 'commit' }), names)).toEqual([])
  })

  it('is what a file of settings declares, where neither title nor file name it, whatever records it', () => {
    const declared = (diff: string, path = 'stores/main.tf'): readonly string[] =>
      placesNamedBy(change('Smaller', { kind: 'commit', files: [path], diff }), names)
    expect(declared('@@ resource "aws_db_instance" "parcel-store" {\n-  class = "l"')).toEqual([
      'parcel-store',
    ])
    expect(declared(' kind: Service\n metadata:\n   name: till\n+  port: 80', 'base/all.yaml')).toEqual([
      'till',
    ])
    expect(declared('+  till = open()')).toEqual([])
    expect(declared(' name: till', 'src/open.ts')).toEqual([])
  })

  it('is what was done only where it holds nothing that was written to be done', () => {
    expect(isActRecord(change('x'))).toBe(true)
    expect(isActRecord(change('x', { diff: '+a' }))).toBe(false)
    expect(isActRecord(change('x', { files: ['a.tf'] }))).toBe(false)
    expect(isActRecord(change('x', { kind: 'flag' }))).toBe(false)
  })

  it('is what those who fail quote, other than an entity and an everyday word', () => {
    const quoted = new Map([
      ['parcel-events', symptom],
      ['prod', symptom],
      ['till', symptom],
    ])
    expect(quotedResource(change('Topic prod/parcel-events of till'), quoted, names)).toEqual({
      name: 'parcel-events',
      symptom,
      how: 'bears',
    })
    expect(quotedResource(change('Topic prod/mail-events of till'), quoted, names)).toBeNull()
    expect(quotedResource(change('parcel-events', { diff: '+a' }), quoted, names)).toBeNull()
  })
})

describe('a record that is of no service', () => {
  const named = (more: Partial<Change>) => placesNamedBy(change('parcel-store', more), names)

  it('is one of an infrastructure, of settings, of a migration or a scaling, or of nobody knows what', () => {
    for (const kind of ['infra', 'config', 'migration', 'scale', 'other'] as const)
      expect([kind, named({ kind })]).toEqual([kind, ['parcel-store']])
    for (const kind of ['commit', 'deploy', 'release', 'flag', 'pull_request'] as const)
      expect([kind, named({ kind })]).toEqual([kind, []])
  })

  it('is one that touches files of settings alone', () => {
    const touching = (...files: readonly string[]) => named({ kind: 'commit', files })
    for (const end of 'yaml yml toml ini conf cfg env properties tf tfvars hcl json sql YAML'.split(' '))
      expect([end, touching(`base/all.${end}`)]).toEqual([end, ['parcel-store']])
    for (const files of [['a.ts'], ['a.yaml', 'a.ts'], ['a.yamlish'], ['yaml'], []])
      expect([files, touching(...files)]).toEqual([files, []])
  })
})

describe('the name of a file of settings', () => {
  const by = (path: string) => placesNamedBy(change('Smaller', { kind: 'config', files: [path] }), names)

  it('is what stands between its last folder and its ending', () => {
    expect(by('deep/down/till.yaml')).toEqual(['till'])
    expect(by('till.yaml')).toEqual(['till'])
    expect(by('base/till.prod.yaml')).toEqual(['till'])
    expect(by('till/main.yaml')).toEqual([])
    expect(by('a/till/main.tf')).toEqual([])
  })

  it('comes before what is declared in it', () => {
    const more = { kind: 'config' as const, files: ['till.yaml'], diff: ' name: parcel-store' }
    expect(placesNamedBy(change('Smaller', more), names)).toEqual(['till'])
    expect(placesNamedBy(change('Smaller', { ...more, files: ['all.yaml'] }), names)).toEqual([
      'parcel-store',
    ])
  })
})

describe('what is declared', () => {
  const declared = (diff: string) => placesNamedBy(change('Smaller', { kind: 'config', diff }), names)

  it.each([
    ...['name: till', '+name: till', '-  name: till', '  name:till', 'name: "till"', "name:\t'till'"],
    ...['module "till" {', 'resource "aws_db_instance" "till" {', '@@ name: till', '@@name: till'],
  ])('is read in %s', (line) => {
    expect(declared(`first\n${line}\nlast`)).toEqual(['till'])
  })

  it.each(['rename: till', 'x name: till', 'module "till"', 'till', 'names: till'])(
    'is not read in %s',
    (line) => {
      expect(declared(`first\n${line}\nlast`)).toEqual([])
    },
  )

  it('is not looked for beyond twenty thousand signs', () => {
    expect(declared(`${'x'.repeat(19_000)}\nname: till`)).toEqual(['till'])
    expect(declared(`${'x'.repeat(20_000)}\nname: till`)).toEqual([])
  })
})

describe('a name that those who fail quote', () => {
  const quotedBy = (title: string, name: string) =>
    quotedResource(change(title), new Map([[name, symptom]]), names)?.name ?? null

  it('has three signs at least and is no everyday word, which a longer one may hold', () => {
    expect(quotedBy('Topic abc', 'abc')).toBe('abc')
    expect(quotedBy('Topic ab', 'ab')).toBeNull()
    expect(quotedBy('a', 'a')).toBeNull()
    for (const word of ['production', 'secret', 'secrets', 'live', 'default'])
      expect(quotedBy(`Topic ${word}`, word)).toBeNull()
    for (const word of ['livestream', 'predefault', 'secretsauce'])
      expect(quotedBy(`Topic ${word}`, word)).toBe(word)
  })

  it('is compared in small letters and told as the record has it', () => {
    expect(quotedBy('Topic Parcel-Events.v2', 'parcel-events.v2')).toBe('Parcel-Events.v2')
    expect(quotedBy('(abc.)', 'abc')).toBe('abc')
  })
})
