import { describe, expect, it } from 'vitest'
import { printable } from '#infra/commands/printable.ts'

describe('a text for a terminal', () => {
  it.each([
    ['\u001b[31mred', '\ufffd[31mred'],
    ['a\rb', 'a\ufffdb'],
    ['\u009b2J', '\ufffd2J'],
    ['\u202edlrow\u2066', '\ufffddlrow\ufffd'],
    ['\u007f\0\u0007', '\ufffd\ufffd\ufffd'],
  ])('has nothing that steers it (%j)', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('is as it was otherwise, with its lines, tabs and letters of any language', () => {
    const text = 'Zürich\n\t“東京” שלום 😀 https://a.example/?b=c'
    expect(printable(text)).toBe(text)
  })
})
