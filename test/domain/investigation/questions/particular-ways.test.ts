import { describe, expect, it } from 'vitest'
import { PARTICULAR, particularIntent } from '#shared/domain/investigation/questions/particular-ways.ts'
import type { Intent } from '#shared/domain/investigation/questions/ways-to-ask.ts'

/** Ways to ask, at least one for each row. */
const ASKED: readonly (readonly [Intent, string])[] = [
  ['is_recovered', 'may i tell the theatre that it is fixed?'],
  ['is_recovered', 'can we let the branches know that borrowing is possible again'],
  ['is_recovered', 'are tickets loading again?'],
  ['is_recovered', 'did stock calm down'],
  ['is_recovered', 'did the errors stop'],
  ['is_recovered', 'is the outage over or are there still errors'],
  ['what_contradicts', 'so stock is innocent then?'],
  ['what_contradicts', 'correlation or proof?'],
  ['what_contradicts', "what doesn't fit?"],
  ['what_contradicts', 'how much would you bet on it'],
  ['why', 'could it have been the flag'],
  ['what_was_asked', 'was the slow log of stock looked at too?'],
  ['what_was_asked', "what couldn't be looked at on the database"],
  ['what_was_asked', 'which tools told you this'],
  ['what_was_asked', 'did anyone query the metrics of stock'],
  ['what_was_asked', "where's that number from"],
  ['what_was_asked', 'what did prometheus tell you'],
  ['what_is_affected', 'does the stock trouble reach web'],
  ['what_is_affected', 'has it reached web'],
  ['what_is_affected', "who can't pay"],
  ['what_happened', 'play back the last 45 minutes of stock'],
  ['what_happened', 'what happened on stock right before web fell over'],
  ['what_happened', 'minute by minute please'],
  ['what_happened', 'the story of last night'],
  ['list_incidents', 'any pages last night that nobody closed'],
  ['list_incidents', "list what's open"],
  ['how_is', 'when did the alert fire'],
  ['how_is', 'does v41 throw that too'],
  ['how_is', 'how many bookings failed in the last half hour'],
  ['when_started', 'for how many minutes were customers unable to pay'],
  ['when_started', 'minutes of downtime for stock'],
  ['seen_before', 'what was the root cause of the incident before the last one?'],
  ['seen_before', 'how long did it take us to resolve the last incident'],
  ['seen_before', 'how long did the last outage take'],
  ['what_is_affected', 'which service failed last'],
  ['seen_before', 'why did the last but one outage happen'],
  ['what_is_affected', 'can people place orders?'],
  ['what_is_affected', 'can anyone still check out'],
  ['seen_before', 'did something similar bring us down in april'],
  ['why', 'did stock run dry or did web stop sending'],
  ['why', 'stock throws errors, where do they come from'],
  ['what_changed', 'tell me about v42'],
  ['what_changed', 'what was live when it broke'],
]

describe('a particular way to ask', () => {
  it.each(ASKED.map(([intent, plain]) => [plain, intent] as const))('“%s” wants %s', (plain, intent) => {
    expect(particularIntent(plain)).toBe(intent)
  })

  it('is tested for every row of the table', () => {
    for (const [, pattern] of PARTICULAR)
      expect(
        ASKED.some(([, plain]) => pattern.test(plain)),
        pattern.source,
      ).toBe(true)
  })

  it.each([
    'why is stock slow',
    'is stock failing again?',
    'did stock stop working',
    'what happened to stock',
    'was stock touched',
    'any page load errors',
    'should we switch to another cloud',
    'how many requests failed',
    'what did stock say',
    'how do i restart a pod',
  ])('is not “%s”', (plain) => {
    expect(particularIntent(plain)).toBeNull()
  })
})
