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

  it.each([
    ['did splunk answer?', 'splunk'],
    ['is new-relic connected?', 'new-relic'],
    ['did you check honeycomb.', 'honeycomb'],
  ])('of “%s” is one that cannot be connected, by its name', (plain, name) => {
    expect(toolAsked(plain)).toEqual({ type: null, name })
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
