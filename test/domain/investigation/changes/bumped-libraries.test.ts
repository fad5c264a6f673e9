import { describe, expect, it } from 'vitest'
import {
  BUMPED_LIBRARIES,
  bumpedIn,
  isBumpedOtherwise,
} from '#shared/domain/investigation/changes/bumped-libraries.ts'
import { strongestMechanism } from '#shared/domain/investigation/changes/fitting-mechanism.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { LIBRARY_PAGES } from '#shared/domain/investigation/changes/row-pages.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'

const symptom = (plain: string): Symptom => ({ plain, weight: 1 }) as Symptom
const bump = (file: string, before: string, after: string) =>
  readDiff([`--- a/${file}`, `+++ b/${file}`, '@@ -3 +3 @@', `-${before}`, `+${after}`].join('\n'), [file])
const read = (file: string, before: string, after: string) =>
  bumpedIn(bump(file, before, after)).map(([{ id }, sure]) => [id, sure])

/** A library of each purpose, what is then observed, and a library that only sounds alike. */
const EXAMPLES: Readonly<Record<string, readonly [name: string, observed: string, other: string]>> = {
  'bumped-store-client': ['ioredis', 'too many connections', 'sqlite-icons'],
  'bumped-http-client': ['okhttp', 'java.net.SocketException: Connection reset', 'httpster-fonts'],
  'bumped-queue-client': ['kafkajs', 'kafka_consumer_group_lag', 'bullet-train'],
  'bumped-serializer': ['protobufjs', 'failed to decode: unexpected token', 'jsonplaceholder'],
  'bumped-security': ['jsonwebtoken', '401: invalid signature', 'tlsdate-docs'],
}

const NO_TIME = ['timeout', 'time-out', 'time out', 'timed out', 'timed-out']
/** Names as they are written, names of which one is only a part, and what is observed in each spelling. */
const SPELLINGS: Readonly<
  Record<
    string,
    {
      names: readonly string[]
      parts: readonly string[]
      symptoms: readonly string[]
      others: readonly string[]
    }
  >
> = {
  'bumped-store-client': {
    names: [
      ...[
        'sql',
        'sqlx',
        'pg',
        'pgx',
        'psycopg',
        'psycopg2',
        'postgres',
        'postgresql',
        'mysql',
        'mysql2',
        'dbcp',
      ],
      ...['dbcp2', 'mongo', 'mongodb', 'mongoose', 'memcache', 'memcached', 'driver', 'redis'],
    ],
    parts: ['nosql', 'redisearch', 'whirlpool', 'poolside', 'mysqlx'],
    symptoms: [
      ...['pool exhausted', 'db_pool_size', 'connection acquire', 'connections in use', 'connection in_use'],
      ...['connections to a wait', 'connection_active', 'connections_waiting', 'slow query', 'slow_log'],
      ...['query_time', 'queries per', 'query duration', 'too many clients', 'statement timeout'],
      ...NO_TIME.flatMap((words) => [
        `connection ${words}`,
        `${words} at connect`,
        `${words}: cannot connect`,
      ]),
    ],
    others: ['whirlpool', 'poolside', 'connections', 'timeout', 'querying time'],
  },
  'bumped-http-client': {
    names: ['http', 'https', 'http2', 'urllib', 'urllib3', 'okhttp', 'okhttp4', 'axum', 'got', 'requests'],
    parts: ['xhttp', 'https2', 'forgot', 'gotcha', 'httpster'],
    symptoms: [
      ...['header too large', 'headers overflow', 'header invalid', 'inflight', 'in flight', 'in_flight'],
      ...['open sockets', 'open_files', '415', '431', 'socket hang up', 'broken pipe'],
    ],
    others: ['inverted flight', 'openfiles', '402', '4150'],
  },
  'bumped-queue-client': {
    names: ['kafka', 'pika', 'kombu', 'bull', 'nats'],
    parts: ['xkafka', 'kafkaesque', 'bulldozer', 'spika', 'pulsars'],
    symptoms: [
      ...[
        'lag',
        'consumer_lag_max',
        'requeue',
        're-queue',
        'oldest message',
        'oldest_message',
        'dead letter',
      ],
      ...['dead-letter', 'dead_letter', 'deadletter', 'poll interval', 'consumer group'],
    ],
    others: ['flag', 'lagoon', 'oldestmessage', 'deadxletter'],
  },
  'bumped-serializer': {
    names: ['json', 'yaml', 'bignumber', 'avro'],
    parts: ['jsonpath', 'bson-json2', 'enjson', 'yamls'],
    symptoms: [
      'deserialised',
      'deserialized',
      'serializer',
      'parse',
      'parsing',
      'decode',
      'decoding',
      'invalid date',
    ],
    others: ['sparrow', 'invalid seat', 'an unknown word'],
  },
  'bumped-security': {
    names: ['openssl', 'oauth', 'oauth2', 'saml', 'jwt'],
    parts: ['wolfopenssl', 'openssl3', 'samlet', 'authority'],
    symptoms: ['unauthorised', 'unauthorized', '401', '403', 'invalid grant', 'unsupported protocol', 'tls'],
    others: ['4010', 'titles', 'authored'],
  },
}

