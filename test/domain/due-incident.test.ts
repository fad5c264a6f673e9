import { describe, expect, it } from 'vitest'
import { dueIncident } from '#shared/domain/due-incident.ts'

const waiting = { sk: 'INCIDENT', id: 'inc_1', analysis: 'pending', due_at: 10, fence: 0 }

describe('an investigation becomes due', () => {
  it.each([
    ['with a new incident', null],
    ['with a new request', { ...waiting, analysis: 'done' }],
    ['with another try', { ...waiting, due_at: 5 }],
    ['with a new request while it waits', { ...waiting, fence: -1 }],
  ])('%s', (_name, before) => {
    expect(dueIncident({ before, after: waiting })).toBe('inc_1')
  })

  it.each([
    [
      'when something else of a waiting incident changes',
      { before: waiting, after: { ...waiting, title: 'x' } },
    ],
    ['when it runs, ends or fails', { before: waiting, after: { ...waiting, analysis: 'running' } }],
    ['when another item of the table changes', { before: null, after: { ...waiting, sk: 'TIMELINE#1' } }],
    ['when the incident is removed', { before: waiting, after: null }],
    ['when the item has no id', { before: null, after: { sk: 'INCIDENT', analysis: 'pending' } }],
  ])('not %s', (_name, change) => {
    expect(dueIncident(change)).toBeNull()
  })
})
