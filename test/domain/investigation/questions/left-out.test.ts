import { describe, expect, it } from 'vitest'
import { leftOut } from '#shared/domain/investigation/questions/left-out.ts'
import { readIntent } from '#shared/domain/investigation/questions/read-intent.ts'

const left = (plain: string) => leftOut(plain, readIntent(plain).intent)

describe('further questions of one text', () => {
  it.each([
    ['what is the error rate of stock and what changed there?', 'what is the error rate of stock', null],
    ['which incidents are open and who is on call?', 'who is on call', 'owner'],
    ['why is stock failing? what changed?', null, null],
    ['why is stock failing? what changed in stock?', 'what changed in stock', null],
    ['how many incidents were resolved and which are still open?', 'which are still open', 'unreadable'],
    ['why is stock failing and since when?', null, null],
    ['why is stock slow and should we roll back?', null, null],
  ])('of “%s” %s is left out', (plain, text, refusal) => {
    expect(left(plain)).toEqual(text === null ? [] : [{ text, refusal }])
  })

  it.each([
    'why is stock failing?',
    'why is stock failing. it was fine before.',
    'help! why is stock down? please.',
    'what changed and when?',
    'write a poem and what is love?',
    '',
  ])('in “%s” are none', (plain) => {
    expect(left(plain)).toEqual([])
  })

  it('are three at most, each cut', () => {
    const long = `who ${'really '.repeat(40)}knows`
    const found = left(`what changed? ${Array(9).fill(long).join('? ')}?`)
    expect(found).toHaveLength(3)
    expect(found[0]?.text).toHaveLength(120)
  })
})
