import { describe, expect, it } from 'vitest'
import { mapTexts, toldIn, toldText } from '#shared/domain/investigation/told-text.ts'

describe('data as they may be told', () => {
  it('are themselves where nothing has to be hidden', () => {
    const data = { a: ['x', 1, null], b: { c: true, d: undefined }, e: Float64Array.of(1) }
    expect(toldIn(data)).toBe(data)
  })

  it('hold no credential in any text, however deep, and nothing else of them changes', () => {
    const data = { list: [{ text: 'password=hunter2' }, { text: 'fine', at: 5 }], 'token=abcd': 'x' }
    expect(toldIn(data)).toEqual({
      list: [{ text: 'password=•••' }, { text: 'fine', at: 5 }],
      'token=•••': 'x',
    })
    expect(data.list[0]?.text).toBe('password=hunter2')
    expect(toldIn(data).list[1]).toBe(data.list[1])
  })

  it('hold none in a name of a field either, of however many records that have it', () => {
    expect(toldIn([{ 'token=abcd': 1 }, { 'token=abcd': 2 }])).toEqual([
      { 'token=•••': 1 },
      { 'token=•••': 2 },
    ])
  })

  it('are changed by the field that holds them, names of fields by none', () => {
    const told = (text: string, field: string) => `${field}<${text}>`
    expect(mapTexts({ a: 'x', b: ['y', 5], c: { d: 'z' } }, told)).toEqual({
      '<a>': 'a<x>',
      '<b>': ['b<y>', 5],
      '<c>': { '<d>': 'd<z>' },
    })
    expect(mapTexts('x', told)).toBe('<x>')
  })

  it('find a credential that is parted by what nobody sees', () => {
    expect(toldText('pass\u200bword=hun\u200bter2')).toBe('password=•••')
  })
})