describe('a library that is taken in another version', () => {
  it.each(BUMPED_LIBRARIES.map((row) => [row.id, row] as const))(
    '%s is known in every spelling',
    (id, row) => {
      const { names, parts, symptoms, others } = SPELLINGS[id] as (typeof SPELLINGS)[string]
      expect(names.filter((name) => !row.named.test(name))).toEqual([])
      expect(parts.filter((name) => row.named.test(name))).toEqual([])
      expect(symptoms.filter((text) => !row.symptom.test(text))).toEqual([])
      expect(others.filter((text) => row.symptom.test(text))).toEqual([])
      expect(row).toMatchObject({
        kind: 'dependency',
        does: expect.stringMatching(/^takes another version of /),
      })
    },
  )

  it('may be seen in general words of what it is for', () => {
    const general = Object.fromEntries(BUMPED_LIBRARIES.map((row) => [row.id, row.general]))
    for (const text of [...NO_TIME, '500', '504', 'upstream', 'unavailable'])
      expect(general['bumped-http-client']?.test(text)).toBe(true)
    for (const text of ['501', '5000', 'a time', 'stream'])
      expect(general['bumped-http-client']?.test(text)).toBe(false)
    expect(general['bumped-security']).toBeUndefined()
  })

  it('has an example for each row, and each row its page', () => {
    expect(Object.keys(EXAMPLES)).toEqual(BUMPED_LIBRARIES.map(({ id }) => id))
    expect(Object.keys(LIBRARY_PAGES)).toEqual(BUMPED_LIBRARIES.map(({ id }) => id))
    for (const page of Object.values(LIBRARY_PAGES)) expect(page).toMatch(/^https:\/\//)
  })

  it.each(Object.entries(EXAMPLES))('%s', (id, [name, observed, other]) => {
    const [before, after] = [`"${name}": "^4.9.1",`, `"${name}": "^5.0.0",`]
    const diff = bump('api/package.json', before, after)
    expect(strongestMechanism(diff, [symptom(observed)])).toMatchObject({ mechanism: { id }, score: 0.8 })
    expect(strongestMechanism(diff, [symptom('the sun shines')])).toBeNull()
    expect(read('package.json', `"${other}": "^1.0.0"`, `"${other}": "^2.0.0"`)).toEqual([])
  })

  it.each([
    ['package.json', '    "@fastify/redis": "^6.2.0",', '    "@fastify/redis": "^7.0.0",'],
    ['requirements.txt', 'redis==4.6.0', 'redis==5.0.1'],
    ['go.mod', '\tgithub.com/go-redis/redis v6.15.9', '\tgithub.com/go-redis/redis v7.4.1'],
    ['Cargo.toml', 'redis = "0.23.3"', 'redis = "0.24.0"'],
    [
      'build.gradle',
      "  implementation 'redis.clients:jedis:4.4.3'",
      "  implementation 'redis.clients:jedis:5.1.0'",
    ],
    ['Gemfile', "gem 'redis', '~> 4.8'", "gem 'redis', '~> 5.0'"],
  ])('is read from a %s', (file, before, after) => {
    expect(read(file, before, after)).toContainEqual(['bumped-store-client', 0.8])
  })

  it.each([
    ['pg: 8.1', 'pg: 9.1'],
    ['pg:8.1', 'pg:9.1'],
    ['pg~=8.1', 'pg~=9.1'],
    ['pg >= 8.1', 'pg >= 9.1'],
    ['pg 8.1', 'pg 9.1'],
    ["'pg' = '8.1'", "'pg' = '9.1'"],
    ['api("org:pg:8.1")', 'api("org:pg:9.1")'],
    ['implementation "org:pg:8.1"', 'implementation "org:pg:9.1"'],
    ['require("pg", "8.1")', 'require("pg", "9.1")'],
    ['  pg   =    "~>  18.11"', ' pg =\t"~> 19.11"'],
    ['pg\tv8.1', 'pg v9.1'],
    ['pg@8: "v8.1"', 'pg@8: "v9.1"'],
  ])('is read as %j', (before, after) => {
    expect(read('package.json', before, after)).toEqual([['bumped-store-client', 0.8]])
  })

  it.each([
    ['$pg: 8.1', '$pg: 9.1'],
    ['8.1', '9.1'],
    ['"pg": "x8.1"', '"pg": "x9.1"'],
    ['"pg": "8"', '"pg": "9"'],
    ['pg is in 8.1', 'pg is in 9.1'],
    ['see pg: 8.1', 'see pg: 9.1'],
    ['"integrity": "1.2"', '"integrity": "2.2"'],
  ])('is none in %j', (before, after) => {
    expect(read('package.json', before, after)).toEqual([])
  })

  it('is told apart from others by all its name, and by its whole numbers', () => {
    const bumped = (before: readonly string[], after: readonly string[]) =>
      bumpedIn(
        readDiff([...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join('\n'), [
          'package.json',
        ]),
      ).map(([{ id }, sure]) => [id, sure])
    expect(bumped(['pg-copy: 1.1', 'pg: 8.1'], ['pg: 8.2', 'pg-copy: 1.1'])).toEqual([
      ['bumped-store-client', 0.3],
    ])
    expect(bumped(['pg: 18.1'], ['pg: 19.1'])).toEqual([['bumped-store-client', 0.8]])
    expect(bumped(['pg: 0.18'], ['pg: 0.19'])).toEqual([['bumped-store-client', 0.8]])
    expect(bumped(['PG: 8.1'], ['pg: 9.1'])).toEqual([['bumped-store-client', 0.8]])
    expect(bumped(['pg-json: 1.1'], ['pg-json: 2.0'])).toEqual([
      ['bumped-store-client', 0.8],
      ['bumped-serializer', 0.8],
    ])
  })

  it('is no name that a lockfile gives to anything', () => {
    const versions = ['version', 'resolved', 'node', 'engine', 'engines', 'Version']
    for (const name of versions) expect(read('a.lock', `${name} = "1.0"`, `${name} = "2.0"`)).toEqual([])
    for (const name of ['pg-version', 'node-redis'])
      expect(read('a.lock', `${name} = "1.0"`, `${name} = "2.0"`)).toEqual([['bumped-store-client', 0.8]])
  })

  it('does otherwise what it is for where its number says so, and seldom where it does not', () => {
    const between = (before: string, after: string) =>
      read('package.json', `"pg": "${before}"`, `"pg": "${after}"`)
    expect(between('^8.11.0', '^9.0.0')).toEqual([['bumped-store-client', 0.8]])
    expect(between('^8.11.0', '^8.12.0')).toEqual([['bumped-store-client', 0.3]])
    expect(between('0.4.1', '0.5.0')).toEqual([['bumped-store-client', 0.8]])
    expect(between('0.4.1', '0.4.2')).toEqual([['bumped-store-client', 0.3]])
    // The way back is another version as well.
    expect(between('^9.0.0', '^8.11.0')).toEqual([['bumped-store-client', 0.8]])
  })

  it('is the surest of several, and none that is new, gone or told by a lockfile’s version alone', () => {
    const files = ['package.json']
    const lines = ['-"pg": "8.1.0",', '-"mysql2": "2.3.0",', '+"pg": "8.2.0",', '+"mysql2": "3.0.0",']
    const both = readDiff(
      ['--- a/package.json', '+++ b/package.json', '@@ -1,2 +1,2 @@', ...lines].join('\n'),
      files,
    )
    expect(bumpedIn(both).map(([{ id }, sure]) => [id, sure])).toEqual([['bumped-store-client', 0.8]])
    expect(read('package.json', '"left-pad": "1.0.0"', '"pg": "8.0.0"')).toEqual([])
    expect(read('package-lock.json', '"version": "1.0.0"', '"version": "2.0.0"')).toEqual([])
  })

  it('is found in as many steps as a line has characters, whatever stands in it', () => {
    const long = (text: string) =>
      Array.from({ length: 200 }, (_, index) => `${index % 2 ? '+' : '-'}${text}`)
    for (const text of [
      `a${' '.repeat(900)}`,
      ' '.repeat(900),
      `"${'a-'.repeat(450)}`,
      `a ${'"^~'.repeat(300)}`,
      '9'.repeat(900),
    ])
      expect(read('package.json', long(text).join('\n'), `"pg": "8.1.0"`)).toEqual([])
  })

  it('says nothing of a change that does more than take other versions', () => {
    const diff = readDiff(
      [
        ...['--- a/package.json', '+++ b/package.json', '@@ -1 +1 @@', '-"pg": "8.1.0"', '+"pg": "9.0.0"'],
        ...['--- a/src/page.ts', '+++ b/src/page.ts', '@@ -1 +1 @@', '-title()', '+heading()'],
      ].join('\n'),
      ['package.json', 'src/page.ts'],
    )
    expect(strongestMechanism(diff, [symptom('too many connections')])?.mechanism.id).not.toBe(
      'bumped-store-client',
    )
  })
})

describe('a library whose name does not say what it is for', () => {
  const sure = (before: string, after: string, file = 'api/package.json') =>
    isBumpedOtherwise(bump(file, before, after))

  it('may break whatever its owner does, where its number says that it is not compatible', () => {
    expect(sure('"shelf-kit": "^3.8.2"', '"shelf-kit": "^4.0.0"')).toBe(0.25)
    expect(sure('"shelf-kit": "^0.8.2"', '"shelf-kit": "^0.9.0"')).toBe(0.25)
    expect(sure('shelf-kit==3.8', 'shelf-kit==2.9', 'requirements.txt')).toBe(0.25)
    expect(sure('"shelf-kit": "^3.8.2"', '"shelf-kit": "^3.9.0"')).toBe(0)
    expect(sure('"shelf-kit": "^3.8.2"', '"other-kit": "^4.0.0"')).toBe(0)
  })

  it('is none of a known purpose, none that is only developed with, and nothing that every manifest names', () => {
    expect(sure('"pg": "^8.0.0"', '"pg": "^9.0.0"')).toBe(0)
    for (const name of ['version', 'node', 'engine', 'integrity'])
      expect(sure(`"${name}": "1.0.0"`, `"${name}": "2.0.0"`)).toBe(0)
    const developed = ['   "devDependencies": {', '-"shelf-kit": "3.8"', '+"shelf-kit": "4.0"'].join('\n')
    expect(isBumpedOtherwise(readDiff(developed, ['package.json']))).toBe(0)
  })

  it('is told as a mechanism that is just worth a sentence, whatever fails', () => {
    const diff = bump('api/package.json', '"shelf-kit": "^3.8.2"', '"shelf-kit": "^4.0.0"')
    expect(strongestMechanism(diff, [symptom('the basket is of another session')])).toMatchObject({
      ...{ mechanism: { id: 'bumped-any', kind: 'dependency' }, score: 0.25 },
    })
    expect(strongestMechanism(diff, [])).toBeNull()
    const more = readDiff('-"shelf-kit": "3.8"\n+"shelf-kit": "4.0"\n+call(a)', ['package.json', 'a.ts'])
    expect(strongestMechanism(more, [symptom('x')])?.mechanism.id).not.toBe('bumped-any')
  })
})
