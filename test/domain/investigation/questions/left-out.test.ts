import { describe, expect, it } from 'vitest'
import { askingParts, isAsking, leftOut } from '#shared/domain/investigation/questions/left-out.ts'
import { readIntent } from '#shared/domain/investigation/questions/read-intent.ts'

const left = (plain: string) => leftOut(plain, readIntent(plain).intent)

describe('further questions of one text', () => {
  it.each([
    ['what is the error rate of stock and what changed there?', 'what is the error rate of stock', null],
    ['which incidents are open and who is on call?', 'who is on call', 'owner'],
    ['why is stock failing? what changed?', null, null],
    ['why is stock failing? what changed in stock?', 'what changed in stock', null],
    ['how many incidents were resolved and which are still open?', 'which are still open', null],
    ['why is stock failing and since when?', null, null],
    ['why is stock slow and should we roll back?', null, null],
    ['why is stock failing? who changed it', 'who changed it', null],
    ['how is stock and is it over now?', null, null],
    ['is it over and how is stock doing?', null, null],
    ['what is affected and how is stock doing?', null, null],
    ['should we roll back and why is stock failing?', null, null],
    ['are you sure and why is stock failing?', null, null],
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

  it.each([
    ['why', 'why is stock down', 'since when is it down'],
    ['why', 'why is stock down', 'how is stock doing'],
    ['how_is', 'how is stock', 'is it over now'],
    ['how_is', 'how is stock', 'since when is it slow'],
    ['is_recovered', 'is it over', 'how is stock doing'],
    ['is_recovered', 'is it over', 'since when was it down'],
    ['what_is_affected', 'what is affected', 'how is stock doing'],
    ['what_is_affected', 'what is affected', 'since when is it down'],
    ['should_roll_back', 'should we roll back', 'why is stock down'],
    ['what_contradicts', 'are you sure', 'why is stock down'],
  ] as const)('are none that the answer to %s tells: “%s? %s?”', (intent, one, other) => {
    expect(leftOut(`${one}? ${other}?`, intent)).toEqual([])
    expect(leftOut(`${one}? who deployed to stock?`, intent)).toHaveLength(1)
  })

  it('are none where the text was read as a whole, or not at all', () => {
    expect(leftOut('why is stock failing? what changed in stock?', 'should_roll_back')).toEqual([])
    expect(leftOut('what is love? why is stock failing?', 'unknown')).toEqual([])
  })

  it('begin as questions do, and are told without the marks behind them', () => {
    expect(askingParts('stock is down. why is it down?? , and what changed...! was it so ,')).toEqual([
      'why is it down',
      'what changed',
      'was it so',
    ])
    expect(['why', 'is it up', 'so why is it', 'stock is up', ''].map(isAsking)).toEqual([
      ...[true, true, false, false, false],
    ])
  })

  it('are three at most, each cut', () => {
    const long = `who ${'really '.repeat(40)}knows`
    const found = left(`what changed? ${Array(9).fill(long).join('? ')}?`)
    expect(found).toHaveLength(3)
    expect(found[0]?.text).toHaveLength(120)
  })
})
