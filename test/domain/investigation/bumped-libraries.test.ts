import { describe, expect, it } from 'vitest'
import { BUMPED_LIBRARIES, bumpedIn } from '#shared/domain/investigation/bumped-libraries.ts'
import { strongestMechanism } from '#shared/domain/investigation/fitting-mechanism.ts'
import { readDiff } from '#shared/domain/investigation/read-diff.ts'
import { LIBRARY_PAGES } from '#shared/domain/investigation/row-pages.ts'
import type { Symptom } from '#shared/domain/investigation/symptoms.ts'

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

describe('a library that is taken in another version', () => {
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
