import { describe, expect, it } from 'vitest'
import { quotedSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { FAILS, first, judge, merged, of, says, settings } from '../ranking-by-hand.ts'

describe('a value in capitals that a change alone brings in and a new error says', () => {
  const BRINGS = '   shelves:\n-  by: size\n+  by: kind\n+  kinds: [BOOK_LARGE, BOOK_SMALL]'
  const SAYS = 'order 7 is not taken in: no kind BOOK_LARGE'
  const found = (said: string, diff = BRINGS, more: Partial<Symptom> = {}) =>
    first([merged('a', 60, diff)], [says(said, more)]).quoted

  it('links that change', () => {
    const symptom = says(SAYS)
    const entry = first([merged('a', 60, BRINGS)], [symptom])
    expect(entry.quoted).toEqual({ name: 'BOOK_LARGE', symptom, how: 'brings' })
    expect(entry.is_linked).toBe(true)
    expect(quotedSentence(entry)).toContain('brings in “BOOK_LARGE”')
    expect(found('SHELF_URL is not set', '+const url = env.SHELF_URL')).toMatchObject({ name: 'SHELF_URL' })
  })

  it('is none where the change has it before as well, or around what it changes', () => {
    expect(found(SAYS, '-  kinds: [BOOK_LARGE]\n+  kinds: [BOOK_LARGE, BOOK_SMALL]')?.how).not.toBe('brings')
    expect(found(SAYS, '   BOOK_LARGE: 7\n-  a: b\n+  a: BOOK_LARGE')).toBeNull()
  })

  it('has several words, of which one at least is not everybody’s, and stands there whole', () => {
    expect(found('no kind BOOK', '+  kinds: [BOOK]')).toBeNull()
    expect(found('no book_large', '+  kinds: [book_large]')).toBeNull()
    expect(found('bad REQUEST_ID', '+  a: REQUEST_ID')).toBeNull()
    for (const said of ['BOOK_LARGE_TWO', '/BOOK_LARGE', 'BOOK_LARGE.ts', 'my-BOOK_LARGE'])
      expect(found(`no kind ${said}`)).toBeNull()
    for (const said of ['"BOOK_LARGE"', '(BOOK_LARGE)', 'BOOK_LARGE.'])
      expect(found(`no kind ${said}`)).not.toBeNull()
  })

  it('is said by a line of the failing place itself, and tells nothing where several changes bring it', () => {
    expect(found(SAYS, BRINGS, { weight: 0.49 })).toBeNull()
    expect(found(SAYS, BRINGS, { origin: 'alert' })).toBeNull()
    const twice = judge([merged('a', 60, BRINGS), merged('b', 61, BRINGS)], [says(SAYS)]).ranked
    expect(twice.map(({ quoted }) => quoted)).toEqual([null, null])
    const thrice = judge(
      ['a', 'b', 'c'].map((id, index) => merged(id, 60 + index, BRINGS)),
      [says(SAYS)],
    ).ranked
    expect(thrice.map(({ quoted }) => quoted)).toEqual([null, null, null])
  })
})

const MEMBERS =
  ' members:\n   - name: relay-1\n     next: 10.4.8.2\n+  - name: relay-2\n+    next: 10.4.9.2\n atMost: 9'
const SAYS = 'put off by relay-2, trying again in 300 s'
/** Settings of nobody whom a counted call knows. */
const grown = (minute = ONSET - 3, more: Partial<Change> = {}): Change =>
  settings('a', minute, { entity: 'relays', diff: MEMBERS, files: ['prod/relays/members.yaml'], ...more })

describe('a part that a change alone began and of which who fails speaks', () => {
  /** What is measured of the relays: the second from a minute on. */
  const measured = (minute: number): Partial<Snapshot> => {
    const late = series('relay-2', 'deferred_per_second', 1, 1)
    const index = late.times.findIndex((time) => time >= at(minute))
    return {
      series: [
        series('relay-1', 'deferred_per_second', 1, 1),
        { ...late, times: late.times.slice(index), values: late.values.slice(index) },
      ],
    }
  }
  const found = (
    said: Partial<Symptom> = {},
    snapshot: Partial<Snapshot> = measured(ONSET - 2),
    changes: readonly Change[] = [grown()],
    failing = [FAILS],
  ) => of(judge(changes, [says(said.text ?? SAYS, said)], { snapshot, observed: { failing } }).ranked, 'a')

  it('is where that change arrived, next to who fails', () => {
    const entry = found()
    expect(entry).toMatchObject({ place: 0.95, reaches: 'relay-2' })
    expect(entry.quoted).toMatchObject({ name: 'relay-2', how: 'brings' })
    expect(quotedSentence(entry)).toContain('brings in “relay-2”')
  })

  it('says when the change took effect where nobody recorded it', () => {
    const commit = merged('a', ONSET - 4, MEMBERS, { entity: 'relays', files: ['prod/relays/members.yaml'] })
    expect(found({}, measured(ONSET - 2), [commit]).effective_at).toEqual({
      ...{ from: at(ONSET - 2), to: at(ONSET - 2), known: true },
    })
    expect(found().effective_at.from).toBe(at(ONSET - 3))
  })

  it('may be known by its own lines alone', () => {
    const logs = lines('relay-2', 'WARN', 'connection timed out', ONSET - 1, ONSET + 9)
    expect(found({}, { logs }).reaches).toBe('relay-2')
    const earlier = lines('relay-2', 'WARN', 'connection timed out', ONSET - 40, ONSET + 9)
    expect(found({}, { logs: earlier }).reaches).not.toBe('relay-2')
  })

  it('is new: nothing of it is known before the record of the change, while it would be', () => {
    expect(found({}, measured(ONSET - 4)).reaches).toBe('relay-2')
    expect(found({}, measured(ONSET - 5)).reaches).not.toBe('relay-2')
    expect(found({ text: 'put off by relay-1' }).reaches).not.toBe('relay-1')
    expect(found({}, measured(9), [grown(7)]).reaches).toBe('relay-2')
    expect(found({}, measured(9), [grown(6.9)]).reaches).not.toBe('relay-2')
  })

  it('is spoken of by who fails, and not by itself or by others', () => {
    expect(found({ weight: 0.4 }).reaches).toBe('relay-2')
    expect(found({ weight: 0.4, entity: 'web' }).reaches).not.toBe('relay-2')
    const web = { ...FAILS, entity: 'web' }
    expect(found({ weight: 0.4, entity: 'web' }, measured(ONSET - 2), [grown()], [FAILS, web]).reaches).toBe(
      'relay-2',
    )
    expect(found({ entity: 'relay-2' }).reaches).not.toBe('relay-2')
    expect(found({ text: 'put off, trying again' }).reaches).not.toBe('relay-2')
    expect(found({ origin: 'alert' }).reaches).not.toBe('relay-2')
  })

  it('is brought in by that change and by no other, and answers no counted call', () => {
    const other = grown(ONSET - 2, { id: 'b' })
    expect(found({}, measured(ONSET - 2), [grown(), other]).reaches).not.toBe('relay-2')
    const around = grown(ONSET - 3, { diff: '   - name: relay-2\n-    next: a\n+    next: b' })
    expect(found({}, measured(ONSET - 2), [around]).reaches).not.toBe('relay-2')
    const edges = calls('stock-api', 'relay-2', 0.1)
    expect(found({}, { ...measured(ONSET - 2), edges }).reaches).not.toBe('relay-2')
  })
})

describe('an incident after a second relay was added', () => {
  const since = series('relay-2', 'deferred_per_second', 1, 1)
  const index = since.times.findIndex((time) => time >= at(ONSET - 1))
  const snapshot: Snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.001, 0.2),
      series('relay-1', 'deferred_per_second', 1, 1),
      { ...since, times: since.times.slice(index), values: since.values.slice(index) },
    ],
    logs: [
      ...lines('web', 'WARN', SAYS, ONSET, ONSET + 20),
      ...lines('relay-2', 'WARN', 'connect to 10.4.9.2: connection timed out', ONSET, ONSET + 20),
    ],
    changes: [grown()],
  }

  it('is told as that of the change', () => {
    expect(investigate(snapshot).cause).toMatchObject({ level: 'change', change: 'a', entity: 'relay-2' })
  })
})
