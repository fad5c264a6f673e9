import { describe, expect, it } from 'vitest'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, LENGTH, ONSET } from '../incident-scenarios.ts'
import { find, found, said, status } from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('a quiet or unrelated status entry says nothing', () => {
    const message = 'GET https://api.nimbus.co.uk/x returned 503'
    const told = find([message], { status: status('elevated errors') })
    expect(told.cause.kind).toBe('provider')
    expect(
      find([message], { status: status('all well', { status: 'operational' }) }).confidence,
    ).toBeLessThan(told.confidence)
    expect(
      find([message], { status: status('old trouble', { timestamp: at(-300) }) }).confidence,
    ).toBeLessThan(told.confidence)
  })
})

describe('an outside provider', () => {
  const host = 'api.paylane.com'
  const failing = (name = host) => `GET https://${name}/x returned 503`

  it('is told by entries of half an hour before the onset on that say trouble, the first two of them', () => {
    const entry = (minute: number, say = 'outage') => ({
      timestamp: at(minute),
      status: say,
      detail: 'paylane',
    })
    const entries = (...events: Snapshot['status'][number]['events']) =>
      found('provider', {
        templates: [said(failing())],
        snapshot: { status: [{ source: 'status', provider: 'p', events }] },
      })
        ?.signs.map(({ fact }) => (fact.of === 'status' ? `${fact.status} ${fact.at}` : ''))
        .filter((text) => text !== '')
    expect(entries(entry(ONSET + 9), entry(ONSET, 'worse'), entry(ONSET), entry(ONSET + 2))).toEqual([
      `outage ${at(ONSET)}`,
      `worse ${at(ONSET)}`,
    ])
    expect(entries(entry(ONSET - 30))).toHaveLength(1)
    expect(entries(entry(ONSET - 31))).toHaveLength(0)
    expect(entries(entry(LENGTH))).toHaveLength(0)
    expect(entries(entry(ONSET, 'Operational'), entry(ONSET, 'up'))).toHaveLength(0)
    expect(entries(entry(ONSET, 'not operational'), entry(ONSET, 'up and down'))).toHaveLength(2)
    // What was over five minutes before anybody failed had no part in it.
    expect(entries(entry(ONSET - 20), entry(ONSET - 5, 'resolved'))).toHaveLength(0)
    expect(entries(entry(ONSET - 20), entry(ONSET - 4, 'resolved'))).toHaveLength(1)
    expect(entries(entry(ONSET - 25, 'resolved'), entry(ONSET - 20))).toHaveLength(1)
  })
})
