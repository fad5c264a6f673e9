import { describe, expect, it } from 'vitest'
import { askedOfChanges } from '#shared/domain/investigation/questions/asked-of-changes.ts'
import { readIntent } from '#shared/domain/investigation/questions/read-intent.ts'

describe('what is asked of the changes', () => {
  it.each([
    ['first', 'what was the first change?'],
    ['first', 'which deploy came first'],
    ['first', 'what was deployed first today'],
    ['first', 'show me the earliest commit'],
    ['length', 'how long did the deploy take?'],
    ['length', 'how long did the rollout of stock take'],
    ['length', 'how long did v42 take to roll out?'],
    ['length', 'when did the deploy finish?'],
    ['length', 'is the deploy still running?'],
    ['length', 'duration of the last deploy'],
    ['unchanged', "what didn't change?"],
    ['unchanged', 'which services were not deployed'],
    ['unchanged', 'what stayed the same'],
    ['length', 'did the deploy succeed?'],
    ['length', 'how long did the rollback take?'],
    ['age', 'how long has v42 been live?'],
    ['age', 'how long has the new version been out'],
    ['lead', 'how long between commit and deploy of 5d0c7ae1'],
    ['reason', 'why was stock deployed?'],
    ['reason', 'why did they release on a sunday'],
    ['reason', 'why was the flag turned on'],
    ['checks', 'did the checks pass?'],
    ['checks', 'any failed checks'],
    ['size', 'what is the biggest change?'],
    ['size', 'which deploy was the riskiest'],
    ['most_by', 'who made the most changes?'],
    ['fewest_by', 'who deployed the least'],
    ['most_of', 'which service was deployed most often?'],
    ['fewest_of', 'which service has the fewest commits'],
  ])('is the %s in “%s”', (asked, plain) => {
    expect(askedOfChanges(plain)).toBe(asked)
    expect(readIntent(plain)).toEqual({ intent: 'what_changed', refusal: null })
  })

  it.each([
    'what changed?',
    'what was the last change?',
    'how long did the outage last?',
    'how long did it take from the deploy to the first error',
    'how long did the deploy take to break everything',
    'why did the first deploy fail',
    'why did stock fail after it was deployed',
    'why was nothing deployed',
    'why is stock slow since the deploy',
    'how long is stock out',
    'how long has stock been failing',
    'when did the first errors begin',
    'which change is the most likely cause',
    'who is affected the most',
    'which service is hit the most',
    'is it over',
  ])('is nothing of that in “%s”', (plain) => {
    expect(askedOfChanges(plain)).toBeNull()
  })
})
