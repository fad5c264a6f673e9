import { describe, expect, it } from 'vitest'
import { eventFilter } from '#infra/local/event-filter.ts'

const record = {
  eventName: 'INSERT',
  dynamodb: {
    NewImage: {
      sk: { S: 'INCIDENT' },
      analysis: { S: 'pending' },
      tries: { N: '3' },
      tags: { SS: ['a', 'b'] },
      empty: { NULL: true },
    },
  },
}
const image = (pattern: unknown) => ({ dynamodb: { NewImage: pattern } })

describe('an event filter', () => {
  it.each([
    ['the exact value', { eventName: ['INSERT'] }],
    ['one of several', { eventName: ['MODIFY', 'INSERT'] }],
    ['a nested value', image({ sk: { S: ['INCIDENT'] }, analysis: { S: ['pending'] } })],
    ['true', image({ empty: { NULL: [true] } })],
    ['a prefix', image({ sk: { S: [{ prefix: 'INC' }] } })],
    ['a suffix', image({ sk: { S: [{ suffix: 'DENT' }] } })],
    ['another case', image({ sk: { S: [{ 'equals-ignore-case': 'incident' }] } })],
    ['anything but others', { eventName: [{ 'anything-but': ['REMOVE', 'MODIFY'] }] }],
    ['anything but a prefix', { eventName: [{ 'anything-but': { prefix: 'RE' } }] }],
    ['a number that DynamoDB sends as text', image({ tries: { N: [{ numeric: ['>', 2, '<=', 3] }] } })],
    ['presence', image({ sk: { S: [{ exists: true }] } })],
    ['absence', image({ deleted: { S: [{ exists: false }] } })],
    ['a member of a list', image({ tags: { SS: ['b'] } })],
    ['either of two', { $or: [{ eventName: ['REMOVE'] }, image({ sk: { S: ['INCIDENT'] } })] }],
  ])('takes a record by %s', (_, pattern) => {
    expect(eventFilter([pattern])(record)).toBe(true)
  })

  it.each([
    ['another value', { eventName: ['REMOVE'] }],
    ['one field of two', image({ sk: { S: ['INCIDENT'] }, analysis: { S: ['done'] } })],
    ['a field that is missing', image({ deleted: { S: ['x'] } })],
    ['anything but on a field that is missing', image({ deleted: { S: [{ 'anything-but': ['x'] }] } })],
    ['a number outside', image({ tries: { N: [{ numeric: ['<', 3] }] } })],
    ['numeric on a text', image({ sk: { S: [{ numeric: ['>', 0] }] } })],
    ['presence of what is missing', image({ deleted: { S: [{ exists: true }] } })],
    ['neither of two', { $or: [{ eventName: ['REMOVE'] }, { eventName: ['MODIFY'] }] }],
  ])('leaves a record by %s', (_, pattern) => {
    expect(eventFilter([pattern])(record)).toBe(false)
  })

  it('takes every record where there is no pattern, and those that any of several takes', () => {
    expect(eventFilter([])(record)).toBe(true)
    expect(eventFilter([{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }])(record)).toBe(true)
  })

  it.each([
    ['a leaf that is no list', { eventName: 'INSERT' }, 'event filter eventName: a leaf is a list of rules'],
    ['an unknown operator', { eventName: [{ like: 'I' }] }, 'event filter eventName: no operator like'],
    ['two operators', { a: [{ prefix: 'a', suffix: 'b' }] }, 'event filter a: a rule has one operator'],
    ['a list as rule', { a: [['b']] }, 'event filter a: a rule cannot be a list'],
    [
      'half a comparison',
      { a: [{ numeric: ['>'] }] },
      'event filter a: numeric takes pairs of operator and number',
    ],
    [
      'an unknown comparison',
      { a: [{ numeric: ['~', 1] }] },
      'event filter a: numeric takes pairs of operator and number',
    ],
    ['exists without a truth', { a: [{ exists: 'yes' }] }, 'event filter a: exists takes true or false'],
    ['$or without a list', { $or: { a: ['b'] } }, 'event filter $or: takes a list of patterns'],
  ])('refuses %s and names the field', (_, pattern, message) => {
    expect(() => eventFilter([pattern])).toThrow(message)
  })
})
