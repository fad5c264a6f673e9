import { describe, expect, it } from 'vitest'
import type { Cause } from '#shared/domain/investigation/findings.ts'
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
    ['is stock responsible', 'stock'],
    ['was ines at fault?', 'ines'],
    ['was there a traffic spike', 'traffic spike'],
    ['is there any memory leak?', 'memory leak'],
    ["wasn't there some dns trouble again", 'dns trouble'],
    ['is there too much load', 'load'],
    ['are there nodes affected', null],
    ['was there an incident', null],
    ["it's the cert again, right?", 'the cert'],
    ['is it us or the provider?', 'us or the provider'],
    ['i bet stock-db', 'stock-db'],
    ["probably it's the cache", 'the cache'],
    ['network issue?', 'network'],
    ['are we being ddosed?', 'ddosed'],
    ['is someone attacking us', null],
    ['is someone getting attacked!', 'attacked'],
    ['are they throttled', 'throttled'],
    ['and could the deploy be the root cause', 'the deploy'],
    ['disk full on stock', 'disk full'],
    ['any memory leak?', 'memory leak'],
    ['the certs expired', 'the certs expired'],
    ['dns?', 'dns'],
    ['certs??', 'certs'],
    ['maybe dns, right?', 'dns'],
    ['is the certificate expired?', 'certificate'],
    ['has our tls cert expired', 'tls cert'],
    ['did the cert of web expire?', 'cert'],
    ['is the cert of web that expired yesterday back', null],
    ['smells like mailer throttling us', 'mailer'],
    ['my hunch: the flag', 'the flag'],
    ['i reckon stock-db ran out of connections, am i right', 'stock-db'],
    ['is there any chance that stock-cache started it', 'stock-cache'],
    ['do you think the deploy did it', 'the deploy'],
    ['the migration did it, yes?', 'the migration'],
    ['mailer caused the outage, correct?', 'mailer'],
    ['ines switched something on, could that be it', 'ines switched something on'],
    ['any sign of an intrusion', 'intrusion'],
    ['could mailer be behind it', 'mailer'],
    ['who started it', null],
    ['it started everything', null],
  ])('of “%s” is “%s”', (plain, words) => {
    expect(suspected(plain)).toBe(words)
  })

  it.each([
    'is it the only one?',
    "it's slow",
    'i think stock is down',
    'is there a problem',
    'stock issue?',
    'say dns?',
    'dns',
    'memory?',
    'disk full-on',
    'the network issue of stock',
    "so it's slow, right",
    'are we throttled by web',
    'how are we throttled',
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

  it.each(
    [
      ['a vendor', 'third party', 'our upstream', 'aws', 'the cloud', 'providers'].map((words) => [
        words,
        'provider',
      ]),
      ['dns', 'our dns'].map((words) => [words, 'dns']),
      ['the network'].map((words) => [words, 'network']),
      ['certs', 'a certificate', 'tls'].map((words) => [words, 'certificate']),
      ['a node', 'hosts', 'the machine', 'hardware'].map((words) => [words, 'node']),
      ['traffic', 'load', 'a ddos', 'dosed', 'attackers'].map((words) => [words, 'traffic']),
      ['capacity', 'memory', 'a leak', 'cpu', 'disks', 'overloaded'].map((words) => [words, 'capacity']),
      ['a flag', 'flags'].map((words) => [words, 'flag']),
      ['config', 'configuration'].map((words) => [words, 'config']),
    ].flat() as [string, Cause['kind']][],
  )('by the words “%s” means a cause of the kind %s, and no other', (words, kind) => {
    const kinds = [
      'provider',
      'dns',
      'network',
      'certificate',
      'node',
      'traffic',
      'capacity',
      'flag',
      'config',
      'code',
    ] as const
    expect(kinds.filter((each) => meansCause(words, { kind: each, change: 'd-1', entity: null }))).toEqual([
      kind,
    ])
    expect(meansCause(`un${words}ish`.replace(/ /g, ''), { kind, change: 'd-1', entity: null })).toBe(false)
  })

  it.each(['deploy', 'deploys', 'deployment', 'release', 'version', 'code'])(
    'means code by “%s”',
    (words) => {
      expect(meansCause(words, { kind: 'code', change: 'd-1', entity: null })).toBe(true)
    },
  )

  it.each([
    ['stock-db', 'db dbs database databases sql postgres mysql datastore'],
    ['stock-cache', 'cache caches redis'],
    ['jobs', 'queue queues broker kafka'],
    ['mailer', 'provider providers vendor vendors upstream cloud'],
    ['m-1', 'node nodes host hosts machine machines hardware'],
  ])('means %s by each of the words %s', (name, words) => {
    const all = [...ENTITIES, { name: 'm-1', kind: 'node' as const }]
    for (const word of words.split(' '))
      expect([word, entitiesMeant(`the ${word}`, all)]).toEqual([word, [name]])
  })

  it.each(['dynamodb', 's3', 'eu-west-1', 'Amazon SES', 'aws-health', 'orders-sqs', 'kinesis'])(
    'means %s by the name of the provider that runs it',
    (name) => {
      expect(entitiesMeant('the aws outage', [...ENTITIES, { name, kind: 'external' }])).toEqual([name])
      expect(meansCause('amazon', { kind: 'provider', change: null, entity: name })).toBe(true)
    },
  )

  it.each(['mailer', 'card-network', 'sesame', 'bars3d'])(
    'does not mean %s by the name of another provider, and means it by the word for any',
    (name) => {
      expect(entitiesMeant('the aws outage', [{ name, kind: 'external' }])).toEqual([])
      expect(meansCause('aws', { kind: 'provider', change: null, entity: name })).toBe(false)
      expect(meansCause('the provider', { kind: 'provider', change: null, entity: name })).toBe(true)
    },
  )

  it('means a cause of its kind, and code by its change alone', () => {
    expect(meansCause('the cert', { kind: 'certificate', change: null, entity: null })).toBe(true)
    expect(meansCause('the cert', { kind: 'dns', change: null, entity: null })).toBe(false)
    expect(meansCause('the deploy', { kind: 'code', change: 'd-1', entity: null })).toBe(true)
    expect(meansCause('the deploy', { kind: 'code', change: null, entity: null })).toBe(false)
  })

  it('speaks of the only one of a kind by its kind, and of none of several', () => {
    expect(spokenOf(ENTITIES).get('the db')).toBe('stock-db')
    expect(spokenOf(ENTITIES).get('our provider')).toBe('mailer')
    expect([...spokenOf(ENTITIES).keys()]).toEqual(
      ['db', 'database', 'cache', 'queue', 'provider'].flatMap((word) => [`the ${word}`, `our ${word}`]),
    )
    expect([...spokenOf([{ name: 'jobs', kind: 'queue' }]).keys()]).toEqual(['the queue', 'our queue'])
    const two = [...ENTITIES, { name: 'orders-db', kind: 'datastore' as const }]
    expect(spokenOf(two).get('the db')).toBeUndefined()
  })
})
