import { describe, expect, it } from 'vitest'
import { shortFollowUp } from '#shared/domain/investigation/questions/short-follow-ups.ts'
import type { Intent } from '#shared/domain/investigation/questions/ways-to-ask.ts'

describe('what is asked on in a word or two', () => {
  it.each<[before: Intent, plain: string, meant: Intent]>([
    ['count_incidents', 'show them', 'list_incidents'],
    ['list_incidents', 'total?', 'count_incidents'],
    ['what_happened', 'and then?', 'what_happened'],
    ['what_happened', 'and before?', 'what_happened'],
    ['how_is', 'is that a lot?', 'how_is'],
    ['how_is', 'errors?', 'how_is'],
    ['why', 'says who?', 'what_contradicts'],
    ['why', 'and customers?', 'what_is_affected'],
    ['why', 'still?', 'is_recovered'],
    ['why', 'fix?', 'should_roll_back'],
    ['how_is', 'how so?', 'why'],
    ['what_changed', 'which one exactly', 'what_changed'],
    ['what_changed', 'ok, before that?', 'what_changed'],
  ])('after %s “%s” asks for %s', (before, plain, meant) => {
    expect(shortFollowUp(plain, before)).toBe(meant)
  })

  it.each<[before: Intent, plain: string]>([
    ['why', 'show them'],
    ['why', 'errors?'],
    ['why', 'and then?'],
    ['unknown', 'still?'],
    ['why', 'why is stock slow'],
    ['why', 'still of the same opinion about all of it'],
  ])('after %s “%s” says nothing by what was asked before', (before, plain) => {
    expect(shortFollowUp(plain, before)).toBeNull()
  })
})
