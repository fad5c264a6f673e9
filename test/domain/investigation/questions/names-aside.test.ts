import { describe, expect, it } from 'vitest'
import { namesAside, spelt } from '#shared/domain/investigation/questions/names-aside.ts'
import { readQuestion } from '#shared/domain/investigation/questions/read-question.ts'

const NOW = Date.parse('2026-03-02T10:00:00Z')

describe('a question in which known names stand aside', () => {
  it.each([
    ['is ship-worker down', ['ship-worker']],
    ["what's ship_worker's p99", ['Ship-Worker']],
    ['is release.manager ok. why', ['release-manager-service']],
    ['is release-manager-service up', ['release-manager-service']],
    ['compare deploy-bot and flag-api', ['deploy-bot', 'flag-api']],
  ])('holds no part of a name in “%s”, and is spelt out as it was typed', (plain, services) => {
    const aside = namesAside(plain, { services })
    expect(aside).not.toMatch(/ship|release|deploy|flag/)
    expect(spelt(aside)).toBe(plain)
  })

  it.each([
    ['is search down', ['search']],
    ['the deploy-bot', ['deploy']],
    ['is ship-worker-2 down', ['ship-worker']],
    ['did the config change do this', ['config-change']],
    ['', ['ship-worker']],
  ])('is “%s” as it stands where it names nobody known by a name of several parts', (plain, services) => {
    expect(namesAside(plain, { services })).toBe(plain)
  })

  it('knows other names as well, and leaves letters of other scripts where they stand', () => {
    const aside = namesAside('is lager-über_2 slower than flag-api', {
      services: ['Lager.Über-2'],
      aliases: new Map([['flag-api', 'flags']]),
    })
    expect(aside).not.toMatch(/lager|2|flag/)
    expect(spelt(aside)).toBe('is lager-über_2 slower than flag-api')
  })
})

describe('a service whose name has a word that asks for something', () => {
  const services =
    'ship-worker config-service release-manager deploy-bot flag-api change-feed recovery-service traffic-router alert-router rollback-controller commit-log memory-cache night-batch'.split(
      ' ',
    )
  const read = (text: string) => readQuestion(text, { services, now: NOW })

  it.each(services)('is asked after by its name alone: %s', (service) => {
    expect(read(`is ${service} down?`)).toMatchObject({
      intent: 'how_is',
      service,
      measure: null,
      window: null,
    })
    expect(read(`p99 of ${service}`)).toMatchObject({
      ...{ intent: 'how_is', service, window: null },
      measure: { measure: 'latency', quantile: 'p99' },
    })
    expect(read(`why is ${service} slow`)).toMatchObject({ intent: 'why', service })
    expect(read(`what changed in ${service}`)).toMatchObject({ intent: 'what_changed', service })
  })

  it('is told as it was typed, among the words and in what is left open', () => {
    expect(read('is Flag_API down? who is on call for deploy-bot?')).toMatchObject({
      ...{ service: 'flag-api', words: ['flag_api', 'down', 'call', 'deploy-bot'] },
      left: [{ text: 'who is on call for deploy-bot', refusal: 'owner' }],
    })
  })

  it('is what a question suspects, and the tool that it asks after where it is called so', () => {
    expect(read('is it because of deploy-bot?')).toMatchObject({ intent: 'why', suspect: 'deploy-bot' })
    expect(readQuestion('did pager-duty answer?', { services: ['pager-duty'], now: NOW }).tool).toEqual({
      ...{ type: 'pagerduty', name: 'pager-duty' },
    })
  })

  it('is read anew as names become known, and as it stands where none is', () => {
    expect(readQuestion('is deploy-bot down', { services: [], now: NOW }).intent).toBe('what_changed')
  })
})
