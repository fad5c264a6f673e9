import { describe, expect, it } from 'vitest'
import { collapseEvents, secretProblem, secretWarnings } from '#shared/domain/webhook.ts'

describe('the secret of a webhook', () => {
  it.each(['a', 'x'.repeat(256), 'pass phrase with spaces', `whsec_${Buffer.alloc(24).toString('base64')}`])(
    'may be %s',
    (secret) => {
      expect(secretProblem(secret)).toBeNull()
    },
  )

  it.each(['', 'x'.repeat(257), 'tab\there', 'ümlaut', 'whsec_', 'whsec_not base64', 'whsec_abc'])(
    'may not be %j',
    (secret) => {
      expect(secretProblem(secret)).not.toBeNull()
    },
  )

  it('below 24 bytes is taken with a warning, in either form', () => {
    expect(secretWarnings('x'.repeat(23))).toHaveLength(1)
    expect(secretWarnings('x'.repeat(24))).toHaveLength(0)
    expect(secretWarnings(`whsec_${Buffer.alloc(23).toString('base64')}`)).toEqual([
      expect.stringContaining('23 bytes'),
    ])
    expect(secretWarnings(`whsec_${Buffer.alloc(24).toString('base64')}`)).toHaveLength(0)
  })
})

describe('the events of a webhook', () => {
  it('are each kept once, in the order of the catalogue', () => {
    expect(collapseEvents(['incident.resolved', 'incident.created', 'incident.resolved'])).toEqual([
      'incident.created',
      'incident.resolved',
    ])
  })
})

it('events stand in the order of the catalogue, each once, and only those that were asked for', () => {
  expect(collapseEvents(['incident.resolved'])).toEqual(['incident.resolved'])
  expect(collapseEvents(['incident.resolved', 'incident.created', 'incident.resolved'])).toEqual([
    'incident.created',
    'incident.resolved',
  ])
})

it('why a secret cannot be used is said in words', () => {
  expect(secretProblem('')).toMatch(/1 to 256 printable ASCII characters/)
  expect(secretProblem('whsec_abc')).toBe('whsec_ must be followed by base64')
  expect(secretProblem(`whsec_${'A'.repeat(32)}!`)).toBe('whsec_ must be followed by base64')
  expect(secretProblem(`whsec_${'A'.repeat(32)}`)).toBeNull()
})
