import { describe, expect, it } from 'vitest'
import { INTEGRATION_TYPES } from '#shared/domain/integration-types.ts'
import { toolAsked } from '#shared/domain/investigation/questions/asked-tool.ts'

describe('the tool that is asked after', () => {
  it.each(INTEGRATION_TYPES.map(({ type }) => type))(
    'is %s by its type, as every tool that can be connected',
    (type) => {
      expect(toolAsked(`did ${type} answer?`)).toEqual({ type, name: type })
    },
  )

  it.each([
    ['is k8s connected', 'kubernetes', 'k8s'],
    ['did you check jaeger', 'tempo', 'jaeger'],
    ['did prom respond', 'prometheus', 'prom'],
    ['was the status page asked', 'statuspage', 'status page'],
    ["why didn't you ask pager duty", 'pagerduty', 'pager duty'],
  ])('of “%s” is %s, as people call it', (plain, type, name) => {
    expect(toolAsked(plain)).toEqual({ type, name })
  })

  it.each(['alert manager', 'cloud watch', 'data dog', 'git hub', 'open search', 'status page'])(
    'is “%s”, in two words or with a hyphen',
    (words) => {
      const type = words.replace(' ', '')
      for (const name of [words, words.replace(' ', '-')])
        expect(toolAsked(`did ${name} answer`)).toEqual({ type, name })
    },
  )

  it.each([
    ['did splunk answer?', 'splunk'],
    ['is new-relic connected?', 'new-relic'],
    ['did you check honeycomb.', 'honeycomb'],
    ['did you not look at honeycomb..-', 'honeycomb'],
    ['do we have an honeycomb hooked up!!', 'honeycomb'],
    ['was our x2 asked', 'x2'],
    ['have you used any ab', 'ab'],
  ])('of “%s” is one that cannot be connected, by its name', (plain, name) => {
    expect(toolAsked(plain)).toEqual({ type: null, name })
  })

  it.each(
    'it this that them they there all any anything every everything some something no nothing what whatever which who tool tools source sources datasources integration integrations connectors queries metrics log logs trace traces spans changes deploys commits alert alerts evidence data you we us i one other others first twice again already now anyway really else'.split(
      ' ',
    ),
  )('is none where “%s” stands in the place of its name', (word) => {
    expect(toolAsked(`did you check ${word}?`)).toBeNull()
    expect(toolAsked(`was the ${word} queried`)).toBeNull()
  })

  it.each(['itsm', 'onesignal', 'dataset', 'firsthand', 'whois', 'usage', 'x-it', 'my-logs'])(
    'is one that is called “%s”, which only holds such a word',
    (name) => {
      expect(toolAsked(`did you ask ${name}?`)).toEqual({ type: null, name })
    },
  )

  it.each([
    'is splunk up',
    'and is splunk connected',
    'is it you ask splunk for more',
    'is splunk connected to stock',
    'did we check splunk',
  ])('is none of a question that asks otherwise: “%s”', (plain) => {
    expect(toolAsked(plain)).toBeNull()
  })

  it.each([
    'did it answer?',
    'what was asked',
    'did you check the logs',
    'did all respond?',
    'which tools answered',
    'did anything answer',
  ])('of “%s” is none in particular', (plain) => {
    expect(toolAsked(plain)).toBeNull()
  })
})
