import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { isActRecord, placesNamedBy, quotedResource } from '#shared/domain/investigation/named-resources.ts'
import type { Change } from '#shared/domain/investigation/snapshot.ts'
import type { Symptom } from '#shared/domain/investigation/symptoms.ts'
import { EMPTY } from './incident-scenarios.ts'

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
