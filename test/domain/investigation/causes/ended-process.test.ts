import { describe, expect, it } from 'vitest'
import { endedProcess } from '#shared/domain/investigation/causes/ended-process.ts'
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '#shared/domain/investigation/confidence.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, deploy, EMPTY, ONSET } from '../incident-scenarios.ts'
import { BARE, place } from '../scene-by-hand.ts'

const line = (text: string, more: Partial<Line> = {}): Line => ({
  ...{ text, entity: 'stock', count: 1, at: at(ONSET), source: 'a tool', origin: 'log', failing: true },
  ...more,
})
const SAID = line('FATAL signal 11 (SIGSEGV) in Stream::read')
const SEEN = line('Pod Error Container stock ended with exit code 139', {
  entity: 'stock-0',
  origin: 'kubernetes',
})
const found = (lines: readonly Line[], more: Partial<Snapshot> = {}, onset: number | null = at(ONSET)) => {
  const snapshot: Snapshot = { ...EMPTY, ...more }
  const scene: Scene = {
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines, onset },
    observed: { ...BARE, first: place('stock') },
  }
  return endedProcess(scene)
}

describe('a process that ended by a fault of its own', () => {
  it('is told by the platform that saw it end or by its last words, and more surely by both', () => {
    expect(found([SAID])).toMatchObject({
      ...{ kind: 'code', entity: 'stock', score: 0.45, at_most: CONFIDENCE_CAP_UNLINKED },
      ...{ what: 'a process that ended by a fault of its own', action: 'escalate', yields_to_changes: true },
    })
    expect(found([SEEN])?.score).toBe(0.45)
    const both = found([SAID, SEEN])
    expect(both).toMatchObject({ score: 0.6975, at_most: CONFIDENCE_CAP_UNMAPPED })
    expect(both?.signs).toHaveLength(2)
    expect(found([SAID, SAID])?.score).toBe(0.45)
  })

  it.each([
    'Segmentation fault (core dumped)',
    'process received SIGABRT',
    'worker exited with code 134',
    'exit status 136',
    'panic: runtime error: index out of range [5] with length 3',
    'fatal error: concurrent map writes',
    "terminate called after throwing an instance of 'std::bad_alloc'",
    '# A fatal error has been detected by the Java Runtime Environment:',
    'Unhandled exception: 0xC0000005: Access violation reading location',
  ])('is spoken of as “%s”', (text) => {
    expect(found([line(text)])).not.toBeNull()
  })

  it.each([
    'exited with code 0',
    'exited with code 143',
    'OOMKilled: Container stock ended with exit code 137',
    'fatal error: runtime: out of memory',
    'do not panic',
    'signal 15 received, shutting down',
  ])('is not spoken of as “%s”', (text) => {
    expect(found([line(text)])).toBeNull()
  })

  it('ended where it fails first, and when users began to be hurt', () => {
    expect(found([line(SAID.text, { entity: 'web' })])).toBeNull()
    expect(found([line(SAID.text, { at: at(ONSET - 2) })])).not.toBeNull()
    expect(found([line(SAID.text, { at: at(ONSET - 2) - 1 })])).toBeNull()
    expect(found([line(SAID.text, { at: at(ONSET + 1) })])).not.toBeNull()
    expect(found([line(SAID.text, { at: at(ONSET + 1) + 1 })])).toBeNull()
    expect(found([line(SAID.text, { at: null })])).toBeNull()
    expect(found([SAID], {}, null)).toBeNull()
  })

  it('is heard of from who runs it, and neither from an alert nor from a line that only informs', () => {
    for (const more of [{ origin: 'alert' }, { origin: 'trace' }, { failing: false }] as const)
      expect(found([line(SAID.text, more)])).toBeNull()
    expect(found([line(SAID.text, { origin: 'event' })])).not.toBeNull()
  })

  it('is possible at most where the place was changed just before', () => {
    const changes = [deploy('d1', ONSET - 2, 'stock', 'v2', [])]
    expect(found([SAID, SEEN], { changes })?.at_most).toBe(CONFIDENCE_CAP_UNLINKED)
  })
})
