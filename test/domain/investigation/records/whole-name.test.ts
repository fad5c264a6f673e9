import { describe, expect, it } from 'vitest'
import { holdsName } from '#shared/domain/investigation/records/whole-name.ts'

describe('a name in a text', () => {
  it.each([
    'node-1',
    'node-1 is not ready',
    'Node node-1.',
    'shop/node-1 is not ready',
    'node-1.internal:9100',
    'on "node-1", and elsewhere',
    'node-1- and no more',
    'node-12, and then node-1',
    'big-node-1 before node-1',
  ])('stands in “%s”', (text) => {
    expect(holdsName(text, 'node-1')).toBe(true)
  })

  it.each([
    '',
    'node-12 is not ready',
    'node-1a',
    'node-1_b',
    'node-1-spare',
    'big-node-1',
    'xnode-1',
    'my_node-1',
    'ünode-1',
    'NODE-1',
    'node-12 and node-13',
  ])('is no part of another one in “%s”', (text) => {
    expect(holdsName(text, 'node-1')).toBe(false)
  })

  it('that is empty stands nowhere', () => {
    expect(holdsName('anything', '')).toBe(false)
  })
})
