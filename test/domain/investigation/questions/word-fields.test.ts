import { describe, expect, it } from 'vitest'
import { intentByWords, nameAskedAfter } from '#shared/domain/investigation/questions/word-fields.ts'

describe('a word of a question that is put in no known way', () => {
  it.each([
    ['stock did it previously', true, 'seen_before'],
    ['it began with the alarms', false, 'when_started'],
    ['this has ended, yes', false, 'is_recovered'],
    ['some doubt about stock', true, 'what_contradicts'],
    ['sources for this', false, 'what_was_asked'],
    ['clients of stock hurting', true, 'what_is_affected'],
    ['mitigation for stock', true, 'should_roll_back'],
    ['modifications in stock', true, 'what_changed'],
    ['the story of stock', true, 'what_happened'],
    ['theory about stock', true, 'why'],
    ['stock acts weird again', true, 'how_is'],
    ['stock again', true, 'seen_before'],
    ['is stock full', true, 'how_is'],
    ['check stock', true, 'how_is'],
    ['stock relapses', true, 'seen_before'],
    ['origination of the failure on stock, minute', true, 'when_started'],
    ['spreading?', false, 'what_is_affected'],
    ['confidence?', false, 'what_contradicts'],
    ['any countermeasures', false, 'should_roll_back'],
    ['recent deploys on prod', false, 'what_changed'],
    ['count of outages', false, 'count_incidents'],
    ['explanation for the outage', false, 'why'],
    ['status stock', true, 'how_is'],
    ["isn't stock odd", true, 'how_is'],
    // Of two intents the more of what is said speaks for one.
    ['status of the metrics on stock again', true, 'how_is'],
    // What is asked of nothing that is named must be of these words alone, or nearly.
    ['recommend a good book', false, null],
    ['is it friday yet', false, null],
    ['is spotify better than us', false, null],
    ['better now?', false, 'is_recovered'],
    // Nobody asks about an incident.
    ['the story of my life', false, null],
    ['is the glass full', false, null],
    ['stock photos', true, null],
    ['write a story about stock', true, null],
    ['how do i get proof of this', false, null],
  ] as const)('“%s” (about a service: %s) speaks for %s', (plain, namesService, intent) => {
    expect(intentByWords(plain, namesService)).toBe(intent)
  })
})

describe('a word that is asked after', () => {
  it.each([
    ['what about stock', 'stock'],
    ['how about the stock-db?', 'stock-db'],
    ['and what about our stock service?', 'stock'],
    ['anything on stock.', 'stock'],
    ['anything with web.internal', 'web.internal'],
  ])('may be the name of a service: %s', (plain, name) => {
    expect(nameAskedAfter(plain)).toBe(name)
    expect(intentByWords(plain, false)).toBe('how_is')
  })

  it.each([
    'what about it',
    'how about you',
    'what about yesterday',
    'what about 9',
    'what about the weather in town',
    'stock about what',
  ])('is none in "%s"', (plain) => {
    expect(nameAskedAfter(plain)).toBeNull()
  })

  it('is left to the question before it, where there is one', () => {
    expect(intentByWords('what about stock', false, true)).toBeNull()
  })
})
