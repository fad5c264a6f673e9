import { describe, expect, it } from 'vitest'
import {
  entitiesMeant,
  meansCause,
  SUSPICIONS,
  spokenOf,
} from '#shared/domain/investigation/questions/asked-suspicion.ts'

const ENTITIES = [
  { name: 'stock', kind: 'service' },
  { name: 'stock-db', kind: 'datastore' },
  { name: 'stock-cache', kind: 'datastore' },
  { name: 'mailer', kind: 'external' },
  { name: 'jobs', kind: 'queue' },
] as const
const suspected = (plain: string) =>
  SUSPICIONS.flatMap((pattern) => pattern.exec(plain)?.[1] ?? [])[0] ?? null

describe('a suspicion', () => {
  it.each([
    ['is the db the problem?', 'the db'],
    ['was stock to blame', 'stock'],
    ["it's the cert again, right?", 'the cert'],
    ['is it us or the provider?', 'us or the provider'],
    ['i bet stock-db', 'stock-db'],
    ["probably it's the cache", 'the cache'],
    ['network issue?', 'network'],
    ['are we being ddosed?', 'ddosed'],
  ])('of “%s” is “%s”', (plain, words) => {
    expect(suspected(plain)).toBe(words)
  })

  it.each([
    'is it the only one?',
    "it's slow",
    'i think stock is down',
    'is there a problem',
    'stock issue?',
  ])('is none in “%s”', (plain) => {
    expect(suspected(plain)).toBeNull()
  })

  it('means what is of its kind; a cache is no database', () => {
    expect(entitiesMeant('the db', ENTITIES)).toEqual(['stock-db'])
    expect(entitiesMeant('the cache', ENTITIES)).toEqual(['stock-cache'])
    expect(entitiesMeant('us or the provider', ENTITIES)).toEqual(['mailer'])
    expect(entitiesMeant('the queue', ENTITIES)).toEqual(['jobs'])
    expect(entitiesMeant('stock', ENTITIES)).toEqual([])
  })

  it('means a cause of its kind, and code by its change alone', () => {
    expect(meansCause('the cert', { kind: 'certificate', change: null })).toBe(true)
    expect(meansCause('the cert', { kind: 'dns', change: null })).toBe(false)
    expect(meansCause('the deploy', { kind: 'code', change: 'd-1' })).toBe(true)
    expect(meansCause('the deploy', { kind: 'code', change: null })).toBe(false)
  })

  it('speaks of the only one of a kind by its kind, and of none of several', () => {
    expect(spokenOf(ENTITIES).get('the db')).toBe('stock-db')
    expect(spokenOf(ENTITIES).get('our provider')).toBe('mailer')
    const two = [...ENTITIES, { name: 'orders-db', kind: 'datastore' as const }]
    expect(spokenOf(two).get('the db')).toBeUndefined()
  })
})
